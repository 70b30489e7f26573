//! A session out of the store, with the very view it had.

use std::time::Duration;

use enfold::Session;
use enfold::history::{MessageId, Slot};
use enfold::session::Checkpoint;
use enfold::validate::Around;
use enfold::view::fold::HandleKey;
use enfold_store::{Error as StoreError, NewSession, Store, StoredMessage, StoredSession};

use crate::{Config, Error};

/// A session as the store has it.
pub(crate) struct Read {
    pub(crate) session: Session,
    pub(crate) messages: usize,
    pub(crate) compactions: u32,
    pub(crate) revision: u32,
    /// When a view was last sent.
    pub(crate) sent_at: Option<Duration>,
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
    let messages = store.messages(id, MessageId::ALL)?;
    let mut session = empty(id, config)?;
    push(&mut session, &messages)?;
    let checkpoint = store.checkpoint(id)?.and_then(|json| serde_json::from_str::<Checkpoint>(&json).ok());
    // Whoever got an answer has sent what was there; without a checkpoint, as it stands.
    let answered = Some(session.newest_answer()).filter(|answer| *answer > MessageId::FIRST);
    let checkpoint = checkpoint.or_else(|| answered.map(Checkpoint::unfolded));
    let sent_at = checkpoint.as_ref().map(|_| stored.updated);
    if let Some(mut checkpoint) = checkpoint {
        // Views made by hand have numbers too.
        checkpoint.epoch = checkpoint.epoch.max(stored.compactions);
        // Nothing was folded since, or there would be another checkpoint. What nobody answered may have been sent all the same, by a
        // process that was killed before the answer came: it stays as it is.
        checkpoint.messages = checkpoint.messages.max(session.history().next_message());
        if let Some(learnt) = store.learnt(id)?.and_then(|json| serde_json::from_str(&json).ok()) {
            checkpoint.calibration = learnt;
        }
        // One that is of another past, which the host has rewritten, is of no use: the session begins a new epoch.
        session.reopen(&checkpoint).ok();
    }
    let (messages, compactions, revision) = (messages.len(), stored.compactions, stored.revision);
    Ok(Read { session, messages, compactions, revision, sent_at })
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

fn empty(id: &str, config: &Config) -> Result<Session, Error> {
    let mut session = Session::new(config.wire, config.policy.clone(), config.limit)
        .counting_with(config.counter.clone(), config.image)
        .with_handles(HandleKey::new(&config.secret, id))
        .with_window(config.window)
        .with_around(Around::default().with_model(config.model.as_deref().map(Into::into)))
        .with_tools(config.tools.clone())?;
    session.set_opener(config.opener.clone());
    let session = match &config.blobs {
        Some(folder) => session.with_blobs(folder),
        None => session,
    };
    let session = match &config.persister {
        Some(persister) => session.persisting(persister.clone()),
        None => session,
    };
    let session = config.templates.iter().cloned().fold(session, Session::with_template);
    Ok(if config.summarizer.is_some() { session.asking() } else { session })
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
