//! The promises that every fold keeps, whoever makes it. Each looks at one folding and panics if it is broken.

use std::collections::{BTreeMap, BTreeSet};

use bytestring::ByteString;
use enfold::finding::Severity;
use enfold::folding::bonds::Bonds;
use enfold::folding::groups::together;
use enfold::folding::passes::Cx;
use enfold::folding::runner::newest_step;
use enfold::history::{ItemId, ItemKind, MessageId, Role, Slot};
use enfold::understand::facts::{Facts, Protection};
use enfold::validate::validate;
use enfold::view::View;
use enfold::view::fold::{FoldKind, Handle};
use enfold::view::search::search_all;
use enfold::view::trace::FoldTrace;

use super::folding::{Folding, Prepared, Way, messages};

/// Every promise.
pub const ALL: &[fn(&Folding)] = &[
    the_same_input_gives_the_same_bytes,
    each_fold_saves,
    pairs_stay_whole,
    what_is_protected_stays_as_it_is,
    the_users_words_stay,
    the_newest_step_stands,
    calls_stay_as_they_were_written,
    what_was_sent_stays_as_it_is,
    everything_hidden_is_recalled,
    every_handle_opens_from_the_history_alone,
    the_provider_takes_it,
    it_fits_and_is_counted_on_the_result,
    folding_again_changes_nothing,
    what_no_fold_touches_leaves_as_it_came,
];

pub fn the_same_input_gives_the_same_bytes(folding: &Folding) {
    let again = Folding::of(folding.session, folding.subject, folding.facts, folding.asked, "the same");
    match (&folding.outcome, &again.outcome) {
        (Ok(one), Ok(two)) => {
            let bytes = [one, two].map(|run| folding.session.rendered(&run.view));
            assert_eq!(bytes[0], bytes[1], "{}", folding.name);
            assert_eq!(one.trace, two.trace, "{}", folding.name);
            assert_eq!(one.originals, two.originals, "{}", folding.name);
        }
        (Err(one), Err(two)) => assert_eq!(one, two, "{}", folding.name),
        _ => panic!("{}: it fits once and once not", folding.name),
    }
}

pub fn each_fold_saves(folding: &Folding) {
    let trace = match &folding.outcome {
        Ok(run) => &run.trace,
        Err(cannot) => &cannot.trace,
    };
    let mut tokens = trace.before;
    for pass in &trace.passes {
        assert_eq!(pass.before, tokens, "{}: {pass:?}", folding.name);
        assert!(pass.folds.iter().all(|fold| fold.saved > 0), "{}: {pass:?}", folding.name);
        let saved: usize = pass.folds.iter().map(|fold| fold.saved).sum();
        assert_eq!(pass.before - pass.after, saved, "{}: {pass:?}", folding.name);
        tokens = pass.after;
    }
    assert_eq!(trace.after, tokens, "{}", folding.name);
}

pub fn pairs_stay_whole(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let history = folding.session.history();
    for item in history.item_ids() {
        if let Some(pair) = history.pair(item) {
            assert_eq!(run.view.has(item), run.view.has(pair), "{}: items {item}, {pair}", folding.name);
        }
    }
    let Some(view) = folding.session.reread(&run.view) else { return };
    let (open, left) = (history.open_calls().len(), view.history().open_calls().len());
    assert!(left <= open, "{}: {open} calls were unanswered, {left} are", folding.name);
}

pub fn what_is_protected_stays_as_it_is(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    for (id, item) in folding.session.history().item_ids().zip(folding.session.history().items()) {
        if folding.facts.is_protected(id, run.trace.protection) {
            assert!(run.view.has(id) && !run.view.is_changed(id), "{}: {item:?} is protected", folding.name);
            let raw = &folding.session.history().message(item.message).raw[item.span.range()];
            let sent = run.view.message(item.message).unwrap();
            assert!(sent.contains(raw), "{}: {raw} is protected, sent was {sent}", folding.name);
        }
    }
}

