//! Replaying sessions: which, against what, on all cores.

mod emit;
mod one;
pub mod page;
mod sessions;
pub mod tables;

use std::path::Path;

use enfold::folding::policy::{POLICIES, Policy};
use enfold_replay::{Figures, Way, on_all_cores};
use serde::Serialize;

use crate::args::{PolicyArg, ReplayArgs};
use crate::counting::Counting;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::{output, policies, report};

pub use one::{Asked, One};
pub use sessions::{inputs, refuse_to_overwrite};

/// What came of all sessions.
#[derive(Serialize)]
pub struct Replayed {
    pub sessions: Vec<One>,
    /// All sessions together, way by way.
    pub total: Vec<Row>,
}

/// What came of a way.
#[derive(Serialize)]
pub struct Row {
    pub way: String,
    pub kind: Kind,
    /// What the input cost, against sending everything always; over several sessions the mean of these.
    pub relative_cost: f64,
    /// The same with what looking up costs.
    pub relative_cost_with_lookups: f64,
    #[serde(flatten)]
    pub figures: Figures,
}

/// What kind of way it is: a policy may have any name.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
pub enum Kind {
    Everything,
    Compaction,
    Policy,
}

/// Replays all that the command line names.
pub fn replay_all(args: &ReplayArgs) -> Result<Replayed, Failure> {
    let ways = ways(args)?;
    let inputs = inputs(&args.files, args.last)?;
    let is_only = inputs.len() == 1;
    if args.emit.is_some() && !is_only {
        return Err(Failure::new("--emit", format!("there are {} sessions", inputs.len()), "name one FILE"));
    }
    if args.emit.as_deref() == Some(Path::new("-")) && args.json {
        return Err(Failure::new(
            "--emit -",
            "--json goes to standard output too",
            "name a file for one of them",
        ));
    }
    for (option, path) in [("--emit", &args.emit), ("--html", &args.html)] {
        refuse_to_overwrite(&inputs, option, path.as_deref())?;
    }
    let counting = Counting::new(&args.counting)?;
    let asked = Asked {
        ways: &ways,
        counting: &counting,
        from: &args.from,
        window: args.window,
        gaps: &args.gap,
        has_clock: !args.no_clock,
        keeps_curve: is_only && (args.html.is_some() || args.json),
        emit: args.emit.as_deref(),
    };
    let sessions = replay_each(&asked, &inputs, "replaying")?;
    if sessions.is_empty() {
        let remedy = "name a FILE in which a model answers";
        return Err(Failure::new("replay", "no session has a request to replay", remedy));
    }
    tell_late_gaps(&args.gap, &sessions);
    if args.emit.is_some() {
        output::note(
            "note: with --emit there is no row of `compaction at 95 %`; replay without it to compare\n",
        );
    }
    let total = total(&ways, &sessions);
    Ok(Replayed { sessions, total })
}

/// A pause before a request that no session has changes nothing, and whoever asked for it should know.
fn tell_late_gaps(gaps: &[(usize, u32)], sessions: &[One]) {
    let most = sessions.iter().map(|one| one.ways[0].figures.requests).max().unwrap_or(0);
    for (request, _) in gaps.iter().filter(|(request, _)| *request > most) {
        output::note(&format!(
            "note: --gap before request {request}: there are {}; this pause is left out\n",
            report::times(most as u64, "request")
        ));
    }
}

/// Replays each, on all cores. What cannot be read or has no request is left out, and said so; a session that stands alone
/// must be one.
pub fn replay_each(asked: &Asked, inputs: &[Input], doing: &str) -> Result<Vec<One>, Failure> {
    let progress = Progress::items(doing, inputs.len() as u64);
    let done = on_all_cores(inputs, |input| {
        let one = asked.replay(input);
        progress.one_more();
        one
    });
    drop(progress);
    let mut sessions = Vec::new();
    for (input, one) in inputs.iter().zip(done) {
        match one {
            Ok(Some(one)) => {
                output::note(&one.warnings);
                sessions.push(one);
            }
            Ok(None) => {
                let said = format!("{input}: it has no request to replay; left out\n");
                output::note(&report::clean_lines(&said));
            }
            Err(failure) if inputs.len() == 1 => return Err(failure),
            Err(failure) => {
                let why = failure.message().unwrap_or_default();
                output::note(&format!("{}; left out\n", report::clean(&why)));
            }
        }
    }
    Ok(sessions)
}

/// What is compared, what everything is measured against first.
fn ways(args: &ReplayArgs) -> Result<Vec<Way>, Failure> {
    let mut ways = vec![Way::Everything];
    if args.emit.is_none() {
        ways.push(Way::compaction().map_err(|error| Failure::BadInput(error.to_string()))?);
    }
    let mut named = args.policy.clone();
    if args.all_policies {
        let shipped = POLICIES.iter().map(|(name, _)| PolicyArg::Named(name.to_string()));
        named.extend(shipped.filter(|shipped| !args.policy.contains(shipped)));
    }
    let loaded = named.iter().map(|named| Ok(policies::load(named)?.0));
    let mut loaded = loaded.collect::<Result<Vec<_>, Failure>>()?;
    tell_apart(&named, &mut loaded);
    ways.extend(loaded.into_iter().map(Way::policy));
    Ok(ways)
}

/// A policy of a file whose name another one has too is called by its file: nobody could tell their rows apart.
fn tell_apart(named: &[PolicyArg], policies: &mut [Policy]) {
    let names: Vec<String> = policies.iter().map(|policy| policy.name.clone()).collect();
    for (named, policy) in named.iter().zip(policies) {
        let is_shared = names.iter().filter(|name| **name == policy.name).count() > 1;
        if let (PolicyArg::File(path), true) = (named, is_shared) {
            policy.name = path.display().to_string();
        }
    }
}

fn total(ways: &[Way], sessions: &[One]) -> Vec<Row> {
    let of_way = |(nth, way): (usize, &Way)| {
        let rows = || sessions.iter().map(|one| &one.ways[nth]);
        let mean = |value: fn(&Row) -> f64| rows().map(value).sum::<f64>() / sessions.len() as f64;
        let mut figures = Figures::default();
        rows().for_each(|row| figures.merge(&row.figures));
        Row {
            relative_cost: mean(|row| row.relative_cost),
            relative_cost_with_lookups: mean(|row| row.relative_cost_with_lookups),
            ..Row::of(way, figures, 1.0)
        }
    };
    ways.iter().enumerate().map(of_way).collect()
}

impl Row {
    fn of(way: &Way, figures: Figures, against: f64) -> Row {
        let against = against.max(1.0);
        Row {
            way: way.name().to_string(),
            kind: match way {
                Way::Everything => Kind::Everything,
                Way::Compaction(_) => Kind::Compaction,
                Way::Policy(_) => Kind::Policy,
            },
            relative_cost: figures.cost / against,
            relative_cost_with_lookups: (figures.cost + figures.lookup_cost) / against,
            figures,
        }
    }
}

/// The first policy among the ways.
fn folded(rows: &[Row]) -> Option<&Row> {
    rows.iter().find(|row| row.kind == Kind::Policy)
}
