//! Reading requests and lists of messages in any wire format, and finding out which one it is.

use std::collections::HashSet;
use std::ops::Range;

use bytestring::ByteString;

use crate::file::document::{Document, Frame, Layout};
use crate::finding::{Finding, Findings, Place, Severity};
use crate::history::{History, ItemKind, MessageId, NOT_JSON, Parsed, Role, Slot};
use crate::json::{Kind, Raw, quote};
use crate::source::{Body, PASSED_OVER, ReadError, Source};
use crate::transcript::Transcript;
use crate::wire::{Likeness, Misshapen, WIRES, Wire, check_size};

/// Messages looked at for detection: a session that is plain text for longer is read as OpenAI Chat, which loses nothing.
const SAMPLE: usize = 400;

/// The wire format of a source, judged by its messages and the fields around them.
pub(super) fn detect(source: &Source) -> Option<&'static dyn Wire> {
    let root = source.values().next()?;
    if root.members().nth(MOST_PARTS).is_some() {
        return None;
    }
    let mut best: Option<(usize, &'static dyn Wire)> = None;
    for wire in WIRES.iter().copied() {
        if let Some(Score { signs, .. }) = score(source, wire)
            && best.is_none_or(|(most, _)| signs > most)
        {
            best = Some((signs, wire));
        }
    }
    best.map(|(_, wire)| wire)
}

/// How much a source is like a wire format.
struct Score {
    /// What speaks for it, in points.
    signs: usize,
    /// Messages that it has no name for.
    foreign: usize,
}

/// Whether a source may be in the wire format that somebody says it is in: most of it is, and what is not has no better home.
pub(super) fn may_be(source: &Source, wire: &'static dyn Wire) -> bool {
    let best = detect(source).and_then(|best| score(source, best));
    let is_better = |best: Score, claimed: &Score| claimed.foreign > 0 && best.signs > claimed.signs;
    match (score(source, wire), best) {
        (None, _) => false,
        (Some(_), None) => true,
        (Some(claimed), Some(best)) => !is_better(best, &claimed),
    }
}

/// The wire format that messages of a list look like, and how well: `None` if they look like none. A host that holds its
/// messages one by one asks with these; a file is judged by what stands around them too.
pub fn detect_messages(messages: &[Raw]) -> Option<(&'static dyn Wire, Likeness)> {
    let mut best: Option<(usize, &'static dyn Wire, Likeness)> = None;
    for wire in WIRES.iter().copied() {
        let signs = Signs::of(messages.iter().copied(), wire);
        let Some(score) = signs.score(0).filter(|_| signs.seen > 0).map(|score| score.signs) else {
            continue;
        };
        let likeness = if signs.sure > 0 { Likeness::Sure } else { Likeness::Possible };
        if best.is_none_or(|(most, ..)| score > most) {
            best = Some((score, wire, likeness));
        }
    }
    best.map(|(_, wire, likeness)| (wire, likeness))
}

/// How many messages look how.
struct Signs {
    seen: usize,
    foreign: usize,
    sure: usize,
}

impl Signs {
    fn of<'a>(messages: impl Iterator<Item = Raw<'a>>, wire: &dyn Wire) -> Signs {
        let mut signs = Signs { seen: 0, foreign: 0, sure: 0 };
        for message in messages.take(SAMPLE) {
            signs.seen += 1;
            let likeness = if crowded(message).is_some() { Likeness::No } else { wire.likeness(message) };
            match likeness {
                Likeness::No => signs.foreign += 1,
                Likeness::Possible => {}
                Likeness::Sure => signs.sure += 1,
            }
        }
        signs
    }

    /// What speaks for a format, with the marks around the messages, or `None` if it can't be this one. A few foreign
    /// messages are allowed: files drift.
    fn score(&self, marks: usize) -> Option<Score> {
        let believable = if self.seen == 0 { marks > 0 } else { self.foreign * 2 < self.seen };
        let signs = 2 * self.sure + 2 * marks + usize::from(self.foreign == 0);
        believable.then_some(Score { signs, foreign: self.foreign })
    }
}

/// How well a source fits a format.
fn score(source: &Source, wire: &dyn Wire) -> Option<Score> {
    let (spans, frame) = messages_in(source, wire)?;
    let signs = Signs::of(spans.map(|span| source.raw(span)), wire);
    let marks = match &source.body {
        Body::Value(span) if frame == Frame::Request => {
            let root = source.raw(span.clone());
            let marks =
                wire.shape().marks.iter().filter(|mark| root.get(mark).is_some_and(|mark| !mark.is_null()));
            let tools = root.get("tools").map(|tools| wire.read_tools(tools)).unwrap_or_default();
            let is_begun = signs.seen == 0 && root.str_at("model").is_some();
            marks.count()
                + usize::from(tools.iter().any(|tool| tool.schema.is_some()))
                + usize::from(is_begun)
        }
        _ => 0,
    };
    signs.score(marks)
}