/// What a person typed stands in the view word for word. Checked where it is little beside the limit: beyond its share it
/// yields, and pastes fold.
pub fn the_users_words_stay(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let tally = &folding.session.tally;
    let (words, facts) = (folding.facts.words(), &folding.facts);
    let given =
        folding.session.history().item_ids().filter(|item| facts.is_protected(*item, run.trace.protection));
    let taken: usize = given.chain(words.iter().copied()).map(|item| tally.item(item)).sum();
    let is_typed = |item: &&ItemId| tally.item(**item) <= 400;
    if taken <= run.trace.limit / 8 {
        for item in words.iter().filter(is_typed) {
            let stays = run.view.has(*item) && !run.view.is_changed(*item);
            assert!(stays, "{}: {:?}", folding.name, folding.session.history().item(*item));
        }
    }
}

/// The last message of the model and all that came after it are at the end of the view, in order. Thinking alone may leave. Where
/// calls and results do not match, what stands may not be what can be sent.
pub fn the_newest_step_stands(folding: &Folding) {
    let Some(run) = folding.run().filter(|_| folding.subject.way == Way::Run) else { return };
    let history = folding.session.history();
    let sent = |id: &MessageId| history.message(*id).slot == Slot::List && !history.is_rubble(*id);
    let Some(newest) = history.message_ids().rev().find(|id| history.message(*id).role == Role::Assistant)
    else {
        return;
    };
    let is_unanswered = history.open_calls().iter().any(|call| history.item(*call).message < newest);
    if is_unanswered || !has_no_errors(folding.session) {
        return;
    }
    for id in history.message_ids().filter(|id| *id >= newest).filter(sent) {
        let is_thought = history.items_of(id).iter().all(|item| matches!(item.kind, ItemKind::Reasoning(_)));
        let stands = is_thought || !run.view.changes().is_dropped(id);
        assert!(stands, "{}: message {id} of the newest step", folding.name);
    }
    let told = run.view.changes().inserted();
    let is_behind = told.is_some_and(|told| told.before > newest && folding.facts.task() < Some(newest));
    assert!(!is_behind, "{}: something was put in behind it", folding.name);
}

/// A call stays as the model wrote it or leaves whole, but for one that alone takes a good part of the limit.
pub fn calls_stay_as_they_were_written(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let history = folding.session.history();
    for item in history.item_ids().filter(|item| history.item(*item).call().is_some()) {
        let is_small = folding.session.tally.item(item) <= run.trace.limit / 16;
        let is_edited = run.view.has(item) && run.view.is_changed(item);
        assert!(!(is_small && is_edited), "{}: {:?}", folding.name, history.item(item));
    }
}

pub fn what_was_sent_stays_as_it_is(folding: &Folding) {
    let Some(run) = folding.run().filter(|_| folding.subject.way == Way::Alone) else { return };
    let history = folding.session.history();
    for (id, message) in history.message_ids().zip(history.messages()).take(folding.asked.fresh.index()) {
        assert!(
            run.view.message(id).as_ref() == Some(&message.raw),
            "{}: message {id} was sent",
            folding.name
        );
    }
}

pub fn everything_hidden_is_recalled(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let (history, handles) = (folding.session.history(), &folding.session.handles);
    let read = run.originals.iter().map(|(handle, original)| (*handle, original.read(history).unwrap()));
    let read: BTreeMap<Handle, ByteString> = read.collect();
    for (handle, original) in &read {
        assert_eq!(*handle, handles.handle(original.as_bytes()), "{}", folding.name);
    }
    let mut opens: BTreeMap<ItemId, Vec<&str>> = BTreeMap::new();
    for fold in run.trace.folds() {
        let originals: Vec<&str> = fold.handles.iter().map(|handle| &*read[handle]).collect();
        for item in &fold.items {
            opens.entry(*item).or_default().extend(&originals);
        }
    }
    if let Some(inserted) = run.view.changes().inserted() {
        let known: Vec<&str> = history.messages().iter().map(|message| &*message.raw).collect();
        shown_handles_open(folding, &known.join("\n"), &inserted.text);
    }
    for (id, item) in history.item_ids().zip(history.items()) {
        if run.view.has(id) {
            for (nth, text) in
                item.texts.iter().enumerate().filter(|(nth, text)| run.view.text(id, *nth) != &*text.value)
            {
                let opened = read.get(&handles.handle(text.value.as_bytes()));
                assert_eq!(opened, Some(&text.value), "{}: text {nth} of item {id}", folding.name);
                shown_handles_open(folding, &text.value, run.view.text(id, nth));
            }
        } else {
            let raw = &history.message(item.message).raw;
            let stood = history.original(item.message);
            let whole = |original: &&str| original.contains(&*stood) || **original == raw[item.span.range()];
            assert!(opens.get(&id).is_some_and(|some| some.iter().any(whole)), "{}: item {id}", folding.name);
        }
    }
}

