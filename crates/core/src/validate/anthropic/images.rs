//! Images: A25.

use super::blocks::Message;
use super::{Around, beside};
use crate::count::media::{Pixels, pixels};
use crate::finding::{Place, Severity};
use crate::json::Raw;
use crate::validate::report::Report;
use crate::validate::values::{pick, text};

/// Most images on any model.
const MOST: usize = 600;
/// Most images where the window is 200,000 tokens.
const MOST_SMALL: usize = 100;
/// Above this many images each must be smaller.
const MANY: usize = 20;
/// Longest side of an image, and of one among many.
const SIDE: u32 = 8000;
const SIDE_OF_MANY: u32 = 2000;

pub(super) fn check(around: &Around, messages: &[Message], report: &mut Report) {
    let mut images: Vec<(Option<Pixels>, Place)> = Vec::new();
    for block in messages.iter().flat_map(|message| &message.blocks) {
        if block.kind == "image" {
            images.push((size(block.source), block.place("")));
        }
        let parts = block.content.into_iter().filter(|_| block.is_result()).flat_map(Raw::elements);
        for (nth, part) in parts.enumerate() {
            let [kind, source] = pick(part, ["type", "source"]);
            if text(kind).as_deref() == Some("image") {
                images.push((size(source), block.place(&format!(".content.{nth}"))));
            }
        }
    }
    check_count(around, images.len(), report);
    check_sizes(images, report);
}

fn check_count(around: &Around, count: usize, report: &mut Report) {
    let most = around.model.as_ref().map(|model| model.most_images());
    let severity = if count > most.unwrap_or(MOST) { Severity::Error } else { Severity::Warning };
    if count > most.unwrap_or(MOST_SMALL) {
        let found = match most {
            Some(most) => format!("{count} images; this model takes {most}"),
            None => format!(
                "{count} images; models take {MOST}, those with a window of 200,000 tokens {MOST_SMALL}"
            ),
        };
        report.add(severity, "A25", beside("messages"), found, "fold the oldest images");
    }
}

fn check_sizes(images: Vec<(Option<Pixels>, Place)>, report: &mut Report) {
    let count = images.len();
    let most = if count > MANY { SIDE_OF_MANY } else { SIDE };
    for (size, place) in images {
        let Some(Pixels { width, height }) = size.filter(|size| size.width.max(size.height) > most) else {
            continue;
        };
        let found = format!("{width} × {height} pixels; among {count} images a side has at most {most}");
        report.error("A25", place, found, "make the image smaller, or fold images until few are left");
    }
}

/// The size of an image whose bytes stand in the request.
fn size(source: Option<Raw>) -> Option<Pixels> {
    let [kind, bytes] = pick(source?, ["type", "data"]);
    text(kind).filter(|kind| kind == "base64").and(text(bytes)).and_then(|bytes| pixels(&bytes))
}
