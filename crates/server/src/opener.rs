//! How this agent can open what is left out, as its request shows: a tool that it is offered, or a command for its shell.

use enfold::Envelope;
use enfold::folding::opener::Opener;
use enfold::json::Raw;
use enfold::understand::recalls::is_unfold;
use enfold::understand::vocabulary::{ToolKind, Vocabulary};

use crate::aside::FEW;

/// The way that the sender of this request has. `command` opens an original in its shell, where it has one.
pub(crate) fn opener(envelope: &Envelope, command: Option<&str>) -> Opener {
    let tools = tools(envelope);
    if let Some(tool) = tools.iter().find(|tool| is_unfold(tool)) {
        return Opener::Tool(tool.clone());
    }
    let vocabulary = Vocabulary::new();
    // Codex's scripts run commands too.
    let is_shell = |tool: &String| {
        matches!(
            vocabulary.find(tool),
            Some((ToolKind::Shell | ToolKind::StayingShell | ToolKind::Script, _))
        )
    };
    match command.filter(|_| tools.iter().any(is_shell)) {
        Some(command) => Opener::Command(command.to_string()),
        None => Opener::Unknown,
    }
}

/// The names of the tools that a request offers: beside its messages, or, as Codex sends them, among them.
fn tools(envelope: &Envelope) -> Vec<String> {
    let mut names = Vec::new();
    if let Some(Ok(tools)) = envelope.document().tools.as_deref().map(Raw::parse) {
        tools.elements().for_each(|tool| collect(&tool, "", &mut names));
    }
    for item in envelope.messages().take(FEW).filter_map(|item| Raw::parse(item).ok()) {
        if item.str_at("type").as_deref() == Some("additional_tools") {
            let tools = item.get("tools").into_iter().flat_map(Raw::elements);
            tools.for_each(|tool| collect(&tool, "", &mut names));
        }
    }
    names
}

fn collect(tool: &Raw, space: &str, names: &mut Vec<String>) {
    let name = tool.str_at("name").or_else(|| tool.get("function")?.str_at("name"));
    let full = name.map(|name| if space.is_empty() { name.into_owned() } else { format!("{space}.{name}") });
    // A name space holds tools, Gemini's lists hold declarations; neither nests further.
    let within =
        ["tools", "functionDeclarations", "function_declarations"].iter().filter_map(|key| tool.get(key));
    let within: Vec<Raw> = within.flat_map(|list| list.elements().collect::<Vec<_>>()).collect();
    if within.is_empty() {
        names.extend(full);
    } else if space.is_empty() {
        within.iter().for_each(|tool| collect(tool, full.as_deref().unwrap_or(""), names));
    }
}

#[cfg(test)]
mod tests {
    use enfold::wire::{Anthropic, Gemini, OpenAiChat, OpenAiResponses, Wire};

    use super::*;

    #[track_caller]
    fn told(wire: &'static dyn Wire, body: &str, command: Option<&str>) -> Opener {
        opener(&Envelope::open(body.to_string(), Some(wire)).unwrap(), command)
    }

    #[test]
    fn the_tool_is_called_as_the_request_calls_it() {
        let tool = |name: &str| Opener::Tool(name.into());
        let anthropic = r#"{"messages":[{"role":"user","content":"x"}],"tools":[{"name":"Bash"},{"name":"mcp__enfold__unfold"}]}"#;
        assert_eq!(told(&Anthropic, anthropic, Some("enfold unfold")), tool("mcp__enfold__unfold"));
        let chat = r#"{"messages":[{"role":"user","content":"x"}],"tools":[{"type":"function","function":{"name":"enfold_unfold"}}]}"#;
        assert_eq!(told(&OpenAiChat, chat, None), tool("enfold_unfold"));
        let gemini = r#"{"contents":[{"role":"user","parts":[{"text":"x"}]}],"tools":[{"functionDeclarations":[{"name":"ls"},{"name":"unfold"}]}]}"#;
        assert_eq!(told(&Gemini, gemini, None), tool("unfold"));
        let codex = r#"{"input":[{"type":"additional_tools","tools":[{"type":"namespace","name":"mcp__enfold","tools":[{"type":"function","name":"unfold"}]}]},{"type":"message","role":"user","content":"x"}]}"#;
        assert_eq!(told(&OpenAiResponses, codex, None), tool("mcp__enfold.unfold"));
    }

    #[test]
    fn a_command_is_named_only_to_whoever_has_a_shell() {
        let with =
            |tools: &str| format!(r#"{{"messages":[{{"role":"user","content":"x"}}],"tools":{tools}}}"#);
        let shell = with(r#"[{"name":"Bash"}]"#);
        assert_eq!(told(&Anthropic, &shell, Some("enfold unfold")), Opener::Command("enfold unfold".into()));
        assert_eq!(told(&Anthropic, &shell, None), Opener::Unknown);
        assert_eq!(told(&Anthropic, &with(r#"[{"name":"Read"}]"#), Some("enfold unfold")), Opener::Unknown);
        assert_eq!(told(&Anthropic, &with("[]"), Some("enfold unfold")), Opener::Unknown);
        // A tool of another server, whatever it says about itself.
        let other = with(r#"[{"name":"mcp__editor__unfold","description":"enfold unfold"}]"#);
        assert_eq!(told(&Anthropic, &other, None), Opener::Unknown);
    }
}
