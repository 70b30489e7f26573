//! Folds: reductions of a view, each with a reason and a way back.

use std::fmt;
use std::ops::Range;

use serde::Serialize;

use crate::history::History;
use crate::history::{ItemId, MessageId};
use crate::view::changes::Inserted;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
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
    /// A line instead of a step: what was done and how it ended.
    Told,
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

impl Rung {
    /// The word for it in reports.
    pub fn name(self) -> &'static str {
        match self {
            Rung::Lossless => "lossless",
            Rung::Digest => "digest",
            Rung::Placeholder => "placeholder",
            Rung::Drop => "drop",
        }
    }
}

/// What a fold changes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Change {
    /// Other texts for an item: which of its texts, and what stands there instead.
    Texts {
        /// The item.
        item: ItemId,
        /// Its changed texts.
        texts: Vec<(usize, String)>,
    },
    /// Other texts for several items that only make sense together: made whole or not at all.
    Several(Vec<(ItemId, Vec<(usize, String)>)>),
    /// Another text for an item, which says that its lines stand in other items.
    Refers {
        /// The item.
        item: ItemId,
        /// What stands there instead of its first text.
        text: String,
        /// The items it names.
        to: Vec<ItemId>,
        /// What stands there once one of these is folded too: the same without the claim.
        otherwise: String,
    },
    /// Items leave their messages.
    Items(Vec<ItemId>),
    /// Whole messages leave; a note may stand at the end of a neighbouring text to say so.
    Messages {
        /// The messages.
        messages: Vec<MessageId>,
        /// What says so.
        note: Option<Note>,
    },
    /// Whole messages leave, also such as have left before, and one message stands for them all.
    Summary {
        /// The messages, in runs that each can be opened by itself.
        runs: Vec<Vec<MessageId>>,
        /// What stands for them, and where.
        inserted: Inserted,
    },
}

/// A line at the end of a text that says what is missing next to it. [`crate::folding::notes`] finds the place.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Note {
    /// The item it stands in.
    pub item: ItemId,
    /// Which of its texts.
    pub nth: usize,
    /// The line.
    pub text: String,
}

impl Note {
    /// A text with the note at its end.
    pub(crate) fn after(&self, text: &str) -> String {
        format!("{}\n{}", text.trim_end_matches('\n'), self.text)
    }
}

/// Short id of an original, scoped to its session: nine digits, which models spell in three tokens. Nine more make
/// the name of the file where originals are written to files.
#[derive(Clone, Copy, Debug)]
pub struct Handle {
    short: u32,
    more: u32,
}

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

    /// The key of a session where nobody keeps a secret: whoever knows a text can tell its handle. So handles of a file open
    /// from the file on any machine; where strangers may ask for handles, take a secret.
    pub fn guessable(session: &str) -> HandleKey {
        HandleKey::new(HandleKey::NO_SECRET, session)
    }

    /// What stands for a secret where there is none.
    pub const NO_SECRET: &[u8] = b"enfold";

    /// The handle of an original.
    pub fn handle(&self, original: &[u8]) -> Handle {
        Handle::of(&blake3::keyed_hash(&self.0, original))
    }

    /// The handle of whole messages as they stand, a line each.
    pub fn handle_of_messages(&self, history: &History, messages: &[MessageId]) -> Handle {
        let mut lines = self.lines();
        messages.iter().for_each(|message| lines.push(history.original(*message).as_bytes()));
        lines.handle()
    }

    /// For an original that comes line by line.
    pub(crate) fn lines(&self) -> LinesHash {
        LinesHash { hasher: blake3::Hasher::new_keyed(&self.0) }
    }
}

/// The hash of an original that grows line by line.
#[derive(Clone)]
pub(crate) struct LinesHash {
    hasher: blake3::Hasher,
}

impl LinesHash {
    pub(crate) fn push(&mut self, line: &[u8]) {
        if self.hasher.count() > 0 {
            self.hasher.update(b"\n");
        }
        self.hasher.update(line);
    }

    /// The messages of a stretch as they stand.
    pub(crate) fn push_all(&mut self, history: &History, messages: Range<MessageId>) {
        MessageId::each(messages).for_each(|message| self.push(history.original(message).as_bytes()));
    }

    /// The handle of what was pushed so far.
    pub(crate) fn handle(&self) -> Handle {
        Handle::of(&self.hasher.finalize())
    }
}

impl Handle {
    fn of(hash: &blake3::Hash) -> Handle {
        let digits = |from: usize| {
            let bytes = hash.as_bytes()[from..from + 8].iter();
            (bytes.fold(0u64, |number, byte| number << 8 | u64::from(*byte)) % DIGITS) as u32
        };
        Handle { short: digits(0), more: digits(8) }
    }
}

