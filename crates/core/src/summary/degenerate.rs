//! Whether a text is one that a model writes when it has lost its way.

use std::collections::HashSet;

/// How much of an answer is looked at: enough to tell, however long it is.
const LOOKED_AT: usize = 64 * 1024;

/// A run of one character that nobody writes, rules of tables included.
const RUN: usize = 240;

/// Characters of a piece that is looked for again.
const PIECE: usize = 16;

/// Letters at the end in which a loop shows that began late.
const END: usize = 400;

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

/// Whether most of the text, or of its end, has been said before. Letters and digits alone are compared, so that
/// tables may look as they do; of the paths in them, a good part may be the same in each row.
fn repeats(text: &[char]) -> bool {
    let letters: Vec<char> = text.iter().copied().filter(|c| c.is_alphanumeric()).collect();
    let says_little = |letters: &[char], percent: usize| {
        let pieces = letters.windows(PIECE);
        let all = pieces.len();
        let distinct: HashSet<&[char]> = pieces.collect();
        letters.len() >= SHORTEST && distinct.len() * 100 < all * percent
    };
    says_little(&letters, 35) || says_little(&letters[letters.len().saturating_sub(END)..], 20)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rubbish_is_told_by_its_kind() {
        for (text, wanted) in [
            ("a".repeat(1000), "one character over and over"),
            (format!("### Current State\n{}", "-".repeat(1000)), "one character over and over"),
            ("\u{fffd}\u{0}x".repeat(50), "mostly not text"),
            ("{}[];,.!".repeat(50), "mostly not text"),
            ("- fixed the bug in the parser\n".repeat(60), "the same words over and over"),
            ("修复了解析器中的错误。".repeat(60), "the same words over and over"),
            (format!("{}{}", story(60), "and so on and on ".repeat(80)), "the same words over and over"),
        ] {
            assert_eq!(fault(&text), Some(wanted), "{text}");
        }
    }

    /// Rows about different files far down one folder.
    fn story(rows: usize) -> String {
        let names = ["parser", "lexer", "printer", "cache", "table", "report", "budget"];
        let did = ["Created", "Modified the loop of", "Removed", "Renamed and tested", "Split"];
        let row = |nth: usize| {
            let (name, did) = (names[nth % names.len()], did[nth % did.len()]);
            format!(
                "| packages/frontend/src/components/{name}{nth}.tsx | {did} | {name} {nth} for case {} |\n",
                nth * 37
            )
        };
        (0..rows).map(row).collect()
    }

    #[test]
    fn tables_and_short_texts_are_fine() {
        for text in [
            story(40),
            "| a | b |\n|---|---|\n".to_string(),
            "- none\n- none\n- none\n- none\n- none".to_string(),
            "ok".to_string(),
            format!("| File and component, action, description and all that |\n| {} |", "-".repeat(120)),
        ] {
            assert_eq!(fault(&text), None, "{text}");
        }
    }
}
