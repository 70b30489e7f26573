//! The reads of files that stand in a view.

use std::collections::BTreeSet;
use std::ops::Range;

use crate::folding::passes::Cx;
use crate::history::{Item, ItemId, MessageId, Spelling};
use crate::understand::calls::CallRecord;
use crate::understand::files::Access;
use crate::understand::operation::Verb;
use crate::understand::shown;
use crate::view::View;

/// The result of a call that read one file and did nothing else.
pub(super) struct Read<'v> {
    pub(super) result: ItemId,
    pub(super) step: u32,
    /// Its text as it stands in the view.
    pub(super) text: &'v str,
    /// The lines of the file in it; none where it does not show them as they are.
    pub(super) lines: Vec<Line<'v>>,
    /// Whether it was to show the whole file.
    pub(super) is_all: bool,
    /// Whether it must stay as it stands: it was sent, is protected, or is folded already.
    pub(super) is_fixed: bool,
    /// Whether all of it stands in the view.
    pub(super) is_whole: bool,
}

/// A line of a file in a result.
pub(super) struct Line<'v> {
    pub(super) number: usize,
    /// Without its number.
    pub(super) content: &'v str,
    /// Where it stands in the result, with its number.
    pub(super) span: Range<usize>,
}

impl Read<'_> {
    /// Where some of its lines stand in the text.
    pub(super) fn span(&self, lines: Range<usize>) -> Range<usize> {
        self.lines[lines.start].span.start..self.lines[lines.end - 1].span.end
    }

    /// Some of its lines as they stand in the text.
    pub(super) fn raw(&self, lines: Range<usize>) -> &str {
        &self.text[self.span(lines)]
    }
}

/// The reads of each file that was read more than once and may be folded, oldest first.
pub(super) fn by_file<'v>(view: &'v View, cx: &Cx<'v>) -> Vec<(&'v str, Vec<Read<'v>>)> {
    let tracker = cx.facts.tracker();
    match cx.first_unsent == MessageId::FIRST {
        true => tracker.files().filter_map(|(path, file)| reads(view, cx, path, &file.accesses)).collect(),
        false => read_just_now(view, cx)
            .into_iter()
            .filter_map(|path| {
                let accesses = &tracker.file(path)?.accesses;
                reads(view, cx, path, &accesses[accesses.len().saturating_sub(LOOKED_AT)..])
            })
            .collect(),
    }
}

/// The newest accesses to a file among which a read that arrives looks for its lines. Without an end a file that is read all
/// day would cost more each time.
const LOOKED_AT: usize = 64;

/// The files that calls read whose results were never sent.
fn read_just_now<'v>(view: &View, cx: &Cx<'v>) -> BTreeSet<&'v str> {
    let records = cx.facts.tracker().calls();
    let first = view.history().first_item(cx.first_unsent);
    let new = &records[records.partition_point(|record| record.result < first)..];
    new.iter().filter_map(CallRecord::read_file).collect()
}

fn reads<'v>(
    view: &'v View,
    cx: &Cx<'v>,
    path: &'v str,
    accesses: &'v [Access],
) -> Option<(&'v str, Vec<Read<'v>>)> {
    let accesses: Vec<&Access> = accesses.iter().filter(|access| is_read(view, cx, access)).collect();
    if accesses.len() < 2 {
        return None;
    }
    Some((path, accesses.into_iter().filter_map(|access| read(view, cx, access)).collect()))
}

fn is_read(view: &View, cx: &Cx, access: &Access) -> bool {
    let record = cx.facts.tracker().call(access.result);
    access.verb == Verb::Read
        && access.step > 0
        && view.has(access.result)
        && record.is_some_and(|record| record.read_file().is_some())
}

/// A read, if it succeeded and its result is one text.
fn read<'v>(view: &'v View, cx: &Cx, access: &Access) -> Option<Read<'v>> {
    let item = view.history().item(access.result);
    let [original] = &item.texts[..] else { return None };
    let ending = &cx.facts.tracker().call(access.result)?.ending;
    if original.spelling != Spelling::Quoted || !ending.succeeded() {
        return None;
    }
    let text = view.text(access.result, 0);
    let is_whole = !view.is_changed(access.result);
    let shown = shown::lines_in(access, ending, &original.value);
    let lines = match (shown, is_whole) {
        (None, _) => Vec::new(),
        (Some((first, lines)), true) => lines_whole(text, first, lines.into_iter()),
        (Some((first, lines)), false) => lines_left(text, first, &lines),
    };
    Some(Read {
        result: access.result,
        step: access.step,
        text,
        lines,
        is_all: access.lines.is_none(),
        is_fixed: !is_whole || is_fixed(cx, access.result, item),
        is_whole,
    })
}

fn is_fixed(cx: &Cx, id: ItemId, item: &Item) -> bool {
    item.message < cx.first_unsent || cx.is_protected(id)
}

fn lines_whole<'v>(text: &'v str, first: usize, lines: impl Iterator<Item = &'v str>) -> Vec<Line<'v>> {
    let place = |(number, content): (usize, &'v str)| {
        let at = content.as_ptr() as usize - text.as_ptr() as usize;
        let start = text[..at].rfind('\n').map_or(0, |feed| feed + 1);
        let end = text[at + content.len()..].find('\n').map_or(text.len(), |feed| at + content.len() + feed);
        Line { number, content, span: start..end }
    };
    (first..).zip(lines).map(place).collect()
}

/// What is left of numbered lines in a folded result.
fn lines_left<'v>(text: &'v str, first: usize, original: &[&str]) -> Vec<Line<'v>> {
    let mut start = 0;
    let mut lines = Vec::new();
    for line in text.split('\n') {
        let span = start..start + line.len();
        start = span.end + 1;
        if let Some((number, content)) = shown::numbered_text(line)
            && number.checked_sub(first).and_then(|nth| original.get(nth)) == Some(&content)
        {
            lines.push(Line { number, content, span });
        }
    }
    lines
}
