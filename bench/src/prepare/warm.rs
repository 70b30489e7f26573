//! A process that has the session open. One more message must cost the same however long the session is.

use std::sync::Arc;

use enfold::Cache;
use enfold_coordinator::Coordinator;
use enfold_store::{Sessions, Sqlite};

use super::parts::{self, Rows, timed};
use super::{ID, Stored, config, median, message};
use crate::Failure;

/// Messages that are pushed one after the other.
const MORE: usize = 100;
/// Not timed: the first ones prepare statements and dictionaries.
const FIRST: usize = 4;

/// Milliseconds for one more message.
#[derive(Default)]
struct Times {
    push: f64,
    prepare: f64,
    both: f64,
    half: f64,
    storing: f64,
    asking: f64,
    session: f64,
    view: usize,
}

pub(super) fn table(name: &str, limit: usize, stored: &[Stored]) -> Result<String, Failure> {
    let mut text = format!(
        "**Warm, {name}.** One more message of some 250 tokens pushed and the request prepared; milliseconds that a quarter of \
         {} messages stay below, without those that opened an epoch. (On a busy machine the others wait for their turn.)\n\n\
         | tokens | messages | in the view | push + prepare | half stay below | push | of it storing | prepare | of it asking the store | \
         the session alone: push + prepare | database ÷ originals |\n\
         |---|---|---|---|---|---|---|---|---|---|---|\n",
        MORE - FIRST
    );
    let all: Vec<Times> = stored.iter().map(|stored| times(limit, stored)).collect::<Result<_, _>>()?;
    for (stored, times) in stored.iter().zip(&all) {
        text += &format!(
            "| {} | {} | {} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.3} | {:.2} × |\n",
            stored.tokens,
            stored.messages,
            times.view,
            times.both,
            times.half,
            times.push,
            times.storing,
            times.prepare,
            times.asking,
            times.session,
            stored.size()? as f64 / stored.originals as f64
        );
    }
    if let [first, .., last] = &all[..] {
        text += &format!(
            "\nFrom the shortest to the longest: push {:.2} ×, prepare {:.2} ×, the session alone {:.2} ×.\n\n",
            last.push / first.push,
            last.prepare / first.prepare,
            last.session / first.session
        );
    }
    Ok(text)
}

fn times(limit: usize, stored: &Stored) -> Result<Times, Failure> {
    let whole = whole(limit, stored)?;
    in_parts(limit, stored, whole)
}

fn whole(limit: usize, stored: &Stored) -> Result<Times, Failure> {
    let mut session = Coordinator::open(Arc::new(Sqlite::open(stored.copy()?)?), ID, config(limit)?)?;
    session.prepare()?;
    let mut found = Times::default();
    let (mut pushes, mut prepares, mut both) = (Vec::new(), Vec::new(), Vec::new());
    for nth in 0..MORE {
        let ((), push) = timed(|| Ok(session.push(message(nth))?))?;
        let (ready, prepare) = timed(|| Ok(session.prepare()?))?;
        found.view = ready.messages.len();
        if ready.opened.is_none() && nth >= FIRST {
            pushes.push(push);
            prepares.push(prepare);
            both.push(push + prepare);
        }
    }
    [found.push, found.prepare, found.both] =
        [&mut pushes, &mut prepares, &mut both].map(|times| quarter(times));
    found.half = median(&mut both);
    Ok(found)
}

fn in_parts(limit: usize, stored: &Stored, found: Times) -> Result<Times, Failure> {
    let store = Sqlite::open(stored.copy()?)?;
    let rows = Rows::read(&store)?;
    let mut session = rows.session(limit)?;
    session.prepare(Cache::Warm)?;
    let mut times: [Vec<f64>; 3] = Default::default();
    for nth in 0..MORE {
        let ((), storing) = timed(|| parts::store_message(&store, rows.messages.len() + nth, &message(nth)))?;
        let (_, asking) = timed(|| Ok(store.session(ID)?))?;
        let (opened, alone) = timed(|| {
            session.push(message(nth))?;
            Ok(session.prepare(Cache::Warm)?.opened.is_some())
        })?;
        if !opened && nth >= FIRST {
            for (times, ms) in times.iter_mut().zip([storing, asking, alone]) {
                times.push(ms);
            }
        }
    }
    let [storing, asking, session] = times.each_mut().map(|times| quarter(times));
    Ok(Times { storing, asking, session, ..found })
}

fn quarter(times: &mut [f64]) -> f64 {
    times.sort_by(f64::total_cmp);
    times.get(times.len() / 4).copied().unwrap_or(f64::NAN)
}
