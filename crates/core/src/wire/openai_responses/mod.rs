//! OpenAI Responses. Each element of `input` is a message of its own here: what other formats call one response of the
//! model is a run of them.

mod read;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw};

/// OpenAI Responses.
#[derive(Clone, Copy, Debug)]
pub struct OpenAiResponses;

impl Wire for OpenAiResponses {
    fn name(&self) -> &'static str {
        "openai-responses"
    }

    fn title(&self) -> &'static str {
        "OpenAI Responses"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "input",
            head: Some("instructions"),
            marks: &["input", "instructions", "previous_response_id", "include", "max_output_tokens"],
            schemas: &[&["text", "format"], &["prompt"]],
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

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        tools::list(tools, |tool| {
            let written = tools::named(ObjectWriter::new().string("type", "function"), tool);
            match &tool.schema {
                Some(schema) => written.json("parameters", schema).finish(),
                None => written.finish(),
            }
        })
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let flat = raw.elements().filter(|tool| tool.get("function").is_none());
        flat.filter_map(|tool| tools::read(tool, &["parameters"])).collect()
    }
}
