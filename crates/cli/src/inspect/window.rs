//! How full the model's window is, and what the provider reported.

use enfold::count::budget::{Budget, Rules};
use enfold::count::{Calibration, Label};
use enfold::file::document::Document;
use enfold::history::{ItemKind, Slot};
use serde::Serialize;

use crate::counting::Counted;

/// What the next request would carry, against the model's window.
#[derive(Debug, Serialize)]
pub struct Window {
    /// Tokens of what stands behind the last summary, with system prompt and tool definitions, as we count.
    pub counted: usize,
    /// The same as the provider would count, judged by what it reported; `counted` where it reported nothing.
    pub tokens: usize,
    /// `measured` where the provider reported exactly this content, else `estimated`.
    pub label: &'static str,
    pub budget: Option<BudgetNumbers>,
}

#[derive(Debug, Serialize)]
pub struct BudgetNumbers {
    pub context: usize,
    pub usable: usize,
    pub threshold: usize,
    pub approaching: usize,
    pub target: usize,
    /// `fits`, is `over` the threshold, `approaching` the end of the usable window, or `overflows` it.
    pub state: &'static str,
}

/// What the provider reported, in total.
#[derive(Debug, Default, Serialize)]
pub struct UsageSum {
    pub responses: usize,
    pub input: u64,
    pub cache_read: u64,
    pub cache_write: u64,
    pub output: u64,
    pub largest_input: u64,
}

/// Sizes up the window.
pub fn window(document: &Document, counted: &Counted) -> Window {
    let sent = sent(document, counted);
    let now = sent.last().copied().unwrap_or(0);
    let mut calibration = Calibration::new();
    for report in &document.usage {
        calibration.report(sent.get(report.messages).copied().unwrap_or(now), report.input as usize);
    }
    let estimate = calibration.estimate(now);
    Window {
        counted: now,
        tokens: estimate.tokens,
        label: match estimate.label {
            Label::Measured => "measured",
            Label::Estimated => "estimated",
        },
        budget: counted.model.as_ref().and_then(|resolved| {
            let budget = Budget::of(&resolved.model, Rules::default()).ok()?;
            Some(numbers(&budget, estimate.tokens))
        }),
    }
}

/// The sum of all reports; `None` where there are none.
pub fn usage(document: &Document) -> Option<UsageSum> {
    let mut sum = UsageSum { responses: document.usage.len(), ..UsageSum::default() };
    for report in &document.usage {
        sum.input = sum.input.saturating_add(report.input);
        sum.cache_read = sum.cache_read.saturating_add(report.cache_read);
        sum.cache_write = sum.cache_write.saturating_add(report.cache_write);
        sum.output = sum.output.saturating_add(report.output);
        sum.largest_input = sum.largest_input.max(report.input);
    }
    (sum.responses > 0).then_some(sum)
}

/// Tokens of the requests that carry the first 0, 1, 2, … messages. A summary stands for what is before it.
fn sent(document: &Document, counted: &Counted) -> Vec<usize> {
    let history = &document.history;
    let (mut heads, mut list) = (counted.tools, 0);
    let mut sent = vec![heads];
    for (nth, message) in history.message_ids().zip(history.messages()) {
        let tokens = counted.tally.message(nth);
        let is_summary = history.items_of(nth).iter().any(|item| item.kind == ItemKind::Summary);
        match message.slot {
            Slot::Head => heads += tokens,
            Slot::List if is_summary => list = tokens,
            Slot::List => list += tokens,
        }
        sent.push(heads + list);
    }
    sent
}

fn numbers(budget: &Budget, tokens: usize) -> BudgetNumbers {
    BudgetNumbers {
        context: budget.context,
        usable: budget.usable,
        threshold: budget.threshold,
        approaching: budget.approaching,
        target: budget.target,
        state: match tokens {
            tokens if tokens > budget.usable => "overflows",
            tokens if budget.is_approaching(tokens) => "approaching",
            tokens if budget.is_over(tokens) => "over",
            _ => "fits",
        },
    }
}
