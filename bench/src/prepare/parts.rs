//! What a coordinator does, one part after the other, so that each can be timed.

use std::sync::Arc;
use std::time::Instant;

use enfold::Session;
use enfold::count::{Encoding, Tally};
use enfold::folding::policy::Policy;
use enfold::history::History;
use enfold::session::Opening;
use enfold::understand::facts::Facts;
use enfold::view::fold::HandleKey;
use enfold::wire::{OpenAiChat, Wire};
use enfold_store::{At, Entry, NewMessage, Records, Sessions, Sqlite, StoredMessage, StoredSession};
use serde_json::Value;

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
    stored: StoredSession,
    pub(super) messages: Vec<StoredMessage>,
    opening: Option<(u32, Opening)>,
}

impl Rows {
    pub(super) fn read(store: &Sqlite) -> Result<Rows, Failure> {
        let stored = store.session(ID)?.ok_or("the session is stored")?;
        let messages = store.messages(ID, 0..usize::MAX)?;
        let events = store.events(ID)?;
        let opening = match events.iter().rev().find(|event| event.kind == "epoch:open") {
            Some(event) => {
                let data: Value = serde_json::from_str(&event.json)?;
                Some((
                    serde_json::from_value(data["epoch"].clone())?,
                    serde_json::from_value(data["opening"].clone())?,
                ))
            }
            None => None,
        };
        Ok(Rows { stored, messages, opening })
    }

    /// How many messages there were when the view was made.
    fn before(&self) -> usize {
        self.opening.as_ref().map_or(0, |(_, opening)| opening.messages)
    }

    /// A session with the messages of its epoch's first view.
    pub(super) fn begin(&self, limit: usize) -> Result<Session, Failure> {
        let mut session = Session::new(&OpenAiChat, Policy::named("balanced")?, limit)
            .counting_with(Arc::new(Encoding::O200k), Default::default())
            .with_handles(HandleKey::new(&config(limit)?.secret, ID))
            .with_window(limit);
        push(&mut session, &self.messages[..self.before()])?;
        Ok(session)
    }

    /// Makes the view again.
    pub(super) fn reopen(&self, session: &mut Session) {
        if let Some((epoch, opening)) = &self.opening {
            session.reopen(opening, self.stored.compactions.max(*epoch), self.stored.updated);
        }
    }

    /// The messages since.
    pub(super) fn go_on(&self, session: &mut Session) -> Result<(), Failure> {
        push(session, &self.messages[self.before()..])
    }

    /// The session as it was.
    pub(super) fn session(&self, limit: usize) -> Result<Session, Failure> {
        let mut session = self.begin(limit)?;
        self.reopen(&mut session);
        self.go_on(&mut session)?;
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
    let entry = Entry { at: At::Number(number), messages: vec![NewMessage::listed(raw)], ..Entry::default() };
    store.append(ID, &entry, (config(0)?.clock)())?;
    Ok(())
}
