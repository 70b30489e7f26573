//! Input nobody would write: nothing may panic, hang or answer differently the second time.

use enfold::understand::ending::Ending;
use enfold::understand::facts::Facts;
use enfold::understand::files::FileTracker;
use enfold::understand::ledger::Ledger;
use enfold::understand::patch;
use enfold::understand::priorities::{PriorityOptions, priorities};
use enfold::understand::shell::analyse;
use enfold::understand::tools::{CallText, Standing, understand};
use enfold::understand::vocabulary::Vocabulary;
use proptest::prelude::*;

use crate::small::Talk;
use crate::support;

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
    // Named once by its full path and once by a relative one, a file tells the directory of all the others.
    let path = prop::sample::select(&["b/c.rs", "/w/b/c.rs", "d.rs", "/f"][..]);
    let named = (prop::sample::select(&["Read", "Write", "delete_file"][..]), path, pieces()).prop_map(
        |(tool, path, result)| {
            (tool.to_string(), format!("{{\"path\":\"{path}\",\"content\":\"x\\n\"}}"), result)
        },
    );
    let todo = number().prop_map(|state| {
        let list = format!("{{\"todos\":[{{\"content\":\"a\",\"status\":{state}}}]}}");
        ("TodoWrite".to_string(), list, "ok".to_string())
    });
    prop_oneof![shell, edit, patch, named, todo]
}

/// A session of drawn calls; now and then somebody says something in between.
fn session(calls: &[((String, String, String), u8)]) -> Talk {
    let mut talk = Talk::default().say("user", "go").write("/f", "a\nb\nc\n");
    for ((tool, arguments, result), chance) in calls {
        talk = match chance {
            0 => talk.say("assistant", "done").say("user", "Never touch d.rs."),
            1 => talk.say("user", "<system-reminder>be good</system-reminder>"),
            2 => talk.say("assistant", "let me see"),
            _ => talk,
        };
        talk = talk.call(tool, arguments, result);
    }
    talk
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(400))]

    #[test]
    fn any_text_is_read(text in ".{0,200}", more in pieces()) {
        for text in [text, more] {
            prop_assert_eq!(analyse(&text, Some("/w")), analyse(&text, Some("/w")));
            Ending::of(&text, false);
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
        prop_assert_eq!(priorities(&history, &tracker, &PriorityOptions::default()).len(), history.items().len());
    }

    #[test]
    fn what_is_known_bit_by_bit_is_what_is_known_at_once(
        calls in prop::collection::vec((call(), 0..9u8), 1..10)
    ) {
        let talk = session(&calls);
        let mut bit_by_bit = Facts::default();
        for end in 1..=talk.lines.len() {
            let history = support::history(talk.lines[..end].join("\n"));
            bit_by_bit.update(&history);
            let at_once = Facts::of(&history);
            let (bits, whole) = (bit_by_bit.tracker(), at_once.tracker());
            prop_assert_eq!(bits.calls(), whole.calls());
            prop_assert_eq!(bits.files().collect::<Vec<_>>(), whole.files().collect::<Vec<_>>());
            prop_assert_eq!(Ledger::of(&history, &bit_by_bit), Ledger::of(&history, &at_once));
            for (path, _) in whole.files() {
                prop_assert_eq!(bits.latest(path), whole.latest(path));
            }
        }
    }
}
