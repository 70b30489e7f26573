//! The tokens of an encoding.

use std::ops::Range;

use xxhash_rust::xxh3::xxh3_64;

/// Tokens and their ranks: the lower the rank, the earlier two tokens are merged to it.
pub(super) struct Vocabulary {
    /// Tokens of up to [`SHORT`] bytes, packed, where their hash or the next free place puts them; 0 where there is none.
    short: Vec<u64>,
    /// Their ranks, at the same places.
    short_ranks: Vec<u32>,
    /// The ranks of longer ones, likewise, each with a part of its hash.
    long: Vec<LongToken>,
    /// Where each token starts in `bytes`, by rank, and where the last one ends.
    starts: Vec<u32>,
    /// Token after token.
    bytes: Vec<u8>,
}

#[derive(Clone, Copy, Default)]
struct LongToken {
    hash: u32,
    /// One more than the rank; 0 marks a free place.
    number: u32,
}

/// Tokens of one byte.
const SINGLE: usize = 256;

/// Bytes by which room for more tokens grows.
const MARGIN: usize = 1 << 12;

/// Bytes that leave room for the length in eight.
pub(super) const SHORT: usize = 7;

impl Vocabulary {
    /// Reads a packed vocabulary. Every token but the single bytes is two tokens of lower rank, so it ships as their ranks,
    /// which take half the room of its bytes:
    ///
    /// - how many tokens there are, in four bytes;
    /// - the 256 tokens of one byte, which have the lowest ranks;
    /// - of every other token the ranks of its two parts, each in as many bits as its own rank has, lowest bit first;
    /// - seven zeroes, so that eight bytes can be read from wherever a pair begins: two ranks of 18 bits and the seven bits
    ///   before them fit.
    pub(super) fn unpack(packed: &[u8]) -> Vocabulary {
        let (count, rest) = packed.split_first_chunk().expect("a vocabulary begins with its length");
        let (single, pairs) = rest.split_at(SINGLE);
        let count = u32::from_le_bytes(*count);
        let mut starts: Vec<u32> = Vec::with_capacity(count as usize + 1);
        starts.extend(0..=SINGLE as u32);
        // Tokens have seven bytes at most in the middle.
        let mut bytes = vec![0; 7 * count as usize + MARGIN];
        bytes[..SINGLE].copy_from_slice(single);
        let (mut shorts, mut bit, mut end) = (SINGLE, 0, SINGLE);
        for rank in SINGLE as u32..count {
            let width = u32::BITS - rank.leading_zeros();
            let start = end;
            for part in parts(pairs, bit, width) {
                let part = starts[part] as usize..starts[part + 1] as usize;
                if bytes.len() < end + part.len().max(8) {
                    bytes.resize(bytes.len() + part.len() + MARGIN, 0);
                }
                end = append(&mut bytes, end, part);
            }
            bit += 2 * width as usize;
            shorts += usize::from(end - start <= SHORT);
            starts.push(end as u32);
        }
        bytes.truncate(end);
        let longs = count as usize - shorts;
        let mut vocabulary = Vocabulary {
            short: vec![0; room_for(shorts)],
            short_ranks: vec![0; room_for(shorts)],
            long: vec![LongToken::default(); room_for(longs)],
            starts,
            bytes,
        };
        for rank in 0..count {
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
    pub(super) fn token(&self, rank: u32) -> &[u8] {
        let rank = rank as usize;
        &self.bytes[self.starts[rank] as usize..self.starts[rank + 1] as usize]
    }

    /// How many tokens there are.
    #[cfg(test)]
    pub(super) fn len(&self) -> usize {
        self.starts.len() - 1
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

/// Copies a part of `bytes` to `end`, behind which there is room, and says where the copy ends. Nearly all are short: eight bytes at
/// once, of which the next copy overwrites those that are too many.
fn append(bytes: &mut [u8], end: usize, part: Range<usize>) -> usize {
    let length = part.len();
    match bytes[part.start..].first_chunk::<8>().copied() {
        Some(eight) if length <= 8 => bytes[end..end + 8].copy_from_slice(&eight),
        _ => bytes.copy_within(part, end),
    }
    end + length
}

/// The ranks of the two parts of a token, which stand at a bit.
fn parts(pairs: &[u8], bit: usize, width: u32) -> [usize; 2] {
    let window = pairs[bit / 8..].first_chunk().expect("zeroes at the end keep it full");
    let both = u64::from_le_bytes(*window) >> (bit % 8);
    let mask = (1 << width) - 1;
    [both & mask, both >> width & mask].map(|rank| rank as usize)
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

/// What [`Vocabulary::unpack`] reads. Of the pairs that make a token the one with the shortest first part is taken.
#[cfg(test)]
pub(super) fn pack_tokens(tokens: &[&[u8]]) -> Vec<u8> {
    let ranks: std::collections::HashMap<&[u8], usize> = tokens.iter().copied().zip(0..).collect();
    let mut packed = (tokens.len() as u32).to_le_bytes().to_vec();
    packed.extend(tokens[..SINGLE].iter().flat_map(|token| *token));
    let (mut bits, mut filled) = (0u64, 0);
    for (rank, token) in tokens.iter().enumerate().skip(SINGLE) {
        let earlier = |part: &[u8]| ranks.get(part).copied().filter(|part| *part < rank);
        let pair = (1..token.len()).find_map(|at| earlier(&token[..at]).zip(earlier(&token[at..])));
        let (first, second) = pair.expect("a token of several bytes is two of lower rank");
        let width = usize::BITS - rank.leading_zeros();
        bits |= (first as u64 | (second as u64) << width) << filled;
        filled += 2 * width;
        while filled >= 8 {
            packed.push(bits as u8);
            bits >>= 8;
            filled -= 8;
        }
    }
    if filled > 0 {
        packed.push(bits as u8);
    }
    packed.extend([0; 7]);
    packed
}
