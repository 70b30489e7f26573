//! Choosing the lines of one text at a price.
//!
//! At a price λ per token a line is kept if what it is worth exceeds what it costs. Two things make it more than a filter:
//! gaps cost too (a marker, and the harm of minced text), and a line is worth more between its own neighbours, where a
//! reader can tell what it belongs to. Both look only one line back, so a recurrence over three states finds the best
//! choice in one pass: the line is skipped, opens a run, or continues one. Then each run pays for the line that heads it,
//! if what it is worth beyond its price allows.

use super::analysis::Line;
use super::weights::{self, Weights};

/// Tokens of what stands for missing lines.
#[derive(Clone, Copy)]
pub(super) struct Gap {
    /// Of each marker, with its line end.
    marker: f64,
    /// Of the handle beside the first one.
    handle: f64,
}

impl Gap {
    /// `[12 lines #482913077]`, then `[3 lines]`.
    pub(super) const IN_PLACE: Gap = Gap { marker: 5.0, handle: 4.0 };
    /// `…`; the handle stands with the run of steps.
    pub(super) const IN_TELLING: Gap = Gap { marker: 2.0, handle: 0.0 };

    /// What it takes where there is one.
    pub(super) fn tokens(self) -> f64 {
        self.marker + self.handle
    }
}

/// What a line is worth by itself, and what it is worth more between its neighbours.
#[derive(Clone, Copy)]
pub(super) struct Gain {
    pub(super) alone: f64,
    pub(super) between: f64,
}

/// What a choice is worth and what it costs, markers included.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Chosen {
    pub(super) value: f64,
    pub(super) tokens: f64,
}

/// Scratch for the recurrence, reused between texts.
pub(super) struct Chooser {
    weights: Weights,
    came_from: Vec<[u8; 3]>,
}

/// Where no line is worth its price even between its neighbours, none is kept and nothing has to be tried. A little below
/// zero: the recurrence sums in another order.
const NOTHING: f64 = -1e-9;

/// The states of the recurrence.
const SKIP: usize = 0;
const OPEN: usize = 1;
const RUN: usize = 2;

impl Chooser {
    pub(super) fn new(weights: Weights) -> Chooser {
        Chooser { weights, came_from: Vec::new() }
    }

    /// The best choice of lines. The ends of a text count as kept neighbours.
    pub(super) fn choose(
        &mut self,
        lines: &[Line],
        gains: &[Gain],
        price: f64,
        gap: Gap,
        keep: &mut [bool],
    ) -> Chosen {
        let (mut all, mut least, mut most) = (0.0, f64::INFINITY, f64::NEG_INFINITY);
        for (gain, line) in gains.iter().zip(lines) {
            let surplus = gain.alone + gain.between - price * line.cost;
            all += surplus;
            least = if surplus < least { surplus } else { least };
            most = if surplus > most { surplus } else { most };
        }
        // Where each line is worth its price between its neighbours, no choice is better than all of them.
        if least >= 0.0 {
            keep.fill(true);
            return weigh_all(lines, gains);
        }
        let is_nothing = most < NOTHING;
        let best = if is_nothing { -price * gap.marker } else { self.recur(lines, gains, price, gap, keep) };
        if all >= best - price * gap.handle {
            keep.fill(true);
            return weigh_all(lines, gains);
        }
        if is_nothing {
            return keep_nothing(lines, gains, gap, keep);
        }
        self.pay_heads(lines, gains, price, gap, keep);
        close_blocks(lines, keep);
        fill_gaps(lines, gap, keep);
        weigh(lines, gains, gap, keep)
    }

    fn recur(&mut self, lines: &[Line], gains: &[Gain], price: f64, gap: Gap, keep: &mut [bool]) -> f64 {
        let weights = self.weights;
        // Half of a gap's harm is done where it starts, half where it ends; less where a reader would cut anyway.
        let harm = |line: &Line| {
            let share = if line.is_border { weights.border } else { weights::INSIDE };
            price * weights.fragmentation * share
        };
        let mut best = [f64::NEG_INFINITY; 3];
        let mut between = 0.0;
        self.came_from.clear();
        self.came_from.extend(gains.iter().zip(lines).enumerate().map(|(nth, (gain, line))| {
            let own = gain.alone - price * line.cost;
            let between = std::mem::replace(&mut between, gain.between);
            if nth == 0 {
                best = [-price * gap.marker, f64::NEG_INFINITY, own];
                return [0; 3];
            }
            let harm = harm(line);
            let harmful = price * gap.marker + harm;
            let opened = best[SKIP] + own - harm;
            let (skip, skip_from) = max3([best[SKIP], best[OPEN] - harmful, best[RUN] - harmful]);
            let (run, run_from) = max3([f64::NEG_INFINITY, best[OPEN], best[RUN] + between]);
            best = [skip, opened, run + own];
            [skip_from, SKIP as u8, run_from]
        }));
        let Some(last) = gains.last() else { return 0.0 };
        let (value, end) = max3([best[SKIP], best[OPEN], best[RUN] + last.between]);
        let mut state = end;
        for (keep, from) in keep.iter_mut().zip(&self.came_from).rev() {
            *keep = usize::from(state) != SKIP;
            state = from[usize::from(state)];
        }
        value
    }

