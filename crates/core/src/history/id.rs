//! Ids: the numbers of items and messages, each of its own type, so that the one cannot stand where the other is meant.

use std::fmt;
use std::iter::Map;
use std::num::NonZeroU32;
use std::ops::Range;

use serde::{Deserialize, Serialize};

/// Ids one after the other.
pub type Ids<Id> = Map<Range<usize>, fn(usize) -> Id>;

/// Both ids are the same but for their names: whatever one of them can do, the other can.
///
/// The number is kept plus one, so that `Option` of an id takes no more room than the id. No history comes near the
/// bound: files are refused long before, at a million messages. An index beyond it becomes the highest id, which no item
/// and no message has, so that it is looked for and not found.
macro_rules! id {
    ($(#[$about:meta])* $name:ident) => {
        $(#[$about])*
        #[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
        #[serde(from = "usize", into = "usize")]
        pub struct $name(NonZeroU32);

        impl $name {
            /// The id of what stands first.
            pub const FIRST: $name = $name::new(0);

            /// All there can be.
            pub const ALL: Range<$name> = $name::FIRST..$name::new(usize::MAX);

            /// The id of what stands at this index.
            pub const fn new(index: usize) -> $name {
                let index = if index < u32::MAX as usize { index as u32 } else { u32::MAX };
                $name(NonZeroU32::MIN.saturating_add(index))
            }

            /// Where it stands, counted from 0.
            pub const fn index(self) -> usize {
                self.0.get() as usize - 1
            }

            /// Where it stands, counted from 1, as people count.
            pub const fn number(self) -> usize {
                self.0.get() as usize
            }

            /// The id of what follows.
            pub const fn next(self) -> $name {
                self.plus(1)
            }

            /// The id of what stands so much further on.
            pub const fn plus(self, more: usize) -> $name {
                $name::new(self.index().saturating_add(more))
            }

            /// The id of what stands before, if anything does.
            pub fn previous(self) -> Option<$name> {
                self.index().checked_sub(1).map($name::new)
            }

            /// The ids of a range, in order.
            pub fn each(ids: Range<$name>) -> Ids<$name> {
                (ids.start.index()..ids.end.index()).map($name::new as fn(usize) -> $name)
            }
        }

        /// The first one.
        impl Default for $name {
            fn default() -> $name {
                $name::FIRST
            }
        }

        impl From<usize> for $name {
            fn from(index: usize) -> $name {
                $name::new(index)
            }
        }

        impl From<$name> for usize {
            fn from(id: $name) -> usize {
                id.index()
            }
        }

        /// The plain index.
        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Display::fmt(&self.index(), f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                fmt::Debug::fmt(&self.index(), f)
            }
        }
    };
}

id! {
    /// Index of an item in its history. Stable: histories only grow.
    ItemId
}

id! {
    /// Index of a message in its history. Stable: histories only grow.
    MessageId
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_written_and_read_as_its_plain_index() {
        let id = ItemId::new(7);
        assert_eq!(format!("{id} {id:?} {id:>3}"), "7 7   7");
        assert_eq!(serde_json::to_string(&[id]).unwrap(), "[7]");
        assert_eq!(serde_json::from_str::<ItemId>("7").unwrap(), id);
    }

    #[test]
    fn indices_beyond_all_bounds_become_the_highest_id() {
        for index in [u32::MAX as usize - 1, u32::MAX as usize, usize::MAX] {
            assert_eq!(MessageId::new(index).index(), u32::MAX as usize - 1, "{index}");
        }
        assert_eq!(MessageId::new(usize::MAX).next(), MessageId::new(usize::MAX));
    }
}
