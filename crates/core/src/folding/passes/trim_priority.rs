//! Leaves out what matters least, oldest first, until the view fits.
//!
//! # What it does
//! Everything has a priority. From the lowest up, and within one from the oldest on, tool results become one line each, and
//! messages and whole steps are left out, until the view fits:
//!
//! | priority | what | becomes |
//! |---|---|---|
//! | 20 | summaries | nothing |
//! | 30 | results of old steps | a line: the tool or file, size, age, first words |
//! | 40 | old messages, and old steps with what is left of their results | nothing |
//! | 50 | files read in recent steps | a line |
//! | 60 | other recent results, then recent messages and steps | a line, then nothing |
//! | 70 | the latest state of files the session changed | stays, unless `keep_modified` is off |
//! | 80, 90, 100 | original and current task, agent instructions, system message | stays |
//!
//! A line for a file says its path, how many lines it has, how many steps ago it was last touched, whether the session
//! changed it, and how it starts. Steps leave whole, with calls and results; a note in the nearest result says so.
//!
//! # When it fires
//! When the view is over its target.
//!
//! # What is lost and how to recall it
//! Results, then steps. The handle in the line or the note opens them.
//!
//! # Example
//! ```before
//! user: Make the limit 20
//! assistant
//!   call c1 read_file {"path":"/app/notes.md"}
//! result c1: Notes on the limits: all of them are in one file,
//!   | and whoever changes one has to change the test too, since it checks every one of them by its number;
//!   | the limit on uploads is not among them, it is in the settings of the server, and nobody knows what it is;
//!   | the limit on requests is 10 here and 20 in the documents, and has been since the first version of them
//! assistant
//!   call c2 read_file {"path":"/app/limits.py"}
//! result c2: LIMIT = 10
//!   | TIMEOUT = 5
//! assistant
//!   call c3 edit_file {"path":"/app/limits.py","old_string":"LIMIT = 10","new_string":"LIMIT = 20"}
//! result c3: done
//! assistant
//!   call c4 bash {"command":"git status"}
//! result c4: limits.py modified
//! ```
//! ```options
//! budget = 190
//! preview = 30
//! ```
//! ```after
//! user: Make the limit 20
//! assistant
//!   call c1 read_file {"path":"/app/notes.md"}
//! result c1: [/app/notes.md: 4 lines, 84 tokens, last accessed 3 steps ago, not modified, starts "Notes on the limits: all of th" #097009176]
//! assistant
//!   call c2 read_file {"path":"/app/limits.py"}
//! result c2: LIMIT = 10
//!   | TIMEOUT = 5
//! assistant
//!   call c3 edit_file {"path":"/app/limits.py","old_string":"LIMIT = 10","new_string":"LIMIT = 20"}
//! result c3: done
//! assistant
//!   call c4 bash {"command":"git status"}
//! result c4: limits.py modified
//! ```
//!
//! The latest state of a changed file, and what was asked for, stay even if nothing else is left to give:
//! ```before
//! user: Write the limits
//! assistant
//!   call c1 write_file {"path":"/app/limits.py","content":"LIMIT = 20"}
//! result c1: written
//! ```
//! ```options
//! target = 20
//! ```
//! ```unchanged
//! everything left must stay
//! ```
//!
//! # Options
//! - `keep_modified`: the latest state of files the session changed stays (true)
//! - `preview`: characters of how a file starts (100)

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError, ended};
use crate::folding::groups::together;
use crate::folding::notes;
use crate::history::{ItemId, ItemKind, MessageId};
use crate::text::preview;
use crate::understand::priorities::Priority;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};
use crate::view::shorter::{Shorter, shorter};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct TrimPriority {
    /// The latest state of files the session changed stays.
    pub keep_modified: bool,
    /// Characters of how a file starts.
    pub preview: usize,
}

impl Default for TrimPriority {
    fn default() -> TrimPriority {
        TrimPriority { keep_modified: true, preview: 100 }
    }
}

