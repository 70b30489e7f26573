//! One record per answered call: what it did and how it ended, read once, when the result comes.

use std::collections::BTreeSet;
use std::sync::Arc;

use bytestring::ByteString;

use super::arguments::Arguments;
use super::categories::{Categories, Category};
use super::changelog::FileChange;
use super::command_line::CommandLine;
use super::ending::{Ending, StatedPlace, says_crash};
use super::operation::{Change, Operation, Verb};
use super::paths;
use super::stated::stated;
use super::tools::{Standing, understand_arguments};
use super::vocabulary::Vocabulary;
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Role};

/// What one answered call did and how it ended. Everything that wants to know reads it here.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct CallRecord {
    /// The call; `None` where only its result is in the history.
    pub call: Option<ItemId>,
    /// The result.
    pub result: ItemId,
    /// The step it belongs to; 0 outside steps.
    pub step: u32,
    /// The turn it belongs to.
    pub turn: u32,
    /// The tool's name; empty where nothing names it.
    pub tool: ByteString,
    /// What it does, in order.
    pub operations: Vec<Operation>,
    /// The command line as it was sent, for tools that run one.
    pub line: Option<CommandLine>,
    /// How it ended.
    pub ending: Ending,
    /// The files it changed; none where it was refused or failed.
    pub changes: Vec<FileChange>,
    /// Why it was made, in its own words.
    pub intent: Option<String>,
    /// How its result could be had again.
    pub category: Option<Category>,
}

impl CallRecord {
    /// What was done, in order.
    pub(crate) fn verbs(&self) -> impl Iterator<Item = Verb> {
        self.operations.iter().map(|operation| operation.verb)
    }

    /// Whether it searched and found nothing: `grep` then has answered, not failed. `body` is what it printed.
    pub(crate) fn found_nothing(&self, body: &str) -> bool {
        let searches = self.line.as_ref().is_some_and(CommandLine::ends_in_search);
        self.ending.exit == Some(1) && searches && !says_crash(body)
    }

    /// The files it names, in order; one may stand there twice.
    pub fn paths(&self) -> impl Iterator<Item = &str> {
        self.operations.iter().filter_map(|operation| operation.path.as_deref())
    }

    /// The only file it names.
    pub(crate) fn only_path(&self) -> Option<&str> {
        let first = self.paths().next()?;
        self.paths().all(|path| path == first).then_some(first)
    }

    /// The command line, where there was one.
    pub fn command(&self) -> Option<&str> {
        self.operations.iter().find_map(|operation| operation.command.as_deref())
    }

    /// Whether it ran a command.
    pub(crate) fn is_command(&self) -> bool {
        self.command().is_some() || self.verbs().any(|verb| verb == Verb::Run)
    }

    /// Whether it changed a file, as far as it says.
    pub fn writes(&self) -> bool {
        self.verbs().any(Verb::writes)
    }

    /// The change it made, if it changed one file and did nothing else.
    pub fn lone_change(&self) -> Option<&FileChange> {
        let is_alone = self.only_path().is_some() && self.verbs().all(Verb::writes);
        self.changes.first().filter(|_| is_alone)
    }

    /// The messages of the call and of its result, if they hold nothing but these and what was said with the call.
    pub fn lone_messages(&self, history: &History) -> Option<[MessageId; 2]> {
        let (call, result) = (self.call?, self.result);
        let [asks, answers] = [call, result].map(|item| history.item(item).message);
        let is_said =
            |item: ItemId| matches!(history.item(item).kind, ItemKind::Text | ItemKind::Reasoning(_));
        let is_alone = history.message(asks).item_ids().all(|item| item == call || is_said(item))
            && history.message(answers).item_ids().all(|item| item == result);
        (asks != answers && is_alone).then_some([asks, answers])
    }

    /// The one file that it read and nothing else.
    pub fn read_file(&self) -> Option<&str> {
        match &self.operations[..] {
            [operation] if operation.verb == Verb::Read => operation.path.as_deref(),
            _ => None,
        }
    }

    /// Spells paths as Windows does that Git Bash spells its own way.
    pub(super) fn respell(&mut self, drives: &BTreeSet<char>) {
        let operations = self.operations.iter_mut().filter(|operation| operation.verb.touches_files());
        for path in
            operations.flat_map(|operation| [operation.path.as_mut(), operation.to.as_mut()]).flatten()
        {
            if let Some(spelt) = paths::on_drive(path, drives) {
                *path = spelt;
            }
        }
    }

    /// Gives paths that were relative their place in a directory that has become known.
    pub(super) fn anchor(&mut self, directory: &str) {
        let operations = self.operations.iter_mut().filter(|operation| operation.verb.touches_files());
        let operations = operations.flat_map(|operation| [operation.path.as_mut(), operation.to.as_mut()]);
        let changes = self.changes.iter_mut().flat_map(|change| [Some(&mut change.path), change.to.as_mut()]);
        for path in operations.chain(changes).flatten().filter(|path| !paths::is_anchored(path)) {
            *path = paths::join(Some(directory), path);
        }
    }
}

/// Reads the items of a history one after the other, knowing where the session stands.
#[derive(Clone, Debug, Default)]
pub struct CallReader {
    vocabulary: Vocabulary,
    categories: Categories,
    standing: Standing,
}

