//! The steps that left, told in order, in one block behind the task.
//!
//! ```text
//! <enfold-told>
//! Steps that were left out of this conversation …
//! Steps 3–7 #482913077: 2 reads, 1 search
//! 5 edited src/limits.c −10 +19
//!   The check is off by one.
//! 7 `make test` → exit 2: 3 of 41 failed
//! </enfold-told>
//! ```

use std::collections::BTreeMap;
use std::fmt::Write as _;

use super::analysis::{Analysis, Group};
use super::plan::{Fate, Plan};
use crate::folding::notes::Opened;
use crate::folding::passes::Cx;
use crate::folding::telling::{kind, subjects};
use crate::history::{History, MessageId};
use crate::json::Raw;
use crate::text::preview;
use crate::view::View;
use crate::view::changes::Inserted;

/// Characters of the user's words by which a turn is known.
const TURN: usize = 60;

/// Files and programs that a run names.
const MOST_SUBJECTS: usize = 40;

/// What left, run by run, and what tells it.
pub(super) struct Journal {
    pub(super) runs: Vec<Vec<MessageId>>,
    pub(super) text: String,
}

impl Journal {
    /// Of what a plan leaves out. Whoever asks again and again keeps what was `opened`.
    pub(super) fn of(view: &View, cx: &Cx, analysis: &Analysis, plan: &Plan, opened: &mut Opened) -> Journal {
        let writer = Writer { view, cx, analysis, plan };
        let mut runs = Vec::new();
        let mut text = format!("<enfold-told>\n{}\n", legend(cx, analysis.root.as_deref()));
        let fates = analysis.groups.iter().zip(&plan.fates).enumerate().collect::<Vec<_>>();
        let mut turn = None;
        for run in
            fates.chunk_by(|(_, (_, one)), (_, (_, next))| (**one == Fate::Kept) == (**next == Fate::Kept))
        {
            if *run[0].1.1 == Fate::Kept {
                continue;
            }
            let groups: Vec<(usize, &Group)> = run.iter().map(|(nth, (group, _))| (*nth, *group)).collect();
            let mut messages: Vec<MessageId> =
                groups.iter().flat_map(|(_, group)| group.messages.iter().copied()).collect();
            // A group may hold a result that came late, after messages of the next.
            messages.sort_unstable();
            if !opened.contains_key(&messages) {
                opened.insert(messages.clone(), cx.opens_messages(view.history(), &messages));
            }
            writer.run(&mut text, &groups, &opened[&messages], &mut turn);
            runs.push(messages);
        }
        text.push_str("</enfold-told>");
        Journal { runs, text }
    }

    /// The message that tells it.
    pub(super) fn inserted(&self, history: &History, cx: &Cx) -> Inserted {
        let before = cx.behind_task(history);
        Inserted { before, raw: cx.wire.user_message(&self.text).into(), text: self.text.clone() }
    }
}

/// What the marks mean. It states facts and asks for nothing: models take orders in such a place for an attack.
fn legend(cx: &Cx, root: Option<&str>) -> String {
    let opens = match cx.blobs {
        Some(_) => "The originals are in the files that are named.",
        None => "#…: the number of the original.",
    };
    format!(
        "Parts of this conversation are not shown. The steps listed here happened and are told; all others stand below. \
         [12 lines] in a result: lines not shown. {opens}{}",
        root.map(|root| format!(" Paths here are below {root}.")).unwrap_or_default()
    )
}

struct Writer<'a> {
    view: &'a View<'a>,
    cx: &'a Cx<'a>,
    analysis: &'a Analysis,
    plan: &'a Plan,
}

