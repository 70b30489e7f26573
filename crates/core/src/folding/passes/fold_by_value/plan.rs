//! Choosing groups and lines at a price.

mod fill;
mod fit;
mod silence;

use std::ops::Range;

use super::analysis::{Analysis, Group, Line, Part, Telling, Voice};
use super::choose::{self, Chooser, Chosen, Gain, Gap};
use super::texts::Texts;
use super::weights;
use super::worth::{Id, NO_KEY};

/// Tokens of the line over a run of steps that left: `3–7 #482913077: 2 reads, 1 search`.
pub(super) const NOTE: f64 = 14.0;

/// Share of a group's tokens that the note on it takes at most, where neighbours share notes.
const SHARED_NOTE: f64 = 0.5;

/// Prices that no view needs to go beyond.
pub(super) const LOWEST: f64 = 1e-7;
pub(super) const HIGHEST: f64 = 1.0;

/// Prices are tried at so many steps between these, three percent apart: that moves a view by less than a percent.
const STEPS: u32 = 1 << 9;

/// Share of the budget that is too little to be spent.
const CLOSE: f64 = 0.001;

/// How much larger a budget may be before another price is looked for.
const NEAR: f64 = 0.02;

fn price_at(step: u32) -> f64 {
    LOWEST * (HIGHEST / LOWEST).powf(f64::from(step) / f64::from(STEPS))
}

/// In place of a group: what is never folded.
const GIVEN: u32 = u32::MAX;

/// What is kept at a price.
#[derive(Clone)]
pub(super) struct Plan {
    /// Estimated tokens of the view.
    pub(super) tokens: f64,
    /// Per group, what becomes of it.
    pub(super) fates: Vec<Fate>,
    /// Per line of the analysis; says nothing about groups left out.
    pub(super) keep: Vec<bool>,
    /// Per command and path of the analysis, whether it is listed.
    pub(super) verbatim: Vec<bool>,
    /// Estimated tokens per group, or of the note where it is left out.
    sizes: Vec<f64>,
    /// The price at which each group was planned.
    prices: Vec<f64>,
}

impl Plan {
    /// Whether anything leaves whole.
    pub(super) fn leaves_any(&self) -> bool {
        self.fates.iter().any(|fate| *fate != Fate::Kept)
    }
}

/// What becomes of a group.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Fate {
    /// It stays in its place, with the lines that are kept.
    Kept,
    /// It leaves and is told, with those lines of the model's own words that are kept.
    Told,
    /// It leaves, and is only counted.
    Out,
}

/// The lowest price for a budget, as a step, and what is kept at it.
struct Found {
    step: u32,
    plan: Plan,
    /// The largest budget that it will do for.
    most: f64,
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
    texts: Texts,
    /// Per group, the price above which none of its lines is told.
    silent_above: Vec<f64>,
    names: Vec<NameState>,
    keys: Vec<KeyState>,
    /// The number of this plan.
    round: u32,
    /// The number of this look at a group: what it claims to show first is free again when the next one begins.
    look: u32,
    /// Where the price was found last, and what is kept at it.
    step: Option<u32>,
    found: Option<Found>,
    gains: Vec<Gain>,
    chooser: Chooser,
    /// Which lines of the group at hand are told, while it is tried in its place.
    told_lines: Vec<bool>,
    /// Whether a note is taken to be shared with the neighbours.
    shares_notes: bool,
}

/// A name while groups are planned. All of it together: names come in no order, and each look costs a cache line.
#[derive(Clone, Copy)]
struct NameState {
    /// Value of showing it once.
    value: f64,
    /// Value of showing it once more.
    echo: f64,
    /// Which plan last showed it, which group did first, and which plan showed it once more.
    shown: u32,
    group: u32,
    echoed: u32,
    /// Which look at a group last claimed it.
    claimed: u32,
}

