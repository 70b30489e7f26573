//! OpenAI Chat Completions, and the many servers that speak it.

use bytestring::ByteString;

use super::blocks::{Block, Speaker, blocks};
use super::fields::{Fields, inline_or_remote};
use super::losses::Losses;
use super::{Likeness, Misshapen, Shape, ToolDefinition, Wire, Written};
use crate::history::{History, Parsed};
use crate::item::{
    Call, CallResult, Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Reasoning, Role, Slot,
};
use crate::json::{Kind, ObjectWriter, Raw, quote};

/// OpenAI Chat Completions.
#[derive(Clone, Copy, Debug)]
pub struct OpenAiChat;

impl Wire for OpenAiChat {
    fn name(&self) -> &'static str {
        "openai-chat"
    }

    fn title(&self) -> &'static str {
        "OpenAI Chat Completions"
    }

    fn shape(&self) -> Shape {
        Shape {
            list: "messages",
            head: None,
            marks: &["max_completion_tokens", "stream_options", "parallel_tool_calls"],
        }
    }

    fn likeness(&self, message: Raw) -> Likeness {
        let mut likeness = Likeness::No;
        for (key, value) in message.members() {
            match &*key {
                "role" => match value.str().as_deref() {
                    Some("system" | "user" | "assistant") => likeness = likeness.max(Likeness::Possible),
                    Some("developer" | "tool" | "function") => likeness = Likeness::Sure,
                    _ => return Likeness::No,
                },
                "tool_calls" | "tool_call_id" | "function_call" | "reasoning_content" => {
                    likeness = Likeness::Sure
                }
                "content" => match content_likeness(value) {
                    Likeness::No => return Likeness::No,
                    found => likeness = likeness.max(found),
                },
                "parts" | "toolInvocations" => return Likeness::No,
                _ => {}
            }
        }
        if message.get("role").is_none() { Likeness::No } else { likeness }
    }

    fn read_message(&self, raw: &ByteString) -> Result<Parsed, Misshapen> {
        let mut fields = Fields::of(raw)?;
        let role = match fields.take_str("role").as_deref() {
            Some("system") => Role::System,
            Some("developer") => Role::Developer,
            Some("user") => Role::User,
            Some("assistant") => Role::Assistant,
            Some("tool" | "function") => Role::Tool,
            Some(other) => return Err(Misshapen(format!("the role is `{other}`"))),
            None => return Err(Misshapen("it has no `role`".into())),
        };
        let mut items = Vec::new();
        if role == Role::Tool {
            read_result(&mut fields, &mut items);
        } else {
            read_reasoning(&mut fields, &mut items);
            if let Some(content) = fields.take("content") {
                read_content(&fields, content, &mut items);
            }
            if let Some(refusal) = fields.take("refusal").filter(|refusal| refusal.kind() == Kind::String) {
                items.push(fields.text_item(refusal, ItemKind::Text));
            }
            read_calls(&mut fields, &mut items);
        }
        Ok(Parsed { role, slot: Slot::List, items, extras: fields.rest() })
    }

    fn read_head(&self, _raw: &ByteString) -> Result<Parsed, Misshapen> {
        Err(Misshapen("system prompts stand in the list of messages".into()))
    }

    fn write(&self, history: &History) -> Written {
        let mut out = Written::default();
        let mut losses = Losses::default();
        let mut names = CallIds::default();
        for block in blocks(history) {
            write_block(history, &block, &mut names, &mut out.messages, &mut losses);
        }
        out.losses = losses.into_findings();
        out
    }

    fn write_tools(&self, tools: &[ToolDefinition]) -> String {
        let written = tools.iter().map(|tool| {
            let mut function = ObjectWriter::new().string("name", &tool.name);
            if let Some(description) = &tool.description {
                function = function.string("description", description);
            }
            if let Some(schema) = &tool.schema {
                function = function.json("parameters", schema);
            }
            ObjectWriter::new().string("type", "function").json("function", &function.finish()).finish()
        });
        format!("[{}]", written.collect::<Vec<_>>().join(","))
    }

    fn read_tools(&self, raw: Raw) -> Vec<ToolDefinition> {
        let functions =
            raw.elements().map(|tool| tool.get("function").or(tool.get("custom")).unwrap_or(tool));
        functions
            .filter_map(|function| {
                Some(ToolDefinition {
                    name: function.str_at("name")?.into_owned(),
                    description: function.str_at("description").map(|text| text.into_owned()),
                    schema: function.get("parameters").map(|schema| schema.text().to_string()),
                })
            })
            .collect()
    }
}

