//! Answers as they should be, or nearly.

use enfold_llm::{Answer, Api, Blocking, CancellationToken, Error, Finish, Usage};

use crate::server::{Server, json, json_with};
use crate::{APIS, KEY, answer, ask, client, options};

/// An answer in each API's shape, with a finish reason in its words.
fn body(api: Api, text: &str, reason: &str) -> String {
    let text = enfold::json::quote(text);
    match api {
        Api::Anthropic => format!(
            r#"{{"id":"msg","type":"message","role":"assistant","content":[{{"type":"thinking","thinking":"hm","signature":"s"}},{{"type":"text","text":{text}}}],"stop_reason":"{reason}","usage":{{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":7}}}}"#
        ),
        Api::Chat => format!(
            r#"{{"choices":[{{"index":0,"message":{{"role":"assistant","content":{text},"refusal":null}},"finish_reason":"{reason}"}}],"usage":{{"prompt_tokens":28,"completion_tokens":7,"prompt_tokens_details":{{"cached_tokens":20,"cache_write_tokens":3}}}}}}"#
        ),
        Api::Responses => format!(
            r#"{{"status":{status},"error":null,"incomplete_details":{details},"output":[{{"type":"reasoning","summary":[]}},{{"type":"message","role":"assistant","content":[{{"type":"output_text","text":{text},"annotations":[]}}]}}],"usage":{{"input_tokens":28,"input_tokens_details":{{"cached_tokens":20,"cache_write_tokens":3}},"output_tokens":7}}}}"#,
            status = if reason == "completed" { r#""completed""# } else { r#""incomplete""# },
            details = match reason {
                "completed" => "null".to_string(),
                reason => format!(r#"{{"reason":"{reason}"}}"#),
            },
        ),
    }
}

fn done(api: Api) -> &'static str {
    match api {
        Api::Anthropic => "end_turn",
        Api::Chat => "stop",
        Api::Responses => "completed",
    }
}

async fn finish(api: Api, body: &str) -> (String, Finish) {
    let Answer { text, finish, .. } = answer(api, json(200, body)).await.unwrap();
    (text, finish)
}

#[tokio::test]
async fn an_answer_has_text_finish_and_usage() {
    for api in APIS {
        let got = answer(api, json(200, &body(api, "Grüße, \"ja\" 😀", done(api)))).await.unwrap();
        let usage = Some(Usage { input: 28, cache_read: 20, cache_write: 3, output: 7, ..Usage::default() });
        let (text, message) = ("Grüße, \"ja\" 😀".into(), got.message.clone());
        let whole = Answer { text, message, finish: Finish::Stop, usage, retried: vec![] };
        assert_eq!(got, whole, "{api:?}");
    }
}

#[tokio::test]
async fn an_answer_can_be_appended_byte_for_byte() {
    for (api, body, appended) in [
        (
            Api::Anthropic,
            r#"{"id":"m","role":"assistant","content":[ {"type":"thinking","thinking":"hm","signature":"s"}, {"type":"tool_use","id":"t","name":"read","input":{"n":1.50e+3}} ],"stop_reason":"tool_use"}"#,
            vec![
                r#"{"role":"assistant","content":[ {"type":"thinking","thinking":"hm","signature":"s"}, {"type":"tool_use","id":"t","name":"read","input":{"n":1.50e+3}} ]}"#,
            ],
        ),
        (
            Api::Chat,
            r#"{"choices":[{"message":{ "role":"assistant","content":null,"odd":[1.0],"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\u0022"}}] },"finish_reason":"tool_calls"}]}"#,
            vec![
                r#"{ "role":"assistant","content":null,"odd":[1.0],"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{\u0022"}}] }"#,
            ],
        ),
        (
            Api::Responses,
            r#"{"status":"completed","output":[{"type":"reasoning","id":"rs","encrypted_content":"e"}, {"type":"function_call","call_id":"c","name":"read","arguments":"{}" }]}"#,
            vec![
                r#"{"type":"reasoning","id":"rs","encrypted_content":"e"}"#,
                r#"{"type":"function_call","call_id":"c","name":"read","arguments":"{}" }"#,
            ],
        ),
        (Api::Anthropic, r#"{"content":[],"stop_reason":"end_turn"}"#, vec![]),
    ] {
        assert_eq!(answer(api, json(200, body)).await.unwrap().message, appended, "{api:?}");
    }
}

#[tokio::test]
async fn the_request_is_what_the_api_expects() {
    for (api, path, header) in [
        (Api::Anthropic, "POST /v1/messages HTTP", format!("x-api-key: {KEY}")),
        (Api::Chat, "POST /v1/chat/completions HTTP", format!("authorization: Bearer {KEY}")),
        (Api::Responses, "POST /v1/responses HTTP", format!("authorization: Bearer {KEY}")),
    ] {
        let server = Server::start(vec![json(200, &body(api, "x", done(api)))]).await;
        let message = r#"{ "role":"user",  "content":"\u0041\/ 1.50e+3 ☃" }"#;
        let ask = enfold_llm::Ask::new("m", 9).message(message);
        client(&server, api, options()).ask(&ask, &CancellationToken::new()).await.unwrap();
        let request = server.requests.lock().unwrap()[0].clone();
        assert!(request.head.starts_with(path), "{}", request.head);
        assert!(request.head.contains(&header), "{}", request.head);
        assert!(request.head.contains("content-type: application/json"), "{}", request.head);
        assert_eq!(request.head.contains("anthropic-version: 2023-06-01"), api == Api::Anthropic);
        assert!(request.body.contains(message), "{}", request.body);
        assert!(enfold::json::Raw::parse(&request.body).is_ok());
    }
}

#[tokio::test]
async fn an_empty_answer_is_an_answer() {
    for api in APIS {
        assert_eq!(finish(api, &body(api, "", done(api))).await, (String::new(), Finish::Stop), "{api:?}");
    }
    let nothing = r#"{"content":[],"stop_reason":"end_turn"}"#;
    assert_eq!(finish(Api::Anthropic, nothing).await, (String::new(), Finish::Stop));
    let null = r#"{"choices":[{"message":{"content":null},"finish_reason":"stop"}]}"#;
    assert_eq!(finish(Api::Chat, null).await, (String::new(), Finish::Stop));
}

#[tokio::test]
async fn an_answer_that_was_cut_off_says_so() {
    for (api, reason) in [
        (Api::Anthropic, "max_tokens"),
        (Api::Anthropic, "model_context_window_exceeded"),
        (Api::Chat, "length"),
        (Api::Responses, "max_output_tokens"),
    ] {
        assert_eq!(
            finish(api, &body(api, "and so", reason)).await,
            ("and so".into(), Finish::Length),
            "{api:?}"
        );
    }
}

#[tokio::test]
async fn a_tool_call_instead_of_text_says_so() {
    for (api, body) in [
        (
            Api::Anthropic,
            r#"{"content":[{"type":"tool_use","id":"t","name":"read","input":{}}],"stop_reason":"tool_use"}"#,
        ),
        (
            Api::Chat,
            r#"{"choices":[{"message":{"content":null,"tool_calls":[{"id":"c","type":"function","function":{"name":"read","arguments":"{}"}}]},"finish_reason":"tool_calls"}]}"#,
        ),
        // A server that says `stop` all the same.
        (
            Api::Chat,
            r#"{"choices":[{"message":{"content":"","tool_calls":[{"id":"c"}]},"finish_reason":"stop"}]}"#,
        ),
        (
            Api::Responses,
            r#"{"status":"completed","output":[{"type":"function_call","call_id":"c","name":"read","arguments":"{}"}]}"#,
        ),
    ] {
        assert_eq!(finish(api, body).await, (String::new(), Finish::ToolCall), "{api:?}");
    }
}

#[tokio::test]
async fn a_refusal_says_so() {
    for (api, body, text) in [
        (Api::Anthropic, r#"{"content":[],"stop_reason":"refusal"}"#, ""),
        (
            Api::Chat,
            r#"{"choices":[{"message":{"content":null,"refusal":"I cannot."},"finish_reason":"stop"}]}"#,
            "I cannot.",
        ),
        (Api::Chat, r#"{"choices":[{"message":{"content":""},"finish_reason":"content_filter"}]}"#, ""),
        (
            Api::Responses,
            r#"{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}]}"#,
            "I cannot.",
        ),
    ] {
        assert_eq!(finish(api, body).await, (text.into(), Finish::Refusal), "{api:?}");
    }
}

#[tokio::test]
async fn an_unknown_reason_is_passed_on() {
    assert_eq!(
        finish(Api::Anthropic, &body(Api::Anthropic, "x", "pause_turn")).await,
        ("x".into(), Finish::Other("pause_turn".into()))
    );
}

#[tokio::test]
async fn the_blocking_client_answers_inside_a_runtime_too() {
    let server = Server::start(vec![json(200, &body(Api::Chat, "hi", "stop"))]).await;
    let blocking = Blocking::new(client(&server, Api::Chat, options())).unwrap();
    let (blocking, answer) = tokio::task::spawn_blocking(move || {
        let answer = blocking.ask(&ask(), &CancellationToken::new());
        (blocking, answer)
    })
    .await
    .unwrap();
    assert_eq!(answer.unwrap().text, "hi");
    let cancelled = CancellationToken::new();
    cancelled.cancel();
    assert_eq!(blocking.ask(&ask(), &cancelled), Err(Error::Cancelled));
    drop(blocking);
}

#[tokio::test]
async fn headers_of_the_endpoint_are_sent() {
    let server =
        Server::start(vec![json_with(200, "x-any: 1\r\n", &body(Api::Anthropic, "x", "end_turn"))]).await;
    let endpoint = enfold_llm::Endpoint::at(Api::Anthropic, &server.url, None).unwrap();
    let endpoint = endpoint.header("anthropic-beta", "context-1m").unwrap();
    let client = enfold_llm::Client::new(endpoint, options()).unwrap();
    client.ask(&ask(), &CancellationToken::new()).await.unwrap();
    let head = server.requests.lock().unwrap()[0].head.clone();
    assert!(head.contains("anthropic-beta: context-1m") && !head.contains("x-api-key"), "{head}");
}
