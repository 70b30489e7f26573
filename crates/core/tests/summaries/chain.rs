//! What must hold for every request of a session that is summarized again and again.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::Arc;

use bytestring::ByteString;
use enfold::Session;
use enfold::count::{Counter, Encoding, Tally};
use enfold::file::document::{Document, Layout};
use enfold::folding::passes::Summarize;
use enfold::history::History;
use enfold::history::{ItemKind, MessageId, Slot};
use enfold::summary::find;
use enfold::understand::facts::{Facts, Understanding};
use enfold::understand::files::FileTracker;
use enfold::understand::ledger::Ledger;
use enfold::view::fold::Handle;
use enfold::wire::Wire;

use crate::shot::Shot;
use crate::support::folding::Prepared;
use crate::support::promises::new_errors;
use crate::talk::{Request, Setting, Told};

/// Tokens of a summary's own words.
const FRAME: usize = 120;

/// Looks at a session request after request.
pub struct Watch<'w> {
    whole: &'w Prepared,
    setting: Setting<'w>,
    options: &'w Summarize,
    name: String,
    count: Count,
    before: Option<Shot>,
    round: u32,
    task: Option<MessageId>,
    /// Messages that an accepted answer was asked about.
    told: BTreeSet<MessageId>,
    /// Originals, and the messages in those that hold several.
    opens: HashSet<ByteString>,
    pub seen: Seen,
}

/// How much was seen.
#[derive(Clone, Copy, Debug, Default)]
pub struct Seen {
    pub sessions: usize,
    pub requests: usize,
    pub epochs: usize,
    pub rounds: usize,
    pub accepted: usize,
    pub refused: usize,
    /// Requests whose protected messages alone did not fit.
    pub unfit: usize,
}

impl Seen {
    pub fn add(&mut self, other: Seen) {
        self.sessions += other.sessions;
        self.requests += other.requests;
        self.epochs += other.epochs;
        self.rounds += other.rounds;
        self.accepted += other.accepted;
        self.refused += other.refused;
        self.unfit += other.unfit;
    }
}

