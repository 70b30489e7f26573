//! What kind of character a character is, as the patterns of the encodings tell them apart.

use std::sync::LazyLock;

use regex_syntax::hir::{Class, HirKind};

/// Upper and title case: `\p{Lu}`, `\p{Lt}`.
pub(super) const UPPER: u8 = 1;
/// `\p{Ll}`.
pub(super) const LOWER: u8 = 2;
/// Letters without case: `\p{Lm}`, `\p{Lo}`.
pub(super) const CASELESS: u8 = 4;
/// `\p{M}`: what joins the letter before it.
pub(super) const MARK: u8 = 8;
/// `\p{N}`.
pub(super) const NUMBER: u8 = 16;
/// `\s` without line ends.
pub(super) const BLANK: u8 = 32;
/// `\r` and `\n`.
pub(super) const LINE_END: u8 = 64;
/// Everything else.
pub(super) const OTHER: u8 = 128;

/// `\p{L}`.
pub(super) const LETTER: u8 = UPPER | LOWER | CASELESS;
/// `\s`.
pub(super) const SPACE: u8 = BLANK | LINE_END;
/// `[^\s\p{L}\p{N}]`.
pub(super) const PUNCTUATION: u8 = MARK | OTHER;

/// The kind of each byte that is a character; 0 for those that are part of one.
pub(super) static ASCII: [u8; 256] = ascii();

const fn ascii() -> [u8; 256] {
    let mut kinds = [0; 256];
    let mut byte = 0;
    while byte < 128 {
        kinds[byte] = match byte as u8 {
            b'A'..=b'Z' => UPPER,
            b'a'..=b'z' => LOWER,
            b'0'..=b'9' => NUMBER,
            b'\r' | b'\n' => LINE_END,
            b' ' | 0x09..=0x0d => BLANK,
            _ => OTHER,
        };
        byte += 1;
    }
    kinds
}

/// The kind of a character.
pub(super) fn kind(character: char) -> u8 {
    let code = u32::from(character);
    if character.is_ascii() {
        return ASCII[code as usize];
    }
    match KINDS.plane.get(code as usize) {
        Some(kind) => *kind,
        None => KINDS.beyond(code),
    }
}

/// The kinds of all characters: one by one where nearly all text lives, by ranges where it does not.
struct Kinds {
    plane: Vec<u8>,
    ranges: Vec<(u32, u32, u8)>,
}

/// The patterns' own classes, so that both see the same version of Unicode as the expressions they stand for.
static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let classes = [
        (r"[\p{Lu}\p{Lt}]", UPPER),
        (r"\p{Ll}", LOWER),
        (r"[\p{Lm}\p{Lo}]", CASELESS),
        (r"\p{M}", MARK),
        (r"\p{N}", NUMBER),
        (r"\s", BLANK),
    ];
    let mut kinds = Kinds { plane: vec![OTHER; 1 << 16], ranges: Vec::new() };
    for (class, kind) in classes {
        for (first, last) in ranges(class) {
            let in_plane = (first as usize).min(1 << 16)..(last as usize + 1).min(1 << 16);
            kinds.plane[in_plane].fill(kind);
            if last >= 1 << 16 {
                kinds.ranges.push((first, last, kind));
            }
        }
    }
    kinds.ranges.sort_unstable();
    kinds
});

impl Kinds {
    fn beyond(&self, code: u32) -> u8 {
        let nth = self.ranges.partition_point(|(_, last, _)| *last < code);
        self.ranges.get(nth).filter(|(first, ..)| *first <= code).map_or(OTHER, |(.., kind)| *kind)
    }
}

fn ranges(class: &str) -> Vec<(u32, u32)> {
    let parsed = regex_syntax::parse(class).expect("a constant class parses");
    match parsed.kind() {
        HirKind::Class(Class::Unicode(class)) => {
            class.iter().map(|range| (u32::from(range.start()), u32::from(range.end()))).collect()
        }
        _ => Vec::new(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinds_are_told_apart_near_and_far() {
        let kinds = ['a', 'É', 'ǅ', '中', 'ʰ', '\u{301}', '٣', '\u{a0}', '\n', '😀', '𝐀', '𠀀', '\u{e0100}'];
        let expected = [
            LOWER, UPPER, UPPER, CASELESS, CASELESS, MARK, NUMBER, BLANK, LINE_END, OTHER, UPPER, CASELESS,
            MARK,
        ];
        assert_eq!(kinds.map(kind), expected);
    }
}
