//! Texts of a view that say their lines stand elsewhere in it. When what they name is folded, they stop saying so.

use std::collections::{BTreeMap, BTreeSet};

use super::{State, Undo, View};
use crate::history::ItemId;
use crate::view::fold::Change;

/// Texts that name other items of the view.
#[derive(Clone, Debug, Default)]
pub(super) struct References {
    /// Per item that is named, who names it.
    by_target: BTreeMap<ItemId, Vec<ItemId>>,
    /// Per item that names others: its text, and what it becomes when one of them is folded.
    pub(super) texts: BTreeMap<ItemId, (String, String)>,
}

impl References {
    pub(super) fn are_any(&self) -> bool {
        !self.by_target.is_empty()
    }

    /// Every text that names others: its item, what it names, itself, and what it becomes without the claim.
    pub(super) fn all(&self) -> Vec<(ItemId, Vec<ItemId>, &str, &str)> {
        let mut named: BTreeMap<ItemId, Vec<ItemId>> = BTreeMap::new();
        for (target, naming) in &self.by_target {
            naming.iter().for_each(|naming| named.entry(*naming).or_default().push(*target));
        }
        let texts = self.texts.iter();
        texts
            .map(|(item, (text, otherwise))| {
                (*item, named.remove(item).unwrap_or_default(), text.as_str(), otherwise.as_str())
            })
            .collect()
    }

    /// Notes that the text of an item names others.
    pub(super) fn add(&mut self, item: ItemId, to: &[ItemId], text: String, otherwise: String) {
        self.texts.insert(item, (text, otherwise));
        to.iter().for_each(|target| self.by_target.entry(*target).or_default().push(item));
    }

    /// Forgets the items from `item` on.
    pub(super) fn truncate(&mut self, item: ItemId) {
        self.texts.split_off(&item);
        self.by_target.split_off(&item);
    }
}

impl State {
    /// Whether a text before `item` names something from there on.
    pub(crate) fn refers_past(&self, item: ItemId) -> bool {
        let mut naming = self.references.by_target.range(item..).flat_map(|(_, naming)| naming);
        naming.any(|naming| *naming < item && self.references.texts.contains_key(naming))
    }
}

impl View<'_> {
    /// The items that say their lines stand in something that a change folds.
    pub(super) fn naming(&self, change: &Change) -> BTreeSet<ItemId> {
        if self.state.references.by_target.is_empty() {
            return BTreeSet::new();
        }
        let folded: BTreeSet<ItemId> = change.items(self.history).into_iter().collect();
        let References { by_target, texts } = &self.state.references;
        let naming = folded.iter().filter_map(|item| by_target.get(item)).flatten().copied();
        let still = |item: &ItemId| texts.contains_key(item) && self.has(*item);
        naming.filter(|item| !folded.contains(item) && still(item)).collect()
    }

    /// Takes the claim out of texts that name what is folded. Notes behind them stay.
    pub(super) fn stop_naming(&mut self, items: &BTreeSet<ItemId>) -> Undo {
        let without = |item: &ItemId| {
            let (text, otherwise) = self.state.references.texts.get(item)?;
            let notes = self.text(*item, 0).strip_prefix(text.trim_end_matches('\n'))?;
            Some((*item, format!("{}{notes}", otherwise.trim_end_matches('\n'))))
        };
        let changed: Vec<(ItemId, String)> = items.iter().filter_map(without).collect();
        let put = |(item, text)| self.put_texts(item, &[(0, text)]).ok();
        Undo::Several(changed.into_iter().filter_map(put).collect())
    }

    pub(super) fn refer(&mut self, change: &Change) {
        if let Change::Refers { item, text, to, otherwise } = change {
            self.state.references.add(*item, to, text.clone(), otherwise.clone());
        }
    }
}
