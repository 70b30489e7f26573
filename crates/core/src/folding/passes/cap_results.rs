//! Cuts a result that is too large for any window down to its start and end.
//!
//! # What it does
//! A tool result over `max_tokens` keeps `keep_chars` characters at either end, cut at line ends where one is near, with
//! a note in between that says how much is missing and how to get it back.
//!
//! # When it fires
//! On every result over the limit, whatever the budget. Done before the result is first sent it costs no cache.
//!
//! # What is lost and how to recall it
//! The middle of the result. The handle in the note opens the whole of it.
//!
//! # Example
//! ```before
//! user: What does the log say?
//! assistant
//!   call c1 bash {"command":"cat build.log"}
//! result c1: configure: ok
//!   | compile a.c: ok
//!   | compile b.c: ok
//!   | compile c.c: ok
//!   | compile d.c: ok
//!   | link: undefined reference to main
//! ```
//! ```options
//! max_tokens = 20
//! keep_chars = 34
//! ```
//! ```after
//! user: What does the log say?
//! assistant
//!   call c1 bash {"command":"cat build.log"}
//! result c1: configure: ok
//!   | compile a.c: ok
//!   | ... [~18 tokens trimmed #099721523] ...
//!   | link: undefined reference to main
//! ```
//!
//! # Options
//! - `max_tokens`: results up to this size are left alone (50,000)
//! - `keep_chars`: characters kept at either end (2,000)

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::count::excerpt::bookend_of;
use crate::history::ItemKind;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct CapResults {
    /// Results up to this size are left alone.
    pub max_tokens: usize,
    /// Characters kept at either end.
    pub keep_chars: usize,
}

impl Default for CapResults {
    fn default() -> CapResults {
        CapResults { max_tokens: 50_000, keep_chars: 2_000 }
    }
}

impl Pass for CapResults {
    fn name(&self) -> &str {
        "cap_results"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        let mut folds = Vec::new();
        for (id, item) in view.items_from(cx.first_unsent) {
            let is_result = matches!(item.kind, ItemKind::Result(_));
            if !is_result || view.item_tokens(id) <= self.max_tokens || cx.is_protected(id) {
                continue;
            }
            let cut = |nth: usize| {
                let original = &item.texts[nth];
                let (text, opens) = (view.text(id, nth), cx.opens(&original.value));
                let counter = view.tally().counter();
                Some((nth, bookend_of(original.spelling, text, self.keep_chars, counter, &opens)?))
            };
            let texts: Vec<(usize, String)> = (0..item.texts.len()).filter_map(cut).collect();
            let why = format!("{} tokens, over the cap of {}", view.item_tokens(id), self.max_tokens);
            folds.push(Fold { kind: FoldKind::Cap, change: Change::Texts { item: id, texts }, why });
        }
        if folds.is_empty() {
            return Ok(Outcome::Unchanged(format!("no result is over {} tokens", self.max_tokens)));
        }
        Ok(Outcome::Folds(folds))
    }
}
