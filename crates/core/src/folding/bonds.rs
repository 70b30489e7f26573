//! What a provider binds together: which items stay as they are while their message stays, which messages stay or leave
//! together, and which may not leave. The one place that passes and the runner ask; what the providers want is in
//! `validate::thinking`.

use std::collections::BTreeSet;

use crate::history::{History, Item, ItemId, ItemKind, MessageId, Role, Slot};
use crate::json::Raw;
use crate::understand::facts::Protection;
use crate::validate::{Around, Thinking, thinking};
use crate::wire::Wire;

/// The bonds of a history.
#[derive(Clone, Debug, Default)]
pub struct Bonds {
    /// Items that are neither changed nor removed while their message stays.
    sealed: BTreeSet<ItemId>,
    /// Messages that stay or leave with the one before them.
    with_previous: BTreeSet<MessageId>,
    /// The first and the newest message of the current turn that begin with thinking.
    leads: Option<(MessageId, MessageId)>,
}

/// Nothing is bound.
pub(crate) static NO_BONDS: Bonds =
    Bonds { sealed: BTreeSet::new(), with_previous: BTreeSet::new(), leads: None };

/// The items of a growing history that carry a signature: each is looked at once.
#[derive(Clone, Debug, Default)]
pub(crate) struct Signed {
    items: BTreeSet<ItemId>,
    /// The first item that was not looked at.
    next: ItemId,
}

impl Signed {
    /// Takes in what the history has more than the last time. O(new items).
    pub(crate) fn update(&mut self, history: &History) {
        for (id, item) in history.items_from(self.next) {
            let may_be = matches!(item.kind, ItemKind::Call(_) | ItemKind::Text);
            if may_be && is_signed(history.raw_of(item)) {
                self.items.insert(id);
            }
        }
        self.next = history.next_item();
    }
}

impl Bonds {
    /// The bonds of the messages from `from` on. O(their size).
    pub fn of(history: &History, from: MessageId, wire: &dyn Wire, around: &Around) -> Bonds {
        Bonds::knowing(history, from, wire, around, None)
    }

    /// The same where it is known what is signed. O(the number of messages).
    pub(crate) fn knowing(
        history: &History,
        from: MessageId,
        wire: &dyn Wire,
        around: &Around,
        signed: Option<&Signed>,
    ) -> Bonds {
        let messages = history.messages().iter().skip(from.index());
        let listed = messages.filter(|message| message.slot == Slot::List);
        let raws = listed.map(|message| Raw::trusted(&message.raw)).collect();
        let thinking = thinking(wire.name(), &around.request(None, raws));
        let mut bonds = Bonds::default();
        bonds.seal_signed(history, from, wire, signed);
        match thinking {
            Thinking::Free => {}
            Thinking::OpenTurn { leads } => bonds.seal_open_turn(history, from, leads),
            Thinking::WithCalls => bonds.seal_with_calls(history, from),
            Thinking::Stored { surely } => bonds.join_stored(history, from, surely),
        }
        bonds
    }

    /// Whether an item stays as it is while its message stays.
    pub(crate) fn is_sealed(&self, item: ItemId) -> bool {
        self.sealed.contains(&item)
    }

    /// Whether a message stays or leaves with the one before it.
    pub(crate) fn is_with_previous(&self, message: MessageId) -> bool {
        self.with_previous.contains(&message)
    }

    /// Whether a message must stay. Where room is short, one message that begins with thinking is enough.
    pub fn holds(&self, message: MessageId, protection: Protection) -> bool {
        self.leads.is_some_and(|(first, newest)| {
            message == newest || (message == first && protection == Protection::Full)
        })
    }

    /// The messages that may have to stay.
    pub(crate) fn held(&self) -> impl Iterator<Item = MessageId> {
        self.leads.into_iter().flat_map(|(first, newest)| [first, newest])
    }

