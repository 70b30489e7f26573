//! Sessions sent once more, and what is charged for them.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;

use enfold::count::{Encoding, Tally, Usage};
use enfold::file::read_bytes;
use enfold::folding::policy::Policy;
use enfold::history::{MessageId, Role};
use enfold_replay::{Charged, Figures, Rates, Recorded, Request, Setting, Way, charged, replay};
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
    Setting { keeps_curve: true, ..Setting::new(limit, Arc::new(Encoding::O200k)) }
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
fn what_is_too_small_to_be_cached_costs_what_plain_input_costs() {
    let rates = Rates { min_tokens: 100_000, ..Rates::default() };
    let (figures, _) = run(&session(3), &Way::Everything, &Setting { rates, ..setting(60_000) });
    assert_eq!((figures.cache_read, figures.cache_write, figures.cost), (0, 0, figures.input as f64));
}

/// Requests without a view once cost nothing, so that a policy seemed cheap that could not do its work.
#[test]
fn a_request_without_a_view_is_charged_as_sending_everything() {
    let (recorded, setting) = (session(12), setting(300));
    let (everything, _) = run(&recorded, &Way::Everything, &setting);
    // The task alone is larger than the window.
    let tiny = Setting { limit: 5, window: 5, ..setting };
    let (folded, sent) = run(&recorded, &balanced(), &tiny);
    assert_eq!((folded.failed, sent.len()), (13, 0));
    assert_eq!((folded.cost, folded.input, folded.over), (everything.cost, everything.input, 0));
    assert!(folded.curve.len() == 13 && folded.curve.iter().all(|point| point.failed));
    assert_eq!((folded.changed_within_an_epoch, folded.recall.mean()), (0, None));
}

#[test]
fn what_requests_cost_so_far_stands_at_each() {
    let (figures, _) = run(&session(60), &Way::compaction().unwrap(), &setting(6_000));
    assert_eq!(figures.curve.last().unwrap().cost, figures.cost, "with its summaries");
    assert!(figures.curve.windows(2).all(|pair| pair[0].cost < pair[1].cost));
}

