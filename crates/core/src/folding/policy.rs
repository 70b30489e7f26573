//! Policies: which passes, in which order, with which options, and why. Data, not code.

mod budget;
mod pruning;
mod room;
mod settings;
mod understanding;

use std::any::Any;
use std::collections::BTreeMap;

use serde::Deserialize;

use crate::count::budget::{Rules, Share};
use crate::folding::passes::{LastResort, Pass, Registry, as_json};
use crate::text::nearest;
use crate::understand::facts::Understanding;

pub use budget::WrittenReserve;
pub use room::Room;
pub use settings::{OwnTool, Reserves, Settings};

/// An ordered list of configured passes.
pub struct Policy {
    /// Its name.
    pub name: String,
    /// What it is for.
    pub about: String,
    /// Whether its views always fit if only the task does: if the passes are not enough, the oldest steps are left
    /// out. Without it a view that is over is refused.
    pub fits: bool,
    /// How much of a model's window a history may take, and from where on it is folded.
    pub budget: Rules,
    /// When a session opens a new epoch, and how far it folds then.
    pub epoch: EpochRules,
    /// What it adds to the understanding of tools and instructions.
    pub understanding: Understanding,
    /// The passes.
    pub passes: Vec<PolicyPass>,
    /// What makes its views fit where the passes did not, if they are to.
    pub(crate) last_resort: LastResort,
}

/// When a session opens a new epoch, and how far it folds then. Shares of the limit.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct EpochRules {
    /// From where on a view is too large.
    pub above: Share,
    /// How full the view is afterwards at most, if the passes reach it.
    pub target: Share,
    /// Requests that an epoch is to last: a session that grows fast folds deeper than `target`, to 30 % if need be. 0:
    /// always to `target`.
    pub lasts: u32,
    /// From where on a cold cache opens one although the view still fits.
    pub cold_above: Share,
}

/// No growth makes a session fold deeper than this, in percent of the limit: a view has to be worth going on from.
const DEEPEST: u32 = 30;

impl EpochRules {
    /// What an epoch folds to, where a request adds so many tokens.
    pub(crate) fn aim(&self, limit: usize, growth: usize) -> usize {
        let most = self.target.of(limit);
        let beside_the_next = limit.saturating_sub(growth.saturating_mul(self.lasts as usize));
        beside_the_next.max(Share::percent(DEEPEST).of(limit)).min(most)
    }
}

/// A pass in its place.
pub struct PolicyPass {
    /// The pass.
    pub pass: Box<dyn Pass>,
    /// When it works.
    pub when: When,
    /// Why it stands here.
    pub why: String,
    /// The options that the policy sets, as JSON writes them; the others have their defaults.
    pub options: BTreeMap<String, String>,
}

/// When a pass works in a session.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum When {
    /// When something must be folded: at the start of an epoch.
    #[default]
    Epoch,
    /// On each message before it is first sent, and at the start of an epoch too.
    Arrival,
    /// When the agent's work is done, whatever the size of the view, and at the start of an epoch too.
    End,
}

/// A policy that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("policy `{policy}`{}: {why}", line.map_or(String::new(), |line| format!(", line {line}")))]
#[non_exhaustive]
pub struct PolicyError {
    /// The policy's name.
    pub policy: String,
    /// The line of its text, counted from 1, where one is to blame; of a pass, the line at which it starts.
    pub line: Option<usize>,
    /// What is wrong, and what to do.
    pub why: String,
}

/// The policies that ship, by name.
pub static POLICIES: &[(&str, &str)] = &[
    ("balanced", include_str!("../../policies/balanced.toml")),
    ("priority", include_str!("../../policies/priority.toml")),
    ("microcompact", include_str!("../../policies/microcompact.toml")),
    ("prune", include_str!("../../policies/prune.toml")),
    ("age", include_str!("../../policies/age.toml")),
    ("retention", include_str!("../../policies/retention.toml")),
    ("summarize", include_str!("../../policies/summarize.toml")),
    ("prune_then_summarize", include_str!("../../policies/prune_then_summarize.toml")),
];

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    name: String,
    about: String,
    #[serde(default = "yes")]
    fits: bool,
    #[serde(default)]
    budget: budget::Written,
    #[serde(default)]
    epoch: WrittenEpoch,
    #[serde(default)]
    understand: understanding::Written,
    #[serde(default)]
    pass: Vec<toml::Spanned<toml::Table>>,
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields, default)]
struct WrittenEpoch {
    above: f64,
    target: f64,
    lasts: u32,
    cold_above: f64,
}

impl Default for WrittenEpoch {
    fn default() -> WrittenEpoch {
        WrittenEpoch { above: 1.0, target: 0.6, lasts: 0, cold_above: 0.65 }
    }
}

impl WrittenEpoch {
    fn read(&self) -> Result<EpochRules, String> {
        let share = |name: &str, value: f64| share(&format!("epoch.{name}"), value);
        Ok(EpochRules {
            above: share("above", self.above)?,
            target: share("target", self.target)?,
            lasts: self.lasts,
            cold_above: share("cold_above", self.cold_above)?,
        })
    }
}

/// A share as a policy file writes it, by its name there.
fn share(name: &str, value: f64) -> Result<Share, String> {
    match value {
        0.05..=1.0 => Ok(Share::percent((value * 100.0).round() as u32)),
        _ => Err(format!("`{name}` is {value}; it is a share between 0.05 and 1")),
    }
}

fn yes() -> bool {
    true
}

