//! What became of what is not whole in a view: which messages left, which texts were shortened, how much each mattered, and how
//! many tokens it took and takes.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::history::{ItemId, Slot};
use crate::understand::facts::Facts;
use crate::view::View;
use crate::view::fold::{FoldKind, Handle};
use crate::view::trace::FoldTrace;

/// What is not whole in a view.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Account {
    /// Messages that are not in the view, oldest first.
    pub dropped: Vec<Dropped>,
    /// What stands shortened in it, oldest first.
    pub shortened: Vec<Cut>,
}

/// A message that is not in the view.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Dropped {
    /// Its place in the list of messages, from 0.
    pub message: usize,
    /// Who says it.
    pub role: &'static str,
    /// How much it matters: that of what matters most in it.
    pub priority: u8,
    /// Tokens it took.
    pub tokens: usize,
    /// The step it belongs to.
    pub step: Option<u32>,
    /// How it left.
    pub fold: Option<FoldKind>,
    /// What opens it.
    pub handles: Vec<Handle>,
}

/// A text, call or result that is shorter in the view than it was.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Cut {
    /// The place of its message in the list of messages, from 0.
    pub message: usize,
    /// The tool that it is a result of.
    pub tool: Option<String>,
    /// How much it matters.
    pub priority: u8,
    /// Tokens it took.
    pub original_tokens: usize,
    /// Tokens it takes.
    pub tokens: usize,
    /// What was done.
    pub fold: Option<FoldKind>,
    /// What opens it.
    pub handles: Vec<Handle>,
}

/// What folds did, by item. Grows with a session; a new epoch begins anew.
#[derive(Clone, Debug, Default)]
pub struct Done(BTreeMap<ItemId, (FoldKind, Vec<Handle>)>);

impl Done {
    /// Notes folds that were made. Of two of one item the later one stands.
    pub fn note<'t>(&mut self, folds: impl Iterator<Item = &'t FoldTrace>) {
        for fold in folds {
            for item in &fold.items {
                self.0.insert(*item, (fold.kind, fold.handles.clone()));
            }
        }
    }

    fn of(&self, item: ItemId) -> (Option<FoldKind>, Vec<Handle>) {
        self.0.get(&item).cloned().map_or((None, Vec::new()), |(kind, handles)| (Some(kind), handles))
    }
}

impl Account {
    /// Everything that is not whole in a view. `facts` are those of its history. O(items).
    pub fn of(view: &View, facts: &Facts, done: &Done) -> Account {
        let (history, tally) = (view.history(), view.tally());
        let priorities = facts.priorities(history);
        let mut account = Account::default();
        let listed = history.message_ids().zip(history.messages()).filter(|(_, it)| it.slot == Slot::List);
        for (place, (id, message)) in listed.enumerate() {
            let items = || message.item_ids();
            if view.message(id).is_none() {
                let (fold, handles) = items().next().map_or((None, Vec::new()), |item| done.of(item));
                account.dropped.push(Dropped {
                    message: place,
                    role: message.role.name(),
                    priority: items().map(|item| priorities[item.index()].value()).max().unwrap_or_default(),
                    tokens: tally.message(id),
                    step: items().find_map(|item| history.item(item).step),
                    fold,
                    handles,
                });
                continue;
            }
            for item in items().filter(|item| view.is_changed(*item) || !view.has(*item)) {
                let (original_tokens, tokens) = (tally.item(item), tokens(view, item));
                // A note about what left stands at the end of a text and takes nothing from it.
                if tokens >= original_tokens {
                    continue;
                }
                let (fold, handles) = done.of(item);
                let is_result = history.item(item).result().is_some();
                account.shortened.push(Cut {
                    message: place,
                    tool: history.tool(item).filter(|_| is_result).map(String::from),
                    priority: priorities[item.index()].value(),
                    original_tokens,
                    tokens,
                    fold,
                    handles,
                });
            }
        }
        account
    }
}

fn tokens(view: &View, item: ItemId) -> usize {
    if view.has(item) { view.item_tokens(item) } else { 0 }
}
