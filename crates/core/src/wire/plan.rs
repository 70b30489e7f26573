//! A history regrouped for writing: who speaks, in an order every provider accepts.
//!
//! Providers want each call answered right behind the response that made it, and no answer without a call. Real
//! sessions are not like that: results come late, are missing, or their call was cut away. All of that is mended
//! here, once for all formats, and reported.

use std::collections::HashMap;

use super::losses::Losses;
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Role, Slot, Spelling};

/// Stands where a call has no result and more was said since.
pub(super) const NO_RESULT: &str = "[No result of this call was recorded.]";

/// Stands before a history that starts with the assistant, where the provider wants the user to begin.
pub(super) const NO_USER: &str = "[No user message was recorded before this.]";

/// What one speaker says before another one does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Block {
    Said(Said),
    Response(Response),
}

/// One message of the system, the developer or the user. A result in it is one whose call is not in the history.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Said {
    pub(super) role: Role,
    pub(super) slot: Slot,
    pub(super) message: MessageId,
    pub(super) items: Vec<ItemId>,
}

/// What the assistant says in one go, even if the source spread it over several messages, and the answers to its calls.
#[derive(Clone, Debug, PartialEq, Eq, Default)]
pub(super) struct Response {
    pub(super) items: Vec<ItemId>,
    /// One for each call, or none at all where the history ends with unanswered calls.
    pub(super) answers: Vec<Answer>,
}

/// The answer to one call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Answer {
    pub(super) call: ItemId,
    /// `None`: none was recorded.
    pub(super) result: Option<ItemId>,
    /// Items inside the result that are not its text.
    pub(super) inside: Vec<ItemId>,
}

impl Block {
    /// The message of the history it starts with.
    pub(super) fn first_message(&self, history: &History) -> MessageId {
        match self {
            Block::Said(said) => said.message,
            Block::Response(response) => {
                response.items.first().map_or(MessageId::FIRST, |id| history.item(*id).message)
            }
        }
    }
}

impl Answer {
    /// Its texts; what says that there is none, where there is none.
    pub(super) fn texts<'h>(&self, history: &'h History) -> Vec<&'h str> {
        match self.result {
            Some(result) => texts(history, history.item(result)).collect(),
            None => vec![NO_RESULT],
        }
    }

    /// What the tool returned, where that is an object or a list.
    pub(super) fn json<'h>(&self, history: &'h History) -> Option<&'h str> {
        let item = history.item(self.result?);
        let only = match &item.texts[..] {
            [text] if text.spelling == Spelling::Json => Some(&*text.value),
            _ => None,
        };
        history.structure_of(item).or(only)
    }

    /// Whether the result is marked as an error.
    pub(super) fn is_error(&self, history: &History) -> bool {
        let result = self.result.and_then(|result| history.item(result).result());
        result.is_some_and(|result| result.is_error)
    }
}

/// The texts of an item. What a tool returned as an object or a list is one text, the whole of it.
pub(super) fn texts<'h>(history: &'h History, item: &'h Item) -> impl Iterator<Item = &'h str> {
    let structure = history.structure_of(item);
    let inside = if structure.is_some() { &[][..] } else { &item.texts[..] };
    structure.into_iter().chain(inside.iter().map(|text| &*text.value))
}

/// Regroups a history.
pub(super) fn plan(history: &History, losses: &mut Losses) -> Vec<Block> {
    let mut planner = Planner { history, losses, blocks: Vec::new(), made_in: HashMap::new() };
    for id in history.item_ids() {
        planner.place(id);
    }
    planner.answer_the_unanswered();
    planner.blocks
}

struct Planner<'h, 'l> {
    history: &'h History,
    losses: &'l mut Losses,
    blocks: Vec<Block>,
    /// The block each call was made in.
    made_in: HashMap<ItemId, usize>,
}

impl Planner<'_, '_> {
    fn place(&mut self, id: ItemId) {
        let item = self.history.item(id);
        let role = self.history.message(item.message).role;
        if let Some(result) = item.within {
            return self.place_inside(id, result, role);
        }
        match (&item.kind, role) {
            (ItemKind::Result(_), _) => match self.history.pair(id) {
                Some(call) => self.place_answer(id, call),
                None => {
                    self.losses.moved(
                        item,
                        "a result whose call is not in the history (it became a text of the user)",
                    );
                    self.say(id, Role::User);
                }
            },
            (_, Role::Assistant) => self.respond(id),
            (_, Role::Tool) => {
                self.losses.item(item, "the role of a message from a tool that holds no result");
                self.say(id, Role::User);
            }
            (_, Role::Unknown) => self.losses.item(item, "something that is no message of its format"),
            (_, role) => self.say(id, role),
        }
    }

    fn place_answer(&mut self, id: ItemId, call: ItemId) {
        // Only calls of the assistant are ever paired, and each of them was placed before its result.
        let Some(made_in) = self.made_in.get(&call).copied() else { return };
        if made_in + 1 != self.blocks.len() {
            self.losses.moved(self.history.item(id), "a result that did not stand right behind its call");
        }
        if let Block::Response(response) = &mut self.blocks[made_in] {
            response.answers.push(Answer { call, result: Some(id), inside: Vec::new() });
        }
    }

    fn place_inside(&mut self, id: ItemId, result: ItemId, role: Role) {
        let made_in = self.history.pair(result).and_then(|call| self.made_in.get(&call).copied());
        match made_in.map(|made_in| &mut self.blocks[made_in]) {
            Some(Block::Response(response)) => {
                let answer = response.answers.iter_mut().find(|answer| answer.result == Some(result));
                if let Some(answer) = answer {
                    answer.inside.push(id);
                }
            }
            _ if role == Role::Assistant => self.respond(id),
            _ => self.say(id, Role::User),
        }
    }

    fn respond(&mut self, id: ItemId) {
        if !matches!(self.blocks.last(), Some(Block::Response(response)) if response.answers.is_empty()) {
            self.blocks.push(Block::Response(Response::default()));
        }
        let last = self.blocks.len() - 1;
        if let Block::Response(response) = &mut self.blocks[last] {
            response.items.push(id);
        }
        if self.history.item(id).call().is_some() {
            self.made_in.insert(id, last);
        }
    }

    fn say(&mut self, id: ItemId, role: Role) {
        let message = self.history.item(id).message;
        match self.blocks.last_mut() {
            Some(Block::Said(said)) if said.message == message && said.role == role => said.items.push(id),
            _ => {
                let slot = self.history.message(message).slot;
                self.blocks.push(Block::Said(Said { role, slot, message, items: vec![id] }));
            }
        }
    }

    /// Calls may stay unanswered only where nothing at all comes after them: then the answers are still to come.
    fn answer_the_unanswered(&mut self) {
        let last = self.blocks.len().saturating_sub(1);
        for (nth, block) in self.blocks.iter_mut().enumerate() {
            let Block::Response(response) = block else { continue };
            if nth == last && response.answers.is_empty() {
                continue;
            }
            for id in &response.items {
                let item = self.history.item(*id);
                if item.call().is_some() && self.history.pair(*id).is_none() {
                    self.losses
                        .added(item.message, "a result that says none was recorded, for a call without one");
                    response.answers.push(Answer { call: *id, result: None, inside: Vec::new() });
                }
            }
        }
    }
}
