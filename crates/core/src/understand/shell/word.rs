//! Words of a shell command with their quotes taken off and their variables put in.

use std::collections::BTreeMap;

/// A word as the program would get it, as far as the command line shows it.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub(super) struct Word {
    /// The text; what could not be resolved stands as it was written.
    pub(super) text: String,
    /// Whether everything was resolved.
    pub(super) exact: bool,
    /// Whether any part was quoted, so that it is no option or pattern by accident.
    pub(super) quoted: bool,
    /// Commands inside `$(…)` and backquotes.
    pub(super) commands: Vec<String>,
}

/// What is known about variables.
pub(super) type Variables = BTreeMap<String, String>;

/// Takes the quotes off `raw`. Iterative: nesting costs no stack.
pub(super) fn expand(raw: &str, variables: &Variables) -> Word {
    let mut word = Word { exact: true, ..Word::default() };
    let mut rest = raw;
    let mut double = false;
    while let Some(c) = rest.chars().next() {
        let after = &rest[c.len_utf8()..];
        match c {
            '\'' if !double => {
                let end = after.find('\'').unwrap_or(after.len());
                word.text.push_str(&after[..end]);
                word.quoted = true;
                rest = after.get(end + 1..).unwrap_or("");
            }
            '"' => {
                double = !double;
                word.quoted = true;
                rest = after;
            }
            '\\' => rest = escape(after, double, &mut word),
            '$' if !double && after.starts_with('\'') => {
                let (text, end) = ansi_c(&after[1..]);
                word.text.push_str(&text);
                word.quoted = true;
                rest = &after[1 + end..];
            }
            '$' => rest = dollar(after, variables, &mut word),
            '`' => {
                let end = after.find('`').unwrap_or(after.len());
                word.commands.push(after[..end].to_string());
                word.exact = false;
                word.text.push_str(&rest[..1 + (end + 1).min(after.len())]);
                rest = after.get(end + 1..).unwrap_or("");
            }
            c => {
                word.text.push(c);
                rest = after;
            }
        }
    }
    word
}

fn escape<'a>(after: &'a str, double: bool, word: &mut Word) -> &'a str {
    let Some(c) = after.chars().next() else { return after };
    if c != '\n' {
        if double && !matches!(c, '$' | '`' | '"' | '\\') {
            word.text.push('\\');
        }
        word.text.push(c);
    }
    &after[c.len_utf8()..]
}

/// What follows a `$`: a variable, a command, arithmetic, or a plain dollar.
fn dollar<'a>(after: &'a str, variables: &Variables, word: &mut Word) -> &'a str {
    if after.starts_with("((") || after.starts_with('(') {
        let end = closing(after, '(', ')');
        if !after.starts_with("((") {
            word.commands.push(after.get(1..end.saturating_sub(1)).unwrap_or("").to_string());
        }
        return unresolved(after, end, word);
    }
    if after.starts_with('{') {
        let end = closing(after, '{', '}');
        let name = after.get(1..end.saturating_sub(1)).unwrap_or("");
        return match variables.get(name) {
            Some(value) => {
                word.text.push_str(value);
                &after[end..]
            }
            None => unresolved(after, end, word),
        };
    }
    let end = after.find(|c: char| !(c.is_ascii_alphanumeric() || c == '_')).unwrap_or(after.len());
    let end = if end == 0 && after.starts_with(['?', '@', '*', '#', '!', '-', '$']) { 1 } else { end };
    match variables.get(&after[..end]) {
        Some(value) => {
            word.text.push_str(value);
            &after[end..]
        }
        None if end == 0 => {
            word.text.push('$');
            after
        }
        None => unresolved(after, end, word),
    }
}

fn unresolved<'a>(after: &'a str, end: usize, word: &mut Word) -> &'a str {
    word.exact = false;
    word.text.push('$');
    word.text.push_str(&after[..end]);
    &after[end..]
}

