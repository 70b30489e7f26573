//! The protocol over HTTP: by the client of its makers, and by hand.

use std::path::Path;
use std::sync::Arc;

use bytes::Bytes;
use enfold_mcp::{OverHttp, Recall, Scope};
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper_util::rt::TokioIo;
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _};
use rmcp::transport::StreamableHttpClientTransport;
use serde_json::{Value, json};
use tokio::io::AsyncWriteExt as _;
use tokio::net::{UnixListener, UnixStream};

use crate::support::{Asked, Client, held, without_handshake};

/// Serves on a socket in this folder.
fn served(recall: Recall, folder: &Path) -> String {
    let socket = folder.join("mcp.sock");
    let listener = UnixListener::bind(&socket).unwrap();
    let recall = Arc::new(OverHttp::new(recall));
    tokio::spawn(async move {
        while let Ok((stream, _)) = listener.accept().await {
            let recall = recall.clone();
            let answer = service_fn(move |request| {
                let recall = recall.clone();
                async move { Ok::<_, std::convert::Infallible>(recall.answer(request).await) }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), answer));
        }
    });
    socket.display().to_string()
}

async fn connected(recall: Recall, folder: &Path, lifecycle: ClientLifecycleMode) -> Client {
    let socket = served(recall, folder);
    let transport = StreamableHttpClientTransport::from_unix_socket(&socket, "http://localhost/mcp");
    ().serve_with_lifecycle(transport, lifecycle).await.unwrap()
}

#[tokio::test]
async fn the_makers_client_is_served_with_and_without_a_handshake() {
    for lifecycle in [ClientLifecycleMode::Initialize, without_handshake()] {
        let asked =
            Asked::over(Scope::default(), async |recall, folder| connected(recall, folder, lifecycle).await)
                .await;
        let handle = asked.session("one", "tab", 1)[0].0;
        let about = asked.client.peer_info().unwrap();
        assert_eq!(about.server_info.as_ref().unwrap().name, "enfold");
        let tools = asked.client.list_all_tools().await.unwrap();
        let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
        assert_eq!(names, ["unfold", "search_history", "session_ledger", "file_at"]);
        assert!(asked.answer("unfold", json!({"handle": handle})).await.starts_with(&format!("[{handle}: ")));
        asked.refusal("unfold", json!({"handle": "#12"})).await;
        assert!(asked.call("fold", json!({})).await.is_err());
        let both = tokio::join!(
            asked.answer("session_ledger", json!({})),
            asked.answer("search_history", json!({"query": "tab_3_17"}))
        );
        assert!(both.0.starts_with("[session one ") && both.1.contains("1 found"), "{both:?}");
        asked.client.cancel().await.unwrap();
    }
}

#[tokio::test]
async fn a_client_that_hangs_up_in_the_middle_of_a_call_leaves_the_others_served() {
    let folder = tempfile::tempdir().unwrap();
    let held = held();
    let socket = served(held.recall.clone(), folder.path());
    let body = ask("tools/call", json!({"name": "session_ledger"})).to_string();
    let mut stream = UnixStream::connect(&socket).await.unwrap();
    let head = format!(
        "POST /mcp HTTP/1.1\r\nhost: localhost\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\r\n",
        body.len()
    );
    stream.write_all(format!("{head}{body}").as_bytes()).await.unwrap();
    let let_go = held.begun().await;
    drop(stream);
    let transport = StreamableHttpClientTransport::from_unix_socket(&socket, "http://localhost/mcp");
    let client = ().serve_with_lifecycle(transport, without_handshake()).await.unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 4);
    let_go.send(()).unwrap();
    assert_eq!(client.list_all_tools().await.unwrap().len(), 4);
}

fn ask(method: &str, params: Value) -> Value {
    json!({"jsonrpc": "2.0", "id": 1, "method": method, "params": params})
}

fn modern(method: &str, mut params: Value) -> Value {
    params["_meta"] = json!({
        "io.modelcontextprotocol/protocolVersion": "2026-07-28",
        "io.modelcontextprotocol/clientCapabilities": {},
    });
    ask(method, params)
}

/// Status and body of the answer to a POST. Nothing stands between.
async fn post(headers: &[(&str, &str)], body: impl ToString) -> (u16, Value) {
    let recall = Recall::new(Arc::new(|| Err("there is none".into())), Scope::default());
    let mut request = Request::post("/mcp");
    if !headers.iter().any(|(name, _)| *name == "content-type") {
        request = request.header("content-type", "application/json");
    }
    for (name, value) in headers {
        request = request.header(*name, *value);
    }
    let request = request.body(Full::new(Bytes::from(body.to_string()))).unwrap();
    let answer = OverHttp::new(recall).answer(request).await;
    let status = answer.status().as_u16();
    let body = answer.into_body().collect().await.unwrap().to_bytes();
    (status, serde_json::from_slice(&body).unwrap_or(Value::Null))
}

