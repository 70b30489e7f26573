//! What a caller sets of a policy by name, without writing TOML: the options of the source documents.

use std::collections::BTreeMap;

use serde::{Deserialize, Serialize};

use super::{Policy, PolicyError, PolicyPass, When, budget, share, understanding};
use crate::folding::passes::{Registry, as_json};

/// Settings of a policy. What is `None` or empty stays as the policy has it; what the policy has no place for is refused, so that
/// nothing is set in vain.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Settings {
    /// Tokens that are kept free. Numbers given here stand as they are; the others shrink in a small window.
    #[serde(skip_serializing)]
    pub reserves: Reserves,
    /// From where on a history is folded: a share of the usable tokens (0.8), or tokens (90000).
    pub threshold: Option<f64>,
    /// What folding aims at: a share of the usable tokens.
    pub target: Option<f64>,
    /// Tool → `rereadable`, `non-reproducible`, `ephemeral` or `computational`.
    #[serde(skip_serializing)]
    pub categories: BTreeMap<String, String>,
    /// Tools of one's own.
    #[serde(skip_serializing)]
    pub own_tools: Vec<OwnTool>,
    /// Files that count as changed by the session, whatever its calls show.
    #[serde(skip_serializing)]
    pub modified: Vec<String>,
    /// Texts at the head of a message by which injected instructions are known, beside the usual ones.
    #[serde(skip_serializing)]
    pub instruction_marks: Vec<String>,
    /// How many steps and turns count as recent; `trim_age` leaves so many turns alone.
    pub preserve_recent_turns: Option<u32>,
    /// One summary stands for what passes before left out.
    pub summarize_dropped: Option<bool>,
    /// Larger results are cut when they come in, in tokens.
    pub max_result_tokens: Option<usize>,
    /// Share of the window below which old results are not shrunk.
    pub trim_floor: Option<f64>,
    /// The newest tokens in which results stay whole: so many at least,
    pub hot_zone_tokens: Option<usize>,
    /// or this share of the window.
    pub hot_zone_share: Option<f64>,
    /// Characters kept at either end of a result, nearest to the hot zone.
    pub bookend_max_chars: Option<usize>,
    /// Characters kept at either end, furthest from it.
    pub bookend_min_chars: Option<usize>,
    /// Share of the window over which these ends shrink.
    pub degradation_span: Option<f64>,
    /// How many times as deep the hot zone is for what cannot be had again.
    pub extended_retention: Option<f64>,
    /// How many reads of one file stay whole at most.
    pub max_file_reads: Option<usize>,
    /// Whether steps that changed a file always stay.
    pub keep_all_edits: Option<bool>,
    /// Output of commands over so many characters keeps its ends: a fifth of that each, 2,000 characters at most.
    pub bash_truncate: Option<usize>,
    /// Listings stay among so many newest results.
    pub keep_listings: Option<usize>,
    /// Clearing outputs has to save so many tokens.
    pub prune_minimum: Option<usize>,
    /// So many tokens of the newest outputs stay.
    pub prune_protect: Option<usize>,
    /// The newest turns that are neither pruned nor summarized.
    pub min_turns_to_keep: Option<u32>,
    /// The newest messages that are not summarized.
    pub recent_messages_to_keep: Option<usize>,
    /// Tokens that a model's part of a summary may take.
    pub summary_tokens: Option<usize>,
    /// How a summary is asked for: `coding`, `cms`.
    pub summary_template: Option<String>,
    /// What else a model should keep in mind when it writes a summary.
    pub summary_guidance: Option<String>,
}

/// Tokens that are kept free in a window.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Reserves {
    /// For a system prompt and tools that are not in the history.
    pub system: Option<usize>,
    /// For the answer: tokens, or `"model"` for as much as the model can write.
    pub output: Option<budget::WrittenReserve>,
    /// For what counting gets wrong.
    pub safety: Option<usize>,
}

/// A tool that no vocabulary knows.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct OwnTool {
    /// Its name.
    pub name: String,
    /// What it does: `read`, `write`, `replace`, `shell`, `search`, …
    pub does: String,
    /// The argument that holds the path, where it is none of the usual ones.
    #[serde(default)]
    pub path: Option<String>,
}

/// A setting that is an option of a pass.
struct PassOption {
    setting: &'static str,
    pass: &'static str,
    option: &'static str,
    /// Passes that have this option set are other uses of the same pass, and stay as they are.
    not: Option<&'static str>,
}

const fn option(setting: &'static str, pass: &'static str, option: &'static str) -> PassOption {
    PassOption { setting, pass, option, not: None }
}