/// One past the bracket that closes the one at the start of `text`, quotes respected.
fn closing(text: &str, open: char, close: char) -> usize {
    let (mut depth, mut quote, mut escaped, mut document_end) = (0usize, None, false, 0usize);
    for (at, c) in text.char_indices() {
        if at < document_end {
            continue;
        }
        if escaped {
            escaped = false;
            continue;
        }
        if c == '<' && quote.is_none() && document_end == 0 {
            document_end = here_document_end(&text[at..]).map_or(0, |end| at + end);
        }
        match (c, quote) {
            ('\\', None | Some('"')) => escaped = true,
            ('\'' | '"', None) => quote = Some(c),
            (c, Some(q)) if c == q => quote = None,
            (_, Some(_)) => {}
            (c, None) if c == open => depth += 1,
            (c, None) if c == close => {
                depth -= 1;
                if depth == 0 {
                    return at + c.len_utf8();
                }
            }
            _ => {}
        }
    }
    text.len()
}

/// Where the here-document whose `<<` stands at the start of `text` ends. Its quotes and brackets mean nothing.
fn here_document_end(text: &str) -> Option<usize> {
    let rest = text.strip_prefix("<<")?;
    let rest = rest.strip_prefix('-').unwrap_or(rest).trim_start_matches([' ', '\\', '\'', '"']);
    let length = rest.find(|c: char| !(c.is_alphanumeric() || c == '_')).unwrap_or(rest.len());
    let mark = rest.get(..length).filter(|mark| !mark.is_empty())?;
    let body = text.find('\n')?;
    let mut at = body + 1;
    for line in text[at..].split_inclusive('\n') {
        if line.trim() == mark {
            return Some(at);
        }
        at += line.len();
    }
    None
}

/// The text of `$'…'` after its opening quote, and where it ends.
fn ansi_c(text: &str) -> (String, usize) {
    let mut out = String::new();
    let mut chars = text.char_indices();
    while let Some((at, c)) = chars.next() {
        match c {
            '\'' => return (out, at + 1),
            '\\' => {
                if let Some((_, c)) = chars.next() {
                    push_escape(&mut out, c);
                }
            }
            c => out.push(c),
        }
    }
    (out, text.len())
}

fn push_escape(out: &mut String, c: char) {
    match c {
        'n' => out.push('\n'),
        't' => out.push('\t'),
        'r' => out.push('\r'),
        '\\' | '\'' | '"' => out.push(c),
        other => {
            out.push('\\');
            out.push(other);
        }
    }
}

/// What `printf` or `echo -e` make of backslashes; `None` for escapes that are not plain characters.
pub(super) fn unescape(text: &str) -> Option<String> {
    let mut out = String::new();
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        if c != '\\' {
            out.push(c);
            continue;
        }
        match chars.next() {
            Some(c @ ('n' | 't' | 'r' | '\\' | '\'' | '"')) => push_escape(&mut out, c),
            _ => return None,
        }
    }
    Some(out)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(raw: &str, text: &str, exact: bool) {
        let variables = Variables::from([("v".to_string(), "x y".to_string())]);
        let word = expand(raw, &variables);
        assert_eq!((word.text.as_str(), word.exact), (text, exact), "{raw}");
    }

    #[test]
    fn quotes_go_and_variables_come() {
        check("a'b c'\"d\"", "ab cd", true);
        check(r#""$v/${v}"z"#, "x y/x yz", true);
        check(r"a\ b", "a b", true);
        check(r#""\n\"""#, "\\n\"", true);
        check(r"$'a\tb'", "a\tb", true);
        check("'it'\\''s'", "it's", true);
    }

    #[test]
    fn what_cannot_be_known_stays_as_written() {
        check("$HOME/x", "$HOME/x", false);
        check("${TMPDIR%/}/x", "${TMPDIR%/}/x", false);
        check("a$(b \")\" c)d", "a$(b \")\" c)d", false);
        check("cost$", "cost$", true);
        check("$((1+2))", "$((1+2))", false);
        check("\"$(cat <<'EOF'\nit's (so\nEOF\n)\"", "$(cat <<'EOF'\nit's (so\nEOF\n)", false);
    }

    #[test]
    fn unfinished_words_do_no_harm() {
        for raw in ["'", "\"", "$(", "${", "`", "\\", "$'", "a$", "$((", "é$é"] {
            expand(raw, &Variables::new());
        }
        expand(&"$(".repeat(100_000), &Variables::new());
    }
}
