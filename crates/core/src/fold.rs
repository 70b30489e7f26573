//! Folds: reductions of a view, each with a reason and a way back.

use std::fmt;

use crate::item::{ItemId, MessageId};

/// One reduction that a pass proposes. The runner measures it, and makes it only if the view gets smaller.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fold {
    /// What remains in place of the original.
    pub kind: FoldKind,
    /// What is changed.
    pub change: Change,
    /// Why, in a few words for people.
    pub why: String,
}

/// What remains in place of the original.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum FoldKind {
    /// The start and end of a result that is too large for any window.
    Cap,
    /// The start and end of a result, line by line.
    Bookend,
    /// The lines that say most.
    Digest,
    /// A note that the same text stands elsewhere in the view.
    Pointer,
    /// What changed since the text it repeats.
    Delta,
    /// One line: tool, target, size, first words.
    Placeholder,
    /// A marker.
    Clear,
    /// Nothing: whole steps or turns are left out.
    Drop,
    /// A list of edits instead of the edits.
    Edits,
    /// A summary instead of a span.
    Summary,
}

/// How much of the original a fold leaves, from everything to nothing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Rung {
    /// Nothing is hidden: what is left out stands elsewhere in the view.
    Lossless,
    /// Parts of the original remain, word for word.
    Digest,
    /// A note remains.
    Placeholder,
    /// Nothing remains in its place.
    Drop,
}

/// What a fold changes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Change {
    /// Other texts for an item: which of its texts, and what stands there instead.
    Texts {
        /// The item.
        item: ItemId,
        /// Its changed texts.
        texts: Vec<(usize, String)>,
    },
    /// Items leave their messages.
    Items(Vec<ItemId>),
    /// Whole messages leave.
    Messages(Vec<MessageId>),
}

/// Short id of an original, scoped to its session.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Handle(String);

/// Makes the handles of a session: a keyed hash of what they open, so that nobody can guess one, and the same original
/// has the same handle in every view.
#[derive(Clone)]
pub struct HandleKey([u8; 32]);

impl HandleKey {
    /// The key of a session. Keep the secret per installation and the name per session.
    pub fn new(secret: &[u8], session: &str) -> HandleKey {
        let key = blake3::derive_key("enfold handle v1", secret);
        HandleKey(*blake3::keyed_hash(&key, session.as_bytes()).as_bytes())
    }

    /// The handle of an original: nine digits, which models spell in three tokens.
    pub fn handle(&self, original: &[u8]) -> Handle {
        let hash = blake3::keyed_hash(&self.0, original);
        let number = hash.as_bytes()[..8].iter().fold(0u64, |number, byte| number << 8 | u64::from(*byte));
        Handle(format!("{:09}", number % 1_000_000_000))
    }
}

impl Handle {
    /// The handle as it stands in a fold's text.
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// A handle as somebody typed it: with or without the `#`.
    pub fn parse(text: &str) -> Option<Handle> {
        let digits = text.trim().trim_start_matches('#');
        let is_handle = digits.len() == 9 && digits.bytes().all(|byte| byte.is_ascii_digit());
        is_handle.then(|| Handle(digits.to_string()))
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{}", self.0)
    }
}

impl fmt::Debug for HandleKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("HandleKey(…)")
    }
}

impl FoldKind {
    /// The word for it in reports and policies.
    pub fn name(self) -> &'static str {
        match self {
            FoldKind::Cap => "cap",
            FoldKind::Bookend => "bookend",
            FoldKind::Digest => "digest",
            FoldKind::Pointer => "pointer",
            FoldKind::Delta => "delta",
            FoldKind::Placeholder => "placeholder",
            FoldKind::Clear => "clear",
            FoldKind::Drop => "drop",
            FoldKind::Edits => "edits",
            FoldKind::Summary => "summary",
        }
    }

    /// How much of the original it leaves.
    pub fn rung(self) -> Rung {
        match self {
            FoldKind::Pointer | FoldKind::Delta => Rung::Lossless,
            FoldKind::Cap | FoldKind::Bookend | FoldKind::Digest => Rung::Digest,
            FoldKind::Placeholder | FoldKind::Clear | FoldKind::Edits | FoldKind::Summary => {
                Rung::Placeholder
            }
            FoldKind::Drop => Rung::Drop,
        }
    }
}
