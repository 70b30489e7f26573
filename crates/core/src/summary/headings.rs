//! Headings as models write them: any number of `#`, bold, numbered, with a colon, in any case.

/// The name of a heading, as it is compared with others.
pub(super) fn name(line: &str) -> String {
    let is_mark = |c: char| c.is_whitespace() || matches!(c, '#' | '*' | '_' | '`' | ':' | '.' | ')');
    let line = line.trim_matches(is_mark);
    let digits = line.bytes().take_while(u8::is_ascii_digit).count();
    let line = match &line[digits..] {
        rest if digits > 0 && rest.starts_with(['.', ')']) => rest.trim_start_matches(is_mark),
        _ => line,
    };
    let words =
        line.split_whitespace().map(|word| if word == "&" { "and".into() } else { word.to_lowercase() });
    words.collect::<Vec<String>>().join(" ")
}

/// Whether a line is long enough to be no heading whatever it says: saves looking at it.
fn is_too_long(line: &str) -> bool {
    line.len() > 200
}

/// Which of the headings a line is.
pub(super) fn position(line: &str, headings: &[String]) -> Option<usize> {
    if is_too_long(line) || line.trim().is_empty() {
        return None;
    }
    let name = name(line);
    headings.iter().position(|heading| *heading == name)
}
