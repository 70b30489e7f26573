//! Predicted cache reads beside those that providers charged, on logs that have both.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::fs;

use enfold::count::models::Table;
use enfold::file::read_bytes;
use enfold_replay::{Charged, Lifetime, Rates, Recorded, Setting, charged};

use super::sessions::{files, folder};
use super::setting;
use crate::Failure;

/// A format of logs in each row.
pub(super) fn table() -> Result<String, Failure> {
    let mut formats: BTreeMap<&'static str, (usize, Charged)> = BTreeMap::new();
    let mut all = Charged::default();
    for path in files(&folder()?.join("native"))? {
        let Some(one) = fs::read(&path).ok().and_then(read) else { continue };
        let (logs, sum) = formats.entry(one.0).or_default();
        *logs += 1;
        sum.merge(&one.1);
        all.merge(&one.1);
    }
    let mut text = String::from(
        "### Predicted and charged\n\n\
         Logs of real agents with the provider's own figures (`native`). Each request is predicted to read what the one before had, by the \
         rules of the model table and the log's own clock; the first of a session is left out, since other sessions wrote what it reads. By \
         *sizes*: with the sizes that the provider reported, so that only the rules of the cache can be wrong. By *counting*: messages as Enfold \
         counts them, and before them what the first request was larger. Errors are shares of all input; *request by request*, too much and too little do not make up for each other. Left out: logs in which nothing was ever read from a cache.\n\n\
         | log | logs | requests | input | charged as read | predicted | error | request by request | by counting | error | cold |\n|---|---|---|---|---|---|---|---|---|---|---|\n",
    );
    for (format, (logs, sum)) in &formats {
        row(&mut text, format, *logs, sum);
    }
    row(&mut text, "all", formats.values().map(|(logs, _)| logs).sum(), &all);
    Ok(text + "\n")
}

fn row(text: &mut String, name: &str, logs: usize, sum: &Charged) {
    let [error, counted, off] = sum.errors();
    let _ = writeln!(
        text,
        "| {name} | {logs} | {} | {} | {} | {} | {:+.1} % | {:.1} % | {} | {:+.1} % | {} |",
        sum.requests,
        sum.input,
        sum.charged,
        sum.predicted,
        100.0 * error,
        100.0 * off,
        sum.counted,
        100.0 * counted,
        sum.cold
    );
}

/// What came of a log, and which format it is in; nothing where it cannot be said.
fn read(bytes: Vec<u8>) -> Option<(&'static str, Charged)> {
    let document = read_bytes(bytes).ok()?;
    let model = Table::shipped().resolve(document.model.as_ref()?).model;
    let lifetime = if document.is_kept_long { Lifetime::Long } else { Lifetime::Short };
    let format = document.format;
    let setting = Setting {
        counter: model.counter(),
        image: model.image,
        rates: Rates::of(&model, lifetime),
        has_clock: true,
        ..setting(usize::MAX)
    };
    Some((format, charged(&Recorded::new(document), &setting)?))
}
