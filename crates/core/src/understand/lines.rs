//! A file of which some lines are known.
//!
//! Agents see files in pieces. Each line remembers when it was last seen or written; whatever may have changed the
//! file since raises a mark, and lines from before it are doubtful until they are seen again.

use std::collections::BTreeMap;

use bytestring::ByteString;

use super::operation::{Occurrences, Replacement};
use super::patch::{self, Hunk};

/// A moment in a session: later ones are greater.
pub(super) type Moment = u64;

#[derive(Clone, Debug, Default)]
pub(super) struct KnownLines {
    /// Number (from 1), text and when it was seen.
    lines: BTreeMap<usize, Line>,
    /// How many lines the file has, where known.
    total: Option<usize>,
    /// Whether the last line ends with a line feed.
    final_newline: Option<bool>,
    doubted: Moment,
}

#[derive(Clone, Debug)]
struct Line {
    text: ByteString,
    seen: Moment,
}

/// Whether lines seen now fit what was known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fit {
    /// Nothing sure was contradicted.
    Fits,
    /// Something sure was: the file changed unseen.
    Contradicts,
}

impl KnownLines {
    pub(super) fn whole(text: &str, now: Moment) -> KnownLines {
        let mut known = KnownLines::default();
        known.set_lines(split(text), now);
        known.final_newline = Some(text.is_empty() || text.ends_with('\n'));
        known
    }

