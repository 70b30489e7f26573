//! What makes a line worth keeping. Values are relative: only their ratios matter.
//!
//! They were chosen on half of the projects of 94 real sessions. None is an option: they were chosen together, and nothing but
//! measuring what views keep (`cargo xtask bench judge`, `bench cost`) tells whether another set is better. What a signal is
//! worth shows where it counts for nothing (`signal.rs`).

use super::analysis::Voice;
use super::saying::Saying;
use super::unchanged::News;
use crate::folding::telling::Weight;
use crate::text::shape::Noise;

/// What a name or a line is worth by where and how often it stands in the history.
#[derive(Clone, Copy)]
pub(super) struct Sight {
    /// Worth of showing one.
    pub(super) worth: f64,
    /// How fast it loses worth with age.
    pub(super) age: f64,
    /// Factor for what the model said itself.
    pub(super) assistant: f64,
    /// How much occurring often counts.
    pub(super) occurrences: f64,
    /// How much standing among few others counts.
    pub(super) company: f64,
}

/// How much each signal counts.
#[derive(Clone, Copy)]
pub(super) struct Weights {
    pub(super) names: Sight,
    pub(super) lines: Sight,
    /// How fast plain tokens lose worth with age.
    pub(super) base_age: f64,
    /// Factor on plain tokens that the model said.
    pub(super) said: f64,
    /// Factor on a sentence of the model that only announces its call.
    pub(super) announced: f64,
    /// Factor on a sentence of the model that concludes something.
    pub(super) concluded: f64,
    /// Factor for numbers.
    pub(super) number: f64,
    /// Factor for paths.
    pub(super) path: f64,
    /// Factor for names in more than three messages.
    pub(super) common: f64,
    /// Share of its worth that a name of the last responses still has when a newer step shows it already.
    pub(super) echo: f64,
    /// How much likeness with the last responses counts.
    pub(super) affinity: f64,
    /// Factor on the names of the newest steps: the next one goes on from there.
    pub(super) newest: f64,
    /// Tokens that a gap costs beyond its marker: the harm of minced text.
    pub(super) fragmentation: f64,
    /// Share of that harm at either side of a gap where a reader would cut anyway: between definitions, hunks, paragraphs.
    pub(super) border: f64,
    /// Share of what a run of lines is worth beyond its price that may pay for the lines that head it.
    pub(super) heads: f64,
    /// Share of what the lines of a definition are worth that all of them have in common.
    pub(super) block: f64,
    /// Worth of a failure or total in the output of a program, in lines that stand alone.
    pub(super) verdict: f64,
    /// Share of a name's worth that it only has between its own neighbours.
    pub(super) context: f64,
    /// Factor on what a result shows of a file that a later look or change has replaced.
    pub(super) replaced: f64,
    /// Share of its worth that a line has which the model wrote and which is told beside its step.
    pub(super) told_written: f64,
    /// Factor on a line of a new result that has a name its call asked for, and few others have.
    pub(super) asked: f64,
    /// Factor on a command or path that is listed word for word where its step leaves.
    pub(super) verbatim: f64,
}

impl Weights {
    /// As they were chosen at 8,000 and 16,000 tokens.
    const SMALL: Weights = Weights {
        names: Sight { worth: 0.2, age: 0.6, assistant: 4.0, occurrences: 0.35, company: 0.4 },
        lines: Sight { worth: 0.06, age: 0.6, assistant: 4.0, occurrences: 0.35, company: 0.4 },
        base_age: 0.9,
        said: 42.0,
        announced: 0.3,
        concluded: 1.75,
        number: 0.69,
        path: 1.04,
        common: 0.6,
        echo: 0.18,
        affinity: 1.0,
        newest: 1.5,
        fragmentation: 12.0,
        border: 0.15,
        heads: 0.5,
        block: 0.3,
        verdict: 1.0,
        context: 0.23,
        replaced: 0.6,
        told_written: 1.89,
        asked: 4.0,
        verbatim: 1.0,
    };

    /// As they were chosen at 32,000 tokens, for views and for sessions that go on. Where there is room for the work of
    /// hours, a name is asked for again long after it was seen; a line is not.
    const LARGE: Weights = Weights {
        names: Sight { worth: 0.2, age: 0.4, assistant: 6.0, occurrences: 0.35, company: 0.4 },
        lines: Sight { worth: 0.16, age: 0.63, assistant: 7.8, occurrences: 0.45, company: 0.45 },
        path: 1.56,
        common: 0.46,
        echo: 0.23,
        affinity: 0.67,
        fragmentation: 10.0,
        block: 0.2,
        replaced: 0.9,
        told_written: 2.5,
        ..Weights::SMALL
    };

