//! A running session: what to send, request after request.
//!
//! ```text
//! push, push, …  ──►  prepare  ──►  the view: what was sent before, plus what is new
//!                        │
//!                        └─ over the limit, or the cache is cold and the view large: a new epoch. Everything is folded
//!                           at once, well below the limit, so that many requests follow before the next one
//! ```
//!
//! Within an epoch each view is the one before plus new messages, byte for byte: providers keep what was sent in their
//! caches, charge a tenth for it, and some refuse history that changed. Passes that work on arrival shrink a message
//! before it is first sent, which costs no cache.

mod checkpoint;
mod event;
mod for_model;
#[cfg(test)]
mod long;
mod look;
mod past;
mod phase;
mod prepare;
mod prepared;
mod returned;
mod settle;
mod summaries;
mod sync;

use std::collections::BTreeSet;
use std::sync::Arc;

use bytestring::ByteString;

use crate::count::media::ImageRule;
use crate::count::{CachedCounter, Calibration, Counter, Encoding, Tally};
use crate::file;
use crate::folding::opener::Opener;
use crate::folding::persist::{Persist, Remembered};
use crate::folding::policy::Policy;
use crate::history::{History, ItemId, MessageId, Parsed, Role, Slot};
use crate::json::{Kind, Raw};
use crate::summary::{Summaries, Template};
use crate::understand::recalls::is_recall;
use crate::validate::Around;
use crate::view::fold::{Handle, HandleKey};
use crate::view::original::Originals;
use crate::wire::{Misshapen, Wire, check_size};
use past::Past;
use phase::Phase;

pub use checkpoint::{Checkpoint, Mismatch};
pub use event::Event;
pub use for_model::NoSession;
pub(crate) use prepare::Sent;
pub use prepared::{EpochReason, Origin, Prepared};
pub use summaries::{Native, Unasked};
pub use sync::Synced;

/// Counts that a session remembers: a message that comes again is not counted again.
const REMEMBERED_COUNTS: usize = 1 << 16;

/// A running session. Appending and preparing cost work in proportion to what is new; a new epoch, with the default policy, in
/// proportion to the horizon of `fold_by_value`, and next to nothing for each message beyond it.
pub struct Session {
    setup: Setup,
    past: Past,
    /// What was sent, and what is waited for.
    phase: Phase,
    /// The summaries so far.
    summaries: Summaries,
    /// The tools of the view, and of how many messages.
    tools: (Arc<BTreeSet<String>>, MessageId),
    calibration: Calibration,
    /// Everything that any view has hidden.
    originals: Originals,
    /// What was hidden since the last view, to be handed out with the next one.
    unstored: Originals,
    recalled: BTreeSet<Handle>,
    /// Handles that the last view of another process has shown.
    shown: BTreeSet<Handle>,
    /// To be told with the next view.
    noticed: Vec<Event>,
}

/// What stays the same for a session's life.
struct Setup {
    wire: &'static dyn Wire,
    policy: Arc<Policy>,
    /// Tokens a view may take, as the provider counts.
    limit: usize,
    window: usize,
    handles: HandleKey,
    blobs: Option<String>,
    persister: Option<Remembered>,
    opener: Opener,
    templates: Vec<Arc<Template>>,
    around: Around,
    /// Tokens of what the model reads beside the messages.
    beside: usize,
    /// Tokens a view may take since the provider refused a longer one, by our count.
    refused_above: Option<usize>,
}

/// A message that was read and can be taken in.
pub struct Arrived {
    slot: Slot,
    raw: ByteString,
    parsed: Parsed,
}

impl Arrived {
    /// Its exact text.
    pub fn raw(&self) -> &ByteString {
        &self.raw
    }

    /// Where the format puts it.
    pub fn slot(&self) -> Slot {
        self.slot
    }
}

/// A message that cannot be taken in.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum PushError {
    /// It is no JSON.
    #[error("the message is not JSON: {0}")]
    NotJson(String),
    /// It is no message of the session's format.
    #[error("not a message of {format}: {why}")]
    NotAMessage {
        /// The format.
        format: &'static str,
        /// What is wrong with it.
        why: String,
    },
}

impl Session {
    /// A session in a wire format, whose views take at most `limit` tokens. Counts in o200k.
    pub fn new(wire: &'static dyn Wire, policy: impl Into<Arc<Policy>>, limit: usize) -> Session {
        let policy = policy.into();
        let counter = Arc::new(CachedCounter::new(Encoding::O200k, REMEMBERED_COUNTS));
        let past = Past::new(counter, ImageRule::default(), policy.understanding.clone(), limit);
        let setup = Setup {
            wire,
            policy,
            limit,
            window: limit,
            handles: HandleKey::guessable(""),
            blobs: None,
            persister: None,
            opener: Opener::default(),
            templates: Vec::new(),
            around: Around::default(),
            beside: 0,
            refused_above: None,
        };
        Session {
            setup,
            past,
            phase: Phase::Fresh,
            summaries: Summaries::default(),
            tools: Default::default(),
            calibration: Calibration::new(),
            originals: Originals::new(),
            unstored: Originals::new(),
            recalled: BTreeSet::new(),
            shown: BTreeSet::new(),
            noticed: Vec::new(),
        }
    }

