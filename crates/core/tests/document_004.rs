//! The compaction layer: the numbers and cases of its source document, where nothing else was decided. The original task
//! stays in the view, and the summary stands behind it as a message of the user.

#![allow(clippy::unwrap_used)]

mod support;

use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::Heuristic;
use enfold::count::budget::{Budget, Rules};
use enfold::count::models::Table;
use enfold::folding::policy::Policy;
use enfold::json::quote;
use enfold::session::{EpochReason, Unasked};
use enfold::summary::{Finish, Question, Rejected, find};
use enfold::wire::OpenAiChat;
use enfold::{Cache, Session};
use support::views::{Folded, Setting, fold_by};

/// Tokens of a message beside its text.
const OVERHEAD: usize = 4;

/// Tokens that the document's window of 128,000 leaves for a history.
fn usable() -> usize {
    Budget::of_window(128_000, None, 4_000, Rules::default()).unwrap().usable
}

/// A session as the document runs it, of which the first request was sent. A token is four characters.
fn session(limit: usize) -> Session {
    let policy = Policy::named("summarize").unwrap();
    let session = Session::new(&OpenAiChat, policy, limit).asking();
    let mut session = session.counting_with(Arc::new(Heuristic), Default::default());
    session.push(message("system", "You write code.")).unwrap();
    session.push(message("user", TASK)).unwrap();
    session.prepare(Cache::Warm).unwrap();
    session
}

const TASK: &str = "Build a flashcard app";

fn message(role: &str, text: &str) -> String {
    format!(r#"{{"role":"{role}","content":{}}}"#, quote(text))
}

fn step(nth: usize, tokens: usize) -> [String; 2] {
    let arguments = quote(&format!(r#"{{"path":"src/part_{nth}.ts","content":"{nth}"}}"#));
    [
        format!(
            r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"c{nth}","type":"function","function":{{"name":"write_file","arguments":{arguments}}}}}]}}"#
        ),
        format!(r#"{{"role":"tool","tool_call_id":"c{nth}","content":"{}"}}"#, "word".repeat(tokens)),
    ]
}

fn push_steps(session: &mut Session, steps: std::ops::Range<usize>, tokens: usize) {
    for message in steps.flat_map(|nth| step(nth, tokens)) {
        session.push(message).unwrap();
    }
}

/// Says something that makes the history take so many tokens.
fn fill(session: &mut Session, total: usize) {
    let rest = total - session.tally().total() - OVERHEAD;
    session.push(message("assistant", &"word".repeat(rest))).unwrap();
    assert_eq!(session.tally().total(), total);
}

/// The narrator of the document's template: takes over what the previous summary says and adds a line.
fn narrate(question: &Question) -> String {
    let kept = question.previous.as_deref().unwrap_or("").lines();
    let kept: Vec<&str> = kept.filter(|line| line.starts_with("| ")).collect();
    let rows: String = question.files.iter().map(|file| format!("| {file} | Created | part |\n")).collect();
    format!(
        "### Completed Work\n{}\n{rows}\n### Key Technical Decisions\n- decided in round {}\n\n### Current State\n\
         - Working on: the next part\n\n### Pending Work\n- [ ] the rest\n",
        kept.join("\n"),
        question.round
    )
}

/// The messages of a view, each by its role and its call or its first line.
fn outline(view: &[ByteString]) -> Vec<String> {
    let line = |raw: &ByteString| {
        let value: serde_json::Value = serde_json::from_str(raw).unwrap();
        let role = value["role"].as_str().unwrap();
        let says = value["content"].as_str().unwrap_or("").lines().next().unwrap_or("");
        let id = value["tool_calls"][0]["id"].as_str().or(value["tool_call_id"].as_str()).unwrap_or("");
        format!("{role} {}", if id.is_empty() { says } else { id })
    };
    view.iter().map(line).collect()
}

#[test]
fn a_window_of_128000_is_compacted_from_93600_on() {
    let budget = Budget::of_window(128_000, None, 4_000, Rules::default()).unwrap();
    assert_eq!((budget.usable, budget.threshold), (117_000, 93_600));
    for (total, opened) in [(93_599, None), (93_600, Some(EpochReason::Overflow))] {
        let mut session = session(usable());
        push_steps(&mut session, 0..20, 1_000);
        fill(&mut session, total);
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!((prepared.opened, prepared.summary.is_some()), (opened, opened.is_some()), "{total}");
        let count = prepared.messages.len();
        assert_eq!(count == 43, opened.is_none(), "{total}: {count} messages");
    }
}

