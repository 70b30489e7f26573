//! The command line as users type it. Help, completions and man pages all come from here.

mod fold;
#[cfg(feature = "serve")]
mod proxy;
mod replay;
mod store;
mod tune;

use std::path::PathBuf;

use clap::builder::{OsStringValueParser, PossibleValue, PossibleValuesParser, TypedValueParser};
use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use clap_complete::Shell;
use enfold::count::Encoding;
use enfold::file;
use enfold::file::document::Frame;
use enfold::validate::WIRES;

use crate::failure::Failure;
use crate::found;
use crate::input::Input;

pub use fold::{
    AskingArgs, ExplainArgs, FoldArgs, FoldingArgs, PassesArgs, PoliciesArgs, PolicyArg, ReservesArg,
    SummarizerArg, TemplatesArgs, UnfoldArgs,
};
#[cfg(feature = "serve")]
pub use proxy::{DoctorArgs, McpArgs, RunArgs, ServeArgs, ServingArgs};
pub use replay::ReplayArgs;
pub use store::{
    ExportArgs, GcArgs, ImportArgs, ListArgs, LogArgs, MessagesArgs, RmArgs, SearchArgs, SessionsArgs,
    SessionsCommand, ShowArgs, StoreArg, ViewArgs,
};

pub use tune::TuneArgs;

/// Fold agent sessions to fit a model's window, look into them (where their tokens went, what they would be in another
/// format, whether a provider would take them), and keep them.
#[derive(Debug, Parser)]
#[command(name = "enfold", version, max_term_width = 100, after_help = EXIT_CODES)]
pub struct Args {
    /// What to do.
    #[command(subcommand)]
    pub command: Option<Command>,
}

const EXIT_CODES: &str = "\
Alone, `enfold` lists the newest sessions of the agents on this machine.

Sessions are read from FILE (plain, zstd or gzip; a folder of one-event .json files works too), from standard input, \
or from the store: `session:ID` in place of FILE. The format is recognised by content.

Exit codes: 0 done · 2 usage or bad input · 3 cannot fit · 4 invalid or lossy result refused";

/// One variant per command; its file under `commands/` has the same name.
#[derive(Debug, Subcommand)]
pub enum Command {
    /// Fold a session into a budget: what the model should see of it.
    #[command(after_help = fold::FOLD)]
    Fold(FoldArgs),
    /// Say what each pass would fold of a session and why, fold by fold.
    #[command(after_help = fold::EXPLAIN)]
    Explain(ExplainArgs),
    /// Print what a fold hides.
    #[command(after_help = fold::UNFOLD)]
    Unfold(UnfoldArgs),
    /// Show where a session's tokens are: by part, tool, file, step.
    #[command(after_help = INSPECT)]
    Inspect(InspectArgs),
    /// Count the tokens of sessions, in total and by part.
    #[command(after_help = COUNT)]
    Count(CountArgs),
    /// Write a session in another format and say what that loses.
    #[command(after_help = CONVERT)]
    Convert(ConvertArgs),
    /// Check whether a provider would take a session's messages, rule by rule.
    #[command(after_help = VALIDATE)]
    Validate(ValidateArgs),
    /// Print what a file held after a step of a session, as far as the session shows it.
    #[command(after_help = FILE_AT)]
    FileAt(FileAtArgs),
    /// Add a field `intent` to the definitions of edit tools, in which the model says why it makes a change.
    #[command(after_help = INTENT)]
    Intent(IntentArgs),
    /// List what a session changed, file by file, with the reasons its calls give.
    #[command(after_help = CHANGELOG)]
    Changelog(ChangelogArgs),
    /// Print what a session is about and how far it has come: task, requests, plan, files, commands, errors.
    #[command(after_help = LEDGER)]
    Ledger(LedgerArgs),
    /// Keep sessions in a store: list, show, import, export, remove them.
    #[command(after_help = store::SESSIONS)]
    Sessions(SessionsArgs),
    /// Tell what happened to a stored session: folds, summaries, what providers reported.
    #[command(after_help = store::LOG)]
    Log(LogArgs),
    /// Find words in the originals of a stored session, or of all.
    #[command(after_help = store::SEARCH)]
    Search(SearchArgs),
    /// Send a recorded session once more: what it would have cost, and what each view would have lost.
    #[command(after_help = replay::REPLAY)]
    Replay(ReplayArgs),
    /// Search options of the policy that suit your own sessions.
    #[command(after_help = tune::TUNE)]
    Tune(TuneArgs),
    /// Stand between agents and their models: fold what is sent, pass back what is answered.
    #[cfg(feature = "serve")]
    #[command(after_help = proxy::SERVE)]
    Serve(ServeArgs),
    /// Start an agent with a proxy of its own, and say at the end what it came to.
    #[cfg(feature = "serve")]
    #[command(after_help = proxy::RUN)]
    Run(RunArgs),
    /// Let an agent ask about its own session: open what was folded, search it, sum it up.
    #[cfg(feature = "serve")]
    #[command(after_help = proxy::MCP)]
    Mcp(McpArgs),
    /// Say what is wrong with this installation, and how to mend it.
    #[cfg(feature = "serve")]
    #[command(after_help = proxy::DOCTOR)]
    Doctor(DoctorArgs),
    /// List the passes, or print the manual page of one.
    #[command(after_help = fold::PASSES)]
    Passes(PassesArgs),
    /// List the policies, or describe one: its passes in order, with options and reasons.
    #[command(after_help = fold::POLICIES)]
    Policies(PoliciesArgs),
    /// List the templates of summaries, print one, or check one of your own.
    #[command(after_help = fold::TEMPLATES)]
    Templates(TemplatesArgs),
    /// What is known about models: windows, prices, cache rules, and the budget that follows.
    #[command(after_help = MODELS)]
    Models(ModelsArgs),
    /// Print the completions of a shell.
    #[command(after_help = COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the man page, of all or of one command.
    #[command(after_help = MAN)]
    Man(ManArgs),
}

