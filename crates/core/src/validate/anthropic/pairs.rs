//! Calls and their results: A1 to A7.

use std::collections::{HashMap, HashSet};

use super::Around;
use super::blocks::{Block, Message, Role};
use crate::json::Raw;
use crate::validate::report::Report;
use crate::validate::values::shown;

/// Consecutive messages of one role, which the API merges.
struct Run<'m, 'a> {
    role: Option<Role>,
    messages: &'m [Message<'a>],
}

impl<'m, 'a> Run<'m, 'a> {
    fn blocks(&self) -> impl Iterator<Item = &'m Block<'a>> {
        self.messages.iter().flat_map(|message| &message.blocks)
    }

    /// Whether a person speaks in it, and not only tools.
    fn has_other_than_results(&self) -> bool {
        self.blocks().any(|block| !block.is_result())
    }
}

pub(super) fn check(around: &Around, messages: &[Message], report: &mut Report) {
    let runs: Vec<Run> = messages
        .chunk_by(|one, next| one.role == next.role)
        .map(|messages| Run { role: messages[0].role, messages })
        .collect();
    check_unique(messages, report);
    // `system` messages between a call and its result break A24; pairing looks past them.
    let spoken: Vec<&Run> = runs.iter().filter(|run| run.role != Some(Role::System)).collect();
    for (nth, run) in spoken.iter().enumerate() {
        let before = nth.checked_sub(1).map(|nth| spoken[nth]);
        let calls = before.filter(|before| before.role == Some(Role::Assistant));
        if run.role == Some(Role::User) {
            check_results(calls, run, report);
        }
        if run.role == Some(Role::Assistant) {
            check_answers(run, spoken.get(nth + 1).copied(), nth + 2 >= spoken.len(), report);
        }
    }
    check_server_tools(around, &spoken, report);
}

/// A7, for calls.
fn check_unique(messages: &[Message], report: &mut Report) {
    let mut seen = HashMap::new();
    let calls = messages.iter().flat_map(|message| &message.blocks);
    for call in calls.filter(|block| block.is_call() || is_server_call(block)) {
        let Some(id) = call.id.as_deref() else { continue };
        if let Some(first) = seen.insert(id, call.place("").field.unwrap_or_default()) {
            let found = format!("the id {} stands at {first} already", shown(id));
            report.error("A7", call.place(".id"), found, "give every call an id of its own");
        }
    }
}

/// A2, A3, A4, and A7 for results.
fn check_results(calls: Option<&Run>, run: &Run, report: &mut Report) {
    let called: HashSet<&str> = calls
        .into_iter()
        .flat_map(Run::blocks)
        .filter(|block| block.is_call())
        .filter_map(|block| block.id.as_deref())
        .collect();
    let mut answered = HashSet::new();
    let (mut other_before, mut first_message, mut is_spread) = (false, None, false);
    for message in run.messages {
        for block in &message.blocks {
            if !block.is_result() {
                other_before = true;
                continue;
            }
            let Some(id) = block.tool_use_id.as_deref() else { continue };
            if !called.contains(id) {
                let found = format!("no `tool_use` with id {} in the previous message", shown(id));
                report.error(
                    "A4",
                    block.place(""),
                    found,
                    "remove the result, or restore its call before it",
                );
                continue;
            }
            if !answered.insert(id) {
                let found = format!("a second result for {}", shown(id));
                report.error("A7", block.place(""), found, "keep one result per call");
            }
            if other_before {
                let found = "a result after something that is no result";
                report.error("A2", block.place(""), found, "put all results first, text after them");
            }
            if *first_message.get_or_insert(message.number) != message.number && !is_spread {
                is_spread = true;
                let found = "results of parallel calls in several messages";
                report.warning("A3", block.place(""), found, "put them into one message");
            }
        }
    }
}

/// A1. A session may well stop while its last calls are still running.
fn check_answers(run: &Run, next: Option<&Run>, is_end: bool, report: &mut Report) {
    let results = next.filter(|next| next.role == Some(Role::User));
    let answered: HashSet<&str> =
        results.into_iter().flat_map(Run::blocks).filter_map(|block| block.tool_use_id.as_deref()).collect();
    let is_waiting = is_end && next.is_none_or(|next| !next.has_other_than_results());
    for call in run.blocks().filter(|block| block.is_call()) {
        let Some(id) = call.id.as_deref().filter(|id| !answered.contains(id)) else { continue };
        if is_waiting {
            report.note(
                "A1",
                call.place(""),
                format!("the call {} has no result yet", shown(id)),
                "append its result before the next request",
            );
        } else {
            let found = format!("the call {} has no result in the next message", shown(id));
            let remedy = "add a `tool_result` there, or remove the call";
            report.error("A1", call.place(""), found, remedy);
        }
    }
}

/// A5 and A6. A turn of the assistant goes on over tool results and ends where somebody speaks.
fn check_server_tools(around: &Around, runs: &[&Run], report: &mut Report) {
    let last_assistant = runs.iter().rposition(|run| run.role == Some(Role::Assistant));
    let mut open: Vec<&Block> = Vec::new();
    let mut made: HashSet<&str> = HashSet::new();
    for (nth, run) in runs.iter().enumerate() {
        match run.role {
            Some(Role::Assistant) => {
                let mut done = HashSet::new();
                for block in run.blocks() {
                    if is_server_call(block) {
                        made.extend(block.id.as_deref());
                        open.push(block);
                    } else if is_server_result(block) {
                        let Some(id) = block.tool_use_id.as_deref() else { continue };
                        if !made.contains(id) {
                            let found = format!(
                                "`{}` for {}, which no call before it in this turn has",
                                block.kind,
                                shown(id)
                            );
                            report.error("A5", block.place(""), found, "remove it, or restore its call");
                        }
                        done.insert(id);
                    }
                }
                open.retain(|call| !call.id.as_deref().is_some_and(|id| done.contains(id)));
            }
            _ if run.has_other_than_results() => {
                for call in open.drain(..) {
                    let rule = if last_assistant.is_some_and(|last| last + 1 == nth) { "A6" } else { "A5" };
                    let found = format!("the `{}` has no result when the user speaks", call.kind);
                    let remedy = "remove it, or let the assistant finish first";
                    report.error(rule, call.place(""), found, remedy);
                }
                made.clear();
            }
            _ => {}
        }
    }
    for call in open {
        check_still_defined(around, call, report);
    }
}

/// A6: a server tool that is to go on must still be defined.
fn check_still_defined(around: &Around, call: &Block, report: &mut Report) {
    // Other server tools may be brought along by these two, so only these two are sure to be missed.
    let Some(name) = call.name.as_deref().filter(|name| ["web_search", "web_fetch"].contains(name)) else {
        return;
    };
    let tools = around.request.tools;
    let is_defined =
        tools.into_iter().flat_map(Raw::elements).any(|tool| tool.str_at("name").as_deref() == Some(name));
    if around.whole && !is_defined {
        let found = format!("an unfinished call of `{name}`, but no {name} tool was provided");
        report.error("A6", call.place(""), found, "send the same `tools` as before");
    }
}

fn is_server_call(block: &Block) -> bool {
    block.kind == "server_tool_use" || block.kind == "mcp_tool_use"
}

fn is_server_result(block: &Block) -> bool {
    block.kind.ends_with("_tool_result")
}

/// Whether any block is part of a call that the client makes or answers.
pub(super) fn has_tool_blocks(messages: &[Message]) -> bool {
    messages.iter().flat_map(|message| &message.blocks).any(|block| block.is_call() || block.is_result())
}
