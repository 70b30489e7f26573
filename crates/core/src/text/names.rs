//! Names: the words of a text that an agent comes back to. Paths, identifiers, ids, numbers.
//!
//! What an agent will need next can be told from names better than from anything else that code can see: of the rare
//! names seen in the current step 6 % are used again soon, of those 50 steps old 0.4 %.

use std::ops::Range;

/// What kind of name a name is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NameKind {
    /// A path or file name.
    Path,
    /// A number, perhaps with a few letters before it.
    Number,
    /// An identifier: it has an underscore, a digit or a hump.
    Identifier,
}

/// Shorter ones tell nothing.
const SHORTEST: usize = 4;

/// Calls `found` for each name of a line; one may come twice. Paths come first, then identifiers, then numbers.
///
/// The tests hold it to these patterns, which say the same and take longer:
///
/// ```text
/// path    (?:[\w.@+-]*/)+[\w.@+-]*\w | \b[\w-]+\.[A-Za-z]{1,4}\b
/// word    [A-Za-z_][A-Za-z0-9_]{4,}     if it has an underscore inside, a digit or a hump
/// number  #?\b[A-Za-z]{0,6}\d{4,}\b
/// ```
pub fn names(line: &str, found: impl FnMut(&str)) {
    names_with(line, &mut Words::default(), found);
}

/// Room for the words of a line, which whoever looks at many lines keeps from one to the next.
#[derive(Default)]
pub(crate) struct Words(Vec<Range<usize>>);

/// The same as [`names`], with room to work in.
pub(crate) fn names_with(line: &str, Words(words): &mut Words, mut found: impl FnMut(&str)) {
    let mut keep = |name: &str| {
        let name = name.trim_matches(['.', '/']);
        if name.len() >= SHORTEST {
            found(name);
        }
    };
    words.clear();
    for run in runs(line, words) {
        match path_end(&line.as_bytes()[run.clone()]) {
            Some(end) => keep(&line[run.start..run.start + end]),
            None => files(line, run, &mut keep),
        }
    }
    for word in &*words {
        let word = &line[word.clone()];
        let digits = word.bytes().take_while(u8::is_ascii_digit).count();
        if word.len() - digits > SHORTEST && is_identifier(&word[digits..]) {
            keep(&word[digits..]);
        }
    }
    for word in words.iter().filter(|word| is_number(&line[(*word).clone()])) {
        let has_mark = word.start > 0 && line.as_bytes()[word.start - 1] == b'#';
        keep(&line[word.start - usize::from(has_mark)..word.end]);
    }
}

/// What a byte can stand in.
static CLASSES: [u8; 256] = classes();

/// Letters, digits, underscores.
const WORD: u8 = 1;
/// These and hyphens: names of files.
const FILE: u8 = 2;
/// These and `. @ + /`: paths.
const PATH: u8 = 4;
/// What makes a path more than a word: `.` and `/`.
const MARK: u8 = 8;
/// Digits and underscores, which words of a language do not have.
const SIGN: u8 = 16;
const UPPER: u8 = 32;
const LOWER: u8 = 64;

const fn classes() -> [u8; 256] {
    let mut classes = [0; 256];
    let mut byte = 0;
    while byte < 256 {
        let one = byte as u8;
        classes[byte] = match one {
            b'a'..=b'z' => WORD | FILE | PATH | LOWER,
            b'A'..=b'Z' => WORD | FILE | PATH | UPPER,
            b'0'..=b'9' | b'_' => WORD | FILE | PATH | SIGN,
            b'-' => FILE | PATH,
            b'.' | b'/' => PATH | MARK,
            b'@' | b'+' => PATH,
            _ => 0,
        };
        byte += 1;
    }
    classes
}

fn is(class: u8, byte: u8) -> bool {
    CLASSES[usize::from(byte)] & class != 0
}

/// The longest runs of bytes that paths are made of, if they are more than a word. On the way it notes the words of the line
/// that have something in them which words of a language do not have: no other is an identifier or a number. All these bytes
/// are ASCII, so runs and words end at character borders.
///
/// One look at each byte: this sees every line of a history.
fn runs<'a>(line: &'a str, words: &'a mut Vec<Range<usize>>) -> impl Iterator<Item = Range<usize>> + 'a {
    let bytes = line.as_bytes();
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < bytes.len() {
            if !is(PATH, bytes[at]) {
                at += 1;
                continue;
            }
            let (start, mut word) = (at, at);
            let (mut in_run, mut in_word, mut before) = (0, 0, 0);
            while let Some(byte) = bytes.get(at) {
                let class = CLASSES[usize::from(*byte)];
                if class & LOWER != 0 {
                    // Most of a text is small letters, which begin no hump: each needs one look only.
                    in_word |= class;
                    in_run |= class;
                    before = class;
                    at += 1;
                    while bytes.get(at).is_some_and(u8::is_ascii_lowercase) {
                        at += 1;
                    }
                    continue;
                }
                if class & WORD != 0 {
                    let is_hump = before & LOWER != 0 && class & UPPER != 0;
                    in_word |= if is_hump { class | SIGN } else { class };
                } else {
                    if in_word & SIGN != 0 {
                        words.push(word..at);
                    }
                    if class & PATH == 0 {
                        break;
                    }
                    (word, in_word) = (at + 1, 0);
                }
                in_run |= class;
                before = class;
                at += 1;
            }
            if at == bytes.len() && in_word & SIGN != 0 {
                words.push(word..at);
            }
            let end = at;
            at += 1;
            if in_run & MARK != 0 {
                return Some(start..end);
            }
        }
        None
    })
}

