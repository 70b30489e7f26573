//! Whether a text is one that a model writes when it has lost its way.

use std::collections::HashSet;

/// How much of an answer is looked at: enough to tell, however long it is.
const LOOKED_AT: usize = 64 * 1024;

/// A run of one character that nobody writes, rules of tables included.
const RUN: usize = 240;

/// Characters of a piece that is looked for again.
const PIECE: usize = 16;

/// Below this nothing is said about repetitions.
const SHORTEST: usize = 200;

/// What is wrong with the text, if something is. Linear.
pub(super) fn fault(text: &str) -> Option<&'static str> {
    let text: Vec<char> = text.chars().take(LOOKED_AT).collect();
    let visible = || text.iter().filter(|c| !c.is_whitespace());
    let all = visible().count();
    let words = visible().filter(|c| c.is_alphanumeric()).count();
    let broken = text.iter().filter(|c| is_broken(**c)).count();
    if text.chunk_by(|one, next| one == next).any(|run| run.len() > RUN) {
        return Some("one character over and over");
    }
    if broken * 20 > all || (all >= 40 && words * 4 < all) {
        return Some("mostly not text");
    }
    repeats(&text).then_some("the same words over and over")
}

fn is_broken(c: char) -> bool {
    (c.is_control() && !matches!(c, '\n' | '\r' | '\t')) || matches!(c, '\u{fffd}' | '\u{e000}'..='\u{f8ff}')
}

/// Whether most of the text, or of its last third, has been said before. Letters and digits alone are compared, so that
/// tables may look as they do; of the paths in them, a good part may be the same in each row.
fn repeats(text: &[char]) -> bool {
    let letters: Vec<char> = text.iter().copied().filter(|c| c.is_alphanumeric()).collect();
    let share_new = |letters: &[char], percent: usize| {
        let pieces = letters.windows(PIECE);
        let all = pieces.len();
        let distinct: HashSet<&[char]> = pieces.collect();
        letters.len() >= SHORTEST && distinct.len() * 100 < all * percent
    };
    share_new(&letters, 35) || share_new(&letters[letters.len() / 3 * 2..], 20)
}
