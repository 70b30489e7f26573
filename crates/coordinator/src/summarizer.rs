//! Who is asked for summaries, in which shape, how often.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytestring::ByteString;
use enfold::Session;
use enfold::summary::asked_again;
use enfold_llm::{Answer, Api, Ask, Blocking, CancellationToken, Client, Error};
use tokio::sync::oneshot::{self, error::TryRecvError};

/// Who is asked for summaries.
pub struct Summarizer {
    client: Arc<Blocking>,
    api: Api,
    model: String,
    /// Smaller than it was given where the server turned out to take less.
    window: AtomicUsize,
    shape: AskedAs,
}

/// What the summarizer is sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum AskedAs {
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

/// A question that can be sent from any thread.
pub(crate) struct Call {
    client: Arc<Blocking>,
    ask: Ask,
    /// What it takes of the summarizer's window, the answer included, as we count.
    pub(crate) tokens: usize,
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
            window: AtomicUsize::new(window),
            shape: AskedAs::Transcript,
        })
    }

    /// In another shape.
    pub fn shaped(mut self, shape: AskedAs) -> Summarizer {
        self.shape = shape;
        self
    }

    /// Why nobody is asked now, if so. All sessions that ask this endpoint share its breaker.
    pub(crate) fn rests(&self) -> Option<Error> {
        self.client.client().held_back()
    }

    /// Takes in whether a round of questions brought an answer that could be used.
    pub(crate) fn judge(&self, was_useful: bool) {
        self.client.client().judge(was_useful);
    }

    /// The most tokens that its server is thought to take.
    pub(crate) fn window(&self) -> usize {
        self.window.load(Ordering::Relaxed)
    }

    /// Takes in that its server takes a question fitted to so many tokens, after it found a larger one too long.
    pub(crate) fn takes(&self, window: usize) {
        self.window.fetch_min(window, Ordering::Relaxed);
    }

    /// The session's waiting question as a request; `None` if it cannot be fitted to `window` tokens. `fault` says what was
    /// wrong with the answer before.
    pub(crate) fn call(
        &self,
        session: &Session,
        max_tokens: usize,
        fault: Option<&str>,
        window: usize,
    ) -> Option<Call> {
        let again = fault.map(asked_again);
        let native = self.native(session, max_tokens, window);
        let (ask, tokens) = native.or_else(|| self.transcript(session, again.as_deref(), window))?;
        Some(Call { client: self.client.clone(), ask, tokens })
    }

    fn native(&self, session: &Session, max_tokens: usize, window: usize) -> Option<(Ask, usize)> {
        let AskedAs::Native { tools, extra } = &self.shape else { return None };
        let native = session.native(window)?;
        let mut ask = Ask::new(&self.model, u32::try_from(max_tokens).unwrap_or(u32::MAX));
        ask.messages = native.messages;
        ask.tools = tools.clone();
        ask.extra = extra.clone();
        if let (Some(key), Some(head)) = (self.api.wire().shape().head, native.head) {
            ask.extra.push((key.to_string(), head));
        }
        Some((ask, native.tokens + max_tokens))
    }

    fn transcript(&self, session: &Session, again: Option<&str>, window: usize) -> Option<(Ask, usize)> {
        let more = again.map_or(0, |again| session.tally().counter().count(again));
        let mut transcript = session.transcript(window.saturating_sub(more))?;
        transcript.user += again.unwrap_or("");
        let tokens = transcript.tokens + more;
        Some((Ask::of_transcript(self.api, &self.model, transcript), tokens))
    }
}

impl Call {
    /// Waits for the answer.
    pub(crate) fn send(&self, cancel: &CancellationToken) -> Heard {
        Ok(self.client.ask(&self.ask, cancel)?)
    }

    /// Sends it from a thread of its own.
    pub(crate) fn start(self) -> Pending {
        let (tell, heard) = oneshot::channel();
        let cancel = CancellationToken::new();
        let token = cancel.clone();
        // Nobody listens any more if the session was closed meanwhile.
        std::thread::spawn(move || tell.send(self.send(&token)).ok());
        Pending { heard, cancel }
    }
}

/// What came of a question.
pub(crate) type Heard = Result<Answer, Box<Error>>;

/// An answer that is on its way. Dropping it cancels the request.
pub(crate) struct Pending {
    heard: oneshot::Receiver<Heard>,
    cancel: CancellationToken,
}

impl Pending {
    /// The answer, if it is there.
    pub(crate) fn get(&mut self) -> Option<Heard> {
        match self.heard.try_recv() {
            Ok(heard) => Some(heard),
            Err(TryRecvError::Empty) => None,
            Err(TryRecvError::Closed) => Some(Err(Box::new(Error::Cancelled))),
        }
    }

    /// The answer, when it is there.
    pub(crate) async fn wait(mut self) -> Heard {
        (&mut self.heard).await.unwrap_or_else(|_| Err(Box::new(Error::Cancelled)))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        self.cancel.cancel();
    }
}
