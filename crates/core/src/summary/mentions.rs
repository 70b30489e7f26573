//! Which files a text mentions: by their paths, or by as much of the end of a path as no other file shares.

/// Those of `files` that `text` does not mention.
pub(super) fn missing(files: &[String], text: &str) -> Vec<String> {
    // In tables, models escape what Markdown would read as marks.
    let text = text.replace("\\_", "_").replace("\\*", "*").replace('\\', "/");
    let paths: Vec<String> = files.iter().map(|file| file.replace('\\', "/")).collect();
    let is_missing = |path: &String| !is_mentioned(&text, own_end(path, &paths));
    let missing = files.iter().zip(&paths).filter(|(_, path)| is_missing(path));
    missing.map(|(file, _)| file.clone()).collect()
}

/// The shortest end of a path that belongs to no other of the paths.
fn own_end<'p>(path: &'p str, paths: &[String]) -> &'p str {
    let starts = path.rmatch_indices('/').map(|(at, _)| &path[at + 1..]).filter(|end| !end.is_empty());
    let is_own = |end: &&str| {
        !paths.iter().any(|other| other != path && (other == end || other.ends_with(&format!("/{end}"))))
    };
    starts.into_iter().find(is_own).unwrap_or(path)
}

/// Whether a path stands in a text, not as a part of a longer name.
fn is_mentioned(text: &str, path: &str) -> bool {
    let is_name = |c: char| c.is_alphanumeric() || matches!(c, '_' | '-');
    text.match_indices(path).any(|(at, _)| {
        let (before, after) = (&text[..at], &text[at + path.len()..]);
        let mut next = after.chars();
        let goes_on = match next.next() {
            Some('.') => next.next().is_some_and(is_name),
            Some(c) => is_name(c),
            None => false,
        };
        !goes_on && !before.ends_with(|c: char| is_name(c) || c == '.')
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(files: &[&str], text: &str, wanted: &[&str]) {
        let files: Vec<String> = files.iter().map(|file| file.to_string()).collect();
        assert_eq!(missing(&files, text), wanted, "{text}");
    }

    #[test]
    fn a_file_is_mentioned_by_as_much_of_its_path_as_is_its_own() {
        check(&["/repo/src/a.rs"], "changed `a.rs`.", &[]);
        check(&["/repo/src/a.rs"], "| src/a.rs | edited |", &[]);
        check(&["src/a/mod.rs", "src/b/mod.rs"], "a/mod.rs and mod.rs", &["src/b/mod.rs"]);
        check(&["src/my_file.py"], "| src/my\\_file.py |", &[]);
        check(&["src\\deep\\a.cs"], "deep\\a.cs", &[]);
        check(&["Makefile", ".env"], "The Makefile sets it in .env.", &[]);
    }

    #[test]
    fn a_part_of_a_longer_name_is_no_mention() {
        check(&["src/a.rs"], "data.rs, a.rs.bak, a.rsx, x-a.rs, b.a.rs", &["src/a.rs"]);
        check(&["src/a.rs"], "", &["src/a.rs"]);
    }
}
