//! The arguments of `enfold replay`.

use std::path::PathBuf;
use std::time::Duration;

use clap::Args as ClapArgs;
use enfold::count::budget::BudgetSpec;

use super::fold::policy;
use super::values::{from_one, input, window};
use super::{CountingArgs, FromArg, PolicyArg};
use crate::input::Input;

#[derive(Debug, ClapArgs)]
pub struct ReplayArgs {
    /// Sessions: files, folders of them (with all that is below), `session:ID`, `-` for standard input.
    #[arg(value_name = "FILE", value_parser = input())]
    pub files: Vec<Input>,
    /// Take the newest sessions that agents have left on this machine: so many of those that `enfold` lists, 20 where no
    /// number is given.
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "20", conflicts_with = "files", value_parser = from_one)]
    pub last: Option<usize>,
    #[command(flatten)]
    pub from: FromArg,
    /// Replay as if the model's window had so many tokens, all of them for messages: `64k`. Without it: what the model's
    /// window has for a history.
    #[arg(short, long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = window)]
    pub window: Option<BudgetSpec>,
    /// The policy: a name that `enfold policies` lists, or a TOML file of your own, which is called by its file where another one has its
    /// name. May be repeated.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = policy)]
    pub policy: Vec<PolicyArg>,
    /// Also replay with every policy that ships.
    #[arg(long)]
    pub all_policies: bool,
    /// A pause before a request, after which the provider may have forgotten the last one: `6m@40`. Adds to the time that
    /// passed by the session's own clock. May be repeated.
    #[arg(long, value_name = "TIME@REQUEST", allow_hyphen_values = true, value_parser = pause)]
    pub gap: Vec<(usize, u32)>,
    /// Take every request to follow the one before at once, whatever the session says about when they were made.
    #[arg(long)]
    pub no_clock: bool,
    /// Write every request of the first policy, a JSON line each: `{"at": messages of the session before it, "messages":
    /// [...]}`. One session only, and without `compaction at 95 %`. `-` is standard output, and the tables go to standard error.
    #[arg(long, value_name = "FILE")]
    pub emit: Option<PathBuf>,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Print JSON instead of tables; of one session with each request.
    #[arg(long)]
    pub json: bool,
    /// Write a page with curves and a plot of cost against recall as well.
    #[arg(long, value_name = "FILE")]
    pub html: Option<PathBuf>,
}

/// `6m@40`: six minutes before the fortieth request.
fn pause(typed: &str) -> Result<(usize, u32), String> {
    let wrong = || "expected a time and a request, such as 6m@40".to_string();
    let (time, request) = typed.split_once('@').ok_or_else(wrong)?;
    if time.starts_with('-') {
        return Err(format!("a pause must be positive, such as 6m@{request}"));
    }
    if !time.is_empty() && time.bytes().all(|byte| byte.is_ascii_digit()) {
        return Err(format!(
            "the unit of the time is missing: {time}m@{request} for minutes, {time}s@{request} for seconds"
        ));
    }
    let time: Duration = humantime::parse_duration(time).map_err(|_| wrong())?;
    let request: usize = request.parse().ok().filter(|request| *request > 0).ok_or_else(wrong)?;
    Ok((request, u32::try_from(time.as_secs()).map_err(|_| wrong())?))
}

pub(super) const REPLAY: &str = "\
Sends a recorded session once more, request by request, as a provider would see it, and says what it would have cost: what \
the prompt cache held, what was written anew, how often history was rewritten, and whether each view still had what the \
agent used next. Beside your policy stand `no management` (everything, whether it fits or not) and `compaction at 95 %`, \
which is what most agents do by themselves (their summary is stood in for by the ledger). Nothing is sent to anybody. A \
request for which there is no view, since what must stay does not fit, is charged as sending everything.

input: tokens that the model read; cached: the share of them that the cache held. cost: of the input, against `no management`; \
over several sessions the mean of theirs. $: US dollars at list prices, answers included; over several sessions the sum, which \
says how many of them it is of where not all models have prices. breaks: requests whose history was changed, of 100. over: \
requests larger than the window; failed: requests for which there was no view.

recall: of the rare names that the next 8 answers use and that stood in the history, how many stand in the view; steps: \
requests whose next answer finds every name that it uses and that stood in the history, rare or not; lines: of the lines that \
the next answers repeat; asked: of what the user said. These are looked at in every fifth request whose history is larger than \
the window; beneath the table stands how many these were, and of how many sessions.

look-ups: times, of 100 requests, that the next action uses a rare name that is not in the view, so that the agent has to \
open a fold (`lookups` in JSON) or do again what it did (`repeats`); +rec: the cost with both, a request more each, and what was \
opened carried until the next epoch. A model: no agent is run.

Where a session says when its requests were made, a cache that was left alone for longer than its provider keeps it is \
cold: cold counts such requests. Where it has the provider's own figures, one line says what was charged and what would have \
been predicted.

Prices are those of the model that the session names, or --model; without any, a tenth for what the cache held and a \
quarter more for what is new.

Examples:
  enfold replay --last 20
  enfold replay session.jsonl --window 64k
  enfold replay session.jsonl --model claude-sonnet-4-5 --all-policies --html replay.html
  enfold replay sessions/ --window 32k --policy balanced --policy mine.toml --json
  enfold replay session.jsonl --window 64k --gap 6m@40
  enfold replay session.jsonl --window 64k --emit requests.jsonl";
