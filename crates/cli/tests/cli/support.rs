//! Running the binary.

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
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    let command =
        command.args(args).env_remove("NO_COLOR").env_remove("ENFOLD_BLOBS").timeout(Duration::from_secs(60));
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
