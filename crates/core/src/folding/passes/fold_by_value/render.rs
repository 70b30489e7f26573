//! From kept lines to folds, and what the view would take with them.
//!
//! Plans follow one another closely: between two of them most texts keep the same lines. So what a text becomes is kept
//! with its tokens until its lines change, and the view itself is not touched.

use std::collections::{BTreeMap, HashMap};
use std::ops::Range;

use super::analysis::{Analysis, Part, Voice};
use super::journal::Journal;
use super::legend;
use super::marker;
use super::plan::{Fate, Plan};
use crate::folding::notes::{self, Opened};
use crate::folding::passes::{Cx, Tells};
use crate::folding::telling;
use crate::history::{History, ItemId, MessageId, Spelling};
use crate::json::{Raw, quote};
use crate::text::arguments;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

/// Makes plans true.
pub(super) struct Renderer<'a> {
    view: &'a View<'a>,
    cx: &'a Cx<'a>,
    analysis: &'a Analysis,
    groups: Vec<Vec<MessageId>>,
    /// Per item what it became last.
    items: HashMap<ItemId, Rendered>,
    /// How the texts of items, and spans of messages, say where their originals are.
    opens: HashMap<(ItemId, usize), String>,
    opened: Opened,
    /// What the marks mean, for a view in which nothing left that would tell, and its tokens.
    legend: Option<(String, usize)>,
}

/// An item with some of its lines.
struct Rendered {
    keep: Vec<bool>,
    /// Its texts that change.
    texts: Vec<(usize, String)>,
    /// Tokens of the item with these; as before where they cannot be put there or save nothing.
    tokens: usize,
}

