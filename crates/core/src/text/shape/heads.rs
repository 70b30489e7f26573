//! Which line says what another one belongs to.

use super::Mark;

/// What a text is, as far as its heads go.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    Diff,
    Hits,
    /// It has definitions, objects or headings.
    Nested,
    Plain,
}

/// Finds heads and borders.
pub(super) fn mark(lines: &[&str], marks: &mut [Mark]) -> Kind {
    if lines.iter().any(|line| line.starts_with("@@ -")) {
        mark_diff(lines, marks);
        return Kind::Diff;
    }
    if (1..lines.len()).any(|nth| is_file_over_hits(lines[nth - 1], lines[nth])) {
        mark_hits(lines, marks);
        return Kind::Hits;
    }
    if mark_nested(lines, marks) { Kind::Nested } else { Kind::Plain }
}

fn mark_diff(lines: &[&str], marks: &mut [Mark]) {
    let (mut file, mut hunk) = (None, None);
    for (nth, line) in lines.iter().enumerate() {
        let next_is_new = lines.get(nth + 1).is_some_and(|next| next.starts_with("+++ "));
        let starts_file = line.starts_with("diff --git ")
            || (line.starts_with("--- ") && next_is_new && (hunk.is_some() || file.is_none()));
        if starts_file {
            (file, hunk) = (Some(nth as u32), None);
            marks[nth].is_border = true;
        } else if line.starts_with("@@ ") {
            hunk = Some(nth as u32);
            marks[nth] = Mark { head: file, is_border: true, ..Mark::default() };
        } else {
            marks[nth].head = hunk.or(file);
        }
    }
}

fn mark_hits(lines: &[&str], marks: &mut [Mark]) {
    let mut file = None;
    for nth in 0..lines.len() {
        if lines.get(nth + 1).is_some_and(|next| is_file_over_hits(lines[nth], next)) {
            file = Some(nth as u32);
            marks[nth].is_border = true;
        } else if is_hit(lines[nth]) || lines[nth] == "--" {
            marks[nth].head = file;
        } else {
            file = None;
        }
    }
}

/// `12:text` or, for the lines around a hit, `12-text`.
fn is_hit(line: &str) -> bool {
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    digits > 0 && matches!(line.as_bytes().get(digits), Some(b':' | b'-'))
}

fn is_file_over_hits(line: &str, next: &str) -> bool {
    is_hit(next)
        && !is_hit(line)
        && line.contains(['/', '.'])
        && !line.contains(' ')
        && !line.ends_with([':', '{', ';'])
}

/// Deeper than any heading is what has no indentation.
const HEADINGS: i32 = -10;

/// By indentation, as all languages of note are written. Returns whether anything heads anything.
fn mark_nested(lines: &[&str], marks: &mut [Mark]) -> bool {
    let mut open: Vec<(i32, u32)> = Vec::new();
    let mut after_blank = false;
    let mut found = false;
    for (nth, line) in lines.iter().enumerate() {
        let line = crate::text::lines::without_number(line);
        let words = line.trim();
        if words.is_empty() {
            marks[nth].head = open.last().map(|(_, head)| *head);
            after_blank = true;
            continue;
        }
        let depth = heading_level(words).map_or_else(|| indent(line), |level| HEADINGS + level);
        let mut closed = None;
        while open.last().is_some_and(|(above, _)| *above >= depth) {
            closed = open.pop();
        }
        if let Some((_, head)) = closed.filter(|(above, _)| *above == depth && closes(words)) {
            marks[nth].head = Some(head);
            after_blank = false;
            continue;
        }
        let opens = depth < 0 || is_definition(words) || opens_object(words);
        marks[nth].head = open.last().map(|(_, head)| *head);
        marks[nth].is_border = opens || (after_blank && depth == 0);
        if opens {
            open.push((depth, nth as u32));
            found = true;
        }
        after_blank = false;
    }
    found
}

fn indent(line: &str) -> i32 {
    let blanks = line.bytes().take(200).take_while(|byte| matches!(byte, b' ' | b'\t'));
    blanks.map(|byte| if byte == b'\t' { 4 } else { 1 }).sum()
}

/// `## Heading`: 2. One `#` alone is a comment in too many languages.
fn heading_level(words: &str) -> Option<i32> {
    let level = words.bytes().take_while(|byte| *byte == b'#').count();
    ((2..=6).contains(&level) && words.as_bytes().get(level) == Some(&b' ')).then_some(level as i32)
}

/// Words that may stand before the word that defines.
fn may_stand_before(word: &str) -> bool {
    matches!(
        word,
        "pub"
            | "export"
            | "default"
            | "async"
            | "static"
            | "public"
            | "private"
            | "protected"
            | "final"
            | "abstract"
            | "const"
            | "unsafe"
            | "inline"
            | "override"
            | "declare"
            | "virtual"
            | "internal"
            | "sealed"
            | "extern"
    )
}

/// Words that define.
fn defines(word: &str) -> bool {
    matches!(
        word,
        "fn" | "def"
            | "class"
            | "func"
            | "function"
            | "impl"
            | "struct"
            | "enum"
            | "trait"
            | "interface"
            | "type"
            | "mod"
            | "module"
            | "namespace"
            | "record"
            | "protocol"
            | "extension"
    )
}

/// Calls that define, in test frameworks.
fn defines_by_call(word: &str) -> bool {
    matches!(word, "describe" | "it" | "test")
}

/// Words that look like the name of a method before its brackets, and are none.
fn is_control(word: &str) -> bool {
    matches!(
        word,
        "if" | "for" | "while" | "switch" | "catch" | "return" | "else" | "match" | "with" | "elif"
    )
}

fn is_definition(words: &str) -> bool {
    let mut rest = words;
    for _ in 0..4 {
        let ends_word = |byte: &u8| matches!(byte, b' ' | b'(' | b'<' | b'!');
        let end = rest.as_bytes().iter().position(ends_word).unwrap_or(rest.len());
        let word = &rest[..end];
        let is_call = rest.as_bytes().get(end) == Some(&b'(');
        if defines(word) || (is_call && defines_by_call(word)) {
            return end < rest.len();
        }
        if !may_stand_before(word) {
            return is_method(rest) || (words.starts_with("export const") && words.contains("=>"));
        }
        // `pub(crate)` is `pub` with more behind it.
        let skipped = rest[end..].strip_prefix('(').and_then(|inner| inner.split_once(')'));
        rest = skipped.map_or(&rest[end..], |(_, after)| after).trim_start();
    }
    false
}

/// `name(arguments) {`, as methods are written in the family of C.
fn is_method(words: &str) -> bool {
    let name = words.bytes().take_while(|byte| byte.is_ascii_alphanumeric() || *byte == b'_').count();
    name > 0
        && words.as_bytes().get(name) == Some(&b'(')
        && words.ends_with('{')
        && !is_control(&words[..name])
}

/// A line that only ends what stands above it.
fn closes(words: &str) -> bool {
    words.starts_with(['}', ']', ')']) || words == "end"
}

/// `"key": {` and `"key": [`.
fn opens_object(words: &str) -> bool {
    words.starts_with('"') && (words.ends_with("\": {") || words.ends_with("\": ["))
}
