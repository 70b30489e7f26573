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

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write as _;

use super::analysis::{Analysis, Group, Part, Voice};
use super::legend;
use super::plan::{Fate, Plan};
use super::verbatim::Listed;
use crate::folding::notes::Opened;
use crate::folding::passes::{Cx, Tells};
use crate::folding::stretches::Calls;
use crate::folding::telling::{Kind, kind, kind_of_message, subjects};
use crate::history::{History, MessageId};
use crate::json::Raw;
use crate::text::preview;
use crate::understand::ledger::{TodoEntry, TodoState};
use crate::understand::operation::Verb;
use crate::view::View;
use crate::view::changes::Inserted;

/// Characters of the user's words by which a turn is known.
const TURN: usize = 60;

/// Files and programs that a run names.
const MOST_SUBJECTS: usize = 40;

/// The same where there is no room: those that were changed come first.
const FEW_SUBJECTS: usize = 2;

/// Characters of a thing to do, and how many are listed.
const PLANNED: usize = 100;
const MOST_PLANNED: usize = 10;

/// What left, run by run, and what tells it.
pub(super) struct Journal {
    pub(super) runs: Vec<Vec<MessageId>>,
    pub(super) text: String,
}

impl Journal {
    /// Of what a plan leaves out. Whoever asks again and again keeps what was `opened`.
    pub(super) fn of(view: &View, cx: &Cx, analysis: &Analysis, plan: &Plan, opened: &mut Opened) -> Journal {
        let writer = Writer { view, cx, analysis, plan, listed: Listed::of(analysis, plan) };
        let mut runs = Vec::new();
        let mut text = format!("<enfold-told>\n{}\n", legend::of_block(cx, analysis.root.as_deref()));
        let mut turn = None;
        for groups in runs_of(analysis, plan) {
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
        writer.listed.write(&mut text);
        writer.plan(&mut text);
        text.push_str("</enfold-told>");
        Journal { runs, text }
    }

    /// The message that tells it.
    pub(super) fn inserted(&self, history: &History, cx: &Cx) -> Inserted {
        let before = cx.behind_task(history);
        Inserted {
            before,
            raw: cx.wire.user_message(&self.text).into(),
            text: self.text.clone(),
            summary: None,
        }
    }
}

/// The groups that left, those next to each other together.
fn runs_of<'a>(analysis: &'a Analysis, plan: &Plan) -> Vec<Vec<(usize, &'a Group)>> {
    let mut runs: Vec<Vec<(usize, &Group)>> = Vec::new();
    let mut is_open = false;
    for (nth, (group, fate)) in analysis.groups.iter().zip(&plan.fates).enumerate() {
        match fate {
            Fate::Kept => is_open &= !group.parts_runs(),
            Fate::Told | Fate::Out if is_open => {
                runs.last_mut().into_iter().for_each(|run| run.push((nth, group)))
            }
            Fate::Told | Fate::Out => {
                runs.push(vec![(nth, group)]);
                is_open = true;
            }
        }
    }
    runs
}

impl Calls {
    /// `2 edits (limits.c, report.c)`, in order; where there is no room for all names, those of the newest. What failed and
    /// was done again is told as it ended.
    fn told(&self, kind: Kind, room: &mut usize) -> String {
        let mut seen = BTreeSet::new();
        let newest = self.about.iter().rev().filter(|subject| seen.insert(subject.name.as_str()));
        let mut about: Vec<String> =
            newest.take(*room).map(|subject| format!("{}{}", subject.name, subject.ended)).collect();
        *room -= about.len();
        about.reverse();
        match about.is_empty() {
            true => kind.count(self.count),
            false => format!("{} ({})", kind.count(self.count), about.join(", ")),
        }
    }
}

struct Writer<'a> {
    view: &'a View<'a>,
    cx: &'a Cx<'a>,
    analysis: &'a Analysis,
    plan: &'a Plan,
    listed: Listed<'a>,
}

