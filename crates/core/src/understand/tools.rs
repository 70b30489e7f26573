//! From a tool call to what it does.

use std::borrow::Cow;
use std::collections::BTreeMap;
use std::sync::Arc;

use super::arguments::{Arguments, COMMANDS, DIRECTORIES, NEW, OLD, PATHS, TEXTS, search_replace_blocks};
use super::command_line::CommandLine;
use super::intent::intent;
use super::operation::{Change, Effect, Lines, MAX_LINE, Occurrences, Operation, Replacement, Shown, Verb};
use super::vocabulary::{ToolKind, Vocabulary};
use super::{patch, paths, script, shell, swe_agent};
use crate::json::{Kind, Raw};

/// A tool call as text.
#[derive(Clone, Copy, Debug)]
pub struct CallText<'a> {
    /// The tool's name.
    pub name: &'a str,
    /// Its arguments: JSON or free text.
    pub arguments: &'a str,
    /// Its result, where there is one.
    pub result: Option<&'a str>,
}

/// Where a session stands before a call, as far as it showed.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standing {
    /// The working directory of the session.
    pub directory: Option<String>,
    /// The file that is open in SWE-agent's editor.
    pub open_file: Option<String>,
    /// The scripts that the session has written, by their paths.
    pub scripts: Scripts,
}

/// Texts of scripts by their paths; shared, because every command is read beside them.
pub type Scripts = Arc<BTreeMap<String, String>>;

/// What a call does, and where a staying shell is afterwards.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Understood {
    /// Its operations in order; never empty for a known tool.
    pub operations: Vec<Operation>,
    /// The working directory afterwards, if the call moved it.
    pub moved_to: Option<String>,
    /// Why the call was made, in its own words.
    pub intent: Option<String>,
    /// The command line, for tools that run one.
    pub line: Option<CommandLine>,
}

impl Understood {
    fn of(operations: Vec<Operation>) -> Understood {
        Understood { operations, ..Understood::default() }
    }
}

/// Reads a call. Unknown tools are judged by their names and arguments, then by their results.
pub fn understand(vocabulary: &Vocabulary, call: CallText<'_>, standing: &Standing) -> Understood {
    understand_arguments(vocabulary, call.name, &Arguments::of(call.arguments), call.result, standing)
}

/// The same, where the arguments are parsed already.
pub(super) fn understand_arguments(
    vocabulary: &Vocabulary,
    name: &str,
    arguments: &Arguments<'_>,
    result: Option<&str>,
    standing: &Standing,
) -> Understood {
    let (kind, path_argument) = vocabulary.find(name).unzip();
    let kind = kind.or_else(|| guess(name, arguments));
    let cx = Context { arguments, standing, path_argument: path_argument.flatten() };
    let mut understood = match kind {
        Some(kind) => cx.understand(kind),
        None => Understood::of(vec![Operation::new(Verb::Other)]),
    };
    if let Some(result) = result {
        name_by_result(&mut understood.operations, result);
    }
    understood.intent = intent(arguments);
    understood
}

struct Context<'a> {
    arguments: &'a Arguments<'a>,
    standing: &'a Standing,
    path_argument: Option<&'a str>,
}

