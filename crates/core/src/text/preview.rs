//! The beginning of a text.

/// The first characters of a text, on one line.
pub fn preview(text: &str, chars: usize) -> String {
    let start: String = text.chars().take(chars).collect();
    start.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_preview_is_one_line() {
        assert_eq!(preview("  one\n\ttwo\r\nthree four", 16), "one two thre");
        assert_eq!(preview("äöü€𝄞", 3), "äöü");
    }
}
