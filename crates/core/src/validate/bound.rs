//! A20: thinking that is signed together with everything before it.
//!
//! Such a block may leave, with those before it or those behind it; while it stands, nothing before it changes. So a view is
//! compared with what was sent, message by message, without the thinking.

use xxhash_rust::xxh3::Xxh3;

use super::Request;
use super::thinking::binds_prefix;
use super::values::text;
use crate::finding::{Finding, Place, Severity};
use crate::json::{Kind, Raw};

/// What was sent, as far as later thinking is bound to it.
#[derive(Clone, Debug)]
pub struct Bound {
    head: Option<u64>,
    /// Of each message that holds more than thinking.
    messages: Vec<u64>,
    /// The thinking, in order.
    blocks: Vec<u64>,
}

impl Bound {
    /// Of a request as it was sent; `None` where the model binds nothing. Linear.
    pub fn of(wire: &str, sent: &Request) -> Option<Bound> {
        binds_prefix(wire, sent).then(|| Bound {
            head: sent.head.map(|head| mark([head.text()])),
            messages: sent.messages.iter().filter_map(|message| plain(*message)).collect(),
            blocks: sent.messages.iter().flat_map(|message| thinking(*message)).map(mark_of).collect(),
        })
    }

    /// What the provider would refuse about the thinking of a view.
    pub fn beyond(&self, view: &Request) -> Vec<Finding> {
        let mut same = self.messages.iter();
        let mut is_changed = view.head.map(|head| mark([head.text()])) != self.head;
        let mut found = Vec::new();
        let mut kept: Vec<u64> = Vec::new();
        for (number, message) in view.messages.iter().enumerate() {
            if let Some(plain) = plain(*message) {
                is_changed |= same.next().is_some_and(|sent| *sent != plain);
            }
            let blocks: Vec<u64> = thinking(*message).map(mark_of).collect();
            if is_changed && !blocks.is_empty() {
                found.push(fault(
                    number,
                    "thinking stands behind something that has changed since it was signed",
                ));
            }
            kept.extend(blocks);
        }
        if !kept.is_empty() && !self.blocks.windows(kept.len()).any(|run| run == kept) {
            found.push(fault(0, "thinking was left out between blocks that stand, or put back"));
        }
        found
    }
}

fn fault(number: usize, what: &str) -> Finding {
    let place = Place::message(number + 1).field(format!("messages.{number}"));
    Finding::new(Severity::Error, place, what)
        .rule("A20")
        .remedy("leave the thinking out, or what stands before it alone")
}

/// What a message says beside its thinking; `None` if that is all it holds.
fn plain(message: Raw) -> Option<u64> {
    let content = message.get("content").filter(|content| content.kind() == Kind::Array);
    let Some(content) = content else { return Some(mark([message.text()])) };
    let rest: Vec<&str> = content.elements().filter(|block| !is_thinking(*block)).map(Raw::text).collect();
    let role = message.get("role").map_or("", Raw::text);
    (!rest.is_empty()).then(|| mark(std::iter::once(role).chain(rest)))
}

fn thinking(message: Raw) -> impl Iterator<Item = Raw> {
    let blocks = message.get("content").into_iter().flat_map(Raw::elements);
    blocks.filter(|block| is_thinking(*block))
}

fn is_thinking(block: Raw) -> bool {
    matches!(text(block.get("type")).as_deref(), Some("thinking" | "redacted_thinking"))
}

fn mark_of(block: Raw) -> u64 {
    mark([block.text()])
}

fn mark<'a>(texts: impl IntoIterator<Item = &'a str>) -> u64 {
    let mut hasher = Xxh3::new();
    for text in texts {
        // Its length first: two texts are not one.
        hasher.update(&(text.len() as u64).to_le_bytes());
        hasher.update(text.as_bytes());
    }
    hasher.digest()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request(model: &str, messages: &[&str]) -> String {
        format!(r#"{{"model":"{model}","messages":[{}]}}"#, messages.join(","))
    }

    #[track_caller]
    fn faults(before: &[&str], after: &[&str]) -> usize {
        let [before, after] = [before, after].map(|messages| request("claude-opus-5-5", messages));
        let [before, after] =
            [&before, &after].map(|text| Request::of("anthropic", Raw::parse(text).unwrap()));
        Bound::of("anthropic", &before).unwrap().beyond(&after).len()
    }

    const ASKS: &str = r#"{"role":"user","content":"go"}"#;
    const OTHER: &str = r#"{"role":"user","content":"no"}"#;
    const ONE: &str = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"a","signature":"1"},{"type":"text","text":"A"}]}"#;
    const TWO: &str = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"b","signature":"2"},{"type":"text","text":"B"}]}"#;
    const THREE: &str = r#"{"role":"assistant","content":[{"type":"thinking","thinking":"c","signature":"3"},{"type":"text","text":"C"}]}"#;
    const BARE_ONE: &str = r#"{"role":"assistant","content":[{"type":"text","text":"A"}]}"#;
    const BARE_TWO: &str = r#"{"role":"assistant","content":[{"type":"text","text":"B"}]}"#;
    const BARE_THREE: &str = r#"{"role":"assistant","content":[{"type":"text","text":"C"}]}"#;

    #[test]
    fn thinking_may_leave_from_either_end_and_nothing_before_it_may_change() {
        let whole = [ASKS, ONE, ASKS, TWO, ASKS, THREE];
        assert_eq!(faults(&whole, &whole), 0);
        assert_eq!(faults(&whole, &[ASKS, BARE_ONE, ASKS, TWO, ASKS, THREE]), 0, "from the start");
        assert_eq!(faults(&whole, &[ASKS, ONE, ASKS, TWO, ASKS, BARE_THREE]), 0, "from the end");
        assert_eq!(faults(&whole, &[ASKS, ONE, ASKS, BARE_TWO, ASKS, THREE]), 1, "from the middle");
        assert_eq!(faults(&whole, &[OTHER, ONE, ASKS, TWO, ASKS, THREE]), 3, "before all of them");
        assert_eq!(faults(&whole, &[ASKS, ONE, OTHER, TWO, ASKS, BARE_THREE]), 1, "before one of them");
        assert_eq!(faults(&whole, &[ASKS, ONE, OTHER, BARE_TWO, ASKS, BARE_THREE]), 0, "behind what stands");
        assert_eq!(faults(&whole, &[OTHER, BARE_ONE, ASKS, BARE_TWO]), 0, "all of it left");
        assert_eq!(faults(&[ASKS, BARE_ONE], &[ASKS, ONE]), 1, "put back");
        assert_eq!(faults(&whole, &[&whole[..], &[ASKS]].concat()), 0, "more may follow");
    }

    #[test]
    fn other_models_and_requests_that_let_blocks_be_dropped_bind_nothing() {
        let bound = |text: &str| Bound::of("anthropic", &Request::of("anthropic", Raw::parse(text).unwrap()));
        assert!(bound(&request("claude-opus-4-6", &[ASKS])).is_none());
        assert!(bound(&request("claude-haiku-5-5", &[ASKS])).is_none());
        assert!(bound(&request("claude-fable-5-1", &[ASKS])).is_some());
        let dropped = r#"{"model":"claude-fable-5-1","thinking":{"type":"adaptive","block_binding":{"prefix_mismatch_behavior":"drop_block"}},"messages":[]}"#;
        assert!(bound(dropped).is_none());
    }
}
