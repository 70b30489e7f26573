//! What providers refuse, checked on written messages. Short and of its own, so that it can catch our writers out.

use std::collections::HashSet;

use serde_json::Value;

/// The rules of the format that a list of messages breaks.
pub fn broken(format: &str, messages: &[Value]) -> Vec<String> {
    let mut faults = Vec::new();
    match format {
        "anthropic" => anthropic(messages, &mut faults),
        "openai-chat" => chat(messages, &mut faults),
        "openai-responses" => responses(messages, &mut faults),
        "ai-sdk" => ai_sdk(messages, &mut faults),
        "gemini" => gemini(messages, &mut faults),
        "pi-agent-core" => pi_agent_core(messages, &mut faults),
        other => panic!("no rules for {other}"),
    }
    faults
}

fn list<'a>(value: &'a Value, key: &str) -> &'a [Value] {
    value[key].as_array().map_or(&[], Vec::as_slice)
}

fn of_type<'a>(blocks: &'a [Value], kind: &str) -> Vec<&'a Value> {
    blocks.iter().filter(|block| block["type"] == kind).collect()
}

fn ids(blocks: &[&Value], key: &str) -> Vec<String> {
    let mut ids: Vec<String> =
        blocks.iter().map(|block| block[key].as_str().unwrap_or("?").to_string()).collect();
    ids.sort();
    ids
}

fn check_ids(all: &[String], longest: usize, faults: &mut Vec<String>) {
    let mut seen = HashSet::new();
    for id in all {
        let fine = !id.is_empty()
            && id.len() <= longest
            && id.chars().all(|c| c.is_ascii_alphanumeric() || c == '_' || c == '-');
        if !fine || !seen.insert(id) {
            faults.push(format!("id `{id}`"));
        }
    }
}

fn anthropic(messages: &[Value], faults: &mut Vec<String>) {
    if messages.first().is_some_and(|first| first["role"] != "user") {
        faults.push("A13".into());
    }
    let mut all = Vec::new();
    for (nth, message) in messages.iter().enumerate() {
        let blocks = list(message, "content");
        if blocks.is_empty() {
            faults.push(format!("A10 {nth}"));
        }
        if blocks
            .iter()
            .any(|block| block["type"] == "text" && block["text"].as_str().unwrap().trim().is_empty())
        {
            faults.push(format!("A11 {nth}"));
        }
        if nth > 0 && messages[nth - 1]["role"] == message["role"] {
            faults.push(format!("A14 {nth}"));
        }
        let results = of_type(blocks, "tool_result");
        let first_other =
            blocks.iter().position(|block| block["type"] != "tool_result").unwrap_or(blocks.len());
        if results.len() > first_other {
            faults.push(format!("A2 {nth}"));
        }
        for result in &results {
            let empty =
                result["content"].as_str().is_none_or(str::is_empty) && list(result, "content").is_empty();
            if result["is_error"] == true && empty {
                faults.push(format!("A12 {nth}"));
            }
        }
        let calls =
            if nth == 0 { Vec::new() } else { of_type(list(&messages[nth - 1], "content"), "tool_use") };
        if ids(&calls, "id") != ids(&results, "tool_use_id") {
            faults.push(format!("A1/A4 {nth}"));
        }
        if message["role"] == "system" {
            let before = nth > 0 && messages[nth - 1]["role"] == "user";
            if !before || messages.get(nth + 1).is_some_and(|next| next["role"] != "assistant") {
                faults.push(format!("A24 {nth}"));
            }
        }
        all.extend(ids(&of_type(blocks, "tool_use"), "id"));
    }
    check_ids(&all, usize::MAX, faults);
}

fn chat(messages: &[Value], faults: &mut Vec<String>) {
    let mut all = Vec::new();
    let mut open: Vec<String> = Vec::new();
    for (nth, message) in messages.iter().enumerate() {
        if message["role"] == "tool" {
            let id = message["tool_call_id"].as_str().unwrap_or("?");
            match open.iter().position(|open| open == id) {
                Some(at) => drop(open.remove(at)),
                None => faults.push(format!("C2 {nth}")),
            }
            let parts_are_text = list(message, "content").iter().all(|part| part["type"] == "text");
            if !(message["content"].is_string() || parts_are_text && !list(message, "content").is_empty()) {
                faults.push(format!("tool content {nth}"));
            }
            continue;
        }
        if !open.is_empty() {
            faults.push(format!("C1 {nth}"));
        }
        open = list(message, "tool_calls")
            .iter()
            .map(|call| call["id"].as_str().unwrap_or("?").to_string())
            .collect();
        all.extend(open.clone());
    }
    let answered = messages.last().is_some_and(|last| last["role"] == "tool");
    if answered && !open.is_empty() {
        faults.push("C1 at the end".into());
    }
    check_ids(&all, 40, faults);
}