impl Writer<'_> {
    /// One run: its numbers, how it opens, what it holds beside what is told, and the told steps.
    fn run(&self, out: &mut String, groups: &[(usize, &Group)], opens: &str, turn: &mut Option<u32>) {
        if let [(nth, group)] = groups
            && self.plan.fates[*nth] == Fate::Told
        {
            self.turn(out, group, turn);
            return self.told(out, group, opens);
        }
        let history = self.view.history();
        let steps: Vec<u32> = groups.iter().flat_map(|(_, group)| steps_of(history, group)).collect();
        let numbers = match (steps.first(), steps.last()) {
            (Some(first), Some(last)) if first == last => format!("Step {first}"),
            (Some(first), Some(last)) => format!("Steps {first}–{last}"),
            _ => "Messages".to_string(),
        };
        // What a person said before the run stands over it, not over the first step of it that is told. Over steps of several
        // turns no words of one would be right.
        if let [(_, first), .., (_, last)] | [(_, first @ last)] = groups
            && self.turn_of(first) == self.turn_of(last)
        {
            self.turn(out, first, turn);
        }
        let _ = writeln!(out, "{numbers}{opens}{}", self.rest(groups));
        for (_, group) in groups.iter().filter(|(nth, _)| self.plan.fates[*nth] == Fate::Told) {
            self.turn(out, group, turn);
            self.told(out, group, "");
        }
    }

    /// What is still to be done of the model's own plan, where the call that says so left.
    fn plan(&self, out: &mut String) {
        let history = self.view.history();
        // Most sessions have no plan, and all their calls would be looked through for one.
        if self.cx.facts.plan().iter().all(|entry| entry.state == TodoState::Done) {
            return;
        }
        let mut calls = self.cx.facts.tracker().calls().iter().rev();
        let Some(newest) = calls.find(|record| record.verbs().any(|verb| verb == Verb::Todo)) else { return };
        let stands_at = history.item(newest.result).message;
        let is_there =
            |(group, fate): (&Group, &Fate)| *fate == Fate::Kept && group.messages.contains(&stands_at);
        let said = match self.analysis.groups.iter().zip(&self.plan.fates).any(is_there) {
            true => newest.call.map(|call| history.item(call).text()).unwrap_or_default(),
            false => Default::default(),
        };
        let entries = self.cx.facts.plan();
        let open: Vec<&TodoEntry> = entries.iter().filter(|entry| entry.state != TodoState::Done).collect();
        // The newest call may hold the whole plan, or change the state of one entry.
        if open.iter().all(|entry| said.contains(&entry.text)) {
            return;
        }
        let open: Vec<String> = open
            .into_iter()
            .map(|entry| {
                let state = if entry.state == TodoState::Active { " (in progress)" } else { "" };
                format!("{}{state}", preview(&entry.text, PLANNED))
            })
            .collect();
        let done = match entries.len() - open.len() {
            0 => String::new(),
            done => format!(" ({done} of {} done)", entries.len()),
        };
        let more = open.len().saturating_sub(MOST_PLANNED);
        let more = if more > 0 { format!("; {more} more") } else { String::new() };
        let _ = writeln!(
            out,
            "Still planned{done}: {}{more}",
            ours(&open[..open.len().min(MOST_PLANNED)].join("; "))
        );
    }

    /// Where another turn begins, by the words that began it.
    fn turn(&self, out: &mut String, group: &Group, turn: &mut Option<u32>) {
        let history = self.view.history();
        let Some(now) = self.turn_of(group) else { return };
        let is_other = turn.replace(now).is_some_and(|before| before != now);
        if is_other && self.cx.tells == Tells::Fully {
            let mut words = self.cx.facts.words().iter().map(|item| history.item(*item));
            if let Some(asked) = words.rfind(|item| item.turn == now) {
                let _ = writeln!(out, "After \"{}\":", preview(&asked.text(), TURN));
            }
        }
    }

    fn turn_of(&self, group: &Group) -> Option<u32> {
        let first = group.messages.first()?;
        self.view.history().items_of(*first).first().map(|item| item.turn)
    }

    /// What a run holds beside what is told: how many calls of each kind, and what they were about, changes first. A handle is
    /// worth something only where its line says what it opens. Who counts needs to know what is not counted.
    fn rest(&self, groups: &[(usize, &Group)]) -> String {
        let history = self.view.history();
        let tracker = self.cx.facts.tracker();
        let mut kinds: BTreeMap<Kind, Calls> = BTreeMap::new();
        for (_, group) in groups.iter().filter(|(nth, _)| self.plan.fates[*nth] == Fate::Out) {
            if let Some(held) = &group.far {
                for (kind, held) in &held.calls {
                    let calls = kinds.entry(*kind).or_default();
                    calls.count += held.count;
                    calls.about.extend_from_slice(&held.about);
                }
                continue;
            }
            let items = group.messages.iter().flat_map(|id| history.message(*id).item_ids());
            let mut is_step = false;
            for record in items.filter_map(|item| tracker.call(item)) {
                is_step = true;
                let calls = kinds.entry(kind(record)).or_default();
                calls.count += 1;
                calls.about.extend(subjects(history, record));
            }
            if !is_step {
                let role = history.message(group.messages[0]).role;
                kinds.entry(kind_of_message(role)).or_default().count += 1;
            }
        }
        let mut room = if self.cx.tells == Tells::Briefly { FEW_SUBJECTS } else { MOST_SUBJECTS };
        let counts: Vec<String> = kinds.iter().map(|(kind, calls)| calls.told(*kind, &mut room)).collect();
        let told = groups.iter().filter(|(nth, _)| self.plan.fates[*nth] == Fate::Told).count();
        match (counts.is_empty(), told) {
            (true, _) => String::new(),
            (false, 0) => format!(": {}", counts.join(", ")),
            (false, _) => format!(": {told} told below, and {}", counts.join(", ")),
        }
    }

    /// A step in a line, and below it what the model said and, further in, what it wrote.
    fn told(&self, out: &mut String, group: &Group, opens: &str) {
        let line =
            group.telling.as_ref().map_or_else(String::new, |telling| self.listed.shorten(&telling.line));
        let line = line.as_str();
        let mut below = String::new();
        for part in self.analysis.parts[group.parts.clone()].iter().filter(|part| part.is_own()) {
            self.own_lines(&mut below, part, line);
        }
        let head = match step_of(self.view.history(), group) {
            _ if line.is_empty() && below.is_empty() && opens.is_empty() => return,
            Some(step) => format!("{step} {line}"),
            None if line.is_empty() => "the assistant said".to_string(),
            None => line.to_string(),
        };
        let _ = write!(out, "{}{opens}\n{below}", ours(head.trim_end()));
    }

    /// The kept lines of what the model said or wrote, but for those that stand in `head` already. Pieces of a long line that
    /// follow each other stay one line.
    fn own_lines(&self, out: &mut String, part: &Part, head: &str) {
        let text = self.view.text(part.place.item, part.place.text);
        let text = match &part.place.argument {
            Some(span) => Raw::trusted(&text[span.clone()]).str().unwrap_or_default(),
            None => text.into(),
        };
        let is_written = part.voice == Voice::Argument;
        let indent = if is_written { "    " } else { "  " };
        let mut is_gap = false;
        let mut blank = false;
        let mut end: Option<usize> = None;
        for at in part.lines.clone() {
            let span = self.analysis.lines[at].span.clone();
            let line = text[span.clone()].trim_end();
            if !self.plan.keep[at] {
                is_gap = true;
                continue;
            }
            if line.is_empty() || head.contains(line.trim()) {
                blank |= line.is_empty();
                continue;
            }
            let goes_on = !is_gap && end.is_some_and(|end| !text[end..span.start].contains('\n'));
            let line_end = if end.is_some() { "\n" } else { "" };
            // An empty line of what was written is part of it: who replaces the text has to name it.
            let empty = if std::mem::take(&mut blank) && is_written && !is_gap { line_end } else { "" };
            let _ = match (goes_on, std::mem::take(&mut is_gap)) {
                (true, _) => write!(out, "{}", ours(line)),
                (false, true) => write!(out, "{line_end}…\n{indent}{}", ours(line)),
                (false, false) => write!(out, "{empty}{line_end}{indent}{}", ours(line)),
            };
            end = Some(span.end);
        }
        if end.is_some() {
            out.push_str(if is_gap { "\n…\n" } else { "\n" });
        }
    }
}

/// Words of others cannot end the block.
pub(super) fn ours(text: &str) -> std::borrow::Cow<'_, str> {
    match text.contains("enfold-told>") {
        true => text.replace("enfold-told>", "enfold-told >").into(),
        false => text.into(),
    }
}

/// The steps by which a group is known: of a stretch beyond the horizon, the first and the last.
fn steps_of(history: &History, group: &Group) -> Vec<u32> {
    match &group.far {
        Some(held) => held.steps.into_iter().flat_map(|(first, last)| [first, last]).collect(),
        None => step_of(history, group).into_iter().collect(),
    }
}

fn step_of(history: &History, group: &Group) -> Option<u32> {
    group.messages.iter().find_map(|id| history.items_of(*id).iter().find_map(|item| item.step))
}
