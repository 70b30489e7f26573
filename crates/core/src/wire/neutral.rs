//! Enfold's own message shape: it can say whatever an item can be, so histories written by hand (see
//! [`crate::file::notation`]) lose nothing before they reach a provider's format.
//!
//! `{"role":"assistant","items":[{"text":"…"},{"call":{"id":"c1","name":"read","input":"{}"}}]}`

use bytestring::ByteString;

use super::fields::Fields;
use super::media::{data_url, inline_or_remote};
use super::plan::texts;
use super::structured;
use super::{Likeness, Misshapen, RequestKeys, ToolDefinition, Wire, Written};
use crate::history::{Call, CallResult, Item, ItemId, ItemKind, Media, MediaKind, Reasoning, Role, Slot};
use crate::history::{History, Parsed};
use crate::json::{ObjectWriter, Raw, quote};

/// Enfold's own message shape.
#[derive(Clone, Copy, Debug)]
pub struct Neutral;

impl Wire for Neutral {
    fn name(&self) -> &'static str {
        "enfold"
    }

    fn title(&self) -> &'static str {
        "Enfold's own messages"
    }

    fn shape(&self) -> RequestKeys {
        RequestKeys {
            list: "messages",
            head: None,
            marks: &[],
            schemas: &[],
            needs_tools: false,
            strict_turns: false,
        }
    }

    fn likeness(&self, message: Raw) -> Likeness {
        let is_ours = message.get("role").is_some() && message.get("items").is_some();
        if is_ours { Likeness::Sure } else { Likeness::No }
    }

    fn read_message(&self, raw: &ByteString) -> Result<Parsed, Misshapen> {
        let mut fields = Fields::of(raw)?;
        let role = fields.take_str("role").unwrap_or_default();
        let role = ROLES.into_iter().find(|known| known.name() == role);
        let role = role.ok_or_else(|| Misshapen("it has no known `role`".into()))?;
        let mut items = Vec::new();
        for whole in fields.take("items").into_iter().flat_map(Raw::elements) {
            read_item(&fields, whole, &mut items);
        }
        Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
    }

    fn read_head(&self, _raw: &ByteString) -> Result<Parsed, Misshapen> {
        Err(Misshapen("system prompts stand in the list of messages".into()))
    }

    fn write(&self, history: &History) -> Written {
        let messages = history.messages().iter().map(|message| {
            let own = message.item_ids().filter(|id| history.item(*id).within.is_none());
            let items = own.map(|id| write_item(history, id));
            ObjectWriter::new().string("role", message.role.name()).array("items", items).finish()
        });
        Written { head: None, messages: messages.collect(), losses: Vec::new() }
    }

    fn user_message(&self, text: &str) -> String {
        let item = ObjectWriter::new().string("summary", text).finish();
        ObjectWriter::new().string("role", "user").array("items", [item]).finish()
    }

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        super::OpenAiChat.write_tools(tools)
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        super::OpenAiChat.read_tools(raw)
    }
}

const ROLES: [Role; 6] =
    [Role::System, Role::Developer, Role::User, Role::Assistant, Role::Tool, Role::Unknown];
const MEDIA: [(&str, MediaKind); 3] =
    [("image", MediaKind::Image), ("document", MediaKind::Document), ("audio", MediaKind::Audio)];

fn read_item(fields: &Fields, whole: Raw, items: &mut Vec<Item>) {
    let Some((key, value)) = whole.members().next() else { return items.push(fields.other(whole)) };
    let item = match &*key {
        "text" => fields.text_item_in(whole, value, ItemKind::Text),
        "summary" => fields.text_item_in(whole, value, ItemKind::Summary),
        "think" => {
            let opaque = whole.get("sealed").and_then(Raw::u64).unwrap_or(0) as usize;
            let kind = ItemKind::Reasoning(Reasoning { opaque });
            if value.is_null() { fields.item(whole, kind) } else { fields.text_item_in(whole, value, kind) }
        }
        "call" => {
            let kind = ItemKind::Call(Box::new(Call {
                id: string(value, "id"),
                name: string(value, "name"),
                freeform: value.get("freeform").is_some(),
            }));
            match value.get("input") {
                Some(input) => fields.text_item_in(whole, input, kind),
                None => fields.item(whole, kind),
            }
        }
        "result" => return read_result(fields, whole, value, items),
        "other" => fields.item(whole, ItemKind::Other(Box::new(string(value, "type")))),
        _ => read_media(fields, whole).unwrap_or_else(|| fields.other(whole)),
    };
    items.push(item);
}