impl Writer<'_> {
    /// One run: its numbers, how it opens, what it holds beside what is told, and the told steps.
    fn run(&self, out: &mut String, groups: &[(usize, &Group)], opens: &str, turn: &mut Option<u32>) {
        let history = self.view.history();
        self.turn(out, groups[0].1, turn);
        let steps: Vec<u32> = groups.iter().filter_map(|(_, group)| step_of(history, group)).collect();
        let numbers = match (steps.first(), steps.last()) {
            (Some(first), Some(last)) if first == last => format!("Step {first}"),
            (Some(first), Some(last)) => format!("Steps {first}–{last}"),
            _ => "Messages".to_string(),
        };
        let rest = self.rest(groups);
        let rest = if rest.is_empty() { rest } else { format!(": {rest}") };
        let _ = writeln!(out, "{numbers}{opens}{rest}");
        for (_, group) in groups.iter().filter(|(nth, _)| self.plan.fates[*nth] == Fate::Told) {
            self.told(out, group);
        }
    }

    /// Where another turn begins, by the words that began it.
    fn turn(&self, out: &mut String, group: &Group, turn: &mut Option<u32>) {
        let history = self.view.history();
        let Some(now) =
            group.messages.first().and_then(|id| history.items_of(*id).first()).map(|item| item.turn)
        else {
            return;
        };
        if turn.replace(now).is_some_and(|before| before != now) {
            let mut words = self.cx.facts.words().iter().map(|item| history.item(*item));
            if let Some(asked) = words.rfind(|item| item.turn == now) {
                let _ = writeln!(out, "After \"{}\":", preview(&asked.text(), TURN));
            }
        }
    }

    /// What a run holds: how many calls of each kind, and the files and programs they were about. A handle is worth something
    /// only where its line says what it opens.
    fn rest(&self, groups: &[(usize, &Group)]) -> String {
        let history = self.view.history();
        let tracker = self.cx.facts.tracker();
        let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
        let mut about: Vec<String> = Vec::new();
        for (nth, group) in groups {
            let items = group.messages.iter().flat_map(|id| history.message(*id).item_ids());
            let is_out = self.plan.fates[*nth] == Fate::Out;
            let mut is_step = false;
            for record in items.filter_map(|item| tracker.call(item)) {
                is_step = true;
                *counts.entry(kind(record)).or_default() += usize::from(is_out);
                if is_out {
                    about.extend(subjects(history, record));
                }
            }
            if !is_step {
                *counts.entry("message").or_default() += usize::from(is_out);
            }
        }
        let plural = |word: &str, count: usize| match (word, count) {
            (_, 1) => format!("1 {word}"),
            ("search" | "fetch", _) => format!("{count} {word}es"),
            _ => format!("{count} {word}s"),
        };
        let counts = counts.into_iter().filter(|(_, count)| *count > 0);
        let counts: Vec<String> = counts.map(|(word, count)| plural(word, count)).collect();
        let mut seen = std::collections::BTreeSet::new();
        // The newest are the likeliest to be wanted again.
        about.reverse();
        about.retain(|subject| seen.insert(subject.clone()));
        about.truncate(MOST_SUBJECTS);
        match (counts.is_empty(), about.is_empty()) {
            (_, true) => counts.join(", "),
            (true, false) => about.join(" "),
            (false, false) => format!("{}; {}", counts.join(", "), about.join(" ")),
        }
    }

    /// A step in a line, and what the model said with it.
    fn told(&self, out: &mut String, group: &Group) {
        let line = group.telling.as_ref().map_or("", |telling| telling.line.as_str());
        let step = step_of(self.view.history(), group).map(|step| format!("{step} ")).unwrap_or_default();
        let head = format!("{step}{line}");
        if !head.trim().is_empty() {
            let _ = writeln!(out, "{}", ours(&head));
        }
        for part in self.analysis.parts[group.parts.clone()].iter().filter(|part| part.is_own()) {
            let text = self.view.text(part.place.item, part.place.text);
            let text = match &part.place.argument {
                Some(span) => Raw::trusted(&text[span.clone()]).str().unwrap_or_default(),
                None => text.into(),
            };
            let mut gap = false;
            for at in part.lines.clone() {
                match self.plan.keep[at] {
                    true => {
                        let line = &text[self.analysis.lines[at].span.clone()];
                        let gap = if std::mem::take(&mut gap) { "…\n" } else { "" };
                        if !line.trim().is_empty() {
                            let _ = writeln!(out, "{gap}  {}", ours(line.trim_end()));
                        }
                    }
                    false => gap = true,
                }
            }
        }
    }
}

/// Words of others cannot end the block.
fn ours(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains("enfold-told>") {
        true => text.replace("enfold-told>", "enfold-told >").into(),
        false => text.into(),
    }
}

fn step_of(history: &History, group: &Group) -> Option<u32> {
    group.messages.iter().find_map(|id| history.items_of(*id).iter().find_map(|item| item.step))
}
