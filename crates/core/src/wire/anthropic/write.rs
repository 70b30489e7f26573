//! Writing Anthropic Messages.

use crate::history::History;
use crate::history::{Item, ItemId, ItemKind, Media, MediaKind, MediaSource, MessageId, Role};
use crate::json::{ObjectWriter, quote};
use crate::wire::Written;
use crate::wire::arguments;
use crate::wire::ids::Ids;
use crate::wire::losses::Losses;
use crate::wire::media::{base64_of, is_web, mime_of};
use crate::wire::plan::{Answer, Block, NO_USER, Response, Said, plan, texts};
use crate::wire::seal::Seal;
use crate::wire::turns::Turns;

/// No limit is documented for the length of ids.
const LONGEST_ID: usize = 128;

pub(super) fn write(history: &History) -> Written {
    let mut losses = Losses::default();
    let blocks = plan(history, &mut losses);
    let ids = Ids::new(history, LONGEST_ID, &mut losses);
    let mut writer = Writer { history, ids, losses, turns: Turns::new("content") };
    let is_head = |block: &Block| matches!(block, Block::Said(said) if said.role != Role::User);
    let (head, rest) = blocks.split_at(blocks.iter().take_while(|block| is_head(block)).count());
    let head = writer.head(head);
    for (nth, block) in rest.iter().enumerate() {
        match block {
            Block::Said(said) => writer.said(said, &rest[nth + 1..]),
            Block::Response(response) => writer.response(response),
        }
    }
    if writer.turns.start_with("user", || text_block(NO_USER)) {
        let first = rest.first().map_or(MessageId::FIRST, |block| block.first_message(history));
        writer.losses.added(first, "a user message before the first one, which is the assistant's");
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

impl<'h> Writer<'h> {
    /// The `system` field: a string for one text, else blocks.
    fn head(&mut self, blocks: &[Block]) -> Option<String> {
        let mut parts = Vec::new();
        for block in blocks {
            let Block::Said(said) = block else { continue };
            self.lose_developer(said);
            for id in &said.items {
                let item = self.history.item(*id);
                match item.kind {
                    ItemKind::Text | ItemKind::Summary => parts.extend(self.solid_texts(item)),
                    _ => self.lose(item),
                }
            }
        }
        match parts.as_slice() {
            [] => None,
            [text] => Some(quote(text)),
            texts => {
                Some(format!("[{}]", texts.iter().map(|text| text_block(text)).collect::<Vec<_>>().join(",")))
            }
        }
    }

    fn said(&mut self, said: &Said, next: &[Block]) {
        let role = match said.role {
            Role::System | Role::Developer if self.may_be_system(next) => {
                self.lose_developer(said);
                "system"
            }
            Role::System | Role::Developer => {
                let first = self.history.item(said.items[0]);
                self.losses.moved(first, "a system message where none may stand (it became the user's)");
                "user"
            }
            _ => "user",
        };
        for id in &said.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary | ItemKind::Result(_) => {
                    for text in self.solid_texts(item) {
                        self.turns.push(role, text_block(text));
                    }
                }
                ItemKind::Media(media) if role == "user" => match write_media(self.history, item, media) {
                    Some(block) => self.turns.push(role, block),
                    None => self.losses.item(item, "this kind of media"),
                },
                _ => self.lose(item),
            }
        }
    }

    /// System messages stand behind a user's turn, and the assistant follows (rule A24). A response of which nothing
    /// may be left, such as one of foreign reasoning alone, does not count.
    fn may_be_system(&self, next: &[Block]) -> bool {
        let mut next = next.iter().filter(|block| match block {
            Block::Said(said) => said.role == Role::User,
            Block::Response(response) => response.items.iter().any(|id| self.is_solid(*id)),
        });
        matches!(self.turns.last_role(), Some("user" | "system"))
            && matches!(next.next(), None | Some(Block::Response(_)))
    }

    fn is_solid(&self, id: ItemId) -> bool {
        let item = self.history.item(id);
        match item.kind {
            ItemKind::Call(_) => true,
            ItemKind::Text | ItemKind::Summary => item.texts.iter().any(|text| !text.value.trim().is_empty()),
            _ => false,
        }
    }

    fn response(&mut self, response: &Response) {
        for id in &response.items {
            let item = self.history.item(*id);
            match &item.kind {
                ItemKind::Text | ItemKind::Summary => {
                    for text in self.solid_texts(item) {
                        self.turns.push("assistant", text_block(text));
                    }
                }
                ItemKind::Call(call) => {
                    let block = ObjectWriter::new().string("type", "tool_use").string("id", self.ids.of(*id));
                    let input = arguments::as_object(item, &mut self.losses);
                    self.turns
                        .push("assistant", block.string("name", &call.name).json("input", &input).finish());
                }
                ItemKind::Reasoning(_) => match self.thinking(item) {
                    Some(block) => self.turns.push("assistant", block),
                    None => self.losses.item(item, "reasoning (Claude only takes back what it signed)"),
                },
                _ => self.lose(item),
            }
        }
        for answer in &response.answers {
            let block = self.answer(answer);
            self.turns.push("user", block);
        }
    }

    fn thinking(&self, item: &Item) -> Option<String> {
        let block = ObjectWriter::new();
        match Seal::of(self.history, item)? {
            Seal::ClaudeSigned(signature) => {
                let block = block.string("type", "thinking").string("thinking", &item.text());
                Some(block.string("signature", &signature).finish())
            }
            Seal::ClaudeRedacted(data) => {
                Some(block.string("type", "redacted_thinking").string("data", &data).finish())
            }
            Seal::OpenAiEncrypted(_) => None,
        }
    }

    fn answer(&mut self, answer: &Answer) -> String {
        let is_error = answer.is_error(self.history);
        let mut said = answer.texts(self.history);
        let mut parts: Vec<String> = Vec::new();
        for id in &answer.inside {
            let item = self.history.item(*id);
            let block = match &item.kind {
                ItemKind::Media(media) => write_media(self.history, item, media),
                _ => None,
            };
            match block {
                Some(block) => parts.push(block),
                None => self.lose(item),
            }
        }
        if said.len() > 1 || !parts.is_empty() {
            let result = self.history.item(answer.result.unwrap_or(answer.call));
            said = self.solid_texts(result);
        }
        if is_error && parts.is_empty() && said.iter().all(|text| text.is_empty()) {
            let message = self.history.item(answer.result.unwrap_or(answer.call)).message;
            self.losses.added(message, "a text for an error that has none");
            said = vec!["[The tool failed and said nothing.]"];
        }
        let mut block =
            ObjectWriter::new().string("type", "tool_result").string("tool_use_id", self.ids.of(answer.call));
        block = match (said.as_slice(), parts.is_empty()) {
            ([], true) => block,
            ([text], true) => block.string("content", text),
            (said, _) => block.array("content", said.iter().map(|text| text_block(text)).chain(parts)),
        };
        if is_error { block.json("is_error", "true").finish() } else { block.finish() }
    }

    /// The texts of an item that the API accepts: it refuses white space alone.
    fn solid_texts(&mut self, item: &'h Item) -> Vec<&'h str> {
        let (solid, blank): (Vec<&str>, Vec<&str>) =
            texts(self.history, item).partition(|text| !text.trim().is_empty());
        if blank.iter().any(|text| !text.is_empty()) {
            self.losses.item(item, "a text of nothing but white space");
        }
        solid
    }

    fn lose(&mut self, item: &Item) {
        self.losses.cannot_say(item);
    }

    fn lose_developer(&mut self, said: &Said) {
        if said.role == Role::Developer {
            self.losses.item(self.history.item(said.items[0]), "the role `developer` (it became `system`)");
        }
    }
}

fn text_block(text: &str) -> String {
    ObjectWriter::new().string("type", "text").string("text", text).finish()
}

fn write_media(history: &History, item: &Item, media: &Media) -> Option<String> {
    let source = match &media.source {
        MediaSource::Remote(url) if is_web(url) => {
            ObjectWriter::new().string("type", "url").string("url", url)
        }
        MediaSource::Remote(file) if file.starts_with("file_") => {
            ObjectWriter::new().string("type", "file").string("file_id", file)
        }
        MediaSource::Remote(_) => return None,
        MediaSource::Inline(_) => {
            let data = base64_of(history, item, media)?;
            let mime = mime_of(media, &data);
            if media.kind == MediaKind::Document && mime != "application/pdf" {
                return None;
            }
            ObjectWriter::new().string("type", "base64").string("media_type", &mime).string("data", &data)
        }
    };
    let kind = match media.kind {
        MediaKind::Image => "image",
        MediaKind::Document => "document",
        MediaKind::Audio => return None,
    };
    Some(ObjectWriter::new().string("type", kind).json("source", &source.finish()).finish())
}

#[cfg(test)]
mod tests {
    use crate::file::notation::parse;
    use crate::wire::{Anthropic, Wire};

    /// The response behind it came out empty, and the system message stood before a user's (rule A24).
    #[test]
    fn a_system_message_before_a_response_that_vanishes_becomes_the_users() {
        let history = parse("user: a\nsystem: b\nassistant\n  think: c\nuser: d\nassistant: e\n").unwrap();
        let written = Anthropic.write(&history);
        assert!(
            !written.messages.iter().any(|message| message.contains("\"system\"")),
            "{:?}",
            written.messages
        );
    }
}
