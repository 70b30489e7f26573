//! The reason that a call gives for its edit, and how an edit tool comes to ask for one.

use super::arguments::Arguments;
use crate::json::{Edit, Kind, Raw, quote, splice};

/// Arguments in which agents say why.
const INTENTS: [&str; 6] =
    ["intent", "description", "explanation", "instructions", "reason", "justification"];

/// What the field is for, as the model reads it.
const ABOUT: &str = "Why this change is made, in one short sentence";

/// Keys under which the tool definitions of the request formats keep a schema, or a definition inside another.
const INSIDE: [&str; 9] = [
    "function",
    "functionDeclarations",
    "function_declarations",
    "parameters",
    "parametersJsonSchema",
    "parameters_json_schema",
    "input_schema",
    "inputSchema",
    "jsonSchema",
];

/// The reason in a call's arguments.
pub(super) fn intent(arguments: &Arguments<'_>) -> Option<String> {
    let text = arguments.first_string(&INTENTS)?.str()?;
    Some(text.trim().to_string()).filter(|text| !text.is_empty())
}

/// An edit tool's definition with an optional field `intent`, in which the model says why it makes a change.
///
/// Takes a definition as any of the request formats writes it, a list of them, or a bare JSON schema; everything else of
/// it stays byte for byte. What has such a field, or is no JSON, comes back as it was. Where a definition is `strict`,
/// every field must be listed as required, so this one is and may be `null`.
pub fn add_intent(definition: &str) -> String {
    let Ok(root) = Raw::parse(definition) else { return definition.to_string() };
    let mut edits = Vec::new();
    let mut open = vec![(root, false)];
    while let Some((value, strict)) = open.pop() {
        let strict = value.get("strict").and_then(Raw::bool).unwrap_or(strict);
        let nested: Vec<Raw> = INSIDE.iter().filter_map(|key| value.get(key)).collect();
        match value.kind() {
            Kind::Array => open.extend(value.elements().map(|value| (value, strict))),
            Kind::Object if is_schema(value) => edits.extend(edits_of(definition, value, strict)),
            Kind::Object => open.extend(nested.into_iter().map(|value| (value, strict))),
            _ => {}
        }
    }
    splice(definition, edits)
}

fn is_schema(value: Raw) -> bool {
    let kind = value.str_at("type");
    value.get("properties").is_some_and(|fields| fields.kind() == Kind::Object)
        || kind.is_some_and(|kind| kind.eq_ignore_ascii_case("object"))
}

fn edits_of(definition: &str, schema: Raw, strict: bool) -> Vec<Edit> {
    let fields = schema.get("properties").filter(|fields| fields.kind() == Kind::Object);
    if fields.is_some_and(|fields| fields.get("intent").is_some()) {
        return Vec::new();
    }
    // Gemini's own schemas spell types in capitals.
    let string = match schema.str_at("type").is_some_and(|kind| kind == "OBJECT") {
        true => "\"STRING\"",
        false if strict => "[\"string\",\"null\"]",
        false => "\"string\"",
    };
    let field = format!("\"intent\":{{\"type\":{string},\"description\":{}}}", quote(ABOUT));
    let mut edits = match fields {
        Some(fields) => vec![append(definition, fields, &field)],
        None => vec![append(definition, schema, &format!("\"properties\":{{{field}}}"))],
    };
    if let Some(required) = schema.get("required").filter(|list| strict && list.kind() == Kind::Array) {
        edits.push(append(definition, required, "\"intent\""));
    }
    edits
}

/// Puts one more member or element at the end of an object or array.
fn append(text: &str, container: Raw, what: &str) -> Edit {
    let span = container.span_in(text);
    let is_empty = text[span.start + 1..span.end - 1].trim().is_empty();
    let end = span.start + 1 + text[span.start + 1..span.end - 1].trim_end().len();
    let with = if is_empty { what.to_string() } else { format!(",{what}") };
    Edit { span: end..end, with }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::{AiSdk, Anthropic, Gemini, OpenAiChat, OpenAiResponses, ToolDefinition, Wire};

    #[test]
    fn a_schema_gets_the_field_and_keeps_the_rest_byte_for_byte() {
        let schema = r#"{ "type": "object", "properties": { "path": {"type":"string"} }, "required": ["path"], "n": 1.0 }"#;
        insta::assert_snapshot!(add_intent(schema), @r#"{ "type": "object", "properties": { "path": {"type":"string"},"intent":{"type":"string","description":"Why this change is made, in one short sentence"} }, "required": ["path"], "n": 1.0 }"#);
    }

    #[test]
    fn every_request_format_shows_the_field_in_its_schema() {
        let schema = r#"{"type":"object","properties":{"path":{"type":"string"}}}"#;
        let tool =
            ToolDefinition { name: "edit_file".into(), description: None, schema: Some(schema.into()) };
        for wire in [&OpenAiChat as &dyn Wire, &OpenAiResponses, &Anthropic, &AiSdk, &Gemini] {
            let written = wire.write_tools(std::slice::from_ref(&tool));
            let with = add_intent(&written);
            let read = wire.read_tools(Raw::parse(&with).unwrap());
            let [ToolDefinition { schema: Some(schema), .. }] = &read[..] else { panic!("{with}") };
            let fields = Raw::parse(schema).unwrap().get("properties").unwrap().members().count();
            assert_eq!(fields, 2, "{}: {with}", wire.name());
            assert_eq!(add_intent(&with), with, "once is enough");
        }
    }

    #[test]
    fn a_strict_tool_requires_the_field_and_allows_null() {
        let tool = r#"{"type":"function","name":"edit","strict":true,"parameters":{"type":"object","properties":{},"required":[]}}"#;
        insta::assert_snapshot!(add_intent(tool), @r#"{"type":"function","name":"edit","strict":true,"parameters":{"type":"object","properties":{"intent":{"type":["string","null"],"description":"Why this change is made, in one short sentence"}},"required":["intent"]}}"#);
    }

    #[test]
    fn what_is_no_definition_stays_as_it_is() {
        for text in ["", "not json", "[]", "{}", "3", r#"{"type":"string"}"#] {
            assert_eq!(add_intent(text), text);
        }
    }

    #[test]
    fn the_reason_of_a_call_is_found_under_its_usual_names() {
        let intent = |arguments| intent(&Arguments::of(arguments));
        assert_eq!(intent(r#"{"path":"a","intent":" fix it "}"#).as_deref(), Some("fix it"));
        assert_eq!(intent(r#"{"explanation":"why"}"#).as_deref(), Some("why"));
        assert_eq!(intent(r#"{"intent":" "}"#), None);
        assert_eq!(intent("{"), None);
    }
}
