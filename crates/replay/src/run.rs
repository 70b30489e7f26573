//! One session one way.

use bytestring::ByteString;
use enfold::count::money::Money;
use enfold::count::{Tally, Usage};
use enfold::history::{MessageId, Role, Slot};

use crate::figures::{Figures, Point};
use crate::held::Held;
use crate::lookups::{Lookups, Seen};
use crate::managed::Managed;
use crate::needed::Needed;
use crate::rates::Input;
use crate::recorded::Recorded;
use crate::setting::Setting;
use crate::way::Way;

/// Of the requests whose history is over the limit, each of so many is judged.
const JUDGED: usize = 5;

/// Tokens of a summary that a model was asked for.
const SUMMARY: usize = 2_000;

/// A request as it is sent.
pub struct Request<'a> {
    /// Messages of the session before it.
    pub at: usize,
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<&'a ByteString>,
    /// Its messages.
    pub messages: &'a [ByteString],
}

/// Sends every request of a session, and shows each to `sent`, but for those for which there is no view.
pub fn replay(recorded: &Recorded, way: &Way, setting: &Setting, mut sent: impl FnMut(Request)) -> Figures {
    let document = &recorded.document;
    let history = &document.history;
    let rates = &setting.rates;
    let shows_all = matches!(way, Way::Everything);
    let mut needed = setting.judges.then(|| Needed::new(recorded));
    let mut held =
        Held::new(document.wire, setting.counter.clone(), setting.image, setting.judges && !shows_all);
    let tally = Tally::of(history, setting.counter.clone(), setting.image);
    // What is no message of the format stands in a file and is never sent.
    let is_message = |id: MessageId| {
        let message = history.message(id);
        message.role != Role::Unknown || document.wire.read_message(&message.raw).is_ok()
    };
    let mut managed = Managed::new(recorded, way, setting);
    // What is sent where there is no view.
    let (mut all_head, mut all) = (None, Vec::new());
    let mut lookups = Lookups::default();
    let mut figures = Figures::default();
    let (mut past, mut total, mut listed, mut before) = (0, 0, 0, 0);
    let mut had_view = true;
    for (nth, answer) in recorded.requests().iter().enumerate() {
        for (id, message) in history.messages_from(MessageId::new(past)).take(answer.index() - past) {
            listed += usize::from(message.slot == Slot::List);
            match message.slot {
                Slot::List if !is_message(id) => continue,
                Slot::List => all.push(message.raw.clone()),
                Slot::Head => all_head = Some(message.raw.clone()),
            }
            managed.push(id, message.slot, &message.raw);
            total += tally.message(id);
        }
        past = answer.index();
        figures.requests += 1;
        let is_cold = setting.is_cold(recorded, nth);
        figures.cold += usize::from(is_cold && nth > 0);
        if let Some(needed) = &mut needed {
            needed.advance(nth);
        }
        let prepared = managed.prepare(is_cold);
        let (has_view, opened) = (prepared.is_some(), prepared.unwrap_or(false));
        let (head, view, known) = if has_view { managed.view() } else { (all_head.as_ref(), &all[..], 0) };
        let request = held.send(head, view, known);
        let read = if is_cold { 0 } else { rates.held(request.same) };
        let output = tally.messages()[recorded.answer(nth)].iter().sum();
        figures.charge(setting, past, rates.input(request.tokens, read), output);
        if has_view {
            sent(Request { at: listed, head, messages: view });
            figures.over += usize::from(request.tokens > setting.limit);
        } else {
            figures.failed += 1;
        }
        if opened && request.is_broken && matches!(way, Way::Compaction(_)) {
            // A model was asked to sum up everything that the last request had. A warm cache holds it.
            let read = if is_cold { 0 } else { rates.held(before) };
            figures.charge(setting, 0, rates.input(before, read), SUMMARY);
        }
        before = request.tokens;
        figures.epochs += usize::from(opened);
        figures.breaks += usize::from(request.is_broken);
        // Between a view and everything no session could go on.
        let is_between_views = std::mem::replace(&mut had_view, has_view) && has_view;
        figures.changed_within_an_epoch += usize::from(request.is_broken && !opened && is_between_views);
        if setting.keeps_curve {
            let (tokens, cost, cold, failed) = (request.tokens, figures.cost, is_cold, !has_view);
            figures.curve.push(Point { at: listed, tokens, read, cost, opened, cold, failed });
        }
        let Some(needed) = needed.as_mut().filter(|_| has_view) else { continue };
        if !shows_all {
            let seen = Seen { sent: &request, read, is_cold, opened_epoch: opened };
            let reaches = |place| managed.reaches(place);
            lookups.charge(&seen, (needed, &held, &tally), reaches, setting, &mut figures);
        }
        if total > setting.limit && nth % JUDGED == 0 {
            (figures.judged, figures.judged_sessions) = (figures.judged + 1, 1);
            needed.judge(Some(&held).filter(|_| !shows_all), &mut figures);
        }
    }
    figures
}

impl Figures {
    fn charge(&mut self, setting: &Setting, messages: usize, input: Input, output: usize) {
        self.input += input.tokens;
        self.cache_read += input.read;
        self.cache_write += input.written;
        self.cost += setting.rates.cost(input);
        if let Some(prices) = &setting.prices {
            let Input { tokens, read, written } = input;
            let (cache_read, cache_write, output) = (read, written, output as u64);
            self.priced_sessions = 1;
            let usage = Usage { messages, input: tokens, cache_read, cache_write, output };
            *self.dollars.get_or_insert(0.0) += Money::of(&usage, prices).total();
        }
    }
}