/// What each setting means to the passes.
const PASS_OPTIONS: [PassOption; 21] = [
    PassOption { not: Some("over_limit"), ..option("preserve_recent_turns", "trim_age", "keep_turns") },
    option("max_result_tokens", "cap_results", "max_tokens"),
    option("trim_floor", "microcompact", "floor_share"),
    option("hot_zone_tokens", "microcompact", "hot_tokens"),
    option("hot_zone_share", "microcompact", "hot_share"),
    option("bookend_max_chars", "microcompact", "bookend_max"),
    option("bookend_min_chars", "microcompact", "bookend_min"),
    option("degradation_span", "microcompact", "span_share"),
    option("extended_retention", "microcompact", "retention"),
    option("extended_retention", "microcompact", "retention_with_files"),
    option("max_file_reads", "dedup_reads", "max_reads"),
    PassOption { not: Some("oldest_first"), ..option("bash_truncate", "truncate_output", "long") },
    PassOption { not: Some("oldest_first"), ..option("keep_listings", "truncate_output", "keep_light") },
    option("prune_minimum", "prune_outputs", "min_tokens"),
    option("prune_protect", "prune_outputs", "protect_tokens"),
    option("min_turns_to_keep", "prune_outputs", "keep_turns"),
    option("min_turns_to_keep", "summarize", "keep_turns"),
    option("recent_messages_to_keep", "summarize", "keep_messages"),
    option("summary_tokens", "summarize", "tokens"),
    option("summary_template", "summarize", "template"),
    option("summary_guidance", "summarize", "guidance"),
];

/// What stays of output that is cut.
const BASH_ENDS: PassOption =
    PassOption { not: Some("oldest_first"), ..option("bash_truncate", "truncate_output", "keep_chars") };

/// Settings that say something even where no pass has an option for them.
const ALSO_UNDERSTOOD: &str = "preserve_recent_turns";

impl Settings {
    /// The names of all settings.
    pub const NAMES: [&str; 28] = [
        "reserves",
        "threshold",
        "target",
        "categories",
        "own_tools",
        "modified",
        "instruction_marks",
        "preserve_recent_turns",
        "summarize_dropped",
        "max_result_tokens",
        "trim_floor",
        "hot_zone_tokens",
        "hot_zone_share",
        "bookend_max_chars",
        "bookend_min_chars",
        "degradation_span",
        "extended_retention",
        "max_file_reads",
        "keep_all_edits",
        "bash_truncate",
        "keep_listings",
        "prune_minimum",
        "prune_protect",
        "min_turns_to_keep",
        "recent_messages_to_keep",
        "summary_tokens",
        "summary_template",
        "summary_guidance",
    ];
}

impl Policy {
    /// The same policy with settings of one's own.
    pub fn with(mut self, settings: &Settings) -> Result<Policy, PolicyError> {
        let done = self
            .set_budget(settings)
            .and_then(|()| self.set_understanding(settings))
            .and_then(|()| self.set_summary(settings.summarize_dropped))
            .and_then(|()| self.set_passes(settings))
            .and_then(|()| self.set_ends(settings.bash_truncate))
            .and_then(|()| self.set_edits(settings.keep_all_edits));
        match done {
            Ok(()) => Ok(self),
            Err(why) => Err(PolicyError { policy: self.name, line: None, why }),
        }
    }

    fn set_budget(&mut self, settings: &Settings) -> Result<(), String> {
        let Reserves { system, output, safety } = &settings.reserves;
        let rules = &mut self.budget;
        rules.system_reserve = system.unwrap_or(rules.system_reserve);
        rules.safety = safety.unwrap_or(rules.safety);
        if let Some(output) = output {
            rules.output_reserve = output.read("reserves.output")?;
        }
        rules.scales &= system.is_none() && output.is_none() && safety.is_none();
        match settings.threshold {
            Some(tokens) if tokens > 1.0 => rules.threshold_at_most = Some(tokens as usize),
            Some(of_usable) => {
                rules.threshold = share("threshold", of_usable)?;
                self.epoch.above = rules.threshold;
            }
            None => {}
        }
        if let Some(of_usable) = settings.target {
            self.budget.target = share("target", of_usable)?;
            self.epoch.target = self.budget.target;
        }
        Ok(())
    }

    fn set_understanding(&mut self, settings: &Settings) -> Result<(), String> {
        let understanding = &mut self.understanding;
        for (tool, word) in &settings.categories {
            understanding.categories.set(tool, understanding::category(word)?);
        }
        for tool in &settings.own_tools {
            understanding.vocabulary.add(understanding::tool(
                tool.name.clone(),
                &tool.does,
                tool.path.clone(),
            )?);
        }
        understanding.modified.extend(settings.modified.iter().cloned());
        let priorities = &mut understanding.priorities;
        priorities.instruction_marks.extend(settings.instruction_marks.iter().cloned());
        if let Some(recent) = settings.preserve_recent_turns {
            (priorities.recent_steps, priorities.recent_turns) = (recent, recent);
        }
        Ok(())
    }

