//! Small histories: what the tracker, the replay, the change log and the priorities make of them.

use enfold::history::History;
use enfold::json::{ObjectWriter, quote};
use enfold::understand::file_state::{Certainty, Content, file_at};
use enfold::understand::files::FileTracker;
use enfold::understand::priorities::{PriorityOptions, priorities};
use enfold::understand::vocabulary::{Tool, ToolKind, Vocabulary};

use crate::support;

/// A history in the making; `call` makes a step of one call and its result.
#[derive(Default)]
pub(crate) struct Talk {
    pub(crate) lines: Vec<String>,
    calls: usize,
}

impl Talk {
    pub(crate) fn say(mut self, role: &str, text: &str) -> Talk {
        self.lines.push(ObjectWriter::new().string("role", role).string("content", text).finish());
        self
    }

    pub(crate) fn call(mut self, tool: &str, arguments: &str, result: &str) -> Talk {
        self.calls += 1;
        let id = format!("c{}", self.calls);
        let function = ObjectWriter::new().string("name", tool).string("arguments", arguments).finish();
        let call = ObjectWriter::new().string("id", &id).json("function", &function).finish();
        self.lines.push(ObjectWriter::new().string("role", "assistant").array("tool_calls", [call]).finish());
        let result =
            ObjectWriter::new().string("role", "tool").string("tool_call_id", &id).string("content", result);
        self.lines.push(result.finish());
        self
    }

    fn bash(self, command: &str, result: &str) -> Talk {
        let arguments = format!("{{\"command\":{}}}", quote(command));
        self.call("Bash", &arguments, result)
    }

    pub(crate) fn write(self, path: &str, text: &str) -> Talk {
        let arguments = ObjectWriter::new().string("file_path", path).string("content", text).finish();
        self.call("Write", &arguments, "File created successfully")
    }

    fn edit(self, path: &str, old: &str, new: &str, result: &str) -> Talk {
        let arguments =
            ObjectWriter::new().string("file_path", path).string("old_string", old).string("new_string", new);
        self.call("Edit", &arguments.finish(), result)
    }

    pub(crate) fn history(&self) -> History {
        support::history(self.lines.join("\n"))
    }

    #[track_caller]
    fn holds(&self, path: &str, step: u32, wanted: &str) {
        let state = file_at(&self.history(), &Vocabulary::new(), path, step).expect("the file is known");
        assert_eq!(state.content, Content::Whole(wanted.into()));
        assert_eq!(state.certainty, Certainty::Certain);
    }
}

const DONE: &str = "The file has been updated.";

#[test]
fn edits_are_replayed_to_any_step() {
    let talk = Talk::default()
        .say("user", "go")
        .write("/w/a.py", "one\ntwo\n")
        .edit("/w/a.py", "two", "2\n3", DONE)
        .bash("cd /w && sed -i 's/one/1/' a.py && echo 4 >> a.py", "")
        .call(
            "apply_patch",
            "*** Begin Patch\n*** Update File: /w/a.py\n@@\n 2\n-3\n+drei\n*** End Patch",
            "Success. Updated the following files:\nM /w/a.py",
        );
    talk.holds("/w/a.py", 1, "one\ntwo\n");
    talk.holds("/w/a.py", 2, "one\n2\n3\n");
    talk.holds("/w/a.py", 3, "1\n2\n3\n4\n");
    talk.holds("a.py", 4, "1\n2\ndrei\n4\n");
}

