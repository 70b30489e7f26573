//! What the page is told: the messages of a session once, and what became of them at each budget.

use std::collections::{BTreeMap, BTreeSet};

use enfold::count::Tally;
use enfold::folding::runner::Run;
use enfold::history::{History, MessageId};
use enfold::understand::facts::Facts;
use enfold::understand::ledger::Ledger;
use enfold::view::fold::FoldKind;
use enfold_page::{block, said, said_by};
use serde_json::{Map, Value, json};

use super::{Explanation, PassRow, shortened};
use crate::parts::Part;
use crate::report::times;

/// A session folded to one budget.
pub struct Look<'f> {
    /// What was done.
    pub explained: Explanation,
    /// What came of it.
    pub run: Run<'f>,
}

/// The messages as they are, each once; what the user asked for stands out.
pub fn messages(history: &History, tally: &Tally) -> Vec<Value> {
    let ledger = Ledger::of(history, &Facts::of(history));
    let asked: BTreeSet<MessageId> = ledger.requests.iter().map(|request| request.message).collect();
    let message = |id: MessageId| {
        let message = history.message(id);
        let part = message.item_ids().next().map_or(Part::Other, |item| Part::of(history, item));
        json!({
            "role": message.role.name(),
            "part": part.name().split(' ').next(),
            "step": history.items_of(id).iter().find_map(|item| item.step),
            "tool": message.item_ids().find_map(|item| history.tool(item)).map(enfold_page::clean),
            "tokens": tally.message(id),
            "text": block(&said(history, id)),
            "asks": asked.contains(&id),
        })
    };
    history.message_ids().map(message).collect()
}

impl Look<'_> {
    /// All of it as the page reads it.
    pub fn data(&self) -> Value {
        let explained = &self.explained;
        let mut handles = Map::new();
        for (nth, fold) in explained.folds().enumerate() {
            handles.extend(fold.handles.iter().map(|handle| (handle.clone(), nth.into())));
        }
        json!({
            "budget": explained.budget.tokens,
            "after": explained.after,
            "rung": explained.rung,
            "passes": explained.passes.iter().map(pass).collect::<Vec<_>>(),
            "folds": explained.folds().collect::<Vec<_>>(),
            "handles": handles,
            "changed": self.changed(),
            "shortened": shortened::sentences(explained),
            "inserted": self.inserted(),
        })
    }

    /// The message that the view has and the session has not.
    fn inserted(&self) -> Option<Value> {
        let inserted = self.run.view.changes().inserted()?;
        let what = match &self.explained.summary {
            Some(summary) => {
                format!("a summary of {}, {}", times(summary.messages as u64, "message"), summary.title())
            }
            None => "what was left out, told in order".to_string(),
        };
        Some(json!({
            "before": inserted.before.number(),
            "what": what,
            "tokens": self.run.view.inserted_tokens(),
            "text": block(&inserted.text),
        }))
    }

    /// The messages that are not as they were, by number.
    fn changed(&self) -> BTreeMap<usize, Value> {
        let view = &self.run.view;
        let history = view.history();
        let mut folds: BTreeMap<usize, Vec<usize>> = BTreeMap::new();
        let mut told: BTreeSet<usize> = BTreeSet::new();
        for (nth, fold) in self.explained.folds().enumerate() {
            for message in &fold.messages {
                folds.entry(*message).or_default().push(nth);
            }
            if [FoldKind::Told, FoldKind::Summary].iter().any(|kind| kind.name() == fold.kind) {
                told.extend(fold.messages.iter().copied());
            }
        }
        let mut changed = BTreeMap::new();
        for id in history.message_ids() {
            let number = id.number();
            let tokens = view.message_tokens(id);
            let fate = match view.message(id) {
                None if told.contains(&number) => "told",
                None => "gone",
                Some(now) if now == history.message(id).raw => continue,
                // What tells of others stands in it too.
                Some(_) if tokens >= view.tally().message(id) => "kept",
                Some(_) => "thinned",
            };
            let text = self.now(id);
            let folds = folds.remove(&number).unwrap_or_default();
            changed.insert(number, json!({"fate": fate, "tokens": tokens, "text": text, "folds": folds}));
        }
        changed
    }

    /// A message in the view; empty for one that is gone.
    fn now(&self, id: MessageId) -> String {
        let (view, history) = (&self.run.view, self.run.view.history());
        let items = history.message(id).item_ids().filter(|item| view.has(*item));
        let said = items.map(|id| {
            let item = history.item(id);
            said_by(item, (0..item.texts.len()).map(|nth| view.text(id, nth)))
        });
        block(&said.collect::<Vec<_>>().join("\n"))
    }
}

fn pass(pass: &PassRow) -> Value {
    json!({
        "pass": pass.pass,
        "outcome": pass.outcome,
        "before": pass.before,
        "after": pass.after,
        "folds": pass.folds.len(),
        "why": enfold_page::clean(&pass.why),
    })
}
