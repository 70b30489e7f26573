//! The tokens of an encoding.

use xxhash_rust::xxh3::xxh3_64;

/// Tokens and their ranks: the lower the rank, the earlier two tokens are merged to it.
pub(super) struct Vocabulary {
    /// Tokens of up to [`SHORT`] bytes, packed, where their hash or the next free place puts them; 0 where there is none.
    short: Vec<u64>,
    /// Their ranks, at the same places.
    short_ranks: Vec<u32>,
    /// The ranks of longer ones, likewise, each with a part of its hash.
    long: Vec<LongToken>,
    /// Where each token stands in `bytes`, by rank.
    starts: Vec<u32>,
    /// As packed: each token behind its length.
    bytes: &'static [u8],
}

#[derive(Clone, Copy, Default)]
struct LongToken {
    hash: u32,
    /// One more than the rank; 0 marks a free place.
    number: u32,
}

/// Bytes that leave room for the length in eight.
pub(super) const SHORT: usize = 7;

impl Vocabulary {
    /// Reads a packed vocabulary: token after token in the order of their ranks, each behind a byte that says its length.
    pub(super) fn unpack(bytes: &'static [u8]) -> Vocabulary {
        let mut starts = Vec::with_capacity(bytes.len() / 6);
        let mut shorts = 0;
        let mut at = 0;
        while let Some(length) = bytes.get(at) {
            starts.push(at as u32);
            shorts += usize::from(usize::from(*length) <= SHORT);
            at += 1 + usize::from(*length);
        }
        let longs = starts.len() - shorts;
        let mut vocabulary = Vocabulary {
            short: vec![0; room_for(shorts)],
            short_ranks: vec![0; room_for(shorts)],
            long: vec![LongToken::default(); room_for(longs)],
            starts,
            bytes,
        };
        for rank in 0..vocabulary.starts.len() as u32 {
            vocabulary.insert(rank);
        }
        vocabulary
    }

    fn insert(&mut self, rank: u32) {
        let token = self.token(rank);
        if token.len() <= SHORT {
            let key = pack(token);
            let place = self.short_place(key);
            (self.short[place], self.short_ranks[place]) = (key, rank);
        } else {
            let hash = xxh3_64(token);
            let mask = self.long.len() - 1;
            let mut place = hash as usize & mask;
            while self.long[place].number != 0 {
                place = (place + 1) & mask;
            }
            self.long[place] = LongToken { hash: (hash >> 32) as u32, number: rank + 1 };
        }
    }

    /// The bytes of the token of a rank.
    pub(super) fn token(&self, rank: u32) -> &'static [u8] {
        let start = self.starts[rank as usize] as usize;
        &self.bytes[start + 1..start + 1 + usize::from(self.bytes[start])]
    }

    /// How many tokens there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.starts.len()
    }

    /// The rank of the token with these bytes.
    pub(super) fn rank(&self, bytes: &[u8]) -> Option<u32> {
        if bytes.len() <= SHORT {
            let key = pack(bytes);
            let place = self.short_place(key);
            return (self.short[place] == key).then_some(self.short_ranks[place]);
        }
        let hash = xxh3_64(bytes);
        let mask = self.long.len() - 1;
        let mut place = hash as usize & mask;
        loop {
            let LongToken { hash: known, number } = self.long[place];
            let rank = number.checked_sub(1)?;
            if known == (hash >> 32) as u32 && self.token(rank) == bytes {
                return Some(rank);
            }
            place = (place + 1) & mask;
        }
    }

    /// Where a short token stands, or would.
    fn short_place(&self, key: u64) -> usize {
        let mask = self.short.len() - 1;
        let mixed = key.wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let mut place = (mixed >> 32) as usize & mask;
        while self.short[place] != key && self.short[place] != 0 {
            place = (place + 1) & mask;
        }
        place
    }
}

/// A third more places than tokens at least, so that most are found near where they are looked for first.
fn room_for(tokens: usize) -> usize {
    (tokens * 4 / 3).next_power_of_two()
}

/// Up to [`SHORT`] bytes and, in the highest byte, their number.
#[inline]
pub(super) fn pack(bytes: &[u8]) -> u64 {
    let number = match *bytes {
        [] => 0,
        [a] => u64::from(a),
        [a, b] => u64::from(u16::from_le_bytes([a, b])),
        [a, b, c] => u64::from(u32::from_le_bytes([a, b, c, 0])),
        // Two loads that overlap are faster than one byte after the other.
        [a, b, c, d, ..] => {
            let last = &bytes[bytes.len() - 4..];
            let last = u32::from_le_bytes([last[0], last[1], last[2], last[3]]);
            u64::from(u32::from_le_bytes([a, b, c, d])) | u64::from(last) << (8 * (bytes.len() - 4))
        }
    };
    number | (bytes.len() as u64) << 56
}
