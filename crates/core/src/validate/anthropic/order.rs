//! Who speaks when: A9, A13 to A15, A18, A19, A24.

use super::blocks::{Message, Role};
use super::pairs::has_tool_blocks;
use super::{Around, at, beside};
use crate::finding::Severity;
use crate::validate::openai_chat::merge;
use crate::validate::report::Report;
use crate::validate::thinking::thinking_type;

pub(super) fn check(around: &Around, messages: &[Message], report: &mut Report) {
    check_tools(around, messages, report);
    check_first(around, messages, report);
    check_alternation(around, messages, report);
    check_system(around, messages, report);
    check_last(around, messages, report);
    check_thinking(around, messages, report);
}

/// A9.
fn check_tools(around: &Around, messages: &[Message], report: &mut Report) {
    let has_tools = around.request.tools.is_some_and(|tools| tools.elements().next().is_some());
    if around.whole && !has_tools && has_tool_blocks(messages) {
        let found = "the history has tool blocks, but no tools are defined";
        report.error("A9", beside("tools"), found, "send the tools the calls were made with");
    }
}

/// A13. A bare list may be a piece of a longer one.
fn check_first(around: &Around, messages: &[Message], report: &mut Report) {
    let Some(first) = messages.first().filter(|first| first.role == Some(Role::Assistant)) else { return };
    if first.blocks.first().is_some_and(|block| block.kind == "compaction") {
        return;
    }
    let severity = if around.request.object().is_some() { Severity::Error } else { Severity::Warning };
    let found = "the first message is not the user's";
    report.add(severity, "A13", at(first.number, ".role"), found, "start with a user message");
}

/// A14.
fn check_alternation(around: &Around, messages: &[Message], report: &mut Report) {
    let refused = around.model.as_ref().is_none_or(|model| model.bedrock);
    let severity = if refused { Severity::Warning } else { Severity::Note };
    for pair in messages.windows(2) {
        let role = pair[1].role.filter(|role| pair[0].role == Some(*role) && *role != Role::System);
        if let Some(role) = role {
            let who = if role == Role::User { "user" } else { "assistant" };
            let found = format!(
                "a second `{who}` message in a row; Anthropic merges them, older Bedrock models refuse"
            );
            let is_summary = |message: &Message| {
                let text = message.blocks.first().and_then(|block| block.text.as_deref());
                text.is_some_and(|text| text.starts_with("<enfold-summary "))
            };
            let remedy = merge(pair.iter().any(is_summary));
            report.add(severity, "A14", at(pair[1].number, ".role"), found, remedy);
        }
    }
}

/// A24.
fn check_system(around: &Around, messages: &[Message], report: &mut Report) {
    let spoken = |message: &&Message| message.role != Some(Role::System);
    for (nth, message) in
        messages.iter().enumerate().filter(|(_, message)| message.role == Some(Role::System))
    {
        // A row of system messages stands where its first one does.
        if nth > 0 && messages[nth - 1].role == Some(Role::System) {
            continue;
        }
        let place = at(message.number, ".role");
        let before = nth.checked_sub(1).and_then(|nth| messages[nth].role);
        let next = messages[nth..].iter().find(spoken).and_then(|message| message.role);
        if nth == 0 {
            report.error("A24", place, "a `system` message stands first", "move it to the `system` field");
        } else if before != Some(Role::User) {
            let remedy = "move it behind the user's next message";
            report.error("A24", place, "a `system` message that does not follow a user message", remedy);
        } else if next == Some(Role::User) {
            let remedy = "move it behind the last user message before the assistant's";
            report.error("A24", place, "a `system` message between two user messages", remedy);
        } else if around.model.as_ref().is_none_or(|model| !model.takes_system_messages()) {
            let found = "a `system` message in the list; only recent models take it";
            report.warning("A24", place, found, "move it to the `system` field, or into a user message");
        }
    }
}

/// A15 and A19. A finished session ends with the assistant; that is only wrong once it is sent.
fn check_last(around: &Around, messages: &[Message], report: &mut Report) {
    let Some(last) = messages.last().filter(|last| last.role == Some(Role::Assistant)) else { return };
    let thinking = thinking_type(around.request);
    let place = at(last.number, "");
    if thinking.as_deref() == Some("disabled") && last.blocks.iter().any(|block| block.is_thinking()) {
        let found = "thinking in the final message, but thinking is disabled";
        report.error("A19", place.clone(), found, "remove the thinking, or append a user message");
    }
    if last.blocks.iter().any(|block| block.is_call() || block.kind == "server_tool_use") {
        return;
    }
    let remedy = "append a user message before sending it";
    if !around.whole {
        report.note("A15", place, "the session ends with the assistant", remedy);
    } else if thinking.as_deref().is_some_and(|kind| kind != "disabled") {
        report.error("A15", place, "an assistant message stands last while thinking is on", remedy);
    } else {
        match around.model.as_ref().map(|model| model.takes_prefill()) {
            Some(false) => {
                report.error("A15", place, "this model does not continue an assistant message", remedy);
            }
            Some(true) => check_trailing_space(last, report),
            None => {
                let found = "an assistant message stands last; models from Claude 4.6 on refuse it";
                report.warning("A15", place, found, remedy);
            }
        }
    }
}

fn check_trailing_space(last: &Message, report: &mut Report) {
    let Some(block) = last.blocks.last() else { return };
    if block.text.as_deref().is_some_and(|text| text.ends_with(char::is_whitespace)) {
        let found = "the final assistant text ends with white space";
        report.error("A15", block.place(""), found, "trim its end");
    }
}

/// A18. The turn that a tool loop continues begins after the last message in which somebody speaks.
fn check_thinking(around: &Around, messages: &[Message], report: &mut Report) {
    if thinking_type(around.request).as_deref() != Some("enabled") {
        return;
    }
    let is_spoken = |message: &Message| {
        message.role == Some(Role::User) && message.blocks.iter().any(|block| !block.is_result())
    };
    let start = messages.iter().rposition(is_spoken).map_or(0, |nth| nth + 1);
    let turn: Vec<&Message> =
        messages[start..].iter().filter(|message| message.role == Some(Role::Assistant)).collect();
    let has_calls = turn.iter().any(|message| message.blocks.iter().any(|block| block.is_call()));
    let starts_thinking =
        |message: &&&Message| message.blocks.first().is_some_and(|block| block.is_thinking());
    if let Some(last) =
        turn.last().filter(|_| has_calls && !turn.iter().any(|message| starts_thinking(&message)))
    {
        let found = "thinking is enabled, but the assistant's turn does not start with thinking";
        let remedy = "restore its thinking blocks, or disable thinking until the turn is over";
        report.error("A18", at(last.number, ".content.0"), found, remedy);
    }
}
