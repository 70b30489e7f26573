//! Clears old tool outputs, if that saves enough.
//!
//! # What it does
//! Goes back from the newest message, passes over the newest `keep_turns` turns and adds up the outputs of tools. Once the
//! sum is over `protect_tokens`, that output and every older one is replaced by a marker with tool, size and handle. Calls
//! stay, so it remains visible what was done. What was cleared before is not counted again; a summary ends the walk, since
//! what is older stands in it.
//!
//! # When it fires
//! When the view is over its target, and clearing saves at least `min_tokens`. Otherwise nothing changes: less is not
//! worth a new prefix for the cache.
//!
//! # What is lost and how to recall it
//! The outputs; the handle in the marker opens each.
//!
//! # Example
//! ```before
//! user: What does the config say?
//! assistant
//!   call c1 bash {"command":"cat config.toml"}
//! result c1: name = "one" # the name of the thing that this is about
//!   | size = 1000 # how large it may become before it is cut
//! user: And now?
//! assistant
//!   call c2 bash {"command":"cat config.toml"}
//! result c2: name = "two" # the name of the thing that this is about
//! ```
//! ```options
//! budget = 90
//! protect_tokens = 20
//! min_tokens = 10
//! keep_turns = 1
//! ```
//! ```after
//! user: What does the config say?
//! assistant
//!   call c1 bash {"command":"cat config.toml"}
//! result c1: [bash output cleared, 31 tokens #387292809]
//! user: And now?
//! assistant
//!   call c2 bash {"command":"cat config.toml"}
//! result c2: name = "two" # the name of the thing that this is about
//! ```
//!
//! The same, where that is not worth it:
//! ```before
//! user: What does the config say?
//! assistant
//!   call c1 bash {"command":"cat config.toml"}
//! result c1: name = "one" # the name of the thing that this is about
//!   | size = 1000 # how large it may become before it is cut
//! user: And now?
//! ```
//! ```options
//! target = 40
//! protect_tokens = 20
//! keep_turns = 1
//! ```
//! ```unchanged
//! clearing what is old enough would save 18 tokens, less than 20000
//! ```
//!
//! # Options
//! - `protect_tokens`: so many tokens of the newest outputs stay (40,000)
//! - `min_tokens`: what must be saved at least (20,000)
//! - `keep_turns`: the newest turns that are left alone (2)

use std::collections::BTreeSet;

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError, ended};
use crate::history::{ItemId, ItemKind, is_summary};
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};
use crate::view::shorter::{Shorter, shorter};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PruneOutputs {
    /// Tokens of the newest outputs that stay.
    pub protect_tokens: usize,
    /// Tokens that must be saved at least.
    pub min_tokens: usize,
    /// The newest turns that are left alone.
    pub keep_turns: u32,
}

/// What clearing old outputs would bring.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
#[non_exhaustive]
pub struct Pruning {
    /// Whether it saves as much as the pass demands.
    pub is_worth_it: bool,
    /// Outputs that would be cleared.
    pub outputs: usize,
    /// Tokens that would be saved.
    pub tokens: usize,
    /// The tools whose outputs they are.
    pub tools: BTreeSet<String>,
}

impl Default for PruneOutputs {
    fn default() -> PruneOutputs {
        PruneOutputs { protect_tokens: 40_000, min_tokens: 20_000, keep_turns: 2 }
    }
}

impl Pass for PruneOutputs {
    fn name(&self) -> &str {
        "prune_outputs"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view is within its target".into()));
        }
        let cleared = self.clear(view, cx);
        let saved: usize = cleared.iter().map(|(_, found)| found.saved).sum();
        if saved < self.min_tokens || cleared.is_empty() {
            return Ok(Outcome::Unchanged(format!(
                "clearing what is old enough would save {saved} tokens, less than {}",
                self.min_tokens
            )));
        }
        let why = self.report(view, &cleared, saved);
        let fold = |(item, found): (ItemId, Shorter)| Fold {
            kind: FoldKind::Clear,
            change: Change::Texts { item, texts: found.texts },
            why: why.clone(),
        };
        Ok(Outcome::Folds(cleared.into_iter().map(fold).collect()))
    }
}

impl PruneOutputs {
    /// What it would do with a view, whatever its target.
    pub(crate) fn pending(&self, view: &View, cx: &Cx) -> Pruning {
        let cleared = self.clear(view, cx);
        let tokens = cleared.iter().map(|(_, found)| found.saved).sum();
        Pruning {
            is_worth_it: tokens >= self.min_tokens && !cleared.is_empty(),
            outputs: cleared.len(),
            tokens,
            tools: tools(view, &cleared),
        }
    }

    /// The outputs to clear, newest first.
    fn clear(&self, view: &View, cx: &Cx) -> Vec<(ItemId, Shorter)> {
        let history = view.history();
        let old = history.turns().saturating_sub(self.keep_turns);
        let (mut cleared, mut outputs) = (Vec::new(), 0);
        for (id, item) in history.item_ids().zip(history.items()).rev() {
            if !view.has(id) || item.turn > old {
                continue;
            }
            match item.kind {
                ItemKind::Summary => break,
                ItemKind::Text if is_summary(item) => break,
                ItemKind::Result(_) if !is_cleared(view, cx, id) => outputs += view.item_tokens(id),
                _ => continue,
            }
            if outputs > self.protect_tokens && item.message >= cx.first_unsent && !cx.is_protected(id) {
                cleared.extend(
                    shorter(view, id, |text| Some(marker(view, cx, id, &text.value))).map(|it| (id, it)),
                );
            }
        }
        cleared
    }

    fn report(&self, view: &View, cleared: &[(ItemId, Shorter)], saved: usize) -> String {
        let tools: Vec<String> = tools(view, cleared).into_iter().collect();
        let [count, newest] = [cleared.len(), self.protect_tokens];
        format!(
            "older than {newest} tokens of output: {count} pruned ({}), {saved} tokens saved",
            tools.join(", ")
        )
    }
}

/// The tools whose outputs these are.
fn tools(view: &View, cleared: &[(ItemId, Shorter)]) -> BTreeSet<String> {
    let tools = cleared.iter().filter_map(|(item, _)| view.history().tool(*item));
    tools.map(String::from).collect()
}

/// What stands in place of an output.
fn marker(view: &View, cx: &Cx, result: ItemId, text: &str) -> String {
    let tool = view.history().tool(result).unwrap_or("tool");
    let tokens = view.tally().counter().count(text);
    format!("[{tool} output cleared, {tokens} tokens{}{}]", ended(view, cx, result), cx.opens(text))
}

/// Whether nothing but markers is left of an output.
fn is_cleared(view: &View, cx: &Cx, result: ItemId) -> bool {
    view.is_changed(result)
        && shorter(view, result, |text| Some(marker(view, cx, result, &text.value))).is_none()
}
