//! The arguments of the commands that look into a session and write none.

use std::ffi::OsString;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap::builder::PossibleValuesParser;
use enfold::validate::WIRES;

use super::values::{from_one, input, tokens, whole};
use super::{CountingArgs, FromArg, SessionArgs};
use crate::failure::Failure;
use crate::found;
use crate::input::Input;

#[derive(Debug, ClapArgs)]
pub struct InspectArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Print JSON, with everything there is.
    #[arg(long)]
    pub json: bool,
    /// Write a page with a picture of the session instead; it needs nothing but a browser.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

pub(super) const INSPECT: &str = "\
Without FILE, at a terminal: the newest sessions of the agents on this machine.

Examples:
  enfold inspect --last
  enfold inspect session.jsonl
  enfold inspect session.jsonl --model gpt-4o
  enfold inspect session.jsonl --html session.html
  enfold inspect session.jsonl --json | jq '.files[] | select(.repeated_reads > 2)'";

#[derive(Debug, ClapArgs)]
pub struct ValidateArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// Check for this model; rules differ between models. By default the one the session names.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Print the rules instead, of one wire format or of all.
    #[arg(long, value_name = "FORMAT", num_args = 0..=1, value_parser = PossibleValuesParser::new(WIRES))]
    pub rules: Option<Option<String>>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const VALIDATE: &str = "\
Exits with 4 if there are errors: a provider would refuse the request.

Examples:
  enfold validate request.json
  enfold validate session.jsonl --model claude-opus-4-6 --json
  enfold validate --rules anthropic";

#[derive(Debug, ClapArgs)]
#[command(
    override_usage = "enfold file-at [OPTIONS] <FILE> <PATH>\n       enfold file-at [OPTIONS] --last <PATH>"
)]
pub struct FileAtArgs {
    /// The session: a file, `session:ID` for one of the store, `-` for standard input. With --last it is left out.
    #[arg(value_name = "FILE")]
    first: OsString,
    /// The file's path, as the session names it; the end of it is enough if it is the only such one.
    #[arg(value_name = "PATH", required_unless_present = "last")]
    second: Option<String>,
    /// Take the newest session that an agent has left on this machine; `--last=3` the third of those that `enfold`
    /// lists.
    #[arg(long, value_name = "NTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", value_parser = from_one)]
    last: Option<usize>,
    /// The step after which to look; by default the last one.
    #[arg(long, value_name = "N", value_parser = whole::<u32>)]
    pub step: Option<u32>,
    /// The turn after which to look, instead: a turn begins with a message of the user.
    #[arg(long, value_name = "N", conflicts_with = "step", value_parser = whole::<u32>)]
    pub turn: Option<u32>,
    #[command(flatten)]
    pub from: FromArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

impl FileAtArgs {
    /// The session, and the path of the file in it. With `--last` the only word is the path.
    pub fn named(&self) -> Result<(Input, String), Failure> {
        match (self.last, &self.second) {
            (None, second) => {
                let path = second.clone().expect("the command line asks for it where there is no --last");
                Ok((Input::from(self.first.as_os_str()), path))
            }
            (Some(nth), None) => {
                Ok((Input::Path(found::nth(nth)?), self.first.to_string_lossy().into_owned()))
            }
            (Some(_), Some(_)) => {
                let remedy = "leave one of them out; the second newest session is --last=2";
                Err(Failure::new("--last", "a FILE is named as well", remedy))
            }
        }
    }
}

pub(super) const FILE_AT: &str = "\
The content goes to stdout, how sure it is to stderr. Lines the session never shows are marked with ⋯.

Examples:
  enfold file-at session.jsonl src/main.rs
  enfold file-at session.jsonl src/main.rs --step 12 > main.rs
  enfold file-at session.jsonl src/main.rs --turn 3
  enfold file-at session:fix-parser src/main.rs
  enfold file-at --last src/main.rs
  diff <(enfold file-at s.jsonl a.py --step 3) <(enfold file-at s.jsonl a.py --step 9)";

#[derive(Debug, ClapArgs)]
pub struct ChangelogArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// Print JSON instead of Markdown.
    #[arg(long)]
    pub json: bool,
}

pub(super) const CHANGELOG: &str = "\
Examples:
  enfold changelog session.jsonl
  enfold changelog session:fix-parser
  enfold changelog session.jsonl --json | jq '.changes[] | select(.verb == \"delete\")'";

#[derive(Debug, ClapArgs)]
pub struct LedgerArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// How many tokens it may take; the task itself stands whole and is not counted.
    #[arg(long, value_name = "N", default_value = "2000", value_parser = tokens)]
    pub tokens: usize,
    /// Print JSON, with everything there is.
    #[arg(long)]
    pub json: bool,
}

pub(super) const LEDGER: &str = "\
Computed from the session alone: nothing in it is guessed, and no model is asked.

Examples:
  enfold ledger session.jsonl
  enfold ledger session.jsonl --tokens 500
  enfold ledger session.jsonl --json | jq '.errors[] | select(.resolved == null)'";

#[derive(Debug, ClapArgs)]
pub struct CountArgs {
    /// The sessions: files, `session:ID` for those of the store, `-` or nothing for standard input.
    #[arg(value_name = "FILE", value_parser = input())]
    files: Vec<Input>,
    /// Take the newest session that an agent has left on this machine; `--last=3` the third of those that `enfold`
    /// lists.
    #[arg(long, value_name = "NTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "files", value_parser = from_one)]
    last: Option<usize>,
    #[command(flatten)]
    pub from: FromArg,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Count the files as plain text, whatever they hold.
    #[arg(long, conflicts_with = "from")]
    pub text: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

impl CountArgs {
    /// The files to count.
    pub fn files(&self) -> Result<Vec<Input>, Failure> {
        Ok(match self.last {
            Some(nth) => vec![Input::Path(found::nth(nth)?)],
            None if self.files.is_empty() => vec![Input::Stdin],
            None => self.files.clone(),
        })
    }
}

pub(super) const COUNT: &str = "\
Tokens are those of all texts, each counted by itself, plus 4 for each message, each call and each result (the first \
result of a tool message is free), plus the tool definitions.

Examples:
  enfold count session.jsonl
  enfold count --last
  enfold count session.jsonl --model claude-sonnet-4-5
  enfold count *.jsonl --tokenizer cl100k --json
  enfold count --text notes.md";
