//! Running a policy over a history: pass after pass, each checked, and the budget guaranteed at the end.

use crate::count::Tally;
use crate::count::budget::Share;
use crate::finding::Finding;
use crate::folding::bonds::Bonds;
use crate::folding::legality::{new_faults, tail_faults, unbound_faults};
use crate::folding::passes::{Cx, LastResort, Outcome, Pass};
use crate::folding::policy::{Policy, When};
use crate::folding::shortened::shortened;
use crate::folding::stretches::Stretches;
use crate::folding::words::Words;
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, MessageId, Role, Spelling};
use crate::summary::{Asked, Summary};
use crate::understand::facts::Protection;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind, Handle};
use crate::view::original::{Original, Originals, stretch};
use crate::view::trace::{FoldTrace, PassOutcome, PassTrace, Trace};

/// A view, its story, and what it hides.
#[non_exhaustive]
pub struct Run<'h> {
    /// What to send.
    pub view: View<'h>,
    /// What was done and why.
    pub trace: Trace,
    /// What the handles open, to be stored before the view leaves.
    pub originals: Originals,
    /// What a pass asks: an answer would make a better view.
    pub asked: Option<Box<Asked>>,
}

impl Run<'_> {
    /// The summary that stands in the view.
    pub fn summary(&self) -> Option<&Summary> {
        self.view.changes().inserted()?.summary.as_ref()
    }
}

/// What must stay does not fit.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("cannot fit: what must stay takes {needed} tokens, {} over the budget of {limit}", needed - limit)]
#[non_exhaustive]
pub struct CannotFit {
    /// Tokens of what must stay.
    pub needed: usize,
    /// Tokens there are.
    pub limit: usize,
    /// What must stay, message by message, largest first.
    pub protected: Vec<(MessageId, usize)>,
    /// What was tried.
    pub trace: Trace,
}

/// Runs a policy. A history that fits goes through unchanged unless a pass works at any size.
pub fn run<'h>(
    policy: &Policy,
    history: &'h History,
    tally: &'h Tally,
    cx: &Cx,
) -> Result<Run<'h>, Box<CannotFit>> {
    let bonds = Bonds::knowing(history, MessageId::FIRST, cx.wire, cx.around, cx.signed);
    let (protection, given) = protecting(cx, tally);
    let words = Words::of(history, tally, cx, given);
    let stretches = Stretches::default();
    let stretches = cx.stretches.unwrap_or(&stretches);
    stretches.begin();
    let newest = newest_step(history);
    let fresh = fresh(history, tally, &words, cx.target.min(cx.limit).saturating_sub(given), newest);
    let cx = &Cx {
        bonds: &bonds,
        words: &words,
        protection,
        stretches: Some(stretches),
        newest,
        fresh: &fresh,
        ..*cx
    };
    let mut runner = Runner::new(View::new(history, tally), *cx, &policy.last_resort);
    for step in &policy.passes {
        runner.run_pass(&*step.pass, &step.why);
    }
    let over = runner.view.tokens() > cx.limit;
    if policy.fits && over {
        runner.guarantee();
    }
    runner.unbind();
    runner.check_whole();
    let mut run = runner.finish(policy, cx.limit);
    run.trace.shortened = shortened(&run.view, cx, &words);
    if run.trace.after > cx.limit { Err(Box::new(cannot_fit(run, cx.limit))) } else { Ok(run) }
}

/// Where the newest step begins, which the model goes on from: its last message, with those of the same step before it where the
/// format makes a message of each call. What came after it belongs to it.
pub fn newest_step(history: &History) -> MessageId {
    let speaks = |id: &MessageId| history.message(*id).role == Role::Assistant;
    let step = |id: MessageId| history.items_of(id).iter().find_map(|item| item.step);
    let Some(newest) = history.message_ids().rev().find(speaks) else { return MessageId::ALL.end };
    let Some(of) = step(newest) else { return newest };
    let before = MessageId::each(MessageId::FIRST..newest).rev().take_while(speaks);
    before.take_while(|id| step(*id) == Some(of)).last().unwrap_or(newest)
}

