//! 200 MB in several shapes: read or refused, without a panic, in bounded time, with at most six times their size in
//! memory; four times, where sessions are only read and counted.
//!
//! Heavy, so only where asked for: `ENFOLD_HEAVY=1 cargo test --release -p enfold-cli huge`.

use std::fs::File;
use std::io::{BufWriter, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::time::{Duration, Instant};

use crate::bad_input::READERS;
use crate::support::arg;

const SIZE: usize = 200_000_000;
const MOST_TIMES_THE_INPUT: f64 = 6.0;
const MOST_TIMES_TO_COUNT: f64 = 4.0;
const MOST_TIMES_TO_EXPLAIN: f64 = 4.0;
const MOST_TIME: Duration = Duration::from_secs(120);

#[test]
fn one_huge_string_is_read_within_bounds() {
    bounded("string", "{\"role\":\"user\",\"content\":\"", "word after word, ", "\"}\n");
}

#[test]
fn one_huge_escaped_string_is_read_within_bounds() {
    bounded("escaped", "{\"role\":\"user\",\"content\":\"", "\\n\\u00e9\\\"", "\"}\n");
}

#[test]
fn a_hundred_million_numbers_are_refused_within_bounds() {
    bounded("numbers", "[", "1,", "1]\n");
}

#[test]
fn a_hundred_million_numbers_as_messages_are_refused_within_bounds() {
    bounded("list", "{\"messages\":[", "1,", "1]}\n");
}

#[test]
fn numbers_as_content_are_read_within_bounds() {
    bounded("content", "{\"role\":\"user\",\"content\":[", "1,", "1]}\n");
}

#[test]
fn many_tiny_objects_in_an_array_are_within_bounds() {
    bounded("objects", "[", "{},", "{}]\n");
}

#[test]
fn many_tiny_lines_are_within_bounds() {
    bounded("lines", "", "{}\n", "{}\n");
}

#[test]
fn many_broken_lines_are_within_bounds() {
    bounded("broken", "{}\n{}\n", "{}\n}\n", "{}\n");
}

#[test]
fn many_tiny_keys_are_within_bounds() {
    bounded("keys", "{\"role\":\"user\",\"content\":\"x\"", ",\"a\":1", "}\n");
}

#[test]
fn many_messages_are_within_bounds() {
    // Real messages are larger: 1,800 bytes on average. Far smaller ones cost more, as an item takes a few hundred
    // bytes however short it is.
    let message = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", "some words ".repeat(36));
    bounded("messages", "", &message, "");
    // Each of them is a text of the user that does not stand whole, and could have a row of its own.
    within("explained", ["", &message, ""], &[&["explain", "--budget", "16k"]], MOST_TIMES_TO_EXPLAIN);
}

#[test]
fn many_short_messages_are_counted_within_bounds() {
    // Most of what they take is not their text. Escapes make it worse: what the model reads stands beside what was
    // written.
    for (name, words) in [("short", "some words "), ("short-escaped", "two\\nlines ")] {
        let message = format!("{{\"role\":\"user\",\"content\":\"{}\"}}\n", words.repeat(18));
        within(name, ["", &message, ""], &[&["count"]], MOST_TIMES_TO_COUNT);
    }
}

#[test]
fn many_tiny_parts_inside_a_result_are_within_bounds() {
    let head =
        "{\"role\":\"user\",\"content\":[{\"type\":\"tool_result\",\"tool_use_id\":\"a\",\"content\":[";
    bounded("result", head, "{},", "{}]}]}\n");
}

#[test]
fn a_huge_nesting_is_within_bounds() {
    bounded("deep", "", "[", "");
}

/// Writes `head`, `body` over and over, `tail`, and gives the file to every command that reads a session.
fn bounded(name: &str, head: &str, body: &str, tail: &str) {
    within(name, [head, body, tail], READERS, MOST_TIMES_THE_INPUT);
}

/// The same for some commands, which may take so many times the input in memory.
fn within(name: &str, [head, body, tail]: [&str; 3], readers: &[&[&str]], most: f64) {
    if std::env::var_os("ENFOLD_HEAVY").is_none() {
        eprintln!(
            "SKIPPED: the 200 MB input `{name}`; set ENFOLD_HEAVY=1 (and build with --release) to run it"
        );
        return;
    }
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join(name);
    write(&path, head, body, tail).unwrap();
    for reader in readers {
        let (code, peak, took) = measure(reader, &path);
        let times = peak as f64 / SIZE as f64;
        eprintln!(
            "{name}: {reader:?}: exit {code:?}, {times:.2} times the input, {:.1} s",
            took.as_secs_f64()
        );
        assert!(matches!(code, Some(0 | 2 | 3 | 4)), "{name}: {reader:?}: exit code {code:?}");
        assert!(times <= most, "{name}: {reader:?}: {times:.2} times the input in memory");
    }
}

fn write(path: &Path, head: &str, body: &str, tail: &str) -> std::io::Result<()> {
    let mut file = BufWriter::new(File::create(path)?);
    let piece = body.repeat(100_000 / body.len());
    file.write_all(head.as_bytes())?;
    for _ in 0..SIZE / piece.len() {
        file.write_all(piece.as_bytes())?;
    }
    file.write_all(tail.as_bytes())?;
    file.flush()
}

/// Exit code, peak resident memory in bytes, time.
fn measure(reader: &[&str], path: &Path) -> (Option<i32>, u64, Duration) {
    let started = Instant::now();
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("enfold"))
        .args(reader)
        .arg(arg(path))
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let mut peak = 0;
    loop {
        // The high-water mark only grows, so the last look before the end is the peak but for a few milliseconds.
        peak = peak.max(high_water_mark(child.id()).unwrap_or(0));
        if let Some(status) = child.try_wait().unwrap() {
            return (status.code(), peak, started.elapsed());
        }
        if started.elapsed() > MOST_TIME {
            child.kill().unwrap();
            panic!("{reader:?} hangs on {}", path.display());
        }
        std::thread::sleep(Duration::from_millis(3));
    }
}

fn high_water_mark(process: u32) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{process}/status")).ok()?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:"))?;
    let kilobytes: u64 = line.split_whitespace().nth(1)?.parse().ok()?;
    Some(kilobytes * 1024)
}
