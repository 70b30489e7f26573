//! From kept lines to folds.

use std::collections::BTreeMap;
use std::ops::Range;

use super::analysis::{Analysis, Group, Line};
use super::plan::Plan;
use crate::fold::{Change, Fold, FoldKind};
use crate::item::{ItemId, MessageId};
use crate::json::Raw;
use crate::passes::Cx;
use crate::view::View;

/// The folds that make a plan true.
pub(super) fn folds(view: &View, cx: &Cx, analysis: &Analysis, plan: &Plan) -> Vec<Fold> {
    let mut folds = Vec::new();
    let mut left_out: Vec<MessageId> = Vec::new();
    for (group, kept) in analysis.groups.iter().zip(&plan.kept) {
        match kept {
            Some(kept) => {
                folds.extend(drop_run(&mut left_out));
                fold_group(view, cx, analysis, group, kept, &mut folds);
            }
            None if group.fixed => folds.extend(drop_run(&mut left_out)),
            None => left_out.extend(&group.messages),
        }
    }
    folds.extend(drop_run(&mut left_out));
    folds
}

/// Steps that go and stand next to each other are one fold with one handle.
fn drop_run(messages: &mut Vec<MessageId>) -> Option<Fold> {
    let messages = std::mem::take(messages);
    let count = messages.len();
    let why = format!("{count} messages not worth their tokens at this price");
    (count > 0).then_some(Fold { kind: FoldKind::Drop, change: Change::drop(messages), why })
}

fn fold_group(
    view: &View,
    cx: &Cx,
    analysis: &Analysis,
    group: &Group,
    kept: &[Vec<bool>],
    folds: &mut Vec<Fold>,
) {
    let mut texts: BTreeMap<ItemId, Vec<(usize, String)>> = BTreeMap::new();
    let mut arguments: BTreeMap<ItemId, Vec<(Range<usize>, String)>> = BTreeMap::new();
    for (part, keep) in analysis.parts[group.parts.clone()].iter().zip(kept) {
        if keep.iter().all(|keep| *keep) {
            continue;
        }
        let (item, nth) = (part.place.item, part.place.text);
        let lines = &analysis.lines[part.lines.clone()];
        let whole = view.text(item, nth);
        let opens = cx.opens(&view.history().items()[item].texts[nth].value);
        match &part.place.argument {
            None => texts.entry(item).or_default().push((nth, join(whole, lines, keep, Some(&opens)))),
            Some(span) => {
                let value = Raw::trusted(&whole[span.clone()]).str().unwrap_or_default();
                // One handle per call is enough: it opens all of its arguments.
                let opens = (!arguments.contains_key(&item)).then_some(&*opens);
                let text = join(&value, lines, keep, opens);
                arguments.entry(item).or_default().push((span.clone(), text));
            }
        }
    }
    for (item, strings) in arguments {
        let text = crate::arguments::replace(view.text(item, 0), strings);
        texts.entry(item).or_default().push((0, text));
    }
    let why = || "the lines worth their tokens at this price".to_string();
    folds.extend(texts.into_iter().map(|(item, texts)| Fold {
        kind: FoldKind::Digest,
        change: Change::Texts { item, texts },
        why: why(),
    }));
}

/// The kept lines, word for word, with a marker at each gap; the first one carries the handle.
fn join(text: &str, lines: &[Line], keep: &[bool], mut opens: Option<&str>) -> String {
    let mut out = String::new();
    let mut nth = 0;
    while nth < lines.len() {
        let end = nth + keep[nth..].iter().take_while(|kept| **kept == keep[nth]).count();
        if !out.is_empty() {
            out.push('\n');
        }
        if keep[nth] {
            out.push_str(&text[lines[nth].span.start..lines[end - 1].span.end]);
        } else {
            let opens = opens.take().unwrap_or_default();
            out.push_str(&format!("[{} lines{opens}]", end - nth));
        }
        nth = end;
    }
    out
}
