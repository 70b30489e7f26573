//! Commands, with an end to how long they take and how much they say.

use std::io::{Read, pipe};
use std::path::Path;
use std::process::{Child, Command, ExitStatus, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::time::{Duration, Instant};

use crate::tools::MOST_BYTES;

/// How long a command may be silent before it is looked at.
const LOOK: Duration = Duration::from_millis(20);

/// How long to listen to what a command left running, after it has ended.
const LAST_WORDS: Duration = Duration::from_millis(300);

/// Variables that commands do not get to see.
const KEYS: [&str; 3] = ["ENFOLD_API_KEY", "ANTHROPIC_API_KEY", "OPENAI_API_KEY"];

/// Runs a command; its exit code and what it printed. A command that fails is an error.
pub(crate) fn run(command: &str, folder: &Path, time: Duration) -> Result<String, String> {
    let (mut child, output) = start(command, folder).map_err(|why| format!("no shell: {why}"))?;
    let mut heard = Heard::default();
    let deadline = Instant::now() + time;
    let status = wait(&mut child, &output, &mut heard, deadline);
    let output = heard.text();
    match status {
        Some(status) if status.success() => Ok(format!("Exit code: 0\nOutput:\n{output}")),
        Some(status) => {
            let code = status.code().map_or("none, it was killed".to_string(), |code| code.to_string());
            Err(format!("the command failed\nExit code: {code}\nOutput:\n{output}"))
        }
        None => {
            stop(&mut child);
            Err(format!("the command was stopped after {} s\nOutput:\n{output}", time.as_secs()))
        }
    }
}

/// Starts a command whose two outputs come as one, in the order in which they are written.
fn start(command: &str, folder: &Path) -> std::io::Result<(Child, Receiver<Vec<u8>>)> {
    let (mut reader, writer) = pipe()?;
    let mut shell = Command::new("sh");
    shell.arg("-c").arg(command).current_dir(folder);
    shell.stdin(Stdio::null()).stdout(writer.try_clone()?).stderr(writer);
    // What a model can print, it can be talked into printing.
    for key in KEYS {
        shell.env_remove(key);
    }
    // A group of its own, so that what it starts can be stopped with it.
    #[cfg(unix)]
    std::os::unix::process::CommandExt::process_group(&mut shell, 0);
    let child = shell.spawn()?;
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        let mut bytes = vec![0; 1 << 16];
        while let Ok(count @ 1..) = reader.read(&mut bytes) {
            if sender.send(bytes[..count].to_vec()).is_err() {
                break;
            }
        }
    });
    Ok((child, receiver))
}

/// Listens until the command has ended; `None` if it has not by the deadline. What it leaves running in the background is
/// not waited for.
fn wait(
    child: &mut Child,
    output: &Receiver<Vec<u8>>,
    heard: &mut Heard,
    deadline: Instant,
) -> Option<ExitStatus> {
    loop {
        match output.recv_timeout(LOOK) {
            Ok(bytes) => heard.take(&bytes),
            Err(silence) => {
                if let Some(status) = child.try_wait().ok()? {
                    while let Ok(bytes) = output.recv_timeout(LAST_WORDS) {
                        heard.take(&bytes);
                    }
                    return Some(status);
                }
                if silence == RecvTimeoutError::Disconnected {
                    std::thread::sleep(Duration::from_millis(1));
                }
            }
        }
        if Instant::now() > deadline {
            return None;
        }
    }
}

fn stop(child: &mut Child) {
    #[cfg(unix)]
    let _ = Command::new("kill").args(["-KILL", "--", &format!("-{}", child.id())]).status();
    let _ = child.kill();
    let _ = child.wait();
}

/// The first and the last half of what was said, at most [`MOST_BYTES`] of it.
#[derive(Default)]
struct Heard {
    first: Vec<u8>,
    last: Vec<u8>,
    left_out: usize,
}

impl Heard {
    fn take(&mut self, bytes: &[u8]) {
        let (first, rest) = bytes.split_at(bytes.len().min(MOST_BYTES / 2 - self.first.len()));
        self.first.extend_from_slice(first);
        self.last.extend_from_slice(rest);
        let over = self.last.len().saturating_sub(MOST_BYTES / 2);
        self.last.drain(..over);
        self.left_out += over;
    }

    fn text(&self) -> String {
        let note = match self.left_out {
            0 => String::new(),
            count => format!("\n[{count} bytes left out]\n"),
        };
        let (first, last) = (String::from_utf8_lossy(&self.first), String::from_utf8_lossy(&self.last));
        format!("{first}{note}{last}")
    }
}
