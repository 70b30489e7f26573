//! `enfold changelog`: what a session changed, file by file, in the words of its calls.

use std::collections::BTreeMap;

use enfold::understand::changelog::{ChangeEntry, changelog};
use enfold::understand::vocabulary::Vocabulary;
use serde_json::{Value, json};

use crate::args::ChangelogArgs;
use crate::failure::Failure;
use crate::report::{clean, times};
use crate::{input, output};

/// Prints it.
pub fn run(args: ChangelogArgs) -> Result<(), Failure> {
    let document = input::read_session(&args.session.file, &args.session.from)?;
    let entries = changelog(&document.history, &Vocabulary::default());
    if args.json {
        let changes: Vec<Value> = entries.iter().map(as_json).collect();
        return output::print(&format!("{:#}\n", json!({ "changes": changes })));
    }
    output::print(&markdown(&entries))
}

fn markdown(entries: &[ChangeEntry]) -> String {
    if entries.is_empty() {
        return "No file was changed.\n".into();
    }
    let mut files: BTreeMap<&str, Vec<&ChangeEntry>> = BTreeMap::new();
    for entry in entries {
        files.entry(&entry.path).or_default().push(entry);
    }
    let mut text = format!(
        "# Changes\n\n{} in {}\n",
        times(entries.len() as u64, "change"),
        times(files.len() as u64, "file")
    );
    for (path, entries) in files {
        text += &format!("\n## {}\n\n", clean(path));
        for entry in entries {
            text += &line(entry);
        }
    }
    text
}

fn line(entry: &ChangeEntry) -> String {
    let to = entry.to.as_ref().map_or(String::new(), |to| format!(" to {to}"));
    let size = match (entry.added, entry.removed) {
        (Some(added), Some(removed)) => format!(" (+{added} −{removed})"),
        (Some(added), None) => format!(" (+{added})"),
        (None, Some(removed)) => format!(" (−{removed})"),
        (None, None) => String::new(),
    };
    let intent = entry.intent.as_ref().map_or(String::new(), |intent| format!(": {intent}"));
    format!("- step {}: {}{}{size}{}\n", entry.step, entry.verb.name(), clean(&to), clean(&intent))
}

fn as_json(entry: &ChangeEntry) -> Value {
    json!({
        "step": entry.step,
        "path": entry.path,
        "to": entry.to,
        "verb": entry.verb.name(),
        "intent": entry.intent,
        "added": entry.added,
        "removed": entry.removed,
    })
}
