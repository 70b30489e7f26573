//! What readers of transcripts share: the entries of a log, and the session that is put together from them.

use std::collections::{BTreeMap, HashMap, VecDeque};

use bytestring::ByteString;

use super::Extract;
use crate::count::Usage;
use crate::finding::{Finding, Place, Severity};
use crate::json::{Kind, ObjectWriter, Raw};
use crate::source::{Body, Source};
use crate::wire::Wire;

/// One entry of a log: a line of JSON lines, or an element of an array.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry<'a> {
    /// The entry.
    pub(super) raw: Raw<'a>,
    /// Its line in the source, or else its number in the array.
    pub(super) number: usize,
    is_line: bool,
}

impl Entry<'_> {
    pub(super) fn place(&self) -> Place {
        if self.is_line {
            Place::line(self.number)
        } else {
            Place::default().field(format!("entry {}", self.number))
        }
    }
}

/// The entries of a source; a single object is its only entry (a log of one line looks like that).
pub(super) fn entries(source: &Source) -> Box<dyn Iterator<Item = Entry<'_>> + '_> {
    match &source.body {
        Body::Lines(lines) => Box::new(lines.iter().map(|line| Entry {
            raw: source.raw(line.span.clone()),
            number: line.number,
            is_line: true,
        })),
        Body::Value(span) => {
            let root = source.raw(span.clone());
            match root.kind() {
                Kind::Array => Box::new(elements(root)),
                _ => Box::new(std::iter::once(Entry { raw: root, number: 1, is_line: true })),
            }
        }
    }
}

/// The elements of an array as entries.
pub(super) fn elements(array: Raw<'_>) -> impl Iterator<Item = Entry<'_>> {
    array.elements().enumerate().map(|(nth, raw)| Entry { raw, number: nth + 1, is_line: false })
}

/// The one object a source is, if it is one.
pub(super) fn root_object(source: &Source) -> Option<Raw<'_>> {
    match &source.body {
        Body::Value(span) => Some(source.raw(span.clone())).filter(|root| root.kind() == Kind::Object),
        Body::Lines(_) => None,
    }
}

/// An object without some of its members; the others are copied.
pub(super) fn without(raw: Raw, keys: &[&str]) -> String {
    let kept = raw.members().filter(|(key, _)| !keys.contains(&&**key));
    kept.fold(ObjectWriter::new(), |out, (key, value)| out.raw(&key, value)).finish()
}

/// A session while it is being put together.
#[derive(Default)]
pub(super) struct Builder {
    /// The system prompt, for wire formats that keep it beside the list.
    pub(super) head: Option<ByteString>,
    /// Tool definitions.
    pub(super) tools: Option<ByteString>,
    /// The last model named.
    pub(super) model: Option<ByteString>,
    /// When what comes next happened, in seconds since 1970, where the log says so.
    pub(super) clock: Option<u64>,
    /// Whether the provider was asked to keep prompts for the longer of two lifetimes.
    pub(super) is_kept_long: bool,
    pieces: Vec<Piece>,
    findings: Vec<Finding>,
    passed: BTreeMap<String, Passed>,
    empty: usize,
}

/// One message, or the part of one that holds results.
#[derive(Clone, Debug, Default)]
pub(super) struct Piece {
    /// A whole message; for results the blocks in it, where the wire format gathers them in one message.
    pub(super) text: ByteString,
    /// Blocks that follow the results in their message.
    pub(super) trailing: Option<String>,
    /// Ids of the calls it makes.
    pub(super) calls: Vec<String>,
    /// Ids of the calls it answers.
    pub(super) answers: Vec<String>,
    /// Whether it stands for what came before.
    pub(super) is_summary: bool,
    /// What the provider reported about this response.
    pub(super) usage: Option<Usage>,
    /// When it happened.
    pub(super) time: Option<u64>,
}

struct Passed {
    times: usize,
    first: Place,
}

/// How a wire format carries the results of one step.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Results {
    /// Each in a message of its own.
    Apart,
    /// All in one user message, under this key.
    Together(&'static str),
}

impl Piece {
    /// A message that neither calls nor answers.
    pub(super) fn said(text: impl Into<ByteString>) -> Piece {
        Piece { text: text.into(), ..Piece::default() }
    }

