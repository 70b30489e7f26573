//! The command line as users type it. Help, completions and man pages all come from here.

mod about;
mod convert;
mod fold;
mod look;
#[cfg(feature = "serve")]
mod proxy;
mod replay;
mod store;
mod tune;
mod values;

use std::path::PathBuf;

use clap::{Args as ClapArgs, Parser, Subcommand, ValueEnum};
use enfold::count::Encoding;

use crate::failure::Failure;
use crate::found;
use crate::input::Input;

pub use about::{CompletionsArgs, ManArgs, ModelsArgs};
pub use convert::{ConvertArgs, IntentArgs};
pub use fold::{
    AskingArgs, ExplainArgs, FoldArgs, FoldingArgs, PassesArgs, PoliciesArgs, PolicyArg, ReservesArg,
    SummarizerArg, TemplatesArgs, UnfoldArgs,
};
pub use look::{ChangelogArgs, CountArgs, FileAtArgs, InspectArgs, LedgerArgs, ValidateArgs};
#[cfg(feature = "serve")]
pub use proxy::{DoctorArgs, McpArgs, RunArgs, ServeArgs, ServingArgs};
pub use replay::ReplayArgs;
pub use store::{
    ExportArgs, GcArgs, ImportArgs, ListArgs, LogArgs, MessagesArgs, RmArgs, SearchArgs, SessionsArgs,
    SessionsCommand, ShowArgs, StoreArg, ViewArgs,
};
pub use tune::TuneArgs;

use values::{from_one, input, readable, tokenizer};

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
    #[command(after_help = look::INSPECT)]
    Inspect(InspectArgs),
    /// Count the tokens of sessions, in total and by part.
    #[command(after_help = look::COUNT)]
    Count(CountArgs),
    /// Write a session in another format and say what that loses.
    #[command(after_help = convert::CONVERT)]
    Convert(ConvertArgs),
    /// Check whether a provider would take a session's messages, rule by rule.
    #[command(after_help = look::VALIDATE)]
    Validate(ValidateArgs),
    /// Print what a file held after a step of a session, as far as the session shows it.
    #[command(after_help = look::FILE_AT)]
    FileAt(FileAtArgs),
    /// Add a field `intent` to the definitions of edit tools, in which the model says why it makes a change.
    #[command(after_help = convert::INTENT)]
    Intent(IntentArgs),
    /// List what a session changed, file by file, with the reasons its calls give.
    #[command(after_help = look::CHANGELOG)]
    Changelog(ChangelogArgs),
    /// Print what a session is about and how far it has come: task, requests, plan, files, commands, errors.
    #[command(after_help = look::LEDGER)]
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
    #[command(after_help = about::MODELS)]
    Models(ModelsArgs),
    /// Print the completions of a shell.
    #[command(after_help = about::COMPLETIONS)]
    Completions(CompletionsArgs),
    /// Print the man page, of all or of one command.
    #[command(after_help = about::MAN)]
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
    #[arg(long, value_name = "NTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with = "file", value_parser = from_one)]
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
    /// `tokenizer.json` (in a build with the feature tokenizer-json).
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
