//! Readers of transcripts against real sessions, found through `ENFOLD_SESSIONS` (`native/` holds logs in the agents'
//! own formats, `dev/` independent conversions of many of them to OpenAI Chat).

// Helpers of tests may panic and print as tests do.
#![allow(clippy::unwrap_used, clippy::print_stderr)]

use std::collections::HashMap;
use std::path::{Path, PathBuf};

use enfold::file;
use enfold::file::document::Document;
use enfold::finding::Severity;
use enfold::history::History;
use enfold::history::{ItemKind, MessageId, Role};
use enfold::source::{ReadError, Source};
use enfold::transcript::{Sample, TRANSCRIPTS};
use enfold::validate::validate;

fn sessions() -> Option<PathBuf> {
    let found = std::env::var_os("ENFOLD_SESSIONS").map(PathBuf::from);
    if found.is_none() {
        eprintln!("SKIPPED: ENFOLD_SESSIONS names no folder of real sessions");
    }
    found
}

fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            if path.is_dir() { folders.push(path) } else { found.push(path) }
        }
    }
    found.sort();
    found
}

fn source(path: &Path) -> Result<Source, ReadError> {
    Source::from_bytes(std::fs::read(path).unwrap())
}

fn read(path: &Path) -> Result<Document, ReadError> {
    file::read_bytes(std::fs::read(path).unwrap())
}

/// What a history says, in a form two readers of different formats can agree on.
#[derive(Default, Debug)]
struct Facts {
    texts: Vec<String>,
    calls: Vec<String>,
    results: Vec<String>,
    thoughts: Vec<String>,
}

impl Facts {
    fn of(history: &History) -> Facts {
        let mut facts = Facts::default();
        for (id, message) in history.message_ids().zip(history.messages()) {
            let (mut said, mut thought) = (String::new(), String::new());
            for item in history.items_of(id) {
                match &item.kind {
                    ItemKind::Text => said.push_str(&item.text()),
                    ItemKind::Call(call) => {
                        let arguments = canonical(&item.text(), call.freeform);
                        facts.calls.push(format!("{} {arguments}", call.name));
                    }
                    // The conversion answers every call, where it must with these words.
                    ItemKind::Result(_) if item.text() == "[no result recorded in the source log]" => {}
                    ItemKind::Result(_) => facts.results.push(squeeze(&item.text())),
                    ItemKind::Reasoning(_) => thought.push_str(&item.text()),
                    _ => {}
                }
            }
            if !thought.is_empty() {
                facts.thoughts.push(squeeze(&thought));
            }
            // It says who sends a message, which the log has beside it, and shows what is encrypted.
            let said = match said.strip_prefix("[message from ").and_then(|rest| rest.split_once("]\n")) {
                Some((_, said)) => said.split("{\"type\": \"encrypted").next().unwrap_or_default(),
                None => &said,
            };
            let said = squeeze(said);
            if !said.is_empty() {
                let role = if message.role == Role::Developer { Role::System } else { message.role };
                facts.texts.push(format!("{} {said}", role.name()));
            }
        }
        facts
    }
}

/// White space joins and splits blocks differently in every format; mailbox names are masked in the conversions.
fn squeeze(text: &str) -> String {
    let words = text.split(|c: char| c.is_whitespace() || "<>()[]{}\"'`,;:=|\\".contains(c));
    words.filter(|word| !word.contains('@')).collect()
}

fn canonical(arguments: &str, freeform: bool) -> String {
    let value = match serde_json::from_str::<serde_json::Value>(arguments) {
        Ok(value) if !freeform => value,
        _ => serde_json::json!({ "input": arguments }),
    };
    squeeze(&value.to_string().replace("\\n", " ").replace("\\t", " ").replace("\\r", " "))
}

fn count(facts: &[String]) -> HashMap<&str, usize> {
    let mut counts = HashMap::new();
    facts.iter().for_each(|fact| *counts.entry(fact.as_str()).or_default() += 1);
    counts
}

/// What is in `some` and not, or less often, in `others`.
fn lacking<'a>(some: &'a [String], others: &[String]) -> Vec<&'a str> {
    let mut left = count(others);
    let is_new = |fact: &&'a str| match left.get_mut(*fact) {
        Some(times) if *times > 0 => {
            *times -= 1;
            false
        }
        _ => true,
    };
    some.iter().map(String::as_str).filter(is_new).collect()
}

