//! The question to a summarizer over the example sessions: in every window it fits, or is not asked.
#![allow(clippy::unwrap_used, clippy::print_stderr, reason = "a test")]

mod support;

use std::path::{Path, PathBuf};

use enfold::count::{Counter, Encoding, Heuristic, weigh};
use enfold::file;
use enfold::history::History;
use enfold::history::Slot;
use enfold::summary::{Question, TEMPLATES, Template, Transcript};
use support::sessions;

fn examples() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions");
    let files = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let mut files: Vec<PathBuf> = files.filter(|path| path.is_file()).collect();
    files.sort();
    assert!(files.len() >= 10);
    files
}

fn read(file: &Path) -> Option<History> {
    Some(file::read_bytes(std::fs::read(file).unwrap()).ok()?.history)
}

fn question(history: &History, template: &str) -> Question {
    let messages = history.message_ids().zip(history.messages());
    let question = Question {
        key: String::new(),
        round: 2,
        messages: messages.filter(|(_, message)| message.slot == Slot::List).map(|(id, _)| id).collect(),
        previous: Some("### Current State\n- Working on: the first part".into()),
        task: Some("Make it work. ".repeat(1_000)),
        files: vec!["src/a.rs".into()],
        tokens: 800,
        guidance: None,
        template: Template::named(template).unwrap(),
    };
    question.keyed(history)
}

fn tokens(transcript: &Transcript, counter: &dyn Counter) -> usize {
    let texts = counter.count(&transcript.system) + counter.count(&transcript.user);
    texts + 2 * weigh::OVERHEAD + transcript.max_tokens
}

/// From windows in which nothing fits to such in which everything does.
#[track_caller]
fn fits(name: &str, history: &History, counter: &dyn Counter) {
    let question = question(history, TEMPLATES[name.len() % TEMPLATES.len()].0);
    let whole = question.transcript(history, counter, 100_000_000).unwrap();
    let all = tokens(&whole, counter);
    assert_eq!(
        question.transcript(history, counter, all),
        Some(whole.clone()),
        "{name}: all of it fits exactly"
    );
    assert_eq!(question.transcript(history, counter, 1_000), None, "{name}: no room for anything");
    let mut was_asked = false;
    for window in (0..40).map(|nth| all * nth / 40) {
        let Some(transcript) = question.transcript(history, counter, window) else {
            assert!(!was_asked, "{name}: a smaller window than {window} was enough");
            continue;
        };
        was_asked = true;
        assert!(tokens(&transcript, counter) <= window, "{name} in {window}");
        assert_eq!(
            question.transcript(history, counter, window),
            Some(transcript.clone()),
            "{name}: the same again"
        );
        assert_eq!(transcript.system, whole.system, "{name}");
        let (before, after) = (whole.user.find("<transcript>\n"), whole.user.rfind("\n</transcript>"));
        assert!(transcript.user.starts_with(&whole.user[..before.unwrap()]), "{name}: the frame stays");
        assert!(transcript.user.ends_with(&whole.user[after.unwrap()..]), "{name}: the frame stays");
        assert_eq!(transcript.user.matches("</transcript>").count(), 1, "{name}");
    }
}

#[test]
fn the_question_about_each_example_fits_every_window() {
    for file in examples() {
        let name = file.file_name().unwrap().to_string_lossy().into_owned();
        let Some(history) = read(&file) else { panic!("{name} cannot be read") };
        fits(&name, &history, &Heuristic);
        fits(&name, &history, &Encoding::O200k);
    }
}

#[test]
fn the_question_about_each_real_session_fits_every_window() {
    let files = sessions::files("the_question_about_each_real_session_fits_every_window", &["dev", "native"]);
    let mut asked = 0;
    for file in files.iter().step_by((files.len() / 60).max(1)) {
        let Some(history) = read(file).filter(|history| history.messages().len() > 10) else { continue };
        fits(&file.display().to_string(), &history, &Heuristic);
        asked += 1;
    }
    eprintln!("{asked} real sessions");
}
