//! Messages as a format writes them.

/// Messages one after the other in one text. As strings of their own they would take half as much memory again, and all
/// of it twice while they are put together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Messages {
    /// Each message with a line feed behind it.
    text: String,
    /// Where each ends, line feed included.
    ends: Vec<usize>,
}

impl Messages {
    /// Appends a message.
    pub fn push(&mut self, message: &str) {
        self.text.push_str(message);
        self.text.push('\n');
        self.ends.push(self.text.len());
    }

    /// Puts a message before all others. O(all of them).
    pub(super) fn insert_first(&mut self, message: &str) {
        self.text.insert(0, '\n');
        self.text.insert_str(0, message);
        self.ends.insert(0, 0);
        self.ends.iter_mut().for_each(|end| *end += message.len() + 1);
    }

    /// The messages, in order.
    pub fn iter(&self) -> impl Iterator<Item = &str> {
        let starts = std::iter::once(&0).chain(&self.ends);
        starts.zip(&self.ends).map(|(start, end)| &self.text[*start..end - 1])
    }

    /// JSON lines. A message in them has no line break of its own: inside strings JSON cannot have one, and anywhere else
    /// a space does as well.
    pub fn into_lines(self) -> String {
        let breaks = memchr::memchr2_iter(b'\n', b'\r', self.text.as_bytes()).count();
        if breaks == self.ends.len() {
            return self.text;
        }
        let mut lines = String::with_capacity(self.text.len());
        for message in self.iter() {
            lines.push_str(&message.replace(['\n', '\r'], " "));
            lines.push('\n');
        }
        lines
    }
}

impl<S: AsRef<str>> FromIterator<S> for Messages {
    fn from_iter<I: IntoIterator<Item = S>>(all: I) -> Messages {
        let mut messages = Messages::default();
        all.into_iter().for_each(|message| messages.push(message.as_ref()));
        messages
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn messages_are_kept_as_they_came_and_written_as_a_line_each() {
        let mut messages: Messages = ["{}", "{\r\n}", ""].into_iter().collect();
        messages.insert_first("[\n]");
        assert!(messages.iter().eq(["[\n]", "{}", "{\r\n}", ""]));
        assert_eq!(messages.into_lines(), "[ ]\n{}\n{  }\n\n");
        let plain: Messages = ["{}", "[]"].into_iter().collect();
        assert_eq!(plain.into_lines(), "{}\n[]\n");
        assert_eq!(Messages::default().into_lines(), "");
    }
}