fn responses(items: &[Value], faults: &mut Vec<String>) {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (nth, item) in items.iter().enumerate() {
        let id = item["call_id"].as_str().unwrap_or("?").to_string();
        match item["type"].as_str().unwrap_or("message") {
            "function_call" | "custom_tool_call" => {
                all.push(id.clone());
                open.push(id);
            }
            "function_call_output" | "custom_tool_call_output" => {
                match open.iter().position(|open| *open == id) {
                    Some(at) => drop(open.remove(at)),
                    None => faults.push(format!("R1 {nth}")),
                }
            }
            "reasoning" if item["encrypted_content"].as_str().is_none() => faults.push(format!("R4 {nth}")),
            "message" => {
                let is_model = item["role"] == "assistant";
                let wanted = |kind: &str| (kind.starts_with("output") || kind == "refusal") == is_model;
                if list(item, "content").iter().any(|part| !wanted(part["type"].as_str().unwrap_or("?"))) {
                    faults.push(format!("parts {nth}"));
                }
            }
            _ => {}
        }
    }
    let ends_with_calls =
        items.last().is_some_and(|last| last["type"] != "function_call_output" && last["role"] != "user");
    if !open.is_empty() && !ends_with_calls {
        faults.push("R2".into());
    }
    check_ids(&all, 64, faults);
}

fn ai_sdk(messages: &[Value], faults: &mut Vec<String>) {
    let mut open: Vec<String> = Vec::new();
    for (nth, message) in messages.iter().enumerate() {
        let parts = list(message, "content");
        match message["role"].as_str() {
            Some("user" | "system") if !open.is_empty() => {
                faults.push(format!("a result is missing before {nth}"))
            }
            Some("system") if !message["content"].is_string() => faults.push(format!("system {nth}")),
            _ => {}
        }
        open.extend(ids(&of_type(parts, "tool-call"), "toolCallId"));
        for id in ids(&of_type(parts, "tool-result"), "toolCallId") {
            match open.iter().position(|open| *open == id) {
                Some(at) => drop(open.remove(at)),
                None => faults.push(format!("a result without call {nth}")),
            }
        }
        if of_type(parts, "tool-result").iter().any(|part| part["output"]["type"].as_str().is_none()) {
            faults.push(format!("output {nth}"));
        }
    }
}

fn gemini(contents: &[Value], faults: &mut Vec<String>) {
    let count = |content: &Value, key: &str| {
        list(content, "parts").iter().filter(|part| !part[key].is_null()).count()
    };
    for (nth, content) in contents.iter().enumerate() {
        let parts = list(content, "parts");
        if parts.is_empty() || parts.iter().any(|part| part["text"] == "") {
            faults.push(format!("G6 {nth}"));
        }
        if parts.iter().any(|part| {
            !part["functionResponse"].is_null() && !part["functionResponse"]["response"].is_object()
        }) {
            faults.push(format!("response {nth}"));
        }
        let calls = if nth == 0 { 0 } else { count(&contents[nth - 1], "functionCall") };
        if calls != count(content, "functionResponse") {
            faults.push(format!("G2 {nth}"));
        }
        if nth == 0 && content["role"] != "user" || nth > 0 && contents[nth - 1]["role"] == content["role"] {
            faults.push(format!("G1 {nth}"));
        }
    }
}

fn pi_agent_core(messages: &[Value], faults: &mut Vec<String>) {
    let mut open: Vec<String> = Vec::new();
    let mut all = Vec::new();
    for (nth, message) in messages.iter().enumerate() {
        let parts = list(message, "content");
        match message["role"].as_str() {
            Some("toolResult") => {
                let id = message["toolCallId"].as_str().unwrap_or("?");
                match open.iter().position(|open| open == id) {
                    Some(at) => drop(open.remove(at)),
                    None => faults.push(format!("P1 {nth}")),
                }
                if !message["isError"].is_boolean() || !message["toolName"].is_string() {
                    faults.push(format!("fields {nth}"));
                }
            }
            Some("user" | "assistant") => {
                if !open.is_empty() {
                    faults.push(format!("P2 {nth}"));
                }
                open = ids(&of_type(parts, "toolCall"), "id");
                all.extend(open.clone());
            }
            _ => faults.push(format!("role {nth}")),
        }
        let is_list =
            message["content"].is_array() || message["role"] == "user" && message["content"].is_string();
        if !is_list || !message["timestamp"].is_number() {
            faults.push(format!("P4 {nth}"));
        }
    }
    check_ids(&all, 128, faults);
}