#[test]
fn windows_are_those_of_the_models() {
    let table = Table::shipped();
    for (model, context) in [
        ("gpt-4o", 128_000),
        ("gpt-4-turbo", 128_000),
        ("gpt-4", 8_192),
        ("claude-3-5-sonnet-20240620", 200_000),
        ("claude-3-haiku-20240307", 200_000),
        ("somebody-s-own", 128_000),
    ] {
        assert_eq!(table.resolve(model).model.context, context, "{model}");
    }
}

/// The document counts eleven messages as too few; with the task, which stays, they are twelve.
#[test]
fn short_sessions_are_left_alone_however_large_they_are() {
    for (messages, told) in [(0, 0), (1, 0), (9, 0), (10, 0), (11, 1), (12, 2)] {
        let mut session = session(usable());
        for nth in 0..messages {
            let text = format!("{nth} {}", "word".repeat(94_000 / messages));
            session.push(message("assistant", &text)).unwrap();
        }
        let before: Vec<ByteString> =
            session.history().messages().iter().map(|message| message.raw.clone()).collect();
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!(prepared.summary.is_some(), told > 0, "{messages} messages");
        let shown = before.len() - told + usize::from(told > 0);
        assert_eq!(prepared.messages.len(), shown, "{messages} messages");
        if told == 0 {
            assert_eq!(*prepared.messages, before);
        }
    }
}

#[test]
fn an_empty_conversation_is_left_alone() {
    let mut session = Session::new(&OpenAiChat, Policy::named("summarize").unwrap(), 1_000);
    assert!(session.prepare(Cache::Warm).unwrap().messages.is_empty());
    session.push(message("system", "You write code.")).unwrap();
    assert_eq!(session.prepare(Cache::Warm).unwrap().messages.len(), 1);
}

/// Fifty messages: system, task, 22 steps, an answer, a request, a step.
#[test]
fn of_fifty_messages_the_system_message_the_task_and_the_newest_ten_stay() {
    let mut session = session(usable());
    push_steps(&mut session, 0..22, 4_300);
    session.push(message("assistant", "All tests pass")).unwrap();
    session.push(message("user", "Add AI integration")).unwrap();
    push_steps(&mut session, 22..23, 100);
    assert_eq!(session.history().messages().len(), 50);
    let shown = outline(&session.prepare(Cache::Warm).unwrap().messages);
    assert_eq!(
        shown,
        [
            "system You write code.",
            "user Build a flashcard app",
            "user <enfold-summary round=\"1\" messages=\"38\">",
            "assistant c19",
            "tool c19",
            "assistant c20",
            "tool c20",
            "assistant c21",
            "tool c21",
            "assistant All tests pass",
            "user Add AI integration",
            "assistant c22",
            "tool c22",
        ]
    );
}

/// What a history in the notation becomes when all but the newest messages have to go.
fn fold(history: &str, keep: usize) -> Folded {
    let setting =
        Setting { limit: 20_000, target: Some(12_000), counter: Arc::new(Heuristic), ..Setting::default() };
    fold_by("summarize", &format!("above = 0.8\nkeep_messages = {keep}"), history, &setting)
}

/// The heads of the messages that a view shows behind its summary.
fn kept(folded: &Folded) -> Vec<&str> {
    let lines = folded.view.lines().skip_while(|line| !line.contains("</enfold-summary>")).skip(1);
    lines.filter(|line| !line.starts_with(' ')).map(|line| line.split(':').next().unwrap()).collect()
}

#[test]
fn a_result_is_never_parted_from_its_call() {
    let large = "word".repeat(20_000);
    let step = |id: &str| format!("assistant\n  call {id} bash {{}}\nresult {id}: ok\n");
    let history = format!("user: go\nassistant: {large}\n{}{}{}", step("a"), step("b"), step("c"));
    let pairs = ["assistant", "result b", "assistant", "result c"];
    assert_eq!(kept(&fold(&history, 4)), pairs);
    assert_eq!(kept(&fold(&history, 3)), pairs, "the newest three begin with a result");
    assert_eq!(kept(&fold(&history, 2)), pairs[2..]);
    assert_eq!(kept(&fold(&history, 1)), pairs[2..]);
}

#[test]
fn results_of_one_message_stay_together() {
    let large = "word".repeat(20_000);
    let history = format!(
        "user: go\nassistant\n  call z bash {{}}\nresult z: {large}\nassistant\n  call a bash {{}}\n  call b bash {{}}\n  call c bash {{}}\n\
         result a: ok\nresult b: ok\nresult c: ok\n"
    );
    assert_eq!(kept(&fold(&history, 1)), ["assistant", "result a", "result b", "result c"]);
}

#[test]
fn when_every_message_is_recent_nothing_changes() {
    let large = "word".repeat(18_000);
    let history = format!("user: go\nassistant: {large}\nassistant: yes\n");
    let folded = fold(&history, 10);
    assert_eq!(
        (folded.view.as_str(), folded.idle().as_str()),
        (&*history, "nothing is old enough to be summarized")
    );
}

