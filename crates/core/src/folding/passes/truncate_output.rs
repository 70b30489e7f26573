//! Cuts long output of commands down to its start and end, and keeps listings only while they are recent.
//!
//! # What it does
//! | output of a command | what becomes of it |
//! |---|---|
//! | under `short` characters | kept |
//! | up to `long` characters | kept; the trace counts them as what could be cut next |
//! | longer | its first and last `keep_chars` characters, cut at line ends where one is near; between them the command line and the size |
//!
//! ```text
//! > app@1.0.0 test
//! ... [45,231 chars, 342 lines of: npm test #482913077] ...
//! Tests: 2 failed, 118 passed
//! ```
//! What a command shows of a file is a read, not output, and stays. Results of light tools (listings, searches, to-do
//! lists, and the tools named in `light_tools`) are kept while they are among the newest `keep_light` results; older ones
//! become one line.
//!
//! With `oldest_first` it cuts no more than it must: oldest first, until the view is within its target; with `over_limit` only
//! where it does not fit. With `reads` it cuts what any tool has shown, files included; never what an edit answered, nor the latest
//! state of a file that was changed.
//!
//! # When it fires
//! When the view is over its target. On what arrives it cuts long output at any size.
//!
//! # What is lost and how to recall it
//! The middle of long output, and old listings. The handle in the note opens the whole.
//!
//! # Example
//! ```before
//! user: Run the tests
//! assistant
//!   call c1 bash {"command":"npm test"}
//! result c1: > app@1.0.0 test
//!   | ok 1 the parser reads an empty file
//!   | ok 2 the parser reads a file of one line
//!   | ok 3 the parser reads a file of many lines
//!   | ok 4 the parser reads a file without an end
//!   | Tests: 0 failed, 4 passed
//! ```
//! ```options
//! budget = 80
//! short = 20
//! long = 100
//! keep_chars = 30
//! ```
//! ```after
//! user: Run the tests
//! assistant
//!   call c1 bash {"command":"npm test"}
//! result c1: > app@1.0.0 test
//!   | ok 1 the pars
//!   | ... [206 chars, 6 lines of: npm test #521142203] ...
//!   | Tests: 0 failed, 4 passed
//! ```
//!
//! # Options
//! - `short`: output below this many characters is never counted (1,000)
//! - `long`: output up to this many characters is kept (10,000)
//! - `keep_chars`: characters kept at either end (2,000)
//! - `keep_light`: the newest results among which light ones are kept (30)
//! - `light_tools`: more tools whose results are light (`focus`, `unfocus`)
//! - `oldest_first`: only until the view is within its target (false)
//! - `over_limit`: only a view that does not fit is cut (false)
//! - `reads`: also what was read, and results of other tools, edits excepted (false)

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::count::excerpt::ends;
use crate::history::{Item, ItemId, ItemKind, MessageId, Spelling};
use crate::text::json_units;
use crate::understand::calls::CallRecord;
use crate::understand::operation::Verb;
use crate::understand::priorities::Priority;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};
use crate::view::shorter::spelled;

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TruncateOutput {
    /// Output below this many characters is never counted.
    pub short: usize,
    /// Output up to this many characters is kept.
    pub long: usize,
    /// Characters kept at either end.
    pub keep_chars: usize,
    /// The newest results among which light ones are kept.
    pub keep_light: usize,
    /// More tools whose results are light.
    pub light_tools: Vec<String>,
    /// Oldest first, and only until the view is within its target.
    pub oldest_first: bool,
    /// Only a view that does not fit is cut.
    pub over_limit: bool,
    /// Also what was read, and results of other tools, edits excepted.
    pub reads: bool,
}

impl Default for TruncateOutput {
    fn default() -> TruncateOutput {
        TruncateOutput {
            short: 1_000,
            long: 10_000,
            keep_chars: 2_000,
            keep_light: 30,
            light_tools: vec!["focus".into(), "unfocus".into()],
            oldest_first: false,
            over_limit: false,
            reads: false,
        }
    }
}

impl Pass for TruncateOutput {
    fn name(&self) -> &str {
        "truncate_output"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        let may_take = if self.over_limit { cx.limit } else { cx.target };
        if cx.first_unsent == MessageId::FIRST && view.tokens() <= may_take {
            return Ok(Outcome::Unchanged("the view is within its target".into()));
        }
        let recent = self.recent(view);
        let latest = if self.reads { latest(view, cx) } else { BTreeSet::new() };
        let mut folds: Vec<Fold> = Vec::new();
        let (mut truncatable, mut left) = (0, view.tokens());
        for (id, item) in view.items_from(cx.first_unsent) {
            let is_open = matches!(item.kind, ItemKind::Result(_)) && !cx.is_protected(id);
            if !is_open || view.is_changed(id) {
                continue;
            }
            if self.oldest_first && left <= cx.target {
                break;
            }
            let is_cut = is_output(cx, id) || (self.reads && !latest.contains(&id) && !is_edit(cx, id));
            let fold = if is_cut {
                let chars = item.texts.iter().map(|text| text.value.chars().count()).sum::<usize>();
                truncatable += usize::from((self.short..=self.long).contains(&chars));
                self.cut(view, cx, id, item)
            } else if !recent.contains(&id) && self.is_light(view, cx, id) {
                clear(view, cx, id, item)
            } else {
                None
            };
            left -= fold.as_ref().map_or(0, |fold| saved(view, fold)).min(left);
            folds.extend(fold);
        }
        let next =
            format!("{truncatable} outputs of {} to {} characters could be cut", self.short, self.long);
        if folds.is_empty() {
            return Ok(Outcome::Unchanged(format!("no output is over {} characters; {next}", self.long)));
        }
        if let Some(last) = folds.last_mut().filter(|_| truncatable > 0) {
            last.why = format!("{}; {next}", last.why);
        }
        Ok(Outcome::Folds(folds))
    }
}

