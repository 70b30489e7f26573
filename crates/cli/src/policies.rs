//! Policies by name or from a file.

use std::path::Path;

use enfold::folding::policy::{POLICIES, Policy, PolicyError};
use serde_json::Value;

use crate::args::PolicyArg;
use crate::failure::Failure;

/// A policy and the text it is written in.
pub fn load(named: &PolicyArg) -> Result<(Policy, String), Failure> {
    match named {
        PolicyArg::Named(name) => {
            let policy = Policy::named(name).map_err(|error| {
                Failure::BadInput(format!(
                    "{error} (`enfold policies` lists them; a file of your own needs a dot or a slash)"
                ))
            })?;
            let text = POLICIES.iter().find(|(known, _)| known == name).map_or("", |(_, text)| text);
            Ok((policy, text.to_string()))
        }
        PolicyArg::File(path) => {
            let text = std::fs::read_to_string(path).map_err(|error| Failure::file(path, &error))?;
            let policy = Policy::parse(&text).map_err(|error| faulty(path, &error))?;
            Ok((policy, text))
        }
    }
}

/// The value of an option.
pub fn value(option: &str) -> Value {
    serde_json::from_str(option).unwrap_or(Value::Null)
}

fn faulty(path: &Path, error: &PolicyError) -> Failure {
    let line = error.line.map_or(String::new(), |line| format!(": line {line}"));
    let remedy = match error.why.ends_with('?') {
        true => "",
        false => "; `enfold policies balanced --toml` prints one that works",
    };
    Failure::BadInput(format!("{}{line}: {}{remedy}", path.display(), error.why))
}
