//! A file of which some lines are known.
//!
//! Agents see files in pieces. Each line remembers when it was last seen or written; whatever may have changed the
//! file since raises a mark, and lines from before it are doubtful until they are seen again.

use bytestring::ByteString;
use memchr::memmem;

use super::operation::{Occurrences, Replacement};
use super::patch::{self, Hunk};

/// A moment in a session: later ones are greater.
pub(super) type Moment = u64;

#[derive(Clone, Debug, Default)]
pub(super) struct KnownLines {
    /// Neighbouring known lines, in order; between two stretches lines are missing. Line numbers may be anything a tool
    /// prints, so they cannot be places in one list.
    stretches: Vec<Stretch>,
    /// How many lines the file has, where known.
    total: Option<usize>,
    /// Whether the last line ends with a line feed.
    final_newline: Option<bool>,
    /// Lines seen after this are sure.
    doubted: Moment,
    /// When a line was last seen or written.
    touched: Moment,
}

#[derive(Clone, Debug)]
struct Stretch {
    /// The number of the first line, counted from 1.
    first: usize,
    lines: Vec<Line>,
}

#[derive(Clone, Debug)]
struct Line {
    /// A window into the result or the change that showed it.
    text: ByteString,
    seen: Moment,
}

impl Stretch {
    /// The number after the last line's.
    fn end(&self) -> usize {
        self.first + self.lines.len()
    }
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
        let lines = windows(text);
        known.total = Some(lines.len());
        known.push(1, lines, now);
        known.final_newline = Some(text.is_empty() || text.ends_with('\n'));
        known
    }

    pub(super) fn is_empty(&self) -> bool {
        self.has_no_lines() && self.total.is_none()
    }

    pub(super) fn has_no_lines(&self) -> bool {
        self.stretches.is_empty()
    }

    pub(super) fn is_whole(&self) -> bool {
        self.total.is_some_and(|total| {
            total == self.stretches.iter().map(|stretch| stretch.lines.len()).sum::<usize>()
        })
    }

    pub(super) fn total(&self) -> Option<usize> {
        self.total
    }

    /// Everything known so far may have changed.
    pub(super) fn doubt(&mut self, now: Moment) {
        self.doubted = now;
    }

    pub(super) fn is_sure(&self) -> bool {
        self.has_no_lines()
            || (self.touched > self.doubted && self.lines().all(|line| line.seen > self.doubted))
    }

    fn lines(&self) -> impl Iterator<Item = &Line> {
        self.stretches.iter().flat_map(|stretch| &stretch.lines)
    }

    /// A line's text, and whether it is sure.
    pub(super) fn line(&self, number: usize) -> Option<(&ByteString, bool)> {
        let after = self.stretches.partition_point(|stretch| stretch.first <= number);
        let stretch = &self.stretches[after.checked_sub(1)?];
        let line = stretch.lines.get(number - stretch.first)?;
        Some((&line.text, line.seen > self.doubted))
    }

    /// The known lines as runs of neighbours: first number and texts.
    pub(super) fn runs(&self) -> impl Iterator<Item = (usize, Vec<ByteString>)> {
        let texts = |stretch: &Stretch| stretch.lines.iter().map(|line| line.text.clone()).collect();
        self.stretches.iter().map(move |stretch| (stretch.first, texts(stretch)))
    }

    /// The text of a file that is known whole.
    pub(super) fn text(&self) -> Option<String> {
        self.is_whole().then(|| {
            let mut out = String::new();
            for line in self.lines() {
                out.push_str(&line.text);
                out.push('\n');
            }
            if self.final_newline == Some(false) {
                out.pop();
            }
            out
        })
    }

    /// Takes in lines that were shown, `first` being the number of the first; `at_end` when nothing follows them. `text`
    /// is what they are windows of.
    pub(super) fn observe(
        &mut self,
        first: usize,
        shown: &[&str],
        text: &ByteString,
        at_end: bool,
        now: Moment,
    ) -> Fit {
        let mut shown = shown;
        let mut final_newline = None;
        // Some tools show the nothing after the last line feed as a line of its own.
        let past_end = self.total.is_some_and(|total| first + shown.len() == total + 2);
        if shown.last() == Some(&"") && (at_end || past_end) {
            shown = &shown[..shown.len() - 1];
            final_newline = Some(true);
        }
        let end = first + shown.len();
        let is_sure = self.total.is_some() && self.is_sure();
        let changed = (first..).zip(shown).any(|(number, text)| match self.line(number) {
            Some((known, true)) => &**known != *text,
            Some((_, false)) => false,
            None => is_sure && self.total.is_some_and(|total| number > total),
        });
        let longer = at_end && is_sure && self.total.is_some_and(|total| total + 1 != end);
        if changed || longer {
            self.doubt(now - 1);
            self.total = None;
        }
        let after = self.cut(end);
        self.cut(first);
        self.push(first, shown.iter().map(|line| text.slice_ref(line)).collect(), now);
        if at_end {
            self.total = Some(end - 1);
            self.final_newline = final_newline.or(self.final_newline);
        } else {
            after.into_iter().for_each(|stretch| self.join(stretch));
            if self.total.is_some_and(|total| total + 1 < end) {
                self.total = None;
            }
        }
        if changed || longer { Fit::Contradicts } else { Fit::Fits }
    }

    /// Leaves out lines whose shown text was cut.
    pub(super) fn forget_line(&mut self, number: usize) {
        let after = self.cut(number + 1);
        self.cut(number);
        after.into_iter().for_each(|stretch| self.join(stretch));
    }

    /// Puts text in place of other text. False where the place is not known.
    pub(super) fn replace(&mut self, replacement: &Replacement, now: Moment) -> bool {
        let Replacement { old, new, occurrences } = replacement;
        if old.is_empty() {
            return false;
        }
        match occurrences {
            Occurrences::Single => match self.only_place(old) {
                Some((nth, at, text)) => self.replace_at(nth, at, &text, old, new, now),
                None => false,
            },
            Occurrences::All => {
                let places = self.places(old);
                let moves_lines = old.matches('\n').count() != new.matches('\n').count();
                if moves_lines && !self.is_whole() {
                    self.forget_after_first_gap();
                }
                places.iter().rev().all(|(first, at)| {
                    let nth = self.stretches.iter().position(|stretch| stretch.first == *first);
                    nth.is_some_and(|nth| {
                        let text = self.text_of(&self.stretches[nth]);
                        self.replace_at(nth, *at, &text, old, new, now)
                    })
                })
            }
            Occurrences::FirstOfEachLine => {
                if new.contains('\n') && !self.is_whole() {
                    return false;
                }
                let numbered =
                    self.stretches.iter().flat_map(|stretch| (stretch.first..).zip(&stretch.lines));
                let hits: Vec<(usize, String)> = numbered
                    .filter(|(_, line)| line.text.contains(old.as_str()))
                    .map(|(number, line)| (number, line.text.replacen(old.as_str(), new, 1)))
                    .collect();
                for (number, text) in hits.into_iter().rev() {
                    self.splice(number, number, windows(&text), now);
                }
                true
            }
        }
    }

    /// Where `old` stands: the first line of the stretch, and the byte in the stretch's text.
    fn places(&self, old: &str) -> Vec<(usize, usize)> {
        let mut places = Vec::new();
        for stretch in &self.stretches {
            let text = self.text_of(stretch);
            places.extend(text.match_indices(old).map(|(at, _)| (stretch.first, at)));
        }
        places
    }

    /// The only place where `old` stands: which stretch, the byte in its text, and that text.
    fn only_place(&self, old: &str) -> Option<(usize, usize, String)> {
        let finder = memmem::Finder::new(old);
        let mut found = None;
        for (nth, stretch) in self.stretches.iter().enumerate() {
            let text = self.text_of(stretch);
            let mut places = finder.find_iter(text.as_bytes());
            match (places.next(), places.next(), &found) {
                (None, _, _) => {}
                (Some(at), None, None) => found = Some((nth, at, text)),
                _ => return None,
            }
        }
        found
    }

    fn text_of(&self, stretch: &Stretch) -> String {
        let size = stretch.lines.iter().map(|line| line.text.len() + 1).sum();
        let mut text = String::with_capacity(size);
        for line in &stretch.lines {
            text.push_str(&line.text);
            text.push('\n');
        }
        let is_end = self.total == Some(stretch.end() - 1);
        if is_end && self.final_newline == Some(false) {
            text.pop();
        }
        text
    }

    /// Puts `new` in place of `old`, which stands at a byte of a stretch's text.
    fn replace_at(&mut self, nth: usize, at: usize, text: &str, old: &str, new: &str, now: Moment) -> bool {
        let (start, end) = (at, at + old.len());
        let line_start = text[..start].rfind('\n').map_or(0, |at| at + 1);
        let head = format!("{}{new}", &text[line_start..start]);
        let first_line =
            self.stretches[nth].first + memchr::memchr_iter(b'\n', &text.as_bytes()[..line_start]).count();
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
        if stop == text.len() && reaches_end {
            self.final_newline = if open_end { Some(false) } else { self.final_newline };
        }
        self.splice(first_line, first_line + gone - 1, windows(&middle), now);
        true
    }

    /// Puts `texts` in place of the lines from `first` to `last` (`last` = `first` − 1 inserts) and moves what follows.
    pub(super) fn splice(&mut self, first: usize, last: usize, texts: Vec<ByteString>, now: Moment) {
        let after = self.cut(last + 1);
        self.cut(first);
        let shift = texts.len() as isize - (last + 1 - first) as isize;
        self.push(first, texts, now);
        for stretch in after {
            if let Some(first) = stretch.first.checked_add_signed(shift) {
                self.join(Stretch { first, ..stretch });
            }
        }
        self.total = self.total.and_then(|total| total.checked_add_signed(shift));
    }

    /// Takes off the lines from `number` on and returns them.
    fn cut(&mut self, number: usize) -> Vec<Stretch> {
        let kept = self.stretches.partition_point(|stretch| stretch.first < number);
        let mut after = self.stretches.split_off(kept);
        if let Some(last) = self.stretches.last_mut()
            && last.end() > number
        {
            let lines = last.lines.split_off(number - last.first);
            after.insert(0, Stretch { first: number, lines });
        }
        after
    }

    /// Puts lines seen now behind all others.
    fn push(&mut self, first: usize, texts: Vec<ByteString>, now: Moment) {
        self.touched = now;
        self.join(Stretch { first, lines: texts.into_iter().map(|text| Line { text, seen: now }).collect() });
    }

    /// Puts a stretch behind all others, joined with the last if nothing is missing between them.
    fn join(&mut self, stretch: Stretch) {
        match self.stretches.last_mut() {
            _ if stretch.lines.is_empty() => {}
            Some(last) if last.end() == stretch.first => last.lines.extend(stretch.lines),
            _ => self.stretches.push(stretch),
        }
    }

    /// Text at the end. False where the end is not known; then only what stands before it stays known.
    pub(super) fn append(&mut self, text: &str, now: Moment) -> bool {
        let Some(total) = self.total else { return false };
        if self.final_newline == Some(false) {
            let Some(joined) = self.line(total).map(|(last, _)| format!("{last}{text}")) else {
                return false;
            };
            self.splice(total, total, windows(&joined), now);
        } else {
            self.splice(total + 1, total, windows(text), now);
        }
        self.final_newline = Some(text.ends_with('\n'));
        true
    }

    /// Applies a patch. False where a hunk does not fit what is known.
    pub(super) fn patch(&mut self, hunks: &[Hunk], now: Moment) -> bool {
        if self.is_whole() {
            let old: Vec<&str> = self.lines().map(|line| &*line.text).collect();
            let Some(new) = patch::apply(&old, hunks) else { return false };
            let same = old.iter().zip(&new).take_while(|(old, new)| old == new).count();
            let tail = old[same..]
                .iter()
                .rev()
                .zip(new[same..].iter().rev())
                .take_while(|(old, new)| old == new)
                .count();
            let middle = new[same..new.len() - tail].iter().map(|line| ByteString::from(*line)).collect();
            let last = old.len() - tail;
            self.splice(same + 1, last, middle, now);
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
    pub(super) fn edited_near(
        &mut self,
        first: usize,
        shown: &[&str],
        text: &ByteString,
        shift: isize,
        now: Moment,
    ) {
        let last = first + shown.len() - 1;
        let Some(old_last) = last.checked_add_signed(-shift).filter(|old| *old + 1 >= first) else {
            *self = KnownLines::default();
            self.observe(first, shown, text, false, now);
            return;
        };
        self.splice(first, old_last, shown.iter().map(|line| text.slice_ref(line)).collect(), now);
    }

    fn forget_after_first_gap(&mut self) {
        let end = self.stretches.first().filter(|stretch| stretch.first == 1).map_or(1, Stretch::end);
        self.cut(end);
        self.total = None;
    }
}

/// The lines of a text, as windows into one copy of it.
pub(super) fn windows(text: &str) -> Vec<ByteString> {
    let copy = ByteString::from(text);
    split(&copy).map(|line| copy.slice_ref(line)).collect()
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

    fn see(known: &mut KnownLines, first: usize, text: &'static str, at_end: bool, now: Moment) -> Fit {
        let lines: Vec<&str> = text.split('\n').collect();
        known.observe(first, &lines, &ByteString::from_static(text), at_end, now)
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
        see(&mut known, 10, "x\ny", false, 1);
        see(&mut known, 20, "z", true, 1);
        assert!(known.replace(&replacement("x\n", "x\nnew\n", Occurrences::Single), 2));
        let runs: Vec<_> = known.runs().collect();
        assert_eq!(runs, [(10, vec!["x".into(), "new".into(), "y".into()]), (21, vec!["z".into()])]);
        assert_eq!(known.total(), Some(21));
    }

    #[test]
    fn a_contradiction_makes_the_rest_doubtful() {
        let mut known = KnownLines::whole("a\nb\nc\n", 1);
        assert_eq!(see(&mut known, 2, "B", false, 5), Fit::Contradicts);
        assert_eq!(known.line(1).map(|(_, sure)| sure), Some(false));
        assert_eq!(known.line(2).map(|(_, sure)| sure), Some(true));
    }

    #[test]
    fn doubt_lasts_until_a_line_is_seen_again() {
        let mut known = KnownLines::whole("a\nb\n", 1);
        known.doubt(2);
        assert!(!known.is_sure());
        assert_eq!(see(&mut known, 1, "a\nb", true, 3), Fit::Fits);
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
