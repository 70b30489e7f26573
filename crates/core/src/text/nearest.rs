//! What somebody may have meant.

/// `; did you mean …?`, if something is near enough.
pub fn nearest<'a>(word: &str, known: impl Iterator<Item = &'a str>) -> String {
    let scored = known.map(|candidate| (strsim::damerau_levenshtein(word, candidate), candidate));
    match scored.min() {
        Some((distance, candidate)) if distance <= 1 + word.len() / 3 => {
            format!("; did you mean `{candidate}`?")
        }
        _ => String::new(),
    }
}
