//! The arguments of the commands that stand between an agent and its model.

use std::ffi::OsString;
use std::net::SocketAddr;
use std::path::PathBuf;

use clap::Args as ClapArgs;
use enfold::count::budget::BudgetSpec;

use super::fold::policy;
use super::values::{address, window};
use super::{ModelsArg, PolicyArg, StoreArg};

/// How requests are folded and where they go.
#[derive(Debug, ClapArgs)]
pub struct ServingArgs {
    /// Change nothing; say what would have been saved.
    #[arg(long)]
    pub observe: bool,
    /// Send requests of a provider elsewhere: `anthropic`, `openai`, `gemini`, or a name of your own, which is then part of
    /// the path (http://127.0.0.1:8787/NAME/v1). May be repeated.
    #[arg(long, value_name = "NAME=URL", value_parser = upstream)]
    pub upstream: Vec<(String, String)>,
    /// A file with upstreams and names of this machine. Without it: enfold/serve.toml in your configuration folder
    /// ($XDG_CONFIG_HOME, or ~/.config), if it is there.
    #[arg(long, value_name = "FILE", env = "ENFOLD_CONFIG", hide_env_values = true)]
    pub config: Option<PathBuf>,
    /// How to fold: a policy that ships, or a file of your own.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = policy)]
    pub policy: PolicyArg,
    /// A window for every model in place of its own: `64k`.
    #[arg(long, value_name = "TOKENS", allow_negative_numbers = true, value_parser = window)]
    pub window: Option<BudgetSpec>,
    #[command(flatten)]
    pub models: ModelsArg,
    #[command(flatten)]
    pub store: StoreArg,
    /// Write what is hidden into files of this folder too, and name these in views: for agents that can only read files.
    #[arg(long, value_name = "DIR")]
    pub blobs: Option<PathBuf>,
    /// Write a line of JSON per event to FILE, `-` for standard error. No headers, no bodies, no keys.
    #[arg(long, value_name = "FILE")]
    pub log: Option<PathBuf>,
}

#[derive(Debug, ClapArgs)]
pub struct ServeArgs {
    /// Where to listen.
    #[arg(long, value_name = "ADDRESS:PORT", default_value = "127.0.0.1:8787", value_parser = address)]
    pub listen: SocketAddr,
    /// Let other machines in that send the token (`x-enfold-token`, or /~TOKEN in front of the path). Needed to listen
    /// anywhere but on this machine.
    #[arg(long)]
    pub token: bool,
    #[command(flatten)]
    pub serving: ServingArgs,
}

pub(super) const SERVE: &str = "\
Point an agent at it: ANTHROPIC_BASE_URL=http://127.0.0.1:8787, OPENAI_BASE_URL=http://127.0.0.1:8787/v1, \
GOOGLE_GEMINI_BASE_URL=http://127.0.0.1:8787; for Codex `-c openai_base_url='\"http://127.0.0.1:8787/v1\"'`. Keys stay the \
agent's own: they are passed on to the provider and kept nowhere. /healthz and /metrics answer anybody on this machine, \
/api (described by /api/openapi.json) whoever has the token.

Examples:
  enfold serve
  enfold serve --observe
  enfold serve --upstream openai=https://openrouter.ai/api
  enfold serve --upstream deepseek=https://api.deepseek.com";

#[derive(Debug, ClapArgs)]
pub struct RunArgs {
    #[command(flatten)]
    pub serving: ServingArgs,
    /// The agent and its arguments.
    #[arg(last = true, required = true, value_name = "AGENT")]
    pub command: Vec<OsString>,
}

pub(super) const RUN: &str = "\
The proxy lives as long as the agent, on a port of its own. A base URL that is set in your environment is where its requests \
go on to. Claude Code, Codex, OpenCode, Copilot CLI and Qwen Code are given `enfold mcp`, unless you have set servers by the \
same option: they can open what was folded. Nothing is written outside Enfold's data folder.

Exits as the agent does.

Examples:
  enfold run -- claude
  enfold run -- codex exec 'make the tests pass'
  enfold run --observe -- opencode
  enfold run -- python my_agent.py";

#[derive(Debug, ClapArgs)]
pub struct McpArgs {
    /// Answer about this session only: its id, or the beginning of it. Without it: about the one that a handle is of, or the
    /// one used last.
    #[arg(long, value_name = "ID", env = "ENFOLD_SESSION")]
    pub session: Option<String>,
    /// Answer only about sessions used since then, in milliseconds since 1970. `enfold run` sets it to its own beginning.
    #[arg(long, value_name = "TIME", env = "ENFOLD_SINCE", hide = true)]
    pub since: Option<u64>,
    #[command(flatten)]
    pub store: StoreArg,
}

pub(super) const MCP: &str = "\
A server of the Model Context Protocol over standard input and output, started by an agent. Its tools: unfold, \
search_history, session_ledger, file_at. They only read. `enfold run` sets it for the agents it knows; `enfold serve` \
answers the same at /mcp, with the token.

Examples:
  enfold mcp --session fix-parser
  claude --mcp-config \\
    '{\"mcpServers\":{\"enfold\":{\"command\":\"enfold\",\"args\":[\"mcp\"],\"alwaysLoad\":true}}}'
  codex -c 'mcp_servers.enfold.command=\"enfold\"' -c 'mcp_servers.enfold.args=[\"mcp\"]'";

#[derive(Debug, ClapArgs)]
pub struct DoctorArgs {
    /// Try to reach this server as well: a provider's name and URL, as `enfold serve --upstream` takes them. May be repeated.
    #[arg(long, value_name = "NAME=URL", value_parser = upstream)]
    upstream: Vec<(String, String)>,
    /// The file of `enfold serve` to check. Without it: enfold/serve.toml in your configuration folder
    /// ($XDG_CONFIG_HOME, or ~/.config), if it is there.
    #[arg(long, value_name = "FILE", env = "ENFOLD_CONFIG", hide_env_values = true)]
    config: Option<PathBuf>,
    /// The policy to check: one that ships, or a file of your own.
    #[arg(short, long, value_name = "NAME|FILE", default_value = "balanced", value_parser = policy)]
    policy: PolicyArg,
    #[command(flatten)]
    models: ModelsArg,
    #[command(flatten)]
    store: StoreArg,
}

impl DoctorArgs {
    /// What `enfold serve` would be told.
    pub fn serving(self) -> ServingArgs {
        ServingArgs {
            observe: false,
            upstream: self.upstream,
            config: self.config,
            policy: self.policy,
            window: None,
            models: self.models,
            store: self.store,
            blobs: None,
            log: None,
        }
    }
}

pub(super) const DOCTOR: &str = "\
Looks at what `enfold serve` and `enfold run` need: the store, the secrets beside it, the configuration, whether the \
providers can be reached, variables that point nowhere, agents by name. Nothing is sent to anybody.

Exits with 2 if something must be mended.

Examples:
  enfold doctor
  enfold doctor --upstream openai=http://127.0.0.1:11434";

fn upstream(text: &str) -> Result<(String, String), String> {
    let (name, url) =
        text.split_once('=').ok_or("write NAME=URL, for example openai=https://api.openai.com")?;
    Ok((name.to_string(), url.to_string()))
}
