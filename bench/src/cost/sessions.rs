//! Sessions that are replayed.

use std::fs;
use std::path::{Path, PathBuf};

use enfold::count::{Encoding, Tally};
use enfold::file::read_bytes;
use enfold_replay::{Figures, Half, Origin, Recorded, Setting, Way, half_of, on_all_cores, replay};

use crate::Failure;

/// Shorter sessions say nothing.
const FEWEST_REQUESTS: usize = 10;

/// Sessions that are larger than a window.
pub(super) struct Corpus {
    pub(super) window: usize,
    pub(super) sessions: Vec<Recorded>,
    pub(super) halves: Vec<Half>,
}

/// One session one way.
#[derive(Clone)]
pub(super) struct Outcome {
    pub(super) half: Half,
    /// Its cost against sending everything, without look-ups and with them.
    pub(super) relative: f64,
    pub(super) with_lookups: f64,
    pub(super) figures: Figures,
}

/// All sessions one way.
pub(super) struct WayOutcomes {
    pub(super) way: String,
    pub(super) outcomes: Vec<Outcome>,
}

impl Corpus {
    /// Those of `dev` that are larger than a window and a quarter.
    pub(super) fn over(window: usize) -> Result<Corpus, Failure> {
        Corpus::of(files(&folder()?.join("dev"))?, window)
    }

    /// Those of `native` that are, and that `dev` does not have: nothing was chosen by them.
    pub(super) fn others_over(window: usize) -> Result<Corpus, Failure> {
        let known: Vec<String> = files(&folder()?.join("dev"))?.iter().filter_map(|path| id(path)).collect();
        let mut others = Vec::new();
        for path in files(&folder()?.join("native"))? {
            let bytes = fs::read(&path)?;
            let start = String::from_utf8_lossy(&bytes[..bytes.len().min(LOOKED_AT)]);
            let name = path.to_string_lossy();
            if !known.iter().any(|id| name.contains(id) || start.contains(id)) {
                others.push(path);
            }
        }
        Corpus::of(others, window)
    }

    fn of(files: Vec<PathBuf>, window: usize) -> Result<Corpus, Failure> {
        let (mut origins, mut sessions) = (Vec::new(), Vec::new());
        for path in files {
            // Among logs of agents are some that are broken on purpose.
            let Ok(document) = read_bytes(fs::read(&path)?) else {
                eprintln!("left out, nothing can be read: {}", path.display());
                continue;
            };
            let counter = std::sync::Arc::new(Encoding::O200k);
            let tokens = Tally::of(&document.history, counter, Default::default()).total();
            let recorded = Recorded::new(document);
            if tokens * 4 > window * 5 && recorded.requests().len() >= FEWEST_REQUESTS {
                origins.push(Origin { file: path.to_string_lossy().into_owned(), project: None });
                sessions.push(recorded);
            }
        }
        Ok(Corpus { window, halves: half_of(&origins), sessions })
    }

    /// Every session every way; the first way is what the others are measured against.
    pub(super) fn replay(&self, ways: &[Way], setting: &Setting) -> Vec<WayOutcomes> {
        let done = on_all_cores(&self.sessions, |session| {
            ways.iter().map(|way| replay(session, way, setting, |_| {})).collect::<Vec<Figures>>()
        });
        let of_way = |(nth, way): (usize, &Way)| {
            let outcomes = done.iter().zip(&self.halves).map(|(figures, half)| {
                let (against, figures) = (figures[0].cost.max(1.0), figures[nth].clone());
                let with_lookups = (figures.cost + figures.lookup_cost) / against;
                Outcome { half: *half, relative: figures.cost / against, with_lookups, figures }
            });
            WayOutcomes { way: way.name().to_string(), outcomes: outcomes.collect() }
        };
        ways.iter().enumerate().map(of_way).collect()
    }
}

/// Where a log names its session, in bytes from its beginning.
const LOOKED_AT: usize = 20_000;

/// The id in `project__id.jsonl`; those that are words say nothing.
fn id(path: &Path) -> Option<String> {
    let (_, id) = path.file_stem()?.to_str()?.split_once("__")?;
    id.contains(|letter: char| letter.is_ascii_digit()).then(|| id.to_string())
}

/// The folder of real sessions.
pub(super) fn folder() -> Result<PathBuf, Failure> {
    let folder =
        std::env::var("ENFOLD_SESSIONS").map_err(|_| "set ENFOLD_SESSIONS to a folder of real sessions")?;
    Ok(folder.into())
}

/// The files of a folder and below, by name.
pub(super) fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files = Vec::new();
    for entry in fs::read_dir(folder)? {
        let path = entry?.path();
        if path.is_dir() {
            files.extend(self::files(&path)?);
        } else {
            files.push(path);
        }
    }
    files.sort();
    Ok(files)
}
