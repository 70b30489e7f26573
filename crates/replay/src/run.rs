//! One session one way.

use std::sync::Arc;

use bytestring::ByteString;
use enfold::count::media::ImageRule;
use enfold::count::models::Prices;
use enfold::count::money::Money;
use enfold::count::{Counter, Tally, Usage};
use enfold::history::{MessageId, Slot};
use enfold::{Cache, HandleKey, Session};

use crate::figures::{Figures, Point};
use crate::held::{Held, Sent};
use crate::needed::Needed;
use crate::rates::Rates;
use crate::recorded::Recorded;
use crate::way::Way;
use crate::words::Numbers;

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
    /// Pauses: before the request of this number, counted from 1, so many seconds pass.
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
    /// Whether the cache has forgotten the last request when this one is sent, counted from 1.
    fn is_cold(&self, request: usize) -> bool {
        let forgets = |seconds: u32| self.rates.ttl.is_none_or(|ttl| seconds > ttl);
        request == 1 || self.pauses.iter().any(|(before, seconds)| *before == request && forgets(*seconds))
    }
}

/// Sends every request of a session, and shows each to `sent`.
pub fn replay(recorded: &Recorded, way: &Way, setting: &Setting, mut sent: impl FnMut(Request)) -> Figures {
    let document = &recorded.document;
    let history = &document.history;
    let mut numbers = Numbers::default();
    let mut needed = setting.judges.then(|| Needed::new(recorded, &mut numbers));
    let mut held = Held::new(document.wire, setting.counter.clone(), setting.image);
    let tally = Tally::of(history, setting.counter.clone(), setting.image);
    let mut managed = Managed::new(recorded, way, setting);
    let mut figures = Figures::default();
    let (mut past, mut total, mut listed, mut before) = (0, 0, 0, 0);
    for answer in recorded.requests() {
        for (id, message) in history.messages_from(MessageId::new(past)).take(answer.index() - past) {
            managed.push(message.slot, &message.raw);
            total += tally.message(id);
            listed += usize::from(message.slot == Slot::List);
        }
        past = answer.index();
        figures.requests += 1;
        let is_cold = setting.is_cold(figures.requests);
        let Some(opened) = managed.prepare(is_cold) else {
            figures.failed += 1;
            continue;
        };
        let (head, view) = managed.view();
        let request = held.send(head, view, &mut numbers);
        let read = if is_cold { 0 } else { setting.rates.held(request.same) };
        figures.charge(setting, past, &request, read, tally.message(*answer));
        if opened && matches!(way, Way::Compaction(_)) {
            figures.charge_summary(setting, before);
        }
        before = request.tokens;
        figures.epochs += usize::from(opened);
        figures.breaks += usize::from(request.is_broken);
        figures.changed_within_an_epoch += usize::from(request.is_broken && !opened);
        figures.over += usize::from(request.tokens > setting.limit);
        if setting.keeps_curve {
            figures.curve.push(Point { at: listed, tokens: request.tokens, read, opened });
        }
        if let Some(needed) =
            needed.as_mut().filter(|_| total > setting.limit && (figures.requests - 1) % JUDGED == 0)
        {
            needed.advance(recorded, *answer);
            needed.judge(&held, &mut figures);
        }
        sent(Request { at: listed, head, messages: view });
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

    /// A model is asked to sum up everything that the last request had: the cache holds it.
    fn charge_summary(&mut self, setting: &Setting, before: usize) {
        let read = before as u64;
        self.add(
            setting,
            &Usage { messages: 0, input: read, cache_read: read, cache_write: 0, output: SUMMARY },
        );
    }

    fn add(&mut self, setting: &Setting, usage: &Usage) {
        self.input += usage.input;
        self.cache_read += usage.cache_read;
        self.cache_write += usage.cache_write;
        self.cost +=
            setting.rates.read * usage.cache_read as f64 + setting.rates.write * usage.cache_write as f64;
        if let Some(prices) = &setting.prices {
            *self.dollars.get_or_insert(0.0) += Money::of(usage, prices).total();
        }
    }
}

/// What becomes of messages on their way into requests.
enum Managed {
    Everything(Vec<ByteString>, Option<ByteString>),
    Session(Box<Session>),
}

impl Managed {
    fn new(recorded: &Recorded, way: &Way, setting: &Setting) -> Managed {
        let document = &recorded.document;
        let (Way::Policy(policy) | Way::Compaction(policy)) = way else {
            return Managed::Everything(Vec::new(), None);
        };
        let session = Session::new(document.wire, policy.clone(), setting.limit)
            .with_window(setting.window)
            // Nobody opens these handles, and two replays must give the same bytes.
            .with_handles(HandleKey::new(b"replay", "replay"))
            .with_around(document.around())
            .counting_with(setting.counter.clone(), setting.image);
        Managed::Session(Box::new(session))
    }

    fn push(&mut self, slot: Slot, raw: &ByteString) {
        match (self, slot) {
            (Managed::Everything(list, _), Slot::List) => list.push(raw.clone()),
            (Managed::Everything(_, head), Slot::Head) => *head = Some(raw.clone()),
            // What is no message of the format stands in a file and is never sent.
            (Managed::Session(session), Slot::List) => drop(session.push(raw.clone())),
            (Managed::Session(session), Slot::Head) => drop(session.push_head(raw.clone())),
        }
    }

    /// Whether an epoch was opened; nothing where what must stay does not fit.
    fn prepare(&mut self, is_cold: bool) -> Option<bool> {
        let Managed::Session(session) = self else { return Some(false) };
        let cache = if is_cold { Cache::Cold } else { Cache::Warm };
        session.prepare(cache).ok().map(|prepared| prepared.opened.is_some())
    }

    fn view(&self) -> (Option<&ByteString>, &[ByteString]) {
        match self {
            Managed::Everything(list, head) => (head.as_ref(), list),
            Managed::Session(session) => (session.head(), session.view()),
        }
    }
}
