//! An agent that keeps its session in a store, and a model on loopback that it asks for summaries.

use std::sync::Arc;
use std::time::Duration;

use enfold::folding::policy::Policy;
use enfold::wire::OpenAiChat;
use enfold_coordinator::{Config, Coordinator, Summarizer};
use enfold_llm::{Api, Client, Endpoint, Options, Proxy};
use enfold_script::{Model, Reply, Request};
use enfold_store::Sqlite;

use crate::support::Store;

/// A narrative with every section of the template `coding`, and every file.
pub fn narrative() -> String {
    let rows: String = (0..7).map(|nth| format!("| src/part{nth}.rs | changed | accepts tabs |\n")).collect();
    format!(
        "## Completed Work\n| File | Action | Description |\n|---|---|---|\n{rows}\n\
         ## Key Technical Decisions\n- tabs count as one column\n\n\
         ## Current State\n- Working on: the tests\n- Last completed: the parser\n\n\
         ## Pending Work\n- [ ] run everything\n"
    )
}

/// Works for so many steps in a window of 6,000 tokens, and asks a model that answers like this.
pub fn works(store: &Store, steps: usize, answer: impl FnMut(&Request) -> Reply + Send + 'static) {
    let model = Model::start(answer);
    let endpoint = Endpoint::at(Api::Chat, model.url(), None).unwrap();
    let options =
        Options { retries: 0, proxy: Proxy::Direct, head: Duration::from_secs(5), ..Options::default() };
    let client = Client::new(endpoint, options).unwrap();
    let summarizer = Summarizer::new(client, Api::Chat, "summarizer", 32_000).unwrap();
    let config = Config::new(&OpenAiChat, Policy::named("summarize").unwrap(), 6_000).asking(summarizer);
    let sqlite = Arc::new(Sqlite::open(store.path()).unwrap());
    let mut agent = Coordinator::open(sqlite, "tabs", config).unwrap();
    for message in history(steps) {
        agent.push(message).unwrap();
        agent.prepare().unwrap();
    }
}

/// A task, and steps of some 300 tokens each.
pub fn history(steps: usize) -> Vec<String> {
    let task = r#"{"role":"user","content":"Make the parser accept tabs. Never touch src/lexer.rs."}"#;
    std::iter::once(task.to_string()).chain((0..steps).flat_map(step)).collect()
}

fn step(nth: usize) -> [String; 2] {
    let path = format!("src/part{}.rs", nth % 7);
    let arguments = format!(r#"{{\"path\":\"{path}\",\"old_string\":\"{nth}\",\"new_string\":\"x\"}}"#);
    let lines: String =
        (0..20).map(|line| format!("line {line} of step {nth}: something that was said\\n")).collect();
    [
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{nth}","type":"function","function":{{"name":"edit","arguments":"{arguments}"}}}}]}}"#
        ),
        format!(r#"{{"role":"tool","tool_call_id":"c{nth}","content":"{lines}"}}"#),
    ]
}