impl<'a> Renderer<'a> {
    pub(super) fn new(view: &'a View<'a>, cx: &'a Cx<'a>, analysis: &'a Analysis) -> Renderer<'a> {
        let groups = analysis.groups.iter().map(|group| group.messages.clone()).collect();
        let (items, opens, opened) = Default::default();
        let count = |text: &str| view.tally().counter().count(text);
        let legend = legend::of_marks(cx, count, cx.target).filter(|_| cx.tells == Tells::Fully);
        let legend = legend.map(|legend| {
            // With its line end; inside an object it is spelt as a literal.
            let tokens = count(&legend).max(count(&quote(&legend))) + 2;
            (legend, tokens)
        });
        Renderer { view, cx, analysis, groups, items, opens, opened, legend }
    }

    /// Tokens of the view as a plan would leave it.
    pub(super) fn tokens(&mut self, plan: &Plan) -> usize {
        if self.view.has_references() {
            // Texts elsewhere change with what they name.
            return tokens_with(self.view, &self.folds(plan));
        }
        let mut total = self.view.tokens();
        let mut has_marks = false;
        for parts in self.kept_items(plan) {
            let rendered = self.render(parts, plan);
            has_marks |= !rendered.texts.is_empty();
            let (item, tokens) = (parts[0].place.item, rendered.tokens);
            total -= self.view.item_tokens(item) - tokens;
        }
        if has_marks && !plan.leaves_any() {
            total += self.legend.as_ref().map_or(0, |(_, tokens)| *tokens);
        }
        let mut noted: BTreeMap<(ItemId, usize), (String, usize)> = BTreeMap::new();
        for fold in self.drops(plan) {
            if let Change::Summary { inserted, .. } = &fold.change {
                let gone: usize =
                    fold.change.messages().map(|message| self.view.message_tokens(message)).sum();
                let told = self.view.count_inserted(&inserted.text);
                if self.view.check(&fold.change).is_ok() && told < gone {
                    total = total - gone + told;
                }
                continue;
            }
            let Change::Messages { messages, note } = &fold.change else { continue };
            if self.view.check(&fold.change).is_err() {
                continue;
            }
            let gone: usize = messages.iter().map(|message| self.view.message_tokens(*message)).sum();
            let Some(note) = note else {
                total -= gone;
                continue;
            };
            let place = (note.item, note.nth);
            let (before, less) = match noted.get(&place) {
                Some((text, tokens)) => (text.as_str(), *tokens),
                None => (self.text(place), self.text_tokens(place)),
            };
            let after = note.after(before);
            let more = self.view.tally().counter().count(&after);
            if gone + less > more {
                total = total + more - gone - less;
                noted.insert(place, (after, more));
            }
        }
        total
    }

    /// The folds that make a plan true. Texts come before steps: a note about steps stands at the end of a text.
    pub(super) fn folds(&mut self, plan: &Plan) -> Vec<Fold> {
        let mut folds = Vec::new();
        for parts in self.kept_items(plan) {
            let rendered = self.render(parts, plan);
            if !rendered.texts.is_empty() {
                folds.push(Fold {
                    kind: FoldKind::Digest,
                    change: Change::Texts { item: parts[0].place.item, texts: rendered.texts.clone() },
                    why: "the lines worth their tokens at this price".into(),
                });
            }
        }
        if !plan.leaves_any() {
            self.explain(&mut folds);
        }
        folds.extend(self.drops(plan));
        folds
    }

    /// Says what the marks mean below the first of them, where no block does.
    fn explain(&self, folds: &mut [Fold]) {
        let Some((legend, tokens)) = &self.legend else { return };
        for fold in folds {
            let Change::Texts { item, texts } = &mut fold.change else { continue };
            // With the legend it still has to save something.
            if self.items.get(item).is_none_or(|left| left.tokens + tokens >= self.view.item_tokens(*item)) {
                continue;
            }
            for (nth, text) in texts {
                let is_plain = self.view.history().item(*item).texts[*nth].spelling == Spelling::Quoted;
                let opens = self.opens.get(&(*item, *nth)).filter(|_| is_plain);
                if let Some(explained) = opens.and_then(|opens| legend::within(text, opens, legend)) {
                    *text = explained;
                    return;
                }
            }
        }
    }

    /// The parts of each item that is kept.
    fn kept_items(&self, plan: &Plan) -> Vec<&'a [Part]> {
        let analysis = self.analysis;
        let groups = analysis.groups.iter().zip(&plan.fates).filter(|(_, fate)| **fate == Fate::Kept);
        let parts = groups.flat_map(|(group, _)| {
            let parts = &analysis.parts[group.parts.clone()];
            let items = parts.chunk_by(|one, next| one.place.item == next.place.item);
            items.filter(|parts| parts[0].folds_in(group))
        });
        parts.collect()
    }

    /// What leaves, and what tells it. In a view that tells something already, a note says so.
    fn drops(&mut self, plan: &Plan) -> Vec<Fold> {
        if !plan.leaves_any() {
            return Vec::new();
        }
        if self.cx.tells != Tells::Not && self.view.changes().inserted().is_none() {
            let journal = Journal::of(self.view, self.cx, self.analysis, plan, &mut self.opened);
            let inserted = journal.inserted(self.view.history(), self.cx);
            let why = "not worth their tokens at this price".into();
            let change = Change::Summary { runs: journal.runs, inserted };
            return vec![Fold { kind: FoldKind::Told, change, why }];
        }
        let cx = self.cx;
        let leaves: Vec<bool> = plan.fates.iter().map(|fate| *fate != Fate::Kept).collect();
        let takes_note = |id: MessageId| id >= cx.first_unsent;
        let why = "not worth their tokens at this price";
        notes::drops(self.view, cx, &self.groups, &leaves, takes_note, |_| why.to_string(), &mut self.opened)
    }

    /// A text as it was last rendered.
    fn text(&self, (item, nth): (ItemId, usize)) -> &str {
        let rendered = self.items.get(&item).filter(|item_is| item_is.tokens < self.view.item_tokens(item));
        let text = rendered.and_then(|rendered| rendered.texts.iter().find(|(is, _)| *is == nth));
        text.map_or_else(|| self.view.text(item, nth), |(_, text)| text)
    }

