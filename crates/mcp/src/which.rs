//! The session that is meant.
//!
//! A handle is made for one session and opens nothing in another, so it also says which session is meant. Without one it is
//! the session that was named when the server was started, or the one used last.

use bytestring::ByteString;
use enfold::Handle;
use enfold_store::{Store, StoredSession};

use crate::tools::Word;
use crate::{Scope, Unanswered};

/// The session that a call is about.
pub(crate) fn session(
    store: &dyn Store,
    scope: &Scope,
    named: Option<&str>,
    handle: Option<&Word>,
) -> Result<StoredSession, Unanswered> {
    if let (None, Some(word)) = (named, handle) {
        return opened(store, scope, None, word).map(|(session, _)| session);
    }
    let mut sessions = candidates(store, scope, named)?;
    match sessions.is_empty() {
        false => Ok(sessions.swap_remove(0)),
        true => Err(Unanswered::new(
            "the session",
            "nothing has been stored yet",
            "it is stored when the first request goes through Enfold",
        )),
    }
}

/// What a handle opens, and the session it was made for: the newest, where a copy has the same.
pub(crate) fn opened(
    store: &dyn Store,
    scope: &Scope,
    named: Option<&str>,
    word: &Word,
) -> Result<(StoredSession, ByteString), Unanswered> {
    let handle = Handle::parse(&word.to_string()).ok_or_else(|| {
        let remedy = "give the nine digits that stand behind # in this conversation";
        Unanswered::new(format!("`{word}`"), "this is no number of an original", remedy)
    })?;
    for session in candidates(store, scope, named)? {
        if let Some(original) = store.original(&session.session.id, handle)? {
            return Ok((session, original));
        }
    }
    let cause = match named.or(scope.session.as_deref()) {
        Some(id) => format!("session `{id}` has no original of this number"),
        None => "no session has an original of this number".to_string(),
    };
    let remedy = "copy it from this conversation digit by digit, or find the words with search_history";
    Err(Unanswered::new(handle, cause, remedy))
}

/// Sessions that may be meant, the one used last first.
fn candidates(
    store: &dyn Store,
    scope: &Scope,
    named: Option<&str>,
) -> Result<Vec<StoredSession>, Unanswered> {
    let mut sessions = store.sessions()?;
    let Some(id) = scope.session.as_deref().or(named) else {
        sessions.retain(|session| scope.since.is_none_or(|since| session.updated >= since));
        return Ok(sessions);
    };
    // Whoever is bound to a session cannot ask about another.
    let is_other = named.is_some_and(|named| !id.starts_with(named) && !named.starts_with(id));
    sessions.retain(|session| !is_other && session.session.id.starts_with(id));
    if let Some(exact) = sessions.iter().position(|session| session.session.id == id) {
        sessions = vec![sessions.swap_remove(exact)];
    }
    match sessions.len() {
        1 => Ok(sessions),
        0 => {
            let thing = format!("session `{}`", named.unwrap_or(id));
            let remedy = "leave `session` out, or take an id that `enfold sessions list` shows";
            Err(Unanswered::new(thing, "there is none of this id that may be asked about", remedy))
        }
        several => {
            let cause = format!("{several} sessions begin like this");
            Err(Unanswered::new(format!("session `{id}`"), cause, "give more of its id"))
        }
    }
}
