//! Parts of messages, and what can be said of each by itself.

use std::borrow::Cow;

use super::{Role, at};
use crate::finding::Place;
use crate::json::{Kind, Raw};
use crate::validate::report::Report;
use crate::validate::values::{is, pick, shown, text, what};

pub(super) struct Part<'a> {
    pub(super) message: usize,
    nth: usize,
    pub(super) kind: Cow<'a, str>,
    pub(super) call_id: Option<Cow<'a, str>>,
    pub(super) approval_id: Option<Cow<'a, str>>,
    pub(super) provider_executed: bool,
}

impl<'a> Part<'a> {
    pub(super) fn read(
        raw: Raw<'a>,
        role: Role,
        message: usize,
        nth: usize,
        report: &mut Report,
    ) -> Option<Part<'a>> {
        let [kind, call, approval, executed] =
            pick(raw, ["type", "toolCallId", "approvalId", "providerExecuted"]);
        let place = at(message, &format!(".content[{nth}]"));
        let Some(name) = text(kind) else {
            let found = match raw.kind() {
                Kind::Object => format!("the part's `type` is {}", what(kind)),
                _ => format!("a part is an object; this is {}", what(Some(raw))),
            };
            report.error("S7", place, found, "name the part's type");
            return None;
        };
        let part = Part {
            message,
            nth,
            kind: name,
            call_id: text(call),
            approval_id: text(approval),
            provider_executed: executed.and_then(Raw::bool) == Some(true),
        };
        part.check_home(role, report);
        part.check_fields(raw, report);
        if part.kind == "tool-result" {
            part.check_output(raw, report);
        }
        Some(part)
    }

    /// Its place.
    pub(super) fn place(&self, tail: &str) -> Place {
        at(self.message, &format!(".content[{}]{tail}", self.nth))
    }

    fn check_home(&self, role: Role, report: &mut Report) {
        let kind = &*self.kind;
        let allowed: &[&str] = match role {
            Role::User => &["text", "image", "file"],
            Role::Assistant => &[
                "text",
                "file",
                "reasoning",
                "tool-call",
                "tool-result",
                "tool-approval-request",
                "custom",
                "reasoning-file",
            ],
            Role::Tool => &["tool-result", "tool-approval-response"],
            Role::System | Role::Unknown => return,
        };
        if allowed.contains(&kind) {
            return;
        }
        let found = format!("{} is no part of such a message", shown(kind));
        report.error("S7", self.place(".type"), found, format!("use {}", allowed.join(", ")));
    }

    fn check_fields(&self, raw: Raw, report: &mut Report) {
        let wanted: &[&str] = match &*self.kind {
            "text" | "reasoning" => &["text"],
            "tool-call" | "tool-result" => &["toolCallId", "toolName"],
            "tool-approval-request" => &["approvalId", "toolCallId"],
            "tool-approval-response" => &["approvalId"],
            _ => &[],
        };
        for key in wanted {
            let value = pick(raw, [key])[0];
            if !is(value, Kind::String) {
                let found = format!("`{key}` is {}", what(value));
                report.error("S7", self.place(&format!(".{key}")), found, "give it a string");
            }
        }
        let [input, args, image, data] = pick(raw, ["input", "args", "image", "data"]);
        match &*self.kind {
            "tool-call" if input.is_none() && args.is_some() => {
                let found = "`args` is how version 4 spells it";
                report.warning("S7", self.place(".args"), found, "rename it to `input`");
            }
            "image" if image.is_none() => {
                report.error("S7", self.place(".image"), "`image` is missing", "give it data or a URL");
            }
            "file" | "reasoning-file" if data.is_none() => {
                report.error("S7", self.place(".data"), "`data` is missing", "give it data or a URL");
            }
            _ => {}
        }
    }

    /// S4.
    fn check_output(&self, raw: Raw, report: &mut Report) {
        let [output, result] = pick(raw, ["output", "result"]);
        let Some(output) = output else {
            let found = match result {
                Some(_) => "`result` is how version 4 spells it",
                None => "`output` is missing",
            };
            let remedy = "write `output: {\"type\": \"text\", \"value\": …}`";
            report.error("S4", self.place(".output"), found, remedy);
            return;
        };
        let [kind, value] = pick(output, ["type", "value"]);
        let fits = match text(kind).as_deref() {
            Some("text" | "error-text") => is(value, Kind::String),
            Some("json" | "error-json") => output.get("value").is_some(),
            Some("execution-denied") => true,
            Some("content") => is(value, Kind::Array),
            _ => false,
        };
        if !fits {
            let found = match text(kind) {
                Some(kind) => format!("an output of type {} with {} as value", shown(&kind), what(value)),
                None => format!("the output's `type` is {}", what(kind)),
            };
            let remedy = "text takes a string, json any value, content a list of parts";
            report.error("S4", self.place(".output"), found, remedy);
        }
    }
}
