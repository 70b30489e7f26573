//! A provider's whole request body in, the body to send out.
//!
//! ```text
//! body ──► Envelope::open ──► Session::sync_request ──► Session::prepare ──► Envelope::seal ──► body
//! ```
//!
//! Everything that folding does not touch leaves byte for byte: model, tools, system prompt, parameters, fields nobody
//! knows, and every message that no fold changed.

mod marks;

use std::ops::Range;

use bytestring::ByteString;

use crate::file::document::{Document, Layout};
use crate::file::{self, ReadError};
use crate::history::{Role, Slot};
use crate::json::{Edit, splice};
use crate::session::{Origin, Prepared, PushError, Session, Synced};
use crate::validate::Around;
use crate::wire::{self, Wire};
use marks::Unmarked;

/// A request body that was opened.
pub struct Envelope {
    document: Document,
    /// What stands around the messages, found once: finding it reads the whole body.
    around: Around,
    /// The system prompt, where the format keeps it beside the list.
    head: Option<Listed>,
    /// The messages that are history.
    listed: Vec<Listed>,
    /// Messages at the end that may be gone in the next request.
    tail: Vec<Listed>,
}

/// A message of the request: as it stands there, and without its cache markers.
struct Listed {
    span: Range<usize>,
    bare: Unmarked,
}

impl Envelope {
    /// Opens a request body of a wire format; of the one it looks like, if none is given.
    ///
    /// # Errors
    /// If it is no request of that format: an error with line, byte and remedy.
    pub fn open(body: impl Into<Vec<u8>>, wire: Option<&'static dyn Wire>) -> Result<Envelope, ReadError> {
        let document = match wire {
            Some(wire) => file::read_bytes_as(wire.name(), body.into())?,
            None => file::read_bytes(body.into())?,
        };
        let Layout::InPlace { spans, .. } = &document.layout else {
            return Err(ReadError::WrongShape {
                format: document.wire.title(),
                why: format!("it is a log of {}, not a request", document.format),
            });
        };
        // There is no conversation to recognise, and nothing to decide about.
        if document.history.messages().is_empty() {
            let why = "it holds no message".to_string();
            return Err(ReadError::WrongShape { format: document.wire.title(), why });
        }
        let messages = || spans.iter().zip(document.history.messages());
        let part = |(span, message): (&Range<usize>, &crate::history::Message)| Listed {
            span: span.clone(),
            bare: marks::unmark(&message.raw),
        };
        let head = messages().find(|(_, message)| message.slot == Slot::Head).map(part);
        let mut listed: Vec<Listed> =
            messages().filter(|(_, message)| message.slot == Slot::List).map(part).collect();
        let tail = listed.split_off(listed.len() - tail(&document));
        let around = document.around();
        Ok(Envelope { document, around, head, listed, tail })
    }