/// Places of messages, found one after the other: a list may hold a hundred million values that are no messages.
type Spans<'a> = Box<dyn Iterator<Item = Range<usize>> + 'a>;

/// Where the messages stand and what is around them, if the source has a list where this format keeps it.
fn messages_in<'a>(source: &'a Source, wire: &dyn Wire) -> Option<(Spans<'a>, Frame)> {
    let root = match &source.body {
        Body::Lines(lines) => {
            return Some((Box::new(lines.iter().map(|line| line.span.clone())), Frame::Lines));
        }
        Body::Value(span) => source.raw(span.clone()),
    };
    let one = |raw: Raw| -> Spans<'a> { Box::new(std::iter::once(raw.span_in(&source.text))) };
    let spans = |list: Raw<'a>| -> Spans<'a> {
        match list.kind() {
            Kind::String => one(list),
            _ => Box::new(list.elements().map(|element| element.span_in(&source.text))),
        }
    };
    match root.kind() {
        Kind::Array => Some((spans(root), Frame::Array)),
        Kind::Object => match list_of(root, wire) {
            Some(list) => Some((spans(list), Frame::Request)),
            // The only line of a session that has just begun.
            None if wire.likeness(root) > Likeness::No => Some((one(root), Frame::Lines)),
            None => None,
        },
        _ => None,
    }
}

/// The list in a request object: under the format's own key, else under whatever key holds a list of things with roles
/// (benchmarks and logs wrap the messages in records of their own).
fn list_of<'a>(root: Raw<'a>, wire: &dyn Wire) -> Option<Raw<'a>> {
    let own = root.get(wire.shape().list);
    if let Some(list) = own.filter(|list| matches!(list.kind(), Kind::Array | Kind::String)) {
        return Some(list);
    }
    let has_roles = |list: &Raw| {
        let mut first = list.elements().take(8).peekable();
        first.peek().is_some() && first.all(|element| element.str_at("role").is_some())
    };
    root.members().map(|(_, value)| value).find(has_roles)
}

/// The head field. Gemini takes its `systemInstruction` as `system_instruction` as well.
fn head_of<'a>(root: Raw<'a>, key: &str) -> Option<Raw<'a>> {
    root.get(key).or_else(|| {
        let snake: String = key.chars().fold(String::new(), |mut snake, letter| {
            if letter.is_ascii_uppercase() {
                snake.push('_');
            }
            snake.push(letter.to_ascii_lowercase());
            snake
        });
        root.get(&snake)
    })
}

/// Reads a source as requests of one wire format.
pub(super) fn read(wire: &'static dyn Wire, source: Source) -> Result<Document, ReadError> {
    let wrong = |why: String| ReadError::WrongShape { format: wire.title(), why };
    let (spans, frame) = messages_in(&source, wire)
        .ok_or_else(|| wrong(format!("{} holds no list `{}`", describe(&source), wire.shape().list)))?;
    let root = match &source.body {
        Body::Value(span) if frame == Frame::Request => Some(source.raw(span.clone())),
        _ => None,
    };
    let kept = |finding: &Finding| match finding.remedy == PASSED_OVER {
        true => finding.clone().remedy(KEPT),
        false => finding.clone(),
    };
    let mut reading = Reading::new(wire, source.findings.iter().map(kept).collect());
    let head =
        root.zip(wire.shape().head).and_then(|(root, key)| head_of(root, key)).filter(|head| !head.is_null());
    if let Some(head) = head {
        reading.push_head(source.cut(head.text()), head.span_in(&source.text))?;
    }
    if let Some((all, _)) = messages_in(&source, wire) {
        reading.reserve(all.take(MOST_MESSAGES).count() + source.rubble.len());
    }
    let mut rubble = source.rubble.iter().peekable();
    for (nth, span) in spans.enumerate() {
        if nth == MOST_MESSAGES {
            return Err(wrong(format!("it has more than {MOST_MESSAGES} messages; no session has")));
        }
        while let Some(lines) = rubble.next_if(|lines| lines.start < span.start) {
            reading.push_rubble(&source.text, lines.clone())?;
        }
        reading.push(source.cut(&source.text[span.clone()]), span.clone(), place(&source, nth))?;
    }
    for lines in rubble {
        reading.push_rubble(&source.text, lines.clone())?;
    }
    let findings = reading.findings.finish();
    // A request may come before the first message; a list that is nothing but empty says nothing.
    let is_begun = frame == Frame::Request && reading.history.messages().is_empty();
    if !is_begun && reading.history.messages().iter().all(|message| message.role == Role::Unknown) {
        let first = findings.iter().find(|finding| finding.severity > Severity::Note);
        let why = first.map_or("it holds no message".to_string(), |finding| finding.to_string());
        return Err(wrong(why));
    }
    let text_at = |key: &str| root.and_then(|root| root.get(key));
    Ok(Document {
        format: wire.name(),
        wire,
        tools: text_at("tools")
            .filter(|tools| tools.kind() == Kind::Array)
            .map(|tools| source.cut(tools.text())),
        model: text_at("model").and_then(Raw::str).map(|model| model.into_owned().into()),
        layout: Layout::InPlace { spans: reading.spans, frame },
        history: reading.history,
        usage: Vec::new(),
        times: Vec::new(),
        is_kept_long: false,
        findings,
        source: source.text,
    })
}

