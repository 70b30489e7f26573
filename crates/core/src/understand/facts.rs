//! What is known about a history before anything is folded.

use std::collections::BTreeSet;

use serde::Serialize;

use crate::history::{History, is_harness_note, is_summary};
use crate::history::{Item, ItemId, ItemKind, MessageId, Role, Slot};
use crate::text::harness;
use crate::understand::categories::Categories;
use crate::understand::files::FileTracker;
use crate::understand::ledger::{Book, TodoEntry};
use crate::understand::priorities::{Priority, PriorityOptions, is_instruction, priorities};
use crate::understand::vocabulary::Vocabulary;

/// How a history is to be understood: what ships, and what a policy adds.
#[derive(Clone, Debug, Default)]
pub struct Understanding {
    /// The tools.
    pub vocabulary: Vocabulary,
    /// How their results can be had again.
    pub categories: Categories,
    /// What counts as recent and as instructions.
    pub priorities: PriorityOptions,
    /// Files that the session has changed, whatever its calls show.
    pub modified: Vec<String>,
}

/// Understanding of a history: files, priorities, what must stay. Grows with the history.
#[derive(Clone, Debug, Default)]
pub struct Facts {
    options: PriorityOptions,
    tracker: FileTracker,
    /// What the ledger is drawn from.
    book: Book,
    /// Per item, why it may have to stay.
    guards: Vec<Guard>,
    /// The items for which there is a reason, oldest first.
    guarded: Vec<ItemId>,
    /// Texts that a person typed, oldest first.
    words: Vec<ItemId>,
    /// Texts of a harness that look like a person's.
    notices: Vec<ItemId>,
    /// Whether the next message in the user's name is the body of a command that somebody named.
    is_body_next: bool,
    /// What was said in the user's role first and last. Where a harness speaks in the same message as the person, only what it said
    /// first or last is that: some formats put all that comes between two answers into one message.
    users: Option<(Said, Said)>,
    /// The first and the newest turn in which the user asks for something.
    tasks: Option<(u32, u32)>,
    /// The message in which the user first does.
    task: Option<MessageId>,
    open: BTreeSet<ItemId>,
    /// Those of the newest step, whose results are still to come.
    awaited: BTreeSet<ItemId>,
    /// What was recalled: whoever opened it wants to read it.
    recalled: BTreeSet<ItemId>,
}

/// Steps for which something that was recalled counts as in use. Then it is worth what its lines are worth.
const IN_USE: u32 = 20;

/// How much must stay as it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Protection {
    /// System, agent instructions, original and current task, unanswered calls.
    #[default]
    Full,
    /// System, the original task, first and newest message of the user, calls whose results are still to come: where the
    /// rest of the above would leave no room for anything else.
    Task,
}

/// Why an item may have to stay.
#[derive(Clone, Copy, Debug)]
enum Guard {
    No,
    System,
    /// Developer messages, injected instructions.
    Instruction,
    /// Something the user said.
    User(MessageId, u32),
    /// Something a harness said in their name.
    Harness,
}

/// Something in the user's role, and the message that it stands in.
#[derive(Clone, Copy, Debug)]
struct Said {
    item: ItemId,
    message: MessageId,
}

impl Facts {
    /// Nothing yet.
    pub fn new(understanding: Understanding) -> Facts {
        let mut tracker = FileTracker::with(understanding.vocabulary, understanding.categories);
        understanding.modified.iter().for_each(|path| tracker.mark_modified(path));
        Facts { tracker, options: understanding.priorities, ..Facts::default() }
    }

    /// Everything known about a history.
    pub fn of(history: &History) -> Facts {
        let mut facts = Facts::new(Understanding::default());
        facts.update(history);
        facts
    }

    /// Takes in what the history has more than the last time. O(new items).
    pub fn update(&mut self, history: &History) {
        let first = self.tracker.update(history);
        self.book.update_calls(history, self.tracker.calls(), first);
        for (id, item) in history.items_from(ItemId::new(self.guards.len())) {
            let guard = self.guard(history, id, item);
            self.guards.push(guard);
            if !matches!(guard, Guard::No) {
                self.guarded.push(id);
            }
            self.note_call(history, id, item);
        }
        self.book.update_requests(history, &self.words);
        let is_awaited = |call: &&ItemId| history.item(**call).step == Some(history.steps());
        let is_in_use = |item: &ItemId| {
            history.item(*item).step.is_none_or(|step| history.steps().saturating_sub(step) <= IN_USE)
        };
        self.recalled.retain(is_in_use);
        self.awaited = self.open.iter().rev().take_while(is_awaited).copied().collect();
    }

    /// Keeps the calls that no result has answered, as the history does, without copying all of them each time.
    fn note_call(&mut self, history: &History, id: ItemId, item: &Item) {
        match item.kind {
            ItemKind::Result(_) => {
                history.pair(id).map(|call| self.open.remove(&call));
            }
            _ if history.open_calls().contains(&id) => {
                self.open.insert(id);
            }
            _ => {}
        }
    }