    fn set_passes(&mut self, settings: &Settings) -> Result<(), String> {
        let given = toml::Table::try_from(settings).map_err(|error| error.to_string())?;
        for (setting, value) in &given {
            let of_setting = || PASS_OPTIONS.iter().filter(|it| it.setting == setting);
            let mut is_set = setting == ALSO_UNDERSTOOD || of_setting().next().is_none();
            for option in of_setting() {
                is_set |= self.set_option(option, value)?;
            }
            if !is_set {
                return Err(self.lacks(setting, of_setting().map(|it| it.pass)));
            }
        }
        Ok(())
    }

    /// Sets an option wherever the policy uses the pass. Whether it does.
    fn set_option(&mut self, option: &PassOption, value: &toml::Value) -> Result<bool, String> {
        let is_meant = |step: &&mut PolicyPass| {
            step.pass.name() == option.pass && option.not.is_none_or(|not| !step.options.contains_key(not))
        };
        let mut is_set = false;
        for step in self.passes.iter_mut().filter(is_meant) {
            set(step, option.option, value.clone()).map_err(|why| format!("`{}`: {why}", option.setting))?;
            is_set = true;
        }
        Ok(is_set)
    }

    /// What stays of output that is cut is less than what may stay whole.
    fn set_ends(&mut self, bash_truncate: Option<usize>) -> Result<(), String> {
        let Some(most) = bash_truncate else { return Ok(()) };
        let ends = i64::try_from(most / 5).unwrap_or(i64::MAX).min(2_000);
        self.set_option(&BASH_ENDS, &ends.into()).map(|_| ())
    }

    /// Edits always stay, or are treated like everything else.
    fn set_edits(&mut self, keep: Option<bool>) -> Result<(), String> {
        let Some(keep) = keep else { return Ok(()) };
        let mut is_set = false;
        for step in self.passes.iter_mut().filter(|step| step.pass.name() == "trim_age") {
            set(step, "keep_edits", keep.into())?;
            is_set = true;
        }
        if !is_set {
            return Err(self.lacks("keep_all_edits", ["trim_age"].into_iter()));
        }
        // Where edits alone do not fit, there is no view; where they may go, there always is one.
        self.fits = !keep;
        Ok(())
    }

    /// A summary of what the passes left out comes last.
    fn set_summary(&mut self, summarize: Option<bool>) -> Result<(), String> {
        let Some(summarize) = summarize else { return Ok(()) };
        let left_out = toml::Value::from(i64::from(summarize));
        if let Some(step) = self.passes.iter_mut().find(|step| step.pass.name() == "summarize") {
            return set(step, "left_out", left_out);
        }
        if summarize {
            let options = toml::Table::from_iter([("left_out".to_string(), left_out)]);
            self.passes.push(PolicyPass {
                options: as_json(&options),
                pass: Registry::default().make("summarize", options)?,
                when: When::Epoch,
                why: "what was left out is told in one summary".into(),
            });
        }
        Ok(())
    }

    fn lacks(&self, setting: &str, passes: impl Iterator<Item = &'static str>) -> String {
        let mut passes: Vec<&str> = passes.collect();
        passes.dedup();
        let uses = |text: &str| passes.iter().any(|pass| text.contains(&format!("use = \"{pass}\"")));
        let others: Vec<&str> =
            super::POLICIES.iter().filter(|(_, text)| uses(text)).map(|(name, _)| *name).collect();
        let (passes, others) = (passes.join(", "), others.join(", "));
        format!("`{setting}` is for `{passes}`, which it does not use; these do: {others}")
    }
}

