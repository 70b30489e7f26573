//! As much of sed's language as agents use to look at files and to change them.

use crate::understand::operation::{Change, Lines, Occurrences, Replacement, line_number};

/// The line ranges that `sed -n SCRIPT` prints; `None` where they depend on the text.
pub(super) fn printed(script: &str) -> Option<Vec<Lines>> {
    let mut ranges = Vec::new();
    for part in script.split([';', '\n']).map(str::trim).filter(|part| !part.is_empty()) {
        // `20q` only saves sed from reading on.
        if part.strip_suffix('q').is_some_and(|n| line_number(n).is_some()) {
            continue;
        }
        let range = part.strip_suffix('p')?.trim().trim_matches(['{', '}']).trim();
        ranges.push(range_of(range)?);
    }
    Some(ranges)
}

/// `10,40`, `10,$`, `10,+5`, `7`, `$`.
fn range_of(text: &str) -> Option<Lines> {
    let Some((first, last)) = text.split_once(',') else {
        return match text {
            "$" => Some(Lines::Last(1)),
            "" => Some(Lines::from(1)),
            line => line_number(line).map(|line| Lines::span(line, line)),
        };
    };
    let first = line_number(first)?;
    match last.trim() {
        "$" => Some(Lines::from(first)),
        last => match last.strip_prefix('+') {
            Some(more) => Some(Lines::span(first, first + line_number(more)?)),
            None => Some(Lines::span(first, line_number(last)?.max(first))),
        },
    }
}

/// The changes that `sed -i SCRIPT` makes; `None` where they cannot be told without sed.
///
/// A dot in a pattern is taken for a dot: `s|../config.js|…|` is what agents write, and mean.
pub(super) fn changes(script: &str, extended: bool) -> Option<Vec<Change>> {
    let mut rest = script.trim_start_matches([' ', '\n', ';']);
    let mut changes = Vec::new();
    while !rest.is_empty() {
        let (change, after) = one(rest, extended)?;
        changes.push(change);
        rest = after.trim_start_matches([' ', '\n', ';']);
    }
    (!changes.is_empty()).then_some(changes)
}

fn one(text: &str, extended: bool) -> Option<(Change, &str)> {
    if let Some(substitution) = text.strip_prefix('s') {
        return substitute(substitution, extended);
    }
    let end = text.find(|c: char| !(c.is_ascii_digit() || matches!(c, ',' | ' ' | '$')))?;
    let (address, command) = text.split_at(end);
    let lines = range_of(address.trim());
    let command_char = command.chars().next()?;
    let after = &command[command_char.len_utf8()..];
    match (command_char, lines?) {
        ('d', Lines::Span { first, last: Some(last) }) => {
            Some((Change::Lines { first, last, text: None }, after))
        }
        ('a', Lines::Span { first, last: Some(last) }) if first == last => {
            Some((Change::Insert { after: last, text: inserted(after)? }, ""))
        }
        ('i', Lines::Span { first, last: Some(last) }) if first == last => {
            Some((Change::Insert { after: first.checked_sub(1)?, text: inserted(after)? }, ""))
        }
        ('c', Lines::Span { first, last: Some(last) }) => {
            Some((Change::Lines { first, last, text: Some(inserted(after)?) }, ""))
        }
        ('a', Lines::Last(1)) => Some((Change::Append(inserted(after)?), "")),
        _ => None,
    }
}

/// The text of `a`, `i` and `c`: GNU's one-line form and the classic one with a backslash at each line's end.
fn inserted(text: &str) -> Option<String> {
    let text = text.trim_start_matches([' ', '\t']);
    let text = text.strip_prefix('\\').map_or(text, |text| text.strip_prefix('\n').unwrap_or(text));
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next() {
                Some('t') => out.push('\t'),
                Some('n') => out.push('\n'),
                Some(c) => out.push(c),
                None => {}
            },
            '\n' => return None,
            c => out.push(c),
        }
    }
    out.push('\n');
    Some(out)
}