impl TruncateOutput {
    /// The newest results.
    fn recent(&self, view: &View) -> BTreeSet<ItemId> {
        let items = view.history().item_ids().zip(view.history().items()).rev();
        let results = items.filter(|(_, item)| matches!(item.kind, ItemKind::Result(_)));
        results.map(|(id, _)| id).take(self.keep_light).collect()
    }

    fn is_light(&self, view: &View, cx: &Cx, id: ItemId) -> bool {
        let tool = view.history().tool(id).unwrap_or_default();
        let light = |verb: Verb| matches!(verb, Verb::List | Verb::Search | Verb::Todo);
        let is_light = |record: &CallRecord| !record.operations.is_empty() && record.verbs().all(light);
        self.light_tools.iter().any(|name| name == tool) || cx.facts.tracker().call(id).is_some_and(is_light)
    }

    /// The start and end of each text that is too long.
    fn cut(&self, view: &View, cx: &Cx, id: ItemId, item: &Item) -> Option<Fold> {
        let record = cx.facts.tracker().call(id);
        let command = record.and_then(|record| record.command()).map(headline).unwrap_or_default();
        let cut = |nth: usize| {
            let text = view.text(id, nth);
            let chars = text.chars().count();
            if chars <= self.long {
                return None;
            }
            let of = if command.is_empty() { String::new() } else { format!(" of: {command}") };
            let chars = grouped(chars);
            if item.texts[nth].spelling == Spelling::Json {
                let mut note = |_: &str| format!("... [{chars} chars{of}{}] ...", cx.opens(text));
                return Some((nth, json_units::ends(text, self.keep_chars, &mut note)?));
            }
            let (head, tail) = ends(text, self.keep_chars)?;
            let lines = grouped(text.lines().count());
            let note = format!("... [{chars} chars, {lines} lines{of}{}] ...", cx.opens(text));
            Some((nth, format!("{}\n{note}\n{}", text[..head].trim_end_matches('\n'), &text[tail..])))
        };
        let texts: Vec<(usize, String)> = (0..item.texts.len()).filter_map(cut).collect();
        let why = format!("output over {} characters", self.long);
        (!texts.is_empty()).then_some(Fold {
            kind: FoldKind::Bookend,
            change: Change::Texts { item: id, texts },
            why,
        })
    }
}

/// The results that together show changed files as they are.
fn latest(view: &View, cx: &Cx) -> BTreeSet<ItemId> {
    let priorities = cx.facts.priorities(view.history());
    let is_latest = |id: &ItemId| priorities[id.index()] == Priority::ModifiedFiles;
    view.history().item_ids().filter(is_latest).collect()
}

/// Whether a result is what a change of a file answered.
fn is_edit(cx: &Cx, id: ItemId) -> bool {
    cx.facts.tracker().call(id).is_some_and(|record| !record.changes.is_empty())
}

/// Tokens that a fold of texts will save.
fn saved(view: &View, fold: &Fold) -> usize {
    let Change::Texts { item, texts } = &fold.change else { return 0 };
    let count = |text: &str| view.tally().counter().count(text);
    texts.iter().map(|(nth, text)| count(view.text(*item, *nth)).saturating_sub(count(text))).sum()
}

/// Whether a result is what a command printed. What it shows of a file is a read.
fn is_output(cx: &Cx, id: ItemId) -> bool {
    let is_read = |record: &CallRecord| record.verbs().all(|verb| verb == Verb::Read);
    cx.facts.tracker().call(id).is_some_and(|record| record.is_command() && !is_read(record))
}

/// One line in place of an old listing.
fn clear(view: &View, cx: &Cx, id: ItemId, item: &Item) -> Option<Fold> {
    let tool = view.history().tool(id).unwrap_or("tool");
    let line = |nth: usize| {
        let text = &item.texts[nth].value;
        let note = format!("[{} lines from {tool}{}]", grouped(text.lines().count()), cx.opens(text));
        (nth, spelled(&item.texts[nth], note))
    };
    let texts: Vec<(usize, String)> = (0..item.texts.len()).map(line).collect();
    let why = "a listing that is not recent".to_string();
    (!texts.is_empty()).then_some(Fold {
        kind: FoldKind::Clear,
        change: Change::Texts { item: id, texts },
        why,
    })
}

/// The first line of a command, at most so long that it stays a note.
fn headline(command: &str) -> String {
    const CHARS: usize = 80;
    let line = command.trim().lines().next().unwrap_or_default();
    let short: String = line.chars().take(CHARS).collect();
    if short.len() < command.trim().len() { format!("{short}…") } else { short }
}

/// `45231` → `45,231`.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut out = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            out.push(',');
        }
        out.push(digit);
    }
    out
}
