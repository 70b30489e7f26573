//! Calls of real sessions, labelled by hand: which files they read and write.

use std::collections::{BTreeMap, BTreeSet};

use enfold::history::ItemKind;
use enfold::understand::calls::CallReader;
use enfold::understand::categories::Categories;
use enfold::understand::vocabulary::Vocabulary;

use crate::support::{self, describe};

const LABELS: &str = include_str!("labels.txt");

#[test]
fn at_least_95_percent_of_the_labelled_calls_are_recognised() {
    let Some(sessions) = support::sessions() else { return };
    let sessions: BTreeMap<_, _> = sessions.into_iter().collect();
    let mut understood = BTreeMap::new();
    for (name, history) in &sessions {
        let calls: Vec<_> =
            history.item_ids().filter(|id| matches!(history.item(*id).kind, ItemKind::Call(_))).collect();
        let mut reader = CallReader::new(Vocabulary::new(), Categories::new());
        for record in history.item_ids().filter_map(|id| reader.read(history, id)) {
            let Some(nth) = record.call.and_then(|call| calls.binary_search(&call).ok()) else { continue };
            understood.insert((name.as_str(), nth), record.operations);
        }
    }
    let (mut touching, mut right, mut quiet, mut false_alarms) = (0, 0, 0, 0);
    for line in LABELS.lines().filter(|line| !line.starts_with('#')) {
        let (call, wanted) = line.split_once(" | ").unwrap();
        let (session, nth) = call.rsplit_once(" #").unwrap();
        let operations = &understood[&(session, nth.parse().unwrap())];
        let seen: BTreeSet<String> = operations
            .iter()
            .filter(|op| op.verb.touches_files())
            .map(|op| nameless(&describe(op)))
            .collect();
        let wanted: BTreeSet<String> = wanted.split("; ").filter(|op| *op != "-").map(String::from).collect();
        let correct = same(&wanted, &seen);
        match wanted.is_empty() {
            true => {
                quiet += 1;
                false_alarms += usize::from(!correct);
            }
            false => {
                touching += 1;
                right += usize::from(correct);
            }
        }
        if !correct {
            eprintln!("{call}\n  wanted {wanted:?}\n  seen   {seen:?}");
        }
    }
    let share = right as f64 / touching as f64;
    eprintln!("{right} of {touching} calls that touch files recognised ({:.1} %)", share * 100.0);
    eprintln!("{false_alarms} false alarms in {quiet} calls that touch none");
    assert!(touching + quiet >= 200 && share >= 0.95, "{share}");
    assert!(false_alarms * 20 <= quiet, "{false_alarms} of {quiet}");
}

/// The labels name nobody: whose home a path is in stands as `…`.
fn nameless(operation: &str) -> String {
    let mut out = String::new();
    let mut rest = operation;
    while let Some((at, home)) =
        ["/Users/", "/home/"].iter().filter_map(|home| Some((rest.find(home)?, *home))).min()
    {
        let owner = at + home.len();
        let Some(end) = rest[owner..].find('/') else { break };
        out += &rest[..at];
        out += "/home/…";
        rest = &rest[owner + end..];
    }
    out + rest
}

/// Equal, but a relative label also fits a path that the session's directory was put in front of.
fn same(wanted: &BTreeSet<String>, seen: &BTreeSet<String>) -> bool {
    wanted.len() == seen.len()
        && wanted.iter().all(|wanted| seen.iter().any(|seen| fits(wanted, seen)))
        && seen.iter().all(|seen| wanted.iter().any(|wanted| fits(wanted, seen)))
}

fn fits(wanted: &str, seen: &str) -> bool {
    let (wanted, seen) = match wanted.strip_suffix(":?") {
        Some(wanted) => (wanted, seen.rsplit_once(':').map_or(seen, |(path, _)| path)),
        None => (wanted, seen),
    };
    let mut wanted = wanted.splitn(2, ' ');
    let mut seen = seen.splitn(2, ' ');
    let (verb, path) = (wanted.next(), wanted.next().unwrap_or_default());
    let (seen_verb, seen_path) = (seen.next(), seen.next().unwrap_or_default());
    let sides = path.split(" -> ").zip(seen_path.split(" -> "));
    let fits_path = |wanted: &str, seen: &str| {
        wanted == seen || (!wanted.starts_with(['/', '~', '$']) && seen.ends_with(&format!("/{wanted}")))
    };
    verb == seen_verb && sides.into_iter().all(|(wanted, seen)| fits_path(wanted, seen))
}
