//! Pieces of a text, cut where a reader would cut, with notes that say what is missing.

use crate::count::Counter;
use crate::history::Spelling;
use crate::text::json_units;

/// How far from the wanted place a line end may be to be taken instead, as a share of the piece.
const NEAR: usize = 4;

/// The first and last `chars` characters with a note between; `None` if nothing would be left out, or next to nothing of
/// what is such an excerpt already. `opens` says where the whole text is ([`crate::folding::passes::Cx::opens`]).
pub(crate) fn bookend(text: &str, chars: usize, counter: &dyn Counter, opens: &str) -> Option<String> {
    if text.len() <= 3 * chars + LONGEST_NOTE && text.lines().any(is_note) {
        return None;
    }
    let (head, tail) = ends(text, chars)?;
    let hidden = &text[head..tail];
    let tokens = counter.count(hidden);
    Some(format!(
        "{}\n... [~{tokens} tokens trimmed{opens}] ...\n{}",
        text[..head].trim_end_matches('\n'),
        &text[tail..]
    ))
}

/// The same for a text spelt as another one: of a list or an object, the first and last rows and fields.
pub(crate) fn bookend_of(
    spelling: Spelling,
    text: &str,
    chars: usize,
    counter: &dyn Counter,
    opens: &str,
) -> Option<String> {
    if spelling == Spelling::Quoted {
        return bookend(text, chars, counter, opens);
    }
    let mut note = |hidden: &str| format!("... [~{} tokens trimmed{opens}] ...", counter.count(hidden));
    json_units::ends(text, chars, &mut note).filter(|left| left.len() < text.len())
}

/// Bytes of a note, nearly always.
const LONGEST_NOTE: usize = 200;

/// Whether a line is one that [`bookend`] writes.
fn is_note(line: &str) -> bool {
    line.starts_with("... [~") && line.ends_with("] ...") && line.contains(" tokens trimmed")
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Heuristic;

    #[test]
    fn the_ends_stay_and_a_note_says_what_is_between() {
        let text = "one\n".repeat(100);
        let cut = bookend(&text, 20, &Heuristic, " #123456789").unwrap();
        assert_eq!(
            cut,
            format!("{}... [~91 tokens trimmed #123456789] ...\n{}", "one\n".repeat(5), "one\n".repeat(4))
        );
        assert_eq!(bookend("short", 20, &Heuristic, ""), None);
    }

    /// A second look once cut the note itself out of the middle, to save a token.
    #[test]
    fn an_excerpt_is_not_cut_again_but_a_long_text_that_quotes_one_is() {
        let cut = bookend(&"one\n".repeat(100), 20, &Heuristic, " #123456789").unwrap();
        assert_eq!(bookend(&cut, 20, &Heuristic, " #987654321"), None);
        assert!(bookend(&format!("{}{cut}", "two\n".repeat(100)), 20, &Heuristic, " #987654321").is_some());
    }
}