fn content_likeness(content: Raw) -> Likeness {
    let mut likeness = Likeness::Possible;
    for part in content.elements() {
        match part.str_at("type").as_deref() {
            Some("image_url" | "input_audio" | "refusal") => likeness = Likeness::Sure,
            Some("text" | "file") => {}
            Some(kind) if is_foreign_part(kind) => return Likeness::No,
            _ => {}
        }
    }
    likeness
}

fn is_foreign_part(kind: &str) -> bool {
    matches!(
        kind,
        "tool_use"
            | "tool_result"
            | "thinking"
            | "redacted_thinking"
            | "document"
            | "tool-call"
            | "tool-result"
            | "reasoning"
            | "image"
            | "input_text"
            | "output_text"
            | "toolCall"
            | "server_tool_use"
    )
}

fn read_reasoning(fields: &mut Fields, items: &mut Vec<Item>) {
    for key in ["reasoning_content", "reasoning"] {
        if let Some(text) =
            fields.take_if(key, |value| value.kind() == Kind::String && value.text() != "\"\"")
        {
            items.push(fields.text_item(text, ItemKind::Reasoning(Reasoning::default())));
        }
    }
    if let Some(details) = fields.take_if("reasoning_details", |value| value.elements().next().is_some()) {
        let kind = ItemKind::Reasoning(Reasoning { opaque: details.text().len() });
        items.push(fields.item(details, kind));
    }
}

fn read_content(fields: &Fields, content: Raw, items: &mut Vec<Item>) {
    match content.kind() {
        Kind::String if content.text() != "\"\"" => items.push(fields.text_item(content, ItemKind::Text)),
        Kind::Array => {
            for part in content.elements() {
                items.push(read_part(fields, part));
            }
        }
        Kind::Object => items.push(fields.other(content)),
        _ => {}
    }
}

fn read_part(fields: &Fields, part: Raw) -> Item {
    let kind = part.str_at("type").unwrap_or_default();
    match &*kind {
        "text" | "refusal" => match part.get(&kind).filter(|text| text.kind() == Kind::String) {
            Some(text) => fields.text_item_in(part, text, ItemKind::Text),
            None => fields.other(part),
        },
        "image_url" => {
            let url = part.get("image_url").map(|image| image.get("url").unwrap_or(image));
            media(fields, part, MediaKind::Image, url)
        }
        "input_audio" => media(fields, part, MediaKind::Audio, part.at(&["input_audio", "data"])),
        "file" => {
            let file = part.get("file");
            let bytes = file.and_then(|file| file.get("file_data").or(file.get("file_id")));
            media(fields, part, MediaKind::Document, bytes)
        }
        _ => fields.other(part),
    }
}

fn media(fields: &Fields, part: Raw, kind: MediaKind, source: Option<Raw>) -> Item {
    let Some((mime, source)) = source.and_then(|source| inline_or_remote(fields.raw, source)) else {
        return fields.other(part);
    };
    let source = match (kind, source) {
        // The API takes bare base64 here, without a data URL around it.
        (MediaKind::Audio, _) => match part.at(&["input_audio", "data"]) {
            Some(data) => MediaSource::Inline(data.span_in(fields.raw)),
            None => return fields.other(part),
        },
        (_, source) => source,
    };
    fields.item(part, ItemKind::Media(Media { kind, mime, source }))
}

