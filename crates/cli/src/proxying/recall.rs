//! The tools by which an agent opens what the proxy left out, as each agent wants to be told of them: by arguments and
//! variables of this one start, and in no file.

use std::ffi::{OsStr, OsString};
use std::path::{Path, PathBuf};

use serde_json::{Value, json};

use crate::args::ServingArgs;
use crate::failure::Failure;
use crate::{moment, stored};

/// What an agent is told of `enfold mcp`.
pub struct Recall {
    /// This program.
    pub program: String,
    /// The store that the proxy writes to.
    pub store: String,
    /// When the agent is started, in milliseconds since 1970: older sessions are none of its business.
    pub since: u64,
}

/// Commands by which agents are set up, which are no work of theirs.
const SETTING_UP: [&str; 10] =
    ["auth", "config", "doctor", "install", "login", "mcp", "plugin", "sandbox", "setup-token", "update"];

/// An agent that takes servers as JSON in one argument.
#[derive(Clone, Copy)]
pub struct InJson {
    /// The option.
    option: &'static str,
    /// What a server needs there beside its command.
    further: &'static str,
}

impl InJson {
    /// Loaded at once: otherwise the model is told the tools' names and has to ask what they take.
    pub const CLAUDE: InJson = InJson { option: "--mcp-config", further: r#"{"alwaysLoad":true}"# };
    pub const COPILOT: InJson =
        InJson { option: "--additional-mcp-config", further: r#"{"type":"local","tools":["*"]}"# };
    pub const QWEN: InJson = InJson { option: "--mcp-config", further: "{}" };
}

impl Recall {
    /// For an agent that is about to be started.
    pub fn new(args: &ServingArgs) -> Result<Recall, Failure> {
        let program = std::env::current_exe()
            .map_err(|error| Failure::new("this program", error, "start it by its whole path"))?;
        let store = stored::path(&args.store)?;
        let store = std::path::absolute(&store).unwrap_or(store);
        let since = u64::try_from(moment::now().as_millis()).unwrap_or(0);
        Ok(Recall { program: program.display().to_string(), store: store.display().to_string(), since })
    }

    /// The command that prints an original in the agent's shell: by its name, where that finds this very program.
    pub fn command(&self) -> String {
        let program = Path::new(&self.program).canonicalize().ok();
        let folders = std::env::var_os("PATH").unwrap_or_default();
        let found =
            std::env::split_paths(&folders).map(|folder| folder.join("enfold")).find(|path| path.is_file());
        let is_found =
            found.and_then(|path: PathBuf| path.canonicalize().ok()).is_some_and(|it| Some(it) == program);
        format!("{} unfold", if is_found { "enfold" } else { &self.program })
    }

    fn words(&self) -> Value {
        json!(["mcp", "--store", self.store, "--since", self.since.to_string()])
    }

    /// One argument, so that none of the user's own is taken for a further setting.
    pub fn in_json(&self, agent: InJson, own: &[OsString]) -> Option<OsString> {
        let is_set = |word: &OsString| {
            let word = word.to_string_lossy();
            word.starts_with(agent.option) || word == "--strict-mcp-config"
        };
        let is_setting_up =
            own.first().and_then(|word| word.to_str()).is_some_and(|word| SETTING_UP.contains(&word));
        if is_setting_up || own.iter().any(is_set) {
            return None;
        }
        let mut server: Value = serde_json::from_str(agent.further).unwrap_or_default();
        server["command"] = json!(self.program);
        server["args"] = self.words();
        Some(format!("{}={}", agent.option, json!({"mcpServers": {"enfold": server}})).into())
    }

    /// Settings in TOML, in which strings and lists of strings are written as in JSON.
    pub fn for_codex(&self, own: &[OsString]) -> Vec<OsString> {
        let is_set = |word: &OsString| word.to_string_lossy().contains("mcp_servers.enfold");
        if own.iter().any(is_set) {
            return Vec::new();
        }
        let settings = [
            format!("mcp_servers.enfold.command={}", json!(self.program)),
            format!("mcp_servers.enfold.args={}", self.words()),
        ];
        settings.into_iter().flat_map(|setting| [OsString::from("-c"), OsStr::new(&setting).into()]).collect()
    }

    /// What to put into its settings, unless there is one of that name.
    pub fn for_opencode(&self, own: &Value) -> Option<Value> {
        if !own["mcp"]["enfold"].is_null() {
            return None;
        }
        let mut command = vec![json!(self.program)];
        command.extend(self.words().as_array().into_iter().flatten().cloned());
        Some(json!({"mcp": {"enfold": {"type": "local", "command": command, "enabled": true}}}))
    }
}
