//! Exact counts with OpenAI's vocabularies.
//!
//! A text is split into [`pieces`], and a piece that is no token of the [`vocabulary`] is [merged](merge) out of its bytes.
//! Only numbers are wanted here, never the tokens themselves, and the vocabularies ship packed: that makes this smaller, and
//! sooner ready, than the tokenizers that there are (decision 16).
//!
//! Long texts are counted in chunks, so that memory stays bounded (a merge takes some 30 bytes per byte of an unbroken
//! run) and counting can stop at a limit. Chunks end only where both vocabularies' patterns split anyway, whatever stands
//! on either side, so the sum over the chunks is the exact count. Only a run of [`CHUNK`] bytes without any such place (a
//! quarter of a megabyte of one letter, of white space, of punctuation, of Chinese without a line break) is split in the
//! middle; each of those splits may change the count by a token or two, that is by less than 1 in 10,000.

mod letters;
mod merge;
mod pieces;
mod vocabulary;

use std::cell::RefCell;
use std::ops::Range;
use std::sync::LazyLock;

use self::merge::Merger;
use self::vocabulary::Vocabulary;
use super::chunks::chunks;
use super::{Counter, LineCounts, count_line};

/// A vocabulary of OpenAI's, counted exactly as `tiktoken`'s `encode_ordinary` does.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Encoding {
    /// GPT-4o and everything since.
    O200k,
    /// GPT-4, GPT-4 Turbo, GPT-3.5.
    Cl100k,
}

/// Bytes handed to the encoder at once. Larger chunks count no faster.
const CHUNK: usize = 256 * 1024;

/// The same, while counting towards a limit: what may be counted in vain.
const LIMITED_CHUNK: usize = 16 * 1024;

/// No token of either vocabulary is longer (128 spaces).
const LONGEST_TOKEN: usize = 128;

static O200K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::unpack(include_bytes!("../../data/o200k.tokens")));
static CL100K: LazyLock<Vocabulary> =
    LazyLock::new(|| Vocabulary::unpack(include_bytes!("../../data/cl100k.tokens")));

thread_local! {
    /// Of each vocabulary: room to merge in, and pieces merged before.
    static MERGERS: [RefCell<Merger>; 2] = Default::default();
}

impl Encoding {
    /// Loads the vocabulary if it is not loaded yet: a few milliseconds of work and 8 MB (o200k). Counting does this by
    /// itself; a program that knows it will count can call this on a second thread while it still reads its input.
    pub fn load(self) {
        self.vocabulary();
    }

    /// The counts of the chunks of a text. A chunk that repeats the one before it is not counted again: 200 MB of one
    /// letter take a tenth of a second instead of forty.
    fn chunk_counts(self, text: &str, size: usize) -> impl Iterator<Item = usize> {
        let mut last = ("", 0);
        chunks(text, size, CHUNK, is_safe_cut).map(move |chunk| {
            if last.0 != chunk {
                last = (chunk, self.count_chunk(chunk));
            }
            last.1
        })
    }

    fn count_chunk(self, chunk: &str) -> usize {
        let vocabulary = self.vocabulary();
        MERGERS.with(|mergers| match self {
            Encoding::O200k => count_pieces(chunk, pieces::o200k, vocabulary, &mut mergers[0].borrow_mut()),
            Encoding::Cl100k => count_pieces(chunk, pieces::cl100k, vocabulary, &mut mergers[1].borrow_mut()),
        })
    }

    fn vocabulary(self) -> &'static Vocabulary {
        match self {
            Encoding::O200k => &O200K,
            Encoding::Cl100k => &CL100K,
        }
    }
}

fn count_pieces(
    text: &str,
    piece_end: impl Fn(&str, usize) -> usize,
    vocabulary: &Vocabulary,
    merger: &mut Merger,
) -> usize {
    let (mut tokens, mut start) = (0, 0);
    while start < text.len() {
        let end = piece_end(text, start);
        tokens += match end - start {
            // Every byte is a token.
            1 => 1,
            _ => merger.count(vocabulary, text.as_bytes(), start..end),
        };
        start = end;
    }
    tokens
}

impl Counter for Encoding {
    fn name(&self) -> String {
        match self {
            Encoding::O200k => "o200k".into(),
            Encoding::Cl100k => "cl100k".into(),
        }
    }

    fn count(&self, text: &str) -> usize {
        match text.len() {
            0 => 0,
            // One chunk; most texts are lines.
            1..=CHUNK => self.count_chunk(text),
            _ => self.chunk_counts(text, CHUNK).sum(),
        }
    }

