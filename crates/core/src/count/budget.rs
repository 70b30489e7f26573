//! How much of a model's window to use.
//!
//! ```text
//! usable      = context − output reserve − system reserve − safety
//! threshold   = min(0.80 × usable, an absolute limit if set)     compaction starts here
//! approaching = 0.90 × usable                                     worth a warning: soon nothing fits any more
//! target      = 0.60 × usable, at most the threshold              what a compaction aims at (low water)
//! ```
//!
//! Where a model takes less input than its context (GPT-5: 272,000 of 400,000), `context − output reserve` is at
//! most that. So it is where all input is dearer in a request above some size (Gemini 2.5 Pro: 200,000 of 1,048,576): a price
//! cliff counts as the end of the window. All divisions round down.
//!
//! The reserves never take more than half of a window: in a small one they shrink, all in the same proportion. GPT-4 has
//! 8,192 tokens, less than the reserves together. Where somebody asked for these very numbers ([`Rules::scales`]), they
//! stand, and a window without room is an error.

mod spec;

use std::fmt;

pub use self::spec::{BudgetSpec, Share};
use crate::count::models::Model;

/// The numbers that a budget is made with.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Rules {
    /// Kept free for a system prompt and tools that are not in the history.
    pub system_reserve: usize,
    /// Kept free for the answer.
    pub output_reserve: OutputReserve,
    /// Kept free for what counting gets wrong.
    pub safety: usize,
    /// Share of the usable tokens at which compaction starts.
    pub threshold: Share,
    /// Tokens at which compaction starts at the latest.
    pub threshold_at_most: Option<usize>,
    /// Share of the usable tokens from which on there is little room left.
    pub approaching: Share,
    /// Share of the usable tokens that a compaction aims at.
    pub target: Share,
    /// Whether the reserves shrink in a window of which they would take more than half.
    pub scales: bool,
}

/// How much to keep free for the answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum OutputReserve {
    /// This many tokens.
    Tokens(usize),
    /// As much as the model can write; [`Rules::OUTPUT`] where that is unknown.
    ModelMax,
}

/// A budget with every number it was made from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Budget {
    /// The model's context.
    pub context: usize,
    /// The most input the model takes, where less than the context.
    pub max_input: Option<usize>,
    /// The most input that is not dearer, where there is a price cliff.
    pub cliff: Option<usize>,
    /// Kept free for the answer.
    pub output_reserve: usize,
    /// The rules, with the reserves as they are in this window.
    pub rules: Rules,
    /// What the reserves would take all together, where they had to shrink.
    pub shrunk_from: Option<usize>,
    /// Tokens that a history may take.
    pub usable: usize,
    /// Compaction starts above this.
    pub threshold: usize,
    /// Worth a warning above this.
    pub approaching: usize,
    /// What a compaction aims at.
    pub target: usize,
}

/// A number of a budget, its value and how it comes about.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BudgetRow {
    /// The number's name.
    pub name: &'static str,
    /// Its value.
    pub tokens: usize,
    /// The formula with its values; empty for what is given.
    pub formula: String,
}

/// What can be wrong with a budget. The caller can mend it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum BudgetError {
    /// The reserves take the whole window.
    #[error(
        "no room in a window of {context} tokens: output reserve {output}, system reserve {system} and safety {safety} take all of it; lower a reserve or give a budget in tokens"
    )]
    NoRoom {
        /// The window.
        context: usize,
        /// The output reserve.
        output: usize,
        /// The system reserve.
        system: usize,
        /// The safety margin.
        safety: usize,
    },
    /// The text is no budget.
    #[error(
        "budget `{0}` is not a number of tokens or a share; write for example 16000, 16k, 1.5M, 0.8 or 80%"
    )]
    NotABudget(String),
    /// A share above 1 or of 0.
    #[error("share `{0}` is not above 0 and at most 1; write for example 0.8")]
    NotAShare(String),
}

impl Rules {
    /// The output reserve when nothing is said.
    pub const OUTPUT: usize = 4_096;

    /// Makes the reserves smaller where they would take more than half of a window. Returns the output reserve, and what all
    /// would have taken.
    fn shrink(&mut self, context: usize, output: usize) -> (usize, Option<usize>) {
        let (all, most) = (output + self.system_reserve + self.safety, context / 2);
        if !self.scales || self.output_reserve == OutputReserve::ModelMax || all <= most {
            return (output, None);
        }
        let part = |reserve: usize| reserve * most / all;
        self.system_reserve = part(self.system_reserve);
        self.safety = part(self.safety);
        (part(output), Some(all))
    }
}

impl OutputReserve {
    /// The same in tokens.
    pub fn tokens(self, model: Option<&Model>) -> usize {
        match self {
            OutputReserve::Tokens(tokens) => tokens,
            OutputReserve::ModelMax => model.and_then(|model| model.max_output).unwrap_or(Rules::OUTPUT),
        }
    }
}