/// Nine decimal digits.
const DIGITS: u64 = 1_000_000_000;

impl Handle {
    /// A handle as somebody typed it: with or without the `#`, or the name of its file.
    pub fn parse(text: &str) -> Option<Handle> {
        let digits = text.trim().trim_start_matches('#');
        let is_handle = matches!(digits.len(), 9 | 18) && digits.bytes().all(|byte| byte.is_ascii_digit());
        let number = |text: &str| text.parse::<u32>().ok();
        let more = digits.get(9..).filter(|more| !more.is_empty());
        is_handle.then_some(())?;
        Some(Handle { short: number(digits.get(..9)?)?, more: more.map_or(Some(0), number)? })
    }

    /// The nine digits, as they stand in a fold's text.
    pub fn digits(self) -> String {
        format!("{:09}", self.short)
    }

    /// The name of the file that holds the original: eighteen digits that begin with the handle's own nine.
    pub fn file_name(self) -> String {
        format!("{:09}{:09}", self.short, self.more)
    }
}

/// The nine digits are the handle: whoever opens an original has no more than these.
impl PartialEq for Handle {
    fn eq(&self, other: &Handle) -> bool {
        self.short == other.short
    }
}

impl Eq for Handle {}

impl PartialOrd for Handle {
    fn partial_cmp(&self, other: &Handle) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}

impl Ord for Handle {
    fn cmp(&self, other: &Handle) -> std::cmp::Ordering {
        self.short.cmp(&other.short)
    }
}

impl fmt::Display for Handle {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "#{:09}", self.short)
    }
}

/// As it stands in a view: `#482913077`.
impl Serialize for Handle {
    fn serialize<S: serde::Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
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
            FoldKind::Told => "told",
        }
    }

    /// How much of the original it leaves.
    pub fn rung(self) -> Rung {
        match self {
            FoldKind::Pointer | FoldKind::Delta => Rung::Lossless,
            FoldKind::Cap | FoldKind::Bookend | FoldKind::Digest => Rung::Digest,
            FoldKind::Placeholder
            | FoldKind::Clear
            | FoldKind::Edits
            | FoldKind::Summary
            | FoldKind::Told => Rung::Placeholder,
            FoldKind::Drop => Rung::Drop,
        }
    }
}

impl Change {
    /// The messages that leave whole.
    pub fn messages(&self) -> impl Iterator<Item = MessageId> + Clone + '_ {
        let (messages, runs): (&[MessageId], &[Vec<MessageId>]) = match self {
            Change::Messages { messages, .. } => (messages, &[]),
            Change::Summary { runs, .. } => (&[], runs),
            _ => (&[], &[]),
        };
        messages.iter().chain(runs.iter().flatten()).copied()
    }

    /// The runs of messages that one message stands for.
    pub(crate) fn runs(&self) -> impl Iterator<Item = &[MessageId]> {
        let runs: &[Vec<MessageId>] = match self {
            Change::Summary { runs, .. } => runs,
            _ => &[],
        };
        runs.iter().map(Vec::as_slice)
    }

    /// Whole messages leave without a note.
    pub fn drop(messages: Vec<MessageId>) -> Change {
        Change::Messages { messages, note: None }
    }

    /// The items it hides or changes, in order. Messages that are not in the history add none, and a note changes nothing.
    pub fn items(&self, history: &History) -> Vec<ItemId> {
        match self {
            Change::Texts { item, .. } | Change::Refers { item, .. } => vec![*item],
            Change::Several(all) => all.iter().map(|(item, _)| *item).collect(),
            Change::Items(items) => items.clone(),
            Change::Messages { .. } | Change::Summary { .. } => {
                let mut messages: Vec<MessageId> = self.messages().collect();
                messages.sort_unstable();
                messages.dedup();
                let known = messages.into_iter().filter_map(|id| history.get_message(id));
                known.flat_map(|message| message.item_ids()).collect()
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_handle_is_read_as_it_is_shown_and_as_its_file_is_named() {
        let handle = HandleKey::new(b"secret", "session").handle(b"original");
        assert_eq!(Handle::parse(&handle.to_string()), Some(handle));
        assert_eq!(Handle::parse(&handle.digits()), Some(handle));
        assert_eq!(Handle::parse(&handle.file_name()).map(Handle::file_name), Some(handle.file_name()));
        assert!(handle.file_name().starts_with(&handle.digits()));
        for wrong in ["", "#", "12345678", "1234567890", "12345678x", "+12345678", "１２３"] {
            assert_eq!(Handle::parse(wrong), None, "{wrong}");
        }
    }

    #[test]
    fn another_session_has_other_handles() {
        let [one, two] = ["one", "two"].map(|session| HandleKey::new(b"secret", session).handle(b"text"));
        assert_ne!(one, two);
    }
}
