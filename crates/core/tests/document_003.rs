//! Pruning of tool outputs, and summaries where that is not enough: the numbers and cases of its source document.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use enfold::count::Heuristic;
use enfold::folding::policy::Policy;
use enfold::view::fold::FoldKind;
use enfold::wire::OpenAiChat;
use enfold::{Cache, Session};
use support::views::{Folded, Setting, fold, fold_by};

/// A view that is to be smaller than it is. A token is four characters.
fn setting() -> Setting<'static> {
    Setting { target: Some(1_000), counter: Arc::new(Heuristic), ..Setting::default() }
}

/// A call and its output of so many tokens.
fn output(id: &str, tool: &str, tokens: usize) -> String {
    format!("assistant\n  call {id} {tool} {{\"of\":\"{id}\"}}\nresult {id}: {}\n", "word".repeat(tokens))
}

/// Two turns that come after whatever else there is.
const TWO_TURNS: &str = "user: next\nassistant: Yes.\nuser: and then\nassistant: Done.\n";

fn prune(history: &str) -> Folded {
    fold_by("prune_outputs", "", history, &setting())
}

/// The ids of the calls whose outputs were cleared, oldest first.
fn cleared(folded: &Folded) -> Vec<&str> {
    let results = folded.view.lines().filter_map(|line| line.strip_prefix("result "));
    results
        .filter(|line| line.contains(" output cleared, "))
        .filter_map(|line| line.split(':').next())
        .collect()
}

#[test]
fn the_newest_40000_tokens_of_output_stay_and_older_outputs_are_cleared() {
    let history = format!(
        "user: go\n{}{}{}{}{TWO_TURNS}",
        output("a", "bash", 15_000),
        output("b", "read", 15_000),
        output("c", "bash", 20_000),
        output("d", "bash", 20_000),
    );
    let folded = prune(&history);
    assert_eq!(cleared(&folded), ["a", "b"]);
    assert_eq!(folded.kinds(), [FoldKind::Clear, FoldKind::Clear]);
}

#[test]
fn an_output_is_cleared_once_the_sum_with_it_is_over_what_is_protected() {
    let history = |newest: usize| {
        format!("user: go\n{}{}{TWO_TURNS}", output("a", "bash", 30_000), output("b", "bash", newest))
    };
    assert_eq!(cleared(&prune(&history(40_000))), ["a"]);
    assert_eq!(cleared(&prune(&history(40_001))), ["a", "b"]);
    let history = format!("user: go\n{}{TWO_TURNS}", output("a", "bash", 40_000));
    assert_eq!(cleared(&prune(&history)), [""; 0]);
}

#[test]
fn at_least_20000_tokens_are_saved_or_nothing_changes() {
    let history = |oldest: usize| {
        format!("user: go\n{}{}{TWO_TURNS}", output("a", "bash", oldest), output("b", "bash", 40_000))
    };
    let marker = |folded: &Folded| {
        let line = folded.view.lines().find(|line| line.starts_with("result a: ")).unwrap().to_string();
        (line.len() - "result a: ".len()).div_ceil(4)
    };
    let large = prune(&history(30_000));
    let exact = 20_000 + marker(&large);
    let folded = prune(&history(exact));
    assert_eq!(cleared(&folded), ["a"]);
    assert_eq!(folded.trace.before - folded.trace.after, 20_000);
    let folded = prune(&history(exact - 1));
    assert_eq!(folded.idle(), "clearing what is old enough would save 19999 tokens, less than 20000");
    assert_eq!(folded.view, history(exact - 1));
}

#[test]
fn the_last_two_turns_are_left_alone() {
    let history = |turns: &str| {
        let outputs = [output("a", "bash", 50_000), output("b", "bash", 50_000), output("c", "bash", 50_000)];
        format!("user: one\n{}user: two\n{}user: three\n{}{turns}", outputs[0], outputs[1], outputs[2])
    };
    assert_eq!(cleared(&prune(&history(""))), ["a"]);
    assert_eq!(cleared(&prune(&history("user: four\n"))), ["a", "b"]);
    let kept = fold_by("prune_outputs", "keep_turns = 0", &history(""), &setting());
    assert_eq!(cleared(&kept), ["a", "b", "c"]);
}

