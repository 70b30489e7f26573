//! Where the encodings split a text before they merge: words, numbers, punctuation, white space.
//!
//! Each encoding has a regular expression for it. These functions find the same pieces, with one look at most characters;
//! the tests hold them to a tokenizer that runs the expressions.
//!
//! ```text
//! o200k   [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]*[\p{Ll}\p{Lm}\p{Lo}\p{M}]+(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//!       | [^\r\n\p{L}\p{N}]?[\p{Lu}\p{Lt}\p{Lm}\p{Lo}\p{M}]+[\p{Ll}\p{Lm}\p{Lo}\p{M}]*(?i:'s|'t|'re|'ve|'m|'ll|'d)?
//!       | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n/]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//! cl100k  (?i:'s|'t|'re|'ve|'m|'ll|'d) | [^\r\n\p{L}\p{N}]?\p{L}+
//!       | \p{N}{1,3} | ?[^\s\p{L}\p{N}]+[\r\n]* | \s*[\r\n]+ | \s+(?!\S) | \s+
//! ```

use super::letters::{
    ASCII, CASELESS, LETTER, LINE_END, LOWER, MARK, NUMBER, PUNCTUATION, SPACE, UPPER, kind,
};

/// The end of the piece of o200k that begins at `at`.
#[inline]
pub(super) fn o200k(text: &str, at: usize) -> usize {
    if let Some(end) = plain_word(text.as_bytes(), at) {
        return end;
    }
    let (first, next) = look(text, at);
    let word = match first {
        LOWER => Some(run(text, next, LOWER | CASELESS | MARK)),
        _ if first & LETTER != 0 => cased_word(text, at),
        // A mark may stand before a word or begin one; with nothing behind it, it is one.
        MARK => lower_word(text, next).or_else(|| lower_word(text, at)),
        NUMBER => return numbers(text, next),
        LINE_END => None,
        _ => cased_word(text, next),
    };
    if let Some(end) = word {
        return end + contraction(text, end);
    }
    match punctuation(text, at, first, next) {
        Some(end) => end + count(text, end, |byte| matches!(byte, b'\r' | b'\n' | b'/')),
        None => white_space(text, at),
    }
}

/// The end of the piece of cl100k that begins at `at`.
#[inline]
pub(super) fn cl100k(text: &str, at: usize) -> usize {
    let (first, next) = look(text, at);
    match contraction(text, at) {
        0 => {}
        length => return at + length,
    }
    match first {
        _ if first & LETTER != 0 => return run(text, next, LETTER),
        NUMBER => return numbers(text, next),
        LINE_END => {}
        _ if look(text, next).0 & LETTER != 0 => return run(text, next, LETTER),
        _ => {}
    }
    match punctuation(text, at, first, next) {
        Some(end) => end + count(text, end, |byte| matches!(byte, b'\r' | b'\n')),
        None => white_space(text, at),
    }
}

/// The end of a piece of o200k that is as most are: perhaps a space, perhaps a capital, small letters, all of them ASCII.
/// Where it might go on, with an apostrophe or a letter that is not ASCII, this says nothing.
#[inline]
fn plain_word(bytes: &[u8], at: usize) -> Option<usize> {
    let is_at = |at: usize, test: fn(&u8) -> bool| bytes.get(at).is_some_and(test);
    let start = at + usize::from(bytes[at] == b' ');
    let small = start + usize::from(is_at(start, u8::is_ascii_uppercase));
    let mut end = small;
    while is_at(end, u8::is_ascii_lowercase) {
        end += 1;
    }
    let is_over = !is_at(end, |next| !next.is_ascii() || *next == b'\'');
    (end > small && is_over).then_some(end)
}

/// The kind of the character at `at` and where the next one begins; kind 0 at the end.
#[inline]
fn look(text: &str, at: usize) -> (u8, usize) {
    match text.as_bytes().get(at) {
        None => (0, at),
        Some(byte) if byte.is_ascii() => (ASCII[usize::from(*byte)], at + 1),
        Some(_) => {
            let character = text[at..].chars().next();
            character.map_or((0, at), |character| (kind(character), at + character.len_utf8()))
        }
    }
}

