//! The arguments of the commands that tell what Enfold knows: about models, and about itself.

use std::path::PathBuf;

use clap::Args as ClapArgs;
use clap_complete::Shell;

use super::fold::policy;
use super::{ModelsArg, PolicyArg, ReservesArg};

#[derive(Debug, ClapArgs)]
pub struct ModelsArgs {
    /// A model, or words to search for.
    #[arg(value_name = "MODEL")]
    pub words: Vec<String>,
    #[command(flatten)]
    pub models: ModelsArg,
    /// The policy whose budget to show: a name that `enfold policies` lists, or a TOML file of your own.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = policy)]
    pub policy: PolicyArg,
    #[command(flatten)]
    pub reserves: ReservesArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const MODELS: &str = "\
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
  input_per_m = 0.5
  output_per_m = 1.5";

#[derive(Debug, ClapArgs)]
pub struct CompletionsArgs {
    /// The shell.
    pub shell: Shell,
}

pub(super) const COMPLETIONS: &str = "\
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

pub(super) const MAN: &str = "\
Examples:
  enfold man | man -l -
  enfold man convert | man -l -
  enfold man --dir ~/.local/share/man/man1";
