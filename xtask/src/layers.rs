//! The layers of the core: each folder uses only what stands before it in the table of `lib.rs`.

use std::fs;
use std::path::{Path, PathBuf};

/// Names the first edge that points the wrong way.
pub(crate) fn check(root: &Path) -> Result<(), String> {
    let source = root.join("crates/core/src");
    let order = order(&read(&source.join("lib.rs"))?);
    let mut faults = Vec::new();
    for file in files(&source)? {
        let name = file.strip_prefix(&source).unwrap_or(&file).display().to_string();
        let own = name.split(['/', '.']).next().unwrap_or_default();
        let is_test = name.contains("/tests/") || name.ends_with("tests.rs");
        let Some(rank) = order.iter().position(|layer| layer == own) else {
            if own != "lib" {
                faults.push(format!("{name}: `{own}` is not in the table of layers in lib.rs"));
            }
            continue;
        };
        let text = read(&file)?;
        let code = text.split("#[cfg(test)]\nmod tests").next().unwrap_or_default();
        for (nth, line) in code.lines().enumerate().filter(|_| !is_test) {
            let used = used_layers(line);
            let higher = used.filter(|used| order.iter().position(|layer| layer == used) > Some(rank));
            faults.extend(higher.map(|used| {
                format!("{name}:{}: layer `{own}` uses `{used}`, which stands above it", nth + 1)
            }));
        }
    }
    if faults.is_empty() { Ok(()) } else { Err(faults.join("\n")) }
}

/// The layers as the table in `lib.rs` lists them, lowest first.
fn order(lib: &str) -> Vec<String> {
    let rows = lib.lines().filter_map(|line| line.strip_prefix("//! | [`"));
    // `mod@` tells rustdoc a module from a macro of the same name.
    rows.filter_map(|row| Some(row.split_once('`')?.0.trim_start_matches("mod@").to_string())).collect()
}

/// The layers that a line of code names; comments may point anywhere.
fn used_layers(line: &str) -> impl Iterator<Item = String> + '_ {
    let code = line.split("//").next().unwrap_or_default();
    code.match_indices("crate::").map(|(at, mark)| {
        let rest = &code[at + mark.len()..];
        rest.chars().take_while(|letter| letter.is_alphanumeric() || *letter == '_').collect()
    })
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, String> {
    let mut found = Vec::new();
    let entries = fs::read_dir(folder).map_err(|error| format!("{}: {error}", folder.display()))?;
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(files(&path)?);
        } else if path.extension().is_some_and(|ending| ending == "rs") {
            found.push(path);
        }
    }
    found.sort();
    Ok(found)
}

fn read(file: &Path) -> Result<String, String> {
    fs::read_to_string(file).map_err(|error| format!("{}: {error}", file.display()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_names_the_layers_it_uses_and_a_comment_none() {
        let used = |line: &str| used_layers(line).collect::<Vec<_>>();
        assert_eq!(used("use crate::view::View; // as crate::session does"), ["view"]);
        assert_eq!(used("fn f(a: &crate::json::Raw) -> crate::count::Usage"), ["json", "count"]);
        assert_eq!(used("//! see crate::folding"), Vec::<String>::new());
    }

    #[test]
    fn the_table_is_the_order() {
        assert_eq!(order("//! | [`json`] | values |\n//! | [`view`] | folds |\nmod x;"), ["json", "view"]);
    }
}
