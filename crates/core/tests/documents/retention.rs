//! Document 002: what the policy `retention` keeps of real sessions, and of a running one.

use std::path::PathBuf;
use std::sync::Arc;

use enfold::count::{Encoding, Tally};
use enfold::file;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::run;
use enfold::understand::facts::Facts;
use enfold::view::fold::{FoldKind, HandleKey};
use enfold::wire::OpenAiChat;
use enfold::{Cache, Session};

use crate::support::sessions::files;

/// Calls in the shipped session that changed a file.
const SHIPPED_EDITS: usize = 10;

/// A session that this repository ships, and every tenth of those that `ENFOLD_SESSIONS` points to.
fn sessions() -> Vec<PathBuf> {
    let shipped = concat!(env!("CARGO_MANIFEST_DIR"), "/../../examples/sessions/long.jsonl");
    let real = files("retention", &["dev"]).into_iter().step_by(10);
    std::iter::once(shipped.into()).chain(real).collect()
}

/// Half of each; every edit stays in the view or in a list of edits.
#[test]
fn half_of_real_sessions_goes_and_no_edit_does() {
    let policy = Policy::named("retention").unwrap();
    let (mut folded, mut edits) = (0, 0);
    for path in sessions() {
        let document = file::read_bytes(std::fs::read(&path).unwrap()).unwrap();
        let history = &document.history;
        let tally = Tally::of(history, Arc::new(Encoding::O200k), Default::default());
        let (facts, handles) = (Facts::of(history), HandleKey::new(b"secret", "session"));
        let cx = Cx::new(tally.total() / 2, &facts, &handles, document.wire);
        let Ok(run) = run(&policy, history, &tally, &cx) else { continue };
        folded += 1;
        assert!(run.view.tokens() <= tally.total() / 2, "{}", path.display());
        let listed = |result| {
            run.trace.folds().any(|fold| fold.kind == FoldKind::Edits && fold.items.contains(&result))
        };
        for call in facts.tracker().calls().iter().filter(|call| !call.changes.is_empty()) {
            edits += 1;
            let stands = run.view.has(call.result) && call.call.is_none_or(|call| run.view.has(call));
            assert!(stands || listed(call.result), "{}: step {}", path.display(), call.step);
        }
    }
    eprintln!("retention: {folded} sessions at half their size, {edits} edits, none left out");
    assert!(folded > 0 && edits >= SHIPPED_EDITS, "{edits} edits in {folded} sessions");
}

fn message(role: &str, rest: &str) -> String {
    format!(r#"{{"role":"{role}",{rest}}}"#)
}

fn read(nth: usize) -> [String; 2] {
    let lines: String = (1..=60).map(|line| format!("{line} setting_{line} = some value\\n")).collect();
    [
        message(
            "assistant",
            &format!(
                r#""content":null,"tool_calls":[{{"id":"r{nth}","type":"function","function":{{"name":"read_file","arguments":"{{\"path\":\"config.py\"}}"}}}}]"#
            ),
        ),
        message("tool", &format!(r#""tool_call_id":"r{nth}","content":"{lines}""#)),
    ]
}

fn push(session: &mut Session, nth: usize) {
    for message in read(nth) {
        session.push(message).unwrap();
    }
}

/// The results of a view, each as whether it is whole.
fn whole(view: &[bytestring::ByteString]) -> Vec<bool> {
    let results = view.iter().filter(|raw| raw.contains(r#""role":"tool""#));
    results.map(|raw| raw.contains("30 setting_30")).collect()
}

/// Reads are sent whole, since the table wants the newest one whole; the next epoch folds those between.
#[test]
fn the_table_of_reads_holds_in_a_running_session() {
    let mut session = Session::new(&OpenAiChat, Policy::named("retention").unwrap(), 6_000);
    session.push(message("user", r#""content":"go""#)).unwrap();
    for nth in 1..=2 {
        push(&mut session, nth);
        assert_eq!(whole(&session.prepare(Cache::Warm).unwrap().messages), vec![true; nth]);
    }
    let mut opened = None;
    for nth in 3.. {
        push(&mut session, nth);
        let prepared = session.prepare(Cache::Warm).unwrap();
        let shown = whole(&prepared.messages);
        assert!(shown[0] && shown[nth - 1], "the first and the last: {shown:?}");
        if prepared.opened.is_some() {
            opened = Some(shown);
            break;
        }
        assert_eq!(shown, vec![true; nth], "what was sent stays as it is");
    }
    let shown = opened.unwrap();
    assert_eq!(shown.iter().filter(|whole| **whole).count(), 5, "first, last and three samples: {shown:?}");
}
