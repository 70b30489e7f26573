//! How many tokens a piece becomes: one if it is one, else as many as byte-pair merging leaves of it.
//!
//! Merging begins with single bytes. Of all neighbours that make a token together, the pair whose token has the lowest rank
//! is joined, the leftmost of equals first, until no two neighbours make one.
//!
//! Texts say the same words again and again, so pieces are remembered with their counts. That also keeps the megabytes of
//! the vocabulary out of the way of most of them.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::ops::Range;

use super::vocabulary::{SHORT, Vocabulary, pack};

/// What merging works with, and what it has found. Belongs to one vocabulary.
#[derive(Default)]
pub(super) struct Merger {
    parts: Vec<Part>,
    /// Pairs that make a token, lowest rank first; those that no longer stand so are passed over.
    pairs: BinaryHeap<Reverse<Pair>>,
    /// Pieces of up to [`SHORT`] bytes, packed, with their counts above.
    short: Vec<u64>,
    /// Longer ones.
    known: Vec<Known>,
}

/// A part of a piece: from its place up to the next part.
#[derive(Clone, Copy)]
struct Part {
    /// The rank of the token that it makes with the next one, [`NONE`] if none.
    rank: u32,
    next: u32,
    before: u32,
}

#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
struct Pair {
    rank: u32,
    at: u32,
}

/// A piece counted before.
#[derive(Clone, Copy, Default)]
struct Known {
    key: [u64; 4],
    length: u32,
    count: u32,
}

const NONE: u32 = u32::MAX;

/// Spreads what is multiplied with it.
const MIX: u64 = 0x9E37_79B9_7F4A_7C15;

/// Pieces up to here look for their lowest pair by going through all of them, which is faster for few.
const FEW: usize = 40;

/// Pieces remembered, short ones in 256 kB and longer ones in 320. One that falls on the place of another takes it.
const SHORT_BITS: u32 = 15;
const KNOWN_BITS: u32 = 13;

/// Longer ones are too rare to come again.
const LONGEST_KNOWN: usize = 31;

/// Where the count stands above a packed piece, whose length takes three bits. No piece has more tokens than bytes.
const COUNT_SHIFT: u32 = 59;

impl Merger {
    /// The number of tokens of a piece of a text, which is not empty.
    #[inline]
    pub(super) fn count(&mut self, vocabulary: &Vocabulary, text: &[u8], piece: Range<usize>) -> usize {
        let (length, rest) = (piece.len(), &text[piece.start..]);
        let piece = &rest[..length];
        if length > SHORT {
            return self.count_long(vocabulary, piece);
        }
        // One load and a mask, wherever eight bytes can be read.
        let key = match rest.first_chunk() {
            Some(window) => {
                u64::from_le_bytes(*window) & (u64::MAX >> (64 - 8 * length)) | (length as u64) << 56
            }
            None => pack(piece),
        };
        let place = (key.wrapping_mul(MIX) >> (64 - SHORT_BITS)) as usize;
        match self.short.get(place) {
            Some(known) if known & ((1 << COUNT_SHIFT) - 1) == key => (known >> COUNT_SHIFT) as usize,
            _ => {
                let count = self.count_anew(vocabulary, piece);
                self.short.resize(1 << SHORT_BITS, 0);
                self.short[place] = key | (count as u64) << COUNT_SHIFT;
                count
            }
        }
    }

    fn count_long(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        if piece.len() > LONGEST_KNOWN {
            return self.count_anew(vocabulary, piece);
        }
        let key = key(piece);
        let mix = |mixed: u64, part: &u64| (mixed.rotate_left(23) ^ part).wrapping_mul(MIX);
        let place = (key.iter().fold(piece.len() as u64, mix) >> (64 - KNOWN_BITS)) as usize;
        match self.known.get(place) {
            Some(known) if known.key == key && known.length == piece.len() as u32 => known.count as usize,
            _ => {
                let count = self.count_anew(vocabulary, piece);
                self.known.resize(1 << KNOWN_BITS, Known::default());
                self.known[place] = Known { key, length: piece.len() as u32, count: count as u32 };
                count
            }
        }
    }

    fn count_anew(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        if vocabulary.rank(piece).is_some() { 1 } else { self.merge(vocabulary, piece) }
    }

    fn merge(&mut self, vocabulary: &Vocabulary, piece: &[u8]) -> usize {
        let length = piece.len() as u32;
        self.parts.clear();
        self.parts.extend((0..length).map(|at| Part {
            rank: NONE,
            next: at + 1,
            before: at.wrapping_sub(1),
        }));
        for at in 0..length.saturating_sub(1) {
            self.rank(vocabulary, piece, at);
        }
        let mut joined = 0;
        if piece.len() <= FEW {
            while let Some(at) = self.lowest() {
                self.join(vocabulary, piece, at);
                joined += 1;
            }
            return piece.len() - joined;
        }
        self.pairs.clear();
        let ranks = self.parts.iter().map(|part| part.rank).zip(0..);
        self.pairs
            .extend(ranks.filter(|(rank, _)| *rank != NONE).map(|(rank, at)| Reverse(Pair { rank, at })));
        while let Some(Reverse(pair)) = self.pairs.pop() {
            if self.parts[pair.at as usize].rank != pair.rank {
                continue;
            }
            for changed in self.join(vocabulary, piece, pair.at).into_iter().flatten() {
                let rank = self.parts[changed as usize].rank;
                if rank != NONE {
                    self.pairs.push(Reverse(Pair { rank, at: changed }));
                }
            }
            joined += 1;
        }
        piece.len() - joined
    }

    /// The leftmost of the pairs with the lowest rank.
    fn lowest(&self) -> Option<u32> {
        let rank = self.parts.iter().map(|part| part.rank).min().filter(|rank| *rank != NONE)?;
        self.parts.iter().position(|part| part.rank == rank).map(|at| at as u32)
    }

    /// Joins a part with the next one. Returns the parts whose pairs are others now.
    fn join(&mut self, vocabulary: &Vocabulary, piece: &[u8], at: u32) -> [Option<u32>; 2] {
        let gone = self.parts[at as usize].next;
        let next = self.parts[gone as usize].next;
        self.parts[gone as usize].rank = NONE;
        self.parts[at as usize].next = next;
        if let Some(next) = self.parts.get_mut(next as usize) {
            next.before = at;
        }
        let before = Some(self.parts[at as usize].before).filter(|before| *before != NONE);
        for changed in [Some(at), before].into_iter().flatten() {
            self.rank(vocabulary, piece, changed);
        }
        [Some(at), before]
    }

    /// Finds out what a part makes with the next one.
    fn rank(&mut self, vocabulary: &Vocabulary, piece: &[u8], at: u32) {
        let next = self.parts[at as usize].next;
        let pair = self.parts.get(next as usize).map(|next| &piece[at as usize..next.next as usize]);
        self.parts[at as usize].rank = pair.and_then(|pair| vocabulary.rank(pair)).unwrap_or(NONE);
    }
}

/// The bytes of a piece of at least eight; those in the middle may stand in it twice. Together with the length it says them all.
fn key(piece: &[u8]) -> [u64; 4] {
    let at = |start: usize| piece[start..].first_chunk().map_or(0, |word| u64::from_le_bytes(*word));
    match piece.len() {
        length @ ..=16 => [at(0), at(length - 8), 0, 0],
        length => [at(0), at(8), at(length - 16), at(length - 8)],
    }
}