    fn count_up_to(&self, text: &str, limit: usize) -> Option<usize> {
        if text.len().div_ceil(LONGEST_TOKEN) > limit {
            return None;
        }
        if text.len() <= limit {
            return Some(self.count(text));
        }
        let mut total = 0;
        for count in self.chunk_counts(text, LIMITED_CHUNK) {
            total += count;
            if total > limit {
                return None;
            }
        }
        Some(total)
    }

    /// Almost every line starts where both patterns start a piece, so that the tokens of the lines add up to those of the
    /// text. What is left are lines followed by blank ones and the like: there the end of the line is counted once more.
    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        let counts: Vec<u32> = lines.iter().map(|line| count_line(self, text, line)).collect();
        if text.len() > CHUNK || lines.is_empty() {
            return LineCounts { text: self.count(text), lines: counts };
        }
        let bytes = text.as_bytes();
        let follows_line_feed = |line: &Range<usize>| line.start > 0 && bytes[line.start - 1] == b'\n';
        let is_cut = |line: &Range<usize>| follows_line_feed(line) && starts_piece(&text[line.start..]);
        let mut total = 0;
        let (mut nth, mut start) = (0, 0);
        while start < text.len() {
            let next = nth + 1 + lines[nth + 1..].iter().take_while(|line| !is_cut(line)).count();
            let end = lines.get(next).map_or(text.len(), |line| line.start);
            let line = &lines[nth];
            let is_whole = line.start == start && bytes.get(line.end).is_none_or(|byte| *byte == b'\n');
            total += match is_whole {
                true if end == line.end + 1 => counts[nth] as usize,
                true => {
                    let cut = (start + 1..line.end).rev().find(|at| is_safe_cut(bytes, *at)).unwrap_or(start);
                    let ended = count_line(self, text, &(cut..line.end)) as usize;
                    counts[nth] as usize - ended + self.count(&text[cut..end])
                }
                // Pieces of a long line do not add up.
                false => self.count(&text[start..end]),
            };
            (nth, start) = (next, end);
        }
        LineCounts { text: total, lines: counts }
    }

    fn is_exact(&self) -> bool {
        true
    }
}

/// Whether both patterns start a piece with what follows a line feed: pieces go over a line feed only into more white
/// space that ends with one, and into `/`.
fn starts_piece(line: &str) -> bool {
    let words = line.trim_start_matches([' ', '\t']);
    let is_indented = words.len() < line.len();
    words.chars().next().is_some_and(|first| !first.is_whitespace() && (is_indented || first != '/'))
}

