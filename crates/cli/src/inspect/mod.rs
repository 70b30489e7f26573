//! Where a session's tokens are: gathered once, shown as a table, as JSON or as a page.
//!
//! The fields of [`Inspection`] are the JSON that scripts rely on: `docs/json.md` describes them.

mod files;
mod money;
mod page;
mod picture;
mod steps;
mod tables;
mod tools;
mod window;

use enfold::file::document::Document;
use enfold::history::ItemId;
use enfold::understand::files::FileTracker;
use serde::Serialize;
use serde_json::Value;

use crate::counting::{Counted, CounterName};
use crate::parts::{self, Part};
use crate::report;

pub use page::page;
pub use tables::tables;

/// Everything `inspect` knows about a session. Numbers of messages, turns and steps count from 1.
#[derive(Debug, Serialize)]
pub struct Inspection {
    pub file: String,
    pub format: &'static str,
    pub model: Option<String>,
    pub counter: CounterName,
    pub totals: Totals,
    pub window: window::Window,
    pub usage: Option<window::UsageSum>,
    pub money: Option<money::Paid>,
    pub roles: Vec<RoleShare>,
    pub parts: Vec<PartShare>,
    pub tools: Vec<tools::ToolShare>,
    pub files: Vec<files::FileShare>,
    pub steps: Vec<steps::Step>,
    pub messages: Vec<steps::MessageRow>,
    pub largest: Vec<Large>,
    pub findings: Vec<Value>,
}

#[derive(Debug, Serialize)]
pub struct Totals {
    pub tokens: usize,
    pub messages: usize,
    pub items: usize,
    pub turns: u32,
    pub steps: u32,
    pub calls: usize,
    pub open_calls: usize,
}

#[derive(Debug, Serialize)]
pub struct RoleShare {
    pub role: &'static str,
    pub messages: usize,
    pub tokens: usize,
}

#[derive(Debug, Serialize)]
pub struct PartShare {
    pub part: &'static str,
    pub items: usize,
    pub tokens: usize,
}

/// One of the largest items.
#[derive(Debug, Serialize)]
pub struct Large {
    pub message: usize,
    pub turn: u32,
    pub step: Option<u32>,
    pub part: &'static str,
    pub tool: Option<String>,
    pub tokens: usize,
    pub first_words: String,
}

impl Inspection {
    /// How much it is.
    pub fn in_a_line(&self) -> String {
        let cost =
            self.money.as_ref().map_or(String::new(), |money| format!(", {}", report::dollars(money.total)));
        let tokens = report::times(self.totals.tokens as u64, "token");
        format!("{}: {tokens} in {}{cost}", self.file, report::times(self.totals.messages as u64, "message"))
    }
}

/// How many of the largest items are kept.
const LARGEST: usize = 10;

/// Gathers everything. O(items) but for the sorting.
pub fn inspect(file: String, document: &Document, counted: &Counted) -> Inspection {
    let history = &document.history;
    let mut tracker = FileTracker::default();
    tracker.update(history);
    Inspection {
        file,
        format: document.format,
        model: counted.model_id(),
        counter: counted.counter_name(),
        totals: Totals {
            tokens: counted.total(),
            messages: history.messages().len(),
            items: history.items().len(),
            turns: history.turns(),
            steps: history.steps(),
            calls: history.items().iter().filter(|item| item.call().is_some()).count(),
            open_calls: history.open_calls().len(),
        },
        window: window::window(document, counted),
        usage: window::usage(document),
        money: money::paid(document, counted),
        roles: roles(document, counted),
        parts: parts(document, counted),
        tools: tools::tools(document, counted, &tracker),
        files: files::files(document, counted, &tracker),
        steps: steps::steps(document, counted),
        messages: steps::messages(document, counted),
        largest: largest(document, counted),
        findings: document.findings.iter().map(report::finding_json).collect(),
    }
}

fn roles(document: &Document, counted: &Counted) -> Vec<RoleShare> {
    let mut roles = std::collections::BTreeMap::new();
    for (message, tokens) in document.history.messages().iter().zip(counted.tally.messages()) {
        let share = roles.entry(message.role).or_insert(RoleShare {
            role: message.role.name(),
            messages: 0,
            tokens: 0,
        });
        share.messages += 1;
        share.tokens += tokens;
    }
    roles.into_values().collect()
}

fn parts(document: &Document, counted: &Counted) -> Vec<PartShare> {
    let weights = parts::weigh(document, counted).into_iter();
    weights
        .map(|(part, weight)| PartShare { part: part.name(), items: weight.items, tokens: weight.tokens })
        .collect()
}

fn largest(document: &Document, counted: &Counted) -> Vec<Large> {
    let history = &document.history;
    let mut ids: Vec<ItemId> = history.item_ids().collect();
    ids.sort_by_key(|id| (std::cmp::Reverse(counted.tally.item(*id)), *id));
    let large = |id: ItemId| {
        let item = history.item(id);
        Large {
            message: item.message.number(),
            turn: item.turn,
            step: item.step,
            part: Part::of(history, id).name(),
            tool: history.tool(id).map(String::from),
            tokens: counted.tally.item(id),
            first_words: item.texts.first().map_or(String::new(), |text| first_words(&text.value)),
        }
    };
    ids.into_iter().take(LARGEST).map(large).collect()
}

/// The beginning of a text on one line.
pub fn first_words(text: &str) -> String {
    const MOST: usize = 120;
    let words = text.split_whitespace().scan(0, |length, word| {
        *length += word.chars().count() + 1;
        (*length < 2 * MOST + word.len()).then_some(word)
    });
    words.collect::<Vec<_>>().join(" ").chars().take(MOST).collect()
}
