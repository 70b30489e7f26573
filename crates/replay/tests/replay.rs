//! Sessions sent once more, and what is charged for them.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use enfold::count::Encoding;
use enfold::file::read_bytes;
use enfold::folding::policy::Policy;
use enfold_replay::{Figures, Rates, Recorded, Request, Setting, Way, replay};
use serde_json::json;

/// A session of so many steps, each with a result of about 400 tokens.
fn session(steps: usize) -> Recorded {
    let mut lines = vec![json!({"role": "user", "content": "Find out which unit is slow."}).to_string()];
    for step in 0..steps {
        let id = format!("c{step}");
        let arguments = json!({"command": format!("time ./unit_{step}")}).to_string();
        let call =
            json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": arguments}});
        lines.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string());
        let result: String =
            (0..40).map(|nth| format!("unit_{step} pass {nth} took {} ms\n", step * nth)).collect();
        lines.push(json!({"role": "tool", "tool_call_id": id, "content": result}).to_string());
    }
    lines.push(
        json!({"role": "assistant", "content": "It is unit_3, see\nunit_3 pass 39 took 117 ms"}).to_string(),
    );
    Recorded::new(read_bytes(lines.join("\n").into_bytes()).unwrap())
}

fn setting(limit: usize) -> Setting {
    Setting {
        limit,
        window: limit,
        counter: Arc::new(Encoding::O200k),
        image: Default::default(),
        rates: Rates::default(),
        prices: None,
        judges: true,
        keeps_curve: true,
        pauses: Vec::new(),
    }
}

fn balanced() -> Way {
    Way::policy(Policy::named("balanced").unwrap())
}

fn run(recorded: &Recorded, way: &Way, setting: &Setting) -> (Figures, Vec<(usize, Vec<String>)>) {
    let mut sent = Vec::new();
    let figures = replay(recorded, way, setting, |request: Request| {
        sent.push((request.at, request.messages.iter().map(ToString::to_string).collect()));
    });
    (figures, sent)
}

#[test]
fn every_request_goes_on_from_the_one_before_but_where_an_epoch_opens() {
    let (recorded, setting) = (session(60), setting(6_000));
    let (figures, sent) = run(&recorded, &balanced(), &setting);
    assert_eq!((figures.requests, sent.len()), (61, 61));
    assert_eq!((figures.over, figures.failed, figures.changed_within_an_epoch), (0, 0, 0));
    assert!(figures.epochs >= 2 && figures.breaks == figures.epochs, "{figures:?}");
    let goes_on = |pair: &[(usize, Vec<String>)]| pair[1].1.starts_with(&pair[0].1);
    assert_eq!(sent.windows(2).filter(|pair| !goes_on(pair)).count(), figures.breaks);
}

#[test]
fn a_session_that_fits_costs_the_same_to_the_token() {
    let (recorded, setting) = (session(20), setting(60_000));
    let (everything, all) = run(&recorded, &Way::Everything, &setting);
    let (folded, sent) = run(&recorded, &balanced(), &setting);
    assert_eq!(
        (folded.input, folded.cache_read, folded.cost),
        (everything.input, everything.cache_read, everything.cost)
    );
    assert_eq!(sent, all);
}

#[test]
fn what_was_sent_before_is_read_and_the_rest_is_written() {
    let (recorded, setting) = (session(3), setting(60_000));
    let (figures, _) = run(&recorded, &Way::Everything, &setting);
    let [first, .., last] = &figures.curve[..] else { panic!("four requests") };
    assert_eq!(first.read, 0);
    let before: Vec<usize> = figures.curve.iter().map(|point| point.tokens).collect();
    let read: Vec<usize> = figures.curve.iter().map(|point| point.read).collect();
    assert_eq!(read[1..], before[..3], "all of the request before");
    assert_eq!(figures.cache_write, last.tokens as u64, "each token is written once");
    assert_eq!(figures.cost, 0.1 * figures.cache_read as f64 + 1.25 * figures.cache_write as f64);
}

#[test]
fn a_pause_longer_than_the_cache_lives_is_paid_for() {
    let recorded = session(3);
    let cost = |pauses: Vec<(usize, u32)>| {
        let rates = Rates { ttl: Some(300), ..Rates::default() };
        run(&recorded, &Way::Everything, &Setting { pauses, rates, ..setting(60_000) }).0
    };
    let (without, short, long) = (cost(vec![]), cost(vec![(3, 200)]), cost(vec![(3, 360)]));
    assert_eq!(without.cost, short.cost);
    assert_eq!(long.curve[2].read, 0);
    assert!(long.cost > without.cost);
}

#[test]
fn small_prompts_are_not_cached_where_a_provider_says_so() {
    let recorded = session(3);
    let rates = Rates { min_tokens: 1_024, block: 128, ..Rates::default() };
    let (figures, _) = run(&recorded, &Way::Everything, &Setting { rates, ..setting(60_000) });
    let read: Vec<usize> = figures.curve.iter().map(|point| point.read).collect();
    assert_eq!(read[1], 0, "the first request is shorter");
    assert!(read.iter().all(|read| read % 128 == 0 && (*read == 0 || *read >= 1_024)), "{read:?}");
}

#[test]
fn what_is_needed_next_is_looked_for_in_the_view() {
    let (recorded, setting) = (session(60), setting(6_000));
    let (everything, _) = run(&recorded, &Way::Everything, &setting);
    assert_eq!([everything.recall.mean(), everything.steps.mean(), everything.asked.mean()], [Some(1.0); 3]);
    // The last answer quotes a step of long ago, which this policy has left out.
    let (cut, _) = run(&recorded, &Way::policy(Policy::named("age").unwrap()), &setting);
    assert!(
        cut.recall.mean() < Some(1.0) && cut.lines.mean() < Some(1.0) && cut.steps.mean() < Some(1.0),
        "{cut:?}"
    );
    assert_eq!(cut.asked.mean(), Some(1.0));
}

#[test]
fn agents_own_compaction_is_charged_for_its_summary() {
    let (recorded, setting) = (session(60), setting(6_000));
    let (figures, _) = run(&recorded, &Way::compaction().unwrap(), &setting);
    let requests: u64 = figures.curve.iter().map(|point| point.tokens as u64).sum();
    assert!(figures.epochs > 0 && figures.input > requests, "{figures:?}");
}