fn read_calls(fields: &mut Fields, items: &mut Vec<Item>) {
    if let Some(calls) =
        fields.take_if("tool_calls", |calls| matches!(calls.kind(), Kind::Array | Kind::Null))
    {
        for call in calls.elements() {
            let id = call.str_at("id").unwrap_or_default();
            let (body, input) = match call.get("custom") {
                Some(custom) => (Some(custom), "input"),
                None => (call.get("function"), "arguments"),
            };
            let freeform = input == "input";
            items.push(match body {
                Some(body) => read_call(fields, call, body, &id, body.get(input), freeform),
                None => fields.other(call),
            });
        }
    }
    if let Some(call) = fields.take_if("function_call", |call| call.kind() == Kind::Object) {
        items.push(read_call(fields, call, call, "", call.get("arguments"), false));
    }
}

fn read_call(
    fields: &Fields,
    whole: Raw,
    body: Raw,
    id: &str,
    arguments: Option<Raw>,
    freeform: bool,
) -> Item {
    let name = body.str_at("name").unwrap_or_default().into_owned().into();
    let kind = ItemKind::Call(Call { id: id.to_string().into(), name, freeform });
    match arguments {
        Some(arguments) => fields.text_item_in(whole, arguments, kind),
        None => fields.item(whole, kind),
    }
}

fn read_result(fields: &mut Fields, items: &mut Vec<Item>) {
    let call = fields.take_str("tool_call_id").unwrap_or_default();
    let name = fields.take_str("name").map(ByteString::from);
    let kind = ItemKind::Result(CallResult { call: call.into(), name, is_error: false });
    let content = fields.take("content");
    let mut result = fields.item(Raw::trusted(fields.raw), kind);
    let mut inside = Vec::new();
    match content {
        Some(content) if content.kind() == Kind::Array => {
            for part in content.elements() {
                let item = read_part(fields, part);
                match item.kind {
                    ItemKind::Text => result.texts.extend(item.texts),
                    _ => inside.push(Item { within: Some(0), ..item }),
                }
            }
        }
        Some(content) if !content.is_null() => result.texts.push(fields.text(content)),
        _ => {}
    }
    items.push(result);
    items.extend(inside);
}

/// Ids for calls that came without one; Chat insists on them.
#[derive(Default)]
struct CallIds {
    made: usize,
    of: std::collections::HashMap<ItemId, String>,
}

impl CallIds {
    fn of_call(&mut self, id: ItemId, given: &str) -> String {
        if !given.is_empty() {
            return given.to_string();
        }
        self.made += 1;
        let made = format!("call_{}", self.made);
        self.of.insert(id, made.clone());
        made
    }
}

fn write_block(
    history: &History,
    block: &Block,
    ids: &mut CallIds,
    out: &mut Vec<String>,
    losses: &mut Losses,
) {
    match block.speaker {
        Speaker::System => out.push(write_said(history, block, "system", losses)),
        Speaker::Developer => out.push(write_said(history, block, "developer", losses)),
        Speaker::User => out.push(write_said(history, block, "user", losses)),
        Speaker::Assistant => out.extend(write_assistant(history, block, ids, losses)),
        Speaker::Results => write_results(history, block, ids, out, losses),
    }
}

fn write_said(history: &History, block: &Block, role: &str, losses: &mut Losses) -> String {
    let message = ObjectWriter::new().string("role", role);
    message.json("content", &write_parts(history, &block.items, losses)).finish()
}

/// A string for one text, else parts.
fn write_parts(history: &History, items: &[ItemId], losses: &mut Losses) -> String {
    let mut parts = Vec::new();
    let mut only_text = None;
    for id in items {
        let item = &history.items()[*id];
        match &item.kind {
            ItemKind::Text | ItemKind::Summary => {
                for text in &item.texts {
                    only_text = Some(&text.value);
                    parts.push(
                        ObjectWriter::new().string("type", "text").string("text", &text.value).finish(),
                    );
                }
            }
            ItemKind::Media(media) => match write_media(history, item, media) {
                Some(part) => parts.push(part),
                None => losses.item(item, "this kind of media"),
            },
            ItemKind::Reasoning(_) => losses.item(item, "reasoning outside an assistant message"),
            ItemKind::Other(kind) => losses.item(item, &format!("a part of type `{kind}`")),
            ItemKind::Call(_) | ItemKind::Result(_) => losses.item(item, "a call or result in this place"),
        }
    }
    match (parts.len(), only_text) {
        (1, Some(text)) => quote(text),
        _ => format!("[{}]", parts.join(",")),
    }
}