impl CallReader {
    /// Stands at the beginning of a history.
    pub fn new(vocabulary: Vocabulary, categories: Categories) -> CallReader {
        CallReader { vocabulary, categories, standing: Standing::default() }
    }

    /// The tools it knows.
    pub fn vocabulary(&self) -> &Vocabulary {
        &self.vocabulary
    }

    /// Where the session stands.
    pub fn standing(&self) -> &Standing {
        &self.standing
    }

    /// Tells the working directory, where something else has shown it.
    pub(super) fn set_directory(&mut self, directory: &str) {
        self.standing.directory = Some(paths::normalise(directory));
    }

    /// Reads the next item: a result makes a record, whose changes are not counted yet.
    pub fn read(&mut self, history: &History, id: ItemId) -> Option<CallRecord> {
        let item = history.item(id);
        match &item.kind {
            ItemKind::Text if self.standing.directory.is_none() => {
                if history.message(item.message).role != Role::Assistant {
                    let stated = item.texts.iter().find_map(|text| stated_directory(&text.value));
                    self.standing.directory = stated.map(paths::normalise);
                }
                None
            }
            ItemKind::Result(_) => Some(self.read_result(history, id, item)),
            _ => None,
        }
    }

    fn read_result(&mut self, history: &History, id: ItemId, item: &Item) -> CallRecord {
        let call = history.pair(id);
        let tool = tool(history, id);
        let arguments = call.map(|call| history.item(call).text()).unwrap_or_default();
        let arguments = Arguments::of(&arguments);
        let text = item.text();
        let value = history.structure_of(item).unwrap_or(&text);
        let stated = stated(value);
        let is_error = item.result().is_some_and(|result| result.is_error) || stated.failed;
        let (mut ending, place) = Ending::and_place(&text, is_error);
        ending.exit = stated.exit.or(ending.exit);
        self.learn_directory(&arguments, place);
        let understood =
            understand_arguments(&self.vocabulary, &tool, &arguments, Some(value), &self.standing);
        let line = understood.line.as_ref();
        ending.judge(line, &understood.operations, &text, is_error);
        if ending.succeeded() {
            self.note_scripts(&understood.operations);
        }
        if let Some(directory) = understood.moved_to.filter(|_| ending.succeeded()) {
            self.standing.directory = Some(directory);
        }
        if let Some(directory) = place.directory {
            self.standing.directory = Some(directory.to_string());
            self.standing.open_file = place.open_file.map(String::from);
        }
        CallRecord {
            call,
            result: id,
            step: item.step.unwrap_or(0),
            turn: item.turn,
            category: self.categories.of(&tool, &understood.operations),
            tool,
            operations: understood.operations,
            line: understood.line,
            ending,
            changes: Vec::new(),
            intent: understood.intent,
        }
    }

    /// Keeps the scripts that a call wrote, for the commands that run them.
    fn note_scripts(&mut self, operations: &[Operation]) {
        for operation in operations {
            let (Some(path), Change::Whole(text)) = (&operation.path, &operation.change) else { continue };
            let is_script =
                SCRIPTS.iter().any(|ending| path.ends_with(ending)) && text.len() <= LONGEST_SCRIPT;
            let has_room =
                self.standing.scripts.len() < MOST_SCRIPTS || self.standing.scripts.contains_key(path);
            if is_script && has_room {
                Arc::make_mut(&mut self.standing.scripts).insert(path.clone(), text.clone());
            }
        }
    }

    /// Codex names the directory with each command; its patches are relative to the same one.
    fn learn_directory(&mut self, arguments: &Arguments<'_>, place: StatedPlace<'_>) {
        if self.standing.directory.is_none() {
            let named = arguments.string(&["workdir"]).filter(|path| is_absolute(path));
            let stated = named.as_deref().or(place.directory);
            self.standing.directory = stated.map(paths::normalise);
        }
    }
}

/// Endings of scripts whose texts tell which files they open.
const SCRIPTS: [&str; 6] = [".py", ".js", ".mjs", ".cjs", ".ts", ".rb"];
/// Longer ones, and more, are not kept.
const LONGEST_SCRIPT: usize = 1 << 16;
const MOST_SCRIPTS: usize = 200;

fn tool(history: &History, result: ItemId) -> ByteString {
    let called =
        history.pair(result).and_then(|call| history.item(call).call()).map(|call| call.name.clone());
    let named = || history.item(result).result().and_then(|result| result.name.clone());
    called.or_else(named).unwrap_or_default()
}

/// Marks after which harnesses state the working directory.
const STATED: [&str; 3] = ["<cwd>", "\nWorking directory: ", "working directory: "];

fn is_absolute(path: &str) -> bool {
    path.starts_with('/') || paths::drive(path).is_some()
}

fn stated_directory(text: &str) -> Option<&str> {
    STATED.iter().find_map(|mark| {
        let rest = &text[text.find(mark)? + mark.len()..];
        let end = rest.find(['<', '\n', ' ', ')', '`', '"']).unwrap_or(rest.len());
        let path = &rest[..end];
        (is_absolute(path) && path.len() > 1).then_some(path)
    })
}
