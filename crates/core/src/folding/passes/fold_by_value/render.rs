//! From kept lines to folds.

use std::collections::BTreeMap;
use std::ops::Range;

use super::analysis::{Analysis, Group};
use super::marker;
use super::plan::Plan;
use crate::folding::notes;
use crate::folding::passes::Cx;
use crate::history::{ItemId, MessageId};
use crate::json::Raw;
use crate::text::arguments;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

/// The folds that make a plan true. Texts come before steps: a note about steps stands at the end of a text.
pub(super) fn folds(view: &View, cx: &Cx, analysis: &Analysis, plan: &Plan) -> Vec<Fold> {
    let mut folds = Vec::new();
    for (group, _) in analysis.groups.iter().zip(&plan.kept).filter(|(_, kept)| **kept) {
        fold_group(view, cx, analysis, group, plan, &mut folds);
    }
    let groups: Vec<Vec<MessageId>> = analysis.groups.iter().map(|group| group.messages.clone()).collect();
    let leaves: Vec<bool> = plan.kept.iter().map(|kept| !kept).collect();
    let takes_note = |id: MessageId| id >= cx.fresh;
    folds.extend(notes::drops(
        view,
        cx,
        &groups,
        &leaves,
        takes_note,
        "not worth their tokens at this price",
    ));
    folds
}

fn fold_group(view: &View, cx: &Cx, analysis: &Analysis, group: &Group, plan: &Plan, folds: &mut Vec<Fold>) {
    let mut texts: BTreeMap<ItemId, Vec<(usize, String)>> = BTreeMap::new();
    let mut strings: BTreeMap<ItemId, Vec<(Range<usize>, String)>> = BTreeMap::new();
    for part in &analysis.parts[group.parts.clone()] {
        let keep = &plan.keep[part.lines.clone()];
        if keep.iter().all(|keep| *keep) {
            continue;
        }
        let (item, nth) = (part.place.item, part.place.text);
        let lines = &analysis.lines[part.lines.clone()];
        let whole = view.text(item, nth);
        let opens = cx.opens(&view.history().items()[item].texts[nth].value);
        match &part.place.argument {
            None => texts.entry(item).or_default().push((nth, marker::join(whole, lines, keep, &opens))),
            Some(span) => {
                let value = Raw::trusted(&whole[span.clone()]).str().unwrap_or_default();
                // One handle per call is enough: it opens all of its arguments.
                let opens = if strings.contains_key(&item) { "" } else { &opens };
                let text = marker::join(&value, lines, keep, opens);
                strings.entry(item).or_default().push((span.clone(), text));
            }
        }
    }
    for (item, strings) in strings {
        let text = arguments::replace(view.text(item, 0), strings);
        texts.entry(item).or_default().push((0, text));
    }
    folds.extend(texts.into_iter().map(|(item, texts)| Fold {
        kind: FoldKind::Digest,
        change: Change::Texts { item, texts },
        why: "the lines worth their tokens at this price".into(),
    }));
}
