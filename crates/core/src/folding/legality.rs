//! What a provider would refuse about a view.

use bytestring::ByteString;

use crate::finding::{Finding, Place, Severity};
use crate::folding::passes::Cx;
use crate::history::{MessageId, Slot};
use crate::json::Raw;
use crate::validate::Baseline;
use crate::view::View;

/// The history as it would be sent unfolded, in its whole request.
pub(crate) fn baseline(view: &View, cx: &Cx) -> Baseline {
    let slot = |slot: Slot| {
        let messages = view.history().message_ids().zip(view.history().messages());
        let messages = messages.filter(move |(id, it)| it.slot == slot && !view.history().is_rubble(*id));
        messages.map(|(_, message)| Raw::trusted(&message.raw))
    };
    let request = cx.around.request(slot(Slot::Head).next(), slot(Slot::List).collect());
    Baseline::of(cx.wire.name(), &request)
}

/// The errors of a view, in its whole request, that are not those of its history. A view without a message is one,
/// whatever the format says.
pub(crate) fn new_faults(view: &View, cx: &Cx, baseline: &Baseline) -> Vec<Finding> {
    let kept: Vec<(Slot, ByteString)> = view.changes().sequence(view.history(), MessageId::FIRST).collect();
    let slot = |slot: Slot| {
        let messages = kept.iter().filter(move |(is, _)| *is == slot);
        messages.map(|(_, raw)| Raw::trusted(raw))
    };
    let request = cx.around.request(slot(Slot::Head).next(), slot(Slot::List).collect());
    let mut faults = baseline.beyond(&request, &view.changes().origins(view.history()));
    if request.messages.is_empty() {
        faults.push(Finding::new(Severity::Error, Place::default(), "nothing is left to send"));
    }
    faults
}
