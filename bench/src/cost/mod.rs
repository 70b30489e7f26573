//! What sessions cost and keep, way by way: the section *Cost* of the results, and its plots.

mod ablation;
mod charged;
mod peers;
mod plots;
mod sessions;
mod tables;

use std::sync::Arc;

use enfold::count::Encoding;
use enfold::folding::policy::{POLICIES, Policy};
use enfold_replay::{Setting, Way};

use crate::{Failure, report};
use sessions::{Corpus, Outcome};

/// Windows that are replayed at.
const WINDOWS: [usize; 2] = [32_000, 64_000];

/// Replays everything and writes the section.
pub(crate) fn run() -> Result<(), Failure> {
    let mut body = format!(
        "Real sessions sent once more, request by request (`enfold replay`): every session of `dev` over 1.25 windows with at least ten \
         requests. What the cache held costs .1 of plain input, what is new 1.25, nothing is forgotten. `cost`: against sending \
         everything, mean over sessions; `+rec`: with look-ups (`look-ups` of 100 requests), a model, no agent was run; `breaks` of 100 \
         requests; `over`: requests for which there was no view within the window, charged as sending everything and not judged (ways with many are not in the plot); the others as `enfold replay --help` says. {}\n\n\
         **Constants of `balanced` were chosen on all of these sessions**, both halves: the halves (projects by turns) say how much projects \
         differ, not how a stranger's would do.\n\n",
        report::machine()
    );
    let mut drawn = Vec::new();
    for window in WINDOWS {
        let corpus = Corpus::over(window)?;
        eprintln!("window {window}: {} sessions", corpus.sessions.len());
        let outcomes = corpus.replay(&ways()?, &setting(window));
        body += &tables::ways(&corpus, &outcomes);
        if window == WINDOWS[0] {
            drawn = outcomes;
            let ablated = corpus.replay(&ablation::ways()?, &setting(window));
            body += &ablation::table(&corpus, &ablated);
            plots::context_size(&corpus, &setting(window))?;
        }
    }
    let others = Corpus::others_over(WINDOWS[0])?;
    body += "Logs of agents (`native`) that `dev` does not have; nothing was chosen by them.\n\n";
    body += &tables::ways(&others, &others.replay(&ways()?, &setting(WINDOWS[0])));
    plots::cost_against_recall(&drawn)?;
    body += "![Cost against recall at 32k](cost-recall.svg)\n\n![Context size over a session](context-size.svg)\n\n";
    body += &charged::table()?;
    report::write("Cost", &body)?;
    peers::run()
}

/// Other systems by themselves.
pub(crate) fn run_peers() -> Result<(), Failure> {
    peers::run()
}

/// What the providers charged beside what would have been predicted, by itself.
pub(crate) fn print_charged() -> Result<(), Failure> {
    println!("{}", charged::table()?);
    Ok(())
}

/// What is compared: everything first, what agents do by themselves, what ships.
fn ways() -> Result<Vec<Way>, Failure> {
    let mut ways = vec![Way::Everything, Way::compaction()?, Way::policy(Policy::named("balanced")?)];
    for (name, _) in POLICIES.iter().filter(|(name, _)| *name != "balanced") {
        ways.push(Way::policy(Policy::named(name)?));
    }
    Ok(ways)
}

/// As `cost.py` prices: every token of the window is for messages.
fn setting(window: usize) -> Setting {
    Setting { has_clock: false, ..Setting::new(window, Arc::new(Encoding::O200k)) }
}

/// The mean cost of a way, and with look-ups.
fn relative(outcomes: &[Outcome]) -> (f64, f64) {
    let mean =
        |value: fn(&Outcome) -> f64| outcomes.iter().map(value).sum::<f64>() / outcomes.len().max(1) as f64;
    (mean(|outcome| outcome.relative), mean(|outcome| outcome.with_lookups))
}
