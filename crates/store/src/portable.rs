//! A session as JSON lines: everything a store knows about it, its messages byte for byte.
//!
//! ```text
//! {"enfold":1}
//! {"session":{"id":"s1","name":"","wire":"openai-chat",…}}
//! {"message":{"number":0,"slot":"list","raw":"{\"role\":\"user\",…}"}}
//! {"epoch":{…,"folds":[…]}}
//! {"original":{"handle":123456789,"is":{"piece":{"message":0,…}}}}
//! {"end":5}
//! ```
//!
//! The last line counts those before it: a copy that was cut off is noticed.

use std::io::{BufRead, Write};
use std::time::Duration;

use enfold::count::Usage;
use serde::{Deserialize, Serialize};

use crate::{Epoch, Error, Event, Original, StoredMessage, StoredSession, Timed};

/// The version of the lines.
const VERSION: u32 = 1;

/// All of a session.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Portable {
    /// Its description. The lease stays behind.
    pub session: StoredSession,
    /// Its messages in order.
    pub messages: Vec<StoredMessage>,
    /// What stood there before the host rewrote the past.
    pub replaced: Vec<Replaced>,
    /// Its epochs with their folds.
    pub epochs: Vec<Epoch>,
    /// What its handles open.
    pub originals: Vec<(u32, Original)>,
    /// Answers: the question's key, the text, when.
    pub answers: Vec<(String, String, Duration)>,
    /// What providers reported.
    pub usage: Vec<Timed<Usage>>,
    /// What happened.
    pub events: Vec<Event>,
    /// What it has sent, as it was last written down.
    pub checkpoint: Option<String>,
    /// What the provider's counts have taught it since.
    pub learnt: Option<String>,
}

/// A message that no longer stands in its session.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Replaced {
    /// The last revision in which it stood.
    pub revision: u32,
    /// The message.
    pub message: StoredMessage,
}

#[derive(Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
enum Line {
    Enfold(u32),
    Session(StoredSession),
    Message(StoredMessage),
    Replaced {
        revision: u32,
        message: StoredMessage,
    },
    Epoch(Epoch),
    Original {
        handle: u32,
        is: Original,
    },
    Answer {
        question: String,
        text: String,
        #[serde(with = "millis")]
        at: Duration,
    },
    Usage(Timed<Usage>),
    Event(Event),
    Checkpoint(String),
    Learnt(String),
    End(usize),
}

impl Portable {
    /// Writes the session as lines.
    pub fn write(&self, out: &mut impl Write) -> std::io::Result<()> {
        let mut written = 0;
        let mut line = |line: &Line| {
            written += 1;
            serde_json::to_writer(&mut *out, line)?;
            out.write_all(b"\n")
        };
        line(&Line::Enfold(VERSION))?;
        line(&Line::Session(self.session.clone()))?;
        for message in &self.messages {
            line(&Line::Message(message.clone()))?;
        }
        for Replaced { revision, message } in &self.replaced {
            line(&Line::Replaced { revision: *revision, message: message.clone() })?;
        }
        for epoch in &self.epochs {
            line(&Line::Epoch(epoch.clone()))?;
        }
        for (handle, original) in &self.originals {
            line(&Line::Original { handle: *handle, is: original.clone() })?;
        }
        for (question, text, at) in &self.answers {
            line(&Line::Answer { question: question.clone(), text: text.clone(), at: *at })?;
        }
        for usage in &self.usage {
            line(&Line::Usage(*usage))?;
        }
        for event in &self.events {
            line(&Line::Event(event.clone()))?;
        }
        if let Some(checkpoint) = &self.checkpoint {
            line(&Line::Checkpoint(checkpoint.clone()))?;
        }
        if let Some(learnt) = &self.learnt {
            line(&Line::Learnt(learnt.clone()))?;
        }
        serde_json::to_writer(&mut *out, &Line::End(written))?;
        out.write_all(b"\n")
    }

    /// Reads a session from lines, whole or not at all.
    pub fn read(input: impl BufRead) -> Result<Portable, Error> {
        let mut portable = Portable::default();
        let (mut has_version, mut has_session, mut lines, mut end) = (false, false, 0, None);
        for (nth, text) in input.lines().enumerate() {
            let refuse = |why: String| Error::Import { line: nth + 1, why };
            let text = text.map_err(|error| refuse(error.to_string()))?;
            if text.trim().is_empty() {
                continue;
            }
            let line: Line = serde_json::from_str(&text).map_err(|error| {
                let what = error.to_string();
                // Each line is read by itself, so that the number in the message would be wrong.
                let what = what.rsplit_once(" at line ").map_or(&*what, |(what, _)| what);
                refuse(format!("{what}; expected a line of `enfold sessions export`"))
            })?;
            lines += 1;
            match line {
                _ if end.is_some() => return Err(refuse("more after the end".into())),
                Line::Enfold(VERSION) => has_version = true,
                Line::Enfold(found) => {
                    return Err(refuse(format!("version {found}, this Enfold knows {VERSION}; update it")));
                }
                _ if !has_version => return Err(refuse("the first line must be {\"enfold\":1}".into())),
                Line::Session(_) if has_session => return Err(refuse("a second session".into())),
                Line::Session(session) => {
                    has_session = true;
                    portable.session = session;
                }
                Line::Message(message) if message.number.index() != portable.messages.len() => {
                    let (found, expected) = (message.number, portable.messages.len());
                    return Err(refuse(format!("message {found} where {expected} was expected")));
                }
                Line::Message(message) => portable.messages.push(message),
                Line::Replaced { revision, message } => {
                    portable.replaced.push(Replaced { revision, message });
                }
                Line::Epoch(epoch) => portable.epochs.push(epoch),
                Line::Original { handle, is } => portable.originals.push((handle, is)),
                Line::Answer { question, text, at } => portable.answers.push((question, text, at)),
                Line::Usage(usage) => portable.usage.push(usage),
                Line::Event(event) => portable.events.push(event),
                Line::Checkpoint(json) => portable.checkpoint = Some(json),
                Line::Learnt(json) => portable.learnt = Some(json),
                Line::End(before) if before + 1 == lines => end = Some(before),
                Line::End(before) => {
                    return Err(refuse(format!(
                        "the end after {} lines, not {before}: some are missing",
                        lines - 1
                    )));
                }
            }
        }
        match (has_session, end) {
            (false, _) => Err(Error::Import { line: 1, why: "no session in it".into() }),
            (true, None) => {
                Err(Error::Import { line: lines + 1, why: "it ends too early: a part is missing".into() })
            }
            (true, Some(_)) => Ok(portable),
        }
    }
}

/// Times as milliseconds since 1970.
pub(crate) mod millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Duration, to: S) -> Result<S::Ok, S::Error> {
        to.serialize_u64(u64::try_from(time.as_millis()).unwrap_or(u64::MAX))
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Duration, D::Error> {
        u64::deserialize(from).map(Duration::from_millis)
    }
}

/// The same, where there may be none.
pub(crate) mod maybe_millis {
    use std::time::Duration;

    use serde::{Deserialize, Deserializer, Serialize, Serializer};

    pub(crate) fn serialize<S: Serializer>(time: &Option<Duration>, to: S) -> Result<S::Ok, S::Error> {
        time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)).serialize(to)
    }

    pub(crate) fn deserialize<'de, D: Deserializer<'de>>(from: D) -> Result<Option<Duration>, D::Error> {
        Option::<u64>::deserialize(from).map(|time| time.map(Duration::from_millis))
    }
}
