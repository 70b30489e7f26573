//! Choosing groups and lines at a price.

use super::FoldByValue;
use super::analysis::{Analysis, Group, Line};
use super::choose::{Chooser, Gain};
use super::worth::{Id, NO_KEY};
use crate::text::shape::Noise;

/// Tokens of a note such as `[5 steps left out #482913077]`.
const NOTE: f64 = 11.0;

/// Prices that no view needs to go beyond.
const LOWEST: f64 = 1e-7;
const HIGHEST: f64 = 1.0;

/// In place of a group: what is never folded.
const GIVEN: u32 = u32::MAX;

/// What is kept at a price.
pub(super) struct Plan {
    /// Estimated tokens of the view.
    pub(super) tokens: f64,
    /// Per group, whether anything of it is kept.
    pub(super) kept: Vec<bool>,
    /// Per line of the analysis; says nothing about groups left out.
    pub(super) keep: Vec<bool>,
    /// Estimated tokens per group, or of the note where it is left out.
    sizes: Vec<f64>,
    /// The price at which each group was planned.
    prices: Vec<f64>,
}

/// Budget that a plan leaves over, to be spent at a lower price.
struct Spending<'p> {
    on: &'p Plan,
    price: f64,
    budget: f64,
}

/// Scratch tables, reused between prices.
pub(super) struct Planner<'a> {
    analysis: &'a Analysis,
    weights: &'a FoldByValue,
    /// Which plan last showed the name or line; for names, which group did first, and which plan showed it once more.
    name_shown: Vec<u32>,
    name_group: Vec<u32>,
    name_echoed: Vec<u32>,
    key_shown: Vec<u32>,
    round: u32,
    /// The price found last.
    price: Option<f64>,
    /// What the group at hand claims to show first.
    fresh_names: Vec<Id>,
    fresh_echoes: Vec<Id>,
    fresh_keys: Vec<Id>,
    gains: Vec<Gain>,
    chooser: Chooser,
}

