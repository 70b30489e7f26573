//! Words: what people search for, and how it is shown. No database in here.

use bytestring::ByteString;
use enfold::history::Slot;
use enfold::json::Raw;
use enfold::wire;

/// What is looked for: each must be found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Term {
    /// Words that stand next to each other.
    pub(crate) words: Vec<String>,
    /// Whether the last one is only a beginning.
    pub(crate) is_prefix: bool,
}

/// Reads a query. Any text is one: what is neither letter nor digit only separates words.
pub(crate) fn terms(query: &str) -> Vec<Term> {
    let mut terms = Vec::new();
    for (nth, part) in query.split('"').enumerate() {
        if nth % 2 == 1 {
            terms.extend(term(part));
        } else {
            terms.extend(part.split_whitespace().filter_map(term));
        }
    }
    terms.truncate(MOST_TERMS);
    terms
}

/// More words than this nobody means; it bounds what a query costs.
const MOST_TERMS: usize = 32;

fn term(text: &str) -> Option<Term> {
    let is_prefix = text.ends_with('*');
    let spread = spread(text);
    let words: Vec<String> = spread
        .split(|c: char| !c.is_alphanumeric() && !is_mark(c))
        .filter(|word| word.chars().any(char::is_alphanumeric))
        .take(MOST_TERMS)
        .map(str::to_string)
        .collect();
    (!words.is_empty()).then_some(Term { words, is_prefix })
}

/// Accents that stand apart from their letters belong to the word.
fn is_mark(c: char) -> bool {
    matches!(c, '\u{300}'..='\u{36f}' | '\u{900}'..='\u{97f}' | '\u{e00}'..='\u{e7f}' | '\u{64b}'..='\u{65f}')
}

/// Writes scripts without spaces between words as one word per sign, so that any part of a sentence is found.
pub(crate) fn spread(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for c in text.chars() {
        if is_sign(c) {
            out.extend([' ', c, ' ']);
        } else {
            out.push(c);
        }
    }
    out
}

/// Chinese, Japanese and Korean signs.
fn is_sign(c: char) -> bool {
    matches!(c,
        '\u{3040}'..='\u{30ff}' | '\u{3400}'..='\u{4dbf}' | '\u{4e00}'..='\u{9fff}' | '\u{ac00}'..='\u{d7af}'
        | '\u{f900}'..='\u{faff}' | '\u{20000}'..='\u{323af}')
}

/// What a model reads of a message: its texts, not its fields, signatures or pictures.
pub(crate) fn readable(wire: &str, slot: Slot, raw: &ByteString) -> String {
    let parsed = || {
        let wire = wire::named(wire).filter(|_| raw.len() <= LARGEST)?;
        Raw::parse(raw).ok()?;
        match slot {
            Slot::List => wire.read_message(raw).ok(),
            Slot::Head => wire.read_head(raw).ok(),
        }
    };
    match parsed() {
        Some(message) => {
            let calls = message.items.iter().filter_map(|item| Some(item.call()?.name.to_string()));
            let texts = message.items.iter().map(|item| item.text().into_owned());
            calls.chain(texts).collect::<Vec<_>>().join("\n")
        }
        None => raw.to_string(),
    }
}

/// A message above this size is not taken apart; its JSON is searched as it stands.
const LARGEST: usize = 16 << 20;

/// Signs shown on either side of what was found.
const AROUND: usize = 60;

/// One line of a text around the first place where a term of the query stands.
pub(crate) fn snippet(text: &str, terms: &[Term]) -> String {
    let places = terms.iter().filter_map(|term| find(text, term.words.first()?));
    let at = places.min().unwrap_or(0);
    let before = text[..at].char_indices().rev().nth(AROUND - 1).map_or(0, |(start, _)| start);
    let after = text[at..].char_indices().nth(2 * AROUND).map_or(text.len(), |(end, _)| at + end);
    let line = text[before..after].split_whitespace().collect::<Vec<_>>().join(" ");
    let begin = if before > 0 { "… " } else { "" };
    let end = if after < text.len() { " …" } else { "" };
    format!("{begin}{line}{end}")
}

/// Where a word stands, by folded case. Accents are not folded: then the text's start is shown.
fn find(text: &str, word: &str) -> Option<usize> {
    let wanted: Vec<char> = word.chars().flat_map(char::to_lowercase).collect();
    let first = *wanted.first()?;
    let mut before = None;
    for (at, c) in text.char_indices() {
        let begins = before.is_none_or(|c: char| !c.is_alphanumeric() || is_sign(c));
        if begins && c.to_lowercase().next() == Some(first) {
            let here = text[at..].chars().flat_map(char::to_lowercase);
            if here.take(wanted.len()).eq(wanted.iter().copied()) {
                return Some(at);
            }
        }
        before = Some(c);
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(query: &str) -> Vec<String> {
        let show = |term: Term| term.words.join("+") + if term.is_prefix { "*" } else { "" };
        terms(query).into_iter().map(show).collect()
    }

    #[test]
    fn a_query_is_words_phrases_and_beginnings() {
        assert_eq!(read("load config"), ["load", "config"]);
        assert_eq!(read("\"no such file\" src/main.rs"), ["no+such+file", "src+main+rs"]);
        assert_eq!(read("load_* end"), ["load*", "end"]);
    }

    #[test]
    fn signs_alone_are_no_words() {
        for nothing in ["", "   ", "\"", "\"\"", "()*^:-+{}", "😀", "\u{301}"] {
            assert_eq!(read(nothing), [""; 0], "{nothing}");
        }
        assert_eq!(
            read("AND OR NOT NEAR(a b) -x col:y \"open"),
            ["AND", "OR", "NOT", "NEAR+a", "b", "x", "col+y", "open"]
        );
    }

    #[test]
    fn chinese_is_searched_sign_by_sign() {
        assert_eq!(read("配置文件 größe"), ["配+置+文+件", "größe"]);
    }

    #[test]
    fn a_snippet_is_one_line_around_the_word() {
        let text = format!("{}\nfn Load()\n{}", "a ".repeat(100), "b ".repeat(100));
        let snippet = snippet(&text, &terms("load"));
        assert!(
            snippet.starts_with("… a a") && snippet.contains("a fn Load() b") && snippet.ends_with("b …")
        );
        assert!(snippet.chars().count() <= 3 * AROUND + 4, "{snippet}");
    }

    #[test]
    fn a_word_inside_another_is_not_the_one() {
        assert_eq!(find("reload load", "load"), Some(7));
        assert_eq!(find("İİ ß LOAD", "load"), Some("İİ ß ".len()));
    }
}
