//! tau-bench results: a list of `{task_id, reward, traj, …}`, `traj` being OpenAI Chat messages.
//!
//! A single record needs no reader of its own: it is a request with a list under another name.

use super::builder::{Builder, Piece, Results, elements, entries};
use super::{Extract, Sample, Transcript};
use crate::json::Kind;
use crate::source::{ReadError, Source};
use crate::wire::OpenAiChat;

/// tau-bench results.
#[derive(Clone, Copy, Debug)]
pub struct TauBench;

impl Transcript for TauBench {
    fn name(&self) -> &'static str {
        "tau-bench"
    }

    fn title(&self) -> &'static str {
        "tau-bench results"
    }

    fn detect(&self, sample: &Sample) -> bool {
        let is_list = |list: Option<crate::json::Raw>| list.is_some_and(|list| list.kind() == Kind::Array);
        let first = sample.entries.first().filter(|_| sample.root().is_none());
        first.is_some_and(|record| record.has("task_id") && is_list(record.get("traj")))
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut session = Builder::default();
        let mut records = entries(source).filter_map(|record| record.raw.get("traj"));
        for message in records.next().into_iter().flat_map(elements) {
            session.push(Piece::said(source.cut(message.raw.text())));
        }
        let others = records.count();
        session.count(others, "other sessions in the file, not read");
        Ok(session.finish(&OpenAiChat, Results::Apart))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_of_several_sessions_is_read() {
        let text =
            r#"[{"task_id":1,"reward":1.0,"traj":[{"role":"user","content":"a"}]},{"task_id":2,"traj":[]}]"#;
        let source = Source::from_bytes(text.as_bytes().to_vec()).unwrap();
        assert!(TauBench.detect(&Sample::of(&source)));
        let read = TauBench.read(&source).unwrap();
        assert_eq!(read.messages, [r#"{"role":"user","content":"a"}"#]);
        assert_eq!(read.findings[0].to_string(), "note: other sessions in the file, not read: 1");
    }

    #[test]
    fn a_single_record_is_left_to_the_wire_format() {
        let source = Source::from_bytes(br#"{"task_id":1,"traj":[]}"#.to_vec()).unwrap();
        assert!(!TauBench.detect(&Sample::of(&source)));
    }
}
