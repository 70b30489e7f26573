//! Writing messages of pi-agent-core.
//!
//! pi keeps with each message when it was said, and with each answer which model gave it and what it cost. Other formats do not
//! say, and nothing is made up: times are 0, names are empty, costs are none. An answer of a model without a name is no
//! model's own to pi, which then sends its reasoning as text.

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Role, Slot};
use crate::json::{ObjectWriter, quote};
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::{base64_of, mime_of};
use crate::wire::plan::{Answer, Block, Response, Said, plan, texts};
use crate::wire::{Messages, Written};

/// No limit is known: pi makes ids short for the providers that want them short.
const LONGEST_ID: usize = 128;

const NO_USAGE: &str = r#"{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"totalTokens":0,"cost":{"input":0,"output":0,"cacheRead":0,"cacheWrite":0,"total":0}}"#;

pub(super) fn write(history: &History) -> Written {
    let mut losses = Losses::default();
    let blocks = plan(history, &mut losses);
    let ids = Ids::new(history, LONGEST_ID, &mut losses);
    let mut writer = Writer { history, ids, losses, head: None, out: Messages::default() };
    for block in &blocks {
        match block {
            Block::Said(said) => writer.said(said),
            Block::Response(response) => writer.response(response),
        }
    }
    Written { head: writer.head, messages: writer.out, losses: writer.losses.into_findings() }
}

/// A message of the user with this content.
pub(super) fn user(content: &str) -> String {
    let message = ObjectWriter::new().string("role", "user").json("content", content);
    message.json("timestamp", "0").finish()
}

struct Writer<'h> {
    history: &'h History,
    ids: Ids,
    losses: Losses,
    head: Option<String>,
    out: Messages,
}

impl Writer<'_> {
    fn said(&mut self, said: &Said) {
        let first = self.history.item(said.items[0]);
        if said.role != Role::User {
            // The prompt that stands beside the list is one text.
            if let (Slot::Head, None, [id]) = (said.slot, &self.head, said.items.as_slice())
                && let (ItemKind::Text, [text]) =
                    (&self.history.item(*id).kind, &*self.history.item(*id).texts)
            {
                self.head = Some(quote(&text.value));
                return;
            }
            self.losses.moved(first, "a system message in the list (it became the user's)");
        }
        let parts = self.parts(&said.items);
        let only = match said.items.as_slice() {
            [id] => texts(self.history, self.history.item(*id)).collect::<Vec<_>>(),
            _ => Vec::new(),
        };
        match (parts.as_slice(), only.as_slice()) {
            ([], _) => {}
            ([_], [text]) => self.out.push(&user(&quote(text))),
            (parts, _) => self.out.push(&user(&format!("[{}]", parts.join(",")))),
        }
    }

    /// Texts and pictures.
    fn parts(&mut self, items: &[ItemId]) -> Vec<String> {
        let mut parts = Vec::new();
        for id in items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                    parts.extend(texts(self.history, item).map(text_part));
                }
                ItemKind::Media(media) => match image(self.history, item, media) {
                    Some(part) => parts.push(part),
                    None => self.losses.cannot_say(item),
                },
                _ => self.losses.cannot_say(item),
            }
        }
        parts
    }

    fn response(&mut self, response: &Response) {
        let mut parts = Vec::new();
        let mut calls = false;
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary => {
                    parts.extend(texts(self.history, item).map(text_part));
                }
                ItemKind::Reasoning(reasoning) => {
                    if reasoning.opaque > 0 {
                        self.losses.item(item, "the signature or encrypted content of reasoning");
                    }
                    let thoughts = texts(self.history, item);
                    parts.extend(thoughts.map(|text| {
                        ObjectWriter::new().string("type", "thinking").string("thinking", text).finish()
                    }));
                }
                ItemKind::Call(call) => {
                    calls = true;
                    let part = ObjectWriter::new().string("type", "toolCall").string("id", self.ids.of(*id));
                    let input = arguments::as_object(item, &mut self.losses);
                    parts.push(part.string("name", &call.name).json("arguments", &input).finish());
                }
                _ => self.losses.cannot_say(item),
            }
        }
        if !parts.is_empty() {
            let message = ObjectWriter::new().string("role", "assistant").array("content", parts);
            let message = message.string("api", "").string("provider", "").string("model", "");
            let message = message.json("usage", NO_USAGE);
            let message = message.string("stopReason", if calls { "toolUse" } else { "stop" });
            self.out.push(&message.json("timestamp", "0").finish());
        }
        for answer in &response.answers {
            self.answer(answer);
        }
    }

    fn answer(&mut self, answer: &Answer) {
        let mut parts: Vec<String> = answer.texts(self.history).into_iter().map(text_part).collect();
        parts.extend(self.parts(&answer.inside));
        let tool = self.history.tool(answer.call).unwrap_or_default();
        let message = ObjectWriter::new().string("role", "toolResult");
        let message = message.string("toolCallId", self.ids.of(answer.call)).string("toolName", tool);
        let is_error = if answer.is_error(self.history) { "true" } else { "false" };
        let message = message.array("content", parts).json("isError", is_error);
        self.out.push(&message.json("timestamp", "0").finish());
    }
}

fn text_part(text: &str) -> String {
    ObjectWriter::new().string("type", "text").string("text", text).finish()
}

/// Pictures whose bytes are there; pi has no other media.
fn image(history: &History, item: &Item, media: &Media) -> Option<String> {
    if media.kind != MediaKind::Image || matches!(media.source, MediaSource::Remote(_)) {
        return None;
    }
    let data = base64_of(history, item, media)?;
    let mime = mime_of(media, &data);
    Some(ObjectWriter::new().string("type", "image").string("data", &data).string("mimeType", &mime).finish())
}
