//! Input nobody would write: nothing may panic, hang or answer differently the second time.

use enfold::understand::changelog::changelog;
use enfold::understand::files::FileTracker;
use enfold::understand::outcome::Outcome;
use enfold::understand::patch;
use enfold::understand::priorities::{PriorityOptions, priorities};
use enfold::understand::shell::analyse;
use enfold::understand::tools::{CallText, Standing, understand};
use enfold::understand::vocabulary::Vocabulary;
use proptest::prelude::*;

use crate::small::Talk;

/// Pieces of real commands, patches, results and arguments, to be put together at random.
const PIECES: [&str; 48] = [
    "cat ",
    "sed -n ",
    "sed -i ",
    "'1,20p'",
    "'s/a/b/'",
    "'0d'",
    "'5,2d'",
    "'3a\\\\x'",
    " a.txt",
    " b/c.rs",
    "/f",
    " | ",
    " && ",
    "; ",
    "\n",
    "$(",
    ")",
    "(",
    "{ ",
    " }",
    "<<EOF\n",
    "EOF\n",
    " > ",
    " >> ",
    "'",
    "\"",
    "\\",
    "`",
    "$x",
    "x=1 ",
    "cd ",
    "git checkout -- ",
    "head -n ",
    "99999999999999999999",
    "18446744073709551615",
    "-1",
    "tail ",
    "awk 'NR>=",
    "mv ",
    "rm ",
    "*** Begin Patch\n",
    "*** Update File: /f\n",
    "@@ -1,2 +1 @@\n",
    "+a\n",
    "-b\n",
    " c\n",
    "     1→a\n",
    "é😀\u{0}",
];

fn pieces() -> impl Strategy<Value = String> {
    prop::collection::vec(prop::sample::select(&PIECES[..]), 0..24).prop_map(|pieces| pieces.concat())
}

fn number() -> impl Strategy<Value = String> {
    prop::sample::select(
        &["0", "1", "3", "-1", "2.5", "1e300", "\"7\"", "null", "[]", "18446744073709551615"][..],
    )
    .prop_map(String::from)
}

fn call() -> impl Strategy<Value = (String, String, String)> {
    let shell = (prop::sample::select(&["Bash", "bash", "run", "exec_command"][..]), pieces(), pieces())
        .prop_map(|(tool, command, result)| {
            let command = enfold::json::quote(&command);
            (tool.to_string(), format!("{{\"command\":{command},\"cmd\":{command}}}"), result)
        });
    let tool = prop::sample::select(
        &["Read", "Edit", "Write", "str_replace_editor", "MultiEdit", "insert_content", "exec"][..],
    );
    let edit = (tool, pieces(), pieces(), number(), number(), pieces()).prop_map(|(tool, old, new, a, b, result)| {
        let (old, new) = (enfold::json::quote(&old), enfold::json::quote(&new));
        let arguments = format!(
            "{{\"path\":\"/f\",\"command\":\"insert\",\"old_string\":{old},\"new_string\":{new},\"content\":{new},\"new_str\":{new},\"input\":{old},\"offset\":{a},\"limit\":{b},\"insert_line\":{a},\"line\":{b},\"view_range\":[{a},{b}]}}"
        );
        (tool.to_string(), arguments, result)
    });
    let patch = (pieces(), pieces()).prop_map(|(patch, result)| ("apply_patch".to_string(), patch, result));
    prop_oneof![shell, edit, patch]
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read(text in ".{0,200}", more in pieces()) {
        for text in [text, more] {
            prop_assert_eq!(analyse(&text, Some("/w")), analyse(&text, Some("/w")));
            Outcome::of(&text, false);
            patch::operations(&text);
            let call = CallText { name: "exec", arguments: &text, result: Some(&text) };
            understand(&Vocabulary::new(), call, &Standing::default());
        }
    }

    #[test]
    fn any_session_is_replayed(calls in prop::collection::vec(call(), 1..12)) {
        let mut talk = Talk::default().say("user", "go").write("/f", "a\nb\nc\n");
        for (tool, arguments, result) in &calls {
            talk = talk.call(tool, arguments, result);
        }
        let history = talk.history();
        let mut tracker = FileTracker::new(Vocabulary::new());
        tracker.update(&history);
        for (path, _) in tracker.files() {
            tracker.latest(path);
            tracker.preview(path, 10);
        }
        changelog(&history, &Vocabulary::new());
        prop_assert_eq!(priorities(&history, &tracker, &PriorityOptions::default()).len(), history.items().len());
    }
}
