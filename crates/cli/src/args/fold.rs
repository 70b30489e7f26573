//! The arguments of the commands that fold, open folds and describe how it is done.

use std::path::PathBuf;

use clap::builder::PossibleValuesParser;
use clap::{Args as ClapArgs, ValueEnum};
use enfold::Cache;
use enfold::count::budget::{BudgetSpec, OutputReserve, Rules};
use enfold::file;
use enfold::wire;
use enfold_llm::Api;

use super::values::{budget, from_one, input, tokens};
use super::{CountingArgs, FromArg, ReportArg, SessionArgs};
use crate::failure::Failure;
use crate::found;
use crate::input::Input;

/// What to fold, into how much, and how.
#[derive(Debug, ClapArgs)]
pub struct FoldingArgs {
    #[command(flatten)]
    pub session: SessionArgs,
    /// Tokens that the view may take, tool definitions included, counted as `enfold count` does: `16000`, `16k`,
    /// `1.5M`; `0.8` or `80%` of what the model's window has for a history. Without it: the model's own budget.
    #[arg(short, long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = budget)]
    pub budget: Option<BudgetSpec>,
    /// The policy: a name that `enfold policies` lists, or a TOML file of your own.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = policy)]
    pub policy: PolicyArg,
    /// The format of the view. By default the input's own; for an agent's log, the format its agent speaks.
    #[arg(long, value_name = "FORMAT", value_parser = written())]
    pub to: Option<String>,
    #[command(flatten)]
    pub blobs: BlobsArg,
    /// Whether the provider still holds the last request in its prompt cache. While it is warm, passes that fold only what
    /// costs nothing (`microcompact`) leave everything as it is.
    #[arg(long, value_name = "STATE", default_value = "cold")]
    pub cache: CacheArg,
    #[command(flatten)]
    pub reserves: ReservesArg,
    #[command(flatten)]
    pub counting: CountingArgs,
}

/// How much of a model's window is kept free. Numbers given here stand as they are; otherwise they are the policy's, and
/// shrink in a small window.
#[derive(Debug, Default, ClapArgs)]
pub struct ReservesArg {
    /// Tokens to keep free for the model's answer.
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub output_reserve: Option<usize>,
    /// Tokens to keep free for a system prompt and tools that are not in the session.
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub system_reserve: Option<usize>,
    /// Tokens to keep free for what counting gets wrong.
    #[arg(long, value_name = "TOKENS", value_parser = tokens)]
    pub safety: Option<usize>,
}

impl ReservesArg {
    /// Puts them in place of those of a policy.
    pub fn apply(&self, rules: &mut Rules) {
        if let Some(tokens) = self.output_reserve {
            rules.output_reserve = OutputReserve::Tokens(tokens);
        }
        rules.system_reserve = self.system_reserve.unwrap_or(rules.system_reserve);
        rules.safety = self.safety.unwrap_or(rules.safety);
        let are_given = [self.output_reserve, self.system_reserve, self.safety].iter().any(Option::is_some);
        rules.scales &= !are_given;
    }
}

/// Whether the provider still holds the last request.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum CacheArg {
    /// It does: what was sent stays as it is.
    Warm,
    /// It does not: changing costs nothing.
    Cold,
}

impl From<CacheArg> for Cache {
    fn from(cache: CacheArg) -> Cache {
        match cache {
            CacheArg::Warm => Cache::Warm,
            CacheArg::Cold => Cache::Cold,
        }
    }
}

/// Where the originals of folds are.
#[derive(Debug, ClapArgs)]
pub struct BlobsArg {
    /// The folder of originals. `fold` writes what it hides there, a file each, and the view names the files as this
    /// folder is written here; `unfold` finds them there. Where it cannot be written, the view names handles instead.
    #[arg(long, value_name = "DIR", env = "ENFOLD_BLOBS", hide_env_values = true)]
    pub blobs: Option<PathBuf>,
}

/// Which policy.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PolicyArg {
    /// One that ships.
    Named(String),
    /// The user's own.
    File(PathBuf),
}

