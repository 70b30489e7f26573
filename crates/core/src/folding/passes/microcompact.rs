//! Shrinks old tool results the more the further back they are, while the prompt cache is cold.
//!
//! # What it does
//! Distance is counted in tokens, from the end of the view back to the result. The newest `max(hot_tokens, hot_share × window)`
//! tokens are the hot zone: results in it stay whole. Behind it a result keeps its start and end, the shorter the further
//! back: from `bookend_max` characters each at the border down to `bookend_min` after `span_share × window` more tokens.
//! Still further back one line remains, with the tool and the first words; of results whose findings were said elsewhere
//! (subagents), a bare marker.
//!
//! What cannot be had again (commands, web pages) has a hot zone `retention` times as deep; where originals are written to
//! files, `retention_with_files` times. Each text of a result is treated by itself; images and everything else of it stay.
//!
//! ```text
//!  oldest                                                              newest
//!  one line      │  bookends: 256 … → … 2,000 characters  │  hot zone: whole
//!                └──────────── 40 % of the window ────────┘ 16,000 tokens or 5 %
//! ```
//!
//! # When it fires
//! When the cache is cold and the view takes `floor_share` of the window or more, whether it fits or not. While the cache is
//! warm it waits until the view is over its limit: then what was sent cannot stay anyway.
//!
//! # What is lost and how to recall it
//! The middle of results, then all but their first words. Calls and everything the model said stay. The handle opens the
//! whole text.
//!
//! # Example
//! ```before
//! user: Find out why it fails
//! assistant
//!   call c1 SubAgent {"task":"look into it"}
//! result c1: I have looked at all of the files that have to do with it and there is nothing wrong with them
//! assistant
//!   call c2 Grep {"pattern":"fail"}
//! result c2: src/a.rs:10: fail here
//!   | src/b.rs:20: fail there and also in a number of other places
//!   | src/c.rs:30: fail nowhere, or so it says in the comment above it
//!   | src/d.rs:40: fail once more
//! assistant
//!   call c3 Read {"file_path":"src/a.rs"}
//! result c3: line 1 of this file says one thing
//!   | line 2 of this file says another thing
//!   | line 3 of this file says a third thing
//!   | line 4 of this file says the fourth and last thing
//! assistant
//!   call c4 Read {"file_path":"src/b.rs"}
//! result c4: short
//! ```
//! ```options
//! window = 100
//! hot_tokens = 10
//! bookend_max = 60
//! bookend_min = 20
//! preview = 30
//! ```
//! ```after
//! user: Find out why it fails
//! assistant
//!   call c1 SubAgent {"task":"look into it"}
//! result c1: [SubAgent result cleared #034213828]
//! assistant
//!   call c2 Grep {"pattern":"fail"}
//! result c2: [Grep result trimmed, 54 tokens: "src/a.rs:10: fail here src/b.r" #714894023]
//! assistant
//!   call c3 Read {"file_path":"src/a.rs"}
//! result c3: line 1 of this file says one thing
//!   | line 2 of thi
//!   | ... [~18 tokens trimmed #526036964] ...
//!   | ne 4 of this file says the fourth and last thing
//! assistant
//!   call c4 Read {"file_path":"src/b.rs"}
//! result c4: short
//! ```
//!
//! While the provider still holds the last request, changing it would cost more than it saves:
//! ```before
//! user: Find out why it fails
//! assistant
//!   call c1 Grep {"pattern":"fail"}
//! result c1: src/a.rs:10: fail here
//! ```
//! ```options
//! window = 40
//! cache = "warm"
//! hot_tokens = 0
//! ```
//! ```unchanged
//! the cache is warm
//! ```
//!
//! # Options
//! - `floor_share`: share of the window below which nothing is done (0.25)
//! - `hot_tokens`, `hot_share`: the hot zone is the larger of so many tokens (16,000) and that share of the window (0.05)
//! - `bookend_max`, `bookend_min`: characters kept at either end, nearest and furthest (2,000 and 256)
//! - `span_share`: share of the window over which they shrink (0.40)
//! - `preview`: characters of the first words (80)
//! - `retention`, `retention_with_files`: how many times as deep the hot zone is for what cannot be had again (1.5 and 1.0)

use serde::{Deserialize, Serialize};

use super::{Cache, Cx, Outcome, Pass, PassError, ended};
use crate::count::excerpt::bookend_of;
use crate::history::{ItemId, ItemKind, Text};
use crate::text::preview;
use crate::understand::categories::Category;
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};
use crate::view::shorter::shorter;

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Microcompact {
    /// Share of the window below which nothing is done.
    pub floor_share: f64,
    /// The least size of the hot zone in tokens.
    pub hot_tokens: usize,
    /// The size of the hot zone as a share of the window.
    pub hot_share: f64,
    /// Characters kept at either end, next to the hot zone.
    pub bookend_max: usize,
    /// Characters kept at either end, furthest from it.
    pub bookend_min: usize,
    /// Share of the window over which bookends shrink.
    pub span_share: f64,
    /// Characters of the first words that a line keeps.
    pub preview: usize,
    /// How many times as deep the hot zone is for what cannot be had again.
    pub retention: f64,
    /// The same, where originals are written to files.
    pub retention_with_files: f64,
}

