//! The order of things: fold, ask only if that was not enough, store, send.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::Duration;

use bytestring::ByteString;
use enfold::Session;
use enfold::count::Usage;
use enfold::folding::runner::Originals;
use enfold::session::{Arrived, EpochReason, Prepared, Unasked};
use enfold::summary::{Question, Summary};
use enfold::view::fold::Handle;
use enfold::view::trace::Trace;
use enfold_llm::CancellationToken;
use enfold_store::{At, Entry, Error as StoreError, Event, Lease, NewMessage, Store, observe};

use crate::ahead::Ahead;
use crate::flight::{self, Turn};
use crate::reading::{self, Read};
use crate::{Attempt, Config, Error, Ready, Tokens, events};

/// How often to begin again when others write to the same session.
const TRIES: usize = 5;

/// How often to ask for the same summary.
const ASKS: usize = 2;

/// A session that is kept in a store. See the [crate's page](crate).
pub struct Coordinator {
    store: Arc<dyn Store>,
    id: String,
    owner: String,
    config: Config,
    session: Session,
    /// What the store has of it, as far as we know.
    stored: Stored,
    /// To be stored with what comes next.
    usage: Vec<Usage>,
    events: Vec<Event>,
    ahead: Option<Ahead>,
    tools: Tools,
    /// The session made a view that is not stored. If it never is, the session begins again from what is.
    is_ahead_of_store: bool,
}

#[derive(Clone, Copy, PartialEq, Eq)]
struct Stored {
    messages: usize,
    compactions: u32,
    revision: u32,
}

/// The tools that the last view refers to, so that only new messages have to be looked at.
#[derive(Default)]
struct Tools {
    names: BTreeSet<String>,
    /// Messages of the history that the view was made of.
    messages: usize,
}

/// What a prepared request is, without the view, which the session has.
struct Draft {
    unchanged: usize,
    epoch: u32,
    opened: Option<EpochReason>,
    trace: Trace,
    originals: Originals,
    summary: Option<Summary>,
    question: Option<Question>,
}

impl Draft {
    fn of(prepared: Prepared<'_>) -> Draft {
        Draft {
            unchanged: prepared.unchanged,
            epoch: prepared.epoch,
            opened: prepared.opened,
            trace: prepared.trace,
            originals: prepared.originals,
            summary: prepared.summary.cloned(),
            question: prepared.question.cloned(),
        }
    }
}

