//! Shell commands, parsed: which files they read and write, where they end up, and what they run.
//!
//! Nothing is executed and nothing is guessed from a disk: loops over literal words are unrolled, assigned variables
//! are put in, `cd` is followed, `bash -c` and here-documents are read. What stays open stays as it was written.

mod effect;
mod files;
mod follow;
mod parse;
mod programs;
mod sed;
mod tree;
mod view;
mod word;

use std::collections::BTreeMap;

pub(super) use self::parse::words;
use self::word::Word;
use super::operation::{Change, Effect, Operation, Shown, Verb};
use super::paths;
use super::tools::Scripts;

/// What a shell command does.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Analysis {
    /// Its operations in order.
    pub operations: Vec<Operation>,
    /// The working directory it leaves behind, where known.
    pub directory: Option<String>,
}

/// Commands in commands (`bash -c`, `eval`, `$(…)`) are followed this deep.
const MAX_DEPTH: usize = 6;
/// Commands looked at in one call, loops unrolled.
const MAX_COMMANDS: usize = 2_000;
/// Operations that a script of `sed` and its files may make together.
const MAX_OPERATIONS: usize = 2_000;
/// Words a loop is unrolled over.
const MAX_ROUNDS: usize = 100;
/// Bytes that loops, variables, here-documents and commands in commands may bring in all, on top of four times the
/// command. A variable that is set to twice itself, a few dozen times over, would otherwise fill any memory.
const MAX_BROUGHT: usize = 1 << 20;

/// Reads a command that starts in `directory`, where that is known.
pub fn analyse(command: &str, directory: Option<&str>) -> Analysis {
    analyse_beside(command, directory, &Scripts::default())
}

/// The same in a session that has written these scripts, which the command may run.
pub(super) fn analyse_beside(command: &str, directory: Option<&str>, scripts: &Scripts) -> Analysis {
    let allowance = Some(MAX_BROUGHT + 4 * command.len());
    let directory = directory.map(String::from);
    let mut shell = Shell { directory, allowance, scripts: scripts.clone(), ..Shell::default() };
    shell.command(command);
    shell.finish()
}

#[derive(Debug, Default)]
struct Shell {
    directory: Option<String>,
    /// What is known about variables.
    variables: BTreeMap<String, String>,
    /// Files this command has written with known text: path and text.
    written: Vec<(String, String)>,
    /// Scripts that were written before.
    scripts: Scripts,
    operations: Vec<Operation>,
    /// How many commands print something that reaches the caller.
    outputs: usize,
    /// The read whose text is printed, if the last output was one.
    printed: Option<(usize, Shown)>,
    depth: usize,
    commands: usize,
    /// Bytes that may still be brought in; `None` when more were asked for.
    allowance: Option<usize>,
}

/// A simple command with its words ready and its redirections sorted out.
#[derive(Debug, Default)]
struct Simple {
    words: Vec<Word>,
    input: Option<Flow>,
    outputs: Vec<Output>,
}

/// A redirection of standard output or errors to a file.
#[derive(Debug)]
struct Output {
    path: Word,
    append: bool,
    errors_only: bool,
}

/// What runs through a pipe.
#[derive(Clone, Debug, PartialEq)]
enum Flow {
    /// Nothing at all.
    Silence,
    /// A text the command line shows.
    Text(String),
    /// What these read operations read, and nothing else; whether still line by line as in the file.
    Files { reads: Vec<usize>, shown: Shown },
    /// Something unknown.
    Opaque,
}

impl Shell {
    fn finish(mut self) -> Analysis {
        if self.is_spent() {
            self.note_unseen();
        }
        if let (1, Some((read, shown))) = (self.outputs, self.printed) {
            self.operations[read].shown = shown;
        }
        Analysis { operations: self.operations, directory: self.directory }
    }

    fn command(&mut self, command: &str) {
        if self.depth >= MAX_DEPTH || !self.bring(command.len()) {
            return;
        }
        let script = parse::script(command);
        self.depth += 1;
        self.list(&script.list);
        self.depth -= 1;
        if !script.whole {
            self.note_unseen();
        }
    }

    /// What was not understood or not looked at may print and do more than was seen.
    fn note_unseen(&mut self) {
        self.outputs += 1;
        self.push(Operation { effect: Effect::Anything, ..Operation::new(Verb::Run) });
    }

    /// Follows commands whose output does not reach the caller, in a shell of their own.
    fn aside(&mut self, follow: impl FnOnce(&mut Self)) {
        let outputs = (self.outputs, self.printed);
        let directory = self.directory.clone();
        follow(self);
        self.directory = directory;
        (self.outputs, self.printed) = outputs;
    }

    /// Whether so many more bytes may be brought in; counts them.
    fn bring(&mut self, bytes: usize) -> bool {
        self.allowance = self.allowance.and_then(|left| left.checked_sub(bytes));
        self.allowance.is_some()
    }

    fn is_spent(&self) -> bool {
        self.commands > MAX_COMMANDS || self.allowance.is_none()
    }

    /// Notes what reaches the caller.
    fn print(&mut self, flow: Flow) {
        match flow {
            Flow::Silence => return,
            Flow::Files { reads, shown } if reads.len() == 1 => self.printed = Some((reads[0], shown)),
            _ => self.printed = None,
        }
        self.outputs += 1;
    }

    fn simple(&mut self, simple: Simple, piped: Option<Flow>) -> Flow {
        let input = simple.input.or(piped);
        let flow = if simple.words.is_empty() { Flow::Silence } else { self.program(&simple.words, input) };
        self.write_outputs(&simple.outputs, flow)
    }

    /// Lets redirections swallow what a command prints.
    fn write_outputs(&mut self, outputs: &[Output], mut flow: Flow) -> Flow {
        for output in outputs {
            let device = output.path.text.starts_with("/dev/");
            if !device {
                let text = if output.errors_only { Flow::Opaque } else { flow.clone() };
                self.write(&output.path.text, output.append, &text);
            }
            if !output.errors_only && output.path.text != "/dev/stderr" && output.path.text != "/dev/stdout" {
                flow = Flow::Silence;
            }
        }
        flow
    }

    fn write(&mut self, path: &str, append: bool, flow: &Flow) {
        let path = self.resolve(path);
        let change = match (flow, append) {
            (Flow::Silence, false) => Change::Whole(String::new()),
            (Flow::Silence, true) => Change::None,
            (Flow::Text(text), false) if self.bring(text.len()) => Change::Whole(text.clone()),
            (Flow::Text(text), true) if self.bring(text.len()) => Change::Append(text.clone()),
            (Flow::Text(_) | Flow::Files { .. } | Flow::Opaque, _) => Change::Unknown,
        };
        if let Change::Whole(text) = &change {
            self.written.push((path.clone(), text.clone()));
        }
        self.push(Operation::on(if append { Verb::Edit } else { Verb::Create }, path).change(change));
    }

    fn resolve(&self, path: &str) -> String {
        paths::join(self.directory.as_deref(), path)
    }

    fn push(&mut self, operation: Operation) -> usize {
        self.operations.push(operation);
        self.operations.len() - 1
    }
}
