//! Failures of every class, each seen at the first attempt.

use std::time::Duration;

use enfold_llm::{Api, CancellationToken, Client, Endpoint, Error, Fault, Options, Waiting};
use tokio::io::{AsyncReadExt, AsyncWriteExt};

use crate::server::{Act, Event, Server, chunk, chunked_head, json};
use crate::{APIS, answer, ask, client, options, streamed};

async fn failure(api: Api, script: Vec<Act>) -> Error {
    answer(api, script).await.unwrap_err()
}

/// How a question fails whose server hangs, once all patience is over.
async fn failure_after_hanging(script: Vec<Act>, options: Options) -> Error {
    let mut server = Server::start(vec![script]).await;
    let client = client(&server, Api::Chat, options);
    let cancel = CancellationToken::new();
    let question = ask();
    let time_flies = async {
        assert_eq!(server.events.recv().await, Some(Event::Hangs));
        tokio::time::pause();
    };
    tokio::join!(client.ask(&question, &cancel), time_flies).0.unwrap_err()
}

#[tokio::test]
async fn status_401_is_about_the_key() {
    let body = r#"{"type":"error","error":{"type":"authentication_error","message":"invalid x-api-key"}}"#;
    let error = failure(Api::Anthropic, json(401, body)).await;
    assert_eq!(error.to_string(), "the key was not accepted: invalid x-api-key (401, authentication_error)");
    assert!(matches!(error, Error::Auth(_)) && error.remedy().contains("ANTHROPIC_API_KEY"));
}

