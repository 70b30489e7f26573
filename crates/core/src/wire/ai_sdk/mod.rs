//! Vercel AI SDK messages: `ModelMessage` of v6, and on input also v5, v4 (`args`, `result`) and the `UIMessage`s of
//! both.

mod read;
mod read_ui;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{Kind, ObjectWriter, Raw};

/// Vercel AI SDK `ModelMessage`.
#[derive(Clone, Copy, Debug)]
pub struct AiSdk;

impl Wire for AiSdk {
    fn name(&self) -> &'static str {
        "ai-sdk"
    }

    fn title(&self) -> &'static str {
        "Vercel AI SDK ModelMessage v6 (v5, v4 and UIMessage on input)"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "messages",
            head: Some("system"),
            marks: &["providerOptions", "maxOutputTokens", "toolChoice"],
            schemas: &[],
            needs_tools: false,
            strict_turns: false,
        }
    }

    fn likeness(&self, message: Raw) -> Likeness {
        read::likeness(message)
    }

    fn is_current(&self, message: Raw) -> bool {
        read::is_current(message)
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

    /// As the SDK hands them to a provider.
    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        tools::list(tools, |tool| {
            let schema = tool.schema.as_deref().unwrap_or(r#"{"type":"object"}"#);
            tools::named(ObjectWriter::new().string("type", "function"), tool)
                .json("inputSchema", schema)
                .finish()
        })
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let tools = raw
            .elements()
            .filter(|tool| tool.get("inputSchema").is_some_and(|schema| schema.kind() == Kind::Object));
        tools.filter_map(|tool| tools::read(tool, &["inputSchema"])).collect()
    }
}
