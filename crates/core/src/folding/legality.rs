//! What a provider would refuse about a view.

use bytestring::ByteString;

use crate::finding::{Finding, Place, Severity};
use crate::history::Slot;
use crate::json::Raw;
use crate::validate::{Request, validate};
use crate::view::View;
use crate::wire::Wire;

/// The errors of a view. A view without a message is one, whatever the format says.
pub(crate) fn faults(view: &View, wire: &dyn Wire) -> Vec<Finding> {
    let kept: Vec<(Slot, ByteString)> = view.changes().sequence(view.history(), 0).collect();
    let slot = |slot: Slot| {
        let messages = kept.iter().filter(move |(is, _)| *is == slot);
        messages.map(|(_, raw)| Raw::trusted(raw))
    };
    let head = slot(Slot::Head).next();
    let request = Request { head, messages: slot(Slot::List).collect(), ..Request::default() };
    let mut faults = validate(wire.name(), &request);
    faults.retain(|finding| finding.severity == Severity::Error);
    if request.messages.is_empty() {
        faults.push(Finding::new(Severity::Error, Place::default(), "nothing is left to send"));
    }
    faults
}