    /// Its tokens.
    fn text_tokens(&self, (item, nth): (ItemId, usize)) -> usize {
        let known = self.view.history().item(item);
        match known.texts.len() {
            1 if self.view.history().structure_of(known).is_none() => {
                self.items.get(&item).map_or(self.view.item_tokens(item), |rendered| rendered.tokens)
            }
            _ => self.view.tally().counter().count(self.text((item, nth))),
        }
    }

    /// What the parts of an item become.
    fn render(&mut self, parts: &[Part], plan: &Plan) -> &Rendered {
        let item = parts[0].place.item;
        let keep = &plan.keep[parts[0].lines.start..parts[parts.len() - 1].lines.end];
        let is_known = self.items.get(&item).is_some_and(|rendered| rendered.keep == keep);
        if !is_known {
            let texts = self.texts(parts, plan);
            let before = self.view.item_tokens(item);
            let after = if texts.is_empty() { Ok(before) } else { self.view.item_tokens_with(item, &texts) };
            let tokens = after.map_or(before, |after| after.min(before));
            self.items.insert(item, Rendered { keep: keep.to_vec(), texts, tokens });
        }
        &self.items[&item]
    }

    /// The texts of an item that change.
    fn texts(&mut self, parts: &[Part], plan: &Plan) -> Vec<(usize, String)> {
        let (view, analysis) = (self.view, self.analysis);
        let mut texts = Vec::new();
        let mut strings: Vec<(Range<usize>, String)> = Vec::new();
        for part in parts {
            let keep = &plan.keep[part.lines.clone()];
            if keep.iter().all(|keep| *keep) {
                continue;
            }
            let (item, nth) = (part.place.item, part.place.text);
            let lines = &analysis.lines[part.lines.clone()];
            let whole = view.text(item, nth);
            let original = &view.history().item(item).texts[nth];
            let opens: &str = self.opens.entry((item, nth)).or_insert_with(|| {
                format!("{}{}", self.cx.opens(&original.value), changed_since(view.history(), part))
            });
            match &part.place.argument {
                None => {
                    let says = says_itself(view, self.cx, part, keep);
                    texts.push((nth, marker::write(original, whole, lines, keep, opens, says.as_deref())));
                }
                Some(span) => {
                    let value = Raw::trusted(&whole[span.clone()]).str().unwrap_or_default();
                    // One handle per call is enough: it opens all of its arguments.
                    let opens = if strings.is_empty() { opens } else { "" };
                    strings.push((span.clone(), marker::join_argument(&value, lines, keep, opens)));
                }
            }
        }
        if !strings.is_empty() {
            texts.push((0, arguments::replace(view.text(parts[0].place.item, 0), strings)));
        }
        texts
    }
}

/// What a text says in the marker that it begins with: how a call went of which nothing is left, or that no person
/// wrote what stands in the user's name, where the tag that says so is gone.
fn says_itself(view: &View, cx: &Cx, part: &Part, keep: &[bool]) -> Option<String> {
    match part.voice {
        Voice::Harness => (!keep[0]).then(|| "automatic message".into()),
        _ if part.place.text > 0 || keep.contains(&true) => None,
        _ => cx.facts.tracker().call(part.place.item).and_then(|record| telling::outcome(view, record)),
    }
}

/// What says that a text shows a file as it was: told steps are known by their numbers.
fn changed_since(history: &History, part: &Part) -> String {
    match part.outdated_by.map(|change| history.item(change).step) {
        Some(Some(step)) => format!("; changed in step {step}"),
        Some(None) => "; changed since".to_string(),
        None => String::new(),
    }
}

/// Tokens of the view with these folds applied.
fn tokens_with(view: &View, folds: &[Fold]) -> usize {
    let mut tried = view.clone();
    for fold in folds {
        // A fold that saves nothing is not made; the runner decides the same way.
        let _ = tried.apply(fold);
    }
    tried.tokens()
}
