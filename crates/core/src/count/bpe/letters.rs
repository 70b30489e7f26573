//! What kind of character a character is, as the patterns of the encodings tell them apart.

use std::sync::LazyLock;

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

/// Runs of characters of one kind from the first that is not ASCII on: eight times the length and the [number of the
/// kind](NUMBERED), seven bits to a byte, the lowest first, all but the last byte with the eighth bit set.
static RUNS: &[u8] = include_bytes!("../../../data/letters.runs");

/// Kinds by the numbers that they have in [`RUNS`].
const NUMBERED: [u8; 8] = [UPPER, LOWER, CASELESS, MARK, NUMBER, BLANK, LINE_END, OTHER];

static KINDS: LazyLock<Kinds> = LazyLock::new(|| {
    let mut kinds = Kinds { plane: vec![OTHER; 1 << 16], ranges: Vec::new() };
    let mut first = 0x80;
    let (mut number, mut shift) = (0u32, 0);
    for byte in RUNS {
        number |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte & 0x80 != 0 {
            continue;
        }
        let (kind, end) = (NUMBERED[number as usize & 7], first + (number >> 3));
        let in_plane = (first as usize).min(1 << 16)..(end as usize).min(1 << 16);
        kinds.plane[in_plane].fill(kind);
        if end > 1 << 16 && kind != OTHER {
            kinds.ranges.push((first, end - 1, kind));
        }
        (first, number, shift) = (end, 0, 0);
    }
    kinds
});

impl Kinds {
    fn beyond(&self, code: u32) -> u8 {
        let nth = self.ranges.partition_point(|(_, last, _)| *last < code);
        self.ranges.get(nth).filter(|(first, ..)| *first <= code).map_or(OTHER, |(.., kind)| *kind)
    }
}

#[cfg(test)]
mod tests {
    use regex_syntax::hir::{Class, HirKind};

    use super::*;

    /// The characters of a class, as the expressions that the patterns stand for see them.
    fn ranges(class: &str) -> Vec<std::ops::RangeInclusive<char>> {
        match regex_syntax::parse(class).unwrap().into_kind() {
            HirKind::Class(Class::Unicode(class)) => {
                class.iter().map(|range| range.start()..=range.end()).collect()
            }
            other => panic!("{other:?}"),
        }
    }

    #[test]
    fn every_character_has_the_kind_that_the_patterns_see() {
        let classes = [
            (r"[\p{Lu}\p{Lt}]", UPPER),
            (r"\p{Ll}", LOWER),
            (r"[\p{Lm}\p{Lo}]", CASELESS),
            (r"\p{M}", MARK),
            (r"\p{N}", NUMBER),
            (r"[\s--[\r\n]]", BLANK),
            (r"[\r\n]", LINE_END),
            (r"[^\p{L}\p{M}\p{N}\s]", OTHER),
        ];
        let mut seen = 0;
        for (class, wanted) in classes {
            for character in ranges(class).into_iter().flatten() {
                assert_eq!(kind(character), wanted, "{character:?}");
                seen += 1;
            }
        }
        assert_eq!(seen, ('\0'..=char::MAX).count());
    }

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
