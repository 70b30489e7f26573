//! Conversations: recognised, folded, gone on with.

use std::time::Duration;

use enfold_script::{Model, Reply, Request};
use enfold_server::Mode;
use tempfile::tempdir;

use crate::support::{
    Proxy, chat_request, config, gemini_request, messages_request, responses_request, unmarked,
};

const SONNET: &str = "claude-sonnet-4-5";

fn model() -> Model {
    Model::start(|_| Reply::Text("done".into()))
}

/// How many times something that had been sent was changed.
fn changes(requests: &[Request]) -> usize {
    let sent: Vec<Vec<String>> = requests.iter().map(|request| unmarked(&request.messages())).collect();
    sent.windows(2).filter(|pair| !pair[1].starts_with(&pair[0])).count()
}

#[tokio::test]
async fn a_long_session_stays_within_its_window_in_every_format() {
    type Make = fn(usize) -> String;
    let make: [(&str, Make); 3] = [
        ("/v1/messages", |steps| messages_request(steps, SONNET)),
        ("/v1/chat/completions", |steps| chat_request(steps, "gpt-4o")),
        ("/v1/responses", |steps| responses_request(steps, "gpt-5")),
    ];
    for (path, make) in make {
        let (folder, model) = (tempdir().unwrap(), model());
        let mut config = config(model.url());
        config.window = Some(14_000);
        let proxy = Proxy::of(&folder, config).await;
        for steps in 1..40 {
            assert_eq!(proxy.post(path, make(steps)).await.status, 200);
        }
        assert_eq!(model.refused(), Vec::<String>::new(), "{path}");
        let requests = model.requests();
        let largest = requests.iter().map(|request| request.tokens()).max().unwrap();
        let (epochs, totals) = (changes(&requests), (proxy.totals)());
        assert!(largest < 17_500, "{path}: {largest}");
        assert!((2..=12).contains(&epochs), "{path}: {epochs} epochs");
        assert_eq!((totals.failed_open, totals.refused, totals.requests), (0, 0, 39), "{path}");
        assert_eq!(
            proxy.api("/api/sessions").await.json()["sessions"].as_array().unwrap().len(),
            1,
            "{path}"
        );
    }
}

#[tokio::test]
async fn gemini_folds_too() {
    let folder = tempdir().unwrap();
    let server = enfold_script::server::Server::start(
        (0..20)
            .map(|_| {
                enfold_script::server::json(
                    200,
                    r#"{"candidates":[],"usageMetadata":{"promptTokenCount":9}}"#,
                )
            })
            .collect(),
    )
    .await;
    let mut config = config(&server.url);
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    for steps in 1..20 {
        proxy.post("/v1beta/models/gemini-2.5-pro:generateContent", gemini_request(steps)).await;
    }
    assert!((proxy.totals)().folded > 5);
    for body in server.bodies() {
        let raw = enfold::json::Raw::parse(&body).unwrap();
        let found = enfold::validate::validate("gemini", &enfold::validate::Request::of("gemini", raw));
        assert!(
            found.iter().all(|finding| finding.severity != enfold::finding::Severity::Error),
            "{found:?}"
        );
        assert!(body.len() < 48_000, "{}", body.len());
    }
}

#[tokio::test]
async fn only_what_is_folded_differs_from_what_the_client_sent() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    let body = messages_request(14, SONNET);
    proxy.post("/v1/messages", body.clone()).await;
    let sent = &model.requests()[0].body;
    assert_ne!(*sent, body);
    let (before, after) = (body.find("\"messages\":[").unwrap(), body.find("],\n \"tools\"").unwrap());
    assert_eq!(sent[..before], body[..before]);
    assert!(sent.ends_with(&body[after..]), "{sent}");
    // The last result stands as it was sent, marker and all.
    let last = body[..after].rsplit("\n  ").next().unwrap();
    assert!(sent.contains(last), "{last}");
}

#[tokio::test]
async fn another_process_sends_the_same_bytes() {
    let (folder, model) = (tempdir().unwrap(), model());
    let start = async || {
        let mut config = config(model.url());
        config.window = Some(14_000);
        Proxy::of(&folder, config).await
    };
    let mut proxy = start().await;
    let mut again = Vec::new();
    for steps in 1..36 {
        assert_eq!(proxy.post("/v1/messages", messages_request(steps, SONNET)).await.status, 200);
        if steps % 4 == 0 {
            // It ends, and the client tries again.
            proxy.stop().await;
            proxy = start().await;
            assert_eq!(proxy.post("/v1/messages", messages_request(steps, SONNET)).await.status, 200);
            again.push(model.requests().len() - 1);
        }
    }
    let requests = model.requests();
    assert_eq!(model.refused(), Vec::<String>::new());
    let epochs = changes(&requests);
    assert!((2..12).contains(&epochs), "{epochs}");
    for nth in again {
        // Not printed: they are long.
        assert!(requests[nth].body == requests[nth - 1].body, "request {nth}");
    }
}

