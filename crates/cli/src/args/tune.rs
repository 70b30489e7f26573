//! The arguments of `enfold tune`.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use enfold::count::budget::BudgetSpec;

use super::values::{from_one, input, whole, window};
use super::{CountingArgs, FromArg};
use crate::input::Input;

#[derive(Debug, ClapArgs)]
pub struct TuneArgs {
    /// Sessions: files, and folders of them (with all that is below).
    #[arg(value_name = "DATA", required_unless_present = "last", value_parser = input())]
    pub files: Vec<Input>,
    /// Take the newest sessions that agents have left on this machine: so many of those that `enfold` lists, 40 where no
    /// number is given.
    #[arg(long, value_name = "COUNT", num_args = 0..=1, default_missing_value = "40", conflicts_with = "files", value_parser = from_one)]
    pub last: Option<usize>,
    #[command(flatten)]
    pub from: FromArg,
    /// The window that policies are tried in: `64k`. Without it: what the window of each session's model has for a history.
    #[arg(short, long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = window)]
    pub window: Option<BudgetSpec>,
    /// How many policies to try beside `balanced`.
    #[arg(long, value_name = "COUNT", default_value = "24", allow_negative_numbers = true, value_parser = whole::<usize>)]
    pub tries: usize,
    /// Where the search begins: the same seed tries the same policies.
    #[arg(long, value_name = "NUMBER", default_value = "0", allow_negative_numbers = true, value_parser = whole::<u64>)]
    pub seed: u64,
    /// Write the policy that was chosen to this file: `balanced` itself where no other one is better on both halves.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    /// Choose the cheapest even where the half that checks does not confirm it.
    #[arg(long)]
    pub unconfirmed: bool,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Print JSON: every policy that was tried, with its figures on both halves.
    #[arg(long)]
    pub json: bool,
}

pub(super) const TUNE: &str = "\
Tries options of `balanced` on your own sessions by replaying them (see `enfold replay`): how far epochs fold, and how much of a \
large result is sent at first. Half of the projects (folders, or names up to `__`) choose, the other half only checks: what \
wins on both is no accident. Listed are the policies on the front: no other one is better in cost, recall, lines and asked at \
once. Chosen is the cheapest that keeps as much as `balanced` does, in the half that chooses: recall, lines and asked each \
lower by .002 at most. It must be confirmed: in the half that checks it may cost no more than `balanced`, and recall, lines and \
asked may each be lower by .01 at most. Otherwise `balanced` is kept, unless --unconfirmed is given.

Figures are means over the sessions of a half; of fewer than five they may be chance, and a line says so. Only sessions larger than the window say something; the others are left out.

Examples:
  enfold tune --last 40 --output mine.toml
  enfold tune sessions/ --window 64k --tries 50 --output mine.toml
  enfold fold session.jsonl --budget 16k --policy mine.toml";