/// Makes a pass anew with one option set.
fn set(step: &mut PolicyPass, option: &str, value: toml::Value) -> Result<(), String> {
    let mut options = toml::Table::new();
    for (name, json) in &step.options {
        let value = serde_json::from_str(json).map_err(|error| format!("`{name}`: {error}"))?;
        options.insert(name.clone(), value);
    }
    options.insert(option.into(), value);
    step.options = as_json(&options);
    step.pass = Registry::default().make(step.pass.name(), options)?;
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::budget::Share;

    fn with(policy: &str, settings: &str) -> Result<Policy, String> {
        let settings: Settings = serde_json::from_str(settings).map_err(|error| error.to_string())?;
        Policy::named(policy).and_then(|policy| policy.with(&settings)).map_err(|error| error.to_string())
    }

    /// The options of the passes that a setting changed, in the order of the passes.
    fn changed(policy: &str, settings: &str) -> Vec<String> {
        let (before, after) = (Policy::named(policy).unwrap(), with(policy, settings).unwrap());
        let steps = before.passes.iter().map(Some).chain(std::iter::repeat(None)).zip(&after.passes);
        let lines = steps.flat_map(|(old, new)| {
            let is_new = move |(name, value): &(&String, &String)| {
                old.and_then(|old| old.options.get(*name)) != Some(*value)
            };
            let options = new.options.iter().filter(is_new);
            options.map(|(name, value)| format!("{}.{name} = {value}", new.pass.name()))
        });
        lines.collect()
    }

    #[test]
    fn settings_reach_the_passes_that_they_are_for() {
        let of_002 =
            r#"{"max_file_reads": 3, "bash_truncate": 5000, "keep_listings": 9, "keep_all_edits": false}"#;
        assert_eq!(
            changed("retention", of_002),
            [
                "truncate_output.keep_chars = 1000",
                "truncate_output.keep_light = 9",
                "truncate_output.long = 5000",
                "dedup_reads.max_reads = 3",
                "trim_age.keep_edits = false",
            ]
        );
        let of_003 = r#"{"prune_minimum": 1, "prune_protect": 2, "min_turns_to_keep": 3}"#;
        assert_eq!(
            changed("prune_then_summarize", of_003),
            [
                "prune_outputs.keep_turns = 3",
                "prune_outputs.min_tokens = 1",
                "prune_outputs.protect_tokens = 2",
                "summarize.keep_turns = 3",
            ]
        );
        assert_eq!(
            changed("priority", r#"{"summarize_dropped": true, "recent_messages_to_keep": 4}"#),
            ["summarize.keep_messages = 4", "summarize.left_out = 1"]
        );
    }

    #[test]
    fn what_is_set_is_what_the_pass_does() {
        let policy = with("prune", r#"{"prune_protect": 7}"#).unwrap();
        let pass = policy.find::<crate::folding::passes::PruneOutputs>().unwrap();
        assert_eq!((pass.protect_tokens, pass.min_tokens), (7, 20_000));
    }

    #[test]
    fn numbers_of_the_window_and_of_what_is_recent_are_set() {
        let policy = with(
            "summarize",
            r#"{"reserves": {"system": 1, "output": "model"}, "threshold": 0.5, "target": 0.4, "preserve_recent_turns": 3}"#,
        )
        .unwrap();
        let rules = &policy.budget;
        assert_eq!((rules.system_reserve, rules.safety, rules.scales), (1, 5_000, false));
        assert_eq!((rules.threshold, policy.epoch.above), (Share::percent(50), Share::percent(50)));
        assert_eq!((rules.target, policy.epoch.target), (Share::percent(40), Share::percent(40)));
        let recent = &policy.understanding.priorities;
        assert_eq!((recent.recent_steps, recent.recent_turns), (3, 3));
        let tokens = with("summarize", r#"{"threshold": 90000}"#).unwrap();
        assert_eq!(tokens.budget.threshold_at_most, Some(90_000));
    }

    #[test]
    fn nothing_is_set_in_vain() {
        let fault = |policy: &str, settings: &str| with(policy, settings).err().unwrap_or_default();
        insta::assert_snapshot!(fault("balanced", r#"{"prune_protect": 1}"#), @"policy `balanced`: `prune_protect` is for `prune_outputs`, which it does not use; these do: prune, prune_then_summarize");
        insta::assert_snapshot!(fault("prune", r#"{"keep_all_edits": true}"#), @"policy `prune`: `keep_all_edits` is for `trim_age`, which it does not use; these do: age, retention");
        insta::assert_snapshot!(fault("balanced", r#"{"categories": {"Bash": "forever"}}"#), @"policy `balanced`: `forever` is no category (rereadable, non-reproducible, ephemeral, computational)");
        insta::assert_snapshot!(fault("balanced", r#"{"reserves": {"output": "most"}}"#), @"policy `balanced`: `reserves.output` is `most`; it is a number of tokens or \"model\"");
    }

    #[test]
    fn every_setting_is_named_and_every_option_of_a_pass_is_one() {
        let written = serde_json::to_value(Settings::default()).unwrap();
        let fields = written.as_object().unwrap().keys();
        for field in fields {
            assert!(Settings::NAMES.contains(&field.as_str()), "{field}");
        }
        for name in Settings::NAMES {
            let any = serde_json::json!({ name: null });
            let error = serde_json::from_value::<Settings>(any).err().map(|error| error.to_string());
            assert!(!error.unwrap_or_default().contains("unknown field"), "{name}");
        }
        for PassOption { setting, pass, option, .. } in PASS_OPTIONS {
            let entry = crate::folding::passes::Entry::find(pass).expect(pass);
            assert!(entry.options().contains_key(option), "{setting}: {pass} has no option {option}");
        }
    }
}