    fn guard(&mut self, history: &History, id: ItemId, item: &Item) -> Guard {
        let role = history.message(item.message).role;
        match (&item.kind, role) {
            (ItemKind::Result(_), _) => {
                let announces = item.texts.iter().any(|text| text.value.starts_with("Launching skill: "));
                self.is_body_next |= announces;
                Guard::No
            }
            (_, Role::Assistant) => {
                self.is_body_next = false;
                Guard::No
            }
            (ItemKind::Summary, _) => Guard::No,
            (_, Role::System) => Guard::System,
            (_, Role::Developer) => Guard::Instruction,
            (_, Role::User) if is_summary(item) => Guard::No,
            (_, Role::User) if item.within.is_none() => {
                let says = item.texts.iter().any(|text| !text.value.trim().is_empty());
                if says || matches!(item.kind, ItemKind::Media(_)) {
                    let newest = Said { item: id, message: item.message };
                    let first = self.users.map_or(newest, |(first, _)| first);
                    self.users = Some((first, newest));
                }
                if is_instruction(item, &self.options) {
                    return Guard::Instruction;
                }
                let is_body = std::mem::take(&mut self.is_body_next);
                self.is_body_next = item.texts.iter().any(|text| harness::announces_body(&text.value));
                if says && !is_body && !is_harness_note(item) {
                    self.words.push(id);
                    let first = self.tasks.map_or(item.turn, |(first, _)| first);
                    self.tasks = Some((first, item.turn));
                    self.task.get_or_insert(item.message);
                    return Guard::User(item.message, item.turn);
                }
                // A command of the person's own (`/release`) is an order, whatever body the harness gives it.
                let is_order = self.is_body_next;
                if says && (is_order || !item.text().trim_start().starts_with(['<', '['])) {
                    self.notices.push(id);
                }
                match says {
                    true => Guard::Harness,
                    // A picture belongs to the words beside it.
                    false => Guard::User(item.message, item.turn),
                }
            }
            _ => Guard::No,
        }
    }

    /// Notes that an item holds what somebody has just opened, which is not to be folded again at once. What was opened
    /// before it counts as long as all of them take at most `most` tokens.
    pub(crate) fn recall(&mut self, item: ItemId, most: usize, tokens: impl Fn(ItemId) -> usize) {
        self.recalled.insert(item);
        let mut sum = 0;
        let too_old = self.recalled.iter().rev().skip(1).find(|older| {
            sum += tokens(**older);
            tokens(item) + sum > most
        });
        if let Some(too_old) = too_old.copied() {
            self.recalled = self.recalled.split_off(&too_old.next());
        }
    }

    /// Notes a file as changed by the session, whatever its calls show.
    pub fn mark_modified(&mut self, path: &str) {
        self.tracker.mark_modified(path);
    }

    /// The files of the session.
    pub fn tracker(&self) -> &FileTracker {
        &self.tracker
    }

    /// The agent's own plan, as it stands.
    pub(crate) fn plan(&self) -> &[TodoEntry] {
        self.book.plan()
    }

    /// What the ledger is drawn from.
    pub(super) fn book(&self) -> &Book {
        &self.book
    }

    /// The texts that a person typed, oldest first: what a harness said in their name is not among them.
    pub fn words(&self) -> &[ItemId] {
        &self.words
    }

    /// Whether a person typed it.
    pub(crate) fn is_words(&self, item: ItemId) -> bool {
        self.words.binary_search(&item).is_ok()
    }

    /// What a harness said in plain words, without a tag or a bracket that gives it away, oldest first.
    pub(crate) fn notices(&self) -> &[ItemId] {
        &self.notices
    }

    /// The message in which the user first asks for something.
    pub fn task(&self) -> Option<MessageId> {
        self.task
    }

    /// How much each item matters. O(items).
    pub fn priorities(&self, history: &History) -> Vec<Priority> {
        priorities(history, &self.tracker, &self.options)
    }

    /// Every item that may have to stay, once. No other is ever protected.
    pub(crate) fn guarded(&self) -> impl Iterator<Item = ItemId> + '_ {
        let in_use = self.open.union(&self.recalled);
        let in_use = in_use.filter(|item| matches!(self.guards[item.index()], Guard::No));
        self.guarded.iter().chain(in_use).copied()
    }

    /// Whether an item must stay as it is.
    pub fn is_protected(&self, item: ItemId, protection: Protection) -> bool {
        let full = protection == Protection::Full;
        let (first, newest) = self.users.unzip();
        let is_edge = || [first, newest].into_iter().flatten().any(|said| said.item == item);
        let is_beside_edge = |message: MessageId| {
            [first, newest].into_iter().flatten().any(|said| said.message == message)
                || self.task == Some(message)
        };
        match self.guards[item.index()] {
            Guard::No => {
                self.awaited.contains(&item)
                    || (full && (self.open.contains(&item) || self.recalled.contains(&item)))
            }
            Guard::System => true,
            Guard::Instruction => full || is_edge(),
            Guard::Harness => is_edge(),
            Guard::User(message, turn) => {
                let is_task = self.tasks.is_some_and(|(first, newest)| turn == first || turn == newest);
                (full && is_task) || is_beside_edge(message)
            }
        }
    }

    /// Whether a message must stay: something in it must, or it is no element of the list and cannot leave it.
    pub fn is_protected_message(
        &self,
        history: &History,
        message: MessageId,
        protection: Protection,
    ) -> bool {
        let message = history.message(message);
        message.slot == Slot::Head || message.item_ids().any(|item| self.is_protected(item, protection))
    }
}
