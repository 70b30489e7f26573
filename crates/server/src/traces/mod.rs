//! Traces for OpenTelemetry: a span per request to a model, in the words of its conventions for generative AI, and one inside
//! it for the folding. Numbers, names and ids of ours; never a text, a header or a key.
//!
//! Nothing waits for a collector: spans that it does not take in time are dropped, and the log says so.

mod export;

use std::time::{Duration, Instant};

use enfold::count::Usage;
use enfold_store::since_1970;
use hyper::http::HeaderMap;
use hyper::{StatusCode, Uri};
use serde_json::{Value, json};
use tokio::sync::mpsc::Sender;

use crate::route::{Endpoint, ModelRoute, Purpose};

pub(crate) use export::Exporter;

/// Where spans go: OTLP over HTTP, as JSON.
#[derive(Clone)]
pub struct Traces {
    /// The whole URL: `http://127.0.0.1:4318/v1/traces`.
    pub endpoint: Uri,
    /// What the collector wants to see with each request: a key, perhaps.
    pub headers: HeaderMap,
    /// What this server is called there.
    pub service: String,
}

impl Traces {
    /// As the usual variables say it (`OTEL_EXPORTER_OTLP_ENDPOINT` and its relatives); `None` where they say nothing or
    /// that nothing is wanted. What cannot be read is an error in words.
    pub fn from_variables(variable: impl Fn(&str) -> Option<String>) -> Result<Option<Traces>, String> {
        let set = |name: &str| {
            variable(name).map(|value| value.trim().to_string()).filter(|value| !value.is_empty())
        };
        let is_off = set("OTEL_SDK_DISABLED").is_some_and(|value| value.eq_ignore_ascii_case("true"))
            || set("OTEL_TRACES_EXPORTER").is_some_and(|value| value == "none");
        // The one for traces is whole; the general one is the beginning of it.
        let whole = set("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT");
        let general = || {
            set("OTEL_EXPORTER_OTLP_ENDPOINT").map(|base| format!("{}/v1/traces", base.trim_end_matches('/')))
        };
        let Some(endpoint) = whole.or_else(general).filter(|_| !is_off) else { return Ok(None) };
        let bad = |why: String| {
            format!("OTEL_EXPORTER_OTLP_ENDPOINT: {why}; write http://127.0.0.1:4318, or unset it")
        };
        let endpoint = enfold_llm::parse_url(&endpoint).map_err(|error| bad(error.to_string()))?;
        let listed = set("OTEL_EXPORTER_OTLP_TRACES_HEADERS").or_else(|| set("OTEL_EXPORTER_OTLP_HEADERS"));
        let mut headers = HeaderMap::new();
        for pair in listed.iter().flat_map(|listed| listed.split(',')) {
            // Not in the message: it may be a key.
            let unread = || "OTEL_EXPORTER_OTLP_HEADERS: write name=value,name=value".to_string();
            let (name, value) = pair.split_once('=').ok_or_else(unread)?;
            let name: hyper::header::HeaderName = name.trim().parse().map_err(|_| unread())?;
            headers.insert(name, value.trim().parse().map_err(|_| unread())?);
        }
        let service = set("OTEL_SERVICE_NAME").unwrap_or_else(|| "enfold".into());
        Ok(Some(Traces { endpoint, headers, service }))
    }
}

/// Takes spans.
#[derive(Clone)]
pub(crate) struct Tracer(Sender<Value>);

/// A request to a model that is under way.
pub(crate) struct Span {
    tracer: Tracer,
    trace: String,
    parent: Option<String>,
    id: String,
    started: Duration,
    began: Instant,
    operation: &'static str,
    model: String,
    attributes: Vec<Value>,
}

/// What folding did for a request.
pub(crate) struct Folding<'a> {
    pub(crate) session: &'a str,
    pub(crate) before: usize,
    pub(crate) after: usize,
}

impl Tracer {
    /// A request arrives. If it names a trace that it belongs to, it goes on there.
    pub(crate) fn begin(&self, route: &ModelRoute, headers: &HeaderMap) -> Span {
        let context = headers.get("traceparent").and_then(|value| value.to_str().ok()).and_then(context);
        let (trace, parent) = match context {
            Some((trace, parent)) => (trace, Some(parent)),
            None => (id(16), None),
        };
        let operation = match (route.purpose, route.endpoint) {
            (Purpose::Count, _) => "count_tokens",
            (Purpose::Compact, _) => "compact",
            (Purpose::Answer, Endpoint::Gemini) => "generate_content",
            (Purpose::Answer, Endpoint::Messages | Endpoint::Chat | Endpoint::Responses) => "chat",
        };
        let provider = match route.upstream.name.as_str() {
            "gemini" => "gcp.gemini",
            name => name,
        };
        let base = route.upstream.base();
        let port = base.port_u16().unwrap_or(if base.scheme_str() == Some("http") { 80 } else { 443 });
        let attributes = vec![
            text("gen_ai.operation.name", operation),
            text("gen_ai.provider.name", provider),
            text("server.address", base.host().unwrap_or_default()),
            number("server.port", u64::from(port)),
        ];
        let tracer = self.clone();
        let (started, began, model) = (since_1970(), Instant::now(), String::new());
        Span { tracer, trace, parent, id: id(8), started, began, operation, model, attributes }
    }
}

impl Span {
    /// The model that is asked.
    pub(crate) fn model(&mut self, name: &str) {
        self.model = name.chars().take(100).collect();
        self.attributes.push(text("gen_ai.request.model", &self.model));
    }

