//! Replaying sessions: which, against what, on all cores.

mod emit;
pub mod page;
mod sessions;
pub mod tables;

use std::num::NonZero;
use std::path::Path;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread;

use enfold::count::CachedCounter;
use enfold::count::budget::{Budget, BudgetSpec};
use enfold::count::models::{Model, Prices};
use enfold::folding::policy::POLICIES;
use enfold_replay::{Charged, Figures, Lifetime, Rates, Recorded, Setting, Way, charged, replay};
use serde::Serialize;

use crate::args::{FromArg, PolicyArg, ReplayArgs};
use crate::counting::Counting;
use crate::failure::Failure;
use crate::input::Input;
use crate::progress::Progress;
use crate::{input, output, policies, report};

pub use sessions::inputs;

/// Texts of a session whose counts are remembered.
const REMEMBERED_COUNTS: usize = 1 << 16;

/// What came of all sessions.
#[derive(Serialize)]
pub struct Replayed {
    pub sessions: Vec<One>,
    /// All sessions together, way by way.
    pub total: Vec<Row>,
}

/// What came of one session.
#[derive(Serialize)]
pub struct One {
    pub file: String,
    pub model: Option<String>,
    /// Tokens that requests could have.
    pub window: usize,
    /// Prices of what the cache held and of what was new, relative to plain input.
    pub read: f64,
    pub write: f64,
    /// Seconds that the cache keeps what was sent, where known.
    pub ttl: Option<u32>,
    /// Whether the session says when its requests were made, and that was heeded.
    pub has_clock: bool,
    /// What the provider charged for the session as it was, beside what would have been predicted.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub charged: Option<Charged>,
    pub ways: Vec<Row>,
}

/// What came of a way.
#[derive(Serialize)]
pub struct Row {
    pub way: String,
    /// What the input cost, against sending everything always; over several sessions the mean of these. Nothing where no request
    /// could be made: what must stay is larger than the window.
    pub relative_cost: Option<f64>,
    /// The same with what looking up costs.
    pub relative_cost_with_lookups: Option<f64>,
    #[serde(flatten)]
    pub figures: Figures,
}

/// What sessions are replayed against.
pub struct Asked<'a> {
    pub window: Option<BudgetSpec>,
    pub gaps: &'a [(usize, u32)],
    /// Whether time passes as it did.
    pub has_clock: bool,
    pub keeps_curve: bool,
}

/// Replays all that the command line names. Sessions without requests are left out, and said so.
pub fn replay_all(args: &ReplayArgs) -> Result<Replayed, Failure> {
    let ways = ways(args)?;
    let inputs = inputs(&args.files, args.last)?;
    let is_only = inputs.len() == 1;
    if args.emit.is_some() && !is_only {
        return Err(Failure::new("--emit", format!("there are {} sessions", inputs.len()), "name one FILE"));
    }
    let counting = Counting::new(&args.counting)?;
    let keeps_curve = is_only && (args.html.is_some() || args.json);
    let asked = Asked { window: args.window, gaps: &args.gap, has_clock: !args.no_clock, keeps_curve };
    let progress = Progress::items("replaying", inputs.len() as u64);
    let done = on_all_cores(&inputs, &progress, |input| {
        replay_one(&asked, &ways, &counting, input, &args.from, args.emit.as_deref())
    });
    drop(progress);
    let mut sessions = Vec::new();
    for (input, one) in inputs.iter().zip(done) {
        match one {
            Ok(Some(one)) => sessions.push(one),
            Ok(None) => output::note(&format!("{input}: it has no request to replay; left out\n")),
            Err(failure) if is_only => return Err(failure),
            Err(failure) => {
                let why = failure.message().unwrap_or_default();
                output::note(&format!("{}; left out\n", report::clean(&why)));
            }
        }
    }
    if sessions.is_empty() {
        let remedy = "name a FILE in which a model answers";
        return Err(Failure::new("replay", "no session has a request to replay", remedy));
    }
    tell_late_gaps(&args.gap, &sessions);
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

/// Does something with each input, on all cores; what came of it in their order.
pub fn on_all_cores<T: Send>(
    inputs: &[Input],
    progress: &Progress,
    work: impl Fn(&Input) -> T + Sync,
) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::default();
    let take = || {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        inputs.get(nth).map(|input| (nth, input))
    };
    let run = || {
        while let Some((nth, input)) = take() {
            let one = work(input);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((nth, one));
            progress.one_more();
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(inputs.len());
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(run))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, one)| one).collect()
}

/// What is compared, what everything is measured against first.
fn ways(args: &ReplayArgs) -> Result<Vec<Way>, Failure> {
    let mut ways = vec![Way::Everything];
    for named in &args.policy {
        ways.push(Way::policy(policies::load(named)?.0));
    }
    if args.emit.is_none() {
        ways.insert(1, Way::compaction().map_err(|error| Failure::BadInput(error.to_string()))?);
    }
    if args.all_policies {
        let is_there = |name: &str| args.policy.contains(&PolicyArg::Named(name.into()));
        for (name, _) in POLICIES.iter().filter(|(name, _)| !is_there(name)) {
            ways.push(Way::policy(policies::load(&PolicyArg::Named(name.to_string()))?.0));
        }
    }
    Ok(ways)
}

