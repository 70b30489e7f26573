//! Where results go: stdout, or a file that appears whole or not at all.

use std::fs::{self, Permissions};
use std::io::{self, Write};
use std::path::Path;

use crate::failure::Failure;

/// Writes text to `path`, or to stdout where there is none (or `-`).
pub fn write(path: Option<&Path>, text: &str) -> Result<(), Failure> {
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => write_file(path, text).map_err(|error| Failure::unwritten(path, &error)),
        None => print(text),
    }
}

/// Whether a file can be written there: asked before work that takes long.
pub fn check(path: &Path) -> Result<(), Failure> {
    let there = fs::metadata(path).ok();
    let can = match there {
        Some(there) if there.is_dir() => Err(io::ErrorKind::IsADirectory.into()),
        Some(there) if !there.is_file() => Ok(()),
        _ => tempfile::tempfile_in(folder(path)).map(|_| ()),
    };
    can.map_err(|error| Failure::unwritten(path, &error))
}

/// Writes text to stdout.
pub fn print(text: &str) -> Result<(), Failure> {
    print_bytes(text.as_bytes())
}

/// Writes bytes to stdout.
pub fn print_bytes(bytes: &[u8]) -> Result<(), Failure> {
    // `closed_output.c` has seen it; writing would seem to succeed.
    if std::env::var_os("ENFOLD_OUTPUT_IS_CLOSED").is_some() {
        let remedy = "let it go somewhere, or to /dev/null to throw it away";
        return Err(Failure::new("standard output", "it is closed", remedy));
    }
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes).and_then(|()| stdout.flush()).map_err(|error| Failure::stdout(&error))
}

/// Writes text to stderr: reports beside a result. If nobody reads them, nothing is lost.
pub fn note(text: &str) {
    let _ = io::stderr().lock().write_all(text.as_bytes());
}

/// Beside its place first, then renamed: whoever reads the file meanwhile, or pulls the plug, finds the old text or
/// the new one. Devices and pipes (`/dev/stdout`) cannot be replaced and are written to.
fn write_file(path: &Path, text: &str) -> io::Result<()> {
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_path_buf());
    let old = fs::metadata(path).ok();
    if old.as_ref().is_some_and(|old| !old.is_file()) {
        return fs::write(path, text);
    }
    let mut builder = tempfile::Builder::new();
    let permissions = old.map(|old| old.permissions()).or_else(ordinary_permissions);
    if let Some(permissions) = permissions {
        builder.permissions(permissions);
    }
    let mut file = builder.prefix(".enfold-").tempfile_in(folder(path))?;
    file.write_all(text.as_bytes())?;
    file.persist(path)?;
    Ok(())
}

/// The folder that a file is in.
fn folder(path: &Path) -> &Path {
    path.parent().filter(|folder| *folder != Path::new("")).unwrap_or(Path::new("."))
}

/// What a newly created file has, before the umask; temporary files are private by default.
#[cfg(unix)]
fn ordinary_permissions() -> Option<Permissions> {
    Some(std::os::unix::fs::PermissionsExt::from_mode(0o666))
}

#[cfg(not(unix))]
fn ordinary_permissions() -> Option<Permissions> {
    None
}