#[test]
fn the_summarizer_is_asked_for_800_tokens_in_the_sections_of_the_document() {
    let mut session = session(usable());
    push_steps(&mut session, 0..30, 4_000);
    let question = session.prepare(Cache::Warm).unwrap().question.unwrap();
    assert_eq!((question.round, question.tokens, &question.previous), (1, 800, &None));
    assert_eq!(question.task.as_deref(), Some(TASK));
    let transcript = session.transcript(usable()).unwrap();
    assert_eq!((transcript.max_tokens, transcript.temperature), (1_000, 0.3));
    let sections = [
        "Completed Work",
        "Key Technical Decisions",
        "Current State",
        "Pending Work",
        "Errors & Resolutions",
    ];
    let places: Vec<usize> = sections.map(|heading| transcript.user.rfind(heading).unwrap()).into();
    assert!(places.is_sorted(), "{places:?}");
    assert!(transcript.user.contains("| File/Component | Action | Description |"));
    assert!(transcript.user.contains("src/part_0.ts"), "exact paths");
    assert!(!transcript.user.contains("previous-summary"), "there is none");
}

#[test]
fn a_single_huge_result_is_cut_before_it_is_told_about() {
    let mut session = session(usable());
    push_steps(&mut session, 0..1, 90_000);
    push_steps(&mut session, 1..8, 1_000);
    session.prepare(Cache::Warm).unwrap();
    let transcript = session.transcript(usable()).unwrap();
    assert!(transcript.user.contains("characters left out]"));
    assert!(transcript.user.len() < 10_000, "{}", transcript.user.len());
}

/// Round after round: each is asked about what is new, with what the round before told, and its own number.
#[test]
fn three_rounds_each_take_over_the_one_before() {
    let mut session = session(usable());
    let (mut told, mut previous) = (Vec::new(), None);
    for round in 1..=3 {
        push_steps(&mut session, round * 100..round * 100 + 30, 4_000);
        let question = session.prepare(Cache::Warm).unwrap().question.unwrap();
        assert_eq!((question.round, &question.previous), (round as u32, &previous));
        assert!(question.messages.iter().all(|message| !told.contains(message)), "told once");
        told.extend(&question.messages);
        session.answer(&question.key, &narrate(&question), &Finish::Stop).unwrap();
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!(prepared.question, None);
        let shown = outline(&prepared.messages);
        let begins = format!("user <enfold-summary round=\"{round}\" messages=");
        assert!(shown[1] == format!("user {TASK}") && shown[2].starts_with(&begins), "{shown:?}");
        let summaries = prepared.messages.iter().filter(|raw| raw.contains("<enfold-summary "));
        assert_eq!(summaries.count(), 1, "the one before is not shown beside it");
        let summary = prepared.summary.unwrap();
        let narrative = summary.narrative.clone().unwrap();
        for earlier in 1..=round {
            assert!(narrative.contains(&format!("src/part_{earlier}00.ts")), "{narrative}");
        }
        assert!(narrative.contains(&format!("decided in round {round}")));
        previous = Some(narrative);
    }
}

#[test]
fn a_narrator_that_fails_leaves_the_session_going() {
    let mut session = session(usable());
    for round in 1..=3 {
        push_steps(&mut session, round * 100..round * 100 + 30, 4_000);
        let prepared = session.prepare(Cache::Warm).unwrap();
        let (question, sent) = (prepared.question.unwrap(), prepared.messages.to_vec());
        let failed = session.answer(&question.key, "", &Finish::Other("error".into()));
        assert_eq!(failed, Err(Unasked::Rejected(Rejected::Other("error".into()))));
        session.give_up(&question.key);
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!((&**prepared.messages, prepared.question), (&sent[..], None));
        assert!(prepared.tokens <= 93_600);
        let summary = prepared.summary.unwrap();
        assert_eq!((summary.round, &summary.narrative), (round as u32, &None), "the ledger speaks alone");
    }
}

#[test]
fn a_summary_is_known_by_its_marker_and_not_by_a_heading() {
    let mut first = session(usable());
    push_steps(&mut first, 0..30, 4_000);
    let view = first.prepare(Cache::Warm).unwrap().messages.to_vec();
    // Another session goes on from what this one was sent.
    let mut session = Session::new(&OpenAiChat, Policy::named("summarize").unwrap(), usable())
        .counting_with(Arc::new(Heuristic), Default::default());
    view.iter().for_each(|raw| assert!(session.push(raw.clone()).is_ok()));
    push_steps(&mut session, 100..130, 4_000);
    assert_eq!(session.prepare(Cache::Warm).unwrap().summary.unwrap().round, 2);
    assert_eq!(find("## Session Summary (Compaction Round 1)\n\n### Original Task\nBuild it"), None);
}
