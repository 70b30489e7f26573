//! Summaries of a running session: what a model may be asked, and what becomes of its answer.

use bytestring::ByteString;

use super::phase::{Ahead, Phase};
use super::prepare::Opened;
use super::{EpochReason, Prepared, Session};
use crate::folding::passes::{Cache, Pruning, Summarize};
use crate::folding::runner::run;
use crate::history::MessageId;
use crate::summary::{self, Finish, Question, Rejected};
use crate::view::View;

/// How many hundredths of the limit before an epoch a question may be asked ahead of time.
const AHEAD: u32 = 10;

/// What a model is sent in the native shape: the conversation as it knows it, and an instruction at the end.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
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
#[non_exhaustive]
pub enum Unasked {
    /// No question of that key is waiting: the view was sent meanwhile, or the host changed the past.
    #[error("nobody waits for this answer any more")]
    Late,
    /// The answer is no summary.
    #[error(transparent)]
    Rejected(#[from] Rejected),
}

impl Unasked {
    /// A word for it in events.
    pub fn class(&self) -> &'static str {
        match self {
            Unasked::Late => "late",
            Unasked::Rejected(_) => "rejected",
        }
    }
}

impl Session {
    /// Takes in what a model answered to the question of this key. The next view will tell it.
    pub fn answer(&mut self, key: &str, text: &str, finish: &Finish) -> Result<(), Unasked> {
        let asked = self.phase.asked().filter(|asked| asked.question.key == key).ok_or(Unasked::Late)?;
        let narrative =
            summary::check(&asked.question, asked.replaces, text, finish, self.tally().counter())?;
        self.summaries.ready = Some(asked.answered(narrative));
        self.phase = match std::mem::take(&mut self.phase) {
            // The view that came with the question was not sent.
            Phase::Drafted(draft) => {
                self.summaries.shown = draft.shown;
                self.tools = Default::default();
                draft.before
            }
            other => other.give_up(key),
        };
        Ok(())
    }

    /// A question whose answer will be needed soon, when the view comes near the limit; to be asked in the background.
    /// Looked for once in an epoch, and again only when the history has grown since.
    pub fn question_ahead(&mut self) -> Option<Question> {
        let limit = self.limit();
        let is_near = self.setup.policy.epoch.above.less(AHEAD).is_reached(self.sent_tokens(), limit);
        let Phase::Growing(_, ahead) = &self.phase else { return None };
        let is_time = self.summaries.asks && self.summaries.ready.is_none() && ahead.asked.is_none();
        if !is_time || !is_near || !ahead.looked_at.is_none_or(|since| self.has_grown(since, limit)) {
            return None;
        }
        let (cx, _) = self.epoch_cx(limit, Cache::Warm);
        let view = View::new(self.history(), self.tally());
        let summarize = self.setup.policy.find::<Summarize>();
        let asked = summarize.and_then(|pass| pass.ask_ahead(&view, &cx));
        let question = asked.as_ref().map(|asked| asked.question.clone());
        // Looking costs work in proportion to the history, whether or not there is something to ask.
        let looked_at = Some(self.tally().total());
        if let Phase::Growing(_, ahead) = &mut self.phase {
            *ahead = Ahead { asked, looked_at };
        }
        question
    }

    /// Nobody will answer the question of this key.
    pub fn give_up(&mut self, key: &str) {
        self.phase = std::mem::take(&mut self.phase).give_up(key);
    }

    /// The cheap shape of the waiting question: a system prompt and one text, fitted to the summarizer's window.
    pub fn transcript(&self, window: usize) -> Option<summary::Transcript> {
        self.phase.asked()?.question.transcript(self.history(), self.tally().counter(), window)
    }

    /// The native shape of the waiting question: what was sent last, what came since, and the instruction. Cheap where
    /// the provider still holds the last request. `None` if it does not fit `window` tokens, or nothing was sent yet.
    pub fn native(&self, window: usize) -> Option<Native> {
        let question = &self.phase.asked()?.question;
        let sent = self.phase.sent().filter(|sent| !sent.view.messages.is_empty())?;
        let instruction = question.instruction();
        let view = View::resume(self.history(), self.tally(), sent.state.clone());
        let tokens = view.tokens() + view.count_inserted(&instruction);
        if self.calibration.estimate(tokens).tokens + question.max_tokens() > window {
            return None;
        }
        let mut outgoing = sent.view.clone();
        outgoing.extend(self.history(), view.changes(), sent.messages..self.past.end());
        let mut messages = outgoing.messages.to_vec();
        messages.push(self.setup.wire.user_message(&instruction).into());
        Some(Native { head: sent.head.clone(), messages, tokens })
    }

    /// What clearing old outputs of tools would bring now, by the policy's own `prune_outputs` or the usual one. Nothing is
    /// changed; O(history).
    pub fn pruning(&self) -> Pruning {
        let (cx, _) = self.epoch_cx(self.limit(), Cache::Cold);
        self.setup.policy.pruning(&self.look(), &cx)
    }

    /// To be called when the agent's work is done and the user has the word: folds what the next request need not hold,
    /// if that saves at least a fifth of the limit. Never a new summary.
    pub fn settle(&mut self) -> Option<Prepared> {
        let limit = self.limit();
        let sent =
            self.phase.epoch().filter(|sent| sent.messages > MessageId::FIRST && sent.missed.is_none())?;
        let summaries = summary::Summaries { asks: false, ..self.summaries.clone() };
        let (cx, target) = self.epoch_cx(limit, Cache::Cold);
        let cx = cx.with_summaries(&summaries, &self.setup.templates);
        let opened = Opened::of(run(&self.setup.policy, self.history(), self.tally(), &cx).ok()?, target);
        let known =
            self.summaries.newest().map_or((0, MessageId::FIRST), |known| (known.round, known.through));
        let is_new = opened.summary.as_ref().is_some_and(|it| it.round > known.0 || it.through > known.1);
        let now = View::resume(self.history(), self.tally(), sent.state.clone()).tokens();
        if now.saturating_sub(opened.trace.after) < limit / 5 || is_new {
            return None;
        }
        Some(self.begin(EpochReason::Settled, opened))
    }
}
