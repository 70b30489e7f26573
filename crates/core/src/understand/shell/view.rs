//! Programs that show files or search them.

use super::super::operation::{Lines, Operation, Shown, Verb, line_number};
use super::word::Word;
use super::{Flow, MAX_OPERATIONS, Shell, effect, sed};
use crate::understand::operation::Effect;

impl Shell {
    /// What a program prints that shows or searches files; `None` for other programs.
    pub(super) fn view_program(
        &mut self,
        program: &str,
        arguments: &[Word],
        input: &Option<Flow>,
    ) -> Option<Flow> {
        Some(match program {
            "cat" | "bat" | "batcat" | "less" | "more" | "nl" | "gcat" => self.cat(program, arguments, input),
            "head" | "tail" | "ghead" | "gtail" => {
                self.head(program.trim_start_matches('g'), arguments, input)
            }
            "sed" | "gsed" => self.sed(arguments, input),
            "awk" | "gawk" | "mawk" => self.awk(arguments, input),
            "jq" | "yq" => {
                self.filtered(operands(&without_bindings(arguments), &["--indent"]).split_off_first(), input)
            }
            "xxd" | "hexdump" | "od" | "strings" | "sort" | "uniq" | "column" | "tac" | "rev" | "fold"
            | "fmt" => {
                self.filtered(operands(arguments, &["-k", "-t", "-n", "-N", "-s", "-l", "-w", "-o"]), input)
            }
            "cut" => self.filtered(operands(arguments, &["-d", "-f", "-c"]), input),
            "tr" | "wc" | "md5sum" | "sha256sum" | "shasum" | "xmllint" if input.is_some() => Flow::Opaque,
            "grep" | "rg" | "egrep" | "fgrep" | "ag" | "ack" | "zgrep" | "ugrep" => {
                self.grep(program, arguments, input)
            }
            "find" | "fd" | "fdfind" | "locate" => self.find(program, arguments),
            "ls" | "tree" | "eza" | "exa" | "ll" | "dir" => {
                self.each(Verb::List, &operands(arguments, &["-L", "-I", "-P", "-w"]));
                Flow::Opaque
            }
            _ => return None,
        })
    }

    fn each(&mut self, verb: Verb, paths: &[&Word]) {
        if paths.is_empty() {
            let path = self.directory.clone();
            self.push(Operation { path, ..Operation::new(verb) });
        }
        for path in paths {
            let path = self.resolve(&path.text);
            self.push(Operation::on(verb, path));
        }
    }

    fn reads(&mut self, files: &[&Word], lines: Option<Lines>) -> Vec<usize> {
        files
            .iter()
            .filter(|file| !file.text.starts_with("/dev/"))
            .map(|file| {
                let path = self.resolve(&file.text);
                self.push(Operation::on(Verb::Read, path).lines(lines))
            })
            .collect()
    }

    fn cat(&mut self, program: &str, arguments: &[Word], input: &Option<Flow>) -> Flow {
        let flags: String = options(arguments);
        let numbered = program == "nl" || (program != "less" && flags.contains('n'));
        let altered = flags.contains(['A', 'v', 'e', 'T', 's']) || (program == "nl" && !flags.contains("ba"));
        let shown = match (altered || matches!(program, "bat" | "batcat"), numbered) {
            (true, _) => Shown::No,
            (false, true) => Shown::Numbered,
            (false, false) => Shown::Plain,
        };
        let value_options: &[&str] = if program == "nl" { &["-w", "-s", "-v", "-b"] } else { &["-r", "-l"] };
        let mut files = operands(arguments, value_options);
        // `less +G` starts at the end.
        files.retain(|file| !matches!(program, "less" | "more") || !file.text.starts_with('+'));
        if files.iter().all(|file| file.text == "-") {
            return match input {
                Some(Flow::Files { reads, shown: before }) => {
                    let shown = if *before == Shown::Plain { shown } else { Shown::No };
                    Flow::Files { reads: reads.clone(), shown }
                }
                Some(other) if shown == Shown::Plain => other.clone(),
                _ => Flow::Opaque,
            };
        }
        let reads = self.reads(&files, None);
        if let ([one], Shown::Plain) = (files.as_slice(), shown)
            && let Some(text) = self.written_text(&one.text)
        {
            return Flow::Text(text);
        }
        Flow::Files { reads, shown }
    }

