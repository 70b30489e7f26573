//! Counts with a user's own Hugging Face `tokenizer.json`.

use kitoken::Kitoken;

use super::Counter;

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
        self.tokenizer.encode(text, false).map_or(text.len(), |tokens| tokens.len())
    }

    fn is_exact(&self) -> bool {
        true
    }
}