#[test]
fn what_is_no_message_is_not_sent() {
    let lines = |rubble: &str| {
        let said = |role: &str, text: &str| json!({"role": role, "content": text}).to_string();
        let lines = [
            said("user", "Why?"),
            said("assistant", "So."),
            rubble.into(),
            said("user", "And?"),
            said("assistant", "Thus."),
        ];
        let lines: Vec<String> = lines.into_iter().filter(|line| !line.is_empty()).collect();
        Recorded::new(read_bytes(lines.join("\n").into_bytes()).unwrap())
    };
    let input = |rubble: &str| run(&lines(rubble), &Way::Everything, &setting(60_000)).0.input;
    assert_eq!(input("no JSON, ".repeat(50).as_str()), input(""));
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

/// Recall stood there without a word on how few requests it came from.
#[test]
fn every_fifth_request_over_the_window_is_judged_and_counted() {
    let (figures, _) = run(&session(60), &Way::Everything, &setting(6_000));
    let tokens = figures.curve.iter().map(|point| point.tokens);
    let over = tokens.enumerate().filter(|(nth, tokens)| nth % 5 == 0 && *tokens > 6_000).count();
    assert!(over > 5);
    assert_eq!((figures.judged, figures.judged_sessions), (over, 1));
    let (fits, _) = run(&session(3), &Way::Everything, &setting(60_000));
    let mut sum = figures.clone();
    sum.merge(&fits);
    assert_eq!((sum.judged, sum.judged_sessions, sum.priced_sessions), (over, 1, 0));
}

#[test]
fn agents_own_compaction_is_charged_for_its_summary() {
    let (recorded, setting) = (session(60), setting(6_000));
    let (figures, _) = run(&recorded, &Way::compaction().unwrap(), &setting);
    let requests: u64 = figures.curve.iter().map(|point| point.tokens as u64).sum();
    assert!(figures.epochs > 0 && figures.input > requests, "{figures:?}");
}

/// What the agent does at 95 % of its window it once did at 65 %, whenever the cache was cold.
#[test]
fn agents_compact_when_the_window_is_full_whatever_the_cache_holds() {
    let rates = Rates { ttl: Some(300), ..Rates::default() };
    let setting = Setting { rates, ..setting(12_000) };
    let (figures, _) = run(&timed(20, 18, 900), &Way::compaction().unwrap(), &setting);
    let sizes: Vec<usize> = figures.curve.iter().map(|point| point.tokens).collect();
    assert!(sizes[18] > 12_000 * 65 / 100 && sizes[20] < 12_000 * 95 / 100, "{sizes:?}");
    assert_eq!((figures.cold, figures.epochs), (1, 0));
    assert_eq!(figures.input, sizes.iter().sum::<usize>() as u64, "no summary was asked for");
}

#[test]
fn of_a_summary_the_cache_holds_whole_blocks() {
    let recorded = session(60);
    let cached = |block: usize| {
        let rates = Rates { block, ..Rates::default() };
        run(&recorded, &Way::compaction().unwrap(), &Setting { rates, ..setting(6_000) }).0.cache_read
    };
    assert_eq!(cached(4_096) % 4_096, 0);
    assert!(cached(4_096) > 0 && cached(4_096) < cached(1));
}

/// A session of so many steps, each a minute after the one before, but for a pause before one of them.
fn timed(steps: usize, pause_before: usize, pause: u64) -> Recorded {
    let mut document = session(steps).document;
    let late = |message: &usize| if *message >= 2 * pause_before { pause } else { 0 };
    let times = (0..document.history.messages().len())
        .map(|message| (MessageId::new(message), 1_000 + 30 * message as u64 + late(&message)));
    document.times = times.collect();
    Recorded::new(document)
}

#[test]
fn a_cache_that_was_left_alone_too_long_is_cold_by_the_sessions_own_clock() {
    let rates = Rates { ttl: Some(300), ..Rates::default() };
    let setting = Setting { rates, ..setting(60_000) };
    let cold = |figures: &Figures| figures.curve.iter().skip(1).map(|point| point.cold).collect::<Vec<_>>();
    // The result that the fourth request brings came late.
    let (figures, _) = run(&timed(5, 3, 280), &Way::Everything, &setting);
    assert_eq!((figures.cold, cold(&figures)), (1, vec![false, false, true, false, false]));
    assert_eq!((figures.curve[3].read, figures.curve[4].read), (0, figures.curve[3].tokens));
    let (short, _) = run(&timed(5, 3, 200), &Way::Everything, &setting);
    assert_eq!(short.cold, 0);
    let longer = Setting { pauses: vec![(4, 80)], ..setting.clone() };
    assert_eq!(run(&timed(5, 3, 200), &Way::Everything, &longer).0.cold, 1, "a pause adds to the clock");
    let ignored = Setting { has_clock: false, ..setting };
    assert_eq!(run(&timed(5, 3, 280), &Way::Everything, &ignored).0.cold, 0);
}

/// After two answers in a row nobody knew when the second began, and a pause behind it went unseen.
#[test]
fn a_pause_behind_two_answers_in_a_row_is_seen() {
    let said = |role: &str| json!({"role": role, "content": "So it is."}).to_string();
    let lines = ["user", "assistant", "assistant", "user", "assistant"].map(said).join("\n");
    let waited = |times: &[(usize, u64)]| {
        let mut document = read_bytes(lines.clone().into_bytes()).unwrap();
        document.times = times.iter().map(|(at, seconds)| (MessageId::new(*at), *seconds)).collect();
        let recorded = Recorded::new(document);
        [1, 2].map(|request| recorded.waited(request))
    };
    assert_eq!(waited(&[(0, 100), (1, 110), (2, 120), (3, 900)]), [Some(10), Some(790)]);
    assert_eq!(waited(&[(0, 100), (3, 900)]), [Some(0), Some(800)], "answers without a time");
}

/// A step of a session in the format of Responses: the items of its answer stand by themselves.
fn items(step: usize, command: &str, result: String) -> [serde_json::Value; 3] {
    let (id, arguments) = (format!("c{step}"), json!({"command": command}).to_string());
    [
        json!({"type": "reasoning", "id": format!("r{step}"), "summary": []}),
        json!({"type": "function_call", "call_id": id, "name": "bash", "arguments": arguments}),
        json!({"type": "function_call_output", "call_id": id, "output": result}),
    ]
}

/// Of such an answer only the first item was read, which says nothing.
#[test]
fn all_items_of_an_answer_say_what_was_needed() {
    let mut list = vec![json!({"type": "message", "role": "user", "content": "Mend the limit."})];
    let table =
        |nth: usize| (0..60).map(|row| format!("row {row} of {nth} is {}\n", row * nth)).collect::<String>();
    list.extend(items(0, "cat one", format!("{}ceiling_of_tanks = 4096\n", table(0))));
    (1..6).for_each(|nth| list.extend(items(nth, &format!("cat {nth}"), table(nth))));
    list.extend(items(6, "set ceiling_of_tanks 8192", "done".into()));
    let document = read_bytes(json!({"model": "gpt-5", "input": list}).to_string().into_bytes()).unwrap();
    assert_eq!(document.wire.name(), "openai-responses");
    let recorded = Recorded::new(document);
    assert_eq!(recorded.requests().len(), 7);
    assert_eq!([recorded.answer(0), recorded.answer(6), recorded.answer(7)], [1..3, 19..21, 0..0]);
    let (figures, _) = run(&recorded, &Way::policy(Policy::named("age").unwrap()), &setting(3_000));
    assert_eq!(figures.lookups + figures.repeats, 1, "{figures:?}");
    let prices = enfold::count::models::Prices {
        input: 0.0,
        output: 1e6,
        cache_read: 0.0,
        cache_write: 0.0,
        cliff: None,
    };
    let (priced, _) = run(&recorded, &Way::Everything, &Setting { prices: Some(prices), ..setting(60_000) });
    let tally = Tally::of(&recorded.document.history, Arc::new(Encoding::O200k), Default::default());
    let said = recorded.document.history.messages().iter().zip(tally.messages());
    let said: usize =
        said.filter(|(message, _)| message.role == Role::Assistant).map(|(_, tokens)| tokens).sum();
    assert_eq!(priced.dollars, Some(said as f64), "every token of an answer is paid for");
}

/// What the user said stands in a view, or does not: looked for in what is added only, the answer is the same.
#[test]
fn what_the_user_said_is_looked_for_in_every_view() {
    let said = |nth: usize| {
        format!(
            "{} of the {nth}th table, please, and nothing else",
            if nth.is_multiple_of(3) { "Rows" } else { "Columns" }
        )
    };
    let mut lines = Vec::new();
    for nth in 0..120 {
        lines.push(
            json!({"role": "user", "content": if nth % 7 == 0 { "go on".to_string() } else { said(nth) }})
                .to_string(),
        );
        let quoted = if nth > 40 && nth % 10 == 0 { said(nth - 40) } else { String::new() };
        lines.push(
            json!({"role": "assistant", "content": format!("{nth}: {}{quoted}", "word ".repeat(60))})
                .to_string(),
        );
    }
    let recorded = Recorded::new(read_bytes(lines.join("\n").into_bytes()).unwrap());
    let toml = "name = \"drops\"\nabout = \"\"\n[[pass]]\nuse = \"trim_age\"\nwhy = \"\"\n";
    let (figures, sent) = run(&recorded, &Way::policy(Policy::parse(toml).unwrap()), &setting(2_500));
    let tally = Tally::of(&recorded.document.history, Arc::new(Encoding::O200k), Default::default());
    let (mut sum, mut count) = (0.0, 0);
    for (nth, (at, view)) in sent.iter().enumerate().filter(|(nth, _)| nth % 5 == 0) {
        if tally.messages()[..*at].iter().sum::<usize>() > 2_500 {
            let texts = (0..=nth).map(|nth| if nth % 7 == 0 { "go on".to_string() } else { said(nth) });
            let stands = texts.filter(|text| view.iter().any(|message| message.contains(text))).count();
            sum += stands as f64 / (nth + 1) as f64;
            count += 1;
        }
    }
    assert!(count > 10 && sum < count as f64, "some of it is left out: {sum} of {count}");
    assert!((figures.asked.mean().unwrap() - sum / f64::from(count)).abs() < 1e-9, "{figures:?}");
}

#[test]
fn a_cold_cache_lets_folds_through_before_the_window_is_full() {
    let rates = Rates { ttl: Some(300), ..Rates::default() };
    let setting = Setting { rates, ..setting(12_000) };
    // Twenty steps take about three quarters of the window.
    let (warm, _) = run(&timed(20, 18, 0), &balanced(), &setting);
    let (cold, _) = run(&timed(20, 18, 900), &balanced(), &setting);
    assert_eq!((warm.epochs, warm.cold, cold.cold), (0, 0, 1), "{warm:?}");
    let opened: Vec<usize> = (0..cold.curve.len()).filter(|nth| cold.curve[*nth].opened).collect();
    assert_eq!(opened, [18]);
    assert!(cold.curve[18].tokens < warm.curve[18].tokens);
}

/// A fact is read among so many rows, five results push it out of the view, and the last step but two needs it.
fn returns_to_a_fact(rows: usize) -> Recorded {
    let mut lines = vec![json!({"role": "user", "content": "Mend the limit."}).to_string()];
    let mut step = |nth: usize, command: &str, result: String| {
        let arguments = json!({"command": command}).to_string();
        let call = json!({"id": format!("c{nth}"), "type": "function", "function": {"name": "bash", "arguments": arguments}});
        lines.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}).to_string());
        lines.push(json!({"role": "tool", "tool_call_id": format!("c{nth}"), "content": result}).to_string());
    };
    let table = |nth: usize, rows: usize| {
        (0..rows).map(|row| format!("row {row} of {nth} is {}\n", row * nth)).collect::<String>()
    };
    step(0, "cat one", format!("{}ceiling_of_tanks = 4096\n", table(0, rows)));
    (1..6).for_each(|nth| step(nth, &format!("cat {nth}"), table(nth, 60)));
    step(6, "set ceiling_of_tanks 8192", "done".into());
    step(7, "echo end", "end".into());
    lines.push(json!({"role": "assistant", "content": "It is mended."}).to_string());
    Recorded::new(read_bytes(lines.join("\n").into_bytes()).unwrap())
}

