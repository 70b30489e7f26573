//! The arguments of the commands over the store.

use std::path::PathBuf;
use std::time::Duration;

use bytesize::ByteSize;
use clap::{Args as ClapArgs, Subcommand};

use super::CountingArgs;
use super::values::{from_one, input, readable};
use crate::input::Input;

/// Which store.
#[derive(Clone, Debug, ClapArgs)]
pub struct StoreArg {
    /// The store of sessions, an SQLite file. Without it: enfold/enfold.db in your data folder ($XDG_DATA_HOME, or
    /// ~/.local/share).
    #[arg(long, value_name = "FILE", env = "ENFOLD_STORE", hide_env_values = true)]
    pub store: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct SessionsArgs {
    /// What to do with them.
    #[command(subcommand)]
    pub command: SessionsCommand,
}

/// One variant per file under `commands/sessions/`.
#[derive(Debug, Subcommand)]
pub enum SessionsCommand {
    /// List the sessions of the store, the one used last first.
    #[command(after_help = LIST)]
    List(ListArgs),
    /// Describe a session: messages, tokens, folds, lease, the files it changed.
    #[command(after_help = SHOW)]
    Show(ShowArgs),
    /// List the messages of a session, with what became of each in its last view.
    #[command(after_help = MESSAGES)]
    Messages(MessagesArgs),
    /// Print the last view of a session that was sent, byte for byte.
    #[command(after_help = VIEW)]
    View(ViewArgs),
    /// Take sessions into the store: session files, exports, tables of other programs.
    #[command(after_help = IMPORT)]
    Import(ImportArgs),
    /// Write all of a session as JSON lines, for `import` elsewhere.
    #[command(after_help = EXPORT)]
    Export(ExportArgs),
    /// Remove sessions.
    #[command(after_help = RM)]
    Rm(RmArgs),
    /// Remove sessions that are too old or too much, and give their room back to the disk.
    #[command(after_help = GC)]
    Gc(GcArgs),
}

pub(super) const SESSIONS: &str = "\
An id may be shortened to a beginning that no other session has. Every command that reads a FILE reads a stored session \
as `session:ID`.

Examples:
  enfold sessions import ~/.claude/projects/*/*.jsonl
  enfold sessions list
  enfold sessions show fix-parser
  enfold inspect session:fix-parser";

#[derive(Debug, ClapArgs)]
pub struct ListArgs {
    #[command(flatten)]
    pub store: StoreArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const LIST: &str = "\
Examples:
  enfold sessions list
  enfold sessions list --json | jq -r '.sessions[] | select(.messages > 500) | .id'";

#[derive(Debug, ClapArgs)]
pub struct ShowArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    #[command(flatten)]
    pub store: StoreArg,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Print JSON, with everything there is.
    #[arg(long)]
    pub json: bool,
}

const SHOW: &str = "\
Examples:
  enfold sessions show fix-parser
  enfold sessions show fix-parser --json | jq '.files[].path'";

#[derive(Debug, ClapArgs)]
pub struct MessagesArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Only those that the last view does not show.
    #[arg(long)]
    pub hidden: bool,
    /// Only those that came after the last compaction.
    #[arg(long, conflicts_with = "hidden")]
    pub since_compaction: bool,
    #[command(flatten)]
    pub store: StoreArg,
    #[command(flatten)]
    pub counting: CountingArgs,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const MESSAGES: &str = "\
`hidden` says which fold stands for a message: `summary`, `told`, `drop`, `edits`. One of which something is left is \
`shortened`. `enfold unfold HANDLE` opens what a handle stands for.

Examples:
  enfold sessions messages fix-parser
  enfold sessions messages fix-parser --hidden
  enfold sessions messages fix-parser --since-compaction --json | jq '.messages[].number'";

#[derive(Debug, ClapArgs)]
pub struct ViewArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Write to a file, which appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub store: StoreArg,
}

const VIEW: &str = "\
A message per line, in the session's format; a system prompt that stands beside them is written first, to stderr. What came \
after the model's newest answer may not have been sent and is not printed. Views that `enfold fold session:ID` made are not \
kept: it prints them.

Examples:
  enfold sessions view fix-parser
  enfold sessions view fix-parser | enfold count -";

#[derive(Debug, ClapArgs)]
pub struct ImportArgs {
    /// What to take in: a session in any format that Enfold reads, an export, or another program's SQLite file; `-`
    /// for standard input.
    #[arg(value_name = "FILE", required = true, value_parser = input())]
    pub files: Vec<Input>,
    /// The session's id; by default the name of the file.
    #[arg(long, value_name = "ID")]
    pub id: Option<String>,
    /// The table of an SQLite file that holds a row per message; by default the only one that can be meant.
    #[arg(long, value_name = "NAME")]
    pub table: Option<String>,
    /// The format it is in; `auto` looks at the content.
    #[arg(long, value_name = "FORMAT", default_value = "auto", value_parser = readable(), hide_possible_values = true)]
    pub from: String,
    #[command(flatten)]
    pub store: StoreArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const IMPORT: &str = "\
Messages are kept byte for byte, those of an agent's log in the format that its agent speaks; model, tool definitions \
and what providers reported are kept too. A session that is there already \
is not stored twice: one that has grown gets its new messages, one with other messages is refused. The store is made if \
there is none.

Of a table, the columns are found by their names: session_id, role, content, created_at, or what other programs call \
them.

Examples:
  enfold sessions import session.jsonl
  enfold sessions import request.json --id fix-parser
  enfold sessions import app.sqlite --table chat_messages
  ssh build enfold sessions export fix-parser | enfold sessions import -";

#[derive(Debug, ClapArgs)]
pub struct ExportArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Write to a file, which appears whole or not at all.
    #[arg(short, long, value_name = "FILE")]
    pub output: Option<PathBuf>,
    #[command(flatten)]
    pub store: StoreArg,
}

const EXPORT: &str = "\
All that the store knows goes along: messages, folds and what they hide, summaries, usage. For the messages alone: \
`enfold convert session:ID --to FORMAT`.

Examples:
  enfold sessions export fix-parser -o fix-parser.enfold.jsonl
  enfold sessions export fix-parser | zstd > fix-parser.enfold.jsonl.zst";

#[derive(Debug, ClapArgs)]
pub struct RmArgs {
    /// The sessions.
    #[arg(value_name = "ID", required = true)]
    pub ids: Vec<String>,
    #[command(flatten)]
    pub store: StoreArg,
}

const RM: &str = "\
Nothing is removed if one of them is not there, or is being compacted. What other sessions hold as well stays.

Examples:
  enfold sessions rm fix-parser
  enfold sessions export fix-parser -o kept.jsonl && enfold sessions rm fix-parser";

#[derive(Debug, ClapArgs)]
pub struct GcArgs {
    /// Remove sessions that nobody has written to for longer: `30d`, `12h`, `6months`.
    #[arg(long, value_name = "AGE", value_parser = age)]
    pub idle: Option<Duration>,
    /// Remove the sessions used least recently until the store takes no more: `2GB`, `500MB`.
    #[arg(long, value_name = "SIZE", value_parser = size)]
    pub max_size: Option<ByteSize>,
    /// Remove nothing, and say what would be removed.
    #[arg(long)]
    pub dry_run: bool,
    /// Remove also if that leaves no session at all; otherwise it is asked for.
    #[arg(long)]
    pub yes: bool,
    #[command(flatten)]
    pub store: StoreArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

const GC: &str = "\
Without a limit, no session is removed: only what none of them holds any more. A session that is being compacted stays.

Examples:
  enfold sessions gc --idle 30d --dry-run
  enfold sessions gc --idle 90d --max-size 2GB";

#[derive(Debug, ClapArgs)]
pub struct LogArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: String,
    /// Print the summaries, round by round: what the agent was told in place of older messages.
    #[arg(long)]
    pub summaries: bool,
    #[command(flatten)]
    pub store: StoreArg,
    /// Print JSON: an object per line, one for each entry.
    #[arg(long)]
    pub json: bool,
}

pub(super) const LOG: &str = "\
Newest last. Times are UTC.

Examples:
  enfold log fix-parser
  enfold log fix-parser --summaries | less
  enfold log fix-parser --json | jq 'select(.kind == \"epoch\") | .after'";

#[derive(Debug, ClapArgs)]
#[command(allow_missing_positional = true)]
pub struct SearchArgs {
    /// The session.
    #[arg(value_name = "ID")]
    pub id: Option<String>,
    /// What to find: messages that hold all of these words. `"a phrase"` and `begin*` work too.
    #[arg(value_name = "QUERY", required = true)]
    pub query: String,
    /// Search all sessions of the store.
    #[arg(long, conflicts_with = "id")]
    pub all: bool,
    /// Show at most so many messages, of each session.
    #[arg(long, value_name = "N", default_value = "20", value_parser = from_one)]
    pub limit: usize,
    #[command(flatten)]
    pub store: StoreArg,
    /// Print JSON.
    #[arg(long)]
    pub json: bool,
}

pub(super) const SEARCH: &str = "\
Searches what the model could read: texts, calls and results, as they were before anything was folded. Newest first.

Examples:
  enfold search fix-parser 'unexpected token'
  enfold search fix-parser '\"no such file\" config*' --limit 5
  enfold search --all timeout --json | jq '.hits[] | [.session, .message]'";

fn age(typed: &str) -> Result<Duration, String> {
    humantime::parse_duration(typed)
        .map_err(|_| "expected a number with a unit, such as 30d, 12h or 6months".into())
}

fn size(typed: &str) -> Result<ByteSize, String> {
    typed.parse().map_err(|_| "expected a size such as 2GB, 500MB or 1.5GiB".into())
}
