//! Originals in files: `enfold fold --blobs` and `enfold unfold`.

use std::collections::BTreeSet;
use std::path::Path;

use serde_json::Value;

use crate::support::{Ran, arg, enfold, example};

fn fold(folder: &Path, budget: &str) -> Ran {
    let ran = enfold(
        &["fold", &example("long.jsonl"), "--budget", budget, "--blobs", arg(folder), "--report", "json"],
        "",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    ran
}

fn handles(report: &str) -> BTreeSet<String> {
    let report: Value = serde_json::from_str(report).unwrap();
    let passes = report["passes"].as_array().unwrap().clone();
    let folds = passes.iter().flat_map(|pass| pass["folds"].as_array().unwrap().clone());
    folds
        .flat_map(|fold| fold["handles"].as_array().unwrap().clone())
        .map(|handle| handle.as_str().unwrap().to_string())
        .collect()
}

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder).unwrap();
    entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect()
}

#[test]
fn every_handle_of_a_report_opens_its_original_byte_for_byte() {
    let folder = tempfile::tempdir().unwrap();
    let ran = fold(folder.path(), "16k");
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    let texts: BTreeSet<String> = session.lines().flat_map(texts).collect();
    let handles = handles(&ran.stderr);
    assert!(handles.len() > 10, "{handles:?}");
    for handle in &handles {
        let original = enfold(&["unfold", handle, "--blobs", arg(folder.path())], "");
        assert_eq!(original.code, 0, "{handle}: {}", original.stderr);
        let is_text = texts.contains(&original.stdout);
        assert!(is_text || session.contains(&original.stdout), "{handle}: {}", original.stdout);
    }
    let digits: BTreeSet<String> = handles.iter().map(|handle| handle[1..].to_string()).collect();
    let stored: BTreeSet<String> = names(folder.path()).iter().map(|name| name[..9].to_string()).collect();
    assert_eq!(stored, digits, "each original is there, and nothing else");
}

/// The texts that a message holds.
fn texts(line: &str) -> Vec<String> {
    let message: Value = serde_json::from_str(line).unwrap();
    let mut texts: Vec<String> = message["content"].as_str().map(String::from).into_iter().collect();
    for call in message["tool_calls"].as_array().into_iter().flatten() {
        texts.extend(call["function"]["arguments"].as_str().map(String::from));
    }
    texts
}

#[test]
fn the_view_names_the_files_and_they_are_there() {
    let folder = tempfile::tempdir().unwrap();
    let ran = fold(folder.path(), "16k");
    let start = format!("{}/", arg(folder.path()));
    let named: BTreeSet<String> = ran
        .stdout
        .split(&start)
        .skip(1)
        .map(|rest| rest.chars().take_while(char::is_ascii_digit).collect())
        .collect();
    assert!(named.len() > 5, "{named:?}");
    assert!(named.is_subset(&names(folder.path())), "{named:?}");
}

#[cfg(unix)]
#[test]
fn originals_are_their_owners_alone() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("a/b");
    fold(&blobs, "16k");
    let mode = |path: &Path| std::fs::metadata(path).unwrap().permissions().mode() & 0o777;
    assert_eq!(mode(&blobs), 0o700);
    for name in names(&blobs) {
        assert!(name.len() == 18 && name.bytes().all(|byte| byte.is_ascii_digit()), "{name}");
        assert_eq!(mode(&blobs.join(&name)), 0o600, "{name}");
    }
}

#[test]
fn folding_again_changes_no_file() {
    let folder = tempfile::tempdir().unwrap();
    let first = fold(folder.path(), "16k");
    let written = |folder: &Path| -> Vec<_> {
        names(folder)
            .iter()
            .map(|name| std::fs::metadata(folder.join(name)).unwrap().modified().unwrap())
            .collect()
    };
    let before = written(folder.path());
    assert_eq!(fold(folder.path(), "16k").stdout, first.stdout);
    assert_eq!(written(folder.path()), before);
}

#[test]
fn a_file_with_other_content_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    fold(folder.path(), "16k");
    let name = names(folder.path()).into_iter().next().unwrap();
    let path = folder.path().join(&name);
    std::fs::write(&path, "mine").unwrap();
    let args = ["fold", &example("long.jsonl"), "--budget", "16k", "--blobs", arg(folder.path())];
    let ran = enfold(&args, "");
    assert!(ran.stderr.contains(&name) && ran.stderr.contains("holds something else"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "mine");
    assert!(ran.code == 0 && !ran.stdout.contains(arg(folder.path())), "no file of somebody else is named");
}

