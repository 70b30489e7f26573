//! Shell commands, parsed: which files they read and write, where they end up, and what they run.
//!
//! Nothing is executed and nothing is guessed from a disk: loops over literal words are unrolled, assigned variables
//! are put in, `cd` is followed, `bash -c` and here-documents are read. What stays open stays as it was written.

mod effect;
mod files;
mod parse;
mod programs;
mod sed;
mod view;
mod word;

use brush_parser::ast;

use self::word::{Variables, Word};
use super::operation::{Change, Effect, Operation, Shown, Verb};
use super::paths;

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
/// Simple commands looked at in one call, loops unrolled.
const MAX_COMMANDS: usize = 2_000;
/// Words a loop is unrolled over.
const MAX_ROUNDS: usize = 100;

/// Reads a command that starts in `directory`, where that is known.
pub fn analyse(command: &str, directory: Option<&str>) -> Analysis {
    let mut shell = Shell { directory: directory.map(String::from), ..Shell::default() };
    shell.command(command);
    shell.finish()
}

#[derive(Debug, Default)]
struct Shell {
    directory: Option<String>,
    variables: Variables,
    /// Files this command has written with known text: path and text.
    written: Vec<(String, String)>,
    operations: Vec<Operation>,
    /// How many commands print something that reaches the caller.
    outputs: usize,
    /// The read whose text is printed, if the last output was one.
    printed: Option<(usize, Shown)>,
    depth: usize,
    commands: usize,
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
        if let (1, Some((read, shown))) = (self.outputs, self.printed) {
            self.operations[read].shown = shown;
        }
        Analysis { operations: self.operations, directory: self.directory }
    }

    fn command(&mut self, command: &str) {
        if self.depth >= MAX_DEPTH {
            return;
        }
        self.depth += 1;
        match parse::program(command) {
            Some(program) => program.complete_commands.iter().for_each(|list| self.list(list)),
            None => self.rough(command),
        }
        self.depth -= 1;
    }

    /// Reads a command whose output does not reach the caller, in a shell of its own.
    fn aside(&mut self, command: &str) {
        let outputs = (self.outputs, self.printed);
        let directory = self.directory.clone();
        self.command(command);
        self.directory = directory;
        (self.outputs, self.printed) = outputs;
    }

    fn rough(&mut self, command: &str) {
        for words in parse::rough(command) {
            let words = words.into_iter().map(|text| Word { text, exact: true, ..Word::default() }).collect();
            let flow = self.simple(Simple { words, ..Simple::default() }, None);
            self.print(flow);
        }
        // What could not be parsed may do more than was seen.
        self.outputs += 1;
        self.push(Operation { effect: Effect::Anything, ..Operation::new(Verb::Run) });
    }

    fn list(&mut self, list: &ast::CompoundList) {
        for ast::CompoundListItem(and_or, _) in &list.0 {
            for (_, pipeline) in and_or {
                self.pipeline(pipeline);
            }
        }
    }

    fn pipeline(&mut self, pipeline: &ast::Pipeline) {
        let mut flow = None;
        let piped = pipeline.seq.len() > 1;
        for (nth, command) in pipeline.seq.iter().enumerate() {
            let last = nth + 1 == pipeline.seq.len();
            flow = match command {
                ast::Command::Simple(simple) => {
                    let simple = self.prepare(simple);
                    Some(self.simple(simple, flow))
                }
                ast::Command::Compound(compound, redirects) => {
                    let outputs = (self.outputs, self.printed);
                    self.compound(compound);
                    let flow = self.redirect_compound(redirects.as_ref());
                    if !last || flow == Flow::Silence {
                        (self.outputs, self.printed) = outputs;
                    }
                    Some(if last { Flow::Silence } else { Flow::Opaque })
                }
                ast::Command::Function(_) | ast::Command::ExtendedTest(..) => Some(Flow::Silence),
            };
        }
        if piped && pipeline.seq.iter().any(|command| matches!(command, ast::Command::Compound(..))) {
            self.outputs += 1;
        }
        self.print(flow.unwrap_or(Flow::Silence));
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

    fn compound(&mut self, command: &ast::CompoundCommand) {
        use ast::CompoundCommand as C;
        if self.commands > MAX_COMMANDS {
            return;
        }
        match command {
            C::BraceGroup(group) => self.list(&group.list),
            C::Subshell(subshell) => {
                let directory = self.directory.clone();
                self.list(&subshell.list);
                self.directory = directory;
            }
            C::ForClause(clause) => self.for_each(clause),
            C::ArithmeticForClause(clause) => self.list(&clause.body.list),
            C::CaseClause(clause) => {
                clause.cases.iter().filter_map(|case| case.cmd.as_ref()).for_each(|list| self.list(list));
            }
            C::IfClause(clause) => {
                self.list(&clause.condition);
                self.list(&clause.then);
                for other in clause.elses.iter().flatten() {
                    other.condition.iter().for_each(|list| self.list(list));
                    self.list(&other.body);
                }
            }
            C::WhileClause(clause) | C::UntilClause(clause) => {
                self.list(&clause.0);
                self.list(&clause.1.list);
            }
            C::Arithmetic(_) | C::Coprocess(_) => {}
        }
    }

    fn for_each(&mut self, clause: &ast::ForClauseCommand) {
        let before = self.variables.get(&clause.variable_name).cloned();
        for value in clause.values.iter().flatten().take(MAX_ROUNDS) {
            let word = self.word(&value.value);
            if word.exact {
                self.variables.insert(clause.variable_name.clone(), word.text);
            } else {
                self.variables.remove(&clause.variable_name);
            }
            self.list(&clause.body.list);
        }
        match before {
            Some(value) => self.variables.insert(clause.variable_name.clone(), value),
            None => self.variables.remove(&clause.variable_name),
        };
    }

    fn redirect_compound(&mut self, redirects: Option<&ast::RedirectList>) -> Flow {
        let mut simple = Simple::default();
        for redirect in redirects.iter().flat_map(|list| &list.0) {
            self.redirect(redirect, &mut simple);
        }
        self.write_outputs(&simple.outputs, Flow::Opaque)
    }

    fn word(&mut self, raw: &str) -> Word {
        let word = word::expand(raw, &self.variables);
        for command in word.commands.clone() {
            self.aside(&command);
        }
        word
    }

    /// Takes a simple command's words, assignments and redirections.
    fn prepare(&mut self, command: &ast::SimpleCommand) -> Simple {
        use ast::CommandPrefixOrSuffixItem as Item;
        let mut simple = Simple::default();
        let mut assigned = Vec::new();
        let prefix = command.prefix.iter().flat_map(|prefix| &prefix.0);
        let suffix = command.suffix.iter().flat_map(|suffix| &suffix.0);
        for item in prefix {
            match item {
                Item::AssignmentWord(assignment, _) => assigned.push(assignment),
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut simple),
                Item::Word(_) | Item::ProcessSubstitution(..) => {}
            }
        }
        if let Some(name) = &command.word_or_name {
            let name = self.word(&name.value);
            simple.words.push(name);
        }
        for item in suffix {
            match item {
                Item::Word(raw) | Item::AssignmentWord(_, raw) => {
                    let word = self.word(&raw.value);
                    simple.words.push(word);
                }
                Item::IoRedirect(redirect) => self.redirect(redirect, &mut simple),
                Item::ProcessSubstitution(_, subshell) => {
                    let outputs = (self.outputs, self.printed);
                    self.list(&subshell.list);
                    (self.outputs, self.printed) = outputs;
                    simple.words.push(Word { text: "/dev/fd/63".into(), ..Word::default() });
                }
            }
        }
        for assignment in assigned {
            self.assign(assignment, simple.words.is_empty());
        }
        simple
    }

    fn assign(&mut self, assignment: &ast::Assignment, keeps: bool) {
        let (ast::AssignmentName::VariableName(name), ast::AssignmentValue::Scalar(raw)) =
            (&assignment.name, &assignment.value)
        else {
            return;
        };
        let value = self.word(&raw.value);
        if !keeps {
            return;
        }
        // A value that holds an unresolved variable still names the same place wherever it is used.
        if value.commands.is_empty() && !assignment.append {
            self.variables.insert(name.clone(), value.text);
        } else {
            self.variables.remove(name);
        }
    }

    fn redirect(&mut self, redirect: &ast::IoRedirect, simple: &mut Simple) {
        use ast::{IoFileRedirectKind as Kind, IoFileRedirectTarget as Target, IoRedirect as R};
        match redirect {
            R::File(fd, kind, Target::Filename(raw)) => {
                let path = self.word(&raw.value);
                match kind {
                    Kind::Read => {
                        let read = self.push(Operation::on(Verb::Read, self.resolve(&path.text)));
                        simple.input = Some(Flow::Files { reads: vec![read], shown: Shown::Plain });
                    }
                    Kind::Write | Kind::Clobber | Kind::Append | Kind::ReadAndWrite => {
                        let errors_only = fd.is_some_and(|fd| fd != 1);
                        simple.outputs.push(Output {
                            path,
                            append: matches!(kind, Kind::Append),
                            errors_only,
                        });
                    }
                    Kind::DuplicateInput | Kind::DuplicateOutput => {}
                }
            }
            R::File(..) => {}
            R::HereDocument(_, document) => {
                let text = document.doc.value.clone();
                let open = document.requires_expansion && text.contains(['$', '`', '\\']);
                let text = if document.remove_tabs { untabbed(&text) } else { text };
                simple.input = Some(if open { self.expanded(&text) } else { Flow::Text(text) });
            }
            R::HereString(_, raw) => {
                let word = self.word(&raw.value);
                simple.input = Some(if word.exact { Flow::Text(word.text + "\n") } else { Flow::Opaque });
            }
            R::OutputAndError(raw, append) => {
                let path = self.word(&raw.value);
                simple.outputs.push(Output { path, append: *append, errors_only: false });
            }
        }
    }

    /// A here-document with variables in it: known if they all are.
    fn expanded(&mut self, text: &str) -> Flow {
        // Quotes mean nothing in a here-document; escaping them keeps `expand` from taking them off.
        let word = word::expand(&format!("\"{}\"", text.replace('"', "\\\"")), &self.variables);
        if word.exact { Flow::Text(word.text) } else { Flow::Opaque }
    }

    fn simple(&mut self, simple: Simple, piped: Option<Flow>) -> Flow {
        self.commands += 1;
        if self.commands > MAX_COMMANDS {
            return Flow::Opaque;
        }
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
            (Flow::Text(text), false) => Change::Whole(text.clone()),
            (Flow::Text(text), true) => Change::Append(text.clone()),
            (Flow::Files { .. } | Flow::Opaque, _) => Change::Unknown,
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

fn untabbed(text: &str) -> String {
    text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
}
