//! Shows lines of a file once: reads of what already stands in the view become pointers or diffs.
//!
//! # What it does
//! Of the reads of one file the table says which stay whole:
//!
//! | reads | whole |
//! |---|---|
//! | 1, 2 | all |
//! | 3 to `max_reads` | the first and the last |
//! | more | the first, the last and `max_reads` − 2 evenly between |
//!
//! Each other read is compared with them line by line, where it stands:
//! - all of it stands in another read → `[re-read of src/a.rs, same as the read at step 3 #482913077]`
//! - some lines do → these become `[lines 40–80 as in the read at step 3 #482913077]`, new lines stay word for word
//! - the file has changed → a unified diff against the read that differs least
//! - the file has changed too much for that, and a later read shows the same lines → one line that says so
//!
//! Line numbers in a diff or a pointer are those of the file, with or without numbers in the result. Pages that overlap
//! are no re-reads: lines that only one read shows always stay.
//!
//! # When it fires
//! When the view is over its target. On what arrives it fires at any size, and only folds what stands in the view word
//! for word, the newest read too: a read that shows something else than the last one of these lines stays whole, and so does
//! one that asks once more for what the view shows folded.
//!
//! # What is lost and how to recall it
//! Nothing, where the read a fold points at stands in the view, and it does when the fold is made. If a later pass folds
//! that read, or it is left out to fit a budget, the view takes the claim out of the pointer: `[re-read of src/a.rs
//! #482913077]`, `[lines 40–80 #482913077]`. Its handle opens the read, as it opens one that is only mentioned. So in a
//! policy this pass belongs behind those that fold results. A diff says what changed, whatever becomes of the other read.
//!
//! # Example
//! ```before
//! user: Look at the colours again
//! assistant
//!   call c1 read {"path":"colours.txt"}
//! result c1: red is the colour of a ripe tomato in the sun
//!   | green is the colour of the leaves around it
//!   | blue is the colour of the sky on that day
//!   | yellow is the colour of the field behind it
//!   | brown is the colour of the earth below it
//! assistant
//!   call c2 read {"path":"colours.txt"}
//! result c2: red is the colour of a ripe tomato in the sun
//!   | green is the colour of the leaves around it
//!   | blue is the colour of the sky on that day
//!   | yellow is the colour of the field behind it
//!   | brown is the colour of the earth below it
//! assistant
//!   call c3 read {"path":"colours.txt"}
//! result c3: red is the colour of a ripe tomato in the sun
//!   | green is the colour of the leaves around it
//!   | blue is the colour of the sky on that day
//!   | yellow is the colour of the field behind it
//!   | brown is the colour of the earth below it
//! ```
//! ```options
//! budget = 200
//! ```
//! ```after
//! user: Look at the colours again
//! assistant
//!   call c1 read {"path":"colours.txt"}
//! result c1: red is the colour of a ripe tomato in the sun
//!   | green is the colour of the leaves around it
//!   | blue is the colour of the sky on that day
//!   | yellow is the colour of the field behind it
//!   | brown is the colour of the earth below it
//! assistant
//!   call c2 read {"path":"colours.txt"}
//! result c2: [re-read of colours.txt, same as the read at step 1 #927513201]
//! assistant
//!   call c3 read {"path":"colours.txt"}
//! result c3: red is the colour of a ripe tomato in the sun
//!   | green is the colour of the leaves around it
//!   | blue is the colour of the sky on that day
//!   | yellow is the colour of the field behind it
//!   | brown is the colour of the earth below it
//! ```
//!
//! # Options
//! - `max_reads`: how many reads of one file stay whole at most (5)
//! - `min_lines`: fewer neighbouring lines than this stay as they are (4; three times as many where line numbers differ)
//! - `max_delta`: a diff larger than this share of the read is not made (0.5)
//! - `only_equal`: always as on arrival (false)
//! - `only_new`: on arrival and never else, so that a pass behind this one chooses from whole reads (false)

