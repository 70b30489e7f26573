//! OpenAI Chat Completions, and what other servers make of it.

use enfold::json::Raw;

use super::{Partial, push_text, unreadable};
use crate::{Error, Finish, usage};

pub(super) fn whole(root: Raw, partial: &mut Partial) -> Result<(), Error> {
    let message = choice(root).and_then(|choice| choice.get("message"));
    let message = message.ok_or_else(|| unreadable("there is no `choices[0].message`", root.text()))?;
    part(message, partial);
    partial.message.push(message.text().into());
    finish(root, partial);
    usage(root, partial);
    partial.is_ended = true;
    Ok(())
}

pub(super) fn event(event: Raw, partial: &mut Partial) -> Result<(), Error> {
    if let Some(delta) = choice(event).and_then(|choice| choice.get("delta")) {
        part(delta, partial);
    }
    finish(event, partial);
    usage(event, partial);
    Ok(())
}

fn choice(root: Raw) -> Option<Raw> {
    root.get("choices")?.elements().next()
}

/// A message, or the piece of one that an event brings.
fn part(message: Raw, partial: &mut Partial) {
    if let Some(content) = message.get("content") {
        push_text(content, &mut partial.text);
    }
    if let Some(refusal) = message.str_at("refusal").filter(|refusal| !refusal.is_empty()) {
        partial.is_refused = true;
        partial.text.push_str(&refusal);
    }
    let calls = message.get("tool_calls").is_some_and(|calls| calls.elements().next().is_some());
    partial.has_calls |= calls || message.get("function_call").is_some_and(|call| !call.is_null());
}

fn finish(root: Raw, partial: &mut Partial) {
    if let Some(reason) =
        choice(root).and_then(|choice| choice.str_at("finish_reason")).filter(|why| !why.is_empty())
    {
        partial.finish = Some(match &*reason {
            "stop" => Finish::Stop,
            "length" => Finish::Length,
            "tool_calls" | "function_call" => Finish::ToolCall,
            "content_filter" => Finish::Refusal,
            other => Finish::Other(other.to_string()),
        });
    }
}

fn usage(root: Raw, partial: &mut Partial) {
    if let Some(usage) = usage::reported(root, "usage") {
        partial.usage = Some(usage::chat(usage));
    }
}
