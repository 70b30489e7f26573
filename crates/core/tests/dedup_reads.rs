//! What `dedup_reads` hides can be written again from what stands in the view, byte for byte.

#![allow(clippy::unwrap_used)]

use std::collections::BTreeMap;
use std::sync::{Arc, LazyLock};

use enfold::count::{Encoding, Tally};
use enfold::file::notation;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::{arrive, run};
use enfold::history::ItemId;
use enfold::history::{History, MessageId};
use enfold::json::quote;
use enfold::understand::facts::Facts;
use enfold::view::fold::{FoldKind, HandleKey};
use enfold::view::{State, View};
use enfold::wire::Neutral;
use proptest::prelude::*;
use regex::Regex;

/// How a tool shows the lines of a file.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Style {
    Plain,
    Numbered,
}

/// One read: the file as it was then, and the lines asked for.
#[derive(Clone, Debug)]
struct Shot {
    first: usize,
    lines: Vec<String>,
}

fn result(shot: &Shot, style: Style) -> String {
    let line = |(number, line): (usize, &String)| match style {
        Style::Plain => line.clone(),
        Style::Numbered => format!("{number:>6}→{line}"),
    };
    (shot.first..).zip(&shot.lines).map(line).collect::<Vec<_>>().join("\n")
}

fn session(shots: &[Shot], style: Style) -> History {
    let mut text = "user: go\n".to_string();
    for (nth, shot) in shots.iter().enumerate() {
        let (first, limit) = (shot.first, shot.lines.len());
        text += &format!(
            "assistant\n  call r{nth} Read {{\"file_path\":{},\"offset\":{first},\"limit\":{limit}}}\n",
            quote("/src/[id]/page.py")
        );
        text += &format!("result r{nth}: {}\n", result(shot, style).replace('\n', "\n  | "));
    }
    notation::parse(&text).unwrap()
}

struct Prepared {
    history: History,
    tally: Tally,
    facts: Facts,
    handles: HandleKey,
}

impl Prepared {
    fn of(history: History) -> Prepared {
        let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
        let facts = Facts::of(&history);
        Prepared { history, tally, facts, handles: HandleKey::new(b"secret", "session") }
    }

    fn cx(&self) -> Cx<'_> {
        let mut cx = Cx::new(1_000_000, &self.facts, &self.handles, &Neutral);
        cx.target = 0;
        cx
    }

    /// With everything before this message sent.
    fn cx_from(&self, first_unsent: MessageId) -> Cx<'_> {
        let mut cx = self.cx();
        cx.first_unsent = first_unsent;
        cx
    }
}

fn results(history: &History) -> Vec<ItemId> {
    let items = history.item_ids().zip(history.items());
    items.filter(|(_, item)| item.result().is_some()).map(|(id, _)| id).collect()
}

fn policy(options: &str) -> Policy {
    let pass = "[[pass]]\nuse = \"dedup_reads\"\nwhen = \"arrival\"\nwhy = \"\"";
    Policy::parse(&format!("name = \"mine\"\nabout = \"\"\nfits = false\n{pass}\n{options}\n")).unwrap()
}

/// Lines of the file that stand in a text of the view, by number, and the pointers among them.
#[derive(Default)]
struct Stands {
    lines: BTreeMap<usize, String>,
    pointers: Vec<(usize, usize, usize, usize)>,
}

static POINTER: LazyLock<Regex> = LazyLock::new(|| {
    let there = r"(?:lines? (\d+)(?:–\d+)? )?in the read at step (\d+)( #\d{9})?";
    Regex::new(&format!(r"^\[(?:re-read of .*, )?lines? (\d+)(?:–(\d+))? as {there}\]$")).unwrap()
});

/// What is left of a pointer whose read was folded too.
static CLAIMS_NOTHING: LazyLock<Regex> = LazyLock::new(|| {
    Regex::new(r"(?m)^\[(re-read of .*page.py|(re-read of .*, )?lines? [\d–]+) #\d{9}\]$").unwrap()
});

/// What says that steps were left out.
static NOTE: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"^\[\d+ steps?( before this)? left out #\d{9}\]$").unwrap());

fn stands(text: &str, first: usize, style: Style) -> Stands {
    let mut out = Stands::default();
    let mut number = first;
    for line in text.split('\n') {
        if let Some(found) = POINTER.captures(line) {
            let at = |nth: usize| found.get(nth).map(|digits| digits.as_str().parse::<usize>().unwrap());
            let (from, step) = (at(1).unwrap(), at(4).unwrap());
            let to = at(2).unwrap_or(from);
            assert_eq!(from, number, "a pointer stands where its lines stood");
            out.pointers.push((from, to, at(3).unwrap_or(from), step));
            number = to + 1;
        } else {
            let content = match style {
                Style::Plain => line,
                Style::Numbered => line.strip_prefix(&*format!("{number:>6}→")).expect("its own number"),
            };
            out.lines.insert(number, content.to_string());
            number += 1;
        }
    }
    out
}