/// Share of the room beside what must stay that results may take which have just been asked for.
const FRESH: Share = Share::percent(60);

/// The results of the newest step that stay whole in so much room: the model has just asked for them. The smallest first, so that
/// one that is too large takes none of the others with it.
fn fresh(history: &History, tally: &Tally, words: &Words, room: usize, newest: MessageId) -> Vec<ItemId> {
    let items = || history.items_from(history.first_item(newest)).filter(|_| newest < history.next_message());
    let is_result = |item: &Item| item.result().is_some();
    let beside: usize = items().filter(|(_, item)| !is_result(item)).map(|(id, _)| tally.item(id)).sum();
    let said: usize = words.items().filter(|item| words.keeps(*item)).map(|item| tally.item(item)).sum();
    let mut left = FRESH.of(room.saturating_sub(beside + said));
    let mut results: Vec<ItemId> = items().filter(|(_, item)| is_result(item)).map(|(id, _)| id).collect();
    results.sort_by_key(|id| tally.item(*id));
    results.retain(|id| {
        let fits = tally.item(*id) <= left;
        left = left.saturating_sub(tally.item(*id));
        fits
    });
    results.sort_unstable();
    results
}

/// Runs the passes of a policy that work on what arrives, over the messages from [`Cx::first_unsent`] on. What is older stays
/// as it stands in the view.
pub fn arrive<'h>(policy: &Policy, view: View<'h>, cx: &Cx) -> Run<'h> {
    let bonds = Bonds::knowing(view.history(), cx.first_unsent, cx.wire, cx.around, cx.signed);
    let words = Words::of(view.history(), view.tally(), cx, 0);
    let mut runner = Runner::new(view, Cx { bonds: &bonds, words: &words, ..*cx }, &policy.last_resort);
    for step in policy.passes.iter().filter(|step| step.when == When::Arrival) {
        runner.run_pass(&*step.pass, &step.why);
    }
    runner.check_new();
    runner.finish(policy, cx.limit)
}

/// Runs the passes of a policy for the end of the work over the last view. `None` where they fold nothing, or a provider would not
/// take what they leave.
pub(crate) fn end<'h>(policy: &Policy, view: View<'h>, cx: &Cx) -> Option<Run<'h>> {
    let (history, tally) = (view.history(), view.tally());
    let bonds = Bonds::knowing(history, MessageId::FIRST, cx.wire, cx.around, cx.signed);
    let words = Words::of(history, tally, cx, 0);
    let cx = Cx { bonds: &bonds, words: &words, newest: newest_step(history), ..*cx };
    let mut runner = Runner::new(view, cx, &policy.last_resort);
    for step in policy.passes.iter().filter(|step| step.when == When::End) {
        runner.run_pass(&*step.pass, &step.why);
    }
    let is_folded = runner.passes.iter().any(|pass| !pass.folds.is_empty());
    if !is_folded {
        return None;
    }
    runner.unbind();
    let is_taken = unbound_faults(&runner.view, &runner.cx).is_empty() && runner.new_fault().is_none();
    is_taken.then(|| runner.finish(policy, cx.limit))
}

/// What a provider would refuse about a view that has grown, from this message on, and not about its history. O(what is new),
/// and nothing where the end of the view is that of the history.
pub(crate) fn refused(view: &View, cx: &Cx, from: MessageId) -> Option<Finding> {
    tail_faults(view, cx, from).into_iter().next()
}

/// How far a view is folded that aims at `target`: beside what must stay, two fifths of the room are for the rest. A long
/// system prompt would otherwise leave a view without any of the work.
pub(crate) fn target_beside(target: usize, tally: &Tally, cx: &Cx) -> usize {
    let (_, given) = protecting(cx, tally);
    target.max(cx.limit - ROLLED.of(cx.limit.saturating_sub(given)))
}