impl NameState {
    /// The value of a name not shown yet, or not yet twice; from now on this look claims it.
    fn claim(&mut self, round: u32, look: u32, may_echo: bool) -> f64 {
        if self.claimed == look {
            0.0
        } else if self.shown != round {
            self.claimed = look;
            self.value
        } else if may_echo && self.echoed != round {
            self.claimed = look;
            self.echo
        } else {
            0.0
        }
    }
}

/// A line while groups are planned: which plan last showed it, and which look at a group last claimed it.
#[derive(Clone, Copy, Default)]
struct KeyState {
    shown: u32,
    claimed: u32,
}

impl KeyState {
    /// Whether a line is not shown yet; from now on this look claims it.
    fn claim(&mut self, round: u32, look: u32) -> bool {
        let is_first = self.shown != round && self.claimed != look;
        if is_first {
            self.claimed = look;
        }
        is_first
    }
}

impl<'a> Planner<'a> {
    pub(super) fn new(analysis: &'a Analysis) -> Planner<'a> {
        let values = analysis.name_value.iter().zip(&analysis.echo_value);
        let name = |(value, echo): (&f64, &f64)| NameState {
            value: *value,
            echo: *echo,
            shown: 0,
            group: 0,
            echoed: 0,
            claimed: 0,
        };
        let texts = Texts::of(analysis);
        Planner {
            analysis,
            silent_above: silence::find(analysis, &texts),
            texts,
            names: values.map(name).collect(),
            keys: vec![KeyState::default(); analysis.key_value.len()],
            round: 0,
            look: 0,
            step: None,
            found: None,
            gains: Vec::new(),
            chooser: Chooser::new(analysis.weights),
            told_lines: Vec::new(),
            shares_notes: false,
        }
    }

    /// Plans from now on as if neighbours shared their notes: a group that takes no more room than a note on it stays at any
    /// price, and so does each of its neighbours. In a session of many short messages, no price is high enough.
    pub(super) fn share_notes(&mut self) {
        self.shares_notes = true;
        self.found = None;
        self.step = None;
    }

    /// The plan at the lowest price at which the estimated view fits, with what is left over spent at lower prices:
    /// groups come and go whole, so at one price alone a few percent would stay unused. For a budget little above the
    /// one before, the price stays and there is more to spend.
    pub(super) fn plan_for(&mut self, budget: f64) -> Plan {
        let known = self.found.take().filter(|found| (found.plan.tokens..found.most).contains(&budget));
        let found = known.unwrap_or_else(|| self.find(budget));
        let price = price_at(found.step);
        let mut plan: Option<Plan> = None;
        for share in [0.95, 0.85, 0.7, 0.5, 0.3, 0.15] {
            let on = plan.as_ref().unwrap_or(&found.plan);
            if on.tokens >= budget * (1.0 - CLOSE) {
                break;
            }
            let spending = Spending { on, price: price * share, budget };
            plan = Some(self.plan(price, Some(spending), f64::INFINITY));
        }
        let mut plan = plan.unwrap_or_else(|| found.plan.clone());
        self.fill(&mut plan, budget);
        self.found = Some(found);
        plan
    }

    /// Whether notes are taken to be shared.
    pub(super) fn shares_notes(&self) -> bool {
        self.shares_notes
    }

    /// Whether no other budget would change the last plan: all that is worth something is kept, or nothing that can go.
    pub(super) fn is_at_end(&self) -> bool {
        self.found.as_ref().is_some_and(|found| matches!(found.step, 1 | STEPS))
    }

    fn find(&mut self, budget: f64) -> Found {
        let (step, plan) = self.lowest_step(budget);
        self.step = Some(step);
        let plan = plan.unwrap_or_else(|| self.plan(price_at(step), None, f64::INFINITY));
        Found { step, plan, most: budget * (1.0 + NEAR) }
    }

    /// By bisection; from where it was the last time on in growing strides. With the plan at that step, if it was tried.
    fn lowest_step(&mut self, budget: f64) -> (u32, Option<Plan>) {
        let (mut low, mut high) = (0, STEPS);
        let mut fits = None;
        let mut next = self.step;
        let mut stride = 1;
        while high - low > 1 {
            let at = next.take().filter(|next| low < *next && *next < high).unwrap_or((low + high) / 2);
            let plan = self.plan(price_at(at), None, budget);
            if plan.tokens <= budget {
                (high, fits) = (at, Some(plan));
            } else {
                low = at;
            }
            next = match (low, high) {
                _ if self.step.is_none() => None,
                (0, high) => Some(high.saturating_sub(stride)),
                (low, STEPS) => Some(low + stride),
                _ => None,
            };
            stride *= 2;
        }
        (high, fits)
    }

    /// The best view at a price, newest groups first: what a newer one shows, an older one need not repeat. With
    /// `spending`, a group is planned at that lower price if all older ones can still have what they had. Given up as soon
    /// as it is over `most` tokens.
    fn plan(&mut self, price: f64, spending: Option<Spending>, most: f64) -> Plan {
        let analysis = self.analysis;
        self.start_round();
        let mut plan = Plan {
            tokens: 0.0,
            fates: vec![Fate::Out; analysis.groups.len()],
            keep: vec![false; analysis.lines.len()],
            verbatim: vec![false; analysis.verbatim.len()],
            sizes: vec![0.0; analysis.groups.len()],
            prices: vec![price; analysis.groups.len()],
        };
        let mut older = spending.as_ref().map_or(0.0, |spending| spending.on.tokens);
        // A run of groups left out is said so in one note.
        let mut note = NOTE;
        for (nth, group) in analysis.groups.iter().enumerate().rev() {
            if plan.tokens > most {
                break;
            }
            let mut planned: Option<(Fate, f64)> = None;
            if let Some(spending) = &spending {
                older -= spending.on.sizes[nth];
                plan.prices[nth] = spending.on.prices[nth];
                let left = spending.budget - plan.tokens - older - spending.on.sizes[nth];
                if left > spending.budget * CLOSE {
                    let (fate, size) =
                        self.plan_group(nth, spending.price, note, &mut plan.keep, &mut plan.verbatim);
                    if plan.tokens + size + older <= spending.budget {
                        planned = Some((fate, size));
                        plan.prices[nth] = spending.price;
                    }
                }
            }
            let (fate, size) = match planned {
                Some(planned) => planned,
                None => self.plan_group(nth, plan.prices[nth], note, &mut plan.keep, &mut plan.verbatim),
            };
            plan.fates[nth] = fate;
            plan.sizes[nth] = size;
            plan.tokens += size;
            note = match fate {
                Fate::Kept if group.parts_runs() => NOTE,
                Fate::Kept => note,
                Fate::Told | Fate::Out => 0.0,
            };
            self.show(nth, fate, &plan);
        }
        plan
    }

    fn start_round(&mut self) {
        self.round += 1;
        for name in &self.analysis.given_names {
            let name = &mut self.names[*name as usize];
            (name.shown, name.group) = (self.round, GIVEN);
        }
        for key in &self.analysis.given_keys {
            self.keys[*key as usize].shown = self.round;
        }
    }

    /// What becomes of a group, with its tokens and which of its lines are kept. Leaving it out costs `note` tokens.
    fn plan_group(
        &mut self,
        nth: usize,
        price: f64,
        note: f64,
        keep: &mut [bool],
        verbatim: &mut [bool],
    ) -> (Fate, f64) {
        let group = &self.analysis.groups[nth];
        let is_silent = price > self.silent_above[nth];
        let tell = |telling| self.tell_group(group, telling, price, note, keep, is_silent);
        let told = group.telling.as_ref().map(tell);
        let out = -price * note;
        let best = told.as_ref().map_or(out, |told| out.max(told.value - price * told.tokens));
        if price <= group.leaves_above {
            self.told_lines.clear();
            let lines = group_lines(self.analysis, group);
            self.told_lines.extend_from_slice(&keep[lines.clone()]);
            let kept = self.keep_group(group, price, keep);
            let best = if self.shares_notes { best.max(-price * kept.tokens * SHARED_NOTE) } else { best };
            if group.stays || kept.value - price * kept.tokens >= best {
                verbatim[group.verbatim.clone()].fill(false);
                return (Fate::Kept, kept.tokens);
            }
            keep[lines].copy_from_slice(&self.told_lines);
        }
        // Not weighed against keeping the step: that would make steps leave for the sake of their commands.
        let listed = self.list(group, price, verbatim);
        match told {
            Some(told) if best > out => (Fate::Told, told.tokens + listed),
            _ => (Fate::Out, note + listed),
        }
    }

    /// A group in a line, with what the model said; where it is `silent`, the line alone.
    fn tell_group(
        &mut self,
        group: &Group,
        telling: &Telling,
        price: f64,
        note: f64,
        keep: &mut [bool],
        is_silent: bool,
    ) -> Chosen {
        let analysis = self.analysis;
        self.look += 1;
        let mut told = Chosen { value: telling.worth, tokens: telling.cost + note };
        for name in &telling.names {
            let value = self.names[*name as usize].claim(self.round, self.look, false);
            told.value += value * weights::TOLD_NAME;
        }
        if is_silent {
            keep[group_lines(analysis, group)].fill(false);
            return told;
        }
        for nth in group.parts.clone().rev() {
            let part = &analysis.parts[nth];
            let range = part.lines.clone();
            if !part.is_own() {
                keep[range].fill(false);
                continue;
            }
            self.find_gains(nth, group.likeness);
            let lines = &analysis.lines[range.clone()];
            let share = analysis.weights.told(part.voice);
            for (gain, line) in self.gains.iter_mut().zip(lines) {
                let share = share * weights::of_edit(line.is_unchanged, part.news);
                gain.alone *= share;
                gain.between *= share;
            }
            let keep = &mut keep[range];
            let chosen = self.chooser.choose(lines, &self.gains, price, Gap::IN_TELLING, keep);
            // What stood there before does not tell an edit.
            let is_told = |(line, keep): (&Line, &bool)| *keep && !line.is_unchanged;
            if !lines.iter().zip(&*keep).any(is_told) {
                keep.fill(false);
                continue;
            }
            told.value += chosen.value;
            told.tokens += chosen.tokens;
        }
        told
    }

    /// Lists the commands and paths of a group that leaves and are worth a line of their own; returns their tokens.
    fn list(&mut self, group: &Group, price: f64, listed: &mut [bool]) -> f64 {
        self.look += 1;
        let mut tokens = 0.0;
        for nth in group.verbatim.clone() {
            let verbatim = &self.analysis.verbatim[nth];
            let value = self.analysis.key_value[verbatim.key as usize] * self.analysis.weights.verbatim;
            listed[nth] = value > price * verbatim.cost
                && self.keys[verbatim.key as usize].claim(self.round, self.look);
            tokens += if listed[nth] { verbatim.cost } else { 0.0 };
        }
        tokens
    }

    /// A group in its place.
    fn keep_group(&mut self, group: &Group, price: f64, keep: &mut [bool]) -> Chosen {
        let analysis = self.analysis;
        self.look += 1;
        let mut value = 0.0;
        for name in &group.small_names {
            value += self.names[*name as usize].claim(self.round, self.look, false);
        }
        for key in &group.small_keys {
            if self.keys[*key as usize].claim(self.round, self.look) {
                value += analysis.key_value[*key as usize];
            }
        }
        value += group.own_worth;
        let mut tokens = group.overhead;
        // The newest part first here too: an edit's new text before the old one that it replaced.
        for nth in group.parts.clone().rev().filter(|nth| analysis.parts[*nth].folds_in(group)) {
            let part = &analysis.parts[nth];
            self.find_gains(nth, group.likeness * part.currency);
            let lines = &analysis.lines[part.lines.clone()];
            let keep = &mut keep[part.lines.clone()];
            let mut chosen = match part.is_small {
                true => choose::all(lines, &self.gains, keep),
                false => self.chooser.choose(lines, &self.gains, price, Gap::IN_PLACE, keep),
            };
            // The model would see itself answer with a marker, or be answered with one.
            let speaks = part.voice == Voice::Assistant || (part.voice == Voice::Tool && group.age == 0.0);
            if speaks && !keep.contains(&true) {
                chosen = choose::first(lines, &self.gains, Gap::IN_PLACE, keep);
            }
            value += chosen.value;
            tokens += chosen.tokens;
        }
        Chosen { value, tokens }
    }

    /// What each line of a part would add to the view.
    fn find_gains(&mut self, part: usize, likeness: f64) {
        self.gains.clear();
        let span = self.analysis.parts[part].lines.clone();
        let lines = &self.analysis.lines[span.clone()];
        let mut unread = self.texts.starts[span.start] as usize;
        let context = self.analysis.weights.context;
        let mut follows_new = true;
        // This sees every line at every price: the tables are not looked for each time.
        let (round, look) = (self.round, self.look);
        let (known_names, known_keys) = (&mut self.names[..], &mut self.keys[..]);
        let gain = |(line, end): (&Line, &u32)| {
            let is_new = line.key != NO_KEY && known_keys[line.key as usize].claim(round, look);
            let mut names = 0.0;
            for name in &self.texts.names[unread..*end as usize] {
                names += known_names[*name as usize].claim(round, look, is_new);
            }
            unread = *end as usize;
            names *= likeness * weights::of_names(line.noise);
            follows_new = is_new || (line.is_short && follows_new);
            match line.is_short {
                // `}` closes what stands around it and says nothing alone.
                true if !follows_new => Gain { alone: 0.0, between: names },
                true => Gain { alone: 0.0, between: line.worth + names },
                false => {
                    let worth = match () {
                        () if is_new || line.worth >= weights::PINNED => line.worth,
                        // What stands in the view already is worth repeating only where there is room for everything.
                        () => line.worth * weights::AGAIN,
                    };
                    Gain { alone: worth + names * (1.0 - context), between: names * context }
                }
            }
        };
        self.gains.extend(lines.iter().zip(&self.texts.starts[span.start + 1..]).map(gain));
        self.texts.share_in_blocks(part, self.analysis.weights.block, lines, &mut self.gains);
    }

    fn show(&mut self, nth: usize, fate: Fate, plan: &Plan) {
        let analysis = self.analysis;
        let group = &analysis.groups[nth];
        for at in group.verbatim.clone().filter(|at| plan.verbatim[*at]) {
            self.keys[analysis.verbatim[at].key as usize].shown = self.round;
        }
        if fate == Fate::Out {
            return;
        }
        // A name in a told line is out of its context: where it stands in one, it is worth as much as before.
        if fate == Fate::Kept {
            for name in &group.small_names {
                self.show_name(*name, nth);
            }
            for key in &group.small_keys {
                self.keys[*key as usize].shown = self.round;
            }
        }
        let is_shown = |part: &&Part| fate == Fate::Told || part.folds_in(group);
        let parts = analysis.parts[group.parts.clone()].iter().filter(is_shown);
        for at in parts.flat_map(|part| part.lines.clone()).filter(|at| plan.keep[*at]) {
            let line = &analysis.lines[at];
            for name in &analysis.line_names[line.names()] {
                self.show_name(*name, nth);
            }
            if line.key != NO_KEY {
                self.keys[line.key as usize].shown = self.round;
            }
        }
    }

    fn show_name(&mut self, name: Id, group: usize) {
        let (state, group) = (&mut self.names[name as usize], group as u32);
        if state.shown != self.round {
            (state.shown, state.group) = (self.round, group);
        } else if state.group != group {
            state.echoed = self.round;
        }
    }
}

/// The lines of all parts of a group.
fn group_lines(analysis: &Analysis, group: &Group) -> Range<usize> {
    let parts = &analysis.parts[group.parts.clone()];
    match parts {
        [first, .., last] => first.lines.start..last.lines.end,
        [only] => only.lines.clone(),
        [] => 0..0,
    }
}
