//! Lists the texts of the user that a view cuts, with the reason; the trace names each.

use crate::count::Tally;
use crate::folding::passes::Cx;
use crate::folding::words::{PASTE, Words};
use crate::view::View;
use crate::view::trace::{Shortened, WhyShortened};

/// The texts of a person that do not stand whole in a view, oldest first. O(those texts).
pub(crate) fn shortened(view: &View, cx: &Cx, words: &Words) -> Vec<Shortened> {
    let said = cx.facts.words().iter().copied();
    let is_whole = |item| view.has(item) && !view.is_changed(item);
    let cut = said.filter(|item| !is_whole(*item));
    let tally: &Tally = view.tally();
    cut.map(|item| Shortened {
        item,
        tokens: tally.item(item),
        stands: if view.has(item) { view.item_tokens(item) } else { 0 },
        why: match () {
            () if tally.item(item) > PASTE => WhyShortened::Paste,
            () if words.keeps_part(item) => WhyShortened::Share,
            () => WhyShortened::Room,
        },
    })
    .collect()
}