/// Reads a source as a transcript.
pub(super) fn read_transcript(format: &dyn Transcript, source: Source) -> Result<Document, ReadError> {
    let extract = format.read(&source)?;
    let mut findings = source.findings.clone();
    findings.extend(extract.findings);
    let mut reading = Reading::new(extract.wire, findings);
    if let Some(head) = extract.head {
        reading.push_head(head, 0..0)?;
    }
    let summaries: HashSet<usize> = extract.summaries.into_iter().collect();
    // Where each extracted message stands in the history, which has the head too, and not what was no message.
    let mut stands_at = Vec::with_capacity(extract.messages.len());
    for (nth, raw) in extract.messages.into_iter().enumerate() {
        stands_at.push(reading.history.messages().len());
        reading.summary = summaries.contains(&nth);
        reading.push(raw, 0..0, Place::message(nth + 1))?;
    }
    let mut usage = extract.usage;
    for report in &mut usage {
        report.messages = stands_at.get(report.messages).copied().unwrap_or(report.messages);
    }
    let stamped = extract.times.iter();
    let times =
        stamped.filter_map(|(at, time)| Some((MessageId::new(*stands_at.get(*at)?), *time))).collect();
    for (count, what) in [
        (usize::from(stands_at.is_empty()), "the log holds no message yet".to_string()),
        (
            reading.history.open_calls().len(),
            format!("calls without a result in the log: {}", reading.history.open_calls().len()),
        ),
    ] {
        if count > 0 {
            reading.findings.add(|| Finding::new(Severity::Note, Place::default(), what));
        }
    }
    Ok(Document {
        format: format.name(),
        wire: extract.wire,
        layout: Layout::Extracted,
        history: reading.history,
        tools: extract.tools,
        model: extract.model,
        usage,
        times,
        is_kept_long: extract.is_kept_long,
        findings: reading.findings.finish(),
        source: source.text,
    })
}

struct Reading {
    wire: &'static dyn Wire,
    history: History,
    spans: Vec<Range<usize>>,
    findings: Findings,
    summary: bool,
}

impl Reading {
    fn new(wire: &'static dyn Wire, findings: Vec<Finding>) -> Reading {
        let (history, findings) = (History::new(), findings.into());
        Reading { wire, history, spans: Vec::new(), findings, summary: false }
    }

    fn reserve(&mut self, messages: usize) {
        self.history.reserve(messages);
        self.spans.reserve_exact(messages);
    }

    fn push_head(&mut self, raw: ByteString, span: Range<usize>) -> Result<(), ReadError> {
        self.check_size(&raw)?;
        let place = Place::default().field(self.wire.shape().head.unwrap_or_default());
        match self.wire.read_head(&raw) {
            Ok(parsed) => self.add(raw, span, parsed),
            Err(error) => {
                let parsed = Parsed { role: Role::System, ..Parsed::unknown(&raw, Slot::Head, "unknown") };
                self.add(raw, span, parsed);
                self.report(place, &error);
            }
        }
        Ok(())
    }

    /// Lines that hold no value stay where they are.
    fn push_rubble(&mut self, text: &str, span: Range<usize>) -> Result<(), ReadError> {
        let raw = ByteString::from(quote(&text[span.clone()]));
        self.check_size(&raw)?;
        let parsed = Parsed::unknown(&raw, Slot::List, NOT_JSON);
        self.add(raw, span, parsed);
        Ok(())
    }

    fn push(&mut self, raw: ByteString, span: Range<usize>, place: Place) -> Result<(), ReadError> {
        self.check_size(&raw)?;
        let (parsed, strange) = read_any(self.wire, &raw);
        self.add(raw, span, parsed);
        if let Some(error) = strange {
            self.report(place, &error);
        }
        Ok(())
    }