#[derive(Debug, ClapArgs)]
pub struct FoldArgs {
    #[command(flatten)]
    pub folding: FoldingArgs,
    #[command(flatten)]
    pub asking: AskingArgs,
    /// Write the view to a file, which appears whole or not at all; it may be the input itself.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// How to report on stderr.
    #[arg(long, value_name = "HOW", default_value = "table")]
    pub report: ReportArg,
}

/// Who is asked for a summary.
#[derive(Debug, ClapArgs)]
pub struct AskingArgs {
    /// The model to ask for a summary, where the policy wants one: `anthropic:MODEL`, `openai:MODEL` (Chat Completions,
    /// which many servers speak) or `openai-responses:MODEL`. The key is that of ANTHROPIC_API_KEY, OPENAI_API_KEY or
    /// ENFOLD_API_KEY. Without a model, or if it fails, the summary is what code can extract.
    #[arg(long, value_name = "API:MODEL", value_parser = summarizer)]
    pub summarizer: Option<SummarizerArg>,
    /// Where its API is, if not at the provider's own place: `http://localhost:11434/v1`.
    #[arg(long, value_name = "URL", requires = "summarizer")]
    pub summarizer_url: Option<String>,
    /// A template of your own for the summary; `enfold templates` prints those that ship.
    #[arg(long, value_name = "FILE", requires = "summarizer")]
    pub template: Option<PathBuf>,
}

/// A model and how to speak with it.
#[derive(Clone, Debug)]
pub struct SummarizerArg {
    pub api: Api,
    pub model: String,
}

fn summarizer(typed: &str) -> Result<SummarizerArg, String> {
    let (name, model) = typed.split_once(':').unwrap_or((typed, ""));
    let api = match name {
        "anthropic" => Api::Anthropic,
        "openai" => Api::Chat,
        "openai-responses" => Api::Responses,
        _ => return Err("expected anthropic:MODEL, openai:MODEL or openai-responses:MODEL".into()),
    };
    match model {
        "" => Err(format!("it names no model: write {name}:MODEL")),
        model => Ok(SummarizerArg { api, model: model.into() }),
    }
}

pub(super) const FOLD: &str = "\
The view goes to stdout, the report to stderr. A session that fits leaves byte for byte as it came. Of one that does \
not, what is folded is smaller than it was, what is not folded stays as it is, and `enfold count` of the view is at \
most the budget. Folding a stored session (`session:ID`) records in the store what was folded, so that `enfold unfold` \
and `enfold log` know it. With a model's own budget a session is left alone up to 80 % of the usable window, and folded to 60 % \
beyond that (`enfold models MODEL` shows the numbers; a policy may set others). A stored session's next summary goes on \
from its last one.

Exits with 3 if what must stay is larger than the budget, and says what that is; with 4 if a provider would refuse the \
view for something that it would not refuse the session for.

Examples:
  enfold fold session.jsonl --budget 16k > view.jsonl
  enfold fold request.json --model gpt-4o -o request.json
  enfold fold session.jsonl --budget 16k --blobs .enfold/originals > view.jsonl
  enfold fold session:fix-parser --budget 16k > view.jsonl
  enfold fold session.jsonl --budget 16k --policy summarize --summarizer anthropic:claude-haiku-4-5 > view.jsonl
  tail -n 100 session.jsonl | enfold fold - --budget 0.5 --model claude-sonnet-4-5 --report none";