#[test]
fn where_originals_cannot_be_written_the_view_names_handles_alone() {
    let folder = tempfile::tempdir().unwrap();
    let blocked = folder.path().join("file");
    std::fs::write(&blocked, "").unwrap();
    for (blobs, says) in [(blocked.as_path(), "file"), (Path::new("/proc/enfold"), "/proc/enfold")] {
        let args = ["fold", &example("long.jsonl"), "--budget", "16k", "--blobs", arg(blobs)];
        let ran = enfold(&args, "");
        let plain = enfold(&["fold", &example("long.jsonl"), "--budget", "16k"], "");
        assert_eq!((ran.code, ran.stdout), (0, plain.stdout), "{}", blobs.display());
        let note = ran.stderr.lines().find(|line| line.starts_with("note: originals are not in files: "));
        assert!(note.is_some_and(|note| note.contains(says)), "{}", ran.stderr);
    }
}

#[cfg(target_os = "linux")]
#[test]
fn a_full_disk_leaves_no_half_file_and_a_view_that_names_none() {
    // A size limit on files stands in for a full disk: no test should need a disk of its own.
    let folder = tempfile::tempdir().unwrap();
    let enfold = assert_cmd::cargo::cargo_bin("enfold");
    let script = format!(
        "trap '' XFSZ; ulimit -f 1; '{}' fold '{}' --budget 16k --report none --blobs '{}'",
        enfold.display(),
        example("long.jsonl"),
        folder.path().display()
    );
    let ran = std::process::Command::new("bash").args(["-c", &script]).output().unwrap();
    let said = String::from_utf8_lossy(&ran.stderr);
    assert!(ran.status.success() && said.contains("file too large"), "{said}");
    let view = String::from_utf8_lossy(&ran.stdout);
    assert!(view.contains(" #") && !view.contains(arg(folder.path())), "{view}");
    assert!(names(folder.path()).iter().all(|name| name.len() == 18), "no litter");
}

#[test]
fn unfold_takes_handles_as_people_type_them() {
    let folder = tempfile::tempdir().unwrap();
    fold(folder.path(), "16k");
    let name = names(folder.path()).into_iter().next().unwrap();
    let original = std::fs::read_to_string(folder.path().join(&name)).unwrap();
    for typed in [format!("#{}", &name[..9]), name[..9].to_string(), name.clone(), format!("#{name}")] {
        let ran = enfold(&["unfold", &typed, "--blobs", arg(folder.path())], "");
        assert_eq!((ran.code, ran.stdout == original), (0, true), "{typed}: {}", ran.stderr);
    }
    let mut command = assert_cmd::Command::cargo_bin("enfold").unwrap();
    let ran = command.args(["unfold", &name]).env("ENFOLD_BLOBS", folder.path()).output().unwrap();
    assert_eq!(String::from_utf8_lossy(&ran.stdout), original);
}

#[test]
fn unfold_says_what_to_do_where_there_is_nothing() {
    let folder = tempfile::tempdir().unwrap();
    let blobs = folder.path().join("blobs");
    let unfold = |args: &[&str]| {
        let ran = enfold(&[&["unfold"], args].concat(), "");
        assert_eq!((ran.code, ran.stdout.as_str()), (2, ""));
        ran.stderr.replace(arg(folder.path()), "DIR")
    };
    insta::assert_snapshot!(unfold(&["#123456789"]), @"error: unfold: there is neither a folder of originals nor a store; name the session file that was folded behind the handle, or add --blobs DIR with the folder that `enfold fold --blobs` wrote to (or set ENFOLD_BLOBS), or --store FILE with a store of sessions");
    insta::assert_snapshot!(unfold(&["#123456789", "--blobs", arg(&blobs)]), @"error: DIR/blobs: no such file or directory; check the name");
    std::fs::create_dir(&blobs).unwrap();
    insta::assert_snapshot!(unfold(&["#123456789", "--blobs", arg(&blobs)]), @"error: #123456789: DIR/blobs holds no original of this handle; fold with --blobs and this folder first");
    std::fs::write(blobs.join("123456788000000001"), "x").unwrap();
    insta::assert_snapshot!(unfold(&["#123456789", "--blobs", arg(&blobs)]), @"error: #123456789: DIR/blobs holds no original of this handle; did you mean `123456788`?");
    insta::assert_snapshot!(unfold(&["999999999", "--blobs", arg(&blobs)]), @"error: #999999999: DIR/blobs holds no original of this handle; was its view folded with --blobs and this folder?");
    insta::assert_snapshot!(unfold(&["../../etc/passwd", "--blobs", arg(&blobs)]), @"error: `../../etc/passwd`: it is no handle; type its nine digits, as they stand behind the # in the view");
    std::fs::write(blobs.join("123456788000000002"), "y").unwrap();
    insta::assert_snapshot!(unfold(&["123456788", "--blobs", arg(&blobs)]), @"error: #123456788: several sessions have an original with this handle; type the whole name of one of 123456788000000001, 123456788000000002");
}