impl Default for Rules {
    fn default() -> Rules {
        Rules {
            system_reserve: 2_000,
            output_reserve: OutputReserve::Tokens(Rules::OUTPUT),
            safety: 5_000,
            threshold: Share::percent(80),
            threshold_at_most: None,
            approaching: Share::percent(90),
            target: Share::percent(60),
            scales: true,
        }
    }
}

impl Budget {
    /// The budget for a model.
    pub fn of(model: &Model, rules: Rules) -> Result<Budget, BudgetError> {
        let output_reserve = rules.output_reserve.tokens(Some(model));
        let most = Most { input: model.max_input, cheap: model.cliff() };
        Budget::within(model.context, most, output_reserve, rules)
    }

    /// The budget for a window without a model.
    pub fn of_window(
        context: usize,
        max_input: Option<usize>,
        output_reserve: usize,
        rules: Rules,
    ) -> Result<Budget, BudgetError> {
        Budget::within(context, Most { input: max_input, cheap: None }, output_reserve, rules)
    }

    fn within(
        context: usize,
        most: Most,
        output_reserve: usize,
        mut rules: Rules,
    ) -> Result<Budget, BudgetError> {
        let (output_reserve, shrunk_from) = rules.shrink(context, output_reserve);
        let input = most.ends().fold(context.saturating_sub(output_reserve), usize::min);
        let usable = input.saturating_sub(rules.system_reserve).saturating_sub(rules.safety);
        if usable == 0 {
            let (system, safety) = (rules.system_reserve, rules.safety);
            return Err(BudgetError::NoRoom { context, output: output_reserve, system, safety });
        }
        let threshold = rules.threshold.of(usable).min(rules.threshold_at_most.unwrap_or(usize::MAX));
        Ok(Budget {
            context,
            max_input: most.input,
            cliff: most.cheap,
            output_reserve,
            shrunk_from,
            usable,
            threshold,
            approaching: rules.approaching.of(usable),
            target: rules.target.of(usable).min(threshold),
            rules,
        })
    }

    /// Whether a history of this size is to be compacted.
    pub fn is_over(&self, tokens: usize) -> bool {
        tokens > self.threshold
    }

    /// Whether a history of this size leaves little room.
    pub fn is_approaching(&self, tokens: usize) -> bool {
        tokens > self.approaching
    }

    /// Every number with its formula, in the order in which they follow from each other.
    pub fn explain(&self) -> Vec<BudgetRow> {
        let given = |name, tokens| BudgetRow { name, tokens, formula: String::new() };
        let mut lines = vec![given("context", self.context)];
        lines.extend(self.max_input.map(|tokens| given("max input", tokens)));
        lines.extend(self.cliff.map(|tokens| given("price cliff", tokens)));
        let share = self.shrunk_from.map(|all| format!("shrunk to {} / {all} of it", self.context / 2));
        let reserve = |name, tokens| BudgetRow { name, tokens, formula: share.clone().unwrap_or_default() };
        lines.push(reserve("output reserve", self.output_reserve));
        lines.push(reserve("system reserve", self.rules.system_reserve));
        lines.push(reserve("safety", self.rules.safety));
        let (context, output) = (self.context, self.output_reserve);
        let ends: String =
            [self.max_input, self.cliff].iter().flatten().map(|end| format!(", {end}")).collect();
        let input = match ends.is_empty() {
            true => format!("{context} - {output}"),
            false => format!("min({context} - {output}{ends})"),
        };
        let usable = format!("{input} - {} - {}", self.rules.system_reserve, self.rules.safety);
        lines.push(BudgetRow { name: "usable", tokens: self.usable, formula: usable });
        let share = format!("{} x {}", self.rules.threshold, self.usable);
        let threshold = match self.rules.threshold_at_most {
            Some(most) => format!("min({share}, {most})"),
            None => share,
        };
        lines.push(BudgetRow { name: "threshold", tokens: self.threshold, formula: threshold });
        let approaching = format!("{} x {}", self.rules.approaching, self.usable);
        lines.push(BudgetRow { name: "approaching", tokens: self.approaching, formula: approaching });
        let target = format!("min({} x {}, {})", self.rules.target, self.usable, self.threshold);
        lines.push(BudgetRow { name: "target", tokens: self.target, formula: target });
        lines
    }
}

/// Where a window ends for input before it ends for all.
#[derive(Clone, Copy)]
struct Most {
    input: Option<usize>,
    cheap: Option<usize>,
}

impl Most {
    fn ends(self) -> impl Iterator<Item = usize> {
        self.input.into_iter().chain(self.cheap)
    }
}

