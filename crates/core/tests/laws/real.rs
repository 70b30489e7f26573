//! The promises over real sessions, as they are and after accidents.

use std::path::Path;

use enfold::file;
use serde_json::Value;

use crate::support::folding::{Asked, Folding, Prepared, Subject};
use crate::support::promises;
use crate::support::sessions::{all_files, files};

/// Folds a session to a budget with every policy and checks every promise; says how often what must stay did not fit.
#[derive(Default)]
struct Checked {
    folded: usize,
    refused: usize,
}

impl Checked {
    fn session(&mut self, session: &Prepared, limit: usize, name: &str) {
        if session.tally.total() <= limit {
            return;
        }
        for subject in Subject::policies() {
            let facts = session.facts(&subject.policy);
            let folding = Folding::of(session, &subject, &facts, Asked::limit(limit), name);
            promises::ALL.iter().for_each(|promise| promise(&folding));
            match folding.outcome {
                Ok(_) => self.folded += 1,
                Err(_) => self.refused += 1,
            }
        }
    }

    fn say(&self, what: &str) {
        eprintln!("{what}: {} views keep every promise, {} cannot fit", self.folded, self.refused);
    }
}

fn every_session_to(limit: usize) {
    let mut checked = Checked::default();
    for file in files("every policy", &["dev"]) {
        checked.session(&Prepared::of(std::fs::read(&file).unwrap()), limit, &file.display().to_string());
    }
    checked.say(&format!("real sessions at {limit}"));
}

#[test]
fn every_real_session_folds_to_8k() {
    every_session_to(8_000);
}

#[test]
fn every_real_session_folds_to_16k() {
    every_session_to(16_000);
}

#[test]
fn every_real_session_folds_to_32k() {
    every_session_to(32_000);
}

#[test]
fn every_real_session_folds_to_64k() {
    every_session_to(64_000);
}

#[test]
fn every_transcript_folds() {
    let mut checked = Checked::default();
    for file in all_files("every transcript", &["native"]) {
        // Files that are no sessions are another test's business.
        let Ok(document) = file::read_bytes(std::fs::read(&file).unwrap()) else { continue };
        let session = Prepared::read(document);
        for limit in [8_000, 16_000, 32_000, 64_000] {
            checked.session(&session, limit, &file.display().to_string());
        }
    }
    checked.say("transcripts at 8k to 64k");
}

#[test]
fn sessions_fold_after_accidents() {
    let mut checked = Checked::default();
    for (nth, file) in files("accidents", &["dev"]).iter().enumerate().step_by(3) {
        let text = std::fs::read_to_string(file).unwrap();
        for (what, accident) in ACCIDENTS {
            let lines: Vec<Value> = text
                .lines()
                .filter(|line| !line.is_empty())
                .map(|line| serde_json::from_str(line).unwrap())
                .collect();
            let lines: Vec<String> =
                accident(lines, nth).iter().map(|line| line.to_string() + "\n").collect();
            let Ok(document) = file::read_bytes_as("openai-chat", lines.concat().into_bytes()) else {
                continue;
            };
            checked.session(&Prepared::read(document), 8_000, &format!("{what}: {}", name(file)));
        }
    }
    checked.say("sessions after accidents at 8k");
}

fn name(file: &Path) -> String {
    file.file_name().unwrap().to_string_lossy().into_owned()
}

type Accident = fn(Vec<Value>, usize) -> Vec<Value>;

const ACCIDENTS: [(&str, Accident); 5] = [
    ("messages are missing", |lines, nth| {
        let kept = lines.into_iter().enumerate().filter(|(at, _)| (at + nth) % 5 != 0);
        kept.map(|(_, line)| line).collect()
    }),
    ("neighbours are swapped", |mut lines, nth| {
        for at in (nth % 4 + 1..lines.len()).step_by(7) {
            lines.swap(at - 1, at);
        }
        lines
    }),
    ("the end is missing", |mut lines, nth| {
        lines.truncate(lines.len() - nth % 9);
        lines
    }),
    ("texts are doubled", |mut lines, nth| {
        change_texts(&mut lines, nth, |text| text.repeat(2));
        lines
    }),
    ("texts are cut off", |mut lines, nth| {
        change_texts(&mut lines, nth, |text| text.chars().take(text.chars().count() / 3).collect());
        lines
    }),
];

/// Changes the text of every fourth message that has one.
fn change_texts(lines: &mut [Value], nth: usize, change: fn(&str) -> String) {
    for line in lines.iter_mut().skip(nth % 4).step_by(4) {
        if let Some(text) = line["content"].as_str() {
            line["content"] = change(text).into();
        }
    }
}
