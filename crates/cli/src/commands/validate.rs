//! `enfold validate`: whether a provider would take the session's messages, rule by rule.

use enfold::file::document::Document;
use enfold::finding::{Finding, Severity};
use enfold::json::Raw;
use enfold::validate::{self, Checked, Request};
use serde_json::{Value, json};

use crate::args::ValidateArgs;
use crate::failure::Failure;
use crate::report::{self, Stream, Table};
use crate::{input, output};

/// Checks a session, or prints the rules.
pub fn run(args: ValidateArgs) -> Result<(), Failure> {
    match &args.rules {
        Some(format) => print_rules(format.as_deref(), args.json),
        None => check(&args),
    }
}

fn check(args: &ValidateArgs) -> Result<(), Failure> {
    let document = input::read_session(&args.session.file, &args.session.from)?;
    // The log of an agent may have been begun only; a request is there to be sent.
    if document.history.messages().is_empty() && document.format == document.wire.name() {
        let remedy = "add one: no provider takes a request without messages";
        return Err(Failure::new(&args.session.file, "it holds no message", remedy));
    }
    let mut findings = document.findings.clone();
    findings.extend(validate::validate(document.wire.name(), &request(&document, args.model.as_deref())));
    let count = |severity| findings.iter().filter(|finding| finding.severity == severity).count();
    let (errors, warnings) = (count(Severity::Error), count(Severity::Warning));
    let verdict = format!(
        "{}: {}, {}, {}, {}",
        args.session.file,
        document.wire.title(),
        report::times(errors as u64, "error"),
        report::times(warnings as u64, "warning"),
        report::times(count(Severity::Note) as u64, "note"),
    );
    if args.json {
        output::print(&format!("{:#}\n", as_json(args, &document, &findings, errors == 0)))?;
    } else {
        let table = report::findings(Stream::Stdout, &findings);
        output::print(&format!(
            "{table}{}{}\n",
            if table.is_empty() { "" } else { "\n" },
            report::clean(&verdict)
        ))?;
    }
    if errors > 0 {
        return Err(Failure::Refused(format!(
            "{}: a provider would refuse it for {}; see the remedies above",
            args.session.file,
            report::times(errors as u64, "reason")
        )));
    }
    Ok(())
}

fn request<'d>(document: &'d Document, model: Option<&'d str>) -> Request<'d> {
    let raw = |text: &'d str| Raw::parse(text).ok();
    let messages = document.history.messages();
    let of = |slot| messages.iter().filter(move |message| message.slot == slot);
    Request {
        root: None,
        head: of(enfold::history::Slot::Head).next().and_then(|head| raw(&head.raw)),
        messages: of(enfold::history::Slot::List).filter_map(|message| raw(&message.raw)).collect(),
        tools: document.tools.as_deref().and_then(raw),
        model: model.or(document.model.as_deref()),
    }
}

fn as_json(args: &ValidateArgs, document: &Document, findings: &[Finding], valid: bool) -> Value {
    json!({
        "file": args.session.file.to_string(),
        "format": document.format,
        "wire": document.wire.name(),
        "valid": valid,
        "findings": findings.iter().map(report::finding_json).collect::<Vec<_>>(),
    })
}

fn print_rules(format: Option<&str>, as_json: bool) -> Result<(), Failure> {
    let wires: Vec<&str> = match format {
        Some(format) => vec![format],
        None => validate::WIRES.to_vec(),
    };
    if as_json {
        let rules = |wire: &&str| {
            let rules = validate::rules(wire).iter().map(|rule| {
                let needs = match rule.checked {
                    Checked::Offline => None,
                    Checked::NeedsProvider(why) => Some(why),
                };
                json!({ "rule": rule.number, "title": rule.title, "error": rule.error, "needs_provider": needs })
            });
            (wire.to_string(), Value::Array(rules.collect()))
        };
        return output::print(&format!("{:#}\n", Value::Object(wires.iter().map(rules).collect())));
    }
    let mut text = String::new();
    for wire in wires {
        let mut table = Table::new(Stream::Stdout, &["!rule", "what it demands", "!checked"]);
        for rule in validate::rules(wire) {
            let checked = match rule.checked {
                Checked::Offline => "here",
                Checked::NeedsProvider(_) => "by the provider",
            };
            table.row([rule.number.into(), rule.title.into(), checked.into()]);
        }
        text += &format!("{}{}\n", report::heading(Stream::Stdout, wire), table.render());
    }
    output::print(&text)
}
