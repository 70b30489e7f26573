//! `enfold convert`.

use crate::support::{arg, enfold, file};

const CHAT: &str =
    "{\"role\": \"user\",  \"content\":\"hi\"}\r\n{\"role\":\"assistant\",\"content\":\"ho\",\"x\":1.50}\r\n";

#[test]
fn into_its_own_format_a_session_comes_out_byte_for_byte() {
    let ran = enfold(&["convert", "--to", "openai-chat"], CHAT);
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, CHAT, ""));
}

#[test]
fn frames_can_be_changed() {
    let array = enfold(&["convert", "--to", "openai-chat", "--as", "array"], CHAT);
    assert_eq!(
        array.stdout,
        "[{\"role\": \"user\",  \"content\":\"hi\"},\n{\"role\":\"assistant\",\"content\":\"ho\",\"x\":1.50}]\n"
    );
    let request = enfold(&["convert", "--to", "openai-chat", "--as", "request"], CHAT);
    assert!(request.stdout.starts_with("{\"messages\":["), "{}", request.stdout);
}

#[test]
fn packed_input_is_recognised_by_content_whatever_its_name() {
    let packed = zstd::encode_all(CHAT.as_bytes(), 1).unwrap();
    let (_folder, path) = file("session.jsonl", packed);
    assert_eq!(enfold(&["convert", "--to", "openai-chat", arg(&path)], "").stdout, CHAT);
}

#[test]
fn a_folder_of_one_message_files_reads_as_lines_in_the_order_of_names() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::write(folder.path().join("event-2.json"), "{\"role\":\"assistant\",\n\"content\":\"two\"}")
        .unwrap();
    std::fs::write(folder.path().join("event-1.json"), "{\"role\":\"user\",\"content\":\"one\"}\n").unwrap();
    std::fs::write(folder.path().join("SOURCE.txt"), "not a message").unwrap();
    let ran = enfold(&["convert", "--to", "openai-chat", "--as", "array", arg(folder.path())], "");
    assert_eq!(
        ran.stdout,
        "[{\"role\":\"user\",\"content\":\"one\"},\n{\"role\":\"assistant\", \"content\":\"two\"}]\n"
    );
}

#[test]
fn the_output_may_be_the_input() {
    let (_folder, path) = file("session.jsonl", CHAT);
    let ran = enfold(&["convert", "--to", "openai-chat", "--as", "array", "-o", arg(&path), arg(&path)], "");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    assert!(std::fs::read_to_string(&path).unwrap().starts_with('['));
}

#[test]
fn a_failing_conversion_leaves_the_output_alone_and_no_litter() {
    let (folder, path) = file("session.jsonl", "{\"role\":");
    let ran = enfold(&["convert", "--to", "openai-chat", "-o", arg(&path), arg(&path)], "");
    assert_eq!(ran.code, 2);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "{\"role\":");
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 1);
}

#[cfg(unix)]
#[test]
fn an_overwritten_file_keeps_its_permissions_and_links_keep_pointing() {
    use std::os::unix::fs::{PermissionsExt, symlink};
    let (folder, path) = file("real.jsonl", "old");
    std::fs::set_permissions(&path, PermissionsExt::from_mode(0o640)).unwrap();
    let link = folder.path().join("link.jsonl");
    symlink(&path, &link).unwrap();
    assert_eq!(enfold(&["convert", "--to", "openai-chat", "-o", arg(&link)], CHAT).code, 0);
    assert!(link.is_symlink());
    assert_eq!(std::fs::read_to_string(&path).unwrap(), CHAT);
    assert_eq!(std::fs::metadata(&path).unwrap().permissions().mode() & 0o777, 0o640);
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    use std::io::Read;
    use std::process::{Command, Stdio};
    let long = "{\"role\":\"user\",\"content\":\"hello\"}\n".repeat(100_000);
    let (_folder, path) = file("long.jsonl", long);
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("enfold"))
        .args(["convert", "--to", "openai-chat", arg(&path)])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut some = [0; 10];
    let mut stdout = child.stdout.take().unwrap();
    stdout.read_exact(&mut some).unwrap();
    drop(stdout);
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_session_can_be_written_as_notation_and_read_back() {
    let notation = enfold(&["convert", "--to", "notation"], "{\"role\":\"user\",\"content\":\"a\\nb\"}\n");
    assert_eq!((notation.code, notation.stdout.as_str()), (0, "user: a\n  | b\n"));
    let back = enfold(&["convert", "--to", "openai-chat", "--as", "lines"], &notation.stdout);
    assert_eq!(back.stdout, "{\"role\":\"user\",\"content\":\"a\\nb\"}\n");
    let faulty = enfold(&["convert", "--from", "notation", "--to", "openai-chat"], "user: a\nusr: b\n");
    assert_eq!(faulty.code, 2);
    assert!(faulty.stderr.contains("line 2: `usr` starts no message"), "{}", faulty.stderr);
}
