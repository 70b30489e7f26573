//! Patches: the `*** Begin Patch` format of Codex, and unified diffs.

use super::operation::{Change, Operation, Verb, line_number};

/// One place a patch changes.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Hunk {
    /// Lines that lead to the place, outermost first (`@@ class A` in Codex patches).
    pub anchors: Vec<String>,
    /// The line of the old file where the hunk begins, in unified diffs.
    pub start: Option<usize>,
    /// The lines, in order.
    pub lines: Vec<PatchLine>,
}

/// One line of a hunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum PatchLine {
    /// Stands before and after.
    Keep(String),
    /// Goes.
    Remove(String),
    /// Comes.
    Add(String),
}

impl Hunk {
    /// The lines as they stand before the patch.
    pub fn before(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line.standing_before()).collect()
    }

    /// The lines as they stand after the patch.
    pub fn after(&self) -> Vec<&str> {
        self.lines.iter().filter_map(|line| line.standing_after()).collect()
    }
}

impl PatchLine {
    fn standing_before(&self) -> Option<&str> {
        match self {
            PatchLine::Keep(text) | PatchLine::Remove(text) => Some(text),
            PatchLine::Add(_) => None,
        }
    }

    fn standing_after(&self) -> Option<&str> {
        match self {
            PatchLine::Keep(text) | PatchLine::Add(text) => Some(text),
            PatchLine::Remove(_) => None,
        }
    }
}

/// The operations of a patch in either format, in the order they stand; none where the text is no patch.
pub fn operations(text: &str) -> Vec<Operation> {
    match text.find("*** Begin Patch") {
        Some(start) => codex(&text[start..]),
        None => unified(text),
    }
}

/// Applies the hunks to a whole file given as lines. `None` where a hunk does not fit.
pub fn apply<'a>(lines: &[&'a str], hunks: &'a [Hunk]) -> Option<Vec<&'a str>> {
    let mut out = lines.to_vec();
    let (mut from, mut drift) = (0usize, 0isize);
    for hunk in hunks {
        let (before, after) = (hunk.before(), hunk.after());
        for anchor in &hunk.anchors {
            from = find(&out, &[anchor], from)? + 1;
        }
        let at = match (before.is_empty(), hunk.start) {
            (true, None) => out.len(),
            (true, Some(start)) => start.checked_add_signed(drift)?.min(out.len()),
            (false, Some(start)) => {
                let wanted = start.saturating_sub(1).checked_add_signed(drift)?;
                nearest(&out, &before, wanted)?
            }
            (false, None) => find(&out, &before, from).or_else(|| find(&out, &before, 0))?,
        };
        out.splice(at..at + before.len(), after.iter().copied());
        drift += after.len() as isize - before.len() as isize;
        from = at + after.len();
    }
    Some(out)
}

/// Where `wanted` stands in `lines` at or after `from`: exactly, else but for white space at the ends of lines.
fn find(lines: &[&str], wanted: &[&str], from: usize) -> Option<usize> {
    let places = || from..(lines.len() + 1).saturating_sub(wanted.len()).max(from);
    let fits = |same: fn(&str, &str) -> bool| {
        places().find(|at| {
            lines.len() >= at + wanted.len()
                && wanted.iter().zip(&lines[*at..]).all(|(wanted, line)| same(wanted, line))
        })
    };
    fits(|a, b| a == b)
        .or_else(|| fits(|a, b| a.trim_end() == b.trim_end()))
        .or_else(|| fits(|a, b| a.trim() == b.trim()))
}

/// The place nearest to `wanted` where `before` stands.
fn nearest(lines: &[&str], before: &[&str], wanted: usize) -> Option<usize> {
    let fits = |at: usize| {
        lines.len() >= at + before.len()
            && before.iter().zip(&lines[at..]).all(|(wanted, line)| wanted == line)
    };
    (0..=lines.len()).find_map(|away| {
        [wanted.checked_sub(away), wanted.checked_add(away)].into_iter().flatten().find(|at| fits(*at))
    })
}

