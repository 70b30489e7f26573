//! What can be said about a session without reading much of it.

use std::fs::File;
use std::path::{Path, PathBuf};

use enfold::count::models::Table;
use enfold::count::money::Money;
use enfold::file;
use enfold::file::document::Document;
use serde_json::Value;

use super::Found;
use crate::commands::ledger;
use crate::input::{self, Input};
use crate::inspect::first_words;
use crate::unpack;

/// What a list says about a session.
#[derive(Debug, Default)]
pub struct Glance {
    /// Bytes on disk, packed where it is packed.
    pub size: u64,
    /// The first words of its task.
    pub task: Option<String>,
    /// The folder it worked in.
    pub project: Option<String>,
    /// What the provider's reports come to.
    pub cost: Cost,
}

/// What a session cost.
#[derive(Debug, Default, PartialEq)]
pub enum Cost {
    /// In US dollars, at list prices.
    Dollars(f64),
    /// It reports no usage, or nobody knows its model's prices.
    #[default]
    Unknown,
    /// It was too large to be read for a list.
    NotRead,
}

/// The beginning of a session: who asked for what, where.
const HEAD: u64 = 256 * 1024;

/// A session up to this size is read whole for what it cost.
const WHOLE: u64 = 16 * 1024 * 1024;

/// How much more there is in a packed one.
const PACKED: u64 = 8;

/// Glances at many: all of them together read no more than this, so that a list is there at once.
pub struct Glances {
    left: u64,
    models: Table,
}

impl Glances {
    /// Before the first.
    pub fn new(models: Table) -> Glances {
        Glances { left: 3 * WHOLE, models }
    }

    /// The next one.
    pub fn at(&mut self, found: &Found) -> Glance {
        let size = size(&found.path);
        let head = head(&found.path).unwrap_or_default();
        let document = file::read_bytes(head.clone()).ok();
        let task = document.as_ref().and_then(|document| ledger::of(document).task);
        Glance {
            size,
            task: task.map(|task| first_words(&task)).filter(|task| !task.is_empty()),
            project: project(&head),
            cost: self.cost(&found.path, size),
        }
    }

    fn cost(&mut self, path: &Path, size: u64) -> Cost {
        let work = if path.extension().is_some_and(|end| end == "zst") { size * PACKED } else { size };
        if work > WHOLE || work > self.left {
            return Cost::NotRead;
        }
        self.left -= work;
        let bytes = input::read_bytes(&Input::Path(path.to_path_buf())).ok();
        let document = bytes.and_then(|bytes| file::read_bytes(bytes).ok());
        document.and_then(|document| self.dollars(&document)).map_or(Cost::Unknown, Cost::Dollars)
    }

    fn dollars(&self, document: &Document) -> Option<f64> {
        let model = self.models.resolve(document.model.as_ref()?).model;
        let prices = model.prices.filter(|_| !document.usage.is_empty())?;
        Some(Money::of_all(&document.usage, &prices).total())
    }
}

fn size(path: &Path) -> u64 {
    let of = |path: &PathBuf| std::fs::metadata(path).map_or(0, |about| about.len());
    match path.is_dir() {
        true => events(path).iter().map(of).sum(),
        false => of(&path.to_path_buf()),
    }
}

/// The events of a folder in order.
fn events(folder: &Path) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).into_iter().flatten().flatten();
    let mut events: Vec<PathBuf> = entries.map(|entry| entry.path()).collect();
    events.sort();
    events
}

/// The beginning, unpacked, up to the end of a line. A session that is one value is read whole, if it is small.
fn head(path: &Path) -> Option<Vec<u8>> {
    if path.is_dir() {
        let first = events(path).into_iter().take(8).filter_map(|event| std::fs::read(event).ok());
        return Some(first.map(one_line).collect::<Vec<_>>().concat());
    }
    let mut head = unpack::read_start(File::open(path).ok()?, HEAD).ok()?;
    if (head.len() as u64) < HEAD {
        return Some(head);
    }
    let starts_a_list_of_lines = head.split(|byte| *byte == b'\n').next().is_some_and(is_value);
    if !starts_a_list_of_lines {
        return whole(path);
    }
    let end = head.iter().rposition(|byte| *byte == b'\n')?;
    head.truncate(end + 1);
    Some(head)
}

fn whole(path: &Path) -> Option<Vec<u8>> {
    (size(path) <= WHOLE).then(|| input::read_bytes(&Input::Path(path.to_path_buf())).ok())?
}

fn is_value(line: &[u8]) -> bool {
    serde_json::from_slice::<serde::de::IgnoredAny>(line).is_ok()
}

fn one_line(event: Vec<u8>) -> Vec<u8> {
    let mut line: Vec<u8> =
        event.into_iter().map(|byte| if matches!(byte, b'\n' | b'\r') { b' ' } else { byte }).collect();
    line.push(b'\n');
    line
}

/// The last part of the folder that it worked in.
fn project(head: &[u8]) -> Option<String> {
    let folder = folder(head)?;
    let name = folder.trim_end_matches(['/', '\\']).rsplit(['/', '\\']).next()?;
    Some(name.to_string()).filter(|name| !name.is_empty())
}

/// The folder that a session worked in, where its first lines name it.
pub fn folder(session: &[u8]) -> Option<String> {
    let lines = session.split(|byte| *byte == b'\n').take(20);
    let values = lines.filter_map(|line| serde_json::from_slice::<Value>(line).ok());
    values.into_iter().find_map(|value| {
        let places = ["/cwd", "/payload/cwd", "/data/context/cwd"];
        places.iter().find_map(|place| value.pointer(place)?.as_str().map(String::from))
    })
}
