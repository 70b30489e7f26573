//! Document 000: what matters, over the wire and by the caller's own knowledge.

use std::collections::BTreeSet;
use std::ops::RangeInclusive;

use enfold::file::notation::parse;
use enfold::folding::policy::Policy;
use enfold::history::MessageId;
use enfold::understand::facts::Facts;
use enfold::wire::WIRES;

use crate::support::views::{Setting, fold, fold_by};
use crate::{SUMMARY, history, step};

#[test]
fn our_own_summary_has_priority_20_in_every_wire_format() {
    for wire in WIRES {
        let mut messages = vec![wire.user_message("the task"), wire.user_message(SUMMARY)];
        messages.extend(step(*wire, "c1", "ok"));
        let history = history(*wire, &messages);
        let priorities = Facts::of(&history).priorities(&history);
        let of = |message: usize| {
            let items = history.message(MessageId::new(message)).item_ids();
            items.map(|item| priorities[item.index()].value()).collect::<Vec<u8>>()
        };
        assert_eq!((of(0), of(1)), (vec![80], vec![20]), "{}", wire.name());
    }
}

/// Who writes something behind a summary has the word: it is theirs.
#[test]
fn a_summary_that_somebody_went_on_from_is_no_summary() {
    for wire in WIRES {
        let said = format!("{SUMMARY}\nAnd now the tests, please.");
        let history = history(*wire, &[wire.user_message("the task"), wire.user_message(&said)]);
        let priorities = Facts::of(&history).priorities(&history);
        assert_eq!(priorities.last().unwrap().value(), 80, "{}", wire.name());
    }
}

fn one_step(id: &str, path: &str, text: &str) -> String {
    format!("assistant\n  call {id} read_file {{\"path\":\"{path}\"}}\nresult {id}: {text}\n")
}

#[test]
fn what_is_left_out_is_reported_with_its_priority() {
    let talk: String = (1..=30)
        .map(|nth| format!("user: Question {nth}\nassistant: Answer {nth}{}\n", " and so on".repeat(10)))
        .collect();
    let later: String = (0..6).map(|nth| one_step(&format!("l{nth}"), "/b.ts", "ok")).collect();
    let read = one_step("c1", "/a.ts", &"line ".repeat(400));
    let text = format!("user: go\n{read}{talk}user: now\n{later}");
    let history = parse(&text).unwrap();
    let priorities = Facts::of(&history).priorities(&history);
    let all = fold_by("trim_priority", "", &text, &Setting::default()).trace.before;
    // Of each fold: the priority that is reported, the tokens it saves, and the priorities and messages of what it hides.
    let dropped = |limit: usize| -> Vec<(u8, usize, BTreeSet<u8>, RangeInclusive<usize>)> {
        let folded = fold_by("trim_priority", "", &text, &Setting { limit, ..Setting::default() });
        let found = folded.trace.folds().map(|fold| {
            let reported = fold.why.strip_prefix("priority ").and_then(|why| why.split(':').next());
            let places = fold.items.iter().map(|item| history.item(*item).message.index());
            let first = places.clone().min().unwrap_or_default();
            (
                reported.unwrap_or_default().parse().unwrap(),
                fold.saved,
                fold.items.iter().map(|item| priorities[item.index()].value()).collect(),
                first..=places.max().unwrap_or_default(),
            )
        });
        found.collect()
    };
    assert_eq!(dropped(all - 200), [(30, 351, [30].into(), 2..=2)]);
    // A step matters as part of the conversation, however little its result does; then the oldest answers go.
    let step = (40, 422, [30].into(), 1..=2);
    let answers = (4..=54).step_by(2).map(|place| (40, 37, [40].into(), place..=place));
    assert_eq!(dropped(all - 1_000), std::iter::once(step).chain(answers).collect::<Vec<_>>());
}

/// A host with a file tracker of its own knows what was changed where no call shows it.
#[test]
fn files_that_the_caller_knows_to_be_changed_stay() {
    let edited = "edited.ts content ".repeat(100);
    let mut text = format!(
        "system: System\nuser: go\n{}{}",
        one_step("c1", "/app/edited.ts", &edited),
        one_step("c2", "/app/read.ts", &"read.ts content ".repeat(100)),
    );
    text += &(0..6).map(|nth| one_step(&format!("l{nth}"), "/app/small.ts", "ok")).collect::<String>();
    let policy = |understand: &str| {
        let text = format!(
            "name = \"mine\"\nabout = \"\"\nfits = false\n{understand}\n[[pass]]\nuse = \"trim_priority\"\nwhy = \"\"\n"
        );
        Policy::parse(&text).unwrap()
    };
    let setting = Setting { limit: 700, ..Setting::default() };
    let plain = fold(&text, &policy(""), &setting).ok().unwrap();
    assert!(!plain.view.contains(&edited), "nothing says that it was changed");
    let told = policy("[understand]\nmodified = [\"/app/edited.ts\"]");
    let folded = fold(&text, &told, &setting).ok().unwrap();
    assert!(folded.view.contains(&edited) && !folded.view.contains(&"read.ts content ".repeat(8)));
    let history = parse(&text).unwrap();
    let mut facts = Facts::of(&history);
    facts.mark_modified("/app/edited.ts");
    assert_eq!(facts.tracker().modified_files().collect::<Vec<_>>(), ["/app/edited.ts"]);
}
