//! Messages of OpenAI Chat, put together from pieces of JSON.

use crate::json::{ObjectWriter, Raw, quote};

/// A message of a role with content that is JSON already.
pub(super) fn said(role: &str, content: &str) -> String {
    ObjectWriter::new().string("role", role).json("content", content).finish()
}

/// An assistant message; parts that are `None` or empty are left out.
pub(super) fn assistant(reasoning: Option<Raw>, content: Option<&str>, calls: &[String]) -> String {
    let mut message = ObjectWriter::new().string("role", "assistant");
    if let Some(reasoning) = reasoning {
        message = message.raw("reasoning_content", reasoning);
    }
    message = message.json("content", content.unwrap_or("null"));
    if !calls.is_empty() {
        message = message.array("tool_calls", calls);
    }
    message.finish()
}

/// A call; `arguments` is the JSON string literal that holds them.
pub(super) fn call(id: &str, name: &str, arguments: &str) -> String {
    let function = ObjectWriter::new().string("name", name).json("arguments", arguments).finish();
    ObjectWriter::new().string("id", id).string("type", "function").json("function", &function).finish()
}

/// A call of a shell with one command.
pub(super) fn command(id: &str, name: &str, command: &str) -> String {
    call(id, name, &quote(&ObjectWriter::new().string("command", command).finish()))
}

/// A result with content that is JSON already.
pub(super) fn result(call: &str, name: Option<&str>, content: &str) -> String {
    let mut message = ObjectWriter::new().string("role", "tool").string("tool_call_id", call);
    if let Some(name) = name {
        message = message.string("name", name);
    }
    message.json("content", content).finish()
}
