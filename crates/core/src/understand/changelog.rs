//! The changes of a session in order, each with the reason its call gives.

use super::file_state::Replay;
use super::intent::intent;
use super::lines::split;
use super::operation::{Change, Operation, Verb};
use super::outcome::Outcome;
use super::patch::PatchLine;
use super::vocabulary::Vocabulary;
use super::walk::Walk;
use crate::history::History;
use crate::history::ItemId;

/// One change of one file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ChangeEntry {
    /// The step; 0 outside steps.
    pub step: u32,
    /// The file.
    pub path: String,
    /// Where it went, if it was moved or copied.
    pub to: Option<String>,
    /// What was done.
    pub verb: Verb,
    /// Why, in the words of the call.
    pub intent: Option<String>,
    /// Lines that came, where known.
    pub added: Option<usize>,
    /// Lines that went, where known.
    pub removed: Option<usize>,
    /// The call.
    pub call: Option<ItemId>,
}

/// All changes that were made, oldest first. Refused and failed ones are left out.
pub fn changelog(history: &History, vocabulary: &Vocabulary) -> Vec<ChangeEntry> {
    let mut replay = Replay::default();
    let mut entries = Vec::new();
    for answered in Walk::new(vocabulary.clone()).advance(history) {
        let result = &history.items()[answered.result];
        let text = result.text();
        let outcome = Outcome::of(&text, result.result().is_some_and(|result| result.is_error));
        let intent = answered.call.and_then(|call| intent(&history.items()[call].text()));
        let changes =
            answered.operations.iter().filter(|operation| operation.verb.writes() && !outcome.failed);
        for operation in changes {
            let Some(path) = operation.path.clone() else { continue };
            let (added, removed) = count(operation, replay.line_count(&path));
            entries.push(ChangeEntry {
                step: answered.step,
                path,
                to: operation.to.clone(),
                verb: operation.verb,
                intent: intent.clone(),
                added,
                removed,
                call: answered.call,
            });
        }
        replay.apply(history, &answered);
    }
    entries
}

/// Lines added and removed by a change of a file that had `before` lines.
fn count(operation: &Operation, before: Option<usize>) -> (Option<usize>, Option<usize>) {
    let lines = |text: &str| split(text).count();
    match (&operation.change, operation.verb) {
        (_, Verb::Delete) => (Some(0), before),
        (Change::None, Verb::Move | Verb::Copy) => (Some(0), Some(0)),
        (Change::None, _) => (Some(0), Some(0)),
        (Change::Whole(text), _) => (Some(lines(text)), Some(before.unwrap_or(0))),
        (Change::Append(text) | Change::Insert { text, .. }, _) => (Some(lines(text)), Some(0)),
        (Change::Lines { first, last, text }, _) => {
            (Some(text.as_deref().map_or(0, lines)), Some((last + 1).saturating_sub(*first)))
        }
        (Change::Replace(all), _) => {
            let each = all.iter().map(|replacement| differing(&replacement.old, &replacement.new));
            let (added, removed) = each.fold((0, 0), |sum, each| (sum.0 + each.0, sum.1 + each.1));
            (Some(added), Some(removed))
        }
        (Change::Patch(hunks), _) => {
            let lines = || hunks.iter().flat_map(|hunk| &hunk.lines);
            let added = lines().filter(|line| matches!(line, PatchLine::Add(_))).count();
            let removed = lines().filter(|line| matches!(line, PatchLine::Remove(_))).count();
            (Some(added), Some(removed))
        }
        (Change::Undo | Change::Unknown, _) => (None, None),
    }
}

/// Lines of `new` and of `old` between what both begin and end with.
fn differing(old: &str, new: &str) -> (usize, usize) {
    let (old, new): (Vec<&str>, Vec<&str>) = (split(old).collect(), split(new).collect());
    let head = old.iter().zip(&new).take_while(|(a, b)| a == b).count();
    let tail = old[head..].iter().rev().zip(new[head..].iter().rev()).take_while(|(a, b)| a == b).count();
    (new.len() - head - tail, old.len() - head - tail)
}