/// What comes of it, and the tokens that the look-up writes: a call, and the first result.
fn looks_the_fact_up(rows: usize) -> (Figures, f64) {
    let recorded = returns_to_a_fact(rows);
    let (figures, _) = run(&recorded, &Way::policy(Policy::named("age").unwrap()), &setting(3_000));
    let tally = Tally::of(&recorded.document.history, Arc::new(Encoding::O200k), Default::default());
    // Before the seventh request the fact has left.
    assert_eq!((figures.requests, figures.lookups), (9, 1), "{figures:?}");
    assert!(!figures.curve[7].opened && !figures.curve[8].opened, "no epoch after it");
    (figures, (40 + tally.message(MessageId::new(2))) as f64)
}

#[test]
fn a_name_that_is_one_look_up_away_costs_a_request_more_and_is_carried_until_the_next_epoch() {
    let (figures, opened) = looks_the_fact_up(20);
    let request_more = 0.1 * figures.curve[6].tokens as f64 + 1.25 * opened;
    let carried = 2.0 * 0.1 * opened;
    assert!((figures.lookup_cost - (request_more + carried)).abs() < 1e-6, "{figures:?}");
}

#[test]
fn what_was_opened_and_does_not_fit_beside_the_view_costs_an_epoch() {
    let (figures, opened) = looks_the_fact_up(120);
    let request_more = 0.1 * figures.curve[6].tokens as f64 + 1.25 * opened;
    let written_anew = 1.15 * figures.curve[7].read as f64;
    assert!((figures.lookup_cost - (request_more + written_anew)).abs() < 1e-6, "{figures:?}");
}