fn read_result(fields: &Fields, whole: Raw, value: Raw, items: &mut Vec<Item>) {
    let said: Vec<Raw> = value.get("texts").into_iter().flat_map(Raw::elements).collect();
    let (texts, structure) = match said.as_slice() {
        [only] => structured::texts(fields, *only),
        said => (said.iter().map(|text| fields.text(*text)).collect(), None),
    };
    let kind = ItemKind::Result(Box::new(CallResult {
        call: string(value, "call"),
        name: value.str_at("name").map(|name| name.into_owned().into()),
        is_error: value.get("error").is_some(),
        structure,
    }));
    let result = ItemId::new(items.len());
    items.push(Item { texts, ..fields.item(whole, kind) });
    for media in value.get("media").into_iter().flat_map(Raw::elements) {
        let item = read_media(fields, media).unwrap_or_else(|| fields.other(media));
        items.push(Item { within: Some(result), ..item });
    }
}

fn read_media(fields: &Fields, whole: Raw) -> Option<Item> {
    let (kind, value) = MEDIA.into_iter().find_map(|(name, kind)| Some((kind, whole.get(name)?)))?;
    let (mime, source) = inline_or_remote(fields.raw, value)?;
    Some(fields.item(whole, ItemKind::Media(Box::new(Media { kind, mime, source }))))
}

fn string(value: Raw, key: &str) -> ByteString {
    value.str_at(key).unwrap_or_default().into_owned().into()
}

fn write_item(history: &History, id: ItemId) -> String {
    let item = history.item(id);
    let text = item.texts.first().map(|text| &*text.value);
    let written = ObjectWriter::new();
    match &item.kind {
        ItemKind::Text => written.string("text", text.unwrap_or_default()),
        ItemKind::Summary => written.string("summary", text.unwrap_or_default()),
        ItemKind::Reasoning(reasoning) => {
            let all = item.text();
            let text = if item.texts.is_empty() { "null".to_string() } else { quote(&all) };
            let written = written.json("think", &text);
            if reasoning.opaque > 0 { written.json("sealed", &reasoning.opaque.to_string()) } else { written }
        }
        ItemKind::Call(call) => {
            let mut body = ObjectWriter::new().string("id", &call.id).string("name", &call.name);
            if let Some(text) = text {
                body = body.string("input", text);
            }
            if call.freeform {
                body = body.json("freeform", "true");
            }
            written.json("call", &body.finish())
        }
        ItemKind::Result(result) => written.json("result", &write_result(history, id, item, result)),
        ItemKind::Media(media) => return write_media(history, item, media),
        ItemKind::Other(kind) => {
            let raw = history.raw_of(item);
            written.json("other", &ObjectWriter::new().string("type", kind).json("json", raw).finish())
        }
    }
    .finish()
}

fn write_result(history: &History, id: ItemId, item: &Item, result: &CallResult) -> String {
    let mut body = ObjectWriter::new().string("call", &result.call);
    if let Some(name) = &result.name {
        body = body.string("name", name);
    }
    if result.is_error {
        body = body.json("error", "true");
    }
    body = body.array("texts", texts(history, item).map(quote));
    let message = history.message(item.message).item_ids();
    let inside: Vec<String> = message
        .filter(|inner| history.item(*inner).within == Some(id))
        .map(|inner| write_item(history, inner))
        .collect();
    if inside.is_empty() { body.finish() } else { body.array("media", inside).finish() }
}

fn write_media(history: &History, item: &Item, media: &Media) -> String {
    let name = MEDIA.into_iter().find(|(_, kind)| *kind == media.kind).map_or("image", |(name, _)| name);
    ObjectWriter::new().string(name, &data_url(history, item, media).unwrap_or_default()).finish()
}
