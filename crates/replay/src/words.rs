//! The names and lines of a message: what an agent comes back to.

use std::collections::{HashMap, HashSet};

use enfold::history::{Item, ItemKind};
use enfold::json::{Kind, Raw};
use enfold::text::lines::key;
use enfold::text::names::names;

/// Shorter lines say nothing about where they come from.
const SHORTEST_LINE: usize = 24;
/// Longer ones are cut at their punctuation.
const LONGEST_LINE: usize = 240;

/// Names and lines by number: each is compared many times.
#[derive(Default)]
pub(crate) struct Numbers {
    known: HashMap<Box<str>, u32>,
}

impl Numbers {
    fn of(&mut self, text: &str) -> u32 {
        if let Some(number) = self.known.get(text) {
            return *number;
        }
        let number = u32::try_from(self.known.len()).unwrap_or(u32::MAX);
        self.known.insert(text.into(), number);
        number
    }
}

/// What a message says, by numbers.
#[derive(Clone, Default)]
pub(crate) struct Words {
    pub(crate) names: HashSet<u32>,
    pub(crate) lines: HashSet<u32>,
}

impl Words {
    /// Those of a message's items.
    pub(crate) fn of(items: &[Item], numbers: &mut Numbers) -> Words {
        let mut words = Words::default();
        for item in items {
            match &item.kind {
                ItemKind::Call(call) => {
                    words.read(&call.name, numbers);
                    words.read_arguments(&item.text(), numbers);
                }
                ItemKind::Text | ItemKind::Result(_) | ItemKind::Summary | ItemKind::Other(_) => {
                    item.texts.iter().for_each(|text| words.read(&text.value, numbers));
                }
                ItemKind::Reasoning(_) | ItemKind::Media(_) => {}
            }
        }
        words
    }

    /// Arguments are read as what they mean: line ends in them are line ends.
    fn read_arguments(&mut self, text: &str, numbers: &mut Numbers) {
        match Raw::parse(text) {
            Ok(value) => self.read_values(value, numbers),
            Err(_) => self.read(text, numbers),
        }
    }

    fn read_values(&mut self, value: Raw, numbers: &mut Numbers) {
        match value.kind() {
            Kind::Object => value.members().for_each(|(_, value)| self.read_values(value, numbers)),
            Kind::Array => value.elements().for_each(|value| self.read_values(value, numbers)),
            Kind::String => self.read(&value.str().unwrap_or_default(), numbers),
            _ => self.read(value.text(), numbers),
        }
    }

    fn read(&mut self, text: &str, numbers: &mut Numbers) {
        for line in text.lines() {
            names(line, |name| {
                self.names.insert(numbers.of(name));
            });
            let line = key(line);
            match line.chars().nth(LONGEST_LINE) {
                None => self.read_line(line, numbers),
                // JSON on one line is many facts.
                Some(_) => {
                    line.split([',', '{', '}', '[', ']']).for_each(|piece| self.read_line(piece, numbers))
                }
            }
        }
    }

    fn read_line(&mut self, line: &str, numbers: &mut Numbers) {
        let line = line.trim();
        if line.chars().nth(SHORTEST_LINE - 1).is_some() {
            self.lines.insert(numbers.of(line));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use enfold::wire::{OpenAiChat, Wire};

    fn words(message: serde_json::Value) -> (Words, Numbers) {
        let mut numbers = Numbers::default();
        let parsed = OpenAiChat.read_message(&message.to_string().into()).expect("a message");
        (Words::of(&parsed.items, &mut numbers), numbers)
    }

    #[test]
    fn arguments_are_read_as_what_they_mean() {
        let arguments = r#"{"path":"src/limits.c","text":"int upper_limit = 4096;\n  return upper_limit;"}"#;
        let call = serde_json::json!({"id": "1", "type": "function", "function": {"name": "edit", "arguments": arguments}});
        let message = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]});
        let (words, mut numbers) = words(message);
        assert!(
            words.names.contains(&numbers.of("src/limits.c"))
                && words.names.contains(&numbers.of("upper_limit"))
        );
        assert_eq!(words.lines.len(), 0, "both lines are short");
    }

    #[test]
    fn a_line_is_the_same_with_and_without_its_number() {
        let line = "let limit = config.limit.unwrap_or(4096);";
        let (plain, mut numbers) = words(serde_json::json!({"role": "user", "content": line}));
        let numbered = format!("   12\t{line}");
        let parsed = OpenAiChat
            .read_message(&serde_json::json!({"role": "user", "content": numbered}).to_string().into());
        let numbered = Words::of(&parsed.expect("a message").items, &mut numbers);
        assert_eq!((plain.lines.len(), plain.lines), (1, numbered.lines));
    }
}
