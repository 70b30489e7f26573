//! Whether two histories say the same, whatever format they are in.

use std::collections::{BTreeMap, BTreeSet};

use enfold::finding::Finding;
use enfold::history::History;
use enfold::history::{ItemId, ItemKind, MediaSource, Role};
use enfold::json::Raw;

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
    /// In the first more often than in the second; it stands in these messages (from 1).
    Gone(Vec<usize>, Said),
    /// In the second only.
    Came(Said),
    /// Both have it, in another order.
    Moved(Said),
}

/// The items of a history as a flat list, each with its message (from 1).
pub fn flatten(history: &History) -> Vec<(usize, Said)> {
    let mut out = Vec::new();
    for (id, item) in history.item_ids().zip(history.items()) {
        let texts: Vec<String> = match &item.kind {
            ItemKind::Call(_) => vec![compact(&item.text())],
            _ => item.texts.iter().map(|text| text.value.to_string()).collect(),
        };
        // An empty text says nothing; formats differ in whether they can hold one.
        if matches!(item.kind, ItemKind::Text | ItemKind::Summary) {
            let full = texts.into_iter().filter(|text| !text.is_empty());
            out.extend(full.map(|text| (item.message.number(), said(history, id, text))));
            continue;
        }
        let text = texts.into_iter().filter(|text| !text.is_empty()).collect::<Vec<_>>().join("\n");
        out.push((item.message.number(), said(history, id, text)));
    }
    out
}

fn said(history: &History, id: ItemId, text: String) -> Said {
    let item = history.item(id);
    let role = history.message(item.message).role;
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
                    Raw::parse(&history.message(item.message).raw[span.range()]).unwrap().str().unwrap();
                data.rsplit(',').next().unwrap_or_default().to_string()
            }
        },
        ItemKind::Other(name) => format!("{name} {text}"),
        ItemKind::Result(result) if result.is_error => format!("error: {text}"),
        ItemKind::Call(call) if call.freeform => format!("free: {text}"),
        _ => text,
    };
    let answers = match (item.result().is_some(), history.pair(id)) {
        (true, Some(call)) => {
            // The text of a call may change where its format does not fit; its place among the calls may not.
            let is_call = |id: &ItemId| {
                let item = history.item(*id);
                item.call().is_some() && history.message(item.message).role == Role::Assistant
            };
            let answered = ItemId::each(ItemId::FIRST..call.next()).filter(is_call);
            format!("call {}", answered.count())
        }
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
    for (_, said) in &a {
        match left.get_mut(said) {
            Some(count) if *count > 0 => {
                *count -= 1;
                kept_a.push(said);
            }
            _ => {
                let messages = a.iter().filter(|(_, other)| other == said).map(|(message, _)| *message);
                differences.push(Difference::Gone(messages.collect(), said.clone()));
            }
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

/// The differences between a history and what it was converted into that the losses do not name: what is gone must be
/// of a message they name; what came must be another form of something gone, or reported as added; and what stands
/// elsewhere be reported as moved.
pub fn unexplained(differences: &[Difference], losses: &[Finding]) -> Vec<String> {
    let named: BTreeSet<usize> = losses.iter().filter_map(|loss| loss.place.message).collect();
    let says = |word: &str| losses.iter().filter(|loss| loss.what.starts_with(word)).count();
    let gone: Vec<&Said> = differences
        .iter()
        .filter_map(|difference| match difference {
            Difference::Gone(_, said) => Some(said),
            _ => None,
        })
        .collect();
    let mut added = says("added:");
    let mut out = Vec::new();
    for difference in differences {
        let fine = match difference {
            Difference::Gone(messages, _) => messages.iter().any(|message| named.contains(message)),
            Difference::Came(came) if gone.iter().any(|gone| is_form_of(came, gone)) => true,
            Difference::Came(_) if added > 0 => {
                added -= 1;
                true
            }
            Difference::Came(_) => false,
            Difference::Moved(_) => says("moved:") > 0,
        };
        if !fine {
            out.push(format!("{difference:?}").chars().take(600).collect());
        }
    }
    out
}

fn is_form_of(came: &Said, gone: &Said) -> bool {
    let same_tool = came.kind == gone.kind && came.tool == gone.tool && !came.tool.is_empty();
    same_tool || gone.text.contains(&came.text) || came.text.contains(&gone.text)
}
