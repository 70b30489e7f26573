//! `cargo xtask new-pass NAME`: a pass that compiles, with a manual page to fill in.

use std::fs;
use std::path::Path;

/// Writes the file of a pass and its lines in the table of passes.
pub(crate) fn new_pass(root: &Path, name: &str) -> Result<(), String> {
    let is_name = name.contains('_') && name.bytes().all(|byte| byte.is_ascii_lowercase() || byte == b'_');
    if !is_name {
        return Err(format!(
            "`{name}` is no name for a pass; take a verb and its object, such as `dedup_reads`"
        ));
    }
    let passes = root.join("crates/core/src/folding/passes");
    let file = passes.join(format!("{name}.rs"));
    if file.exists() {
        return Err(format!("{} exists", file.display()));
    }
    let table =
        fs::read_to_string(passes.join("mod.rs")).map_err(|error| format!("passes/mod.rs: {error}"))?;
    let table = register(&table, name)
        .ok_or("passes/mod.rs has another shape than expected; add the pass by hand")?;
    let write = |path: &Path, text: String| {
        fs::write(path, text).map_err(|error| format!("{}: {error}", path.display()))
    };
    write(&file, PASS.replace("NAME", name).replace("Type", &type_of(name)))?;
    write(&passes.join("mod.rs"), table)
}

fn register(table: &str, name: &str) -> Option<String> {
    let ty = type_of(name);
    let entry = format!("    entry::<{ty}>(\"{name}\", include_str!(\"{name}.rs\")),\n");
    let start = table.find("pub static PASSES")?;
    let end = start + table[start..].find("];")?;
    let mut out = table.to_string();
    out.insert_str(end, &entry);
    out.insert_str(table.find("\npub use ")? + 1, &format!("pub use {name}::{ty};\n"));
    out.insert_str(table.find("\nmod ")? + 1, &format!("mod {name};\n"));
    Some(out)
}

/// `dedup_reads` → `DedupReads`.
fn type_of(name: &str) -> String {
    let capital = |word: &str| word[..1].to_uppercase() + &word[1..];
    name.split('_').filter(|word| !word.is_empty()).map(capital).collect()
}

const PASS: &str = r##"//! One sentence: what becomes of what.
//!
//! # What it does
//!
//! # When it fires
//!
//! # What is lost and how to recall it
//!
//! # Options
//! None.

use serde::{Deserialize, Serialize};

use super::{Cx, Outcome, Pass, PassError};
use crate::view::View;

/// See the manual page above.
#[derive(Clone, Debug, Default, PartialEq, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct Type {}

impl Pass for Type {
    fn name(&self) -> &str {
        "NAME"
    }

    fn apply(&self, _view: &View, _cx: &Cx) -> Result<Outcome, PassError> {
        Ok(Outcome::Unchanged("nothing matches".into()))
    }
}
"##;
