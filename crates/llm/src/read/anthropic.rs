//! Anthropic Messages.

use enfold::json::{Kind, ObjectWriter, Raw};

use super::{Partial, push_text, unreadable};
use crate::{Error, Finish, usage};

pub(super) fn whole(root: Raw, partial: &mut Partial) -> Result<(), Error> {
    let content = root.get("content").filter(|content| content.kind() == Kind::Array);
    let content = content.ok_or_else(|| unreadable("there is no `content`", root.text()))?;
    push_text(content, &mut partial.text);
    partial.has_calls = content.elements().any(is_call);
    // The answer has more fields than a message may have, and a message without content is refused.
    if content.elements().next().is_some() {
        let message = ObjectWriter::new().string("role", "assistant").raw("content", content).finish();
        partial.message.push(message.into());
    }
    finish(root, partial);
    usage(root, partial);
    partial.is_ended = true;
    Ok(())
}

pub(super) fn event(event: Raw, partial: &mut Partial) -> Result<(), Error> {
    match event.str_at("type").as_deref() {
        Some("message_start") => {
            if let Some(message) = event.get("message") {
                usage(message, partial);
            }
        }
        Some("content_block_start") => {
            let block = event.get("content_block");
            partial.has_calls |= block.is_some_and(is_call);
            partial.text.push_str(&block.and_then(|block| block.str_at("text")).unwrap_or_default());
        }
        Some("content_block_delta") => {
            let delta =
                event.get("delta").filter(|delta| delta.str_at("type").as_deref() == Some("text_delta"));
            partial.text.push_str(&delta.and_then(|delta| delta.str_at("text")).unwrap_or_default());
        }
        Some("message_delta") => {
            if let Some(delta) = event.get("delta") {
                finish(delta, partial);
            }
            usage(event, partial);
        }
        Some("message_stop") => partial.is_ended = true,
        _ => {}
    }
    Ok(())
}

fn is_call(block: Raw) -> bool {
    block.str_at("type").as_deref() == Some("tool_use")
}

fn finish(holder: Raw, partial: &mut Partial) {
    if let Some(reason) = holder.str_at("stop_reason") {
        partial.finish = Some(match &*reason {
            "end_turn" | "stop_sequence" => Finish::Stop,
            "max_tokens" | "model_context_window_exceeded" => Finish::Length,
            "tool_use" => Finish::ToolCall,
            "refusal" => Finish::Refusal,
            other => Finish::Other(other.to_string()),
        });
    }
}

fn usage(holder: Raw, partial: &mut Partial) {
    if let Some(usage) = usage::reported(holder, "usage") {
        partial.usage = Some(usage::anthropic(usage, partial.usage));
    }
}
