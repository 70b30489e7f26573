//! What the lines of a history are worth, before anything is chosen.
//!
//! Everything here depends on the history alone, not on the price, so it is done once per fold.

use std::collections::HashMap;
use std::ops::Range;

use super::FoldByValue;
use crate::history::History;
use crate::item::{ItemId, ItemKind, MessageId, Role};
use crate::json::quote;
use crate::lines;
use crate::names::{self, NameKind};
use crate::passes::Cx;
use crate::together::together;
use crate::view::View;

/// Number of a name or line key in the tables of one analysis.
pub(super) type Id = u32;

/// No line key: blank lines are worth nothing and repeat nothing.
pub(super) const NO_KEY: Id = Id::MAX;

/// The history, cut into what is kept or left out together.
pub(super) struct Analysis {
    pub(super) groups: Vec<Group>,
    pub(super) parts: Vec<Part>,
    pub(super) lines: Vec<Line>,
    /// Names of lines, back to back; each line knows its range.
    pub(super) line_names: Vec<Id>,
    /// Value of showing a name once.
    pub(super) name_value: Vec<f64>,
    /// Value of showing a line as a line.
    pub(super) key_value: Vec<f64>,
    /// Names and lines that stand in what is never folded.
    pub(super) given_names: Vec<Id>,
    pub(super) given_keys: Vec<Id>,
    /// Tokens of what is never folded.
    pub(super) fixed_tokens: usize,
}

/// A step, or a message outside steps.
pub(super) struct Group {
    pub(super) messages: Vec<MessageId>,
    /// Responses of the model since.
    pub(super) age: f64,
    pub(super) fixed: bool,
    /// Tokens that come with the group however its parts are folded.
    pub(super) overhead: usize,
    pub(super) parts: Range<usize>,
    /// Names in what is never folded of it: short arguments, tool names.
    pub(super) small_names: Vec<Id>,
    /// How much its names look like those of the last steps.
    pub(super) affinity: f64,
}

/// A text that can be folded line by line.
pub(super) struct Part {
    pub(super) place: Place,
    pub(super) voice: Voice,
    pub(super) lines: Range<usize>,
}

/// Where a part stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Place {
    pub(super) item: ItemId,
    pub(super) text: usize,
    /// The string literal inside a call's arguments; `None` for the whole text.
    pub(super) argument: Option<Range<usize>>,
}

/// Who says a part, as far as its worth goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Voice {
    User,
    Assistant,
    Argument,
    Tool,
}

/// One line of a part.
pub(super) struct Line {
    /// In the part's text (decoded, for arguments).
    pub(super) span: Range<usize>,
    pub(super) cost: u32,
    pub(super) names: Range<usize>,
    pub(super) key: Id,
    pub(super) key_is_short: bool,
}

/// What was seen of a name or a line, over the whole history.
#[derive(Clone, Copy)]
struct Seen {
    /// Age of the newest group it stands in.
    age: f64,
    by_assistant: bool,
    occurrences: u32,
    /// The fewest names (lines) of a message it stands in: among few, each one matters more.
    company: u32,
    /// Messages it stands in.
    messages: u32,
}

impl Analysis {
    /// Analyses all messages of a view.
    pub(super) fn of(view: &View, weights: &FoldByValue, cx: &Cx) -> Analysis {
        let groups = together(view, cx.wire);
        let speaks = |id: &MessageId| view.history().messages()[*id].role == Role::Assistant;
        let responses = groups.iter().filter(|group| group.iter().any(speaks)).count();
        let mut builder = Builder::empty(view, weights);
        let mut so_far = 0;
        for messages in groups {
            so_far += usize::from(messages.iter().any(speaks));
            let fixed = messages.iter().any(|message| cx.is_protected_message(view, *message));
            builder.add_group(messages, fixed, (responses - so_far) as f64);
        }
        builder.finish()
    }
}

struct Builder<'h> {
    view: &'h View<'h>,
    history: &'h History,
    weights: &'h FoldByValue,
    names: HashMap<String, Id>,
    kinds: Vec<NameKind>,
    seen_names: Vec<Seen>,
    keys: HashMap<String, Id>,
    seen_keys: Vec<Seen>,
    /// Per message its names, each once.
    message_names: Vec<Vec<Id>>,
    out: Analysis,
}

/// The names and lines of one message while it is read.
#[derive(Default)]
struct Page {
    names: HashMap<Id, u32>,
    keys: Vec<Id>,
    lines: u32,
}

