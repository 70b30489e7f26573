//! Input items, and what can be said of each by itself.

use std::borrow::Cow;

use super::at;
use crate::json::{Kind, Raw};
use crate::validate::Request;
use crate::validate::report::Report;
use crate::validate::values::{is, pick, shown, text, what};

/// Longest `call_id` the API takes.
const LONGEST_ID: usize = 64;

pub(super) struct Item<'a> {
    pub(super) number: usize,
    pub(super) raw: Raw<'a>,
    /// Its `type`; a message may go without.
    pub(super) kind: Cow<'a, str>,
    pub(super) part: Part,
    pub(super) id: Option<Cow<'a, str>>,
    pub(super) call_id: Option<Cow<'a, str>>,
    role: Option<Cow<'a, str>>,
}

/// Which part of a pair an item is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Part {
    /// A call that the client answers.
    Call,
    /// The client's answer.
    Output,
    /// Anything else.
    Other,
}

/// Types of calls that the client answers.
const CALLS: &[&str] = &[
    "function_call",
    "custom_tool_call",
    "computer_call",
    "local_shell_call",
    "shell_call",
    "apply_patch_call",
];

/// Takes all items apart.
pub(super) fn read<'a>(request: &Request<'a>, report: &mut Report) -> Vec<Item<'a>> {
    let items = request.messages.iter().enumerate();
    items.map(|(number, raw)| read_item(*raw, number, report)).collect()
}

fn read_item<'a>(raw: Raw<'a>, number: usize, report: &mut Report) -> Item<'a> {
    let [kind, role, content, id, call_id] = pick(raw, ["type", "role", "content", "id", "call_id"]);
    let given = kind;
    let kind = match (raw.kind(), text(kind)) {
        // The whole input may be one string.
        (Kind::String, _) => "message".into(),
        (Kind::Object, Some(kind)) => kind,
        (Kind::Object, None) if given.is_none() && role.is_some() => "message".into(),
        (Kind::Object, None) => {
            let found = format!("`type` is {}", what(given));
            report.error("R8", at(number, ".type"), found, "name the item's type");
            "".into()
        }
        _ => {
            let found = format!("an item is an object; this is {}", what(Some(raw)));
            report.error("R8", at(number, ""), found, "make it a message");
            "".into()
        }
    };
    let part = if CALLS.contains(&&*kind) {
        Part::Call
    } else if kind.strip_suffix("_output").is_some_and(|call| CALLS.contains(&call)) {
        Part::Output
    } else {
        Part::Other
    };
    let item = Item { number, raw, part, id: text(id), call_id: text(call_id), role: text(role), kind };
    if raw.kind() == Kind::Object {
        item.check_message(role, content, report);
        item.check_pair(call_id, report);
    }
    item
}

impl Item<'_> {
    /// Whether this output is of the type that `call` asks for. Codex answers its local shell as a function.
    pub(super) fn answers(&self, call: &Item) -> bool {
        let shell = ["local_shell_call", "shell_call"].contains(&&*call.kind);
        self.kind.strip_suffix("_output") == Some(&*call.kind)
            || (shell && self.kind == "function_call_output")
    }

    /// Whether the model wrote it.
    pub(super) fn is_the_models(&self) -> bool {
        match &*self.kind {
            "message" => self.role.as_deref() == Some("assistant"),
            "item_reference" => true,
            kind => kind.ends_with("_call") || kind.starts_with("mcp_") || kind == "compaction",
        }
    }

    /// How the id of such an item begins.
    pub(super) fn prefix(&self) -> Option<&'static str> {
        match &*self.kind {
            "message" if self.role.as_deref() == Some("assistant") => Some("msg"),
            "reasoning" => Some("rs"),
            "function_call" => Some("fc"),
            _ => None,
        }
    }

    fn check_message(&self, role: Option<Raw>, content: Option<Raw>, report: &mut Report) {
        if self.kind != "message" {
            return;
        }
        let known = ["user", "assistant", "system", "developer"];
        if !self.role.as_deref().is_some_and(|role| known.contains(&role)) {
            let found = match &self.role {
                Some(role) => format!("no such role: {}", shown(role)),
                None => format!("`role` is {}", what(role)),
            };
            let remedy = "use `user`, `assistant`, `system` or `developer`";
            report.error("R8", at(self.number, ".role"), found, remedy);
        }
        if !is(content, Kind::String) && !is(content, Kind::Array) {
            let found = format!("`content` is {}", what(content));
            report.error("R8", at(self.number, ".content"), found, "give it a string or a list of parts");
        }
        let spoken = self.role.as_deref() == Some("assistant");
        for (nth, part) in content.into_iter().flat_map(Raw::elements).enumerate() {
            let kind = pick(part, ["type"])[0];
            let place = at(self.number, &format!(".content[{nth}].type"));
            match text(kind).as_deref() {
                None => {
                    let found = format!("the part's `type` is {}", what(kind));
                    report.error("R8", place, found, "name the part's type");
                }
                Some("input_text" | "input_image" | "input_file" | "input_audio") if spoken => {
                    report.error(
                        "R8",
                        place,
                        "an input part in the assistant's message",
                        "use `output_text`",
                    );
                }
                Some("output_text" | "refusal") if !spoken => {
                    report.error(
                        "R8",
                        place,
                        "an output part that is not the assistant's",
                        "use `input_text`",
                    );
                }
                Some("text") => {
                    let found = "`text` is a part of Chat Completions";
                    report.error("R8", place, found, "use `input_text` or `output_text`");
                }
                Some(_) => {}
            }
        }
    }

    fn check_pair(&self, call_id: Option<Raw>, report: &mut Report) {
        if self.part == Part::Other {
            return;
        }
        match self.call_id.as_deref() {
            Some(id) if !id.is_empty() && id.chars().count() <= LONGEST_ID => {}
            Some(id) => {
                let found = format!("the call_id {} does not have 1 to {LONGEST_ID} characters", shown(id));
                let remedy = "shorten it, in the call and in its output";
                report.error("R8", at(self.number, ".call_id"), found, remedy);
            }
            // Hosted tools may leave it out.
            None if self.kind == "local_shell_call" => {}
            None => {
                let found = format!("`call_id` is {}", what(call_id));
                report.error("R8", at(self.number, ".call_id"), found, "give call and output the same id");
            }
        }
        let [name, arguments, input, output] = pick(self.raw, ["name", "arguments", "input", "output"]);
        let wanted: &[(&str, Option<Raw>, &[Kind])] = match &*self.kind {
            "function_call" => &[("name", name, &[Kind::String]), ("arguments", arguments, &[Kind::String])],
            "custom_tool_call" => &[("name", name, &[Kind::String]), ("input", input, &[Kind::String])],
            "function_call_output" | "custom_tool_call_output" => {
                &[("output", output, &[Kind::String, Kind::Array])]
            }
            _ => &[],
        };
        for (key, value, kinds) in wanted {
            if !kinds.iter().any(|kind| is(*value, *kind)) {
                let found = format!("`{key}` is {}", what(*value));
                report.error("R8", at(self.number, &format!(".{key}")), found, "give it a string");
            }
        }
    }
}
