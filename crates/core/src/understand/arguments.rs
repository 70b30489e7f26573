//! The arguments of a call: an object whose members go by different names, or free text.

use std::borrow::Cow;

use super::operation::{MAX_LINE, Occurrences, Replacement};
use crate::json::{Kind, Raw};

/// Where a path may stand; the last ones only for tools known by name.
pub(super) const PATHS: [&str; 16] = [
    "file_path",
    "path",
    "filePath",
    "absolute_path",
    "target_file",
    "notebook_path",
    "filename",
    "file",
    "paths",
    "relative_workspace_path",
    "dir_path",
    "directory",
    "TargetFile",
    "AbsolutePath",
    "source",
    "url",
];
/// Where a text to be replaced may stand.
pub(super) const OLD: [&str; 8] =
    ["old_string", "old_str", "oldText", "oldString", "old_text", "search", "old", "TargetContent"];
/// Where its replacement may stand.
pub(super) const NEW: [&str; 8] =
    ["new_string", "new_str", "newText", "newString", "new_text", "replace", "new", "ReplacementContent"];
/// Where the text of a file may stand.
pub(super) const TEXTS: [&str; 7] =
    ["content", "file_text", "contents", "text", "new_str", "code_edit", "CodeContent"];
/// Where a command may stand.
pub(super) const COMMANDS: [&str; 6] = ["command", "cmd", "script", "CommandLine", "code", "input"];
/// Where the directory of a command may stand.
pub(super) const DIRECTORIES: [&str; 5] = ["workdir", "cwd", "directory", "dir_path", "working_directory"];

/// Arguments that are an object, or free text.
pub(super) struct Arguments<'a> {
    /// The members of the object, found once: looking for a path under sixteen names must not go through a long text
    /// sixteen times. `None` for free text.
    members: Option<Vec<(Cow<'a, str>, Raw<'a>)>>,
    pub(super) text: &'a str,
}

impl<'a> Arguments<'a> {
    pub(super) fn of(text: &'a str) -> Arguments<'a> {
        let object = Raw::parse(text).ok().filter(|raw| raw.kind() == Kind::Object);
        Arguments { members: object.map(|object| object.members().collect()), text }
    }

    /// The members of an object inside arguments or a result; of any other value none.
    pub(super) fn inside(value: Raw<'a>) -> Arguments<'a> {
        Arguments { members: Some(value.members().collect()), text: "" }
    }

    pub(super) fn is_object(&self) -> bool {
        self.members.is_some()
    }

    /// Where a key stands twice the last one wins, as [`Raw::get`] has it.
    fn member(&self, key: &str) -> Option<Raw<'a>> {
        self.members.as_ref()?.iter().rev().find(|(name, _)| name == key).map(|(_, value)| *value)
    }

    pub(super) fn get(&self, keys: &[&str]) -> Option<Raw<'a>> {
        keys.iter().find_map(|key| self.member(key)).filter(|value| !value.is_null())
    }

    /// The first string under one of the keys.
    pub(super) fn string(&self, keys: &[&str]) -> Option<Cow<'a, str>> {
        keys.iter().find_map(|key| self.member(key).and_then(Raw::str))
    }

    /// The first value under one of the keys that is a string at all.
    pub(super) fn first_string(&self, keys: &[&str]) -> Option<Raw<'a>> {
        let is_string = |value: &Raw<'_>| value.kind() == Kind::String;
        keys.iter().find_map(|key| self.member(key).filter(is_string))
    }

    /// A number, also where it is written as a string.
    pub(super) fn number(&self, keys: &[&str]) -> Option<i64> {
        let value = self.get(keys)?;
        match value.kind() {
            Kind::Number => value.f64().map(|number| number as i64),
            _ => value.str()?.trim().parse().ok(),
        }
        .filter(|number| number.unsigned_abs() <= MAX_LINE as u64)
    }

    pub(super) fn is_true(&self, keys: &[&str]) -> bool {
        self.get(keys)
            .is_some_and(|value| value.bool() == Some(true) || value.str().is_some_and(|text| text == "true"))
    }
}

/// Cline's and Roo's `<<<<<<< SEARCH … ======= … >>>>>>> REPLACE`.
pub(super) fn search_replace_blocks(diff: &str) -> Vec<Replacement> {
    let mut replacements = Vec::new();
    let mut lines = diff.lines();
    while lines.by_ref().any(|line| line.contains("<<<<<<< SEARCH") || line.contains("------- SEARCH")) {
        let mut old = Vec::new();
        let mut new = Vec::new();
        for line in lines.by_ref().take_while(|line| *line != "=======") {
            // Roo puts a start line and a rule in front.
            if line.starts_with(":start_line:") || line == "-------" {
                old.clear();
            } else {
                old.push(line);
            }
        }
        new.extend(
            lines
                .by_ref()
                .take_while(|line| !line.contains(">>>>>>> REPLACE") && !line.contains("+++++++ REPLACE")),
        );
        replacements.push(Replacement {
            old: old.join("\n"),
            new: new.join("\n"),
            occurrences: Occurrences::Single,
        });
    }
    replacements
}