    /// Its format.
    pub fn wire(&self) -> &'static dyn Wire {
        self.document.wire
    }

    /// The model it names.
    pub fn model(&self) -> Option<&str> {
        self.document.model.as_deref()
    }

    /// What was read.
    pub fn document(&self) -> &Document {
        &self.document
    }

    /// What stands around its messages.
    pub fn around(&self) -> &Around {
        &self.around
    }

    /// The system prompt as a session sees it: without cache markers. Where the format keeps it beside the list.
    pub fn head(&self) -> Option<&ByteString> {
        self.head.as_ref().map(|head| &head.bare.raw)
    }

    /// The messages as a session sees them: without cache markers, and without what at the end may be gone in the next
    /// request.
    pub fn messages(&self) -> impl ExactSizeIterator<Item = &ByteString> {
        self.listed.iter().map(|part| &part.bare.raw)
    }

    /// The body to send: this one, with the messages of a view. The very same bytes where the view changes nothing. A
    /// message that no fold touches leaves as it stands in this request, whatever its spelling was before.
    pub fn seal(&self, prepared: &Prepared) -> ByteString {
        let Layout::InPlace { frame, .. } = &self.document.layout else {
            return self.document.source.clone();
        };
        let is_same = prepared.origins.len() == self.listed.len()
            && prepared.origins.iter().enumerate().all(|(nth, origin)| *origin == Origin::Same(nth));
        let mut edits = Vec::new();
        if let (Some(part), Some(head)) = (&self.head, &prepared.head)
            && !wire::is_same(&part.bare.raw, head)
        {
            edits.push(Edit { span: part.span.clone(), with: head.to_string() });
        }
        if let (Some(first), Some(last), false) = (self.listed.first(), self.listed.last(), is_same) {
            let messages = self.marked(prepared);
            let messages: Vec<&str> = messages.iter().map(|message| &**message).collect();
            let with = messages.join(frame.separator());
            edits.push(Edit { span: first.span.start..last.span.end, with });
        }
        match edits.is_empty() {
            true => self.document.source.clone(),
            false => splice(&self.document.source, edits).into(),
        }
    }

    /// The messages of a view with the markers of this request.
    fn marked(&self, prepared: &Prepared) -> Vec<ByteString> {
        let source = &self.document.source;
        let view = prepared.messages.iter().zip(prepared.origins.iter());
        let mut messages: Vec<ByteString> = Vec::with_capacity(prepared.messages.len());
        let mut is_marked: Vec<bool> = Vec::with_capacity(prepared.messages.len());
        // Where in the view each marker of the request belongs.
        let mut wanted: Vec<(usize, &ByteString)> = Vec::new();
        let mut next = 0;
        for (nth, (message, origin)) in view.enumerate() {
            let place = match origin {
                Origin::Same(place) | Origin::Changed(place) => Some(*place),
                Origin::New => None,
            };
            let part = place.and_then(|place| self.listed.get(place));
            // A marker on a message that left goes to what stands before it.
            let passed = self.listed.get(next..place.unwrap_or(next)).into_iter().flatten();
            let passed = passed.filter_map(|left| left.bare.marker.as_ref());
            wanted.extend(passed.map(|marker| (nth.saturating_sub(1), marker)));
            next = place.map_or(next, |place| place + 1);
            match (origin, part) {
                (Origin::Same(_), Some(part)) => {
                    messages.push(source.slice_ref(&source[part.span.clone()]));
                    is_marked.push(part.bare.count > 0);
                }
                (_, part) => {
                    messages.push(message.clone());
                    is_marked.push(false);
                    wanted
                        .extend(part.and_then(|part| part.bare.marker.as_ref()).map(|marker| (nth, marker)));
                }
            }
        }
        let changed = prepared.origins.iter().position(|origin| !matches!(origin, Origin::Same(_)));
        let more = changed.and_then(|at| at.checked_sub(1)).zip(self.first_marker());
        wanted.extend(more);
        let mut room = marks::MOST.saturating_sub(self.markers_around());
        room = room.saturating_sub(is_marked.iter().filter(|is_marked| **is_marked).count());
        for (nth, marker) in wanted {
            let is_free = is_marked.get(nth) == Some(&false) && room > 0;
            if let Some(message) = messages.get_mut(nth).filter(|_| is_free)
                && let Some(marked) = marks::mark(message, marker)
            {
                (*message, is_marked[nth]) = (marked, true);
                room -= 1;
            }
        }
        messages
    }

    /// The first marker among the messages: what is put in front of it may live as long, and no longer.
    fn first_marker(&self) -> Option<&ByteString> {
        self.listed.iter().chain(&self.tail).find_map(|part| part.bare.marker.as_ref())
    }

    /// Markers that stay whatever happens: on the request, its tools, its system prompt, its tail, and further ones on a
    /// message that has several.
    fn markers_around(&self) -> usize {
        let root = self.around.root().map_or(0, |root| usize::from(root.get("cache_control").is_some()));
        let tools = self.document.tools.as_deref().map_or(0, marks::count);
        let parts = self.head.iter().chain(&self.tail).map(|part| part.bare.count);
        let further = self.listed.iter().map(|part| part.bare.count.saturating_sub(1));
        root + tools + parts.sum::<usize>() + further.sum::<usize>()
    }
}

