//! The messages of a session beside those of its view; each one can be opened.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use enfold::history::History;
use enfold::history::{ItemKind, MediaKind, MessageId};
use enfold::view::View;
use enfold::view::fold::FoldKind;

use super::{Explanation, FoldRow};
use crate::page::{lines, text};
use crate::parts::Part;
use crate::report::number;

/// What is shown of a message.
#[derive(Clone, Copy)]
struct Extent {
    lines: usize,
    letters: usize,
}

/// While it is closed.
const PEEK: Extent = Extent { lines: 5, letters: 200 };

/// While it is open.
const WHOLE: Extent = Extent { lines: usize::MAX, letters: usize::MAX };

/// What folding did to a message.
#[derive(Clone, Copy, PartialEq, Eq)]
enum State {
    Same,
    Changed,
    Gone,
}

/// Before and after, message by message.
pub struct Sheet<'a> {
    explained: &'a Explanation,
    view: &'a View<'a>,
    history: &'a History,
    folds: BTreeMap<MessageId, Vec<&'a FoldRow>>,
    handles: BTreeSet<&'a str>,
}

impl<'a> Sheet<'a> {
    /// Of a view and what was said about it.
    pub fn new(explained: &'a Explanation, view: &'a View<'a>) -> Sheet<'a> {
        let mut folds: BTreeMap<MessageId, Vec<&FoldRow>> = BTreeMap::new();
        for fold in explained.folds() {
            for message in &fold.messages {
                folds.entry(MessageId::new(message - 1)).or_default().push(fold);
            }
        }
        let handles = explained.folds().flat_map(|fold| &fold.handles).map(String::as_str).collect();
        Sheet { explained, view, history: view.history(), folds, handles }
    }

    /// All of them.
    pub fn messages(&self) -> String {
        let rows: String = self.history.message_ids().map(|id| self.inserted(id) + &self.row(id)).collect();
        format!(
            "<section class='sheet'><h2>Messages <small>before, and as the model reads them; each opens</small></h2>\
             <p class='tools'><button data-open>open all folds</button> <button data-close>close all</button> \
             <label><input type='checkbox' data-only> only what changed</label></p>\
             <div class='two heads'><b>before</b><b>after</b></div>{rows}</section>"
        )
    }

    fn row(&self, id: MessageId) -> String {
        let state = match self.view.message(id) {
            None => State::Gone,
            Some(now) if now != self.history.message(id).raw => State::Changed,
            Some(_) => State::Same,
        };
        let was = self.was(id);
        let sides = match state {
            State::Same => Sides { was: &was, is: None, empty: "" },
            State::Gone | State::Changed => Sides { was: &was, is: Some(self.now(id)), empty: self.gone(id) },
        };
        let class = match state {
            State::Same => "same",
            State::Changed => "changed",
            State::Gone => "gone",
        };
        format!(
            "<details class='{class}'><summary>{}<div class='peek'>{}</div></summary>{}{}</details>",
            self.heading(id, state),
            self.emphasised(&sides.markup(PEEK)),
            self.reasons(id),
            self.emphasised(&sides.markup(WHOLE)),
        )
    }

    /// The summary, if it stands before this message.
    fn inserted(&self, before: MessageId) -> String {
        let Some(summary) = self.explained.summary.as_ref().filter(|one| one.before == before.number())
        else {
            return String::new();
        };
        let sides = Sides { was: "", is: Some(summary.text.clone()), empty: "" };
        let handle = summary.handle.iter().map(|handle| format!(" <mark>{}</mark>", text(handle)));
        format!(
            "<details class='changed inserted'><summary><div class='head'><span><i class='dot p-summaries'></i>\
             <b>summary</b> of {} messages <i class='kind'>summary</i></span>\
             <span class='tokens'>0 → <b>{}</b></span></div><div class='peek'>{}</div></summary>\
             <p class='why'><b>summary</b>{} {}</p>{}</details>",
            number(summary.messages as u64),
            number(summary.tokens as u64),
            self.emphasised(&sides.markup(PEEK)),
            handle.collect::<String>(),
            summary.title(),
            self.emphasised(&sides.markup(WHOLE)),
        )
    }

    fn gone(&self, id: MessageId) -> &'static str {
        let is = |kind: FoldKind| self.folds_of(id).iter().any(|fold| fold.kind == kind.name());
        match () {
            () if is(FoldKind::Summary) => "told in the summary",
            () if is(FoldKind::Told) => "told in a line",
            () => "left out",
        }
    }

    fn was(&self, id: MessageId) -> String {
        let items = self.history.items_of(id).iter();
        let said = items.map(|item| say(&item.kind, item.texts.iter().map(|text| &*text.value)));
        said.collect::<Vec<_>>().join("\n")
    }

    /// The same in the view; empty for a message that is gone.
    fn now(&self, id: MessageId) -> String {
        let items = self.history.message(id).item_ids().filter(|item| self.view.has(*item));
        let said = items.map(|id| {
            let item = self.history.item(id);
            say(&item.kind, (0..item.texts.len()).map(|nth| self.view.text(id, nth)))
        });
        said.collect::<Vec<_>>().join("\n")
    }

