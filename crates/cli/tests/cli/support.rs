//! Running the binary.

use enfold::history::MessageId;
use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

use serde_json::Value;

/// What a run left behind.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `enfold` with bytes on stdin. More than a minute counts as hanging.
pub fn enfold(args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    enfold_at(Path::new("/nonexistent/home"), args, stdin)
}

/// The same for somebody whose home folder is this one.
pub fn enfold_at(home: &Path, args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    for name in
        ["NO_COLOR", "ENFOLD_BLOBS", "ENFOLD_STORE", "ENFOLD_API_KEY", "OPENAI_API_KEY", "ANTHROPIC_API_KEY"]
    {
        command.env_remove(name);
    }
    // No test meets the store and the agents of whoever runs it.
    for name in ["CLAUDE_CONFIG_DIR", "CODEX_HOME", "COPILOT_HOME", "GEMINI_CLI_HOME", "PI_CODING_AGENT_DIR"]
    {
        command.env_remove(name);
    }
    command.env_remove("OPENHANDS_CONVERSATIONS_DIR").env("HOME", home);
    command.args(args).env("XDG_DATA_HOME", "/nonexistent/data").timeout(Duration::from_secs(60));
    ran(&command.write_stdin(stdin.as_ref()).output().unwrap())
}

/// A file with this content in a folder that goes away with the test.
pub fn file(name: &str, content: impl AsRef<[u8]>) -> (tempfile::TempDir, PathBuf) {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    std::fs::write(&path, content).unwrap();
    (folder, path)
}

/// A path as an argument.
pub fn arg(path: &Path) -> &str {
    path.to_str().unwrap()
}

/// An example session of the repository.
pub fn example(name: &str) -> String {
    format!("{}/../../examples/sessions/{name}", env!("CARGO_MANIFEST_DIR"))
}

/// All of them.
pub fn examples() -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> =
        std::fs::read_dir(example("")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// The JSON that a command prints.
pub fn json(args: &[&str]) -> Value {
    let ran = enfold(args, "");
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stdout).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.stdout))
}

fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code().expect("no signal ended it and it did not hang"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}

/// A store that goes away with the test.
pub struct Store(tempfile::TempDir);

impl Store {
    pub fn new() -> Store {
        Store(tempfile::tempdir().unwrap())
    }

    /// A store with these example sessions.
    pub fn with(names: &[&str]) -> Store {
        let store = Store::new();
        for name in names {
            store.done(&["sessions", "import", &example(name)]);
        }
        store
    }

    pub fn path(&self) -> PathBuf {
        self.0.path().join("store.db")
    }

    /// Another file beside it.
    pub fn beside(&self, name: &str, content: impl AsRef<[u8]>) -> String {
        let path = self.0.path().join(name);
        std::fs::write(&path, content).unwrap();
        arg(&path).to_string()
    }

    /// Runs `enfold` on this store.
    pub fn run(&self, args: &[&str]) -> Ran {
        enfold(&[args, &["--store", arg(&self.path())]].concat(), "")
    }

    /// What a run that must succeed prints.
    pub fn done(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
        ran.stdout
    }

    /// The JSON that a run prints.
    pub fn json(&self, args: &[&str]) -> Value {
        let text = self.done(args);
        serde_json::from_str(&text).unwrap_or_else(|error| panic!("{args:?}: {error}: {text}"))
    }

    /// What a run that must be refused says; this machine's folders are left out.
    pub fn refused(&self, args: &[&str]) -> String {
        let ran = self.run(args);
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {}", ran.stderr);
        self.plain(&ran.stderr)
    }

    /// A text without what differs between machines and days.
    pub fn plain(&self, text: &str) -> String {
        let text = text.replace(arg(self.0.path()), "DIR");
        let examples = format!("{}/../../", env!("CARGO_MANIFEST_DIR"));
        timeless(&text.replace(&examples, ""))
    }

    /// The messages of a session as the store has them.
    pub fn messages(&self, id: &str) -> Vec<String> {
        let store = enfold_store::Sqlite::open(self.path()).unwrap();
        let messages = enfold_store::Sessions::messages(&store, id, MessageId::ALL).unwrap();
        messages.iter().map(|message| message.raw.to_string()).collect()
    }
}

/// Dates and times of day become `DATE TIME`.
fn timeless(text: &str) -> String {
    const SHAPE: &str = "0000-00-00 00:00:00";
    let is_time = |at: &str| {
        let digits = at.bytes().map(|byte| if byte.is_ascii_digit() { b'0' } else { byte });
        digits.eq(SHAPE.bytes())
    };
    let mut plain = String::new();
    let mut rest = text;
    while let Some(letter) = rest.chars().next() {
        let step = match rest.get(..SHAPE.len()).filter(|at| is_time(at)) {
            Some(time) => {
                plain += "YYYY-MM-DD HH:MM:SS";
                time.len()
            }
            None => {
                plain.push(letter);
                letter.len_utf8()
            }
        };
        rest = &rest[step..];
    }
    plain
}