#[tokio::test]
async fn a_count_is_of_what_would_be_sent_and_leaves_no_trace() {
    let (folder, server) = (
        tempdir().unwrap(),
        enfold_script::server::Server::on_thread(|_| {
            enfold_script::server::json(200, "{\"input_tokens\":5}")
        }),
    );
    let mut config = config(&server.url);
    config.window = Some(12_000);
    let proxy = Proxy::of(&folder, config).await;
    proxy.post("/v1/messages", messages_request(14, SONNET)).await;
    proxy.post("/v1/messages/count_tokens", messages_request(14, SONNET)).await;
    proxy.post("/v1/messages", messages_request(15, SONNET)).await;
    let bodies = server.bodies();
    assert_eq!(bodies[0], bodies[1]);
    let messages = |body: &str| -> Vec<String> {
        let raw = enfold::json::Raw::parse(body).unwrap();
        let all: Vec<&str> = raw.get("messages").unwrap().elements().map(|it| it.text()).collect();
        unmarked(&all)
    };
    assert!(messages(&bodies[2]).starts_with(&messages(&bodies[0])));
}

#[tokio::test]
async fn titles_and_other_side_calls_are_left_alone() {
    let (folder, model) = (tempdir().unwrap(), model());
    let proxy = Proxy::start(&folder, model.url()).await;
    let title = r#"{"model":"claude-haiku-4-5","max_tokens":10,"messages":[{"role":"user","content":"Name this session"}]}"#;
    let headers = [("x-claude-code-session-id", "s")];
    proxy.post_with("/v1/messages", &headers, title).await;
    proxy.post_with("/v1/messages", &headers, messages_request(2, SONNET)).await;
    assert_eq!(model.requests()[0].body, title);
    let sessions = proxy.api("/api/sessions").await.json();
    assert_eq!(sessions["sessions"].as_array().unwrap().len(), 1);
    assert_eq!(sessions["sessions"][0]["messages"], 6);
}

#[tokio::test]
async fn sessions_that_begin_alike_are_two_and_a_changed_past_is_one() {
    let (folder, model) = (tempdir().unwrap(), model());
    let proxy = Proxy::start(&folder, model.url()).await;
    let count = async || proxy.api("/api/sessions").await.json()["sessions"].as_array().unwrap().len();
    for steps in 1..4 {
        proxy.post("/v1/messages", messages_request(steps, SONNET)).await;
    }
    assert_eq!(count().await, 1);
    // The same first words, and then something else.
    for steps in 1..4 {
        let other = messages_request(steps, SONNET).replace("toolu_", "toolu_other_");
        proxy.post("/v1/messages", other).await;
    }
    assert_eq!(count().await, 2);
    // Wound back by a step, then on another way.
    let back = messages_request(4, SONNET).replace("Step 3.", "Step 3, differently.");
    proxy.post("/v1/messages", messages_request(2, SONNET)).await;
    proxy.post("/v1/messages", back).await;
    assert_eq!(count().await, 2);
    // Another model, another key: another conversation.
    proxy.post("/v1/messages", messages_request(4, "claude-haiku-4-5")).await;
    proxy.post_with("/v1/messages", &[("authorization", "Bearer other")], messages_request(4, SONNET)).await;
    assert_eq!(count().await, 4);
    assert_eq!(model.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_shape_that_changes_and_a_whisper_at_the_end_open_no_epoch() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    config.window = Some(20_000);
    let proxy = Proxy::of(&folder, config).await;
    for steps in 1..40 {
        let whisper = format!(
            ",{{\"role\":\"system\",\"content\":[{{\"type\":\"text\",\"text\":\"{steps} left\"}},{{\"type\":\"text\",\"text\":\"First privately list what you need\"}}]}}],\n \"tools\""
        );
        let body = messages_request(steps, "claude-fable-5-1").replace("],\n \"tools\"", &whisper);
        // What was a list is a string from the second request on.
        let body = match steps {
            1 => body,
            _ => body.replace(
                "[{\"type\":\"text\",\"text\":\"Make the parser accept tabs.\"}]",
                "\"Make the parser accept tabs.\"",
            ),
        };
        proxy.post("/v1/messages", body).await;
    }
    let totals = (proxy.totals)();
    assert!((1..12).contains(&totals.epochs), "{totals:?}");
    assert_eq!((totals.failed_open, totals.refused), (0, 0), "{totals:?}");
    assert_eq!(model.refused(), Vec::<String>::new());
}

#[tokio::test]
async fn a_client_that_sums_up_gets_what_was_sent_and_goes_on() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    config.window = Some(20_000);
    let proxy = Proxy::of(&folder, config).await;
    let headers = [("x-claude-code-session-id", "s")];
    for steps in 1..20 {
        proxy.post_with("/v1/messages", &headers, messages_request(steps, SONNET)).await;
    }
    let before = (proxy.totals)();
    let ask = messages_request(19, SONNET).replace(
        "}],\n \"tools\"",
        "},{\"role\":\"user\",\"content\":\"CRITICAL: Respond with TEXT ONLY. Sum up.\"}],\n \"tools\"",
    );
    proxy.post_with("/v1/messages", &headers, ask).await;
    assert_eq!((proxy.totals)().epochs, before.epochs, "nothing new is folded for it");
    let requests = model.requests();
    let [last, summing] = [&requests[requests.len() - 2], &requests[requests.len() - 1]];
    assert!(unmarked(&summing.messages()).starts_with(&unmarked(&last.messages())));
    // One message in place of all.
    let after = messages_request(0, SONNET)
        .replace("Make the parser", "This session is being continued. Make the parser");
    proxy.post_with("/v1/messages", &headers, after.clone()).await;
    assert_eq!(model.requests().last().unwrap().body, after);
    assert_eq!(proxy.api("/api/sessions").await.json()["sessions"].as_array().unwrap().len(), 1);
}

