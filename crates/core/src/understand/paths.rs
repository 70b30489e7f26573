//! Paths as text: joined and cleaned without looking at any disk.

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
pub fn is_anchored(path: &str) -> bool {
    let drive = path.as_bytes().get(1) == Some(&b':') && path.as_bytes()[0].is_ascii_alphabetic();
    path.starts_with(['/', '~', '$', '`', '\\']) || drive || path.contains("://")
}

/// The path without `.`, resolvable `..`, double and trailing slashes.
pub fn normalise(path: &str) -> String {
    if path.contains("://") {
        return path.to_string();
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
    path.trim_end_matches('/').rsplit('/').next().unwrap_or(path)
}

#[cfg(test)]
mod tests {
    use super::*;

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
        ] {
            assert_eq!(join(directory, path), wanted, "{directory:?} {path}");
        }
    }
}