#[test]
fn outputs_of_the_last_two_turns_do_not_count_as_protected() {
    let history = format!(
        "user: one\n{}user: two\n{}user: three\n{}",
        output("a", "bash", 39_000),
        output("b", "bash", 90_000),
        output("c", "bash", 90_000),
    );
    assert_eq!(cleared(&prune(&history)), [""; 0]);
}

#[test]
fn calls_and_order_stay_and_the_marker_says_tool_size_and_handle() {
    let history = format!("user: go\n{}{TWO_TURNS}", output("a", "bash", 70_000));
    let folded = prune(&history);
    let handle = folded.trace.folds().next().unwrap().handles[0];
    let marker = format!("[bash output cleared, 70000 tokens {handle}]");
    assert_eq!(folded.view, history.replace(&"word".repeat(70_000), &marker));
    assert_eq!(folded.originals[&handle], "word".repeat(70_000));
}

#[test]
fn the_walk_ends_at_a_summary() {
    let history = |between: &str| {
        format!(
            "user: go\n{}{between}{}{}{TWO_TURNS}",
            output("a", "bash", 30_000),
            output("b", "bash", 30_000),
            output("c", "bash", 40_000)
        )
    };
    assert_eq!(cleared(&prune(&history("user: mind you\n"))), ["a", "b"]);
    assert_eq!(cleared(&prune(&history("user\n  summary: What happened so far.\n"))), ["b"]);
}

#[test]
fn headings_do_not_make_a_summary() {
    let history = format!(
        "user: go\n{}assistant: ## Summary\n  | ### So far\n{}{TWO_TURNS}",
        output("a", "bash", 30_000),
        output("b", "bash", 40_000)
    );
    assert_eq!(cleared(&prune(&history)), ["a"]);
}

#[test]
fn what_was_cleared_before_is_not_counted_again() {
    let history =
        format!("user: go\n{}{}{TWO_TURNS}", output("a", "Bash", 40_000), output("b", "SubAgent", 1_000));
    // The first pass clears what a subagent said and leaves the older output alone.
    let policy = |first: &str| {
        let text = format!(
            "name = \"both\"\nabout = \"\"\nfits = false\n{first}\
             [[pass]]\nuse = \"prune_outputs\"\nwhy = \"\"\n"
        );
        Policy::parse(&text).unwrap()
    };
    let clear = "[[pass]]\nuse = \"microcompact\"\nfloor_share = 0.0\nhot_tokens = 1\nhot_share = 0.0\n\
                 span_share = 0.0\nretention = 1000000.0\nwhy = \"\"\n";
    let folds = |first: &str| fold(&history, &policy(first), &setting()).ok().unwrap().kinds().len();
    assert_eq!(folds(""), 1, "with the newer output the older one is over what is protected");
    assert_eq!(folds(clear), 1, "without it, it is not");
    assert_eq!(fold(&history, &policy(clear), &setting()).ok().unwrap().trace.passes[1].folds.len(), 0);
}

#[test]
fn pruning_again_changes_nothing() {
    let pass = "[[pass]]\nuse = \"prune_outputs\"\nmin_tokens = 1\nwhy = \"\"\n";
    let twice = format!("name = \"twice\"\nabout = \"\"\nfits = false\n{pass}{pass}");
    let outputs: String = (0..60).map(|nth| output(&format!("c{nth}"), "bash", 1_000)).collect();
    let history = format!("user: go\n{outputs}{TWO_TURNS}");
    let folded = fold(&history, &Policy::parse(&twice).unwrap(), &setting()).ok().unwrap();
    assert_eq!(folded.trace.passes[0].folds.len(), 20);
    assert_eq!(folded.idle(), "clearing what is old enough would save 0 tokens, less than 1");
}

#[test]
fn it_reports_outputs_tokens_and_tools() {
    let history = format!(
        "user: go\n{}{}{}{TWO_TURNS}",
        output("a", "read_file", 15_000),
        output("b", "bash", 15_000),
        output("c", "bash", 40_000)
    );
    let folded = prune(&history);
    let saved = folded.trace.before - folded.trace.after;
    let wanted =
        format!("older than 40000 tokens of output: 2 pruned (bash, read_file), {saved} tokens saved");
    assert!(folded.trace.folds().all(|fold| fold.why == wanted), "{:?}", folded.trace.passes);
}

#[test]
fn a_view_that_fits_is_not_pruned() {
    let history = format!("user: go\n{}{TWO_TURNS}", output("a", "bash", 90_000));
    let setting = Setting { target: Some(200_000), ..setting() };
    let folded = fold_by("prune_outputs", "", &history, &setting);
    assert_eq!(folded.idle(), "the view is within its target");
}

