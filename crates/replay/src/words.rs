//! The names and lines of a message: what an agent comes back to.

use enfold::history::{Item, ItemKind};
use enfold::json::{Kind, Raw};
use enfold::text::lines::key;
use enfold::text::names::names;
use xxhash_rust::xxh3::xxh3_64;

/// Shorter lines say nothing about where they come from.
const SHORTEST_LINE: usize = 24;
/// Longer ones are cut at their punctuation.
const LONGEST_LINE: usize = 240;

/// A name or a line by its fingerprint: each is kept and compared many times.
pub(crate) type Mark = u64;

/// What a message says. Both lists are in order, each mark once.
#[derive(Clone, Debug, Default, PartialEq)]
pub(crate) struct Words {
    pub(crate) names: Box<[Mark]>,
    pub(crate) lines: Box<[Mark]>,
}

impl Words {
    /// Those of a message's items.
    pub(crate) fn of(items: &[Item]) -> Words {
        let mut found = Found::default();
        for item in items {
            match &item.kind {
                ItemKind::Call(call) => {
                    found.read(&call.name);
                    found.read_arguments(&item.text());
                }
                ItemKind::Text | ItemKind::Result(_) | ItemKind::Summary | ItemKind::Other(_) => {
                    item.texts.iter().for_each(|text| found.read(&text.value));
                }
                ItemKind::Reasoning(_) | ItemKind::Media(_) => {}
            }
        }
        Words { names: in_order(found.names), lines: in_order(found.lines) }
    }
}

fn in_order(mut marks: Vec<Mark>) -> Box<[Mark]> {
    marks.sort_unstable();
    marks.dedup();
    marks.into()
}

#[derive(Default)]
struct Found {
    names: Vec<Mark>,
    lines: Vec<Mark>,
}

impl Found {
    /// Arguments are read as what they mean: line ends in them are line ends.
    fn read_arguments(&mut self, text: &str) {
        match Raw::parse(text) {
            Ok(value) => self.read_values(value),
            Err(_) => self.read(text),
        }
    }

    fn read_values(&mut self, value: Raw) {
        match value.kind() {
            Kind::Object => value.members().for_each(|(_, value)| self.read_values(value)),
            Kind::Array => value.elements().for_each(|value| self.read_values(value)),
            Kind::String => self.read(&value.str().unwrap_or_default()),
            _ => self.read(value.text()),
        }
    }

    fn read(&mut self, text: &str) {
        for line in text.lines() {
            names(line, |name| self.names.push(mark(name)));
            let line = key(line);
            match line.chars().nth(LONGEST_LINE) {
                None => self.read_line(line),
                // JSON on one line is many facts.
                Some(_) => line.split([',', '{', '}', '[', ']']).for_each(|piece| self.read_line(piece)),
            }
        }
    }

    fn read_line(&mut self, line: &str) {
        let line = line.trim();
        if line.chars().nth(SHORTEST_LINE - 1).is_some() {
            self.lines.push(mark(line));
        }
    }
}

fn mark(text: &str) -> Mark {
    xxh3_64(text.as_bytes())
}

#[cfg(test)]
mod tests {
    use super::*;
    use enfold::wire::{OpenAiChat, Wire};

    fn words(message: serde_json::Value) -> Words {
        let parsed = OpenAiChat.read_message(&message.to_string().into()).expect("a message");
        Words::of(&parsed.items)
    }

    #[test]
    fn arguments_are_read_as_what_they_mean() {
        let arguments = r#"{"path":"src/limits.c","text":"int upper_limit = 4096;\n  return upper_limit;"}"#;
        let call = serde_json::json!({"id": "1", "type": "function", "function": {"name": "edit", "arguments": arguments}});
        let words = words(serde_json::json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        assert!(["src/limits.c", "upper_limit"].iter().all(|name| words.names.contains(&mark(name))));
        assert_eq!(words.lines.len(), 0, "both lines are short");
    }

    #[test]
    fn a_line_is_the_same_with_and_without_its_number() {
        let line = "let limit = config.limit.unwrap_or(4096);";
        let plain = words(serde_json::json!({"role": "user", "content": line}));
        let numbered = words(serde_json::json!({"role": "user", "content": format!("   12\t{line}")}));
        assert_eq!((plain.lines.len(), plain.lines), (1, numbered.lines));
    }
}
