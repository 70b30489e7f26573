//! What the tools answer, about sessions that were really folded.

use std::time::Duration;

use enfold_mcp::{PAGE, Scope};
use serde_json::json;

use crate::support::Asked;

#[tokio::test]
async fn an_agent_is_offered_four_tools_that_only_read() {
    let asked = Asked::about(Scope::default()).await;
    let tools = asked.client.list_all_tools().await.unwrap();
    let names: Vec<&str> = tools.iter().map(|tool| &*tool.name).collect();
    assert_eq!(names, ["unfold", "search_history", "session_ledger", "file_at"]);
    for tool in &tools {
        assert_eq!(tool.annotations.as_ref().unwrap().read_only_hint, Some(true));
    }
    assert!(asked.call("fold", json!({})).await.is_err());
}

#[tokio::test]
async fn a_handle_opens_what_it_stands_for() {
    let asked = Asked::about(Scope::default()).await;
    for (handle, original) in asked.session("one", "tab", 1) {
        let shown = asked.answer("unfold", json!({"handle": handle.to_string()})).await;
        let (head, text) = shown.split_once('\n').unwrap();
        assert!(head.starts_with(&format!("[{handle}: ")), "{head}");
        assert!(text.chars().count() <= PAGE);
        if original.starts_with('{') {
            // Whole messages are shown for reading: their texts with line breaks, in place of one line of JSON.
            assert!(text.starts_with("── assistant calls read_file\n{\"path\":\"src/tab"), "{text}");
            assert!(text.contains("── result\nlet tab_"), "{text}");
        } else {
            assert_eq!(text, original);
        }
        let bare: u64 = handle.digits().parse().unwrap();
        assert_eq!(asked.answer("unfold", json!({"handle": bare})).await.split_once('\n').unwrap().1, text);
        let part =
            asked.answer("unfold", json!({"handle": handle.digits(), "from_line": 2, "to_line": 3})).await;
        assert_eq!(
            part.lines().skip(1).collect::<Vec<_>>(),
            text.lines().skip(1).take(2).collect::<Vec<_>>()
        );
    }
}

#[tokio::test]
async fn a_handle_opens_only_in_its_session() {
    let asked = Asked::about(Scope::default()).await;
    let handle = asked.session("one", "tab", 1)[0].0;
    asked.session("two", "space", 2);
    let text = asked.answer("unfold", json!({"handle": handle})).await;
    assert!(text.contains("tab_") && !text.contains("space_"), "{text}");
    let refused = asked.refusal("unfold", json!({"handle": handle, "session": "two"})).await;
    assert_eq!(
        refused,
        format!(
            "{handle}: session `two` has no original of this number; copy it from this conversation digit by digit, or find \
             the words with search_history"
        )
    );
    let refused = asked.refusal("unfold", json!({"handle": "#12"})).await;
    assert!(
        refused.starts_with("`#12`: this is no number of an original; give the nine digits"),
        "{refused}"
    );
    let refused = asked.refusal("unfold", json!({})).await;
    assert!(refused.starts_with("unfold: either a handle or a message is needed"), "{refused}");
}

#[tokio::test]
async fn what_was_said_long_ago_is_found_and_shown_whole() {
    let asked = Asked::about(Scope::default()).await;
    asked.session("one", "tab", 1);
    let found = asked.answer("search_history", json!({"query": "tab_3_17"})).await;
    let mut lines = found.lines();
    assert_eq!(
        lines.next(),
        Some("[session one of 25 messages: 1 found, newest first; unfold with `message` shows one whole]")
    );
    let number = lines.next().unwrap().strip_prefix("message ").unwrap().split_once(':').unwrap().0;
    let shown = asked.answer("unfold", json!({"message": number.parse::<usize>().unwrap()})).await;
    assert!(
        shown.contains("── result\nlet tab_3_0 = 0;\n") && shown.contains("let tab_3_59 = 59;"),
        "{shown}"
    );
    let none = asked.answer("search_history", json!({"query": "nowhere"})).await;
    assert_eq!(none, "[session one of 25 messages: no message holds all of these words]");
    let refused = asked.refusal("search_history", json!({"query": "…"})).await;
    assert_eq!(refused, "query `…`: there is no word in it; give letters or digits");
    let refused = asked.refusal("unfold", json!({"message": 99})).await;
    assert_eq!(refused, "message 99: session `one` has 25 messages; search_history gives their numbers");
}

#[tokio::test]
async fn the_ledger_and_a_file_of_earlier_are_told() {
    let asked = Asked::about(Scope::default()).await;
    asked.session("one", "tab", 1);
    let ledger = asked.answer("session_ledger", json!({})).await;
    assert!(ledger.starts_with("[session one of 25 messages: "), "{ledger}");
    assert!(ledger.contains("Make the parser accept tabs.") && ledger.contains("src/tab11.rs"), "{ledger}");
    let file = asked.answer("file_at", json!({"path": "src/tab2.rs"})).await;
    assert!(file.starts_with("[src/tab2.rs after step 12: "), "{file}");
    assert!(file.contains("\nlet tab_2_0 = 0;\n"), "{file}");
    let refused = asked.refusal("file_at", json!({"path": "src/tab2.rs", "step": 1})).await;
    assert!(refused.contains("does not touch this file by step 1; write the path"), "{refused}");
}

#[tokio::test]
async fn without_a_handle_the_session_used_last_is_meant() {
    let asked = Asked::about(Scope::default()).await;
    let handle = asked.session("one", "tab", 1)[0].0;
    asked.session("two", "space", 2);
    assert!(asked.answer("session_ledger", json!({})).await.starts_with("[session two "));
    // Any number of a conversation says which conversation is meant.
    assert!(asked.answer("session_ledger", json!({"handle": handle})).await.starts_with("[session one "));
    assert!(asked.answer("session_ledger", json!({"session": "on"})).await.starts_with("[session one "));
    let refused = asked.refusal("session_ledger", json!({"session": "three"})).await;
    assert!(refused.starts_with("session `three`: there is none of this id"), "{refused}");
}

#[tokio::test]
async fn who_is_bound_to_a_session_cannot_ask_about_another() {
    let bound = Scope { session: Some("one".into()), since: None };
    let asked = Asked::about(bound).await;
    asked.session("one", "tab", 1);
    let other = asked.session("two", "space", 2)[0].0;
    assert!(asked.answer("session_ledger", json!({})).await.starts_with("[session one "));
    asked.refusal("session_ledger", json!({"session": "two"})).await;
    asked.refusal("unfold", json!({"handle": other})).await;
    asked.refusal("unfold", json!({"handle": other, "session": "two"})).await;
    let since = Scope { session: None, since: Some(Duration::from_secs(1_700_000_002)) };
    let asked = Asked::about(since).await;
    let earlier = asked.session("one", "tab", 1)[0].0;
    let refused = asked.refusal("session_ledger", json!({})).await;
    assert!(refused.starts_with("the session: nothing has been stored yet"), "{refused}");
    asked.refusal("unfold", json!({"handle": earlier})).await;
    asked.session("two", "space", 2);
    assert!(asked.answer("session_ledger", json!({})).await.starts_with("[session two "));
}