impl<'a> Planner<'a> {
    pub(super) fn new(analysis: &'a Analysis, weights: &'a FoldByValue) -> Planner<'a> {
        Planner {
            analysis,
            weights,
            name_shown: vec![0; analysis.name_value.len()],
            name_group: vec![0; analysis.name_value.len()],
            name_echoed: vec![0; analysis.name_value.len()],
            key_shown: vec![0; analysis.key_value.len()],
            round: 0,
            price: None,
            fresh_names: Vec::new(),
            fresh_echoes: Vec::new(),
            fresh_keys: Vec::new(),
            gains: Vec::new(),
            chooser: Chooser::default(),
        }
    }

    /// The plan at the lowest price at which the estimated view fits, with what is left over spent at lower prices:
    /// groups come and go whole, so at one price alone a few percent would stay unused.
    pub(super) fn plan_for(&mut self, budget: f64) -> Plan {
        let price = self.lowest_price(budget);
        self.price = Some(price);
        let mut plan = self.plan(price, None);
        for share in [0.95, 0.85, 0.7, 0.5, 0.3, 0.15] {
            plan = self.plan(price, Some(Spending { on: &plan, price: price * share, budget }));
        }
        plan
    }

    /// By bisection, to a percent; from where it was the last time.
    fn lowest_price(&mut self, budget: f64) -> f64 {
        let (mut low, mut high) = match self.price {
            Some(price) => (price / 1.03, price * 1.03),
            None => (LOWEST, HIGHEST),
        };
        while high < HIGHEST && self.plan(high, None).tokens > budget {
            (low, high) = (high, high * 1.3);
        }
        while low > LOWEST && self.plan(low, None).tokens <= budget {
            (low, high) = (low / 1.3, low);
        }
        while high / low > 1.01 {
            let middle = (low * high).sqrt();
            match self.plan(middle, None).tokens <= budget {
                true => high = middle,
                false => low = middle,
            }
        }
        high
    }

    /// The best view at a price, newest groups first: what a newer one shows, an older one need not repeat. With
    /// `spending`, a group is planned at that lower price if all older ones can still have what they had.
    fn plan(&mut self, price: f64, spending: Option<Spending>) -> Plan {
        let analysis = self.analysis;
        self.start_round();
        let mut plan = Plan {
            tokens: 0.0,
            kept: vec![false; analysis.groups.len()],
            keep: vec![false; analysis.lines.len()],
            sizes: vec![0.0; analysis.groups.len()],
            prices: vec![price; analysis.groups.len()],
        };
        let mut older = spending.as_ref().map_or(0.0, |spending| spending.on.tokens);
        // A run of groups left out is said so in one note.
        let mut note = NOTE;
        for (nth, group) in analysis.groups.iter().enumerate().rev() {
            let mut planned = None;
            if let Some(spending) = &spending {
                older -= spending.on.sizes[nth];
                let size = self.plan_group(group, spending.price, note, &mut plan.keep);
                if plan.tokens + size.unwrap_or(note) + older <= spending.budget {
                    planned = Some(size);
                    plan.prices[nth] = spending.price;
                } else {
                    plan.prices[nth] = spending.on.prices[nth];
                }
            }
            let size = match planned {
                Some(size) => size,
                None => self.plan_group(group, plan.prices[nth], note, &mut plan.keep),
            };
            plan.kept[nth] = size.is_some();
            plan.sizes[nth] = size.unwrap_or(note);
            plan.tokens += plan.sizes[nth];
            note = if size.is_some() { NOTE } else { 0.0 };
            if size.is_some() {
                self.show(nth, &plan.keep);
            }
        }
        plan
    }

    fn start_round(&mut self) {
        self.round += 2;
        for name in &self.analysis.given_names {
            self.name_shown[*name as usize] = self.round;
            self.name_group[*name as usize] = GIVEN;
        }
        for key in &self.analysis.given_keys {
            self.key_shown[*key as usize] = self.round;
        }
    }

    /// The tokens of a group and which of its lines are kept, if it must stay, is the newest or worth its overhead. Leaving it out
    /// would cost `note` tokens.
    fn plan_group(&mut self, group: &Group, price: f64, note: f64, keep: &mut [bool]) -> Option<f64> {
        let analysis = self.analysis;
        let mut value = 0.0;
        for name in &group.small_names {
            value += self.claim_name(*name, false);
        }
        for key in &group.small_keys {
            if self.claim_key(*key) {
                value += analysis.key_value[*key as usize];
            }
        }
        let mut tokens = group.overhead;
        // The newest part first here too: an edit's new text before the old one that it replaced.
        for part in analysis.parts[group.parts.clone()].iter().rev() {
            let lines = &analysis.lines[part.lines.clone()];
            self.find_gains(lines, group.likeness);
            let chosen =
                self.chooser.choose(lines, &self.gains, price, self.weights, &mut keep[part.lines.clone()]);
            value += chosen.value;
            tokens += chosen.tokens;
        }
        self.release();
        let stays = group.stays || group.age == 0.0;
        (stays || value >= price * (tokens - note)).then_some(tokens)
    }

    /// What each line would add to the view.
    fn find_gains(&mut self, lines: &[Line], likeness: f64) {
        self.gains.clear();
        let context = self.weights.context;
        let mut follows_new = true;
        for line in lines {
            let is_new = line.key != NO_KEY && self.claim_key(line.key);
            let mut names = 0.0;
            for name in &self.analysis.line_names[line.names.clone()] {
                names += self.claim_name(*name, is_new);
            }
            names *= likeness;
            follows_new = is_new || (line.is_short && follows_new);
            if let Noise::Repeat(times) = line.noise {
                names /= 1.0 + f64::from(times);
            }
            self.gains.push(match line.is_short {
                // `}` closes what stands around it and says nothing alone.
                true if !follows_new => Gain { alone: 0.0, between: names },
                true => Gain { alone: 0.0, between: line.worth + names },
                false => {
                    let worth = if is_new { line.worth } else { 0.0 };
                    Gain { alone: worth + names * (1.0 - context), between: names * context }
                }
            });
        }
        if self.weights.block > 0.0 {
            share_in_blocks(lines, &mut self.gains, self.weights.block);
        }
    }

    /// The value of a name not shown yet, or not yet twice; from now on this group claims it.
    fn claim_name(&mut self, name: Id, may_echo: bool) -> f64 {
        let (nth, claimed) = (name as usize, self.round + 1);
        let value = self.analysis.name_value[nth];
        if self.name_shown[nth] < self.round {
            self.name_shown[nth] = claimed;
            self.fresh_names.push(name);
            value
        } else if may_echo && self.name_shown[nth] == self.round && self.name_echoed[nth] < self.round {
            self.name_echoed[nth] = claimed;
            self.fresh_echoes.push(name);
            self.analysis.echo_value[nth]
        } else {
            0.0
        }
    }

    /// Whether a line is not shown yet; from now on this group claims it.
    fn claim_key(&mut self, key: Id) -> bool {
        let shown = &mut self.key_shown[key as usize];
        if *shown >= self.round {
            return false;
        }
        *shown = self.round + 1;
        self.fresh_keys.push(key);
        true
    }

    fn release(&mut self) {
        for name in self.fresh_names.drain(..) {
            self.name_shown[name as usize] = 0;
        }
        for name in self.fresh_echoes.drain(..) {
            self.name_echoed[name as usize] = 0;
        }
        for key in self.fresh_keys.drain(..) {
            self.key_shown[key as usize] = 0;
        }
    }

    fn show(&mut self, nth: usize, keep: &[bool]) {
        let analysis = self.analysis;
        let group = &analysis.groups[nth];
        for name in &group.small_names {
            self.show_name(*name, nth);
        }
        for key in &group.small_keys {
            self.key_shown[*key as usize] = self.round;
        }
        let parts = analysis.parts[group.parts.clone()].iter();
        for at in parts.flat_map(|part| part.lines.clone()).filter(|at| keep[*at]) {
            let line = &analysis.lines[at];
            for name in &analysis.line_names[line.names.clone()] {
                self.show_name(*name, nth);
            }
            if line.key != NO_KEY {
                self.key_shown[line.key as usize] = self.round;
            }
        }
    }

    fn show_name(&mut self, name: Id, group: usize) {
        let (nth, group) = (name as usize, group as u32);
        if self.name_shown[nth] < self.round {
            self.name_shown[nth] = self.round;
            self.name_group[nth] = group;
        } else if self.name_group[nth] != group {
            self.name_echoed[nth] = self.round;
        }
    }
}

/// Longer definitions are too much to be kept for one line of theirs.
const LONGEST_BLOCK: usize = 40;

/// Part of what the lines of a definition are worth counts for the definition as a whole: it stays or goes together.
fn share_in_blocks(lines: &[Line], gains: &mut [Gain], share: f64) {
    let mut start = 0;
    for block in lines.chunk_by(|a, b| a.block == b.block) {
        let gains = &mut gains[start..start + block.len()];
        start += block.len();
        if block[0].block.is_none() || block.len() < 2 || block.len() > LONGEST_BLOCK {
            continue;
        }
        let cost: f64 = block.iter().map(|line| line.cost).sum();
        let worth: f64 = gains.iter().map(|gain| gain.alone).sum();
        for (gain, line) in gains.iter_mut().zip(block) {
            gain.alone = (1.0 - share) * gain.alone + share * worth * line.cost / cost.max(1.0);
        }
    }
}