impl<'h> Builder<'h> {
    fn empty(view: &'h View<'h>, weights: &'h FoldByValue) -> Builder<'h> {
        let history = view.history();
        let out = Analysis {
            groups: Vec::new(),
            parts: Vec::new(),
            lines: Vec::new(),
            line_names: Vec::new(),
            name_value: Vec::new(),
            key_value: Vec::new(),
            given_names: Vec::new(),
            given_keys: Vec::new(),
            fixed_tokens: 0,
        };
        Builder {
            view,
            history,
            weights,
            names: HashMap::new(),
            kinds: Vec::new(),
            seen_names: Vec::new(),
            keys: HashMap::new(),
            seen_keys: Vec::new(),
            message_names: vec![Vec::new(); history.messages().len()],
            out,
        }
    }

    fn add_group(&mut self, messages: Vec<MessageId>, fixed: bool, age: f64) {
        let mut group = Group {
            age,
            fixed,
            overhead: 0,
            parts: self.out.parts.len()..0,
            small_names: Vec::new(),
            affinity: 0.0,
            messages,
        };
        for message in group.messages.clone() {
            let tokens = self.view.message_tokens(message);
            let (page, in_parts) = self.read_message(message, &mut group);
            if group.fixed {
                self.out.fixed_tokens += tokens;
            }
            group.overhead += tokens.saturating_sub(in_parts);
            self.remember(page, age, message);
        }
        group.parts.end = self.out.parts.len();
        self.out.groups.push(group);
    }

    /// Reads the texts of a message into parts; returns what was seen and the tokens the parts hold.
    fn read_message(&mut self, message: MessageId, group: &mut Group) -> (Page, usize) {
        let mut page = Page::default();
        let mut in_parts = 0;
        let role = self.history.messages()[message].role;
        for id in self.history.messages()[message].items.clone().filter(|id| self.view.has(*id)) {
            let item = &self.history.items()[id];
            let voice = match (&item.kind, role) {
                (ItemKind::Text, Role::Assistant) => Voice::Assistant,
                (ItemKind::Text | ItemKind::Summary, _) => Voice::User,
                (ItemKind::Result(_), _) => Voice::Tool,
                (ItemKind::Call(call), _) => {
                    let name = call.name.clone();
                    self.note_small(&name, group, &mut page);
                    in_parts += self.read_arguments(id, group, &mut page);
                    continue;
                }
                _ => continue,
            };
            for nth in 0..item.texts.len() {
                let text = self.view.text(id, nth).to_string();
                if group.fixed {
                    self.note_given(&text, &mut page);
                } else {
                    let place = Place { item: id, text: nth, argument: None };
                    in_parts += self.view.tally().counter().count(&text);
                    self.add_part(place, voice, &text, &mut page);
                }
            }
        }
        (page, in_parts)
    }

    /// Long strings among the arguments become parts; short ones stay with the call.
    fn read_arguments(&mut self, id: ItemId, group: &mut Group, page: &mut Page) -> usize {
        if self.history.items()[id].texts.is_empty() {
            return 0;
        }
        let arguments = self.view.text(id, 0).to_string();
        let mut in_parts = 0;
        for span in crate::arguments::strings(&arguments) {
            let literal = &arguments[span.clone()];
            let value = crate::json::Raw::trusted(literal).str().unwrap_or_default();
            let tokens = self.view.tally().counter().count(literal);
            if !group.fixed && tokens > self.weights.shortest_argument {
                in_parts += tokens;
                let place = Place { item: id, text: 0, argument: Some(span) };
                self.add_part(place, Voice::Argument, &value, page);
            } else {
                self.note_small(&value, group, page);
            }
        }
        in_parts
    }

    fn add_part(&mut self, place: Place, voice: Voice, text: &str, page: &mut Page) {
        let first = self.out.lines.len();
        for span in lines::units(text) {
            let line = &text[span.clone()];
            let names = self.out.line_names.len();
            self.names_of(line, page);
            let key = self.key_of(line, page);
            let cost = match voice {
                Voice::Argument => {
                    let literal = quote(line);
                    self.view.tally().counter().count(&format!("{}\\n", &literal[1..literal.len() - 1]))
                }
                _ => self.view.tally().counter().count(&format!("{line}\n")),
            };
            let key_is_short = lines::key(line).chars().count() <= 8;
            let names = names..self.out.line_names.len();
            self.out.lines.push(Line { span, cost: cost as u32, names, key, key_is_short });
        }
        self.out.parts.push(Part { place, voice, lines: first..self.out.lines.len() });
    }

    /// Appends the names of a line to the arena.
    fn names_of(&mut self, line: &str, page: &mut Page) {
        let first = self.out.line_names.len();
        let (table, kinds, seen) = (&mut self.names, &mut self.kinds, &mut self.seen_names);
        let arena = &mut self.out.line_names;
        names::names(line, |name| {
            let id = match table.get(name) {
                Some(id) => *id,
                None => {
                    let id = kinds.len() as Id;
                    table.insert(name.to_string(), id);
                    kinds.push(names::kind(name));
                    seen.push(Seen::never());
                    id
                }
            };
            if !arena[first..].contains(&id) {
                arena.push(id);
            }
        });
        for id in &arena[first..] {
            *page.names.entry(*id).or_default() += 1;
        }
    }

    fn key_of(&mut self, line: &str, page: &mut Page) -> Id {
        page.lines += 1;
        let key = lines::key(line);
        if key.is_empty() {
            return NO_KEY;
        }
        let id = match self.keys.get(key) {
            Some(id) => *id,
            None => {
                let id = self.seen_keys.len() as Id;
                self.keys.insert(key.to_string(), id);
                self.seen_keys.push(Seen::never());
                id
            }
        };
        if key.chars().count() >= self.weights.shortest_line {
            page.keys.push(id);
        }
        id
    }

    fn note_small(&mut self, text: &str, group: &mut Group, page: &mut Page) {
        for line in text.split('\n') {
            let first = self.out.line_names.len();
            self.names_of(line, page);
            self.key_of(line, page);
            group.small_names.extend(self.out.line_names.drain(first..));
        }
    }

    fn note_given(&mut self, text: &str, page: &mut Page) {
        for span in lines::units(text) {
            let first = self.out.line_names.len();
            self.names_of(&text[span.clone()], page);
            let key = self.key_of(&text[span], page);
            let given: Vec<Id> = self.out.line_names.drain(first..).collect();
            self.out.given_names.extend(given);
            if key != NO_KEY {
                self.out.given_keys.push(key);
            }
        }
    }

    fn remember(&mut self, page: Page, age: f64, message: MessageId) {
        let by_assistant = self.history.messages()[message].role == Role::Assistant;
        let company = page.names.len() as u32;
        for (id, occurrences) in &page.names {
            self.seen_names[*id as usize].add(age, by_assistant, *occurrences, company);
        }
        let mut keys = page.keys;
        keys.sort_unstable();
        keys.dedup();
        for id in keys {
            self.seen_keys[id as usize].add(age, by_assistant, 1, page.lines);
        }
        let mut names: Vec<Id> = page.names.into_keys().collect();
        names.sort_unstable();
        self.message_names[message] = names;
    }

    fn finish(mut self) -> Analysis {
        let w = self.weights;
        let value_name = |(seen, kind): (&Seen, &NameKind)| {
            let by_kind = match kind {
                NameKind::Path => w.path,
                NameKind::Number => w.number,
                NameKind::Identifier => 1.0,
            };
            let common = if seen.messages > 3 { w.common } else { 1.0 };
            w.name * seen.value(w) * by_kind * common
        };
        self.out.name_value = self.seen_names.iter().zip(&self.kinds).map(value_name).collect();
        let value_key = |seen: &Seen| if seen.messages == 0 { 0.0 } else { w.line * seen.value(w) };
        self.out.key_value = self.seen_keys.iter().map(value_key).collect();
        self.find_affinities();
        self.out
    }

    /// The greatest share, over a group's messages, of names that the last responses used too.
    fn find_affinities(&mut self) {
        let mut recent = vec![false; self.kinds.len()];
        for group in self.out.groups.iter().rev().filter(|group| group.age < self.weights.recent as f64) {
            let responses =
                group.messages.iter().filter(|id| self.history.messages()[**id].role == Role::Assistant);
            for name in responses.flat_map(|id| &self.message_names[*id]) {
                recent[*name as usize] = true;
            }
        }
        let count = self.history.messages().len() as f64 + 1.0;
        let rarity: Vec<f64> =
            self.seen_names.iter().map(|seen| (count / f64::from(seen.messages.max(1))).ln()).collect();
        for group in &mut self.out.groups {
            for message in &group.messages {
                let names = &self.message_names[*message];
                let all: f64 = names.iter().map(|name| rarity[*name as usize]).sum();
                let shared: f64 = names
                    .iter()
                    .filter(|name| recent[**name as usize])
                    .map(|name| rarity[*name as usize])
                    .sum();
                if all > 0.0 {
                    group.affinity = group.affinity.max(shared / all);
                }
            }
        }
    }
}

impl Seen {
    fn never() -> Seen {
        Seen { age: f64::INFINITY, by_assistant: false, occurrences: 0, company: u32::MAX, messages: 0 }
    }

    fn add(&mut self, age: f64, by_assistant: bool, occurrences: u32, company: u32) {
        self.age = age;
        self.by_assistant |= by_assistant;
        self.occurrences += occurrences;
        self.company = self.company.min(company.max(1));
        self.messages += 1;
    }

    fn value(&self, w: &FoldByValue) -> f64 {
        let spoken = if self.by_assistant { w.assistant } else { 1.0 };
        (1.0 + self.age).powf(-w.age)
            * f64::from(self.occurrences.max(1)).powf(w.occurrences)
            * f64::from(self.company.max(1)).powf(-w.company)
            * spoken
    }
}
