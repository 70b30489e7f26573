//! A set of messages that is mostly long stretches: what left a view.

use std::collections::BTreeMap;
use std::ops::Range;

use crate::history::MessageId;

/// Messages, kept as stretches that neither overlap nor touch. Asking costs a look at the stretches, however many messages
/// they hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct MessageSet {
    /// The end of each stretch, by its beginning.
    stretches: BTreeMap<MessageId, MessageId>,
}

impl MessageSet {
    pub(super) fn is_empty(&self) -> bool {
        self.stretches.is_empty()
    }

    pub(super) fn contains(&self, id: MessageId) -> bool {
        self.at_or_before(id).is_some_and(|stretch| stretch.contains(&id))
    }

    /// The messages, in order.
    pub(super) fn iter(&self) -> impl Iterator<Item = MessageId> + '_ {
        self.stretches.iter().flat_map(|(start, end)| MessageId::each(*start..*end))
    }

    /// The messages of a stretch that are not in the set, in order. O(those, and the stretches of the set).
    pub(super) fn others(&self, of: Range<MessageId>) -> impl Iterator<Item = MessageId> + '_ {
        let first = self.at_or_before(of.start).map_or(of.start, |stretch| stretch.end.max(of.start));
        let within = self.stretches.range(of.start..).take_while(move |(start, _)| **start < of.end);
        let starts = [first].into_iter().chain(within.clone().map(|(_, end)| *end));
        let ends = within.map(|(start, _)| *start).chain([of.end]);
        // The stretch that `of` begins in may be the first of these.
        starts.zip(ends).flat_map(|(start, end)| MessageId::each(start.min(end)..end))
    }

    /// Adds a message. False if it was there.
    pub(super) fn insert(&mut self, id: MessageId) -> bool {
        !self.contains(id) && {
            self.insert_all(id..id.next());
            true
        }
    }

    /// Adds a stretch.
    pub(super) fn insert_all(&mut self, Range { mut start, mut end }: Range<MessageId>) {
        if start >= end {
            return;
        }
        if let Some(before) = self.at_or_before(start).filter(|before| before.end >= start) {
            (start, end) = (before.start, end.max(before.end));
        }
        while let Some((&next, &its_end)) = self.stretches.range(start..=end).next_back() {
            self.stretches.remove(&next);
            end = end.max(its_end);
        }
        self.stretches.insert(start, end);
    }

    pub(super) fn remove(&mut self, id: MessageId) {
        if let Some(Range { start, end }) = self.at_or_before(id).filter(|stretch| stretch.contains(&id)) {
            self.stretches.remove(&start);
            self.insert_all(start..id);
            self.insert_all(id.next()..end);
        }
    }

    /// Forgets the messages from one on.
    pub(super) fn truncate(&mut self, from: MessageId) {
        self.stretches.split_off(&from);
        if let Some((_, end)) = self.stretches.iter_mut().next_back() {
            *end = (*end).min(from);
        }
    }

    fn at_or_before(&self, id: MessageId) -> Option<Range<MessageId>> {
        self.stretches.range(..=id).next_back().map(|(start, end)| *start..*end)
    }
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn it_holds_what_a_plain_set_holds(
            steps in prop::collection::vec((0usize..4, 0usize..24, 0usize..6), 0..40),
            of in (0usize..24, 0usize..24),
        ) {
            let (mut set, mut plain) = (MessageSet::default(), BTreeSet::new());
            for (what, at, more) in steps {
                let id = MessageId::new(at);
                match what {
                    0 => prop_assert_eq!(set.insert(id), plain.insert(id)),
                    1 => {
                        set.insert_all(id..id.plus(more));
                        plain.extend(MessageId::each(id..id.plus(more)));
                    }
                    2 => {
                        set.remove(id);
                        plain.remove(&id);
                    }
                    _ => {
                        set.truncate(id);
                        plain.split_off(&id);
                    }
                }
                prop_assert_eq!(set.iter().collect::<Vec<_>>(), plain.iter().copied().collect::<Vec<_>>());
                prop_assert_eq!(set.is_empty(), plain.is_empty());
            }
            for at in MessageId::each(MessageId::FIRST..MessageId::new(32)) {
                prop_assert_eq!(set.contains(at), plain.contains(&at));
            }
            let of = MessageId::new(of.0)..MessageId::new(of.1);
            let others: Vec<MessageId> = set.others(of.clone()).collect();
            let plain: Vec<MessageId> = MessageId::each(of).filter(|id| !plain.contains(id)).collect();
            prop_assert_eq!(others, plain);
        }
    }
}
