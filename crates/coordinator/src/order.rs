//! The order of things until the next request is ready, without any waiting: fold, ask only if that was not enough, store.
//!
//! ```text
//!  begin ──► the session opens no epoch ─────────────────────────────► stored, ready
//!    ▲ │
//!    │ └───► it does ──► whose turn? ──► ours ──► ask, hear ──► stored, ready
//!    │                      │ ▲
//!    └── theirs is done ────┘ └── wait
//! ```
//!
//! [`Coordinator::advance`] goes as far as it can and says what has to happen next; whoever drives it waits and asks in
//! its own way (`drive.rs`). Dropping an [`Order`] half-way gives up the lease, and the session begins again from what is
//! stored.

use std::sync::Arc;
use std::time::Duration;

use enfold::session::{Event, Prepared};
use enfold::summary::{ASKS, Question, SMALLER};
use enfold_store::{Acquired, Error as StoreError, Lease, Store};

use crate::ahead::Spent;
use crate::summarizer::{Call, Heard};
use crate::{Coordinator, Error};

/// How often to begin again when others write to the same session.
const TRIES: usize = 5;

/// How often to look whether another one is done.
const LOOK: Duration = Duration::from_millis(20);

/// What has to happen next.
pub(crate) enum Next {
    /// Nothing: here it is.
    Ready(Box<Prepared>),
    /// Somebody else is at it. Come back after this long.
    Wait(Duration),
    /// Ask this, and [hand over](Order::hear) what came.
    Ask(Call),
}

/// How far it got.
pub(crate) struct Order {
    tries: usize,
    state: State,
}

enum State {
    Begin,
    /// The session has opened an epoch, which one process may do at a time.
    Queue(Box<Queue>),
    /// It is our turn.
    Compact(Box<Compact>),
}

struct Queue {
    prepared: Prepared,
    since: Duration,
    has_waited: bool,
}

struct Compact {
    prepared: Prepared,
    held: Held,
    /// What is still to be asked.
    question: Option<Question>,
    heard: Option<Heard>,
    asked: usize,
    /// What was wrong with the last answer.
    fault: Option<String>,
    failures: Vec<Event>,
    size: Size,
}

/// How large a question may be whose server found it too long.
#[derive(Default)]
struct Size {
    /// What the question took that was asked last.
    tokens: usize,
    /// What it took when it was first too long.
    refused: Option<usize>,
    /// How many of the smaller sizes were tried.
    tried: usize,
    /// What it is fitted to instead of the summarizer's window.
    window: Option<usize>,
}

impl Size {
    /// Goes on to the next smaller size, if there is one.
    fn shrink(&mut self) -> bool {
        let Some(percent) = SMALLER.get(self.tried) else { return false };
        self.tried += 1;
        self.window = Some(*self.refused.get_or_insert(self.tokens) * percent / 100);
        true
    }
}

impl Order {
    pub(crate) fn new() -> Order {
        Order { tries: TRIES, state: State::Begin }
    }

    /// Takes in what came of [`Next::Ask`].
    pub(crate) fn hear(&mut self, heard: Heard) {
        if let State::Compact(compact) = &mut self.state {
            compact.heard = Some(heard);
        }
    }
}

impl Coordinator {
    /// Goes as far as it can.
    pub(crate) fn advance(&mut self, order: &mut Order) -> Result<Next, Error> {
        loop {
            let state = std::mem::replace(&mut order.state, State::Begin);
            let (state, next) = match state {
                State::Begin if !self.take_ahead() => (State::Begin, Some(Next::Wait(LOOK))),
                State::Begin if order.tries == 0 => return Err(Error::Crowded(self.id.clone())),
                State::Begin => {
                    order.tries -= 1;
                    self.begin()?
                }
                State::Queue(queue) => self.queue(queue)?,
                State::Compact(compact) => self.compact(compact)?,
            };
            order.state = state;
            if let Some(next) = next {
                return Ok(next);
            }
        }
    }

