//! Folding once, as a package calls it.

#![allow(clippy::unwrap_used)]

mod common;

use common::{anthropic, chat, check_origins, options};
use enfold_bindings::{Code, Message, Options, Origin, fold, fold_bytes};

#[test]
fn what_fits_is_the_hosts_own() {
    let messages = chat(3);
    let view = fold(&messages, &options(r#"{"budget": 16000}"#)).unwrap();
    let same: Vec<Origin> = (0..messages.len()).map(Origin::Same).collect();
    assert_eq!((&*view.origins, view.format), (&same, "openai-chat"));
    check_origins(&view, &messages);
}

#[test]
fn what_does_not_fit_is_folded_and_says_where_it_comes_from() {
    for (messages, format) in [(chat(30), "openai-chat"), (anthropic(30), "anthropic")] {
        let view = fold(&messages, &options(r#"{"budget": "6k"}"#)).unwrap();
        assert_eq!(view.format, format);
        assert!(view.tokens <= 6_000, "{}", view.tokens);
        assert!(view.origins.iter().any(|origin| matches!(origin, Origin::Changed(_) | Origin::New)));
        assert!(!view.originals.is_empty());
        check_origins(&view, &messages);
    }
}

#[test]
fn a_list_folds_to_the_bytes_that_the_file_folds_to() {
    let messages = chat(30);
    let texts: Vec<&str> = messages.iter().map(|message| &**message.text()).collect();
    let file = format!("[{}]", texts.join(","));
    let options = options(r#"{"budget": 6000}"#);
    let (list, file) = (fold(&messages, &options).unwrap(), fold_bytes(file.into_bytes(), &options).unwrap());
    assert_eq!((list.messages, list.originals), (file.messages, file.originals));
}

#[test]
fn system_and_tools_count_within_the_budget() {
    let messages = anthropic(4);
    let plain = fold(&messages, &options(r#"{"budget": 16000}"#)).unwrap();
    let beside = r#"{"budget": 16000, "system": "Be brief.", "tools": [{"name": "bash", "input_schema": {"type": "object"}}]}"#;
    let view = fold(&messages, &options(beside)).unwrap();
    assert_eq!(view.system.as_deref(), Some("\"Be brief.\""));
    assert!(view.tokens > plain.tokens + 5, "{} {}", view.tokens, plain.tokens);
}

#[test]
fn wrong_options_are_named_with_a_remedy() {
    let messages = chat(1);
    let why = |json: &str| {
        let read = Options::parse(json).and_then(|options| fold(&messages, &options));
        let error = read.unwrap_err();
        assert_eq!(error.code, Code::BadOption, "{error}");
        error.to_string()
    };
    assert!(why(r#"{}"#).contains("say budget="), "{}", why("{}"));
    assert!(why(r#"{"bugdet": 5}"#).contains("there is no option `bugdet`; did you mean `budget`?"));
    assert!(why(r#"{"budget": "much"}"#).contains("write for example 16000"));
    assert!(why(r#"{"budget": 0.5}"#).contains("no model is given"));
    assert!(why(r#"{"budget": 5000, "policy": "balancd"}"#).contains("did you mean `balanced`"));
    assert!(why(r#"{"budget": 5000, "format": "claude-code"}"#).contains("give the file's bytes"));
    assert!(why(r#"{"budget": 5000, "format": "gpt"}"#).contains("there are openai-chat"));
    assert!(why(r#"{"budget": 5000, "format": "openai-chat", "system": "x"}"#).contains("put it first"));
    assert!(why(r#"{"budget": 5000, "tools": 3}"#).contains("expected a list"));
}

#[test]
fn a_message_that_is_none_is_named() {
    let error = Message::parse(7, "[1]").unwrap_err();
    assert_eq!(error.to_string(), "message 7: a message is a JSON object, not a list");
    assert!(Message::parse(3, "{").unwrap_err().to_string().starts_with("message 3: not JSON"));
}

#[test]
fn what_cannot_fit_says_so() {
    let error = fold(&chat(3), &options(r#"{"budget": 3}"#)).unwrap_err();
    assert_eq!(error.code, Code::CannotFit);
    assert!(error.to_string().contains("allow a larger budget"), "{error}");
}

#[test]
fn the_report_tells_what_was_done() {
    let view = fold(&chat(30), &options(r#"{"budget": 6000, "policy": "microcompact"}"#)).unwrap();
    let report: serde_json::Value = serde_json::from_str(&view.report()).unwrap();
    assert_eq!(report["trace"]["policy"], "microcompact");
    assert_eq!(report["tokens"], view.tokens);
    assert!(
        report["trace"]["passes"]
            .as_array()
            .unwrap()
            .iter()
            .any(|pass| !pass["folds"].as_array().unwrap().is_empty())
    );
}