    /// The answer to one call.
    pub(super) fn answer(text: impl Into<ByteString>, call: impl Into<String>) -> Piece {
        Piece { text: text.into(), answers: vec![call.into()], ..Piece::default() }
    }

    /// A message that stands for what came before it.
    pub(super) fn summary(text: impl Into<ByteString>) -> Piece {
        Piece { text: text.into(), is_summary: true, ..Piece::default() }
    }
}

impl Builder {
    /// Adds what comes next in the log.
    pub(super) fn push(&mut self, piece: Piece) {
        self.pieces.push(Piece { time: piece.time.or(self.clock), ..piece });
    }

    /// Number of pieces so far.
    pub(super) fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Takes back everything after the first `len` pieces.
    pub(super) fn truncate(&mut self, len: usize) {
        self.pieces.truncate(len);
    }

    /// Reports what the provider said about the response that starts at a piece.
    pub(super) fn report(&mut self, piece: usize, usage: Usage) {
        if let Some(piece) = self.pieces.get_mut(piece) {
            piece.usage = Some(usage);
        }
    }

    /// Says something worth knowing about the whole log.
    pub(super) fn note(&mut self, what: impl Into<String>) {
        self.findings.push(Finding::new(Severity::Note, Place::default(), what));
    }

    /// Says how often something was noticed, unless never.
    pub(super) fn count(&mut self, count: usize, what: &str) {
        if count > 0 {
            self.note(format!("{what}: {count}"));
        }
    }

    /// Says that something is not as the format has it.
    pub(super) fn warn(&mut self, place: Place, what: impl Into<String>) {
        self.findings.push(Finding::new(Severity::Warning, place, what));
    }

    /// Counts a response that was stopped before it said anything. No provider takes it back, so agents leave it out.
    pub(super) fn leave_out_empty(&mut self) {
        self.empty += 1;
    }

    /// Counts an entry of a kind this reader does not know; each kind becomes one note, however often it occurs.
    pub(super) fn pass_over(&mut self, kind: impl Into<String>, place: Place) {
        let passed = self.passed.entry(kind.into()).or_insert(Passed { times: 0, first: place });
        passed.times += 1;
    }

    /// The session, every result directly behind the message that asked for it.
    pub(super) fn finish(mut self, wire: &'static dyn Wire, results: Results) -> Extract {
        self.count(self.empty, "responses that say nothing (stopped, or only thinking), left out");
        for (kind, passed) in std::mem::take(&mut self.passed) {
            let what = match passed.times {
                1 => format!("one entry of unknown kind `{kind}` was passed over"),
                times => format!("{times} entries of unknown kind `{kind}` were passed over, first here"),
            };
            self.findings.push(Finding::new(Severity::Note, passed.first, what));
        }
        let mut extract = Extract {
            wire,
            head: self.head,
            messages: Vec::new(),
            summaries: Vec::new(),
            tools: self.tools,
            model: self.model,
            usage: Vec::new(),
            times: Vec::new(),
            is_kept_long: self.is_kept_long,
            findings: self.findings,
        };
        for group in behind_their_calls(self.pieces) {
            emit(group, results, &mut extract);
        }
        extract
    }
}

fn emit(group: Vec<Piece>, results: Results, extract: &mut Extract) {
    match (results, group.first()) {
        (Results::Together(key), Some(first)) if !first.answers.is_empty() => {
            let texts = group.iter().map(|piece| &*piece.text);
            let trailing = group.iter().filter_map(|piece| piece.trailing.as_deref());
            let message = ObjectWriter::new().string("role", "user").array(key, texts.chain(trailing));
            let newest = group.iter().filter_map(|piece| piece.time).max();
            extract.times.extend(newest.map(|time| (extract.messages.len(), time)));
            extract.messages.push(message.finish().into());
        }
        _ => {
            for piece in group {
                let at = extract.messages.len();
                if piece.is_summary {
                    extract.summaries.push(at);
                }
                extract.times.extend(piece.time.map(|time| (at, time)));
                extract.usage.extend(piece.usage.map(|usage| Usage { messages: at, ..usage }));
                extract.messages.push(piece.text);
            }
        }
    }
}

