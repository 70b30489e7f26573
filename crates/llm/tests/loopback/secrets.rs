//! Where the key goes, and where it must not appear.

use enfold_llm::{Api, CancellationToken, Client, Endpoint, Error, Key, Proxy};

use crate::server::{Act, Server, json, json_with, stream};
use crate::{KEY, ask, client, options};

#[track_caller]
fn check_silent(error: &Error) {
    let said = error.said().map(|said| format!("{said} {said:?}"));
    let shown = format!("{error} {error:?} {error:#?} {} {said:?}", error.remedy());
    assert!(!shown.contains(KEY), "{shown}");
    assert!(!shown.contains(&KEY[..12]), "part of the key: {shown}");
}

#[tokio::test]
async fn a_server_that_repeats_the_key_does_not_get_it_into_errors() {
    let echo = format!("Incorrect API key provided: {KEY}. You can find it at https://x/?key={KEY}");
    let object =
        format!(r#"{{"error":{{"message":"{echo}","type":"{KEY}","code":"{KEY}","param":"{KEY}"}}}}"#);
    // The key stands where the message is cut off.
    let late = format!(r#"{{"error":"{}{KEY}"}}"#, "x".repeat(580));
    let headers = format!("request-id: {KEY}\r\nlocation: https://{KEY}@elsewhere.example/{KEY}?k={KEY}\r\n");
    let mut scripts: Vec<Vec<Act>> = Vec::new();
    for status in [307, 308, 400, 401, 402, 403, 404, 413, 418, 422, 429, 500, 502, 503, 529] {
        for body in [&echo, &object, &late, KEY] {
            scripts.push(json_with(status, &headers, body));
        }
    }
    for body in [&echo, &object, &late] {
        scripts.push(json(200, body));
        scripts.push(stream([format!("data: {body}\n\n").as_bytes()]));
    }
    scripts.push(json(200, &format!(r#"{{"{KEY}":1}}"#)));
    scripts.push(vec![Act::Send(format!("{KEY}\r\n\r\n").into_bytes())]);
    for api in crate::APIS {
        let server = Server::start(scripts.clone()).await;
        let patient = enfold_llm::Options { breaker_after: 1_000, ..options() };
        let client = client(&server, api, patient);
        for _ in &scripts {
            check_silent(&client.ask(&ask(), &CancellationToken::new()).await.unwrap_err());
        }
        assert_eq!(server.count(), scripts.len());
    }
}

#[tokio::test]
async fn clients_and_their_parts_do_not_show_the_key() {
    let server = Server::start(vec![]).await;
    let client = client(&server, Api::Anthropic, options());
    let key = Key::new(KEY).unwrap();
    let shown = format!("{client:?} {client:#?} {:?} {key} {key:?}", client.endpoint());
    assert!(!shown.contains(KEY) && shown.contains('…'), "{shown}");
    let blocking = enfold_llm::Blocking::new(client).unwrap();
    assert!(!format!("{blocking:?}").contains(KEY));
}

#[tokio::test]
async fn a_redirect_is_not_followed() {
    for status in [301, 302, 303, 307, 308] {
        let elsewhere = Server::start(vec![json(200, "{}")]).await;
        let headers = format!("location: {}/v1/messages\r\n", elsewhere.url);
        let server = Server::start(vec![json_with(status, &headers, "")]).await;
        let error = client(&server, Api::Anthropic, options()).ask(&ask(), &CancellationToken::new()).await;
        assert_eq!(error, Err(Error::Redirected { to: elsewhere.url.clone() }));
        assert_eq!(elsewhere.count(), 0);
    }
}

const CHILD: &str = "ENFOLD_TEST_ASKS_THROUGH_A_PROXY";

/// Runs itself with proxy variables set: a process cannot change its own safely.
#[tokio::test]
async fn a_proxy_named_in_the_environment_is_used() {
    if std::env::var_os(CHILD).is_some() {
        let endpoint = Endpoint::at(Api::Chat, "http://models.example/v1", None).unwrap();
        let through_proxy = enfold_llm::Options { proxy: Proxy::Environment, ..options() };
        let client = Client::new(endpoint, through_proxy).unwrap();
        client.ask(&ask(), &CancellationToken::new()).await.unwrap();
        return;
    }
    let fine = r#"{"choices":[{"message":{"content":"fine"},"finish_reason":"stop"}]}"#;
    let proxy = Server::start(vec![json(200, fine)]).await;
    let mut child = std::process::Command::new(std::env::current_exe().unwrap());
    child.args(["--exact", "secrets::a_proxy_named_in_the_environment_is_used"]);
    child.env(CHILD, "1").env("http_proxy", &proxy.url).env_remove("no_proxy").env_remove("NO_PROXY");
    let output = tokio::task::spawn_blocking(move || child.output().unwrap()).await.unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stdout));
    let head = proxy.requests.lock().unwrap()[0].head.clone();
    assert!(head.starts_with("POST http://models.example/v1/chat/completions"), "{head}");
}
