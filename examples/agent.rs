//! A small coding agent whose context never overflows.
//!
//! ```sh
//! export ANTHROPIC_API_KEY=…
//! cargo run --bin agent -- --api anthropic --model claude-haiku-4-5 --dir some/project "Find out why the tests fail."
//! ```
//!
//! The loop is what every agent's is: ask the model, run the tools it calls, append the results, ask again. What Enfold
//! adds are five calls on its [`Coordinator`], which keeps the session in a store:
//!
//! - `push` takes in every message as it came;
//! - `prepare` says what to send: what was sent before plus what is new, or, when that would be too much, everything
//!   folded at once;
//! - `report` tells it what the provider counted;
//! - `recall` opens a fold again, here for the model, as the tool `unfold`;
//! - `work` settles the session when the work ends, also by an error.

// A program talks to the person at the terminal.
#![allow(clippy::print_stdout, clippy::print_stderr)]

#[path = "agent/api.rs"]
mod api;
#[path = "agent/shell.rs"]
mod shell;
#[path = "agent/tools.rs"]
mod tools;

use std::error::Error;
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use clap::Parser;
use enfold::Session;
use enfold::count::budget::BudgetSpec;
use enfold::count::models::Table;
use enfold::folding::policy::Policy;
use enfold::json::quote;
use enfold::understand::intent::add_intents;
use enfold::understand::vocabulary::Vocabulary;
use enfold::wire::Wire;
use enfold_coordinator::{Config, Coordinator, Working};
use enfold_llm::{Answer, Ask, Blocking, Client, Endpoint, Finish, Options};

use enfold_store::Sqlite;

use api::ApiName;
use tools::{Outcome, Toolbox};

/// A small coding agent whose context never overflows.
#[derive(Parser)]
struct Arguments {
    /// The API that the model is reached by.
    #[arg(long, value_enum)]
    api: ApiName,
    /// Base URL of a server that speaks it [default: the provider's own].
    #[arg(long)]
    url: Option<String>,
    /// The model, as its provider spells it.
    #[arg(long)]
    model: String,
    /// Tokens that the model can see, its answer included: 32k, 128000 [default: what the model table says].
    #[arg(long, value_parser = tokens)]
    window: Option<usize>,
    /// Tokens that one answer may take.
    #[arg(long, default_value = "4k", value_parser = tokens)]
    max_tokens: usize,
    /// A further field of the request: `reasoning={"effort":"low"}`.
    #[arg(long, value_name = "NAME=JSON", value_parser = field)]
    extra: Vec<(String, ByteString)>,
    /// The folder to work in. Files outside are not touched, except by the commands that the model runs.
    #[arg(long, default_value = ".")]
    dir: PathBuf,
    /// Requests to the model after which the agent stops.
    #[arg(long, default_value_t = 200)]
    max_steps: usize,
    /// Seconds that a command may take.
    #[arg(long, default_value_t = 60)]
    command_seconds: u64,
    /// The store that keeps the session: `enfold sessions` reads it [default: none that stays].
    #[arg(long)]
    store: Option<PathBuf>,
    /// Where the session is written at the end [default: nowhere, or agent-TIME.jsonl if the agent stops early].
    #[arg(long)]
    save: Option<PathBuf>,
    /// What to do.
    task: String,
}

const SYSTEM: &str = "\
You are a coding agent. You work in one folder, with the tools you are given, until the task is done; then you answer \
without calling a tool. Paths are relative to the folder. Older parts of the conversation may be shortened: a note that \
ends in a handle such as #123456789 stands where text was left out, and the tool `unfold` shows that text again.";

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    match run(&arguments) {
        Ok(answer) => {
            println!("{answer}");
            ExitCode::SUCCESS
        }
        Err(error) => {
            eprintln!("{error}");
            ExitCode::FAILURE
        }
    }
}

fn run(arguments: &Arguments) -> Result<String, Box<dyn Error>> {
    let passing = tempfile::tempdir()?;
    let store = arguments.store.clone().unwrap_or_else(|| passing.path().join("agent.db"));
    let mut session = open(arguments, &store)?;
    // When the agent goes, however it ends, the session settles.
    let done = Agent::new(arguments, session.work())?.work();
    if done.is_ok() && arguments.save.is_none() {
        return done;
    }
    // Whatever went wrong, the session is worth more than the process.
    let saved = save(session.session(), &file_name(arguments));
    let saved = saved.unwrap_or_else(|why| format!("the session could not be saved: {why}"));
    match done {
        Ok(answer) => {
            eprintln!("{saved}");
            Ok(answer)
        }
        Err(stopped) => Err(format!("{stopped}\n{saved}").into()),
    }
}

struct Agent<'a> {
    arguments: &'a Arguments,
    session: Working<'a>,
    client: Blocking,
    toolbox: Toolbox,
}

