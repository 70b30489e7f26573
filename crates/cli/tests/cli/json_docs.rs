//! `docs/json.md` and what commands print: each names what the other has.

use std::collections::BTreeSet;

use enfold::view::fold::FoldKind;
use serde_json::Value;

use crate::support::{Store, enfold, example, json};

const DOCUMENT: &str = include_str!("../../../../docs/json.md");

const KINDS: [FoldKind; 11] = [
    FoldKind::Cap,
    FoldKind::Bookend,
    FoldKind::Digest,
    FoldKind::Pointer,
    FoldKind::Delta,
    FoldKind::Placeholder,
    FoldKind::Clear,
    FoldKind::Drop,
    FoldKind::Edits,
    FoldKind::Summary,
    FoldKind::Told,
];

/// What the document says under the headings that name a command.
fn section(command: &str) -> String {
    let heading = format!("`enfold {command}");
    let sections =
        DOCUMENT.split("\n## ").filter(|section| section.lines().next().unwrap().contains(&heading));
    let said: Vec<&str> = sections.collect();
    assert!(!said.is_empty(), "no heading has {heading}");
    said.join("\n")
}

/// Every word of a text: `cache_read`, `passes`.
fn words(text: &str) -> BTreeSet<&str> {
    text.split(|letter: char| !letter.is_alphanumeric() && letter != '_').collect()
}

/// Every key of a value, however deep.
fn keys(value: &Value) -> BTreeSet<String> {
    let mut found = BTreeSet::new();
    let mut open = vec![value];
    while let Some(value) = open.pop() {
        match value {
            Value::Array(values) => open.extend(values),
            Value::Object(fields) => {
                for (key, value) in fields {
                    found.insert(key.clone());
                    open.push(value);
                }
            }
            _ => {}
        }
    }
    found
}

/// What stands in the first column of a section's tables, and in braces: the names it gives to fields.
fn documented(section: &str) -> BTreeSet<String> {
    let mut names = BTreeSet::new();
    let rows = section.lines().filter_map(|line| line.strip_prefix("| `"));
    for row in rows {
        let column = row.split('|').next().unwrap_or_default();
        let fields = column.split('`').filter(|part| !part.trim_matches([',', ' ']).is_empty());
        names.extend(fields.map(|field| field.rsplit('.').next().unwrap_or_default().to_string()));
    }
    for braces in section.split('{').skip(1) {
        let inside = braces.split(['}', '{']).next().unwrap_or_default();
        let fields = inside.split(',').map(|field| field.split(':').next().unwrap_or_default());
        let is_name = |name: &&str| {
            !name.is_empty() && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_')
        };
        let fields = fields.map(|field| field.trim().trim_matches(['"', '`', '[', ']', '}']).trim());
        names.extend(fields.filter(is_name).map(String::from));
    }
    names
}

/// Compares what a section says with what was printed.
fn agree(command: &str, printed: &[Value]) {
    let section = section(command);
    let finding = DOCUMENT.split("\n## ").find(|section| section.starts_with("A finding")).unwrap();
    let said = &words(&section) | &words(finding);
    let real: BTreeSet<String> = printed.iter().flat_map(keys).collect();
    let unsaid: Vec<&String> = real.iter().filter(|key| !said.contains(key.as_str())).collect();
    assert!(unsaid.is_empty(), "docs/json.md says nothing of what `enfold {command}` prints: {unsaid:?}");
    let invented: Vec<String> =
        documented(&section).into_iter().filter(|name| !real.contains(name)).collect();
    assert!(
        invented.is_empty(),
        "docs/json.md has fields that `enfold {command}` does not print: {invented:?}"
    );
}

#[test]
fn fields_of_commands_that_look_into_a_session_are_those_that_are_documented() {
    let long = example("long.jsonl");
    agree(
        "replay",
        &[
            json(&["replay", &long, "--window", "16k", "--json"]),
            json(&["replay", &example("claude-code.jsonl"), "--json"]),
        ],
    );
    agree("count", &[json(&["count", &long, "--json"])]);
    agree("changelog", &[json(&["changelog", &long, "--json"])]);
    agree(
        "file-at",
        &[
            json(&["file-at", &long, "src/report.c", "--step", "20", "--json"]),
            json(&["file-at", &example("claude-code.jsonl"), "src/main.c", "--step", "1", "--json"]),
        ],
    );
    agree("passes", &[json(&["passes", "--json"])]);
    agree("templates", &[json(&["templates", "--json"])]);
    // A list per wire format, under its name.
    let rules = json(&["validate", "--rules", "--json"]);
    agree(
        "validate",
        &[
            serde_json::from_str(
                &enfold(
                    &["validate", "--json"],
                    r#"[{"role":"tool","tool_call_id":"a","content":"x"},{"role":"user","content":"y"}]"#,
                )
                .stdout,
            )
            .unwrap(),
            rules["anthropic"].clone(),
        ],
    );
}

#[test]
fn fields_of_a_report_are_those_that_are_documented() {
    let long = example("long.jsonl");
    let explained = json(&["explain", &long, "--budget", "16k", "--policy", "summarize", "--json"]);
    let small = enfold(&["explain", &long, "--budget", "100", "--json"], "").stdout;
    let section = section("explain");
    let said = words(&section);
    for key in [explained, serde_json::from_str(&small).unwrap()].iter().flat_map(keys) {
        assert!(said.contains(key.as_str()), "docs/json.md says nothing of `{key}`");
    }
    for kind in KINDS {
        let (begins, ends) = (format!("| `{}` |", kind.name()), format!("| `{}` |", kind.rung().name()));
        let is_it = |line: &str| line.starts_with(&begins) && line.ends_with(&ends);
        assert!(section.lines().any(is_it), "docs/json.md does not list {begins} … {ends}");
    }
}

#[test]
fn fields_of_a_store_are_those_that_are_documented() {
    let store = Store::with(&["long.jsonl"]);
    store.done(&["fold", "session:long", "--budget", "16k", "--report", "none"]);
    agree("sessions messages", &[store.json(&["sessions", "messages", "long", "--json"])]);
    agree("search", &[store.json(&["search", "long", "limits", "--json"])]);
    let listed = section("sessions list") + &section("sessions show");
    let shown = store.json(&["sessions", "show", "long", "--json"]);
    for key in keys(&store.json(&["sessions", "list", "--json"])).union(&keys(&shown)) {
        assert!(words(&listed).contains(key.as_str()), "docs/json.md says nothing of `{key}`");
    }
}
