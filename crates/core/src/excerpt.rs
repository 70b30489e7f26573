//! Pieces of a text, cut where a reader would cut, with notes that say what is missing.

use crate::tokens::Counter;

/// How far from the wanted place a line end may be to be taken instead, as a share of the piece.
const NEAR: usize = 4;

/// The first and last `chars` characters with a note between; `None` if nothing would be left out. `opens` says where
/// the whole text is ([`crate::passes::Cx::opens`]).
pub fn bookend(text: &str, chars: usize, counter: &dyn Counter, opens: &str) -> Option<String> {
    let (head, tail) = ends(text, chars)?;
    let hidden = &text[head..tail];
    let tokens = counter.count(hidden);
    Some(format!(
        "{}\n... [~{tokens} tokens trimmed{opens}] ...\n{}",
        text[..head].trim_end_matches('\n'),
        &text[tail..]
    ))
}

/// Where the head ends and the tail starts, on character borders and at line ends where one is near.
pub(crate) fn ends(text: &str, chars: usize) -> Option<(usize, usize)> {
    let head = text.char_indices().nth(chars).map(|(at, _)| at)?;
    let tail = text.char_indices().rev().nth(chars.saturating_sub(1)).map(|(at, _)| at)?;
    let head = text[..head].rfind('\n').filter(|at| head - at <= head / NEAR).map_or(head, |at| at + 1);
    let length = text.len() - tail;
    let tail = text[tail..].find('\n').filter(|at| *at <= length / NEAR).map_or(tail, |at| tail + at + 1);
    (head < tail).then_some((head, tail))
}
