//! A ledger as text: as much as fits, the most useful lines first.

use std::borrow::Cow;

use super::{FileEntry, Ledger, Request, TodoState};
use crate::count::Counter;
use crate::history::MessageId;

/// Lines longer than this end in `…`.
const LONGEST: usize = 240;

/// Lines are written when they are taken: a long session has thousands of them, and room for a few.
struct Section<'a> {
    title: &'static str,
    count: usize,
    line: Box<dyn Fn(usize) -> String + 'a>,
}

impl<'a> Section<'a> {
    fn of<T: Clone + 'a>(
        title: &'static str,
        entries: impl Into<Cow<'a, [T]>>,
        line: impl Fn(&T) -> String + 'a,
    ) -> Section<'a> {
        let entries = entries.into();
        Section { title, count: entries.len(), line: Box::new(move |nth| line(&entries[nth])) }
    }
}

impl Ledger {
    /// The ledger below the original task, which stands whole.
    pub fn render(&self, counter: &dyn Counter, most: usize) -> String {
        let rest = self.render_rest(counter, most);
        match &self.task {
            Some(task) => format!("### Original task\n{}\n{rest}", task.trim_end()),
            None => rest,
        }
    }

    /// The ledger without the original task, in at most `most` tokens: each section gives its next best line in turn
    /// until nothing more fits, and says how many are missing.
    pub(crate) fn render_rest(&self, counter: &dyn Counter, most: usize) -> String {
        let sections = self.sections();
        let mut taken: Vec<Vec<String>> = vec![Vec::new(); sections.len()];
        let mut left = most;
        let mut open: Vec<usize> = (0..sections.len()).collect();
        while !open.is_empty() {
            open.retain(|nth| {
                let (section, taken) = (&sections[*nth], &mut taken[*nth]);
                if taken.len() == section.count {
                    return false;
                }
                let line = (section.line)(taken.len());
                let title = if taken.is_empty() { counter.count(section.title) + 8 } else { 0 };
                let cost = counter.count(&line) + 2 + title;
                let fits = cost <= left;
                if fits {
                    left -= cost;
                    taken.push(line);
                }
                fits
            });
        }
        let mut out = String::new();
        for (section, taken) in sections.iter().zip(taken).filter(|(_, taken)| !taken.is_empty()) {
            out += &format!("### {}\n{}\n", section.title, taken.join("\n"));
            let more = section.count - taken.len();
            if more > 0 {
                out += &format!("- … {more} more\n");
            }
        }
        out
    }

    /// The sections in the order of their use to somebody who has to go on.
    fn sections(&self) -> Vec<Section<'_>> {
        let (mut changed, read): (Vec<&FileEntry>, Vec<&FileEntry>) =
            self.files.iter().partition(|file| file.modified);
        // What is gone is of less use than what is there.
        changed.sort_by_key(|file| file.deleted);
        let (open, settled): (Vec<_>, Vec<_>) =
            self.requests.iter().rev().partition(|request| !request.answered && !request.interrupted);
        let (interrupted, answered): (Vec<_>, Vec<_>) =
            settled.into_iter().partition(|request| request.interrupted);
        let task = self.requests.first().map(|first| first.message);
        let request = move |request: &&Request| request_line(request, task);
        vec![
            Section::of("Open requests", open, request),
            Section::of("Plan", &self.todo[..], todo_line),
            Section::of("Calls under way", &self.pending[..], pending_line),
            Section::of("Changed files", changed, |file: &&FileEntry| changed_line(file)),
            Section::of("Errors", &self.errors[..], error_line),
            Section::of("Commands", &self.commands[..], command_line),
            Section::of("Conditions the user stated", &self.stated.conditions[..], |text| {
                format!("- {text}")
            }),
            Section::of("Read files", read, |file: &&FileEntry| read_line(file)),
            Section::of("Names the user used", name_lines(&self.stated.names), String::clone),
            Section::of("Requests the user interrupted", interrupted, request),
            Section::of("Answered requests", answered, request),
        ]
    }
}

