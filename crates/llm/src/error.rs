//! What can go wrong, who can fix it, and how.

use std::time::Duration;

/// Why there is no answer. Never holds a key: whatever a server says is searched for it first.
#[derive(Clone, Debug, PartialEq, thiserror::Error)]
pub enum Error {
    /// The client or the question cannot be used as given. For the caller or the operator.
    #[error("{0}")]
    Setup(String),
    /// The key is missing, wrong or not allowed to do this (401, 403). For the operator.
    #[error("the key was not accepted: {0}")]
    Auth(Said),
    /// There is no money left (402, `insufficient_quota`). For the operator.
    #[error("the account has no credit: {0}")]
    Credit(Said),
    /// The provider does not take this request (400, 404, 422 and other 4xx). For the caller.
    #[error("the request was refused: {0}")]
    BadRequest(Said),
    /// The request is longer than the model's window, or too large to be taken. For the caller.
    #[error("the request is too long: {0}")]
    Overflow(Said),
    /// Too many requests or tokens per time (429). Passes.
    #[error("rate limited: {said}")]
    RateLimited {
        /// What the server said.
        said: Said,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// The provider has more to do than it can (503, 529). Passes.
    #[error("the provider is overloaded: {said}")]
    Overloaded {
        /// What the server said.
        said: Said,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// The provider failed (other 5xx, 408, 409). Passes.
    #[error("the provider failed: {said}")]
    Server {
        /// What the server said.
        said: Said,
        /// How long it asked to wait.
        retry_after: Option<Duration>,
    },
    /// The server points elsewhere. Not followed: the key would go along. For the operator.
    #[error("redirected to {to}, which was not followed")]
    Redirected {
        /// Scheme and host of the place pointed to.
        to: String,
    },
    /// The connection could not be made or broke.
    #[error("{message}")]
    Network {
        /// What kind of fault.
        fault: Fault,
        /// Host and reason.
        message: String,
    },
    /// Something did not come in time.
    #[error("no {waiting_for} within {after:?}")]
    Timeout {
        /// What did not come.
        waiting_for: Waiting,
        /// How long the client waited.
        after: Duration,
    },
    /// The answer is longer than the limit; reading stopped there.
    #[error("the answer is longer than {limit} bytes")]
    TooLarge {
        /// The limit in bytes.
        limit: usize,
    },
    /// The answer is not JSON, or not the JSON this API answers with.
    #[error("the answer cannot be read: {why}: {excerpt}")]
    NotJson {
        /// What is wrong with it.
        why: String,
        /// How it begins.
        excerpt: String,
    },
    /// The caller cancelled.
    #[error("cancelled")]
    Cancelled,
    /// Several questions in a row failed, or their answers were of no use; for a while none is sent.
    #[error("not asked: the last questions failed ({because}); trying again in {wait:?}")]
    BreakerOpen {
        /// How long questions are still held back.
        wait: Duration,
        /// Class of the last failure.
        because: &'static str,
    },
}

/// What a server said about a failure.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Said {
    /// HTTP status. `None` for an error that came inside a stream.
    pub status: Option<u16>,
    /// The provider's code or type, such as `context_length_exceeded`.
    pub code: Option<String>,
    /// The field of the request that it is about, where named.
    pub param: Option<String>,
    /// The provider's words, at most 600 characters.
    pub message: String,
    /// The id to quote to the provider's support.
    pub request_id: Option<String>,
}

/// Kinds of connection faults.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Fault {
    /// The name of the host is not known.
    Dns,
    /// Nobody listens there.
    Refused,
    /// The connection ended before the answer did.
    Reset,
    /// No trust: certificate, protocol version.
    Tls,
    /// Anything else.
    Other,
}

/// What the client was waiting for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Waiting {
    /// A connection.
    Connection,
    /// The head of the answer.
    Head,
    /// More of the answer.
    Bytes,
    /// The whole, over all attempts.
    Answer,
}