/// Nobody wrote the originals down, and the session has gone on since: its history still has them.
pub fn every_handle_opens_from_the_history_alone(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let (history, handles) = (folding.session.history(), &folding.session.handles);
    let mut grown = history.clone();
    for message in history.messages().iter().rev().take(3).filter(|message| message.slot == Slot::List) {
        let (parsed, _) = folding.session.document.wire.read_any(&message.raw);
        grown.push(message.raw.clone(), parsed);
    }
    for history in [history, &grown] {
        let facts = Facts::of(history);
        let wanted = run.originals.keys().copied().collect();
        let all = search_all(history, facts.tracker(), handles, wanted);
        for (handle, original) in &run.originals {
            let found = all.found.get(handle);
            let found = found.unwrap_or_else(|| panic!("{}: {handle}: {original:?}", folding.name));
            assert_eq!(found.read(history), original.read(history), "{}: {handle}", folding.name);
        }
    }
}

/// Whoever reads a folded text can open what it names.
fn shown_handles_open(folding: &Folding, before: &str, after: &str) {
    let Some(run) = folding.run() else { return };
    let shown = |text: &str| -> BTreeSet<String> {
        let (mark, digits) = if folding.asked.blobs.is_some() { ("full text: blobs/", 18) } else { ("#", 9) };
        let places = text.match_indices(mark).map(|(at, mark)| &text[at + mark.len()..]);
        let numbers = places
            .map(|rest| rest.bytes().take_while(u8::is_ascii_digit).count())
            .zip(text.match_indices(mark).map(|(at, mark)| &text[at + mark.len()..]));
        numbers
            .filter(|(length, _)| *length == digits)
            .map(|(length, rest)| rest[..length].to_string())
            .collect()
    };
    let known = shown(before);
    for digits in shown(after).difference(&known) {
        let handle = Handle::parse(digits).unwrap();
        assert!(run.originals.contains_key(&handle), "{}: {digits} opens nothing: {after}", folding.name);
    }
}

pub fn the_provider_takes_it(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let view = folding.session.reread(&run.view);
    let view = view.unwrap_or_else(|| panic!("{}: nothing is left", folding.name));
    let new = new_errors(folding.session, &view);
    assert!(new.is_empty(), "{}: {new:#?}\n{}", folding.name, folding.session.rendered(&run.view));
}

/// What a provider would refuse in `after` and not in `before`.
pub fn new_errors(before: &Prepared, after: &Prepared) -> Vec<String> {
    let known = errors(before);
    let is_new = |rule: &str, found: &[String]| found.len() > known.get(rule).map_or(0, Vec::len);
    errors(after)
        .into_iter()
        .filter(|(rule, found)| is_new(rule, found))
        .flat_map(|(_, found)| found)
        .collect()
}

/// Whether a provider would take the session as it is.
pub fn has_no_errors(session: &Prepared) -> bool {
    errors(session).is_empty()
}

/// Errors by rule.
fn errors(session: &Prepared) -> BTreeMap<&'static str, Vec<String>> {
    let mut errors: BTreeMap<&'static str, Vec<String>> = BTreeMap::new();
    let findings = validate(session.document.wire.name(), &session.document.request());
    for finding in findings.into_iter().filter(|finding| finding.severity == Severity::Error) {
        errors.entry(finding.rule.unwrap_or("?")).or_default().push(finding.to_string());
    }
    errors
}