fn request_line(request: &Request, task: Option<MessageId>) -> String {
    let text = match task == Some(request.message) {
        true => "the original task".into(),
        false => clip(&request.text, LONGEST),
    };
    format!("- turn {}: {text}", request.turn)
}

fn todo_line(entry: &super::TodoEntry) -> String {
    let mark = match entry.state {
        TodoState::Done => "x",
        TodoState::Active => "-",
        TodoState::Open => " ",
    };
    format!("- [{mark}] {}", clip(&entry.text, LONGEST))
}

fn pending_line(call: &super::Pending) -> String {
    format!("- step {}: {} {}", call.step, call.tool, clip(&call.arguments, LONGEST))
}

fn changed_line(file: &FileEntry) -> String {
    let gone = if file.deleted { ", removed" } else { "" };
    let why = match file.intents.last() {
        Some(intent) => format!(": {}", clip(intent, LONGEST / 2)),
        None => String::new(),
    };
    let FileEntry { path, added, removed, last_step, .. } = file;
    let lines = match (file.uncounted, added + removed) {
        (false, _) => format!("+{added} −{removed}"),
        (true, 0) => "+? −?".to_string(),
        (true, _) => format!("+{added} −{removed} or more"),
    };
    format!("- {path} ({lines}, last at step {last_step}{gone}){why}")
}

fn read_line(file: &FileEntry) -> String {
    format!("- {} ({}×, last at step {})", file.path, file.reads, file.last_step)
}

fn error_line(error: &super::ErrorEntry) -> String {
    let times = if error.times > 1 { format!(", {}×", error.times) } else { String::new() };
    let end = match &error.resolved {
        None => "not resolved".to_string(),
        Some(resolved) if resolved.changed.is_empty() => format!("resolved at step {}", resolved.step),
        Some(resolved) => {
            let changed = clip(&resolved.changed.join(", "), LONGEST / 2);
            format!("resolved at step {} after changes to {changed}", resolved.step)
        }
    };
    let what = clip(&error.what, LONGEST / 2);
    format!("- step {}: {what}: {} ({end}{times})", error.step, clip(&error.says, LONGEST / 2))
}

fn command_line(command: &super::CommandEntry) -> String {
    let end = match (command.exit, command.failed) {
        (Some(0), _) => "ok".to_string(),
        (Some(exit), _) => format!("exit {exit}"),
        (None, true) => "failed".to_string(),
        (None, false) => "ended".to_string(),
    };
    let runs = if command.runs > 1 { format!(", {}×", command.runs) } else { String::new() };
    format!("- `{}` ({end} at step {}{runs})", clip(&command.command, LONGEST / 2), command.last_step)
}

/// The text without a terminal's control sequences (`ESC [ … letter`).
fn uncoloured(text: &str) -> Cow<'_, str> {
    if !text.contains('\u{1b}') {
        return text.into();
    }
    let mut pieces = text.split('\u{1b}');
    let mut plain = pieces.next().unwrap_or_default().to_string();
    for piece in pieces {
        let sequence = piece.strip_prefix('[');
        let rest = sequence.map(|rest| rest.trim_start_matches(|c: char| !c.is_ascii_alphabetic()));
        plain += rest.and_then(|rest| rest.get(1..)).unwrap_or(piece);
    }
    plain.into()
}

/// Ten to a line.
fn name_lines(names: &[String]) -> Vec<String> {
    names.chunks(10).map(|names| format!("- {}", names.join(", "))).collect()
}

/// The text on one line, cut after `longest` characters. Colours of a terminal are nothing to read.
pub(super) fn clip(text: &str, longest: usize) -> String {
    let line = uncoloured(text).split_whitespace().collect::<Vec<_>>().join(" ");
    match line.char_indices().nth(longest) {
        Some((end, _)) => format!("{}…", &line[..end]),
        None => line,
    }
}
