//! What is known of a session without folding it: files, changes, states of files, priorities, what pruning would bring. JSON.

use std::sync::Arc;

use enfold::HandleKey;
use enfold::count::media::ImageRule;
use enfold::count::models::Table;
use enfold::count::{Encoding, Tally};
use enfold::file::document::Document;
use enfold::folding::passes::Cx;
use enfold::history::{History, Slot};
use enfold::json::Raw;
use enfold::understand::facts::Facts;
use enfold::understand::file_state::file_at as state_at;
use enfold::understand::files::{FileRecord, FileTracker};
use enfold::understand::intent::add_intents;
use enfold::understand::paths;
use enfold::understand::vocabulary::Vocabulary;
use enfold::view::View;
use serde::Deserialize;
use serde_json::{Value, json};

use crate::options::bad;
use crate::{Code, Error, Given, Options};

/// What a session changed, in the words of its calls: the JSON of `enfold changelog --json`, and its `text`.
pub fn changelog(given: Given, options: &Options) -> Result<String, Error> {
    let (_, facts) = understood(given, options)?;
    Ok(enfold_cli::changes(facts.tracker()).to_string())
}

/// Which files a session touched, when and how: `{"step", "files", "modified", "recent", "stale"}`. Recent is what was touched within
/// the last `max_age` steps, the latest first; `preview` is how many characters of a file's beginning are shown.
pub fn files(given: Given, options: &Options, max_age: u32, preview: usize) -> Result<String, Error> {
    let (document, facts) = understood(given, options)?;
    let (tracker, step) = (facts.tracker(), document.history.steps());
    let paths: Vec<&str> = tracker.files().map(|(path, _)| path).collect();
    let stale: Vec<&&str> = paths.iter().filter(|path| tracker.is_stale(path, step, max_age)).collect();
    let files: Vec<Value> = tracker.files().map(|(path, it)| file(tracker, path, it, preview)).collect();
    let told = json!({
        "step": step,
        "files": files,
        "modified": tracker.modified_files().collect::<Vec<_>>(),
        "recent": tracker.recent_files(step, max_age),
        "stale": stale,
    });
    Ok(told.to_string())
}

fn file(tracker: &FileTracker, path: &str, record: &FileRecord, preview: usize) -> Value {
    json!({
        "path": path,
        "last_step": record.last_step(),
        "operation": record.accesses.last().map(|access| access.verb.name()),
        "modified": record.is_modified,
        "deleted": record.is_deleted,
        "reads": record.reads,
        "changes": record.changes,
        "added": record.added,
        "removed": record.removed,
        "lines": tracker.line_count(path),
        "preview": tracker.preview(path, preview),
        "intents": record.intents,
    })
}

/// When a file is looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum At {
    /// After this step.
    Step(u32),
    /// After this turn.
    Turn(u32),
    /// After everything.
    End,
}

impl At {
    /// What a caller said: one of both, or nothing.
    pub fn said(turn: Option<u32>, step: Option<u32>) -> Result<At, Error> {
        match (turn, step) {
            (Some(_), Some(_)) => Err(bad("either a turn or a step, not both")),
            (Some(turn), None) => Ok(At::Turn(turn)),
            (None, Some(step)) => Ok(At::Step(step)),
            (None, None) => Ok(At::End),
        }
    }

    fn step(self, history: &History) -> Result<u32, Error> {
        let (steps, turns) = (history.steps(), history.turns());
        match self {
            At::Step(step) if step <= steps => Ok(step),
            At::Step(step) => Err(bad(format!("step {step}: the session has {steps} steps"))),
            At::Turn(turn) if turn == 0 || turn > turns => {
                Err(bad(format!("turn {turn}: the session has {turns} turns, counted from 1")))
            }
            At::Turn(turn) => {
                let until = history.items().iter().filter(|item| item.turn <= turn);
                Ok(until.filter_map(|item| item.step).max().unwrap_or(0))
            }
            At::End => Ok(steps),
        }
    }
}

/// What a file held then, as far as the session shows it: the JSON of `enfold file-at --json`.
pub fn file_at(given: Given, options: &Options, path: &str, at: At) -> Result<String, Error> {
    let (document, facts) = understood(given, options)?;
    let history = &document.history;
    let step = at.step(history)?;
    let state = state_at(history, facts.tracker().vocabulary(), path, step);
    let state = state.ok_or_else(|| untouched(path, step, facts.tracker()))?;
    Ok(enfold_cli::file_state(path, step, &state).to_string())
}

/// The file is touched later, or under another name, or not at all.
fn untouched(path: &str, step: u32, tracker: &FileTracker) -> Error {
    let wanted = paths::name(path);
    let like = tracker.files().filter(|(path, _)| path.contains(wanted)).take(5);
    let first = |record: &FileRecord| record.accesses.iter().map(|access| access.step).min().unwrap_or(0);
    let like: Vec<String> =
        like.map(|(path, record)| format!("{path} from step {} on", first(record))).collect();
    let hint = if like.is_empty() { String::new() } else { format!("; there is {}", like.join(", ")) };
    bad(format!("the session does not touch `{path}` by step {step}{hint}"))
}