    fn set_lines<'a>(&mut self, lines: impl Iterator<Item = &'a str>, now: Moment) {
        self.lines = (1..).zip(lines.map(|text| Line { text: text.into(), seen: now })).collect();
        self.total = Some(self.lines.len());
    }

    pub(super) fn is_empty(&self) -> bool {
        self.lines.is_empty() && self.total.is_none()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.total == Some(self.lines.len())
    }

    pub(super) fn total(&self) -> Option<usize> {
        self.total
    }

    /// Everything known so far may have changed.
    pub(super) fn doubt(&mut self, now: Moment) {
        self.doubted = now;
    }

    pub(super) fn is_sure(&self) -> bool {
        self.lines.values().all(|line| line.seen > self.doubted)
    }

    /// A line's text, and whether it is sure.
    pub(super) fn line(&self, number: usize) -> Option<(&ByteString, bool)> {
        self.lines.get(&number).map(|line| (&line.text, line.seen > self.doubted))
    }

    /// The known lines as runs of neighbours: first number and texts.
    pub(super) fn runs(&self) -> Vec<(usize, Vec<ByteString>)> {
        let mut runs: Vec<(usize, Vec<ByteString>)> = Vec::new();
        for (number, line) in &self.lines {
            match runs.last_mut() {
                Some((first, texts)) if *first + texts.len() == *number => texts.push(line.text.clone()),
                _ => runs.push((*number, vec![line.text.clone()])),
            }
        }
        runs
    }

    /// The text of a file that is known whole.
    pub(super) fn text(&self) -> Option<String> {
        self.is_whole().then(|| {
            let mut out = String::new();
            for line in self.lines.values() {
                out.push_str(&line.text);
                out.push('\n');
            }
            if self.final_newline == Some(false) {
                out.pop();
            }
            out
        })
    }

    /// Takes in lines that were shown, `first` being the number of the first; `at_end` when nothing follows them.
    pub(super) fn observe(&mut self, first: usize, shown: &[&str], at_end: bool, now: Moment) -> Fit {
        let mut shown = shown;
        let mut final_newline = None;
        // Some tools show the nothing after the last line feed as a line of its own.
        let past_end = self.total.is_some_and(|total| first + shown.len() == total + 2);
        if shown.last() == Some(&"") && (at_end || past_end) {
            shown = &shown[..shown.len() - 1];
            final_newline = Some(true);
        }
        let end = first + shown.len();
        let changed = (first..).zip(shown).any(|(number, text)| match self.line(number) {
            Some((known, true)) => &**known != *text,
            Some((_, false)) => false,
            None => self.total.is_some_and(|total| number > total) && self.is_sure(),
        });
        let longer = at_end && self.total.is_some_and(|total| total + 1 != end) && self.is_sure();
        if changed || longer {
            self.doubt(now - 1);
            self.total = None;
        }
        for (number, text) in (first..).zip(shown) {
            self.lines.insert(number, Line { text: (*text).into(), seen: now });
        }
        if at_end {
            self.total = Some(end - 1);
            self.lines.retain(|number, _| *number < end);
            self.final_newline = final_newline.or(self.final_newline);
        } else if self.total.is_some_and(|total| total + 1 < end) {
            self.total = None;
        }
        if changed || longer { Fit::Contradicts } else { Fit::Fits }
    }

    /// Leaves out lines whose shown text was cut.
    pub(super) fn forget_line(&mut self, number: usize) {
        self.lines.remove(&number);
    }

    /// Puts text in place of other text. False where the place is not known.
    pub(super) fn replace(&mut self, replacement: &Replacement, now: Moment) -> bool {
        let Replacement { old, new, occurrences } = replacement;
        if old.is_empty() {
            return false;
        }
        let places = self.places(old);
        match occurrences {
            Occurrences::Single => match places.as_slice() {
                [(run, at)] => self.replace_at(*run, *at, old, new, now),
                _ => false,
            },
            Occurrences::All => {
                let moves_lines = old.matches('\n').count() != new.matches('\n').count();
                if moves_lines && !self.is_whole() {
                    self.forget_after_first_gap();
                }
                places.iter().rev().all(|(run, at)| self.replace_at(*run, *at, old, new, now))
            }
            Occurrences::FirstOfEachLine => {
                if new.contains('\n') && !self.is_whole() {
                    return false;
                }
                let hits: Vec<usize> = self
                    .lines
                    .iter()
                    .filter(|(_, line)| line.text.contains(old.as_str()))
                    .map(|(n, _)| *n)
                    .collect();
                for number in hits.into_iter().rev() {
                    let text = self.lines[&number].text.replacen(old.as_str(), new, 1);
                    self.splice(number, number, &split(&text).collect::<Vec<_>>(), now);
                }
                true
            }
        }
    }

    /// Where `old` stands: the first line of the run of known lines, and the byte in the run's text.
    fn places(&self, old: &str) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        for (first, texts) in self.runs() {
            let text = self.run_text(first, &texts);
            places.extend(text.match_indices(old).map(|(at, _)| (first, at)));
        }
        places
    }

    fn run_text(&self, first: usize, texts: &[ByteString]) -> String {
        let mut text = texts.join("\n");
        let is_end = self.total == Some(first + texts.len() - 1);
        if !(is_end && self.final_newline == Some(false)) {
            text.push('\n');
        }
        text
    }

    fn replace_at(&mut self, run: usize, at: usize, old: &str, new: &str, now: Moment) -> bool {
        let Some((first, texts)) = self.runs().into_iter().find(|(first, _)| *first == run) else {
            return false;
        };
        let text = self.run_text(first, &texts);
        let (start, end) = (at, at + old.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let head = format!("{}{new}", &text[line_start..start]);
        let first_line = first + text[..line_start].matches('\n').count();
        let ends_a_line = end > 0 && text.as_bytes()[end - 1] == b'\n';
        let whole_lines = ends_a_line && (head.is_empty() || head.ends_with('\n'));
        let (middle, stop) = if whole_lines {
            (head, end)
        } else {
            let stop = text[end..].find('\n').map_or(text.len(), |at| end + at + 1);
            (format!("{head}{}", &text[end..stop]), stop)
        };
        let gone = text[line_start..stop].split_inclusive('\n').count();
        let open_end = !middle.is_empty() && !middle.ends_with('\n');
        let reaches_end = self.total == Some(first_line + gone - 1) || (self.total == Some(0) && gone == 0);
        if open_end && stop == text.len() && !reaches_end {
            // The next line, which is not known, would join this one.
            return false;
        }
        let new_lines: Vec<&str> = split(&middle).collect();
        if stop == text.len() && reaches_end {
            self.final_newline = if open_end { Some(false) } else { self.final_newline };
        }
        self.splice(first_line, first_line + gone - 1, &new_lines, now);
        true
    }

    /// Puts `texts` in place of the lines from `first` to `last` (`last` = `first` − 1 inserts) and moves what follows.
    pub(super) fn splice(&mut self, first: usize, last: usize, texts: &[&str], now: Moment) {
        let after = self.lines.split_off(&(last + 1));
        self.lines.split_off(&first);
        let shift = texts.len() as isize - (last + 1 - first) as isize;
        for (number, text) in (first..).zip(texts) {
            self.lines.insert(number, Line { text: (*text).into(), seen: now });
        }
        self.lines.extend(
            after.into_iter().filter_map(|(number, line)| Some((number.checked_add_signed(shift)?, line))),
        );
        self.total = self.total.and_then(|total| total.checked_add_signed(shift));
    }

    /// Text at the end. False where the end is not known; then only what stands before it stays known.
    pub(super) fn append(&mut self, text: &str, now: Moment) -> bool {
        let Some(total) = self.total else { return false };
        if self.final_newline == Some(false) {
            let Some(last) = self.lines.get(&total).map(|line| line.text.clone()) else { return false };
            let joined = format!("{last}{text}");
            self.splice(total, total, &split(&joined).collect::<Vec<_>>(), now);
        } else {
            self.splice(total + 1, total, &split(text).collect::<Vec<_>>(), now);
        }
        self.final_newline = Some(text.ends_with('\n'));
        true
    }

    /// Applies a patch. False where a hunk does not fit what is known.
    pub(super) fn patch(&mut self, hunks: &[Hunk], now: Moment) -> bool {
        if self.is_whole() {
            let old: Vec<String> = self.lines.values().map(|line| line.text.to_string()).collect();
            let Some(new) = patch::apply(&old, hunks) else { return false };
            let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
            let tail = old[same..]
                .iter()
                .rev()
                .zip(new[same..].iter().rev())
                .take_while(|(old, new)| old == new)
                .count();
            let middle: Vec<&str> = new[same..new.len() - tail].iter().map(String::as_str).collect();
            self.splice(same + 1, old.len() - tail, &middle, now);
            return true;
        }
        hunks.iter().all(|hunk| {
            let (before, after) = (hunk.before(), hunk.after());
            let old: String = before.iter().flat_map(|line| [*line, "\n"]).collect();
            let new: String = after.iter().flat_map(|line| [*line, "\n"]).collect();
            self.replace(&Replacement { old, new, occurrences: Occurrences::Single }, now)
        })
    }

    /// An edit somewhere unknown, after which these lines were shown around it: lines before keep their numbers,
    /// lines after move by `shift`.
    pub(super) fn edited_near(&mut self, first: usize, shown: &[&str], shift: isize, now: Moment) {
        let last = first + shown.len() - 1;
        let Some(old_last) = last.checked_add_signed(-shift).filter(|old| *old + 1 >= first) else {
            *self = KnownLines::default();
            self.observe(first, shown, false, now);
            return;
        };
        self.splice(first, old_last, shown, now);
    }

    fn forget_after_first_gap(&mut self) {
        let end = self
            .runs()
            .first()
            .filter(|(first, _)| *first == 1)
            .map_or(1, |(first, texts)| first + texts.len());
        self.lines.split_off(&end);
        self.total = None;
    }
}

