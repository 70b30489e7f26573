//! A pass that somebody else wrote: registered by name, named in a policy, and held to the promises like ours.

#![allow(clippy::unwrap_used)]

use enfold::folding::passes::{Cx, Outcome, Pass, PassError, Registry};
use enfold::folding::policy::Policy;
use enfold::history::{ItemKind, MessageId};
use enfold::view::View;
use enfold::view::fold::{Change, Fold, FoldKind};
use enfold::view::trace::PassOutcome;
use enfold::wire::OpenAiChat;
use enfold::{Cache, Folded, HandleKey, Options, Session, fold_once};
use serde::Deserialize;

/// Keeps the first lines of each result.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct KeepHeads {
    lines: usize,
}

impl Pass for KeepHeads {
    fn name(&self) -> &str {
        "keep_heads"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        let results =
            view.items_from(cx.first_unsent).filter(|(id, item)| item.result().is_some() && cx.is_open(*id));
        let folds = results.filter_map(|(item, _)| {
            let text = view.text(item, 0);
            let (end, _) = text.match_indices('\n').nth(self.lines - 1)?;
            let head = format!("{}\n[the rest is left out{}]", &text[..end], cx.opens(text));
            let change = Change::Texts { item, texts: vec![(0, head)] };
            Some(Fold { kind: FoldKind::Bookend, change, why: "only its head".into() })
        });
        Ok(Outcome::Folds(folds.collect()))
    }
}

/// Breaks one promise or the other.
#[derive(Deserialize)]
struct BreakThings {
    how: String,
}

impl Pass for BreakThings {
    fn name(&self) -> &str {
        "break_things"
    }

    fn apply(&self, view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
        let of_kind = |is: fn(&ItemKind) -> bool| view.items().find(|(_, item)| is(&item.kind)).unwrap().0;
        let result = of_kind(|kind| matches!(kind, ItemKind::Result(_)));
        let call = of_kind(|kind| matches!(kind, ItemKind::Call(_)));
        let text = |item, text: &str| Change::Texts { item, texts: vec![(0, text.into())] };
        let change = match self.how.as_str() {
            "drop the task" => Change::drop(vec![MessageId::FIRST]),
            "edit a call" => text(call, "{}"),
            "part a pair" => Change::drop(vec![view.history().item(result).message]),
            "grow" => text(result, &"more and more ".repeat(1_000)),
            "fail" => return Err(PassError("out of luck".into())),
            other => panic!("{other}"),
        };
        Ok(Outcome::Folds(vec![Fold { kind: FoldKind::Digest, change, why: "why not".into() }]))
    }
}

fn registry() -> Registry {
    Registry::default()
        .with("keep_heads", |pass: KeepHeads| match pass.lines {
            0 => Err("`lines` is 0; at least one line stays".into()),
            _ => Ok(pass),
        })
        .with("break_things", |pass: BreakThings| Ok(pass))
}

/// A policy that names one pass with options, and promises nothing else.
fn parse(pass: &str) -> Result<Policy, String> {
    let text = format!(
        "name = \"mine\"\nabout = \"\"\nfits = false\n[[pass]]\nwhen = \"arrival\"\nwhy = \"a test\"\n{pass}\n"
    );
    Policy::parse_with(&text, &registry()).map_err(|error| error.to_string())
}

const TASK: &str = r#"{"role":"user","content":"Why does the build fail?"}"#;
const CALL: &str = r#"{"role":"assistant","content":null,"tool_calls":[{"id":"c1","type":"function","function":{"name":"bash","arguments":"{\"command\":\"cargo build --workspace --all-targets\"}"}}]}"#;