mod delta;
mod reads;
mod standing;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError, asked_again};
use crate::history::{ItemId, MessageId};
use crate::json::{Edit, splice};
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

use reads::Read;
use standing::{Run, Standing};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DedupReads {
    /// How many reads of one file stay whole at most.
    pub max_reads: usize,
    /// Fewer neighbouring lines than this stay as they are.
    pub min_lines: usize,
    /// A diff larger than this share of the read is not made.
    pub max_delta: f64,
    /// Fold only what stands in the view word for word, the newest read too.
    pub only_equal: bool,
    /// Work on arrival and never else.
    pub only_new: bool,
}

impl Default for DedupReads {
    fn default() -> DedupReads {
        DedupReads { max_reads: 5, min_lines: 4, max_delta: 0.5, only_equal: false, only_new: false }
    }
}

impl Pass for DedupReads {
    fn name(&self) -> &str {
        "dedup_reads"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        let arriving = cx.first_unsent > MessageId::FIRST;
        if self.only_new && !arriving {
            return Ok(Outcome::Unchanged("nothing was sent yet".into()));
        }
        if !arriving && view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view is within its target".into()));
        }
        let mut folds = Vec::new();
        for (path, reads) in reads::by_file(view, cx) {
            let file = File { pass: self, view, cx, path, reads: &reads };
            match self.only_equal || arriving {
                true => file.fold_equal(&mut folds),
                false => file.fold_by_table(&mut folds),
            }
        }
        if folds.is_empty() {
            return Ok(Outcome::Unchanged("no read shows what another one shows".into()));
        }
        Ok(Outcome::Folds(folds))
    }
}

/// The reads of one file.
struct File<'a> {
    pass: &'a DedupReads,
    view: &'a View<'a>,
    cx: &'a Cx<'a>,
    path: &'a str,
    reads: &'a [Read<'a>],
}

/// What stands in place of a read.
struct Folded {
    kind: FoldKind,
    text: String,
    /// The reads it says hold its lines, and what it says once one of them is folded.
    refers: Option<(Vec<ItemId>, String)>,
    why: String,
    /// Which of its lines still stand there.
    left: Vec<bool>,
}

