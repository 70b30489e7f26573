//! `balanced` with one of its rules off in turn.

use std::fmt::Write as _;

use enfold::folding::policy::Policy;
use enfold_replay::Way;

use super::sessions::{Corpus, WayOutcomes};
use super::tables;
use crate::Failure;

/// A pass of a policy file: its name, when it works, its options.
type Pass = (&'static str, &'static str, &'static str);

const CAP: Pass = ("cap_results", "arrival", "");
const READS: Pass = ("dedup_reads", "arrival", "only_new = true\nmin_lines = 6");
const DIGEST: Pass = ("digest_new", "arrival", "");
const REASONING: Pass = ("drop_reasoning", "", "");
const VALUE: Pass = ("fold_by_value", "", "");

/// What is changed, the options of its epochs, its passes.
const VARIANTS: [(&str, &str, &[Pass]); 15] = [
    ("`balanced`", "", &[CAP, READS, DIGEST, REASONING, VALUE]),
    ("nothing is shrunk at first sight", "", &[CAP, READS, REASONING, VALUE]),
    ("no cap for results of any size", "", &[READS, DIGEST, REASONING, VALUE]),
    ("reasoning stays", "", &[CAP, READS, DIGEST, VALUE]),
    ("oldest first instead of by value", "", &[CAP, READS, DIGEST, REASONING, ("trim_age", "", "")]),
    ("by priority instead of by value", "", &[CAP, READS, DIGEST, REASONING, ("trim_priority", "", "")]),
    (
        "at first sight also below 15 %",
        "",
        &[CAP, READS, ("digest_new", "arrival", "above = 0.0"), REASONING, VALUE],
    ),
    (
        "as much room for files at first sight as for the rest",
        "",
        &[CAP, READS, ("digest_new", "arrival", "max_file = 600\nmax_range = 600"), REASONING, VALUE],
    ),
    (
        "half as much room again for everything at first sight",
        "",
        &[
            CAP,
            READS,
            ("digest_new", "arrival", "max_tokens = 900\nmax_file = 3300\nmax_range = 1800"),
            REASONING,
            VALUE,
        ],
    ),
    (
        "equal reads are folded at epochs too",
        "",
        &[CAP, READS, DIGEST, ("dedup_reads", "", ""), REASONING, VALUE],
    ),
    ("equal reads are sent again", "", &[CAP, DIGEST, REASONING, VALUE]),
    (
        "epochs fold to 50 %, however fast a session grows",
        "target = 0.5",
        &[CAP, READS, DIGEST, REASONING, VALUE],
    ),
    ("epochs fold to 35 %", "target = 0.35", &[CAP, READS, DIGEST, REASONING, VALUE]),
    ("epochs fold to 60 %", "target = 0.6", &[CAP, READS, DIGEST, REASONING, VALUE]),
    ("epochs fold to 80 %", "target = 0.8", &[CAP, READS, DIGEST, REASONING, VALUE]),
];

/// What `fold_by_value` listens to, each off in turn.
const SIGNALS: [(&str, &str); 16] = [
    ("recency", "how long ago"),
    ("voice", "who said it"),
    ("saying", "whether a sentence announces or concludes"),
    ("frequency", "how often its names occur"),
    ("company", "among how many its names stand"),
    ("rarity", "kinds of names, in how many messages they stand"),
    ("echo", "names of the last responses once more in older text"),
    ("likeness", "how much its step looks like the last ones"),
    ("newest", "the newest two steps"),
    ("neighbours", "standing between its own neighbours"),
    ("gaps", "the harm of gaps"),
    ("shape", "definitions, their heads, where a reader would cut"),
    ("verdicts", "failures and totals"),
    ("currency", "whether a file still stands as it was shown"),
    ("excerpts", "lines that the model wrote, told beside a step that left"),
    ("verbatim", "commands and paths of steps that left, word for word"),
];

/// Everything, to measure against, each variant, and `balanced` without each signal.
pub(super) fn ways() -> Result<Vec<Way>, Failure> {
    let mut ways = vec![Way::Everything];
    for (name, epoch, passes) in VARIANTS {
        ways.push(variant(name, epoch, passes)?);
    }
    for (signal, what) in SIGNALS {
        let without = format!("without = [\"{signal}\"]");
        let passes = [CAP, READS, DIGEST, REASONING, ("fold_by_value", "", without.as_str())];
        ways.push(variant(&format!("without `{signal}`: {what}"), "", &passes)?);
    }
    Ok(ways)
}

/// `balanced` with other options and passes; where nothing is said of its epochs, they are as they ship.
fn variant(name: &str, epoch: &str, passes: &[(&str, &str, &str)]) -> Result<Way, Failure> {
    let about = name.replace('`', "");
    let mut file = format!("name = \"ablated\"\nabout = \"{about}\"\n\n[epoch]\n{epoch}\n");
    for (pass, when, options) in passes {
        let when = if when.is_empty() { String::new() } else { format!("when = \"{when}\"\n") };
        let _ = write!(file, "\n[[pass]]\nuse = \"{pass}\"\n{when}{options}\nwhy = \"an ablation\"\n");
    }
    let mut policy = Policy::parse(&file).map_err(|error| format!("{name}: {error}"))?;
    policy.name = name.into();
    if epoch.is_empty() {
        policy.epoch = Policy::named("balanced")?.epoch;
    }
    Ok(Way::policy(policy))
}

/// A variant in each row.
pub(super) fn table(corpus: &Corpus, ways: &[WayOutcomes]) -> String {
    let mut text = format!(
        "### Each rule of `balanced` and each signal of `fold_by_value` off in turn, window {}\n\n\
         | | cost | +rec | look-ups | breaks | over | recall | steps | lines | asked |\n|---|---|---|---|---|---|---|---|---|---|\n",
        corpus.window
    );
    for way in ways.iter().skip(1) {
        text += &tables::row(&way.way, &way.outcomes);
        text.push('\n');
    }
    text + "\n"
}
