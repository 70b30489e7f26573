//! Printing a history in the notation.

use std::fmt::Write;

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Media, MediaKind, MediaSource, MessageId, Role};
use crate::json::{Raw, quote};

/// A history in the notation.
pub fn print(history: &History) -> String {
    let mut out = String::new();
    for message in history.message_ids() {
        print_message(history, message, &mut out);
    }
    out
}

fn print_message(history: &History, id: MessageId, out: &mut String) {
    let message = history.message(id);
    let items: Vec<ItemId> = message.item_ids().collect();
    let first = items.first().map(|first| history.item(*first));
    let lone_result = message.role == Role::Tool
        && first.is_some_and(|first| first.result().is_some())
        && items[1..].iter().all(|item| history.item(*item).within.is_some());
    let mut rest = items.as_slice();
    match first {
        Some(item) if lone_result => {
            print_item(history, item, "", out);
            rest = &items[1..];
        }
        Some(item) if item.kind == ItemKind::Text && item.texts.len() == 1 => {
            print_text(message.role.name(), &item.texts[0].value, out);
            rest = &items[1..];
        }
        _ => {
            out.push_str(message.role.name());
            out.push('\n');
        }
    }
    for item in rest {
        let item = history.item(*item);
        print_item(history, item, if item.within.is_some() { "    " } else { "  " }, out);
    }
}

fn print_item(history: &History, item: &Item, indent: &str, out: &mut String) {
    out.push_str(indent);
    let head = match &item.kind {
        ItemKind::Text => "text".to_string(),
        ItemKind::Summary => "summary".to_string(),
        ItemKind::Reasoning(reasoning) if reasoning.opaque > 0 => {
            format!("think sealed={}", reasoning.opaque)
        }
        ItemKind::Reasoning(_) => "think".to_string(),
        ItemKind::Call(call) => {
            let head = format!("call {} {}", word(&call.id), word(&call.name));
            if !call.freeform {
                let input = item.text();
                let mut lines = input.split('\n');
                let first = lines.next().unwrap_or_default();
                let _ = writeln!(out, "{}", if first.is_empty() { head } else { format!("{head} {first}") });
                return continue_text(lines, out);
            }
            head
        }
        ItemKind::Result(result) => {
            let name = result.name.as_ref().map(|name| format!(" name={}", word(name))).unwrap_or_default();
            let error = if result.is_error { " error" } else { "" };
            format!("result {}{name}{error}", word(&result.call))
        }
        ItemKind::Media(media) => return print_media(history, item, media, out),
        ItemKind::Other(kind) => {
            let raw = history.raw_of(item);
            let _ = writeln!(out, "other {} {}", word(kind), raw.replace(['\n', '\r'], " "));
            return;
        }
    };
    let Some((first, more)) = item.texts.split_first() else {
        out.push_str(&head);
        out.push('\n');
        return;
    };
    print_text(&head, &first.value, out);
    for text in more {
        print_text("  +", &text.value, out);
    }
}

/// `head: first line`, then a bar before each further line.
fn print_text(head: &str, text: &str, out: &mut String) {
    let mut lines = text.split('\n');
    out.push_str(head);
    if head != "  +" {
        out.push(':');
    }
    match lines.next().unwrap_or_default() {
        "" => out.push('\n'),
        first => {
            let _ = writeln!(out, " {first}");
        }
    }
    continue_text(lines, out);
}

fn continue_text<'a>(lines: impl Iterator<Item = &'a str>, out: &mut String) {
    for line in lines {
        let _ = if line.is_empty() { writeln!(out, "  |") } else { writeln!(out, "  | {line}") };
    }
}

fn print_media(history: &History, item: &Item, media: &Media, out: &mut String) {
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => "audio",
    };
    let url = match &media.source {
        MediaSource::Remote(url) => url.to_string(),
        MediaSource::Inline(span) => {
            let raw = &history.message(item.message).raw;
            let text = Raw::trusted(&raw[span.range()]).str().unwrap_or_default();
            match (text.starts_with("data:"), media.mime.as_deref()) {
                (true, _) => text.into_owned(),
                (false, mime) => format!("data:{};base64,{text}", mime.unwrap_or("application/octet-stream")),
            }
        }
    };
    let _ = writeln!(out, "{kind} {}", word(&url));
}

/// An id or name: bare where that is unambiguous, else quoted.
fn word(text: &str) -> String {
    let plain = |c: char| c.is_ascii_alphanumeric() || "_-./+,;:".contains(c);
    let bare = !text.is_empty() && text.chars().all(plain) && !text.ends_with(':');
    if bare { text.to_string() } else { quote(text) }
}