    fn begin(&mut self) -> Result<(State, Option<Next>), Error> {
        self.catch_up()?;
        let prepared = self.session.prepare(self.cache())?;
        self.is_ahead_of_store = true;
        if prepared.opened.is_some() {
            let since = self.now();
            let queue = Queue { prepared, since, has_waited: false };
            return Ok((State::Queue(Box::new(queue)), None));
        }
        let ready = self.record(prepared, None)?.map(|prepared| {
            self.ask_ahead();
            Next::Ready(Box::new(prepared))
        });
        Ok((State::Begin, ready))
    }

    /// Waits for its turn, as long as there is patience.
    fn queue(&mut self, mut queue: Box<Queue>) -> Result<(State, Option<Next>), Error> {
        let now = self.now();
        match self.store.acquire(&self.id, &self.owner, now, self.config.lease)? {
            Acquired::Lease(lease) => {
                let held = Held { store: self.store.clone(), lease: Some(lease) };
                // What another process made meanwhile is used.
                if queue.has_waited || self.is_moved()? {
                    drop(held);
                    return self.begin_again();
                }
                let mut prepared = queue.prepared;
                if let Some(start) = prepared.events.first() {
                    self.tell(start);
                }
                let question = prepared.question.take();
                let round = question.as_ref().map(|question| question.round);
                let spent = self.spent.take().filter(|spent| Some(spent.round) == round);
                let asked = usize::from(spent.is_some());
                let fault = spent.and_then(|spent| spent.fault);
                let (heard, failures, size) = (None, Vec::new(), Size::default());
                let compact = Compact { prepared, held, question, heard, asked, fault, failures, size };
                Ok((State::Compact(Box::new(compact)), None))
            }
            Acquired::Held { by, until } if now.saturating_sub(queue.since) > self.config.patience => {
                let left = until.saturating_sub(now);
                Err(Error::BeingCompacted { session: self.id.clone(), by, left })
            }
            Acquired::Held { .. } => {
                queue.has_waited = true;
                Ok((State::Queue(queue), Some(Next::Wait(LOOK))))
            }
        }
    }

    /// Asks until there is an answer or no hope of one, then stores what there is.
    fn compact(&mut self, mut compact: Box<Compact>) -> Result<(State, Option<Next>), Error> {
        let heard = compact.heard.take();
        match self.ask_next(&mut compact, heard) {
            Ok(Some(call)) => return Ok((State::Compact(compact), Some(Next::Ask(call)))),
            Ok(None) => {}
            Err(error) => return self.lost_to_another(error),
        }
        let Compact { mut prepared, held, failures, .. } = *compact;
        let Some(lease) = &held.lease else { return self.begin_again() };
        failures.iter().for_each(|failure| self.tell(failure));
        let rest = prepared.events.split_off(1.min(prepared.events.len()));
        rest.iter().for_each(|event| self.tell(event));
        prepared.events.extend(failures);
        prepared.events.extend(rest);
        match self.record(prepared, Some(lease)) {
            Ok(prepared) => Ok((State::Begin, prepared.map(|it| Next::Ready(Box::new(it))))),
            Err(error) => self.lost_to_another(error),
        }
    }

    /// Another process wrote what we wanted to: it counts.
    fn lost_to_another(&mut self, error: Error) -> Result<(State, Option<Next>), Error> {
        match error {
            Error::Store(StoreError::LeaseLost { .. } | StoreError::Moved { .. }) => self.begin_again(),
            error => Err(error),
        }
    }

    fn begin_again(&mut self) -> Result<(State, Option<Next>), Error> {
        self.read_again()?;
        Ok((State::Begin, None))
    }

