//! What must hold for anything that reads.

use enfold::file;
use enfold::file::convert::convert;
use enfold::file::document::{Document, Frame};
use enfold::history::History;
use enfold::history::{ItemKind, MediaSource, Spelling};
use enfold::json::Raw;
use enfold::source::Source;
use enfold::view::changes::Changes;
use enfold::wire::WIRES;
use serde_json::Value;

use super::compare::{same_history, unexplained};
use super::render::list_key;
use super::rules;

pub fn read_as(format: &str, text: &str) -> Document {
    file::read_as(format, Source::from_text(text.to_string().into()).unwrap()).unwrap()
}

/// Every text stands where its span says, spelled as it says.
pub fn check_spans(history: &History) {
    for item in history.items() {
        let raw = &history.message(item.message).raw;
        assert!(
            Raw::parse(&raw[item.span.range()]).is_ok(),
            "an item is a value: {}",
            &raw[item.span.range()]
        );
        for text in &item.texts {
            let there = Raw::parse(&raw[text.span.range()]).unwrap();
            match text.spelling {
                Spelling::Quoted => assert_eq!(there.str().unwrap(), *text.value),
                Spelling::Json => assert_eq!(there.text(), &*text.value),
            }
        }
        if let ItemKind::Media(media) = &item.kind
            && let MediaSource::Inline(span) = &media.source
        {
            assert!(Raw::parse(&raw[span.range()]).unwrap().str().is_some());
        }
    }
}

pub fn check_written(format: &str, text: &str) {
    let value: Value = serde_json::from_str(text).unwrap();
    let messages = value[list_key(format)].as_array().or(value.as_array()).unwrap().clone();
    let broken = rules::broken(format, &messages);
    assert!(broken.is_empty(), "{format}: {broken:?}\n{text}");
}

/// `None` if there was nothing to say: all of it was empty, or lost.
fn reread(format: &str, written: &str) -> Option<Document> {
    let document = file::read_as(format, Source::from_text(written.to_string().into()).unwrap());
    assert!(document.is_ok() || !written.contains("\"role\""), "{written}");
    document.ok()
}

/// Converts there and back; whatever differs must be reported.
pub fn check_conversions(document: &Document, named: &str) {
    for to in WIRES.iter().copied().filter(|to| to.name() != document.wire.name()) {
        let there = convert(document, to, Some(Frame::Request));
        check_written(to.name(), &there.text);
        let Some(other) = reread(to.name(), &there.text) else { continue };
        let left = unexplained(&same_history(&document.history, &other.history), &there.losses);
        let losses: Vec<String> = there.losses.iter().map(ToString::to_string).collect();
        assert!(left.is_empty(), "{named} as {}: {left:#?}\n{losses:#?}\n{}", to.name(), there.text);
        let back = convert(&other, document.wire, Some(Frame::Request));
        check_written(document.wire.name(), &back.text);
        let Some(again) = reread(document.wire.name(), &back.text) else { continue };
        let left = unexplained(&same_history(&other.history, &again.history), &back.losses);
        assert!(left.is_empty(), "{named} as {} and back: {left:#?}\n{}", to.name(), back.text);
        if there.losses.is_empty() && back.losses.is_empty() {
            assert_eq!(same_history(&document.history, &again.history), [], "{named} as {}", to.name());
        }
    }
}

/// Puts something else in place of one value anywhere in a message: another type, another message's part, nothing.
pub fn mutate(value: &mut Value, pick: u64, with: &Value) {
    let count = match value {
        Value::Array(values) => values.len() as u64,
        Value::Object(members) => members.len() as u64,
        _ => 0,
    };
    let (here, deeper) = (pick % 7, pick / 7);
    if count == 0 || here == 0 {
        *value = with.clone();
        return;
    }
    let nth = (deeper % count) as usize;
    let remove = here == 1;
    match value {
        Value::Array(values) if remove => drop(values.remove(nth)),
        Value::Object(members) if remove => {
            let key = members.keys().nth(nth).unwrap().clone();
            members.remove(&key);
        }
        Value::Array(values) => mutate(&mut values[nth], deeper / count, with),
        Value::Object(members) => mutate(members.values_mut().nth(nth).unwrap(), deeper / count, with),
        _ => {}
    }
}

/// Reads a text in every format: no panic; whatever reads stands where it says and renders the same bytes; and it can be
/// converted and changed.
pub fn check_anything(text: &str) {
    let Ok(source) = Source::from_text(text.to_string().into()) else { return };
    for wire in WIRES {
        let Ok(document) = file::read_as(wire.name(), source.clone()) else { continue };
        check_spans(&document.history);
        assert_eq!(convert(&document, *wire, None).text, text);
        let mut view = Changes::new();
        for (id, item) in document.history.item_ids().zip(document.history.items()) {
            for nth in 0..item.texts.len() {
                view.replace(&document.history, id, nth, "[1]".into()).unwrap();
            }
        }
        let changed = document.render(&view).unwrap();
        let changed = read_as(wire.name(), &changed);
        assert_eq!(changed.history.messages().len(), document.history.messages().len());
        for to in WIRES {
            let written = convert(&document, *to, Some(Frame::Request));
            check_written_if_other(&document, to.name(), &written.text);
        }
    }
    let _ = file::read(source);
}

fn check_written_if_other(document: &Document, format: &str, text: &str) {
    if document.wire.name() != format {
        check_written(format, text);
    }
}