    /// Counts with this instead. What is there already is counted again, and what was learnt about the provider's counts, by
    /// the counts there were, is forgotten; so this is best called before the first message.
    pub fn counting_with(mut self, counter: Arc<dyn Counter>, image: ImageRule) -> Session {
        let counter = Arc::new(CachedCounter::new(counter, REMEMBERED_COUNTS));
        self.past.count_with(counter, image);
        self.phase = std::mem::take(&mut self.phase).counted_again(&self.past);
        self.calibration = Calibration::new();
        self.setup.refused_above = None;
        self
    }

    /// Makes handles with this key: a secret per installation and a name per session make them hard to guess. Without it they
    /// are [`HandleKey::guessable`].
    pub fn with_handles(mut self, key: HandleKey) -> Session {
        self.setup.handles = key;
        self.past.forget_stretches();
        self
    }

    /// Names files in this folder in folded texts. The caller writes [`Prepared::originals`] there before it sends.
    pub fn with_blobs(mut self, folder: impl Into<String>) -> Session {
        self.setup.blobs = Some(folder.into());
        self
    }

    /// Hands originals to somebody who keeps them and says where, before the view that names the place is handed out.
    pub fn persisting(mut self, persister: Arc<dyn Persist>) -> Session {
        self.setup.persister = Some(Remembered::new(persister));
        self
    }

    /// Tells how the agent can open what is left out. Views name it from the next epoch on; what was sent stays.
    pub fn set_opener(&mut self, opener: Opener) {
        self.setup.opener = opener;
    }

    /// Notes that the session has changed a file, whatever its messages show: its latest state counts as work. For hosts
    /// with a file tracker of their own; a policy can name such files too.
    pub fn mark_modified(&mut self, path: &str) {
        self.past.mark_modified(path);
    }

    /// Tells the model's whole window, which some passes measure by. Without it the limit is taken for it.
    pub fn with_window(mut self, window: usize) -> Session {
        self.setup.window = window;
        self
    }

    /// Tells what stands around the messages: the fields of the request, its tools, its model. Views are judged in it:
    /// what a provider wants of thinking, for one, depends on the request.
    pub fn with_around(mut self, around: Around) -> Session {
        self.setup.around = around;
        self
    }

    /// Somebody can be asked for summaries: [`Prepared::question`] and [`Session::question_ahead`] ask,
    /// [`Session::answer`] takes what came. Without it summaries are what code can extract.
    pub fn asking(mut self) -> Session {
        self.summaries.asks = true;
        self
    }

    /// Adds a template of the user's own, for summaries. It takes the place of one of the same name.
    pub fn with_template(mut self, template: Arc<Template>) -> Session {
        self.setup.templates.insert(0, template);
        self
    }

    /// Appends a message. O(message).
    pub fn push(&mut self, message: impl Into<ByteString>) -> Result<MessageId, PushError> {
        let arrived = self.read(message)?;
        Ok(self.take(arrived))
    }

    /// Reads a message without taking it in yet.
    pub fn read(&self, message: impl Into<ByteString>) -> Result<Arrived, PushError> {
        let raw = message.into();
        Ok(Arrived { slot: Slot::List, parsed: self.parse(&raw)?, raw })
    }

    /// Reads the system prompt of a format that keeps it beside the list, without taking it in yet.
    pub fn read_head(&self, head: impl Into<ByteString>) -> Result<Arrived, PushError> {
        let raw = head.into();
        self.check(&raw)?;
        let parsed = self.setup.wire.read_head(&raw).map_err(|error| self.refuse(error))?;
        Ok(Arrived { slot: Slot::Head, parsed, raw })
    }

    /// Takes in a message that this session has read.
    pub fn take(&mut self, arrived: Arrived) -> MessageId {
        self.append(arrived.raw, arrived.parsed)
    }

    fn parse(&self, raw: &ByteString) -> Result<Parsed, PushError> {
        self.check(raw)?;
        // An object that the format does not know is the host's own: it leaves as it came. Anything else is a mistake.
        match file::read_any(self.setup.wire, raw) {
            (_, Some(error)) if Raw::trusted(raw).kind() != Kind::Object => Err(self.refuse(error)),
            (parsed, _) => Ok(parsed),
        }
    }

    /// Appends the system prompt of a format that keeps it beside the list of messages.
    pub fn push_head(&mut self, head: impl Into<ByteString>) -> Result<MessageId, PushError> {
        let arrived = self.read_head(head)?;
        Ok(self.take(arrived))
    }

    fn check(&self, raw: &ByteString) -> Result<(), PushError> {
        check_size(raw.len()).map_err(|error| self.refuse(error))?;
        Raw::parse(raw).map(|_| ()).map_err(|error| PushError::NotJson(error.to_string()))
    }

