//! What to write about a prepared request: its folds, and where the originals of its handles stand.

use std::collections::{BTreeSet, HashMap};

use bytestring::ByteString;
use enfold::count::Tally;
use enfold::folding::runner::Originals;
use enfold::history::History;
use enfold::history::{ItemId, MessageId};
use enfold::json::Raw;
use enfold::session::{EpochReason, Prepared};
use enfold::view::fold::FoldKind;
use enfold::view::trace::{FoldTrace, PassTrace, Trace};

use crate::{FoldRecord, Original, PieceSpelling, Recording, digits};

/// The recording of a request that was prepared from `history`.
///
/// Originals are found in the history and recorded as where they stand; what is not found is recorded as text. Costs
/// time in proportion to what was folded, or to the history if an original stands outside the items of its fold.
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
    let mut places = Places { history, by_text: None };
    let mut found = Vec::new();
    let mut seen = BTreeSet::new();
    for fold in trace.folds() {
        for handle in fold.handles.iter().filter(|handle| seen.insert(**handle)) {
            if let Some(text) = originals.get(handle) {
                found.push((digits(*handle), places.of(text, &fold.items)));
            }
        }
    }
    for (handle, text) in originals.iter().filter(|(handle, _)| !seen.contains(handle)) {
        found.push((digits(*handle), places.of(text, &[])));
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
        FoldKind::Summary => {
            let items = fold.items.iter().map(|item| history.items()[*item].message);
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

struct Places<'h> {
    history: &'h History,
    /// Every text of the history; made when an original is not found near its fold.
    by_text: Option<HashMap<&'h str, ItemId>>,
}

impl<'h> Places<'h> {
    fn of(&mut self, text: &ByteString, items: &[ItemId]) -> Original {
        let near = items.iter().find_map(|item| self.in_item(*item, text));
        let found = near.or_else(|| self.lines(text, items)).or_else(|| self.anywhere(text));
        found.unwrap_or_else(|| Original::Text(text.to_string()))
    }

    /// The text is one of an item's, or the item as it stands.
    fn in_item(&self, id: ItemId, text: &str) -> Option<Original> {
        let item = self.history.items().get(id)?;
        let raw = &self.history.messages()[item.message].raw;
        let message = item.message;
        let as_text = item.texts.iter().find(|own| own.value == *text).map(|own| {
            let spelling = PieceSpelling::from(own.spelling);
            Original::Piece { message, span: own.span.clone(), spelling }
        });
        let as_it_stands = || {
            let stands = raw.get(item.span.clone()) == Some(text);
            let spelling = PieceSpelling::Plain;
            stands.then(|| Original::Piece { message, span: item.span.clone(), spelling })
        };
        as_text.filter(|piece| opens(raw, piece, text)).or_else(as_it_stands)
    }

    /// The text is whole messages, a line each.
    fn lines(&self, text: &str, items: &[ItemId]) -> Option<Original> {
        let items = items.iter().filter_map(|item| self.history.items().get(*item));
        let messages: BTreeSet<MessageId> = items.map(|item| item.message).collect();
        let mut rest = text;
        for (nth, message) in messages.iter().enumerate() {
            rest = if nth == 0 { rest } else { rest.strip_prefix('\n')? };
            rest = rest.strip_prefix(&*self.history.messages()[*message].raw)?;
        }
        (rest.is_empty() && !messages.is_empty()).then(|| Original::Lines(messages.into_iter().collect()))
    }

    fn anywhere(&mut self, text: &str) -> Option<Original> {
        let history = self.history;
        let by_text = self.by_text.get_or_insert_with(|| {
            let items = history.items().iter().enumerate();
            items.flat_map(|(id, item)| item.texts.iter().map(move |text| (&*text.value, id))).collect()
        });
        let item = *by_text.get(text)?;
        self.in_item(item, text)
    }
}

/// Whether a piece of a message is the text, read as the store will read it.
fn opens(raw: &str, piece: &Original, text: &str) -> bool {
    let Original::Piece { span, spelling, .. } = piece else { return false };
    let Some(stands) = raw.get(span.clone()) else { return false };
    match spelling {
        PieceSpelling::Plain => stands == text,
        PieceSpelling::Quoted => Raw::parse(stands).ok().and_then(Raw::str).is_some_and(|read| read == text),
    }
}
