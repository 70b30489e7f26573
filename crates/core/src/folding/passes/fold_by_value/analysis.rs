//! The history, cut into what is kept or left out together, and what is worth what.
//!
//! Everything here depends on the history alone, not on the price, so it is done once per fold.

use std::ops::Range;

use super::FoldByValue;
use super::sheet::{Sheet, Written};
use super::worth::{Id, NO_KEY, Page, Worth};
use crate::folding::groups::together;
use crate::folding::passes::Cx;
use crate::history::{ItemId, ItemKind, MessageId, Role};
use crate::json::Raw;
use crate::text::arguments;
use crate::text::lines;
use crate::text::shape::Noise;
use crate::view::View;

/// The history, cut into what is kept or left out together.
pub(super) struct Analysis {
    pub(super) groups: Vec<Group>,
    pub(super) parts: Vec<Part>,
    pub(super) lines: Vec<Line>,
    /// Names of lines, back to back; each line knows its range.
    pub(super) line_names: Vec<Id>,
    /// Value of showing a name once.
    pub(super) name_value: Vec<f64>,
    /// Value of showing it once more, farther from where it was used last.
    pub(super) echo_value: Vec<f64>,
    /// Value of showing a line as a line.
    pub(super) key_value: Vec<f64>,
    /// Names and lines that stand in what is never folded.
    pub(super) given_names: Vec<Id>,
    pub(super) given_keys: Vec<Id>,
}

/// A step, or a message outside steps.
pub(super) struct Group {
    pub(super) messages: Vec<MessageId>,
    /// Responses of the model since.
    pub(super) age: f64,
    /// Whether it cannot leave: something in it must stay as it is.
    pub(super) stays: bool,
    /// Tokens that come with the group however its parts are folded.
    pub(super) overhead: f64,
    pub(super) parts: Range<usize>,
    /// Names and lines in what is never folded of it: short arguments, tool names.
    pub(super) small_names: Vec<Id>,
    pub(super) small_keys: Vec<Id>,
    /// Factor on the names of its lines: how much it looks like the last steps.
    pub(super) likeness: f64,
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
    pub(super) cost: f64,
    /// What it is worth as a line, as long as it does not stand in the view yet.
    pub(super) worth: f64,
    pub(super) names: Range<usize>,
    pub(super) key: Id,
    /// So short that it may stand in the view twice.
    pub(super) is_short: bool,
    /// The line of the part that says what it belongs to.
    pub(super) head: Option<u32>,
    /// The head of the definition it belongs to, with the head itself belonging to its own; `None` outside.
    pub(super) block: Option<u32>,
    pub(super) is_border: bool,
    pub(super) noise: Noise,
}

impl Analysis {
    /// Analyses all messages of a view.
    pub(super) fn of(view: &View, weights: &FoldByValue, cx: &Cx) -> Analysis {
        let groups = together(view, cx);
        let speaks = |id: &MessageId| view.history().messages()[*id].role == Role::Assistant;
        let responses = groups.iter().filter(|group| group.iter().any(speaks)).count();
        let mut builder = Builder::new(view, weights, cx);
        let mut so_far = 0;
        for messages in groups {
            so_far += usize::from(messages.iter().any(speaks));
            let must_stay = |id: &MessageId| *id < cx.fresh || cx.is_protected_message(view, *id);
            let stays = messages.iter().any(must_stay);
            builder.add_group(messages, stays, (responses - so_far) as f64);
        }
        builder.finish()
    }
}

/// An argument over this part of the budget is folded however recent it is.
const HUGE: usize = 16;

struct Builder<'a> {
    view: &'a View<'a>,
    weights: &'a FoldByValue,
    cx: &'a Cx<'a>,
    worth: Worth,
    out: Analysis,
}

