//! A provider's whole request body in, the body to send out.
//!
//! ```text
//! body ──► Envelope::open ──► Session::sync_request ──► Session::prepare ──► Envelope::seal ──► body
//! ```
//!
//! Everything that folding does not touch leaves byte for byte: model, tools, system prompt, parameters, fields nobody
//! knows, and every message that no fold changed.

use bytestring::ByteString;

use crate::file::document::{Document, Layout};
use crate::file::{self, ReadError};
use crate::history::Slot;
use crate::json::{Edit, splice};
use crate::session::{Origin, Prepared, PushError, Session, Synced};
use crate::wire::Wire;

/// A request body that was opened.
pub struct Envelope {
    document: Document,
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
        match document.layout {
            Layout::InPlace { .. } => Ok(Envelope { document }),
            Layout::Extracted => Err(ReadError::WrongShape {
                format: document.wire.title(),
                why: format!("it is a log of {}, not a request", document.format),
            }),
        }
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

    /// The body to send: this one, with the messages of a view. The very same bytes where the view changes nothing.
    pub fn seal(&self, prepared: &Prepared) -> ByteString {
        let Layout::InPlace { spans, frame } = &self.document.layout else {
            return self.document.source.clone();
        };
        let all = || spans.iter().zip(self.document.history.messages());
        let listed: Vec<_> = all().filter(|(_, message)| message.slot == Slot::List).collect();
        let is_same = prepared.origins.len() == listed.len()
            && prepared.origins.iter().enumerate().all(|(nth, origin)| *origin == Origin::Same(nth));
        let mut edits = Vec::new();
        let head = all().find(|(_, message)| message.slot == Slot::Head);
        if let (Some((span, message)), Some(head)) = (head, &prepared.head)
            && message.raw != *head
        {
            edits.push(Edit { span: span.clone(), with: head.to_string() });
        }
        if let (Some((first, _)), Some((last, _)), false) = (listed.first(), listed.last(), is_same) {
            let messages: Vec<&str> = prepared.messages.iter().map(|message| &**message).collect();
            edits.push(Edit { span: first.start..last.end, with: messages.join(frame.separator()) });
        }
        if edits.is_empty() {
            self.document.source.clone()
        } else {
            splice(&self.document.source, edits).into()
        }
    }
}

impl Session {
    /// Takes over a host's whole request: what stands around the messages, the system prompt, the messages. Comparing
    /// costs time in proportion to the request, everything else to what is new.
    pub fn sync_request(&mut self, envelope: &Envelope) -> Result<Synced, PushError> {
        let document = &envelope.document;
        let messages = document.history.messages();
        let head = messages.iter().find(|message| message.slot == Slot::Head).map(|head| head.raw.clone());
        let listed = messages.iter().filter(|message| message.slot == Slot::List);
        let around = document.around();
        let beside = document.count_beside(&around, self.tally().counter());
        self.sync_whole(around, beside, head, listed.map(|message| message.raw.clone()).collect())
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
}
