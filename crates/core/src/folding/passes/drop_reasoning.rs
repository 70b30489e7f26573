//! Leaves out the model's thinking of finished work.
//!
//! # What it does
//! Removes reasoning blocks from every response but the last one, each block whole. A response that is nothing but
//! reasoning goes with its message. What a provider wants back stays: Claude's thinking in a turn that goes on,
//! DeepSeek's before a call, items that OpenAI has stored.
//!
//! # When it fires
//! When the view is over its target. Providers drop most old thinking by themselves or charge for it; models that bind
//! thinking to the exact history before it refuse the block once anything older was folded, so it cannot stay anyway.
//!
//! # What is lost and how to recall it
//! The thinking. What came of it, words and calls, stays. The trace holds the handles.
//!
//! # Example
//! ```before
//! user: Why does it fail?
//! assistant: I look at the log.
//!   think: The build fails, so the log of the compiler should say where; it is written next to the objects.
//!   call c1 bash {"command":"cat build.log"}
//! result c1: link: undefined reference to main
//! assistant
//!   think: There is no main, so the file with it is not among the objects.
//!   call c2 bash {"command":"ls *.o"}
//! result c2: a.o b.o
//! ```
//! ```options
//! budget = 85
//! ```
//! ```after
//! user: Why does it fail?
//! assistant: I look at the log.
//!   call c1 bash {"command":"cat build.log"}
//! result c1: link: undefined reference to main
//! assistant
//!   think: There is no main, so the file with it is not among the objects.
//!   call c2 bash {"command":"ls *.o"}
//! result c2: a.o b.o
//! ```
//!
//! # Options
//! - `keep_responses`: how many of the newest responses keep theirs (1)

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::history::{Item, ItemId, ItemKind, MessageId, Role};
use crate::view::View;
use crate::view::fold::{Change, Fold, FoldKind};

/// See the manual page above.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct DropReasoning {
    /// How many of the newest responses keep their reasoning.
    pub keep_responses: usize,
}

impl Default for DropReasoning {
    fn default() -> DropReasoning {
        DropReasoning { keep_responses: 1 }
    }
}

impl Pass for DropReasoning {
    fn name(&self) -> &str {
        "drop_reasoning"
    }

    fn apply(&self, view: &View, cx: &Cx) -> Result<Outcome, PassError> {
        if view.tokens() <= cx.target {
            return Ok(Outcome::Unchanged("the view is within its target".into()));
        }
        let before = self.first_kept(view);
        let mut folds = Vec::new();
        for message in MessageId::each(MessageId::FIRST..before) {
            folds.extend(fold_message(view, cx, message));
        }
        if folds.is_empty() {
            return Ok(Outcome::Unchanged("no finished response has reasoning".into()));
        }
        Ok(Outcome::Folds(folds))
    }
}

impl DropReasoning {
    /// The first message of the newest responses that keep their reasoning. Messages of the assistant that follow each
    /// other are one response.
    fn first_kept(&self, view: &View) -> MessageId {
        let history = view.history();
        let (mut responses, mut inside) = (0, false);
        for id in history.message_ids().rev() {
            let speaks = history.message(id).role == Role::Assistant;
            if speaks && !inside {
                if responses == self.keep_responses {
                    return id.next();
                }
                responses += 1;
            }
            inside = speaks;
        }
        MessageId::FIRST
    }
}

fn fold_message(view: &View, cx: &Cx, message: MessageId) -> Option<Fold> {
    let thinks = |item: &Item| matches!(item.kind, ItemKind::Reasoning(_));
    if !view.history().items_of(message).iter().any(thinks) {
        return None;
    }
    let items = view.history().message(message).item_ids();
    let here: Vec<ItemId> = items.filter(|item| view.has(*item)).collect();
    let is_reasoning = |item: &ItemId| thinks(view.history().item(*item));
    let reasoning: Vec<ItemId> = here.iter().copied().filter(is_reasoning).collect();
    let is_whole = reasoning.len() == here.len();
    let may_leave = reasoning.iter().all(|item| cx.is_open(*item))
        && (!is_whole || cx.bonds.may_leave(&[message], |id| view.changes().is_dropped(id)));
    if reasoning.is_empty() || !may_leave {
        return None;
    }
    let change = if is_whole { Change::drop(vec![message]) } else { Change::Items(reasoning) };
    Some(Fold { kind: FoldKind::Drop, change, why: "thinking of a finished response".into() })
}
