//! The default policy: what it leaves out, it tells, where its target leaves room for that.

use enfold::Cache;
use enfold::folding::passes::Cx;
use enfold::folding::policy::Policy;
use enfold::folding::runner::run;
use enfold::session::EpochReason;
use enfold::understand::facts::Facts;
use enfold::view::fold::{FoldKind, HandleKey};
use enfold::wire::OpenAiChat;

use crate::steps::{push_steps, session, texts};

#[test]
fn a_session_is_told_what_the_steps_were_for_that_it_does_not_see() {
    let mut session = session("balanced", 4_000);
    let mut rounds = Vec::new();
    for request in 0..300 {
        push_steps(&mut session, request..request + 1);
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert!(prepared.tokens <= 4_000);
        if prepared.opened == Some(EpochReason::Over)
            && let Some(summary) = prepared.summary
        {
            rounds.push(summary.round);
            let shown = texts(&prepared.messages).join("\n");
            assert!(shown.contains("make step_"), "the ledger names commands: {shown}");
            assert!(prepared.question.is_some(), "somebody can be asked what the code cannot tell");
        }
    }
    assert!(rounds.len() >= 3, "{rounds:?}");
    assert_eq!(rounds, (1..=rounds.len() as u32).collect::<Vec<_>>());
}

#[test]
fn a_view_that_may_fill_its_budget_keeps_lines_instead() {
    let mut session = session("balanced", 1_000_000);
    push_steps(&mut session, 0..300);
    let (history, tally) = (session.history(), session.tally());
    let (facts, handles) = (Facts::of(history), HandleKey::new(b"a secret", "a session"));
    let policy = Policy::named("balanced").unwrap();
    let told = |target: usize| {
        let cx = Cx { target, ..Cx::new(4_000, &facts, &handles, &OpenAiChat) };
        let run = run(&policy, history, tally, &cx).unwrap();
        run.trace.folds().any(|fold| fold.kind == FoldKind::Summary)
    };
    assert!(!told(4_000));
    assert!(told(2_400));
}
