//! The request object: its fields, its tools, its system prompt, its size. A11 for `system`, A26 to A28.

use std::collections::HashSet;

use super::{Around, at, beside};
use crate::json::{Kind, Raw};
use crate::validate::report::Report;
use crate::validate::values::{is, is_word, pick, shown, text, what};

const MOST_BYTES: usize = 32 * 1024 * 1024;
const MOST_MESSAGES: usize = 100_000;

/// Fields of the API, betas and the spellings of Bedrock and Vertex included.
const KNOWN: &[&str] = &[
    "anthropic_beta",
    "anthropic_version",
    "betas",
    "cache_control",
    "compaction",
    "container",
    "context_management",
    "diagnostics",
    "fallbacks",
    "inference_geo",
    "max_tokens",
    "mcp_servers",
    "messages",
    "metadata",
    "model",
    "output_config",
    "output_format",
    "service_tier",
    "speed",
    "stop_sequences",
    "stream",
    "system",
    "temperature",
    "thinking",
    "tool_choice",
    "tools",
    "top_k",
    "top_p",
];

/// Fields of other providers: no beta will ever add them.
const FOREIGN: &[(&str, &str)] = &[
    ("contents", "messages"),
    ("frequency_penalty", ""),
    ("function_call", "tool_choice"),
    ("functions", "tools"),
    ("generationConfig", ""),
    ("input", "messages"),
    ("instructions", "system"),
    ("logit_bias", ""),
    ("logprobs", ""),
    ("max_completion_tokens", "max_tokens"),
    ("max_output_tokens", "max_tokens"),
    ("maxTokens", "max_tokens"),
    ("n", ""),
    ("parallel_tool_calls", "tool_choice.disable_parallel_tool_use"),
    ("presence_penalty", ""),
    ("prompt", "messages"),
    ("reasoning", "thinking"),
    ("reasoning_effort", "output_config.effort"),
    ("response_format", "output_config.format"),
    ("seed", ""),
    ("stop", "stop_sequences"),
    ("stream_options", ""),
    ("systemInstruction", "system"),
    ("user", "metadata.user_id"),
];

pub(super) fn check(around: &Around, report: &mut Report) {
    check_limits(around, report);
    check_system(around, report);
    check_tools(around, report);
    let Some(root) = around.request.object() else { return };
    if around.whole {
        check_names(root, report);
        check_required(around, root, report);
    } else if around.request.field("model").is_some() {
        let found = "`max_tokens` is missing; only count_tokens goes without it";
        report.warning("A28", beside("max_tokens"), found, "set it");
    }
}

/// A27.
fn check_limits(around: &Around, report: &mut Report) {
    let messages = &around.request.messages;
    let bytes = match around.request.object() {
        Some(root) if around.whole => root.text().len(),
        _ => messages.iter().map(|message| message.text().len()).sum(),
    };
    if bytes > MOST_BYTES {
        let found = format!("{bytes} bytes; the most is {MOST_BYTES}");
        report.error("A27", beside("messages"), found, "fold the history, or upload files instead");
    }
    if messages.len() > MOST_MESSAGES {
        let found = format!("{} messages; the most is {MOST_MESSAGES}", messages.len());
        report.error("A27", at(MOST_MESSAGES, ""), found, "fold the history");
    }
}

/// A11 and A28 for `system`. An empty string is taken; white space and empty blocks are not.
fn check_system(around: &Around, report: &mut Report) {
    let Some(head) = around.request.head else { return };
    match head.kind() {
        Kind::String => {
            if head.str().is_some_and(|text| !text.is_empty() && text.trim().is_empty()) {
                report.error("A11", beside("system"), "nothing but white space", "leave it out");
            }
        }
        Kind::Array => {
            for (nth, block) in head.elements().enumerate() {
                let [kind, body] = pick(block, ["type", "text"]);
                let place = beside(format!("system.{nth}"));
                match (text(kind).as_deref(), text(body)) {
                    (Some("text"), Some(body)) if body.is_empty() => {
                        report.error("A11", place, "an empty text block", "remove the block");
                    }
                    (Some("text"), Some(_)) => {}
                    _ => {
                        report.error("A28", place, "`system` takes text blocks only", "make it a text block")
                    }
                }
            }
        }
        _ => {
            let found = format!("`system` is {}", what(Some(head)));
            report.error("A28", beside("system"), found, "give it a string or a list of text blocks");
        }
    }
}

/// A28 for `tools`.
fn check_tools(around: &Around, report: &mut Report) {
    let Some(tools) = around.request.tools else { return };
    if tools.kind() != Kind::Array {
        let found = format!("`tools` is {}", what(Some(tools)));
        report.error("A28", beside("tools"), found, "give it a list of tools");
    }
    let mut names = HashSet::new();
    for (nth, tool) in tools.elements().enumerate() {
        let [kind, name, schema] = pick(tool, ["type", "name", "input_schema"]);
        let is_custom = kind.is_none() || text(kind).as_deref() == Some("custom");
        let place = |tail: &str| beside(format!("tools.{nth}{tail}"));
        match text(name) {
            // A set of tools of a server has no name of its own.
            None if !is_custom => {}
            None => {
                let found = format!("`name` is {}", what(name));
                report.error("A28", place(".name"), found, "name the tool");
            }
            Some(name) => {
                if is_custom && (!is_word(&name, b"_-") || name.len() > 128) {
                    let found = format!("the tool name {} is not allowed", shown(&name));
                    let remedy = "use at most 128 letters, digits, `_` and `-`";
                    report.error("A28", place(".name"), found, remedy);
                }
                if !names.insert(name.clone()) {
                    let found = format!("a second tool named {}", shown(&name));
                    report.error("A28", place(".name"), found, "give every tool a name of its own");
                }
            }
        }
        if is_custom && !is(schema, Kind::Object) {
            let found = format!("`input_schema` is {}", what(schema));
            report.error("A28", place(".input_schema"), found, "give it a JSON schema of type object");
        }
    }
}

/// A26.
fn check_names(root: Raw, report: &mut Report) {
    for (name, _) in root.members().filter(|(name, _)| !KNOWN.contains(&&**name)) {
        let place = beside(name.chars().take(64).collect::<String>());
        match FOREIGN.iter().find(|(foreign, _)| *foreign == name) {
            Some((_, "")) => {
                report.warning("A26", place, "no field of this API", "remove it");
            }
            Some((_, own)) => {
                report.warning("A26", place, "no field of this API", format!("`{own}` is the nearest to it"));
            }
            None => report.note("A26", place, "not a field known here; perhaps of a beta", ""),
        }
    }
}

/// A28: fields without which nothing works.
fn check_required(around: &Around, root: Raw, report: &mut Report) {
    let [messages, max_tokens, version] = pick(root, ["messages", "max_tokens", "anthropic_version"]);
    if !is(messages, Kind::Array) && around.request.messages.is_empty() {
        let found = format!("`messages` is {}", what(messages));
        report.error("A28", beside("messages"), found, "give it a list of messages");
    } else if around.request.messages.is_empty() {
        report.error("A28", beside("messages"), "at least one message is required", "add a user message");
    }
    // Bedrock and Vertex have the model in the address.
    if around.request.model_id().is_none() && version.is_none() {
        report.error("A28", beside("model"), "`model` is missing", "name the model");
    }
    if !is(max_tokens, Kind::Number) {
        let found = format!("`max_tokens` is {}", what(max_tokens));
        report.error("A28", beside("max_tokens"), found, "give it a number");
    }
}
