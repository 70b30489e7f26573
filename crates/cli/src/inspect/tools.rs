//! By tool: how often it was called, and what its answers take.

use std::collections::BTreeMap;

use enfold::file::document::Document;
use enfold::history::ItemKind;
use enfold::understand::files::FileTracker;
use serde::Serialize;

use crate::counting::Counted;

#[derive(Debug, Default, Serialize)]
pub struct ToolShare {
    pub tool: String,
    pub calls: usize,
    pub errors: usize,
    pub call_tokens: usize,
    pub result_tokens: usize,
}

impl ToolShare {
    /// Calls and results together.
    pub fn tokens(&self) -> usize {
        self.call_tokens + self.result_tokens
    }
}

/// Every tool, the one that takes most first.
pub fn tools(document: &Document, counted: &Counted, tracker: &FileTracker) -> Vec<ToolShare> {
    let history = &document.history;
    let mut tools: BTreeMap<&str, ToolShare> = BTreeMap::new();
    for (id, item) in history.item_ids().zip(history.items()) {
        // Pictures inside a result belong to the tool that returned them.
        let owner = item.within.unwrap_or(id);
        let Some(tool) = history.tool(owner) else { continue };
        let share = tools.entry(tool).or_default();
        let tokens = counted.tally.item(id);
        match &item.kind {
            ItemKind::Call(_) => {
                share.calls += 1;
                share.call_tokens += tokens;
            }
            ItemKind::Result(_) => {
                let failed = tracker.call(id).is_some_and(|record| record.ending.went_wrong());
                share.errors += usize::from(failed);
                share.result_tokens += tokens;
            }
            _ => share.result_tokens += tokens,
        }
    }
    let named = tools.into_iter().map(|(tool, share)| ToolShare { tool: tool.to_string(), ..share });
    let mut shares: Vec<ToolShare> = named.collect();
    shares.sort_by_key(|share| std::cmp::Reverse(share.tokens()));
    shares
}
