//! What each program does with its arguments.

use super::super::operation::{Effect, Operation, Verb};
use super::super::{patch, script};
use super::word::Word;
use super::{Flow, Shell, effect};

/// Programs that run the rest of their line: name, and which of their options take a value.
const WRAPPERS: [(&str, &[&str]); 18] = [
    ("sudo", &["-u", "-g", "-C", "-h", "-p"]),
    ("env", &["-u", "-C"]),
    ("timeout", &["-s", "-k", "--signal", "--kill-after"]),
    ("gtimeout", &["-s", "-k"]),
    ("nohup", &[]),
    ("time", &[]),
    ("command", &[]),
    ("builtin", &[]),
    ("exec", &[]),
    ("nice", &["-n"]),
    ("ionice", &["-c", "-n"]),
    ("stdbuf", &["-i", "-o", "-e"]),
    ("caffeinate", &[]),
    ("unbuffer", &[]),
    ("npx", &["-p", "--package"]),
    ("bunx", &[]),
    ("uvx", &["--from", "--with"]),
    ("rtk", &[]),
];

/// Programs that neither print nor change files.
const SILENT: [&str; 27] = [
    ":", "true", "false", "test", "[", "set", "unset", "shopt", "alias", "unalias", "local", "declare",
    "typeset", "readonly", "read", "exit", "return", "break", "continue", "wait", "sleep", "kill", "trap",
    "umask", "ulimit", "shift", "chmod",
];

impl Shell {
    /// Runs one program in thought and says what it prints.
    pub(super) fn program(&mut self, words: &[Word], input: Option<Flow>) -> Flow {
        let words = unwrapped(words);
        let Some((name, arguments)) = words.split_first() else { return Flow::Silence };
        let program = name.text.rsplit('/').next().unwrap_or(&name.text);
        if SILENT.contains(&program) {
            return Flow::Silence;
        }
        match program {
            "cd" | "pushd" => self.change_directory(arguments),
            "popd" => {
                self.directory = None;
                Flow::Silence
            }
            "export" => self.export(arguments),
            "eval" => {
                let line: Vec<&str> = arguments.iter().map(|word| word.text.as_str()).collect();
                self.command(&line.join(" "));
                Flow::Silence
            }
            "bash" | "sh" | "zsh" | "dash" | "ash" => self.shell(arguments, input),
            "python" | "python3" | "python2" | "node" | "ruby" | "deno" | "bun" | "tsx" | "ts-node"
            | "perl"
                if !is_in_place(program, arguments) =>
            {
                self.interpreter(program, words, arguments, input)
            }
            "apply_patch" | "applypatch" => {
                let text = match (arguments.first(), input) {
                    (Some(word), _) => Some(word.text.clone()),
                    (None, Some(Flow::Text(text))) => Some(text),
                    (None, _) => None,
                };
                self.patch(text, words)
            }
            "patch" => {
                let file = arguments.iter().skip_while(|word| word.text != "-i").nth(1);
                let text = match (file, input) {
                    (None, Some(Flow::Text(text))) => Some(text),
                    (Some(file), _) => self.written_text(&file.text),
                    (None, _) => None,
                };
                self.patch(text, words)
            }
            "git" => self.git(arguments, words, input),
            "curl" | "wget" | "http" => self.fetch(program, arguments),
            "echo" | "printf" => echo(program, arguments),
            "xargs" | "parallel" => {
                if effect::is_destructive(arguments) {
                    self.run(words, Effect::Anything);
                }
                Flow::Opaque
            }
            _ => self
                .view_program(program, arguments, &input)
                .or_else(|| self.file_program(program, arguments, &input))
                .unwrap_or_else(|| {
                    self.run(words, effect::of(program, arguments));
                    Flow::Opaque
                }),
        }
    }

    pub(super) fn run(&mut self, words: &[Word], effect: Effect) {
        let line: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
        let command = Some(line.join(" "));
        self.push(Operation { command, effect, ..Operation::new(Verb::Run) });
    }

    fn change_directory(&mut self, arguments: &[Word]) -> Flow {
        let target = arguments.iter().find(|word| !word.text.starts_with('-') || word.text == "-");
        self.directory = match target.map(|word| word.text.as_str()) {
            None => Some("~".to_string()),
            Some("-") => None,
            Some(path) => Some(self.resolve(path)),
        };
        Flow::Silence
    }

    fn export(&mut self, arguments: &[Word]) -> Flow {
        for (name, value) in arguments.iter().filter_map(|word| word.text.split_once('=')) {
            self.variables.insert(name.to_string(), value.to_string());
        }
        Flow::Silence
    }

    fn shell(&mut self, arguments: &[Word], input: Option<Flow>) -> Flow {
        let is_command_option = |word: &Word| {
            word.text.starts_with('-') && !word.text.starts_with("--") && word.text.ends_with('c')
        };
        let text = match arguments.iter().position(is_command_option) {
            Some(at) => arguments.get(at + 1).map(|word| word.text.clone()),
            None => match (input, arguments.iter().find(|word| !word.text.starts_with('-'))) {
                (_, Some(file)) => self.written_text(&file.text),
                (Some(Flow::Text(text)), None) => Some(text),
                _ => None,
            },
        };
        let Some(text) = text else {
            self.run(arguments, Effect::Anything);
            return Flow::Opaque;
        };
        // The inner shell's directory is its own; what it prints is the caller's.
        let directory = self.directory.clone();
        self.command(&text);
        self.directory = directory;
        Flow::Silence
    }

