//! A history: everything that really happened, append-only.

mod id;
mod item;
mod span;
mod texts;

use std::collections::{BTreeMap, BTreeSet, HashMap, VecDeque};

use bytestring::ByteString;

pub use id::{Ids, ItemId, MessageId};
pub use item::*;
pub use span::Span;
pub use texts::Texts;

use crate::json::Raw;
use crate::text::{harness, summary_mark};

/// Append-only messages and items with their turns, steps and pairs. Appending costs work in proportion to the
/// new message alone.
#[derive(Clone, Debug, Default)]
pub struct History {
    messages: Vec<Message>,
    items: Vec<Item>,
    /// Per item its pair. As long as the newest item that has one.
    pairs: Vec<Option<ItemId>>,
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
        let item = Item::new(ItemKind::Other(Box::new(kind.into())), Span::whole(raw));
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
        let message = self.next_message();
        let first = self.next_item();
        for mut item in parsed.items {
            item.message = message;
            item.within = item.within.map(|within| first.plus(within.index()));
            self.place(&mut item, parsed.role);
            self.items.push(item);
        }
        self.messages.push(Message {
            role: parsed.role,
            raw,
            slot: parsed.slot,
            items: first..self.next_item(),
            extras: parsed.extras.into(),
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

    /// A message by its id.
    ///
    /// # Panics
    /// If the history has no such message: ids come from the history they are used with. For any other there is
    /// [`get_message`](History::get_message).
    pub fn message(&self, id: MessageId) -> &Message {
        &self.messages[id.index()]
    }

    /// An item by its id.
    ///
    /// # Panics
    /// If the history has no such item: ids come from the history they are used with. For any other there is
    /// [`get_item`](History::get_item).
    pub fn item(&self, id: ItemId) -> &Item {
        &self.items[id.index()]
    }

    /// A message by an id that may come from elsewhere.
    pub fn get_message(&self, id: MessageId) -> Option<&Message> {
        self.messages.get(id.index())
    }

    /// An item by an id that may come from elsewhere.
    pub fn get_item(&self, id: ItemId) -> Option<&Item> {
        self.items.get(id.index())
    }

    /// The ids of all messages, oldest first.
    pub fn message_ids(&self) -> Ids<MessageId> {
        MessageId::each(MessageId::FIRST..self.next_message())
    }

    /// The messages of the list itself, oldest first, without what the format keeps beside it.
    pub fn listed(&self) -> impl DoubleEndedIterator<Item = (MessageId, &Message)> + Clone {
        self.message_ids().zip(&self.messages).filter(|(_, message)| message.slot == Slot::List)
    }

    /// The ids of all items, oldest first.
    pub fn item_ids(&self) -> Ids<ItemId> {
        ItemId::each(ItemId::FIRST..self.next_item())
    }

    /// The id that the next message will have: one behind the last.
    pub fn next_message(&self) -> MessageId {
        MessageId::new(self.messages.len())
    }

    /// The id that the next item will have: one behind the last.
    pub(crate) fn next_item(&self) -> ItemId {
        ItemId::new(self.items.len())
    }

    /// The first item from a message on; one behind the last where the history has no such message.
    pub(crate) fn first_item(&self, from: MessageId) -> ItemId {
        self.get_message(from).map_or(self.next_item(), |message| message.items.start)
    }

    /// The messages from one on, each with its id.
    pub fn messages_from(&self, first: MessageId) -> impl Iterator<Item = (MessageId, &Message)> {
        MessageId::each(first..self.next_message()).zip(self.messages.iter().skip(first.index()))
    }

    /// The items from one on, each with its id.
    pub fn items_from(&self, first: ItemId) -> impl Iterator<Item = (ItemId, &Item)> {
        ItemId::each(first..self.next_item()).zip(self.items.iter().skip(first.index()))
    }

    /// An item of this history as it stands in its message.
    pub(crate) fn raw_of(&self, item: &Item) -> &str {
        &self.message(item.message).raw[item.span.range()]
    }

    /// The value that a tool returned, if that is an object or a list with the result's texts inside.
    pub fn structure_of(&self, item: &Item) -> Option<&str> {
        let span = item.result()?.structure?;
        self.message(item.message).raw.get(span.range())
    }

    /// The items of one message.
    pub fn items_of(&self, message: MessageId) -> &[Item] {
        let items = &self.message(message).items;
        &self.items[items.start.index()..items.end.index()]
    }

    /// Whether a message is a piece of a file that is no JSON. It stands among messages and is none: nobody is sent it.
    pub fn is_rubble(&self, message: MessageId) -> bool {
        let is_not_json = |item: &Item| matches!(&item.kind, ItemKind::Other(kind) if ***kind == *NOT_JSON);
        self.message(message).role == Role::Unknown && self.items_of(message).iter().any(is_not_json)
    }

    /// A message as it stood in its file.
    pub fn original(&self, message: MessageId) -> std::borrow::Cow<'_, str> {
        let raw = &self.message(message).raw;
        let decoded = self.is_rubble(message).then(|| Raw::trusted(raw).str()).flatten();
        decoded.unwrap_or(std::borrow::Cow::Borrowed(raw))
    }

    /// The result of a call, or the call of a result.
    pub fn pair(&self, item: ItemId) -> Option<ItemId> {
        self.pairs.get(item.index()).copied().flatten()
    }

    /// The name of the tool that a call calls or a result comes from.
    pub fn tool(&self, item: ItemId) -> Option<&str> {
        match &self.item(item).kind {
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
    pub(crate) fn reserve(&mut self, messages: usize) {
        self.messages.reserve_exact(messages);
        self.items.reserve(messages);
    }

    /// A call precedes its result.
    fn join(&mut self, call: ItemId, result: ItemId) {
        self.pairs.resize(result.index() + 1, None);
        self.pairs[call.index()] = Some(result);
        self.pairs[result.index()] = Some(call);
    }

    /// Gives the next item its turn and step and connects it with its pair.
    fn place(&mut self, item: &mut Item, role: Role) {
        let id = self.next_item();
        match (&item.kind, role) {
            (ItemKind::Result(result), _) => {
                self.open.response = None;
                item.step = match self.open.calls.answer(result) {
                    Some(call) => {
                        self.join(call, id);
                        self.item(call).step
                    }
                    None => self.open.step,
                };
            }
            (kind, Role::Assistant) => {
                let first = *self.open.response.get_or_insert_with(|| {
                    self.open.step = None;
                    id
                });
                if let ItemKind::Call(call) = kind {
                    self.open.calls.ask(id, call);
                    if self.open.step.is_none() {
                        self.open.steps += 1;
                        self.open.step = Some(self.open.steps);
                        for item in &mut self.items[first.index()..] {
                            item.step = self.open.step;
                        }
                    }
                }
                item.step = self.open.step;
            }
            (_, Role::User) if item.within.is_none() => {
                self.open.response = None;
                self.open.step = None;
                if !self.open.last_was_user_text && !is_harness_note(item) {
                    self.open.turn += 1;
                }
            }
            _ => {
                if let Some(result) = item.within {
                    item.step = self.get_item(result).and_then(|result| result.step);
                }
            }
        }
        if item.within.is_none() {
            self.open.last_was_user_text =
                role == Role::User && !matches!(item.kind, ItemKind::Result(_)) && !is_harness_note(item);
        }
        item.turn = self.open.turn;
    }
}

/// Calls without a result yet. Asking and answering cost the same however many are open: a log of a million calls and
/// then a million results is read in linear time.
#[derive(Clone, Debug, Default)]
struct OpenCalls {
    all: BTreeSet<ItemId>,
    by_id: HashMap<ByteString, VecDeque<ItemId>>,
    /// Calls without an id, by tool.
    by_tool: BTreeMap<ByteString, VecDeque<ItemId>>,
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

/// Whether a text in the user's name is the harness's own: nobody has asked for anything.
pub(crate) fn is_harness_note(item: &Item) -> bool {
    item.kind == ItemKind::Text
        && (item.texts.iter().all(|text| harness::is_harness(&text.value)) || is_summary(item))
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
    use super::*;
    use crate::file::notation::parse;

    #[track_caller]
    fn pairs(text: &str) -> Vec<(usize, usize)> {
        let history = parse(text).unwrap();
        let calls = history.item_ids().filter(|item| history.item(*item).call().is_some());
        calls.filter_map(|call| Some((call.index(), history.pair(call)?.index()))).collect()
    }

    /// A history holds one of each for every message, however short that is: what they grow by, a session of many short
    /// messages grows by many times.
    #[test]
    fn messages_and_items_stay_small() {
        assert!(size_of::<Message>() <= 64, "{}", size_of::<Message>());
        assert!(size_of::<Item>() <= 96, "{}", size_of::<Item>());
        assert!(size_of::<Texts>() <= size_of::<Text>(), "one text needs no more room than itself");
        assert!(size_of::<Text>() <= 48, "{}", size_of::<Text>());
        assert!(size_of::<ItemKind>() <= 16, "{}", size_of::<ItemKind>());
        assert_eq!(size_of::<Option<ItemId>>(), 4);
        assert_eq!(size_of::<Span>(), 8);
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
        assert_eq!(history.pair(ItemId::new(1)), None);
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
