//! Claude Code sessions (`<session>.jsonl`): one entry per line, linked to trees by `uuid` and `parentUuid`.
//!
//! A response is spread over several lines, one block each, under one `message.id`; here it is one message again. The
//! history keeps what stands before a compaction, and has the summary behind it. Left out, with a note: branches the
//! user went back from, sub-agents (their result is in the session), messages the client made up for the screen. The
//! system prompt and the tools are never logged.

mod attachment;
mod chain;
mod line;

use std::collections::HashMap;

use super::builder::{Builder, Piece, Results, entries};
use super::{Extract, Object, Sample, Transcript, clock};
use crate::count::Usage;
use crate::json::{Kind as JsonKind, ObjectWriter, Raw};
use crate::source::{ReadError, Source};
use crate::wire::Anthropic;
use line::{Kind, Line};

/// Claude Code sessions.
#[derive(Clone, Copy, Debug)]
pub struct ClaudeCode;

impl Transcript for ClaudeCode {
    fn name(&self) -> &'static str {
        "claude-code"
    }

    fn title(&self) -> &'static str {
        "Claude Code session"
    }

    fn detect(&self, sample: &Sample) -> bool {
        sample.entries.iter().any(|line| {
            let kind = line.str_at("type").unwrap_or_default();
            let in_session = line.has("sessionId") || line.has("session_id");
            match &*kind {
                "user" | "assistant" => in_session && line.has("message"),
                "progress" | "attachment" | "system" => in_session && line.has("uuid"),
                "summary" => line.has("leafUuid"),
                "file-history-snapshot" => line.has("snapshot"),
                _ => false,
            }
        })
    }

    fn read(&self, source: &Source) -> Result<Extract, ReadError> {
        let mut lines: Vec<Line> = entries(source).map(Line::of).collect();
        // Newer versions give each sub-agent a log of its own.
        if !lines.iter().any(|line| line.is_main() && line.has_message()) {
            lines.iter_mut().for_each(Line::make_main);
        }
        let live = chain::live(&lines);
        let mut reading = Reading::default();
        for (line, _) in lines.iter().zip(&live.lines).filter(|(_, live)| **live) {
            reading.line(source, line);
        }
        let mut session = reading.into_session();
        report(&lines, &live, &mut session);
        Ok(session.finish(&Anthropic, Results::Together("content")))
    }
}

/// Says what was left out.
fn report(lines: &[Line], live: &chain::Live, session: &mut Builder) {
    for line in lines {
        if let Kind::Unknown(kind) = &line.kind {
            session.pass_over(kind, line.entry.place());
        }
    }
    let sidechain = lines.iter().filter(|line| !line.is_main() && line.has_message()).count();
    let never_sent = lines.iter().filter(|line| line.is_main() && line.kind == Kind::NeverSent).count();
    for (count, what) in [
        (live.abandoned, "lines on branches the user went back from, left out"),
        (sidechain, "lines of sub-agents, left out (their results are in the session)"),
        (never_sent, "lines the client made up for the screen, left out"),
        (live.later_roots, "lines that begin anew, taken to continue the session"),
        (live.lost_parents, "lines whose parent is not in the log, taken to follow the line before them"),
    ] {
        session.count(count, what);
    }
}

#[derive(Default)]
struct Reading<'a> {
    session: Builder,
    drafts: Vec<Draft<'a>>,
    /// The response each id stands for, since the last prompt.
    responses: HashMap<&'a str, usize>,
}

/// A message whose lines may not all have come yet.
enum Draft<'a> {
    Response(Response<'a>),
    Whole(Piece),
}

#[derive(Default)]
struct Response<'a> {
    contents: Vec<Raw<'a>>,
    calls: Vec<String>,
    usage: Option<Usage>,
    time: Option<u64>,
}

impl<'a> Reading<'a> {
    fn line(&mut self, source: &Source, line: &'a Line<'a>) {
        let Some(body) = line.body else { return };
        self.session.clock = clock::seconds(line.stamp);
        match line.kind {
            Kind::Assistant => self.assistant(line, body),
            Kind::User => self.user(source, line, body),
            Kind::Summary => self.whole(Piece::summary(source.cut(body.text()))),
            Kind::Attachment => {
                attachment::messages(body).into_iter().for_each(|text| self.whole(Piece::said(text)));
            }
            Kind::NeverSent | Kind::Silent | Kind::Unknown(_) => {}
        }
    }