/// Which session.
#[derive(Debug, ClapArgs)]
pub struct SessionArgs {
    /// The session: a file, `session:ID` for one of the store, `-` or nothing for standard input.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_parser = input())]
    pub file: Input,
    /// Take the newest session that an agent has left on this machine; `--last=3` the third of those that `enfold`
    /// lists.
    #[arg(long, value_name = "NTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "file")]
    pub last: Option<usize>,
    #[command(flatten)]
    pub from: FromArg,
}

impl SessionArgs {
    /// Puts the file in place that `--last` stands for.
    pub fn find_last(&mut self) -> Result<(), Failure> {
        if let Some(nth) = self.last {
            self.file = Input::Path(found::nth(nth)?);
        }
        Ok(())
    }
}

impl Command {
    /// The session it is about, for commands that take one.
    pub fn session(&mut self) -> Option<&mut SessionArgs> {
        match self {
            Command::Fold(args) => Some(&mut args.folding.session),
            Command::Explain(args) => Some(&mut args.folding.session),
            Command::Inspect(args) => Some(&mut args.session),
            Command::Convert(args) => Some(&mut args.session),
            Command::Validate(args) => Some(&mut args.session),
            Command::Changelog(args) => Some(&mut args.session),
            Command::Ledger(args) => Some(&mut args.session),
            Command::Unfold(_)
            | Command::Count(_)
            | Command::FileAt(_)
            | Command::Intent(_)
            | Command::Sessions(_)
            | Command::Log(_)
            | Command::Search(_)
            | Command::Replay(_)
            | Command::Tune(_)
            | Command::Passes(_)
            | Command::Policies(_)
            | Command::Templates(_)
            | Command::Models(_)
            | Command::Completions(_)
            | Command::Man(_) => None,
            #[cfg(feature = "serve")]
            Command::Serve(_) | Command::Run(_) | Command::Mcp(_) | Command::Doctor(_) => None,
        }
    }
}

/// How to read it.
#[derive(Debug, ClapArgs)]
pub struct FromArg {
    /// The format it is in; `auto` looks at the content.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = readable(), hide_possible_values = true)]
    pub from: String,
    #[command(flatten)]
    pub store: StoreArg,
}

/// How to count.
#[derive(Debug, ClapArgs)]
pub struct CountingArgs {
    /// Count for this model. Without it: for the model the session names, else in o200k.
    #[arg(long, value_name = "MODEL")]
    pub model: Option<String>,
    /// Count with this instead of the model's own: `o200k`, `cl100k`, `heuristic` (characters / 4) or the path of a
    /// `tokenizer.json`.
    #[arg(long, value_name = "NAME|FILE", value_parser = tokenizer)]
    pub tokenizer: Option<TokenizerArg>,
    #[command(flatten)]
    pub models: ModelsArg,
}

/// The user's own models.
#[derive(Debug, ClapArgs)]
pub struct ModelsArg {
    /// Models of your own, which win over the shipped ones: TOML with a table per model, or CSV.
    #[arg(long, value_name = "FILE", env = "ENFOLD_MODELS", hide_env_values = true)]
    pub models: Option<PathBuf>,
}

