//! A session that grows, a store on disk, and a model that does as it is told.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::finding::Severity;
use enfold::folding::policy::Policy;
use enfold::json::Raw;
use enfold::session::{Event, Prepared};
use enfold::validate;
use enfold::wire::OpenAiChat;
use enfold_coordinator::{Config, Coordinator, Summarizer};
use enfold_llm::{Api, Client, Endpoint, Options, Proxy};
use enfold_script::{Model, Reply, Request};
use enfold_store::Sqlite;

/// What the user wants, word for word.
pub(crate) const TASK: &str = "Make the parser accept tabs. Never touch src/lexer.rs; the ticket is #48213.";

/// A narrative that is good enough: every section, and every file that the question names.
pub(crate) fn narrative(question: &str) -> String {
    let files: BTreeSet<String> = (0..7)
        .map(|nth| format!("src/part{nth}.rs"))
        .filter(|path| question.contains(path.as_str()))
        .collect();
    let rows: String = files.iter().map(|path| format!("| {path} | changed | accepts tabs |\n")).collect();
    format!(
        "## Completed Work\n| File | Action | Description |\n|---|---|---|\n{rows}\n\
         ## Key Technical Decisions\n- tabs count as one column\n\n\
         ## Current State\n- Working on: the tests\n- Last completed: the parser\n\n\
         ## Pending Work\n- [ ] run everything\n\n\
         ## What Was Accomplished\n{rows}\n## User Preferences\n- tabs\n\n\
         ## What Comes Next\n- the tests\n\n## Technical Context\n- ticket 48213\n"
    )
}

/// Answers well.
pub(crate) fn well(request: &Request) -> Reply {
    Reply::Text(narrative(&request.body))
}

/// Short waits, for a test should not take a minute; long enough for a machine that has other things to do.
pub(crate) fn patient() -> Options {
    Options {
        retries: 1,
        first_wait: Duration::from_millis(10),
        longest_wait: Duration::from_millis(300),
        connect: Duration::from_secs(2),
        head: Duration::from_secs(2),
        idle: Duration::from_secs(2),
        total: Duration::from_secs(12),
        seed: Some(1),
        proxy: Proxy::Direct,
        ..Options::default()
    }
}

/// A model on loopback, and somebody who asks it.
pub(crate) fn model(answer: impl FnMut(&Request) -> Reply + Send + 'static) -> (Model, Summarizer) {
    let model = Model::start(answer);
    let endpoint = Endpoint::at(Api::Chat, model.url(), None).unwrap();
    let client = Client::new(endpoint, patient()).unwrap();
    let summarizer = Summarizer::new(client, Api::Chat, "summarizer", 32_000).unwrap();
    (model, summarizer)
}

/// A small window, so that much happens soon.
pub(crate) fn config(policy: &str) -> Config {
    Config::new(&OpenAiChat, Policy::named(policy).unwrap(), 6_000)
}

pub(crate) fn open(folder: &Path, config: Config) -> Coordinator {
    let store = Sqlite::open(folder.join("enfold.db")).unwrap();
    Coordinator::open(Arc::new(store), "a session", config).unwrap()
}

/// The messages of one step: a call and its result, some 300 tokens.
pub(crate) fn step(nth: usize) -> [String; 2] {
    let path = format!("src/part{}.rs", nth % 7);
    let (name, arguments) = match nth % 3 {
        0 => ("read", format!("{{\\\"path\\\":\\\"{path}\\\"}}")),
        1 => (
            "edit",
            format!(
                "{{\\\"path\\\":\\\"{path}\\\",\\\"old_string\\\":\\\"{nth}\\\",\\\"new_string\\\":\\\"x\\\"}}"
            ),
        ),
        _ => ("bash", format!("{{\\\"command\\\":\\\"cargo test part{nth}\\\"}}")),
    };
    let result: String =
        (0..20).map(|line| format!("line {line} of step {nth}: something that was said then\\n")).collect();
    [
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{nth}","type":"function","function":{{"name":"{name}","arguments":"{arguments}"}}}}]}}"#
        ),
        format!(r#"{{"role":"tool","tool_call_id":"c{nth}","content":"{result}"}}"#),
    ]
}

/// Begins with the task.
pub(crate) fn begin(session: &mut Coordinator) {
    history(0).into_iter().for_each(|message| session.push(message).unwrap());
}

/// The whole history as it must be stored after so many steps.
pub(crate) fn history(steps: usize) -> Vec<String> {
    let first = [
        r#"{"role":"system","content":"You write parsers."}"#.to_string(),
        format!(r#"{{"role":"user","content":"{TASK}"}}"#),
    ];
    first.into_iter().chain((0..steps).flat_map(step)).collect()
}

/// What a provider would refuse about a view.
pub(crate) fn faults(messages: &[ByteString]) -> Vec<String> {
    let messages: Vec<Raw> = messages.iter().map(|message| Raw::parse(message).unwrap()).collect();
    let request = validate::Request { messages, ..validate::Request::default() };
    let findings = validate::validate("openai-chat", &request).into_iter();
    findings
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.to_string())
        .collect()
}

/// What was asked for a summary in vain: the kind of failure, and why.
pub(crate) fn failures(prepared: &Prepared) -> Vec<(String, String)> {
    let failure = |event: &Event| match event {
        Event::SummaryFailed { class, why, .. } => Some((class.clone(), why.clone())),
        _ => None,
    };
    prepared.events.iter().filter_map(failure).collect()
}