/// Whether both patterns end a piece at `at`, judging from the bytes around it alone:
///
/// - a line feed before a letter or digit: no piece goes on after a line feed except with more white space or `/`;
/// - a letter beside a digit: no piece holds both;
/// - a single space between letters: the space opens the next word.
fn is_safe_cut(bytes: &[u8], at: usize) -> bool {
    let (before, after) = (bytes[at - 1], bytes[at]);
    match before {
        b'\n' => after.is_ascii_alphanumeric(),
        b'0'..=b'9' => after.is_ascii_alphabetic(),
        b'a'..=b'z' | b'A'..=b'Z' => {
            after.is_ascii_digit() || after == b' ' && bytes.get(at + 1).is_some_and(u8::is_ascii_alphabetic)
        }
        _ => false,
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    const BOTH: [Encoding; 2] = [Encoding::O200k, Encoding::Cl100k];

    /// Text made of what the patterns treat differently.
    fn texts() -> impl Strategy<Value = String> {
        const PIECES: &[&str] = &[
            "a",
            "B",
            "word",
            "Word",
            "WORD",
            " ",
            "  ",
            "\n",
            "\n\n",
            "\r\n",
            "\t",
            "1",
            "12",
            "123",
            "1234",
            "'s",
            "'LL",
            "'ſ",
            "'",
            "/",
            "//",
            ".",
            "!?",
            "(",
            "é",
            "É",
            "ß",
            "\u{301}",
            "中",
            "文字",
            "ไทย",
            "ǅ",
            "ʰ",
            "😀",
            "👨‍👩‍👧",
            "\u{a0}",
            "\u{2028}",
            "٣",
            "²",
            "_",
            "<|endoftext|>",
            "\0",
        ];
        prop::collection::vec(prop::sample::select(PIECES), 0..60).prop_map(|pieces| pieces.concat())
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(2000))]

        #[test]
        fn chunks_hold_the_whole_text_and_never_change_the_count(text in texts(), size in 1usize..40) {
            prop_assert_eq!(chunks(&text, size, CHUNK, is_safe_cut).collect::<String>(), text.as_str());
            for encoding in BOTH {
                prop_assert_eq!(encoding.chunk_counts(&text, size).sum::<usize>(), encoding.count_chunk(&text));
            }
        }

        #[test]
        fn lines_and_their_text_are_counted_in_one_go(text in texts()) {
            let lines = crate::text::lines::units(&text);
            for encoding in BOTH {
                let counts = encoding.count_lines(&text, &lines);
                prop_assert_eq!(counts.text, encoding.count(&text));
                for (count, line) in counts.lines.iter().zip(&lines) {
                    prop_assert_eq!(*count as usize, encoding.count(&format!("{}\n", &text[line.clone()])));
                }
            }
        }

        #[test]
        fn the_independent_tokenizer_counts_the_same(text in texts()) {
            prop_assert_eq!(Encoding::O200k.count(&text), bpe_openai::o200k_base().count(text.as_str()));
            prop_assert_eq!(Encoding::Cl100k.count(&text), bpe_openai::cl100k_base().count(text.as_str()));
        }

        #[test]
        fn a_count_up_to_a_limit_is_the_count_or_nothing(text in texts(), limit in 0usize..80) {
            let count = Encoding::O200k.count(&text);
            let expected = (count <= limit).then_some(count);
            prop_assert_eq!(Encoding::O200k.count_up_to(&text, limit), expected);
        }
    }

    #[test]
    fn special_tokens_in_a_text_are_text() {
        assert_eq!(Encoding::O200k.count("<|endoftext|>"), 7);
        assert_eq!(Encoding::Cl100k.count("<|endoftext|>"), 7);
    }

    #[test]
    fn the_long_s_is_an_s_in_contractions() {
        let text = "a'ſ'LLLL";
        assert_eq!((Encoding::O200k.count(text), bpe_openai::o200k_base().count(text)), (5, 5));
    }

    #[test]
    fn the_packed_vocabularies_hold_the_tokens_that_the_independent_tokenizer_knows() {
        let both = [bpe_openai::o200k_base(), bpe_openai::cl100k_base()];
        for (encoding, known) in BOTH.into_iter().zip(both) {
            let vocabulary = encoding.vocabulary();
            assert_eq!(vocabulary.len(), known.bpe.num_tokens());
            for rank in 0..vocabulary.len() as u32 {
                let token = known.bpe.token_bytes(rank);
                assert_eq!((vocabulary.token(rank), vocabulary.rank(token)), (token, Some(rank)));
            }
        }
    }

    #[test]
    fn the_packed_vocabularies_can_be_made_again() {
        let shipped: [&[u8]; 2] =
            [include_bytes!("../../data/o200k.tokens"), include_bytes!("../../data/cl100k.tokens")];
        for (encoding, shipped) in BOTH.into_iter().zip(shipped) {
            let vocabulary = encoding.vocabulary();
            let tokens: Vec<&[u8]> =
                (0..vocabulary.len() as u32).map(|rank| vocabulary.token(rank)).collect();
            assert!(vocabulary::pack_tokens(&tokens) == shipped, "{encoding:?}");
        }
    }

    #[test]
    fn known_counts() {
        assert_eq!(Encoding::O200k.count("hello world"), 2);
        assert_eq!(Encoding::O200k.count(""), 0);
        assert_eq!(Encoding::Cl100k.count("tiktoken is great!"), 6);
    }

    #[test]
    fn runs_below_a_quarter_megabyte_are_exact_and_longer_ones_almost() {
        for unit in ["a", " ", "\n", "-", "中", "\t ", "!?#$%", "привет"] {
            let below = unit.repeat((CHUNK - 64) / unit.len());
            let exact = bpe_openai::o200k_base();
            assert_eq!(Encoding::O200k.count(&below), exact.count(below.as_str()), "{unit:?}");
            let above = unit.repeat(3 * CHUNK / unit.len() + 7);
            let (ours, theirs) = (Encoding::O200k.count(&above), exact.count(above.as_str()));
            assert!(ours.abs_diff(theirs) <= 6, "{unit:?}: {ours} {theirs}");
            assert_eq!(Encoding::O200k.count_up_to(&above, ours), Some(ours), "{unit:?}");
            assert_eq!(Encoding::O200k.count_up_to(&above, ours - 1), None, "{unit:?}");
        }
    }

    #[test]
    fn two_hundred_megabytes_of_one_letter_are_no_hang() {
        let start = std::time::Instant::now();
        assert_eq!(Encoding::O200k.count(&"a".repeat(200 << 20)), (200 << 20) / 8);
        assert!(start.elapsed() < std::time::Duration::from_secs(10), "{:?}", start.elapsed());
    }

    #[test]
    fn a_limit_far_below_the_text_is_answered_without_counting_it() {
        let text = "some words to count ".repeat(1_000_000);
        assert_eq!(Encoding::O200k.count_up_to(&text, 1_000), None);
    }
}