#[tokio::test]
async fn status_402_is_about_money() {
    let error = failure(Api::Chat, json(402, r#"{"error":{"message":"Insufficient Balance"}}"#)).await;
    assert!(matches!(error, Error::Credit(_)), "{error}");
}

#[tokio::test]
async fn a_context_overflow_is_told_from_other_refusals() {
    let anthropic = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"}}"#;
    let chat = r#"{"error":{"message":"This model's maximum context length is 128000 tokens.","code":"context_length_exceeded"}}"#;
    let responses = r#"{"error":{"message":"Your input exceeds the context window of this model.","code":"context_length_exceeded"}}"#;
    for (api, body) in APIS.into_iter().zip([anthropic, chat, responses]) {
        let error = failure(api, json(400, body)).await;
        assert!(matches!(error, Error::Overflow(_)), "{api:?}: {error}");
    }
    let other = failure(Api::Chat, json(400, r#"{"error":{"message":"no such field"}}"#)).await;
    assert!(matches!(other, Error::BadRequest(_)), "{other}");
}

#[tokio::test]
async fn invalid_json_is_not_read() {
    for api in APIS {
        for body in ["", "<html>Please log in</html>", r#"{"content":[{"#, "\u{1}", "nul"] {
            let error = failure(api, json(200, body)).await;
            assert!(matches!(error, Error::NotJson { .. }), "{api:?} {body:?}: {error}");
            assert!(!error.is_transient());
        }
    }
}

#[tokio::test]
async fn json_of_another_shape_is_not_read() {
    for api in APIS {
        for body in [
            "{}",
            "[]",
            "null",
            "7",
            r#""text""#,
            r#"{"choices":[]}"#,
            r#"{"choices":{"message":1}}"#,
            r#"{"content":"x"}"#,
            r#"{"output":"x"}"#,
        ] {
            let error = failure(api, json(200, body)).await;
            assert!(matches!(error, Error::NotJson { .. }), "{api:?} {body}: {error}");
        }
    }
}

#[tokio::test]
async fn members_of_odd_kinds_are_as_good_as_absent() {
    let odd = r#"{"choices":[{"message":{"content":{"a":1},"tool_calls":7,"refusal":[]},"finish_reason":12}],"usage":"much"}"#;
    let answer = answer(Api::Chat, json(200, odd)).await.unwrap();
    assert_eq!((answer.text.as_str(), answer.usage), ("", None));
    let deep = format!(r#"{{"choices":{}{}}}"#, "[".repeat(100_000), "]".repeat(100_000));
    assert!(matches!(failure(Api::Chat, json(200, &deep)).await, Error::NotJson { .. }));
}

#[tokio::test]
async fn an_error_with_status_200_is_an_error() {
    let error = failure(Api::Chat, json(200, r#"{"error":{"code":429,"message":"upstream is busy"}}"#)).await;
    assert!(matches!(error, Error::RateLimited { .. }), "{error}");
}

#[tokio::test]
async fn five_megabytes_announced_are_not_read_at_all() {
    let body = format!(r#"{{"content":[{{"type":"text","text":"{}"}}]}}"#, "x".repeat(5 << 20));
    assert_eq!(failure(Api::Anthropic, json(200, &body)).await, Error::TooLarge { limit: 1 << 20 });
}

#[tokio::test]
async fn an_answer_without_end_is_cut_off_while_reading() {
    let mut server = Server::start(vec![vec![
        chunked_head("application/json"),
        Act::SendForEver([b"10000\r\n".to_vec(), vec![b'x'; 0x10000], b"\r\n".to_vec()].concat()),
    ]])
    .await;
    let result = client(&server, Api::Chat, options()).ask(&ask(), &CancellationToken::new()).await;
    assert_eq!(result, Err(Error::TooLarge { limit: 1 << 20 }));
    assert_eq!(server.events.recv().await, Some(Event::ClientLeft));
}

#[tokio::test]
async fn a_stream_without_end_is_cut_off_while_reading() {
    let word = format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{}\"}}}}]}}\n\n", "x".repeat(1_000));
    let Act::Send(word) = chunk(word.as_bytes()) else { unreachable!() };
    // Text without end, one event without end, one line without end.
    let Act::Send(part) = chunk(&b"data: x\n".repeat(1_000)) else { unreachable!() };
    let Act::Send(line) = chunk(&[b'x'; 10_000]) else { unreachable!() };
    for bytes in [word, part, line] {
        let script = vec![chunked_head("text/event-stream"), Act::SendForEver(bytes)];
        let (result, text) = streamed(Api::Chat, script).await;
        assert_eq!(result, Err(Error::TooLarge { limit: 1 << 20 }));
        assert!(text.len() <= 1 << 20, "{} bytes of text were taken", text.len());
    }
}

#[tokio::test]
async fn a_server_that_hangs_before_the_head_is_left() {
    let error = failure_after_hanging(vec![Act::Hang], options()).await;
    assert_eq!(error, Error::Timeout { waiting_for: Waiting::Head, after: options().head });
}

/// Impatient between bytes only, so that nothing else can run out of time first.
fn impatient() -> Options {
    Options { idle: Duration::from_millis(20), ..options() }
}

#[tokio::test]
async fn a_server_that_hangs_within_the_body_is_left() {
    let head = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{".to_vec();
    let server = Server::start(vec![vec![Act::Send(head), Act::Hang]]).await;
    let result = client(&server, Api::Chat, impatient()).ask(&ask(), &CancellationToken::new()).await;
    assert_eq!(result, Err(Error::Timeout { waiting_for: Waiting::Bytes, after: impatient().idle }));
}

#[tokio::test]
async fn a_refusal_whose_words_never_come_is_still_that_refusal() {
    let head = b"HTTP/1.1 401 No\r\ncontent-length: 100\r\n\r\n{".to_vec();
    let server = Server::start(vec![vec![Act::Send(head), Act::Hang]]).await;
    let result = client(&server, Api::Chat, impatient()).ask(&ask(), &CancellationToken::new()).await;
    assert!(matches!(result, Err(Error::Auth(_))), "{result:?}");
}

#[tokio::test]
async fn the_deadline_ends_what_patience_would_not() {
    let hour = Duration::from_secs(3_600);
    let patient = Options { head: hour, idle: hour, total: hour / 2, ..options() };
    let start = tokio::time::Instant::now();
    let error = failure_after_hanging(vec![Act::Hang], patient).await;
    assert!(start.elapsed() < hour, "on the clock that was stopped");
    assert_eq!(error, Error::Timeout { waiting_for: Waiting::Answer, after: hour / 2 });
}

#[tokio::test]
async fn a_connection_reset_in_the_middle_of_the_body_is_a_network_fault() {
    let head =
        b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: 100\r\n\r\n{\"a\"".to_vec();
    for script in [
        vec![Act::Send(head.clone()), Act::Reset],
        vec![Act::Send(head)],
        vec![Act::Reset],
        vec![],
        vec![chunked_head("application/json"), chunk(b"{"), Act::Reset],
    ] {
        let error = failure(Api::Chat, script).await;
        assert!(matches!(error, Error::Network { fault: Fault::Reset, .. }), "{error:?}");
        assert!(error.is_transient());
    }
}

#[tokio::test]
async fn a_refused_connection_and_a_failed_handshake_are_network_faults() {
    // A server that speaks HTTP where TLS is expected.
    let plain = tokio::net::TcpListener::bind("127.0.0.1:0").await.unwrap();
    let encrypted = format!("https://{}", plain.local_addr().unwrap());
    tokio::spawn(async move {
        let (mut stream, _) = plain.accept().await.unwrap();
        stream.write_all(b"HTTP/1.1 400 Bad Request\r\n\r\n").await.unwrap();
        let _ = stream.read(&mut [0; 1_000]).await;
    });
    let at = |url: &str| Client::new(Endpoint::at(Api::Chat, url, None).unwrap(), options()).unwrap();
    let error = at(&encrypted).ask(&ask(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, Error::Network { fault: Fault::Tls, .. }), "{error:?}");
    assert!(!error.is_transient());
    // A port that was free a moment ago.
    let free = std::net::TcpListener::bind("127.0.0.1:0").unwrap().local_addr().unwrap();
    let error = at(&format!("http://{free}")).ask(&ask(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, Error::Network { fault: Fault::Refused, .. }), "{error:?}");
    assert!(error.to_string().contains(&free.to_string()), "{error}");
}

#[tokio::test]
async fn an_unknown_host_is_a_network_fault() {
    // Too long for the name service, so that it is not even asked.
    let endpoint = Endpoint::at(Api::Chat, &format!("http://{}.invalid", "x".repeat(64)), None).unwrap();
    let error =
        Client::new(endpoint, options()).unwrap().ask(&ask(), &CancellationToken::new()).await.unwrap_err();
    assert!(matches!(error, Error::Network { fault: Fault::Dns, .. }), "{error:?}");
}

#[tokio::test]
async fn a_message_that_is_no_json_is_not_sent() {
    let server = Server::start(vec![]).await;
    let client = client(&server, Api::Chat, options());
    let error = client.ask(&ask().message("{"), &CancellationToken::new()).await.unwrap_err();
    assert!(error.to_string().starts_with("message 1 is not JSON"), "{error}");
    assert_eq!(server.count(), 0);
}

#[tokio::test]
async fn cancelling_ends_a_question_at_once() {
    let mut server = Server::start(vec![vec![Act::Hang]]).await;
    let client = client(&server, Api::Chat, options());
    let (cancel, question) = (CancellationToken::new(), ask());
    let canceller = async {
        assert_eq!(server.events.recv().await, Some(Event::Hangs));
        cancel.cancel();
    };
    assert_eq!(tokio::join!(client.ask(&question, &cancel), canceller).0, Err(Error::Cancelled));
    assert_eq!(server.events.recv().await, Some(Event::ClientLeft), "the connection is given up too");
}
