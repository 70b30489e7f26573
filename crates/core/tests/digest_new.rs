//! Results that are shrunk before they are first sent.

#![allow(clippy::unwrap_used)]

use std::fmt::Write as _;

use enfold::folding::policy::Policy;
use enfold::wire::OpenAiChat;
use enfold::{Cache, Handle, HandleKey, Session};
use serde_json::{Value, json};

/// A session that runs this pass alone and has sent its first request; `limit` tokens.
fn session(limit: usize) -> Session {
    session_with(limit, "max_tokens = 200\nmax_file = 800\nmax_range = 400\nmax_other = 0.01")
}

fn session_with(limit: usize, options: &str) -> Session {
    let policy = format!(
        "name = \"only\"\nabout = \"\"\n[[pass]]\nuse = \"digest_new\"\nwhen = \"arrival\"\nwhy = \"\"\n{options}\nabove = 0.05\n"
    );
    session_of(limit, Policy::parse(&policy).unwrap())
}

fn session_of(limit: usize, policy: Policy) -> Session {
    let handles = HandleKey::new(b"a secret", "a session");
    let mut session = Session::new(&OpenAiChat, policy, limit).with_handles(handles);
    let words = "Look at the parser and mend what is wrong with its headers. ".repeat(40);
    session.push(json!({"role": "user", "content": words}).to_string()).unwrap();
    session.prepare(Cache::Warm).unwrap();
    session
}

/// The model calls a tool, and its result as it is sent.
fn step(session: &mut Session, tool: &str, arguments: impl ToString, result: &str) -> String {
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
fn a_file_that_stands_in_the_view_is_sent_again_only_to_who_insists() {
    let mut session = session_of(20_000, Policy::named("balanced").unwrap());
    let (text, read) = (file(30), json!({"path": "src/header.rs"}));
    let mut ask = || step(&mut session, "read_file", read.clone(), &text);
    assert_eq!(ask(), text);
    let second = ask();
    assert!(second.starts_with("[re-read of src/header.rs, same as the read at step 1 #"), "{second}");
    assert_eq!(ask(), text, "asked for once more");
    assert_ne!(ask(), text, "it stands just above");
}

#[test]
fn a_file_that_was_shrunk_stands_whole_behind_it_and_is_not_sent_a_third_time() {
    let mut session = session_of(14_000, Policy::named("balanced").unwrap());
    let (text, read) = (file(220), json!({"path": "src/header.rs"}));
    let mut ask = || step(&mut session, "read_file", read.clone(), &text);
    assert!(ask().len() < text.len());
    assert_eq!(ask(), text);
    let third = ask();
    assert!(third.starts_with("[re-read of src/header.rs, same as the read at step 2 #"), "{third}");
}

/// Searches once were taken for repeats of each other whatever they searched for, and all but the first stayed whole.
#[test]
fn another_question_to_the_same_tool_is_no_repeat() {
    let mut session = session(20_000);
    for (tool, argument) in [("Grep", "pattern"), ("Task", "prompt"), ("my_own_tool", "question")] {
        for nth in 0..4 {
            let text = file(100 + nth).replace("field", &format!("{tool}_{nth}"));
            let sent = step(&mut session, tool, json!({argument: format!("field_{nth}")}), &text);
            assert!(sent.len() < text.len() / 2, "{tool} {nth}: {sent}");
        }
    }
}

#[test]
fn a_command_that_is_run_again_opens_only_what_it_says_again() {
    let mut session = session(40_000);
    let run = |words: &str| json!({"command": "make test", "description": words});
    let framed = |time: &str, text: &str| {
        format!("Chunk ID: {time}\nWall time: {time} seconds\nProcess exited with code 0\nOutput:\n{text}")
    };
    let text = file(100);
    let first = step(&mut session, "bash", run("tests"), &framed("1.1", &text));
    assert!(first.len() < text.len() / 2);
    let changed = text.replace("field_5 ", "field_55 ");
    let sent = step(&mut session, "bash", run("tests"), &framed("1.2", &changed));
    assert!(sent.len() < text.len() / 2, "other results of the same command: {sent}");
    let again = framed("1.3", &text);
    assert_eq!(step(&mut session, "bash", run("all tests"), &again), again, "the same but for its frame");
}

#[test]
fn the_order_in_which_arguments_are_written_says_nothing() {
    let mut session = session(20_000);
    let text = file(100);
    let first = step(&mut session, "Grep", r#"{"pattern":"take","glob":"*.rs"}"#, &text);
    assert!(first.len() < text.len() / 2);
    assert_eq!(step(&mut session, "Grep", r#"{"glob":"*.rs","pattern":"take"}"#, &text), text);
}

#[test]
fn what_a_model_says_about_a_read_does_not_make_it_another() {
    let mut session = session(20_000);
    let text = file(100);
    let read = |why: &str| json!({"path": "src/header.rs", "explanation": why});
    assert!(step(&mut session, "read_file", read("to see it"), &text).len() < text.len());
    assert_eq!(step(&mut session, "read_file", read("to see all of it"), &text), text);
}

#[test]
fn files_may_be_given_less_than_other_results() {
    let mut session = session_with(20_000, "max_tokens = 3000\nmax_file = 300\nmax_range = 300");
    let text = file(100);
    assert_eq!(step(&mut session, "bash", json!({"command": "make"}), &text), text);
    let other = text.replace("field", "other");
    let sent = step(&mut session, "read_file", json!({"path": "src/header.rs"}), &other);
    assert!(sent.len() < text.len() / 2, "{sent}");
}

#[test]
fn pages_of_a_file_get_less_than_a_file_until_it_is_changed() {
    let mut session = session(20_000);
    let text = file(40);
    let page = json!({"path": "src/header.rs", "offset": 1, "limit": 40});
    assert!(step(&mut session, "read_file", page.clone(), &text).len() < text.len(), "lines by number");
    let other = text.replace("field", "other");
    assert_eq!(step(&mut session, "read_file", json!({"path": "src/other.rs"}), &other), other, "a file");
    let edit = json!({"path": "src/header.rs", "old_string": "field_1 ", "new_string": "field_0 "});
    step(&mut session, "edit_file", edit, "ok");
    let changed = text.replace("field", "changed");
    assert_eq!(step(&mut session, "read_file", page, &changed), changed, "a file at work");
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
