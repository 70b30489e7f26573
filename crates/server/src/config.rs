//! What can be set: by a file of the user's own, by flags, by nobody else. Nothing in a request or a project changes where
//! requests go.

use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use enfold::count::models::Table;
use enfold::folding::policy::Policy;
use enfold_llm::Proxy;
use serde::Deserialize;

use crate::traces::Traces;
use crate::upstream::{Upstream, Upstreams};

/// How to serve.
#[derive(Clone)]
pub struct Config {
    /// The address to listen at. Loopback, unless there is a token for models too.
    pub listen: SocketAddr,
    /// Further names by which clients may call this server (`Host`).
    pub hosts: Vec<String>,
    /// Where requests go.
    pub upstreams: Upstreams,
    /// How sessions are folded.
    pub policy: Arc<Policy>,
    /// What is known about models.
    pub table: Arc<Table>,
    /// A window for every model, in place of its own: for trying things out.
    pub window: Option<usize>,
    /// Whether anything is changed.
    pub mode: Mode,
    /// Limits of requests.
    pub limits: Limits,
    /// How long a request waits while its session is being compacted.
    pub patience: Duration,
    /// How long streams may go on after the end was asked for.
    pub grace: Duration,
    /// Whether upstreams are reached through the system's proxy.
    pub proxy: Proxy,
    /// A command that prints an original in the agents' shells, in front of its number. Named in views to those that have a
    /// shell and no tool for it.
    pub recall: Option<String>,
    /// A folder for originals as files, which views then name, for agents that can only read files.
    pub blobs: Option<String>,
    /// Hears a line of JSON per request: no headers, no bodies.
    pub log: Option<Log>,
    /// Where traces go.
    pub traces: Option<Traces>,
}

/// Hears what happened, a line of JSON each.
pub type Log = Arc<dyn Fn(&str) + Send + Sync>;

/// Whether anything is changed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// Views are sent.
    Fold,
    /// Nothing is changed; what would have been saved is told.
    Observe,
}

/// Limits of requests to models.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a body as it arrives.
    pub body: usize,
    /// Bytes of a body when it is unpacked.
    pub unpacked: usize,
    /// How many times larger unpacking may make it, from a megabyte on.
    pub ratio: usize,
    /// Levels of JSON.
    pub depth: usize,
}

impl Default for Limits {
    fn default() -> Limits {
        Limits { body: 32 << 20, unpacked: 64 << 20, ratio: 200, depth: 500 }
    }
}

impl Config {
    /// Folds by `balanced`, on a port of loopback, to the providers' own servers.
    pub fn new(listen: SocketAddr) -> Config {
        Config {
            listen,
            hosts: Vec::new(),
            upstreams: Upstreams::default(),
            policy: Arc::new(Policy::named("balanced").expect("it ships, and a test reads it")),
            table: Arc::new(Table::shipped().clone()),
            window: None,
            mode: Mode::Fold,
            limits: Limits::default(),
            patience: Duration::from_secs(60),
            grace: Duration::from_secs(30),
            proxy: Proxy::Environment,
            recall: None,
            blobs: None,
            log: None,
            traces: None,
        }
    }

    /// Takes in a file of the user's own.
    pub fn read(mut self, path: &Path) -> Result<Config, ConfigError> {
        let fault = |what: String| ConfigError::File { path: path.into(), what };
        let text = std::fs::read_to_string(path).map_err(|error| fault(error.to_string()))?;
        let file: File = toml::from_str(&text).map_err(|error| fault(error.to_string().trim().into()))?;
        self.hosts.extend(file.hosts);
        for (name, at) in file.upstream {
            let upstream = Upstream::new(&name, &at.url)?;
            self.upstreams.put(upstream);
        }
        Ok(self)
    }
}

/// What a file may say.
///
/// ```toml
/// hosts = ["enfold.internal"]          # further names for this server
/// [upstream.openai]                    # or anthropic, gemini, or a name of your own: http://127.0.0.1:8787/NAME/v1/…
/// url = "https://api.openai.com"
/// ```
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    hosts: Vec<String>,
    #[serde(default)]
    upstream: std::collections::BTreeMap<String, At>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct At {
    url: String,
}

/// A configuration that cannot be used. The operator can mend it.
#[derive(Debug, thiserror::Error)]
pub enum ConfigError {
    /// The file.
    #[error("{}: {what}; write `[upstream.openai]` with `url = \"https://…\"`, and `hosts = […]`", path.display())]
    File {
        /// Which one.
        path: PathBuf,
        /// What is wrong with it.
        what: String,
    },
    /// The URL of an upstream.
    #[error("upstream `{name}`: {why}")]
    Upstream {
        /// Its name.
        name: String,
        /// What is wrong with it.
        why: String,
    },
    /// The folder of what this installation keeps.
    #[error("{}: {why}; check who may write there, or set another store", path.display())]
    Home {
        /// Where.
        path: PathBuf,
        /// What the system says.
        why: String,
    },
}

/// What an installation keeps beside its sessions: a secret that makes handles and names of sessions hard to guess, and the
/// token that opens the API.
#[derive(Clone)]
pub struct Home {
    /// Makes handles.
    pub secret: Vec<u8>,
    /// Opens the API.
    pub token: String,
}

impl Home {
    /// Reads both from a folder, or makes them there, readable by nobody else.
    pub fn open(folder: &Path) -> Result<Home, ConfigError> {
        let failed =
            |error: std::io::Error| ConfigError::Home { path: folder.into(), why: error.to_string() };
        std::fs::create_dir_all(folder).map_err(failed)?;
        let secret = kept(&folder.join("secret")).map_err(failed)?.into_bytes();
        let token = kept(&folder.join("token")).map_err(failed)?;
        Ok(Home { secret, token })
    }
}

/// What a file holds; 32 random bytes as letters if it is not there yet.
fn kept(path: &Path) -> std::io::Result<String> {
    match std::fs::read_to_string(path) {
        Ok(text) if text.trim().len() >= 32 => return Ok(text.trim().to_string()),
        Err(error) if error.kind() != std::io::ErrorKind::NotFound => return Err(error),
        Ok(_) | Err(_) => {}
    }
    let mut bytes = [0; 32];
    getrandom::fill(&mut bytes).map_err(|error| std::io::Error::other(error.to_string()))?;
    let text: String = bytes.iter().map(|byte| format!("{byte:02x}")).collect();
    let mut options = std::fs::OpenOptions::new();
    options.write(true).create_new(true);
    #[cfg(unix)]
    std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
    match options.open(path) {
        Ok(mut file) => std::io::Write::write_all(&mut file, text.as_bytes()).map(|()| text),
        // Another process was quicker, and its bytes may be on their way.
        Err(error) if error.kind() == std::io::ErrorKind::AlreadyExists => {
            std::thread::sleep(Duration::from_millis(50));
            let text = std::fs::read_to_string(path)?.trim().to_string();
            if text.len() < 32 { Err(std::io::Error::other("it is too short; remove it")) } else { Ok(text) }
        }
        Err(error) => Err(error),
    }
}
