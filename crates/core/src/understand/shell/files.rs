//! Programs that change files, git among them.

use super::super::operation::{Change, Effect, Operation, Target, Verb};
use super::super::paths;
use super::view::{SedCall, operands};
use super::word::Word;
use super::{Flow, MAX_OPERATIONS, Shell, sed};

impl Shell {
    /// What a program prints that changes files; `None` for other programs.
    pub(super) fn file_program(
        &mut self,
        program: &str,
        arguments: &[Word],
        input: &Option<Flow>,
    ) -> Option<Flow> {
        match program {
            "rmdir" => self.delete(&operands(arguments, &[]), Target::Directory),
            "rm" | "unlink" | "shred" | "trash" => {
                self.delete(&operands(arguments, &[]), removed(arguments));
            }
            "mv" => self.transfer(Verb::Move, arguments),
            "cp" | "rsync" | "ditto" | "install" => self.transfer(Verb::Copy, arguments),
            "ln" => {
                if let [_, to] = operands(arguments, &[]).as_slice() {
                    self.write(&to.text, false, &Flow::Opaque);
                }
            }
            "touch" => {
                for file in operands(arguments, &["-t", "-d", "-r"]) {
                    let path = self.resolve(&file.text);
                    self.push(Operation::on(Verb::Create, path));
                }
            }
            "mkdir" => {
                for directory in operands(arguments, &["-m"]) {
                    let path = self.resolve(&directory.text);
                    self.push(Operation::on(Verb::MakeDirectory, path));
                }
            }
            "tee" => {
                let append = arguments.iter().any(|word| matches!(word.text.as_str(), "-a" | "--append"));
                let flow = input.clone().unwrap_or(Flow::Opaque);
                for file in operands(arguments, &[]) {
                    if !file.text.starts_with("/dev/") {
                        self.write(&file.text, append, &flow);
                    }
                }
                return Some(flow);
            }
            "truncate" => {
                for file in operands(arguments, &["-s", "-r"]) {
                    let path = self.resolve(&file.text);
                    self.push(Operation::on(Verb::Edit, path).change(Change::Unknown));
                }
            }
            "dd" => {
                let target = arguments.iter().find_map(|word| word.text.strip_prefix("of="));
                if let Some(target) = target.map(String::from) {
                    self.write(&target, false, &Flow::Opaque);
                }
                return Some(Flow::Opaque);
            }
            "perl" | "ruby" => {
                // `-pi -e SCRIPT files`
                for file in operands(arguments, &["-e", "-pe", "-pie", "-ne"]) {
                    self.edit(&file.text);
                }
            }
            _ if is_formatter(program, arguments) => return Some(self.format(program, arguments)),
            _ => return None,
        }
        Some(Flow::Silence)
    }

    pub(super) fn sed_in_place(&mut self, script: &str, call: &SedCall<'_>) {
        let changes = sed::changes(script, call.extended)
            .filter(|changes| changes.len().saturating_mul(call.files.len()) <= MAX_OPERATIONS)
            .unwrap_or_else(|| vec![Change::Unknown]);
        for file in &call.files {
            let path = self.resolve(&file.text);
            for change in &changes {
                self.push(Operation::on(Verb::Edit, path.clone()).change(change.clone()));
            }
        }
    }

    fn delete(&mut self, files: &[&Word], target: Target) {
        for file in files {
            let path = self.resolve(&file.text);
            self.push(Operation { target, ..Operation::on(Verb::Delete, path) });
        }
    }

    fn edit(&mut self, file: &str) {
        let path = self.resolve(file);
        self.push(Operation::on(Verb::Edit, path).change(Change::Unknown));
    }

