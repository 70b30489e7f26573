//! Results that are shrunk before they are first sent.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use enfold::folding::policy::Policy;
use enfold::wire::OpenAiChat;
use enfold::{Cache, Handle, HandleKey, Session};
use serde_json::{Value, json};

/// A session that runs this pass alone and has sent its first request; `limit` tokens.
fn session(limit: usize) -> Session {
    let policy = "name = \"only\"\nabout = \"\"\n[[pass]]\nuse = \"digest_new\"\nwhen = \"arrival\"\nwhy = \"\"\n\
                  max_tokens = 200\nmax_file = 400\nmax_work = 800\nabove = 0.05\n";
    let handles = HandleKey::new(b"a secret", "a session");
    let mut session = Session::new(&OpenAiChat, Policy::parse(policy).unwrap(), limit).with_handles(handles);
    let words = "Look at the parser and mend what is wrong with its headers. ".repeat(40);
    session.push(json!({"role": "user", "content": words}).to_string()).unwrap();
    session.prepare(Cache::Warm).unwrap();
    session
}

/// The model calls a tool, and its result as it is sent.
fn step(session: &mut Session, tool: &str, arguments: Value, result: &str) -> String {
    let id = format!("c{}", session.history().messages().len());
    let call =
        json!({"id": id, "type": "function", "function": {"name": tool, "arguments": arguments.to_string()}});
    session.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string()).unwrap();
    session.push(json!({"role": "tool", "tool_call_id": id, "content": result}).to_string()).unwrap();
    let prepared = session.prepare(Cache::Warm).unwrap();
    let sent: Value = serde_json::from_str(prepared.messages.last().unwrap()).unwrap();
    sent["content"].as_str().unwrap().to_string()
}

fn file(lines: usize) -> String {
    (1..=lines).fold(String::new(), |mut text, nth| {
        let _ = writeln!(text, "let field_{nth} = header.take(\"name_{nth}\", {nth})?;");
        text
    })
}

#[test]
fn a_large_result_is_sent_with_the_lines_that_the_agent_is_after_and_opens_whole() {
    let mut session = session(20_000);
    let text = file(100);
    let sent = step(&mut session, "bash", json!({"command": "grep -rn field_77 src; make"}), &text);
    assert!(sent.contains("let field_77 = ") && sent.len() < text.len() / 2, "{sent}");
    let at = sent.find('#').unwrap() + 1;
    let handle = Handle::parse(&sent[at..at + 9]).unwrap();
    assert_eq!(session.original(handle).unwrap(), text);
}

#[test]
fn what_follows_never_changes_what_was_sent() {
    let mut session = session(20_000);
    let first = step(&mut session, "bash", json!({"command": "make"}), &file(100));
    for nth in 0..5 {
        step(&mut session, "bash", json!({"command": format!("make {nth}")}), &file(90 + nth));
        assert!(session.view()[2].contains(&serde_json::to_string(&first).unwrap()));
        assert_eq!(session.epoch(), 0);
    }
}

#[test]
fn asking_again_opens_what_was_left_out() {
    let mut session = session(20_000);
    let (text, read) = (file(100), json!({"path": "src/header.rs"}));
    let first = step(&mut session, "read_file", read.clone(), &text);
    assert!(first.len() < text.len());
    assert_eq!(step(&mut session, "read_file", read, &text), text);
}

#[test]
fn where_the_agent_is_about_to_edit_more_stays() {
    let mut session = session(20_000);
    let text = file(40);
    let lines = json!({"path": "src/other.rs", "offset": 1, "limit": 40});
    assert_eq!(step(&mut session, "read_file", lines, &text), text, "lines by number");
    assert!(step(&mut session, "read_file", json!({"path": "src/header.rs"}), &text).len() < text.len());
    let edit = json!({"path": "src/header.rs", "old_string": "field_1 ", "new_string": "field_0 "});
    step(&mut session, "edit_file", edit, "ok");
    let changed = text.replace("field_1 ", "field_0 ");
    assert_eq!(
        step(&mut session, "read_file", json!({"path": "src/header.rs"}), &changed),
        changed,
        "a file at work"
    );
}

#[test]
fn while_there_is_much_room_everything_stays_whole() {
    let mut session = session(200_000);
    let text = file(100);
    assert_eq!(step(&mut session, "bash", json!({"command": "make"}), &text), text);
}

#[test]
fn lines_that_name_nothing_take_the_room_they_have() {
    let mut session = session(20_000);
    let numbers: String = (1000..1400).map(|number| format!("{number}\n")).collect();
    let sent = step(&mut session, "bash", json!({"command": "seq 1000 1399"}), &numbers);
    assert!(sent.starts_with("1000\n1001\n") && sent.trim_end().ends_with("1398\n1399"), "{sent}");
    assert!(sent.lines().count() > 40 && sent.len() < numbers.len() / 2, "{sent}");
}
