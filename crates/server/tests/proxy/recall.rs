//! What an agent can ask about its own session: `/mcp`, the way that views name, and a conversation in short.

use enfold_script::{Model, Reply};
use serde_json::{Value, json};
use tempfile::tempdir;

use crate::support::{Came, Proxy, config, messages_request, responses_request};

/// One request of the protocol, with this token.
async fn ask(proxy: &Proxy, token: &str, method: &str, params: Value) -> Came {
    let token = format!("Bearer {token}");
    let headers = [
        ("authorization", &*token),
        ("accept", "application/json, text/event-stream"),
        ("mcp-protocol-version", "2025-06-18"),
    ];
    let body = json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params});
    proxy.post_with("/mcp", &headers, body.to_string()).await
}

#[tokio::test]
async fn an_agent_opens_a_fold_through_the_proxy_that_made_it() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    proxy.post("/v1/messages", messages_request(14, "claude-sonnet-4-5")).await;
    let sent = model.requests()[0].body.clone();
    let at = sent.find(" #").unwrap() + 2;
    let handle = &sent[at..at + 9];
    let hello = json!({"protocolVersion": "2025-06-18", "capabilities": {}, "clientInfo": {"name": "t", "version": "1"}});
    let came = ask(&proxy, &proxy.token, "initialize", hello).await;
    assert_eq!(came.json()["result"]["serverInfo"]["name"], "enfold", "{}", came.text());
    let came = ask(&proxy, &proxy.token, "tools/list", json!({})).await;
    assert_eq!(came.json()["result"]["tools"].as_array().unwrap().len(), 4, "{}", came.text());
    let call = json!({"name": "unfold", "arguments": {"handle": handle}});
    let came = ask(&proxy, &proxy.token, "tools/call", call.clone()).await;
    let text = came.json()["result"]["content"][0]["text"].as_str().unwrap().to_string();
    assert!(text.starts_with(&format!("[#{handle}: ")) && text.contains("is never used"), "{text}");
    let came = ask(&proxy, "wrong", "tools/call", call).await;
    assert_eq!((came.status.as_u16(), came.json()["error"]["code"].as_str()), (401, Some("no_token")));
}

#[tokio::test]
async fn a_view_names_the_tool_that_this_agent_has() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(12_000);
    config.recall = Some("enfold unfold".into());
    let proxy = Proxy::of(&folder, config).await;
    let with = |session: &'static str, tools: &'static str| {
        let body = messages_request(120, "claude-sonnet-4-5").replace(r#"[{"name":"Bash","#, tools);
        let (proxy, model) = (&proxy, &model);
        async move {
            proxy.post_with("/v1/messages", &[("x-enfold-session", session)], body).await;
            model.requests().last().unwrap().body.clone()
        }
    };
    let tool = with(
        "a",
        r#"[{"name":"mcp__enfold__unfold","description":"x","input_schema":{"type":"object"}},{"name":"Bash","#,
    );
    assert!(tool.await.contains("which the tool mcp__enfold__unfold shows."));
    let shell = with("b", r#"[{"name":"Bash","#);
    assert!(shell.await.contains("which the command `enfold unfold NUMBER` prints."));
    let neither = with("c", r#"[{"name":"Read","#).await;
    assert!(
        neither.contains("#…: the number of the original; what is read or run again")
            && !neither.contains("unfold")
    );
    assert_eq!(model.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn an_agent_that_can_only_read_files_reads_originals_as_files() {
    let folder = tempdir().unwrap();
    let model = Model::start(|_| Reply::Text("done".into()));
    let mut config = config(model.url());
    config.window = Some(12_000);
    let originals = folder.path().join("originals");
    config.blobs = Some(originals.display().to_string());
    let proxy = Proxy::of(&folder, config).await;
    proxy.post("/v1/messages", messages_request(14, "claude-sonnet-4-5")).await;
    let sent = model.requests()[0].body.clone();
    let named = sent.split("full text: ").nth(1).unwrap().split([']', '"', '\\']).next().unwrap();
    assert!(std::fs::read_to_string(named).unwrap().contains("is never used"), "{named}");
    assert_eq!(model.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_conversation_is_compacted_for_an_upstream_that_cannot() {
    let folder = tempdir().unwrap();
    // It knows no such path.
    let model = Model::start(|_| Reply::Text("done".into()));
    let proxy = Proxy::start(&folder, model.url()).await;
    let came = proxy.post("/v1/responses/compact", responses_request(14, "gpt-5")).await;
    assert_eq!(came.status, 200, "{}", came.text());
    let compacted = came.json();
    assert_eq!(compacted["object"], "response.compaction");
    let output = compacted["output"].as_array().unwrap();
    assert_eq!(output.len(), 2);
    assert_eq!(output[0]["content"][0]["text"], "Make the parser accept tabs.");
    let done = output[1]["content"][0]["text"].as_str().unwrap();
    assert!(done.contains("make part13") && done.len() < 8_000, "{done}");
    // What a client goes on with is taken by any upstream.
    let mut next: Value = serde_json::from_str(&responses_request(0, "gpt-5")).unwrap();
    next["input"] = compacted["output"].clone();
    let came = proxy.post("/v1/responses", next.to_string()).await;
    assert_eq!((came.status.as_u16(), model.refused()), (200, Vec::new()));
}

#[tokio::test]
async fn an_upstream_that_can_compact_does_it_and_other_refusals_go_through() {
    let folder = tempdir().unwrap();
    let answers = [
        (200, r#"{"object":"response.compaction","output":[{"type":"compaction","encrypted_content":"x"}]}"#),
        (404, r#"{"error":{"code":"model_not_found","message":"no such model"}}"#),
        (429, r#"{"error":{"message":"slow down"}}"#),
    ];
    let mut nth = 0;
    let upstream = enfold_script::server::Server::on_thread(move |_| {
        nth += 1;
        enfold_script::server::json(answers[nth - 1].0, answers[nth - 1].1)
    });
    let proxy = Proxy::start(&folder, &upstream.url).await;
    for (status, body) in answers {
        let came = proxy.post("/v1/responses/compact", responses_request(3, "gpt-5")).await;
        assert_eq!((came.status.as_u16(), &*came.text()), (status, body));
    }
}
