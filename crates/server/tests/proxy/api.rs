//! REST, events, numbers.

use std::sync::Arc;

use enfold::folding::policy::Policy;
use enfold_script::{Model, Reply};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use serde_json::json;
use tempfile::tempdir;

use crate::support::{Proxy, begin, config, messages_request};

#[tokio::test]
async fn every_described_path_answers() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    for steps in [2, 24] {
        proxy
            .post_with(
                "/v1/messages",
                &[("x-enfold-session", "s")],
                messages_request(steps, "claude-sonnet-4-5"),
            )
            .await;
    }
    proxy.until(|proxy| (proxy.totals)().output > 0).await;
    let sessions = proxy.api("/api/sessions").await.json();
    let session = &sessions["sessions"][0];
    let id = session["id"].as_str().unwrap();
    assert_eq!((session["wire"].as_str(), session["messages"].as_u64()), (Some("anthropic"), Some(50)));
    assert!(
        session["live"]["tokens"].as_u64().unwrap() < session["live"]["history"].as_u64().unwrap(),
        "{session}"
    );
    let folds = proxy.api(&format!("/api/sessions/{id}/folds")).await.json();
    let epochs = folds["epochs"].as_array().unwrap().iter();
    let mut all = epochs.flat_map(|epoch| epoch["folds"].as_array().unwrap());
    let handle = all.find_map(|fold| fold["handles"][0].as_u64()).unwrap();
    let described = proxy.api("/api/openapi.json").await.json();
    let paths: Vec<String> = described["paths"].as_object().unwrap().keys().cloned().collect();
    assert_eq!(paths.len(), 17);
    for path in paths.iter().filter(|path| *path != "/api/events") {
        let path = path.replace("{id}", id).replace("{handle}", &format!("{handle:09}"));
        let path = path.replace("{number}", "1");
        let came = proxy.api(&path).await;
        assert_eq!(came.status, 200, "{path}: {}", came.text());
    }
    let view = proxy.api(&format!("/api/sessions/{id}/view")).await.json();
    assert_eq!(view["messages"].as_array().unwrap().len(), view["origins"].as_array().unwrap().len());
    assert_eq!(view["epoch"], 1);
    let schema = &described["components"]["schemas"]["Session"]["properties"];
    for key in session.as_object().unwrap().keys() {
        assert!(schema.get(key).is_some(), "{key} is described");
    }
}

#[tokio::test]
async fn events_arrive_when_things_happen() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    let request = Request::get(format!("{}/api/events", proxy.url));
    let request = request.header("authorization", format!("Bearer {}", proxy.token));
    let mut listening = begin(request.body(Full::default()).unwrap()).await;
    assert_eq!(listening.headers()["content-type"], "text/event-stream");
    proxy.post("/v1/messages", messages_request(14, "claude-sonnet-4-5")).await;
    let mut text = String::new();
    while !text.contains("event: usage") {
        let frame = listening.body_mut().frame().await.unwrap().unwrap();
        text += &String::from_utf8_lossy(frame.data_ref().unwrap());
    }
    let names: Vec<&str> = text.lines().filter_map(|line| line.strip_prefix("event: ")).collect();
    assert_eq!(names, ["compaction:start", "prune:complete", "compaction:complete", "fold", "usage"]);
    let first = text.lines().find_map(|line| line.strip_prefix("data: ")).unwrap();
    let first: serde_json::Value = serde_json::from_str(first).unwrap();
    assert_eq!(first["data"]["modelLimit"], 12_000);
    assert!(first["session"].is_string() && first["at"].as_u64().unwrap() > 1_600_000_000_000);
}

/// As document 003 has it: the loop is over, and what stands behind 40,000 tokens of newer output is cleared.
#[tokio::test]
async fn old_outputs_are_cleared_when_the_user_has_the_word() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(400_000);
    config.policy = Arc::new(Policy::named("prune").unwrap());
    let proxy = Proxy::of(&folder, config).await;
    let request = Request::get(format!("{}/api/events", proxy.url));
    let request = request.header("authorization", format!("Bearer {}", proxy.token));
    let mut listening = begin(request.body(Full::default()).unwrap()).await;
    let mut messages = Vec::new();
    for turn in 0..4 {
        let (id, says) = (format!("toolu_{turn}"), format!("Look at page {turn}."));
        let text = format!("row {turn} of many words that say little\n").repeat(3_000);
        messages.push(json!({"role": "user", "content": says}));
        messages.push(json!({"role": "assistant", "content": [{"type": "tool_use", "id": id, "name": "page", "input": {}}]}));
        messages.push(
            json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": id, "content": text}]}),
        );
        messages.push(json!({"role": "assistant", "content": "Looked at."}));
    }
    messages.pop();
    let tools = json!([{"name": "page", "description": "Shows a page", "input_schema": {"type": "object"}}]);
    let mut body =
        json!({"model": "claude-sonnet-4-5", "max_tokens": 100, "messages": messages, "tools": tools});
    proxy.post("/v1/messages", body.to_string()).await;
    let mut text = String::new();
    while !text.contains("event: prune:complete") {
        let frame = listening.body_mut().frame().await.unwrap().unwrap();
        text += &String::from_utf8_lossy(frame.data_ref().unwrap());
    }
    let list = body["messages"].as_array_mut().unwrap();
    list.push(json!({"role": "assistant", "content": "done"}));
    list.push(json!({"role": "user", "content": "And now?"}));
    proxy.post("/v1/messages", body.to_string()).await;
    let sent = &model.requests()[1].body;
    let shown: Vec<bool> = (0..4).map(|nth| sent.contains(&format!("row {nth} of many"))).collect();
    assert_eq!(shown, [false, true, true, true], "the oldest is cleared, the newest turns stand");
    assert!(sent.contains("page output cleared"));
}

#[tokio::test]
async fn numbers_are_there_for_prometheus() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let proxy = Proxy::start(&folder, model.url()).await;
    proxy.post("/v1/messages", messages_request(3, "claude-sonnet-4-5")).await;
    proxy.until(|proxy| (proxy.totals)().output > 0).await;
    let text = proxy.get("/metrics", &[]).await.text();
    assert!(text.contains("\nenfold_requests_total 1\n"), "{text}");
    assert!(text.contains("\nenfold_tokens_saved_total 0\n"), "{text}");
    assert!((proxy.totals)().paid > 0.0, "the model has a price");
    assert_eq!(proxy.get("/healthz", &[]).await.text(), "ok\n");
}