    /// `mv` and `cp`: one file to a path, or several into a directory.
    fn transfer(&mut self, verb: Verb, arguments: &[Word]) {
        let mut files = operands(arguments, &["-S", "-m", "-o", "-g", "--exclude"]);
        let is_named = |word: &&Word| matches!(word.text.as_str(), "-t" | "--target-directory");
        let target = arguments.iter().skip_while(|word| !is_named(word)).nth(1);
        if let Some(target) = target {
            files.retain(|file| !std::ptr::eq(*file, target));
        }
        let attached = arguments.iter().find_map(|word| word.text.strip_prefix("--target-directory="));
        let named = attached.or(target.map(|word| word.text.as_str()));
        let Some(to) = named.or_else(|| files.pop().map(|word| word.text.as_str())) else { return };
        let into = files.len() > 1
            || named.is_some()
            || to.ends_with('/')
            || to == "."
            || files.iter().any(|file| file.text.contains('*'));
        for file in files {
            let from = self.resolve(&file.text);
            let to = self.resolve(to);
            let to = if into { paths::join(Some(&to), paths::name(&from)) } else { to };
            self.push(Operation::on(verb, from).to(to).change(Change::None));
        }
    }

    /// Formatters with files named change these; without, anything.
    fn format(&mut self, program: &str, arguments: &[Word]) -> Flow {
        let skip = usize::from(matches!(program, "ruff" | "biome" | "deno" | "dart" | "go" | "cargo"));
        let files: Vec<&Word> = operands(arguments, &WITH_VALUE).into_iter().skip(skip).collect();
        let named = !files.is_empty()
            && files.iter().all(|file| {
                paths::name(&file.text).contains('.') && !file.text.contains('*') && !file.text.ends_with('.')
            });
        if named {
            files.iter().for_each(|file| self.edit(&file.text));
        } else {
            let command = Some(program.to_string());
            self.push(Operation { command, effect: Effect::Anything, ..Operation::new(Verb::Run) });
        }
        Flow::Opaque
    }

    pub(super) fn git(&mut self, arguments: &[Word], words: &[Word], input: Option<Flow>) -> Flow {
        let mut rest = arguments;
        let before = self.directory.clone();
        while let Some(option) = rest.first().filter(|word| word.text.starts_with('-')) {
            let takes_value = matches!(option.text.as_str(), "-C" | "-c" | "--git-dir" | "--work-tree");
            if let ("-C", Some(directory)) = (option.text.as_str(), rest.get(1))
                && self.bring(self.directory.as_ref().map_or(0, String::len))
            {
                self.directory = Some(self.resolve(&directory.text));
            }
            rest = rest.get(1 + usize::from(takes_value)..).unwrap_or(&[]);
        }
        let flow = self.git_command(rest, words, input);
        self.directory = before;
        flow
    }

    fn git_command(&mut self, arguments: &[Word], words: &[Word], input: Option<Flow>) -> Flow {
        let Some((command, arguments)) = arguments.split_first() else { return Flow::Opaque };
        let command = command.text.as_str();
        match command {
            "mv" => self.transfer(Verb::Move, arguments),
            "rm" if !arguments.iter().any(|word| word.text == "--cached") => {
                self.delete(&operands(arguments, &[]), removed(arguments))
            }
            "restore" if !is_staged_only(arguments) => {
                operands(arguments, &["-s", "--source"]).iter().for_each(|file| self.edit(&file.text));
            }
            "checkout" => match checked_out(arguments) {
                Some(files) => files.iter().for_each(|file| self.edit(&file.text)),
                None => self.run(words, Effect::Anything),
            },
            "apply" | "am" => {
                let file = operands(arguments, &["-p", "--directory"]).first().map(|file| file.text.clone());
                let text = match (file, input) {
                    (Some(file), _) => self.written_text(&file),
                    (None, Some(Flow::Text(text))) => Some(text),
                    _ => None,
                };
                return self.patch(text, words);
            }
            "grep" => {
                self.view_program("grep", arguments, &None);
            }
            "ls-files" | "ls-tree" => {
                let path = self.directory.clone();
                self.push(Operation { path, ..Operation::new(Verb::List) });
            }
            "switch" | "merge" | "rebase" | "pull" | "stash" | "cherry-pick" | "revert" | "clean"
            | "bisect" | "filter-branch" | "submodule" | "worktree" => {
                let harmless = match command {
                    "stash" => arguments
                        .first()
                        .is_some_and(|word| matches!(word.text.as_str(), "list" | "show" | "drop")),
                    "worktree" | "submodule" => true,
                    "switch" => {
                        arguments.first().is_some_and(|word| word.text == "-c" || word.text == "-C")
                            && arguments.len() == 2
                    }
                    _ => false,
                };
                self.run(words, if harmless { Effect::Stated } else { Effect::Anything });
            }
            "reset" => {
                let hard = arguments
                    .iter()
                    .any(|word| matches!(word.text.as_str(), "--hard" | "--merge" | "--keep"));
                self.run(words, if hard { Effect::Anything } else { Effect::Stated });
            }
            // Hooks run formatters.
            "commit" if !arguments.iter().any(|word| matches!(word.text.as_str(), "--no-verify" | "-n")) => {
                self.run(words, Effect::Anything);
            }
            _ => self.run(words, Effect::Stated),
        }
        Flow::Opaque
    }
}

