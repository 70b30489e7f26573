//! Writing OpenAI Chat messages.

use crate::history::History;
use crate::history::{Call, Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Role};
use crate::json::{ObjectWriter, quote};
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::{base64_of, data_url, is_web};
use crate::wire::plan::{Answer, Block, Response, Said, plan, texts};
use crate::wire::{Messages, Written};

const LONGEST_ID: usize = 40;

pub(super) fn write(history: &History) -> Written {
    let mut losses = Losses::default();
    let blocks = plan(history, &mut losses);
    let ids = Ids::new(history, LONGEST_ID, &mut losses);
    let mut writer = Writer { history, ids, losses, out: Messages::default(), loose: Vec::new() };
    for block in &blocks {
        match block {
            Block::Said(said) => writer.said(said),
            Block::Response(response) => writer.response(response),
        }
    }
    writer.say_loose();
    Written { head: None, messages: writer.out, losses: writer.losses.into_findings() }
}

struct Writer<'h> {
    history: &'h History,
    ids: Ids,
    losses: Losses,
    out: Messages,
    /// What stood in tool results and is no text, until the next user message takes it.
    loose: Vec<ItemId>,
}

impl Writer<'_> {
    fn said(&mut self, said: &Said) {
        if said.role != Role::User {
            self.say_loose();
        }
        let mut items = std::mem::take(&mut self.loose);
        items.extend(&said.items);
        self.say(said.role, &items);
    }

    fn say_loose(&mut self) {
        let loose = std::mem::take(&mut self.loose);
        self.say(Role::User, &loose);
    }

    fn say(&mut self, role: Role, items: &[ItemId]) {
        if let Some(content) = self.content(items) {
            let message = ObjectWriter::new().string("role", role.name());
            self.out.push(&message.json("content", &content).finish());
        }
    }

    /// A string for one text, else parts; nothing for nothing.
    fn content(&mut self, items: &[ItemId]) -> Option<String> {
        let mut parts = Vec::new();
        let mut only_text = None;
        for id in items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                    for text in texts(self.history, item) {
                        only_text = Some(text);
                        parts.push(text_part(text));
                    }
                }
                ItemKind::Media(media) => match write_media(self.history, item, media) {
                    Some(part) => parts.push(part),
                    None => self.losses.cannot_say(item),
                },
                _ => self.losses.cannot_say(item),
            }
        }
        match (parts.len(), only_text) {
            (0, _) => None,
            (1, Some(text)) => Some(quote(text)),
            _ => Some(format!("[{}]", parts.join(","))),
        }
    }

    fn response(&mut self, response: &Response) {
        self.say_loose();
        let (mut said, mut thought, mut calls) = (Vec::new(), Vec::new(), Vec::new());
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Reasoning(reasoning) => {
                    if reasoning.opaque > 0 {
                        self.losses.item(item, "the signature or encrypted content of reasoning");
                    }
                    thought.extend(texts(self.history, item));
                }
                ItemKind::Call(call) => calls.push(write_call(item, call, self.ids.of(*id))),
                ItemKind::Media(_) => self.losses.cannot_say(item),
                _ => said.push(*id),
            }
        }
        self.report_order(&response.items, thought.len());
        let content = self.content(&said);
        if content.is_some() || !thought.is_empty() || !calls.is_empty() {
            let mut message = ObjectWriter::new().string("role", "assistant");
            if !thought.is_empty() {
                message = message.string("reasoning_content", &thought.join("\n"));
            }
            message = message.json("content", content.as_deref().unwrap_or("null"));
            if !calls.is_empty() {
                message = message.array("tool_calls", calls);
            }
            self.out.push(&message.finish());
        }
        self.answers(&response.answers);
    }

    /// A message has one place each for reasoning, text and calls, in this order.
    fn report_order(&mut self, items: &[ItemId], thoughts: usize) {
        let rank = |id: &ItemId| match self.history.item(*id).kind {
            ItemKind::Reasoning(_) => 0,
            ItemKind::Call(_) => 2,
            _ => 1,
        };
        if !items.is_sorted_by_key(rank) {
            for id in items {
                self.losses
                    .moved(self.history.item(*id), "reasoning, text and calls of a response (in this order)");
            }
        }
        if thoughts > 1 {
            for item in items.iter().map(|id| self.history.item(*id)) {
                if matches!(item.kind, ItemKind::Reasoning(_)) {
                    self.losses.item(item, "the border between two pieces of reasoning");
                }
            }
        }
    }

    /// One message per result. Pictures cannot stand in a tool message: they follow in a user message behind all results.
    fn answers(&mut self, answers: &[Answer]) {
        for answer in answers {
            let item = self.history.item(answer.result.unwrap_or(answer.call));
            if answer.is_error(self.history) {
                self.losses.item(item, "the error flag of a tool result");
            }
            let content = match answer.texts(self.history).as_slice() {
                [] => quote(""),
                [text] => quote(text),
                texts => {
                    format!("[{}]", texts.iter().map(|text| text_part(text)).collect::<Vec<_>>().join(","))
                }
            };
            let message =
                ObjectWriter::new().string("role", "tool").string("tool_call_id", self.ids.of(answer.call));
            self.out.push(&message.json("content", &content).finish());
            if !answer.inside.is_empty() {
                self.losses.moved(
                    item,
                    "what stood in a tool result and is no text (behind it, into a user message)",
                );
                self.loose.extend(&answer.inside);
            }
        }
    }
}

fn text_part(text: &str) -> String {
    ObjectWriter::new().string("type", "text").string("text", text).finish()
}

fn write_call(item: &Item, call: &Call, id: &str) -> String {
    let (kind, input) = if call.freeform { ("custom", "input") } else { ("function", "arguments") };
    let body =
        ObjectWriter::new().string("name", &call.name).string(input, arguments::as_text(item)).finish();
    ObjectWriter::new().string("id", id).string("type", kind).json(kind, &body).finish()
}

fn write_media(history: &History, item: &Item, media: &Media) -> Option<String> {
    let (kind, body) = match (media.kind, &media.source) {
        (MediaKind::Image, MediaSource::Remote(url)) if !is_web(url) => return None,
        (MediaKind::Image, _) => {
            ("image_url", ObjectWriter::new().string("url", &data_url(history, item, media)?))
        }
        (MediaKind::Document, MediaSource::Remote(file)) if file.starts_with("file-") => {
            ("file", ObjectWriter::new().string("file_id", file))
        }
        (MediaKind::Document, MediaSource::Inline(_)) => {
            let data = data_url(history, item, media)?;
            ("file", ObjectWriter::new().string("filename", "document").string("file_data", &data))
        }
        (MediaKind::Audio, MediaSource::Inline(_)) => {
            let format = media.mime.as_deref().and_then(|mime| mime.strip_prefix("audio/")).unwrap_or("wav");
            let data = base64_of(history, item, media)?;
            ("input_audio", ObjectWriter::new().string("data", &data).string("format", format))
        }
        (_, MediaSource::Remote(_)) => return None,
    };
    Some(ObjectWriter::new().string("type", kind).json(kind, &body.finish()).finish())
}