impl<'w> Watch<'w> {
    pub fn new(whole: &'w Prepared, setting: Setting<'w>, options: &'w Summarize, name: String) -> Watch<'w> {
        let count = Count::new(whole.document.wire);
        Watch {
            whole,
            setting,
            options,
            name,
            count,
            before: None,
            round: 0,
            task: None,
            told: BTreeSet::new(),
            opens: HashSet::new(),
            seen: Seen { sessions: 1, ..Seen::default() },
        }
    }

    pub fn look(&mut self, session: &Session, request: Request) {
        let Request { at, shot, told } = request;
        self.seen.requests += 1;
        self.seen.epochs += usize::from(shot.opened.is_some());
        match &told {
            Some(Told::Accepted(question)) => {
                self.seen.accepted += 1;
                self.told.extend(&question.messages);
            }
            Some(Told::Refused) => self.seen.refused += 1,
            None => {}
        }
        for (handle, original) in &shot.originals {
            assert_eq!(session.originals().get(handle), Some(original));
            let original = original.read(session.history()).unwrap();
            self.opens.extend(original.split('\n').map(ByteString::from));
            self.opens.insert(original);
        }
        let here = format!("{} at message {at}", self.name);
        self.only_grows(&shot, &here);
        self.fits(&shot, &here);
        self.tells_the_task(session, &shot, &here);
        self.counts_rounds(&shot, &here);
        self.holds_the_cap(&shot, &here);
        if shot.opened.is_some() {
            self.is_valid(session, &shot, &here);
            self.names_changed_files(session, &shot, &here);
            self.hides_nothing(session, &shot, &here);
            if let (Some(Told::Accepted(_)), Some(summary)) = (&told, &shot.summary) {
                let gone = gone(session.history(), &shot).filter(|id| *id < summary.through);
                let untold: Vec<MessageId> = gone.filter(|id| !self.told.contains(id)).collect();
                assert_eq!(
                    untold,
                    Vec::<MessageId>::new(),
                    "{here}: no narrative was ever asked about these"
                );
            }
        } else if self.seen.requests.is_multiple_of(16) {
            self.is_valid(session, &shot, &here);
        }
        self.before = Some(shot);
    }

    /// When everything was pushed.
    pub fn end(&self, session: &Session) {
        let raw = |history: &History| -> Vec<ByteString> {
            history.messages().iter().map(|message| message.raw.clone()).collect()
        };
        assert!(raw(session.history()) == raw(self.whole.history()), "{}", self.name);
    }

    fn only_grows(&self, shot: &Shot, here: &str) {
        let before = self.before.as_ref().map_or(&[][..], |before| &before.messages[..]);
        assert!(before.starts_with(&shot.messages[..shot.unchanged]), "{here}: unchanged is what was sent");
        let epoch = self.before.as_ref().map_or(0, |before| before.epoch);
        match shot.opened {
            Some(_) => assert_eq!(shot.epoch, epoch + 1, "{here}"),
            None => {
                assert_eq!(shot.epoch, epoch, "{here}");
                assert!(shot.messages.starts_with(before), "{here}: sent messages changed within an epoch");
                assert_eq!(shot.unchanged, before.len(), "{here}");
            }
        }
    }

    fn fits(&mut self, shot: &Shot, here: &str) {
        let head = shot.head.iter().map(|head| (Slot::Head, head));
        let list = shot.messages.iter().map(|raw| (Slot::List, raw));
        let counted: usize = head.chain(list).map(|(slot, raw)| self.count.message(slot, raw)).sum();
        assert_eq!(counted, shot.tokens, "{here}: counted on the result");
        assert!(counted <= self.setting.limit, "{here}: {counted} of {}", self.setting.limit);
    }

    fn tells_the_task(&mut self, session: &Session, shot: &Shot, here: &str) {
        self.task = self.task.or_else(|| facts(session).task());
        let Some(task) = self.task else { return };
        let message = session.history().message(task);
        let items = session.history().items_of(task).iter();
        for item in items.filter(|item| item.kind == ItemKind::Text && item.within.is_none()) {
            let raw = &message.raw[item.span.range()];
            assert!(shot.messages.iter().any(|sent| sent.contains(raw)), "{here}: the task {raw}");
        }
    }

    fn counts_rounds(&mut self, shot: &Shot, here: &str) {
        let block = shot.block();
        assert_eq!(block.is_some(), shot.summary.is_some(), "{here}");
        let (Some(block), Some(summary)) = (block, &shot.summary) else { return };
        let found = find(&block).unwrap();
        assert_eq!((found.round, &found.narrative), (summary.round, &summary.narrative), "{here}");
        let is_next = summary.round == self.round + 1;
        assert!(is_next || summary.round == self.round, "{here}: {} after {}", summary.round, self.round);
        self.seen.rounds += usize::from(is_next);
        self.round = summary.round;
    }

    fn holds_the_cap(&self, shot: &Shot, here: &str) {
        let Some(block) = shot.block() else { return };
        let Summarize { tokens, ledger, .. } = *self.options;
        let narrative = find(&block).unwrap().narrative.map_or(0, |text| Encoding::O200k.count(&text));
        assert!(narrative <= tokens, "{here}: a narrative of {narrative}");
        let all = Encoding::O200k.count(&block);
        assert!(all <= tokens + ledger + FRAME, "{here}: a summary of {all}\n{block}");
    }

    fn is_valid(&self, session: &Session, shot: &Shot, here: &str) {
        let view = read(self.whole.document.wire, shot);
        assert_eq!(faults(self.whole, session, view), Vec::<String>::new(), "{here}");
    }

    fn names_changed_files(&self, session: &Session, shot: &Shot, here: &str) {
        let history = session.history();
        let mut tracker = FileTracker::new(Understanding::default().vocabulary);
        tracker.update(history);
        let changed: BTreeSet<&str> = tracker.modified_files().collect();
        let ledger = Ledger::of(history, &facts(session));
        let entries = ledger.files.iter().filter(|file| file.modified);
        assert_eq!(entries.map(|file| &*file.path).collect::<BTreeSet<&str>>(), changed, "{here}");
        let Some(block) = shot.block() else { return };
        let lines = block.lines().skip_while(|line| *line != "### Changed files").skip(1);
        let lines: Vec<&str> = lines.take_while(|line| line.starts_with("- ")).collect();
        let more = lines.last().and_then(|line| line.strip_prefix("- … ")?.strip_suffix(" more"));
        let named = lines.len() - usize::from(more.is_some());
        for line in &lines[..named] {
            let path = line[2..].split(" (+").next().unwrap();
            assert!(changed.contains(path), "{here}: nobody changed {path}");
        }
        let more: usize = more.map_or(0, |more| more.parse().unwrap());
        if named > 0 {
            assert_eq!(named + more, changed.len(), "{here}\n{block}");
        } else if !changed.is_empty() {
            // Sections take turns, so that a ledger of a few lines may have none for files.
            let room = Encoding::O200k.count(&block);
            let shown = find(&block).unwrap().narrative.map_or(0, |text| Encoding::O200k.count(&text));
            let least = self.setting.limit / 20;
            assert!(room - shown < least.max(240), "{here}: there was room for changed files\n{block}");
        }
    }

    /// Whoever reads a handle can open it, and every message that is not shown is behind one.
    fn hides_nothing(&self, session: &Session, shot: &Shot, here: &str) {
        let history = session.history();
        if let Some(block) = shot.block() {
            let line = block.lines().nth(1).unwrap();
            let handle = Handle::parse(line.rsplit('#').next().unwrap().trim_end_matches(']')).unwrap();
            let opened = session.original(handle).unwrap_or_else(|| panic!("{here}: {line}"));
            let gone: Vec<&str> = gone(history, shot).map(|id| &*history.message(id).raw).collect();
            let told = find(&block).unwrap().messages;
            let told_of = gone.iter().filter(|raw| opened.contains(**raw)).count();
            assert!(told_of >= told.min(gone.len()), "{here}: {told_of} of {told} open");
        }
        let known: HashSet<&str> = history.messages().iter().map(|message| &*message.raw).collect();
        for message in shot.messages.iter().filter(|raw| !known.contains(&***raw)) {
            for digits in handles(message) {
                let is_quoted = || known.iter().any(|raw| raw.contains(&format!("#{digits}")));
                let opens = session.originals().contains_key(&Handle::parse(&digits).unwrap());
                assert!(opens || is_quoted(), "{here}: {digits} opens nothing");
            }
        }
        for id in gone(history, shot) {
            let message = history.message(id);
            let items = history.items_of(id).iter();
            let mut parts = items.flat_map(|item| {
                let texts = item.texts.iter().map(|text| text.value.clone());
                texts.chain([message.raw.slice_ref(&message.raw[item.span.range()])])
            });
            let is_behind = self.opens.contains(&message.raw)
                || parts.any(|part| self.opens.contains(&part))
                || self.opens.iter().any(|original| original.contains(&*message.raw));
            assert!(is_behind, "{here}: message {id} is nowhere");
        }
    }
}

/// The messages of a history that a view does not show as they are.
fn gone<'h>(history: &'h History, shot: &Shot) -> impl Iterator<Item = MessageId> + 'h {
    let sent: HashSet<ByteString> = shot.messages.iter().cloned().collect();
    let messages = history.message_ids().zip(history.messages());
    let is_gone = move |raw: &ByteString| !sent.contains(raw);
    messages.filter(move |(_, message)| message.slot == Slot::List && is_gone(&message.raw)).map(|(id, _)| id)
}

