//! The tools that agents have, by name: a table, and room for more.

use super::operation::Verb;

/// A tool and what its calls do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tool {
    /// Its name, as it stands in the call.
    pub name: String,
    /// How its arguments are to be read.
    pub kind: ToolKind,
    /// The argument that holds the path, where it is none of the usual ones.
    pub path_argument: Option<String>,
}

/// How the arguments of a tool are to be read.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum ToolKind {
    /// Shows a file, all of it or some lines.
    Read,
    /// Like [`ToolKind::Read`], with lines counted from 0.
    ReadFromZero,
    /// Writes a whole file.
    Write,
    /// Puts text in place of other text: one replacement, a list of them, or search and replace blocks.
    Replace,
    /// Changes a file in a way only the tool knows.
    Rewrite,
    /// Puts text after a line.
    Insert,
    /// Appends text.
    Append,
    /// One tool whose `command` argument says what to do: view, create, str_replace, insert, undo_edit.
    Editor,
    /// Takes a patch.
    Patch,
    /// Runs a shell command in a fresh shell each time.
    Shell,
    /// Runs shell commands in one shell that stays in the directory it was led to.
    StayingShell,
    /// SWE-agent's language: shell commands and `open`, `edit`, `goto`, …
    SweAgent,
    /// Runs Python text.
    Python,
    /// Runs a script that calls other tools (Codex `exec`).
    Script,
    /// Anything that needs no more than a verb and perhaps a path.
    Plain(Verb),
}

/// The names of the known agents' tools. Where two agents use one name differently the arguments tell them apart.
const BUILT_IN: &[(&str, ToolKind)] = {
    use ToolKind::*;
    use Verb::*;
    &[
        // Claude Code
        ("Read", ToolKind::Read),
        ("NotebookRead", ToolKind::Read),
        ("Write", Write),
        ("Edit", Replace),
        ("MultiEdit", Replace),
        ("NotebookEdit", Rewrite),
        ("Glob", Plain(Search)),
        ("Grep", Plain(Search)),
        ("LS", Plain(List)),
        ("Bash", StayingShell),
        ("BashOutput", Plain(Run)),
        ("KillShell", Plain(Run)),
        ("KillBash", Plain(Run)),
        ("Monitor", Shell),
        ("WebFetch", Plain(Fetch)),
        ("WebSearch", Plain(Fetch)),
        ("Task", Plain(Subagent)),
        ("Agent", Plain(Subagent)),
        ("SubAgent", Plain(Subagent)),
        ("TaskOutput", Plain(Subagent)),
        ("AgentOutputTool", Plain(Subagent)),
        ("TodoWrite", Plain(Todo)),
        ("TodoRead", Plain(Todo)),
        ("TaskCreate", Plain(Todo)),
        ("TaskUpdate", Plain(Todo)),
        ("TaskList", Plain(Todo)),
        ("TaskGet", Plain(Todo)),
        ("AskUserQuestion", Plain(Ask)),
        ("EnterPlanMode", Plain(Other)),
        ("ExitPlanMode", Plain(Other)),
        ("Skill", Plain(Other)),
        ("SlashCommand", Plain(Other)),
        ("ToolSearch", Plain(Other)),
        // Codex
        ("shell", Shell),
        ("local_shell", Shell),
        ("local_shell_call", Shell),
        ("container.exec", Shell),
        ("exec_command", Shell),
        ("shell_command", Shell),
        ("unified_exec", Shell),
        ("write_stdin", Plain(Run)),
        ("apply_patch", Patch),
        ("exec", Script),
        ("wait", Plain(Run)),
        ("update_plan", Plain(Todo)),
        ("view_image", ToolKind::Read),
        ("web_search", Plain(Fetch)),
        ("spawn_agent", Plain(Subagent)),
        ("wait_agent", Plain(Other)),
        ("send_input", Plain(Subagent)),
        ("close_agent", Plain(Other)),
        ("list_agents", Plain(Other)),
        ("request_user_input", Plain(Ask)),
        // OpenHands, SWE-agent 1.x
        ("str_replace_editor", Editor),
        ("str_replace_based_edit_tool", Editor),
        ("str_replace_based_edit", Editor),
        ("file_editor", Editor),
        ("text_editor", Editor),
        ("edit_anthropic", Editor),
        ("execute_bash", StayingShell),
        ("terminal", StayingShell),
        ("execute_ipython_cell", Python),
        ("ipython", Python),
        ("python", Python),
        ("browser", Plain(Fetch)),
        ("browse", Plain(Fetch)),
        ("think", Plain(Other)),
        ("finish", Plain(Other)),
        ("submit", Plain(Other)),
        ("task_tracker", Plain(Todo)),
        ("bash", Shell),
        // SWE-agent 0.x
        ("run", SweAgent),
        ("command", SweAgent),
        // Copilot CLI
        ("view", ToolKind::Read),
        ("create", Write),
        ("edit", Replace),
        ("powershell", Shell),
        ("read_bash", Plain(Run)),
        ("write_bash", Plain(Run)),
        ("stop_bash", Plain(Run)),
        ("rg", Plain(Search)),
        ("report_intent", Plain(Other)),
        ("update_todo", Plain(Todo)),
        ("sql", Plain(Other)),
        // Gemini CLI
        ("read_file", ReadFromZero),
        ("read_many_files", ToolKind::Read),
        ("write_file", Write),
        ("replace", Replace),
        ("run_shell_command", Shell),
        ("search_file_content", Plain(Search)),
        ("glob", Plain(Search)),
        ("list_directory", Plain(List)),
        ("web_fetch", Plain(Fetch)),
        ("google_web_search", Plain(Fetch)),
        ("save_memory", Plain(Other)),
        ("write_todos", Plain(Todo)),
        // Cursor, Windsurf
        ("edit_file", Replace),
        ("search_replace", Replace),
        ("reapply", Rewrite),
        ("delete_file", Plain(Delete)),
        ("run_terminal_cmd", StayingShell),
        ("run_terminal_command", StayingShell),
        ("codebase_search", Plain(Search)),
        ("grep_search", Plain(Search)),
        ("file_search", Plain(Search)),
        ("list_dir", Plain(List)),
        ("todo_write", Plain(Todo)),
        ("fetch_rules", Plain(Other)),
        ("view_file", ToolKind::Read),
        ("write_to_file", Write),
        ("replace_file_content", Replace),
        ("run_command", Shell),
        // Cline, Roo
        ("replace_in_file", Replace),
        ("apply_diff", Replace),
        ("search_and_replace", Replace),
        ("insert_content", Insert),
        ("execute_command", Shell),
        ("list_files", Plain(List)),
        ("search_files", Plain(Search)),
        ("list_code_definition_names", Plain(List)),
        ("browser_action", Plain(Fetch)),
        ("ask_followup_question", Plain(Ask)),
        ("attempt_completion", Plain(Other)),
        ("new_task", Plain(Subagent)),
        ("update_todo_list", Plain(Todo)),
        // pi, opencode, plain names
        ("read", ToolKind::Read),
        ("write", Write),
        ("multiedit", Replace),
        ("multi_edit", Replace),
        ("patch", Patch),
        ("grep", Plain(Search)),
        ("find", Plain(Search)),
        ("ls", Plain(List)),
        ("list", Plain(List)),
        ("task", Plain(Subagent)),
        ("todowrite", Plain(Todo)),
        ("todoread", Plain(Todo)),
        ("webfetch", Plain(Fetch)),
        ("fetch", Plain(Fetch)),
        ("create_file", Write),
        ("append_file", Append),
        ("append_to_file", Append),
        ("insert_text", Insert),
        ("move_file", Plain(Move)),
        ("rename_file", Plain(Move)),
        ("copy_file", Plain(Copy)),
        ("remove_file", Plain(Delete)),
        ("create_directory", Plain(MakeDirectory)),
        ("make_directory", Plain(MakeDirectory)),
    ]
};

