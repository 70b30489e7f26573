//! A session that is kept: what comes in and what goes out is stored first.

use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::count::Usage;
use enfold::folding::opener::Opener;
use enfold::history::MessageId;
use enfold::session::{Arrived, Event, Prepared, Synced};
use enfold::view::fold::Handle;
use enfold::{Cache, Envelope, Session};
use enfold_store::{At, Entry, Error as StoreError, Lease, NewMessage, Store, files, observe};
use serde::Serialize;

use crate::ahead::{Ahead, Spent};
use crate::reading::{self, Read};
use crate::{Config, Error, Working, events};

/// How often to begin again when others write to the same session.
const TRIES: usize = 5;

/// A session that is kept in a store. See the [crate's page](crate).
pub struct Coordinator {
    pub(crate) store: Arc<dyn Store>,
    pub(crate) id: String,
    pub(crate) owner: String,
    pub(crate) config: Config,
    pub(crate) session: Session,
    /// What the store has of it, as far as we know.
    stored: Stored,
    /// When a view was last sent.
    sent_at: Option<Duration>,
    /// To be stored with what comes next.
    usage: Vec<Usage>,
    pub(crate) events: Vec<Event>,
    pub(crate) ahead: Option<Ahead>,
    /// The question of a round that was asked ahead in vain.
    pub(crate) spent: Option<Spent>,
    /// The session made a view that is not stored. If it never is, the session begins again from what is.
    pub(crate) is_ahead_of_store: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stored {
    messages: usize,
    compactions: u32,
    revision: u32,
}

impl Stored {
    /// Where the next message goes.
    fn end(&self) -> At {
        At::Number(MessageId::new(self.messages))
    }
}

impl Coordinator {
    /// Opens a session, with everything it was when it was last used; creates it if there is none.
    pub fn open(store: Arc<dyn Store>, id: &str, config: Config) -> Result<Coordinator, Error> {
        let read = reading::read(&*store, id, &config)?;
        Ok(Coordinator {
            store,
            id: id.to_string(),
            owner: owner(),
            config,
            stored: Stored::of(&read),
            sent_at: read.sent_at,
            session: read.session,
            usage: Vec::new(),
            events: Vec::new(),
            ahead: None,
            spent: None,
            is_ahead_of_store: false,
        })
    }

    /// The session itself.
    pub fn session(&self) -> &Session {
        &self.session
    }

    /// Appends a message. When this returns, it is stored; after an error nothing has changed.
    pub fn push(&mut self, message: impl Into<ByteString>) -> Result<(), Error> {
        let arrived = self.session.read(message)?;
        self.append(arrived)
    }

    /// Appends the system prompt of a format that keeps it beside the list of messages.
    pub fn push_head(&mut self, head: impl Into<ByteString>) -> Result<(), Error> {
        let arrived = self.session.read_head(head)?;
        self.append(arrived)
    }

    fn append(&mut self, arrived: Arrived) -> Result<(), Error> {
        for _ in 0..TRIES {
            let raw = arrived.raw().clone();
            let message = NewMessage { slot: arrived.slot(), raw: &raw };
            let at = self.stored.end();
            let entry = Entry { at, messages: vec![message], usage: self.usage.clone(), ..Entry::default() };
            match self.store.append(&self.id, &entry, self.now()) {
                Ok(_) => {
                    self.usage.clear();
                    self.stored.messages += 1;
                    self.session.take(arrived);
                    self.notice();
                    return Ok(());
                }
                Err(StoreError::Moved { .. }) => self.read_again()?,
                Err(error) => return Err(error.into()),
            }
        }
        Err(Error::Crowded(self.id.clone()))
    }

    /// Takes in what the provider charged for the last request.
    pub fn report(&mut self, usage: Usage) {
        self.session.report(usize::try_from(usage.input).unwrap_or(usize::MAX));
        self.usage.push(usage);
    }

    /// Keeps what the provider charged for a request that was not the last view. Nothing is learnt from it about how the
    /// provider counts.
    pub fn charge(&mut self, usage: Usage) {
        self.usage.push(usage);
    }

    /// Writes down what was charged and not stored yet, and what it taught about the provider's counts: nobody knows
    /// whether another request will come, and another process should judge the next one alike. What the host has to note
    /// about it goes with it, in one write.
    pub fn store_usage(&mut self, notes: Vec<enfold_store::Event>) -> Result<(), Error> {
        if !self.usage.is_empty() || !notes.is_empty() {
            // Neither in place of what another process made since, nor what this one made and has not stored.
            let is_newest = !self.is_ahead_of_store && !self.is_moved()?;
            let learnt = is_newest.then(|| json(self.session.calibration()));
            let entry = Entry { usage: self.usage.clone(), events: notes, learnt, ..Entry::default() };
            self.store.append(&self.id, &entry, self.now())?;
            self.usage.clear();
        }
        Ok(())
    }