pub fn it_fits_and_is_counted_on_the_result(folding: &Folding) {
    let limit = folding.asked.limit;
    match &folding.outcome {
        Ok(run) => {
            assert!(folding.subject.way == Way::Alone || run.trace.after <= limit, "{}", folding.name);
            assert_eq!(run.view.tokens(), run.trace.after, "{}", folding.name);
            let counted = folding.session.reread(&run.view).map_or(0, |view| view.tally.total());
            assert_eq!(counted, run.trace.after, "{}: counted on the result", folding.name);
        }
        Err(cannot) => {
            assert!(cannot.needed > limit, "{}: {cannot}", folding.name);
            let is_summary = |fold: &FoldTrace| fold.kind == FoldKind::Summary;
            assert!(!cannot.trace.folds().any(is_summary), "{}: a summary takes the room", folding.name);
            if folding.subject.policy.fits {
                let left: BTreeSet<MessageId> =
                    cannot.protected.iter().map(|(message, _)| *message).collect();
                let must = "only what is protected may keep a view from fitting";
                assert!(left.is_subset(&held(folding, &left)), "{}: {must}: {left:?}", folding.name);
            }
        }
    }
}

/// The messages that must stay, with those that cannot leave without them. Where nothing must, the last that is left:
/// a request without a message is none.
fn held(folding: &Folding, left: &BTreeSet<MessageId>) -> BTreeSet<MessageId> {
    let history = folding.session.history();
    let view = View::new(history, &folding.session.tally);
    let session = folding.session;
    let bonds = Bonds::of(history, MessageId::FIRST, session.document.wire, &session.around);
    let mut cx = Cx::new(0, folding.facts, &session.handles, session.document.wire);
    (cx.protection, cx.bonds, cx.newest) = (Protection::Task, &bonds, newest_step(history));
    let stays = |id: &MessageId| cx.is_protected_message(&view, *id);
    let groups = together(&view, &cx);
    let held: BTreeSet<MessageId> =
        groups.iter().filter(|group| group.iter().any(stays)).flatten().copied().collect();
    let last = || groups.iter().find(|group| group.iter().any(|id| left.contains(id)));
    if held.is_empty() { last().into_iter().flatten().copied().collect() } else { held }
}

pub fn folding_again_changes_nothing(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    // A pass that got nowhere near its budget may go on from where it stopped.
    let is_still_over = folding.subject.policy.epoch.above.is_reached(run.trace.after, folding.asked.limit);
    if is_still_over || run.trace.after > folding.asked.target || folding.asked.fresh > MessageId::FIRST {
        return;
    }
    let Some(view) = folding.session.reread(&run.view) else { return };
    let facts = view.facts(&folding.subject.policy);
    let again = Folding::of(&view, folding.subject, &facts, folding.asked, "the view");
    let again = again.run().unwrap_or_else(|| panic!("{}: the view fits", folding.name));
    assert_eq!(again.trace.folds().count(), 0, "{}: {:#?}", folding.name, again.trace);
    assert_eq!(view.rendered(&again.view), folding.session.rendered(&run.view), "{}", folding.name);
}

pub fn what_no_fold_touches_leaves_as_it_came(folding: &Folding) {
    let Some(run) = folding.run() else { return };
    let history = folding.session.history();
    let Some(view) = folding.session.reread(&run.view) else { return };
    let sent: Vec<(Option<MessageId>, String)> = messages(&run.view).map(|(id, _, raw)| (id, raw)).collect();
    let read: Vec<&str> = view.history().messages().iter().map(|message| &*message.raw).collect();
    assert_eq!(read, sent.iter().map(|(_, raw)| &**raw).collect::<Vec<_>>(), "{}", folding.name);
    for ((id, raw), after) in sent.iter().zip(view.history().messages()) {
        let Some(id) = id else { continue };
        let before = history.message(*id);
        if !before.item_ids().any(|item| run.view.is_changed(item)) {
            assert_eq!(*before.raw, **raw, "{}: message {id}", folding.name);
        }
        assert_eq!(before.role, after.role, "{}: message {id}", folding.name);
        if before.item_ids().all(|item| run.view.has(item)) {
            assert_eq!(before.extras, after.extras, "{}: message {id}", folding.name);
        }
    }
    if run.trace.folds().next().is_none() {
        let whole = folding.session.rendered(&View::new(history, &folding.session.tally));
        assert_eq!(folding.session.rendered(&run.view), whole, "{}", folding.name);
    }
}
