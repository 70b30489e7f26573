//! What clearing old outputs would bring, without doing it.

use super::Policy;
use crate::folding::passes::{Cx, PruneOutputs, Pruning};
use crate::view::View;

impl Policy {
    /// What clearing old outputs of tools would bring, by the policy's own `prune_outputs` or the usual one. O(history).
    pub fn pruning(&self, view: &View, cx: &Cx) -> Pruning {
        let usual = PruneOutputs::default();
        self.find::<PruneOutputs>().unwrap_or(&usual).pending(view, cx)
    }
}
