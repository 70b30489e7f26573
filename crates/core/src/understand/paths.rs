//! Paths as text: joined and cleaned without looking at any disk.

use std::collections::BTreeSet;

/// `path` as seen from `directory`, without `.`, `..` and double slashes where they can be resolved.
///
/// Absolute paths, `~/…` and paths that begin with an unresolved variable stay where they are. Without a directory
/// a relative path stays relative.
pub fn join(directory: Option<&str>, path: &str) -> String {
    match directory {
        Some(directory) if !is_anchored(path) => normalise(&format!("{directory}/{path}")),
        _ => normalise(path),
    }
}

/// Whether a path means the same everywhere.
pub(crate) fn is_anchored(path: &str) -> bool {
    path.starts_with(['/', '~', '$', '`', '\\']) || drive(path).is_some() || path.contains("://")
}

/// The letter of the drive that a path of Windows begins with.
pub(super) fn drive(path: &str) -> Option<char> {
    let letter = path.chars().next().filter(char::is_ascii_alphabetic)?;
    let inside = path[1..].strip_prefix(':')?;
    (inside.is_empty() || inside.starts_with(['/', '\\'])).then(|| letter.to_ascii_uppercase())
}

/// `/d/shop` as Git Bash has it, spelt `D:/shop`; `None` for other paths and other drives.
pub(super) fn on_drive(path: &str, drives: &BTreeSet<char>) -> Option<String> {
    let rest = path.strip_prefix('/')?;
    let letter = rest.chars().next()?.to_ascii_uppercase();
    let inside = rest.get(1..).filter(|inside| inside.starts_with('/'))?;
    drives.contains(&letter).then(|| format!("{letter}:{inside}"))
}

/// Whether a shell would put other names in the place of this one: a pattern, or a variable that nobody has set. A home
/// directory is a place of its own, and brackets alone are names of routes more often than patterns.
pub(super) fn is_open(path: &str) -> bool {
    let path = path.strip_prefix("$HOME/").unwrap_or(path);
    let braces = path.split_once('{').and_then(|(_, rest)| rest.split_once('}'));
    path.contains(['$', '`', '*', '?']) || braces.is_some_and(|(inner, _)| inner.contains([',', '.']))
}

/// The path without `.`, resolvable `..`, double and trailing slashes.
pub(crate) fn normalise(path: &str) -> String {
    if path.contains("://") {
        return path.to_string();
    }
    // One file of Windows has many spellings: `d:\shop\a`, `D:/shop/a`.
    if let Some(letter) = drive(path) {
        let inside = path[2..].replace('\\', "/");
        return match inside.is_empty() {
            true => format!("{letter}:"),
            false => format!("{letter}:{}", normalise(&inside)),
        };
    }
    let absolute = path.starts_with('/');
    let mut parts: Vec<&str> = Vec::new();
    for part in path.split('/') {
        match part {
            "" | "." => {}
            ".." if parts.last().is_some_and(|last| *last != ".." && !last.starts_with(['$', '~'])) => {
                parts.pop();
            }
            ".." if absolute && parts.is_empty() => {}
            part => parts.push(part),
        }
    }
    let joined = parts.join("/");
    match (absolute, joined.is_empty()) {
        (true, _) => format!("/{joined}"),
        (false, true) => ".".to_string(),
        (false, false) => joined,
    }
}

/// The last part of a path.
pub fn name(path: &str) -> &str {
    split(path).1
}

/// The folder and the last part of a path. On Windows both slashes part; elsewhere a backslash is a letter like others.
pub fn split(path: &str) -> (&str, &str) {
    let is_windows = drive(path).is_some() || !path.contains('/');
    let parts: &[char] = if is_windows { &['/', '\\'] } else { &['/'] };
    let path = path.trim_end_matches(parts);
    path.rsplit_once(parts).unwrap_or(("", path))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_windows_and_git_bash_are_split_like_others() {
        for (path, wanted) in [
            ("src/a.rs", ("src", "a.rs")),
            ("a.rs", ("", "a.rs")),
            ("C:\\shop\\src\\a.rs", ("C:\\shop\\src", "a.rs")),
            ("C:/shop/a.rs", ("C:/shop", "a.rs")),
            ("src\\a.rs", ("src", "a.rs")),
            ("/c/shop/a.rs", ("/c/shop", "a.rs")),
            ("/w/odd\\name", ("/w", "odd\\name")),
            ("dir/", ("", "dir")),
        ] {
            assert_eq!(split(path), wanted, "{path}");
        }
    }

    #[test]
    fn paths_that_mean_the_same_file_become_equal() {
        for (directory, path, wanted) in [
            (None, "./a", "a"),
            (None, "a//b/", "a/b"),
            (None, "/x/./y/../z", "/x/z"),
            (Some("/w"), "a/b", "/w/a/b"),
            (Some("/w/d"), "../a", "/w/a"),
            (Some("/w"), "/abs", "/abs"),
            (Some("/w"), "~/.config", "~/.config"),
            (Some("/w"), "$HOME/x", "$HOME/x"),
            (Some("/w"), ".", "/w"),
            (Some("sub"), "a", "sub/a"),
            (None, "../up", "../up"),
            (None, "/../x", "/x"),
            (Some("C:\\w"), "a", "C:/w/a"),
            (Some("/w"), "d:\\x\\.\\y\\..\\z", "D:/x/z"),
            (None, "D:/x//y", "D:/x/y"),
            (None, "a:b", "a:b"),
        ] {
            assert_eq!(join(directory, path), wanted, "{directory:?} {path}");
        }
    }
}