fn result() -> String {
    let lines: String = (0..30).map(|line| format!("line {line} of what the build said\\n")).collect();
    format!(r#"{{"role":"tool","tool_call_id":"c1","content":"{lines}"}}"#)
}

fn handles() -> HandleKey {
    HandleKey::new(b"a secret", "a session")
}

fn folded(policy: Policy) -> (String, Folded) {
    let session = format!("{TASK}\n{CALL}\n{}\n", result());
    let mut options = Options::budget(1_000, handles());
    options.policy = policy;
    let folded = fold_once(session.clone(), &options).unwrap();
    (session, folded)
}

#[test]
fn it_folds_once_as_a_policy_says() {
    let (session, folded) = folded(parse("use = \"keep_heads\"\nlines = 2").unwrap());
    let view = folded.text.to_string();
    assert!(
        view.contains(
            r"line 0 of what the build said\nline 1 of what the build said\n[the rest is left out #"
        ),
        "{view}"
    );
    assert!(!view.contains("line 2 of"), "{view}");
    assert_eq!(view.lines().take(2).collect::<Vec<_>>(), session.lines().take(2).collect::<Vec<_>>());
    let pass = &folded.trace.passes[0];
    assert_eq!((pass.pass.as_str(), pass.folds.len()), ("keep_heads", 1));
    let original = folded.originals.values().next().unwrap();
    assert!(original.ends_with("line 29 of what the build said\n"), "what it hides comes back");
}

#[test]
fn a_session_runs_it_on_what_arrives() {
    let policy = parse("use = \"keep_heads\"\nlines = 2").unwrap();
    let mut session = Session::new(&OpenAiChat, policy, 10_000).with_handles(handles());
    for message in [TASK, CALL, &result()] {
        session.push(message).unwrap();
    }
    let prepared = session.prepare(Cache::Cold).unwrap();
    assert_eq!(prepared.messages[..2], [TASK, CALL]);
    assert!(prepared.messages[2].contains("[the rest is left out #"));
    let handle = prepared.trace.folds().next().unwrap().handles[0];
    assert!(session.recall(handle).unwrap().ends_with("line 29 of what the build said\n"));
}

#[test]
fn faults_of_a_policy_name_it() {
    let fault = |pass: &str| parse(pass).err().unwrap();
    insta::assert_snapshot!(fault("use = \"keep_head\""), @"policy `mine`, line 4: no pass named `keep_head`; did you mean `keep_heads`?");
    insta::assert_snapshot!(fault("use = \"trim_ages\""), @"policy `mine`, line 4: no pass named `trim_ages`; did you mean `trim_age`?");
    insta::assert_snapshot!(fault("use = \"keep_heads\""), @"policy `mine`, line 4: pass `keep_heads`: missing field `lines`");
    insta::assert_snapshot!(fault("use = \"keep_heads\"\nline = 2"), @"policy `mine`, line 4: pass `keep_heads`: unknown field `line`, expected `lines`");
    insta::assert_snapshot!(fault("use = \"keep_heads\"\nlines = 0"), @"policy `mine`, line 4: pass `keep_heads`: `lines` is 0; at least one line stays");
}

#[test]
fn it_is_known_by_one_name() {
    let registry = Registry::default().with("keep_tails", |pass: KeepHeads| Ok(pass));
    let text = "name = \"mine\"\nabout = \"\"\n[[pass]]\nuse = \"keep_tails\"\nlines = 2\nwhy = \"a test\"\n";
    let fault = Policy::parse_with(text, &registry).err().unwrap().to_string();
    insta::assert_snapshot!(fault, @"policy `mine`, line 3: pass `keep_tails` calls itself `keep_heads`; register it under that name");
}

#[test]
fn it_may_take_the_place_of_one_that_ships() {
    struct TrimNothing;
    impl Pass for TrimNothing {
        fn name(&self) -> &str {
            "trim_age"
        }

        fn apply(&self, _view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
            Ok(Outcome::Unchanged("not this one".into()))
        }
    }
    #[derive(Deserialize)]
    struct NoOptions {}
    let registry = Registry::default().with("trim_age", |_: NoOptions| Ok(TrimNothing));
    let text = "name = \"mine\"\nabout = \"\"\n[[pass]]\nuse = \"trim_age\"\nwhy = \"a test\"\n";
    let (session, folded) = folded(Policy::parse_with(text, &registry).unwrap());
    assert_eq!(folded.text, session);
    assert_eq!(folded.trace.passes[0].outcome, PassOutcome::Unchanged("not this one".into()));
}

#[test]
fn what_would_break_a_promise_is_not_made_and_said() {
    for how in ["drop the task", "edit a call", "part a pair", "grow"] {
        let (session, folded) = folded(parse(&format!("use = \"break_things\"\nhow = \"{how}\"")).unwrap());
        assert_eq!(folded.text, session, "{how}");
        assert_eq!(
            folded.trace.passes[0].outcome,
            PassOutcome::Folded { refused: 1, faults: Vec::new() },
            "{how}"
        );
    }
}

#[test]
fn one_that_fails_is_skipped_and_said() {
    let (session, folded) = folded(parse("use = \"break_things\"\nhow = \"fail\"").unwrap());
    assert_eq!(folded.text, session);
    assert_eq!(folded.trace.passes[0].outcome, PassOutcome::Failed("out of luck".into()));
}
