//! `enfold count`: how many tokens, of what, counted how.

use enfold::count::weigh::OVERHEAD;
use enfold::file::document::Document;
use enfold::source::ReadError;
use serde_json::{Value, json};

use crate::args::CountArgs;
use crate::counting::{self, Counted, Counting};
use crate::failure::Failure;
use crate::input::{self, Input};
use crate::output;
use crate::parts::{self, Part, Weight};
use crate::report::{self, Stream, Table};

/// Counts.
pub fn run(args: CountArgs) -> Result<(), Failure> {
    let counting = Counting::new(&args.counting)?;
    let mut counts = Vec::new();
    for file in args.files()? {
        counts.push(if args.text { text(&file, &counting)? } else { session(&file, &args, &counting)? });
    }
    match (args.json, counts.as_slice()) {
        (true, counts) => output::print(&format!("{:#}\n", as_json(counts))),
        (false, [one]) => output::print(&one_file(one)),
        (false, many) => output::print(&many_files(many)),
    }
}

/// The count of one file.
struct Count {
    file: String,
    format: &'static str,
    model: Option<String>,
    counter: String,
    label: String,
    exact: bool,
    parts: Vec<(Part, Weight)>,
    total: usize,
}

fn session(file: &Input, args: &CountArgs, counting: &Counting) -> Result<Count, Failure> {
    let document = input::read(file, &args.from).map_err(|error| match error {
        input::Unread::Failed(failure) => failure,
        input::Unread::NoSession(error) => no_session(file, &error),
    })?;
    output::note(&report::warnings(file, &document.findings));
    Ok(Count::of(file, &document, &counting.count(&document)))
}

/// A file that is no session may still be a text whose tokens somebody wants to know.
fn no_session(file: &Input, error: &ReadError) -> Failure {
    match error {
        ReadError::NotJson { .. } | ReadError::UnknownFormat { .. } => {
            Failure::BadInput(format!("{file}: {error}; to count it as plain text, add --text"))
        }
        _ => Failure::BadInput(format!("{file}: {error}")),
    }
}

fn text(file: &Input, counting: &Counting) -> Result<Count, Failure> {
    let bytes = input::read_bytes(file)?;
    let text = String::from_utf8(bytes)
        .map_err(|_| Failure::new(file, "it is not UTF-8 text", "convert it to UTF-8 first"))?;
    let counter = counting.text_counter();
    Ok(Count {
        file: file.to_string(),
        format: "text",
        model: None,
        counter: counter.name(),
        label: counting::label(&*counter, counting.has_model()),
        exact: counter.is_exact(),
        parts: Vec::new(),
        total: counter.count(&text),
    })
}

impl Count {
    fn of(file: &Input, document: &Document, counted: &Counted) -> Count {
        Count {
            file: file.to_string(),
            format: document.format,
            model: counted.model_id(),
            counter: counted.tally.counter().name(),
            label: counted.label(),
            exact: counted.tally.counter().is_exact(),
            parts: parts::weigh(document, counted),
            total: counted.total(),
        }
    }
}

fn one_file(count: &Count) -> String {
    let mut table = Table::new(Stream::Stdout, &["part", "#items", "#tokens", "#share"]);
    for (part, weight) in &count.parts {
        table.line([
            part.name().into(),
            report::number(weight.items as u64),
            report::number(weight.tokens as u64),
            report::share(weight.tokens as u64, count.total as u64),
        ]);
    }
    let total = format!("{} tokens", report::number(count.total as u64));
    let rule = format!(
        "Overhead: {OVERHEAD} per message, {OVERHEAD} per call and {OVERHEAD} per result; the first result of a tool message is free.\n"
    );
    match count.parts.as_slice() {
        [] => format!("{total} ({})\n", count.label),
        _ => format!("{total} ({})\n\n{}\n{rule}", count.label, table.render()),
    }
}

fn many_files(counts: &[Count]) -> String {
    let mut table = Table::new(Stream::Stdout, &["#tokens", "!counted with", "!format", "!file"]);
    for count in counts {
        table.row([
            report::number(count.total as u64),
            count.counter.clone(),
            count.format.into(),
            count.file.clone(),
        ]);
    }
    let total: usize = counts.iter().map(|count| count.total).sum();
    table.row([report::number(total as u64), String::new(), String::new(), "in total".into()]);
    table.render()
}

fn as_json(counts: &[Count]) -> Value {
    let parts = |count: &Count| {
        let of = |(part, weight): &(Part, Weight)| json!({ "part": part.name(), "items": weight.items, "tokens": weight.tokens });
        count.parts.iter().map(of).collect::<Vec<_>>()
    };
    let files: Vec<Value> = counts
        .iter()
        .map(|count| {
            json!({
                "file": count.file,
                "format": count.format,
                "model": count.model,
                "counter": { "name": count.counter, "exact": count.exact },
                "tokens": count.total,
                "parts": parts(count),
            })
        })
        .collect();
    let overhead = json!({ "message": OVERHEAD, "call": OVERHEAD, "result": OVERHEAD });
    json!({
        "files": files,
        "tokens": counts.iter().map(|count| count.total).sum::<usize>(),
        "overhead": overhead,
    })
}
