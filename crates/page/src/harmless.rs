//! Text from a session, made harmless for whoever looks at it: on a terminal or on a page.

use std::borrow::Cow;

/// On one line: control characters (escape sequences that recolour, rename or retype) and the invisible ones that
/// reorder what is read become visible marks. Line ends and tabs become spaces.
pub fn clean(text: &str) -> Cow<'_, str> {
    if !text.contains(is_treacherous) {
        return Cow::Borrowed(text);
    }
    let harmless = |letter: char| match letter {
        '\n' | '\r' | '\t' => ' ',
        letter if is_treacherous(letter) => '\u{fffd}',
        letter => letter,
    };
    Cow::Owned(text.chars().map(harmless).collect())
}

/// A text of several lines, made harmless line by line; each line ended.
pub fn clean_lines(text: &str) -> String {
    text.lines().map(|line| format!("{}\n", clean(line))).collect()
}

/// A text that keeps its line ends and tabs, and nothing else of the control characters.
pub fn block(text: &str) -> String {
    let piece = |line: &str| line.split('\t').map(clean).collect::<Vec<_>>().join("\t");
    text.split('\n').map(piece).collect::<Vec<_>>().join("\n")
}

/// Control characters, and the format characters that hide or reorder text.
fn is_treacherous(letter: char) -> bool {
    letter.is_control()
        || matches!(letter, '\u{200b}' | '\u{200e}' | '\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn escape_sequences_and_reordering_characters_do_not_reach_the_terminal() {
        assert_eq!(clean("\x1b[31mred\x07\u{202e}txt\nnext"), "\u{fffd}[31mred\u{fffd}\u{fffd}txt next");
        assert_eq!(clean("ordinary ä 漢 🎉"), "ordinary ä 漢 🎉");
    }

    #[test]
    fn blocks_keep_lines_and_tabs() {
        assert_eq!(block("a\tb\nc\x07\n"), "a\tb\nc\u{fffd}\n");
    }
}