    fn whole(&mut self, piece: Piece) {
        self.drafts.push(Draft::Whole(Piece { time: self.session.clock, ..piece }));
    }

    fn assistant(&mut self, line: &'a Line<'a>, message: Raw<'a>) {
        let message = Object::of(message);
        if let Some(model) = message.str_at("model") {
            self.session.model = Some(model.into_owned().into());
        }
        let next = self.drafts.len();
        let at = match line.message_id.as_deref() {
            Some(id) => *self.responses.entry(id).or_insert(next),
            None => next,
        };
        if at == next {
            self.drafts.push(Draft::Response(Response { time: self.session.clock, ..Response::default() }));
        }
        if let Some(Draft::Response(response)) = self.drafts.get_mut(at) {
            response.contents.extend(message.get("content"));
            response.calls.extend(line.calls.iter().cloned());
            // Each line repeats the numbers; the last one has them complete.
            let report = message.get("usage");
            response.usage = report.map(usage).or(response.usage);
            self.session.is_kept_long |= report.is_some_and(is_kept_long);
        }
    }

    fn user(&mut self, source: &Source, line: &Line, message: Raw) {
        if line.answers.is_empty() {
            self.responses.clear();
            return self.whole(Piece::said(source.cut(message.text())));
        }
        let blocks: Vec<Raw> = message.get("content").into_iter().flat_map(Raw::elements).collect();
        let (results, others): (Vec<Raw>, Vec<Raw>) =
            blocks.into_iter().partition(|block| block.str_at("type").as_deref() == Some("tool_result"));
        let joined = |blocks: &[Raw]| blocks.iter().map(|block| block.text()).collect::<Vec<_>>().join(",");
        self.whole(Piece {
            trailing: (!others.is_empty()).then(|| joined(&others)),
            answers: line.answers.clone(),
            ..Piece::said(joined(&results))
        });
    }

    fn into_session(mut self) -> Builder {
        self.session.clock = None;
        for draft in self.drafts {
            match draft {
                Draft::Whole(piece) => self.session.push(piece),
                Draft::Response(response) => match response.message() {
                    Some(text) => {
                        let Response { calls, usage, time, .. } = response;
                        self.session.push(Piece { calls, usage, time, ..Piece::said(text) });
                    }
                    None => self.session.leave_out_empty(),
                },
            }
        }
        self.session
    }
}

impl Response<'_> {
    /// The message; `None` for a response that says nothing, or was stopped while thinking: no provider takes it back.
    fn message(&self) -> Option<String> {
        let message = ObjectWriter::new().string("role", "assistant");
        if let [only] = self.contents[..]
            && only.kind() == JsonKind::String
        {
            return Some(message.raw("content", only).finish()).filter(|_| only.text() != "\"\"");
        }
        let mut blocks: Vec<String> = Vec::new();
        let mut says_something = false;
        for content in &self.contents {
            match content.kind() {
                JsonKind::String => {
                    says_something = true;
                    blocks.push(ObjectWriter::new().string("type", "text").raw("text", *content).finish());
                }
                _ => {
                    says_something |= content.elements().any(|block| !is_thinking(block));
                    blocks.extend(content.elements().map(|block| block.text().to_string()));
                }
            }
        }
        says_something.then(|| message.array("content", blocks).finish())
    }
}

/// Whether a block is what the model thought, and not what it said.
fn is_thinking(block: Raw) -> bool {
    matches!(block.str_at("type").as_deref(), Some("thinking" | "redacted_thinking"))
}

/// Usage as Anthropic reports it: three numbers of input that exclude each other.
fn usage(usage: Raw) -> Usage {
    let number = |key: &str| usage.get(key).and_then(Raw::u64).unwrap_or(0);
    let (read, written) = (number("cache_read_input_tokens"), number("cache_creation_input_tokens"));
    Usage {
        messages: 0,
        input: number("input_tokens") + read + written,
        cache_read: read,
        cache_write: written,
        output: number("output_tokens"),
    }
}

/// Whether a prompt was written to be kept for an hour.
fn is_kept_long(usage: Raw) -> bool {
    let hour = usage.at(&["cache_creation", "ephemeral_1h_input_tokens"]);
    hour.and_then(Raw::u64).is_some_and(|tokens| tokens > 0)
}

#[cfg(test)]
mod tests;