fn codex(text: &str) -> Vec<Operation> {
    let mut operations: Vec<Operation> = Vec::new();
    let mut added: Option<String> = None;
    let mut hunks: Vec<Hunk> = Vec::new();
    let finish = |operations: &mut Vec<Operation>, added: &mut Option<String>, hunks: &mut Vec<Hunk>| {
        let Some(last) = operations.last_mut() else { return };
        if let Some(text) = added.take() {
            last.change = Change::Whole(text);
        }
        hunks.retain(|hunk| !hunk.lines.is_empty());
        if !hunks.is_empty() {
            last.change = Change::Patch(std::mem::take(hunks));
        }
    };
    for line in text.lines() {
        if let Some(path) = line.strip_prefix("*** Add File: ") {
            finish(&mut operations, &mut added, &mut hunks);
            operations.push(Operation::on(Verb::Create, path.trim()));
            added = Some(String::new());
        } else if let Some(path) = line.strip_prefix("*** Update File: ") {
            finish(&mut operations, &mut added, &mut hunks);
            operations.push(Operation::on(Verb::Edit, path.trim()));
        } else if let Some(path) = line.strip_prefix("*** Delete File: ") {
            finish(&mut operations, &mut added, &mut hunks);
            operations.push(Operation::on(Verb::Delete, path.trim()));
        } else if let Some(path) = line.strip_prefix("*** Move to: ") {
            if let Some(last) = operations.last_mut() {
                last.verb = Verb::Move;
                last.to = Some(path.trim().to_string());
            }
        } else if line.starts_with("*** End Patch") {
            break;
        } else if let (Some(text), Some(line)) = (&mut added, line.strip_prefix('+')) {
            text.push_str(line);
            text.push('\n');
        } else if let Some(anchor) = line.strip_prefix("@@") {
            let anchor = anchor.trim();
            let stacked = hunks.last().is_some_and(|hunk| hunk.lines.is_empty());
            if !stacked {
                hunks.push(Hunk::default());
            }
            if let (false, Some(hunk)) = (anchor.is_empty(), hunks.last_mut()) {
                hunk.anchors.push(anchor.to_string());
            }
        } else if !line.starts_with("*** ") && !operations.is_empty() && added.is_none() {
            if hunks.is_empty() {
                hunks.push(Hunk::default());
            }
            if let Some(hunk) = hunks.last_mut() {
                hunk.lines.push(patch_line(line));
            }
        }
    }
    finish(&mut operations, &mut added, &mut hunks);
    operations
}

fn patch_line(line: &str) -> PatchLine {
    match line.split_at_checked(1) {
        Some(("+", rest)) => PatchLine::Add(rest.to_string()),
        Some(("-", rest)) => PatchLine::Remove(rest.to_string()),
        Some((" ", rest)) => PatchLine::Keep(rest.to_string()),
        // Models forget the space in front of an empty or unindented line.
        _ => PatchLine::Keep(line.to_string()),
    }
}

fn unified(text: &str) -> Vec<Operation> {
    let mut operations = Vec::new();
    let lines: Vec<&str> = text.lines().collect();
    let mut at = 0;
    while at + 1 < lines.len() {
        let (Some(old), Some(new)) = (lines[at].strip_prefix("--- "), lines[at + 1].strip_prefix("+++ "))
        else {
            at += 1;
            continue;
        };
        let (old, new) = (diff_path(old), diff_path(new));
        let hunks;
        (hunks, at) = unified_hunks(&lines, at + 2);
        operations.push(match (old, new) {
            (None, Some(path)) => {
                let text: String = hunks.iter().flat_map(Hunk::after).flat_map(|line| [line, "\n"]).collect();
                Operation::on(Verb::Create, path).change(Change::Whole(text))
            }
            (Some(path), None) => Operation::on(Verb::Delete, path),
            (_, Some(path)) => Operation::on(Verb::Edit, path).change(Change::Patch(hunks)),
            (None, None) => continue,
        });
    }
    operations
}