impl Context<'_> {
    fn understand(&self, kind: ToolKind) -> Understood {
        let operations = match kind {
            ToolKind::Read => self.read(1),
            ToolKind::ReadFromZero => self.read(0),
            ToolKind::Write => self.write(self.path()),
            ToolKind::Replace => self.replace(),
            ToolKind::Rewrite => vec![self.on(Verb::Edit).change(Change::Unknown)],
            ToolKind::Insert => vec![self.insert(&["insert_line", "line", "after_line"])],
            ToolKind::Append => vec![self.append()],
            ToolKind::Editor => self.editor(),
            ToolKind::Patch => self.patch(),
            ToolKind::Shell | ToolKind::StayingShell => return self.shell(kind),
            ToolKind::SweAgent => return self.swe_agent(),
            ToolKind::Python => self.python(),
            ToolKind::Script => return self.script(),
            ToolKind::Plain(verb) => self.plain(verb),
        };
        Understood::of(operations)
    }

    fn resolve(&self, path: &str) -> String {
        let path = path.strip_prefix("file://").unwrap_or(path);
        paths::join(self.standing.directory.as_deref(), path)
    }

    fn path(&self) -> Option<String> {
        let own = self.path_argument.and_then(|key| self.arguments.string(&[key]));
        own.or_else(|| self.arguments.string(&PATHS)).map(|path| self.resolve(&path))
    }

    /// Where a tool takes several paths: all of them.
    fn paths(&self) -> Vec<String> {
        let list = self.arguments.get(&["paths", "file_paths", "files", "include"]);
        let list = list.filter(|list| list.kind() == Kind::Array).map(|list| {
            let path = |element: Raw| {
                element.str().or_else(|| element.str_at("path")).map(|path| self.resolve(&path))
            };
            list.elements().filter_map(path).collect::<Vec<_>>()
        });
        list.filter(|list| !list.is_empty()).unwrap_or_else(|| self.path().into_iter().collect())
    }

    fn on(&self, verb: Verb) -> Operation {
        Operation { path: self.path(), ..Operation::new(verb) }
    }

    fn plain(&self, verb: Verb) -> Vec<Operation> {
        let mut operation = self.on(verb);
        match verb {
            Verb::Move | Verb::Copy => {
                let to = self.arguments.string(&["destination", "to", "new_path", "target", "dest"]);
                operation.to = to.map(|to| self.resolve(&to));
            }
            Verb::Fetch => {
                operation.path = self.arguments.string(&["url", "query", "q"]).map(Cow::into_owned)
            }
            Verb::Run => operation.command = self.arguments.string(&COMMANDS).map(Cow::into_owned),
            Verb::Subagent | Verb::Todo | Verb::Ask | Verb::Other => operation.path = None,
            _ => {}
        }
        // Another agent works on the same files.
        if verb == Verb::Subagent || verb == Verb::Run {
            operation.effect = Effect::Anything;
        }
        vec![operation]
    }

    fn read(&self, origin: i64) -> Vec<Operation> {
        let lines = self.read_lines(origin);
        let paths = self.paths();
        let shown = if paths.len() == 1 { Shown::Either } else { Shown::No };
        if paths.is_empty() {
            return vec![Operation::new(Verb::Read).lines(lines).shown(Shown::Either)];
        }
        paths.into_iter().map(|path| Operation::on(Verb::Read, path).lines(lines).shown(shown)).collect()
    }

    fn read_lines(&self, origin: i64) -> Option<Lines> {
        if let Some(range) = self.arguments.get(&["view_range", "line_range", "range"]) {
            let ends: Vec<i64> = range
                .elements()
                .filter_map(|end| end.f64())
                .map(|end| end.clamp(-1.0, MAX_LINE as f64) as i64)
                .collect();
            return match ends.as_slice() {
                [first, last] => span(*first, Some(*last).filter(|last| *last > 0)),
                _ => None,
            };
        }
        let first = self.arguments.number(&[
            "start_line",
            "startLine",
            "line_start",
            "start_line_one_indexed",
            "StartLine",
            "start",
        ]);
        let last = self.arguments.number(&[
            "end_line",
            "endLine",
            "line_end",
            "end_line_one_indexed_inclusive",
            "EndLine",
            "end",
        ]);
        if first.is_some() || last.is_some() {
            return span(first.unwrap_or(1), last);
        }
        let offset = self.arguments.number(&["offset"]);
        let limit = self.arguments.number(&["limit"]);
        if offset.is_none() && limit.is_none() {
            return None;
        }
        let first = (offset.unwrap_or(origin) + 1 - origin).max(1);
        span(first, limit.map(|limit| first + limit - 1))
    }

    fn write(&self, path: Option<String>) -> Vec<Operation> {
        let text = self.arguments.string(&TEXTS);
        let change = text.map_or(Change::Unknown, |text| Change::Whole(text.into_owned()));
        vec![Operation { path, ..Operation::new(Verb::Create) }.change(change)]
    }

    fn replace(&self) -> Vec<Operation> {
        // Some harnesses call a whole write an edit.
        let whole = self.arguments.string(&["content", "file_text"]);
        let replacements = self.replacements();
        let change = match (replacements.is_empty(), whole) {
            (false, _) => Change::Replace(replacements),
            (true, Some(text)) => {
                return vec![self.on(Verb::Create).change(Change::Whole(text.into_owned()))];
            }
            (true, None) => Change::Unknown,
        };
        // Gemini's `replace` and Claude's `Edit` make a file of an empty old text.
        if let Change::Replace(all) = &change
            && let [Replacement { old, new, .. }] = all.as_slice()
            && old.is_empty()
        {
            let text = new.clone();
            return vec![self.on(Verb::Create).change(Change::Whole(text))];
        }
        vec![self.on(Verb::Edit).change(change)]
    }

    fn replacements(&self) -> Vec<Replacement> {
        let single = self.replacement(self.arguments);
        if let Some(replacement) = single {
            return vec![replacement];
        }
        if let Some(list) = self.arguments.get(&["edits", "replacements", "ReplacementChunks"]) {
            let each = |element: Raw| self.replacement(&Arguments::inside(element));
            return list.elements().filter_map(each).collect();
        }
        self.arguments.string(&["diff"]).map(|diff| search_replace_blocks(&diff)).unwrap_or_default()
    }

    fn replacement(&self, arguments: &Arguments<'_>) -> Option<Replacement> {
        let old = arguments.string(&OLD)?.into_owned();
        let new = arguments.string(&NEW).unwrap_or_default().into_owned();
        let many = arguments.is_true(&["replace_all", "replaceAll", "allow_multiple", "AllowMultiple"])
            || arguments.number(&["expected_replacements"]).is_some_and(|n| n > 1);
        let occurrences = if many { Occurrences::All } else { Occurrences::Single };
        Some(Replacement { old, new, occurrences })
    }

    fn insert(&self, line_keys: &[&str]) -> Operation {
        let text = self.arguments.string(&["new_str", "insert_text", "text", "content"]);
        let change = match (self.arguments.number(line_keys), text) {
            (Some(line), Some(text)) if line >= 0 => {
                let mut text = text.into_owned();
                if !text.ends_with('\n') {
                    text.push('\n');
                }
                Change::Insert { after: line as usize, text }
            }
            _ => Change::Unknown,
        };
        self.on(Verb::Edit).change(change)
    }

    fn append(&self) -> Operation {
        let text = self.arguments.string(&TEXTS);
        self.on(Verb::Edit).change(text.map_or(Change::Unknown, |text| Change::Append(text.into_owned())))
    }

    fn editor(&self) -> Vec<Operation> {
        match self.arguments.string(&["command"]).as_deref() {
            Some("view") => self.read(1),
            Some("create") => self.write(self.path()),
            Some("str_replace") => self.replace(),
            Some("insert") => vec![self.insert(&["insert_line"])],
            Some("undo_edit") => vec![self.on(Verb::Edit).change(Change::Undo)],
            Some("delete") => vec![self.on(Verb::Delete)],
            _ => vec![self.on(Verb::Other)],
        }
    }

    fn patch(&self) -> Vec<Operation> {
        let text = self.arguments.string(&["input", "patch", "diff", "patchText", "content"]);
        let text = text.unwrap_or(Cow::Borrowed(self.arguments.text));
        let mut operations = patch::operations(&text);
        for operation in &mut operations {
            operation.path = operation.path.as_ref().map(|path| self.resolve(path));
            operation.to = operation.to.as_ref().map(|path| self.resolve(path));
        }
        if operations.is_empty() {
            operations.push(Operation { effect: Effect::Anything, ..Operation::new(Verb::Edit) });
        }
        operations
    }

    fn shell(&self, kind: ToolKind) -> Understood {
        let command = self.command_line();
        let directory = self.arguments.string(&DIRECTORIES).map(|directory| self.resolve(&directory));
        let directory = directory.or_else(|| self.standing.directory.clone());
        let mut understood = run_shell(&command, directory.as_deref(), self.standing);
        if kind != ToolKind::StayingShell || understood.moved_to == directory {
            understood.moved_to = None;
        }
        understood
    }

    /// The command of a shell tool: a string, or a list of words as Codex once had it.
    fn command_line(&self) -> String {
        let text = match self.arguments.get(&COMMANDS) {
            Some(list) if list.kind() == Kind::Array => {
                let words: Vec<String> =
                    list.elements().filter_map(|word| word.str().map(Cow::into_owned)).collect();
                match words.as_slice() {
                    [shell, option, command] if option.ends_with('c') && shell.ends_with("sh") => {
                        command.clone()
                    }
                    words => quoted(words),
                }
            }
            Some(command) => command.str().unwrap_or_default().into_owned(),
            None if !self.arguments.is_object() => self.arguments.text.to_string(),
            None => String::new(),
        };
        unfenced(&text).to_string()
    }

    fn swe_agent(&self) -> Understood {
        let command = self.command_line();
        match swe_agent::operation(&command, self.standing) {
            Some(operation) => Understood::of(vec![operation]),
            None => run_shell(&command, self.standing.directory.as_deref(), self.standing),
        }
    }

    fn python(&self) -> Vec<Operation> {
        let text = self.arguments.string(&["code", "input", "command"]);
        let touched = script::touched(text.as_deref().unwrap_or(self.arguments.text));
        let mut operations = touched.operations;
        for operation in &mut operations {
            operation.path = operation.path.as_ref().map(|path| self.resolve(path));
        }
        let command = text.map(Cow::into_owned);
        operations.push(Operation { command, effect: touched.effect, ..Operation::new(Verb::Run) });
        operations
    }

    fn script(&self) -> Understood {
        let text = self.arguments.string(&["input", "code", "script"]);
        let text = text.as_deref().unwrap_or(self.arguments.text);
        let (calls, patches) = script::codex(text);
        let shells: Vec<_> = calls
            .iter()
            .filter_map(|call| Some((call.command.as_ref()?, call.directory.as_deref())))
            .collect();
        let mut operations = Vec::new();
        let mut lines = Vec::new();
        for (command, directory) in &shells {
            let directory = directory
                .map(|directory| self.resolve(directory))
                .or_else(|| self.standing.directory.clone());
            let understood = run_shell(command, directory.as_deref(), self.standing);
            operations.extend(understood.operations);
            lines.extend(understood.line);
        }
        for patch in &patches {
            operations.extend(patch::operations(patch).into_iter().map(|mut operation| {
                operation.path = operation.path.map(|path| self.resolve(&path));
                operation.to = operation.to.map(|path| self.resolve(&path));
                operation
            }));
        }
        if shells.len() + patches.len() != 1 {
            operations.iter_mut().for_each(|operation| operation.shown = Shown::No);
        }
        if operations.is_empty() {
            let fetches = calls.iter().any(|call| call.tool.starts_with("web"));
            operations.push(Operation::new(if fetches { Verb::Fetch } else { Verb::Other }));
        }
        // A script that prints the result as JSON does not show the file's lines as they are.
        if text.contains("JSON.stringify") {
            operations.iter_mut().for_each(|operation| operation.shown = Shown::No);
        }
        Understood { line: CommandLine::joined(lines), ..Understood::of(operations) }
    }
}