    /// Opens a fold: the original, byte for byte, of any view there ever was.
    pub fn recall(&mut self, handle: Handle) -> Result<Option<ByteString>, Error> {
        match self.session.recall(handle) {
            Some(original) => Ok(Some(original)),
            None => Ok(self.store.original(&self.id, handle)?),
        }
    }

    /// Takes over a host's whole list of messages: what is new is stored when this returns, and where the host changed
    /// the past, its version stands from there on; what stood there is kept aside.
    pub fn sync<M: Into<ByteString>>(
        &mut self,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Synced, Error> {
        self.catch_up()?;
        let synced = self.session.sync(messages)?;
        self.store_synced(synced)
    }

    /// The same with a host's whole request: its system prompt, and what stands around its messages.
    pub fn sync_request(&mut self, envelope: &Envelope) -> Result<Synced, Error> {
        self.catch_up()?;
        let synced = self.session.sync_request(envelope)?;
        self.store_synced(synced)
    }

    /// The same for a host that keeps the parts of its requests apart: the system prompt of a format that has it beside the
    /// list, the tool definitions (a JSON array), the messages.
    pub fn sync_parts<M: Into<ByteString>>(
        &mut self,
        head: Option<ByteString>,
        tools: Option<ByteString>,
        messages: impl IntoIterator<Item = M>,
    ) -> Result<Synced, Error> {
        self.catch_up()?;
        let synced = self.session.sync_parts(head, tools, messages)?;
        self.store_synced(synced)
    }

    fn store_synced(&mut self, synced: Synced) -> Result<Synced, Error> {
        self.is_ahead_of_store = true;
        let history = self.session.history();
        let at = match synced {
            Synced::Grown(_) => self.stored.end(),
            // With the system prompt, which may be what changed.
            Synced::Rewritten { at: 0 } => At::Instead(MessageId::FIRST),
            Synced::Rewritten { at } => {
                At::Instead(history.listed().nth(at).map_or(history.next_message(), |(id, _)| id))
            }
        };
        let (At::Number(first) | At::Instead(first)) = at else { return Ok(synced) };
        let new = history.messages().iter().skip(first.index());
        let messages: Vec<NewMessage> =
            new.map(|message| NewMessage { slot: message.slot, raw: &message.raw }).collect();
        let is_rewritten = matches!(at, At::Instead(_));
        if is_rewritten || !messages.is_empty() {
            let entry = Entry { at, messages, usage: self.usage.clone(), ..Entry::default() };
            self.store.append(&self.id, &entry, self.now())?;
            self.usage.clear();
        }
        self.stored.messages = history.messages().len();
        self.stored.revision += u32::from(is_rewritten);
        self.is_ahead_of_store = false;
        self.notice();
        Ok(synced)
    }

    /// Tells how the agent can open what is left out: views name it from the next epoch on.
    pub fn set_opener(&mut self, opener: Opener) {
        self.session.set_opener(opener.clone());
        self.config.opener = opener;
    }

    /// Takes in that the provider refused the last view as too long: the next one is shorter. What the provider says that it
    /// counted teaches how it counts; nothing was charged.
    pub fn overflowed(&mut self, counted: Option<usize>) {
        if let Some(counted) = counted {
            self.session.report(counted);
        }
        self.session.overflowed();
    }

    /// The session while an agent works on it: it settles when the work ends, also by an error.
    pub fn work(&mut self) -> Working<'_> {
        Working::new(self)
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next request need not hold,
    /// if that saves much. `None` if there is nothing to do, or somebody else is at it.
    pub fn settle(&mut self) -> Result<Option<Prepared>, Error> {
        self.take_ahead();
        self.catch_up()?;
        let Some(prepared) = self.session.settle() else { return Ok(None) };
        self.is_ahead_of_store = true;
        let acquired = self.store.acquire(&self.id, &self.owner, self.now(), self.config.lease)?;
        let enfold_store::Acquired::Lease(lease) = acquired else {
            self.read_again()?;
            return Ok(None);
        };
        let events = prepared.events.clone();
        let done = self.record(prepared, Some(&lease));
        self.store.release(&lease)?;
        if let Ok(Some(_)) = &done {
            events.iter().for_each(|event| self.tell(event));
        }
        match done {
            Err(Error::Store(StoreError::LeaseLost { .. } | StoreError::Moved { .. })) => {
                self.read_again()?;
                Ok(None)
            }
            done => done,
        }
    }

    /// What the session noticed about what came in is told at once, and stored with what comes next.
    fn notice(&mut self) {
        for event in self.session.noticed() {
            self.tell(&event);
            self.events.push(event);
        }
    }

    pub(crate) fn tell(&self, event: &Event) {
        if let Some(sink) = &self.config.sink {
            sink(&self.id, event);
        }
    }

    /// Asks for a summary that will be needed soon.
    pub(crate) fn ask_ahead(&mut self) {
        let Some(summarizer) = &self.config.summarizer else { return };
        if self.ahead.is_some() || summarizer.rests().is_some() {
            return;
        }
        let Some(question) = self.session.question_ahead() else { return };
        if self.spent.as_ref().is_some_and(|spent| spent.round == question.round) {
            return self.session.give_up(&question.key);
        }
        match summarizer.call(&self.session, question.max_tokens(), None, summarizer.window()) {
            Some(call) => self.ahead = Some(Ahead::ask(&question, call)),
            None => self.session.give_up(&question.key),
        }
    }

    /// Stores what a request hides and what happened; then it may be sent. `None` if it names files that could not be
    /// written: then it is made again without.
    pub(crate) fn record(
        &mut self,
        mut prepared: Prepared,
        lease: Option<&Lease>,
    ) -> Result<Option<Prepared>, Error> {
        if let Some(folder) = &self.config.blobs
            && files::write(Path::new(folder), self.session.history(), &prepared.originals).is_err()
        {
            self.config.blobs = None;
            self.read_again()?;
            return Ok(None);
        }
        let now = self.now();
        prepared.events = self.events.iter().cloned().chain(prepared.events).collect();
        let has_folds = prepared.trace.folds().next().is_some();
        let is_new = prepared.opened.is_some() || !prepared.originals.is_empty() || has_folds;
        let events = prepared.events.iter().map(|event| events::stored(now, event));
        let shown = events::shown(now, &prepared, self.session.summary_text());
        let entry = Entry {
            at: self.stored.end(),
            recording: is_new
                .then(|| observe::recording(self.session.history(), self.session.tally(), &prepared)),
            checkpoint: is_new.then(|| self.session.checkpoint()).flatten().map(|it| json(&it)),
            usage: self.usage.clone(),
            answers: narrative(&prepared).into_iter().collect(),
            events: events.chain(shown).collect(),
            lease: lease.cloned(),
            ..Entry::default()
        };
        if is_new || !entry.usage.is_empty() || !entry.events.is_empty() {
            self.store.append(&self.id, &entry, now)?;
            self.usage.clear();
            self.events.clear();
            self.stored.compactions += u32::from(prepared.opened.is_some());
        }
        self.is_ahead_of_store = false;
        self.sent_at = Some(now);
        Ok(Some(prepared))
    }

    /// Whether the provider still holds what was sent last.
    pub(crate) fn cache(&self) -> Cache {
        let is_kept = self.sent_at.is_some_and(|then| self.now().saturating_sub(then) <= self.config.cache);
        if is_kept { Cache::Warm } else { Cache::Cold }
    }

    /// Whether somebody else has written to the session.
    pub(crate) fn is_moved(&self) -> Result<bool, Error> {
        let stored = self.store.session(&self.id)?.ok_or_else(|| StoreError::NoSession(self.id.clone()))?;
        let now =
            Stored { messages: stored.messages, compactions: stored.compactions, revision: stored.revision };
        Ok(now != self.stored)
    }

    pub(crate) fn catch_up(&mut self) -> Result<(), Error> {
        if self.is_ahead_of_store || self.is_moved()? { self.read_again() } else { Ok(()) }
    }

    pub(crate) fn read_again(&mut self) -> Result<(), Error> {
        self.ahead = None;
        let read = reading::read(&*self.store, &self.id, &self.config)?;
        self.stored = Stored::of(&read);
        self.sent_at = read.sent_at.max(self.sent_at);
        // Requests that came since the session was opened may have brought more than the configuration says.
        self.session = read.session.surrounded_as(&self.session);
        self.is_ahead_of_store = false;
        Ok(())
    }

    pub(crate) fn now(&self) -> Duration {
        (self.config.clock)()
    }
}

impl Stored {
    fn of(read: &Read) -> Stored {
        Stored { messages: read.messages, compactions: read.compactions, revision: read.revision }
    }
}

/// What a model wrote for this epoch, by the round it is for.
fn narrative(prepared: &Prepared) -> Option<(String, String)> {
    let summary = prepared.summary.as_ref().filter(|_| prepared.opened.is_some())?;
    Some((format!("summary:{}", summary.round), summary.narrative.clone()?))
}

fn json(written: &impl Serialize) -> String {
    serde_json::to_string(written).expect("numbers, lists and texts always become JSON")
}

/// A name for this process and value that nobody else has.
fn owner() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nth = COUNT.fetch_add(1, Ordering::Relaxed);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "this machine" } else { host.trim() };
    format!("process {} on {host}, session {nth}", std::process::id())
}
