//! One history, one view: whatever format carries a session and whatever shape its results have, a view uses its budget, keeps the
//! newest step, and leaves a session alone that fits.

use std::path::{Path, PathBuf};

use enfold::file::convert::convert;
use enfold::file::document::Frame;
use enfold::folding::runner::Run;
use enfold::wire::WIRES;
use serde_json::{Value, json};

use crate::support::folding::{Asked, Folding, Prepared, Subject};
use crate::support::promises;
use crate::support::sessions::files;

/// What tools return.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Shape {
    Text,
    Object,
    Rows,
}

impl Shape {
    fn of(self, text: &str) -> Value {
        let row = |(nth, line): (usize, &str)| json!({ "line": nth, "text": line });
        match self {
            Shape::Text => json!(text),
            Shape::Object => json!({ "stdout": text, "exitCode": 0 }),
            Shape::Rows => (1..).zip(text.split('\n')).map(row).collect::<Vec<_>>().into(),
        }
    }
}

/// Budgets, in percent of the session.
const BUDGETS: [usize; 11] = [95, 90, 80, 70, 60, 50, 40, 30, 20, 15, 10];

/// How full a view is at least, in percent. Where hardly anything has to leave, the one large text that does may be a good part of it.
fn fill(percent: usize) -> usize {
    if percent > 90 { 85 } else { 90 }
}

/// Puts results of another shape in place of texts, where the format has such.
fn shaped(value: &mut Value, format: &str, shape: Shape) {
    match (value, shape) {
        (_, Shape::Text) => {}
        (Value::Array(all), _) => all.iter_mut().for_each(|value| shaped(value, format, shape)),
        (Value::Object(all), _) => {
            if format == "ai-sdk" && all.get("type") == Some(&json!("tool-result")) {
                if let Some(text) = all["output"]["value"].as_str() {
                    all["output"] = json!({ "type": "json", "value": shape.of(text) });
                }
            } else if let Some(text) =
                all.get("functionResponse").and_then(|it| it["response"]["output"].as_str())
            {
                let value = shape.of(text);
                let value = if value.is_object() { value } else { json!({ "rows": value }) };
                all["functionResponse"]["response"] = value;
            } else {
                all.values_mut().for_each(|value| shaped(value, format, shape));
            }
        }
        _ => {}
    }
}

/// A session in every format, and with every shape of results that the format has.
fn every_way(whole: &Prepared) -> Vec<(String, Prepared)> {
    let mut all = Vec::new();
    for wire in WIRES.iter().copied() {
        let written = convert(&whole.document, wire, Some(Frame::Request)).text;
        let has_values = ["ai-sdk", "gemini"].contains(&wire.name());
        let shapes = if has_values { &[Shape::Text, Shape::Object, Shape::Rows][..] } else { &[Shape::Text] };
        for shape in shapes {
            let mut value: Value = serde_json::from_str(&written).unwrap();
            shaped(&mut value, wire.name(), *shape);
            let document = enfold::file::read_bytes_as(wire.name(), value.to_string().into_bytes()).unwrap();
            all.push((format!("as {} with results as {shape:?}", wire.name()), Prepared::read(document)));
        }
    }
    all
}

/// How often a view was made, and how often what must stay did not fit.
#[derive(Debug, Default)]
struct Seen {
    views: usize,
    unfit: usize,
}

fn look(name: &str, whole: &Prepared, seen: &mut Seen) {
    let balanced = Subject::policy("balanced");
    let facts = whole.facts(&balanced.policy);
    let total = whole.tally.total();
    let fold = |limit: usize| Folding::of(whole, &balanced, &facts, Asked::limit(limit), name);
    let alone = fold(total);
    let is_capped =
        |run: &Run| run.trace.passes.iter().any(|pass| pass.pass == "cap_results" && !pass.folds.is_empty());
    // A result of more than 50,000 tokens is capped whatever the budget: there is less to show.
    if alone.run().is_some_and(is_capped) {
        return;
    }
    assert!(alone.run().is_some_and(|run| run.view.changes().is_unchanged()), "{name}: it fits");
    for percent in BUDGETS {
        let limit = total * percent / 100;
        let folding = fold(limit);
        let Some(run) = folding.run() else {
            seen.unfit += 1;
            continue;
        };
        seen.views += 1;
        let tokens = run.trace.after;
        assert!(
            tokens <= limit && tokens * 100 >= limit * fill(percent),
            "{name} at {percent} %: {tokens} of {limit}; {:?}",
            run.trace.passes.iter().map(|pass| (&pass.pass, pass.after, &pass.outcome)).collect::<Vec<_>>()
        );
        promises::the_newest_step_stands(&folding);
        promises::pairs_stay_whole(&folding);
    }
}

fn look_at(sessions: impl Iterator<Item = PathBuf>) -> Seen {
    let mut seen = Seen::default();
    for path in sessions {
        let whole = Prepared::of(std::fs::read(&path).unwrap());
        // Of a few messages little can be left out.
        if whole.tally.total() < 8_000 {
            continue;
        }
        for (way, prepared) in every_way(&whole) {
            look(&format!("{} {way}", path.display()), &prepared, &mut seen);
        }
    }
    seen
}

#[test]
fn views_of_the_example_use_their_budget_in_every_format_and_shape() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/sessions");
    let seen = look_at([folder.join("long.jsonl")].into_iter());
    assert!(seen.views > 80, "{seen:?}");
}

#[test]
fn views_of_real_sessions_use_their_budget_in_every_format_and_shape() {
    let seen = look_at(files("formats and shapes", &["dev"]).into_iter().step_by(12));
    eprintln!("formats and shapes: {seen:?}");
}
