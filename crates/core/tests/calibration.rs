//! Calibration over real sessions: how well the reports so far foretell the next one.

#![allow(
    clippy::print_stderr,
    clippy::unwrap_used,
    reason = "helpers of tests are outside what clippy sees as tests"
)]

use std::path::PathBuf;

use enfold::count::{Calibration, Counter, Encoding, Factor, Scaled};
use serde_json::Value;

#[test]
fn after_three_reports_the_next_one_is_foretold_within_a_few_percent() {
    let Some(folder) = std::env::var_os("ENFOLD_SESSIONS") else {
        eprintln!("SKIPPED: set ENFOLD_SESSIONS to a folder of real sessions to calibrate on them");
        return;
    };
    let mut errors = Vec::new();
    let mut raw_errors = Vec::new();
    for file in files(&PathBuf::from(folder).join("native/claude-code")) {
        let mut calibration = Calibration::new();
        for (at, (counted, reported)) in claude_code_reports(&file).into_iter().enumerate() {
            let off = |estimate: usize| (estimate as f64 - reported as f64) / reported as f64;
            if at >= 3 {
                errors.push(off(calibration.estimate(counted).tokens));
                raw_errors.push(off(counted));
            }
            calibration.report(counted, reported);
        }
    }
    let (low, median, high) = spread(&mut errors);
    let (raw_low, raw_median, raw_high) = spread(&mut raw_errors);
    eprintln!("{} requests; 5th percentile, median, 95th percentile of the error:", errors.len());
    eprintln!(
        "  uncorrected {raw_low:+.3} {raw_median:+.3} {raw_high:+.3}; calibrated {low:+.3} {median:+.3} {high:+.3}"
    );
    assert!(errors.len() > 200);
    assert!(low > -0.05, "undercounts by {low}");
    assert!(high < 0.25 && median < 0.10, "overcounts by {median}, at worst {high}");
}

fn spread(errors: &mut [f64]) -> (f64, f64, f64) {
    errors.sort_by(f64::total_cmp);
    let at = |percent: usize| errors[(errors.len() - 1) * percent / 100];
    (at(5), at(50), at(95))
}

/// Our count of all that came before each answer, and the provider's. Starts afresh at a compaction.
fn claude_code_reports(file: &PathBuf) -> Vec<(usize, usize)> {
    let counter = Scaled::new(Encoding::O200k, Factor::percent(125));
    let (mut counted, mut last_id, mut reports) = (0, String::new(), Vec::new());
    for line in std::fs::read_to_string(file).unwrap().lines() {
        let Ok(entry) = serde_json::from_str::<Value>(line) else { continue };
        let message = &entry["message"];
        if entry["isSidechain"] == true || message["model"] == "<synthetic>" || message["content"].is_null() {
            continue;
        }
        if entry["isCompactSummary"] == true {
            return reports;
        }
        let id = message["id"].as_str().unwrap_or_default().to_string();
        if entry["type"] == "assistant" && id != last_id {
            let usage = |name: &str| message["usage"][name].as_u64().unwrap_or(0) as usize;
            let reported = usage("input_tokens")
                + usage("cache_read_input_tokens")
                + usage("cache_creation_input_tokens");
            if reported > 0 && counted > 0 {
                reports.push((counted, reported));
            }
            last_id = id;
        }
        counted += count(&counter, &message["content"]) + 4;
    }
    reports
}

fn count(counter: &dyn Counter, content: &Value) -> usize {
    match content {
        Value::String(text) => counter.count(text),
        Value::Array(blocks) => blocks.iter().map(|block| count(counter, block)).sum(),
        block => match block["type"].as_str() {
            Some("text") => count(counter, &block["text"]),
            Some("tool_use") => {
                4 + count(counter, &block["name"]) + counter.count(&block["input"].to_string())
            }
            Some("tool_result") => 4 + count(counter, &block["content"]),
            Some("thinking") => count(counter, &block["thinking"]),
            _ => 0,
        },
    }
}

fn files(folder: &PathBuf) -> Vec<PathBuf> {
    let entries = std::fs::read_dir(folder).unwrap_or_else(|error| panic!("{folder:?}: {error}"));
    let mut files: Vec<PathBuf> = entries.map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}