/// What may go, lowest first. What is not listed never does.
const LADDER: [Priority; 6] = [
    Priority::Summarized,
    Priority::StaleToolOutputs,
    Priority::OldHistory,
    Priority::RecentFileReads,
    Priority::RecentTurns,
    Priority::ModifiedFiles,
];

impl Pass for TrimPriority {
    fn name(&self) -> &str {
        "trim_priority"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view fits".into()));
        }
        let mut trim = Trim::new(self, view, cx);
        let may_go = |priority: &Priority| *priority != Priority::ModifiedFiles || !self.keep_modified;
        for priority in LADDER.into_iter().filter(may_go) {
            trim.shorten_results(priority);
            trim.leave_out_groups(priority);
        }
        let folds = trim.folds();
        if folds.is_empty() {
            return Ok(Outcome::Unchanged("everything left must stay".into()));
        }
        Ok(Outcome::Folds(folds))
    }
}

/// A view on its way down.
struct Trim<'a, 'h> {
    options: &'a TrimPriority,
    view: &'a View<'h>,
    cx: &'a Cx<'a>,
    priorities: Vec<Priority>,
    groups: Vec<Vec<MessageId>>,
    /// Per group, whether it leaves.
    leaves: Vec<bool>,
    shortened: BTreeMap<ItemId, Shorter>,
    /// Tokens of each message, and of the whole, after what was decided so far.
    messages: Vec<usize>,
    left: usize,
    note: usize,
}

impl<'a, 'h> Trim<'a, 'h> {
    fn new(options: &'a TrimPriority, view: &'a View<'h>, cx: &'a Cx<'a>) -> Trim<'a, 'h> {
        let groups = together(view, cx);
        Trim {
            options,
            view,
            cx,
            priorities: cx.facts.priorities(view.history()),
            leaves: vec![false; groups.len()],
            groups,
            shortened: BTreeMap::new(),
            messages: view.history().message_ids().map(|id| view.message_tokens(id)).collect(),
            left: view.tokens(),
            note: notes::note_tokens(view, cx),
        }
    }

    fn fits(&self) -> bool {
        self.left <= self.cx.target
    }

    fn shorten_results(&mut self, priority: Priority) {
        for (id, item) in self.view.items_from(self.cx.first_unsent) {
            if self.fits() {
                return;
            }
            let is_result = matches!(item.kind, ItemKind::Result(_));
            if !is_result || self.priorities[id.index()] != priority || self.cx.is_protected(id) {
                continue;
            }
            if let Some(found) = shorter(self.view, id, |text| Some(self.line(id, &text.value))) {
                self.left -= found.saved;
                self.messages[item.message.index()] -= found.saved;
                self.shortened.insert(id, found);
            }
        }
    }

    fn leave_out_groups(&mut self, priority: Priority) {
        for nth in 0..self.groups.len() {
            if self.fits() {
                return;
            }
            if self.matters(&self.groups[nth]) == Some(priority) {
                self.leaves[nth] = true;
                self.left -= self.groups[nth].iter().map(|id| self.messages[id.index()]).sum::<usize>();
                let beside = [nth.checked_sub(1), Some(nth + 1)].into_iter().flatten();
                let gaps = beside.filter(|nth| self.leaves.get(*nth) == Some(&true)).count();
                // A gap of its own gets a note; one that joins two makes one of theirs superfluous.
                self.left = (self.left + self.note).saturating_sub(gaps * self.note);
            }
        }
    }

