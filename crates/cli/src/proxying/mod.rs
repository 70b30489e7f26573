//! What `serve`, `run` and `doctor` share: the proxy as the command line describes it.

pub mod agents;
pub mod checks;
pub mod recall;

use std::fs::File;
use std::io::{IsTerminal, Write};
use std::net::SocketAddr;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use enfold::count::budget::BudgetSpec;
use enfold_server::{Bound, Config, Home, Mode, Reach, Totals, Traces, Upstream};

use crate::args::ServingArgs;
use crate::failure::Failure;
use crate::report::number;
use crate::{counting, policies, stored};

/// A configuration out of the user's file and the flags, which win.
pub fn config(args: &ServingArgs, listen: SocketAddr) -> Result<Config, Failure> {
    let mut config = Config::new(listen);
    if let Some(path) = config_file(args) {
        std::fs::metadata(&path).map_err(|error| Failure::file(&path, &error))?;
        config = config.read(&path).map_err(|error| Failure::BadInput(error.to_string()))?;
    }
    for (name, url) in &args.upstream {
        config.upstreams.put(upstream(name, url)?);
    }
    let (policy, _) = policies::load(&args.policy)?;
    config.policy = Arc::new(policy);
    config.table = Arc::new(counting::table(&args.models)?);
    config.window = args.window.as_ref().map(tokens).transpose()?;
    config.mode = if args.observe { Mode::Observe } else { Mode::Fold };
    let absolute = |folder: &PathBuf| std::path::absolute(folder).unwrap_or_else(|_| folder.clone());
    config.blobs = args.blobs.as_ref().map(|folder| absolute(folder).display().to_string());
    let variable = |name: &str| std::env::var(name).ok();
    config.traces = Traces::from_variables(variable).map_err(Failure::BadInput)?;
    config.log = args.log.as_deref().map(log).transpose()?;
    Ok(config)
}

pub fn upstream(name: &str, url: &str) -> Result<Upstream, Failure> {
    Upstream::new(name, url).map_err(|error| Failure::BadInput(error.to_string()))
}

/// The file that was named, or the user's own if it is there. Never one of a project's: it would decide where keys go.
pub fn config_file(args: &ServingArgs) -> Option<PathBuf> {
    let folder = |name| std::env::var_os(name).map(PathBuf::from).filter(|folder| folder.is_absolute());
    let usual = || {
        let folder = folder("XDG_CONFIG_HOME").or_else(|| Some(folder("HOME")?.join(".config")))?;
        Some(folder.join("enfold/serve.toml")).filter(|path| path.is_file())
    };
    args.config.clone().or_else(usual)
}

/// Listens, with the store and the secrets of this installation.
pub async fn bind(args: &ServingArgs, config: Config, reach: Reach) -> Result<Bound, Failure> {
    let home = home(args)?;
    let store = stored::open_to_serve(&args.store)?;
    let bound = Bound::new(config, home, Arc::new(store), reach).await;
    bound.map_err(|error| Failure::BadInput(error.to_string()))
}

/// Where to look. The link carries the token behind the `#`, which browsers send to nobody; it is shown to a person at a
/// terminal, and not to whatever keeps the output of a service.
pub fn dashboard(args: &ServingArgs, address: SocketAddr) -> Result<String, Failure> {
    Ok(match std::io::stderr().is_terminal() {
        true => format!("enfold: dashboard at http://{address}/#token={}\n", home(args)?.token),
        false => {
            format!("enfold: dashboard at http://{address}/ · `enfold doctor` says where its token is\n")
        }
    })
}

/// The secrets of this installation, beside its store.
pub fn home(args: &ServingArgs) -> Result<Home, Failure> {
    let path = stored::path(&args.store)?;
    let folder = path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."));
    Home::open(folder).map_err(|error| Failure::BadInput(error.to_string()))
}

/// What it came to, in one line.
pub fn sum(totals: &Totals, mode: Mode) -> String {
    let share = |part: u64| (part * 100).checked_div(totals.input).unwrap_or(0);
    let sent = match mode {
        Mode::Fold => "not sent",
        Mode::Observe => "would not have been sent",
    };
    let money = match totals.paid > 0.0 {
        true => format!("${:.2} paid, at least ${:.2} saved", totals.paid, totals.saved_at_least),
        false => "prices unknown".to_string(),
    };
    let mut line = format!(
        "enfold: {} requests · {} tokens read ({} % from caches), {} {sent} · {money} · {} epochs, {} folds",
        number(totals.requests),
        number(totals.input),
        share(totals.cache_read),
        number(totals.saved),
        number(totals.epochs),
        number(totals.folds),
    );
    if totals.failed_open > 0 {
        line += &format!(" · {} sent unfolded after a failure", number(totals.failed_open));
    }
    line + " · more: enfold sessions list"
}

fn tokens(window: &BudgetSpec) -> Result<usize, Failure> {
    match window {
        BudgetSpec::Tokens(tokens) => Ok(*tokens),
        BudgetSpec::OfWindow(_) => Err(Failure::new("--window", "a share of what?", "write tokens: 64k")),
    }
}

/// Lines to a file, or to standard error. If nobody can take them, nothing is lost that matters.
fn log(path: &Path) -> Result<enfold_server::config::Log, Failure> {
    if path == Path::new("-") {
        return Ok(Arc::new(|line| crate::output::note(&format!("{line}\n"))));
    }
    let file = File::options().create(true).append(true).open(path);
    let file = Mutex::new(file.map_err(|error| Failure::unwritten(path, &error))?);
    Ok(Arc::new(move |line| {
        let mut file = file.lock().unwrap_or_else(PoisonError::into_inner);
        let _ = writeln!(file, "{line}");
    }))
}
