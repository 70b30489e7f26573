//! Counts with a user's own Hugging Face `tokenizer.json`.
//!
//! Texts of more than [`CHUNK`] bytes are counted in chunks that start at the beginning of a line: tokenizers with a
//! regular expression panic on a megabyte of spaces, others are quadratic in the length of a word. Almost every
//! tokenizer splits there anyway; one that does not may differ by a token or two per chunk.

use kitoken::Kitoken;

use super::Counter;
use super::chunks::chunks;

/// Bytes given to the tokenizer at once.
const CHUNK: usize = 32 * 1024;

/// A tokenizer read from a `tokenizer.json`: BPE, Unigram or WordPiece with its normalization and splitting.
/// Special tokens in the text are text, and none are added.
pub struct TokenizerJson {
    name: String,
    tokenizer: Kitoken,
}

/// A `tokenizer.json` that cannot be used. The user can mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("tokenizer `{name}`: {why}; give the tokenizer.json that comes with the model on Hugging Face")]
pub struct TokenizerJsonError {
    /// The tokenizer's name, as given.
    pub name: String,
    /// Why it cannot be used.
    pub why: String,
}

impl TokenizerJson {
    /// Reads the bytes of a `tokenizer.json`. `name` stands for it in reports.
    pub fn parse(name: &str, bytes: &[u8]) -> Result<TokenizerJson, TokenizerJsonError> {
        let error = |why: String| TokenizerJsonError { name: name.into(), why };
        let tokenizer = Kitoken::from_tokenizers_slice(bytes).map_err(|why| error(why.to_string()))?;
        tokenizer.encode("a b", false).map_err(|why| error(why.to_string()))?;
        Ok(TokenizerJson { name: name.into(), tokenizer })
    }
}

impl Counter for TokenizerJson {
    fn name(&self) -> String {
        self.name.clone()
    }

    /// A text that the tokenizer cannot encode (no unknown token for a character of it) counts as its bytes: more
    /// than any tokenizer would say.
    fn count(&self, text: &str) -> usize {
        let count =
            |chunk: &str| self.tokenizer.encode(chunk, false).map_or(chunk.len(), |tokens| tokens.len());
        chunks(text, CHUNK, CHUNK, starts_line).map(count).sum()
    }

    fn is_exact(&self) -> bool {
        true
    }
}

fn starts_line(bytes: &[u8], at: usize) -> bool {
    bytes[at - 1] == b'\n' && bytes[at].is_ascii_alphanumeric()
}

impl std::fmt::Debug for TokenizerJson {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("TokenizerJson").field("name", &self.name).finish_non_exhaustive()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Byte-level BPE over 256 bytes and a few merges, as GPT-2's file is built.
    fn small() -> Vec<u8> {
        let merges = [
            ("h", "e"),
            ("l", "l"),
            ("he", "ll"),
            ("hell", "o"),
            ("\u{120}", "w"),
            ("o", "r"),
            ("\u{120}w", "or"),
        ];
        let bytes = (0u32..256).map(byte_letter).map(String::from);
        let words = bytes.chain(merges.iter().map(|(left, right)| format!("{left}{right}")));
        let vocab: serde_json::Map<String, serde_json::Value> =
            words.enumerate().map(|(id, word)| (word, id.into())).collect();
        let merges: Vec<String> = merges.iter().map(|(left, right)| format!("{left} {right}")).collect();
        let byte_level = serde_json::json!({"type": "ByteLevel", "add_prefix_space": false, "trim_offsets": true, "use_regex": true});
        let file = serde_json::json!({
            "version": "1.0", "truncation": null, "padding": null, "normalizer": null, "post_processor": null,
            "added_tokens": [{"id": 300, "content": "<|endoftext|>", "single_word": false, "lstrip": false,
                "rstrip": false, "normalized": false, "special": true}],
            "pre_tokenizer": byte_level, "decoder": byte_level,
            "model": {"type": "BPE", "dropout": null, "unk_token": null, "continuing_subword_prefix": null,
                "end_of_word_suffix": null, "fuse_unk": false, "byte_fallback": false, "vocab": vocab, "merges": merges},
        });
        serde_json::to_vec(&file).unwrap()
    }

    /// GPT-2's letter for a byte.
    fn byte_letter(byte: u32) -> char {
        let is_plain = |byte: u32| matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff);
        let odd = (0..byte).filter(|byte| !is_plain(*byte)).count() as u32;
        char::from_u32(if is_plain(byte) { byte } else { 256 + odd }).unwrap()
    }

    #[test]
    fn counts_with_a_tokenizer_of_ones_own() {
        let tokenizer = TokenizerJson::parse("small", &small()).unwrap();
        assert_eq!(tokenizer.count("hello world"), 4, "hello | _wor | l | d");
        assert_eq!(tokenizer.count("hello hello"), 3, "hello | _ | hello");
        assert_eq!(tokenizer.count("ä"), 2, "two bytes");
        assert_eq!(tokenizer.count(""), 0);
        assert_eq!(tokenizer.count("<|endoftext|>"), 13, "special tokens in a text are text");
        assert_eq!(tokenizer.name(), "small");
    }

    #[test]
    fn long_texts_and_long_runs_are_counted_without_panic() {
        let tokenizer = TokenizerJson::parse("small", &small()).unwrap();
        let line = "hello world\n";
        assert_eq!(tokenizer.count(&line.repeat(100_000)), 100_000 * tokenizer.count(line));
        for unit in [" ", "a", "-", "中", " \t"] {
            assert!(tokenizer.count(&unit.repeat(1_000_000)) > 0, "{unit:?}");
        }
    }

    #[test]
    fn a_file_that_is_no_tokenizer_is_refused_with_a_remedy() {
        for bytes in [&b""[..], b"{}", b"not json", b"{\"model\":{\"type\":\"BPE\"}}", &[0xff, 0xfe]] {
            let error = TokenizerJson::parse("mine", bytes).unwrap_err().to_string();
            assert!(error.starts_with("tokenizer `mine`: ") && error.contains("Hugging Face"), "{error}");
        }
    }
}