#[tokio::test]
async fn a_refusal_for_length_is_answered_by_a_shorter_request() {
    for inside in [false, true] {
        let folder = tempdir().unwrap();
        let model = Model::start(move |request| match request.tokens() {
            ..9_000 => Reply::Text("done".into()),
            _ if inside => {
                let event = r#"{"type":"response.failed","response":{"status":"failed","error":{"code":"context_length_exceeded","message":"Your input exceeds the context window of this model."}}}"#;
                let body = format!(
                    "event: response.created\ndata: {{\"type\":\"response.created\",\"response\":{{}}}}\n\nevent: response.failed\ndata: {event}\n\n"
                );
                Reply::Raw(format!("HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ncontent-length: {}\r\n\r\n{body}", body.len()).into_bytes())
            }
            _ => Reply::status(
                400,
                r#"{"error":{"message":"Your input exceeds the context window","code":"context_length_exceeded"}}"#,
            ),
        });
        let mut config = config(model.url());
        config.window = Some(16_000);
        let proxy = Proxy::of(&folder, config).await;
        for steps in 1..14 {
            let came = proxy.post("/v1/responses", responses_request(steps, "gpt-5")).await;
            assert_eq!(came.status, 200, "{steps}: {}", came.text());
            assert!(!came.text().contains("context_length_exceeded"), "{steps}: {}", came.text());
        }
        assert!((1..4).contains(&(proxy.totals)().overflows), "{:?}", (proxy.totals)());
        assert_eq!(model.refused(), Vec::<String>::new());
    }
}

#[tokio::test]
async fn a_second_refusal_goes_through_as_it_is() {
    let folder = tempdir().unwrap();
    let words = r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"r"}"#;
    let model = Model::start(move |_| Reply::status(400, words));
    let proxy = Proxy::start(&folder, model.url()).await;
    let came = proxy.post("/v1/messages", messages_request(14, SONNET)).await;
    assert_eq!((came.status.as_u16(), came.text().as_str()), (400, words));
    assert_eq!(model.requests().len(), 2, "one retry");
    assert!(model.requests()[1].body.len() < model.requests()[0].body.len());
}

#[tokio::test]
async fn observing_changes_nothing_and_says_what_would_be_saved() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    (config.window, config.mode) = (Some(20_000), Mode::Observe);
    let proxy = Proxy::of(&folder, config).await;
    for steps in 1..30 {
        proxy.post("/v1/messages", messages_request(steps, SONNET)).await;
    }
    let bodies: Vec<String> = model.requests().into_iter().map(|request| request.body).collect();
    assert_eq!(bodies, (1..30).map(|steps| messages_request(steps, SONNET)).collect::<Vec<_>>());
    assert!((proxy.totals)().saved > 50_000, "{:?}", (proxy.totals)());
}