#[test]
fn histories_agree_with_an_independent_conversion() {
    let Some(root) = sessions() else { return };
    let (mut compared, mut totals) = (0, HashMap::<&str, (usize, usize)>::new());
    let mut differences = Vec::new();
    for path in files(&root.join("native")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let stem = [".traj.json", ".jsonl", ".json", ".traj"].iter().find_map(|end| name.strip_suffix(end));
        let converted = root.join("dev").join(format!("{}.jsonl", stem.unwrap_or_default()));
        if expected_format(&path, &root).is_none() || !converted.exists() {
            continue;
        }
        let ours = Facts::of(&read(&path).unwrap_or_else(|error| panic!("{name}: {error}")).history);
        let theirs = Facts::of(&read(&converted).unwrap().history);
        compared += 1;
        for (kind, ours, theirs) in [
            ("texts", &ours.texts, &theirs.texts),
            ("calls", &ours.calls, &theirs.calls),
            ("results", &ours.results, &theirs.results),
            ("thoughts", &ours.thoughts, &theirs.thoughts),
        ] {
            let (missing, extra) = (lacking(theirs, ours), lacking(ours, theirs));
            let sum = totals.entry(kind).or_default();
            *sum = (sum.0 + theirs.len() - missing.len(), sum.1 + theirs.len());
            if missing.is_empty() && extra.is_empty() {
                assert!(ours == theirs, "{name}: {kind} stand in another order");
            }
            let clip = |fact: &str| fact.chars().take(60).collect::<String>();
            differences.extend(missing.iter().map(|fact| format!("{name}: lacks {}", clip(fact))));
            differences.extend(extra.iter().map(|fact| format!("{name}: has {}", clip(fact))));
        }
    }
    for (kind, (shared, total)) in totals {
        eprintln!("{kind}: {shared} of {total} agree over {compared} sessions");
    }
    assert!(compared > 30, "only {compared} sessions have a conversion beside them");
    // Each one studied: the conversion has a placeholder for an image, and leaves out an error the model was told.
    let known = [
        "019df7a8-7926-77d3-8ea8-9ad76f056204.jsonl: lacks user #Filesmentionedbytheuser",
        "019df7a8-7926-77d3-8ea8-9ad76f056204.jsonl: has user #Filesmentionedbytheuser",
        "ponyc-4593.jsonl: has user Parametercommandisexpectedtobeoneof",
    ];
    differences.retain(|found| !known.iter().any(|known| found.contains(known)));
    assert!(differences.is_empty(), "{differences:#?}");
}

#[test]
fn at_most_one_transcript_format_claims_a_file() {
    let Some(root) = sessions() else { return };
    for path in files(&root) {
        let Ok(source) = source(&path) else { continue };
        let sample = Sample::of(&source);
        let claims: Vec<&str> =
            TRANSCRIPTS.iter().filter(|format| format.detect(&sample)).map(|format| format.name()).collect();
        let expected = expected_format(&path, &root);
        assert_eq!(claims, Vec::from_iter(expected), "{}", path.display());
    }
}

/// What the folder says a file is, for files that are transcripts.
fn expected_format(path: &Path, root: &Path) -> Option<&'static str> {
    let relative = path.strip_prefix(root).unwrap();
    let mut parts = relative.components().map(|part| part.as_os_str().to_string_lossy().into_owned());
    if parts.next()? != "native" {
        return None;
    }
    let folder = parts.next()?;
    let name = parts.next()?;
    if name == "SOURCE.txt" {
        return None;
    }
    let agent = match folder.as_str() {
        "fixtures-many-agents" => name.split("__").nth(1)?.to_string(),
        folder => folder.trim_end_matches("-edge").to_string(),
    };
    match agent.as_str() {
        "claude" | "claude-code" => Some("claude-code"),
        "codex" => Some("codex"),
        "copilot" | "copilot-cli" => Some("copilot-cli"),
        "gemini" | "gemini-cli" => Some("gemini-cli"),
        // OpenClaw is built on pi and keeps its sessions the same way.
        "pi" | "openclaw" => Some("pi"),
        "swe-agent" => Some("swe-agent"),
        "mini-swe-agent" => Some("mini-swe-agent"),
        "openhands" => Some("openhands"),
        "openhands-sdk-events" => Some("openhands-sdk"),
        _ => None,
    }
}

#[test]
fn every_native_session_reads_as_what_it_is() {
    let Some(root) = sessions() else { return };
    let verbose = std::env::var_os("ENFOLD_VERBOSE").is_some();
    for path in files(&root.join("native")) {
        let name = path.strip_prefix(&root).unwrap().display().to_string();
        let document = match (read(&path), expected_format(&path, &root)) {
            (Ok(document), Some(format)) => {
                assert_eq!(document.format, format, "{name}");
                document
            }
            (Ok(document), None) => {
                assert!(!document.history.items().is_empty(), "{name} was misread as {}", document.format);
                document
            }
            (Err(error), None) => {
                assert!(matches!(error, ReadError::UnknownFormat { .. }), "{name}: {error}");
                if verbose {
                    eprintln!("{name}: {error}");
                }
                continue;
            }
            (Err(error), Some(format)) => panic!("{name} is {format}: {error}"),
        };
        if verbose {
            let mut kinds: std::collections::BTreeMap<String, usize> = Default::default();
            for item in document.history.items() {
                let kind = match &item.kind {
                    ItemKind::Other(what) => format!("other:{what}"),
                    kind => kind.name().to_string(),
                };
                *kinds.entry(kind).or_default() += 1;
            }
            eprintln!(
                "{name}: {} ({}), model {:?}, {} messages, {} turns, {} steps, {} usage, {kinds:?}",
                document.format,
                document.wire.name(),
                document.model.as_deref(),
                document.history.messages().len(),
                document.history.turns(),
                document.history.steps(),
                document.usage.len(),
            );
            document.findings.iter().for_each(|finding| eprintln!("    {finding}"));
        }
    }
}

