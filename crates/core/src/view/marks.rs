//! Handles as they stand in texts: in markers that views show, and in what a model made of them.

use crate::view::fold::Handle;

/// How a marker names the file of its original.
const FILE: &str = "full text: ";

/// Every handle that a text shows, whoever wrote it.
pub(crate) fn handles(text: &str) -> impl Iterator<Item = Handle> + '_ {
    let numbers = memchr::memchr_iter(b'#', text.as_bytes()).filter_map(|at| digits(&text[at + 1..], 9));
    let files = memchr::memmem::find_iter(text.as_bytes(), FILE);
    let files = files.filter_map(|at| {
        let path = text[at + FILE.len()..].split([']', '\n', '"', ' ']).next()?;
        digits(path.rsplit('/').next()?, 18)
    });
    numbers.chain(files).filter_map(Handle::parse)
}

/// The handles of a text that a model did not mean as handles: it copied what stands around them too. A handle alone, and
/// one on a line that speaks of unfolding, is how a fold is opened.
pub(crate) fn copied(text: &str) -> impl Iterator<Item = Handle> + '_ {
    let opens = |line: &&str| line.contains("unfold") || Handle::parse(line).is_some();
    text.lines().filter(move |line| !opens(line)).flat_map(handles)
}

/// Exactly so many digits at the beginning.
fn digits(text: &str, count: usize) -> Option<&str> {
    let found = text.bytes().take_while(u8::is_ascii_digit).count();
    (found == count).then(|| &text[..count])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn found(text: &str) -> Vec<String> {
        copied(text).map(Handle::digits).collect()
    }

    #[test]
    fn markers_of_every_kind_are_found() {
        assert_eq!(found("a\n[12 lines #482913077]\nb"), ["482913077"]);
        assert_eq!(found("Steps 3–7 #482913077: 2 reads, 1 search"), ["482913077"]);
        let argument =
            "<<< 9 lines of this call were written and are not shown in this conversation #482913077 >>>";
        assert_eq!(found(argument), ["482913077"]);
        assert_eq!(found("[12 lines, full text: .enfold/originals/482913077204518833]"), ["482913077"]);
    }

    #[test]
    fn opening_a_fold_is_no_copy_and_other_numbers_are_none() {
        for text in
            ["#482913077", "482913077", "enfold unfold '#482913077' | less", "cat .enfold/482913077204518833"]
        {
            assert_eq!(found(text), [""; 0], "{text}");
        }
        for text in ["color: #48291307", "see #4829130771", "#12 of 482913077", ""] {
            assert_eq!(found(text), [""; 0], "{text}");
        }
    }
}