impl Coordinator {
    /// Opens a session, with everything it was when it was last used; creates it if there is none.
    pub fn open(store: Arc<dyn Store>, id: &str, config: Config) -> Result<Coordinator, Error> {
        let read = reading::read(&*store, id, &config)?;
        Ok(Coordinator {
            store,
            id: id.to_string(),
            owner: flight::owner(),
            config,
            stored: Stored::of(&read),
            session: read.session,
            usage: Vec::new(),
            events: Vec::new(),
            ahead: None,
            tools: Tools::default(),
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
            let at = At::Number(self.stored.messages);
            let entry = Entry { at, messages: vec![message], usage: self.usage.clone(), ..Entry::default() };
            match self.store.append(&self.id, &entry, self.now()) {
                Ok(_) => {
                    self.usage.clear();
                    self.stored.messages += 1;
                    self.session.take(arrived);
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

    /// Opens a fold: the original, byte for byte, of any view there ever was.
    pub fn recall(&mut self, handle: Handle) -> Result<Option<ByteString>, Error> {
        match self.session.recall(handle) {
            Some(original) => Ok(Some(original)),
            None => Ok(self.store.original(&self.id, handle)?),
        }
    }

    /// What to send now: folded if it must be, summarized if folding was not enough. Everything it hides is stored when
    /// this returns. No failure of a model is an error here.
    pub fn prepare(&mut self) -> Result<Ready, Error> {
        self.take_ahead();
        for _ in 0..TRIES {
            self.catch_up()?;
            let draft = Draft::of(self.session.prepare(self.now(), self.config.cache)?);
            self.is_ahead_of_store = true;
            let Some(reason) = draft.opened else {
                let ready = self.record(draft, None, Vec::new())?;
                self.ask_ahead();
                return Ok(ready);
            };
            match flight::turn(&*self.store, &self.id, &self.owner, &self.config)? {
                Turn::WasTheirs => self.read_again()?,
                Turn::Ours(lease) if self.is_moved()? => {
                    self.store.release(&lease)?;
                    self.read_again()?;
                }
                Turn::Ours(mut lease) => match self.compact(draft, reason, &mut lease) {
                    Err(Error::Store(StoreError::LeaseLost { .. } | StoreError::Moved { .. })) => {
                        self.read_again()?;
                    }
                    done => {
                        let released = self.store.release(&lease);
                        // A lease that could not be released ends by itself.
                        return done.inspect(|_| drop(released));
                    }
                },
            }
        }
        Err(Error::Crowded(self.id.clone()))
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next request need not hold,
    /// if that saves much. `None` if there is nothing to do, or somebody else is at it.
    pub fn settle(&mut self) -> Result<Option<Ready>, Error> {
        self.take_ahead();
        self.catch_up()?;
        let now = self.now();
        let Some(draft) = self.session.settle(now).map(Draft::of) else { return Ok(None) };
        self.is_ahead_of_store = true;
        let acquired = self.store.acquire(&self.id, &self.owner, now, self.config.lease)?;
        let enfold_store::Acquired::Lease(lease) = acquired else {
            self.read_again()?;
            return Ok(None);
        };
        let events = events::pruned(now, &draft.trace).into_iter().collect();
        let ready = self.record(draft, Some(&lease), events);
        self.store.release(&lease)?;
        match ready {
            Err(Error::Store(StoreError::LeaseLost { .. } | StoreError::Moved { .. })) => {
                self.read_again()?;
                Ok(None)
            }
            ready => ready.map(Some),
        }
    }

    /// Makes the best of a new epoch and stores it.
    fn compact(&mut self, mut draft: Draft, reason: EpochReason, lease: &mut Lease) -> Result<Ready, Error> {
        let start = events::start(self.now(), draft.trace.before, self.config.window, reason);
        let mut attempts = Vec::new();
        if let Some(question) = draft.question.take()
            && self.ask(&question, lease, &mut attempts)?
        {
            draft = Draft::of(self.session.prepare(self.now(), self.config.cache)?);
        }
        let now = self.now();
        let mut happened = vec![start];
        happened.extend(attempts.iter().map(|attempt| events::failed(now, attempt)));
        happened.extend(events::pruned(now, &draft.trace));
        let reached = self.session.reached_target();
        let history = self.session.history();
        happened.push(events::complete(now, history, &draft.trace, draft.summary.as_ref(), reached));
        Ok(Ready { attempts, ..self.record(draft, Some(lease), happened)? })
    }

    /// Asks for a summary, twice at most. True if the session has one now.
    fn ask(
        &mut self,
        question: &Question,
        lease: &mut Lease,
        attempts: &mut Vec<Attempt>,
    ) -> Result<bool, Error> {
        let round = question.round;
        let mut fail = |class, why: String| attempts.push(Attempt { round, class, why });
        let now = (self.config.clock)();
        let Some(summarizer) = self.config.summarizer.as_mut() else { return Ok(false) };
        if let Some(why) = summarizer.rests(now) {
            fail("breaker_open", why);
            self.session.give_up(&question.key);
            return Ok(false);
        }
        let mut fault: Option<String> = None;
        let mut is_told = false;
        for _ in 0..ASKS {
            // An answer may take nearly as long as the lease lasts.
            match self.store.renew(lease, (self.config.clock)(), self.config.lease)? {
                Some(renewed) => *lease = renewed,
                None => break,
            }
            let Some(call) = summarizer.call(&self.session, question.max_tokens(), fault.as_deref()) else {
                fail("overflow", "the question does not fit the summarizer's window".into());
                break;
            };
            match call.send(&CancellationToken::new()) {
                Ok(told) => match self.session.answer(&question.key, &told.text, &told.ending) {
                    Ok(()) => is_told = true,
                    Err(Unasked::Late) => fail("late", Unasked::Late.to_string()),
                    Err(Unasked::Rejected(why)) => {
                        fail("rejected", why.to_string());
                        fault = Some(why.to_string());
                        continue;
                    }
                },
                Err(error) => fail(error.class(), error.to_string()),
            }
            break;
        }
        summarizer.ended(is_told, now);
        if !is_told {
            self.session.give_up(&question.key);
        }
        Ok(is_told)
    }

    /// Takes in what came of a question asked in the background; waits for it if it is needed now.
    fn take_ahead(&mut self) {
        let Some(ahead) = self.ahead.take() else { return };
        let Some(answer) = ahead.answer(self.session.is_full()) else {
            self.ahead = Some(ahead);
            return;
        };
        let (class, why) = match answer {
            Ok(told) => match self.session.answer(&ahead.key, &told.text, &told.ending) {
                Ok(()) => return,
                Err(Unasked::Late) => ("late", Unasked::Late.to_string()),
                Err(Unasked::Rejected(why)) => ("rejected", why.to_string()),
            },
            Err(error) => (error.class(), error.to_string()),
        };
        self.session.give_up(&ahead.key);
        let attempt = Attempt { round: ahead.round, class, why };
        self.events.push(events::failed(self.now(), &attempt));
    }

    /// Asks for a summary that will be needed soon.
    fn ask_ahead(&mut self) {
        let now = self.now();
        let Some(summarizer) = &self.config.summarizer else { return };
        if self.ahead.is_some() || summarizer.rests(now).is_some() {
            return;
        }
        let Some(question) = self.session.question_ahead() else { return };
        match summarizer.call(&self.session, question.max_tokens(), None) {
            Some(call) => self.ahead = Some(Ahead::ask(&question, call)),
            None => self.session.give_up(&question.key),
        }
    }

    /// Stores what a request hides and what happened; then it may be sent.
    fn record(&mut self, draft: Draft, lease: Option<&Lease>, happened: Vec<Event>) -> Result<Ready, Error> {
        let Draft { unchanged, epoch, opened, trace, originals, summary, .. } = draft;
        let now = self.now();
        let mut all = self.events.clone();
        all.extend(happened);
        let opening = self.session.opening().filter(|_| opened.is_some());
        let opening = opening.map(|opening| events::opening(now, epoch, opening));
        let told = summary.as_ref().zip(self.session.summary_text()).filter(|_| opened.is_some());
        let shown = told.map(|(summary, text)| events::shown(now, epoch, summary, text));
        let history = self.session.history();
        let is_new = opened.is_some() || !originals.is_empty() || trace.folds().next().is_some();
        let recording = is_new
            .then(|| observe::recording(history, self.session.tally(), epoch, opened, &trace, &originals));
        let narrative = summary.as_ref().and_then(|summary| {
            let key = format!("summary:{}", summary.round);
            Some((key, summary.narrative.clone()?)).filter(|_| opened.is_some())
        });
        let entry = Entry {
            at: At::Number(self.stored.messages),
            recording,
            usage: self.usage.clone(),
            answers: narrative.into_iter().collect(),
            events: all.iter().cloned().chain(shown).chain(opening).collect(),
            lease: lease.cloned(),
            ..Entry::default()
        };
        if entry.recording.is_some() || !entry.usage.is_empty() || !entry.events.is_empty() {
            self.store.append(&self.id, &entry, now)?;
            self.usage.clear();
            self.events.clear();
            self.stored.compactions += u32::from(opened.is_some());
        }
        self.is_ahead_of_store = false;
        self.look_for_tools(opened.is_some());
        Ok(Ready {
            head: self.session.head().cloned(),
            messages: self.session.view().to_vec(),
            unchanged,
            tokens: Tokens::of(&trace),
            epoch,
            opened,
            trace,
            summary,
            attempts: Vec::new(),
            reached_target: self.session.reached_target(),
            tools: self.tools.names.clone(),
            events: all,
        })
    }

    /// The tools of the view: all of them when it was made anew, else what its new messages add.
    fn look_for_tools(&mut self, is_anew: bool) {
        if is_anew {
            self.tools = Tools::default();
        }
        for tool in self.session.tools_in_view_from(self.tools.messages) {
            if !self.tools.names.contains(tool) {
                self.tools.names.insert(tool.to_string());
            }
        }
        self.tools.messages = self.session.history().messages().len();
    }

    /// Whether somebody else has written to the session.
    fn is_moved(&self) -> Result<bool, Error> {
        let stored = self.store.session(&self.id)?.ok_or_else(|| StoreError::NoSession(self.id.clone()))?;
        let now =
            Stored { messages: stored.messages, compactions: stored.compactions, revision: stored.revision };
        Ok(now != self.stored)
    }

    fn catch_up(&mut self) -> Result<(), Error> {
        if self.is_ahead_of_store || self.is_moved()? { self.read_again() } else { Ok(()) }
    }

    fn read_again(&mut self) -> Result<(), Error> {
        self.ahead = None;
        let read = reading::read(&*self.store, &self.id, &self.config)?;
        self.stored = Stored::of(&read);
        self.session = read.session;
        self.tools = Tools::default();
        self.is_ahead_of_store = false;
        Ok(())
    }

    fn now(&self) -> Duration {
        (self.config.clock)()
    }
}

impl Stored {
    fn of(read: &Read) -> Stored {
        Stored { messages: read.messages, compactions: read.compactions, revision: read.revision }
    }
}
