//! What goes wrong upstream, at the client, in the store.

use std::time::Duration;

use enfold_script::server::{Act, Event, Server, chunk, chunked_head, json};
use http_body_util::{BodyExt, Full};
use hyper::Request;
use tempfile::tempdir;

use crate::support::{Proxy, begin, chat_request, messages_request};

#[tokio::test]
async fn an_upstream_that_dies_in_mid_stream_is_seen_as_that() {
    let folder = tempdir().unwrap();
    let script = vec![chunked_head("text/event-stream"), chunk(b"data: {\"choices\":[]}\n\n"), Act::Reset];
    let server = Server::start(vec![script]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let came = proxy.post("/v1/chat/completions", chat_request(2, "gpt-4o")).await;
    assert_eq!((came.text().as_str(), came.is_whole), ("data: {\"choices\":[]}\n\n", false));
}

#[tokio::test]
async fn an_upstream_that_dies_at_once_is_named() {
    let folder = tempdir().unwrap();
    let server = Server::start(vec![vec![Act::Reset]]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let came = proxy.post("/v1/chat/completions", chat_request(2, "gpt-4o")).await;
    assert_eq!(came.status, 502);
    assert!(came.text().contains("upstream `openai` ended the connection"), "{}", came.text());
    let nobody = Proxy::start(&folder, "http://127.0.0.1:9").await;
    let came = nobody.post("/v1/messages", messages_request(2, "claude-sonnet-4-5")).await;
    assert_eq!(came.status, 502);
    assert!(came.text().contains("upstream `anthropic` cannot be reached"), "{}", came.text());
}

#[tokio::test]
async fn garbage_and_large_error_pages_go_through() {
    let folder = tempdir().unwrap();
    let page = format!("<html>{}</html>", "no ".repeat(3_500_000));
    let garbage =
        vec![chunked_head("text/event-stream"), chunk(&[0xff, 0xfe, 0, 1]), Act::Send(b"0\r\n\r\n".to_vec())];
    let server = Server::start(vec![json(502, &page), json(400, &page), garbage]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    for status in [502, 400] {
        let came = proxy.post("/v1/messages", messages_request(2, "claude-sonnet-4-5")).await;
        assert_eq!((came.status.as_u16(), came.body.len()), (status, page.len()));
        assert!(came.body == page.as_bytes());
    }
    let came = proxy.post("/v1/messages", messages_request(2, "claude-sonnet-4-5")).await;
    assert_eq!((&came.body[..], came.is_whole), ([0xff, 0xfe, 0, 1].as_slice(), true));
}

#[tokio::test]
async fn a_client_that_leaves_lets_the_upstream_go() {
    let folder = tempdir().unwrap();
    let pour = vec![chunked_head("text/event-stream"), Act::SendForEver(b"5\r\nhello\r\n".to_vec())];
    let mut server = Server::start(vec![pour, vec![Act::Hang]]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let ask = || {
        let request = Request::post(format!("{}/v1/chat/completions", proxy.url));
        request.body(Full::new(chat_request(2, "gpt-4o").into())).unwrap()
    };
    // In the middle of a stream.
    let mut answer = begin(ask()).await;
    answer.body_mut().frame().await.unwrap().unwrap();
    drop(answer);
    assert_eq!(left(&mut server).await, Event::ClientLeft);
    // While nothing has come yet.
    let waiting = tokio::spawn(begin(ask()));
    assert_eq!(left(&mut server).await, Event::Hangs);
    waiting.abort();
    assert_eq!(left(&mut server).await, Event::ClientLeft);
}

async fn left(server: &mut Server) -> Event {
    tokio::time::timeout(Duration::from_secs(10), server.events.recv()).await.expect("it is let go").unwrap()
}

#[tokio::test]
async fn a_slow_client_is_not_read_ahead_for() {
    let folder = tempdir().unwrap();
    let pour = vec![chunked_head("text/event-stream"), Act::SendForEver(chunk_of(64 << 10))];
    let server = Server::start(vec![pour]).await;
    let proxy = Proxy::start(&folder, &server.url).await;
    let request = Request::post(format!("{}/v1/chat/completions", proxy.url));
    let answer = begin(request.body(Full::new(chat_request(2, "gpt-4o").into())).unwrap()).await;
    tokio::time::sleep(Duration::from_millis(700)).await;
    let poured = server.poured();
    drop(answer);
    // What the system holds for the four ends of two connections, and no more.
    assert!((1..64 << 20).contains(&poured), "{poured} bytes were read ahead");
}

fn chunk_of(length: usize) -> Vec<u8> {
    let mut bytes = format!("{length:x}\r\n").into_bytes();
    bytes.resize(bytes.len() + length, b'x');
    bytes.extend_from_slice(b"\r\n");
    bytes
}
