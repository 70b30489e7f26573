//! What says that a line is worth keeping, and a fold that does not listen to some of it.

use serde::{Deserialize, Serialize};

use super::weights::{INSIDE, Sight, Weights};

/// Something by which a line is worth more or less than another of its length.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Signal {
    /// How long ago it was.
    Recency,
    /// Whether the model said it, and used its names.
    Voice,
    /// Whether a sentence of the model announces its call or concludes something.
    Saying,
    /// How often its names occur.
    Frequency,
    /// Among how many others its names stand.
    Company,
    /// What kind of names they are, and in how many messages they stand.
    Rarity,
    /// Names of the last responses once more, where they stand in older text.
    Echo,
    /// How much its step looks like the last ones.
    Likeness,
    /// The newest steps.
    Newest,
    /// Standing between its own neighbours.
    Neighbours,
    /// The harm of gaps.
    Gaps,
    /// Definitions, their heads, and where a reader would cut.
    Shape,
    /// Failures and totals.
    Verdicts,
    /// Whether a file still stands as it was shown.
    Currency,
    /// Lines that the model wrote, told beside a step that left.
    Excerpts,
    /// Commands and paths of steps that left, listed word for word.
    Verbatim,
}

impl Weights {
    /// With signals that count for nothing.
    pub(super) fn without(self, signals: &[Signal]) -> Weights {
        signals.iter().fold(self, |weights, signal| match signal {
            Signal::Recency => Weights { base_age: 0.0, ..weights.seen(|sight| Sight { age: 0.0, ..sight }) },
            Signal::Voice => Weights { said: 1.0, ..weights.seen(|sight| Sight { assistant: 1.0, ..sight }) },
            Signal::Saying => Weights { announced: 1.0, concluded: 1.0, ..weights },
            Signal::Frequency => weights.seen(|sight| Sight { occurrences: 0.0, ..sight }),
            Signal::Company => weights.seen(|sight| Sight { company: 0.0, ..sight }),
            Signal::Rarity => Weights { number: 1.0, path: 1.0, common: 1.0, ..weights },
            Signal::Echo => Weights { echo: 0.0, ..weights },
            Signal::Likeness => Weights { affinity: 0.0, ..weights },
            Signal::Newest => Weights { newest: 1.0, ..weights },
            Signal::Neighbours => Weights { context: 0.0, ..weights },
            Signal::Gaps => Weights { fragmentation: 0.0, ..weights },
            Signal::Shape => Weights { border: INSIDE, heads: 0.0, block: 0.0, ..weights },
            Signal::Verdicts => Weights { verdict: 0.0, ..weights },
            Signal::Currency => Weights { replaced: 1.0, ..weights },
            Signal::Excerpts => Weights { told_written: 0.0, ..weights },
            Signal::Verbatim => Weights { verbatim: 0.0, ..weights },
        })
    }

    /// With names and lines weighed otherwise.
    fn seen(self, other: impl Fn(Sight) -> Sight) -> Weights {
        Weights { names: other(self.names), lines: other(self.lines), ..self }
    }
}
