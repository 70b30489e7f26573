//! What is left of a result that was never sent, by the worth of its lines.

use super::analysis::{Analysis, Part};
use super::legend;
use super::marker;
use super::plan::Planner;
use crate::folding::passes::Cx;
use crate::history::{ItemId, MessageId, Spelling};
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

/// Messages before the first that was never sent which say what the agent is after. More of them change nothing that could
/// be measured.
const AROUND: usize = 12;

/// A result that is to be brought down.
pub(in crate::folding::passes) struct Large {
    pub(in crate::folding::passes) result: ItemId,
    /// Tokens that it may take.
    pub(in crate::folding::passes) most: usize,
    pub(in crate::folding::passes) why: String,
}

/// Folds for results that were never sent. What a line is worth follows from the last messages, so this takes no longer in
/// a long session.
pub(in crate::folding::passes) fn digests(view: &View, cx: &Cx, large: &[Large]) -> Vec<Fold> {
    let from = MessageId::new(cx.first_unsent.index().saturating_sub(AROUND));
    let analysis = Analysis::near(view, cx, from);
    let mut planner = Planner::new(&analysis);
    // A view that has marks already has said what they mean.
    let count = |text: &str| view.tally().counter().count(text);
    let is_first = view.changes().has_no_marks();
    let mut legend = is_first.then(|| legend::of_marks(cx, count, cx.limit)).flatten();
    let digest = |large| digest(view, cx, &analysis, &mut planner, large, &mut legend);
    large.iter().filter_map(digest).collect()
}

fn digest(
    view: &View,
    cx: &Cx,
    analysis: &Analysis,
    planner: &mut Planner,
    large: &Large,
    legend: &mut Option<String>,
) -> Option<Fold> {
    let item = large.result;
    let parts = || analysis.parts.iter().enumerate().filter(|(_, part)| part.place.item == item);
    let tokens = |part: &Part| analysis.lines[part.lines.clone()].iter().map(|line| line.cost).sum::<f64>();
    let all: f64 = parts().map(|(_, part)| tokens(part)).sum();
    let call = view.history().pair(item).map(|call| view.history().item(call).message);
    let asking = analysis.groups.iter().find(|group| call.is_some_and(|call| group.messages.contains(&call)));
    let asked = asking.map_or(&[][..], |group| &group.small_names);
    let mut texts = Vec::new();
    for (nth, part) in parts() {
        let keep = planner.fit(nth, large.most as f64 * tokens(part) / all.max(1.0), asked);
        if keep.iter().all(|keep| *keep) {
            continue;
        }
        let original = &view.history().item(item).texts[part.place.text];
        let lines = &analysis.lines[part.lines.clone()];
        let text = view.text(item, part.place.text);
        let opens = cx.opens(&original.value);
        let left = marker::write(original, text, lines, &keep, &opens, None);
        let plain = legend.as_ref().filter(|_| original.spelling == Spelling::Quoted);
        let explained = plain.and_then(|legend| legend::within(&left, &opens, legend));
        legend.take_if(|_| explained.is_some());
        texts.push((part.place.text, explained.unwrap_or(left)));
    }
    if texts.is_empty() {
        return None;
    }
    Some(Fold { kind: FoldKind::Digest, change: Change::Texts { item, texts }, why: large.why.clone() })
}