    fn head(&mut self, program: &str, arguments: &[Word], input: &Option<Flow>) -> Flow {
        let Some((lines, files)) = head_lines(program, arguments) else {
            return self.filtered(operands(arguments, &["-n", "-c"]), input);
        };
        if files.is_empty() {
            return self.narrowed(input, &[lines]);
        }
        let reads = self.reads(&files, Some(lines));
        let shown = if files.len() == 1 { Shown::Plain } else { Shown::No };
        Flow::Files { reads, shown }
    }

    /// Takes lines of what comes through the pipe.
    fn narrowed(&mut self, input: &Option<Flow>, ranges: &[Lines]) -> Flow {
        let Some(Flow::Files { reads, shown }) = input else { return Flow::Opaque };
        let [read] = reads.as_slice() else { return Flow::Opaque };
        let Some((first, more)) = ranges.split_first() else { return Flow::Opaque };
        let before = self.operations[*read].clone();
        self.operations[*read].lines = first.of(before.lines);
        let mut reads = vec![*read];
        for range in more {
            let mut again = before.clone();
            again.lines = range.of(before.lines);
            reads.push(self.push(again));
        }
        Flow::Files { reads, shown: *shown }
    }

    fn sed(&mut self, arguments: &[Word], input: &Option<Flow>) -> Flow {
        let call = SedCall::of(arguments);
        let script = call.scripts.join("\n");
        if call.in_place {
            self.sed_in_place(&script, &call);
            return Flow::Silence;
        }
        let ranges = sed::printed(&script)
            .filter(|ranges| call.quiet && ranges.len().saturating_mul(call.files.len()) <= MAX_OPERATIONS);
        let Some(ranges) = ranges else {
            return self.filtered(call.files, input);
        };
        if call.files.is_empty() {
            return self.narrowed(input, &ranges);
        }
        let mut reads = Vec::new();
        for range in &ranges {
            reads.extend(self.reads(&call.files, Some(*range)));
        }
        Flow::Files { reads, shown: Shown::Plain }
    }

    fn awk(&mut self, arguments: &[Word], input: &Option<Flow>) -> Flow {
        let mut files = operands(arguments, &["-F", "-v", "-f"]);
        if files.is_empty() {
            return Flow::Opaque;
        }
        let program = files.remove(0).text.clone();
        match awk_lines(&program) {
            Some(lines) if files.is_empty() => self.narrowed(input, &[lines]),
            Some(lines) => Flow::Files { reads: self.reads(&files, Some(lines)), shown: Shown::Plain },
            None => {
                let files = files.into_iter().filter(|file| !file.text.contains('=')).collect();
                self.filtered(files, input)
            }
        }
    }

    /// Files that are read but not shown as they are.
    fn filtered(&mut self, files: Vec<&Word>, _input: &Option<Flow>) -> Flow {
        self.reads(&files, None);
        Flow::Opaque
    }

    fn grep(&mut self, program: &str, arguments: &[Word], input: &Option<Flow>) -> Flow {
        const WITH_VALUE: [&str; 20] = [
            "-e",
            "-f",
            "-A",
            "-B",
            "-C",
            "-m",
            "-g",
            "--glob",
            "-t",
            "--type",
            "-T",
            "--include",
            "--exclude",
            "--exclude-dir",
            "--max-count",
            "-d",
            "--max-depth",
            "--regexp",
            "--context",
            "--sort",
        ];
        let has_pattern = arguments
            .iter()
            .any(|word| !word.quoted && matches!(word.text.as_str(), "-e" | "-f" | "--regexp"));
        let lists = program == "rg" && arguments.iter().any(|word| word.text == "--files");
        let mut paths = operands(arguments, &WITH_VALUE);
        if !has_pattern && !lists && !paths.is_empty() {
            paths.remove(0);
        }
        let from_pipe = input.is_some() && (paths.is_empty() || paths.iter().all(|path| path.text == "-"));
        if !from_pipe {
            self.each(if lists { Verb::List } else { Verb::Search }, &paths);
        }
        Flow::Opaque
    }

