//! Thinking that is signed together with everything before it: a session over many epochs, and a provider that remembers.
#![allow(clippy::unwrap_used, reason = "a test")]

use bytestring::ByteString;
use enfold::folding::policy::{POLICIES, Policy};
use enfold::validate::Around;
use enfold::view::fold::HandleKey;
use enfold::wire::Anthropic;
use enfold::{Cache, Session};
use serde_json::{Value, json};

/// A provider that signs its thinking over all that it was sent, and refuses it where that has changed.
#[derive(Default)]
struct Provider {
    /// What each signature was made over, without thinking.
    signed: Vec<Vec<Value>>,
    /// The thoughts that stood before each when it was made.
    before: Vec<Vec<usize>>,
    /// Signatures that were left out of a request: they may not come back.
    gone: Vec<bool>,
    /// Requests that had thinking left out, and such that had some.
    dropped: usize,
    kept: usize,
}

fn is_thinking(block: &Value) -> bool {
    block["type"] == "thinking"
}

fn without_thinking(message: &Value) -> Value {
    let mut message = message.clone();
    if let Some(blocks) = message["content"].as_array_mut() {
        blocks.retain(|block| !is_thinking(block));
    }
    message
}

impl Provider {
    /// Takes a request, and answers with a thought and a call.
    fn respond(&mut self, messages: &[ByteString], name: &str) -> String {
        let messages: Vec<Value> = messages.iter().map(|raw| serde_json::from_str(raw).unwrap()).collect();
        let mut stand = Vec::new();
        for (at, message) in messages.iter().enumerate() {
            let blocks = message["content"].as_array().cloned().unwrap_or_default();
            for block in blocks.iter().filter(|block| is_thinking(block)) {
                let nth: usize = block["signature"].as_str().unwrap().parse().unwrap();
                let before: Vec<Value> = messages[..at].iter().map(without_thinking).collect();
                assert_eq!(before, self.signed[nth], "{name}: bound to a different conversation");
                assert!(!self.gone[nth], "{name}: thought {nth} was put back");
                // From the start they may leave, not from the middle.
                assert!(self.before[nth].ends_with(&stand), "{name}: {stand:?} before thought {nth}");
                stand.push(nth);
            }
        }
        (self.dropped, self.kept) = (
            self.dropped + usize::from(stand.len() < self.signed.len()),
            self.kept + usize::from(!stand.is_empty()),
        );
        for (nth, gone) in self.gone.iter_mut().enumerate() {
            *gone |= !stand.contains(&nth);
        }
        let nth = self.signed.len();
        self.signed.push(messages.iter().map(without_thinking).collect());
        self.gone.push(false);
        self.before.push(stand);
        let thought = json!({"type": "thinking", "thinking": format!("thought {nth} about part {nth}"), "signature": nth.to_string()});
        let call = json!({"type": "tool_use", "id": format!("t{nth}"), "name": "bash", "input": {"command": format!("make part_{nth}")}});
        json!({"role": "assistant", "content": [thought, call]}).to_string()
    }
}

fn session(policy: &str, model: &'static str) -> Session {
    let thinking = r#"{"thinking":{"type":"adaptive"},"messages":[]}"#;
    let around = Around::of(enfold::json::Raw::parse(thinking).unwrap(), |_| false);
    Session::new(&Anthropic, Policy::named(policy).unwrap(), 3_000)
        .with_handles(HandleKey::new(b"secret", "session"))
        .with_around(around.with_model(Some(model.into())))
}

fn result(nth: usize) -> String {
    let output: String =
        (0..25).map(|line| format!("src/part_{nth}.rs:{line}: value_{nth}_{line} is unused\n")).collect();
    json!({"role": "user", "content": [{"type": "tool_result", "tool_use_id": format!("t{nth}"), "content": output}]}).to_string()
}

/// Forty requests, some with a cold cache, over several epochs.
fn goes_on(policy: &str) -> Provider {
    let mut session = session(policy, "claude-opus-5-5");
    let mut provider = Provider::default();
    session.push(r#"{"role":"user","content":"mend the build"}"#).unwrap();
    for nth in 0..40 {
        let cache = if nth % 9 == 8 { Cache::Cold } else { Cache::Warm };
        let Ok(prepared) = session.prepare(cache) else { break };
        let name = format!("{policy}, request {nth}");
        let answer = provider.respond(&prepared.messages, &name);
        session.push(answer).unwrap();
        session.push(result(nth)).unwrap();
        if nth % 11 == 10 {
            session.settle();
        }
    }
    provider
}

#[test]
fn what_was_sent_before_a_signed_thought_does_not_change_while_it_stands() {
    for (policy, _) in POLICIES {
        let provider = goes_on(policy);
        assert!(provider.kept > 0, "{policy}: thinking stands while nothing has changed");
    }
    let provider = goes_on("balanced");
    assert!(provider.kept > 5 && provider.dropped > 5, "{} and {}", provider.kept, provider.dropped);
}

#[test]
fn what_is_taken_out_opens_again_and_the_trace_says_why() {
    let mut session = session("balanced", "claude-opus-5-5");
    let mut provider = Provider::default();
    session.push(r#"{"role":"user","content":"mend the build"}"#).unwrap();
    let unbound = (0..40).find_map(|nth| {
        let prepared = session.prepare(Cache::Warm).unwrap();
        session.push(provider.respond(&prepared.messages, "balanced")).unwrap();
        session.push(result(nth)).unwrap();
        prepared.trace.passes.iter().find(|pass| pass.pass == "unbind").cloned()
    });
    let unbound = unbound.expect("an epoch changed what thinking was signed over");
    for fold in &unbound.folds {
        let opened: Vec<_> = fold.handles.iter().map(|handle| session.original(*handle).unwrap()).collect();
        assert!(opened.iter().any(|original| original.contains("\"signature\"")), "{opened:?}");
    }
}

#[test]
fn models_that_bind_nothing_keep_the_thinking_of_their_turn() {
    let mut session = session("balanced", "claude-opus-4-6");
    session.push(r#"{"role":"user","content":"mend the build"}"#).unwrap();
    let thought = |nth: usize| {
        json!({"role": "assistant", "content": [
        {"type": "thinking", "thinking": format!("thought {nth}"), "signature": nth.to_string()},
        {"type": "tool_use", "id": format!("t{nth}"), "name": "bash", "input": {}}]})
    };
    for nth in 0..30 {
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert!(prepared.trace.passes.iter().all(|pass| pass.pass != "unbind"));
        session.push(thought(nth).to_string()).unwrap();
        session.push(result(nth)).unwrap();
    }
    assert!(session.epoch() > 1);
}
