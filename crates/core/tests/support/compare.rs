//! Whether two histories say the same, whatever format they are in.

use std::collections::{BTreeMap, BTreeSet};

use enfold::finding::Finding;
use enfold::history::History;
use enfold::item::{ItemId, ItemKind, MediaSource, Role};
use enfold::json::{Raw, quote};

/// What one item says, without the ids and the grouping that differ between formats.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Said {
    pub who: &'static str,
    pub kind: &'static str,
    pub text: String,
    pub tool: String,
    pub answers: String,
}

/// One difference between two histories.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Difference {
    /// In the first only, in this message (from 1).
    Gone(usize, Said),
    /// In the second only.
    Came(Said),
    /// Both have it, in another order.
    Moved(Said),
}

/// The items of a history as a flat list, each with its message (from 1).
pub fn flatten(history: &History) -> Vec<(usize, Said)> {
    let mut out = Vec::new();
    for (id, item) in history.items().iter().enumerate() {
        let texts: Vec<String> = match &item.kind {
            ItemKind::Call(_) => vec![compact(&item.text())],
            _ => item.texts.iter().map(|text| text.value.to_string()).collect(),
        };
        // An empty text says nothing; formats differ in whether they can hold one.
        if matches!(item.kind, ItemKind::Text | ItemKind::Summary) {
            let full = texts.into_iter().filter(|text| !text.is_empty());
            out.extend(full.map(|text| (item.message + 1, said(history, id, text))));
            continue;
        }
        let text = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        out.push((item.message + 1, said(history, id, text)));
    }
    out
}

fn said(history: &History, id: ItemId, text: String) -> Said {
    let item = &history.items()[id];
    let role = history.messages()[item.message].role;
    let in_result = item.within.is_some() || item.result().is_some();
    let kind = match &item.kind {
        ItemKind::Summary => "text",
        kind => kind.name(),
    };
    let text = match &item.kind {
        ItemKind::Media(media) => match &media.source {
            MediaSource::Remote(url) => url.to_string(),
            MediaSource::Inline(span) => {
                let data =
                    Raw::parse(&history.messages()[item.message].raw[span.clone()]).unwrap().str().unwrap();
                data.rsplit(',').next().unwrap_or_default().to_string()
            }
        },
        ItemKind::Other(name) => format!("{name} {text}"),
        ItemKind::Result(result) if result.is_error => format!("error: {text}"),
        ItemKind::Call(call) if call.freeform => format!("free: {text}"),
        _ => text,
    };
    let answers = match (item.result().is_some(), history.pair(id)) {
        (true, Some(call)) => compact(&history.items()[call].text()),
        (true, None) => "nothing".into(),
        (false, Some(_)) => "answered".into(),
        (false, None) => String::new(),
    };
    Said {
        who: if in_result { Role::Tool.name() } else { role.name() },
        kind,
        text,
        tool: history.tool(id).unwrap_or_default().to_string(),
        answers,
    }
}

/// JSON without the white space between its tokens; other text as it is. No arguments are an empty object.
fn compact(text: &str) -> String {
    if text.trim().is_empty() {
        return "{}".into();
    }
    let Ok(raw) = Raw::parse(text) else { return text.to_string() };
    let (mut out, mut in_string, mut escaped) = (String::new(), false, false);
    for letter in raw.text().chars() {
        if in_string || !letter.is_ascii_whitespace() {
            out.push(letter);
        }
        in_string ^= letter == '"' && !escaped;
        escaped = letter == '\\' && !escaped && in_string;
    }
    out
}

/// Every difference in what two histories say.
pub fn same_history(a: &History, b: &History) -> Vec<Difference> {
    let (a, b) = (flatten(a), flatten(b));
    let mut left: BTreeMap<&Said, isize> = BTreeMap::new();
    for (_, said) in &b {
        *left.entry(said).or_default() += 1;
    }
    let mut differences = Vec::new();
    let mut kept_a = Vec::new();
    for (message, said) in &a {
        match left.get_mut(said) {
            Some(count) if *count > 0 => {
                *count -= 1;
                kept_a.push(said);
            }
            _ => differences.push(Difference::Gone(*message, said.clone())),
        }
    }
    let mut kept_b = Vec::new();
    for (_, said) in b.iter().rev() {
        match left.get_mut(said) {
            Some(count) if *count > 0 => {
                *count -= 1;
                differences.push(Difference::Came(said.clone()));
            }
            _ => kept_b.push(said),
        }
    }
    kept_b.reverse();
    let moved = kept_a.iter().zip(&kept_b).find(|(a, b)| a != b);
    differences.extend(moved.map(|(said, _)| Difference::Moved((*said).clone())));
    differences
}

/// The differences between `a` and what it was converted into that the losses do not name: what is gone must be of a
/// message they name, what came in its place or be reported as added, and what stands elsewhere as moved.
pub fn unexplained(differences: &[Difference], losses: &[Finding]) -> Vec<String> {
    let named: BTreeSet<usize> = losses.iter().filter_map(|loss| loss.place.message).collect();
    let says = |word: &str| losses.iter().filter(|loss| loss.what.starts_with(word)).count();
    let gone = differences.iter().filter(|difference| matches!(difference, Difference::Gone(..))).count();
    let mut may_come = gone + says("added:");
    let mut out = Vec::new();
    for difference in differences {
        let fine = match difference {
            Difference::Gone(message, _) => named.contains(message),
            Difference::Came(_) if may_come > 0 => {
                may_come -= 1;
                true
            }
            Difference::Came(_) => false,
            Difference::Moved(_) => says("moved:") > 0,
        };
        if !fine {
            out.push(quote(&format!("{difference:?}")).chars().take(600).collect());
        }
    }
    out
}
