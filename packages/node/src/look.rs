//! Functions that look without folding, and the command. What they find is JSON, which `lib/look.js` reads.

use enfold_bindings::{self as bindings, Error, Given, Options};
use napi::Result;
use napi::bindgen_prelude::AsyncTask;
use napi_derive::napi;

use crate::texts::Texts;
use crate::work::{Work, later, now};

/// Looks: `inspect`, `count`, `check`, `ledger TOKENS` or `convert FORMAT`; JSON.
#[napi]
pub fn look(what: String, texts: &Texts, options: String) -> AsyncTask<Work<String>> {
    let texts = texts.clone();
    later(move || seen(&what, &texts, &options))
}

/// The same, here and now.
#[napi]
pub fn look_sync(what: String, texts: &Texts, options: String) -> Result<String> {
    now(|| seen(&what, texts, &options))
}

/// Tokens of a text.
#[napi]
pub fn count_text(text: String, options: String) -> Result<u32> {
    now(|| Ok(bindings::count_text(&text, &Options::parse(&options)?)? as u32))
}

/// What is known of a session, with the question's arguments as JSON; JSON.
#[napi]
pub fn facts(what: String, with: String, texts: &Texts, options: String) -> AsyncTask<Work<String>> {
    let texts = texts.clone();
    later(move || bindings::facts(&what, &with, texts.given(), &Options::parse(&options)?))
}

/// The same, here and now.
#[napi]
pub fn facts_sync(what: String, with: String, texts: &Texts, options: String) -> Result<String> {
    now(|| bindings::facts(&what, &with, texts.given(), &Options::parse(&options)?))
}

/// A model's window and what follows from it, as JSON.
#[napi]
pub fn model_budget(options: String, tokens: Option<u32>) -> Result<String> {
    let tokens = tokens.map(|tokens| tokens as usize);
    now(|| bindings::model_budget(&Options::parse(&options)?, tokens))
}

/// Tool definitions that ask for reasons, as JSON.
#[napi]
pub fn add_intent(definitions: String, names: Vec<String>) -> Result<String> {
    now(|| bindings::add_intent(&definitions, &names))
}

/// What a caller should know of options that are in order.
#[napi]
pub fn warnings(options: String) -> Result<Vec<String>> {
    now(|| Ok(Options::parse(&options)?.warnings()))
}

/// The names of all options.
#[napi]
pub fn option_names() -> Vec<&'static str> {
    Options::names().collect()
}

/// Whether a provider's refusal says that the request was too long.
#[napi]
pub fn is_overflow(status: u32, body: String) -> bool {
    bindings::is_overflow(u16::try_from(status).ok(), &body)
}

/// Does what a command line says; the exit code.
#[napi]
pub fn run(words: Vec<String>) -> u32 {
    bindings::run(words).into()
}

fn seen(what: &str, texts: &Texts, options: &str) -> std::result::Result<String, Error> {
    let (given, options) = (texts.given(), Options::parse(options)?);
    let (what, with) = what.split_once(' ').unwrap_or((what, ""));
    match what {
        "inspect" => bindings::inspect(given, &options),
        "count" => bindings::count(given, &options),
        "check" => bindings::check(given, &options),
        "ledger" => bindings::ledger(given, &options, with.parse().unwrap_or(1_500)),
        _ => converted(given, with, &options),
    }
}

fn converted(given: Given, to: &str, options: &Options) -> std::result::Result<String, Error> {
    let done = bindings::convert(given, to, options)?;
    let text = quoted(&done.text);
    let or_null = |text: Option<bytestring::ByteString>| text.map_or("null".into(), String::from);
    let (system, tools) = (or_null(done.system), or_null(done.tools));
    let messages: Vec<&str> = done.messages.iter().map(|message| &**message).collect();
    let (format, messages, losses) = (quoted(&done.format), messages.join(","), done.losses);
    Ok(format!(
        r#"{{"format":{format},"system":{system},"tools":{tools},"messages":[{messages}],"text":{text},"losses":{losses}}}"#
    ))
}

fn quoted(text: &str) -> String {
    serde_json::Value::from(text).to_string()
}