#[test]
fn several_texts_of_an_output_are_cleared_each_with_its_own_handle() {
    let history = format!(
        "user: go\nassistant\n  call a bash {{}}\nresult a: {}\n  + {}\n  + ok\n    image https://example.com/a.png\n{TWO_TURNS}",
        "one ".repeat(30_000),
        "two ".repeat(30_000)
    );
    let folded = prune(&history);
    let fold = folded.trace.folds().next().unwrap();
    let [one, two] = [fold.handles[0], fold.handles[1]];
    let shown = format!(
        "result a: [bash output cleared, 30000 tokens {one}]\n  + [bash output cleared, 30000 tokens {two}]\n  + ok\n    image https://example.com/a.png\n"
    );
    assert!(folded.view.contains(&shown), "{}", folded.view);
}

#[test]
fn the_policy_fits_although_pruning_alone_would_not() {
    let history =
        format!("user: go\n{}{}{TWO_TURNS}", output("a", "bash", 30_000), output("b", "bash", 40_000));
    let setting = Setting { limit: 1_000, target: None, ..setting() };
    let folded = fold(&history, &Policy::named("prune").unwrap(), &setting).ok().unwrap();
    let passes: Vec<&str> = folded.trace.passes.iter().map(|pass| &*pass.pass).collect();
    assert_eq!(passes, ["prune_outputs", "trim_age"]);
    assert!(folded.trace.after <= 1_000);
}

/// What `prune_then_summarize` makes of a history.
fn prepare(history: &str, limit: usize) -> Folded {
    let setting = Setting { limit, target: None, ..setting() };
    fold(history, &Policy::named("prune_then_summarize").unwrap(), &setting).ok().unwrap()
}

/// Whether something was pruned, and whether something was summarized.
fn done(folded: &Folded) -> (bool, bool) {
    let has = |kind| folded.kinds().contains(&kind);
    (has(FoldKind::Clear), has(FoldKind::Summary))
}

#[test]
fn a_summary_is_made_only_where_pruning_is_not_enough() {
    let history = format!(
        "user: go\n{}{}assistant: {}\n{TWO_TURNS}",
        output("a", "bash", 50_000),
        output("b", "bash", 30_000),
        "word".repeat(20_000),
    );
    assert_eq!(done(&prepare(&history, 120_000)), (false, false), "it fits");
    assert_eq!(done(&prepare(&history, 90_000)), (true, false), "without the first output it fits");
    assert_eq!(done(&prepare(&history, 50_000)), (true, true), "not even then");
}

#[test]
fn a_summary_leaves_the_two_newest_turns() {
    let turn = |name: &str| format!("user: {name}\n{}assistant: Yes.\n", output(name, "bash", 10_000));
    let history = format!("{}{}{}{}", turn("one"), turn("two"), turn("three"), turn("four"));
    let folded = prepare(&history, 30_000);
    assert_eq!(done(&folded), (false, true));
    assert!(
        folded.view.starts_with("user: one\nuser\n  summary: <enfold-summary round=\"1\" "),
        "{}",
        folded.view
    );
    // What the user typed stays.
    let kept = format!("</enfold-summary>\nuser: two\n{}{}", turn("three"), turn("four"));
    assert!(folded.view.ends_with(&kept), "{}", folded.view);
}

#[test]
fn what_is_told_takes_2000_tokens_at_most_in_the_sections_of_a_site() {
    let policy = Policy::named("prune_then_summarize").unwrap();
    let mut session = Session::new(&OpenAiChat, policy, 100_000).asking();
    session.push(r#"{"role":"user","content":"go"}"#).unwrap();
    for nth in 0..60 {
        let text = format!("{nth} {}", "some words ".repeat(1_000));
        session.push(format!(r#"{{"role":"assistant","content":"{text}"}}"#)).unwrap();
    }
    let prepared = session.prepare(Cache::Cold).unwrap();
    let question = prepared.question.unwrap();
    assert_eq!(question.tokens, 2_000);
    let headings: Vec<&str> = question.template.sections.iter().map(|section| &*section.heading).collect();
    let expected = [
        "What Was Accomplished",
        "Current State",
        "User Preferences",
        "What Comes Next",
        "Technical Context",
    ];
    assert_eq!(headings, expected);
}
