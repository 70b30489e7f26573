//! Sessions of any length, as chat messages, one per line: real ones joined where there are some, else the repository's
//! long example over and over, with other names each time.

use std::fs;
use std::path::{Path, PathBuf};

use enfold::count::{Counter, Encoding};
use serde_json::{Value, json};

use crate::Failure;

/// Sessions with larger messages are left out: a message as large as the budget decides everything by itself, and peers
/// that drop whole messages would be left with nothing.
const LARGEST: usize = 10_000;

/// Where long sessions are made from.
pub(crate) struct Material {
    /// For the report.
    pub(crate) name: &'static str,
    sessions: Vec<Vec<Value>>,
}

impl Material {
    /// Real sessions where `ENFOLD_SESSIONS` is set, else the example.
    pub(crate) fn find() -> Result<Material, Failure> {
        Material::real().unwrap_or_else(Material::example)
    }

    /// The example, and real sessions where `ENFOLD_SESSIONS` is set.
    pub(crate) fn all() -> Result<Vec<Material>, Failure> {
        let real = Material::real();
        if real.is_none() {
            eprintln!("SKIPPED: real sessions; set ENFOLD_SESSIONS to a folder of them");
        }
        [Some(Material::example()), real].into_iter().flatten().collect()
    }

    fn example() -> Result<Material, Failure> {
        let example = Path::new(env!("CARGO_MANIFEST_DIR")).join("../examples/sessions/long.jsonl");
        Material::of("the example `long.jsonl` over and over, with other names each time", &[example])
    }

    fn real() -> Option<Result<Material, Failure>> {
        let root = std::env::var("ENFOLD_SESSIONS").ok()?;
        let name = "real sessions joined, without those that have a message over 10,000 tokens";
        let files = files(&Path::new(&root).join("dev"));
        Some(files.and_then(|files| Material::of(name, &files)))
    }

    fn of(name: &'static str, files: &[PathBuf]) -> Result<Material, Failure> {
        let mut sessions: Vec<Vec<Value>> = files.iter().map(|file| read(file)).collect::<Result<_, _>>()?;
        sessions.retain(|session| session.iter().all(|message| count(message) <= LARGEST));
        Ok(Material { name, sessions })
    }

    /// A session of so many tokens, or a message more: one system message, then turn after turn. A longer one begins
    /// with the shorter one.
    pub(crate) fn session(&self, tokens: usize) -> Result<String, Failure> {
        if self.sessions.iter().all(Vec::is_empty) {
            return Err("no messages to make a session of".into());
        }
        let (mut out, mut size) = (String::new(), 0);
        for (round, session) in self.sessions.iter().cycle().enumerate() {
            for message in session.iter().filter(|message| round == 0 || message["role"] != "system") {
                // Never between a call and its result.
                if size > tokens && message["role"] != "tool" {
                    return Ok(out);
                }
                let message = renamed(message, round, round >= self.sessions.len());
                size += count(&message);
                out += &message.to_string();
                out.push('\n');
            }
        }
        Ok(out)
    }
}

/// About what Enfold counts.
fn count(message: &Value) -> usize {
    let calls = message["tool_calls"].as_array().into_iter().flatten();
    let texts = calls.map(|call| &call["function"]["arguments"]).chain([&message["content"]]);
    texts.filter_map(Value::as_str).map(|text| Encoding::O200k.count(text) + 4).sum()
}

fn files(folder: &Path) -> Result<Vec<PathBuf>, Failure> {
    let mut files: Vec<PathBuf> =
        fs::read_dir(folder)?.map(|entry| Ok(entry?.path())).collect::<Result<_, std::io::Error>>()?;
    files.retain(|file| file.extension().is_some_and(|kind| kind == "jsonl"));
    files.sort();
    Ok(files)
}

fn read(file: &Path) -> Result<Vec<Value>, Failure> {
    let text = fs::read_to_string(file)?;
    Ok(text.lines().filter(|line| !line.is_empty()).map(serde_json::from_str).collect::<Result<_, _>>()?)
}

/// Ids never repeat; names are others where the session stood before.
fn renamed(message: &Value, round: usize, with_names: bool) -> Value {
    let mut message = message.clone();
    let vary = |text: &str| if with_names { other_names(text, round) } else { text.to_string() };
    if let Some(text) = message["content"].as_str() {
        message["content"] = vary(text).into();
    }
    if let Some(id) = message["tool_call_id"].as_str() {
        message["tool_call_id"] = format!("{id}_{round}").into();
    }
    for call in message["tool_calls"].as_array_mut().into_iter().flatten() {
        call["id"] = format!("{}_{round}", call["id"].as_str().unwrap_or_default()).into();
        let arguments = call["function"]["arguments"].as_str().unwrap_or("{}");
        if let Ok(Value::Object(arguments)) = serde_json::from_str::<Value>(arguments) {
            let value = |value: &Value| value.as_str().map_or(value.clone(), |text| json!(vary(text)));
            let changed: serde_json::Map<String, Value> =
                arguments.iter().map(|(key, old)| (key.clone(), value(old))).collect();
            call["function"]["arguments"] = Value::Object(changed).to_string().into();
        }
    }
    message
}

/// Every third word of five letters and more gets another ending.
fn other_names(text: &str, round: usize) -> String {
    let mut out = String::with_capacity(text.len() + text.len() / 8);
    let is_name = |character: char| character.is_ascii_alphanumeric() || character == '_';
    let mut rest = text;
    while let Some(start) = rest.find(is_name) {
        let length = rest[start..].find(|character| !is_name(character)).unwrap_or(rest.len() - start);
        let word = &rest[start..start + length];
        out += &rest[..start + length];
        let sum: usize = word.bytes().map(usize::from).sum();
        if length >= 5 && sum.is_multiple_of(3) {
            out += &format!("_{round}");
        }
        rest = &rest[start + length..];
    }
    out + rest
}
