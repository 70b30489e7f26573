//! What to write about a prepared request: its folds, and where the originals of its handles stand.

use std::collections::BTreeSet;

use enfold::count::Tally;
use enfold::history::{History, MessageId, Spelling};
use enfold::json::Raw;
use enfold::session::{EpochReason, Prepared};
use enfold::view::fold::FoldKind;
use enfold::view::original::{Original as Hidden, Originals};
use enfold::view::trace::{FoldTrace, PassTrace, Trace};

use crate::{FoldRecord, Original, Recording, digits};

/// The recording of a request that was prepared from `history`.
///
/// Originals are recorded as where they stand. Costs time in proportion to what was folded.
pub fn recording(history: &History, tally: &Tally, prepared: &Prepared) -> Recording {
    let Prepared { epoch, opened, trace, originals, .. } = prepared;
    recording_of(history, tally, *epoch, *opened, trace, originals)
}

/// The same of a view that no session made.
pub fn recording_of(
    history: &History,
    tally: &Tally,
    epoch: u32,
    opened: Option<EpochReason>,
    trace: &Trace,
    originals: &Originals,
) -> Recording {
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    let of_folds = trace.folds().flat_map(|fold| &fold.handles);
    for handle in of_folds.chain(originals.keys()).filter(|handle| seen.insert(**handle)) {
        if let Some(original) = originals.get(handle).and_then(|hidden| place(history, hidden)) {
            found.push((digits(*handle), original));
        }
    }
    let folds =
        trace.passes.iter().flat_map(|pass| pass.folds.iter().map(|fold| record(pass, fold, history, tally)));
    Recording {
        epoch,
        opened: opened.map(|reason| reason.name().to_string()),
        policy: trace.policy.clone(),
        messages: history.messages().len(),
        before: trace.before as u64,
        after: trace.after as u64,
        limit: trace.limit as u64,
        folds: folds.collect(),
        originals: found,
    }
}

fn record(pass: &PassTrace, fold: &FoldTrace, history: &History, tally: &Tally) -> FoldRecord {
    let before: usize = match fold.kind {
        // Whole messages, with what is around their items.
        FoldKind::Summary | FoldKind::Told => {
            let items = fold.items.iter().map(|item| history.item(*item).message);
            items.collect::<BTreeSet<MessageId>>().into_iter().map(|message| tally.message(message)).sum()
        }
        _ => fold.items.iter().map(|item| tally.item(*item)).sum(),
    };
    FoldRecord {
        pass: pass.pass.clone(),
        kind: fold.kind.name().to_string(),
        items: fold.items.clone(),
        why: fold.why.clone(),
        before: Some(before as u64),
        saved: fold.saved as u64,
        handles: fold.handles.iter().map(|handle| digits(*handle)).collect(),
    }
}

/// Where an original stands. What would not read back from there, or stands in the history no more, is recorded as text;
/// `None` if the history is another one.
fn place(history: &History, hidden: &Hidden) -> Option<Original> {
    let (item, span, spelling) = match hidden {
        Hidden::Stretch(messages) => {
            return place(history, &Hidden::Messages(MessageId::each(messages.clone()).collect()));
        }
        Hidden::Messages(messages) => {
            let is_whole = !messages.iter().any(|message| history.is_rubble(*message));
            return match is_whole {
                true => Some(Original::Lines(messages.clone())),
                false => Some(Original::Text(hidden.read(history)?.to_string())),
            };
        }
        Hidden::Gone(text) => return Some(Original::Text(text.to_string())),
        Hidden::Item(item) => {
            let item = history.get_item(*item)?;
            (item, item.span.range(), Spelling::Json)
        }
        Hidden::Text { item, nth } => {
            let item = history.get_item(*item)?;
            let text = item.texts.get(*nth)?;
            (item, text.span.range(), text.spelling)
        }
    };
    let piece = Original::Piece { message: item.message, span, spelling };
    let text = hidden.read(history)?;
    let is_there = opens(&history.message(item.message).raw, &piece, &text);
    Some(if is_there { piece } else { Original::Text(text.to_string()) })
}

/// Whether a piece of a message is the text, read as the store will read it.
fn opens(raw: &str, piece: &Original, text: &str) -> bool {
    let Original::Piece { span, spelling, .. } = piece else { return false };
    let Some(stands) = raw.get(span.clone()) else { return false };
    match spelling {
        Spelling::Json => stands == text,
        Spelling::Quoted => Raw::parse(stands).ok().and_then(Raw::str).is_some_and(|read| read == text),
    }
}