fn write_media(history: &History, item: &Item, media: &Media) -> Option<String> {
    let url = super::fields::data_url(history, item, media)?;
    let part = ObjectWriter::new();
    Some(
        match media.kind {
            MediaKind::Image => part
                .string("type", "image_url")
                .json("image_url", &ObjectWriter::new().string("url", &url).finish()),
            MediaKind::Document => part
                .string("type", "file")
                .json("file", &ObjectWriter::new().string("file_data", &url).finish()),
            MediaKind::Audio => return None,
        }
        .finish(),
    )
}

fn write_assistant(
    history: &History,
    block: &Block,
    ids: &mut CallIds,
    losses: &mut Losses,
) -> Option<String> {
    let (mut said, mut thought, mut calls) = (Vec::new(), Vec::new(), Vec::new());
    for id in &block.items {
        let item = &history.items()[*id];
        match &item.kind {
            ItemKind::Reasoning(reasoning) => {
                if reasoning.opaque > 0 {
                    losses.item(item, "the signature or encrypted content of reasoning");
                }
                thought.extend(item.texts.iter().map(|text| &*text.value));
            }
            ItemKind::Call(call) => calls.push(write_call(item, call, &ids.of_call(*id, &call.id))),
            _ => said.push(*id),
        }
    }
    if said.is_empty() && thought.is_empty() && calls.is_empty() {
        return None;
    }
    let mut message = ObjectWriter::new().string("role", "assistant");
    if !thought.is_empty() {
        message = message.string("reasoning_content", &thought.join("\n"));
    }
    let content = if said.is_empty() { "null".to_string() } else { write_parts(history, &said, losses) };
    message = message.json("content", &content);
    if !calls.is_empty() {
        message = message.array("tool_calls", calls);
    }
    Some(message.finish())
}

fn write_call(item: &Item, call: &Call, id: &str) -> String {
    let input = item.texts.first().map_or("", |text| &text.value);
    let body = ObjectWriter::new().string("name", &call.name);
    let written = ObjectWriter::new().string("id", id);
    if call.freeform {
        written.string("type", "custom").json("custom", &body.string("input", input).finish()).finish()
    } else {
        written
            .string("type", "function")
            .json("function", &body.string("arguments", input).finish())
            .finish()
    }
}

/// One message per result. Pictures cannot stand in a tool message: they follow in a user message behind all results.
fn write_results(
    history: &History,
    block: &Block,
    ids: &CallIds,
    out: &mut Vec<String>,
    losses: &mut Losses,
) {
    let mut loose = Vec::new();
    for id in &block.items {
        let item = &history.items()[*id];
        let ItemKind::Result(result) = &item.kind else {
            losses.item(item, "media inside a tool result (moved behind it, into a user message)");
            loose.push(*id);
            continue;
        };
        if result.is_error {
            losses.item(item, "the error flag of a tool result");
        }
        let made = history.pair(*id).and_then(|call| ids.of.get(&call));
        let call = made.map_or(&*result.call, |made| made);
        let message = ObjectWriter::new().string("role", "tool").string("tool_call_id", call);
        let content = match item.texts.as_slice() {
            [] => "\"\"".to_string(),
            [text] => quote(&text.value),
            texts => {
                let parts = texts.iter().map(|text| {
                    ObjectWriter::new().string("type", "text").string("text", &text.value).finish()
                });
                format!("[{}]", parts.collect::<Vec<_>>().join(","))
            }
        };
        out.push(message.json("content", &content).finish());
    }
    if !loose.is_empty() {
        let parts = write_parts(history, &loose, losses);
        if parts != "[]" {
            out.push(ObjectWriter::new().string("role", "user").json("content", &parts).finish());
        }
    }
}
