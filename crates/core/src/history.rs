//! A history: everything that really happened, append-only.

use std::collections::HashMap;

use bytestring::ByteString;

use crate::item::{Item, ItemId, ItemKind, Message, MessageId, Role, Slot};

/// Append-only messages and items with their turns, steps and pairs. Appending costs work in proportion to the
/// new message alone.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Message>,
    items: Vec<Item>,
    pairs: HashMap<ItemId, ItemId>,
    open: Open,
}

/// A wire message taken apart by its format, before the history gives it its place.
///
/// `items` carry `span`, `texts` and `kind`; the history fills in message, turn and step. `within` counts from the
/// first item of this message.
#[derive(Clone, Debug)]
pub struct Parsed {
    /// Who speaks.
    pub role: Role,
    /// Where the format puts it.
    pub slot: Slot,
    /// Its items in order.
    pub items: Vec<Item>,
    /// See [`Message::extras`].
    pub extras: Vec<ByteString>,
}

/// What the next message may still connect to.
#[derive(Clone, Debug, Default)]
struct Open {
    turn: u32,
    steps: u32,
    /// Calls without a result yet, in order.
    calls: Vec<ItemId>,
    /// First item of the response that is being made, while only assistant items have come since.
    response: Option<ItemId>,
    /// The step of that response, once it has made a call.
    step: Option<u32>,
    last_was_user_text: bool,
}

impl History {
    /// An empty history.
    pub fn new() -> History {
        History::default()
    }

    /// Appends one wire message.
    pub fn push(&mut self, raw: ByteString, parsed: Parsed) -> MessageId {
        let message = self.messages.len();
        let first = self.items.len();
        for mut item in parsed.items {
            item.message = message;
            item.within = item.within.map(|within| first + within);
            let id = self.items.len();
            self.items.push(item);
            self.place(id, parsed.role);
        }
        let items = first..self.items.len();
        self.messages.push(Message {
            role: parsed.role,
            raw,
            slot: parsed.slot,
            items,
            extras: parsed.extras,
        });
        message
    }

    /// All messages, oldest first.
    pub fn messages(&self) -> &[Message] {
        &self.messages
    }

    /// All items, oldest first.
    pub fn items(&self) -> &[Item] {
        &self.items
    }

    /// The items of one message.
    pub fn items_of(&self, message: MessageId) -> &[Item] {
        &self.items[self.messages[message].items.clone()]
    }

    /// The result of a call, or the call of a result.
    pub fn pair(&self, item: ItemId) -> Option<ItemId> {
        self.pairs.get(&item).copied()
    }

    /// The name of the tool that a call calls or a result comes from.
    pub fn tool(&self, item: ItemId) -> Option<&str> {
        match &self.items[item].kind {
            ItemKind::Call(call) => Some(&call.name),
            ItemKind::Result(result) => match self.pair(item) {
                Some(call) => self.tool(call),
                None => result.name.as_deref(),
            },
            _ => None,
        }
    }

    /// Calls that no result has answered, oldest first.
    pub fn open_calls(&self) -> &[ItemId] {
        &self.open.calls
    }

    /// Number of turns so far.
    pub fn turns(&self) -> u32 {
        self.open.turn
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u32 {
        self.open.steps
    }

    /// Gives an item its turn and step and connects it with its pair.
    fn place(&mut self, id: ItemId, role: Role) {
        let kind = self.items[id].kind.clone();
        match (&kind, role) {
            (ItemKind::Result(result), _) => {
                self.open.response = None;
                let call = self.answered_call(&result.call, result.name.as_deref());
                self.items[id].step = match call {
                    Some(call) => {
                        self.open.calls.retain(|open| *open != call);
                        self.pairs.insert(call, id);
                        self.pairs.insert(id, call);
                        self.items[call].step
                    }
                    None => self.open.step,
                };
            }
            (_, Role::Assistant) => {
                let first = *self.open.response.get_or_insert_with(|| {
                    self.open.step = None;
                    id
                });
                if matches!(kind, ItemKind::Call(_)) {
                    self.open.calls.push(id);
                    if self.open.step.is_none() {
                        self.open.steps += 1;
                        self.open.step = Some(self.open.steps);
                        for item in &mut self.items[first..id] {
                            item.step = self.open.step;
                        }
                    }
                }
                self.items[id].step = self.open.step;
            }
            (_, Role::User) if self.items[id].within.is_none() => {
                self.open.response = None;
                self.open.step = None;
                if !self.open.last_was_user_text && !is_harness_note(&self.items[id]) {
                    self.open.turn += 1;
                }
            }
            _ => {
                if let Some(result) = self.items[id].within {
                    self.items[id].step = self.items[result].step;
                }
            }
        }
        if self.items[id].within.is_none() {
            self.open.last_was_user_text = role == Role::User
                && !matches!(kind, ItemKind::Result(_))
                && !is_harness_note(&self.items[id]);
        }
        self.items[id].turn = self.open.turn;
    }

    /// The open call that a result answers: the oldest with its id; without ids the oldest with its tool's name,
    /// else simply the oldest.
    fn answered_call(&self, id: &str, name: Option<&str>) -> Option<ItemId> {
        let call_at = |item: &&ItemId| self.items[**item].call();
        let open = self.open.calls.iter();
        let found = if id.is_empty() {
            let unnamed = |call: &crate::item::Call| call.id.is_empty();
            let by_name = open
                .clone()
                .find(|item| call_at(item).is_some_and(|call| unnamed(call) && Some(&*call.name) == name));
            by_name.or_else(|| {
                let mut open = open;
                open.find(|item| name.is_none() && call_at(item).is_some_and(unnamed))
            })
        } else {
            let mut open = open;
            open.find(|item| call_at(item).is_some_and(|call| call.id == id))
        };
        found.copied()
    }
}

/// Notes that harnesses put into user messages beside results; nobody has asked for anything.
fn is_harness_note(item: &Item) -> bool {
    item.kind == ItemKind::Text
        && item.texts.iter().all(|text| text.value.trim_start().starts_with("<system-reminder>"))
}
