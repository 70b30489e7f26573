//! Ids of calls that the target accepts.

use std::collections::{HashMap, HashSet};

use super::losses::Losses;
use crate::history::History;
use crate::history::ItemId;

/// An id for every call that is unique, not too long, of letters the provider allows, and always the same for the same
/// history. Ids that already are keep their spelling.
pub(super) struct Ids {
    of: HashMap<ItemId, String>,
}

impl Ids {
    /// Ids of at most `longest` bytes of `[A-Za-z0-9_-]`, which every provider accepts.
    pub(super) fn new(history: &History, longest: usize, losses: &mut Losses) -> Ids {
        let calls = || {
            let items = history.item_ids().zip(history.items());
            items.filter_map(|(id, item)| item.call().map(|call| (id, item, &*call.id)))
        };
        // Good ids are reserved first, so that a made-up one never takes the place of a real one further on.
        let mut taken: HashSet<String> = HashSet::new();
        let mut of = HashMap::new();
        for (id, _, given) in calls() {
            if is_fine(given, longest) && taken.insert(given.to_string()) {
                of.insert(id, given.to_string());
            }
        }
        let mut made = 0;
        for (id, item, given) in calls() {
            if of.contains_key(&id) {
                continue;
            }
            let id_made = make(given, longest, &mut made, &mut taken);
            if !given.is_empty() {
                losses.changed(item, &format!("the id `{given}` of a call, into `{id_made}`"));
            }
            of.insert(id, id_made);
        }
        Ids { of }
    }

    /// The id of a call.
    pub(super) fn of(&self, call: ItemId) -> &str {
        self.of.get(&call).map_or("", |id| id)
    }
}

fn is_fine(id: &str, longest: usize) -> bool {
    !id.is_empty() && id.len() <= longest && id.chars().all(is_allowed)
}

fn is_allowed(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-')
}

/// What is usable of the given id, and a number where that alone is not unique.
fn make(given: &str, longest: usize, made: &mut usize, taken: &mut HashSet<String>) -> String {
    let clean: String = given.chars().map(|letter| if is_allowed(letter) { letter } else { '_' }).collect();
    if is_fine(&clean, longest) && taken.insert(clean.clone()) {
        return clean;
    }
    let stem = if clean.is_empty() { "call" } else { &clean[..clean.len().min(longest.saturating_sub(12))] };
    loop {
        *made += 1;
        let id = format!("{stem}_{made}");
        if taken.insert(id.clone()) {
            return id;
        }
    }
}
