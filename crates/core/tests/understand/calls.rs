//! Calls as the known agents make them, and what they do.

use enfold::understand::operation::{Change, Occurrences};
use enfold::understand::tools::{CallText, Standing, understand};
use enfold::understand::vocabulary::Vocabulary;

use crate::support::describe;

fn operations(name: &str, arguments: &str) -> Vec<enfold::understand::operation::Operation> {
    let standing = Standing {
        directory: Some("/w".into()),
        open_file: Some("/w/open.py".into()),
        ..Standing::default()
    };
    understand(&Vocabulary::new(), CallText { name, arguments, result: None }, &standing).operations
}

#[test]
fn every_agents_tools_are_known() {
    for (name, arguments, wanted) in [
        ("Read", r#"{"file_path":"/a","offset":10,"limit":5}"#, "read /a:10-14"),
        ("Read", r#"{"file_path":"/a","offset":10}"#, "read /a:10-"),
        ("MultiEdit", r#"{"file_path":"/a","edits":[{"old_string":"x","new_string":"y"}]}"#, "edit /a"),
        ("NotebookEdit", r#"{"notebook_path":"/n.ipynb","new_source":"x"}"#, "edit /n.ipynb"),
        ("LS", r#"{"path":"/d"}"#, "list /d"),
        ("shell", r#"{"command":["bash","-lc","sed -n '1,9p' a.rs"],"workdir":"/r"}"#, "read /r/a.rs:1-9"),
        ("shell", r#"{"command":["cat","my file"]}"#, "read /w/my file"),
        (
            "local_shell",
            r#"{"command":["apply_patch","*** Begin Patch\n*** Delete File: x\n*** End Patch"]}"#,
            "delete /w/x",
        ),
        ("apply_patch", "*** Begin Patch\n*** Add File: n\n+x\n*** End Patch", "create /w/n"),
        ("exec", "await tools.exec_command({cmd: 'cat a', workdir: '/r'})", "read /r/a"),
        ("view_image", r#"{"path":"p.png"}"#, "read /w/p.png"),
        ("update_plan", r#"{"plan":[]}"#, "todo ?"),
        ("str_replace_editor", r#"{"command":"view","path":"/a","view_range":[3,-1]}"#, "read /a:3-"),
        ("file_editor", r#"{"command":"create","path":"/a","file_text":"x"}"#, "create /a"),
        ("execute_ipython_cell", r#"{"code":"open('o.txt','w').write('x')"}"#, "create /w/o.txt; run ?"),
        ("run", r#"{"command":"edit 2:3\nx\nend_of_edit"}"#, "edit /w/open.py:2-3"),
        ("run", r#"{"command":"search_file foo"}"#, "search /w/open.py"),
        ("bash", "```bash\ncat notes\n```", "read /w/notes"),
        ("view", r#"{"path":"/a","view_range":[1,50]}"#, "read /a:1-50"),
        ("create", r#"{"path":"/a","file_text":"x"}"#, "create /a"),
        ("powershell", r#"{"command":"git status"}"#, "run ?"),
        ("report_intent", r#"{"intent":"look"}"#, "other ?"),
        ("read_file", r#"{"absolute_path":"/a","offset":0,"limit":10}"#, "read /a:1-10"),
        ("read_many_files", r#"{"paths":["a","b"]}"#, "read /w/a; read /w/b"),
        ("replace", r#"{"file_path":"/a","old_string":"","new_string":"x"}"#, "create /a"),
        ("search_file_content", r#"{"pattern":"x","path":"src"}"#, "search /w/src"),
        (
            "read_file",
            r#"{"target_file":"a","start_line_one_indexed":2,"end_line_one_indexed_inclusive":9}"#,
            "read /w/a:2-9",
        ),
        ("edit_file", r#"{"target_file":"a","code_edit":"// ... existing code ..."}"#, "edit /w/a"),
        ("run_terminal_cmd", r#"{"command":"rm -f x"}"#, "delete /w/x"),
        (
            "replace_in_file",
            r#"{"path":"a","diff":"<<<<<<< SEARCH\nx\n=======\ny\n>>>>>>> REPLACE"}"#,
            "edit /w/a",
        ),
        ("write_to_file", r#"{"path":"a","content":"x"}"#, "create /w/a"),
        ("edit", r#"{"path":"a","oldText":"x","newText":"y"}"#, "edit /w/a"),
        ("mcp__fs__move_file", r#"{"source":"a","destination":"b"}"#, "move /w/a -> /w/b"),
        ("Task", r#"{"prompt":"go"}"#, "subagent ?"),
        ("my_write_thing", r#"{"path":"a","content":"x"}"#, "create /w/a"),
        ("book_flight", r#"{"id":1}"#, "other ?"),
        ("Read", "not json", "read ?"),
        ("Bash", "{\"command\": 7}", "run ?"),
    ] {
        let seen: Vec<String> = operations(name, arguments).iter().map(describe).collect();
        assert_eq!(seen.join("; "), wanted, "{name} {arguments}");
    }
}

#[test]
fn replacements_are_read_from_every_shape() {
    for (name, arguments) in [
        ("Edit", r#"{"file_path":"/a","old_string":"x","new_string":"y","replace_all":true}"#),
        ("edit", r#"{"filePath":"/a","oldString":"x","newString":"y","replaceAll":true}"#),
        ("replace", r#"{"file_path":"/a","old_string":"x","new_string":"y","expected_replacements":2}"#),
    ] {
        let Change::Replace(all) = &operations(name, arguments)[0].change else { panic!("{name}") };
        assert_eq!(
            (all[0].old.as_str(), all[0].new.as_str(), all[0].occurrences),
            ("x", "y", Occurrences::All)
        );
    }
    let diff = r#"{"path":"a","diff":"<<<<<<< SEARCH\n:start_line:3\n-------\nx\nz\n=======\ny\n>>>>>>> REPLACE\n<<<<<<< SEARCH\nq\n=======\n>>>>>>> REPLACE"}"#;
    let Change::Replace(all) = &operations("apply_diff", diff)[0].change else { panic!() };
    let texts: Vec<_> = all.iter().map(|each| (each.old.as_str(), each.new.as_str())).collect();
    assert_eq!(texts, [("x\nz", "y"), ("q", "")]);
}