/// Applies the hunks of a unified diff to lines that start with number `first`.
fn patched(old: &[String], first: usize, hunks: &str) -> Vec<String> {
    let head = Regex::new(r"^@@ -(\d+)(?:,(\d+))? \+\d+(?:,\d+)? @@$").unwrap();
    let (mut out, mut at) = (Vec::new(), 0);
    for line in hunks.split('\n') {
        if let Some(found) = head.captures(line) {
            let number: usize = found[1].parse().unwrap();
            let is_empty = found.get(2).is_some_and(|count| count.as_str() == "0");
            let start = number - first + usize::from(is_empty);
            out.extend_from_slice(&old[at..start]);
            at = start;
            continue;
        }
        match line.split_at(1) {
            (" ", text) => {
                assert_eq!(old[at], text, "context stands in the kept read");
                out.push(text.to_string());
                at += 1;
            }
            ("-", text) => {
                assert_eq!(old[at], text, "what goes stands in the kept read");
                at += 1;
            }
            ("+", text) => out.push(text.to_string()),
            _ => panic!("no line of a diff: {line}"),
        }
    }
    out.extend_from_slice(&old[at..]);
    out
}

/// Writes every hidden read again from the view alone.
fn restores(history: &History, view: &View, shots: &[Shot], style: Style) {
    let results = results(history);
    let shown = |step: usize| {
        assert!(view.has(results[step - 1]), "what is named stands in the view");
        let mut text = view.text(results[step - 1], 0);
        while let Some((before, _)) = text.rsplit_once('\n').filter(|(_, last)| NOTE.is_match(last)) {
            text = before;
        }
        text.to_string()
    };
    let whole = |step: usize| {
        let stands = stands(&shown(step), shots[step - 1].first, style);
        assert!(stands.pointers.is_empty(), "step {step} stands whole in the view");
        stands.lines
    };
    let [same, mention, changes] = [
        r"^\[re-read of .*, same as the read at step (\d+) #\d{9}\]$",
        r"^\[re-read of .*, lines \d+–\d+ as they were at step \d+ #\d{9}\]$",
        r"^\[re-read of .*, changes since (?:lines (\d+)–(\d+) of )?the read at step (\d+) #\d{9}\]$",
    ]
    .map(|pattern| Regex::new(pattern).unwrap());
    let is_folded = |nth: &usize| view.has(results[*nth]) && view.is_changed(results[*nth]);
    for nth in (0..shots.len()).filter(is_folded) {
        let shot = &shots[nth];
        let text = &*shown(nth + 1);
        let head = text.split('\n').next().unwrap();
        let lines: Vec<String> = if mention.is_match(text) || CLAIMS_NOTHING.is_match(text) {
            continue;
        } else if let Some(found) = same.captures(head) {
            whole(found[1].parse().unwrap()).into_values().collect()
        } else if let Some(found) = changes.captures(head) {
            let step: usize = found[3].parse().unwrap();
            if !view.has(results[step - 1]) {
                continue;
            }
            let old = whole(step);
            let (from, to) = match found.get(1) {
                Some(from) => (from.as_str().parse().unwrap(), found[2].parse().unwrap()),
                None => (0, usize::MAX),
            };
            let old: Vec<String> = old.range(from..=to).map(|(_, line)| line.clone()).collect();
            patched(&old, shot.first, text.split_once('\n').unwrap().1)
        } else {
            let mut stands_here = stands(text, shot.first, style);
            for (from, to, there, step) in stands_here.pointers {
                let target = stands(&shown(step), shots[step - 1].first, style);
                for number in from..=to {
                    let line = target.lines.get(&(there + number - from)).expect("the line stands there");
                    stands_here.lines.insert(number, line.clone());
                }
            }
            stands_here.lines.into_values().collect()
        };
        let again = result(&Shot { first: shot.first, lines }, style);
        let original = &history.item(results[nth]).texts[0].value;
        assert_eq!(again, **original, "step {}", nth + 1);
    }
}