    fn check_size(&self, raw: &str) -> Result<(), ReadError> {
        check_size(raw.len()).map_err(|error| {
            let why = format!("message {}: {error}", self.history.next_message().number());
            ReadError::WrongShape { format: self.wire.title(), why }
        })
    }

    fn report(&mut self, place: Place, error: &Misshapen) {
        self.findings.add(|| {
            let what = format!("not a message of {}: {error}", self.wire.title());
            Finding::new(Severity::Warning, place, what).remedy(KEPT)
        });
    }

    fn add(&mut self, raw: ByteString, span: Range<usize>, mut parsed: Parsed) {
        if self.summary {
            for item in parsed.items.iter_mut().filter(|item| item.kind == ItemKind::Text) {
                item.kind = ItemKind::Summary;
            }
        }
        self.history.push(raw, parsed);
        self.spans.push(span);
    }
}

/// What is done about something in the list that is no message of the format.
const KEPT: &str = "it is carried along as it is, and counted";

/// Takes apart any value that is JSON. What is no message of the format, or an absurd one, is kept whole.
pub(crate) fn read_any(wire: &dyn Wire, raw: &ByteString) -> (Parsed, Option<Misshapen>) {
    match crowded(Raw::trusted(raw)) {
        Some(why) => (Parsed::unknown(raw, Slot::List, "crowded"), Some(Misshapen(why))),
        None => wire.read_any(raw),
    }
}

/// A provider takes 100,000. A message takes some 200 bytes in memory beside its text, however short that is.
const MOST_MESSAGES: usize = 1_000_000;

/// More fields or parts than this no client writes into one message.
const MOST_PARTS: usize = 100_000;

/// Messages below this size cannot hold enough to do harm.
const HARMLESS: usize = 1 << 20;

/// Says what is wrong with a message of absurdly many fields or parts. An item takes a few hundred bytes however short
/// its part is written, so 200 MB of `1,1,1,…` as content would take tens of gigabytes.
fn crowded(message: Raw) -> Option<String> {
    if message.text().len() < HARMLESS {
        return None;
    }
    let too_many = |list: Raw| list.elements().nth(MOST_PARTS).is_some();
    for (nth, (key, value)) in message.members().enumerate() {
        if nth >= MOST_PARTS {
            return Some(format!("it has more than {MOST_PARTS} fields"));
        }
        // Arguments are carried as one text, whatever they hold.
        let inner = |part: Raw| part.members().any(|(key, list)| !is_arguments(&key) && too_many(list));
        if !is_arguments(&key) && (too_many(value) || value.elements().any(inner)) {
            return Some(format!("`{}` has more than {MOST_PARTS} parts", clip(&key)));
        }
    }
    None
}

fn is_arguments(key: &str) -> bool {
    matches!(key, "input" | "args" | "arguments")
}

fn place(source: &Source, nth: usize) -> Place {
    match &source.body {
        Body::Lines(lines) => Place::line(lines[nth].number),
        Body::Value(_) => Place::message(nth + 1),
    }
}

/// What a source looks like, for an error message.
pub(super) fn describe(source: &Source) -> String {
    let keys = |raw: Raw| {
        let mut keys: Vec<String> =
            raw.members().take(8).map(|(key, _)| format!("`{}`", clip(&key))).collect();
        if raw.members().nth(keys.len()).is_some() {
            keys.push("…".into());
        }
        keys.join(", ")
    };
    let shape = |raw: Raw| match raw.kind() {
        Kind::Object if raw.members().next().is_none() => "an empty object".to_string(),
        Kind::Object => format!("an object with the keys {}", keys(raw)),
        Kind::Array => match raw.elements().next() {
            Some(first) if first.kind() == Kind::Object => {
                format!("an array of objects with the keys {}", keys(first))
            }
            Some(_) => "an array of values that are not objects".to_string(),
            None => "an empty array".to_string(),
        },
        Kind::String => "a string".to_string(),
        Kind::Number => "a number".to_string(),
        Kind::Bool | Kind::Null => format!("`{}`", raw.text()),
    };
    match &source.body {
        Body::Value(span) => shape(source.raw(span.clone())),
        Body::Lines(lines) => {
            let first = lines.first().map(|line| shape(source.raw(line.span.clone()))).unwrap_or_default();
            format!("{} lines, the first one {first}", lines.len())
        }
    }
}

fn clip(text: &str) -> String {
    if text.chars().count() <= 40 { text.to_string() } else { text.chars().take(40).chain(['…']).collect() }
}
