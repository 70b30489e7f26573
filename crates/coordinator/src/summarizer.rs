//! Who is asked for summaries, in which shape, how often.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use bytestring::ByteString;
use enfold::Session;
use enfold::summary::Ending;
use enfold_llm::{Api, Ask, Blocking, CancellationToken, Client, Error};

/// Failed rounds in a row after which nobody is asked for a while.
const BREAKER: u32 = 3;

/// How long that while is.
const PAUSE: Duration = Duration::from_secs(5 * 60);

/// Who is asked for summaries.
pub struct Summarizer {
    client: Arc<Blocking>,
    api: Api,
    model: String,
    window: usize,
    shape: Shape,
    /// Shared by all sessions that ask this one.
    breaker: Mutex<Breaker>,
}

/// Failed rounds in a row, and until when nobody is asked.
#[derive(Default)]
struct Breaker {
    failures: u32,
    until: Duration,
}

/// What the summarizer is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Shape {
    /// The old messages as one text, fitted to its window: for a cheap model.
    Transcript,
    /// The conversation as the agent's own model knows it, and an instruction at the end: for the same model, which
    /// still holds most of it in its cache. What does not fit is sent as a transcript.
    Native {
        /// The tools of the agent's requests, as JSON.
        tools: Option<ByteString>,
        /// Further fields of the agent's requests, as name and JSON value.
        extra: Vec<(String, ByteString)>,
    },
}

/// What came of a question.
pub(crate) struct Told {
    pub(crate) text: String,
    pub(crate) ending: Ending,
}

/// A question that can be sent from any thread.
pub(crate) struct Call {
    client: Arc<Blocking>,
    ask: Ask,
}

impl Summarizer {
    /// Asks this model, which reads at most `window` tokens, in the cheap shape.
    pub fn new(
        client: Client,
        api: Api,
        model: impl Into<String>,
        window: usize,
    ) -> Result<Summarizer, Box<Error>> {
        Ok(Summarizer {
            client: Arc::new(Blocking::new(client).map_err(Box::new)?),
            api,
            model: model.into(),
            window,
            shape: Shape::Transcript,
            breaker: Mutex::default(),
        })
    }

    /// In another shape.
    pub fn shaped(mut self, shape: Shape) -> Summarizer {
        self.shape = shape;
        self
    }

    /// Why nobody is asked now, if so.
    pub(crate) fn rests(&self, now: Duration) -> Option<String> {
        let left = self.breaker().until.saturating_sub(now);
        (!left.is_zero())
            .then(|| format!("not asked: the last {BREAKER} summaries failed; asked again in {left:?}"))
    }

    /// Takes in how a round ended.
    pub(crate) fn ended(&self, well: bool, now: Duration) {
        let mut breaker = self.breaker();
        breaker.failures = if well { 0 } else { breaker.failures + 1 };
        if breaker.failures >= BREAKER {
            *breaker = Breaker { failures: 0, until: now + PAUSE };
        }
    }

    fn breaker(&self) -> MutexGuard<'_, Breaker> {
        // A number and a time are never half written.
        self.breaker.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The session's waiting question as a request; `None` if it cannot be fitted to the summarizer's window. `fault`
    /// says what was wrong with the answer before.
    pub(crate) fn call(&self, session: &Session, max_tokens: usize, fault: Option<&str>) -> Option<Call> {
        let again = fault.map(|why| format!("\n\nAn earlier answer could not be used: {why}."));
        let ask = self.native(session, max_tokens).or_else(|| self.transcript(session, again.as_deref()))?;
        Some(Call { client: self.client.clone(), ask })
    }

    fn native(&self, session: &Session, max_tokens: usize) -> Option<Ask> {
        let Shape::Native { tools, extra } = &self.shape else { return None };
        let native = session.native(self.window)?;
        let mut ask = Ask::new(&self.model, u32::try_from(max_tokens).unwrap_or(u32::MAX));
        ask.messages = native.messages;
        ask.tools = tools.clone();
        ask.extra = extra.clone();
        if let (Some(key), Some(head)) = (self.api.wire().shape().head, native.head) {
            ask.extra.push((key.to_string(), head));
        }
        Some(ask)
    }

    fn transcript(&self, session: &Session, again: Option<&str>) -> Option<Ask> {
        let room =
            self.window.saturating_sub(again.map_or(0, |again| session.tally().counter().count(again)));
        let mut transcript = session.transcript(room)?;
        transcript.user += again.unwrap_or("");
        Some(Ask::of_transcript(self.api, &self.model, transcript))
    }
}

impl Call {
    pub(crate) fn send(&self, cancel: &CancellationToken) -> Result<Told, Box<Error>> {
        let answer = self.client.ask(&self.ask, cancel)?;
        Ok(Told { text: answer.text, ending: answer.finish.into() })
    }
}
