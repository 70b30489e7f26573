//! What a client asks beside its conversation: titles and other questions without tools, its own compaction.

use enfold::Envelope;
use enfold::json::{Kind, Raw};

use crate::identity::Asked;

/// A request with fewer messages and without tools is no agent's work: a title, a question on the side.
pub(crate) const FEW: usize = 4;

/// Whether a request has tools: beside its messages, or, as Codex sends them, among them.
pub(crate) fn has_tools(envelope: &Envelope) -> bool {
    let document = envelope.document();
    let listed = document.tools.as_deref().and_then(|tools| Raw::parse(tools).ok());
    let is_item = |message: &bytestring::ByteString| {
        Raw::parse(message).is_ok_and(|item| item.str_at("type").as_deref() == Some("additional_tools"))
    };
    listed.is_some_and(|tools| tools.elements().next().is_some())
        || envelope.messages().take(FEW).any(is_item)
}

/// Words by which clients ask a model to sum up the conversation, in small letters.
const SUMMING_UP: [&str; 6] = [
    "context checkpoint compaction",
    "<state_snapshot>",
    "respond with text only",
    "create a detailed summary of the conversation",
    "create a detailed summary of our conversation",
    "provide a detailed prompt for continuing our conversation",
];

/// Whether the client is compacting by itself. It relies on the cached prefix: nothing new may be folded in this request.
pub(crate) fn is_compaction(asked: &Asked, envelope: &Envelope) -> bool {
    let says = asked.headers.get("x-codex-turn-metadata").and_then(|value| value.to_str().ok());
    if says.and_then(|says| Raw::parse(says).ok()).and_then(|says| says.str_at("request_kind")).as_deref()
        == Some("compaction")
    {
        return true;
    }
    let Some(last) = envelope.messages().last() else { return false };
    let Ok(last) = Raw::parse(last) else { return false };
    if last.str_at("type").as_deref() == Some("compaction_trigger") {
        return true;
    }
    let content = last.get("content").filter(|_| last.str_at("role").as_deref() == Some("user"));
    let text = content.and_then(|content| match content.kind() {
        Kind::String => content.str().map(|text| text.into_owned()),
        _ => content.elements().last()?.str_at("text").map(|text| text.into_owned()),
    });
    let text = text.unwrap_or_default().to_lowercase();
    SUMMING_UP.iter().any(|words| text.contains(words))
}
