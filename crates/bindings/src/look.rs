//! Looking into a session without folding it: what the commands of the same names tell, as JSON.

use bytestring::ByteString;
use enfold::count::{Counter, Encoding};
use enfold::file;
use enfold::file::convert::{convert_to_current as write, to_notation};
use enfold::file::document::Frame;
use enfold::finding::{Finding, Severity};
use enfold::history::Slot;
use enfold::understand::facts::Facts;
use enfold::understand::ledger::Ledger;
use enfold::validate;
use enfold::wire;
use enfold_cli::finding_json;
use serde_json::{Value, json};

use crate::options::{bad, wire_names};
use crate::{Error, Given, Options};

/// Where the tokens are, by role, part, tool, file and step: the JSON of `enfold inspect --json`.
pub fn inspect(given: Given, options: &Options) -> Result<String, Error> {
    let document = given.document(options)?;
    Ok(enfold_cli::inspection(&document, &options.counting()?).to_string())
}

/// How many tokens, of what, counted how: the JSON of `enfold count --json` for one file.
pub fn count(given: Given, options: &Options) -> Result<String, Error> {
    let document = given.document(options)?;
    Ok(enfold_cli::counted(&document, &options.counting()?).to_string())
}

/// Tokens of a text, as the options count: by their tokenizer, else as their model does, else in o200k.
pub fn count_text(text: &str, options: &Options) -> Result<usize, Error> {
    Ok(match (options.counter()?, options.model()) {
        (Some(counter), _) => counter.count(text),
        (None, Some(model)) => model.counter().count(text),
        (None, None) => Encoding::O200k.count(text),
    })
}

/// Whether a provider would take the messages: `{"format", "valid", "findings"}`.
pub fn check(given: Given, options: &Options) -> Result<String, Error> {
    let document = given.document(options)?;
    let model = options.model.as_deref().or(document.model.as_deref());
    let request = validate::Request { model, ..document.request() };
    let mut findings = document.findings.clone();
    findings.extend(validate::validate(document.wire.name(), &request));
    let valid = findings.iter().all(|finding| finding.severity < Severity::Error);
    Ok(json!({ "format": document.wire.name(), "valid": valid, "findings": all_json(&findings) }).to_string())
}

/// What a session is about and how far it has come: the JSON of `enfold ledger --json`, and its `text` in at most so many
/// tokens.
pub fn ledger(given: Given, options: &Options, tokens: usize) -> Result<String, Error> {
    let document = given.document(options)?;
    let mut facts = Facts::new(options.understanding()?);
    facts.update(&document.history);
    let ledger = Ledger::of(&document.history, &facts);
    let text = ledger.render(&Encoding::O200k, tokens);
    Ok(json!({ "ledger": ledger, "text": text }).to_string())
}

/// A session in another wire format.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Converted {
    /// The format's name.
    pub format: String,
    /// The system prompt as JSON, where the format keeps it beside the list.
    pub system: Option<ByteString>,
    /// The tool definitions as JSON.
    pub tools: Option<ByteString>,
    /// The messages as JSON.
    pub messages: Vec<ByteString>,
    /// All of it as one text: a request body; of the notation, the notation.
    pub text: ByteString,
    /// What the format could not express, as a JSON list of findings.
    pub losses: String,
}

/// Writes a session in another wire format, or in the notation (which has a text and no messages).
pub fn convert(given: Given, to: &str, options: &Options) -> Result<Converted, Error> {
    let document = given.document(options)?;
    if to == file::NOTATION {
        let written = to_notation(&document);
        return Ok(Converted {
            format: to.into(),
            system: None,
            tools: None,
            messages: Vec::new(),
            text: written.text,
            losses: Value::Array(all_json(&written.losses)).to_string(),
        });
    }
    let target = wire::named(to)
        .ok_or_else(|| bad(format!("to: there is no wire format `{to}`; there are {}", wire_names())))?;
    let written = write(&document, target, Some(Frame::Request));
    let unread = document.findings.iter().filter(|finding| finding.severity > Severity::Note);
    let losses: Vec<Finding> = unread.chain(&written.losses).cloned().collect();
    let read = file::read_bytes_as(to, written.text.to_string().into_bytes())?;
    let of = |slot| read.history.messages().iter().filter(move |message| message.slot == slot);
    Ok(Converted {
        format: to.into(),
        system: of(Slot::Head).next().map(|message| message.raw.clone()),
        tools: read.tools.clone(),
        messages: of(Slot::List).map(|message| message.raw.clone()).collect(),
        text: written.text,
        losses: Value::Array(all_json(&losses)).to_string(),
    })
}

fn all_json(findings: &[Finding]) -> Vec<Value> {
    findings.iter().map(finding_json).collect()
}