/// What to count with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum TokenizerArg {
    /// A vocabulary of OpenAI's.
    Bpe(Encoding),
    /// A quarter of the characters.
    Heuristic,
    /// A `tokenizer.json`.
    File(PathBuf),
}

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

const INSPECT: &str = "\
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

const VALIDATE: &str = "\
Exits with 4 if there are errors: a provider would refuse the request.

Examples:
  enfold validate request.json
  enfold validate session.jsonl --model claude-opus-4-6 --json
  enfold validate --rules anthropic";

#[derive(Debug, ClapArgs)]
pub struct FileAtArgs {
    /// The session: a file, `session:ID` for one of the store, `-` for standard input.
    #[arg(value_name = "FILE", value_parser = input())]
    pub file: Input,
    /// The file's path, as the session names it; the end of it is enough if it is the only such one.
    #[arg(value_name = "PATH")]
    pub path: String,
    /// The step after which to look; by default the last one.
    #[arg(long, value_name = "N")]
    pub step: Option<u32>,
    /// The turn after which to look, instead: a turn begins with a message of the user.
    #[arg(long, value_name = "N", conflicts_with = "step")]
    pub turn: Option<u32>,
    #[command(flatten)]
    pub from: FromArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const FILE_AT: &str = "\
The content goes to stdout, how sure it is to stderr. Lines the session never shows are marked with ⋯.

Examples:
  enfold file-at session.jsonl src/main.rs
  enfold file-at session.jsonl src/main.rs --step 12 > main.rs
  enfold file-at session.jsonl src/main.rs --turn 3
  enfold file-at session:fix-parser src/main.rs
  diff <(enfold file-at s.jsonl a.py --step 3) <(enfold file-at s.jsonl a.py --step 9)";

#[derive(Debug, ClapArgs)]
pub struct IntentArgs {
    /// Tool definitions as JSON: one, a list, or a whole request; `-` or nothing for standard input.
    #[arg(value_name = "FILE", default_value = "-", hide_default_value = true, value_parser = input())]
    pub file: Input,
    /// Write to a file, which appears whole or not at all; it may be the input itself.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Of a list, only the tools of these names; by default those that change files.
    #[arg(long, value_name = "NAME")]
    pub tool: Vec<String>,
}

const INTENT: &str = "\
Definitions of every request format are understood, and everything but the new field stays byte for byte. What models write \
there is what `enfold changelog` lists, and what is left of old edits in a view.

Examples:
  enfold intent tools.json -o tools.json
  enfold intent request.json --tool edit_file | curl … -d @-";

#[derive(Debug, ClapArgs)]
pub struct ChangelogArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// Print JSON instead of Markdown.
    #[arg(long)]
    pub json: bool,
}

const CHANGELOG: &str = "\
Examples:
  enfold changelog session.jsonl
  enfold changelog session:fix-parser
  enfold changelog session.jsonl --json | jq '.changes[] | select(.verb == \"delete\")'";

#[derive(Debug, ClapArgs)]
pub struct LedgerArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// How long it may be; the task itself stands whole and is not counted.
    #[arg(long, value_name = "N", default_value_t = 2_000)]
    pub tokens: usize,
    /// Print JSON, with everything there is.
    #[arg(long)]
    pub json: bool,
}

const LEDGER: &str = "\
Computed from the session alone: nothing in it is guessed, and no model is asked.

Examples:
  enfold ledger session.jsonl
  enfold ledger session.jsonl --tokens 500
  enfold ledger session.jsonl --json | jq '.errors[] | select(.resolved == null)'";

#[derive(Debug, ClapArgs)]
pub struct CountArgs {
    /// The sessions: files, `session:ID` for those of the store, `-` or nothing for standard input.
    #[arg(value_name = "FILE", value_parser = input())]
    pub files: Vec<Input>,
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
    pub fn files(&self) -> Vec<Input> {
        if self.files.is_empty() { vec![Input::Stdin] } else { self.files.clone() }
    }
}

const COUNT: &str = "\
Tokens are those of all texts, each counted by itself, plus 4 for each message, each call and each result (the first \
result of a tool message is free), plus the tool definitions.

Examples:
  enfold count session.jsonl
  enfold count session.jsonl --model claude-sonnet-4-5
  enfold count *.jsonl --tokenizer cl100k --json
  enfold count --text notes.md";

