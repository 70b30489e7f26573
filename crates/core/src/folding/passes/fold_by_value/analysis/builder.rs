//! Reads the messages of a view into groups, parts and lines, then says what each is worth.

use std::ops::Range;

use super::{Analysis, Group, Line, Part, Place, Telling, Voice};
use crate::count::sheet::{self, Sheet, Sheets, StringSheet};
use crate::folding::passes::fold_by_value::currency::Currency;
use crate::folding::passes::fold_by_value::horizon::Far;
use crate::folding::passes::fold_by_value::saying::Saying;
use crate::folding::passes::fold_by_value::unchanged::{self, News};
use crate::folding::passes::fold_by_value::verbatim::{self, Verbatim};
use crate::folding::passes::fold_by_value::weights::Weights;
use crate::folding::passes::fold_by_value::worth::{NO_KEY, Page, Worth};
use crate::folding::passes::fold_by_value::{ceiling, root, weights};
use crate::folding::passes::{Cx, Tells};
use crate::folding::telling::{Weight, tell};
use crate::history::{ItemId, ItemKind, MessageId, Role};
use crate::json::Raw;
use crate::text::preview;
use crate::text::shape::Noise;
use crate::understand::operation::Verb;
use crate::view::View;

/// Fills an analysis, message by message.
pub(super) struct Builder<'a> {
    view: &'a View<'a>,
    cx: &'a Cx<'a>,
    /// Whether steps that leave are told; in a view that has been told already they are not.
    tells: bool,
    worth: Worth,
    currency: Currency<'a>,
    /// Lines that stay at any price.
    pinned: Vec<usize>,
    out: Analysis,
}