/// The tools that are known by name.
#[derive(Clone, Debug, Default)]
pub struct Vocabulary {
    added: Vec<Tool>,
}

impl Vocabulary {
    /// The tools of the known agents.
    pub fn new() -> Vocabulary {
        Vocabulary::default()
    }

    /// Adds a tool. It wins over those with the same name that were there before.
    pub fn add(&mut self, tool: Tool) {
        self.added.push(tool);
    }

    /// The tools that were added.
    pub fn own(&self) -> &[Tool] {
        &self.added
    }

    /// Whether a tool of this name is there to change files.
    pub fn edits(&self, name: &str) -> bool {
        let edits = |kind: ToolKind| match kind {
            ToolKind::Write
            | ToolKind::Replace
            | ToolKind::Rewrite
            | ToolKind::Insert
            | ToolKind::Append
            | ToolKind::Editor
            | ToolKind::Patch => true,
            ToolKind::Plain(verb) => verb.writes(),
            _ => false,
        };
        self.find(name).is_some_and(|(kind, _)| edits(kind))
    }

    /// How the arguments of a tool are to be read, and where its path is if not in the usual place.
    ///
    /// Names are compared exactly first, then without case, then without the prefix of an MCP server
    /// (`mcp__files__read_file`) or name space (`functions.read_file`).
    pub fn find(&self, name: &str) -> Option<(ToolKind, Option<&str>)> {
        let short = name.rsplit("__").next().unwrap_or(name);
        let short = short.rsplit('.').next().unwrap_or(short);
        self.named(|known| known == name)
            .or_else(|| self.named(|known| known.eq_ignore_ascii_case(name)))
            .or_else(|| self.named(|known| known.eq_ignore_ascii_case(short)))
    }

    fn named(&self, is_it: impl Fn(&str) -> bool) -> Option<(ToolKind, Option<&str>)> {
        let added = self.added.iter().rev().find(|tool| is_it(&tool.name));
        added
            .map(|tool| (tool.kind, tool.path_argument.as_deref()))
            .or_else(|| BUILT_IN.iter().find(|(name, _)| is_it(name)).map(|(_, kind)| (*kind, None)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_found_in_any_spelling() {
        let vocabulary = Vocabulary::new();
        assert_eq!(vocabulary.find("Read"), Some((ToolKind::Read, None)));
        assert_eq!(vocabulary.find("Bash"), Some((ToolKind::StayingShell, None)));
        assert_eq!(vocabulary.find("bash"), Some((ToolKind::Shell, None)));
        assert_eq!(vocabulary.find("functions.Apply_Patch"), Some((ToolKind::Patch, None)));
        assert_eq!(vocabulary.find("mcp__fs__write_file"), Some((ToolKind::Write, None)));
        assert_eq!(vocabulary.find("get_reservation_details"), None);
    }

    #[test]
    fn no_name_stands_twice() {
        let mut names: Vec<_> = BUILT_IN.iter().map(|(name, _)| name).collect();
        names.sort_unstable();
        let before = names.len();
        names.dedup();
        assert_eq!(names.len(), before);
    }

    #[test]
    fn added_tools_win() {
        let mut vocabulary = Vocabulary::new();
        vocabulary.add(Tool {
            name: "Read".into(),
            kind: ToolKind::Write,
            path_argument: Some("where".into()),
        });
        assert_eq!(vocabulary.find("Read"), Some((ToolKind::Write, Some("where"))));
    }
}
