//! Document 003: pruning over the wire and in a running session, and what is told about it.

use std::sync::Arc;

use enfold::count::{Heuristic, Tally};
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::run;
use enfold::session::Event;
use enfold::understand::facts::Facts;
use enfold::view::fold::HandleKey;
use enfold::wire::{OpenAiChat, WIRES, Wire};
use enfold::{Cache, Session};

use crate::{SUMMARY, history, step};

/// Three outputs of 30,000 tokens and two turns behind them; in between, perhaps, something else.
fn outputs(wire: &dyn Wire, between: &[String]) -> Vec<String> {
    let large = |id: &str| step(wire, id, &"word".repeat(30_000));
    let mut messages = vec![wire.user_message("go")];
    messages.extend(large("a"));
    messages.extend_from_slice(between);
    messages.extend(large("b"));
    messages.extend(large("c"));
    for said in ["next", "and then"] {
        messages.push(wire.user_message(said));
        messages.extend(step(wire, said, "ok"));
    }
    messages
}

#[test]
fn pruning_stops_at_our_own_summary_in_every_wire_format() {
    for wire in WIRES {
        let pruned = |between: &[String]| {
            let history = history(*wire, &outputs(*wire, between));
            let tally = Tally::of(&history, Arc::new(Heuristic), Default::default());
            let (facts, handles) = (Facts::of(&history), HandleKey::new(b"secret", "session"));
            let mut cx = Cx::new(1_000_000, &facts, &handles, *wire);
            cx.target = 1_000;
            let run = run(&Policy::named("prune").unwrap(), &history, &tally, &cx).ok().unwrap();
            run.trace.folds().count()
        };
        assert_eq!(pruned(&[]), 2, "{}", wire.name());
        assert_eq!(pruned(&[wire.user_message(SUMMARY)]), 1, "{}: what is older stands in it", wire.name());
    }
}

fn running(policy: &str, limit: usize) -> Session {
    let session = Session::new(&OpenAiChat, Policy::named(policy).unwrap(), limit);
    session.counting_with(Arc::new(Heuristic), Default::default())
}

#[test]
fn whether_pruning_is_needed_can_be_asked() {
    let mut session = running("prune", 1_000_000);
    let messages = outputs(&OpenAiChat, &[]);
    for message in &messages[..3] {
        session.push(message.clone()).unwrap();
    }
    assert!(!session.pruning().is_worth_it, "the last turns are left alone");
    for message in &messages[3..] {
        session.push(message.clone()).unwrap();
    }
    let pruning = session.pruning();
    assert!(pruning.is_worth_it && pruning.tokens > 59_000, "{pruning:?}");
    assert_eq!((pruning.outputs, pruning.tools.iter().map(|tool| &**tool).collect()), (2, vec!["bash"]));
    session.prepare(Cache::Warm).unwrap();
    assert_eq!(session.pruning(), pruning, "asking changes nothing, and nothing was pruned yet");
}

/// What a session tells about its first epoch.
fn told(policy: &str) -> Vec<Event> {
    let mut session = running(policy, 60_000);
    for message in outputs(&OpenAiChat, &[]) {
        session.push(message).unwrap();
    }
    session.prepare(Cache::Warm).unwrap().events
}

#[test]
fn prune_complete_counts_outputs_and_names_their_tools() {
    let events = told("prune_then_summarize");
    let pruned = events.iter().find_map(|event| match event {
        Event::PruneComplete { outputs_pruned, tokens_saved, pruned_tools, .. } => {
            Some((*outputs_pruned, *tokens_saved, pruned_tools.iter().cloned().collect::<Vec<_>>()))
        }
        _ => None,
    });
    let (outputs, saved, tools) = pruned.unwrap();
    assert!(outputs == 2 && (59_000..60_000).contains(&saved), "{events:?}");
    assert_eq!(tools, ["bash"]);
    let json = events.iter().find(|event| event.name() == "prune:complete").unwrap().data();
    assert!(json.contains(r#""prunedTools":["bash"]"#), "{json}");
}

#[test]
fn steps_that_left_whole_are_no_prunes() {
    let events = told("age");
    assert!(events.iter().any(|event| event.name() == "compaction:complete"), "{events:?}");
    assert!(events.iter().all(|event| event.name() != "prune:complete"), "{events:?}");
}
