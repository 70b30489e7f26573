//! The client against a server on loopback that behaves well, badly, and not at all.

// A test that cannot go on has failed.
#![allow(clippy::unwrap_used)]

mod answers;
mod failures;
mod retries;
mod routes;
mod secrets;
mod streams;

use std::time::Duration;

use enfold_llm::{
    Answer, Api, Ask, CancellationToken, Client, Endpoint, Error, Key, Options, Progress, Proxy,
};
pub(crate) use enfold_script::server;
use server::{Act, Server};

pub(crate) const APIS: [Api; 3] = [Api::Anthropic, Api::Chat, Api::Responses];
pub(crate) const KEY: &str = "sk-test-0123456789abcdef";

/// One attempt, so that a test sees the first failure; times long enough to matter only where a test lets them pass.
pub(crate) fn options() -> Options {
    Options { retries: 0, seed: Some(1), proxy: Proxy::Direct, ..Options::default() }
}

pub(crate) fn client(server: &Server, api: Api, options: Options) -> Client {
    let key = Key::new(KEY).unwrap();
    Client::new(Endpoint::at(api, &server.url, Some(key)).unwrap(), options).unwrap()
}

pub(crate) fn ask() -> Ask {
    Ask::new("m", 100).message(r#"{"role":"user","content":"hello"}"#)
}

/// One question to a server with one script.
pub(crate) async fn answer(api: Api, script: Vec<Act>) -> Result<Answer, Error> {
    let server = Server::start(vec![script]).await;
    client(&server, api, options()).ask(&ask(), &CancellationToken::new()).await
}

/// The same, streamed; returns the text that was reported on the way too.
pub(crate) async fn streamed(api: Api, script: Vec<Act>) -> (Result<Answer, Error>, String) {
    let server = Server::start(vec![script]).await;
    let client = client(&server, api, options());
    let mut text = String::new();
    let mut on = |progress: Progress<'_>| {
        if let Progress::Text(more) = progress {
            text.push_str(more);
        }
    };
    let result = client.stream(&ask(), &CancellationToken::new(), &mut on).await;
    (result, text)
}

/// Lets `time` pass at once. Only while nothing is on its way: a stopped clock jumps ahead of the network.
pub(crate) async fn pass(time: Duration) {
    tokio::time::pause();
    tokio::time::advance(time).await;
    tokio::time::resume();
}
