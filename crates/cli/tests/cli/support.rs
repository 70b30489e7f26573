//! Running the binary.

use std::path::{Path, PathBuf};
use std::process::Output;
use std::time::Duration;

/// What a run left behind.
pub struct Ran {
    pub code: i32,
    pub stdout: String,
    pub stderr: String,
}

/// Runs `enfold` with bytes on stdin. More than a minute counts as hanging.
pub fn enfold(args: &[&str], stdin: impl AsRef<[u8]>) -> Ran {
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    let command = command.args(args).env_remove("NO_COLOR").timeout(Duration::from_secs(60));
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

fn ran(output: &Output) -> Ran {
    Ran {
        code: output.status.code().expect("no signal ended it and it did not hang"),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
