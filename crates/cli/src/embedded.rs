//! What the commands know of a session, for programs that have read it themselves.

use enfold::file::document::Document;
use serde_json::{Value, json};

use crate::counting::Counting;
use crate::inspect::inspect;
use crate::parts;

/// Where a session's tokens are: what `enfold inspect --json` prints, without the name of a file. Counted for this model; for
/// the one that the session names, if none is given.
pub fn inspection(document: &Document, model: Option<&str>) -> Value {
    let counted = Counting::of_model(model).count(document);
    let mut seen = serde_json::to_value(inspect(String::new(), document, &counted)).unwrap_or_default();
    if let Value::Object(fields) = &mut seen {
        fields.remove("file");
    }
    seen
}

/// How many tokens a session takes, of what, counted how: what `enfold count --json` prints of a file.
pub fn counted(document: &Document, model: Option<&str>) -> Value {
    let counted = Counting::of_model(model).count(document);
    let parts: Vec<Value> = parts::weigh(document, &counted)
        .iter()
        .map(|(part, weight)| json!({ "part": part.name(), "items": weight.items, "tokens": weight.tokens }))
        .collect();
    json!({
        "format": document.format,
        "model": counted.model_id(),
        "counter": { "name": counted.tally.counter().name(), "exact": counted.tally.counter().is_exact() },
        "tokens": counted.total(),
        "parts": parts,
    })
}