/// Share of the room beside what must stay that an epoch frees at most.
const ROLLED: Share = Share::percent(60);

/// Instructions and tasks stay as they are, unless they would fill the view: then only what must. Also how much that takes.
fn protecting(cx: &Cx, tally: &Tally) -> (Protection, usize) {
    let tokens = |protection: Protection| -> usize {
        let protected = cx.facts.guarded().filter(|item| cx.facts.is_protected(*item, protection));
        protected.map(|item| tally.item(item)).sum()
    };
    match tokens(cx.protection) {
        all if all <= cx.limit / 2 => (cx.protection, all),
        _ => (Protection::Task, tokens(Protection::Task)),
    }
}

pub(super) struct Runner<'h, 'c> {
    pub(super) view: View<'h>,
    before: usize,
    originals: Originals,
    pub(super) passes: Vec<PassTrace>,
    asked: Option<Box<Asked>>,
    pub(super) cx: Cx<'c>,
    pub(super) last_resort: &'c LastResort,
}

impl<'h, 'c> Runner<'h, 'c> {
    fn new(view: View<'h>, cx: Cx<'c>, last_resort: &'c LastResort) -> Runner<'h, 'c> {
        let before = view.tokens();
        Runner { view, before, originals: Originals::new(), passes: Vec::new(), asked: None, cx, last_resort }
    }

