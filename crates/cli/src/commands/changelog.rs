//! `enfold changelog`: what a session changed, file by file, in the words of its calls.

use std::collections::BTreeMap;

use enfold::understand::calls::CallRecord;
use enfold::understand::changelog::FileChange;
use enfold::understand::files::FileTracker;
use serde_json::{Value, json};

use crate::args::ChangelogArgs;
use crate::failure::Failure;
use crate::report::{clean, times};
use crate::{input, output};

/// Prints it.
pub fn run(args: ChangelogArgs) -> Result<(), Failure> {
    let document = input::read_session(&args.session.file, &args.session.from)?;
    let mut tracker = FileTracker::default();
    tracker.update(&document.history);
    let entries: Vec<Entry> = tracker.changes().collect();
    if args.json {
        return output::print(&format!("{:#}\n", all_as_json(&entries)));
    }
    output::print(&markdown(&entries))
}

/// The same as JSON, with the `text` beside it.
pub fn told(tracker: &FileTracker) -> Value {
    let entries: Vec<Entry> = tracker.changes().collect();
    let mut told = all_as_json(&entries);
    told["text"] = markdown(&entries).into();
    told
}

fn all_as_json(entries: &[Entry]) -> Value {
    json!({ "changes": entries.iter().map(as_json).collect::<Vec<_>>() })
}

/// A change and the call that made it.
type Entry<'a> = (&'a CallRecord, &'a FileChange);

fn markdown(entries: &[Entry]) -> String {
    if entries.is_empty() {
        return "No file was changed.\n".into();
    }
    let mut files: BTreeMap<&str, Vec<&Entry>> = BTreeMap::new();
    for entry in entries {
        files.entry(&entry.1.path).or_default().push(entry);
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

fn line((call, change): &Entry) -> String {
    let to = change.to.as_ref().map_or(String::new(), |to| format!(" to {to}"));
    let size = match (change.added, change.removed) {
        (Some(added), Some(removed)) => format!(" (+{added} −{removed})"),
        (Some(added), None) => format!(" (+{added})"),
        (None, Some(removed)) => format!(" (−{removed})"),
        (None, None) => String::new(),
    };
    let intent = call.intent.as_ref().map_or(String::new(), |intent| format!(": {intent}"));
    format!("- step {}: {}{}{size}{}\n", call.step, change.verb.name(), clean(&to), clean(&intent))
}

fn as_json((call, change): &Entry) -> Value {
    json!({
        "step": call.step,
        "path": change.path,
        "to": change.to,
        "verb": change.verb.name(),
        "intent": call.intent,
        "added": change.added,
        "removed": change.removed,
    })
}
