//! What a coordinator does, one part after the other, so that each can be timed.

use std::sync::Arc;
use std::time::Instant;

use enfold::Session;
use enfold::count::{Encoding, Tally};
use enfold::folding::policy::Policy;
use enfold::history::{History, MessageId};
use enfold::session::Checkpoint;
use enfold::understand::facts::Facts;
use enfold::view::fold::HandleKey;
use enfold::wire::{OpenAiChat, Wire};
use enfold_store::{At, Entry, NewMessage, Records, Sessions, Sqlite, StoredMessage};

use super::{ID, config};
use crate::Failure;

/// Milliseconds of `work`, and what came of it.
pub(super) fn timed<T>(work: impl FnOnce() -> Result<T, Failure>) -> Result<(T, f64), Failure> {
    let start = Instant::now();
    let done = work()?;
    Ok((done, start.elapsed().as_secs_f64() * 1e3))
}

/// What the store has of the session.
pub(super) struct Rows {
    pub(super) messages: Vec<StoredMessage>,
    checkpoint: Option<Checkpoint>,
}

impl Rows {
    pub(super) fn read(store: &Sqlite) -> Result<Rows, Failure> {
        let messages = store.messages(ID, MessageId::ALL)?;
        let checkpoint = store.checkpoint(ID)?.map(|json| serde_json::from_str(&json)).transpose()?;
        Ok(Rows { messages, checkpoint })
    }

    /// A session with its messages.
    pub(super) fn begin(&self, limit: usize) -> Result<Session, Failure> {
        let mut session = Session::new(&OpenAiChat, Policy::named("balanced")?, limit)
            .counting_with(Arc::new(Encoding::O200k), Default::default())
            .with_handles(HandleKey::new(&config(limit)?.secret, ID))
            .with_window(limit);
        push(&mut session, &self.messages)?;
        Ok(session)
    }

    /// Makes the view again.
    pub(super) fn reopen(&self, session: &mut Session) -> Result<(), Failure> {
        if let Some(mut checkpoint) = self.checkpoint.clone() {
            checkpoint.messages = checkpoint.messages.max(session.newest_answer());
            session.reopen(&checkpoint)?;
        }
        Ok(())
    }

    /// The session as it was.
    pub(super) fn session(&self, limit: usize) -> Result<Session, Failure> {
        let mut session = self.begin(limit)?;
        self.reopen(&mut session)?;
        Ok(session)
    }

    /// Milliseconds for parsing, counting and understanding the messages, which a session does message by message.
    pub(super) fn stages(&self) -> Result<[f64; 3], Failure> {
        let (history, parsing) = timed(|| {
            let mut history = History::new();
            for message in &self.messages {
                history.push(message.raw.clone(), OpenAiChat.read_message(&message.raw)?);
            }
            Ok(history)
        })?;
        let tally = || Ok(Tally::of(&history, Arc::new(Encoding::O200k), Default::default()));
        let counting = timed(tally)?.1;
        let understanding = timed(|| Ok(Facts::of(&history)))?.1;
        Ok([parsing, counting, understanding])
    }
}

fn push(session: &mut Session, messages: &[StoredMessage]) -> Result<(), Failure> {
    for message in messages {
        session.push(message.raw.clone())?;
    }
    Ok(())
}

/// Stores one more message.
pub(super) fn store_message(store: &Sqlite, number: usize, raw: &str) -> Result<(), Failure> {
    let entry = Entry {
        at: At::Number(MessageId::new(number)),
        messages: vec![NewMessage::listed(raw)],
        ..Entry::default()
    };
    store.append(ID, &entry, (config(0)?.clock)())?;
    Ok(())
}