impl<'a> Builder<'a> {
    fn new(view: &'a View<'a>, weights: &'a FoldByValue, cx: &'a Cx<'a>) -> Builder<'a> {
        let out = Analysis {
            groups: Vec::new(),
            parts: Vec::new(),
            lines: Vec::new(),
            line_names: Vec::new(),
            name_value: Vec::new(),
            echo_value: Vec::new(),
            key_value: Vec::new(),
            given_names: Vec::new(),
            given_keys: Vec::new(),
        };
        Builder { view, weights, cx, worth: Worth::new(view.history().messages().len()), out }
    }

    fn add_group(&mut self, messages: Vec<MessageId>, stays: bool, age: f64) {
        let mut group = Group {
            age,
            stays,
            overhead: 0.0,
            parts: self.out.parts.len()..0,
            small_names: Vec::new(),
            small_keys: Vec::new(),
            likeness: 1.0,
            messages,
        };
        for nth in 0..group.messages.len() {
            let message = group.messages[nth];
            let tokens = self.view.message_tokens(message);
            let mut page = Page::default();
            let in_parts = self.read_message(message, &mut group, &mut page);
            group.overhead += tokens.saturating_sub(in_parts) as f64;
            let speaks = self.view.history().messages()[message].role == Role::Assistant;
            self.worth.turn(page, message, age, speaks);
        }
        group.parts.end = self.out.parts.len();
        self.out.groups.push(group);
    }

    /// Reads the texts of a message into parts; returns the tokens that the parts hold.
    fn read_message(&mut self, message: MessageId, group: &mut Group, page: &mut Page) -> usize {
        let history = self.view.history();
        let role = history.messages()[message].role;
        let mut in_parts = 0;
        for id in history.messages()[message].items.clone().filter(|id| self.view.has(*id)) {
            let item = &history.items()[id];
            let voice = match (&item.kind, role) {
                (ItemKind::Text, Role::Assistant) => Voice::Assistant,
                (ItemKind::Text | ItemKind::Summary, _) => Voice::User,
                (ItemKind::Result(_), _) => Voice::Tool,
                (ItemKind::Call(call), _) => {
                    self.read_small(&call.name, group, page);
                    in_parts += self.read_arguments(id, group, page);
                    continue;
                }
                _ => continue,
            };
            for nth in 0..item.texts.len() {
                let text = self.view.text(id, nth);
                if self.is_given(id) {
                    self.read_given(text, page);
                } else {
                    let place = Place { item: id, text: nth, argument: None };
                    in_parts += match item.texts.len() {
                        1 => self.view.item_tokens(id),
                        _ => self.view.tally().counter().count(text),
                    };
                    self.add_part(place, voice, text, page);
                }
            }
        }
        in_parts
    }

    /// Whether an item stays as it is.
    fn is_given(&self, item: ItemId) -> bool {
        self.view.history().items()[item].message < self.cx.fresh || !self.cx.is_open(item)
    }

    /// Long strings among the arguments become parts; short ones stay with the call, and so do those of one line: a path
    /// or a command says what was done.
    fn read_arguments(&mut self, id: ItemId, group: &mut Group, page: &mut Page) -> usize {
        if self.view.history().items()[id].texts.is_empty() {
            return 0;
        }
        let arguments = self.view.text(id, 0);
        let mut in_parts = 0;
        for span in arguments::strings(arguments) {
            let literal = &arguments[span.clone()];
            let value = Raw::trusted(literal).str().unwrap_or_default();
            let tokens = self.view.tally().counter().count(literal);
            let is_recent =
                group.age < self.weights.recent_arguments as f64 && tokens <= self.cx.limit / HUGE;
            let is_long = tokens > self.weights.shortest_argument && lines::units(&value).len() > 1;
            if is_long && !is_recent && !self.is_given(id) {
                in_parts += tokens;
                let place = Place { item: id, text: 0, argument: Some(span) };
                self.add_part(place, Voice::Argument, &value, page);
            } else {
                self.read_small(&value, group, page);
            }
        }
        in_parts
    }

    fn add_part(&mut self, place: Place, voice: Voice, text: &str, page: &mut Page) {
        let written = if voice == Voice::Argument { Written::Quoted } else { Written::Plainly };
        let sheet = Sheet::read(text, written, self.view.tally().counter());
        let first = self.out.lines.len();
        for line in &sheet.lines {
            let names = self.out.line_names.len();
            self.out.line_names.extend(self.worth.names(&sheet.names[line.names.clone()], page));
            let key = self.worth.key(line, self.weights, page);
            self.out.lines.push(Line {
                span: line.span.clone(),
                cost: f64::from(line.cost),
                worth: 0.0,
                names: names..self.out.line_names.len(),
                key,
                is_short: line.length <= SHORT,
                head: line.mark.head,
                block: line.mark.head,
                is_border: line.mark.is_border,
                noise: line.mark.noise,
            });
        }
        for head in sheet.lines.iter().filter_map(|line| line.mark.head) {
            self.out.lines[first + head as usize].block = Some(head);
        }
        self.out.parts.push(Part { place, voice, lines: first..self.out.lines.len() });
    }

    fn read_small(&mut self, text: &str, group: &mut Group, page: &mut Page) {
        let sheet = Sheet::read(text, Written::Plainly, &Uncounted);
        for line in &sheet.lines {
            group.small_names.extend(self.worth.names(&sheet.names[line.names.clone()], page));
            group.small_keys.push(self.worth.key(line, self.weights, page));
        }
        group.small_keys.retain(|key| *key != NO_KEY);
    }

    fn read_given(&mut self, text: &str, page: &mut Page) {
        let sheet = Sheet::read(text, Written::Plainly, &Uncounted);
        for line in &sheet.lines {
            self.out.given_names.extend(self.worth.names(&sheet.names[line.names.clone()], page));
            self.out.given_keys.push(self.worth.key(line, self.weights, page));
        }
        self.out.given_keys.retain(|key| *key != NO_KEY);
    }

    fn finish(mut self) -> Analysis {
        let w = self.weights;
        self.out.name_value = self.worth.name_values(w);
        self.out.key_value = self.worth.key_values(w);
        let recent = self.worth.recent_names(self.view.history(), &self.out.groups, w);
        let echo = |(value, recent): (&f64, &bool)| if *recent { w.echo * value } else { 0.0 };
        self.out.echo_value = self.out.name_value.iter().zip(&recent).map(echo).collect();
        for group in &mut self.out.groups {
            group.likeness = (w.affinity * self.worth.affinity(group, &recent)).exp();
            let base = w.base * (1.0 + group.age).powf(-w.base_age);
            let verdict = w.verdict * w.line * (1.0 + group.age).powf(-w.age);
            for part in &self.out.parts[group.parts.clone()] {
                let base = base * w.voice(part.voice);
                let lines = &mut self.out.lines[part.lines.clone()];
                // A hundred failures are not a hundred times worth one.
                let verdicts = lines.iter().filter(|line| line.noise == Noise::Verdict).count();
                let verdict =
                    if part.voice == Voice::Tool { verdict / (verdicts as f64).sqrt() } else { 0.0 };
                for line in lines.iter_mut().filter(|line| line.key != NO_KEY) {
                    let as_line = self.out.key_value[line.key as usize];
                    line.worth = match line.noise {
                        Noise::Repeat(times) => as_line / (1.0 + f64::from(times)),
                        Noise::Verdict => base * line.cost + as_line + verdict,
                        Noise::None | Noise::Blob => base * line.cost + as_line,
                    };
                }
            }
        }
        self.out
    }
}

/// Lines up to this many characters (`}`, `end`) may stand in the view again and again.
const SHORT: usize = 8;

/// For texts whose cost is known otherwise.
struct Uncounted;

impl crate::count::Counter for Uncounted {
    fn name(&self) -> String {
        "uncounted".into()
    }

    fn count(&self, _: &str) -> usize {
        0
    }

    fn is_exact(&self) -> bool {
        false
    }
}