#[test]
fn all_of_the_editor_tools_commands_are_replayed() {
    let editor = |talk: Talk, rest: &str| {
        talk.call("str_replace_editor", &format!("{{\"path\":\"/f\",{rest}}}"), DONE)
    };
    let talk = Talk::default().say("user", "go");
    let talk = editor(talk, r#""command":"create","file_text":"a\nb\n""#);
    let talk = editor(talk, r#""command":"insert","insert_line":1,"new_str":"x""#);
    let talk = editor(talk, r#""command":"str_replace","old_str":"b","new_str":"B""#);
    let talk = editor(talk, r#""command":"undo_edit""#);
    talk.holds("/f", 2, "a\nx\nb\n");
    talk.holds("/f", 3, "a\nx\nB\n");
    talk.holds("/f", 4, "a\nx\nb\n");
}

#[test]
fn refused_and_failed_edits_change_nothing() {
    let talk = Talk::default()
        .say("user", "go")
        .write("/f", "a\n")
        .edit("/f", "a", "b", "The user doesn't want to proceed with this tool use.")
        .edit("/f", "zz", "b", "<tool_use_error>String to replace not found in file.</tool_use_error>");
    talk.holds("/f", 3, "a\n");
}

#[test]
fn reads_in_pieces_add_up() {
    let talk = Talk::default()
        .say("user", "go")
        .call("Read", r#"{"file_path":"/f","offset":3,"limit":2}"#, "     3→c\n     4→d")
        .call("Read", r#"{"file_path":"/f","limit":2}"#, "     1→a\n     2→b");
    let state = file_at(&talk.history(), &Vocabulary::new(), "/f", 1).unwrap();
    let Content::Partial { runs, total } = state.content else { panic!("{state:?}") };
    assert_eq!((runs.len(), runs[0].first, runs[0].lines.join("|"), total), (1, 3, "c|d".to_string(), None));
    let state = file_at(&talk.history(), &Vocabulary::new(), "/f", 2).unwrap();
    let Content::Partial { runs, .. } = state.content else { panic!("{state:?}") };
    assert_eq!((runs.len(), runs[0].lines.len()), (1, 4));
}

#[test]
fn an_edit_whose_place_is_only_shown_afterwards_moves_the_rest() {
    let talk = Talk::default()
        .say("user", "go")
        .call("Read", r#"{"file_path":"/f","offset":50,"limit":1}"#, "    50→far")
        .edit("/f", "x", "x\ny", "The file /f has been updated. Here's the result of running `cat -n`:\n    10→w\n    11→x\n    12→y\n    13→z");
    let state = file_at(&talk.history(), &Vocabulary::new(), "/f", 2).unwrap();
    let Content::Partial { runs, .. } = state.content else { panic!("{state:?}") };
    let lines: Vec<_> = runs.iter().map(|run| (run.first, run.lines.join("|"))).collect();
    assert_eq!(lines, [(10, "w|x|y|z".to_string()), (51, "far".to_string())]);
}

#[test]
fn certainty_drops_when_something_unseen_may_have_happened() {
    let doubt = |talk: Talk| file_at(&talk.history(), &Vocabulary::new(), "/f", 99).unwrap().certainty;
    let start = || Talk::default().say("user", "go").write("/f", "a\n");
    assert_eq!(doubt(start().bash("cargo test", "ok")), Certainty::Certain);
    let because = |because: &str| Certainty::Doubtful { since: 2, because: because.into() };
    assert_eq!(doubt(start().bash("npm run format", "ok")), because("npm run format"));
    assert_eq!(doubt(start().bash("git stash", "ok")), because("git stash"));
    let seen_again = start().bash("make", "ok").call("Read", r#"{"file_path":"/f"}"#, "     1→a\n");
    assert_eq!(doubt(seen_again), Certainty::Certain);
    let user = start().say("user", "I changed something").bash("ls", "f");
    assert_eq!(doubt(user), because("the user had their turn"));
}

#[test]
fn moved_and_deleted_files_are_followed() {
    let talk =
        Talk::default().say("user", "go").write("/a/x", "1\n").bash("mv /a /b", "").bash("rm /b/x", "");
    talk.holds("/b/x", 2, "1\n");
    let at = |path, step| file_at(&talk.history(), &Vocabulary::new(), path, step).unwrap().content;
    assert_eq!(at("/a/x", 2), Content::Absent);
    assert_eq!(at("/b/x", 3), Content::Absent);
}

#[test]
fn relative_and_full_paths_meet() {
    let talk = Talk::default()
        .say("user", "go")
        .bash("cat src/a.rs", "x")
        .write("/home/me/p/src/a.rs", "y\n")
        .bash("sed -i 's/y/z/' src/a.rs", "");
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&talk.history());
    let files: Vec<_> = tracker.files().map(|(path, record)| (path, record.accesses.len())).collect();
    assert_eq!(files, [("/home/me/p/src/a.rs", 3)]);
    assert_eq!(tracker.latest("src/a.rs").content, Content::Whole("z\n".into()));
}

#[test]
fn the_tracker_knows_what_is_modified_recent_and_stale() {
    let talk = Talk::default()
        .say("user", "go")
        .call("Read", r#"{"file_path":"/old"}"#, "     1→o\n     2→")
        .write("/new", "n\nm\n")
        .edit("/refused", "a", "b", "The user doesn't want to proceed")
        .bash("ls", "");
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&talk.history());
    assert_eq!(tracker.modified_files().collect::<Vec<_>>(), ["/new"]);
    assert_eq!(tracker.recent_files(4, 2), ["/refused", "/new"]);
    assert!(
        tracker.is_stale("/old", 4, 2) && !tracker.is_stale("/new", 4, 2) && tracker.is_stale("/none", 4, 2)
    );
    assert_eq!(tracker.line_count("/new"), Some(2));
    assert_eq!(tracker.preview("/new", 1).as_deref(), Some("n"));
}

#[test]
fn paths_come_from_the_result_where_the_arguments_have_none() {
    let talk = Talk::default()
        .say("user", "go")
        .call("read_file", "{}", "File: src/x.rs\nfn main() {}")
        .call("get_file", "{}", r#"{"filePath":"src/y.rs","text":"z"}"#);
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&talk.history());
    assert_eq!(tracker.files().map(|(path, _)| path).collect::<Vec<_>>(), ["src/x.rs", "src/y.rs"]);
}

#[test]
fn your_own_tools_are_tracked() {
    let talk = Talk::default().say("user", "go").call("slurp", r#"{"where":"/f"}"#, "x");
    let mut vocabulary = Vocabulary::new();
    vocabulary.add(Tool { name: "slurp".into(), kind: ToolKind::Read, path_argument: Some("where".into()) });
    let mut tracker = FileTracker::new(vocabulary);
    tracker.update(&talk.history());
    assert_eq!(tracker.files().map(|(path, _)| path).collect::<Vec<_>>(), ["/f"]);
}

#[test]
fn the_change_log_says_what_and_why() {
    let talk = Talk::default()
        .say("user", "go")
        .write("/f", "a\nb\n")
        .call(
            "edit_file",
            r#"{"path":"/f","old_string":"a\nb","new_string":"a\nB\nc","intent":"grow"}"#,
            DONE,
        )
        .call("Bash", r#"{"command":"rm /f","description":"clean up"}"#, "");
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&talk.history());
    let log: Vec<_> = tracker
        .changes()
        .map(|(call, change)| {
            (call.step, change.verb.name(), call.intent.clone(), change.added, change.removed)
        })
        .collect();
    assert_eq!(
        log,
        [
            (1, "create", None, Some(2), Some(0)),
            (2, "edit", Some("grow".to_string()), Some(2), Some(1)),
            (3, "delete", Some("clean up".to_string()), Some(0), Some(3)),
        ]
    );
}

#[test]
fn a_file_that_is_written_again_is_not_made_again() {
    let talk = Talk::default().say("user", "go").write("/f", "a\nb\n").write("/f", "c\n");
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&talk.history());
    let log: Vec<_> =
        tracker.changes().map(|(_, change)| (change.verb.name(), change.added, change.removed)).collect();
    assert_eq!(log, [("create", Some(2), Some(0)), ("edit", Some(1), Some(2))]);
}

#[test]
fn priorities_follow_the_table() {
    let talk = Talk::default()
        .say("system", "be good")
        .say("developer", "use tabs")
        .say("user", "# AGENTS.md instructions\n<INSTRUCTIONS>")
        .say("user", "first task")
        .say("assistant", "well")
        .call("Read", r#"{"file_path":"/f"}"#, "     1→a")
        .call("Read", r#"{"file_path":"/other"}"#, "     1→a")
        .edit("/f", "a", "b", DONE)
        .say("user", "in between")
        .bash("ls", "f")
        .say("user", "now this")
        .call("Read", r#"{"file_path":"/third"}"#, "     1→a")
        .bash("cargo test", "ok");
    let history = talk.history();
    let mut tracker = FileTracker::new(Vocabulary::new());
    tracker.update(&history);
    let options = PriorityOptions { recent_steps: 2, ..PriorityOptions::default() };
    let values: Vec<u8> =
        priorities(&history, &tracker, &options).iter().map(|priority| priority.value()).collect();
    assert_eq!(values, [100, 90, 90, 80, 40, 70, 70, 30, 30, 70, 70, 40, 30, 30, 80, 50, 50, 60, 60]);
}

#[test]
fn updating_bit_by_bit_is_the_same_as_at_once() {
    let talk = Talk::default()
        .say("user", "go")
        .write("/f", "a\nb\n")
        .edit("/f", "a", "c", DONE)
        .bash("make", "")
        .call("Read", r#"{"file_path":"/f"}"#, "     1→c\n     2→b\n     3→");
    let mut bit_by_bit = FileTracker::new(Vocabulary::new());
    for end in 1..=talk.lines.len() {
        bit_by_bit.update(&support::history(talk.lines[..end].join("\n")));
    }
    let mut at_once = FileTracker::new(Vocabulary::new());
    at_once.update(&talk.history());
    assert_eq!(bit_by_bit.latest("/f"), at_once.latest("/f"));
    assert_eq!(bit_by_bit.file("/f"), at_once.file("/f"));
}
