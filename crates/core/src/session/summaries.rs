//! Summaries of a running session: what a model may be asked, and what becomes of its answer.

use std::time::Duration;

use bytestring::ByteString;

use super::prepare::{EpochReason, GROWTH, NewEpoch, Prepared};
use super::{Sent, Session};
use crate::folding::passes::{Cache, Cx};
use crate::folding::runner::run;
use crate::summary::{self, Asked, Ending, Question, Rejected, Summary};
use crate::view::View;

/// How many hundredths of the limit before an epoch a question may be asked ahead of time.
const AHEAD: u32 = 10;

/// A question that is waiting for its answer.
pub(super) struct Waiting {
    asked: Asked,
    /// What had been sent before the view that the question came with: the answer makes a better view instead of it.
    before: Option<Box<Before>>,
}

/// A session as it was before an epoch.
pub(super) struct Before {
    sent: Sent,
    shown: Option<Summary>,
}

/// What a model is sent in the native shape: the conversation as it knows it, and an instruction at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Native {
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<ByteString>,
    /// The messages.
    pub messages: Vec<ByteString>,
    /// Their tokens, by our count.
    pub tokens: usize,
}

/// An answer to something that was not asked, or not any more.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Unasked {
    /// No question of that key is waiting: the view was sent meanwhile, or the host changed the past.
    #[error("nobody waits for this answer any more")]
    Late,
    /// The answer is no summary.
    #[error(transparent)]
    Rejected(#[from] Rejected),
}

impl Waiting {
    /// For the view that comes now.
    pub(super) fn for_now(asked: Asked, sent: Sent, shown: Option<Summary>) -> Waiting {
        Waiting { asked, before: Some(Box::new(Before { sent, shown })) }
    }

    /// For a later one.
    fn ahead(asked: Asked) -> Waiting {
        Waiting { asked, before: None }
    }

    pub(super) fn question(&self) -> Option<&Question> {
        self.before.is_some().then_some(&self.asked.question)
    }

    /// Whether the question was about a view that has been sent now.
    pub(super) fn gives_up(&self) -> bool {
        self.before.is_some()
    }
}

impl Session {
    /// Takes in what a model answered to the question of this key. The next view will tell it.
    pub fn answer(&mut self, key: &str, text: &str, ending: &Ending) -> Result<(), Unasked> {
        let waiting = self.waiting.as_ref().filter(|waiting| waiting.asked.question.key == key);
        let asked = &waiting.ok_or(Unasked::Late)?.asked;
        let narrative = summary::check(&asked.question, asked.replaces, text, ending, self.tally.counter())?;
        self.told.ready = Some(asked.answered(narrative));
        if let Some(before) = self.waiting.take().and_then(|waiting| waiting.before) {
            let Before { sent, shown } = *before;
            (self.sent, self.told.shown) = (sent, shown);
        }
        Ok(())
    }

    /// A question whose answer will be needed soon, when the view comes near the limit; to be asked in the background.
    /// Looked for once in an epoch, and again only when the history has grown since.
    pub fn question_ahead(&mut self) -> Option<Question> {
        let limit = self.calibration.counted_within(self.setup.limit);
        let is_near = self.setup.policy.epoch.above.less(AHEAD).is_reached(self.sent.tokens, limit);
        let grown = |since: usize| self.tally.total() > since + limit / GROWTH;
        let is_time = self.told.asks && self.told.ready.is_none() && self.waiting.is_none();
        if !is_time || !is_near || !self.asked_ahead.is_none_or(grown) {
            return None;
        }
        // Looking costs work in proportion to the history, whether or not there is something to ask.
        self.asked_ahead = Some(self.tally.total());
        let (cx, _) = self.epoch_cx(limit, Cache::Warm);
        let view = View::new(&self.history, &self.tally);
        let asked = self.setup.policy.passes.iter().find_map(|step| step.pass.ask_ahead(&view, &cx))?;
        let question = asked.question.clone();
        self.waiting = Some(Waiting::ahead(asked));
        Some(question)
    }

    /// Nobody will answer the question of this key.
    pub fn give_up(&mut self, key: &str) {
        self.waiting.take_if(|waiting| waiting.asked.question.key == key);
    }

    /// The cheap shape of the waiting question: a system prompt and one text, fitted to the summarizer's window.
    pub fn transcript(&self, window: usize) -> Option<summary::Transcript> {
        let question = &self.waiting.as_ref()?.asked.question;
        question.transcript(&self.history, self.tally.counter(), window)
    }

    /// The native shape of the waiting question: what was sent last, what came since, and the instruction. Cheap where
    /// the provider still holds the last request. `None` if it does not fit `window` tokens, or nothing was sent yet.
    pub fn native(&self, window: usize) -> Option<Native> {
        let waiting = self.waiting.as_ref()?;
        let sent = waiting.before.as_ref().map_or(&self.sent, |before| &before.sent);
        if sent.view.is_empty() {
            return None;
        }
        let question = &waiting.asked.question;
        let instruction = question.instruction();
        let view = View::resume(&self.history, &self.tally, sent.state.clone());
        let tokens = view.tokens() + view.count_inserted(&instruction);
        if self.calibration.estimate(tokens).tokens + question.max_tokens() > window {
            return None;
        }
        let mut messages = sent.view.clone();
        messages.extend(super::prepare::listed(&view, sent.messages));
        messages.push(self.setup.wire.user_message(&instruction).into());
        Some(Native { head: sent.head.clone(), messages, tokens })
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next request need not hold,
    /// if that saves at least a fifth of the limit. Never a new summary.
    pub fn settle(&mut self, now: Duration) -> Option<Prepared<'_>> {
        let limit = self.calibration.counted_within(self.setup.limit);
        if self.sent.messages == 0 || self.sent.missed.is_some() {
            return None;
        }
        let told = summary::Told { asks: false, ..self.told.clone() };
        let (cx, target) = self.epoch_cx(limit, Cache::Cold);
        let cx = Cx { told: Some(&told), ..cx };
        let done = run(&self.setup.policy, &self.history, &self.tally, &cx).ok()?;
        let known = self.told.newest().map_or((0, 0), |known| (known.round, known.through));
        let is_new = done.summary.as_ref().is_some_and(|it| it.round > known.0 || it.through > known.1);
        let now_tokens = View::resume(&self.history, &self.tally, self.sent.state.clone()).tokens();
        let saves = now_tokens.saturating_sub(done.trace.after);
        if saves < limit / 5 || is_new {
            return None;
        }
        let epoch = NewEpoch::of(done, target);
        let opening = self.opening_now(limit, Cache::Cold);
        Some(self.begin(EpochReason::Settled, opening, epoch, now))
    }
}