#[derive(Debug, ClapArgs)]
pub struct ExplainArgs {
    #[command(flatten)]
    pub folding: FoldingArgs,
    /// Print JSON: the same object as `fold --report json`.
    #[arg(long)]
    pub json: bool,
    /// Write a page instead, for a browser: the session as a strip, a slider over budgets, before and after side by side.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

pub(super) const EXPLAIN: &str = "\
Takes the arguments of `enfold fold` and writes no view and no originals: it says what would be folded and why.

Examples:
  enfold explain --last --html session.html
  enfold explain session.jsonl --budget 16k
  enfold explain session.jsonl --budget 16k --html view.html
  enfold explain session.jsonl --model gpt-4o --json | jq '.passes[].folds[] | select(.kind == \"drop\")'";

#[derive(Debug, ClapArgs)]
pub struct UnfoldArgs {
    /// The handle, as it stands in the view: `#482913077`, `482913077`, or the name of the file.
    #[arg(value_name = "HANDLE")]
    pub handle: String,
    /// The session file that the view was made of; `-` for standard input, `session:ID` for a stored one.
    #[arg(value_name = "FILE", value_parser = input())]
    file: Option<Input>,
    /// The view was made of the newest session that an agent has left on this machine; `--last=3` the third of those that
    /// `enfold` lists.
    #[arg(long, value_name = "NTH", num_args = 0..=1, require_equals = true, default_missing_value = "1", conflicts_with_all = ["file", "session"], value_parser = from_one)]
    last: Option<usize>,
    /// The stored session whose view has it; the beginning of its id is enough. Without it, and without a folder of
    /// originals, all sessions of the store are looked through.
    #[arg(long, value_name = "ID", conflicts_with = "file")]
    pub session: Option<String>,
    #[command(flatten)]
    pub from: FromArg,
    #[command(flatten)]
    pub blobs: BlobsArg,
}

impl UnfoldArgs {
    /// The session to look into, where one is named.
    pub fn file(&self) -> Result<Option<Input>, Failure> {
        match self.last {
            Some(nth) => Ok(Some(Input::Path(found::nth(nth)?))),
            None => Ok(self.file.clone()),
        }
    }
}

pub(super) const UNFOLD: &str = "\
Prints the original byte for byte: a text as the model read it; for messages that were left out, the messages. It is \
found in FILE itself, whatever budget and policy made the view, also when the session has gone on since. Without FILE it \
is found in the folder that `fold --blobs` wrote to, or in the store, where `fold session:ID` and agents record what \
they fold.

Examples:
  enfold unfold 482913077 session.jsonl
  enfold unfold 482913077 --last
  enfold unfold 482913077
  enfold unfold 482913077 --session fix-parser
  enfold unfold 482913077 --blobs .enfold/originals
  ENFOLD_BLOBS=.enfold/originals enfold unfold '#482913077' | less";

#[derive(Debug, ClapArgs)]
pub struct PassesArgs {
    /// The pass to describe; without it, all are listed.
    #[arg(value_name = "NAME")]
    pub name: Option<String>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const PASSES: &str = "\
Examples:
  enfold passes
  enfold passes fold_by_value";

#[derive(Debug, ClapArgs)]
pub struct PoliciesArgs {
    /// The policy to describe, or a TOML file of your own to check; without it, all are listed.
    #[arg(value_name = "NAME|FILE", value_parser = policy)]
    pub policy: Option<PolicyArg>,
    /// Print the policy's file, to start your own from.
    #[arg(long, requires = "policy", conflicts_with = "json")]
    pub toml: bool,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const POLICIES: &str = "\
Examples:
  enfold policies
  enfold policies balanced
  enfold policies balanced --toml > mine.toml && enfold fold session.jsonl --policy mine.toml --budget 16k";

#[derive(Debug, ClapArgs)]
pub struct TemplatesArgs {
    /// The template to print; without it, all are listed.
    #[arg(value_name = "NAME", conflicts_with = "check")]
    pub name: Option<String>,
    /// Check a template of your own, and say what it asks for.
    #[arg(long, value_name = "FILE")]
    pub check: Option<PathBuf>,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const TEMPLATES: &str = "\
A template says which sections a summary has that a model writes, and how they are asked for. The option `template` of \
the pass `summarize` names one.

Examples:
  enfold templates
  enfold templates coding > mine.md && enfold templates --check mine.md";

pub(super) fn policy(named: &str) -> Result<PolicyArg, String> {
    let is_path = named.contains(['.', '/', '\\']);
    Ok(if is_path { PolicyArg::File(named.into()) } else { PolicyArg::Named(named.into()) })
}

/// What a view can be written in.
fn written() -> PossibleValuesParser {
    PossibleValuesParser::new(wire::WIRES.iter().map(|wire| wire.name()).chain([file::NOTATION]))
}