/// Messages at the end that may be gone in the next request: what a harness whispers behind the last real message. They are
/// sent as they are, and are history once something follows them.
fn tail(document: &Document) -> usize {
    let listed: Vec<Role> = document.history.listed().map(|(_, message)| message.role).collect();
    let whispers =
        listed.iter().rev().take_while(|role| matches!(role, Role::System | Role::Developer)).count();
    // A list of nothing else is a prompt.
    if whispers == listed.len() { 0 } else { whispers }
}

impl Session {
    /// Takes over a host's whole request: what stands around the messages, the system prompt, the messages. Comparing
    /// costs time in proportion to the request, everything else to what is new.
    pub fn sync_request(&mut self, envelope: &Envelope) -> Result<Synced, PushError> {
        let document = &envelope.document;
        let around = envelope.around.clone();
        let counter = self.tally().counter();
        let tail = envelope.tail.iter().map(|part| counter.count(&part.bare.raw)).sum::<usize>();
        let beside = document.count_beside(&around, counter) + tail;
        self.sync_whole(around, beside, envelope.head().cloned(), envelope.messages().cloned().collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Cache;
    use crate::folding::policy::Policy;
    use crate::view::fold::HandleKey;
    use crate::wire::Anthropic;

    fn body(steps: usize) -> String {
        let step = |nth: usize| {
            let output: String = (0..60)
                .map(|line| format!("src/file_{nth}.rs:{line}: unused value_{nth}_{line}\\n"))
                .collect();
            format!(
                r#"{{"role":"assistant","content":[{{"type":"tool_use","id":"t{nth}","name":"bash","input":{{"command":"make {nth}"}}}}]}},
   {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{nth}","content":"{output}"}}]}}"#
            )
        };
        let steps: Vec<String> = (0..steps).map(step).collect();
        let steps = if steps.is_empty() { String::new() } else { format!(",\n   {}", steps.join(",\n   ")) };
        format!(
            r#"{{ "model": "claude-sonnet-4-5", "x_own" : 1.0e2,
 "system": [ {{"type":"text","text":"Be brief."}} ],
 "messages": [{{"role":"user","content":"mend the build"}}{steps}],
 "tools": [{{"name":"bash","input_schema":{{"type":"object"}}}}], "max_tokens": 100 }}"#
        )
    }

    fn session(limit: usize) -> Session {
        Session::new(&Anthropic, Policy::named("balanced").unwrap(), limit)
            .with_handles(HandleKey::new(b"secret", "session"))
    }

    #[test]
    fn a_body_without_messages_is_none_to_decide_about() {
        for body in [r#"{"model":"claude-sonnet-4-5","messages":[]}"#, r#"{"messages":[]}"#] {
            let why = Envelope::open(body, Some(&Anthropic)).err().unwrap().to_string();
            assert!(why.ends_with("it holds no message"), "{why}");
        }
    }

    #[test]
    fn a_body_that_fits_leaves_as_it_came() {
        let body = body(3);
        let envelope = Envelope::open(body.clone(), Some(&Anthropic)).unwrap();
        let mut session = session(100_000);
        session.sync_request(&envelope).unwrap();
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!(envelope.seal(&prepared), body);
        assert_eq!(envelope.model(), Some("claude-sonnet-4-5"));
    }

    #[test]
    fn only_messages_change_and_the_next_body_goes_on_from_there() {
        let mut session = session(6_000);
        let (mut sent, mut folded) = (Vec::new(), 0);
        for steps in 0..12 {
            let envelope = Envelope::open(body(steps), None).unwrap();
            let synced = session.sync_request(&envelope).unwrap();
            assert!(matches!(synced, Synced::Grown(_)), "{synced:?}");
            let prepared = session.prepare(Cache::Warm).unwrap();
            let out = envelope.seal(&prepared);
            assert!(out.starts_with("{ \"model\": \"claude-sonnet-4-5\", \"x_own\" : 1.0e2,\n"), "{out}");
            assert!(
                out.ends_with("\"input_schema\":{\"type\":\"object\"}}], \"max_tokens\": 100 }"),
                "{out}"
            );
            let again = Envelope::open(out.to_string(), Some(&Anthropic)).unwrap();
            assert_eq!(again.document.history.messages().len(), prepared.messages.len() + 1);
            assert!(sent.iter().zip(prepared.messages.iter()).take(prepared.unchanged).all(|(a, b)| a == b));
            folded += usize::from(prepared.opened.is_some());
            sent = prepared.messages.to_vec();
        }
        assert!(folded > 0);
    }

    #[test]
    fn another_system_prompt_is_another_past() {
        let mut session = session(100_000);
        session.sync_request(&Envelope::open(body(2), None).unwrap()).unwrap();
        session.prepare(Cache::Warm).unwrap();
        let other = body(2).replace("Be brief.", "Be kind.");
        let envelope = Envelope::open(other.clone(), None).unwrap();
        assert_eq!(session.sync_request(&envelope).unwrap(), Synced::Rewritten { at: 0 });
        assert_eq!(envelope.seal(&session.prepare(Cache::Warm).unwrap()), other);
    }

    #[test]
    fn a_log_is_no_request() {
        assert!(Envelope::open("not a request", None).is_err());
    }

    const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;

    /// The same request as a client sends it that marks its system prompt and its last message.
    fn marked(steps: usize) -> String {
        let body = body(steps).replace(r#""text":"Be brief.""#, &format!(r#""text":"Be brief.",{MARK}"#));
        let (before, after) = body.rsplit_once("\"}]}],\n \"tools\"").unwrap();
        format!("{before}\",{MARK}}}]}}],\n \"tools\"{after}")
    }

    #[test]
    fn markers_that_move_on_are_no_other_past_and_stay_legal() {
        let mut session = session(6_000);
        let mut folded = 0;
        for steps in 1..12 {
            let body = marked(steps);
            let envelope = Envelope::open(body.clone(), None).unwrap();
            let synced = session.sync_request(&envelope).unwrap();
            assert!(matches!(synced, Synced::Grown(_)), "{synced:?}");
            let out = envelope.seal(&session.prepare(Cache::Warm).unwrap());
            let markers = out.matches(MARK).count();
            match out == body {
                true => assert_eq!(markers, 2),
                // One more, before what changed.
                false => assert_eq!(markers, 3, "{out}"),
            }
            let last = Envelope::open(out.to_string(), None).unwrap();
            assert!(last.listed.last().unwrap().bare.marker.is_some(), "{out}");
            folded += usize::from(out != body);
        }
        assert!(folded > 3, "{folded}");
    }

    #[test]
    fn what_is_whispered_at_the_end_is_no_history_until_something_follows() {
        let tail = |nth: usize| {
            format!(
                r#",{{"role":"system","content":[{{"type":"text","text":"{nth} left"}},{{"type":"text","text":"think first"}}]}}],"#
            )
        };
        let mut session = session(6_000);
        for steps in 1..12 {
            let whispered = body(steps).replace("],\n \"tools\"", &format!("{}\n \"tools\"", tail(steps)));
            let envelope = Envelope::open(whispered.clone(), Some(&Anthropic)).unwrap();
            let synced = session.sync_request(&envelope).unwrap();
            assert!(matches!(synced, Synced::Grown(_)), "{synced:?}");
            let out = envelope.seal(&session.prepare(Cache::Warm).unwrap());
            assert!(out.contains(&tail(steps)), "{out}");
        }
        assert!(session.epoch() > 0);
    }

    #[test]
    fn a_refusal_for_length_leads_to_a_shorter_view_that_lasts() {
        let mut session = session(100_000);
        let envelope = Envelope::open(body(12), None).unwrap();
        session.sync_request(&envelope).unwrap();
        let before = session.prepare(Cache::Warm).unwrap();
        session.overflowed();
        let after = session.prepare(Cache::Warm).unwrap();
        assert!(after.tokens <= before.tokens / 4 * 3, "{} of {}", after.tokens, before.tokens);
        assert_eq!(after.opened, Some(crate::session::EpochReason::Overflow));
        let kept = session.checkpoint().unwrap();
        let mut again = self::session(100_000);
        again.sync_request(&envelope).unwrap();
        again.reopen(&kept).unwrap();
        assert_eq!(envelope.seal(&again.prepare(Cache::Warm).unwrap()), envelope.seal(&after));
    }
}
