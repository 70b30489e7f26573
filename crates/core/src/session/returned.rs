//! Markers that come back: a model that has seen `[12 lines #482913077]` writes it into a file. Views give no occasion (calls
//! are never edited), and should it happen all the same it is noticed before anybody runs the call.

use std::collections::BTreeSet;

use super::{Event, Session};
use crate::history::{Item, MessageId};
use crate::json::Raw;
use crate::text::arguments::strings;
use crate::view::changes::Changes;
use crate::view::fold::Handle;
use crate::view::marks::{copied, handles};

impl Session {
    /// What was noticed about the messages that came in since this was last asked. What nobody asks for comes with the
    /// events of the next view.
    pub fn noticed(&mut self) -> Vec<Event> {
        std::mem::take(&mut self.noticed)
    }

    /// Looks for markers of ours in the calls of a message. O(its calls).
    pub(super) fn notice(&mut self, message: MessageId) {
        if self.originals.is_empty() && self.shown.is_empty() {
            return;
        }
        let items = self.history().items_of(message).iter();
        let returned = items.flat_map(|item| self.returned(message, item)).collect::<Vec<_>>();
        self.noticed.extend(returned);
    }

    fn returned(&self, message: MessageId, item: &Item) -> Vec<Event> {
        let Some(call) = item.call() else { return Vec::new() };
        let found: BTreeSet<Handle> = item.texts.iter().flat_map(|text| markers(&text.value)).collect();
        let ours = found.into_iter().filter(|handle| self.gave_out(*handle));
        ours.map(|handle| Event::MarkerReturned {
            message: message.number(),
            tool: call.name.to_string(),
            call_id: call.id.to_string(),
            handle,
        })
        .collect()
    }

    /// Whether a view of this session has shown the handle.
    fn gave_out(&self, handle: Handle) -> bool {
        self.originals.contains_key(&handle) || self.shown.contains(&handle)
    }
}

/// The handles that a view shows where it differs from its history.
pub(super) fn shown(changes: &Changes) -> BTreeSet<Handle> {
    let texts = changes.texts().map(|(_, _, text)| text);
    let inserted = changes.inserted().map(|inserted| inserted.text.as_str());
    texts.chain(inserted).flat_map(handles).collect()
}

/// The markers in a call's arguments, string by string; in what is no JSON, line by line.
fn markers(arguments: &str) -> Vec<Handle> {
    // Nearly no call has one, and looking costs less than taking it apart.
    if handles(arguments).next().is_none() {
        return Vec::new();
    }
    match strings(arguments) {
        places if places.is_empty() => copied(arguments).collect(),
        places => {
            let texts = places.into_iter().filter_map(|place| Raw::trusted(&arguments[place]).str());
            texts.flat_map(|text| copied(&text).collect::<Vec<_>>()).collect()
        }
    }
}