/// Orders pieces so that results follow their calls, in the order of the calls, and groups results of one step. Logs
/// write results when they arrive, which may be after the user's next message. Linear in the number of pieces.
fn behind_their_calls(pieces: Vec<Piece>) -> Vec<Vec<Piece>> {
    let mut waiting: HashMap<&str, VecDeque<usize>> = HashMap::new();
    for (nth, piece) in pieces.iter().enumerate() {
        for call in &piece.answers {
            waiting.entry(call).or_default().push_back(nth);
        }
    }
    // Who calls for which results; a result whose call is nowhere stays where it is.
    let mut claimed = vec![false; pieces.len()];
    let mut results_of: Vec<Vec<usize>> = vec![Vec::new(); pieces.len()];
    for (nth, piece) in pieces.iter().enumerate() {
        for call in &piece.calls {
            let result = waiting.get_mut(call.as_str()).and_then(VecDeque::pop_front);
            if let Some(result) = result.filter(|result| *result != nth && !claimed[*result]) {
                claimed[result] = true;
                results_of[nth].push(result);
            }
        }
    }
    let mut pieces: Vec<Option<Piece>> = pieces.into_iter().map(Some).collect();
    let mut groups: Vec<Vec<Piece>> = Vec::new();
    for nth in 0..pieces.len() {
        if claimed[nth] {
            continue;
        }
        let Some(piece) = pieces[nth].take() else { continue };
        groups.push(vec![piece]);
        let results: Vec<Piece> =
            results_of[nth].iter().filter_map(|result| pieces[*result].take()).collect();
        if !results.is_empty() {
            groups.push(results);
        }
    }
    groups
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::wire::OpenAiChat;

    fn calls(text: &str, calls: &[&str]) -> Piece {
        Piece { calls: calls.iter().map(|id| id.to_string()).collect(), ..Piece::said(text.to_string()) }
    }

    fn texts(pieces: Vec<Piece>, results: Results) -> Vec<String> {
        let mut session = Builder::default();
        pieces.into_iter().for_each(|piece| session.push(piece));
        session.finish(&OpenAiChat, results).messages.iter().map(|text| text.to_string()).collect()
    }

    #[test]
    fn results_come_directly_behind_their_calls_in_call_order() {
        let log = vec![
            calls("call a b", &["a", "b"]),
            Piece::said("user"),
            Piece::answer("b!", "b"),
            Piece::answer("a!", "a"),
        ];
        assert_eq!(texts(log.clone(), Results::Apart), ["call a b", "a!", "b!", "user"]);
        let together = texts(log, Results::Together("content"));
        assert_eq!(together, ["call a b", r#"{"role":"user","content":[a!,b!]}"#, "user"]);
    }

    #[test]
    fn each_of_two_calls_with_one_id_gets_a_result_and_an_orphan_stays() {
        let log = vec![
            Piece::answer("lost", "x"),
            calls("first", &["a"]),
            calls("second", &["a"]),
            Piece::answer("1", "a"),
            Piece::answer("2", "a"),
        ];
        assert_eq!(texts(log, Results::Apart), ["lost", "first", "1", "second", "2"]);
    }

    #[test]
    fn what_follows_the_results_in_their_message_stays_behind_all_of_them() {
        let mut a = Piece::answer("a!", "a");
        a.trailing = Some("note".into());
        let log = vec![calls("call", &["a", "b"]), a, Piece::answer("b!", "b")];
        assert_eq!(
            texts(log, Results::Together("content")),
            ["call", r#"{"role":"user","content":[a!,b!,note]}"#]
        );
    }

    #[test]
    fn a_kind_passed_over_is_named_once() {
        let mut session = Builder::default();
        session.pass_over("tick", Place::line(3));
        session.pass_over("tick", Place::line(4));
        let extract = session.finish(&OpenAiChat, Results::Apart);
        let said: Vec<String> = extract.findings.iter().map(Finding::to_string).collect();
        assert_eq!(said, ["note (line 3): 2 entries of unknown kind `tick` were passed over, first here"]);
    }

    #[test]
    fn usage_counts_the_messages_before_the_response() {
        let mut session = Builder::default();
        session.push(calls("call", &["a"]));
        session.push(Piece::said("user"));
        session.push(Piece::answer("a!", "a"));
        session
            .push(Piece { usage: Some(Usage { input: 7, ..Usage::default() }), ..Piece::said("assistant") });
        let extract = session.finish(&OpenAiChat, Results::Apart);
        assert_eq!(extract.usage, [Usage { messages: 3, input: 7, ..Usage::default() }]);
    }
}