    /// For a view of so many tokens.
    pub(super) fn at(limit: usize) -> Weights {
        let share = ((limit as f64 / SMALL).log2() / (LARGE / SMALL).log2()).clamp(0.0, 1.0);
        let between = |small: f64, large: f64| small + share * (large - small);
        let sight = |small: Sight, large: Sight| Sight {
            worth: between(small.worth, large.worth),
            age: between(small.age, large.age),
            assistant: between(small.assistant, large.assistant),
            occurrences: between(small.occurrences, large.occurrences),
            company: between(small.company, large.company),
        };
        let (small, large) = (Weights::SMALL, Weights::LARGE);
        Weights {
            names: sight(small.names, large.names),
            lines: sight(small.lines, large.lines),
            path: between(small.path, large.path),
            common: between(small.common, large.common),
            echo: between(small.echo, large.echo),
            affinity: between(small.affinity, large.affinity),
            fragmentation: between(small.fragmentation, large.fragmentation),
            block: between(small.block, large.block),
            replaced: between(small.replaced, large.replaced),
            told_written: between(small.told_written, large.told_written),
            // A command takes as many tokens in a large view as in a small one.
            verbatim: (limit as f64 / VERBATIM).clamp(1.0, 6.0),
            ..small
        }
    }

    /// Factor on plain tokens, by who says them.
    pub(super) fn voice(&self, voice: Voice) -> f64 {
        match voice {
            Voice::User => 3.0,
            Voice::Harness => 0.3,
            Voice::Assistant => self.said,
            Voice::Argument | Voice::Tool => 1.0,
        }
    }

    /// Factor on plain tokens of a line that the model said.
    pub(super) fn saying(&self, saying: Saying) -> f64 {
        match saying {
            Saying::Announces => self.announced,
            Saying::Concludes => self.concluded,
            Saying::Tells => 1.0,
        }
    }

    /// Share of its worth that a line has which is told.
    pub(super) fn told(&self, voice: Voice) -> f64 {
        match voice {
            Voice::Argument => self.told_written,
            Voice::User | Voice::Harness | Voice::Assistant | Voice::Tool => TOLD_SAID,
        }
    }
}

/// Limits, in tokens, up to which and from which on weights do not depend on it.
const SMALL: f64 = 16_000.0;
const LARGE: f64 = 32_000.0;
/// Tokens of a view in which a command or path that is listed counts as much as any line.
const VERBATIM: f64 = 5_000.0;
/// Worth of a token whatever it says.
pub(super) const BASE: f64 = 0.0005;
/// How many steps are the newest.
pub(super) const NEWEST_AGE: f64 = 2.0;
/// Number of last responses.
pub(super) const RECENT: f64 = 4.0;
/// Share of the harm of a gap at either side of it, inside what a reader would not cut.
pub(super) const INSIDE: f64 = 0.5;
/// Share of its worth that a name has in the line that tells a step.
pub(super) const TOLD_NAME: f64 = 0.3;
/// Arguments up to this many tokens are told in a line or not at all.
pub(super) const SHORTEST_ARGUMENT: usize = 24;
/// Share of its worth that a line has which stands in the view already.
pub(super) const AGAIN: f64 = 0.001;
/// Worth of a line that stays at any price.
pub(super) const PINNED: f64 = 1e6;
/// Tokens at the beginning and the end of a person's paste that stay.
pub(super) const PASTE_HEAD: f64 = 60.0;
pub(super) const PASTE_TAIL: f64 = 40.0;
/// Lines shorter than this (characters) are worth nothing as lines.
pub(super) const SHORTEST_LINE: u32 = 24;
/// Factor on the tokens of a told step in which something was looked at, run, changed.
const LOOKED: f64 = 2.0;
const RAN: f64 = 4.0;
const CHANGED: f64 = 10.0;
/// Share of its worth that a line has which the model said and which is told beside its step.
const TOLD_SAID: f64 = 0.7;
/// Factor on told lines of an edit that it wrote, and on those that stood there before.
const CHANGES: f64 = 1.12;
const UNCHANGED: f64 = 0.6;
/// Worth of a token of a call, in plain tokens.
pub(super) const CALL: f64 = 3.0;
/// Share of a line's worth where a harness says it beside a result.
pub(super) const ASIDE: f64 = 0.3;

/// Factor on a told line of an edit: what it changed says what was done, what stands around it where the next one may go on.
pub(super) fn of_edit(is_unchanged: bool, news: News) -> f64 {
    match (news, is_unchanged) {
        (News::All, _) => 1.0,
        (_, true) => UNCHANGED,
        (_, false) => CHANGES,
    }
}

/// Tokens up to which a text is not cut where it stands; fewer where there is little room.
pub(super) fn small(voice: Voice, limit: usize) -> usize {
    match voice {
        Voice::Tool => (limit / 480).min(40),
        Voice::Assistant => (limit / 240).min(80),
        Voice::User | Voice::Harness | Voice::Argument => 0,
    }
}

/// Share of what its names are worth in a line that says less than its words.
pub(super) fn of_names(noise: Noise) -> f64 {
    match noise {
        Noise::Repeat(times) => 1.0 / (1.0 + f64::from(times)),
        Noise::Aside => ASIDE,
        Noise::None | Noise::Blob | Noise::Verdict => 1.0,
    }
}

/// Factor on the tokens of a told step.
pub(super) fn telling(weight: Weight) -> f64 {
    match weight {
        Weight::Look => LOOKED,
        Weight::Run => RAN,
        Weight::Change => CHANGED,
        Weight::Answer => 400.0,
    }
}