impl File<'_> {
    /// What stands in an earlier read leaves the later one.
    fn fold_equal(&self, folds: &mut Vec<Fold>) {
        let mut standing = Standing::default();
        for read in self.reads {
            let stays = read.is_fixed || standing.shows_otherwise(read) || self.is_asked_again(read);
            let folded = match stays {
                true => None,
                false => self.same(read, &standing).or_else(|| self.known(read, &standing, Shift::No)),
            };
            self.settle(read, folded, &mut standing, folds);
        }
    }

    /// Whether a read that arrives is asked for once more because the last one was folded.
    fn is_asked_again(&self, read: &Read) -> bool {
        let record = self.cx.facts.tracker().call(read.result);
        self.cx.first_unsent > MessageId::FIRST
            && record.is_some_and(|record| asked_again::asks_for_hidden(self.view, self.cx, record))
    }

    fn fold_by_table(&self, folds: &mut Vec<Fold>) {
        let stays = whole(self.reads.len(), self.pass.max_reads);
        let stays = |nth: usize, read: &Read| stays[nth] || read.is_fixed;
        let mut standing = Standing::default();
        for (_, read) in self.reads.iter().enumerate().filter(|(nth, read)| stays(*nth, read)) {
            standing.add_whole(read);
        }
        for (_, read) in self.reads.iter().enumerate().filter(|(nth, read)| !stays(*nth, read)) {
            let folded = self.same(read, &standing).or_else(|| self.differing(read, &standing));
            self.settle(read, folded, &mut standing, folds);
        }
    }

    fn settle<'r>(
        &self,
        read: &'r Read<'r>,
        folded: Option<Folded>,
        standing: &mut Standing<'r>,
        folds: &mut Vec<Fold>,
    ) {
        match folded {
            None => standing.add_whole(read),
            Some(folded) => {
                standing.add_lines(read, &folded.left);
                let (item, text) = (read.result, folded.text);
                let change = match folded.refers {
                    Some((to, otherwise)) => Change::Refers { item, text, to, otherwise },
                    None => Change::Texts { item, texts: vec![(0, text)] },
                };
                folds.push(Fold { kind: folded.kind, change, why: folded.why });
            }
        }
    }

    /// The same text stands in another read.
    fn same(&self, read: &Read, standing: &Standing) -> Option<Folded> {
        let (result, step) = standing.same_text(read.text)?;
        let (path, opens) = (self.path, self.opens(read));
        let text = format!("[re-read of {path}, same as the read at step {step}{opens}]");
        let refers = Some((vec![result], format!("[re-read of {path}{opens}]")));
        let why = format!("{path} was read with the same result at step {step}");
        Some(Folded { kind: FoldKind::Pointer, text, refers, why, left: vec![false; read.lines.len()] })
    }

    /// Lines that stand in other reads, and the others word for word.
    fn known(&self, read: &Read, standing: &Standing, shift: Shift) -> Option<Folded> {
        let runs = standing.runs(read, shift, self.pass.min_lines);
        let worth = |run: &Run| self.count(read.raw(run.lines.clone())) > 2 * self.count(&marker(read, run));
        let runs: Vec<Run> = runs.into_iter().filter(worth).collect();
        let first = runs.first()?;
        let whole = first.lines == (0..read.lines.len());
        let about = if whole { format!("re-read of {}, ", self.path) } else { String::new() };
        let written = |claim: fn(&Read, &Run) -> String| {
            let edits = runs.iter().enumerate().map(|(nth, run)| {
                let opens = if nth == 0 { self.opens(read) } else { String::new() };
                let with = format!("[{about}{}{opens}]", claim(read, run));
                Edit { span: read.span(run.lines.clone()), with }
            });
            splice(read.text, edits.collect())
        };
        let mut left = vec![true; read.lines.len()];
        runs.iter().for_each(|run| left[run.lines.clone()].fill(false));
        let hidden = left.iter().filter(|left| !**left).count();
        let why = format!("{hidden} of {} lines of {} stand in other reads", left.len(), self.path);
        let refers = Some((runs.iter().map(|run| run.result).collect(), written(hidden_lines)));
        Some(Folded { kind: FoldKind::Pointer, text: written(marker), refers, why, left })
    }

    /// A read of a file that has changed, or of other lines of it.
    fn differing(&self, read: &Read, standing: &Standing) -> Option<Folded> {
        let known = self.known(read, standing, Shift::Yes);
        if read.lines.is_empty() || read.lines.iter().any(|line| !standing.shows_number(line.number)) {
            return known;
        }
        let limit = (self.count(read.text) as f64 * self.pass.max_delta) as usize;
        let size = |folded: &Folded| self.count(&folded.text);
        let delta = self.near(read, standing).filter_map(|other| self.delta(read, other));
        if let Some(delta) = delta.min_by_key(size).filter(|delta| size(delta) <= limit) {
            return Some(delta);
        }
        match known.as_ref().is_some_and(|known| size(known) <= limit) || !self.is_superseded(read) {
            true => known,
            false => Some(self.mention(read)),
        }
    }

    /// The whole reads next to a read: the last ones before it and the first ones behind it.
    fn near<'s>(&'s self, read: &Read, standing: &'s Standing) -> impl Iterator<Item = &'s Read<'s>> {
        const NEAR: usize = 2;
        let at = self.reads.partition_point(|other| other.result < read.result);
        let is_whole = |other: &&Read| standing.is_whole(other.result);
        let before = self.reads[..at].iter().rev().filter(is_whole).take(NEAR);
        before.chain(self.reads[at..].iter().filter(is_whole).take(NEAR))
    }

    fn delta(&self, read: &Read, other: &Read) -> Option<Folded> {
        let diff = delta::between(other, read, self.pass.max_delta)?;
        let since = match diff.part {
            None => format!("the read at step {}", other.step),
            Some((first, last)) => format!("lines {first}–{last} of the read at step {}", other.step),
        };
        let head = format!("[re-read of {}, changes since {since}{}]", self.path, self.opens(read));
        let with = format!("{head}\n{}", diff.hunks.trim_end_matches('\n'));
        let span = read.span(0..read.lines.len());
        let text = splice(read.text, vec![Edit { span, with }]);
        let why = format!("{} has changed since step {}", self.path, other.step);
        Some(Folded { kind: FoldKind::Delta, text, refers: None, why, left: vec![false; read.lines.len()] })
    }

    /// Whether a later read shows all these lines as they were then.
    fn is_superseded(&self, read: &Read) -> bool {
        let (Some(first), Some(last)) = (read.lines.first(), read.lines.last()) else { return false };
        let covers = |other: &Read| {
            other.lines.first().is_some_and(|line| line.number <= first.number)
                && other.lines.last().is_some_and(|line| line.number >= last.number || other.is_all)
        };
        self.reads.iter().any(|other| other.result > read.result && covers(other))
    }

    fn mention(&self, read: &Read) -> Folded {
        let (first, last) = (read.lines[0].number, read.lines.last().map_or(0, |line| line.number));
        let text = format!(
            "[re-read of {}, lines {first}–{last} as they were at step {}{}]",
            self.path,
            read.step,
            self.opens(read)
        );
        let why = format!("{} has changed since, and a later read shows these lines", self.path);
        Folded { kind: FoldKind::Placeholder, text, refers: None, why, left: vec![false; read.lines.len()] }
    }

    fn opens(&self, read: &Read) -> String {
        self.cx.opens(&self.view.history().item(read.result).texts[0].value)
    }

    fn count(&self, text: &str) -> usize {
        self.view.tally().counter().count(text)
    }
}

