//! A history: everything that really happened, append-only.

mod item;

use std::collections::{BTreeSet, HashMap, VecDeque};

use bytestring::ByteString;

pub use item::*;

use crate::json::Raw;
use crate::text::summary_mark;

/// Append-only messages and items with their turns, steps and pairs. Appending costs work in proportion to the
/// new message alone.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Message>,
    items: Vec<Item>,
    /// Per item its pair, counted from 1; 0 is none. As long as the newest item that has one.
    pairs: Vec<u32>,
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
    calls: OpenCalls,
    /// First item of the response that is being made, while only assistant items have come since.
    response: Option<ItemId>,
    /// The step of that response, once it has made a call.
    step: Option<u32>,
    last_was_user_text: bool,
}

impl Parsed {
    /// Something that stands in the list and is no message of its format: one item, the whole of it.
    pub fn unknown(raw: &ByteString, slot: Slot, kind: impl Into<ByteString>) -> Parsed {
        let item = Item {
            kind: ItemKind::Other(kind.into()),
            message: 0,
            turn: 0,
            step: None,
            span: 0..raw.len(),
            texts: Vec::new(),
            within: None,
        };
        Parsed { role: Role::Unknown, slot, items: vec![item], extras: Vec::new() }
    }
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

    /// Whether a message is a piece of a file that is no JSON. It stands among messages and is none: nobody is sent it.
    pub fn is_rubble(&self, message: MessageId) -> bool {
        let is_not_json = |item: &Item| matches!(&item.kind, ItemKind::Other(kind) if &**kind == NOT_JSON);
        self.messages[message].role == Role::Unknown && self.items_of(message).iter().any(is_not_json)
    }

