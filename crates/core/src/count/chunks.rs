//! Long texts, piece by piece.

/// Cuts `text` into chunks of at most about `size` bytes, at places where `is_cut(bytes, at)` holds, so that work on
/// one chunk is bounded. A run of `longest` bytes without such a place is cut anyway.
///
/// Every chunk starts at a cut, or a multiple of `longest` behind one; so the places where an overlong run is cut do
/// not depend on `size`. O(length): two chunks together are longer than `size`.
pub(super) fn chunks(
    text: &str,
    size: usize,
    longest: usize,
    is_cut: fn(&[u8], usize) -> bool,
) -> impl Iterator<Item = &str> {
    let mut start = 0;
    std::iter::from_fn(move || {
        let rest = &text[start..];
        let end = chunk_end(rest, size, longest, is_cut);
        start += end;
        (end > 0).then_some(&rest[..end])
    })
}

fn chunk_end(text: &str, size: usize, longest: usize, is_cut: fn(&[u8], usize) -> bool) -> usize {
    let bytes = text.as_bytes();
    if bytes.len() <= size {
        return bytes.len();
    }
    let before = (1..=size).rev().find(|at| is_cut(bytes, *at));
    let behind = || (size + 1..bytes.len().min(longest)).find(|at| is_cut(bytes, *at));
    before.or_else(behind).unwrap_or_else(|| text.floor_char_boundary(longest))
}