impl Default for Microcompact {
    fn default() -> Microcompact {
        Microcompact {
            floor_share: 0.25,
            hot_tokens: 16_000,
            hot_share: 0.05,
            bookend_max: 2_000,
            bookend_min: 256,
            span_share: 0.40,
            preview: 80,
            retention: 1.5,
            retention_with_files: 1.0,
        }
    }
}

/// What a result is to become.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Action {
    Keep,
    /// So many characters at either end.
    Bookend(usize),
    Placeholder,
    Clear,
}

impl Pass for Microcompact {
    fn name(&self) -> &str {
        "microcompact"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if cx.cache == Cache::Warm && view.tokens() <= cx.limit {
            return Ok(Outcome::Unchanged("the cache is warm".into()));
        }
        if cx.window == 0 {
            return Ok(Outcome::Unchanged("the size of the window is not known".into()));
        }
        if (view.tokens() as f64) < self.floor_share * cx.window as f64 {
            let share = self.floor_share * 100.0;
            return Ok(Outcome::Unchanged(format!("less than {share} % of the window is used")));
        }
        let mut folds = Vec::new();
        let mut distance = 0;
        for (id, message) in view.history().message_ids().zip(view.history().messages()).rev() {
            if id >= cx.first_unsent {
                let items = message.item_ids().rev();
                folds.extend(items.filter_map(|item| self.fold(view, cx, item, distance)));
            }
            distance += view.message_tokens(id);
        }
        if folds.is_empty() {
            return Ok(Outcome::Unchanged("no result behind the hot zone can be shortened".into()));
        }
        Ok(Outcome::Folds(folds))
    }
}

impl Microcompact {
    fn fold(&self, view: &View, cx: &Cx, item: ItemId, distance: usize) -> Option<Fold> {
        let history = view.history();
        let is_result = matches!(history.item(item).kind, ItemKind::Result(_));
        if !is_result || !view.has(item) || cx.is_protected(item) {
            return None;
        }
        let category = cx.facts.tracker().call(item).and_then(|record| record.category);
        let tool = history.tool(item).unwrap_or("tool");
        let counter = view.tally().counter();
        let (kind, found) = match self.action(cx, category, distance) {
            Action::Keep => return None,
            Action::Bookend(chars) => {
                let write = |text: &Text| {
                    bookend_of(text.spelling, &text.value, chars, counter, &cx.opens(&text.value))
                };
                (FoldKind::Bookend, shorter(view, item, write)?)
            }
            Action::Placeholder => {
                let write = |text: &Text| {
                    let text = &*text.value;
                    let tokens = counter.count(text);
                    let words = preview(text, self.preview);
                    let ended = ended(view, cx, item);
                    Some(format!(
                        "[{tool} result trimmed, {tokens} tokens{ended}: \"{words}\"{}]",
                        cx.opens(text)
                    ))
                };
                (FoldKind::Placeholder, shorter(view, item, write)?)
            }
            Action::Clear => {
                let write = |text: &Text| {
                    Some(format!("[{tool} result cleared{}{}]", ended(view, cx, item), cx.opens(&text.value)))
                };
                (FoldKind::Clear, shorter(view, item, write)?)
            }
        };
        let why = format!("{distance} tokens back");
        Some(Fold { kind, change: Change::Texts { item, texts: found.texts }, why })
    }

    /// What becomes of a result that far back.
    fn action(&self, cx: &Cx, category: Option<Category>, distance: usize) -> Action {
        let window = cx.window as f64;
        let retention = match (category, cx.persists()) {
            (Some(Category::NonReproducible), false) => self.retention,
            (Some(Category::NonReproducible), true) => self.retention_with_files,
            _ => 1.0,
        };
        let beyond = distance as f64 - (self.hot_tokens as f64).max(self.hot_share * window) * retention;
        let span = self.span_share * window;
        match category {
            _ if beyond < 0.0 => Action::Keep,
            _ if beyond < span => Action::Bookend(self.chars(beyond / span)),
            Some(Category::Ephemeral) => Action::Clear,
            _ => Action::Placeholder,
        }
    }

    /// Characters kept at either end of a result, the hot zone being 0 and the end of the span 1.
    fn chars(&self, way: f64) -> usize {
        let [max, min] = [self.bookend_max, self.bookend_min].map(|chars| chars as f64);
        ((max * (1.0 - way) + min * way).round() as usize).max(self.bookend_min)
    }
}