    fn refuse(&self, error: Misshapen) -> PushError {
        PushError::NotAMessage { format: self.setup.wire.title(), why: error.0 }
    }

    fn append(&mut self, raw: ByteString, parsed: Parsed) -> MessageId {
        let message = self.past.push(raw, parsed);
        self.notice(message);
        for item in self.history().message(message).item_ids() {
            if self.is_recalled(item) {
                self.past.recall(item, self.setup.limit / 4);
            }
        }
        message
    }

    /// Whether the item holds what was recalled: its call opens an original, or one of its texts is one that the host opened.
    fn is_recalled(&self, item: ItemId) -> bool {
        if is_recall(self.history(), item) {
            return true;
        }
        if self.recalled.is_empty() {
            return false;
        }
        let texts = self.history().item(item).texts.iter();
        texts
            .map(|text| self.setup.handles.handle(text.value.as_bytes()))
            .any(|handle| self.recalled.contains(&handle))
    }

    /// Opens a fold: the original, byte for byte. When it comes back as the result of a call, it is not folded again
    /// while there is room.
    pub fn recall(&mut self, handle: Handle) -> Option<ByteString> {
        let original = self.original(handle)?;
        self.recalled.insert(handle);
        Some(original)
    }

    /// Takes in how many input tokens (cached ones included) the provider counted for the last view. From then on
    /// the limit is held as the provider counts.
    pub fn report(&mut self, input_tokens: usize) {
        self.calibration.report(self.sent_tokens() + self.setup.beside, input_tokens);
    }

    /// How the provider's counts differ from ours, as far as it reported any.
    pub fn calibration(&self) -> &Calibration {
        &self.calibration
    }

    /// What really happened.
    pub fn history(&self) -> &History {
        self.past.history()
    }

    /// The counts of the history.
    pub fn tally(&self) -> &Tally {
        self.past.tally()
    }

    /// The last view's messages.
    pub fn view(&self) -> &[ByteString] {
        self.phase.epoch().map_or(&[], |epoch| &epoch.view.messages)
    }

    /// The last view's system prompt, where the format keeps it beside the list.
    pub fn head(&self) -> Option<&ByteString> {
        self.phase.epoch()?.head.as_ref()
    }

    /// What the summary in the last view says, if there is one.
    pub fn summary_text(&self) -> Option<&str> {
        let inserted = self.phase.epoch()?.state.changes().inserted();
        inserted.map(|inserted| inserted.text.as_str())
    }

    /// Whether the last epoch came down to its target. One that did not is not tried again before the history has grown.
    pub fn reached_target(&self) -> bool {
        self.phase.epoch().is_none_or(|epoch| epoch.missed.is_none())
    }

    /// Whether the next view will have to be folded anew, as far as can be told without making it.
    pub fn is_full(&self) -> bool {
        let since = MessageId::each(self.sent_messages()..self.past.end());
        let new: usize = since.map(|id| self.tally().message(id)).sum();
        self.setup.policy.epoch.above.is_reached(self.sent_tokens() + new, self.limit())
    }

    /// The epoch of the last view.
    pub fn epoch(&self) -> u32 {
        self.phase.epoch().map_or(0, |epoch| epoch.number)
    }

    /// What a handle opens, byte for byte.
    pub fn original(&self, handle: Handle) -> Option<ByteString> {
        self.originals.get(&handle)?.read(self.history())
    }

    /// Everything that any view has hidden so far, by its handle.
    pub fn originals(&self) -> &Originals {
        &self.originals
    }

    /// The number of the model's newest message: whatever stands before it was sent. 0 if there is none.
    pub fn newest_answer(&self) -> MessageId {
        let answers = |id: &MessageId| self.history().message(*id).role == Role::Assistant;
        self.history().message_ids().rev().find(answers).unwrap_or_default()
    }

    /// Takes in that the provider refused the last view as too long, whatever was counted. From then on views take at
    /// most three quarters of it; the next one is folded anew.
    pub fn overflowed(&mut self) {
        let sent = self.sent_tokens() / 4 * 3;
        self.setup.refused_above = Some(self.setup.refused_above.map_or(sent, |above| above.min(sent)));
    }

    /// Tokens that a view may take, by our count.
    fn limit(&self) -> usize {
        let limit = self.calibration.counted_within(self.setup.limit).saturating_sub(self.setup.beside);
        limit.min(self.setup.refused_above.unwrap_or(limit))
    }

    /// Messages of the history that the last view was made of.
    fn sent_messages(&self) -> MessageId {
        self.phase.epoch().map_or(MessageId::FIRST, |epoch| epoch.messages)
    }

    /// Tokens of the last view.
    fn sent_tokens(&self) -> usize {
        self.phase.epoch().map_or(0, |epoch| epoch.state.tokens())
    }
}

/// The messages of a history that stand in its list.
fn is_listed(history: &History, message: MessageId) -> bool {
    history.message(message).slot == Slot::List
}