    /// Number, role, step and tool; what was done to it; tokens.
    fn heading(&self, id: MessageId, state: State) -> String {
        let message = self.history.message(id);
        let part = message.item_ids().next().map_or("other", |item| Part::of(self.history, item).name());
        let step = self.history.items_of(id).iter().find_map(|item| item.step);
        let step = step.map_or(String::new(), |step| format!(" · step {step}"));
        let tool = message.item_ids().find_map(|item| self.history.tool(item));
        let tool = tool.map_or(String::new(), |tool| format!(" · {}", text(tool)));
        let before = number(self.view.tally().message(id) as u64);
        let tokens = match state {
            State::Same => before,
            State::Changed | State::Gone => {
                format!("{before} → <b>{}</b>", number(self.view.message_tokens(id) as u64))
            }
        };
        let mut kinds: Vec<&str> = self.folds_of(id).iter().map(|fold| fold.kind).collect();
        kinds.dedup();
        let kinds: String = kinds.iter().map(|kind| format!(" <i class='kind'>{kind}</i>")).collect();
        format!(
            "<div class='head'><span><i class='dot p-{part}'></i><b>{}</b> {}{step}{tool}{kinds}</span>\
             <span class='tokens'>{tokens}</span></div>",
            id.number(),
            message.role.name(),
        )
    }

    /// Why each of its folds was made, and what opens it.
    fn reasons(&self, id: MessageId) -> String {
        let reason = |fold: &&FoldRow| {
            let handles: String =
                fold.handles.iter().map(|handle| format!(" <mark>{}</mark>", text(handle))).collect();
            let why = text(&fold.why);
            format!(
                "<p class='why'><b>{}</b>{handles} {why} <small>{}</small></p>",
                fold.kind,
                text(&fold.what)
            )
        };
        self.folds_of(id).iter().map(reason).collect()
    }

    fn folds_of(&self, id: MessageId) -> &[&'a FoldRow] {
        self.folds.get(&id).map_or(&[], Vec::as_slice)
    }

    /// Markup in which the handles of this view stand out.
    fn emphasised(&self, markup: &str) -> String {
        const DIGITS: usize = 9;
        let mut emphasised = String::with_capacity(markup.len());
        let mut rest = markup;
        while let Some((before, found)) = rest.split_once('#') {
            emphasised += before;
            let handle = &rest[before.len()..];
            match handle.get(..=DIGITS).filter(|handle| self.handles.contains(handle)) {
                Some(handle) => {
                    emphasised += &format!("<mark>{handle}</mark>");
                    rest = &found[DIGITS..];
                }
                None => {
                    emphasised.push('#');
                    rest = found;
                }
            }
        }
        emphasised + rest
    }
}

/// A message before and after; `is` is there only if something changed.
struct Sides<'t> {
    was: &'t str,
    is: Option<String>,
    /// What stands where nothing is left.
    empty: &'static str,
}

impl Sides<'_> {
    fn markup(&self, extent: Extent) -> String {
        let Some(is) = &self.is else { return format!("<pre>{}</pre>", shown(self.was, extent, None)) };
        let (kept, known): (HashSet<&str>, HashSet<&str>) =
            (is.lines().collect(), self.was.lines().collect());
        let after = match is.is_empty() {
            true => format!("<em>{}</em>", self.empty),
            false => shown(is, extent, Some((&known, "new"))),
        };
        let before = match self.was.is_empty() && !is.is_empty() {
            true => "<em>not in the session</em>".to_string(),
            false => shown(self.was, extent, Some((&kept, "hid"))),
        };
        format!("<div class='two'><pre>{before}</pre><pre>{after}</pre></div>")
    }
}

/// A text as markup; lines that the other side lacks get a class.
fn shown(whole: &str, extent: Extent, other: Option<(&HashSet<&str>, &str)>) -> String {
    let is_peek = extent.lines < usize::MAX;
    let mut rest = whole.lines().filter(|line| !is_peek || !line.trim().is_empty());
    let line = |line: &str| {
        let mut cut: String = line.chars().take(extent.letters).collect();
        if cut.len() < line.len() {
            cut.push('…');
        }
        match other {
            Some((other, class)) if !line.trim().is_empty() && !other.contains(line) => {
                format!("<span class='{class}'>{}</span>", lines(&cut))
            }
            _ => lines(&cut),
        }
    };
    let mut shown: Vec<String> = rest.by_ref().take(extent.lines).map(line).collect();
    shown.extend(rest.next().map(|_| "…".to_string()));
    shown.join("\n")
}

/// An item as text: calls by name and arguments, media by their kind.
fn say<'t>(kind: &ItemKind, texts: impl Iterator<Item = &'t str>) -> String {
    let texts: Vec<&str> = texts.collect();
    match kind {
        ItemKind::Call(call) => format!("{} {}", call.name, texts.join(" ")),
        ItemKind::Media(media) => {
            let kind = match media.kind {
                MediaKind::Image => "image",
                MediaKind::Document => "document",
                MediaKind::Audio => "audio",
            };
            format!("[{kind}]")
        }
        ItemKind::Other(kind) if texts.is_empty() => format!("[{kind}]"),
        ItemKind::Text
        | ItemKind::Reasoning(_)
        | ItemKind::Result(_)
        | ItemKind::Summary
        | ItemKind::Other(_) => texts.join("\n"),
    }
}