    /// How much a group matters; `None` if something in it must stay.
    fn matters(&self, group: &[MessageId]) -> Option<Priority> {
        let history = self.view.history();
        let must_stay =
            |id: &MessageId| *id < self.cx.first_unsent || self.cx.is_protected_message(self.view, *id);
        if group.iter().any(must_stay) {
            return None;
        }
        let items = group.iter().flat_map(|id| history.message(*id).item_ids());
        let matters = |id: ItemId| match (&history.item(id).kind, self.priorities[id.index()]) {
            // That something was done is part of the conversation, however little its result matters.
            (ItemKind::Call(_) | ItemKind::Result(_), Priority::StaleToolOutputs) => Priority::OldHistory,
            (ItemKind::Call(_) | ItemKind::Result(_), Priority::RecentFileReads) => Priority::RecentTurns,
            (_, priority) => priority,
        };
        items.map(matters).max()
    }

    /// How much each message matters that may leave.
    fn by_message(&self) -> BTreeMap<MessageId, Priority> {
        let groups = self.groups.iter().filter_map(|group| Some((group, self.matters(group)?)));
        groups.flat_map(|(group, priority)| group.iter().map(move |id| (*id, priority))).collect()
    }

    /// What stands in place of a result.
    fn line(&self, id: ItemId, text: &str) -> String {
        let history = self.view.history();
        let tracker = self.cx.facts.tracker();
        let tokens = self.view.tally().counter().count(text);
        let opens = self.cx.opens(text);
        let ago = |step: u32| match history.steps().saturating_sub(step) {
            1 => "1 step ago".to_string(),
            steps => format!("{steps} steps ago"),
        };
        let path = tracker.call(id).and_then(|record| record.only_path());
        match (path, path.and_then(|path| tracker.file(path))) {
            (Some(path), Some(file)) => {
                let lines =
                    tracker.line_count(path).map(|lines| format!("{lines} lines, ")).unwrap_or_default();
                let modified = if file.is_modified { "modified" } else { "not modified" };
                let words = preview(text, self.options.preview);
                let ago = ago(file.last_step());
                format!(
                    "[{path}: {lines}{tokens} tokens, last accessed {ago}, {modified}, starts \"{words}\"{opens}]"
                )
            }
            _ => {
                let tool = history.tool(id).unwrap_or("tool");
                let ago = history.item(id).step.map(|step| format!(", {}", ago(step))).unwrap_or_default();
                let ended = ended(self.view, self.cx, id);
                format!("[{tool} result: {tokens} tokens{ago}{ended}{opens}]")
            }
        }
    }

    fn folds(self) -> Vec<Fold> {
        let matters = self.by_message();
        let Trim { view, cx, priorities, groups, leaves, shortened, .. } = self;
        let mut gone = vec![false; view.history().messages().len()];
        for (group, _) in groups.iter().zip(&leaves).filter(|(_, leaves)| **leaves) {
            group.iter().for_each(|id| gone[id.index()] = true);
        }
        let kept =
            shortened.into_iter().filter(|(item, _)| !gone[view.history().item(*item).message.index()]);
        let mut folds: Vec<Fold> = kept
            .map(|(item, found)| Fold {
                kind: FoldKind::Placeholder,
                change: Change::Texts { item, texts: found.texts },
                why: format!("priority {}: a result", priorities[item.index()].value()),
            })
            .collect();
        let is_whole = |id: MessageId| {
            let mut items = view.history().message(id).item_ids();
            !items.any(|item| priorities[item.index()] == Priority::ModifiedFiles)
        };
        folds.extend(notes::drops(
            view,
            cx,
            &groups,
            &leaves,
            is_whole,
            |messages| matter(&matters, messages),
            &mut notes::Opened::new(),
        ));
        folds
    }
}

/// How much messages mattered that are left out: `priority 40`, or the lowest and the highest of a run.
fn matter(matters: &BTreeMap<MessageId, Priority>, messages: &[MessageId]) -> String {
    let values = || messages.iter().filter_map(|id| matters.get(id)).map(|priority| priority.value());
    match (values().min(), values().max()) {
        (Some(lowest), Some(highest)) if lowest < highest => {
            format!("priorities {lowest} to {highest}: the lowest that are left")
        }
        (Some(only), _) => format!("priority {only}: the lowest that is left"),
        (None, _) => "the lowest priority that is left".into(),
    }
}
