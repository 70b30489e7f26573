//! Spans, as a collector gets them.

use std::sync::{Arc, Mutex};

use enfold_script::server::{self, Server};
use enfold_script::{Model, Reply};
use enfold_server::Traces;
use serde_json::Value;
use tempfile::tempdir;

use crate::support::{KEY, Proxy, config, messages_request};

/// Heads and bodies of what a collector got.
type Got = Arc<Mutex<Vec<(String, String)>>>;

/// A collector that keeps what it gets.
fn collector() -> (Server, Got) {
    let got = Got::default();
    let kept = got.clone();
    let server = Server::on_thread(move |request| {
        kept.lock().unwrap().push((request.head.clone(), request.body.clone()));
        server::json(200, "{}")
    });
    (server, got)
}

/// All spans.
fn spans(got: &[(String, String)]) -> Vec<Value> {
    let bodies = got.iter().map(|(_, body)| serde_json::from_str::<Value>(body).unwrap());
    bodies
        .flat_map(|body| body["resourceSpans"][0]["scopeSpans"][0]["spans"].as_array().unwrap().clone())
        .collect()
}

fn attribute(span: &Value, key: &str) -> Option<String> {
    let all = span["attributes"].as_array().unwrap();
    let value = &all.iter().find(|attribute| attribute["key"] == key)?["value"];
    value["stringValue"].as_str().or(value["intValue"].as_str()).map(String::from)
}

#[tokio::test]
async fn a_request_is_a_span_in_the_words_of_opentelemetry_and_holds_no_text_and_no_key() {
    let folder = tempdir().unwrap();
    let (collector, got) = collector();
    let model = Model::start(|request| match request.nth {
        2 => Reply::status(
            529,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
        ),
        _ => Reply::Text("the parser accepts tabs".into()),
    });
    let mut config = config(model.url());
    config.window = Some(12_000);
    let set = |name: &str| match name {
        "OTEL_EXPORTER_OTLP_ENDPOINT" => Some(collector.url.clone()),
        "OTEL_EXPORTER_OTLP_HEADERS" => Some("x-collector-key=k1".to_string()),
        _ => None,
    };
    config.traces = Traces::from_variables(set).unwrap();
    let proxy = Proxy::of(&folder, config).await;
    let parent = [("traceparent", "00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")];
    for steps in [2, 14, 15] {
        proxy.post_with("/v1/messages", &parent, messages_request(steps, "claude-sonnet-4-5")).await;
    }
    // What is left goes out at the end.
    proxy.stop().await;
    let got = got.lock().unwrap();
    let (head, _) = &got[0];
    assert!(head.starts_with("POST /v1/traces HTTP/1.1"), "{head}");
    assert!(head.to_lowercase().contains("x-collector-key: k1"), "{head}");
    let all = spans(&got);
    let asked: Vec<&Value> = all.iter().filter(|span| span["name"] == "chat claude-sonnet-4-5").collect();
    let folds: Vec<&Value> = all.iter().filter(|span| span["name"] == "fold").collect();
    assert_eq!((asked.len(), folds.len()), (3, 3), "{all:#?}");
    let second = asked[1];
    assert_eq!(
        (&second["traceId"], &second["kind"]),
        (&"4bf92f3577b34da6a3ce929d0e0e4736".into(), &3.into())
    );
    assert_eq!(second["parentSpanId"], "00f067aa0ba902b7");
    assert_eq!(folds[1]["parentSpanId"], second["spanId"]);
    for (key, value) in [
        ("gen_ai.operation.name", "chat"),
        ("gen_ai.provider.name", "anthropic"),
        ("gen_ai.request.model", "claude-sonnet-4-5"),
        ("server.address", "127.0.0.1"),
        ("http.response.status_code", "200"),
    ] {
        assert_eq!(attribute(second, key).as_deref(), Some(value), "{key}");
    }
    let number = |key: &str| attribute(second, key).unwrap().parse::<u64>().unwrap();
    assert!(number("gen_ai.usage.input_tokens") > 1_000 && number("gen_ai.usage.output_tokens") > 0);
    assert!(number("enfold.tokens.after") < number("enfold.tokens.before"));
    assert!(attribute(second, "gen_ai.conversation.id").is_some());
    let [start, end] = ["startTimeUnixNano", "endTimeUnixNano"]
        .map(|key| second[key].as_str().unwrap().parse::<u64>().unwrap());
    assert!(start > 1_600_000_000_000_000_000 && end > start);
    assert_eq!(attribute(asked[2], "error.type").as_deref(), Some("529"));
    assert_eq!(asked[2]["status"]["code"], 2);
    let everything: String = got.iter().map(|(head, body)| format!("{head}{body}")).collect();
    for secret in [KEY, "parser", "warning", "You are an agent", "make part"] {
        assert!(!everything.contains(secret), "{secret}");
    }
}

#[tokio::test]
async fn a_collector_that_is_not_there_holds_nothing_up() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    let nobody =
        |name: &str| (name == "OTEL_EXPORTER_OTLP_ENDPOINT").then(|| "http://127.0.0.1:9".to_string());
    config.traces = Traces::from_variables(nobody).unwrap();
    let proxy = Proxy::of(&folder, config).await;
    let came = proxy.post("/v1/messages", messages_request(3, "claude-sonnet-4-5")).await;
    assert_eq!(came.status, 200);
    let log = proxy.log.clone();
    proxy.stop().await;
    let log = log.lock().unwrap().join("\n");
    assert!(log.contains("the collector cannot be reached"), "{log}");
}