    /// The request was folded, and that is done.
    pub(crate) fn folded(&mut self, folding: &Folding) {
        let numbers = [
            number("enfold.tokens.before", folding.before as u64),
            number("enfold.tokens.after", folding.after as u64),
        ];
        self.attributes.push(text("gen_ai.conversation.id", folding.session));
        self.attributes.extend(numbers.clone());
        self.tracer.send(json!({
            "traceId": self.trace, "spanId": id(8), "parentSpanId": self.id, "name": "fold", "kind": 1,
            "startTimeUnixNano": nanos(self.started), "endTimeUnixNano": nanos(self.started + self.began.elapsed()),
            "attributes": numbers,
        }));
    }

    /// The answer is over, or there is none.
    pub(crate) fn end(mut self, status: StatusCode, error: Option<&str>, usage: Option<&Usage>) {
        self.attributes.push(number("http.response.status_code", u64::from(status.as_u16())));
        if let Some(usage) = usage {
            self.attributes.extend([
                number("gen_ai.usage.input_tokens", usage.input),
                number("gen_ai.usage.output_tokens", usage.output),
                number("gen_ai.usage.cache_read.input_tokens", usage.cache_read),
                number("gen_ai.usage.cache_creation.input_tokens", usage.cache_write),
            ]);
        }
        let refused = (!status.is_success()).then(|| status.as_str().to_string());
        let error = error.map(str::to_string).or(refused);
        self.attributes.extend(error.as_ref().map(|error| text("error.type", error)));
        let name = format!("{} {}", self.operation, self.model);
        let mut span = json!({
            "traceId": self.trace, "spanId": self.id, "name": name.trim_end(), "kind": 3,
            "startTimeUnixNano": nanos(self.started), "endTimeUnixNano": nanos(self.started + self.began.elapsed()),
            "attributes": self.attributes, "status": {"code": if error.is_some() { 2 } else { 0 }},
        });
        if let Some(parent) = &self.parent {
            span["parentSpanId"] = parent.as_str().into();
        }
        self.tracer.send(span);
    }
}

impl Tracer {
    fn send(&self, span: Value) {
        // A collector that is behind loses spans; requests do not wait.
        let _ = self.0.try_send(span);
    }
}

/// `00-TRACE-PARENT-FLAGS`, as the W3C writes it.
fn context(header: &str) -> Option<(String, String)> {
    let mut parts = header.trim().split('-');
    let (version, trace, parent) = (parts.next()?, parts.next()?, parts.next()?);
    let is = |part: &str, length: usize| {
        part.len() == length
            && part.bytes().all(|byte| byte.is_ascii_hexdigit())
            && part.bytes().any(|byte| byte != b'0')
    };
    (version.len() == 2 && is(trace, 32) && is(parent, 16))
        .then(|| (trace.to_lowercase(), parent.to_lowercase()))
}

/// A random id of so many bytes, in hexadecimal.
fn id(bytes: usize) -> String {
    let mut random = vec![0; bytes];
    // An id that is not random is only confusing.
    let _ = getrandom::fill(&mut random);
    random.iter().map(|byte| format!("{byte:02x}")).collect()
}

fn nanos(time: Duration) -> String {
    time.as_nanos().to_string()
}

fn text(key: &str, value: &str) -> Value {
    json!({"key": key, "value": {"stringValue": value}})
}

/// Whole numbers are texts in OTLP's JSON.
fn number(key: &str, value: u64) -> Value {
    json!({"key": key, "value": {"intValue": value.to_string()}})
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(set: &[(&str, &str)]) -> Result<Option<Traces>, String> {
        Traces::from_variables(|name| {
            set.iter().find(|(known, _)| *known == name).map(|(_, value)| value.to_string())
        })
    }

    #[test]
    fn the_usual_variables_say_where_traces_go() {
        assert!(of(&[]).unwrap().is_none());
        let traces = of(&[
            ("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c:4318/"),
            ("OTEL_EXPORTER_OTLP_HEADERS", "x-key=s3, y = z"),
        ]);
        let traces = traces.unwrap().unwrap();
        assert_eq!(traces.endpoint.to_string(), "http://c:4318/v1/traces");
        assert_eq!(
            (&traces.headers["x-key"], &traces.headers["y"]),
            (&"s3".parse().unwrap(), &"z".parse().unwrap())
        );
        assert_eq!(traces.service, "enfold");
        let whole =
            of(&[("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "https://c/x"), ("OTEL_SERVICE_NAME", "mine")])
                .unwrap()
                .unwrap();
        assert_eq!((whole.endpoint.to_string().as_str(), whole.service.as_str()), ("https://c/x", "mine"));
        assert!(
            of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"), ("OTEL_SDK_DISABLED", "true")])
                .unwrap()
                .is_none()
        );
        let secret =
            of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "http://c"), ("OTEL_EXPORTER_OTLP_HEADERS", "sk-canary")]);
        assert!(!secret.err().unwrap().contains("canary"));
        assert!(of(&[("OTEL_EXPORTER_OTLP_ENDPOINT", "c:4318")]).is_err());
    }

    #[test]
    fn a_request_goes_on_in_the_trace_that_it_names() {
        let named = context("00-4BF92F3577B34DA6A3CE929D0E0E4736-00f067aa0ba902b7-01").unwrap();
        assert_eq!(named, ("4bf92f3577b34da6a3ce929d0e0e4736".into(), "00f067aa0ba902b7".into()));
        assert_eq!(context("00-00000000000000000000000000000000-00f067aa0ba902b7-01"), None);
        assert_eq!(context("nonsense"), None);
    }
}
