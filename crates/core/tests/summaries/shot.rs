//! A prepared request that outlives its session's next move.

use bytestring::ByteString;
use enfold::session::{EpochReason, Prepared};
use enfold::summary::{Question, Summary, find};
use enfold::view::original::Originals;

/// What a session wanted to be sent.
#[derive(Clone, Debug)]
pub struct Shot {
    pub head: Option<ByteString>,
    pub messages: Vec<ByteString>,
    pub unchanged: usize,
    pub tokens: usize,
    pub epoch: u32,
    pub opened: Option<EpochReason>,
    pub originals: Originals,
    pub summary: Option<Summary>,
    pub question: Option<Question>,
}

impl Shot {
    pub fn of(prepared: Prepared) -> Shot {
        Shot {
            head: prepared.head,
            messages: prepared.messages.to_vec(),
            unchanged: prepared.unchanged,
            tokens: prepared.tokens,
            epoch: prepared.epoch,
            opened: prepared.opened,
            originals: prepared.originals,
            summary: prepared.summary,
            question: prepared.question,
        }
    }

    /// The text of its summary.
    pub fn block(&self) -> Option<String> {
        let mut blocks = self.messages.iter().filter_map(block);
        let first = blocks.next();
        assert!(blocks.next().is_none(), "one summary at most");
        first
    }
}

/// The text of a message, if it is a summary.
fn block(raw: &ByteString) -> Option<String> {
    if !raw.contains("<enfold-summary round=") {
        return None;
    }
    let value: serde_json::Value = serde_json::from_str(raw).unwrap();
    let texts = [&value["content"], &value["content"][0]["text"], &value["parts"][0]["text"]];
    let text = texts.into_iter().find_map(|text| text.as_str())?;
    (text.starts_with("<enfold-summary ") && find(text).is_some()).then(|| text.to_string())
}