#[tokio::test]
async fn a_store_that_fails_lets_a_new_session_through_and_a_folded_one_go_on() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    config.window = Some(20_000);
    let proxy = Proxy::of(&folder, config).await;
    let mut steps = 1;
    while (proxy.totals)().folded == 0 {
        proxy.post("/v1/messages", messages_request(steps, SONNET)).await;
        steps += 1;
    }
    proxy
        .until(|proxy| {
            proxy.log.lock().unwrap().iter().filter(|line| line.contains("\"usage\"")).count() == steps - 1
        })
        .await;
    tokio::time::sleep(Duration::from_millis(300)).await;
    // Nobody can write to it any more.
    let blocker = rusqlite_block(folder.path());
    let folded = unmarked(&model.requests().last().unwrap().messages());
    let came = proxy.post("/v1/messages", messages_request(steps, SONNET)).await;
    assert_eq!(came.status, 200, "{}", came.text());
    let sent = unmarked(&model.requests().last().unwrap().messages());
    assert!(sent.starts_with(&folded), "what was sent is sent again, with the rest as it came");
    let fresh = chat_request(2, "gpt-4o");
    assert_eq!(proxy.post("/v1/chat/completions", fresh.clone()).await.status, 200);
    assert_eq!(model.requests().last().unwrap().body, fresh);
    assert_eq!((proxy.totals)().failed_open, 2);
    drop(blocker);
    proxy.post("/v1/messages", messages_request(steps + 1, SONNET)).await;
    assert!(unmarked(&model.requests().last().unwrap().messages()).starts_with(&folded));
    assert_eq!((proxy.totals)().failed_open, 2, "it is well again");
    assert_eq!(model.refused(), Vec::<String>::new());
}

/// Holds the database so that no other can write.
fn rusqlite_block(folder: &std::path::Path) -> rusqlite::Connection {
    let blocker = rusqlite::Connection::open(folder.join("enfold.db")).unwrap();
    blocker.busy_timeout(Duration::from_secs(5)).unwrap();
    blocker.execute_batch("BEGIN IMMEDIATE").unwrap();
    blocker
}

#[tokio::test]
async fn a_request_during_a_compaction_waits_and_then_is_told_so() {
    let (folder, model) = (tempdir().unwrap(), model());
    let mut config = config(model.url());
    (config.window, config.patience) = (Some(12_000), Duration::from_millis(300));
    let proxy = Proxy::of(&folder, config).await;
    let headers = [("x-enfold-session", "s")];
    proxy.post_with("/v1/messages", &headers, messages_request(2, SONNET)).await;
    let id = proxy.api("/api/sessions").await.json()["sessions"][0]["id"].as_str().unwrap().to_string();
    // Another process is at it.
    let store = enfold_store::Sqlite::open(folder.path().join("enfold.db")).unwrap();
    let now = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH).unwrap();
    let lease =
        enfold_store::Leases::acquire(&store, &id, "another process", now, Duration::from_secs(60)).unwrap();
    let came = proxy.post_with("/v1/messages", &headers, messages_request(24, SONNET)).await;
    assert_eq!(came.status, 409, "{}", came.text());
    assert!(came.text().contains("is being compacted by another process"), "{}", came.text());
    let enfold_store::Acquired::Lease(lease) = lease else { panic!("nobody else has it") };
    enfold_store::Leases::release(&store, &lease).unwrap();
    assert_eq!(proxy.post_with("/v1/messages", &headers, messages_request(24, SONNET)).await.status, 200);
}

#[tokio::test]
async fn a_number_of_tokens_that_cannot_be_does_no_harm() {
    let folder = tempdir().unwrap();
    let server = enfold_script::server::Server::on_thread(|_| {
        enfold_script::server::json(200, r#"{"usage":{"input_tokens":900000,"output_tokens":1}}"#)
    });
    let mut config = config(&server.url);
    config.window = Some(20_000);
    let proxy = Proxy::of(&folder, config).await;
    for steps in 1..30 {
        proxy.post("/v1/messages", messages_request(steps, SONNET)).await;
    }
    let totals = (proxy.totals)();
    assert_eq!((totals.failed_open, totals.refused), (0, 0), "{totals:?}");
    assert!((1..8).contains(&totals.epochs), "{totals:?}");
}
