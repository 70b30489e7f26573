//! Whether a view breaks a provider's rule that its history does not.

use std::collections::BTreeMap;

use bytestring::ByteString;

use crate::finding::Severity;
use crate::formats::Wire;
use crate::item::Slot;
use crate::json::Raw;
use crate::validate::{Request, validate};
use crate::view::View;

/// How often each rule is broken, and the first way in which.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults(BTreeMap<&'static str, (usize, String)>);

impl Faults {
    /// The rules that a view breaks.
    pub(crate) fn of(view: &View, wire: &dyn Wire) -> Faults {
        let all = view.history().messages().iter().enumerate();
        let kept: Vec<(Slot, ByteString)> =
            all.filter_map(|(id, message)| Some((message.slot, view.message(id)?))).collect();
        let slot = |slot: Slot| {
            let messages = kept.iter().filter(move |(is, _)| *is == slot);
            messages.map(|(_, raw)| Raw::trusted(raw))
        };
        let head = slot(Slot::Head).next();
        let request = Request { head, messages: slot(Slot::List).collect(), ..Request::default() };
        let mut faults = Faults::default();
        if request.messages.is_empty() {
            faults.0.insert("empty", (1, "nothing is left to send".into()));
        }
        for finding in validate(wire.name(), &request) {
            if let (Severity::Error, Some(rule)) = (finding.severity, finding.rule) {
                faults.0.entry(rule).or_insert_with(|| (0, finding.to_string())).0 += 1;
            }
        }
        faults
    }

    /// The first rule broken more often than in `known`.
    pub(crate) fn beyond(self, known: &Faults) -> Option<String> {
        let more = |(rule, (times, _)): &(&'static str, (usize, String))| {
            *times > known.0.get(rule).map_or(0, |(times, _)| *times)
        };
        self.0.into_iter().find(more).map(|(_, (_, what))| what)
    }
}
