//! The picture of a session: how its tokens grew message by message, and when it touched which file.
//!
//! Every drawing has the messages from left to right over its full width, so that they line up below each other.
//! Drawings are stretched to the page; strokes are not.

use std::collections::BTreeMap;
use std::fmt::Write;
use std::ops::RangeInclusive;

use serde::Serialize;

use super::Inspection;
use super::files::FileShare;
use crate::parts::Part;

/// Columns of the picture. Longer sessions have several messages in a column.
const COLUMNS: usize = 400;

/// Neighbouring messages.
#[derive(Debug, Serialize)]
pub struct Column {
    /// Numbers of the first and the last message.
    pub messages: (usize, usize),
    pub role: &'static str,
    pub turn: u32,
    pub step: Option<u32>,
    /// Tokens by part.
    pub parts: BTreeMap<&'static str, usize>,
    pub tokens: usize,
    /// What the responses in it cost, where that is known.
    pub dollars: f64,
}

/// The columns of a session.
pub fn columns(seen: &Inspection) -> Vec<Column> {
    let size = seen.messages.len().div_ceil(COLUMNS).max(1);
    let column = |rows: &[super::steps::MessageRow]| {
        let mut parts = BTreeMap::new();
        for row in rows {
            let inside: usize = row.parts.values().sum();
            for (part, tokens) in &row.parts {
                *parts.entry(*part).or_default() += tokens;
            }
            *parts.entry(Part::Overhead.name()).or_default() += row.tokens - inside;
        }
        Column {
            messages: (rows[0].message, rows[rows.len() - 1].message),
            role: rows[0].role,
            turn: rows[0].turn,
            step: rows.iter().find_map(|row| row.step),
            tokens: rows.iter().map(|row| row.tokens).sum(),
            // A response is the message behind those that were sent.
            dollars: paid(seen, rows[0].message..=rows[rows.len() - 1].message),
            parts,
        }
    };
    seen.messages.chunks(size).map(column).collect()
}

fn paid(seen: &Inspection, messages: RangeInclusive<usize>) -> f64 {
    let responses = seen.money.iter().flat_map(|money| &money.responses);
    let inside = responses.filter(|response| messages.contains(&(response.sent + 1)));
    inside.map(|response| response.dollars).sum()
}

/// Tokens so far, stacked by part: 1000 wide, 100 high.
pub fn growth(columns: &[Column]) -> String {
    let total: usize = columns.iter().map(|column| column.tokens).sum();
    let width = 1000.0 / columns.len().max(1) as f64;
    let mut floor = vec![0usize; columns.len() + 1];
    let mut svg = String::from("<svg viewBox='0 0 1000 100' preserveAspectRatio='none' aria-hidden='true'>");
    for part in Part::ALL {
        let mut sum = 0;
        let mut roof = vec![floor[0]];
        for (nth, column) in columns.iter().enumerate() {
            sum += column.parts.get(part.name()).copied().unwrap_or(0);
            roof.push(floor[nth + 1] + sum);
        }
        if sum == 0 {
            continue;
        }
        let y = |tokens: usize| 100.0 - 100.0 * tokens as f64 / total.max(1) as f64;
        let mut path = String::new();
        for (nth, tokens) in roof.iter().enumerate() {
            let _ = write!(
                path,
                "{}{:.1} {:.2}",
                if nth == 0 { 'M' } else { 'L' },
                nth as f64 * width,
                y(*tokens)
            );
        }
        for (nth, tokens) in floor.iter().enumerate().rev() {
            let _ = write!(path, "L{:.1} {:.2}", nth as f64 * width, y(*tokens));
        }
        let _ = write!(svg, "<path class='fill {}' d='{path}Z'/>", class(part.name()));
        floor = roof;
    }
    svg + "</svg>"
}

/// Tokens of each column, stacked by part: 1000 wide, 100 high.
pub fn bars(columns: &[Column]) -> String {
    let most = columns.iter().map(|column| column.tokens).max().unwrap_or(0).max(1);
    let width = 1000.0 / columns.len().max(1) as f64;
    let mut svg = String::from("<svg viewBox='0 0 1000 100' preserveAspectRatio='none' aria-hidden='true'>");
    for (nth, column) in columns.iter().enumerate() {
        let mut bottom = 100.0;
        for part in Part::ALL {
            let tokens = column.parts.get(part.name()).copied().unwrap_or(0);
            let height = 100.0 * tokens as f64 / most as f64;
            if height < 0.05 {
                continue;
            }
            bottom -= height;
            let (x, w) = (nth as f64 * width, width * if columns.len() > 150 { 1.0 } else { 0.8 });
            let _ = write!(
                svg,
                "<rect class='fill {}' x='{x:.2}' y='{bottom:.2}' width='{w:.2}' height='{height:.2}'/>",
                class(part.name())
            );
        }
    }
    svg + "</svg>"
}

/// When a file was read and changed.
pub fn lane(file: &FileShare, messages: usize) -> String {
    let mut svg = String::from("<svg viewBox='0 0 1000 20' preserveAspectRatio='none' aria-hidden='true'>");
    for access in &file.accesses {
        let x = 1000.0 * (access.message as f64 - 0.5) / messages.max(1) as f64;
        let (kind, top) = match access.verb {
            "read" if access.repeated => ("again", 5),
            "read" => ("read", 5),
            "edit" | "create" | "delete" | "move" | "copy" => ("write", 1),
            _ => ("seen", 8),
        };
        let _ = write!(svg, "<path class='tick {kind}' d='M{x:.1} {top}V{}'/>", 20 - top);
    }
    svg + "</svg>"
}

/// The class that gives a part its colour.
pub fn class(part: &str) -> String {
    format!("p-{}", part.split(' ').next().unwrap_or(part))
}
