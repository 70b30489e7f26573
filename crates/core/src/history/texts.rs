//! The texts of an item.

use std::fmt;
use std::ops::Deref;

use super::Text;

/// What the model reads of an item, piece by piece. Nearly always there is one piece, which stands in the item itself
/// and takes no memory of its own beside it.
#[derive(Clone)]
pub struct Texts(Pieces);

#[derive(Clone)]
enum Pieces {
    One(Text),
    Several(Vec<Text>),
}

impl Texts {
    /// No texts.
    pub const fn new() -> Texts {
        Texts(Pieces::Several(Vec::new()))
    }

    /// One more, at the end.
    pub fn push(&mut self, text: Text) {
        *self = match std::mem::take(self).0 {
            Pieces::Several(none) if none.is_empty() => Texts(Pieces::One(text)),
            Pieces::One(first) => Texts(Pieces::Several(vec![first, text])),
            Pieces::Several(mut texts) => {
                texts.push(text);
                Texts(Pieces::Several(texts))
            }
        };
    }
}

impl Default for Texts {
    fn default() -> Texts {
        Texts::new()
    }
}

impl From<Text> for Texts {
    fn from(text: Text) -> Texts {
        Texts(Pieces::One(text))
    }
}

impl Deref for Texts {
    type Target = [Text];

    fn deref(&self) -> &[Text] {
        match &self.0 {
            Pieces::One(text) => std::slice::from_ref(text),
            Pieces::Several(texts) => texts,
        }
    }
}

impl PartialEq for Texts {
    fn eq(&self, other: &Texts) -> bool {
        **self == **other
    }
}

impl Eq for Texts {}

impl fmt::Debug for Texts {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_list().entries(self.iter()).finish()
    }
}

impl Extend<Text> for Texts {
    fn extend<I: IntoIterator<Item = Text>>(&mut self, texts: I) {
        texts.into_iter().for_each(|text| self.push(text));
    }
}

impl FromIterator<Text> for Texts {
    fn from_iter<I: IntoIterator<Item = Text>>(texts: I) -> Texts {
        let mut all = Texts::new();
        all.extend(texts);
        all
    }
}

impl IntoIterator for Texts {
    type Item = Text;
    type IntoIter = std::iter::Chain<std::option::IntoIter<Text>, std::vec::IntoIter<Text>>;

    fn into_iter(self) -> Self::IntoIter {
        let (one, several) = match self.0 {
            Pieces::One(text) => (Some(text), Vec::new()),
            Pieces::Several(texts) => (None, texts),
        };
        one.into_iter().chain(several)
    }
}

impl<'a> IntoIterator for &'a Texts {
    type Item = &'a Text;
    type IntoIter = std::slice::Iter<'a, Text>;

    fn into_iter(self) -> Self::IntoIter {
        self.iter()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::{Span, Spelling};

    #[test]
    fn texts_stand_in_the_order_they_came_in() {
        let text = |value: &'static str| Text {
            value: value.into(),
            span: Span::new(0..0),
            spelling: Spelling::Quoted,
        };
        let mut texts = Texts::new();
        for (nth, value) in ["a", "b", "c"].into_iter().enumerate() {
            assert_eq!(texts.len(), nth);
            texts.push(text(value));
        }
        assert!(texts.iter().map(|text| &*text.value).eq(["a", "b", "c"]));
        assert_eq!(texts, texts.clone().into_iter().collect());
        assert_eq!(Texts::from(text("a")), [text("a")].into_iter().collect());
    }
}