/// Lines as files have them: a final line feed ends the last line and begins no other.
pub(super) fn split(text: &str) -> impl Iterator<Item = &str> {
    let body = text.strip_suffix('\n').unwrap_or(text);
    let count = if text.is_empty() { 0 } else { usize::MAX };
    body.split('\n').take(count)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn replacement(old: &str, new: &str, occurrences: Occurrences) -> Replacement {
        Replacement { old: old.into(), new: new.into(), occurrences }
    }

    fn check(text: &str, old: &str, new: &str, wanted: &str) {
        let mut known = KnownLines::whole(text, 1);
        assert!(known.replace(&replacement(old, new, Occurrences::Single), 2), "{text:?}");
        assert_eq!(known.text().unwrap(), wanted, "{text:?} {old:?} {new:?}");
        assert_eq!(known.text().unwrap(), text.replacen(old, new, 1), "as str::replacen does");
    }

    #[test]
    fn replacing_text_equals_replacing_in_a_string() {
        check("a\nb\nc\n", "b", "x", "a\nx\nc\n");
        check("a\nb\nc\n", "b\n", "", "a\nc\n");
        check("a\nb\nc\n", "a\nb\nc\n", "z\n", "z\n");
        check("a\nb\nc", "c", "d\ne", "a\nb\nd\ne");
        check("a\nb\nc\n", "\nb", "", "a\nc\n");
        check("a\nbb\nc\n", "b\nc", "x\ny\nz", "a\nbx\ny\nz\n");
        check("a\nb\n", "a\n", "x", "xb\n");
        check("a\nb\n", "b\n", "c", "a\nc");
        check("a\n\nb\n", "\n\n", "\n", "a\nb\n");
    }

    #[test]
    fn a_replacement_that_is_not_there_or_not_unique_is_refused() {
        let mut known = KnownLines::whole("a\na\n", 1);
        assert!(!known.replace(&replacement("a", "b", Occurrences::Single), 2));
        assert!(!known.replace(&replacement("z", "b", Occurrences::Single), 2));
        assert!(known.replace(&replacement("a", "b\nc", Occurrences::All), 2));
        assert_eq!(known.text().unwrap(), "b\nc\nb\nc\n");
    }

    #[test]
    fn edits_in_a_partly_known_file_move_what_follows() {
        let mut known = KnownLines::default();
        known.observe(10, &["x", "y"], false, 1);
        known.observe(20, &["z"], true, 1);
        assert!(known.replace(&replacement("x\n", "x\nnew\n", Occurrences::Single), 2));
        assert_eq!(known.runs(), [(10, vec!["x".into(), "new".into(), "y".into()]), (21, vec!["z".into()])]);
        assert_eq!(known.total(), Some(21));
    }

    #[test]
    fn a_contradiction_makes_the_rest_doubtful() {
        let mut known = KnownLines::whole("a\nb\nc\n", 1);
        assert_eq!(known.observe(2, &["B"], false, 5), Fit::Contradicts);
        assert_eq!(known.line(1).map(|(_, sure)| sure), Some(false));
        assert_eq!(known.line(2).map(|(_, sure)| sure), Some(true));
    }

    #[test]
    fn doubt_lasts_until_a_line_is_seen_again() {
        let mut known = KnownLines::whole("a\nb\n", 1);
        known.doubt(2);
        assert!(!known.is_sure());
        assert_eq!(known.observe(1, &["a", "b"], true, 3), Fit::Fits);
        assert!(known.is_sure());
    }

    #[test]
    fn appending_needs_the_end() {
        let mut known = KnownLines::whole("a\nb", 1);
        assert!(known.append("c\nd\n", 2));
        assert_eq!(known.text().unwrap(), "a\nbc\nd\n");
        assert!(!KnownLines::default().append("x", 2));
    }
}