#[test]
fn who_sees_everything_looks_nothing_up() {
    let (figures, _) = run(&returns_to_a_fact(20), &Way::Everything, &setting(3_000));
    assert_eq!((figures.lookups, figures.lookup_cost), (0, 0.0));
}

#[test]
fn what_the_provider_charged_stands_beside_what_would_have_been_predicted() {
    let mut document = session(4).document;
    let tally = Tally::of(&document.history, Arc::new(Encoding::O200k), Default::default());
    // The provider saw a system prompt and tools of 1,000 tokens more than the log has.
    let input = |messages: usize| 1_000 + tally.messages()[..messages].iter().sum::<usize>() as u64;
    let report = |messages: usize, cache_read: u64| Usage {
        messages,
        input: input(messages),
        cache_read,
        ..Usage::default()
    };
    // The third request found nothing: that was not to be foreseen.
    document.usage = vec![report(1, 700), report(3, input(1)), report(5, 0), report(7, input(5))];
    let predicted = charged(&Recorded::new(document), &setting(60_000)).unwrap();
    let expected = Charged {
        requests: 3,
        input: input(3) + input(5) + input(7),
        charged: input(1) + input(5),
        predicted: input(1) + input(3) + input(5),
        counted: input(1) + input(3) + input(5),
        off: input(3),
        cold: 0,
    };
    assert_eq!(predicted, expected);
    assert!((predicted.errors()[0] - input(3) as f64 / expected.input as f64).abs() < 1e-9);
    assert_eq!(charged(&session(4), &setting(60_000)), None, "a log without reports");
    let mut never = session(4).document;
    never.usage = vec![report(1, 0), report(3, 0)];
    assert_eq!(charged(&Recorded::new(never), &setting(60_000)), None, "a client that asked for no cache");
}
