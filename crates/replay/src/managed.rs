//! What becomes of messages on their way into requests.

use std::collections::BTreeSet;

use bytestring::ByteString;
use enfold::history::{History, MessageId, Slot};
use enfold::view::fold::Handle;
use enfold::view::original::Original;
use enfold::{Cache, HandleKey, Session};

use crate::recorded::Recorded;
use crate::setting::Setting;
use crate::way::Way;

/// A session on its way.
pub(crate) enum Managed {
    Everything { list: Vec<ByteString>, head: Option<ByteString>, sent: usize },
    Session(Box<Folded>),
}

/// A session with a policy.
pub(crate) struct Folded {
    session: Session,
    /// Which message of the recorded session each of its messages is.
    places: Vec<usize>,
    /// The handles that stand in the view.
    handles: BTreeSet<Handle>,
    /// Messages of the view that were searched for handles.
    searched: usize,
    /// Agents that compact by themselves have none.
    has_handles: bool,
}

impl Managed {
    pub(crate) fn new(recorded: &Recorded, way: &Way, setting: &Setting) -> Managed {
        let document = &recorded.document;
        let (Way::Policy(policy) | Way::Compaction(policy)) = way else {
            return Managed::Everything { list: Vec::new(), head: None, sent: 0 };
        };
        let session = Session::new(document.wire, policy.clone(), setting.limit)
            .with_window(setting.window)
            // Nobody opens these handles, and two replays must give the same bytes.
            .with_handles(HandleKey::new(b"replay", "replay"))
            .with_around(document.around())
            .counting_with(setting.counter.clone(), setting.image);
        let has_handles = matches!(way, Way::Policy(_));
        let (places, handles) = Default::default();
        Managed::Session(Box::new(Folded { session, places, handles, searched: 0, has_handles }))
    }

    /// The next message of the recorded session.
    pub(crate) fn push(&mut self, place: MessageId, slot: Slot, raw: &ByteString) {
        match (self, slot) {
            (Managed::Everything { list, .. }, Slot::List) => list.push(raw.clone()),
            (Managed::Everything { head, .. }, Slot::Head) => *head = Some(raw.clone()),
            (Managed::Session(folded), slot) => {
                let pushed = match slot {
                    Slot::List => folded.session.push(raw.clone()),
                    Slot::Head => folded.session.push_head(raw.clone()),
                };
                // What is no message of the format stands in a file and is never sent.
                if pushed.is_ok() {
                    folded.places.push(place.index());
                }
            }
        }
    }

    /// Whether an epoch was opened; nothing where what must stay does not fit.
    pub(crate) fn prepare(&mut self, is_cold: bool) -> Option<bool> {
        let Managed::Session(folded) = self else { return Some(false) };
        let cache = if is_cold { Cache::Cold } else { Cache::Warm };
        let is_opened = folded.session.prepare(cache).ok()?.opened.is_some();
        folded.find_handles(is_opened);
        Some(is_opened)
    }

    /// The request: its head, its messages, and how many of these are known to be those of the request before.
    pub(crate) fn view(&mut self) -> (Option<&ByteString>, &[ByteString], usize) {
        match self {
            Managed::Everything { list, head, sent } => {
                let known = std::mem::replace(sent, list.len());
                (head.as_ref(), list, known)
            }
            // That a session keeps to what it sent is to be found out.
            Managed::Session(folded) => (folded.session.head(), folded.session.view(), 0),
        }
    }

    /// Whether a handle in the view leads to this message of the recorded session.
    pub(crate) fn reaches(&self, place: usize) -> bool {
        let Managed::Session(folded) = self else { return false };
        let Ok(message) = folded.places.binary_search(&place) else { return false };
        let opens = |handle: &Handle| {
            let original = folded.session.originals().get(handle);
            original.is_some_and(|it| is_of(it, folded.session.history(), MessageId::new(message)))
        };
        folded.has_handles && folded.handles.iter().any(opens)
    }
}

impl Folded {
    /// Looks for handles in what the view has more than the last time; in all of it where it was made anew.
    fn find_handles(&mut self, is_anew: bool) {
        if is_anew {
            (self.handles, self.searched) = Default::default();
        }
        let view = self.session.view();
        for message in &view[self.searched..] {
            let marks = message.match_indices('#').filter_map(|(at, _)| message.get(at..at + HANDLE));
            self.handles.extend(marks.filter_map(Handle::parse));
        }
        self.searched = view.len();
    }
}

/// Bytes of a handle: a mark and nine digits.
const HANDLE: usize = 10;

/// Whether an original is a message, or something of it.
fn is_of(original: &Original, history: &History, message: MessageId) -> bool {
    match original {
        Original::Text { item, .. } | Original::Item(item) => {
            history.get_item(*item).is_some_and(|item| item.message == message)
        }
        Original::Messages(messages) => messages.contains(&message),
        Original::Stretch(messages) => messages.contains(&message),
        Original::Gone(_) => false,
    }
}
