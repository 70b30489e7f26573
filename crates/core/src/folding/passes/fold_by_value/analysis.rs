//! The history, cut into what is kept or left out together, and what is worth what.
//!
//! Everything here depends on the history alone, not on the price, so it is done once per fold.

use std::ops::Range;

use super::ceiling;
use super::weights;
use super::worth::{Id, NO_KEY, Page, Worth};
use crate::count::sheet::{self, Sheet, Sheets, StringSheet};
use crate::folding::groups::together;
use crate::folding::passes::Cx;
use crate::history::{ItemId, ItemKind, MessageId, Role};
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
    must_stay: bool,
    /// Tokens that come with the group however its parts are folded.
    pub(super) overhead: f64,
    pub(super) parts: Range<usize>,
    /// Names and lines in what is never folded of it: short arguments, tool names.
    pub(super) small_names: Vec<Id>,
    pub(super) small_keys: Vec<Id>,
    /// Factor on the names of its lines: how much it looks like the last steps.
    pub(super) likeness: f64,
    /// At a higher price it is left out, whatever else the view shows.
    pub(super) leaves_above: f64,
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
    pub(super) names: Range<u32>,
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

impl Group {
    /// Whether something of it is kept at any price.
    pub(super) fn stays(&self) -> bool {
        self.must_stay || self.age == 0.0
    }
}

impl Line {
    /// Its names, in the names of all lines.
    pub(super) fn names(&self) -> Range<usize> {
        self.names.start as usize..self.names.end as usize
    }
}

impl Analysis {
    /// Analyses all messages of a view. The arguments of so many newest responses stay whole.
    pub(super) fn of(view: &View, recent_arguments: usize, cx: &Cx) -> Analysis {
        let groups = together(view, cx);
        let speaks = |id: &MessageId| view.history().message(*id).role == Role::Assistant;
        let responses = groups.iter().filter(|group| group.iter().any(speaks)).count();
        let mut builder = Builder::new(view, recent_arguments, cx);
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
    recent_arguments: f64,
    cx: &'a Cx<'a>,
    worth: Worth,
    out: Analysis,
}

impl<'a> Builder<'a> {
    fn new(view: &'a View<'a>, recent_arguments: usize, cx: &'a Cx<'a>) -> Builder<'a> {
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
        let worth = Worth::new(view.history().messages().len());
        Builder { view, recent_arguments: recent_arguments as f64, cx, worth, out }
    }

    fn add_group(&mut self, messages: Vec<MessageId>, stays: bool, age: f64) {
        let mut group = Group {
            age,
            must_stay: stays,
            overhead: 0.0,
            parts: self.out.parts.len()..0,
            small_names: Vec::new(),
            small_keys: Vec::new(),
            likeness: 1.0,
            leaves_above: f64::INFINITY,
            messages,
        };
        for nth in 0..group.messages.len() {
            let message = group.messages[nth];
            let tokens = self.view.message_tokens(message);
            let mut page = Page::default();
            let in_parts = self.read_message(message, &mut group, &mut page);
            group.overhead += tokens.saturating_sub(in_parts) as f64;
            let speaks = self.view.history().message(message).role == Role::Assistant;
            self.worth.turn(page, message, age, speaks);
        }
        group.parts.end = self.out.parts.len();
        self.out.groups.push(group);
    }

    /// Reads the texts of a message into parts; returns the tokens that the parts hold.
    fn read_message(&mut self, message: MessageId, group: &mut Group, page: &mut Page) -> usize {
        let (view, history) = (self.view, self.view.history());
        let role = history.message(message).role;
        let mut in_parts = 0;
        for id in history.message(message).item_ids().filter(|id| view.has(*id)) {
            let item = history.item(id);
            let voice = match (&item.kind, role) {
                (ItemKind::Text, Role::Assistant) => Voice::Assistant,
                (ItemKind::Result(_), _) => Voice::Tool,
                _ => Voice::User,
            };
            match &**view.tally().sheets(history, id) {
                Sheets::Texts(sheets) => {
                    for (nth, sheet) in sheets.iter().enumerate() {
                        in_parts += self.read_text(id, nth, sheet, voice, page);
                    }
                }
                Sheets::Call { name, strings } => {
                    self.read_small(name, group, page);
                    in_parts += self.read_arguments(id, strings, group, page);
                }
                Sheets::None => {}
            }
        }
        in_parts
    }

