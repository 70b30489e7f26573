//! Cache markers: A21 to A23.

use super::blocks::Message;
use super::{Around, beside};
use crate::finding::Place;
use crate::json::{Kind, Raw};
use crate::validate::report::Report;
use crate::validate::values::{is, pick, text, what};

/// Most markers a request may carry.
const MOST: usize = 4;

pub(super) fn check(around: &Around, messages: &[Message], report: &mut Report) {
    let mut markers = Markers { count: 0, short: None, report };
    for (nth, tool) in around.request.tools.into_iter().flat_map(Raw::elements).enumerate() {
        markers.block(tool, &|| beside(format!("tools.{nth}.cache_control")));
    }
    for (nth, block) in around.request.head.into_iter().flat_map(Raw::elements).enumerate() {
        markers.block(block, &|| beside(format!("system.{nth}.cache_control")));
    }
    for block in messages.iter().flat_map(|message| &message.blocks) {
        markers.wire_block(block);
    }
    // The automatic marker moves to the last block by itself, so it counts but has no place in the order.
    markers.count += usize::from(around.request.field("cache_control").is_some());
    if markers.count > MOST {
        let found = format!("{} markers; the most is {MOST}", markers.count);
        report.error("A21", beside("cache_control"), found, "keep the last ones, remove the others");
    }
}

struct Markers<'r> {
    count: usize,
    /// Where the first marker of 5 minutes stands.
    short: Option<String>,
    report: &'r mut Report,
}

impl Markers<'_> {
    /// A tool, a system block or a part of a tool result.
    fn block(&mut self, block: Raw, place: &dyn Fn() -> Place) {
        let [marker, kind, body] = pick(block, ["cache_control", "type", "text"]);
        if let Some(marker) = marker {
            let is_empty =
                text(kind).as_deref() == Some("text") && text(body).is_some_and(|text| text.is_empty());
            self.marker(marker, is_empty, place());
        }
    }

    fn wire_block(&mut self, block: &super::blocks::Block) {
        if let Some(marker) = block.cache_control {
            let place = block.place(".cache_control");
            if block.is_thinking() {
                let found = format!("`{}` takes no `cache_control`", block.kind);
                self.report.error("A22", place, found, "put the marker on another block");
            } else {
                self.marker(marker, block.kind == "text" && block.text.as_deref() == Some(""), place);
            }
        }
        if block.is_result() {
            for (nth, part) in block.content.into_iter().flat_map(Raw::elements).enumerate() {
                self.block(part, &|| block.place(&format!(".content.{nth}.cache_control")));
            }
        }
        for (nth, part) in block.citations.into_iter().flat_map(Raw::elements).enumerate() {
            if pick(part, ["cache_control"])[0].is_some() {
                let place = block.place(&format!(".citations.{nth}.cache_control"));
                self.report.error(
                    "A22",
                    place,
                    "a citation takes no `cache_control`",
                    "put the marker on its block",
                );
            }
        }
    }

    fn marker(&mut self, marker: Raw, on_empty_text: bool, place: Place) {
        self.count += 1;
        if on_empty_text {
            self.report.error("A22", place.clone(), "a marker on an empty text", "put it on another block");
        }
        let [kind, ttl] = pick(marker, ["type", "ttl"]);
        if !is(Some(marker), Kind::Object) || text(kind).as_deref() != Some("ephemeral") {
            let found = format!("a marker is {{\"type\":\"ephemeral\"}}; this is {}", what(Some(marker)));
            self.report.error("A28", place, found, "use type `ephemeral`");
            return;
        }
        match text(ttl).as_deref() {
            Some("1h") => {
                if let Some(short) = &self.short {
                    let found = format!("a marker of 1h after the one of 5m at {short}");
                    self.report.error("A23", place, found, "give it 5m, or give the earlier ones 1h");
                }
            }
            Some("5m") => self.set_short(place),
            None if ttl.is_none() => self.set_short(place),
            _ => self.report.error("A28", place, "`ttl` is neither 5m nor 1h", "use `5m` or `1h`"),
        }
    }

    fn set_short(&mut self, place: Place) {
        if self.short.is_none() {
            self.short = place.field;
        }
    }
}