impl Error {
    /// A short stable name for traces and tables.
    pub fn class(&self) -> &'static str {
        match self {
            Error::Setup(_) => "setup",
            Error::Auth(_) => "auth",
            Error::Credit(_) => "credit",
            Error::BadRequest(_) => "bad_request",
            Error::Overflow(_) => "overflow",
            Error::RateLimited { .. } => "rate_limited",
            Error::Overloaded { .. } => "overloaded",
            Error::Server { .. } => "server",
            Error::Redirected { .. } => "redirected",
            Error::Network { .. } => "network",
            Error::Timeout { .. } => "timeout",
            Error::TooLarge { .. } => "too_large",
            Error::NotJson { .. } => "not_json",
            Error::Cancelled => "cancelled",
            Error::BreakerOpen { .. } => "breaker_open",
        }
    }

    /// What to do about it.
    pub fn remedy(&self) -> &'static str {
        match self {
            Error::Setup(_) => "correct what is named",
            Error::Auth(_) => {
                "check the key in ENFOLD_API_KEY, ANTHROPIC_API_KEY or OPENAI_API_KEY, and that it may use this model"
            }
            Error::Credit(_) => "add credit to the account, or use another key",
            Error::BadRequest(Said { status: Some(404), .. }) => "check the model's name and the base URL",
            Error::BadRequest(_) => "correct the request; sending it again gives the same result",
            Error::Overflow(_) => "send less, or use a model with a larger window",
            Error::RateLimited { .. } => "wait as long as the provider asks, or ask less often",
            Error::Overloaded { .. } | Error::Server { .. } => {
                "try again later; the provider's status page may know more"
            }
            Error::Redirected { .. } => {
                "set the base URL to the place it points to, if you trust it with the key"
            }
            Error::Network { fault: Fault::Dns, .. } => "check the base URL's host and the name service",
            Error::Network { fault: Fault::Refused, .. } => {
                "check that the server runs, and the base URL's port"
            }
            Error::Network { fault: Fault::Tls, .. } => {
                "check the system's certificates, clock, and any proxy in between"
            }
            Error::Network { .. } => "check the connection and the proxy variables, then try again",
            Error::Timeout { .. } => "try again, or allow more time",
            Error::TooLarge { .. } => "ask for less, or allow larger answers",
            Error::NotJson { .. } => "check that the base URL belongs to this API",
            Error::Cancelled => "nothing to do",
            Error::BreakerOpen { .. } => "remove the cause of the failure named, or wait",
        }
    }

    /// True where the same request may work a little later. Everything else fails again and is not retried.
    pub fn is_transient(&self) -> bool {
        match self {
            Error::RateLimited { .. }
            | Error::Overloaded { .. }
            | Error::Server { .. }
            | Error::Timeout { .. }
            | Error::BreakerOpen { .. } => true,
            Error::Network { fault, .. } => *fault != Fault::Tls,
            Error::Setup(_)
            | Error::Auth(_)
            | Error::Credit(_)
            | Error::BadRequest(_)
            | Error::Overflow(_)
            | Error::Redirected { .. }
            | Error::TooLarge { .. }
            | Error::NotJson { .. }
            | Error::Cancelled => false,
        }
    }

    /// How long the provider, or the breaker, asks to wait.
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Error::RateLimited { retry_after, .. }
            | Error::Overloaded { retry_after, .. }
            | Error::Server { retry_after, .. } => *retry_after,
            Error::BreakerOpen { wait, .. } => Some(*wait),
            _ => None,
        }
    }

    /// What the server said, where it said something.
    pub fn said(&self) -> Option<&Said> {
        match self {
            Error::Auth(said) | Error::Credit(said) | Error::BadRequest(said) | Error::Overflow(said) => {
                Some(said)
            }
            Error::RateLimited { said, .. } | Error::Overloaded { said, .. } | Error::Server { said, .. } => {
                Some(said)
            }
            _ => None,
        }
    }

    /// Every text that may have come from a server, for [`crate::Key::scrub`].
    pub(crate) fn texts_mut(&mut self) -> Vec<&mut String> {
        match self {
            Error::Auth(said) | Error::Credit(said) | Error::BadRequest(said) | Error::Overflow(said) => {
                said.texts_mut()
            }
            Error::RateLimited { said, .. } | Error::Overloaded { said, .. } | Error::Server { said, .. } => {
                said.texts_mut()
            }
            Error::Setup(text) | Error::Redirected { to: text } | Error::Network { message: text, .. } => {
                vec![text]
            }
            Error::NotJson { why, excerpt } => vec![why, excerpt],
            Error::Timeout { .. } | Error::TooLarge { .. } | Error::Cancelled | Error::BreakerOpen { .. } => {
                vec![]
            }
        }
    }
}

impl Said {
    fn texts_mut(&mut self) -> Vec<&mut String> {
        let optional = [&mut self.code, &mut self.param, &mut self.request_id];
        optional.into_iter().flatten().chain([&mut self.message]).collect()
    }
}

impl std::fmt::Display for Said {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        match self.message.as_str() {
            "" => f.write_str("no reason given")?,
            message => f.write_str(message)?,
        }
        match (self.status, &self.code) {
            (Some(status), Some(code)) => write!(f, " ({status}, {code})")?,
            (Some(status), None) => write!(f, " ({status})")?,
            (None, Some(code)) => write!(f, " ({code})")?,
            (None, None) => {}
        }
        match &self.request_id {
            Some(id) => write!(f, " [request {id}]"),
            None => Ok(()),
        }
    }
}

impl std::fmt::Display for Waiting {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        f.write_str(match self {
            Waiting::Connection => "connection",
            Waiting::Head => "head of an answer",
            Waiting::Bytes => "further bytes of the answer",
            Waiting::Answer => "answer",
        })
    }
}
