//! Every reply in every API, as a client reads it.

#![allow(clippy::unwrap_used)]

use std::time::Duration;

use enfold_llm::{
    Answer, Api, Ask, Blocking, CancellationToken, Client, Endpoint, Error, Finish, Key, Options, Proxy,
};
use enfold_script::{Call, Model, Reply};

const APIS: [Api; 3] = [Api::Anthropic, Api::Chat, Api::Responses];

/// What a client makes of a reply, in one piece and streamed.
fn answers(api: Api, reply: &Reply) -> [Result<Answer, Error>; 2] {
    let says = reply.clone();
    let model = Model::start(move |_| says.clone());
    let endpoint = Endpoint::at(api, model.url(), Some(Key::new("sk-secret-0123").unwrap())).unwrap();
    // Only who never hears anything has to give up; a slow machine may take its time.
    let head =
        if matches!(reply, Reply::Hang) { Duration::from_millis(200) } else { Duration::from_secs(60) };
    let options = Options { retries: 0, head, proxy: Proxy::Direct, ..Options::default() };
    let client = Blocking::new(Client::new(endpoint, options).unwrap()).unwrap();
    let ask = Ask::new("m", 100).message(r#"{"role":"user","content":"hello"}"#);
    let whole = client.ask(&ask, &CancellationToken::new());
    let streamed = client.stream(&ask, &CancellationToken::new(), &mut |_| {});
    assert_eq!(model.refused(), Vec::<String>::new());
    assert_eq!(model.requests().len(), 2);
    assert!(!format!("{:?}", model.requests()).contains("sk-secret"));
    [whole, streamed]
}

#[test]
fn what_a_model_says_arrives_in_every_api() {
    let call = |name: &str, arguments: &str| Call { name: name.into(), arguments: arguments.into() };
    let calls = vec![call("read", r#"{"path":"a"}"#), call("read", "{not json")];
    for (reply, text, finish) in [
        (Reply::Text("ja \"😀\"".into()), "ja \"😀\"", Finish::Stop),
        (Reply::Text(String::new()), "", Finish::Stop),
        (Reply::Calls(calls), "", Finish::ToolCall),
        (Reply::Refusal("I cannot.".into()), "I cannot.", Finish::Refusal),
        (Reply::CutOff("and so".into()), "and so", Finish::Length),
        (Reply::Large(10), "xxxxxxxxxx", Finish::Stop),
    ] {
        for api in APIS {
            for answer in answers(api, &reply) {
                let answer = answer.unwrap_or_else(|error| panic!("{api:?} {reply:?}: {error}"));
                assert_eq!(
                    (answer.text.as_str(), answer.finish),
                    (text, finish.clone()),
                    "{api:?} {reply:?}"
                );
                assert!(answer.usage.unwrap().input > 0, "{api:?} {reply:?}");
            }
        }
    }
}

#[test]
fn failures_arrive_as_what_they_are() {
    let busy = Reply::Status(429, vec![("retry-after".into(), "7".into())], "{}".into());
    for (reply, class) in [
        (busy, "rate_limited"),
        (Reply::status(401, "{}"), "auth"),
        (Reply::Reset, "network"),
        (Reply::Hang, "timeout"),
        (Reply::Raw(b"no HTTP\r\n\r\n".to_vec()), "network"),
        (Reply::Large(5 << 20), "too_large"),
    ] {
        for api in APIS {
            for answer in answers(api, &reply) {
                assert_eq!(answer.map_err(|error| error.class()).unwrap_err(), class, "{api:?} {reply:?}");
            }
        }
    }
}

#[test]
fn a_request_that_a_provider_would_refuse_is_on_record() {
    let model = Model::start(|_| Reply::Text("fine".into()));
    let endpoint = Endpoint::at(Api::Chat, model.url(), None).unwrap();
    let options = Options { proxy: Proxy::Direct, ..Options::default() };
    let client = Blocking::new(Client::new(endpoint, options).unwrap()).unwrap();
    let orphan = Ask::new("m", 100).message(r#"{"role":"tool","tool_call_id":"c","content":"x"}"#);
    client.ask(&orphan, &CancellationToken::new()).unwrap();
    let refused = model.refused();
    assert!(refused.len() == 1 && refused[0].starts_with("request 0: error C"), "{refused:?}");
    assert_eq!(model.requests()[0].messages(), [&*orphan.messages[0]]);
}