    /// Whether these messages, in order, leave nothing behind that is bound to them.
    pub(crate) fn may_leave(&self, messages: &[MessageId], is_gone: impl Fn(MessageId) -> bool) -> bool {
        if self.with_previous.is_empty() {
            return true;
        }
        let leaves = |id: MessageId| is_gone(id) || messages.binary_search(&id).is_ok();
        messages.iter().all(|id| {
            (!self.is_with_previous(*id) || id.previous().is_some_and(leaves))
                && (!self.is_with_previous(id.next()) || leaves(id.next()))
        })
    }

    /// G4, and the same signatures where other formats carry them: what was signed is not changed.
    fn seal_signed(&mut self, history: &History, from: MessageId, wire: &dyn Wire, known: Option<&Signed>) {
        if !["gemini", "ai-sdk", "openai-chat", "pi-agent-core"].contains(&wire.name()) {
            return;
        }
        let first = history.first_item(from);
        let mut found = Signed { next: first, ..Signed::default() };
        let signed = known.unwrap_or_else(|| {
            found.update(history);
            &found
        });
        self.sealed.extend(signed.items.range(first..));
    }

    /// A16 and A18.
    fn seal_open_turn(&mut self, history: &History, from: MessageId, leads: bool) {
        let speaks = |id: &MessageId| {
            let items = history.items_of(*id);
            history.message(*id).role == Role::User && !items.iter().any(|item| item.result().is_some())
        };
        let messages = MessageId::each(from..history.next_message());
        let start = messages.rev().find(speaks).map_or(from, MessageId::next);
        let is_thought = |item: &Item| matches!(item.kind, ItemKind::Reasoning(_));
        let thought = self.items(history, start).filter(|(_, item)| is_thought(item));
        let thought: Vec<ItemId> = thought.map(|(id, _)| id).collect();
        self.sealed.extend(thought);
        let begins = |id: &MessageId| history.items_of(*id).first().is_some_and(is_thought);
        let mut begin = MessageId::each(start..history.next_message()).filter(begins).filter(|_| leads);
        self.leads = begin.next().map(|first| (first, begin.next_back().unwrap_or(first)));
    }

    /// C6.
    fn seal_with_calls(&mut self, history: &History, from: MessageId) {
        for id in MessageId::each(from..history.next_message()) {
            let items = history.items_of(id);
            if items.iter().any(|item| item.call().is_some()) {
                let ids = history.message(id).item_ids().zip(items);
                self.sealed.extend(
                    ids.filter(|(_, item)| matches!(item.kind, ItemKind::Reasoning(_))).map(|(id, _)| id),
                );
            }
        }
    }

    /// R3. In this format each item is a message.
    fn join_stored(&mut self, history: &History, from: MessageId, surely: bool) {
        let mut led = false;
        for (id, message) in history.messages_from(from.previous().unwrap_or(from)) {
            if led && message.role == Role::Assistant {
                self.with_previous.insert(id);
            }
            let is_reasoning =
                history.items_of(id).iter().any(|item| matches!(item.kind, ItemKind::Reasoning(_)));
            led = is_reasoning && is_stored(&message.raw, surely);
        }
    }

    fn items<'h>(
        &self,
        history: &'h History,
        from: MessageId,
    ) -> impl Iterator<Item = (ItemId, &'h Item)> + use<'h> {
        history.items_from(history.first_item(from))
    }
}

/// A search in the text first: nearly no part has one.
fn is_signed(part: &str) -> bool {
    let names = ["thoughtSignature", "thought_signature"];
    if !names.iter().any(|name| memchr::memmem::find(part.as_bytes(), name.as_bytes()).is_some()) {
        return false;
    }
    let part = Raw::trusted(part);
    let places: [&[&str]; 4] =
        [&[], &["extra_content", "google"], &["providerOptions", "google"], &["providerMetadata", "google"]];
    places
        .iter()
        .filter_map(|place| part.at(place))
        .any(|held| names.iter().any(|name| held.get(name).is_some()))
}

