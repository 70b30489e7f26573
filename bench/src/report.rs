//! Puts a section of results into `bench/RESULTS.md`.

use std::fs;
use std::num::NonZero;
use std::path::Path;
use std::thread;
use std::time::SystemTime;

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

/// Where and when this was measured.
pub(crate) fn machine() -> String {
    let cpu = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = cpu.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    let name = name.map_or("a machine that does not say", |(_, name)| name);
    let cores = thread::available_parallelism().map_or(1, NonZero::get);
    let now = humantime::format_rfc3339_seconds(SystemTime::now()).to_string();
    format!("{}, {name}, {cores} cores.", &now[..10])
}
