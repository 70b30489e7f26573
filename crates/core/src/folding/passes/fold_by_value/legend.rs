//! What the marks in a view mean, said once: in the block that tells what left, or, where nothing left, below the first mark.
//!
//! It states facts and asks for nothing: models take orders in such a place for an attack.

use crate::folding::passes::Cx;

/// Share of a view that may go into explaining marks where no block does, as one in so many: a small view has few.
const SHARE: usize = 100;

/// At the top of the block.
pub(super) fn of_block(cx: &Cx, root: Option<&str>) -> String {
    let root = root.map(|root| format!(" Paths here begin below {root}; a name alone may be of any folder."));
    format!(
        "Not all of this conversation is shown. Listed here are the steps that were left out, in order; all others stand \
         below. Indented: what the assistant said, and further in what it wrote. [12 lines] or …: left out there. {}{}",
        opens(cx),
        root.unwrap_or_default()
    )
}

/// Below the first mark of a view that has no block; nothing where there is little room.
pub(super) fn of_marks(cx: &Cx, count: impl Fn(&str) -> usize, room: usize) -> Option<String> {
    let legend = format!("[In brackets, here and below: what was left out there. {}]", opens(cx));
    Some(legend).filter(|legend| count(legend) * SHARE <= room)
}

/// A text with the legend below its first mark, which holds how the text is `opened`.
pub(super) fn within(text: &str, opened: &str, legend: &str) -> Option<String> {
    let at = text.find(opened).filter(|_| !opened.is_empty())?;
    let end = at + text[at..].find(']')? + 1;
    Some(format!("{}\n{legend}{}", &text[..end], &text[end..]))
}

fn opens(cx: &Cx) -> String {
    match cx.blobs {
        Some(_) => "The originals are in the files that are named.".to_string(),
        None => cx.opener.legend(),
    }
}
