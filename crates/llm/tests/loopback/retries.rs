//! What is tried again, when, and when no longer.

use std::time::{Duration, SystemTime};

use enfold_llm::{Answer, Api, Ask, CancellationToken, Client, Error, Options, Progress};
use tokio::sync::mpsc::unbounded_channel;

use crate::server::{Act, Server, chunk, chunked_head, json, json_with, stream};
use crate::{ask, client, options, pass};

const SECOND: Duration = Duration::from_secs(1);
const FINE: &str = r#"{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}"#;

fn retrying() -> Options {
    Options { retries: 2, ..options() }
}

/// Asks, lets each wait pass at once, and returns how long the waits were.
async fn with_waits(client: &Client, ask: &Ask) -> (Result<Answer, Error>, Vec<Duration>) {
    let (sender, mut receiver) = unbounded_channel();
    let mut waits = Vec::new();
    let cancel = CancellationToken::new();
    let mut on = |progress: Progress<'_>| {
        if let Progress::Retry { wait, .. } = progress {
            waits.push(wait);
            sender.send(wait).unwrap();
        }
    };
    let time_flies = async {
        while let Some(wait) = receiver.recv().await {
            // The timer counts whole milliseconds, rounded up.
            pass(wait + Duration::from_millis(2)).await;
        }
    };
    let result = tokio::select! {
        result = client.stream(ask, &cancel, &mut on) => result,
        () = time_flies => unreachable!("the sender lives as long as the question"),
    };
    (result, waits)
}

