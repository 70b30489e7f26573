//! One session one way.

use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::models::Prices;
use enfold::count::money::Money;
use enfold::count::{Counter, Tally, Usage};
use enfold::history::{MessageId, Slot};

use crate::figures::{Figures, Point};
use crate::held::{Held, Sent};
use crate::lookups::{Lookups, Seen};
use crate::managed::Managed;
use crate::needed::Needed;
use crate::rates::Rates;
use crate::recorded::Recorded;
use crate::way::Way;

/// Of the requests whose history is over the limit, each of so many is judged.
const JUDGED: usize = 5;

/// Tokens of a summary that a model was asked for.
const SUMMARY: u64 = 2_000;

/// What a session is replayed against.
#[derive(Clone)]
pub struct Setting {
    /// Tokens that a request's messages may take.
    pub limit: usize,
    /// The model's whole window.
    pub window: usize,
    /// How tokens are counted.
    pub counter: Arc<dyn Counter>,
    /// How pictures are counted.
    pub image: ImageRule,
    /// What the provider charges, relative to plain input.
    pub rates: Rates,
    /// What it charges in money, where known.
    pub prices: Option<Prices>,
    /// Whether views are judged by what the agent used next.
    pub judges: bool,
    /// Whether each request is kept for a curve.
    pub keeps_curve: bool,
    /// Whether time passes between requests as it did, where the session says so.
    pub has_clock: bool,
    /// Pauses: before the request of this number, counted from 1, so many seconds more pass.
    pub pauses: Vec<(usize, u32)>,
}

/// A request as it is sent.
pub struct Request<'a> {
    /// Messages of the session before it.
    pub at: usize,
    /// The system prompt, where the format keeps it beside the list.
    pub head: Option<&'a ByteString>,
    /// Its messages.
    pub messages: &'a [ByteString],
}

impl Setting {
    /// Whether the cache has forgotten the last request when this one is sent, counted from 0.
    pub(crate) fn is_cold(&self, recorded: &Recorded, request: usize) -> bool {
        let pauses = self.pauses.iter().filter(|(before, _)| *before == request + 1);
        let put_in: u64 = pauses.map(|(_, seconds)| u64::from(*seconds)).sum();
        let waited = recorded.waited(request).filter(|_| self.has_clock).unwrap_or(0);
        request == 0 || self.rates.forgets(waited, put_in)
    }
}

/// Sends every request of a session, and shows each to `sent`.
pub fn replay(recorded: &Recorded, way: &Way, setting: &Setting, mut sent: impl FnMut(Request)) -> Figures {
    let document = &recorded.document;
    let history = &document.history;
    let shows_all = matches!(way, Way::Everything);
    let mut needed = setting.judges.then(|| Needed::new(recorded));
    let mut held =
        Held::new(document.wire, setting.counter.clone(), setting.image, setting.judges && !shows_all);
    let tally = Tally::of(history, setting.counter.clone(), setting.image);
    let mut managed = Managed::new(recorded, way, setting);
    let mut lookups = Lookups::default();
    let mut figures = Figures::default();
    let (mut past, mut total, mut listed, mut before) = (0, 0, 0, 0);
    for (nth, answer) in recorded.requests().iter().enumerate() {
        for (id, message) in history.messages_from(MessageId::new(past)).take(answer.index() - past) {
            managed.push(id, message.slot, &message.raw);
            total += tally.message(id);
            listed += usize::from(message.slot == Slot::List);
        }
        past = answer.index();
        figures.requests += 1;
        let is_cold = setting.is_cold(recorded, nth);
        figures.cold += usize::from(is_cold && nth > 0);
        if let Some(needed) = &mut needed {
            needed.advance(*answer);
        }
        let Some(opened) = managed.prepare(is_cold) else {
            figures.failed += 1;
            continue;
        };
        let (head, view, known) = managed.view();
        let request = held.send(head, view, known);
        sent(Request { at: listed, head, messages: view });
        let read = if is_cold { 0 } else { setting.rates.held(request.same) };
        figures.charge(setting, past, &request, read, tally.message(*answer));
        if opened && matches!(way, Way::Compaction(_)) {
            figures.charge_summary(setting, before, is_cold);
        }
        before = request.tokens;
        figures.epochs += usize::from(opened);
        figures.breaks += usize::from(request.is_broken);
        figures.changed_within_an_epoch += usize::from(request.is_broken && !opened);
        figures.over += usize::from(request.tokens > setting.limit);
        if setting.keeps_curve {
            figures.curve.push(Point { at: listed, tokens: request.tokens, read, opened, cold: is_cold });
        }
        let Some(needed) = &needed else { continue };
        if !shows_all {
            let seen = Seen { sent: &request, read, is_cold, opened_epoch: opened };
            let reaches = |place| managed.reaches(place);
            lookups.charge(&seen, (needed, &held, &tally), reaches, setting, &mut figures);
        }
        if total > setting.limit && nth % JUDGED == 0 {
            needed.judge(Some(&held).filter(|_| !shows_all), &mut figures);
        }
    }
    figures
}

impl Figures {
    fn charge(&mut self, setting: &Setting, messages: usize, request: &Sent, read: usize, output: usize) {
        let (input, read) = (request.tokens as u64, read as u64);
        let usage =
            Usage { messages, input, cache_read: read, cache_write: input - read, output: output as u64 };
        self.add(setting, &usage);
    }

    /// A model is asked to sum up everything that the last request had. A warm cache holds it.
    fn charge_summary(&mut self, setting: &Setting, before: usize, is_cold: bool) {
        let input = before as u64;
        let cache_read = if is_cold { 0 } else { input };
        let usage =
            Usage { messages: 0, input, cache_read, cache_write: input - cache_read, output: SUMMARY };
        self.add(setting, &usage);
    }

    fn add(&mut self, setting: &Setting, usage: &Usage) {
        self.input += usage.input;
        self.cache_read += usage.cache_read;
        self.cache_write += usage.cache_write;
        self.cost += setting.rates.cost(usage.cache_read, usage.cache_write);
        if let Some(prices) = &setting.prices {
            *self.dollars.get_or_insert(0.0) += Money::of(usage, prices).total();
        }
    }
}