#[tokio::test]
async fn only_posts_of_json_are_taken() {
    let recall = Recall::new(Arc::new(|| Err("there is none".into())), Scope::default());
    let over = OverHttp::new(recall);
    for method in ["GET", "DELETE", "PUT"] {
        let request = Request::builder().method(method).uri("/mcp").body(Full::<Bytes>::default()).unwrap();
        let answer = over.answer(request).await;
        assert_eq!((answer.status().as_u16(), answer.headers()["allow"].to_str().unwrap()), (405, "POST"));
    }
    let ping = ask("ping", json!({}));
    assert_eq!(post(&[("content-type", "text/plain")], &ping).await.0, 415);
    assert_eq!(post(&[("content-type", "application/json; charset=utf-8")], &ping).await.0, 200);
    let (status, answer) = post(&[], " ".repeat((4 << 20) + 1)).await;
    assert_eq!((status, &answer["error"]["code"]), (413, &json!(-32600)));
}

#[tokio::test]
async fn what_is_told_is_taken_and_what_cannot_be_read_refused() {
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    assert_eq!(post(&[], &note).await, (202, Value::Null));
    assert_eq!(post(&[], json!({"jsonrpc": "2.0", "id": 1, "result": {}})).await, (202, Value::Null));
    let (status, answer) = post(&[], "{").await;
    assert_eq!((status, &answer["error"]["code"], answer.get("id")), (400, &json!(-32700), None));
    let (status, answer) = post(&[], json!({"id": 7, "method": "ping"})).await;
    assert_eq!((status, &answer["error"]["code"], &answer["id"]), (400, &json!(-32600), &json!(7)));
    let (status, answer) = post(&[], json!([ask("ping", json!({})), note])).await;
    assert_eq!((status, answer), (200, json!([{"jsonrpc": "2.0", "id": 1, "result": {}}])));
    assert_eq!(post(&[], json!([note])).await, (202, Value::Null));
    let batch = json!([ask("ping", json!({}))]);
    assert_eq!(post(&[("mcp-protocol-version", "2025-03-26")], &batch).await.0, 200);
    assert_eq!(post(&[("mcp-protocol-version", "2025-06-18")], &batch).await.0, 400);
}

#[tokio::test]
async fn clients_with_a_handshake_name_a_known_version_or_none() {
    let list = ask("tools/list", json!({}));
    for known in ["2024-11-05", "2025-03-26", "2025-06-18", "2025-11-25"] {
        assert_eq!(post(&[("mcp-protocol-version", known)], &list).await.0, 200);
    }
    assert_eq!(post(&[], &list).await.0, 200);
    let (status, answer) = post(&[("mcp-protocol-version", "1999-01-01")], &list).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)));
    let (status, answer) = post(&[("mcp-protocol-version", "2025-06-18")], ask("x", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (200, &json!(-32601)));
}

#[tokio::test]
async fn headers_that_do_not_say_what_the_body_says_are_refused() {
    let (version, method) = (("mcp-protocol-version", "2026-07-28"), ("mcp-method", "tools/call"));
    let call = modern("tools/call", json!({"name": "session_ledger"}));
    let taken = [
        vec![version, method, ("mcp-name", "session_ledger")],
        vec![version, method, ("mcp-name", "=?base64?c2Vzc2lvbl9sZWRnZXI=?=")],
    ];
    for headers in taken {
        let (status, answer) = post(&headers, &call).await;
        assert_eq!((status, &answer["result"]["isError"]), (200, &json!(true)), "{answer}");
    }
    let refused: [(Vec<_>, &str); 7] = [
        (vec![], "the header mcp-protocol-version is missing, and the body `2026-07-28`"),
        (
            vec![("mcp-protocol-version", "2025-06-18")],
            "the header mcp-protocol-version says `2025-06-18`, and the body `2026-07-28`",
        ),
        (vec![version], "the header mcp-method is missing, and the body `tools/call`"),
        (
            vec![version, ("mcp-method", "ping")],
            "the header mcp-method says `ping`, and the body `tools/call`",
        ),
        (vec![version, method], "the header mcp-name is missing, and the body `session_ledger`"),
        (
            vec![version, method, ("mcp-name", "unfold")],
            "the header mcp-name says `unfold`, and the body `session_ledger`",
        ),
        (
            vec![version, method, method, ("mcp-name", "session_ledger")],
            "the header mcp-method is there twice, or is no plain text",
        ),
    ];
    for (headers, why) in refused {
        let (status, answer) = post(&headers, &call).await;
        assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32020)), "{answer}");
        assert_eq!(answer["error"]["message"], why);
    }
}

#[tokio::test]
async fn clients_without_a_handshake_say_in_each_request_what_they_speak() {
    let headers = |method: &'static str| [("mcp-protocol-version", "2026-07-28"), ("mcp-method", method)];
    let (status, answer) = post(&headers("tools/list"), modern("tools/list", json!({}))).await;
    assert_eq!((status, &answer["result"]["resultType"]), (200, &json!("complete")));
    let (status, answer) = post(&headers("x"), modern("x", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (404, &json!(-32601)));
    let (status, answer) = post(&headers("tools/list"), ask("tools/list", json!({}))).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32602)));
    let mut future = modern("tools/list", json!({}));
    future["params"]["_meta"]["io.modelcontextprotocol/protocolVersion"] = json!("2099-01-01");
    let (status, answer) =
        post(&[("mcp-protocol-version", "2099-01-01"), ("mcp-method", "tools/list")], future).await;
    assert_eq!((status, &answer["error"]["code"]), (400, &json!(-32022)));
}
