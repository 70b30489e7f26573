//! OpenAI Responses.

use enfold::json::{Kind, Raw};

use super::{Partial, unreadable};
use crate::{Error, Finish, classify, usage};

pub(super) fn whole(root: Raw, partial: &mut Partial) -> Result<(), Error> {
    let output = root.get("output").filter(|output| output.kind() == Kind::Array);
    let output = output.ok_or_else(|| unreadable("there is no `output`", root.text()))?;
    partial.message = output.elements().map(|item| item.text().into()).collect();
    end(root, partial)
}

pub(super) fn event(event: Raw, partial: &mut Partial) -> Result<(), Error> {
    match event.str_at("type").as_deref() {
        Some("response.output_text.delta") => {
            partial.text.push_str(&event.str_at("delta").unwrap_or_default())
        }
        Some("response.refusal.delta") => {
            partial.is_refused = true;
            partial.text.push_str(&event.str_at("delta").unwrap_or_default());
        }
        Some("response.completed" | "response.incomplete" | "response.failed") => {
            return event.get("response").map_or(Ok(()), |response| end(response, partial));
        }
        _ => {}
    }
    Ok(())
}

/// Reads a response that has ended. Text that already came in pieces is not taken twice.
fn end(response: Raw, partial: &mut Partial) -> Result<(), Error> {
    if let Some(error) = response.get("error").filter(|error| !error.is_null()) {
        return Err(classify::inside(error));
    }
    let came_in_pieces = !partial.text.is_empty();
    for item in response.get("output").into_iter().flat_map(Raw::elements) {
        match item.str_at("type").as_deref() {
            Some("message") if !came_in_pieces => message(item, partial),
            Some("function_call" | "custom_tool_call") => partial.has_calls = true,
            _ => {}
        }
    }
    partial.finish = Some(finish(response, partial.has_calls));
    partial.is_ended = true;
    if let Some(usage) = usage::reported(response, "usage") {
        partial.usage = Some(usage::responses(usage));
    }
    Ok(())
}

fn message(item: Raw, partial: &mut Partial) {
    for part in item.get("content").into_iter().flat_map(Raw::elements) {
        match part.str_at("type").as_deref() {
            Some("output_text") => partial.text.push_str(&part.str_at("text").unwrap_or_default()),
            Some("refusal") => {
                partial.is_refused = true;
                partial.text.push_str(&part.str_at("refusal").unwrap_or_default());
            }
            _ => {}
        }
    }
}

fn finish(response: Raw, has_calls: bool) -> Finish {
    let reason = response.at(&["incomplete_details", "reason"]).and_then(Raw::str);
    match (response.str_at("status").as_deref(), reason.as_deref()) {
        (Some("completed"), _) if has_calls => Finish::ToolCall,
        (Some("completed"), _) => Finish::Stop,
        (_, Some("max_output_tokens")) => Finish::Length,
        (_, Some("content_filter")) => Finish::Refusal,
        (_, Some(reason)) => Finish::Other(reason.to_string()),
        (Some(status), None) => Finish::Other(status.to_string()),
        // Servers that imitate this API leave the status out.
        (None, None) if has_calls => Finish::ToolCall,
        (None, None) => Finish::Stop,
    }
}
