//! Tool definitions: the same three things in every format, under other keys.

use super::ToolDefinition;
use crate::json::{ObjectWriter, Raw};

/// Reads one definition whose schema stands under one of `schema_keys`.
pub(super) fn read(tool: Raw, schema_keys: &[&str]) -> Option<ToolDefinition> {
    Some(ToolDefinition {
        name: tool.str_at("name")?.into_owned(),
        description: tool.str_at("description").map(|text| text.into_owned()),
        schema: schema_keys.iter().find_map(|key| tool.get(key)).map(|schema| schema.text().to_string()),
    })
}

/// Adds name and description.
pub(super) fn named(object: ObjectWriter, tool: &ToolDefinition) -> ObjectWriter {
    let object = object.string("name", &tool.name);
    match &tool.description {
        Some(description) => object.string("description", description),
        None => object,
    }
}

/// The definitions as a JSON array.
pub(super) fn list(tools: &[ToolDefinition], write: impl Fn(&ToolDefinition) -> String) -> String {
    format!("[{}]", tools.iter().map(write).collect::<Vec<_>>().join(","))
}
