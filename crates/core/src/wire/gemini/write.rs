//! Writing Gemini contents.

use super::read::wrapped;
use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Media, MediaSource, MessageId, Role};
use crate::json::{Kind, ObjectWriter, Raw, quote};
use crate::wire::Written;
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::{base64_of, mime_of};
use crate::wire::plan::{Answer, Block, NO_USER, Response, Said, plan, texts};
use crate::wire::turns::Turns;

/// The API sets no limit.
const LONGEST_ID: usize = 128;

/// What the API wants in place of a signature on calls that its model did not make.
const UNSIGNED: &str = "skip_thought_signature_validator";

pub(super) fn write(history: &History) -> Written {
    let mut losses = Losses::default();
    let blocks = plan(history, &mut losses);
    let ids = Ids::new(history, LONGEST_ID, &mut losses);
    let mut writer = Writer { history, ids, losses, turns: Turns::new("parts") };
    let is_head = |block: &Block| matches!(block, Block::Said(said) if said.role != Role::User);
    let (head, rest) = blocks.split_at(blocks.iter().take_while(|block| is_head(block)).count());
    let head = writer.head(head);
    for block in rest {
        match block {
            Block::Said(said) => writer.said(said),
            Block::Response(response) => writer.response(response),
        }
    }
    if writer.turns.start_with("user", || text_part(NO_USER)) {
        let first = rest.first().map_or(MessageId::FIRST, |block| block.first_message(history));
        writer.losses.added(first, "a user message before the first one, which is the model's");
    }
    let messages = writer.turns.into_messages();
    Written { head, messages, losses: writer.losses.into_findings() }
}

struct Writer<'h> {
    history: &'h History,
    ids: Ids,
    losses: Losses,
    turns: Turns,
}

impl Writer<'_> {
    fn head(&mut self, blocks: &[Block]) -> Option<String> {
        let mut parts = Vec::new();
        for block in blocks {
            let Block::Said(said) = block else { continue };
            if said.role == Role::Developer {
                self.losses
                    .item(self.history.item(said.items[0]), "the role `developer` (it became `system`)");
            }
            for id in &said.items {
                let item = self.history.item(*id);
                match item.kind {
                    ItemKind::Text | ItemKind::Summary => {
                        parts.extend(full_texts(self.history, item).map(text_part))
                    }
                    _ => self.losses.cannot_say(item),
                }
            }
        }
        (!parts.is_empty()).then(|| ObjectWriter::new().array("parts", parts).finish())
    }

    fn said(&mut self, said: &Said) {
        if said.role != Role::User {
            let first = self.history.item(said.items[0]);
            self.losses.moved(first, "a system message in the middle (it became the user's)");
        }
        for id in &said.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                    for text in full_texts(self.history, item) {
                        self.turns.push("user", text_part(text));
                    }
                }
                _ => self.push_media(item, "user"),
            }
        }
    }

    fn response(&mut self, response: &Response) {
        let mut needs_signature = self.is_current(response);
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary => {
                    for text in full_texts(self.history, item) {
                        self.turns.push("model", text_part(text));
                    }
                }
                ItemKind::Reasoning(reasoning) => {
                    if reasoning.opaque > 0 {
                        self.losses.item(item, "the signature or encrypted content of reasoning");
                    }
                    for text in full_texts(self.history, item) {
                        let part = ObjectWriter::new().string("text", text).json("thought", "true");
                        self.turns.push("model", part.finish());
                    }
                }
                ItemKind::Call(call) => {
                    let args = arguments::as_object(item, &mut self.losses);
                    let body = ObjectWriter::new().string("id", self.ids.of(*id)).string("name", &call.name);
                    let mut part =
                        ObjectWriter::new().json("functionCall", &body.json("args", &args).finish());
                    if std::mem::take(&mut needs_signature) {
                        part = part.string("thoughtSignature", UNSIGNED);
                        self.losses.changed(item, "a call of the current turn is marked as unsigned");
                    }
                    self.turns.push("model", part.finish());
                }
                _ => self.push_media(item, "model"),
            }
        }
        for answer in &response.answers {
            let part = self.answer(answer);
            self.turns.push("user", part);
        }
    }

    /// Signatures are checked on the first call of each step of the current turn.
    fn is_current(&self, response: &Response) -> bool {
        response.items.first().is_some_and(|id| self.history.item(*id).turn == self.history.turns())
    }

    fn push_media(&mut self, item: &Item, role: &'static str) {
        let part = match &item.kind {
            ItemKind::Media(media) => write_media(self.history, item, media),
            _ => None,
        };
        match part {
            Some(part) => self.turns.push(role, part),
            None => self.losses.cannot_say(item),
        }
    }

    fn answer(&mut self, answer: &Answer) -> String {
        let body = ObjectWriter::new().string("id", self.ids.of(answer.call));
        let mut body = body.string("name", self.history.tool(answer.call).unwrap_or_default());
        body = body.json("response", &self.response_object(answer));
        let inside: Vec<String> = answer.inside.iter().filter_map(|id| self.inside(*id)).collect();
        if !inside.is_empty() {
            body = body.array("parts", inside);
        }
        ObjectWriter::new().json("functionResponse", &body.finish()).finish()
    }

    /// An object stays one; texts are wrapped.
    fn response_object(&self, answer: &Answer) -> String {
        let texts = answer.texts(self.history);
        let is_error = answer.is_error(self.history);
        if let (Some(json), false) = (answer.json(self.history), is_error)
            && Raw::trusted(json).kind() == Kind::Object
            && wrapped(Raw::trusted(json)).is_none()
        {
            return json.to_string();
        }
        let value = match texts.as_slice() {
            [] => quote(""),
            [text] => quote(text),
            texts => format!("[{}]", texts.iter().map(|text| quote(text)).collect::<Vec<_>>().join(",")),
        };
        ObjectWriter::new().json(if is_error { "error" } else { "output" }, &value).finish()
    }

    fn inside(&mut self, id: ItemId) -> Option<String> {
        let item = self.history.item(id);
        let part = match &item.kind {
            ItemKind::Media(media) => write_media(self.history, item, media),
            _ => None,
        };
        if part.is_none() {
            self.losses.cannot_say(item);
        }
        part
    }
}

/// The API refuses empty parts.
fn full_texts<'h>(history: &'h History, item: &'h Item) -> impl Iterator<Item = &'h str> {
    texts(history, item).filter(|text| !text.is_empty())
}

fn text_part(text: &str) -> String {
    ObjectWriter::new().string("text", text).finish()
}

fn write_media(history: &History, item: &Item, media: &Media) -> Option<String> {
    Some(match &media.source {
        MediaSource::Remote(url) if url.contains("://") => {
            let file = ObjectWriter::new().string("mimeType", &mime_of(media, "")).string("fileUri", url);
            ObjectWriter::new().json("fileData", &file.finish()).finish()
        }
        MediaSource::Remote(_) => return None,
        MediaSource::Inline(_) => {
            let data = base64_of(history, item, media)?;
            let blob = ObjectWriter::new().string("mimeType", &mime_of(media, &data)).string("data", &data);
            ObjectWriter::new().json("inlineData", &blob.finish()).finish()
        }
    })
}
