//! A history regrouped for writing: who speaks, in an order every wire format can follow.

use crate::history::History;
use crate::item::{ItemId, ItemKind, MessageId, Role};

/// Items that belong into one message of the target (results: one or several).
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Block {
    pub(super) speaker: Speaker,
    /// The first message of the history it comes from.
    pub(super) message: MessageId,
    pub(super) items: Vec<ItemId>,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Speaker {
    System,
    Developer,
    User,
    Assistant,
    /// Results of calls, with the media inside them.
    Results,
}

/// Regroups a history. Items of one assistant response form one block even if the source spread them over several
/// messages (as Responses does); results that follow each other form one block even if each had a message of its own.
/// Text after a call starts another block: no format can put it behind the call within one message and keep the order.
pub(super) fn blocks(history: &History) -> Vec<Block> {
    let mut blocks: Vec<Block> = Vec::new();
    for (id, item) in history.items().iter().enumerate() {
        let role = history.messages()[item.message].role;
        let speaker = match (&item.kind, item.within, role) {
            (ItemKind::Result(_), _, _) | (_, Some(_), _) | (_, _, Role::Tool) => Speaker::Results,
            (_, _, Role::System) => Speaker::System,
            (_, _, Role::Developer) => Speaker::Developer,
            (_, _, Role::User) => Speaker::User,
            (_, _, Role::Assistant) => Speaker::Assistant,
        };
        match blocks.last_mut() {
            Some(block) if block.speaker == speaker && joins(history, block, id) => block.items.push(id),
            _ => blocks.push(Block { speaker, message: item.message, items: vec![id] }),
        }
    }
    blocks
}

fn joins(history: &History, block: &Block, id: ItemId) -> bool {
    let item = &history.items()[id];
    match block.speaker {
        Speaker::Results => true,
        Speaker::System | Speaker::Developer | Speaker::User => item.message == block.message,
        Speaker::Assistant => {
            let has_call = block.items.iter().any(|item| history.items()[*item].call().is_some());
            item.call().is_some() || !has_call
        }
    }
}
