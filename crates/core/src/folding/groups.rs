//! Which messages may only leave a view together.

use std::collections::BTreeMap;

use crate::folding::passes::Cx;
use crate::history::{ItemKind, MessageId, Role};
use crate::view::View;

/// The messages of a view in groups that stay or leave together, oldest first: the messages of a step, with results that
/// came late; any other by itself; what the provider binds together. Where the format is strict about turns, the words a model ends with stay with the
/// user's next message: without that message the model's next calls would follow its own words.
pub fn together(view: &View, cx: &Cx) -> Vec<Vec<MessageId>> {
    let history = view.history();
    let mut groups = Groups(history.message_ids().collect());
    let mut open = Open::Nothing;
    let mut previous = None;
    for (id, message) in history.message_ids().zip(history.messages()) {
        if view.changes().is_dropped(id) {
            continue;
        }
        let items = history.items_of(id);
        let step = items.iter().find_map(|item| item.step);
        let has_results = items.iter().any(|item| matches!(item.kind, ItemKind::Result(_)));
        let joins = match open {
            Open::Nothing => false,
            Open::Step(open) => step == Some(open) || (has_results && step.is_none()),
            Open::Words => cx.wire.shape().strict_turns && message.role == Role::User && !has_results,
        };
        if let Some(previous) = previous.filter(|_| joins) {
            groups.join(previous, id);
        }
        if let Some(before) = id.previous().filter(|_| cx.bonds.is_with_previous(id)) {
            groups.join(before, id);
        }
        // A result can stand anywhere behind its call: the user spoke in between, or ids are used again.
        for pair in message.item_ids().filter_map(|item| history.pair(item)).filter(|pair| view.has(*pair)) {
            groups.join(history.item(pair).message, id);
        }
        open = match step {
            Some(step) => Open::Step(step),
            None if message.role == Role::Assistant => Open::Words,
            None => Open::Nothing,
        };
        previous = Some(id);
    }
    groups.collect(|id| !view.changes().is_dropped(id))
}

/// Which messages belong together: each points to an older one of its group, the oldest to itself.
struct Groups(Vec<MessageId>);

impl Groups {
    fn oldest(&mut self, mut id: MessageId) -> MessageId {
        while self.older(id) != id {
            // Halving the way on each walk keeps all walks together near-linear.
            self.0[id.index()] = self.older(self.older(id));
            id = self.older(id);
        }
        id
    }

    fn older(&self, id: MessageId) -> MessageId {
        self.0[id.index()]
    }

    fn join(&mut self, one: MessageId, other: MessageId) {
        let (one, other) = (self.oldest(one), self.oldest(other));
        self.0[one.max(other).index()] = one.min(other);
    }

    fn collect(mut self, is_here: impl Fn(MessageId) -> bool) -> Vec<Vec<MessageId>> {
        let mut groups: BTreeMap<MessageId, Vec<MessageId>> = BTreeMap::new();
        for id in (0..self.0.len()).map(MessageId::new).filter(|id| is_here(*id)) {
            groups.entry(self.oldest(id)).or_default().push(id);
        }
        groups.into_values().collect()
    }
}

/// What the next message may belong to.
enum Open {
    Nothing,
    Step(u32),
    Words,
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::count::{Heuristic, Tally};
    use crate::file;
    use crate::understand::facts::Facts;
    use crate::view::fold::HandleKey;

    #[track_caller]
    fn groups(format: &str, text: &str) -> Vec<Vec<usize>> {
        let document = file::read_bytes_as(format, text.as_bytes().to_vec()).unwrap();
        let tally = Tally::of(&document.history, Arc::new(Heuristic), Default::default());
        let (facts, handles) = (Facts::of(&document.history), HandleKey::new(b"key", "session"));
        let cx = Cx::new(0, &facts, &handles, document.wire);
        let groups = together(&View::new(&document.history, &tally), &cx);
        groups.iter().map(|group| group.iter().map(|id| id.index()).collect()).collect()
    }

    #[test]
    fn a_step_is_its_calls_and_all_its_results() {
        let text = "user: go\nassistant\n  call a ls {}\n  call b ls {}\nresult b: 2\nresult a: 1\nassistant: done\n";
        assert_eq!(groups("notation", text), [vec![0], vec![1, 2, 3], vec![4]]);
    }

    #[test]
    fn a_result_that_comes_after_the_user_spoke_stays_with_its_call() {
        let text = "user: go\nassistant\n  call a ls {}\nuser: wait\nresult a: 1\nassistant: done\n";
        assert_eq!(groups("notation", text), [vec![0], vec![1, 3], vec![2], vec![4]]);
    }

    #[test]
    fn steps_whose_results_crossed_stay_together() {
        let text = "assistant\n  call a ls {}\n  call a ls {}\nresult a: 1\nassistant\n  call a ls {}\nresult a: 2\n";
        assert_eq!(groups("notation", text), [vec![0, 1, 3], vec![2]]);
    }

    #[test]
    fn the_last_words_stay_with_what_the_user_says_next_where_turns_are_strict() {
        let text = r#"{"contents":[{"role":"user","parts":[{"text":"go"}]},{"role":"model","parts":[{"text":"done"}]},
            {"role":"user","parts":[{"text":"more"}]}]}"#;
        assert_eq!(groups("gemini", text), [vec![0], vec![1, 2]]);
    }
}
