//! Writing OpenAI Responses items.

use crate::history::History;
use crate::history::{Call, Item, ItemId, ItemKind, Media, MediaKind, MediaSource, Slot};
use crate::json::{ObjectWriter, quote};
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::data_url;
use crate::wire::plan::{Answer, Block, Response, Said, plan, texts};
use crate::wire::seal::Seal;
use crate::wire::{Messages, Written};

const LONGEST_ID: usize = 64;

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

struct Writer<'h> {
    history: &'h History,
    ids: Ids,
    losses: Losses,
    head: Option<String>,
    out: Messages,
}

impl Writer<'_> {
    fn said(&mut self, said: &Said) {
        // A prompt that had a field of its own gets one, unless it is more than the one text the field holds.
        if let (Slot::Head, None, [id]) = (said.slot, &self.head, said.items.as_slice())
            && let (ItemKind::Text, [text]) = (&self.history.item(*id).kind, &*self.history.item(*id).texts)
        {
            self.head = Some(quote(&text.value));
            return;
        }
        let mut parts = Vec::new();
        for id in &said.items {
            self.part(*id, "input_text", &mut parts);
        }
        self.message(said.role.name(), parts);
    }

    fn response(&mut self, response: &Response) {
        let mut parts = Vec::new();
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Call(call) => {
                    self.message("assistant", std::mem::take(&mut parts));
                    self.out.push(&write_call(item, call, self.ids.of(*id)));
                }
                ItemKind::Reasoning(_) => {
                    self.message("assistant", std::mem::take(&mut parts));
                    self.reasoning(item);
                }
                ItemKind::Media(_) => self.losses.cannot_say(item),
                _ => self.part(*id, "output_text", &mut parts),
            }
        }
        self.message("assistant", parts);
        for answer in &response.answers {
            self.answer(answer);
        }
    }

    fn reasoning(&mut self, item: &Item) {
        let Some(Seal::OpenAiEncrypted(content)) = Seal::of(self.history, item) else {
            return self.losses.item(item, "reasoning (OpenAI only takes back what it encrypted)");
        };
        let summary = texts(self.history, item).map(|text| text_part("summary_text", text));
        let written = ObjectWriter::new().string("type", "reasoning").array("summary", summary);
        self.out.push(&written.string("encrypted_content", &content).finish());
    }

    fn message(&mut self, role: &str, parts: Vec<String>) {
        if !parts.is_empty() {
            let message = ObjectWriter::new().string("type", "message").string("role", role);
            self.out.push(&message.array("content", parts).finish());
        }
    }

    fn part(&mut self, id: ItemId, text_type: &str, parts: &mut Vec<String>) {
        let item = self.history.item(id);
        match &item.kind {
            ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                parts.extend(texts(self.history, item).map(|text| text_part(text_type, text)));
            }
            ItemKind::Media(media) => match write_media(self.history, item, media) {
                Some(part) => parts.push(part),
                None => self.losses.cannot_say(item),
            },
            _ => self.losses.cannot_say(item),
        }
    }

    fn answer(&mut self, answer: &Answer) {
        if answer.is_error(self.history) {
            let item = self.history.item(answer.result.unwrap_or(answer.call));
            self.losses.item(item, "the error flag of a tool result");
        }
        let mut parts = Vec::new();
        for id in &answer.inside {
            self.part(*id, "input_text", &mut parts);
        }
        let freeform = self.history.item(answer.call).call().is_some_and(|call| call.freeform);
        let kind = if freeform { "custom_tool_call_output" } else { "function_call_output" };
        let written = ObjectWriter::new().string("type", kind).string("call_id", self.ids.of(answer.call));
        let written = match (answer.texts(self.history).as_slice(), parts.is_empty()) {
            ([], true) => written.string("output", ""),
            ([text], true) => written.string("output", text),
            (said, _) => {
                written.array("output", said.iter().map(|text| text_part("input_text", text)).chain(parts))
            }
        };
        self.out.push(&written.finish());
    }
}

fn text_part(kind: &str, text: &str) -> String {
    ObjectWriter::new().string("type", kind).string("text", text).finish()
}

fn write_call(item: &Item, call: &Call, id: &str) -> String {
    let (kind, input) =
        if call.freeform { ("custom_tool_call", "input") } else { ("function_call", "arguments") };
    let written = ObjectWriter::new().string("type", kind).string("call_id", id).string("name", &call.name);
    written.string(input, arguments::as_text(item)).finish()
}

fn write_media(history: &History, item: &Item, media: &Media) -> Option<String> {
    let url = data_url(history, item, media)?;
    let is_file = matches!(&media.source, MediaSource::Remote(id) if id.starts_with("file-"));
    if matches!(&media.source, MediaSource::Remote(url) if !is_file && !crate::wire::media::is_web(url)) {
        return None;
    }
    let (kind, key) = match (media.kind, &media.source) {
        (MediaKind::Audio, _) => return None,
        (MediaKind::Image, _) if is_file => ("input_image", "file_id"),
        (MediaKind::Image, _) => ("input_image", "image_url"),
        (MediaKind::Document, _) if is_file => ("input_file", "file_id"),
        (MediaKind::Document, MediaSource::Remote(_)) => ("input_file", "file_url"),
        (MediaKind::Document, MediaSource::Inline(_)) => ("input_file", "file_data"),
    };
    let written = ObjectWriter::new().string("type", kind);
    // The API refuses inline files without a name.
    let written = if key == "file_data" { written.string("filename", "document") } else { written };
    Some(written.string(key, &url).finish())
}
