//! What names and lines are worth, from where and how often they stand in the history.

use std::collections::HashMap;
use std::hash::{BuildHasherDefault, Hasher};

use super::analysis::Group;
use super::weights::{self, Sight, Weights};
use crate::count::sheet::{Name, SheetLine};
use crate::text::names::NameKind;

/// Number of a name or line key in the tables of one analysis.
pub(super) type Id = u32;

/// No line key: blank lines and blobs are worth nothing and repeat nothing.
pub(super) const NO_KEY: Id = Id::MAX;

/// Everything seen so far.
pub(super) struct Worth {
    names: HashMap<u64, Id, BuildHasherDefault<Hashed>>,
    kinds: Vec<NameKind>,
    seen_names: Vec<Seen>,
    keys: HashMap<u64, Id, BuildHasherDefault<Hashed>>,
    seen_keys: Vec<Seen>,
    /// What was said, in order: the pages of a group stand together.
    pages: Vec<Said>,
    /// Pages that were not read, as far as they are counted.
    unread: usize,
}

/// The names and lines of one page while it is read: what somebody said in one go, a response of the model, a result, a text of
/// the user. Formats part these into messages each in its own way; what they are worth does not depend on that.
#[derive(Default)]
pub(super) struct Page {
    names: Vec<Id>,
    keys: Vec<Id>,
    lines: u32,
}

/// A page that was read.
struct Said {
    /// Its names, each once.
    names: Vec<Id>,
    by_assistant: bool,
}

/// What was seen of a name or a line, over the whole history.
#[derive(Clone, Copy)]
struct Seen {
    /// Age of the newest group it stands in.
    age: f64,
    by_assistant: bool,
    occurrences: u32,
    /// The fewest names (lines) of a page it stands in: among few, each one matters more.
    company: u32,
    /// Pages it stands in.
    pages: u32,
}

/// For keys that are hashes themselves.
#[derive(Default)]
struct Hashed(u64);

impl Hasher for Hashed {
    fn finish(&self) -> u64 {
        self.0
    }

    fn write(&mut self, bytes: &[u8]) {
        self.0 = bytes.iter().fold(self.0, |hash, byte| hash.rotate_left(8) ^ u64::from(*byte));
    }

    fn write_u64(&mut self, hash: u64) {
        self.0 = hash;
    }
}

impl Worth {
    pub(super) fn new() -> Worth {
        Worth {
            names: HashMap::default(),
            kinds: Vec::new(),
            seen_names: Vec::new(),
            keys: HashMap::default(),
            seen_keys: Vec::new(),
            pages: Vec::new(),
            unread: 0,
        }
    }

    /// So many pages are there and not read.
    pub(super) fn pass_over(&mut self, pages: usize) {
        self.unread += pages;
    }

    /// Pages that were read.
    pub(super) fn pages(&self) -> usize {
        self.pages.len()
    }

