//! Calls with which agents end their work: the last of them is an answer, not a thing that waits for a result.

use crate::history::{History, ItemId};
use crate::json::Raw;

/// Tools that do nothing but end the work.
const TOOLS: [&str; 5] = ["finish", "submit", "attempt_completion", "exit_cost", "exit_forfeit"];

/// What mini-swe-agent prints to end its work.
const MARK: &str = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT";

/// Whether a call ends the work.
pub(super) fn ends_work(history: &History, call: Option<ItemId>) -> bool {
    let Some(item) = call.map(|call| history.item(call)) else { return false };
    let Some(name) = item.call().map(|call| &call.name) else { return false };
    if TOOLS.contains(&&**name) {
        return true;
    }
    let arguments = item.text();
    // A command of a few words: longer ones do other things.
    if arguments.len() > 400
        || !(arguments.contains("submit") || arguments.contains("exit_") || arguments.contains(MARK))
    {
        return false;
    }
    let Ok(object) = Raw::parse(&arguments) else { return is_ending(&arguments) };
    ["command", "cmd"].iter().filter_map(|key| object.str_at(key)).any(|command| is_ending(&command))
}

fn is_ending(command: &str) -> bool {
    let command = command.trim();
    TOOLS.contains(&command)
        || command.starts_with("submit ")
        || (command.starts_with("echo") && command.contains(MARK))
}