#[test]
fn results_stand_directly_behind_the_message_that_called() {
    let Some(root) = sessions() else { return };
    let mut pairs = 0;
    for path in files(&root.join("native")) {
        let Some(format) = expected_format(&path, &root) else { continue };
        let document = read(&path).unwrap();
        let history = &document.history;
        for (id, item) in history.item_ids().zip(history.items()).filter(|(_, item)| item.result().is_some())
        {
            let Some(call) = history.pair(id) else { continue };
            pairs += 1;
            let mut between = MessageId::each(history.item(call).message.next()..item.message);
            let in_the_way = between.find(|message| {
                let mut items = history.items_of(*message).iter();
                // Responses has an item for each call and each thought.
                let same_response = format == "codex"
                    && matches!(history.message(*message).role, Role::Assistant | Role::Tool);
                !same_response && !items.all(|item| item.result().is_some() || item.within.is_some())
            });
            assert!(in_the_way.is_none(), "{}: {in_the_way:?}", path.display());
        }
    }
    eprintln!("{pairs} results stand behind their calls");
    assert!(pairs > 3000);
}

/// Rows of a CSV file by the name of the column. Fields here hold no quotes or line breaks that matter.
fn column(csv: &str, name: &str) -> HashMap<String, String> {
    let mut lines = csv.lines();
    let nth = lines.next().unwrap().split(',').position(|column| column == name).unwrap();
    let row = |line: &str| {
        let fields: Vec<&str> = line.split(',').collect();
        Some((fields[0].to_string(), fields.get(nth)?.to_string()))
    };
    lines.filter_map(row).collect()
}

#[test]
fn the_largest_reported_input_is_the_one_the_manifest_states() {
    let Some(root) = sessions() else { return };
    let manifest = std::fs::read_to_string(root.join("manifest.csv")).unwrap();
    let peaks = column(&manifest, "native_peak_ctx");
    let mut compared = 0;
    for path in files(&root.join("native")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let id = name.split('.').next().unwrap();
        let Some(peak) = peaks.get(id).and_then(|peak| peak.parse::<u64>().ok()).filter(|peak| *peak > 0)
        else {
            continue;
        };
        if expected_format(&path, &root).is_none() {
            continue;
        }
        let document = read(&path).unwrap();
        let largest = document.usage.iter().map(|usage| usage.input).max().unwrap_or(0);
        assert_eq!(largest, peak, "{name}");
        compared += 1;
    }
    eprintln!("{compared} sessions report the input they should");
    assert!(compared > 25, "{compared}");
}

#[test]
fn summaries_are_those_the_agents_wrote() {
    let Some(root) = sessions() else { return };
    let known = std::fs::read_to_string(root.join("native_compactions.json")).unwrap();
    let known: Vec<serde_json::Value> = serde_json::from_str(&known).unwrap();
    let mut compared = 0;
    for path in files(&root.join("native")) {
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        let id = name.split('.').next().unwrap();
        let theirs: Vec<&str> =
            known.iter().filter(|one| one["id"] == id).filter_map(|one| one["summary"].as_str()).collect();
        if theirs.iter().all(|summary| summary.is_empty()) || expected_format(&path, &root).is_none() {
            continue;
        }
        let document = read(&path).unwrap();
        let items = document.history.items().iter();
        let ours: Vec<String> = items
            .filter(|item| item.kind == ItemKind::Summary)
            .map(|item| item.text().into_owned())
            .collect();
        assert_eq!(ours, theirs, "{name}");
        compared += theirs.len();
    }
    assert!(compared >= 8, "{compared}");
}

#[test]
fn what_was_put_together_is_valid_where_the_log_allows() {
    let Some(root) = sessions() else { return };
    let mut valid = 0;
    for path in files(&root.join("native")) {
        let Some(format) = expected_format(&path, &root) else { continue };
        // Invented values, and single events.
        if path.to_string_lossy().contains("fixtures-many-agents") || format == "openhands-sdk" {
            continue;
        }
        let document = read(&path).unwrap();
        let request = document.request();
        let mut errors = validate(document.wire.name(), &request);
        errors.retain(|finding| finding.severity == Severity::Error);
        // A user stopped pi while it was calling: 18 and 6 calls have no result in these logs.
        let unanswered = document.history.open_calls().len();
        if format == "pi" {
            assert!(unanswered > 0 && errors.iter().all(|error| error.rule == Some("A1")), "{errors:?}");
            errors.truncate(errors.len() - unanswered);
        }
        assert_eq!(errors, [], "{}", path.display());
        valid += 1;
    }
    eprintln!("{valid} sessions are valid requests");
    assert!(valid > 30);
}
