//! Messages of pi-agent-core: what pi, OpenClaw and agents of one's own keep in memory, and what `transformContext` is given.
//!
//! A result is a message of its own (`toolResult`), calls are parts of the assistant's (`toolCall`), and what an answer cost stands
//! in the message (`usage`). The files that pi writes of such sessions are a transcript, [`crate::transcript`].

mod read;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{Kind, ObjectWriter, Raw};

/// pi-agent-core's `AgentMessage`.
#[derive(Clone, Copy, Debug)]
pub struct PiAgentCore;

impl Wire for PiAgentCore {
    fn name(&self) -> &'static str {
        "pi-agent-core"
    }

    fn title(&self) -> &'static str {
        "pi-agent-core AgentMessage"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "messages",
            head: Some("systemPrompt"),
            marks: &["systemPrompt"],
            schemas: &[],
            needs_tools: false,
            strict_turns: false,
        }
    }

    fn likeness(&self, message: Raw) -> Likeness {
        read::likeness(message)
    }

    fn read_message(&self, raw: &ByteString) -> Result<Parsed, Misshapen> {
        read::message(raw)
    }

    fn read_head(&self, raw: &ByteString) -> Result<Parsed, Misshapen> {
        read::head(raw)
    }

    fn write(&self, history: &History) -> Written {
        write::write(history)
    }

    fn user_message(&self, text: &str) -> String {
        write::user(&crate::json::quote(text))
    }

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        tools::list(tools, |tool| {
            let schema = tool.schema.as_deref().unwrap_or(r#"{"type":"object"}"#);
            tools::named(ObjectWriter::new(), tool).json("parameters", schema).finish()
        })
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let has_schema = |tool: &Raw| tool.get("parameters").is_some_and(|it| it.kind() == Kind::Object);
        let tools = raw.elements().filter(has_schema).filter(|tool| tool.get("type").is_none());
        tools.filter_map(|tool| tools::read(tool, &["parameters"])).collect()
    }
}