    fn interpreter(
        &mut self,
        program: &str,
        words: &[Word],
        arguments: &[Word],
        input: Option<Flow>,
    ) -> Flow {
        let inline =
            arguments.iter().position(|word| matches!(word.text.as_str(), "-c" | "-e" | "--eval" | "-p"));
        let file = arguments.iter().find(|word| !word.text.starts_with('-'));
        let text = match (inline, file, input) {
            (Some(at), _, _) => arguments.get(at + 1).map(|word| word.text.clone()),
            (None, Some(file), _) => self.written_text(&file.text),
            (None, None, Some(Flow::Text(text))) => Some(text),
            _ => None,
        };
        let Some(text) = text else {
            // The script may have been changed since, and what it calls may change more than it says.
            if let Some(text) = file.and_then(|file| self.scripts.get(&self.resolve(&file.text)).cloned()) {
                self.touch(script::touched(&text).operations);
            }
            self.run(words, effect::of(program, arguments));
            return Flow::Opaque;
        };
        let touched = script::touched(&text);
        self.touch(touched.operations);
        self.run(words, touched.effect);
        Flow::Opaque
    }

    fn touch(&mut self, operations: Vec<Operation>) {
        for mut operation in operations {
            operation.path = operation.path.map(|path| self.resolve(&path));
            self.push(operation);
        }
    }

    /// The text of a file this command has written.
    pub(super) fn written_text(&self, path: &str) -> Option<String> {
        let path = self.resolve(path);
        self.written.iter().rev().find(|(written, _)| *written == path).map(|(_, text)| text.clone())
    }

    pub(super) fn patch(&mut self, text: Option<String>, words: &[Word]) -> Flow {
        let operations = text.map(|text| patch::operations(&text)).unwrap_or_default();
        if operations.is_empty() {
            self.run(words, Effect::Anything);
        }
        for mut operation in operations {
            operation.path = operation.path.map(|path| self.resolve(&path));
            operation.to = operation.to.map(|path| self.resolve(&path));
            self.push(operation);
        }
        Flow::Opaque
    }

    fn fetch(&mut self, program: &str, arguments: &[Word]) -> Flow {
        let url =
            arguments.iter().find(|word| word.text.contains("://") || word.text.starts_with("localhost"));
        let mut operation = Operation::new(Verb::Fetch);
        operation.path = url.map(|word| word.text.clone());
        self.push(operation);
        let to_file = if program == "wget" { ["-O", "--output-document"] } else { ["-o", "--output"] };
        let file = arguments.iter().skip_while(|word| !to_file.contains(&word.text.as_str())).nth(1);
        match file.filter(|word| word.text != "-" && !word.text.starts_with("/dev/")) {
            Some(file) => {
                self.write(&file.text, false, &Flow::Opaque);
                Flow::Silence
            }
            None => Flow::Opaque,
        }
    }
}

/// The words behind `sudo`, `env X=1`, `timeout 10` and their like.
fn unwrapped(mut words: &[Word]) -> &[Word] {
    while let Some((name, options)) =
        words.first().and_then(|word| WRAPPERS.iter().find(|(name, _)| *name == word.text))
    {
        let mut rest = &words[1..];
        while let Some(word) = rest.first() {
            let takes_value = options.contains(&word.text.as_str());
            let skip = match word.text.as_str() {
                _ if takes_value => 2,
                option if option.starts_with('-') && option.len() > 1 => 1,
                assignment if *name == "env" && assignment.contains('=') => 1,
                _ => break,
            };
            rest = rest.get(skip..).unwrap_or(&[]);
        }
        if name.ends_with("timeout") {
            rest = rest.get(1..).unwrap_or(&[]);
        }
        // `command -v x` asks where x is.
        if *name == "command" && words.get(1).is_some_and(|word| matches!(word.text.as_str(), "-v" | "-V")) {
            return &[];
        }
        if rest.is_empty() {
            return rest;
        }
        words = rest;
    }
    words
}

fn is_in_place(program: &str, arguments: &[Word]) -> bool {
    matches!(program, "perl" | "ruby")
        && arguments.iter().any(|word| {
            word.text.starts_with('-')
                && !word.text.starts_with("--")
                && word.text.contains('i')
                && word.text.chars().skip(1).all(|c| c.is_ascii_alphanumeric() || c == '.')
        })
}

fn echo(program: &str, arguments: &[Word]) -> Flow {
    let options =
        arguments.iter().take_while(|word| matches!(word.text.as_str(), "-n" | "-e" | "-ne" | "-en" | "--"));
    let flags: String = options.clone().map(|word| word.text.as_str()).collect();
    let words = &arguments[options.count()..];
    if words.iter().any(|word| !word.exact) {
        return Flow::Opaque;
    }
    let text: Vec<&str> = words.iter().map(|word| word.text.as_str()).collect();
    if program == "printf" {
        return match (text.as_slice(), text.first().is_some_and(|format| format.contains('%'))) {
            ([format], false) => super::word::unescape(format).map_or(Flow::Opaque, Flow::Text),
            (["%s", text], _) => Flow::Text((*text).to_string()),
            (["%s\\n", text], _) => Flow::Text(format!("{text}\n")),
            _ => Flow::Opaque,
        };
    }
    let mut text = text.join(" ");
    if flags.contains('e') {
        match super::word::unescape(&text) {
            Some(plain) => text = plain,
            None => return Flow::Opaque,
        }
    } else if text.contains('\\') {
        // Whether a plain echo takes escapes depends on the shell.
        return Flow::Opaque;
    }
    if !flags.contains('n') {
        text.push('\n');
    }
    Flow::Text(text)
}
