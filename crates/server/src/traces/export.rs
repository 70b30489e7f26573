//! Spans on their way to a collector, some at a time.

use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use enfold_llm::Proxy;
use enfold_llm::connect::{self, Http};
use http_body_util::Full;
use hyper::Request;
use hyper::header::{CONTENT_TYPE, HeaderValue, PROXY_AUTHORIZATION};
use serde_json::{Value, json};
use tokio::sync::mpsc::{Receiver, channel};

use super::{Tracer, Traces, text};
use crate::hub::Hub;

/// Spans that wait, at most.
const WAITING: usize = 2_048;

/// Spans of one request to the collector.
const BATCH: usize = 256;

/// How long a span waits for others.
const GATHER: Duration = Duration::from_secs(1);

/// How long a collector may take.
const PATIENCE: Duration = Duration::from_secs(10);

/// Sends spans to a collector, until those who make them are gone.
pub(crate) struct Exporter {
    spans: Receiver<Value>,
    client: Http<Full<Bytes>>,
    for_proxy: Option<HeaderValue>,
    traces: Traces,
    hub: Arc<Hub>,
}

impl Exporter {
    /// What takes spans, and what sends them.
    pub(crate) fn new(
        traces: Traces,
        proxy: Proxy,
        hub: Arc<Hub>,
    ) -> Result<(Tracer, Exporter), Box<enfold_llm::Error>> {
        let (sender, spans) = channel(WAITING);
        let (client, for_proxy) = connect::client(&traces.endpoint, proxy, PATIENCE).map_err(Box::new)?;
        Ok((Tracer(sender), Exporter { spans, client, for_proxy, traces, hub }))
    }

    /// Sends until `end` comes true, then what is left.
    pub(crate) async fn run(mut self, end: impl Future<Output = ()>) {
        let mut end = std::pin::pin!(end);
        loop {
            let mut batch = Vec::new();
            let is_over = tokio::select! {
                () = &mut end => true,
                some = self.spans.recv_many(&mut batch, BATCH) => some == 0,
            };
            if !is_over && batch.len() < BATCH {
                tokio::time::sleep(GATHER).await;
            }
            while let Ok(span) = self.spans.try_recv() {
                batch.push(span);
            }
            for some in batch.chunks(BATCH) {
                self.send(some).await;
            }
            if is_over {
                return;
            }
        }
    }

    async fn send(&self, spans: &[Value]) {
        let version = env!("CARGO_PKG_VERSION");
        let resource = [text("service.name", &self.traces.service), text("service.version", version)];
        let body = json!({"resourceSpans": [{
            "resource": {"attributes": resource},
            "scopeSpans": [{"scope": {"name": "enfold", "version": version}, "spans": spans}],
        }]});
        let mut request = Request::new(Full::new(Bytes::from(body.to_string())));
        *request.method_mut() = hyper::Method::POST;
        *request.uri_mut() = self.traces.endpoint.clone();
        *request.headers_mut() = self.traces.headers.clone();
        request.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        request.headers_mut().extend(self.for_proxy.clone().map(|value| (PROXY_AUTHORIZATION, value)));
        let answer = tokio::time::timeout(PATIENCE, self.client.request(request)).await;
        let why = match answer {
            Ok(Ok(answer)) if answer.status().is_success() => return,
            Ok(Ok(answer)) => format!("the collector says {}", answer.status()),
            Ok(Err(_)) => "the collector cannot be reached".to_string(),
            Err(_) => "the collector does not answer".to_string(),
        };
        self.hub.log("traces", &json!({"lost": spans.len(), "why": why}));
    }
}