    fn find(&mut self, program: &str, arguments: &[Word]) -> Flow {
        let paths: Vec<&Word> = match program {
            "find" => arguments.iter().take_while(|word| !word.text.starts_with(['-', '(', '!'])).collect(),
            _ => operands(arguments, &["-e", "-t", "-d", "-E", "-x"]).into_iter().skip(1).collect(),
        };
        self.each(Verb::Search, &paths);
        if effect::is_destructive(arguments) {
            self.push(Operation { effect: Effect::Anything, ..Operation::new(Verb::Run) });
        }
        Flow::Opaque
    }
}

/// How `sed` was called.
pub(super) struct SedCall<'a> {
    pub(super) quiet: bool,
    pub(super) in_place: bool,
    pub(super) extended: bool,
    pub(super) scripts: Vec<String>,
    pub(super) files: Vec<&'a Word>,
}

impl SedCall<'_> {
    fn of(arguments: &[Word]) -> SedCall<'_> {
        let mut call = SedCall {
            quiet: false,
            in_place: false,
            extended: false,
            scripts: Vec::new(),
            files: Vec::new(),
        };
        let mut scripted = false;
        let mut words = arguments.iter().peekable();
        while let Some(word) = words.next() {
            let text = word.text.as_str();
            if word.quoted && !text.starts_with("-i") || !text.starts_with('-') || text.len() == 1 {
                call.files.push(word);
                continue;
            }
            match text {
                "--quiet" | "--silent" => call.quiet = true,
                "-f" | "--file" => {
                    scripted = true;
                    words.next();
                    call.scripts.push("?".into());
                }
                "-e" | "--expression" => {
                    scripted = true;
                    call.scripts.extend(words.next().map(|word| word.text.clone()));
                }
                _ if text.starts_with("--in-place") => call.in_place = true,
                _ if text.starts_with("--") => {}
                _ => {
                    // `-n`, `-ne`, `-E`, `-i`, `-i.bak`, `-Ei`: everything after `i` is the suffix.
                    let (flags, suffix) =
                        text[1..].split_once('i').map_or((&text[1..], None), |(a, b)| (a, Some(b)));
                    call.quiet |= flags.contains('n');
                    call.extended |= flags.contains(['E', 'r']);
                    call.in_place |= suffix.is_some();
                    if flags.ends_with('e') && suffix.is_none() {
                        scripted = true;
                        call.scripts.extend(words.next().map(|word| word.text.clone()));
                    }
                    // On a Mac the suffix is a word of its own, mostly an empty one.
                    if suffix == Some("")
                        && words.peek().is_some_and(|word| word.text.is_empty() || word.text == ".bak")
                    {
                        words.next();
                    }
                }
            }
        }
        if !scripted && !call.files.is_empty() {
            call.scripts.push(call.files.remove(0).text.clone());
        }
        call
    }
}

/// The words that are no options; options in `with_value` take the next word along.
pub(super) fn operands<'a>(arguments: &'a [Word], with_value: &[&str]) -> Vec<&'a Word> {
    let mut out = Vec::new();
    let mut words = arguments.iter();
    let mut only_operands = false;
    while let Some(word) = words.next() {
        let is_option = !only_operands && !word.quoted && word.text.starts_with('-') && word.text.len() > 1;
        match is_option {
            true if word.text == "--" => only_operands = true,
            true if with_value.contains(&word.text.as_str()) => {
                words.next();
            }
            true => {}
            false => out.push(word),
        }
    }
    out
}

