//! Going through a command's tree, in the order in which a shell would run it.

use super::super::operation::{Operation, Shown, Verb};
use super::tree::{Assignment, Command, Document, Kind, List, Pipeline, RawWord, Redirect};
use super::{Flow, MAX_DEPTH, MAX_ROUNDS, Output, Shell, Simple, parse};

impl Shell {
    pub(super) fn list(&mut self, list: &List<'_>) {
        for pipeline in list {
            if self.is_spent() {
                return;
            }
            self.pipeline(pipeline);
        }
    }

    /// A list whose output does not reach the caller: that of `$(…)`.
    pub(super) fn inner_list(&mut self, list: &List<'_>) {
        if self.depth < MAX_DEPTH {
            self.depth += 1;
            self.aside(|shell| shell.list(list));
            self.depth -= 1;
        }
    }

    fn pipeline(&mut self, pipeline: &Pipeline<'_>) {
        let mut flow = None;
        let mut has_compound = false;
        for (nth, command) in pipeline.iter().enumerate() {
            self.commands += 1;
            if self.is_spent() {
                return;
            }
            let is_last = nth + 1 == pipeline.len();
            flow = match &command.kind {
                Kind::Simple { assignments, words } => {
                    let simple = self.prepare(assignments, words, &command.redirects);
                    Some(self.simple(simple, flow))
                }
                Kind::Test(words) => {
                    words.iter().for_each(|word| drop(self.word(word)));
                    Some(Flow::Silence)
                }
                Kind::Function => Some(Flow::Silence),
                Kind::Group(_) | Kind::Subshell(_) | Kind::For { .. } => {
                    has_compound = true;
                    Some(self.compound(command, is_last))
                }
            };
        }
        if has_compound && pipeline.len() > 1 {
            self.outputs += 1;
        }
        self.print(flow.unwrap_or(Flow::Silence));
    }

    /// Commands in commands print for themselves; what is handed on is known only to be something.
    fn compound(&mut self, command: &Command<'_>, is_last: bool) -> Flow {
        let outputs = (self.outputs, self.printed);
        match &command.kind {
            Kind::Subshell(list) => {
                let directory = self.directory.clone();
                self.list(list);
                self.directory = directory;
            }
            Kind::For { name, values, body } => self.for_each(name, values, body),
            Kind::Group(list) => self.list(list),
            Kind::Simple { .. } | Kind::Test(_) | Kind::Function => {}
        }
        let mut simple = Simple::default();
        self.redirects(&command.redirects, &mut simple);
        let flow = self.write_outputs(&simple.outputs, Flow::Opaque);
        if !is_last || flow == Flow::Silence {
            (self.outputs, self.printed) = outputs;
        }
        if is_last { Flow::Silence } else { Flow::Opaque }
    }

    fn for_each(&mut self, name: &str, values: &[RawWord<'_>], body: &List<'_>) {
        let before = self.variables.get(name).cloned();
        for word in self.words(values).into_iter().take(MAX_ROUNDS) {
            if word.exact {
                self.variables.insert(name.to_string(), word.text);
            } else {
                self.variables.remove(name);
            }
            self.list(body);
        }
        match before {
            Some(value) => self.variables.insert(name.to_string(), value),
            None => self.variables.remove(name),
        };
    }

    /// Takes a simple command's words, redirections and assignments.
    fn prepare(
        &mut self,
        assignments: &[Assignment<'_>],
        words: &[RawWord<'_>],
        redirects: &[Redirect<'_>],
    ) -> Simple {
        let mut simple = Simple { words: self.words(words), ..Simple::default() };
        self.redirects(redirects, &mut simple);
        for assignment in assignments {
            self.assign(assignment, simple.words.is_empty());
        }
        simple
    }

    fn assign(&mut self, assignment: &Assignment<'_>, keeps: bool) {
        let value = self.word(&assignment.value);
        if !keeps {
            return;
        }
        // A value that holds an unresolved variable still names the same place wherever it is used.
        if assignment.is_whole && !value.runs {
            self.variables.insert(assignment.name.to_string(), value.text);
        } else {
            self.variables.remove(assignment.name);
        }
    }

    fn redirects(&mut self, redirects: &[Redirect<'_>], simple: &mut Simple) {
        for redirect in redirects {
            match redirect {
                Redirect::Input(path) => {
                    let path = self.word(path);
                    // What comes from `<(…)` is no file.
                    if path.text.starts_with("/dev/") {
                        simple.input = Some(Flow::Opaque);
                        continue;
                    }
                    let read = self.push(Operation::on(Verb::Read, self.resolve(&path.text)));
                    simple.input = Some(Flow::Files { reads: vec![read], shown: Shown::Plain });
                }
                Redirect::Output { path, append, errors_only } => {
                    let path = self.word(path);
                    simple.outputs.push(Output { path, append: *append, errors_only: *errors_only });
                }
                Redirect::Text(text) => {
                    let word = self.word(text);
                    let flow = if word.exact { Flow::Text(word.text + "\n") } else { Flow::Opaque };
                    simple.input = Some(flow);
                }
                Redirect::Document(document) => simple.input = Some(self.document(document)),
            }
        }
    }

    /// The text of a here-document: known if the variables in it are.
    fn document(&mut self, document: &Document<'_>) -> Flow {
        let text = document.text.get();
        if !self.bring(text.len()) {
            return Flow::Opaque;
        }
        let text = if document.indented { untabbed(text) } else { text.to_string() };
        if !document.expands {
            return Flow::Text(text);
        }
        let word = self.word(&parse::document(&text));
        if word.exact { Flow::Text(word.text) } else { Flow::Opaque }
    }
}

fn untabbed(text: &str) -> String {
    text.split_inclusive('\n').map(|line| line.trim_start_matches('\t')).collect()
}