impl<'a> Builder<'a> {
    /// Messages before `near` are hardly looked at.
    pub(super) fn new(view: &'a View<'a>, cx: &'a Cx<'a>, near: MessageId, weights: Weights) -> Builder<'a> {
        let out = Analysis {
            weights,
            groups: Vec::new(),
            parts: Vec::new(),
            lines: Vec::new(),
            line_names: Vec::new(),
            verbatim: Vec::new(),
            name_value: Vec::new(),
            echo_value: Vec::new(),
            key_value: Vec::new(),
            given_names: Vec::new(),
            given_keys: Vec::new(),
            root: if cx.tells != Tells::Not { root::of(cx.facts.tracker()) } else { None },
        };
        let first = view.history().first_item(near);
        let records = cx.facts.tracker().calls();
        let records = &records[records.partition_point(|record| record.result < first)..];
        let tells = cx.tells != Tells::Not && view.changes().inserted().is_none();
        let currency = Currency::of(records);
        Builder { view, cx, tells, worth: Worth::new(), currency, pinned: Vec::new(), out }
    }

    /// Makes room for the lines of groups and their names: growing by doubling copies megabytes.
    pub(super) fn make_room(&mut self, groups: &[Vec<MessageId>]) {
        let (view, history) = (self.view, self.view.history());
        let items = groups.iter().flatten().flat_map(|id| history.message(*id).item_ids());
        let (mut lines, mut names) = (0, 0);
        for item in items.filter(|id| view.has(*id)) {
            if let Sheets::Texts(sheets) = &**view.tally().sheets(history, item) {
                lines += sheets.iter().map(|sheet| sheet.lines.len()).sum::<usize>();
                names += sheets.iter().map(|sheet| sheet.names.len()).sum::<usize>();
            }
        }
        self.out.lines.reserve(lines);
        self.out.line_names.reserve(names);
    }

    /// A stretch that leaves whole: nothing of it is read.
    pub(super) fn add_far(&mut self, far: &Far) {
        let mut group = Group::beyond(far);
        group.parts = self.out.parts.len()..self.out.parts.len();
        let calls: usize = far.held.calls.values().map(|calls| calls.count).sum();
        self.worth.pass_over(far.held.responses + calls);
        self.out.groups.push(group);
    }

    pub(super) fn add_group(&mut self, mut group: Group) {
        group.parts.start = self.out.parts.len();
        group.pages.start = self.worth.pages();
        let (view, history) = (self.view, self.view.history());
        // A response of the model is one page, however many messages it takes; so is each result and each text of the user,
        // however many of them share a message.
        let mut response: Option<Page> = None;
        for message in group.messages.clone() {
            let speaks = history.message(message).role == Role::Assistant;
            let mut in_parts = 0;
            for id in history.message(message).item_ids().filter(|id| view.has(*id)) {
                if speaks {
                    in_parts += self.read_item(id, &mut group, response.get_or_insert_default());
                    continue;
                }
                self.end(&mut response, &group);
                let mut page = Page::default();
                in_parts += self.read_item(id, &mut group, &mut page);
                self.worth.turn(page, group.age, false);
            }
            group.overhead += view.message_tokens(message).saturating_sub(in_parts) as f64;
        }
        self.end(&mut response, &group);
        group.parts.end = self.out.parts.len();
        group.pages.end = self.worth.pages();
        if !group.stays && self.tells {
            group.telling = self.telling(&group);
            group.verbatim = self.verbatim(&group);
        }
        self.out.groups.push(group);
    }

    /// The model has spoken to the end.
    fn end(&mut self, response: &mut Option<Page>, group: &Group) {
        if let Some(page) = response.take() {
            self.worth.turn(page, group.age, true);
        }
    }

    /// Reads the texts of an item into parts; returns the tokens that the parts hold.
    fn read_item(&mut self, id: ItemId, group: &mut Group, page: &mut Page) -> usize {
        let (view, history) = (self.view, self.view.history());
        let item = history.item(id);
        let voice = match (&item.kind, history.message(item.message).role) {
            (ItemKind::Text, Role::Assistant) => Voice::Assistant,
            (ItemKind::Result(_), _) => Voice::Tool,
            _ if self.cx.facts.is_words(id) => Voice::User,
            _ => Voice::Harness,
        };
        match &**view.tally().sheets(history, id) {
            Sheets::Texts(sheets) => {
                let texts = sheets.iter().enumerate();
                texts.map(|(nth, sheet)| self.read_text(id, nth, sheet, voice, page)).sum()
            }
            Sheets::Call { name, strings } => {
                self.read_small(name, group, page);
                self.read_arguments(id, strings, group, page)
            }
            Sheets::None => 0,
        }
    }

    /// Reads a text, which has this sheet in the history; returns the tokens that became a part.
    fn read_text(&mut self, id: ItemId, nth: usize, sheet: &Sheet, voice: Voice, page: &mut Page) -> usize {
        let changed = self.view.changes().replacement(id, nth);
        let spelling = self.view.history().item(id).texts[nth].spelling;
        let changed = changed.map(|text| Sheet::read_as(spelling, text, self.view.tally().counter()));
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
        self.view.history().item(item).message < self.cx.first_unsent
            || !self.cx.is_open(item)
            || self.cx.fresh.binary_search(&item).is_ok()
    }

    /// Arguments stay with their call as they are, but for what alone would fill the view. Where the call leaves, lines of
    /// long ones may be told with it.
    fn read_arguments(
        &mut self,
        id: ItemId,
        strings: &[StringSheet],
        group: &mut Group,
        page: &mut Page,
    ) -> usize {
        let tally = self.view.tally();
        let changed = self.view.changes().replacement(id, 0);
        let changed = changed.map(|text| sheet::strings(text, tally.counter(), tally.most_of_a_text()));
        // A call without arguments has no text.
        if changed.is_none() && strings.is_empty() {
            return 0;
        }
        let arguments = self.view.text(id, 0);
        let strings = changed.as_deref().unwrap_or(strings);
        let is_told = !group.stays && self.tells && !unchanged::only_runs(arguments);
        let mut in_parts = 0;
        for StringSheet { span, sheet } in strings {
            let tokens = sheet.tokens;
            let is_long = tokens > weights::SHORTEST_ARGUMENT && sheet.lines.len() > 1;
            let is_huge = tokens > self.cx.largest_call && sheet.lines.len() > 1;
            if is_huge && group.stays && !self.is_given(id) {
                in_parts += tokens;
                let place = Place { item: id, text: 0, argument: Some(span.clone()) };
                self.add_part(place, Voice::Argument, sheet, page);
            } else {
                self.read_small(sheet, group, page);
                if is_long && is_told && !unchanged::is_replaced(arguments, span) {
                    let place = Place { item: id, text: 0, argument: Some(span.clone()) };
                    let first = self.out.lines.len();
                    self.add_part(place, Voice::Argument, sheet, &mut Page::default());
                    let lines = &mut self.out.lines[first..];
                    let news = unchanged::mark(arguments, strings, span, sheet, lines);
                    self.out.parts.last_mut().into_iter().for_each(|part| part.news = news);
                }
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
                is_unchanged: false,
            });
        }
        for head in sheet.lines.iter().filter_map(|line| line.mark.head) {
            self.out.lines[first + head as usize].block = Some(head);
        }
        self.pin(&place, first);
        let record = self.cx.facts.tracker().call(place.item).filter(|_| voice == Voice::Tool);
        let is_replaced = record.is_some_and(|record| self.currency.is_replaced(record));
        let currency = if is_replaced { self.out.weights.replaced } else { 1.0 };
        let outdated_by = record.and_then(|record| self.currency.outdated_by(record));
        let is_small = sheet.tokens <= weights::small(voice, self.cx.limit);
        let lines = first..self.out.lines.len();
        self.out.parts.push(Part { place, voice, lines, currency, news: News::All, outdated_by, is_small });
    }

    /// The ends of what a person pasted are what they typed; the end of a question is what was answered.
    fn pin(&mut self, place: &Place, first: usize) {
        let (item, lines) = (place.item, &self.out.lines[first..]);
        let up_to = |most: f64, lines: &mut dyn Iterator<Item = (usize, &Line)>| -> Vec<usize> {
            let mut sum = 0.0;
            let short = lines.take_while(|(_, line)| {
                sum += line.cost;
                sum <= most
            });
            short.map(|(nth, _)| first + nth).collect()
        };
        if self.cx.words.keeps_part(item) {
            self.pinned.extend(up_to(weights::PASTE_HEAD, &mut lines.iter().enumerate()));
            self.pinned.extend(up_to(weights::PASTE_TAIL, &mut lines.iter().enumerate().rev()));
        } else if let Some(end) = self.cx.words.question_end(item) {
            self.pinned.extend(up_to(end as f64, &mut lines.iter().enumerate().rev()));
        }
    }

    /// What says that a group happened.
    fn telling(&mut self, group: &Group) -> Option<Telling> {
        let tracker = self.cx.facts.tracker();
        let items = group.messages.iter().flat_map(|id| self.view.history().message(*id).item_ids());
        let records = items.filter_map(|item| tracker.call(item));
        // The plan is told as it stands, not each time it changed.
        let worth_telling = records.filter(|record| record.verbs().any(|verb| verb != Verb::Todo));
        let told: Vec<(String, Weight)> = worth_telling.map(|record| tell(self.view, record)).collect();
        let (line, weight) = match told.iter().map(|(_, weight)| *weight).max() {
            Some(weight) => {
                let mut lines: Vec<String> = told
                    .chunk_by(|(one, _), (next, _)| one == next)
                    .map(|same| match same.len() {
                        1 => same[0].0.clone(),
                        times => format!("{} ({times} times)", same[0].0),
                    })
                    .collect();
                let more = lines.len().saturating_sub(MOST_CALLS);
                lines.truncate(MOST_CALLS);
                let more = if more > 0 { format!("; {more} more") } else { String::new() };
                (format!("{}{more}", lines.join("; ")), weight)
            }
            None => match self.said(group)? {
                line if line.is_empty() => (line, Weight::Look),
                line => (line, Weight::Answer),
            },
        };
        let line = match &self.out.root {
            Some(root) => line.replace(root.as_str(), ""),
            None => line,
        };
        let sheet = Sheet::read(&line, self.view.tally().counter());
        let mut page = Page::default();
        let names = sheet.lines.iter().flat_map(|line| sheet.names_of(line)).copied().collect::<Vec<_>>();
        let names = self.worth.names(&names, &mut page).collect();
        // Its number in front, its line end behind.
        Some(Telling { cost: sheet.tokens as f64 + 3.0, worth: 0.0, names, line, weight })
    }

    /// What the calls of a group were made with: strings of one line.
    fn verbatim(&mut self, group: &Group) -> Range<usize> {
        let first = self.out.verbatim.len();
        let (view, history, tracker) = (self.view, self.view.history(), self.cx.facts.tracker());
        let items = group.messages.iter().flat_map(|id| history.message(*id).item_ids());
        for record in items.filter_map(|item| tracker.call(item)) {
            let Some(call) = record.call.filter(|call| view.has(*call)) else { continue };
            let Sheets::Call { strings, .. } = &**view.tally().sheets(history, call) else { continue };
            for StringSheet { span, sheet } in strings {
                let [line] = &sheet.lines[..] else { continue };
                let text = Raw::trusted(&view.text(call, 0)[span.clone()]).str().unwrap_or_default();
                let Some(kind) = verbatim::kind(record, text.trim()) else { continue };
                let key = self.worth.key(line, &mut Page::default());
                if key != NO_KEY {
                    let (text, cost) = (text.trim().to_string(), sheet.tokens as f64 + 1.0);
                    self.out.verbatim.push(Verbatim { kind, text, cost, key });
                }
            }
        }
        first..self.out.verbatim.len()
    }

    /// The first sentence of what a person said; nothing for what the model said, whose words are told as they are.
    fn said(&self, group: &Group) -> Option<String> {
        let history = self.view.history();
        let mut items = group.messages.iter().flat_map(|id| history.message(*id).item_ids());
        let is_words = |item: &ItemId| self.cx.words.keeps_part(*item);
        if let Some(item) = items.clone().find(is_words) {
            return Some(format!("the user: \"{}\"", first_sentence(&history.item(item).text())));
        }
        let speaks = |item: ItemId| {
            history.message(history.item(item).message).role == Role::Assistant
                && history.item(item).kind == ItemKind::Text
        };
        items.any(speaks).then(String::new)
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

    pub(super) fn finish(mut self) -> Analysis {
        let weights = self.out.weights;
        self.out.name_value = self.worth.name_values(&weights);
        self.out.key_value = self.worth.key_values(&weights);
        let recent = self.worth.recent_names(&self.out.groups);
        let echo = |(value, recent): (&f64, &bool)| if *recent { weights.echo * value } else { 0.0 };
        self.out.echo_value = self.out.name_value.iter().zip(&recent).map(echo).collect();
        let rarities = self.worth.rarities();
        for group in &mut self.out.groups {
            group.likeness = (weights.affinity * self.worth.affinity(group, &recent, &rarities)).exp();
            let newest = if group.age < weights::NEWEST_AGE { weights.newest } else { 1.0 };
            group.likeness *= newest;
            let base = weights::BASE * (1.0 + group.age).powf(-weights.base_age);
            group.own_worth = base * group.overhead * weights::CALL;
            let line = weights.lines.worth * (1.0 + group.age).powf(-weights.lines.age);
            let verdict = weights.verdict * line;
            for part in &self.out.parts[group.parts.clone()] {
                let base = base * weights.voice(part.voice);
                let lines = &mut self.out.lines[part.lines.clone()];
                // A hundred failures are not a hundred times worth one.
                let verdicts = lines.iter().filter(|line| line.noise == Noise::Verdict).count();
                let verdict =
                    if part.voice == Voice::Tool { verdict / (verdicts as f64).sqrt() } else { 0.0 };
                let said = (part.voice == Voice::Assistant)
                    .then(|| self.view.text(part.place.item, part.place.text));
                for line in lines.iter_mut().filter(|line| line.key != NO_KEY) {
                    let saying =
                        said.map_or(1.0, |text| weights.saying(Saying::of(&text[line.span.clone()])));
                    let base = base * saying;
                    let as_line = self.out.key_value[line.key as usize];
                    line.worth = match line.noise {
                        Noise::Repeat(times) => as_line / (1.0 + f64::from(times)),
                        Noise::Verdict => base * line.cost + as_line + verdict,
                        Noise::None | Noise::Blob => base * line.cost + as_line,
                        Noise::Aside => weights::ASIDE * (base * line.cost + as_line),
                    };
                    line.worth *= newest * part.currency;
                }
            }
        }
        for line in self.pinned {
            self.out.lines[line].worth = weights::PINNED;
        }
        for group in &mut self.out.groups {
            if let Some(telling) = &mut group.telling {
                let base = weights::BASE * (1.0 + group.age).powf(-weights.base_age);
                telling.worth = base * telling.cost * weights::telling(telling.weight);
            }
        }
        ceiling::find(&mut self.out);
        self.out
    }
}

/// Calls of one step that are told; of more, how many.
const MOST_CALLS: usize = 4;

/// Characters of a sentence that is told in place of a text.
const SENTENCE: usize = 160;

fn first_sentence(text: &str) -> String {
    let line = text.trim().lines().next().unwrap_or_default();
    let end = line.find(". ").map_or(line.len(), |end| end + 1);
    preview(&line[..end], SENTENCE)
}

/// Lines up to this many characters (`}`, `end`) may stand in the view again and again.
const SHORT: u32 = 8;
