//! What passes through: bytes, headers, streams.

use std::io::Write;

use enfold_script::server::{Act, Server, chunk, chunked_head, json, json_with, stream};
use tempfile::tempdir;

use crate::support::{Proxy, chat_request, gemini_request, messages_request, responses_request};

const OK: &str = r#"{"id":"x","usage":{"input_tokens":3,"output_tokens":1}}"#;

#[tokio::test]
async fn untouched_bodies_arrive_byte_for_byte() {
    let folder = tempdir().unwrap();
    let server = Server::start((0..8).map(|_| json(200, OK)).collect()).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let bodies = [
        ("/v1/messages?beta=true", messages_request(3, "claude-sonnet-4-5")),
        ("/v1/messages/count_tokens", messages_request(3, "claude-sonnet-4-5")),
        ("/v1/chat/completions", chat_request(3, "gpt-4o")),
        ("/v1/responses", responses_request(3, "gpt-5")),
        ("/v1beta/models/gemini-2.5-pro:generateContent", gemini_request(3)),
        ("/v1/chat/completions", "{ \"model\" : \"x\", \"messages\": [ {\"role\":\"user\",\"content\":\"\\ud83d\\ude00 \\/\"} ] ,\"n\":1e0}\n".into()),
        ("/v1/chat/completions", "this is no JSON".into()),
        ("/v1/responses", r#"{"model":"gpt-5","input":"hello","previous_response_id":"r_1"}"#.into()),
    ];
    for (path, body) in &bodies {
        let came = proxy.post(path, body.clone()).await;
        assert_eq!((came.status.as_u16(), came.text()), (200, OK.to_string()), "{path}");
    }
    let sent = server.bodies();
    for ((path, body), sent) in bodies.iter().zip(&sent) {
        assert_eq!(sent, body, "{path}");
    }
    let paths: Vec<String> = server
        .requests
        .lock()
        .unwrap()
        .iter()
        .map(|it| it.head.split(' ').nth(1).unwrap().to_string())
        .collect();
    assert_eq!(paths, bodies.iter().map(|(path, _)| *path).collect::<Vec<_>>());
}

#[tokio::test]
async fn packed_bodies_arrive_as_they_were_packed() {
    let folder = tempdir().unwrap();
    let server = Server::start((0..3).map(|_| json(200, OK)).collect()).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let body = chat_request(4, "gpt-4o");
    let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::default());
    gzip.write_all(body.as_bytes()).unwrap();
    let gzip = gzip.finish().unwrap();
    let zstd = zstd::encode_all(body.as_bytes(), 3).unwrap();
    for (encoding, packed) in [("gzip", gzip), ("zstd", zstd), ("br", b"not known here".to_vec())] {
        let came =
            proxy.post_with("/v1/chat/completions", &[("content-encoding", encoding)], packed.clone()).await;
        assert_eq!(came.status, 200);
        let last = server.requests.lock().unwrap().last().unwrap().clone();
        assert_eq!(last.bytes, packed, "{encoding}");
        assert!(last.head.contains(&format!("content-encoding: {encoding}")), "{}", last.head);
    }
}

#[tokio::test]
async fn streams_come_back_byte_for_byte() {
    let folder = tempdir().unwrap();
    let text = "event: message_start\r\ndata: {\"type\":\"message_start\",\"message\":{\"usage\":{\"input_tokens\":9,\"output_tokens\":1}}}\r\n\r\n: comment\n\nevent: ping\ndata: {\"type\": \"ping\"}\n\nevent: strange_new_event\ndata: {\"ä\":\"😀\"}\n\nevent: message_delta\ndata: {\"type\":\"message_delta\",\"usage\":{\"output_tokens\":12}}\n\nevent: message_stop\ndata: {\"type\":\"message_stop\"}\n\n";
    for size in [1, 7, 4_096] {
        let server = Server::start(vec![stream(text.as_bytes().chunks(size))]).await;
        let proxy = Proxy::start(&folder, &server.url).await;
        let came = proxy.post("/v1/messages", messages_request(2, "claude-sonnet-4-5")).await;
        assert_eq!((came.text(), came.is_whole), (text.to_string(), true));
        assert_eq!(came.headers["content-type"], "text/event-stream; charset=utf-8");
        proxy.until(|proxy| (proxy.totals)().output == 12).await;
        assert_eq!((proxy.totals)().input, 9);
        proxy.stop().await;
    }
}

