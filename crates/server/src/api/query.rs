//! What stands behind the question mark.

/// A number by its name.
pub(super) fn number(query: &str, name: &str) -> Option<usize> {
    value(query, name)?.parse().ok()
}

/// A text by its name, as a form would send it.
pub(super) fn text(query: &str, name: &str) -> Option<String> {
    let spaced = value(query, name)?.replace('+', " ");
    let mut bytes = Vec::with_capacity(spaced.len());
    let mut rest = spaced.as_bytes();
    while let Some((first, after)) = rest.split_first() {
        let escaped = after.get(..2).filter(|_| *first == b'%').and_then(|two| std::str::from_utf8(two).ok());
        match escaped.and_then(|two| u8::from_str_radix(two, 16).ok()) {
            Some(byte) => {
                bytes.push(byte);
                rest = &after[2..];
            }
            None => {
                bytes.push(*first);
                rest = after;
            }
        }
    }
    Some(String::from_utf8_lossy(&bytes).into_owned())
}

fn value<'q>(query: &'q str, name: &str) -> Option<&'q str> {
    query.split('&').find_map(|pair| pair.strip_prefix(name)?.strip_prefix('='))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_found_by_their_whole_name_and_read_as_forms_write_them() {
        let query = "qq=1&q=a%20b+c%C3%A4%2&from=12";
        assert_eq!(text(query, "q").as_deref(), Some("a b c\u{e4}%2"));
        assert_eq!(
            (number(query, "from"), number(query, "q"), number(query, "limit")),
            (Some(12), None, None)
        );
    }
}
