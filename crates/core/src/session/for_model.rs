//! A session for a model: its counts, its window, its format.

use std::sync::Arc;

use super::Session;
use crate::count::budget::BudgetError;
use crate::count::models::{Model, Table};
use crate::folding::policy::Policy;
use crate::validate::Around;
use crate::view::fold::HandleKey;
use crate::wire::{Anthropic, Gemini, OpenAiChat, Wire};

/// Why there is no session for a model.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum NoSession {
    /// The reserves take the whole window. The caller can set a limit: [`Session::new`].
    #[error(transparent)]
    Budget(#[from] BudgetError),
}

impl Session {
    /// A session for a model of the table, by its id: counted as the model counts (on the safe side where its vocabulary
    /// is not public), within the part of its window that a history may take, in the format of its provider. A model
    /// that nobody knows gets a window of 128,000 tokens.
    ///
    /// `handles` takes a secret per installation and a name per session, so that nobody can guess a handle.
    pub fn for_model(
        id: &str,
        policy: impl Into<Arc<Policy>>,
        handles: HandleKey,
    ) -> Result<Session, NoSession> {
        let model = Table::shipped().resolve(id).model;
        Session::of_model(&model, wire_of(&model), policy, handles)
    }

    /// The same for a model of your own, in a format of your choice.
    pub fn of_model(
        model: &Model,
        wire: &'static dyn Wire,
        policy: impl Into<Arc<Policy>>,
        handles: HandleKey,
    ) -> Result<Session, NoSession> {
        let policy = policy.into();
        let room = policy.room(Some(model), None)?;
        let session = Session::new(wire, policy, room.limit);
        Ok(session
            .counting_with(model.counter(), model.image)
            .with_window(room.window)
            .with_around(Around::default().with_model(Some(model.id.as_str().into())))
            .with_handles(handles))
    }
}

/// The format that a model's provider takes. Most take OpenAI's.
fn wire_of(model: &Model) -> &'static dyn Wire {
    match model.provider.as_str() {
        "anthropic" => &Anthropic,
        "google" | "gemini" => &Gemini,
        _ => &OpenAiChat,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_model_brings_its_counts_its_window_and_its_format() {
        let policy = || Policy::named("balanced").unwrap();
        let key = || HandleKey::new(b"secret", "session");
        let claude = Session::for_model("claude-sonnet-4-5", policy(), key()).unwrap();
        assert_eq!((claude.setup.wire.name(), claude.setup.window), ("anthropic", 200_000));
        assert!(claude.setup.limit < 200_000 && !claude.tally().counter().is_exact());
        let gpt = Session::for_model("openai/gpt-4o", policy(), key()).unwrap();
        assert_eq!((gpt.setup.wire.name(), gpt.setup.window), ("openai-chat", 128_000));
        assert!(gpt.tally().counter().is_exact());
    }

    #[test]
    fn a_policy_says_how_much_of_the_window_is_used() {
        let session = |id: &str, policy: &str| {
            let key = HandleKey::new(b"secret", "session");
            Session::for_model(id, Policy::named(policy).unwrap(), key).unwrap().setup.limit
        };
        assert_eq!((session("gpt-4o", "balanced"), session("gpt-4o", "summarize")), (116_904, 117_000));
        assert_eq!(session("gpt-4", "summarize"), 4_098, "half of 8,192, and what rounding leaves");
    }
}
