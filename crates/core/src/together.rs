//! Which messages may only leave a view together.

use crate::formats::Wire;
use crate::item::{ItemKind, MessageId, Role};
use crate::view::View;

/// The messages of a view in groups that stay or leave together, oldest first: the messages of a step; any other by
/// itself. Where the format is strict about turns, the words a model ends with stay with the user's next message:
/// without that message the model's next calls would follow its own words.
pub fn together(view: &View, wire: &dyn Wire) -> Vec<Vec<MessageId>> {
    let history = view.history();
    let mut groups: Vec<Vec<MessageId>> = Vec::new();
    let mut open = Open::Nothing;
    for (id, message) in history.messages().iter().enumerate() {
        if view.changes().is_dropped(id) {
            continue;
        }
        let items = history.items_of(id);
        let step = items.iter().find_map(|item| item.step);
        let has_results = items.iter().any(|item| matches!(item.kind, ItemKind::Result(_)));
        let joins = match open {
            Open::Nothing => false,
            Open::Step(open) => step == Some(open) || (has_results && step.is_none()),
            Open::Words => wire.shape().strict_turns && message.role == Role::User && !has_results,
        };
        match groups.last_mut() {
            Some(group) if joins => group.push(id),
            _ => groups.push(vec![id]),
        }
        open = match step {
            Some(step) => Open::Step(step),
            None if message.role == Role::Assistant => Open::Words,
            None => Open::Nothing,
        };
    }
    groups
}

/// What the next message may belong to.
enum Open {
    Nothing,
    Step(u32),
    Words,
}
