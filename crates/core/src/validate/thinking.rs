//! What a provider wants of the reasoning in a history: which of it may leave, and with what.

use super::model::{Maker, claude, maker};
use super::values::text;
use super::{Request, openai_chat};
use crate::json::Raw;

/// What binds the reasoning of a history.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Thinking {
    /// Nothing: each block may leave by itself.
    Free,
    /// Claude: what was thought since somebody spoke stays with its message (A16); older blocks may leave.
    OpenTurn {
        /// The turn has to begin with thinking (A18).
        leads: bool,
    },
    /// DeepSeek: what was thought before a call stays with it (C6).
    WithCalls,
    /// Stored by the provider: a reasoning item and what it led to stay or leave together (R3).
    Stored {
        /// Whether it is known to be stored. Otherwise an item that brings its encrypted content is not.
        surely: bool,
    },
}

/// What binds the reasoning of a request's history.
pub(crate) fn thinking(wire: &str, request: &Request) -> Thinking {
    match wire {
        "anthropic" => match thinking_type(request).as_deref() {
            Some("disabled") => Thinking::Free,
            Some("enabled") => Thinking::OpenTurn { leads: true },
            // Adaptive thinking may begin a turn without; where nothing is known, the stricter rule is safe.
            kind => Thinking::OpenTurn { leads: kind != Some("adaptive") && !binds_prefix(wire, request) },
        },
        // Whichever provider stands behind these.
        "ai-sdk" | "pi-agent-core" => Thinking::OpenTurn { leads: false },
        "openai-chat" => {
            let is_deepseek = request.model_id().is_some_and(|id| maker(&id) == Maker::DeepSeek);
            let thinks =
                || openai_chat::thinks(request, request.messages.iter().any(|raw| has_thought(*raw)));
            if is_deepseek && thinks() { Thinking::WithCalls } else { Thinking::Free }
        }
        "openai-responses" => match stored(request) {
            Some(false) => Thinking::Free,
            known => Thinking::Stored { surely: known.is_some() },
        },
        _ => Thinking::Free,
    }
}

/// A20: whether thinking is signed together with everything before it, so that it is refused once any of that has changed. A
/// request may ask the provider to drop such blocks instead.
pub(crate) fn binds_prefix(wire: &str, request: &Request) -> bool {
    let binds = || request.model_id().and_then(|id| claude(&id)).is_some_and(|model| model.binds_prefix());
    let behaviour = || {
        let thinking = request.field("thinking")?;
        text(thinking.at(&["block_binding", "prefix_mismatch_behavior"]))
    };
    wire == "anthropic" && binds() && behaviour().as_deref() != Some("drop_block")
}

/// Whether the provider keeps the items; `None` where nothing says so. Requests that do not say are stored.
pub(super) fn stored(request: &Request) -> Option<bool> {
    let store = request.field("store").and_then(Raw::bool);
    store.or(request.is_whole(&["model"]).then_some(true))
}

/// The `type` of the request's `thinking`, where it has one.
pub(super) fn thinking_type(request: &Request) -> Option<String> {
    let thinking = request.field("thinking")?;
    text(thinking.get("type")).map(|kind| kind.into_owned())
}

fn has_thought(message: Raw) -> bool {
    message.get("reasoning_content").is_some_and(|thought| !thought.is_null())
}
