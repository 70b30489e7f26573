//! The contract that every package keeps: the same calls give the same bytes. `packages/contract/README.md` says how cases
//! look.

#![allow(clippy::unwrap_used)]

#[path = "common/calls.rs"]
mod calls;

use std::path::{Path, PathBuf};

use enfold_bindings::{
    Cache, Given, Message, Options, Origin, Session, View, check, convert, count, fold, inspect, ledger,
};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Value, json};

#[derive(Deserialize)]
struct Case {
    call: String,
    options: Box<RawValue>,
    messages: Vec<Box<RawValue>>,
    #[serde(default)]
    ends: Vec<usize>,
    to: Option<String>,
    /// The call's own arguments.
    #[serde(default)]
    with: Value,
}

#[test]
fn every_case_gives_what_is_expected() {
    let cases = cases();
    assert!(cases.len() >= 29, "{} cases", cases.len());
    let is_blessed = std::env::var_os("ENFOLD_BLESS").is_some();
    for path in cases {
        let case: Case = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
        let came = run(&case);
        let expected = path.with_extension("expected.json");
        if is_blessed {
            std::fs::write(&expected, format!("{came:#}\n")).unwrap();
        }
        let expected: Value = serde_json::from_str(&std::fs::read_to_string(expected).unwrap()).unwrap();
        assert_eq!(came, expected, "{}", path.display());
    }
}

fn cases() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/contract/cases");
    let files = std::fs::read_dir(folder).unwrap().map(|file| file.unwrap().path());
    let mut cases: Vec<PathBuf> =
        files.filter(|path| !path.to_string_lossy().ends_with(".expected.json")).collect();
    cases.sort();
    cases
}

fn run(case: &Case) -> Value {
    let options = Options::parse(case.options.get()).unwrap();
    let messages: Vec<Message> = case.messages.iter().map(|raw| Message::written(raw.get())).collect();
    match case.call.as_str() {
        "fold" => whole(&fold(&messages, &options).unwrap()),
        "session" => {
            let mut session = Session::new(options).unwrap();
            let views = case.ends.iter().map(|end| {
                session.sync(&messages[..*end]).unwrap();
                grown(&session.prepare(Cache::Warm).unwrap())
            });
            Value::Array(views.collect())
        }
        "look" => {
            let given = Given::Messages(&messages);
            let to = case.to.as_deref().unwrap();
            let converted = convert(given, to, &options).unwrap();
            json!({
                "tokens": read(&count(given, &options).unwrap())["tokens"],
                "inspect": read(&inspect(given, &options).unwrap()),
                "findings": read(&check(given, &options).unwrap())["findings"],
                "ledger": read(&ledger(given, &options, 500).unwrap()),
                "converted": converted.messages.iter().map(|it| it.to_string()).collect::<Vec<_>>(),
                "losses": read(&converted.losses),
            })
        }
        // The others give plain data, and so they are compared.
        _ => {
            let call = json!({ "call": case.call, "options": read(case.options.get()), "with": case.with });
            calls::answer(&call, &case.messages)
        }
    }
}

fn read(text: &str) -> Value {
    serde_json::from_str(text).unwrap()
}

fn whole(view: &View) -> Value {
    json!({
        "format": view.format,
        "system": view.system.as_deref().map(|system| serde_json::from_str::<Value>(system).unwrap()),
        "tokens": view.tokens,
        "texts": texts(view, 0),
        "origins": origins(view),
        "originals": view.originals.iter().map(|(key, text)| (key.clone(), json!(&**text))).collect::<serde_json::Map<_, _>>(),
        "trace": read(&view.trace()),
        "dropped": read(&view.account())["dropped"],
        "shortened": read(&view.account())["shortened"],
    })
}

fn grown(view: &View) -> Value {
    let report = read(&view.report());
    json!({
        "format": view.format,
        "tokens": view.tokens,
        "epoch": view.epoch,
        "opened": view.opened(),
        "unchanged": view.unchanged,
        "texts": texts(view, view.unchanged),
        "origins": origins(view),
        "events": report["events"],
    })
}

fn texts(view: &View, from: usize) -> Vec<String> {
    view.messages[from..].iter().map(|text| text.to_string()).collect()
}

fn origins(view: &View) -> Vec<Value> {
    let named = view.origins.iter().map(|origin| match origin {
        Origin::Same(nth) => json!(["same", nth]),
        Origin::Changed(nth) => json!(["changed", nth]),
        Origin::New => json!(["new", null]),
    });
    named.collect()
}
