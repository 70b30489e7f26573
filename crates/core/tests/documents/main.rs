//! The five source documents where they are used: over the wire formats, in running sessions, on real sessions. Their
//! numbers and cases one by one are in `document_000.rs` to `document_004.rs`.

#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

#[path = "../support/mod.rs"]
mod support;

mod persisting;
mod priorities;
mod pruning;
mod retention;
mod spelling;
mod table;

use enfold::history::History;
use enfold::json::quote;
use enfold::wire::Wire;

/// What an earlier view told in place of older messages.
const SUMMARY: &str = "<enfold-summary round=\"1\" messages=\"3\">\n[3 earlier messages are not shown #249859711]\n</enfold-summary>";

/// A call and its output, as a format writes them.
fn step(wire: &dyn Wire, id: &str, output: &str) -> Vec<String> {
    let (id, output) = (quote(id), quote(output));
    match wire.name() {
        "openai-chat" => vec![
            format!(
                r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":{id},"type":"function","function":{{"name":"bash","arguments":"{{}}"}}}}]}}"#
            ),
            format!(r#"{{"role":"tool","tool_call_id":{id},"content":{output}}}"#),
        ],
        "anthropic" => vec![
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":{id},"name":"bash","input":{{}}}}]}}"#
            ),
            format!(
                r#"{{"role":"user","content":[{{"type":"tool_result","tool_use_id":{id},"content":{output}}}]}}"#
            ),
        ],
        "openai-responses" => vec![
            format!(r#"{{"type":"function_call","call_id":{id},"name":"bash","arguments":"{{}}"}}"#),
            format!(r#"{{"type":"function_call_output","call_id":{id},"output":{output}}}"#),
        ],
        "ai-sdk" => vec![
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool-call","toolCallId":{id},"toolName":"bash","input":{{}}}}]}}"#
            ),
            format!(
                r#"{{"role":"tool","content":[{{"type":"tool-result","toolCallId":{id},"toolName":"bash","output":{{"type":"text","value":{output}}}}}]}}"#
            ),
        ],
        "gemini" => vec![
            r#"{"role":"model","parts":[{"functionCall":{"name":"bash","args":{}}}]}"#.to_string(),
            format!(
                r#"{{"role":"user","parts":[{{"functionResponse":{{"name":"bash","response":{{"result":{output}}}}}}}]}}"#
            ),
        ],
        "pi-agent-core" => vec![
            format!(
                r#"{{"role":"assistant","content":[{{"type":"toolCall","id":{id},"name":"bash","arguments":{{}}}}]}}"#
            ),
            format!(
                r#"{{"role":"toolResult","toolCallId":{id},"toolName":"bash","content":[{{"type":"text","text":{output}}}],"isError":false}}"#
            ),
        ],
        other => panic!("what does {other} write?"),
    }
}

/// A history of these messages.
fn history(wire: &dyn Wire, messages: &[String]) -> History {
    let mut history = History::new();
    for message in messages {
        let raw = bytestring::ByteString::from(message.as_str());
        let parsed = wire.read_message(&raw).unwrap();
        history.push(raw, parsed);
    }
    history
}