/// How much each message matters, and what it takes: `[{"message", "role", "turn", "step", "priority", "tokens"}]`, with places in
/// the host's list. The priority of a message is that of what matters most in it.
pub fn priorities(given: Given, options: &Options) -> Result<String, Error> {
    let (document, facts) = understood(given, options)?;
    let history = &document.history;
    let (tally, priorities) = (counted(&document, options)?, facts.priorities(history));
    let listed = history.message_ids().zip(history.messages()).filter(|(_, it)| it.slot == Slot::List);
    let told = listed.enumerate().map(|(place, (id, message))| {
        let items = || message.item_ids();
        json!({
            "message": place,
            "role": message.role.name(),
            "turn": items().map(|item| history.item(item).turn).max(),
            "step": items().find_map(|item| history.item(item).step),
            "priority": items().map(|item| priorities[item.index()].value()).max(),
            "tokens": tally.message(id),
        })
    });
    Ok(Value::Array(told.collect()).to_string())
}

/// What clearing old outputs of tools would bring: `{"is_worth_it", "outputs", "tokens", "tools"}`.
pub fn pruning(given: Given, options: &Options) -> Result<String, Error> {
    let (document, facts) = understood(given, options)?;
    let tally = counted(&document, options)?;
    let handles = HandleKey::guessable("");
    let cx = Cx::new(usize::MAX, &facts, &handles, document.wire);
    let pruning = options.pruning_policy()?.pruning(&View::new(&document.history, &tally), &cx);
    Ok(serde_json::to_string(&pruning).expect("numbers and texts always become JSON"))
}

/// A model, its window and the budget that follows, every number with its formula: the JSON of `enfold models MODEL --json`. With
/// `tokens`, also whether a history of that size is over the threshold or near the end.
pub fn model_budget(options: &Options, tokens: Option<usize>) -> Result<String, Error> {
    let Some(id) = options.model.as_deref() else { return Err(bad("no model is named: say which")) };
    let mut resolved = Table::shipped().resolve(id);
    resolved.model = options.model().unwrap_or(resolved.model);
    let policy = options.policy()?;
    let budget = options.numbers(&policy)?;
    let mut told = enfold_cli::model_told(&resolved, policy.budget);
    if let Some(tokens) = tokens {
        told["history"] = json!({
            "tokens": tokens,
            "is_over": budget.is_over(tokens),
            "is_approaching": budget.is_approaching(tokens),
            "available": budget.usable.saturating_sub(tokens),
        });
    }
    Ok(told.to_string())
}

/// Tool definitions in which a model can say why it changes something; everything else of them stays byte for byte. Those of these
/// names, or those that are known to change files.
pub fn add_intent(definitions: &str, names: &[String]) -> Result<String, Error> {
    Raw::parse(definitions)
        .map_err(|error| Error::new(Code::BadInput, format!("the definitions are not JSON: {error}")))?;
    let vocabulary = Vocabulary::new();
    let is_meant = |name: &str| match names {
        [] => vocabulary.edits(name),
        names => names.iter().any(|it| it == name),
    };
    let (with, found) = add_intents(definitions, is_meant);
    match (found, names) {
        (0, []) => Err(bad("none of these tools is known to change files: name the ones that do")),
        (0, names) => Err(bad(format!("none of these tools is called {}", names.join(" or ")))),
        _ => Ok(with),
    }
}

/// What is given, and everything known of it as the options understand tools.
fn understood(given: Given, options: &Options) -> Result<(Document, Facts), Error> {
    let document = given.document(options)?;
    let mut facts = Facts::new(options.understanding()?);
    facts.update(&document.history);
    Ok((document, facts))
}

fn counted(document: &Document, options: &Options) -> Result<Tally, Error> {
    let model = options.model();
    let image = model.as_ref().map_or_else(ImageRule::default, |model| model.image);
    let counter = options.counter()?.or_else(|| model.map(|model| model.counter()));
    Ok(Tally::of(&document.history, counter.unwrap_or_else(|| Arc::new(Encoding::O200k)), image))
}

/// What a package asks about a session by name, with the question's own arguments as a JSON object: `changelog`, `files`
/// (`max_age`, `preview`), `file_at` (`path`, `turn`, `step`), `priorities`, `pruning`.
pub fn facts(what: &str, with: &str, given: Given, options: &Options) -> Result<String, Error> {
    let with: With = serde_json::from_str(with).map_err(|error| bad(error.to_string()))?;
    match what {
        "changelog" => changelog(given, options),
        "files" => files(given, options, with.max_age, with.preview),
        "file_at" => file_at(given, options, &with.path, At::said(with.turn, with.step)?),
        "priorities" => priorities(given, options),
        "pruning" => pruning(given, options),
        other => Err(bad(format!("nothing is known of `{other}`"))),
    }
}

/// Arguments of a question.
#[derive(Deserialize)]
#[serde(default, deny_unknown_fields)]
struct With {
    path: String,
    turn: Option<u32>,
    step: Option<u32>,
    max_age: u32,
    preview: usize,
}

impl Default for With {
    fn default() -> With {
        With { path: String::new(), turn: None, step: None, max_age: 5, preview: 100 }
    }
}
