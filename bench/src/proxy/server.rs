//! The command as users start it, as a process of its own, and other proxies beside it.

use std::fs;
use std::net::{SocketAddr, TcpListener, TcpStream};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::thread;
use std::time::{Duration, Instant};

use crate::Failure;

/// A server in a process. It ends with this value.
pub(crate) struct Server {
    child: Child,
    pub(crate) address: SocketAddr,
    /// Where it keeps what it keeps.
    pub(crate) home: PathBuf,
}

impl Server {
    /// `enfold serve` in front of a model.
    pub(crate) fn enfold(model: SocketAddr, name: &str, window: Option<&str>) -> Result<Server, Failure> {
        let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
        let home = root.join("target/bench/proxy").join(name);
        let _ = fs::remove_dir_all(&home);
        fs::create_dir_all(&home)?;
        let address = free()?;
        let mut command = Command::new(root.join("target/release/enfold"));
        command.args(["serve", "--listen", &address.to_string(), "--upstream"]);
        command.arg(format!("openai=http://{model}")).arg("--store").arg(home.join("enfold.db"));
        command.args(window.map(|window| ["--window", window]).iter().flatten());
        command.env("HOME", &home).env_remove("ENFOLD_CONFIG").env("NO_PROXY", "*");
        Server::start(command, address, home, Duration::from_secs(20))
    }

    /// LiteLLM's proxy, if its package can be installed; else why not.
    pub(crate) fn litellm(model: SocketAddr) -> Result<Server, Failure> {
        let home = Path::new(env!("CARGO_MANIFEST_DIR")).join("../target/bench/litellm");
        if !home.join("bin/litellm").exists() {
            run(Command::new("python3").args(["-m", "venv"]).arg(&home))?;
            run(Command::new(home.join("bin/pip")).args(["install", "--quiet", "litellm[proxy]"]))?;
        }
        let address = free()?;
        let config = home.join("config.yaml");
        fs::write(
            &config,
            format!(
                "model_list:\n  - model_name: gpt-4.1\n    litellm_params:\n      model: openai/gpt-4.1\n      api_base: http://{model}/v1\n      api_key: sk-bench\n"
            ),
        )?;
        let mut command = Command::new(home.join("bin/litellm"));
        command.arg("--config").arg(config).args(["--host", "127.0.0.1", "--port"]);
        command.arg(address.port().to_string()).args(["--telemetry", "False"]);
        command.env("LITELLM_LOCAL_MODEL_COST_MAP", "True").env("NO_PROXY", "*");
        // As little between as it can be told to: no keys of its own.
        command.env("LITELLM_DANGEROUSLY_PERMIT_WEAK_OR_UNSET_MASTER_KEY", "true");
        Server::start(command, address, home, Duration::from_secs(120))
    }

    fn start(
        mut command: Command,
        address: SocketAddr,
        home: PathBuf,
        patience: Duration,
    ) -> Result<Server, Failure> {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::null()).spawn()?;
        let mut server = Server { child, address, home };
        let since = Instant::now();
        while TcpStream::connect(address).is_err() {
            if let Some(status) = server.child.try_wait()? {
                return Err(format!("it ended with {status} before it listened").into());
            }
            if since.elapsed() > patience {
                return Err("it does not listen".into());
            }
            thread::sleep(Duration::from_millis(50));
        }
        Ok(server)
    }

    /// Bytes of memory that it holds now.
    pub(crate) fn memory(&self) -> u64 {
        let status = fs::read_to_string(format!("/proc/{}/status", self.child.id())).unwrap_or_default();
        let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
        line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
    }

    /// Milliseconds of processor time that it has used.
    pub(crate) fn cpu(&self) -> f64 {
        let stat = fs::read_to_string(format!("/proc/{}/stat", self.child.id())).unwrap_or_default();
        let behind_name = stat.rsplit(") ").next().unwrap_or_default();
        let ticks = behind_name.split(' ').skip(11).take(2).filter_map(|ticks| ticks.parse::<f64>().ok());
        // Linux counts it in hundredths of a second, whatever the kernel's own clock is.
        ticks.sum::<f64>() * 10.0
    }

    /// Bytes of its store.
    pub(crate) fn stored(&self) -> u64 {
        let files = ["enfold.db", "enfold.db-wal"];
        files.iter().filter_map(|name| fs::metadata(self.home.join(name)).ok()).map(|file| file.len()).sum()
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.child.kill();
        let _ = self.child.wait();
    }
}

fn free() -> Result<SocketAddr, Failure> {
    Ok(TcpListener::bind("127.0.0.1:0")?.local_addr()?)
}

fn run(command: &mut Command) -> Result<(), Failure> {
    let output = command.output()?;
    match output.status.success() {
        true => Ok(()),
        false => Err(String::from_utf8_lossy(&output.stderr).lines().last().unwrap_or("it failed").into()),
    }
}