/// What a session knows about its history, found out anew.
fn facts(session: &Session) -> Facts {
    Facts::of(session.history())
}

/// Nine digits behind a `#`.
fn handles(text: &str) -> Vec<String> {
    let after = text.match_indices('#').map(|(at, _)| &text[at + 1..]);
    let digits = after.map(|rest| rest.chars().take_while(char::is_ascii_digit).collect::<String>());
    digits.filter(|digits| digits.len() == 9).collect()
}

/// What the provider would refuse in a view and not in the session's history.
pub fn faults(whole: &Prepared, session: &Session, view: History) -> Vec<String> {
    // Nothing is counted for this: that would take longer than everything else together.
    let tally = || Tally::new(Arc::new(Encoding::O200k), Default::default());
    let layout = Layout::Extracted;
    let of = |history| Prepared {
        document: Document { history, layout: layout.clone(), ..whole.document.clone() },
        tally: tally(),
        handles: whole.handles.clone(),
        around: whole.around.clone(),
    };
    new_errors(&of(session.history().clone()), &of(view))
}

/// A view as a history.
pub fn read(wire: &'static dyn Wire, shot: &Shot) -> History {
    let mut history = History::new();
    if let Some(head) = &shot.head {
        history.push(head.clone(), wire.read_head(head).unwrap());
    }
    for raw in &shot.messages {
        history.push(raw.clone(), wire.read_message(raw).unwrap());
    }
    history
}

/// Counts messages as they are sent, each by itself.
struct Count {
    wire: &'static dyn Wire,
    known: HashMap<ByteString, usize>,
}

impl Count {
    fn new(wire: &'static dyn Wire) -> Count {
        Count { wire, known: HashMap::new() }
    }

    fn message(&mut self, slot: Slot, raw: &ByteString) -> usize {
        *self.known.entry(raw.clone()).or_insert_with(|| {
            let mut history = History::new();
            let parsed = match slot {
                Slot::List => self.wire.read_message(raw),
                Slot::Head => self.wire.read_head(raw),
            };
            history.push(raw.clone(), parsed.unwrap());
            Tally::of(&history, Arc::new(Encoding::O200k), Default::default()).total()
        })
    }
}