    /// Reads a text, which has this sheet in the history; returns the tokens that became a part.
    fn read_text(&mut self, id: ItemId, nth: usize, sheet: &Sheet, voice: Voice, page: &mut Page) -> usize {
        let changed = self.view.changes().replacement(id, nth);
        let changed = changed.map(|text| Sheet::read(text, self.view.tally().counter()));
        let sheet = changed.as_ref().unwrap_or(sheet);
        if self.is_given(id) {
            self.read_given(sheet, page);
            return 0;
        }
        self.add_part(Place { item: id, text: nth, argument: None }, voice, sheet, page);
        sheet.tokens
    }

    /// Whether an item stays as it is.
    fn is_given(&self, item: ItemId) -> bool {
        self.view.history().item(item).message < self.cx.fresh || !self.cx.is_open(item)
    }

    /// Long strings among the arguments become parts; short ones stay with the call, and so do those of one line: a path
    /// or a command says what was done.
    fn read_arguments(
        &mut self,
        id: ItemId,
        strings: &[StringSheet],
        group: &mut Group,
        page: &mut Page,
    ) -> usize {
        let changed = self.view.changes().replacement(id, 0);
        let changed = changed.map(|text| sheet::strings(text, self.view.tally().counter()));
        let mut in_parts = 0;
        for StringSheet { span, sheet } in changed.as_deref().unwrap_or(strings) {
            let tokens = sheet.tokens;
            let is_recent = group.age < self.recent_arguments && tokens <= self.cx.limit / HUGE;
            let is_long = tokens > weights::SHORTEST_ARGUMENT && sheet.lines.len() > 1;
            if is_long && !is_recent && !self.is_given(id) {
                in_parts += tokens;
                let place = Place { item: id, text: 0, argument: Some(span.clone()) };
                self.add_part(place, Voice::Argument, sheet, page);
            } else {
                self.read_small(sheet, group, page);
            }
        }
        in_parts
    }

    fn add_part(&mut self, place: Place, voice: Voice, sheet: &Sheet, page: &mut Page) {
        let first = self.out.lines.len();
        self.out.lines.reserve(sheet.lines.len());
        for line in &sheet.lines {
            let names = self.out.line_names.len() as u32;
            self.out.line_names.extend(self.worth.names(sheet.names_of(line), page));
            let key = self.worth.key(line, page);
            self.out.lines.push(Line {
                span: line.span.clone(),
                cost: f64::from(line.cost),
                worth: 0.0,
                names: names..self.out.line_names.len() as u32,
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

    fn read_small(&mut self, sheet: &Sheet, group: &mut Group, page: &mut Page) {
        for line in &sheet.lines {
            group.small_names.extend(self.worth.names(sheet.names_of(line), page));
            group.small_keys.push(self.worth.key(line, page));
        }
        group.small_keys.retain(|key| *key != NO_KEY);
    }

    fn read_given(&mut self, sheet: &Sheet, page: &mut Page) {
        for line in &sheet.lines {
            self.out.given_names.extend(self.worth.names(sheet.names_of(line), page));
            self.out.given_keys.push(self.worth.key(line, page));
        }
        self.out.given_keys.retain(|key| *key != NO_KEY);
    }

    fn finish(mut self) -> Analysis {
        self.out.name_value = self.worth.name_values();
        self.out.key_value = self.worth.key_values();
        let recent = self.worth.recent_names(self.view.history(), &self.out.groups);
        let echo = |(value, recent): (&f64, &bool)| if *recent { weights::ECHO * value } else { 0.0 };
        self.out.echo_value = self.out.name_value.iter().zip(&recent).map(echo).collect();
        for group in &mut self.out.groups {
            group.likeness = (weights::AFFINITY * self.worth.affinity(group, &recent)).exp();
            let base = weights::BASE * (1.0 + group.age).powf(-weights::BASE_AGE);
            let verdict = weights::VERDICT * weights::LINE * (1.0 + group.age).powf(-weights::AGE);
            for part in &self.out.parts[group.parts.clone()] {
                let base = base * weights::voice(part.voice);
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
        ceiling::find(&mut self.out);
        self.out
    }
}

/// Lines up to this many characters (`}`, `end`) may stand in the view again and again.
const SHORT: u32 = 8;