    fn finish(self, policy: &Policy, limit: usize) -> Run<'h> {
        let trace = Trace {
            policy: policy.name.clone(),
            before: self.before,
            after: self.view.tokens(),
            limit,
            protection: self.cx.protection,
            passes: self.passes,
            shortened: Vec::new(),
        };
        Run { view: self.view, trace, originals: self.originals, asked: self.asked }
    }

    /// Runs one pass. If it fails, or its view would be refused by the provider, the view is as before.
    pub(super) fn run_pass(&mut self, pass: &dyn Pass, reason: &str) {
        let before = self.view.tokens();
        let (outcome, folds) = match pass.apply(&self.view, &self.cx) {
            Ok(Outcome::Unchanged(why)) => (PassOutcome::Unchanged(why), Vec::new()),
            Err(error) => (PassOutcome::Failed(error.to_string()), Vec::new()),
            Ok(Outcome::Folds(folds)) => self.make_all(folds),
            Ok(Outcome::Ask(folds, asked)) => {
                let made = self.make_all(folds);
                if !made.1.is_empty() {
                    self.asked = Some(asked);
                }
                made
            }
        };
        self.passes.push(PassTrace {
            pass: pass.name().to_string(),
            reason: reason.to_string(),
            before,
            after: self.view.tokens(),
            outcome,
            folds,
        });
    }

    fn make_all(&mut self, folds: Vec<Fold>) -> (PassOutcome, Vec<FoldTrace>) {
        let proposed = folds.len();
        let mut faults = Vec::new();
        let made = self.make_some(&folds, &mut faults);
        if made.is_empty() && proposed > 0 && !faults.is_empty() {
            return (PassOutcome::Failed(refusal(&faults)), Vec::new());
        }
        let refused = proposed - made.len();
        (PassOutcome::Folded { refused, faults }, made.into_iter().flatten().collect())
    }

    /// Makes those of some folds that leave a view which the provider takes: one that it would refuse takes none of the others
    /// with it. What was made, fold by fold.
    fn make_some(&mut self, folds: &[Fold], faults: &mut Vec<String>) -> Vec<Vec<FoldTrace>> {
        let may_break = folds.iter().any(|fold| self.may_break(&fold.change));
        let old = may_break.then(|| (self.view.clone(), self.originals.clone()));
        let made: Vec<Vec<FoldTrace>> = folds.iter().filter_map(|fold| self.make(fold)).collect();
        let Some((fault, old)) = old.and_then(|old| Some((self.new_fault()?, old))) else { return made };
        (self.view, self.originals) = old;
        if folds.len() < 2 {
            faults.push(fault);
            return Vec::new();
        }
        let (first, second) = folds.split_at(folds.len() / 2);
        let mut made = self.make_some(first, faults);
        made.extend(self.make_some(second, faults));
        made
    }

    /// Whether a change could make the view one that a provider refuses. Other words in a result or a text cannot,
    /// other JSON can: Gemini's results are objects.
    fn may_break(&self, change: &Change) -> bool {
        let is_words = |item: ItemId| {
            let item = self.view.history().get_item(item);
            item.is_some_and(|item| {
                matches!(item.kind, ItemKind::Result(_) | ItemKind::Text | ItemKind::Summary)
                    && item.texts.iter().all(|text| text.spelling == Spelling::Quoted)
            })
        };
        match change {
            Change::Texts { item, .. } | Change::Refers { item, .. } => !is_words(*item),
            Change::Several(all) => !all.iter().all(|(item, _)| is_words(*item)),
            Change::Items(_) | Change::Messages { .. } | Change::Summary { .. } => true,
        }
    }

    /// A rule that the view breaks and the history did not.
    fn new_fault(&self) -> Option<String> {
        new_faults(&self.view, &self.cx).first().map(ToString::to_string)
    }

    /// What leaves is checked as a whole, whatever each pass was checked for. Words alone cannot break a request; should
    /// they all the same, everything is taken back and said.
    fn check_whole(&mut self) {
        if self.view.changes().is_unchanged() {
            return;
        }
        let unbound = || unbound_faults(&self.view, &self.cx).first().map(ToString::to_string);
        if let Some(fault) = unbound().or_else(|| self.new_fault()) {
            let before = self.view.tokens();
            self.start_again();
            self.passes.push(PassTrace {
                pass: "check".into(),
                reason: "what leaves is what a provider takes".into(),
                before,
                after: self.view.tokens(),
                outcome: PassOutcome::Failed(format!("the provider would refuse the view: {fault}")),
                folds: Vec::new(),
            });
        }
    }

    /// What was folded on arrival is checked in its context. Should a provider refuse it, it is taken back.
    fn check_new(&mut self) {
        let is_folded = self.passes.iter().any(|pass| !pass.folds.is_empty());
        if !is_folded || tail_faults(&self.view, &self.cx, self.cx.first_unsent).is_empty() {
            return;
        }
        self.view.forget(self.cx.first_unsent);
        self.take_back();
    }

    /// Whether steps are told in a block of their own.
    pub(super) fn has_told(&self) -> bool {
        self.passes.iter().flat_map(|pass| &pass.folds).any(|fold| fold.kind == FoldKind::Told)
    }

    /// Takes everything back. The trace says what was tried.
    pub(super) fn start_again(&mut self) {
        self.view = View::new(self.view.history(), self.view.tally());
        self.take_back();
    }

    /// The trace says that nothing came of it.
    fn take_back(&mut self) {
        self.originals.clear();
        self.asked = None;
        for pass in &mut self.passes {
            (pass.before, pass.after) = (self.before, self.before);
            if !std::mem::take(&mut pass.folds).is_empty() {
                pass.outcome = PassOutcome::Failed("taken back: with it the view could not be sent".into());
            }
        }
    }

    /// Makes a fold, if it touches nothing protected, sealed or sent, parts nothing that is bound, saves something, and everything it hides
    /// can be opened again.
    fn make(&mut self, fold: &Fold) -> Option<Vec<FoldTrace>> {
        if !self.may_change(&fold.change) {
            return None;
        }
        self.make_unasked(fold)
    }

    /// Makes a fold that has to be made, if everything it hides can be opened again.
    pub(super) fn make_unasked(&mut self, fold: &Fold) -> Option<Vec<FoldTrace>> {
        let originals = self.originals_of(fold)?;
        let sizes: Vec<usize> = fold.change.runs().map(|run| self.tokens_of(run)).collect();
        let effect = self.view.apply(fold).ok()?;
        let handles: Vec<Handle> = originals.iter().map(|(handle, _)| *handle).collect();
        self.originals.extend(originals);
        let saved = effect.before - effect.after;
        let trace = |items, saved, handles| FoldTrace {
            kind: fold.kind,
            items,
            why: fold.why.clone(),
            saved,
            handles,
        };
        if fold.kind != FoldKind::Told {
            return Some(vec![trace(fold.change.items(self.view.history()), saved, handles)]);
        }
        let shares = shares(&sizes, saved);
        let runs = fold.change.runs().zip(handles).zip(shares);
        let history = self.view.history();
        let items = |run: &[MessageId]| run.iter().flat_map(|id| history.message(*id).item_ids()).collect();
        Some(runs.map(|((run, handle), saved)| trace(items(run), saved, vec![handle])).collect())
    }

    fn tokens_of(&self, messages: &[MessageId]) -> usize {
        messages.iter().map(|message| self.view.message_tokens(*message)).sum()
    }

    /// Whether everything a change touches is there, was never sent, and need not stay as it is.
    fn may_change(&self, change: &Change) -> bool {
        let history = self.view.history();
        match change {
            Change::Texts { item, .. } | Change::Refers { item, .. } => self.may_rewrite(*item),
            Change::Several(all) => all.iter().all(|(item, _)| self.may_rewrite(*item)),
            // The thinking of a message leaves whole.
            Change::Items(items) => {
                let is_thought = |item: &ItemId| {
                    let item = history.get_item(*item);
                    item.is_some_and(|item| matches!(item.kind, ItemKind::Reasoning(_)))
                };
                let all = |item: ItemId| history.message(history.item(item).message).item_ids();
                let mut rest = items.iter().copied().filter(is_thought).flat_map(all).filter(is_thought);
                items.iter().all(|item| self.is_free(*item) && !self.cx.bonds.is_sealed(*item))
                    && rest.all(|item| items.contains(&item) || !self.view.has(item))
            }
            Change::Messages { messages, note } => {
                let may_note = note.as_ref().is_none_or(|note| self.is_free(note.item));
                may_note && self.may_leave(messages.clone())
            }
            Change::Summary { inserted, .. } => {
                inserted.before >= self.cx.first_unsent && self.may_leave(change.messages().collect())
            }
        }
    }

    /// Whether an item is there, was never sent and need not stay.
    fn is_free(&self, item: ItemId) -> bool {
        let known = self.view.history().get_item(item);
        known.is_some_and(|known| known.message >= self.cx.first_unsent) && !self.cx.is_protected(item)
    }

    fn may_rewrite(&self, item: ItemId) -> bool {
        self.is_free(item) && !self.cx.bonds.is_sealed(item) && !self.is_own_call(item)
    }

    /// Whether whole messages may leave. What may have to stay is little beside a long history, so that is gone through, not
    /// the messages.
    fn may_leave(&self, mut messages: Vec<MessageId>) -> bool {
        let (history, cx) = (self.view.history(), &self.cx);
        messages.sort_unstable();
        let leaves = |id: MessageId| messages.binary_search(&id).is_ok();
        let is_gone = |id: MessageId| self.view.changes().is_dropped(id);
        let mut held = cx.bonds.held().filter(|id| cx.bonds.holds(*id, cx.protection));
        let mut guarded = cx.facts.guarded().chain(cx.words.items()).filter(|item| cx.is_protected(*item));
        let is_free = |id: &MessageId| *id < cx.newest && history.first_item(*id) < cx.stays_from;
        messages.first().is_none_or(|first| *first >= cx.first_unsent)
            && messages.last().is_none_or(is_free)
            && !held.any(|id| leaves(id) && !is_gone(id))
            && !guarded.any(|item| leaves(history.item(item).message))
            && cx.bonds.may_leave(&messages, is_gone)
    }

    /// Whether an item is a call that stays as the model wrote it: a model imitates what it sees itself doing, and a marker
    /// must not end up in somebody's file. Only what alone would fill the view may shrink.
    fn is_own_call(&self, item: ItemId) -> bool {
        let is_call = self.view.history().get_item(item).is_some_and(|item| item.call().is_some());
        is_call && self.view.tally().item(item) <= self.cx.largest_call
    }

    /// What a change hides, with the handles that open it. `None` if two originals would share a handle (nine digits
    /// are not many): better not folded than lost.
    fn originals_of(&self, fold: &Fold) -> Option<Vec<(Handle, Original)>> {
        let history = self.view.history();
        let texts = |item: ItemId, texts: &[(usize, String)]| -> Vec<Original> {
            texts.iter().map(|(nth, _)| Original::Text { item, nth: *nth }).collect()
        };
        let run = |messages: &Vec<MessageId>| match fold.kind {
            // What stands between the edits of a file is about something else.
            FoldKind::Edits => Original::Messages(messages.clone()),
            _ => Original::Stretch(stretch(messages)),
        };
        let originals = match &fold.change {
            Change::Texts { item, texts: changed } => texts(*item, changed),
            Change::Refers { item, .. } => vec![Original::Text { item: *item, nth: 0 }],
            Change::Several(all) => all.iter().flat_map(|(item, changed)| texts(*item, changed)).collect(),
            Change::Items(items) => items.iter().copied().map(Original::Item).collect(),
            Change::Summary { runs, .. } => runs.iter().map(run).collect(),
            Change::Messages { messages, note } => {
                let noted = note.as_ref().map(|note| Original::Text { item: note.item, nth: note.nth });
                [Some(run(messages)), noted].into_iter().flatten().collect()
            }
        };
        let mut kept: Vec<(Handle, Original)> = Vec::new();
        for original in originals {
            let handle = match &original {
                Original::Stretch(messages) if messages.end <= history.next_message() => {
                    self.cx.handle_of(history, messages.clone())
                }
                _ => original.handle(history, self.cx.handles)?,
            };
            let in_view = self.originals.get(&handle);
            let earlier = || self.cx.hidden.and_then(|hidden| hidden.get(&handle));
            let here = || kept.iter().find(|(known, _)| *known == handle).map(|(_, original)| original);
            let held = in_view.or_else(earlier).or_else(here);
            if held.is_some_and(|held| !held.is_same(&original, history)) {
                return None;
            }
            kept.push((handle, original));
        }
        Some(kept)
    }
}

/// Why a provider would refuse what was proposed.
fn refusal(faults: &[String]) -> String {
    format!("the provider would refuse its view: {}", faults.join("; "))
}

/// What each run saved of what all of them did: the block that tells them costs each its share. None saved nothing, as far as
/// there is enough for all.
fn shares(sizes: &[usize], saved: usize) -> Vec<usize> {
    let all: usize = sizes.iter().sum::<usize>().max(1);
    let least = usize::from(saved >= sizes.len());
    let mut left = saved;
    let mut shares: Vec<usize> = sizes
        .iter()
        .map(|size| {
            let share = least + size * (saved - least * sizes.len()) / all;
            left -= share;
            share
        })
        .collect();
    if let Some(last) = shares.last_mut() {
        *last += left;
    }
    shares
}

fn cannot_fit(run: Run, limit: usize) -> CannotFit {
    let left = run.view.history().message_ids();
    let mut protected: Vec<(MessageId, usize)> =
        left.map(|id| (id, run.view.message_tokens(id))).filter(|(_, tokens)| *tokens > 0).collect();
    protected.sort_by_key(|(id, tokens)| (std::cmp::Reverse(*tokens), *id));
    CannotFit { needed: run.view.tokens(), limit, protected, trace: run.trace }
}
