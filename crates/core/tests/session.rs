//! Running sessions: what is sent, request after request.

#![allow(clippy::unwrap_used)]

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use bytestring::ByteString;
use enfold::count::{Counter, Heuristic};
use enfold::file;
use enfold::finding::Severity;
use enfold::folding::opener::Opener;
use enfold::folding::policy::{POLICIES, Policy};
use enfold::history::Role;
use enfold::json::{Raw, quote};
use enfold::session::{EpochReason, Event, PushError, Synced};
use enfold::validate::{Request, validate};
use enfold::view::fold::{Handle, HandleKey};
use enfold::wire::OpenAiChat;
use enfold::{Cache, Session};

fn balanced(limit: usize) -> Session {
    Session::new(&OpenAiChat, Policy::named("balanced").unwrap(), limit)
}

fn user(text: &str) -> String {
    format!(r#"{{"role":"user","content":{}}}"#, quote(text))
}

fn call(id: &str, command: &str) -> String {
    let arguments = quote(&format!(r#"{{"command":{}}}"#, quote(command)));
    format!(
        r#"{{"role":"assistant","content":null,"tool_calls":[{{"id":"{id}","type":"function","function":{{"name":"bash","arguments":{arguments}}}}}]}}"#
    )
}

fn result(id: &str, text: &str) -> String {
    format!(r#"{{"role":"tool","tool_call_id":"{id}","content":{}}}"#, quote(text))
}

/// Some 400 tokens of lines that differ from step to step.
fn output(step: usize) -> String {
    (0..40).map(|line| format!("src/file_{step}.rs:{line}: value_{step}_{line} is not used\n")).collect()
}

fn push_step(session: &mut Session, step: usize) {
    session.push(call(&format!("c{step}"), &format!("make step_{step}"))).unwrap();
    session.push(result(&format!("c{step}"), &output(step))).unwrap();
}

fn texts(messages: &[ByteString]) -> String {
    messages.iter().map(|message| format!("{message}\n")).collect()
}

#[track_caller]
fn is_valid(wire: &str, messages: &[ByteString], name: &str) {
    let request = Request {
        messages: messages.iter().map(|raw| Raw::parse(raw).unwrap()).collect(),
        ..Request::default()
    };
    let errors: Vec<String> = validate(wire, &request)
        .into_iter()
        .filter(|finding| finding.severity == Severity::Error)
        .map(|finding| finding.to_string())
        .collect();
    assert_eq!(errors, Vec::<String>::new(), "{name}");
}

#[test]
fn within_an_epoch_each_view_is_the_one_before_plus_new_messages() {
    let mut session = balanced(6_000);
    session.push(user("mend the build")).unwrap();
    let (mut before, mut epoch, mut epochs) = (Vec::new(), 0, 0);
    for step in 0..60 {
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert!(prepared.tokens <= 6_000);
        is_valid("openai-chat", &prepared.messages, "a view");
        if prepared.epoch == epoch {
            assert_eq!(prepared.messages[..before.len()], before[..], "step {step}");
            assert_eq!(prepared.unchanged, before.len());
        } else {
            assert_eq!(prepared.opened, Some(EpochReason::Overflow));
            assert!(prepared.tokens <= 3_600, "an epoch folds well below the limit: {}", prepared.tokens);
            epochs += 1;
        }
        (before, epoch) = (prepared.messages.to_vec(), prepared.epoch);
        push_step(&mut session, step);
    }
    assert!((8..=14).contains(&epochs), "{epochs} epochs in 60 steps");
}

#[test]
fn what_nothing_was_added_to_is_sent_again_as_it_was() {
    let mut session = balanced(2_000);
    session.push(user("go")).unwrap();
    (0..10).for_each(|step| push_step(&mut session, step));
    let first = texts(&session.prepare(Cache::Warm).unwrap().messages);
    let again = session.prepare(Cache::Cold).unwrap();
    assert_eq!((texts(&again.messages), again.opened), (first, None), "even with a cold cache");
    assert!(again.originals.is_empty());
}

#[test]
fn a_cold_cache_opens_an_epoch_only_where_the_view_is_large() {
    let opened = |steps: usize, cache: Cache| {
        let mut session = balanced(10_000);
        session.push(user("go")).unwrap();
        (0..steps).for_each(|step| push_step(&mut session, step));
        session.prepare(Cache::Warm).unwrap();
        push_step(&mut session, steps);
        session.prepare(cache).unwrap().opened
    };
    assert_eq!(opened(5, Cache::Cold), None, "small and cold");
    assert_eq!(opened(9, Cache::Warm), None, "large and warm");
    assert_eq!(opened(9, Cache::Cold), Some(EpochReason::Cold), "large and cold");
}

/// Under a system prompt of more than the target every step left, while a third of the window stayed empty.
#[test]
fn beside_a_long_system_prompt_there_is_room_for_the_work() {
    let mut session = balanced(10_000);
    let system = "You follow the rules of this house. ".repeat(800);
    session.push(format!(r#"{{"role":"system","content":{}}}"#, quote(&system))).unwrap();
    session.push(user("go")).unwrap();
    (0..20).for_each(|step| push_step(&mut session, step));
    let view = session.prepare(Cache::Warm).unwrap();
    let beside = session.tally().counter().count(&system);
    assert!(beside > 6_000, "more than the target: {beside}");
    let room = 10_000 - beside;
    assert!(view.tokens > beside + room / 4, "{} of {beside} + {room}", view.tokens);
}

#[test]
fn an_epoch_that_missed_its_target_is_not_tried_again_at_once() {
    let mut session = balanced(1_000);
    // The task alone is above the target of 600.
    session.push(user(&"a long task with many words ".repeat(150))).unwrap();
    session.push(r#"{"role":"assistant","content":"I am on it."}"#).unwrap();
    let opened = session.prepare(Cache::Cold).unwrap().opened;
    session.push(r#"{"role":"assistant","content":"Still on it."}"#).unwrap();
    let again = session.prepare(Cache::Cold).unwrap().opened;
    assert_eq!((opened, again), (Some(EpochReason::Cold), None));
}

#[test]
fn everything_hidden_is_handed_out_once_and_opens_again() {
    let mut session = balanced(2_000);
    session.push(user("go")).unwrap();
    (0..12).for_each(|step| push_step(&mut session, step));
    let prepared = session.prepare(Cache::Warm).unwrap();
    let shown = texts(&prepared.messages);
    let handles: Vec<Handle> = prepared.originals.keys().copied().collect();
    let hidden: String =
        handles.iter().map(|handle| session.original(*handle).unwrap().to_string()).collect();
    for step in 0..12 {
        let line = format!("value_{step}_39 is not used");
        assert!(shown.contains(&line) || hidden.contains(&line), "{line}");
    }
    assert!(handles.iter().all(|handle| session.recall(*handle).is_some()));
}

#[test]
fn what_was_recalled_is_not_folded_again() {
    let mut session = balanced(3_000);
    session.push(user("go")).unwrap();
    (0..12).for_each(|step| push_step(&mut session, step));
    let prepared = session.prepare(Cache::Warm).unwrap();
    let handles: Vec<Handle> = prepared.originals.keys().copied().collect();
    let begins = |handle: &&Handle| session.original(**handle).unwrap().starts_with("src/file_0.rs");
    // The step may have been left out whole.
    let handle = *handles.iter().find(begins).unwrap_or(&handles[0]);
    let original = session.recall(handle).unwrap();
    session.push(call("again", "enfold unfold")).unwrap();
    session.push(result("again", &original)).unwrap();
    (20..32).for_each(|step| push_step(&mut session, step));
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert_eq!(prepared.opened, Some(EpochReason::Overflow));
    assert!(texts(&prepared.messages).contains(&quote(&original)), "whole and as it was");
}

/// A proxy sees only what comes by: a call that names an original, and its result, which may be a part of it.
#[test]
fn what_an_agent_opened_by_itself_is_not_folded_again_while_it_is_in_use() {
    let opened_by = |tool: &str, arguments: &str, steps_after: usize| {
        let mut session = balanced(3_000);
        session.push(user("go")).unwrap();
        (0..12).for_each(|step| push_step(&mut session, step));
        session.prepare(Cache::Warm).unwrap();
        let part: String = (0..40).map(|line| format!("opened line {line} of something old\n")).collect();
        let call = serde_json::json!({"role": "assistant", "content": null, "tool_calls": [
            {"id": "again", "type": "function", "function": {"name": tool, "arguments": arguments}}]});
        session.push(call.to_string()).unwrap();
        session.push(result("again", &part)).unwrap();
        (20..20 + steps_after).for_each(|step| push_step(&mut session, step));
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_eq!(prepared.opened, Some(EpochReason::Overflow));
        texts(&prepared.messages).contains(&quote(&part))
    };
    assert!(opened_by("mcp__enfold__unfold", r#"{"handle":"482913077"}"#, 12));
    assert!(opened_by("bash", r#"{"command":"enfold unfold 482913077 | head -40"}"#, 12));
    assert!(!opened_by("bash", r#"{"command":"cat old.txt"}"#, 12), "anything else is folded");
    assert!(!opened_by("mcp__enfold__unfold", r#"{"handle":"482913077"}"#, 30), "it is no longer in use");
}

/// A model that is told of a tool calls it, so it is told of the one that it has.
#[test]
fn the_view_names_the_way_that_the_agent_has() {
    let shown = |opener: Option<Opener>| {
        let mut session = balanced(2_000);
        if let Some(opener) = opener {
            session.set_opener(opener);
        }
        session.push(user("go")).unwrap();
        (0..150).for_each(|step| push_step(&mut session, step));
        texts(&session.prepare(Cache::Warm).unwrap().messages)
    };
    assert!(shown(None).contains("#…: the number of the original; what is read"), "{}", shown(None));
    assert_eq!(shown(None), shown(Some(Opener::Unknown)));
    let tool = shown(Some(Opener::Tool("mcp__enfold__unfold".into())));
    assert!(tool.contains("the number of the original, which the tool mcp__enfold__unfold shows."), "{tool}");
    let command = shown(Some(Opener::Command("enfold unfold".into())));
    assert!(command.contains("which the command `enfold unfold NUMBER` prints."), "{command}");
}

/// Everything ever recalled was added up, and once that was half of the limit nothing recalled was protected any more.
#[test]
fn a_large_text_that_was_recalled_long_ago_does_not_cost_the_next_one_its_protection() {
    let mut session = balanced(6_000);
    session.push(user("go")).unwrap();
    let large: String =
        (0..400).map(|line| format!("{line}: a line of a large file, number {line}\n")).collect();
    session.push(call("large", "cat large")).unwrap();
    session.push(result("large", &large)).unwrap();
    (0..12).for_each(|step| push_step(&mut session, step));
    session.prepare(Cache::Warm).unwrap();
    let recall = |session: &mut Session, id: &str, begins: &str| {
        let contains = |handle: &&Handle| session.original(**handle).unwrap().contains(begins);
        let found = session.originals().keys().find(contains);
        let handle = *found.unwrap_or_else(|| panic!("{begins} is hidden"));
        let original = session.recall(handle).unwrap();
        session.push(call(id, "enfold unfold")).unwrap();
        session.push(result(id, &original)).unwrap();
        original
    };
    recall(&mut session, "one", "0: a line of");
    (20..30).for_each(|step| push_step(&mut session, step));
    session.prepare(Cache::Warm).unwrap();
    let wanted = recall(&mut session, "two", "src/file_");
    (30..38).for_each(|step| push_step(&mut session, step));
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert!(texts(&prepared.messages).contains(&quote(&wanted)), "whole and as it was");
}

#[test]
fn a_result_for_a_call_that_was_left_out_opens_an_epoch() {
    let mut session = balanced(1_500);
    session.push(user("go")).unwrap();
    session.push(call("slow", &"sleep 1; ".repeat(200))).unwrap();
    (0..8).for_each(|step| push_step(&mut session, step));
    session.prepare(Cache::Warm).unwrap();
    session.push(result("slow", "done at last")).unwrap();
    let prepared = session.prepare(Cache::Warm).unwrap();
    let shown = texts(&prepared.messages);
    assert_eq!(shown.contains("\"id\":\"slow\""), shown.contains("\"tool_call_id\":\"slow\""), "{shown}");
}

#[test]
fn a_host_may_hand_over_its_whole_list() {
    let mut session = balanced(10_000);
    let mut list = vec![user("go"), call("a", "ls"), result("a", "x")];
    assert_eq!(session.sync(list.clone()), Ok(Synced::Grown(3)));
    session.prepare(Cache::Warm).unwrap();
    list.extend([call("b", "ls"), result("b", "y")]);
    assert_eq!(session.sync(list.clone()), Ok(Synced::Grown(2)));
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert_eq!(prepared.messages.iter().map(ToString::to_string).collect::<Vec<_>>(), list);
    list[4] = result("b", "z");
    assert_eq!(session.sync(list.clone()), Ok(Synced::Rewritten { at: 4 }));
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert_eq!(prepared.messages.iter().map(ToString::to_string).collect::<Vec<_>>(), list);
    assert_eq!((prepared.opened, prepared.unchanged), (Some(EpochReason::Rewritten), 4));
}

#[test]
fn what_a_host_changes_at_the_end_leaves_older_folds_as_they_were_sent() {
    let mut session = balanced(3_000);
    let mut list = vec![user("go")];
    for step in 0..12 {
        list.extend([call(&format!("c{step}"), "make"), result(&format!("c{step}"), &output(step))]);
    }
    session.sync(list.clone()).unwrap();
    let before = session.prepare(Cache::Warm).unwrap().messages.to_vec();
    list.push(user("note 1"));
    session.sync(list.clone()).unwrap();
    session.prepare(Cache::Warm).unwrap();
    *list.last_mut().unwrap() = user("note 2");
    session.sync(list).unwrap();
    let after = session.prepare(Cache::Warm).unwrap();
    assert_eq!(after.messages[..before.len()], before[..]);
    assert_eq!(after.messages.last().unwrap().to_string(), user("note 2"));
}

#[test]
fn rubbish_is_refused_and_changes_nothing() {
    let mut session = balanced(1_000);
    session.push(user("go")).unwrap();
    assert!(matches!(session.push("{\"role\":"), Err(PushError::NotJson(_))));
    assert!(matches!(session.push("[1]"), Err(PushError::NotAMessage { .. })));
    assert!(session.sync([user("go"), "nonsense".to_string()]).is_err());
    assert!(session.sync([user("other"), "nonsense".to_string()]).is_err());
    assert_eq!(texts(&session.prepare(Cache::Warm).unwrap().messages), user("go") + "\n");
}

#[test]
fn a_task_that_does_not_fit_is_said_and_the_session_goes_on() {
    let mut session = balanced(100);
    session.push(user(&"words ".repeat(200))).unwrap();
    assert!(session.prepare(Cache::Warm).is_err());
    session.push(r#"{"role":"assistant","content":"no"}"#).unwrap();
    assert!(session.prepare(Cache::Warm).is_err());
    assert_eq!(session.history().messages().len(), 2);
}

#[test]
fn the_limit_is_held_as_the_provider_counts() {
    let mut session = balanced(10_000);
    session.push(user("go")).unwrap();
    let (mut counted, mut steps) = (0, 0);
    while counted <= 5_000 {
        push_step(&mut session, steps);
        let prepared = session.prepare(Cache::Warm).unwrap();
        assert_ne!(prepared.opened, Some(EpochReason::Overflow), "{counted} fit");
        (counted, steps) = (prepared.tokens, steps + 1);
    }
    session.report(counted * 2);
    push_step(&mut session, steps);
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert_eq!(prepared.opened, Some(EpochReason::Overflow), "{counted} counted are twice that");
    assert!(prepared.tokens <= 5_000, "{}", prepared.tokens);
}

/// Two texts whose handles are the same nine digits: of some forty thousand texts two share one more often than not.
fn twins(key: &HandleKey) -> (String, String) {
    let mut known = std::collections::BTreeMap::new();
    for n in 0.. {
        let text = format!("{n}: {}", "a line that says nothing much\n".repeat(4));
        if let Some(other) = known.insert(key.handle(text.as_bytes()), text.clone()) {
            return (other, text);
        }
    }
    unreachable!("there are only so many handles")
}

/// The second one once took the first one's place, and the first was lost.
#[test]
fn two_originals_never_share_a_handle() {
    let key = HandleKey::new(b"secret", "session");
    let (one, other) = twins(&key);
    let policy = "name = \"cap\"\nabout = \"\"\n[[pass]]\nuse = \"cap_results\"\nwhen = \"arrival\"\nwhy = \"\"\nmax_tokens = 10\nkeep_chars = 8\n";
    let policy = Policy::parse(policy).unwrap();
    let mut session = Session::new(&OpenAiChat, policy, 10_000).with_handles(key.clone());
    session.push(user("go")).unwrap();
    for (id, text) in [("a", &one), ("b", &other)] {
        session.push(call(id, "cat")).unwrap();
        session.push(result(id, text)).unwrap();
        session.prepare(Cache::Warm).unwrap();
    }
    let shown = texts(&session.prepare(Cache::Warm).unwrap().messages);
    assert!(!shown.contains(&quote(&one)), "the first is folded");
    assert!(shown.contains(&quote(&other)), "the second stays as it is");
    assert_eq!(session.recall(key.handle(other.as_bytes())).unwrap(), one);
}

/// Counts characters, and how many it was ever given.
struct Spy(Arc<AtomicUsize>);

impl Counter for Spy {
    fn name(&self) -> String {
        "spy".into()
    }

    fn count(&self, text: &str) -> usize {
        self.0.fetch_add(text.len(), Ordering::Relaxed);
        text.len().div_ceil(4)
    }

    fn is_exact(&self) -> bool {
        false
    }
}

#[test]
fn another_counter_counts_what_is_there_and_loses_nothing() {
    let mut session = balanced(6_000);
    session.push(user("go")).unwrap();
    (0..30).for_each(|step| push_step(&mut session, step));
    let before = session.prepare(Cache::Warm).unwrap();
    assert_eq!(before.opened, Some(EpochReason::Overflow));
    let sent = session.checkpoint().unwrap();
    let mut session = session.counting_with(Arc::new(Heuristic), Default::default());
    assert_eq!(session.history().messages().len(), 61);
    let again = session.prepare(Cache::Warm).unwrap();
    assert_eq!(again.messages, before.messages, "the same view");
    assert_ne!(again.tokens, before.tokens);
    let mut other = balanced(6_000).counting_with(Arc::new(Heuristic), Default::default());
    other.push(user("go")).unwrap();
    (0..30).for_each(|step| push_step(&mut other, step));
    other.reopen(&sent).unwrap();
    assert_eq!(other.prepare(Cache::Warm).unwrap().tokens, again.tokens, "as if it had always counted so");
    push_step(&mut session, 30);
    assert_eq!(session.prepare(Cache::Warm).unwrap().messages[..again.messages.len()], again.messages[..]);
}

#[test]
fn a_request_counts_no_more_than_what_is_new() {
    let looked_at = Arc::new(AtomicUsize::new(0));
    let mut session = balanced(1_000_000).counting_with(Arc::new(Spy(looked_at.clone())), Default::default());
    session.push(user("go")).unwrap();
    for step in 0..200 {
        looked_at.store(0, Ordering::Relaxed);
        push_step(&mut session, step);
        session.prepare(Cache::Warm).unwrap();
        let new = output(step).len() + 200;
        assert!(looked_at.load(Ordering::Relaxed) < 2 * new, "step {step}");
    }
}

#[test]
fn every_policy_keeps_its_views_append_only_between_epochs_over_real_sessions() {
    let Some(root) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: ENFOLD_SESSIONS is not set");
        return;
    };
    let folder = std::path::Path::new(&root).join("dev");
    let mut files: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    let (mut requests, mut epochs) = (0, 0);
    for (nth, path) in files.iter().enumerate() {
        let document = file::read_bytes(std::fs::read(path).unwrap()).unwrap();
        // Every policy meets every session when there is time for it; here each meets its share.
        let (name, _) = POLICIES[nth % POLICIES.len()];
        let mut session = Session::new(document.wire, Policy::named(name).unwrap(), 24_000);
        let (mut before, mut epoch) = (Vec::new(), 0);
        for message in document.history.messages() {
            if message.role == Role::Assistant
                && let Ok(prepared) = session.prepare(Cache::Warm)
            {
                requests += 1;
                assert!(prepared.tokens <= 24_000);
                if prepared.epoch == epoch {
                    assert_eq!(prepared.messages[..before.len()], before[..], "{}", path.display());
                } else {
                    epochs += 1;
                    is_valid(document.wire.name(), &prepared.messages, &path.display().to_string());
                }
                (before, epoch) = (prepared.messages.to_vec(), prepared.epoch);
            }
            session.push(message.raw.clone()).unwrap();
        }
    }
    eprintln!("{requests} requests, {epochs} epochs");
    assert!(epochs > 0);
}

/// A session that has shown markers, and the handle of one of them.
fn with_a_marker() -> (Session, Handle) {
    let mut session = balanced(2_000);
    session.push(user("go")).unwrap();
    (0..12).for_each(|step| push_step(&mut session, step));
    let prepared = session.prepare(Cache::Warm).unwrap();
    let shown = texts(&prepared.messages);
    let is_shown = |handle: &&Handle| shown.contains(&handle.to_string());
    let handle = *prepared.originals.keys().find(is_shown).expect("a marker stands in the view");
    (session, handle)
}

#[test]
fn a_marker_that_comes_back_inside_a_call_is_noticed_and_its_original_at_hand() {
    let (mut session, handle) = with_a_marker();
    session.push(call("w", &format!("cat > a.rs <<'END'\nfn a() {{\n[12 lines {handle}]\n}}\nEND"))).unwrap();
    let noticed = session.noticed();
    let [event @ Event::MarkerReturned { tool, call_id, handle: returned, .. }] = &noticed[..] else {
        panic!("{noticed:?}")
    };
    assert_eq!((tool.as_str(), call_id.as_str(), *returned), ("bash", "w", handle));
    assert_eq!(event.name(), "marker:returned");
    let finding = event.finding().unwrap();
    assert!(finding.what.contains("`bash` (w)") && finding.remedy.contains(&handle.to_string()), "{finding}");
    assert!(session.recall(handle).is_some());
    assert_eq!(session.noticed(), [], "each is told once");
}

#[test]
fn what_nobody_asked_for_is_told_with_the_next_view_also_through_a_whole_list() {
    let (mut session, handle) = with_a_marker();
    let mut list: Vec<ByteString> =
        session.history().messages().iter().map(|message| message.raw.clone()).collect();
    list.push(call("w", &format!("echo '[3 lines {handle}]' > notes.txt")).into());
    session.sync(list).unwrap();
    let prepared = session.prepare(Cache::Warm).unwrap();
    assert!(matches!(&prepared.events[..], [.., Event::MarkerReturned { .. }]), "{:?}", prepared.events);
    assert_eq!(session.prepare(Cache::Warm).unwrap().events, []);
}

#[test]
fn another_process_notices_markers_of_the_view_it_goes_on_with() {
    let (session, handle) = with_a_marker();
    let checkpoint = session.checkpoint().unwrap();
    let mut other = balanced(2_000);
    for message in session.history().messages() {
        other.push(message.raw.clone()).unwrap();
    }
    other.reopen(&checkpoint).unwrap();
    other.push(call("w", &format!("echo '[3 lines {handle}]' > notes.txt"))).unwrap();
    assert_eq!(other.noticed().len(), 1);
}

#[test]
fn text_that_only_looks_like_a_marker_and_a_call_that_opens_a_fold_are_no_alarm() {
    let (mut session, handle) = with_a_marker();
    let digits = handle.digits();
    for (nth, command) in [
        "echo '[12 lines #000000001]' > a.txt".to_string(),
        format!("enfold unfold '{handle}'"),
        handle.to_string(),
        digits.clone(),
        format!("echo {digits} is a phone number"),
    ]
    .iter()
    .enumerate()
    {
        session.push(call(&format!("n{nth}"), command)).unwrap();
        assert_eq!(session.noticed(), [], "{command}");
    }
    // What the user and the tools say is theirs.
    session.push(result("n0", &format!("[12 lines {handle}]"))).unwrap();
    session.push(user(&format!("what is [12 lines {handle}]?"))).unwrap();
    assert_eq!(session.noticed(), []);
}

/// Messages of a session that goes on in one way only, with the requests between them.
fn monotonous(kind: &str, number: usize) -> Vec<String> {
    let reply = format!(r#"{{"role":"assistant","content":"It returns early, see line {number}."}}"#);
    let question = format!("Question {number}: what does function_{number} do when value_{number} is empty?");
    let (id, command) = (format!("c{number}"), format!("make step_{number}"));
    match kind {
        "questions" => vec![reply, user(&question)],
        "pastes" => vec![reply, user(&format!("{question}\n{}", output(number)))],
        "long answers" => {
            let told: String = (0..30).map(|nth| format!("Part {nth} of {number} is ready. ")).collect();
            vec![format!(r#"{{"role":"assistant","content":{}}}"#, quote(&told)), user("go on")]
        }
        "short steps" => vec![call(&id, &command), result(&id, "done")],
        "large writes" => vec![call(&id, &output(number)), result(&id, "written")],
        _ => vec![call(&id, &command), result(&id, &output(number))],
    }
}

/// A loop of compaction is what users of agents complain about first: each request rewrites what the one before rewrote.
#[test]
fn whatever_a_session_consists_of_its_views_have_room_to_grow() {
    const LIMIT: usize = 8_000;
    for (policy, _) in POLICIES {
        for kind in ["questions", "pastes", "long answers", "short steps", "large writes", "steps"] {
            let mut session = Session::new(&OpenAiChat, Policy::named(policy).unwrap(), LIMIT);
            session.push(user("Make the tests pass")).unwrap();
            let mut epochs = 0;
            for number in 0..400 {
                for message in monotonous(kind, number) {
                    session.push(message).unwrap();
                }
                epochs += usize::from(session.prepare(Cache::Warm).unwrap().opened.is_some());
            }
            // From low water to the limit there are four tenths of it.
            let fewest = session.tally().total() * 10 / (LIMIT * 4);
            assert!(epochs <= 3 + 3 * fewest, "{policy}, {kind}: {epochs} epochs, where {fewest} could do");
        }
    }
}
