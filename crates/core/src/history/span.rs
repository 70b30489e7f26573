//! Spans: where something stands in its message.

use std::ops::Range;

/// Bytes of a message's raw text, from and to. Half as large as a range of `usize`: every item and every text has one.
///
/// That is enough, because a message beyond [`Span::FURTHEST`] is refused when it is read.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Span {
    start: u32,
    end: u32,
}

impl Span {
    /// The longest message that spans can point into: 4 GiB.
    pub const FURTHEST: usize = u32::MAX as usize;

    /// The span of a range. What lies beyond [`Span::FURTHEST`] is cut off, never wrapped around.
    pub fn new(range: Range<usize>) -> Span {
        let narrow = |at: usize| u32::try_from(at).unwrap_or(u32::MAX);
        Span { start: narrow(range.start), end: narrow(range.end) }
    }

    /// The whole of a text.
    pub fn whole(text: &str) -> Span {
        Span::new(0..text.floor_char_boundary(Span::FURTHEST))
    }

    /// The range, to cut with.
    pub fn range(self) -> Range<usize> {
        self.start as usize..self.end as usize
    }

    /// Its length in bytes.
    pub fn len(self) -> usize {
        self.range().len()
    }

    /// Whether nothing stands there.
    pub fn is_empty(self) -> bool {
        self.range().is_empty()
    }
}

impl From<Range<usize>> for Span {
    fn from(range: Range<usize>) -> Span {
        Span::new(range)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_beyond_four_gigabytes_is_cut_off() {
        assert_eq!(Span::new(3..7).range(), 3..7);
        let far = Span::FURTHEST + 10;
        assert_eq!(Span::new(3..far).range(), 3..Span::FURTHEST);
        assert_eq!(Span::new(far..far + 1).range(), Span::FURTHEST..Span::FURTHEST);
    }
}
