//! The lines of one file that stand in the view, and where other reads repeat them.

use std::collections::{BTreeSet, HashMap};
use std::ops::Range;

use super::Shift;
use super::reads::{Line, Read};
use crate::history::ItemId;

/// How many places of a line are tried: enough for reads that overlap, few for lines such as `}`.
const PLACES: usize = 8;

/// Lines of one file, and the reads in which they stand.
#[derive(Default)]
pub(super) struct Standing<'r> {
    reads: Vec<Part<'r>>,
    by_number: HashMap<usize, Vec<Place>>,
    by_content: HashMap<&'r str, Vec<Place>>,
    texts: HashMap<&'r str, (ItemId, u32)>,
    whole: BTreeSet<ItemId>,
}

/// What stands of a read.
struct Part<'r> {
    result: ItemId,
    step: u32,
    lines: Vec<&'r Line<'r>>,
}

#[derive(Clone, Copy)]
struct Place {
    read: usize,
    line: usize,
}

/// Neighbouring lines that stand in another read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Run {
    /// Which lines of the read that repeats them.
    pub(super) lines: Range<usize>,
    /// The read in which they stand.
    pub(super) result: ItemId,
    /// Its step.
    pub(super) step: u32,
    /// The number of the first one there.
    pub(super) number: usize,
}

/// Lines that moved must be so many times longer a run: short ones only look alike.
const MOVED: usize = 3;

impl Run {
    /// How many lines it must have at least.
    fn shortest(&self, read: &Read, min: usize) -> usize {
        let moved = read.lines[self.lines.start].number != self.number;
        if moved { MOVED * min.max(1) } else { min.max(1) }
    }
}

impl<'r> Standing<'r> {
    /// A read that stays as it stands.
    pub(super) fn add_whole(&mut self, read: &'r Read<'r>) {
        if read.is_whole {
            self.texts.entry(read.text).or_insert((read.result, read.step));
            self.whole.insert(read.result);
        }
        self.add(read, read.lines.iter().collect());
    }

    /// What is left of a read that was folded.
    pub(super) fn add_lines(&mut self, read: &'r Read<'r>, left: &[bool]) {
        let lines = read.lines.iter().zip(left).filter(|(_, left)| **left).map(|(line, _)| line);
        self.add(read, lines.collect());
    }

    fn add(&mut self, from: &Read, lines: Vec<&'r Line<'r>>) {
        let read = self.reads.len();
        for (nth, line) in lines.iter().enumerate() {
            let place = Place { read, line: nth };
            self.by_number.entry(line.number).or_default().push(place);
            let places = self.by_content.entry(line.content).or_default();
            if places.len() < PLACES {
                places.push(place);
            }
        }
        self.reads.push(Part { result: from.result, step: from.step, lines });
    }

    /// The first read with exactly this text, and its step.
    pub(super) fn same_text(&self, text: &str) -> Option<(ItemId, u32)> {
        self.texts.get(text).copied()
    }

    /// Whether all of the read stands in the view.
    pub(super) fn is_whole(&self, result: ItemId) -> bool {
        self.whole.contains(&result)
    }

    /// Whether a line of that number stands anywhere.
    pub(super) fn shows_number(&self, number: usize) -> bool {
        self.by_number.contains_key(&number)
    }

    /// Whether the last read that shows a line of the read shows it with other content.
    pub(super) fn shows_otherwise(&self, read: &Read) -> bool {
        let last = |line: &Line| self.by_number.get(&line.number)?.last().copied();
        read.lines.iter().any(|line| last(line).is_some_and(|place| self.line(place).content != line.content))
    }

    /// The lines of a read that stand elsewhere, in runs of `min` and more (several times that if they moved), the longest
    /// at each place.
    pub(super) fn runs(&self, read: &Read, shift: Shift, min: usize) -> Vec<Run> {
        let mut runs = Vec::new();
        let (mut at, mut free) = (0, 0);
        while at < read.lines.len() {
            match self.longest(read, at, free, shift) {
                Some(run) if run.lines.len() >= run.shortest(read, min) => {
                    (at, free) = (run.lines.end, run.lines.end);
                    runs.push(run);
                }
                // What is shorter than wanted is passed over line by line: a longer run may start inside.
                _ => at += 1,
            }
        }
        runs
    }

    /// The longest run through a line; of equally long ones that with the same numbers, then the earliest.
    fn longest(&self, read: &Read, at: usize, free: usize, shift: Shift) -> Option<Run> {
        let line = &read.lines[at];
        let same_number = self.by_number.get(&line.number).into_iter().flatten().take(PLACES);
        let moved = match shift {
            Shift::No => None,
            Shift::Yes => self.by_content.get(line.content),
        };
        let mut best: Option<Run> = None;
        for place in same_number.chain(moved.into_iter().flatten()) {
            let run = self.run(read, at, free, *place);
            if run.lines.len() > best.as_ref().map_or(0, |best| best.lines.len()) {
                best = Some(run);
            }
        }
        best
    }

    /// The run through a line and a place, forwards and backwards to `free`.
    fn run(&self, read: &Read, at: usize, free: usize, place: Place) -> Run {
        let part = &self.reads[place.read];
        let number = part.lines[place.line].number;
        let matches = |nth: usize, there: usize| {
            let (line, other) = (&read.lines[nth], &part.lines[there]);
            line.content == other.content && line.number + number == other.number + read.lines[at].number
        };
        let ahead = (at..read.lines.len()).zip(place.line..part.lines.len());
        let ahead = ahead.take_while(|(nth, there)| matches(*nth, *there)).count();
        if ahead == 0 {
            return Run { lines: at..at, result: part.result, step: part.step, number };
        }
        let behind = (free..at).rev().zip((0..place.line).rev());
        let behind = behind.take_while(|(nth, there)| matches(*nth, *there)).count();
        Run { lines: at - behind..at + ahead, result: part.result, step: part.step, number: number - behind }
    }

    fn line(&self, place: Place) -> &'r Line<'r> {
        self.reads[place.read].lines[place.line]
    }
}
