//! What each tool answers.

use enfold::count::Encoding;
use enfold::history::{History, MessageId};
use enfold::understand::facts::Facts;
use enfold::understand::file_state::file_at;
use enfold::understand::ledger::Ledger;
use enfold::understand::vocabulary::Vocabulary;
use enfold_store::{Store, StoredSession};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value};

use crate::page::page;
use crate::{Recall, Unanswered, plain, tools, which};

/// Messages that a search shows, if nothing is said, and at most.
const FOUND: usize = 10;
const MOST_FOUND: usize = 50;

/// Tokens of a ledger, below the task.
const LEDGER: usize = 2_000;

impl Recall {
    /// Answers a call. `None` if there is no such tool.
    pub(crate) fn answer(
        &self,
        tool: &str,
        arguments: Map<String, Value>,
    ) -> Option<Result<String, Unanswered>> {
        Some(match tool {
            tools::UNFOLD => taken(arguments).and_then(|wanted| self.unfold(wanted)),
            tools::SEARCH => taken(arguments).and_then(|wanted| self.search(wanted)),
            tools::LEDGER => taken(arguments).and_then(|wanted| self.ledger(wanted)),
            tools::FILE_AT => taken(arguments).and_then(|wanted| self.file_at(wanted)),
            _ => return None,
        })
    }

    fn unfold(&self, wanted: tools::Unfold) -> Result<String, Unanswered> {
        let store = self.store()?;
        let named = wanted.session.as_deref();
        match (&wanted.handle, wanted.message) {
            (Some(handle), None) => {
                let (session, original) = which::opened(&*store, &self.scope, named, handle)?;
                let messages = store.messages(&session.session.id, MessageId::ALL)?;
                let text = plain::original(&session, &messages, &original);
                let handle = handle.to_string();
                Ok(page(&format!("#{}", handle.trim().trim_start_matches('#')), &text, wanted.part))
            }
            (None, Some(number)) => {
                let session = which::session(&*store, &self.scope, named, None)?;
                let missing = || {
                    let cause = format!("session `{}` has {} messages", session.session.id, session.messages);
                    Unanswered::new(format!("message {number}"), cause, "search_history gives their numbers")
                };
                let id = MessageId::new(number.checked_sub(1).ok_or_else(missing)?);
                let found = store.messages(&session.session.id, id..id.next())?;
                let text = plain::text(&plain::history(&session, found.get(..1).ok_or_else(missing)?));
                Ok(page(&format!("message {number}"), &text, wanted.part))
            }
            _ => {
                let remedy = "give `handle`, the nine digits behind # in this conversation, or `message`";
                Err(Unanswered::new("unfold", "either a handle or a message is needed", remedy))
            }
        }
    }

    fn search(&self, wanted: tools::Search) -> Result<String, Unanswered> {
        if !wanted.query.chars().any(char::is_alphanumeric) {
            let thing = format!("query `{}`", wanted.query);
            return Err(Unanswered::new(thing, "there is no word in it", "give letters or digits"));
        }
        let store = self.store()?;
        let named = wanted.session.as_deref();
        let session = which::session(&*store, &self.scope, named, wanted.handle.as_ref())?;
        let limit = wanted.limit.unwrap_or(FOUND).clamp(1, MOST_FOUND);
        let hits = store.search(&session.session.id, &wanted.query, limit)?;
        let about = about(&session);
        if hits.is_empty() {
            return Ok(format!("[{about}: no message holds all of these words]"));
        }
        let line = |hit: &enfold_store::Hit| format!("message {}: {}\n", hit.number.number(), hit.snippet);
        let lines: String = hits.iter().map(line).collect();
        Ok(format!(
            "[{about}: {} found, newest first; unfold with `message` shows one whole]\n{lines}",
            hits.len()
        ))
    }

    fn ledger(&self, wanted: tools::Ledger) -> Result<String, Unanswered> {
        let store = self.store()?;
        let session =
            which::session(&*store, &self.scope, wanted.session.as_deref(), wanted.handle.as_ref())?;
        let history = read(&*store, &session)?;
        let ledger = Ledger::of(&history, &Facts::of(&history));
        let text = ledger.render(&Encoding::O200k, LEDGER);
        Ok(page(&about(&session), &text, tools::Part::default()))
    }

    fn file_at(&self, wanted: tools::FileAt) -> Result<String, Unanswered> {
        let store = self.store()?;
        let named = wanted.session.as_deref();
        let session = which::session(&*store, &self.scope, named, wanted.handle.as_ref())?;
        let history = read(&*store, &session)?;
        let step = wanted.step.unwrap_or(history.steps()).min(history.steps());
        let state = file_at(&history, &Vocabulary::default(), &wanted.path, step).ok_or_else(|| {
            let cause = format!("{} does not touch this file by step {step}", about(&session));
            let remedy = "write the path as the conversation does; session_ledger lists the files";
            Unanswered::new(&wanted.path, cause, remedy)
        })?;
        Ok(page(&format!("{} {}", wanted.path, state.said(step)), &state.content.text(), wanted.part))
    }

    fn store(&self) -> Result<std::sync::Arc<dyn Store>, Unanswered> {
        (self.open)().map_err(|why| Unanswered::new("the store", why, "`enfold doctor` says what to do"))
    }
}

/// Arguments as a tool wants them.
fn taken<A: DeserializeOwned>(arguments: Map<String, Value>) -> Result<A, Unanswered> {
    let read = serde_json::from_value(Value::Object(arguments));
    read.map_err(|why| Unanswered::new("the arguments", why, "the tool's schema says what it takes"))
}

fn read(store: &dyn Store, session: &StoredSession) -> Result<History, Unanswered> {
    let messages = store.messages(&session.session.id, MessageId::ALL)?;
    Ok(plain::history(session, &messages))
}

fn about(session: &StoredSession) -> String {
    format!("session {} of {} messages", session.session.id, session.messages)
}