/// `/old/new/flags` after the `s`.
fn substitute(text: &str, extended: bool) -> Option<(Change, &str)> {
    let delimiter = text.chars().next()?;
    let (old, rest) = field(&text[delimiter.len_utf8()..], delimiter)?;
    let (new, rest) = field(rest, delimiter)?;
    let flags_end = rest.find(|c: char| !c.is_ascii_alphanumeric()).unwrap_or(rest.len());
    let occurrences = match &rest[..flags_end] {
        "" => Occurrences::FirstOfEachLine,
        "g" => Occurrences::All,
        _ => return None,
    };
    let replacement =
        Replacement { old: literal(&old, extended)?, new: replacement_text(&new)?, occurrences };
    Some((Change::Replace(vec![replacement]), &rest[flags_end..]))
}

/// The text up to an unescaped delimiter, with escaped delimiters freed, and what follows.
fn field(text: &str, delimiter: char) -> Option<(String, &str)> {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        if c == delimiter {
            return Some((out, &text[at + c.len_utf8()..]));
        }
        if c == '\\' {
            let (_, next) = chars.next()?;
            if next != delimiter {
                out.push('\\');
            }
            out.push(next);
        } else {
            out.push(c);
        }
    }
    None
}

/// The text a pattern without real pattern characters stands for.
fn literal(pattern: &str, extended: bool) -> Option<String> {
    let mut out = String::new();
    let mut chars = pattern.chars();
    while let Some(c) = chars.next() {
        match c {
            '\\' => match chars.next()? {
                c @ ('.' | '[' | ']' | '*' | '^' | '$' | '\\' | '/' | '"' | '\'' | '-' | '|')
                    if extended || c != '|' =>
                {
                    out.push(c);
                }
                c @ ('(' | ')' | '+' | '?' | '{' | '}') if extended => out.push(c),
                _ => return None,
            },
            '[' | '*' | '^' | '$' => return None,
            '(' | ')' | '+' | '?' | '{' | '}' | '|' if extended => return None,
            c => out.push(c),
        }
    }
    (!out.is_empty()).then_some(out)
}

fn replacement_text(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '&' => return None,
            '\\' => match chars.next()? {
                'n' => out.push('\n'),
                't' => out.push('\t'),
                c if c.is_ascii_alphanumeric() => return None,
                c => out.push(c),
            },
            c => out.push(c),
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn printed_ranges_are_read() {
        assert_eq!(printed("10,40p"), Some(vec![Lines::span(10, 40)]));
        assert_eq!(printed("1,48p;143,172p"), Some(vec![Lines::span(1, 48), Lines::span(143, 172)]));
        assert_eq!(printed("5p"), Some(vec![Lines::span(5, 5)]));
        assert_eq!(printed("5,$p"), Some(vec![Lines::from(5)]));
        assert_eq!(printed("5,+3p; 8q"), Some(vec![Lines::span(5, 8)]));
        assert_eq!(printed("$p"), Some(vec![Lines::Last(1)]));
        assert_eq!(printed("/a/,/b/p"), None);
    }

    #[test]
    fn plain_substitutions_and_line_commands_are_changes() {
        let replace = |old: &str, new: &str, occurrences| {
            Some(vec![Change::Replace(vec![Replacement { old: old.into(), new: new.into(), occurrences }])])
        };
        assert_eq!(changes("s/a/b/", false), replace("a", "b", Occurrences::FirstOfEachLine));
        assert_eq!(changes(r"s|x\.y|c/d|g", false), replace("x.y", "c/d", Occurrences::All));
        assert_eq!(changes(r"s/f(x)/g(x)/g", false), replace("f(x)", "g(x)", Occurrences::All));
        assert_eq!(changes("3,5d", false), Some(vec![Change::Lines { first: 3, last: 5, text: None }]));
        assert_eq!(changes("7a\\  x", false), Some(vec![Change::Insert { after: 7, text: "  x\n".into() }]));
        assert_eq!(changes("7i y", false), Some(vec![Change::Insert { after: 6, text: "y\n".into() }]));
        assert_eq!(changes("s/a/b/;s/c/d/", false).map(|all| all.len()), Some(2));
    }

    #[test]
    fn real_patterns_are_left_alone() {
        for script in
            ["s/a.*b/c/", "s/^a/b/", r"s/\(a\)/\1/", "s/a/&b/", "/x/d", "s/a/b/2", "y/a/b/", "s/a", ""]
        {
            assert_eq!(changes(script, false), None, "{script}");
        }
    }
}