fn is_stored(raw: &str, surely: bool) -> bool {
    let item = Raw::trusted(raw);
    let has = |key: &str| item.get(key).is_some_and(|value| !value.is_null());
    has("id") && (surely || !has("encrypted_content"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::file;

    #[track_caller]
    fn bonds(format: &str, text: &str) -> Bonds {
        let document = file::read_bytes_as(format, text.as_bytes().to_vec()).unwrap();
        Bonds::of(&document.history, MessageId::FIRST, document.wire, &document.around())
    }

    const THOUGHT: &str = r#"{"type":"thinking","thinking":"hm","signature":"s"}"#;

    #[test]
    fn what_was_thought_since_somebody_spoke_stays_with_its_message() {
        let call = |id: &str| format!(r#"{{"type":"tool_use","id":"{id}","name":"ls","input":{{}}}}"#);
        let said = |id: &str| {
            format!(
                r#"{{"role":"assistant","content":[{THOUGHT},{}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"{id}","content":"x"}}]}}"#,
                call(id)
            )
        };
        let user = r#"{"role":"user","content":"go"}"#;
        let text = format!(r#"{{"messages":[{user},{},{user},{},{}]}}"#, said("a"), said("b"), said("c"));
        let found = bonds("anthropic", &text);
        assert_eq!(found.sealed, [5, 8].map(ItemId::new).into(), "not that of the finished turn");
        assert_eq!(found.leads, Some((MessageId::new(4), MessageId::new(6))));
        let adaptive = bonds("anthropic", &text.replacen('{', r#"{"thinking":{"type":"adaptive"},"#, 1));
        assert_eq!((adaptive.sealed.len(), adaptive.leads), (2, None));
        let off = bonds("anthropic", &text.replacen('{', r#"{"thinking":{"type":"disabled"},"#, 1));
        assert_eq!(off.sealed.len(), 0);
    }

    #[test]
    fn a_stored_reasoning_item_and_what_it_led_to_are_one() {
        let items = r#"[{"type":"reasoning","id":"rs_1","summary":[]},{"type":"function_call","id":"fc_1","call_id":"c","name":"f","arguments":"{}"},{"type":"function_call_output","call_id":"c","output":"x"}]"#;
        let kept = bonds("openai-responses", &format!(r#"{{"model":"gpt-5","store":true,"input":{items}}}"#));
        let [first, second, third] = [0, 1, 2].map(MessageId::new);
        assert!(kept.is_with_previous(second) && !kept.is_with_previous(third));
        assert!(!kept.may_leave(&[first], |_| false) && !kept.may_leave(&[second, third], |_| false));
        assert!(kept.may_leave(&[first, second, third], |_| false));
        let unkept =
            bonds("openai-responses", &format!(r#"{{"model":"gpt-5","store":false,"input":{items}}}"#));
        assert!(!unkept.is_with_previous(second));
    }

    #[test]
    fn what_deepseek_thought_before_a_call_stays_with_it() {
        let list = r#"[{"role":"user","content":"go"},{"role":"assistant","reasoning_content":"hm","tool_calls":[{"id":"a","type":"function","function":{"name":"ls","arguments":"{}"}}]},{"role":"tool","tool_call_id":"a","content":"x"},{"role":"assistant","reasoning_content":"so","content":"done"}]"#;
        let found = bonds("openai-chat", &format!(r#"{{"model":"deepseek-reasoner","messages":{list}}}"#));
        assert_eq!(found.sealed, [ItemId::new(1)].into());
        assert_eq!(
            bonds("openai-chat", &format!(r#"{{"model":"gpt-5","messages":{list}}}"#)).sealed,
            [].into()
        );
    }

    #[test]
    fn a_signed_call_is_not_changed() {
        let text = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[
            {"functionCall":{"name":"f","args":{}},"thoughtSignature":"s"},{"functionCall":{"name":"f","args":{}}}]}]}"#;
        assert_eq!(bonds("gemini", text).sealed, [ItemId::new(1)].into());
    }
}
