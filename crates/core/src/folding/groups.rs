//! Which messages may only leave a view together.

use std::ops::Range;

use crate::folding::passes::Cx;
use crate::history::{ItemKind, MessageId, Role};
use crate::view::View;

/// The messages of a view in groups that stay or leave together, oldest first: the messages of a step, with results that
/// came late; any other by itself; what the provider binds together. Where the format is strict about turns, the words a model ends with stay with the
/// user's next message: without that message the model's next calls would follow its own words.
pub fn together(view: &View, cx: &Cx) -> Vec<Vec<MessageId>> {
    together_beside(view, cx, &[])
}

/// The same of the messages outside some stretches, which [`belongs`] to nothing in them.
pub(crate) fn together_beside(view: &View, cx: &Cx, beside: &[Range<MessageId>]) -> Vec<Vec<MessageId>> {
    let history = view.history();
    let ends = beside.iter().map(|stretch| stretch.start).chain([history.next_message()]);
    let starts = [MessageId::FIRST].into_iter().chain(beside.iter().map(|stretch| stretch.end));
    let mut groups = Groups::default();
    for between in starts.zip(ends).map(|(start, end)| start..end) {
        let mut previous = None;
        for id in view.changes().kept(between) {
            groups.add(id);
            if let Some(previous) = previous.replace(id).filter(|previous| belongs(view, cx, *previous, id)) {
                groups.join(previous, id);
            }
            if let Some(before) = id.previous().filter(|_| cx.bonds.is_with_previous(id)) {
                groups.join(before, id);
            }
            // A result can stand anywhere behind its call: the user spoke in between, or ids are used again.
            let items = history.message(id).item_ids();
            for pair in items.filter_map(|item| history.pair(item)).filter(|pair| view.has(*pair)) {
                groups.join(history.item(pair).message, id);
            }
        }
    }
    groups.collect()
}

/// Whether a message belongs to the one that stands before it in the view.
pub(crate) fn belongs(view: &View, cx: &Cx, previous: MessageId, id: MessageId) -> bool {
    let history = view.history();
    let step = |id: MessageId| history.items_of(id).iter().find_map(|item| item.step);
    let has_results = || history.items_of(id).iter().any(|item| matches!(item.kind, ItemKind::Result(_)));
    match step(previous) {
        Some(open) => step(id).map_or_else(has_results, |step| step == open),
        None => {
            let says = |id: MessageId, role: Role| history.message(id).role == role;
            cx.wire.shape().strict_turns
                && says(previous, Role::Assistant)
                && says(id, Role::User)
                && !has_results()
        }
    }
}

/// Which messages belong together: each points to an older one of its group, the oldest to itself.
#[derive(Default)]
struct Groups {
    messages: Vec<MessageId>,
    /// Per message, the place of an older one.
    older: Vec<usize>,
}

impl Groups {
    /// The next message, in order.
    fn add(&mut self, id: MessageId) {
        self.older.push(self.messages.len());
        self.messages.push(id);
    }

    fn oldest(&mut self, mut place: usize) -> usize {
        while self.older[place] != place {
            // Halving the way on each walk keeps all walks together near-linear.
            self.older[place] = self.older[self.older[place]];
            place = self.older[place];
        }
        place
    }

    /// Joins two messages, if both are looked at.
    fn join(&mut self, one: MessageId, other: MessageId) {
        if let [Some(one), Some(other)] = [one, other].map(|id| self.place(id)) {
            let (one, other) = (self.oldest(one), self.oldest(other));
            self.older[one.max(other)] = one.min(other);
        }
    }

    /// Where a message stands. What is joined is mostly the newest and one shortly before it.
    fn place(&self, id: MessageId) -> Option<usize> {
        let newest = self.messages.last()?;
        let near = self.messages.len().checked_sub(1 + newest.index().checked_sub(id.index())?);
        near.filter(|place| self.messages[*place] == id).or_else(|| self.messages.binary_search(&id).ok())
    }

    fn collect(mut self) -> Vec<Vec<MessageId>> {
        let mut groups: Vec<Vec<MessageId>> = Vec::new();
        // Per message that is the oldest of a group, which group it is.
        let mut numbers = vec![0; self.messages.len()];
        for place in 0..self.messages.len() {
            let oldest = self.oldest(place);
            if oldest == place {
                numbers[place] = groups.len();
                groups.push(Vec::new());
            }
            groups[numbers[oldest]].push(self.messages[place]);
        }
        groups
    }
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