fn run_shell(command: &str, directory: Option<&str>, standing: &Standing) -> Understood {
    let line = Some(CommandLine::of(command, directory));
    let shell::Analysis { mut operations, directory } =
        shell::analyse_beside(command, directory, &standing.scripts);
    if operations.is_empty() {
        operations.push(Operation { command: Some(command.to_string()), ..Operation::new(Verb::Run) });
    }
    Understood { operations, moved_to: directory, intent: None, line }
}

fn span(first: i64, last: Option<i64>) -> Option<Lines> {
    let first = first.max(1) as usize;
    Some(Lines::Span { first, last: last.map(|last| (last.max(0) as usize).max(first)) })
}

fn quoted(words: &[String]) -> String {
    let words: Vec<String> = words.iter().map(|word| format!("'{}'", word.replace('\'', "'\\''"))).collect();
    words.join(" ")
}

/// The command inside a fenced block, as mini-swe-agent writes it; other text as it is.
fn unfenced(text: &str) -> &str {
    let trimmed = text.trim();
    let Some(rest) = trimmed.strip_prefix("```") else { return text };
    let body = rest.split_once('\n').map_or("", |(_, body)| body);
    body.trim_end().strip_suffix("```").unwrap_or(body)
}

/// What an unknown tool probably does, by its name and arguments.
fn guess(name: &str, arguments: &Arguments<'_>) -> Option<ToolKind> {
    let name = name.to_ascii_lowercase();
    let names = |words: &[&str]| words.iter().any(|word| name.contains(word));
    let has_path = arguments.string(&PATHS[..12]).is_some();
    match () {
        () if has_path && arguments.string(&OLD).is_some() => Some(ToolKind::Replace),
        () if has_path && names(&["write", "create", "save"]) && arguments.string(&TEXTS).is_some() => {
            Some(ToolKind::Write)
        }
        () if has_path && names(&["edit", "modify", "patch", "update"]) => Some(ToolKind::Rewrite),
        () if has_path && names(&["delete", "remove"]) => Some(ToolKind::Plain(Verb::Delete)),
        () if names(&["read", "view", "open", "cat", "get"]) && (has_path || names(&["file"])) => {
            Some(ToolKind::Read)
        }
        () if names(&["shell", "bash", "terminal", "exec"]) && arguments.string(&COMMANDS).is_some() => {
            Some(ToolKind::Shell)
        }
        () if names(&["search", "grep", "find"]) && has_path => Some(ToolKind::Plain(Verb::Search)),
        () if names(&["subagent", "delegate"]) => Some(ToolKind::Plain(Verb::Subagent)),
        () => None,
    }
}

/// Gives an operation on a file the path that its result names, where the arguments have none.
fn name_by_result(operations: &mut [Operation], result: &str) {
    for operation in operations.iter_mut().filter(|operation| operation.path.is_none()) {
        if operation.verb.touches_files() {
            operation.path = path_in_result(result).map(|path| paths::normalise(&path));
        }
    }
}

/// The path a result names: a `File:` or `Path:` line, or the member of a JSON object.
pub(crate) fn path_in_result(result: &str) -> Option<String> {
    if let Ok(raw) = Raw::parse(result) {
        return Arguments::inside(raw)
            .string(&["path", "file", "filePath", "file_path"])
            .map(Cow::into_owned);
    }
    result.lines().take(20).find_map(|line| {
        let line = line.trim_start_matches('[');
        let path =
            ["File: ", "Path: ", "file: ", "path: "].iter().find_map(|mark| line.strip_prefix(mark))?;
        let path = path.split(" (").next().unwrap_or(path).trim().trim_end_matches(']');
        (!path.is_empty()).then(|| path.to_string())
    })
}