#[tokio::test]
async fn a_server_error_is_tried_again() {
    let server = Server::start(vec![json(500, r#"{"error":{"message":"oops"}}"#), json(200, FINE)]).await;
    let (answer, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
    let answer = answer.unwrap();
    assert_eq!(answer.text, "fine");
    assert_eq!(answer.retried.iter().map(Error::class).collect::<Vec<_>>(), ["server"]);
    assert!(waits.len() == 1 && waits[0] <= SECOND / 2, "{waits:?}");
    assert_eq!(server.bodies()[0], server.bodies()[1]);
}

#[tokio::test]
async fn attempts_are_counted() {
    let server = Server::start(vec![json(503, ""), vec![Act::Reset], json(529, ""), json(200, FINE)]).await;
    let (answer, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
    assert_eq!(answer.unwrap_err().class(), "overloaded");
    assert_eq!((server.count(), waits.len()), (3, 2));
}

#[tokio::test]
async fn deterministic_failures_are_not_tried_again() {
    for (status, body) in [
        (400, "{}"),
        (401, "{}"),
        (402, "{}"),
        (403, "{}"),
        (404, "{}"),
        (413, "{}"),
        (422, "{}"),
        (429, r#"{"error":{"code":"insufficient_quota","message":"You exceeded your current quota"}}"#),
        (200, "no JSON"),
        (302, ""),
    ] {
        let server = Server::start(vec![json(status, body), json(200, FINE)]).await;
        let (answer, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
        assert!(answer.is_err(), "{status}");
        assert_eq!((server.count(), waits.len()), (1, 0), "{status}");
    }
}

#[tokio::test]
async fn retry_after_in_seconds_is_respected() {
    let server = Server::start(vec![json_with(429, "retry-after: 7\r\n", ""), json(200, FINE)]).await;
    let (answer, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
    assert_eq!((answer.unwrap().text.as_str(), waits), ("fine", vec![SECOND * 7]));
    let requests = server.requests.lock().unwrap();
    assert!(requests[1].at - requests[0].at >= SECOND * 7);
}

#[tokio::test]
async fn retry_after_in_milliseconds_is_respected() {
    let headers = "retry-after-ms: 2500\r\nretry-after: 3\r\n";
    let server = Server::start(vec![json_with(429, headers, ""), json(200, FINE)]).await;
    let (_, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
    assert_eq!(waits, [SECOND * 5 / 2]);
}

#[tokio::test]
async fn retry_after_as_a_date_is_respected() {
    // Sun, 06 Nov 1994 08:49:37 GMT
    let wall_clock = || SystemTime::UNIX_EPOCH + SECOND * 784_111_777;
    let date = "retry-after: Sun, 06 Nov 1994 08:49:57 GMT\r\n";
    let server = Server::start(vec![json_with(429, date, ""), json(200, FINE)]).await;
    let client = client(&server, Api::Chat, Options { wall_clock, ..retrying() });
    let (answer, waits) = with_waits(&client, &ask()).await;
    assert_eq!((answer.unwrap().text.as_str(), waits), ("fine", vec![SECOND * 20]));
}

#[tokio::test]
async fn a_wait_too_long_for_us_is_left_to_the_caller() {
    for (asked, options) in
        [(61, retrying()), (59, Options { total: SECOND * 30, ..retrying() }), (9_999_999_999, retrying())]
    {
        let headers = format!("retry-after: {asked}\r\n");
        let server = Server::start(vec![json_with(429, &headers, ""), json(200, FINE)]).await;
        let (answer, waits) = with_waits(&client(&server, Api::Chat, options), &ask()).await;
        let error = answer.unwrap_err();
        assert_eq!(error.retry_after(), Some(Duration::from_secs(asked)), "{error}");
        assert_eq!((server.count(), waits.len()), (1, 0));
    }
}

#[tokio::test]
async fn text_of_a_failed_attempt_is_not_in_the_answer() {
    let word = |text: &str, end: &str| {
        format!("data: {{\"choices\":[{{\"delta\":{{\"content\":\"{text}\"}}{end}}}]}}\n\n")
    };
    let broken = vec![chunked_head("text/event-stream"), chunk(word("half a", "").as_bytes())];
    let whole = word("whole", r#","finish_reason":"stop""#);
    let server = Server::start(vec![broken, stream([whole.as_bytes()])]).await;
    let (answer, waits) = with_waits(&client(&server, Api::Chat, retrying()), &ask()).await;
    assert_eq!((answer.unwrap().text.as_str(), waits.len()), ("whole", 1));
}

#[tokio::test]
async fn a_model_that_refuses_the_temperature_is_asked_without_it_from_then_on() {
    let refusal = r#"{"error":{"message":"Unsupported value: 'temperature' does not support 0.3 with this model. Only the default (1) value is supported.","type":"invalid_request_error","param":"temperature","code":"unsupported_value"}}"#;
    let server =
        Server::start(vec![json(400, refusal), json(200, FINE), json(200, FINE), json(200, FINE)]).await;
    let client = client(&server, Api::Chat, options());
    let warm = Ask { temperature: Some(0.3), ..ask() };
    let other = Ask { model: "other".into(), ..warm.clone() };
    let cancel = CancellationToken::new();
    let answer = client.ask(&warm, &cancel).await.unwrap();
    assert_eq!(answer.retried.len(), 1);
    client.ask(&warm, &cancel).await.unwrap();
    client.ask(&other, &cancel).await.unwrap();
    let with_temperature: Vec<bool> =
        server.bodies().iter().map(|body| body.contains("temperature")).collect();
    assert_eq!(with_temperature, [true, false, false, true], "another model is asked as usual");
}

#[tokio::test]
async fn a_model_that_wants_the_other_name_of_the_limit_gets_it_from_then_on() {
    let refusal = r#"{"error":{"message":"Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead.","param":"max_tokens","code":"unsupported_parameter"}}"#;
    let server = Server::start(vec![json(400, refusal), json(200, FINE), json(200, FINE)]).await;
    let client = client(&server, Api::Chat, options());
    for _ in 0..2 {
        client.ask(&ask(), &CancellationToken::new()).await.unwrap();
    }
    let names: Vec<bool> =
        server.bodies().iter().map(|body| body.contains(r#""max_completion_tokens":100"#)).collect();
    assert_eq!(names, [false, true, true]);
}

#[tokio::test]
async fn a_server_that_refuses_whatever_it_is_sent_is_not_asked_for_ever() {
    let refusal = r#"{"error":{"message":"temperature, max_tokens, max_completion_tokens and stream_options are not supported"}}"#;
    let server = Server::start(vec![json(400, refusal); 50]).await;
    let client = client(&server, Api::Chat, retrying());
    let warm = Ask { temperature: Some(0.3), ..ask() };
    let (answer, _) = with_waits(&client, &warm).await;
    assert_eq!(answer.unwrap_err().class(), "bad_request");
    assert!(server.count() <= 4, "{} requests", server.count());
}

#[tokio::test]
async fn the_breaker_opens_after_three_failed_questions_and_closes_after_one_that_works() {
    let scripts =
        vec![json(500, ""), json(401, ""), json(500, ""), json(500, ""), json(200, FINE), json(200, FINE)];
    let server = Server::start(scripts).await;
    let client = client(&server, Api::Chat, options());
    let cancel = CancellationToken::new();
    let (question, minute) = (ask(), SECOND * 60);
    for _ in 0..3 {
        client.ask(&question, &cancel).await.unwrap_err();
    }
    let error = client.ask(&question, &cancel).await.unwrap_err();
    assert!(matches!(error, Error::BreakerOpen { because: "server", wait } if wait <= minute), "{error}");
    assert_eq!(server.count(), 3, "nothing is sent while it is open");
    pass(minute).await;
    assert_eq!(client.ask(&question, &cancel).await.unwrap_err().class(), "server");
    assert_eq!(client.ask(&question, &cancel).await.unwrap_err().class(), "breaker_open");
    assert_eq!(server.count(), 4, "one probe");
    pass(minute).await;
    for _ in 0..2 {
        assert_eq!(client.ask(&question, &cancel).await.unwrap().text, "fine");
    }
}

#[tokio::test]
async fn overflows_and_cancelled_questions_do_not_open_the_breaker() {
    let overflow = r#"{"error":{"message":"x","code":"context_length_exceeded"}}"#;
    let mut scripts = vec![json(400, overflow); 4];
    scripts.push(json(200, FINE));
    let server = Server::start(scripts).await;
    let client = client(&server, Api::Chat, options());
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    for _ in 0..4 {
        assert_eq!(client.ask(&ask(), &CancellationToken::new()).await.unwrap_err().class(), "overflow");
        assert_eq!(client.ask(&ask(), &cancelled).await, Err(Error::Cancelled));
    }
    assert_eq!(client.ask(&ask(), &CancellationToken::new()).await.unwrap().text, "fine");
}