/// The end of the longest run of characters of these kinds.
#[inline]
fn run(text: &str, mut at: usize, kinds: u8) -> usize {
    let bytes = text.as_bytes();
    loop {
        while bytes.get(at).is_some_and(|byte| ASCII[usize::from(*byte)] & kinds != 0) {
            at += 1;
        }
        if bytes.get(at).is_none_or(u8::is_ascii) {
            return at;
        }
        match look(text, at) {
            (is, next) if is & kinds != 0 => at = next,
            _ => return at,
        }
    }
}

fn count(text: &str, at: usize, test: impl Fn(u8) -> bool) -> usize {
    text.as_bytes()[at..].iter().take_while(|byte| test(**byte)).count()
}

/// A word of o200k: capitals, then small letters. Letters without case and marks can be either.
fn cased_word(text: &str, at: usize) -> Option<usize> {
    let end = capitals(text, at);
    small_from(text, at, end).or((end > at).then_some(end))
}

/// The same with at least one letter that is not a capital.
fn lower_word(text: &str, at: usize) -> Option<usize> {
    small_from(text, at, capitals(text, at))
}

fn capitals(text: &str, at: usize) -> usize {
    run(text, at, UPPER | CASELESS | MARK)
}

/// The end of the small letters behind capitals that stand in `start..end`. Where no small letter follows them, the
/// expression gives back what it took for capitals until it has one.
fn small_from(text: &str, start: usize, end: usize) -> Option<usize> {
    if look(text, end).0 & LOWER != 0 {
        return Some(run(text, end, LOWER | CASELESS | MARK));
    }
    if start == end {
        return None;
    }
    let mut taken = text[start..end].char_indices();
    let (nth, last) = taken.rfind(|(_, taken)| kind(*taken) & (CASELESS | MARK) != 0)?;
    Some(start + nth + last.len_utf8())
}

/// Up to three numbers, the first of which ends at `at`.
fn numbers(text: &str, mut at: usize) -> usize {
    for _ in 0..2 {
        match look(text, at) {
            (NUMBER, next) => at = next,
            _ => break,
        }
    }
    at
}

/// The length of `'s`, `'t`, `'re`, `'ve`, `'m`, `'ll` or `'d`, in any case; 0 where there is none. The long s is an s.
fn contraction(text: &str, at: usize) -> usize {
    let Some([b'\'', rest @ ..]) = text.as_bytes().get(at..) else { return 0 };
    let lower = |nth: usize| rest.get(nth).map(u8::to_ascii_lowercase);
    match (lower(0), lower(1)) {
        (Some(b's' | b't' | b'm' | b'd'), _) => 2,
        (Some(b'r' | b'v'), Some(b'e')) | (Some(b'l'), Some(b'l')) => 3,
        _ if rest.starts_with("ſ".as_bytes()) => 3,
        _ => 0,
    }
}

/// The end of a run of punctuation, perhaps with a space before it.
fn punctuation(text: &str, at: usize, first: u8, next: usize) -> Option<usize> {
    let start = if text.as_bytes()[at] == b' ' { next } else { at };
    let is_punctuation = if start == at { first } else { look(text, start).0 } & PUNCTUATION != 0;
    is_punctuation.then(|| run(text, start, PUNCTUATION))
}

/// White space up to its last line end; without one, all but the last blank, which belongs to what follows.
fn white_space(text: &str, at: usize) -> usize {
    let end = run(text, at, SPACE);
    let blanks = &text[at..end];
    if let Some(line_end) = memchr::memrchr2(b'\r', b'\n', blanks.as_bytes()) {
        return at + line_end + 1;
    }
    let last = blanks.chars().next_back().map_or(0, char::len_utf8);
    if end == text.len() || last == blanks.len() { end } else { end - last }
}