impl fmt::Display for BudgetRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} {}", self.name, self.tokens)?;
        if self.formula.is_empty() { Ok(()) } else { write!(f, " = {}", self.formula) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::models::Table;

    #[test]
    fn the_default_budget_of_a_128k_window() {
        let budget = Budget::of(&Table::shipped().resolve("gpt-4o").model, Rules::default()).unwrap();
        assert_eq!(budget.usable, 116_904);
        assert_eq!(budget.threshold, 93_523);
        assert_eq!(budget.approaching, 105_213);
        assert_eq!(budget.target, 70_142);
        assert!(budget.is_over(93_524) && !budget.is_over(93_523));
        assert!(budget.is_approaching(105_214) && !budget.is_approaching(105_213));
    }

    #[test]
    fn an_output_reserve_of_4000_gives_a_threshold_of_93600() {
        let budget = Budget::of_window(128_000, None, 4_000, Rules::default()).unwrap();
        assert_eq!((budget.usable, budget.threshold), (117_000, 93_600));
    }

    #[test]
    fn the_models_max_output_can_be_reserved() {
        let rules = Rules { output_reserve: OutputReserve::ModelMax, ..Rules::default() };
        let budget = Budget::of(&Table::shipped().resolve("gpt-4o").model, rules).unwrap();
        assert_eq!(budget.usable, 128_000 - 16_384 - 7_000);
    }

    #[test]
    fn a_model_that_takes_less_input_than_its_context_is_not_overfilled() {
        let budget = Budget::of(&Table::shipped().resolve("gpt-5").model, Rules::default()).unwrap();
        assert_eq!(budget.usable, 272_000 - 7_000);
    }

    #[test]
    fn a_price_cliff_ends_a_window() {
        let gemini = Table::shipped().resolve("gemini-2.5-pro").model;
        let budget = Budget::of(&gemini, Rules::default()).unwrap();
        assert_eq!((budget.cliff, budget.usable), (Some(200_000), 200_000 - 7_000));
        let lines: Vec<String> = budget.explain().iter().map(BudgetRow::to_string).collect();
        insta::assert_snapshot!(lines[..7].join("\n"), @"
        context 1048576
        price cliff 200000
        output reserve 4096
        system reserve 2000
        safety 5000
        usable 193000 = min(1048576 - 4096, 200000) - 2000 - 5000
        threshold 154400 = 0.80 x 193000
        ");
        let free = Table::shipped().resolve("gemma-3-27b-it").model;
        assert_eq!(
            Budget::of(&free, Rules::default()).unwrap().cliff,
            None,
            "what is free is not dearer beyond it"
        );
    }

    #[test]
    fn an_absolute_threshold_binds_threshold_and_target() {
        let rules = Rules { threshold_at_most: Some(50_000), ..Rules::default() };
        let budget = Budget::of_window(128_000, None, 4_096, rules).unwrap();
        assert_eq!((budget.threshold, budget.approaching, budget.target), (50_000, 105_213, 50_000));
    }

    #[test]
    fn reserves_take_half_of_a_small_window_at_most() {
        let gpt4 = Table::shipped().resolve("gpt-4").model;
        let budget = Budget::of(&gpt4, Rules::default()).unwrap();
        assert_eq!((budget.context, budget.usable, budget.threshold), (8_192, 4_097, 3_277));
        let lines: Vec<String> = budget.explain().iter().map(BudgetRow::to_string).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        context 8192
        output reserve 1512 = shrunk to 4096 / 11096 of it
        system reserve 738 = shrunk to 4096 / 11096 of it
        safety 1845 = shrunk to 4096 / 11096 of it
        usable 4097 = 8192 - 1512 - 738 - 1845
        threshold 3277 = 0.80 x 4097
        approaching 3687 = 0.90 x 4097
        target 2458 = min(0.60 x 4097, 3277)
        ");
        let whole = Budget::of_window(22_192, None, 4_096, Rules::default()).unwrap();
        assert_eq!((whole.usable, whole.shrunk_from), (11_096, None), "exactly half");
    }

    #[test]
    fn a_window_that_reserves_of_ones_own_fill_is_an_error_with_a_remedy() {
        let rules = Rules { scales: false, ..Rules::default() };
        let error = Budget::of(&Table::shipped().resolve("gpt-4").model, rules).unwrap_err();
        assert_eq!(
            error.to_string(),
            "no room in a window of 8192 tokens: output reserve 4096, system reserve 2000 and safety 5000 take all \
             of it; lower a reserve or give a budget in tokens"
        );
    }

    #[test]
    fn every_number_explains_itself() {
        let budget = Budget::of_window(400_000, Some(272_000), 4_096, Rules::default()).unwrap();
        let lines: Vec<String> = budget.explain().iter().map(BudgetRow::to_string).collect();
        insta::assert_snapshot!(lines.join("\n"), @"
        context 400000
        max input 272000
        output reserve 4096
        system reserve 2000
        safety 5000
        usable 265000 = min(400000 - 4096, 272000) - 2000 - 5000
        threshold 212000 = 0.80 x 265000
        approaching 238500 = 0.90 x 265000
        target 159000 = min(0.60 x 265000, 212000)
        ");
    }
}
