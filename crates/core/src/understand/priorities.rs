//! What matters most in a history, item by item.

use std::collections::BTreeSet;

use super::files::{Access, FileTracker};
use super::operation::Verb;
use crate::history::{History, is_harness_note, is_summary};
use crate::history::{Item, ItemId, ItemKind, Role};

/// How much an item matters; greater is more.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Priority {
    /// A summary of what came before.
    Summarized = 20,
    /// Results of tools from long ago.
    StaleToolOutputs = 30,
    /// What was said long ago.
    OldHistory = 40,
    /// Files read lately.
    RecentFileReads = 50,
    /// What happened lately.
    RecentTurns = 60,
    /// The latest state of files that the session changed.
    ModifiedFiles = 70,
    /// What the user asked for: first, and now.
    CurrentTask = 80,
    /// How the agent is to work: developer messages, AGENTS.md, CLAUDE.md.
    AgentInstructions = 90,
    /// The system message.
    System = 100,
}

/// What counts as recent and as instructions.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PriorityOptions {
    /// Steps that count as recent.
    pub recent_steps: u32,
    /// Turns that count as recent, the present one included.
    pub recent_turns: u32,
    /// Texts by which injected agent instructions are known.
    pub instruction_marks: Vec<String>,
}

impl Default for PriorityOptions {
    fn default() -> PriorityOptions {
        let marks = [
            "AGENTS.md",
            "CLAUDE.md",
            "GEMINI.md",
            "<user_instructions>",
            "<INSTRUCTIONS>",
            "<environment_context>",
            "# claudeMd",
        ];
        PriorityOptions {
            recent_steps: 5,
            recent_turns: 1,
            instruction_marks: marks.map(String::from).to_vec(),
        }
    }
}

impl Priority {
    /// The number: 100 for the system message, 20 for summaries.
    pub fn value(self) -> u8 {
        self as u8
    }
}

/// The priority of every item. `tracker` must have been updated with this history. O(items).
pub fn priorities(history: &History, tracker: &FileTracker, options: &PriorityOptions) -> Vec<Priority> {
    let cx = Classifier {
        history,
        options,
        tasks: task_turns(history, options),
        latest: latest_states(tracker),
        file_reads: file_reads(tracker),
    };
    history.item_ids().map(|id| cx.classify(id)).collect()
}

struct Classifier<'a> {
    history: &'a History,
    options: &'a PriorityOptions,
    /// The turns whose user texts are the original and the current task.
    tasks: BTreeSet<u32>,
    /// Results that carry the latest state of modified files.
    latest: BTreeSet<ItemId>,
    /// Results that read files.
    file_reads: BTreeSet<ItemId>,
}

impl Classifier<'_> {
    fn classify(&self, id: ItemId) -> Priority {
        let item = self.history.item(id);
        let role = self.history.message(item.message).role;
        match (&item.kind, role) {
            (ItemKind::Summary, _) => Priority::Summarized,
            // Our own, in a history made of an earlier view: on the wire it is a text like any other.
            (ItemKind::Text, Role::User) if is_summary(item) => Priority::Summarized,
            (_, Role::System) => Priority::System,
            (_, Role::Developer) => Priority::AgentInstructions,
            (ItemKind::Result(_), _) => self.result(id, item),
            // A call stands and falls with its result.
            (ItemKind::Call(_), _) => match self.history.pair(id) {
                Some(result) => self.classify(result),
                None => Priority::RecentTurns,
            },
            (_, Role::User) if item.within.is_none() => self.user(item),
            _ if self.is_recent(item) => Priority::RecentTurns,
            _ => Priority::OldHistory,
        }
    }

    fn user(&self, item: &Item) -> Priority {
        match () {
            () if is_instruction(item, self.options) => Priority::AgentInstructions,
            () if self.tasks.contains(&item.turn) => Priority::CurrentTask,
            () if self.is_recent(item) => Priority::RecentTurns,
            () => Priority::OldHistory,
        }
    }

    fn result(&self, id: ItemId, item: &Item) -> Priority {
        match (self.latest.contains(&id), self.is_recent(item), self.file_reads.contains(&id)) {
            (true, _, _) => Priority::ModifiedFiles,
            (false, true, true) => Priority::RecentFileReads,
            (false, true, false) => Priority::RecentTurns,
            (false, false, _) => Priority::StaleToolOutputs,
        }
    }

    fn is_recent(&self, item: &Item) -> bool {
        match item.step {
            Some(step) => self.history.steps() - step < self.options.recent_steps,
            None => self.history.turns().saturating_sub(item.turn) < self.options.recent_turns,
        }
    }
}

/// Whether a user's text is how the agent is to work rather than what it is to do.
pub(crate) fn is_instruction(item: &Item, options: &PriorityOptions) -> bool {
    // Injections say so at once; a task that mentions AGENTS.md somewhere is still a task.
    item.texts.iter().any(|text| {
        let head: String = text.value.chars().take(200).collect();
        options.instruction_marks.iter().any(|mark| head.contains(mark.as_str()))
            && head.trim_start().starts_with(['#', '<'])
    })
}

/// The first and the last turn with a real user text.
fn task_turns(history: &History, options: &PriorityOptions) -> BTreeSet<u32> {
    let is_task = |item: &&Item| {
        history.message(item.message).role == Role::User
            && matches!(item.kind, ItemKind::Text)
            && !is_instruction(item, options)
            && !is_harness_note(item)
    };
    let mut turns = history.items().iter().filter(is_task).map(|item| item.turn);
    let first = turns.next();
    first.into_iter().chain(turns.last()).collect()
}

/// The results that together show modified files as they are: going back, every change up to the last time the file
/// was seen or written whole.
fn latest_states(tracker: &FileTracker) -> BTreeSet<ItemId> {
    let mut latest = BTreeSet::new();
    for (_, record) in tracker.files().filter(|(_, record)| record.is_modified) {
        let mut seen_later = BTreeSet::new();
        for access in record.accesses.iter().rev() {
            if access.verb != Verb::Read || seen_later.insert(range_of(access)) {
                latest.insert(access.result);
            }
            let whole =
                access.lines.is_none() && matches!(access.verb, Verb::Read | Verb::Create | Verb::Delete);
            if whole {
                break;
            }
        }
    }
    latest
}

fn range_of(access: &Access) -> Option<(usize, usize)> {
    use super::operation::Lines;
    match access.lines {
        Some(Lines::Span { first, last }) => Some((first, last.unwrap_or(usize::MAX))),
        Some(Lines::Last(n)) => Some((usize::MAX, n)),
        None => None,
    }
}

fn file_reads(tracker: &FileTracker) -> BTreeSet<ItemId> {
    let accesses = tracker.files().flat_map(|(_, record)| &record.accesses);
    accesses.filter(|access| access.verb == Verb::Read).map(|access| access.result).collect()
}
