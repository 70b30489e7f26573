//! What `enfold doctor` looks at, one thing after the other.

use std::net::{TcpStream, ToSocketAddrs};
use std::path::Path;
use std::time::Duration;

use enfold_server::{Config, Upstream};

use crate::args::ServingArgs;
use crate::stored;

/// How long a server may take to be reached.
const PATIENCE: Duration = Duration::from_secs(3);

/// What was found about a thing.
pub struct Check {
    pub thing: String,
    pub verdict: Verdict,
}

pub enum Verdict {
    Well(String),
    /// Worth knowing; nothing has to be done.
    Note(String),
    /// What is wrong, and what to do.
    Wrong(String, String),
}

pub fn all(args: &ServingArgs) -> Vec<Check> {
    let mut checks = vec![store(args), secrets(args)];
    let config = super::config(args, ([127, 0, 0, 1], 0).into());
    match config {
        Ok(config) => {
            checks.push(configuration(args, &config));
            checks.extend(config.upstreams.iter().map(reachable));
        }
        Err(failure) => {
            let why = failure.message().unwrap_or_default();
            checks.push(wrong("configuration", &why, "mend the file, or name another with --config"));
        }
    }
    checks.extend(left_behind(|name| std::env::var(name).ok()));
    checks.push(agents());
    checks
}

fn store(args: &ServingArgs) -> Check {
    let opened = stored::open_or_create(&args.store).and_then(|store| {
        store.check().map_err(stored::failed)?;
        let sessions = enfold_store::Sessions::sessions(&store).map_err(stored::failed)?;
        Ok(format!("{}, {} sessions, undamaged", store.path().display(), sessions.len()))
    });
    match opened {
        Ok(what) => well("store", what),
        Err(failure) => {
            let why = failure.message().unwrap_or_default();
            wrong("store", &why, "requests go through unfolded until it works")
        }
    }
}

fn secrets(args: &ServingArgs) -> Check {
    if let Err(failure) = super::home(args) {
        return wrong("secrets", &failure.message().unwrap_or_default(), "check who may write there");
    }
    let Ok(path) = stored::path(&args.store) else { return wrong("secrets", "no folder", "set --store") };
    let folder = path.parent().unwrap_or(Path::new("."));
    let open: Vec<&str> =
        ["secret", "token"].into_iter().filter(|name| is_open(&folder.join(name))).collect();
    match open.is_empty() {
        true => well("secrets", format!("the token of the API is in {}", folder.join("token").display())),
        false => {
            let remedy = format!("chmod 600 in {}", folder.display());
            wrong("secrets", &format!("others can read {}", open.join(" and ")), &remedy)
        }
    }
}

#[cfg(unix)]
fn is_open(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    std::fs::metadata(path).is_ok_and(|file| file.permissions().mode() & 0o077 != 0)
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> bool {
    false
}

fn configuration(args: &ServingArgs, config: &Config) -> Check {
    let from = super::config_file(args).map_or("no file".to_string(), |path| path.display().to_string());
    well("configuration", format!("{from}; policy {}", config.policy.name))
}

fn reachable(upstream: &Upstream) -> Check {
    let thing = format!("upstream {}", upstream.name);
    let base = upstream.base();
    let (host, port) = (base.host().unwrap_or_default().trim_matches(['[', ']']), base.port_u16());
    let port = port.unwrap_or(if base.scheme_str() == Some("http") { 80 } else { 443 });
    let addresses = (host, port).to_socket_addrs().map(Iterator::collect::<Vec<_>>);
    let reached =
        addresses.as_ref().map(|all| all.iter().any(|at| TcpStream::connect_timeout(at, PATIENCE).is_ok()));
    let is_behind_proxy =
        ["HTTPS_PROXY", "https_proxy", "ALL_PROXY"].iter().any(|name| std::env::var_os(name).is_some());
    // Nobody reaches this machine through a proxy.
    let is_here = addresses.as_ref().is_ok_and(|all| all.iter().any(|at| at.ip().is_loopback()));
    match reached {
        Ok(true) => well(&thing, format!("{base} can be reached")),
        _ if is_behind_proxy && !is_here => {
            note(&thing, format!("{base} is reached through a proxy, which was not tried"))
        }
        Ok(false) => wrong(
            &thing,
            &format!("{base} does not answer"),
            "start it, or check --upstream and your network",
        ),
        Err(_) => {
            wrong(&thing, &format!("nobody knows the host of {base}"), "check its URL and your network")
        }
    }
}

/// A base URL that points at a port of this machine where nobody listens makes every agent fail.
fn left_behind(variable: impl Fn(&str) -> Option<String>) -> Vec<Check> {
    let names = ["ANTHROPIC_BASE_URL", "OPENAI_BASE_URL", "GOOGLE_GEMINI_BASE_URL"];
    let mut checks = Vec::new();
    for name in names {
        let Some(url) = variable(name) else { continue };
        let place = url.split("://").nth(1).unwrap_or(&url).split('/').next().unwrap_or_default().to_string();
        let is_near = place.starts_with("127.0.0.1:") || place.starts_with("localhost:");
        let listens = || {
            place
                .to_socket_addrs()
                .is_ok_and(|mut all| all.any(|at| TcpStream::connect_timeout(&at, PATIENCE).is_ok()))
        };
        checks.push(match is_near && !listens() {
            true => wrong(
                name,
                "nobody listens where it points",
                &format!("start `enfold serve --listen {place}`, or unset it"),
            ),
            false => note(name, "it is set; `enfold run` sends requests on to it".into()),
        });
    }
    checks
}

fn agents() -> Check {
    let folders = std::env::var_os("PATH").unwrap_or_default();
    let is_there = |name: &&str| std::env::split_paths(&folders).any(|folder| folder.join(name).is_file());
    let known = ["claude", "codex", "opencode", "gemini", "qwen", "copilot", "aider", "pi"];
    let found: Vec<&str> = known.into_iter().filter(is_there).collect();
    match found.is_empty() {
        true => {
            note("agents", "none that is known by name is in PATH; `enfold run -- COMMAND` takes any".into())
        }
        false => {
            well("agents", format!("{} (start one with `enfold run -- {}`)", found.join(", "), found[0]))
        }
    }
}

fn well(thing: &str, what: String) -> Check {
    Check { thing: thing.into(), verdict: Verdict::Well(what) }
}

fn note(thing: &str, what: String) -> Check {
    Check { thing: thing.into(), verdict: Verdict::Note(what) }
}

fn wrong(thing: &str, what: &str, remedy: &str) -> Check {
    Check { thing: thing.into(), verdict: Verdict::Wrong(what.into(), remedy.into()) }
}
