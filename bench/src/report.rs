//! Puts a section of results into `bench/RESULTS.md`.

use std::fs;
use std::path::Path;

use crate::Failure;

/// Prints `body` and replaces the section `heading` of the results with it.
pub(crate) fn write(heading: &str, body: &str) -> Result<(), Failure> {
    println!("## {heading}\n\n{body}");
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("RESULTS.md");
    let old = fs::read_to_string(&path).unwrap_or_else(|_| "# Results, as printed\n".into());
    let mut sections: Vec<String> = old.split("\n## ").map(str::to_string).collect();
    let section = format!("{heading}\n\n{body}");
    match sections.iter_mut().skip(1).find(|section| section.lines().next() == Some(heading)) {
        Some(place) => *place = section,
        None => sections.push(section),
    }
    let text: Vec<&str> = sections.iter().map(|section| section.trim_end()).collect();
    Ok(fs::write(path, text.join("\n\n## ") + "\n")?)
}
