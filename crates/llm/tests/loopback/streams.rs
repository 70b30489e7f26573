//! Answers that come as events.

use enfold_llm::{Api, CancellationToken, Error, Fault, Finish, Progress, Usage, Waiting};

use crate::server::{Act, Event, Server, chunk, chunked_head, json, stream};
use crate::{APIS, ask, client, options, streamed};

const TEXT: &str = "Grüße, 世界 😀\n\"ja\"";

/// A stream in each API's events, with all that surrounds text in practice.
fn events(api: Api) -> String {
    match api {
        Api::Anthropic => [
            r#"event: message_start
data: {"type":"message_start","message":{"content":[],"usage":{"input_tokens":5,"cache_read_input_tokens":20,"cache_creation_input_tokens":3,"output_tokens":1}}}"#,
            r#"event: ping
data: {"type":"ping"}"#,
            r#"event: content_block_start
data: {"type":"content_block_start","index":0,"content_block":{"type":"thinking","thinking":""}}"#,
            r#"event: content_block_delta
data: {"type":"content_block_delta","index":0,"delta":{"type":"thinking_delta","thinking":"hm"}}"#,
            r#"event: content_block_start
data: {"type":"content_block_start","index":1,"content_block":{"type":"text","text":""}}"#,
            r#"event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"Grüße, 世"}}"#,
            r#"event: content_block_delta
data: {"type":"content_block_delta","index":1,"delta":{"type":"text_delta","text":"界 😀\n\"ja\""}}"#,
            r#"event: message_delta
data: {"type":"message_delta","delta":{"stop_reason":"end_turn"},"usage":{"output_tokens":7}}"#,
            r#"event: message_stop
data: {"type":"message_stop"}"#,
            "",
        ]
        .join("\n\n"),
        Api::Chat => [
            ": OPENROUTER PROCESSING",
            r#"data: {"choices":[{"index":0,"delta":{"role":"assistant","content":""},"finish_reason":null}],"usage":null}"#,
            r#"data: {"choices":[{"index":0,"delta":{"reasoning_content":"hm"}}]}"#,
            r#"data: {"choices":[{"index":0,"delta":{"content":"Grüße, 世"}}]}"#,
            r#"data: {"choices":[{"index":0,"delta":{"content":"界 \ud83d\ude00\n\"ja\""}}]}"#,
            r#"data: {"choices":[{"index":0,"delta":{},"finish_reason":"stop"}]}"#,
            r#"data: {"choices":[],"usage":{"prompt_tokens":28,"completion_tokens":7,"prompt_tokens_details":{"cached_tokens":20,"cache_write_tokens":3}}}"#,
            "data: [DONE]",
            "",
        ]
        .join("\n\n"),
        Api::Responses => [
            r#"event: response.created
data: {"type":"response.created","response":{"status":"in_progress","output":[],"error":null}}"#,
            r#"event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"Grüße, 世"}"#,
            r#"event: response.output_text.delta
data: {"type":"response.output_text.delta","delta":"界 😀\n\"ja\""}"#,
            r#"event: response.completed
data: {"type":"response.completed","response":{"status":"completed","error":null,"output":[{"type":"message","content":[{"type":"output_text","text":"Grüße, 世界 😀\n\"ja\""}]}],"usage":{"input_tokens":28,"input_tokens_details":{"cached_tokens":20,"cache_write_tokens":3},"output_tokens":7}}}"#,
            "",
        ]
        .join("\n\n"),
    }
}

#[track_caller]
fn check(result: (Result<enfold_llm::Answer, Error>, String), what: &str) {
    let (answer, reported) = result;
    let answer = answer.unwrap_or_else(|error| panic!("{what}: {error}"));
    assert_eq!(answer.text, TEXT, "{what}");
    assert_eq!(reported, TEXT, "{what}");
    assert!(answer.message.is_empty(), "{what}");
    assert_eq!(answer.finish, Finish::Stop, "{what}");
    assert_eq!(
        answer.usage,
        Some(Usage { input: 28, cache_read: 20, cache_write: 3, output: 7, ..Usage::default() }),
        "{what}"
    );
}

#[tokio::test]
async fn a_stream_split_at_every_byte_gives_the_same_answer() {
    for api in APIS {
        let events = events(api);
        for at in 0..=events.len() {
            let (one, two) = events.as_bytes().split_at(at);
            check(streamed(api, stream([one, two])).await, &format!("{api:?} split at {at}"));
        }
    }
}

