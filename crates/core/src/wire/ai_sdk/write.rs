//! Writing AI SDK v6 messages.

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Reasoning, Role};
use crate::json::{ObjectWriter, Raw, quote};
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::{base64_of, is_web, mime_of};
use crate::wire::plan::{Answer, Block, Response, Said, plan, texts};
use crate::wire::seal::Seal;
use crate::wire::{Messages, Written};

/// The SDK sets no limit; the providers behind it do.
const LONGEST_ID: usize = 64;

pub(super) fn write(history: &History) -> Written {
    let mut losses = Losses::default();
    let blocks = plan(history, &mut losses);
    let ids = Ids::new(history, LONGEST_ID, &mut losses);
    let mut writer = Writer { history, ids, losses, out: Messages::default() };
    for block in &blocks {
        match block {
            Block::Said(said) if said.role == Role::User => writer.user(said),
            Block::Said(said) => writer.system(said),
            Block::Response(response) => writer.response(response),
        }
    }
    Written { head: None, messages: writer.out, losses: writer.losses.into_findings() }
}

struct Writer<'h> {
    history: &'h History,
    ids: Ids,
    losses: Losses,
    out: Messages,
}

impl Writer<'_> {
    /// System messages hold one string: one message for each text.
    fn system(&mut self, said: &Said) {
        if said.role == Role::Developer {
            self.losses.item(self.history.item(said.items[0]), "the role `developer` (it became `system`)");
        }
        for id in &said.items {
            let item = self.history.item(*id);
            match item.kind {
                ItemKind::Text | ItemKind::Summary => {
                    for text in texts(self.history, item) {
                        self.message("system", &quote(text));
                    }
                }
                _ => self.losses.cannot_say(item),
            }
        }
    }

    fn user(&mut self, said: &Said) {
        let mut parts = Parts::default();
        for id in &said.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => parts.texts(self.history, item),
                ItemKind::Media(media) => self.media(item, media, media.kind == MediaKind::Image, &mut parts),
                _ => self.losses.cannot_say(item),
            }
        }
        self.parts("user", parts);
    }

    fn response(&mut self, response: &Response) {
        let mut parts = Parts::default();
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary => parts.texts(self.history, item),
                ItemKind::Reasoning(reasoning) => {
                    let part = self.reasoning(item, reasoning);
                    parts.push(part);
                }
                ItemKind::Call(_) => {
                    let part = self.call(*id);
                    parts.push(part);
                }
                ItemKind::Media(media) => self.media(item, media, false, &mut parts),
                _ => self.losses.cannot_say(item),
            }
        }
        self.parts("assistant", parts);
        let results: Vec<String> = response.answers.iter().map(|answer| self.answer(answer)).collect();
        if !results.is_empty() {
            self.message("tool", &format!("[{}]", results.join(",")));
        }
    }

    fn parts(&mut self, role: &str, parts: Parts) {
        if let Some(content) = parts.content() {
            self.message(role, &content);
        }
    }

    fn message(&mut self, role: &str, content: &str) {
        self.out.push(&ObjectWriter::new().string("role", role).json("content", content).finish());
    }

    fn reasoning(&mut self, item: &Item, reasoning: &Reasoning) -> String {
        let part = ObjectWriter::new().string("type", "reasoning").string("text", &item.text());
        match Seal::of(self.history, item) {
            Some(seal) => part.json("providerOptions", &seal.provider_options()).finish(),
            None => {
                if reasoning.opaque > 0 {
                    self.losses.item(item, "the signature or encrypted content of reasoning");
                }
                part.finish()
            }
        }
    }

    fn call(&mut self, id: ItemId) -> String {
        let item = self.history.item(id);
        let freeform = item.call().is_some_and(|call| call.freeform);
        let text = arguments::as_text(item);
        let part = ObjectWriter::new().string("type", "tool-call").string("toolCallId", self.ids.of(id));
        let part = part.string("toolName", self.history.tool(id).unwrap_or_default());
        // A string is read as free text, so only that may be one.
        if !freeform && Raw::parse(text).is_ok_and(|raw| raw.str().is_none()) {
            return part.json("input", text.trim()).finish();
        }
        if !freeform {
            self.losses.item(item, "that the input of a call was meant as JSON (it is a string)");
        }
        part.string("input", text).finish()
    }

    fn media(&mut self, item: &Item, media: &Media, as_image: bool, parts: &mut Parts) {
        let source = match &media.source {
            MediaSource::Remote(url) if is_web(url) => Some((url.to_string(), mime_of(media, ""))),
            MediaSource::Remote(_) => None,
            MediaSource::Inline(_) => {
                base64_of(self.history, item, media).map(|data| (data.to_string(), mime_of(media, &data)))
            }
        };
        let Some((source, mime)) = source else { return self.losses.cannot_say(item) };
        let (kind, key) = if as_image { ("image", "image") } else { ("file", "data") };
        let part = ObjectWriter::new().string("type", kind).string(key, &source);
        // For a picture on the web nobody knows the type; for a file the SDK insists on one.
        let unknown = as_image && media.mime.is_none() && matches!(media.source, MediaSource::Remote(_));
        parts.push(if unknown { part.finish() } else { part.string("mediaType", &mime).finish() });
    }

    fn answer(&mut self, answer: &Answer) -> String {
        let is_error = answer.is_error(self.history);
        let output = match (answer.texts(self.history).as_slice(), answer.inside.as_slice()) {
            ([], []) => tagged(is_error, "text", &quote("")),
            ([text], []) if answer.json(self.history).is_some() => tagged(is_error, "json", text),
            ([text], []) => tagged(is_error, "text", &quote(text)),
            (said, inside) => {
                if is_error {
                    let item = self.history.item(answer.result.unwrap_or(answer.call));
                    self.losses.item(item, "the error flag of a tool result of several parts");
                }
                let mut parts: Vec<String> = said.iter().map(|text| text_part(text)).collect();
                parts.extend(inside.iter().filter_map(|id| self.inside(*id)));
                ObjectWriter::new().string("type", "content").array("value", parts).finish()
            }
        };
        let part =
            ObjectWriter::new().string("type", "tool-result").string("toolCallId", self.ids.of(answer.call));
        let part = part.string("toolName", self.history.tool(answer.call).unwrap_or_default());
        part.json("output", &output).finish()
    }

    fn inside(&mut self, id: ItemId) -> Option<String> {
        let item = self.history.item(id);
        let ItemKind::Media(media) = &item.kind else {
            self.losses.cannot_say(item);
            return None;
        };
        let is_image = media.kind == MediaKind::Image;
        let part = match &media.source {
            MediaSource::Remote(url) if is_web(url) => {
                let kind = if is_image { "image-url" } else { "file-url" };
                ObjectWriter::new().string("type", kind).string("url", url)
            }
            MediaSource::Remote(id) => {
                let kind = if is_image { "image-file-id" } else { "file-id" };
                ObjectWriter::new().string("type", kind).string("fileId", id)
            }
            MediaSource::Inline(_) => {
                let Some(data) = base64_of(self.history, item, media) else {
                    self.losses.cannot_say(item);
                    return None;
                };
                let kind = if is_image { "image-data" } else { "file-data" };
                let part = ObjectWriter::new().string("type", kind).string("data", &data);
                part.string("mediaType", &mime_of(media, &data))
            }
        };
        Some(part.finish())
    }
}

fn tagged(is_error: bool, kind: &str, value: &str) -> String {
    let kind = if is_error { format!("error-{kind}") } else { kind.to_string() };
    ObjectWriter::new().string("type", &kind).json("value", value).finish()
}

fn text_part(text: &str) -> String {
    ObjectWriter::new().string("type", "text").string("text", text).finish()
}

/// The parts of a message; a lone text is written as a string.
#[derive(Default)]
struct Parts {
    parts: Vec<String>,
    only_text: Option<String>,
}

impl Parts {
    fn texts(&mut self, history: &History, item: &Item) {
        for text in texts(history, item) {
            self.push(text_part(text));
            self.only_text = (self.parts.len() == 1).then(|| quote(text));
        }
    }

    fn push(&mut self, part: String) {
        self.parts.push(part);
        self.only_text = None;
    }

    fn content(self) -> Option<String> {
        match (self.parts.len(), self.only_text) {
            (0, _) => None,
            (_, Some(text)) => Some(text),
            (_, None) => Some(format!("[{}]", self.parts.join(","))),
        }
    }
}
