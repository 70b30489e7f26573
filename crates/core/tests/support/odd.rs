//! JSON printed the way nobody would, to see that nobody reformats it.

use serde_json::Value;

/// Prints a value with white space, key order, escapes and number spellings drawn from `seed`. Without line breaks if
/// `one_line`. Objects that have a key of `with_extra` get an unknown field.
pub fn print(value: &Value, seed: u64, one_line: bool, with_extra: &[&str]) -> String {
    let mut printer = Printer { state: seed | 1, one_line, with_extra, out: String::new() };
    printer.value(value);
    printer.out
}

struct Printer<'a> {
    state: u64,
    one_line: bool,
    with_extra: &'a [&'a str],
    out: String,
}

impl Printer<'_> {
    fn draw(&mut self, below: u64) -> u64 {
        // xorshift: the same seed must print the same text for ever.
        self.state ^= self.state << 13;
        self.state ^= self.state >> 7;
        self.state ^= self.state << 17;
        self.state % below
    }

    fn space(&mut self) {
        let spaces: &[&str] = match self.one_line {
            true => &["", "", "", " ", "  ", "\t"],
            false => &["", "", "", " ", "\n", "\r\n\t"],
        };
        let chosen = self.draw(spaces.len() as u64) as usize;
        self.out.push_str(spaces[chosen]);
    }

    fn value(&mut self, value: &Value) {
        match value {
            Value::Array(values) => {
                self.out.push('[');
                for (nth, value) in values.iter().enumerate() {
                    if nth > 0 {
                        self.out.push(',');
                    }
                    self.space();
                    self.value(value);
                    self.space();
                }
                self.out.push(']');
            }
            Value::Object(members) => {
                let mut members: Vec<(&str, Option<&Value>)> =
                    members.iter().map(|(key, value)| (key.as_str(), Some(value))).collect();
                if members.iter().any(|(key, _)| self.with_extra.contains(key)) {
                    members.push(("x_unknown", None));
                }
                for nth in (1..members.len()).rev() {
                    let other = self.draw(nth as u64 + 1) as usize;
                    members.swap(nth, other);
                }
                self.out.push('{');
                for (nth, (key, value)) in members.into_iter().enumerate() {
                    if nth > 0 {
                        self.out.push(',');
                    }
                    self.space();
                    self.string(key);
                    self.space();
                    self.out.push(':');
                    self.space();
                    match value {
                        Some(value) => self.value(value),
                        None => self.out.push_str(r#"{"n":[1.50e+3,-0,1E2,0.10],"s":"\u0041\/","z":null}"#),
                    }
                    self.space();
                }
                self.out.push('}');
            }
            Value::String(text) => self.string(text),
            other => self.out.push_str(&other.to_string()),
        }
    }

    fn string(&mut self, text: &str) {
        let plain = serde_json::to_string(text).unwrap();
        if self.draw(4) > 0 {
            return self.out.push_str(&plain);
        }
        self.out.push('"');
        for unit in text.encode_utf16() {
            self.out.push_str(&format!("\\u{unit:04x}"));
        }
        self.out.push('"');
    }
}