/// Whether lines may have moved within the file.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Shift {
    No,
    Yes,
}

/// Which of so many reads stay whole.
fn whole(reads: usize, max: usize) -> Vec<bool> {
    if reads <= 2 {
        return vec![true; reads];
    }
    let mut stays = vec![false; reads];
    (stays[0], stays[reads - 1]) = (true, true);
    let samples = if reads > max { max.saturating_sub(2) } else { 0 };
    for nth in 0..samples {
        // The middle of each of `samples` equal stretches between the first and the last.
        stays[1 + (2 * nth + 1) * (reads - 2) / (2 * samples)] = true;
    }
    stays
}

/// `lines 45–85 as lines 40–80 in the read at step 12`.
fn marker(read: &Read, run: &Run) -> String {
    let there = match run.number == read.lines[run.lines.start].number {
        true => String::new(),
        false => format!("{} ", range(run.number, run.lines.len())),
    };
    format!("{} as {there}in the read at step {}", hidden_lines(read, run), run.step)
}

/// `lines 45–85`.
fn hidden_lines(read: &Read, run: &Run) -> String {
    range(read.lines[run.lines.start].number, run.lines.len())
}

fn range(first: usize, count: usize) -> String {
    match count {
        1 => format!("line {first}"),
        _ => format!("lines {first}–{}", first + count - 1),
    }
}

#[cfg(test)]
mod tests {
    use super::whole;

    #[test]
    fn the_table_says_which_reads_stay_whole() {
        let row = |reads: usize| -> String {
            whole(reads, 5).iter().map(|stays| if *stays { 'w' } else { '.' }).collect()
        };
        let rows: Vec<String> = (1..=9).map(row).collect();
        assert_eq!(rows[..5], ["w", "ww", "w.w", "w..w", "w...w"]);
        assert_eq!(rows[5..], ["ww.www", "ww.w.ww", "w.w.w.ww", "w.w.w.w.w"]);
    }
}