impl<'a> Agent<'a> {
    fn new(arguments: &'a Arguments, mut session: Working<'a>) -> Result<Agent<'a>, Box<dyn Error>> {
        let endpoint = Endpoint::from_env(arguments.api.api(), arguments.url.as_deref());
        let endpoint = endpoint.map_err(|error| told(&error))?;
        let client = Blocking::new(Client::new(endpoint, Options::default())?)?;
        let time = Duration::from_secs(arguments.command_seconds);
        let toolbox = Toolbox::new(&arguments.dir, time)?;
        // Chat keeps the system prompt in the list of messages, the others beside it.
        match arguments.api.wire().shape().head {
            Some(_) => session.push_head(quote(SYSTEM))?,
            None => session.push(api::message("system", SYSTEM))?,
        };
        session.push(api::message("user", &arguments.task))?;
        Ok(Agent { arguments, session, client, toolbox })
    }

    /// Until the model answers without calling a tool.
    fn work(&mut self) -> Result<String, Box<dyn Error>> {
        for step in 1..=self.arguments.max_steps {
            let answer = self.ask(step)?;
            for message in answer.message {
                let pushed = self.session.push(message.clone());
                pushed.map_err(|why| format!("the model's message cannot be read: {why}: {message}"))?;
            }
            let calls = self.open_calls();
            if calls.is_empty() {
                return match answer.finish {
                    Finish::Stop => Ok(answer.text),
                    other => Err(format!("the model did not finish ({other:?}): {}", answer.text).into()),
                };
            }
            let outcomes: Vec<Outcome> = calls.into_iter().map(|call| self.act(call)).collect();
            for message in self.arguments.api.results(&outcomes) {
                self.session.push(message)?;
            }
        }
        Err(format!("the task is not done after {} steps", self.arguments.max_steps).into())
    }

    fn ask(&mut self, step: usize) -> Result<Answer, Box<dyn Error>> {
        let wire = self.arguments.api.wire();
        let view = self.session.prepare()?;
        eprintln!(
            "step {step}: epoch {}, {} messages, {} tokens",
            view.epoch,
            view.messages.len(),
            view.tokens
        );
        let mut ask = Ask::new(&self.arguments.model, self.arguments.max_tokens as u32);
        ask.messages = view.messages.to_vec();
        ask.tools = Some(offered(wire));
        ask.extra = self.arguments.extra.clone();
        if let (Some(name), Some(head)) = (wire.shape().head, view.head) {
            ask = ask.extra(name, head);
        }
        let answer = self.client.ask(&ask, &Default::default()).map_err(|error| told(&error))?;
        for error in &answer.retried {
            eprintln!("  asked again: {error}");
        }
        if let Some(usage) = answer.usage {
            self.session.report(usage);
        }
        Ok(answer)
    }

    /// The calls that have no result yet: id, tool and arguments, whatever the API.
    fn open_calls(&self) -> Vec<(String, String, String)> {
        let history = self.session.session().history();
        let items = history.open_calls().iter().map(|id| history.item(*id));
        let calls = items.filter_map(|item| Some((item.call()?, item.text().into_owned())));
        calls.map(|(call, arguments)| (call.id.to_string(), call.name.to_string(), arguments)).collect()
    }

    /// Runs a tool. What goes wrong is a result too: the model can do something about it.
    fn act(&mut self, (id, name, arguments): (String, String, String)) -> Outcome {
        let shown: String = arguments.chars().take(60).collect();
        let done = self.toolbox.call(&name, &arguments, &mut self.session);
        let verdict = if done.is_ok() { "done" } else { "failed" };
        eprintln!("  {name} {} {verdict}", shown.escape_debug());
        Outcome { call: id, result: done }
    }
}

/// The tools as the API takes them.
fn offered(wire: &dyn Wire) -> ByteString {
    // Whoever edits says why: that is what is left of old edits, and what `enfold changelog` lists.
    let edits = |name: &str| Vocabulary::new().edits(name);
    add_intents(&wire.write_tools(&tools::definitions()), edits).0.into()
}

/// A session for the model's window. The answer needs room in it too, and counts before the first report from the
/// provider are estimates: a twentieth is kept free for what they miss.
fn open(arguments: &Arguments, store: &Path) -> Result<Coordinator, Box<dyn Error>> {
    let model = Table::shipped().resolve(&arguments.model).model;
    let window = arguments.window.unwrap_or(model.context);
    let limit = (window - window / 20).checked_sub(arguments.max_tokens).filter(|limit| *limit > 0);
    let limit = limit.ok_or("--max-tokens leaves no room in the window")?;
    let mut config = Config::new(arguments.api.wire(), Policy::named("balanced")?, limit);
    (config.window, config.model) = (window, Some(arguments.model.clone()));
    (config.counter, config.image) = (model.counter(), model.image);
    config.tools = Some(offered(arguments.api.wire()));
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    let id = format!("agent-{}-{}", since.as_millis(), std::process::id());
    Ok(Coordinator::open(Arc::new(Sqlite::open(store)?), &id, config)?)
}

fn told(error: &enfold_llm::Error) -> String {
    format!("{error}\nremedy: {}", error.remedy())
}

/// Writes what really happened, a message per line. A line feed in JSON only ever stands between values.
fn save(session: &Session, file: &Path) -> std::io::Result<String> {
    let lines = session.history().listed().map(|(_, message)| message.raw.replace(['\n', '\r'], " ") + "\n");
    let lines = Vec::from_iter(lines);
    std::fs::write(file, lines.concat())?;
    Ok(format!("the session so far, {} messages, is in {}", lines.len(), file.display()))
}

fn file_name(arguments: &Arguments) -> PathBuf {
    let since = std::time::UNIX_EPOCH.elapsed().unwrap_or_default();
    arguments.save.clone().unwrap_or_else(|| format!("agent-{}.jsonl", since.as_millis()).into())
}

fn tokens(text: &str) -> Result<usize, String> {
    match text.parse().map_err(|error: enfold::count::budget::BudgetError| error.to_string())? {
        BudgetSpec::Tokens(tokens) if u32::try_from(tokens).is_ok() => Ok(tokens),
        _ => Err("write a number of tokens, for example 32k".into()),
    }
}

fn field(text: &str) -> Result<(String, ByteString), String> {
    let (name, json) = text.split_once('=').ok_or("write NAME=JSON")?;
    Ok((name.into(), json.into()))
}
