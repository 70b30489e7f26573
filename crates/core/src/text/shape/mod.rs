//! The shape of a text: which line heads which, where a reader would cut, what is noise.
//!
//! A line alone often says little: a search hit needs the file above it, a changed line its hunk, a statement its
//! function, a field its object. Nothing here knows a language; keywords, indentation and the marks of the common tools
//! are enough to find the line that a reader would want to see too.

mod heads;
mod noise;

use std::ops::Range;

use super::lines::without_feed;

/// What a line is among the others of its text.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// The line that says what this one belongs to: a definition, a file name over hits, the head of a hunk.
    pub head: Option<u32>,
    /// Whether a reader would cut before it: a definition or hunk starts, or a blank line stands before.
    pub is_border: bool,
    /// Whether it is worth less, or more, than its words.
    pub noise: Noise,
}

/// How far a line's words are to be believed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Noise {
    /// Words like any other.
    #[default]
    None,
    /// Bytes in disguise: base64, hex. Worth nothing to a reader.
    Blob,
    /// The line before over again but for its numbers, for the n-th time.
    Repeat(u16),
    /// In the output of a program: a failure or a total.
    Verdict,
    /// What a harness says beside a result.
    Aside,
}

/// Marks the lines of a text. `units` are its lines as [`crate::text::lines::units`] finds them. O(text).
pub fn marks(text: &str, units: &[Range<usize>]) -> Vec<Mark> {
    let lines = units.iter().map(|span| &text[span.clone()]);
    let lines: Vec<&str> = lines.map(|line| without_feed(line).unwrap_or(line)).collect();
    let mut marks = vec![Mark::default(); lines.len()];
    let kind = heads::mark(&lines, &mut marks);
    noise::mark(&lines, &mut marks);
    match kind {
        heads::Kind::Plain => noise::mark_verdicts(text, units, &lines, &mut marks),
        // In code, errors are everywhere; but who prints a failure prints the code that failed.
        heads::Kind::Nested => noise::mark_bare_verdicts(&lines, &mut marks),
        heads::Kind::Diff | heads::Kind::Hits => {}
    }
    marks
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::text::lines;

    /// Each line with its head, its border (`|`) and its noise, as a reader would check them.
    fn drawn(text: &str) -> String {
        let units = lines::units(text);
        let marks = marks(text, &units);
        let line = |(mark, span): (&Mark, &Range<usize>)| {
            let head = mark.head.map_or("-".to_string(), |head| head.to_string());
            let border = if mark.is_border { "|" } else { " " };
            let noise = match mark.noise {
                Noise::None => ' ',
                Noise::Blob => 'x',
                Noise::Repeat(_) => '=',
                Noise::Verdict => '!',
                Noise::Aside => '"',
            };
            let short: String = text[span.clone()].chars().take(40).collect();
            format!("{head:>2} {border}{noise} {short}").trim_end().to_string()
        };
        marks.iter().zip(&units).map(line).collect::<Vec<_>>().join("\n")
    }

    #[test]
    fn statements_belong_to_their_definition_and_methods_to_their_type() {
        insta::assert_snapshot!(drawn("use a;\n\nimpl Cache {\n    pub fn get(&self) -> u8 {\n        self.x\n    }\n}"), @r"
        -    use a;
        -
        - |  impl Cache {
        2 |      pub fn get(&self) -> u8 {
        3            self.x
        3        }
        2    }
        ");
    }

    #[test]
    fn line_numbers_do_not_hide_the_indentation() {
        insta::assert_snapshot!(drawn("     7→def load(path):\n     8→    return path\n     9→\n    10→def save():"), @r"
        - |       7→def load(path):
        0         8→    return path
        0         9→
        - |      10→def save():
        ");
    }

    /// The code that a test runner prints around a failure once hid the failure and the totals.
    #[test]
    fn failures_and_totals_stand_out_beside_code() {
        let log = "def test_limit():\n>       assert over(3) == 1\nE       AssertionError: 0 != 1\n\n\
                   error: Database is gone\n    error = 3\nErrors are values.\n\
                   FAILED tests/test_limit.py::test_limit\n==== 1 failed, 3 passed in 0.2s ====";
        insta::assert_snapshot!(drawn(log), @r"
        - |  def test_limit():
        -    >       assert over(3) == 1
        -  ! E       AssertionError: 0 != 1
        -
        - |! error: Database is gone
        -        error = 3
        -    Errors are values.
        -  ! FAILED tests/test_limit.py::test_limit
        -  ! ==== 1 failed, 3 passed in 0.2s ====
        ");
    }

    #[test]
    fn hits_belong_to_their_file() {
        insta::assert_snapshot!(drawn("src/a.rs\n12:let a = 1;\n40:let b = 2;\n\nsrc/b.rs\n3:let c = 3;"), @r"
        - |  src/a.rs
        0    12:let a = 1;
        0    40:let b = 2;
        -
        - |  src/b.rs
        4    3:let c = 3;
        ");
    }

    #[test]
    fn changed_lines_belong_to_their_hunk_and_hunks_to_their_file() {
        let diff = "diff --git a/x b/x\n--- a/x\n+++ b/x\n@@ -1,2 +1,2 @@\n-old\n+new\n@@ -9 +9 @@\n+more";
        insta::assert_snapshot!(drawn(diff), @r"
        - |  diff --git a/x b/x
        0    --- a/x
        0    +++ b/x
        0 |  @@ -1,2 +1,2 @@
        3    -old
        3    +new
        0 |  @@ -9 +9 @@
        6    +more
        ");
    }

    #[test]
    fn fields_belong_to_their_object_and_paragraphs_to_their_heading() {
        insta::assert_snapshot!(drawn("{\n  \"server\": {\n    \"port\": 80\n  }\n}"), @r#"
        -    {
        - |    "server": {
        1        "port": 80
        1      }
        -    }
        "#);
        insta::assert_snapshot!(drawn("## Plan\ntext\n### Step 1\nmore"), @r"
        - |  ## Plan
        0    text
        0 |  ### Step 1
        2    more
        ");
    }

    #[test]
    fn failures_and_totals_of_a_run_stand_out_and_repeated_lines_do_not() {
        let log = "GET /a/b/page 200 12ms\nGET /a/b/page 200 15ms\nGET /a/b/page 200 9ms\nerror: no such table\n3 passed, 1 failed";
        insta::assert_snapshot!(drawn(log), @r"
        -    GET /a/b/page 200 12ms
        -  = GET /a/b/page 200 15ms
        -  = GET /a/b/page 200 9ms
        -  ! error: no such table
        -  ! 3 passed, 1 failed
        ");
    }

    #[test]
    fn a_number_in_front_of_a_path_is_no_total() {
        insta::assert_snapshot!(drawn("  58 tests/report.c\n 112 total\n58 tests"), @r"
        -      58 tests/report.c
        -     112 total
        -  ! 58 tests
        ");
    }

    #[test]
    fn what_a_harness_adds_to_a_result_is_an_aside() {
        let read =
            "1\tlet a = 1;\n\n<system-reminder>\nDo not mention the error.\n</system-reminder>\n2 passed";
        insta::assert_snapshot!(drawn(read), @r#"
        -    1	let a = 1;
        -
        - |" <system-reminder>
        -  " Do not mention the error.
        -  " </system-reminder>
        -  ! 2 passed
        "#);
    }

    #[test]
    fn base64_is_a_blob_and_a_long_path_is_none() {
        let blob =
            "iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAYAAADo08FDAAAAAXNSR0IArs4c6QAAIABJREFUeF7snQd8FdXz9r8BQgm9"
                .repeat(3);
        let path = "/home/someone/projects/2024/workspace/packages/frontend/source/components/editor/toolbar/buttons/BoldButton";
        insta::assert_snapshot!(drawn(&format!("data {blob}\n{path}")), @r"
        -  x data iVBORw0KGgoAAAANSUhEUgAAB4AAAAQ4CAY
        -    /home/someone/projects/2024/workspace/pa
        ");
    }
}