/// Reads of a file that changes now and then, in pages that overlap.
fn shots() -> impl Strategy<Value = Vec<Shot>> {
    let change = (0..4usize, 0..60usize, 0..1000usize);
    let read = (0..8usize, 0..70usize, 1..70usize);
    proptest::collection::vec((change, read), 1..14).prop_map(|steps| {
        let line = |n: usize| match n % 5 {
            0 => String::new(),
            1 => "    }".to_string(),
            _ => format!("    let value_{n} = compute(value_{}, \"é漢 [lines 3–4] @@ -1 +1 @@\");", n + 1),
        };
        let mut file: Vec<String> = (0..60).map(line).collect();
        let mut shots = Vec::new();
        for ((kind, at, word), (whole, first, count)) in steps {
            let at = at.min(file.len() - 1);
            match kind {
                0 => file[at] = format!("changed to {word}"),
                1 => file.insert(at, format!("inserted {word}")),
                2 if file.len() > 20 => drop(file.remove(at)),
                _ => {}
            }
            let range = match whole {
                0..4 => 0..file.len(),
                _ => {
                    first.min(file.len() - 1)
                        ..(first + count).min(file.len()).max(first.min(file.len() - 1) + 1)
                }
            };
            shots.push(Shot { first: range.start + 1, lines: file[range].to_vec() });
        }
        shots
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 100, ..ProptestConfig::default() })]

    #[test]
    fn every_hidden_read_can_be_written_again_from_the_view(shots in shots(), numbered in any::<bool>(), equal in any::<bool>()) {
        let style = if numbered { Style::Numbered } else { Style::Plain };
        let prepared = Prepared::of(session(&shots, style));
        let policy = policy(if equal { "only_equal = true" } else { "" });
        let run = run(&policy, &prepared.history, &prepared.tally, &prepared.cx()).ok().unwrap();
        restores(&prepared.history, &run.view, &shots, style);
    }

    /// Trimming to a budget leaves out the oldest reads, which are those that pointers name.
    #[test]
    fn a_pointer_claims_nothing_that_does_not_stand_in_the_view(shots in shots(), limit in 500..4_000usize) {
        let prepared = Prepared::of(session(&shots, Style::Numbered));
        let mut policy = policy("");
        policy.fits = true;
        let mut cx = prepared.cx();
        cx.limit = limit;
        if let Ok(run) = run(&policy, &prepared.history, &prepared.tally, &cx) {
            prop_assert!(run.view.tokens() <= limit);
            // Where the newest read alone does not fit, lines of it are left out.
            if run.trace.folds().any(|fold| fold.kind == FoldKind::Digest) {
                return Ok(());
            }
            restores(&prepared.history, &run.view, &shots, Style::Numbered);
        }
    }

    #[test]
    fn what_arrives_folds_without_loss_and_nothing_older_changes(shots in shots(), numbered in any::<bool>()) {
        let style = if numbered { Style::Numbered } else { Style::Plain };
        let policy = policy("");
        let mut state = State::default();
        let mut fresh = MessageId::new(1);
        for arrived in 1..=shots.len() {
            let prepared = Prepared::of(session(&shots[..arrived], style));
            let view = View::resume(&prepared.history, &prepared.tally, state);
            let older: Vec<_> = MessageId::each(MessageId::FIRST..fresh).map(|message| view.message(message)).collect();
            let run = arrive(&policy, view, &prepared.cx_from(fresh));
            prop_assert_eq!(older, MessageId::each(MessageId::FIRST..fresh).map(|message| run.view.message(message)).collect::<Vec<_>>());
            prop_assert!(run.trace.folds().all(|fold| fold.kind == FoldKind::Pointer));
            restores(&prepared.history, &run.view, &shots[..arrived], style);
            fresh = prepared.history.next_message();
            state = run.view.into_state();
        }
    }
}

#[test]
fn a_read_that_arrives_again_is_a_pointer_before_it_is_sent() {
    let lines: Vec<String> = (0..40).map(|n| format!("let value_{n} = {n};")).collect();
    let shot = Shot { first: 1, lines };
    let prepared = Prepared::of(session(&[shot.clone(), shot], Style::Numbered));
    let view = View::new(&prepared.history, &prepared.tally);
    let run = arrive(&policy(""), view, &prepared.cx_from(MessageId::new(3)));
    let text = run.view.text(results(&prepared.history)[1], 0);
    assert!(text.starts_with("[re-read of /src/[id]/page.py, same as the read at step 1 #"), "{text}");
}

#[test]
fn a_read_of_a_file_that_was_changed_arrives_whole() {
    let lines: Vec<String> = (0..40).map(|n| format!("let value_{n} = {n};")).collect();
    let mut changed = lines.clone();
    changed[20] = "let other = 1;".into();
    let shots = [Shot { first: 1, lines }, Shot { first: 1, lines: changed }];
    let prepared = Prepared::of(session(&shots, Style::Numbered));
    let view = View::new(&prepared.history, &prepared.tally);
    let run = arrive(&policy(""), view, &prepared.cx_from(MessageId::new(3)));
    assert!(run.view.changes().is_unchanged());
}