    /// The numbers of names that stand in one line.
    pub(super) fn names<'a>(
        &'a mut self,
        names: &'a [Name],
        page: &'a mut Page,
    ) -> impl Iterator<Item = Id> + 'a {
        names.iter().map(|name| {
            let id = *self.names.entry(name.hash).or_insert_with(|| {
                self.kinds.push(name.kind);
                self.seen_names.push(Seen::never());
                (self.kinds.len() - 1) as Id
            });
            page.names.push(id);
            id
        })
    }

    /// The number of a line's key.
    pub(super) fn key(&mut self, line: &SheetLine, page: &mut Page) -> Id {
        page.lines += 1;
        let Some(hash) = line.key else { return NO_KEY };
        let id = *self.keys.entry(hash).or_insert_with(|| {
            self.seen_keys.push(Seen::never());
            (self.seen_keys.len() - 1) as Id
        });
        if line.length >= weights::SHORTEST_LINE {
            page.keys.push(id);
        }
        id
    }

    /// A page was read to its end.
    pub(super) fn turn(&mut self, page: Page, age: f64, by_assistant: bool) {
        let Page { mut names, mut keys, lines } = page;
        names.sort_unstable();
        let company = names.chunk_by(|a, b| a == b).count() as u32;
        for same in names.chunk_by(|a, b| a == b) {
            self.seen_names[same[0] as usize].add(age, by_assistant, same.len() as u32, company);
        }
        keys.sort_unstable();
        keys.dedup();
        for id in keys {
            self.seen_keys[id as usize].add(age, by_assistant, 1, lines);
        }
        names.dedup();
        self.pages.push(Said { names, by_assistant });
    }

    pub(super) fn name_values(&self, weights: &Weights) -> Vec<f64> {
        let mut powers = SeenPowers::default();
        let value = |(seen, kind): (&Seen, &NameKind)| {
            let by_kind = match kind {
                NameKind::Path => weights.path,
                NameKind::Number => weights.number,
                NameKind::Identifier => 1.0,
            };
            let common = if seen.pages > 3 { weights.common } else { 1.0 };
            seen.value(&weights.names, &mut powers) * by_kind * common
        };
        self.seen_names.iter().zip(&self.kinds).map(value).collect()
    }

    pub(super) fn key_values(&self, weights: &Weights) -> Vec<f64> {
        let mut powers = SeenPowers::default();
        let value = |seen: &Seen| match seen.pages {
            0 => 0.0,
            _ => seen.value(&weights.lines, &mut powers),
        };
        self.seen_keys.iter().map(value).collect()
    }

    /// Per name, whether the last responses used it.
    pub(super) fn recent_names(&self, groups: &[Group]) -> Vec<bool> {
        let mut recent = vec![false; self.kinds.len()];
        for group in groups.iter().filter(|group| group.age < weights::RECENT) {
            let responses = self.pages[group.pages.clone()].iter().filter(|page| page.by_assistant);
            for name in responses.flat_map(|page| &page.names) {
                recent[*name as usize] = true;
            }
        }
        recent
    }

    /// How rare a name is that stands in so many pages.
    pub(super) fn rarities(&self) -> Vec<f64> {
        let count = (self.pages.len() + self.unread) as f64 + 1.0;
        let most = self.seen_names.iter().map(|seen| seen.pages).max().unwrap_or(0);
        (0..=most).map(|pages| (count / f64::from(pages.max(1))).ln()).collect()
    }

    /// The greatest share, over a group's pages, of names that the last responses used too; rare ones count more.
    pub(super) fn affinity(&self, group: &Group, recent: &[bool], rarities: &[f64]) -> f64 {
        let rarity = |name: &Id| rarities[self.seen_names[*name as usize].pages as usize];
        let share = |page: &Said| {
            let (mut all, mut shared) = (0.0, 0.0);
            for name in &page.names {
                let rarity = rarity(name);
                all += rarity;
                shared += if recent[*name as usize] { rarity } else { 0.0 };
            }
            if all > 0.0 { shared / all } else { 0.0 }
        };
        self.pages[group.pages.clone()].iter().map(share).fold(0.0, f64::max)
    }
}

impl Seen {
    fn never() -> Seen {
        Seen { age: f64::INFINITY, by_assistant: false, occurrences: 0, company: u32::MAX, pages: 0 }
    }

    fn add(&mut self, age: f64, by_assistant: bool, occurrences: u32, company: u32) {
        self.age = age;
        self.by_assistant |= by_assistant;
        self.occurrences += occurrences;
        self.company = self.company.min(company.max(1));
        self.pages += 1;
    }

    fn value(&self, sight: &Sight, powers: &mut SeenPowers) -> f64 {
        let spoken = if self.by_assistant { sight.assistant } else { 1.0 };
        sight.worth
            * powers.ages.of(1.0 + self.age, -sight.age)
            * powers.occurrences.of(f64::from(self.occurrences.max(1)), sight.occurrences)
            * powers.companies.of(f64::from(self.company.max(1)), -sight.company)
            * spoken
    }
}

/// Powers that [`Seen::value`] has found before: thousands of names are as old, as frequent or among as many as others.
#[derive(Default)]
struct SeenPowers {
    ages: Powers,
    occurrences: Powers,
    companies: Powers,
}

/// Powers of whole numbers with one exponent.
#[derive(Default)]
struct Powers {
    known: Vec<f64>,
}

impl Powers {
    /// Numbers from here on are rare.
    const KNOWN: usize = 1 << 12;

    fn of(&mut self, number: f64, exponent: f64) -> f64 {
        let at = number as usize;
        if at >= Powers::KNOWN {
            return number.powf(exponent);
        }
        if at >= self.known.len() {
            self.known.resize(at + 1, f64::NAN);
        }
        let known = &mut self.known[at];
        if known.is_nan() {
            *known = number.powf(exponent);
        }
        *known
    }
}
