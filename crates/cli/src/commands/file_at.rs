//! `enfold file-at`: what a file held after a step, as far as the session shows it.

use enfold::history::History;
use enfold::understand::file_state::{Certainty, Content, FileState, file_at};
use enfold::understand::files::FileTracker;
use enfold::understand::paths;
use enfold::understand::vocabulary::Vocabulary;
use serde_json::{Value, json};

use crate::args::FileAtArgs;
use crate::failure::Failure;
use crate::report;
use crate::{input, output};

/// Prints the content to stdout and how sure it is to stderr.
pub fn run(args: FileAtArgs) -> Result<(), Failure> {
    let (session, path) = args.named()?;
    let document = input::read_session(&session, &args.from)?;
    let history = &document.history;
    let step = match args.turn {
        Some(turn) => last_step(history, turn)?,
        None => args.step.unwrap_or(history.steps()),
    };
    if step > history.steps() {
        let cause = format!("the session has {} steps", history.steps());
        return Err(Failure::new(
            format!("--step {step}"),
            cause,
            "take one of them, or leave it out for the last",
        ));
    }
    let vocabulary = Vocabulary::default();
    let state = file_at(history, &vocabulary, &path, step).ok_or_else(|| {
        let mut tracker = FileTracker::new(vocabulary.clone());
        tracker.update(history);
        unknown(&path, &tracker)
    })?;
    if args.json {
        return output::print(&format!("{:#}\n", as_json(&path, step, &state)));
    }
    output::note(&format!("{}: {}\n", report::clean(&path), report::clean(&state.said(step))));
    output::print(&state.content.text())
}

/// The last step of a turn, or of one before it where it has none.
fn last_step(history: &History, turn: u32) -> Result<u32, Failure> {
    if turn == 0 || turn > history.turns() {
        let cause = format!("the session has {} turns", history.turns());
        return Err(Failure::new(format!("--turn {turn}"), cause, "take one of them, counted from 1"));
    }
    let steps = history.items().iter().filter(|item| item.turn <= turn).filter_map(|item| item.step);
    Ok(steps.max().unwrap_or(0))
}

/// The file is touched later, or under another name, or not at all.
fn unknown(path: &str, tracker: &FileTracker) -> Failure {
    let wanted = paths::name(path);
    let like = tracker.files().filter(|(path, _)| path.contains(wanted)).take(5);
    let like: Vec<String> = like
        .map(|(path, record)| {
            let first = record.accesses.iter().map(|access| access.step).min().unwrap_or(0);
            format!("{path} (from step {first} on)")
        })
        .collect();
    let remedy = match like.as_slice() {
        [] => "`enfold inspect` lists the files it touches".to_string(),
        like => format!("there is {}", like.join(", ")),
    };
    Failure::new(path, "the session does not touch this file by that step", remedy)
}

/// The state of a file after a step.
pub fn as_json(path: &str, step: u32, state: &FileState) -> Value {
    let (kind, text, runs, total) = match &state.content {
        Content::Unknown => ("unknown", None, None, None),
        Content::Absent => ("absent", None, None, None),
        Content::Whole(text) => ("whole", Some(text), None, Some(text.lines().count())),
        Content::Partial { runs, total } => {
            let runs: Vec<Value> = runs
                .iter()
                .map(|run| {
                    let lines: Vec<&str> = run.lines.iter().map(|line| &**line).collect();
                    json!({ "first": run.first, "lines": lines })
                })
                .collect();
            ("partial", None, Some(runs), *total)
        }
    };
    let doubt = match &state.certainty {
        Certainty::Certain => None,
        Certainty::Doubtful { since, because } => Some(json!({ "since": since, "because": because })),
    };
    json!({ "path": path, "step": step, "content": kind, "text": text, "runs": runs, "lines": total, "doubt": doubt })
}