/// What `rm` removes: with `-r` a directory with all that is in it, or a file.
fn removed(arguments: &[Word]) -> Target {
    let is_recursive = |word: &Word| {
        let short = word.text.strip_prefix('-').filter(|flags| !flags.starts_with('-'));
        word.text == "--recursive" || short.is_some_and(|flags| flags.contains(['r', 'R']))
    };
    if arguments.iter().any(is_recursive) { Target::Tree } else { Target::File }
}

/// Options of formatters that take a value.
const WITH_VALUE: [&str; 12] = [
    "-l",
    "--config",
    "-c",
    "--line-length",
    "--log-level",
    "--loglevel",
    "--parser",
    "--plugin",
    "--ignore-path",
    "--print-width",
    "--tab-width",
    "--config-path",
];

fn is_staged_only(arguments: &[Word]) -> bool {
    let has = |name: &str, short: &str| arguments.iter().any(|word| word.text == name || word.text == short);
    has("--staged", "-S") && !has("--worktree", "-W")
}

/// The files that `git checkout` brings back; `None` where it changes branches.
fn checked_out(arguments: &[Word]) -> Option<Vec<&Word>> {
    if let Some(at) = arguments.iter().position(|word| word.text == "--") {
        return Some(arguments[at + 1..].iter().collect());
    }
    if arguments
        .iter()
        .any(|word| matches!(word.text.as_str(), "-b" | "-B" | "--orphan" | "-t" | "--track" | "--detach"))
    {
        return None;
    }
    let sided = arguments.iter().any(|word| matches!(word.text.as_str(), "--theirs" | "--ours"));
    let words = operands(arguments, &[]);
    if sided {
        return Some(words);
    }
    let is_file = |word: &&Word| {
        let name = paths::name(&word.text);
        word.text == "."
            || name.rsplit_once('.').is_some_and(|(_, ending)| {
                (1..=5).contains(&ending.len()) && ending.chars().any(|c| c.is_ascii_alphabetic())
            })
    };
    let files: Vec<&Word> = words.iter().copied().filter(is_file).collect();
    (!files.is_empty()).then_some(files)
}

/// Whether this call rewrites files in place to make them look better.
fn is_formatter(program: &str, arguments: &[Word]) -> bool {
    let has = |wanted: &[&str]| arguments.iter().any(|word| wanted.contains(&word.text.as_str()));
    match program {
        "gofmt" | "goimports" | "gofumpt" | "shfmt" => has(&["-w"]),
        "prettier" => has(&["--write", "-w"]),
        "rustfmt" | "black" | "isort" | "dos2unix" | "unix2dos" => !has(&["--check"]),
        "autopep8" | "clang-format" | "yapf" => has(&["-i", "--in-place"]),
        "eslint" | "stylelint" => has(&["--fix"]),
        "biome" => has(&["--write", "--apply", "--fix"]),
        "ruff" => {
            has(&["--fix"])
                || (arguments.first().is_some_and(|word| word.text == "format") && !has(&["--check"]))
        }
        _ => false,
    }
}
