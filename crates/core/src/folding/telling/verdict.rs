//! What a result says of how its call went, in one line of its own.

use super::SAYS;
use crate::count::sheet::{SheetLine, Sheets};
use crate::text::lines::without_feed;
use crate::text::preview;
use crate::text::shape::Noise;
use crate::understand::calls::CallRecord;
use crate::view::View;

/// The line of a result that says how it went: its last failure or, without one, its last total. Of what went wrong otherwise
/// the last line of a program, the first of a tool, which explains itself below.
pub(crate) fn verdict(view: &View, record: &CallRecord) -> Option<String> {
    let item = view.history().item(record.result);
    let sheets = view.tally().sheets(view.history(), record.result);
    let Sheets::Texts(sheets) = &**sheets else { return None };
    let texts = item.texts.iter().zip(sheets);
    // Of what a program printed in two places, the last says how it went.
    let mut verdicts = texts.rev().filter_map(|(text, sheet)| verdict_of(&text.value, &sheet.lines, record));
    verdicts.next()
}

fn verdict_of(text: &str, lines: &[SheetLine], record: &CallRecord) -> Option<String> {
    let of = |line: &SheetLine| {
        let line = &text[line.span.clone()];
        without_feed(line).unwrap_or(line)
    };
    let went_wrong = record.ending.went_wrong();
    let verdicts =
        || lines.iter().rev().filter(|line| line.mark.noise == Noise::Verdict && !is_advice(of(line)));
    let says = |line: &&SheetLine| line.key.is_some() && !is_frame(of(line));
    let line = match record.is_command() {
        true => {
            // A test that passes may print errors.
            let clean = verdicts().find(|line| !went_wrong && is_clean(of(line)));
            let failure = clean.or_else(|| verdicts().find(|line| is_failure(of(line))));
            // Where it went right, an address at the end is what came of it.
            let is_address = |line: &SheetLine| of(line).trim().starts_with("http");
            let last = || lines.iter().rev().find(says).filter(|line| went_wrong || is_address(line));
            let total = || lines.iter().rev().find(|line| is_total(of(line)));
            let Some(line) = failure.or_else(|| verdicts().next()).or_else(total).or_else(last) else {
                return packages(lines.iter().map(of));
            };
            line
        }
        false => {
            // `ERROR:` alone says nothing.
            let speaks = |line: &&SheetLine| says(line) && of(line).trim().len() > "ERROR:".len();
            lines.iter().find(speaks).filter(|line| went_wrong || is_total(of(line)))?
        }
    };
    let line = of(line).trim().trim_start_matches("<tool_use_error>").trim_end_matches("</tool_use_error>");
    let line = match passes_above(text, line).filter(|_| line.ends_with(" fail")) {
        Some(passes) => format!("{passes}, {line}"),
        None => preview(line, SAYS),
    };
    Some(line).filter(|line| !line.is_empty())
}

/// Whether a line tells of something that went wrong, rather than of how much there was.
fn is_failure(line: &str) -> bool {
    let failed = ["FAIL", "ERROR", "Error", "error:", "failed", "panicked", "fatal", "Traceback"];
    failed.iter().any(|word| line.contains(word)) && !is_clean(line)
}

/// Whether a line says that nothing went wrong: `44 passed, 0 failed`.
fn is_clean(line: &str) -> bool {
    let none = ["0 fail", "0 errors", "0 issues"];
    none.iter().any(|none| line.starts_with(none) || line.contains(&format!(" {none}")))
}

/// The passes that stand on a line of their own above the failures: ` 1309 pass`, then ` 0 fail`.
fn passes_above<'a>(text: &'a str, line: &str) -> Option<&'a str> {
    let above = text[..line.as_ptr() as usize - text.as_ptr() as usize].trim_end().lines().next_back()?;
    Some(above.trim()).filter(|above| above.ends_with(" pass"))
}

/// Whether a line warns of what has nothing to do with how it went.
fn is_advice(line: &str) -> bool {
    let line = line.trim_start();
    ["WARNING: ", "Warning: ", "warning: ", "npm warn", "DeprecationWarning"]
        .iter()
        .any(|word| line.starts_with(word))
}

/// Whether a line is only what a harness puts around a result: `</output>`, `<returncode>2</returncode>`.
fn is_frame(line: &str) -> bool {
    let line = line.trim();
    line.starts_with('<') && line.ends_with('>') && !line.contains(' ')
}

/// Whether a line says how much there was: `16 files changed, 907 insertions(+)`, `Found 30 files`.
fn is_total(line: &str) -> bool {
    let line = line.trim();
    let counted = |line: &str| {
        let digits = line.bytes().take_while(u8::is_ascii_digit).count();
        (digits > 0).then(|| line[digits..].trim_start().to_string())
    };
    let changed = |rest: String| rest.starts_with("file changed") || rest.starts_with("files changed");
    line.strip_prefix("Found ").and_then(counted).is_some() || counted(line).is_some_and(changed)
}

/// What `go test` says of packages that all went well, counted: it prints no total.
fn packages<'a>(lines: impl Iterator<Item = &'a str>) -> Option<String> {
    let count = lines.filter(|line| line.starts_with("ok  \t")).count();
    (count > 0).then(|| format!("{count} package{} ok", if count == 1 { "" } else { "s" }))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `10 failed` once was taken for none, and pip's advice for how the installation went.
    #[test]
    fn failures_are_told_from_totals_and_from_advice() {
        assert!(is_failure("10 failed, 44 passed") && is_failure("FAILURE: _foo NOT found in output"));
        assert!(!is_failure("0 failed, 44 passed") && !is_failure("44 passed, 0 failed"));
        assert!(is_advice("WARNING: Running pip as the 'root' user can result in broken permissions"));
        assert!(!is_advice("Successfully installed Sphinx"));
    }

    #[test]
    fn the_tags_around_an_output_say_nothing_about_it() {
        assert!(is_frame("</output>"));
        assert!(is_frame(" <returncode>2</returncode>"));
        assert!(!is_frame("<stdin>:3: expected a name>"));
        assert!(!is_frame("ls: cannot access 'images'"));
    }

    /// `[17 lines #…]` once was all that stood for a search and for the extent of a change.
    #[test]
    fn totals_say_how_much_there_was() {
        assert!(is_total(" 16 files changed, 907 insertions(+), 483 deletions(-)"));
        assert!(is_total("1 file changed, 2 deletions(-)") && is_total("Found 30 files"));
        assert!(!is_total("Found the cause") && !is_total("16 files are large") && !is_total("3: let x;"));
    }

    /// An error that a passing test printed once stood for 1309 tests that had passed.
    #[test]
    fn failures_of_none_are_told_with_the_passes_above() {
        let text = "error: Database connection failed\n\n 1309 pass\n 0 fail\n";
        let line = &text[text.find("0 fail").unwrap()..][.."0 fail".len()];
        assert!(is_clean(line));
        assert_eq!(passes_above(text, line), Some("1309 pass"));
        assert_eq!(passes_above(line, line), None);
    }

    #[test]
    fn packages_that_pass_are_counted() {
        let lines = ["ok  \tio/cli\t1.8s", "?   \tio/docs\t[no test files]", "ok  \tio/git\t(cached)"];
        assert_eq!(packages(lines.into_iter()).as_deref(), Some("2 packages ok"));
        assert_eq!(packages(["okay"].into_iter()), None);
    }
}