    /// Makes use of an answer, and says what to ask next. No failure of a model is an error.
    fn ask_next(&mut self, compact: &mut Compact, heard: Option<Heard>) -> Result<Option<Call>, Error> {
        let Some(question) = compact.question.take() else { return Ok(None) };
        let Some(summarizer) = self.config.summarizer.clone() else { return Ok(None) };
        let mut fail = |class: &str, why: String| {
            compact.failures.push(Event::SummaryFailed { round: question.round, class: class.into(), why });
        };
        if let Some(heard) = heard {
            if let (Ok(_), Some(window)) = (&heard, compact.size.window) {
                summarizer.takes(window);
            }
            let mut is_smaller = false;
            match self.take_answer(&question.key, heard) {
                Ok(()) => {
                    summarizer.judge(true);
                    compact.prepared = self.session.prepare(self.cache())?;
                    return Ok(None);
                }
                Err(failure) => {
                    fail(failure.class, failure.why.clone());
                    if failure.class == "overflow" {
                        // Nothing was answered: what was wrong with an answer before still is.
                        is_smaller = compact.size.shrink();
                        compact.asked -= usize::from(is_smaller);
                    } else {
                        compact.fault = Some(failure.why).filter(|_| failure.class == "rejected");
                    }
                }
            }
            if !is_smaller && (compact.fault.is_none() || compact.asked >= ASKS) {
                if compact.fault.is_some() {
                    summarizer.judge(false);
                }
                self.session.give_up(&question.key);
                return Ok(None);
            }
        }
        if let Some(why) = summarizer.rests() {
            fail(why.class(), why.to_string());
            self.session.give_up(&question.key);
            return Ok(None);
        }
        // An answer may take nearly as long as the lease lasts.
        if !compact.held.renew(self.now(), self.config.lease)? {
            return Ok(None);
        }
        let window = compact.size.window.unwrap_or_else(|| summarizer.window());
        match summarizer.call(&self.session, question.max_tokens(), compact.fault.as_deref(), window) {
            Some(call) => {
                compact.asked += 1;
                compact.size.tokens = call.tokens;
                compact.question = Some(question);
                Ok(Some(call))
            }
            None => {
                // Where the server had found it too long, that is said already.
                if compact.size.refused.is_none() {
                    fail("overflow", "the question does not fit the summarizer's window".into());
                }
                self.session.give_up(&question.key);
                Ok(None)
            }
        }
    }

    /// Hands an answer to the session.
    fn take_answer(&mut self, key: &str, heard: Heard) -> Result<(), Failure> {
        let answer = heard.map_err(|error| Failure { class: error.class(), why: error.to_string() })?;
        let taken = self.session.answer(key, &answer.text, &answer.finish);
        taken.map_err(|why| Failure { class: why.class(), why: why.to_string() })
    }

    /// Takes in what came of a question asked in the background. False while it is needed and not there.
    pub(crate) fn take_ahead(&mut self) -> bool {
        let Some(mut ahead) = self.ahead.take() else { return true };
        let Some(heard) = ahead.get() else {
            self.ahead = Some(ahead);
            return !self.session.is_full();
        };
        if let Err(failure) = self.take_answer(&ahead.key, heard) {
            self.session.give_up(&ahead.key);
            let Failure { class, why } = failure;
            // A question that was too long was not answered: it is asked again in a smaller size.
            if class != "overflow" {
                let fault = (class == "rejected").then(|| why.clone());
                self.spent = Some(Spent { round: ahead.round, fault });
            }
            let event = Event::SummaryFailed { round: ahead.round, class: class.into(), why };
            self.tell(&event);
            self.events.push(event);
        }
        true
    }
}

/// Why an answer is not used.
struct Failure {
    class: &'static str,
    why: String,
}

/// The right to compact, given back at the end however it comes.
struct Held {
    store: Arc<dyn Store>,
    /// None once it was lost to another process.
    lease: Option<Lease>,
}

impl Held {
    /// False if it is lost.
    fn renew(&mut self, now: Duration, length: Duration) -> Result<bool, Error> {
        if let Some(lease) = &self.lease {
            self.lease = self.store.renew(lease, now, length)?;
        }
        Ok(self.lease.is_some())
    }
}

impl Drop for Held {
    fn drop(&mut self) {
        if let Some(lease) = &self.lease {
            // A lease that could not be released ends by itself.
            self.store.release(lease).ok();
        }
    }
}