/// The arguments of `jq` without `--arg name value` and its like.
fn without_bindings(arguments: &[Word]) -> Vec<Word> {
    let mut words = arguments.iter();
    let mut out = Vec::new();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "--arg" | "--argjson" | "--slurpfile" | "--rawfile" => drop(words.nth(1)),
            _ => out.push(word.clone()),
        }
    }
    out
}

trait SplitOff {
    fn split_off_first(self) -> Self;
}

impl SplitOff for Vec<&Word> {
    fn split_off_first(mut self) -> Self {
        if !self.is_empty() {
            self.remove(0);
        }
        self
    }
}

/// All one-letter options in one string.
fn options(arguments: &[Word]) -> String {
    arguments
        .iter()
        .filter(|word| !word.quoted && word.text.starts_with('-') && !word.text.starts_with("--"))
        .map(|word| &word.text[1..])
        .collect()
}

/// The lines that `head` or `tail` show, and of which files; `None` for bytes.
fn head_lines<'a>(program: &str, arguments: &'a [Word]) -> Option<(Lines, Vec<&'a Word>)> {
    let mut count = "10".to_string();
    let mut files = Vec::new();
    let mut words = arguments.iter();
    while let Some(word) = words.next() {
        match word.text.as_str() {
            "-n" | "--lines" => count = words.next()?.text.clone(),
            "-c" | "--bytes" => return None,
            "-q" | "-f" | "-F" | "-v" | "--" => {}
            text => match text
                .strip_prefix("--lines=")
                .or_else(|| text.strip_prefix("-n"))
                .or_else(|| text.strip_prefix('-'))
            {
                Some(number) if !number.is_empty() => count = number.to_string(),
                _ if program == "tail" && text.starts_with('+') => count = text.to_string(),
                _ => files.push(word),
            },
        }
    }
    let lines = match (program, count.strip_prefix('+'), count.strip_prefix('-')) {
        ("tail", Some(from), _) => Lines::from(line_number(from)?.max(1)),
        ("tail", _, _) => Lines::Last(line_number(count.trim_start_matches('-'))?),
        (_, _, Some(_)) => return None,
        _ => Lines::span(1, line_number(&count)?),
    };
    Some((lines, files))
}

/// The lines of `NR>=10 && NR<=40`, `NR==10,NR==40`, `NR==7` when they are printed as they are.
fn awk_lines(program: &str) -> Option<Lines> {
    let (condition, action) = program.split_once('{').unwrap_or((program, "print}"));
    let action = action.trim_end().trim_end_matches('}').trim();
    if !matches!(action, "print" | "print;" | "print $0" | "print $0;") {
        return None;
    }
    let compact: String = condition.chars().filter(|c| !c.is_whitespace()).collect();
    let parts: Vec<&str> = compact.split("&&").flat_map(|part| part.split(',')).collect();
    let bound = |part: &str| -> Option<(char, bool, usize)> {
        let rest = part.trim_matches(['(', ')']).strip_prefix("NR")?;
        let number = line_number(rest.trim_start_matches(['=', '<', '>']))?;
        Some((rest.chars().next()?, rest.contains('='), number))
    };
    let bounds: Option<Vec<_>> = parts.iter().map(|part| bound(part)).collect();
    match bounds?.as_slice() {
        [('=', _, line)] => Some(Lines::span(*line, *line)),
        [('=', _, first), ('=', _, last)] => Some(Lines::span(*first, *last)),
        [('>', equal, first)] => Some(Lines::from(first + usize::from(!equal))),
        [('<', equal, last)] => Some(Lines::span(1, last.saturating_sub(usize::from(!equal)))),
        [('>', from, first), ('<', to, last)] => {
            Some(Lines::span(first + usize::from(!from), last.saturating_sub(usize::from(!to))))
        }
        _ => None,
    }
}
