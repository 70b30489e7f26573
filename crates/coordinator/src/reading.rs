//! A session out of the store, with the very view it had.

use enfold::Session;
use enfold::history::Slot;
use enfold::view::fold::HandleKey;
use enfold_store::{Error as StoreError, NewSession, Store, StoredMessage, StoredSession};

use crate::{Config, Error, events};

/// A session as the store has it.
pub(crate) struct Read {
    pub(crate) session: Session,
    pub(crate) messages: usize,
    pub(crate) compactions: u32,
    pub(crate) revision: u32,
}

/// Reads a session; creates it if there is none.
pub(crate) fn read(store: &dyn Store, id: &str, config: &Config) -> Result<Read, Error> {
    let stored = match store.session(id)? {
        Some(stored) => stored,
        None => create(store, id, config)?,
    };
    if stored.session.wire != config.wire.name() {
        let (session, asked) = (id.to_string(), config.wire.name());
        return Err(Error::OtherFormat { session, stored: stored.session.wire, asked });
    }
    let messages = store.messages(id, 0..usize::MAX)?;
    let mut session = empty(id, config);
    let opening = events::last_opening(&store.events(id)?);
    let opened = opening.as_ref().map_or(0, |(_, opening)| opening.messages.min(messages.len()));
    let (before, since) = messages.split_at(opened);
    push(&mut session, before)?;
    if let Some((epoch, opening)) = &opening {
        // Views made by hand have numbers too.
        session.reopen(opening, stored.compactions.max(*epoch), stored.updated);
    }
    push(&mut session, since)?;
    Ok(Read { session, messages: messages.len(), compactions: stored.compactions, revision: stored.revision })
}

fn create(store: &dyn Store, id: &str, config: &Config) -> Result<StoredSession, Error> {
    let new = NewSession {
        id: id.to_string(),
        name: id.to_string(),
        wire: config.wire.name().to_string(),
        policy: config.policy.name.clone(),
        model: config.model.clone(),
    };
    match store.create(&new, (config.clock)()) {
        // Another process was quicker.
        Ok(()) | Err(StoreError::SessionExists(_)) => {}
        Err(error) => return Err(error.into()),
    }
    store.session(id)?.ok_or_else(|| StoreError::NoSession(id.to_string()).into())
}

fn empty(id: &str, config: &Config) -> Session {
    let session = Session::new(config.wire, config.policy.clone(), config.limit)
        .counting_with(config.counter.clone(), config.image)
        .with_handles(HandleKey::new(&config.secret, id))
        .with_window(config.window);
    let session = config.templates.iter().cloned().fold(session, Session::with_template);
    if config.summarizer.is_some() { session.asking() } else { session }
}

fn push(session: &mut Session, messages: &[StoredMessage]) -> Result<(), Error> {
    for message in messages {
        match message.slot {
            Slot::List => session.push(message.raw.clone())?,
            Slot::Head => session.push_head(message.raw.clone())?,
        };
    }
    Ok(())
}
