//! How much of a model's window a policy uses.

use serde::{Deserialize, Serialize};

use crate::count::budget::{OutputReserve, Rules, Share};

/// The table `budget` of a policy file. What it does not say is as everywhere.
#[derive(Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
pub(super) struct Written {
    system_reserve: Option<usize>,
    output_reserve: Option<WrittenReserve>,
    safety: Option<usize>,
    threshold: Option<f64>,
    threshold_at_most: Option<usize>,
    approaching: Option<f64>,
    target: Option<f64>,
    scales: Option<bool>,
}

/// A number of tokens, or `"model"` for as much as the model can write.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum WrittenReserve {
    /// So many.
    Tokens(usize),
    /// `model`.
    Word(String),
}

impl WrittenReserve {
    /// What is meant; `name` is where it is written.
    pub(super) fn read(&self, name: &str) -> Result<OutputReserve, String> {
        match self {
            WrittenReserve::Tokens(tokens) => Ok(OutputReserve::Tokens(*tokens)),
            WrittenReserve::Word(word) if word == "model" => Ok(OutputReserve::ModelMax),
            WrittenReserve::Word(word) => {
                Err(format!("`{name}` is `{word}`; it is a number of tokens or \"model\""))
            }
        }
    }
}

impl Written {
    pub(super) fn read(self) -> Result<Rules, String> {
        let usual = Rules::default();
        let share = |name: &str, written: Option<f64>, usual: Share| match written {
            None => Ok(usual),
            Some(value) => super::share(&format!("budget.{name}"), value),
        };
        let output_reserve = match self.output_reserve {
            None => usual.output_reserve,
            Some(written) => written.read("budget.output_reserve")?,
        };
        Ok(Rules {
            system_reserve: self.system_reserve.unwrap_or(usual.system_reserve),
            output_reserve,
            safety: self.safety.unwrap_or(usual.safety),
            threshold: share("threshold", self.threshold, usual.threshold)?,
            threshold_at_most: self.threshold_at_most.or(usual.threshold_at_most),
            approaching: share("approaching", self.approaching, usual.approaching)?,
            target: share("target", self.target, usual.target)?,
            scales: self.scales.unwrap_or(usual.scales),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::folding::policy::Policy;

    fn policy(budget: &str) -> Result<Rules, String> {
        let text = format!("name = \"mine\"\nabout = \"\"\n[budget]\n{budget}");
        Policy::parse(&text).map(|policy| policy.budget).map_err(|error| error.to_string())
    }

    #[test]
    fn every_number_of_a_budget_can_be_set() {
        let all = "system_reserve = 1\noutput_reserve = 2\nsafety = 3\nthreshold = 0.5\nthreshold_at_most = 4\n\
                   approaching = 0.7\ntarget = 0.4\nscales = false\n";
        let wanted = Rules {
            system_reserve: 1,
            output_reserve: OutputReserve::Tokens(2),
            safety: 3,
            threshold: Share::percent(50),
            threshold_at_most: Some(4),
            approaching: Share::percent(70),
            target: Share::percent(40),
            scales: false,
        };
        assert_eq!(policy(all), Ok(wanted));
        assert_eq!(policy(""), Ok(Rules::default()));
        let most = policy("output_reserve = \"model\"").map(|rules| rules.output_reserve);
        assert_eq!(most, Ok(OutputReserve::ModelMax));
    }

    #[test]
    fn what_is_no_budget_is_refused_by_name() {
        insta::assert_snapshot!(policy("threshold = 80").unwrap_err(), @"policy `mine`: `budget.threshold` is 80; it is a share between 0.05 and 1");
        insta::assert_snapshot!(policy("output_reserve = \"all\"").unwrap_err(), @r#"policy `mine`: `budget.output_reserve` is `all`; it is a number of tokens or "model""#);
    }
}
