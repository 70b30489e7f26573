//! Server-sent events, as far as models use them: the `data` of each event.
//!
//! The crates for this buffer an event without bound, so that a server which never ends a line fills the memory; hence
//! these few lines. Event names are not needed: all three APIs repeat them inside the data.

/// An event, or a line, longer than the limit.
#[derive(Debug, PartialEq)]
pub struct TooLong;

/// Puts events together from bytes that arrive in any portions.
#[derive(Debug)]
pub struct Events {
    limit: usize,
    line: Vec<u8>,
    data: Vec<u8>,
    after_carriage_return: bool,
}

impl Events {
    /// Events of at most so many bytes.
    pub fn new(limit: usize) -> Events {
        Events { limit, line: Vec::new(), data: Vec::new(), after_carriage_return: false }
    }

    /// Takes more bytes; returns the data of the events they complete. UTF-8 is decoded per event, so a character may
    /// arrive in pieces.
    pub fn push(&mut self, bytes: &[u8]) -> Result<Vec<String>, TooLong> {
        let mut events = Vec::new();
        for &byte in bytes {
            // A line ends with CR, LF or CR LF; the LF of the last kind may come with the next portion.
            let rest_of_line_end = self.after_carriage_return && byte == b'\n';
            self.after_carriage_return = byte == b'\r';
            match byte {
                b'\n' if rest_of_line_end => {}
                b'\n' | b'\r' => events.extend(self.end_line()),
                _ => self.line.push(byte),
            }
            if self.line.len() + self.data.len() > self.limit {
                return Err(TooLong);
            }
        }
        Ok(events)
    }

    /// The event that was under way when the stream ended: many servers leave out the last empty line.
    pub fn end(&mut self) -> Option<String> {
        self.end_line().or_else(|| self.end_event())
    }

    fn end_line(&mut self) -> Option<String> {
        let line = std::mem::take(&mut self.line);
        let line = line.strip_prefix(b"\xEF\xBB\xBF").unwrap_or(&line);
        if line.is_empty() {
            return self.end_event();
        }
        if let Some(value) = line.strip_prefix(b"data:") {
            self.data.extend_from_slice(value.strip_prefix(b" ").unwrap_or(value));
            self.data.push(b'\n');
        }
        None
    }

    fn end_event(&mut self) -> Option<String> {
        let mut data = std::mem::take(&mut self.data);
        data.pop()?;
        Some(String::from_utf8_lossy(&data).into_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(portions: &[&[u8]]) -> Vec<String> {
        let mut events = Events::new(1_000);
        let mut found: Vec<String> = portions.iter().flat_map(|bytes| events.push(bytes).unwrap()).collect();
        found.extend(events.end());
        found
    }

    #[test]
    fn an_event_is_its_data_lines() {
        assert_eq!(
            read(&[b"event: a\ndata: one\ndata:two\nid: 7\n\ndata: three\n\n"]),
            ["one\ntwo", "three"]
        );
    }

    #[test]
    fn comments_and_empty_events_are_nothing() {
        assert_eq!(read(&[b": OPENROUTER PROCESSING\n\n\n\nevent: ping\n\ndata: x\n\n"]), ["x"]);
    }

    #[test]
    fn all_line_ends_split_at_every_byte_give_the_same_events() {
        for text in
            ["data: ä€😀\n\ndata: b\n\n", "data: ä€😀\r\n\r\ndata: b\r\n\r\n", "data: ä€😀\r\rdata: b\r\r"]
        {
            for at in 0..=text.len() {
                let (one, two) = text.as_bytes().split_at(at);
                assert_eq!(read(&[one, two]), ["ä€😀", "b"], "{text:?} split at {at}");
            }
            let bytes: Vec<&[u8]> = text.as_bytes().chunks(1).collect();
            assert_eq!(read(&bytes), ["ä€😀", "b"], "{text:?} byte by byte");
        }
    }

    #[test]
    fn a_line_end_of_two_bytes_does_not_end_the_event() {
        let text = "data: a\r\ndata: b\r\n\r\n";
        for at in 0..=text.len() {
            let (one, two) = text.as_bytes().split_at(at);
            assert_eq!(read(&[one, two]), ["a\nb"], "split at {at}");
        }
    }

    #[test]
    fn the_last_event_needs_no_empty_line() {
        assert_eq!(read(&[b"data: a\n\ndata: [DONE]\n"]), ["a", "[DONE]"]);
        assert_eq!(read(&[b"data: [DONE]"]), ["[DONE]"]);
        assert_eq!(read(&[b"\xEF\xBB\xBFdata: a\n\n"]), ["a"]);
    }

    #[test]
    fn an_event_without_end_is_cut_off() {
        let mut events = Events::new(1_000);
        assert_eq!(events.push(&[b'x'; 1_001]), Err(TooLong));
        let mut events = Events::new(1_000);
        assert_eq!(events.push("data: aaaaaaaaa\n".repeat(200).as_bytes()), Err(TooLong));
    }
}
