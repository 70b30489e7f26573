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
    splice(definition, additions(definition, root))
}

/// The same for those tools of a definition, a list or a whole request whose names are `meant`. Also how many those are.
pub fn add_intents(text: &str, meant: impl Fn(&str) -> bool) -> (String, usize) {
    let Ok(root) = Raw::parse(text) else { return (text.to_string(), 0) };
    let (mut edits, mut found) = (Vec::new(), 0);
    let mut open = vec![root];
    while let Some(value) = open.pop() {
        let name = value.str_at("name").or_else(|| value.get("function")?.str_at("name"));
        match (value.kind(), name) {
            (Kind::Array, _) => open.extend(value.elements()),
            (Kind::Object, None) => open.extend(LISTS.iter().filter_map(|key| value.get(key))),
            (Kind::Object, Some(name)) if meant(&name) => {
                found += 1;
                edits.extend(additions(text, value));
            }
            _ => {}
        }
    }
    (splice(text, edits), found)
}

/// Keys under which requests keep lists of tools.
const LISTS: [&str; 4] = ["tools", "functions", "functionDeclarations", "function_declarations"];

fn additions(definition: &str, root: Raw) -> Vec<Edit> {
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
    edits
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
    use crate::wire::{ToolDefinition, WIRES};

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
        for wire in WIRES {
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
    fn of_a_whole_request_the_tools_that_are_meant_get_it() {
        let schema = r#"{"type":"object","properties":{}}"#;
        let tools = ["edit_file", "bash"].map(|name| ToolDefinition {
            name: name.into(),
            description: None,
            schema: Some(schema.into()),
        });
        for wire in WIRES {
            let request = format!(r#"{{"model":"m", "tools":{}}}"#, wire.write_tools(&tools));
            let (with, found) = add_intents(&request, |name| name == "edit_file");
            assert_eq!((found, with.matches("\"intent\"").count()), (1, 1), "{}: {with}", wire.name());
            assert!(with.starts_with(r#"{"model":"m", "tools":["#), "{with}");
        }
        assert_eq!(add_intents("no json", |_| true), ("no json".to_string(), 0));
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