    /// A message as it stood in its file.
    pub fn original(&self, message: MessageId) -> std::borrow::Cow<'_, str> {
        let raw = &self.messages[message].raw;
        let decoded = self.is_rubble(message).then(|| Raw::trusted(raw).str()).flatten();
        decoded.unwrap_or(std::borrow::Cow::Borrowed(raw))
    }

    /// The result of a call, or the call of a result.
    pub fn pair(&self, item: ItemId) -> Option<ItemId> {
        self.pairs.get(item).and_then(|pair| (*pair as usize).checked_sub(1))
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
    pub fn open_calls(&self) -> &BTreeSet<ItemId> {
        &self.open.calls.all
    }

    /// Number of turns so far.
    pub fn turns(&self) -> u32 {
        self.open.turn
    }

    /// Number of steps so far.
    pub fn steps(&self) -> u32 {
        self.open.steps
    }

    /// Makes room for so many messages: growing by doubling takes thrice the room while it lasts.
    pub fn reserve(&mut self, messages: usize) {
        self.messages.reserve_exact(messages);
        self.items.reserve(messages);
    }

    /// A call precedes its result.
    fn join(&mut self, call: ItemId, result: ItemId) {
        let number = |item: ItemId| u32::try_from(item + 1).unwrap_or(0);
        self.pairs.resize(result + 1, 0);
        self.pairs[call] = number(result);
        self.pairs[result] = number(call);
    }

    /// Gives an item its turn and step and connects it with its pair.
    fn place(&mut self, id: ItemId, role: Role) {
        let kind = self.items[id].kind.clone();
        match (&kind, role) {
            (ItemKind::Result(result), _) => {
                self.open.response = None;
                self.items[id].step = match self.open.calls.answer(result) {
                    Some(call) => {
                        self.join(call, id);
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
                if let ItemKind::Call(call) = &kind {
                    self.open.calls.ask(id, call);
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
}

/// Calls without a result yet. Asking and answering cost the same however many are open: a log of a million calls and
/// then a million results is read in linear time.
#[derive(Clone, Debug, Default)]
struct OpenCalls {
    all: BTreeSet<ItemId>,
    by_id: HashMap<ByteString, VecDeque<ItemId>>,
    /// Calls without an id, by tool.
    by_tool: HashMap<ByteString, VecDeque<ItemId>>,
    without_id: BTreeSet<ItemId>,
}

impl OpenCalls {
    fn ask(&mut self, item: ItemId, call: &Call) {
        self.all.insert(item);
        if call.id.is_empty() {
            self.without_id.insert(item);
            self.by_tool.entry(call.name.clone()).or_default().push_back(item);
        } else {
            self.by_id.entry(call.id.clone()).or_default().push_back(item);
        }
    }

    /// The call that a result answers: the oldest with its id; without ids the oldest of its tool, else simply the oldest.
    fn answer(&mut self, result: &CallResult) -> Option<ItemId> {
        let call = match (result.call.is_empty(), &result.name) {
            (false, _) => self.by_id.get_mut(&result.call)?.pop_front()?,
            (true, Some(tool)) => self.by_tool.get_mut(tool)?.pop_front()?,
            (true, None) => *self.without_id.first()?,
        };
        if result.call.is_empty() {
            self.without_id.remove(&call);
            for calls in self.by_tool.values_mut().filter(|calls| calls.front() == Some(&call)) {
                calls.pop_front();
            }
        }
        self.all.remove(&call);
        Some(call)
    }
}

/// Notes that harnesses put into user messages beside results; nobody has asked for anything.
pub(crate) fn is_harness_note(item: &Item) -> bool {
    item.kind == ItemKind::Text
        && (item.texts.iter().all(|text| text.value.trim_start().starts_with("<system-reminder>"))
            || is_summary(item))
}

/// A summary that an earlier view was given, in a history made of that view. Where somebody has written on behind it,
/// the text is theirs.
pub fn is_summary(item: &Item) -> bool {
    let is_one = |text: &str| {
        let is_all = || {
            text.find(summary_mark::END)
                .is_some_and(|end| text[end + summary_mark::END.len()..].trim().is_empty())
        };
        text.starts_with("<enfold-summary ") && is_all() && summary_mark::find(text).is_some()
    };
    item.kind == ItemKind::Text && item.texts.first().is_some_and(|text| is_one(&text.value))
}

#[cfg(test)]
mod tests {
    use crate::file::notation::parse;

    #[track_caller]
    fn pairs(text: &str) -> Vec<(usize, usize)> {
        let history = parse(text).unwrap();
        let calls = (0..history.items().len()).filter(|item| history.items()[*item].call().is_some());
        calls.filter_map(|call| Some((call, history.pair(call)?))).collect()
    }

    #[test]
    fn results_find_their_calls_by_id() {
        assert_eq!(
            pairs("assistant\n  call a ls {}\n  call b ls {}\nresult b: 2\nresult a: 1\n"),
            [(0, 3), (1, 2)]
        );
    }

    #[test]
    fn an_id_used_again_later_pairs_in_order() {
        let text = "assistant\n  call a ls {}\nresult a: 1\nassistant\n  call a ls {}\nresult a: 2\n";
        assert_eq!(pairs(text), [(0, 1), (2, 3)]);
    }

    #[test]
    fn without_ids_the_tool_decides_and_then_the_order() {
        let calls = "assistant\n  call \"\" read {}\n  call \"\" ls {}\n";
        assert_eq!(
            pairs(&format!("{calls}result \"\" name=ls: x\nresult \"\" name=read: y\n")),
            [(0, 3), (1, 2)]
        );
        assert_eq!(pairs(&format!("{calls}result \"\": x\nresult \"\" name=ls: y\n")), [(0, 2), (1, 3)]);
    }

    #[test]
    fn a_result_without_a_call_pairs_with_nothing() {
        let history = parse("user: hi\nresult zz: 1\n").unwrap();
        assert_eq!(history.pair(1), None);
        assert_eq!(history.open_calls().len(), 0);
    }

    #[test]
    fn text_before_a_call_belongs_to_its_step_and_an_answer_to_none() {
        let history =
            parse("user: go\nassistant: look\n  call a ls {}\nresult a: x\nassistant: done\n").unwrap();
        let steps: Vec<_> = history.items().iter().map(|item| item.step).collect();
        assert_eq!(steps, [None, Some(1), Some(1), Some(1), None]);
    }

    #[test]
    fn notes_of_the_harness_start_no_turn() {
        let history = parse("user: go\nassistant: ok\nuser: <system-reminder>x</system-reminder>\n").unwrap();
        assert_eq!(history.turns(), 1);
    }
}
