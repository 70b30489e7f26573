//! Texts of others inside frames of ours: what looks like a part of the frame is made to look like what it is.

use std::borrow::Cow;
use std::sync::LazyLock;

use regex::Regex;

/// The tags that the frames are made of.
static TAGS: LazyLock<Regex> = LazyLock::new(|| {
    let tags = r"(?i)<([ \t]*/?[ \t]*(?:enfold-|transcript|previous-summary|original-task|changed-files))";
    Regex::new(tags).expect("a constant that tests compile")
});

/// The heads of messages in a transcript: `[12] USER`.
static HEADS: LazyLock<Regex> =
    LazyLock::new(|| Regex::new(r"(?m)^([ \t]*)(\[\d+\] [A-Z])").expect("a constant that tests compile"));

/// The text with a backslash in each tag of ours: `<\enfold-summary`. Doing it twice changes nothing more.
pub(super) fn tags(text: &str) -> Cow<'_, str> {
    TAGS.replace_all(text, r"<\$1")
}

/// The same, and a backslash before each line that looks like the head of a message.
pub(super) fn quoted(text: &str) -> String {
    HEADS.replace_all(&tags(text), r"$1\$2").into_owned()
}
