//! Counts remembered by content, so that a text that comes again costs a hash instead of a count.

use std::collections::{HashMap, VecDeque};
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

use xxhash_rust::xxh3::xxh3_128;

use super::{Counter, LineCounts};

/// A counter with a cache in front.
///
/// Keys are 128-bit XXH3 hashes. Two of a million different texts share one with a chance of about 10⁻²⁷; the price
/// would be a wrong count of one text. (The hash is not keyed: whoever can craft texts could collide them on
/// purpose, and would only miscount their own.)
///
/// When full, the oldest entry goes first, whatever was used since: the order of insertion alone decides, so equal
/// runs evict equally.
#[derive(Debug)]
pub struct CachedCounter<C> {
    counter: C,
    cache: Mutex<Counts>,
}

/// Bounded map from content hash to count.
#[derive(Debug)]
struct Counts {
    by_hash: HashMap<u128, usize>,
    order: VecDeque<u128>,
    capacity: usize,
}

/// Below this many bytes counting costs no more than looking up.
const WORTH_CACHING: usize = 64;

impl Counts {
    fn insert(&mut self, hash: u128, count: usize) {
        if self.by_hash.insert(hash, count).is_some() {
            return;
        }
        self.order.push_back(hash);
        if self.order.len() > self.capacity
            && let Some(oldest) = self.order.pop_front()
        {
            self.by_hash.remove(&oldest);
        }
    }
}

impl<C: Counter> CachedCounter<C> {
    /// `counter`, remembering up to `capacity` counts (about 80 bytes each).
    pub fn new(counter: C, capacity: usize) -> CachedCounter<C> {
        let counts = Counts { by_hash: HashMap::new(), order: VecDeque::new(), capacity: capacity.max(1) };
        CachedCounter { counter, cache: Mutex::new(counts) }
    }

    /// The number of counts remembered.
    pub fn cached(&self) -> usize {
        self.with(|cache| cache.by_hash.len())
    }

    /// A thread that panicked while holding the lock leaves at worst an entry less; the cache stays usable.
    fn with<T>(&self, act: impl FnOnce(&mut Counts) -> T) -> T {
        act(&mut self.cache.lock().unwrap_or_else(PoisonError::into_inner))
    }
}

impl<C: Counter> Counter for CachedCounter<C> {
    fn name(&self) -> String {
        self.counter.name()
    }

    fn count(&self, text: &str) -> usize {
        if text.len() < WORTH_CACHING {
            return self.counter.count(text);
        }
        let key = xxh3_128(text.as_bytes());
        if let Some(count) = self.with(|cache| cache.by_hash.get(&key).copied()) {
            return count;
        }
        let count = self.counter.count(text);
        self.with(|cache| cache.insert(key, count));
        count
    }

    /// Only the whole text is remembered: its lines are not counted again as lines.
    fn count_lines(&self, text: &str, lines: &[Range<usize>]) -> LineCounts {
        let counts = self.counter.count_lines(text, lines);
        if text.len() >= WORTH_CACHING {
            self.with(|cache| cache.insert(xxh3_128(text.as_bytes()), counts.text));
        }
        counts
    }

    fn count_in_passing(&self, text: &str) -> usize {
        self.counter.count_in_passing(text)
    }

    fn is_exact(&self) -> bool {
        self.counter.is_exact()
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};

    use super::*;

    #[derive(Default)]
    struct Spy(AtomicUsize);

    impl Counter for Spy {
        fn name(&self) -> String {
            "spy".into()
        }

        fn count(&self, text: &str) -> usize {
            self.0.fetch_add(1, Ordering::Relaxed);
            text.len()
        }

        fn is_exact(&self) -> bool {
            true
        }
    }

    #[test]
    fn a_text_is_counted_once() {
        let cached = CachedCounter::new(Spy::default(), 10);
        let text = "x".repeat(100);
        assert_eq!((cached.count(&text), cached.count(&text)), (100, 100));
        assert_eq!(cached.counter.0.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn the_oldest_count_is_forgotten_first_and_the_size_stays_bounded() {
        let cached = CachedCounter::new(Spy::default(), 2);
        let texts = ["a", "b", "c"].map(|letter| letter.repeat(100));
        for text in &texts {
            cached.count(text);
        }
        assert_eq!(cached.cached(), 2);
        cached.count(&texts[2]);
        cached.count(&texts[1]);
        assert_eq!(cached.counter.0.load(Ordering::Relaxed), 3, "b and c are still known");
        cached.count(&texts[0]);
        assert_eq!(cached.counter.0.load(Ordering::Relaxed), 4, "a was forgotten");
    }
}
