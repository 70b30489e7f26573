//! Taking over a host's whole list of messages instead of one message after the other.

use bytestring::ByteString;

use super::phase::Phase;
use super::{PushError, Session, is_listed};
use crate::count::weigh;
use crate::history::{ItemId, MessageId, Parsed, Slot};
use crate::json::Raw;
use crate::validate::Around;
use crate::view::changes::Changes;
use crate::wire::is_same;

/// How a list of messages compares with the history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Synced {
    /// It is the history and this many new messages.
    Grown(usize),
    /// It differs from the history from this message of the list on: the host changed the past. What was sent before
    /// that message stays as it was sent; from there on the host's version stands.
    Rewritten {
        /// The first message that differs, counted from 0.
        at: usize,
    },
}

impl Session {
    /// Takes over a host's list of messages: the history as far as it is the same, then what is new. A message in another
    /// spelling is the same: cache markers, a text that was a list with one part, the order of keys, fields that are
    /// `null`. Comparing costs time in proportion to the list, everything else to what is new; where the host changed the
    /// past, what stays of it is read again, which costs as much as the list.
    pub fn sync<M: Into<ByteString>>(
        &mut self,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Synced, PushError> {
        let messages: Vec<ByteString> = messages.into_iter().map(Into::into).collect();
        let known: Vec<MessageId> =
            self.history().message_ids().filter(|id| is_listed(self.history(), *id)).collect();
        let same = known.iter().zip(&messages);
        let same =
            same.take_while(|(id, message)| is_same(&self.history().message(**id).raw, message)).count();
        // All of them first: a list with rubbish in it changes nothing.
        let new: Vec<(ByteString, Parsed)> = messages[same..]
            .iter()
            .map(|message| {
                // One that is cut out of a whole request would keep all of it in memory.
                let own = ByteString::from(message.to_string());
                self.parse(&own).map(|parsed| (own, parsed))
            })
            .collect::<Result<_, _>>()?;
        if same == known.len() {
            let count = new.len();
            self.append_all(new);
            return Ok(Synced::Grown(count));
        }
        self.rewrite(known[same], new);
        Ok(Synced::Rewritten { at: same })
    }

    /// The same for a host that keeps the parts of its requests apart: the system prompt of a format that has it beside the
    /// list, the tool definitions (a JSON array), the messages. What stands around them otherwise stays as it is.
    pub fn sync_parts<M: Into<ByteString>>(
        &mut self,
        head: Option<ByteString>,
        tools: Option<ByteString>,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Synced, PushError> {
        let (around, beside) = self.around_with(tools)?;
        self.sync_whole(around, beside, head, messages.into_iter().map(Into::into).collect())
    }

    /// Tells the tool definitions of the requests, a JSON array: they are counted within the limit, as this session counts.
    pub fn with_tools(mut self, tools: Option<ByteString>) -> Result<Session, PushError> {
        (self.setup.around, self.setup.beside) = self.around_with(tools)?;
        Ok(self)
    }

    /// With the same around the messages as another session of the same setup.
    pub fn surrounded_as(mut self, other: &Session) -> Session {
        (self.setup.around, self.setup.beside) = (other.setup.around.clone(), other.setup.beside);
        self
    }

    /// What stands around the messages with these tools, and how much of it is counted.
    fn around_with(&self, tools: Option<ByteString>) -> Result<(Around, usize), PushError> {
        let around = self.setup.around.clone();
        if around.tools().map(Raw::text) == tools.as_deref() {
            return Ok((around, self.setup.beside));
        }
        let around =
            around.with_tools(tools).map_err(|error| PushError::NotJson(format!("tools: {error}")))?;
        let beside = around.tools().map_or(0, |tools| weigh::count_tools(self.tally().counter(), tools));
        Ok((around, beside))
    }

    /// Takes over a whole request. Another system prompt is another past: everything the provider holds begins with it.
    pub(crate) fn sync_whole(
        &mut self,
        around: Around,
        beside: usize,
        head: Option<ByteString>,
        messages: Vec<ByteString>,
    ) -> Result<Synced, PushError> {
        let known = self.history().messages().iter().find(|message| message.slot == Slot::Head);
        let is_same = match (known, &head) {
            (Some(known), Some(head)) => is_same(&known.raw, head),
            (known, head) => known.is_none() && head.is_none(),
        };
        let arrived = head.filter(|_| !is_same).map(|head| self.read_head(head.to_string())).transpose()?;
        let is_first = self.history().messages().is_empty();
        if !is_same && !is_first {
            // Read first: a list with rubbish in it changes nothing.
            messages.iter().try_for_each(|message| self.parse(message).map(drop))?;
            self.rewrite(MessageId::FIRST, Vec::new());
        }
        if let Some(head) = arrived {
            self.take(head);
        }
        let synced = self.sync(messages)?;
        (self.setup.around, self.setup.beside) = (around, beside);
        Ok(if is_same || is_first { synced } else { Synced::Rewritten { at: 0 } })
    }

    fn append_all(&mut self, new: Vec<(ByteString, Parsed)>) {
        for (raw, parsed) in new {
            self.append(raw, parsed);
        }
    }

    /// Begins a new history: the messages before `at`, then these. The folds of what stays remain, unless one of them
    /// would part a pair or names something that is gone.
    fn rewrite(&mut self, at: MessageId, new: Vec<(ByteString, Parsed)>) {
        let empty = self.past.emptied(at);
        let old = std::mem::replace(&mut self.past, empty);
        let items = old.history().message(at).items.start;
        for original in self.originals.values_mut().chain(self.unstored.values_mut()) {
            original.without(old.history(), at, items);
        }
        let noticed = std::mem::take(&mut self.noticed);
        for message in old.history().messages().iter().take(at.index()) {
            let again = match message.slot {
                Slot::Head => self.push_head(message.raw.clone()),
                Slot::List => self.push(message.raw.clone()),
            };
            debug_assert!(again.is_ok(), "what was taken once is taken again");
        }
        // What stood there before was noticed when it came.
        self.noticed = noticed;
        self.append_all(new);
        self.tools = Default::default();
        let tells_past = self.summaries.truncate(at);
        let mut epoch = match std::mem::take(&mut self.phase).accepted() {
            Phase::Fresh => return,
            Phase::Growing(epoch, _) | Phase::Rewritten(epoch) => epoch,
            Phase::Drafted(draft) => draft.epoch,
        };
        let must_begin_anew =
            tells_past || epoch.state.refers_past(items) || self.parts_a_pair(epoch.state.changes(), at);
        let at = if must_begin_anew { MessageId::FIRST } else { at };
        let listed = MessageId::each(MessageId::FIRST..at).filter(|id| is_listed(self.history(), *id));
        let kept = listed.clone().filter(|id| !epoch.state.changes().is_dropped(*id)).count();
        let listed = listed.count();
        let inserted = epoch.state.changes().inserted().filter(|inserted| inserted.before < at);
        let kept = kept + usize::from(inserted.is_some());
        epoch.state.truncate(at, if must_begin_anew { ItemId::FIRST } else { items });
        epoch.view.truncate(kept, listed);
        epoch.messages = epoch.messages.min(at);
        self.phase = Phase::Rewritten(epoch);
    }

    /// Whether something that was left out before a message has its pair behind it.
    fn parts_a_pair(&self, changes: &Changes, at: MessageId) -> bool {
        let history = self.history();
        let dropped = changes.dropped().filter(|message| *message < at);
        let mut items = dropped.flat_map(|message| history.message(message).item_ids());
        items.any(|item| history.pair(item).is_some_and(|pair| history.item(pair).message >= at))
    }
}
