//! Anthropic Messages.

mod read;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw};

/// Anthropic Messages.
#[derive(Clone, Copy, Debug)]
pub struct Anthropic;

impl Wire for Anthropic {
    fn name(&self) -> &'static str {
        "anthropic"
    }

    fn title(&self) -> &'static str {
        "Anthropic Messages"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "messages",
            head: Some("system"),
            marks: &[
                "system",
                "stop_sequences",
                "anthropic_version",
                "anthropic_beta",
                "thinking",
                "context_management",
            ],
            schemas: &[&["output_config", "format"], &["output_format"]],
            needs_tools: true,
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

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        tools::list(tools, |tool| {
            // The API insists on a schema.
            let schema = tool.schema.as_deref().unwrap_or(r#"{"type":"object"}"#);
            tools::named(ObjectWriter::new(), tool).json("input_schema", schema).finish()
        })
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        // Those without a schema are Anthropic's own, which nobody else can run.
        let own = raw.elements().filter(|tool| tool.get("input_schema").is_some());
        own.filter_map(|tool| tools::read(tool, &["input_schema"])).collect()
    }
}
