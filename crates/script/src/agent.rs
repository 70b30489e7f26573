//! Driving a real agent: the call that makes it run a command, in the words of its own tools.

use serde_json::{Value, json};

use crate::{Reply, Request};

/// What agents call the tool that runs a command.
const SHELLS: [&str; 6] = ["Bash", "bash", "exec_command", "shell_command", "shell", "run_shell_command"];

/// A call that makes the agent run a command; `None` if the request names no tool that would: a title, a question on the
/// side.
pub fn shell(request: &Request, command: &str) -> Option<Reply> {
    let body: Value = serde_json::from_str(&request.body).ok()?;
    let tools: Vec<&Value> = lists(&body).flat_map(|list| list.as_array().into_iter().flatten()).collect();
    // Gemini lists declarations within a tool.
    let tools = tools.iter().flat_map(|tool| match tool["functionDeclarations"].as_array() {
        Some(declared) => declared.iter().collect(),
        None => vec![tool.get("function").unwrap_or(tool)],
    });
    let tools: Vec<&Value> = tools.collect();
    let named = |name: &&str| tools.iter().find(|tool| tool["name"] == **name);
    let tool = SHELLS.iter().find_map(named)?;
    Some(Reply::call(tool["name"].as_str()?, arguments(tool, command)?.to_string()))
}

/// Tools stand beside the messages, or among them.
fn lists(body: &Value) -> impl Iterator<Item = &Value> {
    let items = body["input"].as_array().into_iter().flatten();
    std::iter::once(&body["tools"]).chain(items.map(|item| &item["tools"]))
}

/// The command under the name that the tool's schema has for it, and whatever else it demands.
fn arguments(tool: &Value, command: &str) -> Option<Value> {
    let schemas = ["input_schema", "parameters", "parametersJsonSchema"];
    let schema = schemas.into_iter().map(|key| &tool[key]).find(|schema| schema.is_object())?;
    let fields = schema["properties"].as_object()?;
    let mut arguments = json!({});
    for (name, field) in fields {
        let is_command = matches!(name.as_str(), "command" | "cmd");
        let is_wanted = schema["required"].as_array().is_some_and(|all| all.contains(&json!(name)));
        arguments[name] = match field["type"].as_str() {
            Some("array") if is_command => json!(["bash", "-lc", command]),
            _ if is_command => json!(command),
            _ if !is_wanted => continue,
            Some("boolean") => json!(false),
            Some("number" | "integer") => json!(30),
            _ => json!("scripted"),
        };
    }
    Some(arguments)
}