/// The end of the last word that stands behind a slash.
fn path_end(run: &[u8]) -> Option<usize> {
    let first_slash = memchr::memchr(b'/', run)?;
    let last_word = run.iter().rposition(|byte| is(WORD, *byte))?;
    (last_word > first_slash).then_some(last_word + 1)
}

/// `name.ext`, with one to four letters behind the dot.
fn files(line: &str, run: Range<usize>, keep: &mut impl FnMut(&str)) {
    let bytes = line.as_bytes();
    let is_word = |at: usize| is(WORD, bytes[at]);
    let mut from = run.start;
    for dot in run.clone().filter(|at| bytes[*at] == b'.') {
        let extension = bytes[dot + 1..run.end].iter().take_while(|byte| is(WORD, **byte));
        let length = extension.clone().count();
        if dot < from || !(1..=4).contains(&length) || !extension.clone().all(u8::is_ascii_alphabetic) {
            continue;
        }
        let start = (from..dot).rev().take_while(|at| is(FILE, bytes[*at])).last().unwrap_or(dot);
        // A name begins where a word begins or ends, as `\b` has it.
        let begins = |at: &usize| (*at > 0 && is_word(*at - 1)) != is_word(*at);
        if let Some(start) = (start..dot).find(begins) {
            let end = dot + 1 + length;
            keep(&line[start..end]);
            from = end;
        }
    }
}

/// Up to six letters, then four digits or more, and nothing else.
fn is_number(word: &str) -> bool {
    let digits = word.bytes().rev().take_while(u8::is_ascii_digit).count();
    let letters = word.len() - digits;
    digits >= 4 && letters <= 6 && word.bytes().take(letters).all(|byte| byte.is_ascii_alphabetic())
}

/// What kind of name this is.
pub fn kind(name: &str) -> NameKind {
    let digits_at_end = name.len() >= 4 && name.bytes().rev().take(4).all(|byte| byte.is_ascii_digit());
    if name.bytes().any(|byte| is(MARK, byte)) {
        NameKind::Path
    } else if digits_at_end && name.len() <= 12 && !name.contains('_') {
        NameKind::Number
    } else {
        NameKind::Identifier
    }
}

fn is_identifier(word: &str) -> bool {
    word.bytes().any(|byte| byte.is_ascii_digit())
        || word.as_bytes().windows(2).any(|pair| pair[0].is_ascii_lowercase() && pair[1].is_ascii_uppercase())
        || word.trim_matches('_').contains('_')
}

#[cfg(test)]
mod tests {
    use std::sync::LazyLock;

    use regex::Regex;

    use super::*;

    fn all(line: &str) -> Vec<String> {
        let mut out = Vec::new();
        names(line, |name| out.push(name.to_string()));
        out.sort();
        out.dedup();
        out
    }

    #[test]
    fn paths_identifiers_and_numbers_are_names() {
        assert_eq!(all("edit src/a_b.rs and foo.py"), ["foo.py", "src/a_b.rs"]);
        assert_eq!(all("let parseConfig = max_size + utf8len;"), ["max_size", "parseConfig", "utf8len"]);
        assert_eq!(all("ticket #48213 closed"), ["#48213"]);
    }

    #[test]
    fn plain_words_and_short_ones_are_not() {
        assert_eq!(all("the quick brown fox a.b x_y"), Vec::<String>::new());
    }

    /// The patterns that the scanners stand for.
    fn by_patterns(line: &str) -> Vec<String> {
        static PATTERNS: LazyLock<[Regex; 3]> = LazyLock::new(|| {
            [
                r"(?-u)(?:[\w.@+-]*/)+[\w.@+-]*\w|\b[\w-]+\.[A-Za-z]{1,4}\b",
                r"(?-u)[A-Za-z_][A-Za-z0-9_]{4,}",
                r"(?-u)#?\b[A-Za-z]{0,6}\d{4,}\b",
            ]
            .map(|pattern| Regex::new(pattern).unwrap())
        });
        let [paths, words, numbers] = PATTERNS.each_ref().map(|pattern| -> Vec<String> {
            pattern.find_iter(line).map(|name| name.as_str().to_string()).collect()
        });
        let words = words.into_iter().filter(|word| is_identifier(word));
        let found = paths.into_iter().chain(words).chain(numbers);
        let trimmed = found.map(|name| name.trim_matches(['.', '/']).to_string());
        trimmed.filter(|name| name.len() >= SHORTEST).collect()
    }

    proptest::proptest! {
        #![proptest_config(proptest::prelude::ProptestConfig::with_cases(2000))]

        #[test]
        fn the_patterns_find_the_same(line in "[ab_Z19#./@+ é:-]{0,24}") {
            let mut found = Vec::new();
            names(&line, |name| found.push(name.to_string()));
            proptest::prop_assert_eq!(found, by_patterns(&line));
        }
    }
}
