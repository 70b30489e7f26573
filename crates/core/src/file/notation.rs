//! The text notation: a history as people write it in tests, documents and bug reports.
//!
//! ```text
//! system: You are careful.
//! user: Fix the failing test
//!   | in src/a.rs
//! assistant: I will look first.
//!   call c1 read {"path":"src/a.rs"}
//!   call c2 bash {"command":"cargo test"}
//! result c1: fn main() {}
//! result c2 error: test failed
//!   | exit 101
//! ```
//!
//! - A line at the margin starts a message: `system`, `developer`, `user`, `assistant`, `tool`, or `result`, which is
//!   a `tool` message with one result. After the colon stands its first text.
//! - A line indented by two starts another item of that message: `text: …`, `think: …`, `think sealed=400: …`,
//!   `call ID NAME ARGUMENTS`, `call ID NAME: free text`, `result ID …: …`, `summary: …`, `image URL`, `document URL`,
//!   `audio URL`, `other TYPE JSON`.
//! - `  | ` goes on with the text above on a new line; `  + ` starts another text of the same item.
//! - Four spaces put an image inside the result above.
//! - Ids and names with odd characters are quoted as in JSON; an absent id is `""`.
//! - A line that starts with `#` is a comment; blank lines at the margin are passed over.
//!
//! Everything after a colon or bar is taken as it stands, so what is printed reads back the same.

mod parse;
mod print;

pub(crate) use parse::looks_like;
pub use parse::{NotationError, parse};
pub use print::print;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::history::ItemId;

    #[track_caller]
    fn reads_back(text: &str) {
        let history = parse(text).unwrap();
        assert_eq!(print(&history), text);
    }

    #[test]
    fn what_is_printed_reads_back_the_same() {
        reads_back(
            "system: You are careful.\n\
             user: Fix the failing test\n  | in src/a.rs\n  |\n  | please\n\
             assistant: I will look first.\n  \
               think sealed=400: hm\n  \
               call c1 read {\"path\":\"src/a.rs\"}\n  \
               call c2 apply_patch: *** Begin Patch\n  | *** End Patch\n\
             result c1: fn main() {}\n  + part two\n    image https://example.com/a.png\n\
             result c2 name=apply_patch error: no such file\n\
             user\n  image data:image/png;base64,AAAA\n  text: what is this?\n",
        );
    }

    #[test]
    fn odd_names_are_quoted() {
        reads_back("assistant\n  call \"\" \"a tool: b\" {}\nresult \"\" name=\"a tool: b\": ok\n");
    }

    #[test]
    fn text_that_looks_like_notation_stays_text() {
        reads_back("user: assistant: hi\n  | user: x\n  |   | y\n  | # no comment\n");
    }

    #[test]
    fn steps_and_pairs_are_as_in_any_format() {
        let history = parse("user: go\nassistant\n  call c1 ls {}\nresult c1: a\nuser: more\n").unwrap();
        let places: Vec<_> = history.items().iter().map(|item| (item.turn, item.step)).collect();
        assert_eq!(places, [(1, None), (1, Some(1)), (1, Some(1)), (2, None)]);
        assert_eq!(history.pair(ItemId::new(1)), Some(ItemId::new(2)));
    }

    #[test]
    fn a_fault_names_its_line_and_the_remedy() {
        let fault = |text: &str| parse(text).unwrap_err().to_string();
        insta::assert_snapshot!(fault("user: a\nusr: b\n"), @"line 2: `usr` starts no message; expected system, developer, user, assistant, tool or result");
        insta::assert_snapshot!(fault("  text: a\n"), @"line 1: an item without a message before it; start with `user: …`");
        insta::assert_snapshot!(fault("user: a\n  call c1\n"), @"line 2: a call needs an id and a name: `call c1 read {}`");
        insta::assert_snapshot!(fault("assistant\n  | x\n"), @"line 2: this goes on with a text, but no text is open; start one with `text: …`");
    }

    use proptest::prelude::*;

    /// Lines that are hard on the notation: its own marks, quotes, odd white space, unicode.
    fn text() -> impl Strategy<Value = String> {
        let piece = prop_oneof![
            Just("\n".to_string()),
            Just("  | ".into()),
            Just("  + ".into()),
            Just("    ".into()),
            Just("#".into()),
            Just(": ".into()),
            Just("result c1 error: ".into()),
            Just("\r".into()),
            Just("\"".into()),
            Just("\u{2028}\u{fffd}é漢😀".into()),
            "[ -~]{0,12}",
        ];
        proptest::collection::vec(piece, 0..6).prop_map(|pieces| pieces.concat())
    }

    fn item() -> impl Strategy<Value = String> {
        use crate::json::quote;
        prop_oneof![
            text().prop_map(|t| format!(r#"{{"text":{}}}"#, quote(&t))),
            (text(), 0..900usize).prop_map(|(t, n)| format!(
                r#"{{"think":{},"sealed":{}}}"#,
                quote(&t),
                n + 1
            )),
            (text(), text(), text()).prop_map(|(id, name, input)| format!(
                r#"{{"call":{{"id":{},"name":{},"input":{}}}}}"#,
                quote(&id),
                quote(&name),
                quote(&input)
            )),
            (text(), text()).prop_map(|(id, t)| format!(
                r#"{{"call":{{"id":{},"name":"patch","input":{},"freeform":true}}}}"#,
                quote(&id),
                quote(&t)
            )),
            (text(), text(), text()).prop_map(|(id, a, b)| format!(
                r#"{{"result":{{"call":{},"error":true,"texts":[{},{}],"media":[{{"image":{}}}]}}}}"#,
                quote(&id),
                quote(&a),
                quote(&b),
                quote(&a)
            )),
            text().prop_map(|t| format!(r#"{{"result":{{"call":"c","name":{},"texts":[]}}}}"#, quote(&t))),
            text().prop_map(|t| format!(r#"{{"summary":{}}}"#, quote(&t))),
        ]
    }

    proptest! {
        #[test]
        fn any_history_reads_back_from_its_notation(
            messages in proptest::collection::vec(
                (0..5usize, proptest::collection::vec(item(), 0..4)), 0..5)
        ) {
            use crate::wire::{Neutral, Wire};
            let mut history = crate::history::History::new();
            for (role, items) in messages {
                let role = ["system", "developer", "user", "assistant", "tool"][role];
                let raw = bytestring::ByteString::from(format!(r#"{{"role":"{role}","items":[{}]}}"#, items.join(",")));
                let parsed = Neutral.read_message(&raw).unwrap();
                history.push(raw, parsed);
            }
            let printed = print(&history);
            let again = parse(&printed).map_err(|e| TestCaseError::fail(format!("{e}\n{printed}")))?;
            prop_assert_eq!(print(&again), printed);
            prop_assert_eq!(Neutral.write(&again).messages, Neutral.write(&history).messages);
        }
    }
}