/// One session every way; the requests of the first policy are written where somebody asked for them. Nothing where no model
/// was asked for anything.
pub fn replay_one(
    asked: &Asked,
    ways: &[Way],
    counting: &Counting,
    input: &Input,
    from: &FromArg,
    emit: Option<&Path>,
) -> Result<Option<One>, Failure> {
    let recorded = Recorded::new(input::read_session(input, from)?);
    if recorded.requests().is_empty() {
        return Ok(None);
    }
    let (model, counter) = counting.of_session(&recorded.document);
    let model = model.as_ref().map(|resolved| &resolved.model);
    let (limit, window) = room(asked.window, input, model)?;
    let lifetime = if recorded.document.is_kept_long { Lifetime::Long } else { Lifetime::Short };
    let priced = model.filter(|model| model.prices.is_some());
    let rates = priced.map_or_else(Rates::default, |model| Rates::of(model, lifetime));
    let setting = Setting {
        limit,
        window,
        // Every way counts the same texts.
        counter: Arc::new(CachedCounter::new(counter, REMEMBERED_COUNTS)),
        image: model.map_or_else(Default::default, |model| model.image),
        rates,
        // Writes that are kept longer are dearer.
        prices: model
            .and_then(|model| model.prices)
            .map(|prices| Prices { cache_write: prices.input * rates.write, ..prices }),
        judges: true,
        keeps_curve: asked.keeps_curve,
        has_clock: asked.has_clock,
        pauses: asked.gaps.to_vec(),
    };
    let mut emitter = emit.map(emit::Emitter::create).transpose()?;
    let mut rows: Vec<Row> = Vec::new();
    for (nth, way) in ways.iter().enumerate() {
        // With `--emit` there is no compaction, and the first policy stands second.
        let mut emitter = emitter.as_mut().filter(|_| nth == 1);
        let figures = replay(&recorded, way, &setting, |request| {
            if let Some(emitter) = &mut emitter {
                emitter.write(&request);
            }
        });
        let against = rows.first().map_or(figures.cost, |everything| everything.figures.cost);
        rows.push(Row::of(way, figures, against));
    }
    if let Some(emitter) = emitter {
        emitter.finish()?;
    }
    Ok(Some(One {
        file: input.to_string(),
        model: model.map(|model| model.id.clone()),
        window: limit,
        read: rates.read,
        write: rates.write,
        ttl: rates.ttl,
        has_clock: asked.has_clock && recorded.has_clock(),
        charged: charged(&recorded, &setting),
        ways: rows,
    }))
}

/// Tokens that a request may have, and the whole window.
fn room(window: Option<BudgetSpec>, input: &Input, model: Option<&Model>) -> Result<(usize, usize), Failure> {
    if let Some(BudgetSpec::Tokens(tokens)) = window {
        return Ok((tokens, tokens));
    }
    let Some(model) = model else {
        return Err(Failure::new(
            input,
            "it names no model, so its window is not known",
            "say --window 64k or --model MODEL",
        ));
    };
    let budget =
        Budget::of(model, Default::default()).map_err(|error| Failure::BadInput(error.to_string()))?;
    // What is dearer beyond a cliff is not worth going there.
    let cliff = model.prices.and_then(|prices| prices.cliff).map_or(usize::MAX, |cliff| cliff.over);
    let usable = budget.usable.min(cliff);
    match window {
        Some(BudgetSpec::OfWindow(share)) => Ok((share.of(usable), model.context)),
        _ => Ok((usable, model.context)),
    }
}

fn total(ways: &[Way], sessions: &[One]) -> Vec<Row> {
    let mut total = Vec::new();
    for (nth, way) in ways.iter().enumerate() {
        let mut figures = Figures::default();
        let rows = || sessions.iter().map(|one| &one.ways[nth]);
        rows().for_each(|row| figures.merge(&row.figures));
        total.push(Row {
            way: way.name().to_string(),
            relative_cost: mean(rows().map(|row| row.relative_cost)),
            relative_cost_with_lookups: mean(rows().map(|row| row.relative_cost_with_lookups)),
            figures,
        });
    }
    total
}

impl Row {
    fn of(way: &Way, figures: Figures, against: f64) -> Row {
        let has_requests = figures.failed < figures.requests;
        let relative = |cost: f64| has_requests.then(|| cost / against.max(1.0));
        Row {
            way: way.name().to_string(),
            relative_cost: relative(figures.cost),
            relative_cost_with_lookups: relative(figures.cost + figures.lookup_cost),
            figures,
        }
    }
}

/// The mean of what is known.
fn mean(values: impl Iterator<Item = Option<f64>>) -> Option<f64> {
    let known: Vec<f64> = values.flatten().collect();
    (!known.is_empty()).then(|| known.iter().sum::<f64>() / known.len() as f64)
}