#[tokio::test]
async fn characters_in_pieces_and_any_line_end_give_the_same_answer() {
    for api in APIS {
        for events in [events(api), events(api).replace('\n', "\r\n"), events(api).replace('\n', "\r")] {
            check(streamed(api, stream(events.as_bytes().chunks(1))).await, &format!("{api:?} byte by byte"));
        }
    }
}

#[tokio::test]
async fn the_request_asks_for_a_stream() {
    for api in APIS {
        let server = Server::start(vec![stream([events(api).as_bytes()])]).await;
        client(&server, api, options()).stream(&ask(), &CancellationToken::new(), &mut |_| {}).await.unwrap();
        let body = server.bodies().remove(0);
        assert!(body.contains(r#""stream":true"#), "{body}");
        assert_eq!(body.contains(r#""stream_options":{"include_usage":true}"#), api == Api::Chat, "{body}");
    }
}

#[tokio::test]
async fn a_server_that_does_not_stream_is_understood() {
    let whole = r#"{"choices":[{"message":{"content":"all"},"finish_reason":"stop"}]}"#;
    assert_eq!(streamed(Api::Chat, json(200, whole)).await.0.unwrap().text, "all");
}

#[tokio::test]
async fn a_server_that_streams_unasked_is_understood() {
    let answer = crate::answer(Api::Chat, stream([events(Api::Chat).as_bytes()])).await.unwrap();
    assert_eq!(answer.text, TEXT);
}

#[tokio::test]
async fn a_stream_that_ends_early_is_a_network_fault() {
    for api in APIS {
        let events = events(api);
        let cut = events.find("Grüße").unwrap();
        let cut = cut + events[cut..].find("\n\n").unwrap() + 2;
        // Between two events, and in the middle of one.
        for cut in [cut, cut + 20, cut + 60] {
            let (result, text) = streamed(api, stream([&events.as_bytes()[..cut]])).await;
            assert!(matches!(result, Err(Error::Network { fault: Fault::Reset, .. })), "{api:?}: {result:?}");
            assert_eq!(text, "Grüße, 世");
        }
    }
}

#[tokio::test]
async fn a_connection_that_breaks_after_the_last_word_costs_nothing_but_numbers() {
    let events = events(Api::Chat);
    let said = events.find(r#""finish_reason":"stop""#).unwrap();
    let said = said + events[said..].find("\n\n").unwrap() + 2;
    let script = vec![chunked_head("text/event-stream"), chunk(&events.as_bytes()[..said]), Act::Reset];
    let answer = streamed(Api::Chat, script).await.0;
    // A reset may overtake what was sent before it; then the answer is lost as a whole.
    match answer {
        Ok(answer) => assert_eq!((answer.text.as_str(), answer.finish), (TEXT, Finish::Stop)),
        Err(error) => assert!(matches!(error, Error::Network { fault: Fault::Reset, .. }), "{error}"),
    }
    let script = vec![chunked_head("text/event-stream"), chunk(&events.as_bytes()[..said])];
    assert_eq!(streamed(Api::Chat, script).await.0.unwrap().text, TEXT);
}

#[tokio::test]
async fn what_follows_the_end_is_neither_read_nor_waited_for() {
    for api in APIS {
        let more = chunk(b"data: {\"error\":{\"message\":\"too late\"}}\n\n");
        let script = vec![chunked_head("text/event-stream"), chunk(events(api).as_bytes()), more, Act::Hang];
        check(streamed(api, script).await, &format!("{api:?}"));
    }
}

#[tokio::test]
async fn a_stream_that_hangs_is_left_with_what_was_said_reported() {
    let events = events(Api::Anthropic);
    let cut = events.find("event: message_delta").unwrap();
    let script = vec![chunked_head("text/event-stream"), chunk(&events.as_bytes()[..cut]), Act::Hang];
    let server = Server::start(vec![script]).await;
    let client = client(&server, Api::Anthropic, options());
    let mut text = String::new();
    let mut on = |progress: Progress<'_>| {
        if let Progress::Text(more) = progress {
            text.push_str(more);
            if text == TEXT {
                tokio::time::pause();
            }
        }
    };
    let result = client.stream(&ask(), &CancellationToken::new(), &mut on).await;
    assert_eq!(result, Err(Error::Timeout { waiting_for: Waiting::Bytes, after: options().idle }));
    assert_eq!(text, TEXT);
}

#[tokio::test]
async fn cancelling_ends_a_stream_at_once() {
    let events = events(Api::Chat);
    let cut = events.find(r#"data: {"choices":[{"index":0,"delta":{},"#).unwrap();
    let script = vec![chunked_head("text/event-stream"), chunk(&events.as_bytes()[..cut]), Act::Hang];
    let mut server = Server::start(vec![script]).await;
    let client = client(&server, Api::Chat, options());
    let cancel = CancellationToken::new();
    let mut on = |progress: Progress<'_>| {
        if matches!(progress, Progress::Text(_)) {
            cancel.cancel();
        }
    };
    assert_eq!(client.stream(&ask(), &cancel, &mut on).await, Err(Error::Cancelled));
    assert_eq!(server.events.recv().await, Some(Event::Hangs));
    assert_eq!(server.events.recv().await, Some(Event::ClientLeft), "the connection is given up too");
}

#[tokio::test]
async fn dropping_the_future_ends_a_stream_too() {
    let mut server = Server::start(vec![vec![chunked_head("text/event-stream"), Act::Hang]]).await;
    let client = client(&server, Api::Chat, options());
    let (cancel, question) = (CancellationToken::new(), ask());
    let mut on = |_: Progress<'_>| {};
    tokio::select! {
        result = client.stream(&question, &cancel, &mut on) => panic!("{result:?}"),
        event = server.events.recv() => assert_eq!(event, Some(Event::Hangs)),
    }
    assert_eq!(server.events.recv().await, Some(Event::ClientLeft));
}

#[tokio::test]
async fn an_error_inside_a_stream_keeps_its_class() {
    for (api, event, class) in [
        (
            Api::Anthropic,
            r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#,
            "overloaded",
        ),
        (Api::Chat, r#"{"error":{"message":"upstream failed","code":502}}"#, "server"),
        (
            Api::Responses,
            r#"{"type":"response.failed","response":{"status":"failed","output":[],"usage":null,"error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model. Please adjust your input and try again."}}}"#,
            "overflow",
        ),
        (
            Api::Responses,
            r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down","param":null}"#,
            "rate_limited",
        ),
        (Api::Chat, "{not json", "not_json"),
    ] {
        let (result, _) = streamed(api, stream([format!("data: {event}\n\n").as_bytes()])).await;
        assert_eq!(result.as_ref().map_err(Error::class).err(), Some(class), "{api:?} {result:?}");
    }
}

#[tokio::test]
async fn calls_refusals_and_cut_offs_are_told_from_streams_too() {
    let cases = [
        (
            Api::Anthropic,
            vec![
                r#"{"type":"content_block_start","index":0,"content_block":{"type":"tool_use","id":"t","name":"n","input":{}}}"#,
                r#"{"type":"content_block_delta","index":0,"delta":{"type":"input_json_delta","partial_json":"{}"}}"#,
                r#"{"type":"message_delta","delta":{"stop_reason":"tool_use"}}"#,
            ],
            ("", Finish::ToolCall),
        ),
        (
            Api::Chat,
            vec![
                r#"{"choices":[{"delta":{"tool_calls":[{"index":0,"function":{"name":"n"}}]}}]}"#,
                r#"{"choices":[{"delta":{},"finish_reason":"stop"}]}"#,
            ],
            ("", Finish::ToolCall),
        ),
        (
            Api::Chat,
            vec![
                r#"{"choices":[{"delta":{"refusal":"I can"}}]}"#,
                r#"{"choices":[{"delta":{"refusal":"not."},"finish_reason":"stop"}]}"#,
            ],
            ("I cannot.", Finish::Refusal),
        ),
        (
            Api::Responses,
            vec![
                r#"{"type":"response.output_text.delta","delta":"and so"}"#,
                r#"{"type":"response.incomplete","response":{"status":"incomplete","incomplete_details":{"reason":"max_output_tokens"},"output":[]}}"#,
            ],
            ("and so", Finish::Length),
        ),
        (
            Api::Responses,
            vec![
                r#"{"type":"response.refusal.delta","delta":"I cannot."}"#,
                r#"{"type":"response.completed","response":{"status":"completed","output":[{"type":"message","content":[{"type":"refusal","refusal":"I cannot."}]}]}}"#,
            ],
            ("I cannot.", Finish::Refusal),
        ),
    ];
    for (api, events, (text, finish)) in cases {
        let events: String = events.iter().map(|event| format!("data: {event}\n\n")).collect();
        let answer = streamed(api, stream([events.as_bytes()])).await.0.unwrap();
        assert_eq!((answer.text.as_str(), &answer.finish), (text, &finish), "{api:?}");
    }
}
