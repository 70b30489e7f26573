//! Gemini `generateContent`.

mod read;
mod write;

use bytestring::ByteString;

use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written, tools};
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw};

/// Gemini `generateContent`.
#[derive(Clone, Copy, Debug)]
pub struct Gemini;

impl Wire for Gemini {
    fn name(&self) -> &'static str {
        "gemini"
    }

    fn title(&self) -> &'static str {
        "Gemini generateContent"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "contents",
            head: Some("systemInstruction"),
            marks: &[
                "contents",
                "systemInstruction",
                "generationConfig",
                "safetySettings",
                "toolConfig",
                "cachedContent",
            ],
            schemas: &[
                &["generationConfig", "responseSchema"],
                &["generationConfig", "responseJsonSchema"],
                &["generation_config", "response_schema"],
                &["generation_config", "response_json_schema"],
            ],
            needs_tools: false,
            strict_turns: true,
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
        let part = ObjectWriter::new().string("text", text).finish();
        ObjectWriter::new().string("role", "user").array("parts", [part]).finish()
    }

    /// `parameters` takes a subset of OpenAPI only; `parametersJsonSchema` takes what other providers do.
    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        if tools.is_empty() {
            return "[]".into();
        }
        let list = tools::list(tools, |tool| {
            let written = tools::named(ObjectWriter::new(), tool);
            match &tool.schema {
                Some(schema) => written.json("parametersJsonSchema", schema).finish(),
                None => written.finish(),
            }
        });
        format!("[{}]", ObjectWriter::new().json("functionDeclarations", &list).finish())
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let lists = raw
            .elements()
            .filter_map(|tool| read::either(tool, "functionDeclarations", "function_declarations"));
        let keys = ["parametersJsonSchema", "parameters_json_schema", "parameters"];
        lists.flat_map(Raw::elements).filter_map(|tool| tools::read(tool, &keys)).collect()
    }
}