fn unified_hunks(lines: &[&str], mut at: usize) -> (Vec<Hunk>, usize) {
    let mut hunks: Vec<Hunk> = Vec::new();
    while let Some(header) = lines.get(at).and_then(|line| line.strip_prefix("@@ -")) {
        let (start, mut old, mut new) = hunk_header(header);
        let mut hunk = Hunk { start, ..Hunk::default() };
        at += 1;
        while let Some(line) = lines.get(at).filter(|_| old + new > 0) {
            if !line.starts_with('\\') {
                let line = patch_line(line);
                old = old.saturating_sub(usize::from(line.standing_before().is_some()));
                new = new.saturating_sub(usize::from(line.standing_after().is_some()));
                hunk.lines.push(line);
            }
            at += 1;
        }
        hunks.push(hunk);
    }
    (hunks, at)
}

/// `10,3 +12,4 @@ …` → the old start and how many old and new lines follow.
fn hunk_header(header: &str) -> (Option<usize>, usize, usize) {
    let mut parts = header.split(' ');
    let side = |part: Option<&str>| {
        let (start, count) =
            part?.trim_start_matches('+').split_once(',').unwrap_or((part?.trim_start_matches('+'), "1"));
        Some((line_number(start)?, line_number(count)?))
    };
    let old = side(parts.next());
    let new = side(parts.next());
    (old.map(|(start, _)| start), old.map_or(0, |(_, n)| n), new.map_or(0, |(_, n)| n))
}

/// The path of a `---` or `+++` line; `None` for `/dev/null`.
fn diff_path(text: &str) -> Option<&str> {
    let path = text.split('\t').next().unwrap_or(text).trim();
    let path = path.strip_prefix("a/").or_else(|| path.strip_prefix("b/")).unwrap_or(path);
    (path != "/dev/null").then_some(path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lines(text: &str) -> Vec<&str> {
        text.lines().collect()
    }

    #[test]
    fn a_codex_patch_lists_its_files() {
        let patch = "*** Begin Patch\n*** Add File: new.txt\n+one\n+two\n*** Update File: a.rs\n*** Move to: b.rs\n@@ fn main\n-old\n+new\n*** Delete File: gone.rs\n*** End Patch\n";
        let operations = operations(patch);
        let seen: Vec<_> =
            operations.iter().map(|op| (op.verb, op.path.as_deref(), op.to.as_deref())).collect();
        assert_eq!(
            seen,
            [
                (Verb::Create, Some("new.txt"), None),
                (Verb::Move, Some("a.rs"), Some("b.rs")),
                (Verb::Delete, Some("gone.rs"), None)
            ]
        );
        assert_eq!(operations[0].change, Change::Whole("one\ntwo\n".into()));
    }

    #[test]
    fn codex_hunks_find_their_place_by_context() {
        let patch = "*** Begin Patch\n*** Update File: a\n@@ b\n c\n-d\n+D\n+E\n@@\n-f\n*** End Patch";
        let Change::Patch(hunks) = &operations(patch)[0].change else { panic!() };
        assert_eq!(apply(&lines("c\nd\nb\nc\nd\ne\nf\n"), hunks).unwrap(), lines("c\nd\nb\nc\nD\nE\ne\n"));
        assert_eq!(apply(&lines("x"), hunks), None);
    }

    #[test]
    fn a_unified_diff_is_applied_where_its_lines_stand() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -2,2 +2,3 @@ fn\n b\n-c\n+C\n+D\n--- /dev/null\n+++ b/new\n@@ -0,0 +1 @@\n+hi\n";
        let operations = operations(diff);
        assert_eq!(operations[1], Operation::on(Verb::Create, "new").change(Change::Whole("hi\n".into())));
        let Change::Patch(hunks) = &operations[0].change else { panic!() };
        assert_eq!(apply(&lines("a\nb\nc\nd"), hunks).unwrap(), lines("a\nb\nC\nD\nd"));
        assert_eq!(apply(&lines("new\na\nb\nc\nd"), hunks).unwrap(), lines("new\na\nb\nC\nD\nd"));
    }

    #[test]
    fn text_that_is_no_patch_has_no_operations() {
        assert!(operations("hello\n--- a\nworld").is_empty());
        assert!(operations("*** Begin Patch\n*** End Patch").is_empty());
        assert!(operations("").is_empty());
    }
}
