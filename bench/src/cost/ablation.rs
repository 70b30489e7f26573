//! `balanced` with one of its rules off in turn.

use std::fmt::Write as _;

use enfold::folding::policy::Policy;
use enfold_replay::Way;

use super::sessions::{Corpus, WayOutcomes};
use super::tables;
use crate::Failure;

/// A pass of a policy file, with options.
type Pass = (&'static str, &'static str, &'static str);

const CAP: Pass = ("cap_results", "arrival", "");
const DIGEST: Pass = ("digest_new", "arrival", "");
const REASONING: Pass = ("drop_reasoning", "", "");
const VALUE: Pass = ("fold_by_value", "", "");

/// What is changed, the options of its epochs, its passes.
const VARIANTS: [(&str, &str, &[Pass]); 12] = [
    ("`balanced`", "", &[CAP, DIGEST, REASONING, VALUE]),
    ("nothing is shrunk at first sight", "", &[CAP, REASONING, VALUE]),
    ("no cap for results of any size", "", &[DIGEST, REASONING, VALUE]),
    ("reasoning stays", "", &[CAP, DIGEST, VALUE]),
    ("oldest first instead of by value", "", &[CAP, DIGEST, REASONING, ("trim_age", "", "")]),
    ("by priority instead of by value", "", &[CAP, DIGEST, REASONING, ("trim_priority", "", "")]),
    (
        "at first sight also below a quarter",
        "",
        &[CAP, ("digest_new", "arrival", "above = 0.0"), REASONING, VALUE],
    ),
    (
        "no more room for files and work at first sight",
        "",
        &[CAP, ("digest_new", "arrival", "max_file = 1000\nmax_work = 1000"), REASONING, VALUE],
    ),
    ("equal reads are folded too, at epochs", "", &[CAP, DIGEST, ("dedup_reads", "", ""), REASONING, VALUE]),
    (
        "equal reads are folded too, at first sight",
        "",
        &[CAP, ("dedup_reads", "arrival", ""), DIGEST, REASONING, VALUE],
    ),
    ("epochs fold to 50 %", "target = 0.5", &[CAP, DIGEST, REASONING, VALUE]),
    ("epochs fold to 80 %", "target = 0.8", &[CAP, DIGEST, REASONING, VALUE]),
];

/// Everything, to measure against, and each variant.
pub(super) fn ways() -> Result<Vec<Way>, Failure> {
    let mut ways = vec![Way::Everything];
    for (name, epoch, passes) in VARIANTS {
        let mut file =
            format!("name = \"ablated\"\nabout = \"{}\"\n\n[epoch]\n{epoch}\n", name.replace('`', ""));
        for (pass, when, options) in passes {
            let when = if when.is_empty() { String::new() } else { format!("when = \"{when}\"\n") };
            let _ = write!(file, "\n[[pass]]\nuse = \"{pass}\"\n{when}{options}\nwhy = \"an ablation\"\n");
        }
        let mut policy = Policy::parse(&file).map_err(|error| format!("{name}: {error}"))?;
        policy.name = name.into();
        ways.push(Way::policy(policy));
    }
    Ok(ways)
}

/// A variant in each row.
pub(super) fn table(corpus: &Corpus, ways: &[WayOutcomes]) -> String {
    let mut text = format!(
        "### Each rule of `balanced` off in turn, window {}\n\n\
         What `fold_by_value` weighs inside has no switch and is not taken apart here.\n\n\
         | | cost | +rec | look-ups | breaks | over | recall | steps | lines | asked |\n|---|---|---|---|---|---|---|---|---|---|\n",
        corpus.window
    );
    for way in ways.iter().skip(1) {
        text += &tables::row(&way.way, &way.outcomes);
        text.push('\n');
    }
    text + "\n"
}
