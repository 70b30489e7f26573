//! What the source documents ask, row by row: `docs/documents.md` names each. `packages/contract/README.md` says how rows look.

#![allow(clippy::unwrap_used)]

#[path = "common/calls.rs"]
mod calls;

use std::collections::BTreeMap;
use std::path::Path;

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

/// The rows of one document, and the sessions that they are tried on: messages as they stand, byte for byte.
#[derive(Deserialize)]
struct Document {
    sessions: BTreeMap<String, Vec<Box<RawValue>>>,
    rows: Vec<Value>,
}

#[test]
fn every_row_of_the_documents_is_so() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../packages/contract/rows");
    let (mut rows, mut wrong) = (0, Vec::new());
    for file in std::fs::read_dir(folder).unwrap() {
        let file = std::fs::read_to_string(file.unwrap().path()).unwrap();
        let file: Document = serde_json::from_str(&file).unwrap();
        for row in &file.rows {
            let session = row["session"].as_str().map(|name| &file.sessions[name]);
            let came = calls::answer(row, session.map_or(&[], |messages| messages));
            let checks = row["checks"].as_array().unwrap();
            assert!(!checks.is_empty(), "a row without a check says nothing: {}", row["name"]);
            for check in checks {
                let seen = found(&came, check["at"].as_str().unwrap());
                if !holds(&seen, check) {
                    wrong.push(format!("{}: {check}: {seen:.300}", row["name"]));
                }
            }
            rows += 1;
        }
    }
    assert!(rows >= 100, "{rows} rows");
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

/// What stands at a path: keys and places, `*` for each of a list or object.
fn found(answer: &Value, path: &str) -> Value {
    let mut seen = answer;
    let mut steps = path.split('.').filter(|step| !step.is_empty());
    while let Some(step) = steps.next() {
        if step == "*" {
            let rest = steps.collect::<Vec<_>>().join(".");
            let each: Vec<&Value> = match seen {
                Value::Object(fields) => fields.values().collect(),
                seen => seen.as_array().unwrap().iter().collect(),
            };
            return each.into_iter().map(|one| found(one, &rest)).collect();
        }
        seen = step.parse::<usize>().map_or_else(|_| &seen[step], |nth| &seen[nth]);
    }
    seen.clone()
}

fn holds(seen: &Value, check: &Value) -> bool {
    let text = seen.as_str().map_or_else(|| seen.to_string(), String::from);
    let (kind, wanted) = check.as_object().unwrap().iter().find(|(kind, _)| *kind != "at").unwrap();
    let number = |value: &Value| value.as_f64().unwrap();
    match kind.as_str() {
        "is" => seen == wanted,
        "has" => text.contains(wanted.as_str().unwrap()),
        "lacks" => !text.contains(wanted.as_str().unwrap()),
        "count" => seen.as_array().map(Vec::len) == wanted.as_u64().map(|count| count as usize),
        "at_most" => number(seen) <= number(wanted),
        "at_least" => number(seen) >= number(wanted),
        other => panic!("no check `{other}`"),
    }
}
