//! OpenAI Chat Completions, and the many servers that speak it.

mod read;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw};

/// OpenAI Chat Completions.
#[derive(Clone, Copy, Debug)]
pub struct OpenAiChat;

impl Wire for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn title(&self) -> &'static str {
        "OpenAI Chat Completions"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "messages",
            head: None,
            marks: &["max_completion_tokens", "stream_options", "response_format"],
            schemas: &[&["functions"], &["response_format"]],
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

    fn read_head(&self, _raw: &ByteString) -> Result<Parsed, Misshapen> {
        Err(Misshapen("system prompts stand in the list of messages".into()))
    }

    fn write(&self, history: &History) -> Written {
        write::write(history)
    }

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        tools::list(tools, |tool| {
            let mut function = tools::named(ObjectWriter::new(), tool);
            if let Some(schema) = &tool.schema {
                function = function.json("parameters", schema);
            }
            ObjectWriter::new().string("type", "function").json("function", &function.finish()).finish()
        })
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let functions = raw.elements().filter_map(|tool| tool.get("function").or(tool.get("custom")));
        functions.filter_map(|function| tools::read(function, &["parameters"])).collect()
    }
}
