//! What every store must do, as functions that fail by panicking. A backend's tests call [`contract`].

// These are tests, which live in the library so that other backends can run them.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

/// Lists rules by the names of their functions.
macro_rules! list_rules {
    ($($rule:ident),* $(,)?) => {
        pub(super) fn rules<S: crate::Store>() -> Vec<super::Rule<S>> {
            vec![$((stringify!($rule), $rule::<S>)),*]
        }
    };
}

mod collecting;
mod leases;
mod messages;
mod records;
mod searching;
mod sessions;
mod transfer;

use enfold::history::MessageId;
use std::time::Duration;

use crate::{Entry, NewSession, Sessions, Store};

/// A rule of the contract: its name, and what a fresh store is put through.
pub type Rule<S> = (&'static str, fn(&S));

/// Puts fresh stores through every rule.
pub fn contract<S: Store>(make: impl Fn() -> S) {
    for (name, rule) in rules::<S>() {
        eprintln!("rule: {name}");
        rule(&make());
    }
}

/// Every rule.
pub fn rules<S: Store>() -> Vec<Rule<S>> {
    let files = [
        sessions::rules(),
        messages::rules(),
        records::rules(),
        leases::rules(),
        transfer::rules(),
        searching::rules(),
        collecting::rules(),
    ];
    files.into_iter().flatten().collect()
}

fn at(seconds: u64) -> Duration {
    Duration::from_secs(1_700_000_000 + seconds)
}

fn chat(id: &str) -> NewSession {
    NewSession {
        id: id.into(),
        name: format!("about {id}"),
        wire: "openai-chat".into(),
        policy: "balanced".into(),
        model: Some("gpt-4o".into()),
    }
}

fn said(text: &str) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, serde_json::to_string(text).unwrap())
}

/// A session with these things said in it.
fn with(store: &impl Sessions, id: &str, texts: &[&str]) {
    store.create(&chat(id), at(0)).unwrap();
    let raw: Vec<String> = texts.iter().map(|text| said(text)).collect();
    store.append(id, &Entry::messages(raw.iter().map(String::as_str)), at(1)).unwrap();
}

fn ids(numbers: std::ops::Range<usize>) -> std::ops::Range<MessageId> {
    MessageId::new(numbers.start)..MessageId::new(numbers.end)
}

fn raws(store: &impl Sessions, id: &str) -> Vec<String> {
    let messages = store.messages(id, MessageId::ALL).unwrap();
    messages.into_iter().map(|message| message.raw.to_string()).collect()
}