#[tokio::test]
async fn a_stream_arrives_piece_by_piece() {
    let folder = tempdir().unwrap();
    let script = vec![chunked_head("text/event-stream"), chunk(b"data: {\"choices\":[]}\n\n"), Act::Hang];
    let server = Server::start(vec![script]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let request = hyper::Request::post(format!("{}/v1/chat/completions", proxy.url));
    let request = request.body(http_body_util::Full::new(chat_request(1, "gpt-4o").into())).unwrap();
    let mut answer = crate::support::begin(request).await;
    // The upstream is silent and has not ended.
    let frame = http_body_util::BodyExt::frame(answer.body_mut()).await.unwrap().unwrap();
    assert_eq!(&frame.into_data().unwrap()[..], b"data: {\"choices\":[]}\n\n");
}

#[tokio::test]
async fn headers_pass_except_those_of_a_connection_and_ours() {
    let folder = tempdir().unwrap();
    let answer = json_with(
        429,
        "retry-after: 7\r\nrequest-id: r1\r\nkeep-alive: timeout=5\r\n",
        "{\"error\":{\"message\":\"slow\"}}",
    );
    let server = Server::start(vec![answer]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let headers = [
        ("anthropic-beta", "a-1,b-2"),
        ("x-enfold-session", "mine"),
        ("connection", "x-hop"),
        ("x-hop", "1"),
        ("accept-encoding", "gzip, br"),
    ];
    let came = proxy.post_with("/v1/messages", &headers, messages_request(1, "claude-sonnet-4-5")).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (429, "{\"error\":{\"message\":\"slow\"}}"));
    assert_eq!(
        (&came.headers["retry-after"], &came.headers["request-id"]),
        (&"7".parse().unwrap(), &"r1".parse().unwrap())
    );
    assert!(!came.headers.contains_key("keep-alive"));
    let head = server.requests.lock().unwrap()[0].head.to_lowercase();
    assert!(
        head.contains("anthropic-beta: a-1,b-2") && head.contains("anthropic-version: 2023-06-01"),
        "{head}"
    );
    assert!(head.contains("accept-encoding: identity"), "{head}");
    for gone in ["x-hop", "x-enfold", "x-forwarded", "via:"] {
        assert!(!head.contains(gone), "{gone} in {head}");
    }
}

#[tokio::test]
async fn everything_else_is_passed_on() {
    let folder = tempdir().unwrap();
    let models = r#"{"object":"list","data":[]}"#;
    let server = Server::start(vec![json(200, models), json(404, "<html>no</html>"), json(200, "{}")]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let came = proxy.get("/v1/models?limit=1000", &[("authorization", "Bearer k")]).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (200, models));
    let came = proxy.get("/v1/files/f", &[]).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (404, "<html>no</html>"));
    assert_eq!(proxy.post("/v1/embeddings", "{\"input\":\"x\"}").await.status, 200);
    assert!(server.requests.lock().unwrap()[0].head.starts_with("GET /v1/models?limit=1000 "));
    assert_eq!(server.bodies()[2], "{\"input\":\"x\"}");
}

#[tokio::test]
async fn a_web_socket_is_told_to_use_http() {
    let folder = tempdir().unwrap();
    let proxy = Proxy::start(&folder, "http://127.0.0.1:9").await;
    let headers = [("connection", "upgrade"), ("upgrade", "websocket"), ("sec-websocket-version", "13")];
    let came = proxy.get("/v1/responses", &headers).await;
    assert_eq!(came.status, 426);
    assert!(came.text().contains("use HTTP"), "{}", came.text());
}

#[tokio::test]
async fn streams_go_on_while_the_server_ends() {
    let folder = tempdir().unwrap();
    let (sender, receiver) = std::sync::mpsc::channel::<()>();
    let receiver = std::sync::Mutex::new(receiver);
    // The rest comes when the test says so.
    let server = Server::on_thread(move |_| {
        let _ = receiver.lock().unwrap().recv();
        stream([b"data: one\n\n".as_slice(), b"data: two\n\n"])
    });
    let mut proxy = Proxy::start(&folder, &server.url).await;
    let request = hyper::Request::post(format!("{}/v1/chat/completions", proxy.url));
    let request = request.body(http_body_util::Full::new(chat_request(1, "gpt-4o").into())).unwrap();
    let asking = tokio::spawn(crate::support::send(request));
    while server.count() == 0 {
        tokio::time::sleep(std::time::Duration::from_millis(5)).await;
    }
    proxy.ask_to_end();
    tokio::time::sleep(std::time::Duration::from_millis(50)).await;
    sender.send(()).unwrap();
    let came = asking.await.unwrap();
    assert_eq!((came.text().as_str(), came.is_whole), ("data: one\n\ndata: two\n\n", true));
    proxy.ended().await;
}
