//! `enfold convert`: a session in another format, and what that loses.

use enfold::file;
use enfold::file::convert::{Converted, convert_to_current, to_notation};
use enfold::file::document::Document;
use enfold::finding::{Finding, Severity};
use enfold::wire;

use crate::args::{ConvertArgs, ReportArg};
use crate::failure::Failure;
use crate::report::{self, Stream};
use crate::{input, output};

/// Converts.
pub fn run(args: ConvertArgs) -> Result<(), Failure> {
    let document = input::read_session(&args.session.file, &args.session.from)?;
    let converted = converted(&args, &document)?;
    let lost = lost(&document, &converted);
    tell(&lost, &document, &args);
    if args.strict && !lost.is_empty() {
        let times = if lost.len() == 1 { "once".to_string() } else { format!("{} times", lost.len()) };
        return Err(Failure::Refused(format!(
            "{}: {} cannot express all of it ({times}); nothing was written; without --strict it would be",
            args.session.file, args.to
        )));
    }
    output::write(args.output.as_deref(), &converted.text)
}

fn converted(args: &ConvertArgs, document: &Document) -> Result<Converted, Failure> {
    if let Some(wire) = wire::named(&args.to) {
        return Ok(convert_to_current(document, wire, args.frame.map(Into::into)));
    }
    if args.to == file::NOTATION && args.frame.is_none() {
        return Ok(to_notation(document));
    }
    let wires: Vec<&str> = wire::WIRES.iter().map(|wire| wire.name()).collect();
    let wires = wires.join(", ");
    if document.format != args.to {
        let cause = "it is a transcript format: an agent's own log, which only that agent can write";
        return Err(Failure::new(format!("--to {}", args.to), cause, format!("convert to one of {wires}")));
    }
    if args.frame.is_some() {
        let cause = format!("{} has entries of its own around its messages", args.to);
        return Err(Failure::new("--as", cause, format!("leave it out, or convert to one of {wires}")));
    }
    Ok(Converted { text: document.source.clone(), losses: Vec::new() })
}

/// What the output lacks. What could not even be read is lost as well, unless the bytes are handed through.
pub fn lost(document: &Document, converted: &Converted) -> Vec<Finding> {
    if converted.text == document.source {
        return Vec::new();
    }
    let unread = document.findings.iter().filter(|finding| finding.severity > Severity::Note);
    unread.chain(&converted.losses).cloned().collect()
}

fn tell(lost: &[Finding], document: &Document, args: &ConvertArgs) {
    match args.report {
        ReportArg::None => {}
        ReportArg::Table if lost.is_empty() => {}
        ReportArg::Table => {
            output::note(&format!("{} → {}\n", document.format, args.to));
            output::note(&report::findings(Stream::Stderr, lost));
        }
        ReportArg::Json => {
            let report = serde_json::json!({
                "from": document.format,
                "to": args.to,
                "messages": document.history.messages().len(),
                "losses": lost.iter().map(report::finding_json).collect::<Vec<_>>(),
            });
            output::note(&format!("{report}\n"));
        }
    }
}