    /// Keeps the line that heads a run, as far as the run can pay for it; and the head's own head.
    fn pay_heads(&self, lines: &[Line], gains: &[Gain], price: f64, gap: Gap, keep: &mut [bool]) {
        let mut nth = 0;
        while nth < lines.len() {
            if !keep[nth] {
                nth += 1;
                continue;
            }
            let first = nth;
            let mut surplus = 0.0;
            while nth < lines.len() && keep[nth] {
                surplus += gains[nth].alone - price * lines[nth].cost;
                nth += 1;
            }
            let mut purse = surplus * self.weights.heads;
            let mut head = lines[first].head.map(|head| head as usize);
            while let Some(at) = head {
                if !keep[at] {
                    purse -= price * (lines[at].cost + gap.marker);
                    if purse < 0.0 {
                        break;
                    }
                    keep[at] = true;
                }
                head = lines[at].head.map(|head| head as usize);
            }
        }
    }
}

/// No line, unless all of them take no more tokens than the marker that would stand for them.
fn keep_nothing(lines: &[Line], gains: &[Gain], gap: Gap, keep: &mut [bool]) -> Chosen {
    let mut hidden = 0.0;
    if lines.iter().all(|line| {
        hidden += line.cost;
        hidden <= gap.marker
    }) {
        keep.fill(true);
        return weigh_all(lines, gains);
    }
    keep.fill(false);
    Chosen { value: 0.0, tokens: gap.marker + gap.handle }
}

fn max3(values: [f64; 3]) -> (f64, u8) {
    let mut best = (values[0], 0);
    for (nth, value) in values.into_iter().enumerate().skip(1) {
        if value > best.0 {
            best = (value, nth as u8);
        }
    }
    best
}

/// Keeps the `}` behind the last line of a definition: it takes little more than the marker, and shows that this is all.
fn close_blocks(lines: &[Line], keep: &mut [bool]) {
    for nth in 1..lines.len() {
        let is_same = lines[nth].block.is_some() && lines[nth].block == lines[nth - 1].block;
        let is_last = lines.get(nth + 1).is_none_or(|next| next.block != lines[nth].block);
        keep[nth] |= keep[nth - 1] && lines[nth].is_short && is_same && is_last;
    }
}

/// Keeps what takes no more tokens than the marker that would stand for it.
fn fill_gaps(lines: &[Line], gap: Gap, keep: &mut [bool]) {
    let mut nth = 0;
    while nth < lines.len() {
        let missing = keep[nth..].iter().take_while(|kept| !**kept).count();
        let hidden: f64 = lines[nth..nth + missing].iter().map(|line| line.cost).sum();
        if hidden <= gap.marker {
            keep[nth..nth + missing].fill(true);
        }
        nth += missing.max(1);
    }
}

/// All lines.
pub(super) fn all(lines: &[Line], gains: &[Gain], keep: &mut [bool]) -> Chosen {
    keep.fill(true);
    let value = gains.iter().map(|gain| gain.alone + gain.between).sum();
    Chosen { value, tokens: lines.iter().map(|line| line.cost).sum() }
}

/// The first line that says something.
pub(super) fn first(lines: &[Line], gains: &[Gain], gap: Gap, keep: &mut [bool]) -> Chosen {
    keep.fill(false);
    let speaks = lines.iter().position(|line| !line.is_short).unwrap_or(0);
    keep[..=speaks].fill(true);
    fill_gaps(lines, gap, keep);
    weigh(lines, gains, gap, keep)
}

/// The same as [`weigh`] where all lines are kept.
fn weigh_all(lines: &[Line], gains: &[Gain]) -> Chosen {
    let mut chosen = Chosen::default();
    for (line, gain) in lines.iter().zip(gains) {
        chosen.tokens += line.cost;
        chosen.value += gain.alone;
        chosen.value += gain.between;
    }
    chosen
}

/// What is kept is worth, and what it costs with its markers.
fn weigh(lines: &[Line], gains: &[Gain], gap: Gap, keep: &[bool]) -> Chosen {
    let is_kept = |nth: usize| keep.get(nth).copied().unwrap_or(true);
    let mut chosen = Chosen::default();
    let mut has_gap = false;
    for (nth, (line, gain)) in lines.iter().zip(gains).enumerate() {
        if keep[nth] {
            chosen.tokens += line.cost;
            chosen.value += gain.alone;
            if is_kept(nth.wrapping_sub(1)) && is_kept(nth + 1) {
                chosen.value += gain.between;
            }
        } else if nth == 0 || keep[nth - 1] {
            chosen.tokens += gap.marker;
            has_gap = true;
        }
    }
    if has_gap {
        chosen.tokens += gap.handle;
    }
    chosen
}