#[derive(Debug, ClapArgs)]
pub struct ModelsArgs {
    /// A model, or words to search for.
    #[arg(value_name = "MODEL")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub models: ModelsArg,
    /// The policy whose budget to show: a name that `enfold policies` lists, or a TOML file of your own.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = fold::policy)]
    pub policy: PolicyArg,
    #[command(flatten)]
    pub reserves: ReservesArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const MODELS: &str = "\
Examples:
  enfold models                          the whole table
  enfold models claude 4                 all that match
  enfold models anthropic/claude-sonnet-4-5   one: every number with its formula
  enfold models gpt-4 --output-reserve 1k --system-reserve 500 --safety 500
  enfold models gpt-4o --policy summarize
  enfold models --models mine.toml my-model

A models file:
  [\"my-model\"]
  context = 32000
  max_output = 4096
  input_per_m = 0.5";

#[derive(Debug, ClapArgs)]
pub struct ConvertArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// The format to write. Into the format it is in, a session comes out byte for byte; in an older spelling of it (AI
    /// SDK 4, UI messages), as the format is today.
    #[arg(long, value_name = "FORMAT", value_parser = convertible())]
    pub to: String,
    /// What surrounds the messages: a request object, an array, or one message per line. By default as in the input.
    #[arg(long = "as", value_name = "FRAME")]
    pub frame: Option<FrameArg>,
    /// Write to a file, which appears whole or not at all; it may be the input itself.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Write nothing and exit with 4 if anything would be lost.
    #[arg(long)]
    pub strict: bool,
    /// How to report losses on stderr.
    #[arg(long, value_name = "HOW", default_value = "table")]
    pub report: ReportArg,
}

const CONVERT: &str = "\
Examples:
  enfold convert session.jsonl --to openai-chat -o messages.jsonl
  enfold convert request.json --to anthropic --as request > other.json
  enfold convert session.jsonl --to gemini --strict || echo 'something would be lost'";

/// What surrounds the messages.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum FrameArg {
    /// A request object, with model, system prompt and tools where there are any.
    Request,
    /// A JSON array of messages.
    Array,
    /// One message per line.
    Lines,
}

/// How something is reported beside the result.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum ReportArg {
    /// For people.
    Table,
    /// For programs: one JSON object.
    Json,
    /// Not at all.
    None,
}

#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

const COMPLETIONS: &str = "\
Examples:
  enfold completions bash > ~/.local/share/bash-completion/completions/enfold
  enfold completions zsh > ~/.zfunc/_enfold
  enfold completions fish > ~/.config/fish/completions/enfold.fish";

#[derive(Debug, ClapArgs)]
pub struct ManArgs {
    /// The command; without it, the page of `enfold` itself.
    pub command: Option<String>,
    /// Write the pages of all commands into this folder instead.
    #[arg(long, value_name = "DIR", conflicts_with = "command")]
    pub dir: Option<PathBuf>,
}

const MAN: &str = "\
Examples:
  enfold man | man -l -
  enfold man convert | man -l -
  enfold man --dir ~/.local/share/man/man1";

impl From<FrameArg> for Frame {
    fn from(frame: FrameArg) -> Frame {
        match frame {
            FrameArg::Request => Frame::Request,
            FrameArg::Array => Frame::Array,
            FrameArg::Lines => Frame::Lines,
        }
    }
}

fn tokenizer(named: &str) -> Result<TokenizerArg, String> {
    Ok(match named {
        "o200k" | "o200k_base" => TokenizerArg::Bpe(Encoding::O200k),
        "cl100k" | "cl100k_base" => TokenizerArg::Bpe(Encoding::Cl100k),
        "heuristic" => TokenizerArg::Heuristic,
        path if path.contains(['.', '/', '\\']) => TokenizerArg::File(path.into()),
        _ => return Err("expected o200k, cl100k, heuristic or the path of a tokenizer.json".into()),
    })
}

fn input() -> impl TypedValueParser<Value = Input> {
    OsStringValueParser::new().map(|name| Input::from(name.as_os_str()))
}

/// The formats that can be written are offered. An agent's own log is only that agent's to write; into the same it may be
/// copied.
fn convertible() -> PossibleValuesParser {
    let is_offered = |name: &str| name == file::NOTATION || WIRES.contains(&name);
    let value = |name: &'static str| PossibleValue::new(name).hide(!is_offered(name));
    PossibleValuesParser::new(file::names().into_iter().map(value))
}

fn readable() -> PossibleValuesParser {
    PossibleValuesParser::new(std::iter::once("auto").chain(file::names()))
}