impl Policy {
    /// A policy that ships with Enfold.
    pub fn named(name: &str) -> Result<Policy, PolicyError> {
        match POLICIES.iter().find(|(known, _)| *known == name) {
            Some((_, text)) => Policy::parse(text),
            None => {
                let hint = nearest(name, POLICIES.iter().map(|(known, _)| *known));
                Err(PolicyError {
                    policy: name.into(),
                    line: None,
                    why: format!("there is no policy of that name{hint}"),
                })
            }
        }
    }

    /// Reads a policy from TOML. It names passes that ship.
    pub fn parse(text: &str) -> Result<Policy, PolicyError> {
        Policy::parse_with(text, &Registry::default())
    }

    /// The same for a policy that names passes of your own.
    pub fn parse_with(text: &str, registry: &Registry) -> Result<Policy, PolicyError> {
        let written: Written = toml::from_str(text).map_err(|error| PolicyError {
            policy: "?".into(),
            line: error.span().map(|span| line_at(text, span.start)),
            why: error.message().trim_end().to_string(),
        })?;
        let fault = |why: String| PolicyError { policy: written.name.clone(), line: None, why };
        let passes = written.pass.into_iter().map(|table| {
            let line = line_at(text, table.span().start);
            read_pass(table.into_inner(), registry)
                .map_err(|why| PolicyError { line: Some(line), ..fault(why) })
        });
        let passes = passes.collect::<Result<_, _>>()?;
        Ok(Policy {
            budget: written.budget.read().map_err(&fault)?,
            epoch: written.epoch.read().map_err(&fault)?,
            understanding: written.understand.read().map_err(&fault)?,
            name: written.name.clone(),
            about: written.about,
            fits: written.fits,
            passes,
            last_resort: LastResort::default(),
        })
    }
}

impl Policy {
    /// The tools that it adds, each with the word for what it does and the argument that holds its path.
    pub fn own_tools(&self) -> impl Iterator<Item = (&str, &'static str, Option<&str>)> {
        let tools = self.understanding.vocabulary.own().iter();
        tools.map(|it| (it.name.as_str(), understanding::word_for(it.kind), it.path_argument.as_deref()))
    }

    /// Whether it has passes for the end of the work.
    pub fn has_end(&self) -> bool {
        self.passes.iter().any(|step| step.when == When::End)
    }

    /// Its pass of this type, if it has one.
    pub(crate) fn find<P: Pass>(&self) -> Option<&P> {
        self.passes.iter().find_map(|step| (&*step.pass as &dyn Any).downcast_ref())
    }
}

/// A pass in its place: `use` names the pass, `why` gives the reason, `when` says when, everything else is an option of the pass.
fn read_pass(mut table: toml::Table, registry: &Registry) -> Result<PolicyPass, String> {
    let mut take = |key: &str| match table.remove(key) {
        Some(toml::Value::String(text)) => Ok(text),
        Some(_) => Err(format!("`{key}` of a pass is not a text")),
        None => Err(format!("a pass has no `{key}`")),
    };
    let name = take("use")?;
    let why = take("why").map_err(|why| format!("pass `{name}`: {why}"))?;
    let when = match table.remove("when") {
        None => When::default(),
        Some(when) => {
            when.try_into().map_err(|error: toml::de::Error| format!("pass `{name}`: {}", error.message()))?
        }
    };
    let options = as_json(&table);
    Ok(PolicyPass { pass: registry.make(&name, table)?, when, why, options })
}

/// The line that a byte of a text stands in, counted from 1.
fn line_at(text: &str, byte: usize) -> usize {
    text.bytes().take(byte).filter(|byte| *byte == b'\n').count() + 1
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_that_ships_is_sound() {
        for (name, _) in POLICIES {
            assert_eq!(Policy::named(name).ok().map(|policy| policy.name), Some(name.to_string()));
        }
    }

    #[test]
    fn a_session_that_grows_fast_folds_deeper_but_never_to_nothing() {
        let rules = EpochRules { lasts: 20, ..Policy::named("balanced").unwrap().epoch };
        assert_eq!(
            [0, 500, 600, 800, 5_000].map(|growth| rules.aim(20_000, growth)),
            [10_000, 10_000, 8_000, 6_000, 6_000]
        );
        let always = EpochRules { lasts: 0, ..rules };
        assert_eq!(always.aim(20_000, 5_000), 10_000);
    }

    #[test]
    fn misspelt_names_are_answered_with_the_nearest() {
        let fault = |text: &str| Policy::parse(text).err().map(|error| error.to_string()).unwrap_or_default();
        let with =
            |pass: &str| fault(&format!("name = \"mine\"\nabout = \"\"\n[[pass]]\nwhy = \"\"\n{pass}"));
        insta::assert_snapshot!(with("use = \"cap_result\""), @"policy `mine`, line 3: no pass named `cap_result`; did you mean `cap_results`?");
        insta::assert_snapshot!(with("use = \"cap_results\"\nmax_token = 5"), @"policy `mine`, line 3: pass `cap_results` has no option `max_token`; did you mean `max_tokens`?");
        insta::assert_snapshot!(with("use = \"cap_results\"\nmax_tokens = \"x\""), @r#"policy `mine`, line 3: pass `cap_results`: invalid type: string "x", expected usize"#);
        insta::assert_snapshot!(fault("name = \"mine\"\nabout = \"\"\nfit = true\n"), @"policy `?`, line 3: unknown field `fit`, expected one of `name`, `about`, `fits`, `budget`, `epoch`, `understand`, `pass`");
        insta::assert_snapshot!(fault("name = \"mine\"\nabout = \n"), @"policy `?`, line 2: string values must be quoted, expected literal string");
    }
}
