//! Whatever is fed to a command that reads a session: a clear error (exit code 2) or a reading with findings. Never a
//! panic, never a hang.

use crate::support::{Ran, arg, enfold, example, file, json};

/// Every command that reads a session, ready to read it from stdin.
pub const READERS: &[&[&str]] = &[
    &["fold", "--budget", "16k", "--report", "none"],
    &["explain", "--budget", "16k"],
    &["inspect"],
    &["inspect", "--json"],
    &["count"],
    &["validate"],
    &["changelog"],
    &["convert", "--to", "anthropic"],
    &["convert", "--to", "openai-chat", "--as", "array"],
];

/// Feeds bytes to every reader; all of them must refuse with the same kind of message.
fn refused(bytes: impl AsRef<[u8]>) -> String {
    let mut said = String::new();
    for reader in READERS {
        let Ran { code, stdout, stderr } = enfold(reader, bytes.as_ref());
        assert_eq!(code, 2, "{reader:?}: {stdout}{stderr}");
        assert!(stderr.starts_with("error: standard input: "), "{reader:?}: {stderr}");
        assert_eq!(stdout, "", "{reader:?} prints nothing beside an error");
        said = stderr;
    }
    said
}

/// Feeds bytes to every reader; all of them must cope. Returns what the last one wrote.
fn read(bytes: impl AsRef<[u8]>) -> Ran {
    let mut last = None;
    for reader in READERS {
        let ran = enfold(reader, bytes.as_ref());
        assert!(matches!(ran.code, 0 | 3 | 4), "{reader:?}: {} {}{}", ran.code, ran.stdout, ran.stderr);
        last = Some(ran);
    }
    last.expect("there are readers")
}

const USER: &str = "{\"role\":\"user\",\"content\":\"hi\"}";

#[test]
fn empty_input_says_what_was_expected() {
    for nothing in ["", " \n\n", "\u{feff}"] {
        assert_eq!(
            refused(nothing),
            "error: standard input: the input is empty; expected a session as JSON or JSON lines\n"
        );
    }
}

#[test]
fn truncated_json_names_line_and_byte() {
    let said = refused("[{\"role\":\"user\",\n\"content\":\"hel");
    assert!(
        said.contains("line 2, byte 31: not JSON: EOF while parsing a string; the file ends too early"),
        "{said}"
    );
}

#[test]
fn a_cut_last_line_is_passed_over_and_reported() {
    let ran = read(format!("{USER}\n{USER}\n{{\"role\":"));
    assert!(ran.stderr.contains("the line is cut off"), "{}", ran.stderr);
}

/// Only `inspect` and `validate` said it.
#[test]
fn a_cut_last_line_is_told_beside_a_view_a_count_and_a_replay() {
    let session = std::fs::read(example("long.jsonl")).unwrap();
    let (_folder, path) = file("cut.jsonl", &session[..5_000]);
    for reader in [
        &["fold", arg(&path), "--budget", "16k"][..],
        &["count", arg(&path)],
        &["replay", arg(&path), "--window", "16k"],
    ] {
        let ran = enfold(reader, "");
        assert_eq!(ran.code, 0, "{reader:?}: {}", ran.stderr);
        let line = ran.stderr.lines().find(|line| line.starts_with("warning: ")).unwrap_or_default();
        assert!(
            line.contains("cut.jsonl: line 7") && line.contains("the line is cut off"),
            "{reader:?}: {line}"
        );
    }
    let quiet = enfold(&["fold", arg(&path), "--budget", "16k", "--report", "none"], "");
    assert_eq!((quiet.code, quiet.stderr.as_str()), (0, ""));
}

/// It was called a format that nobody knows.
#[test]
fn a_folder_of_several_sessions_is_called_so() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["anthropic.json", "gemini.json"] {
        std::fs::copy(example(name), folder.path().join(name)).unwrap();
    }
    let of_lines = tempfile::tempdir().unwrap();
    for name in ["a.jsonl", "b.jsonl"] {
        std::fs::copy(example("long.jsonl"), of_lines.path().join(name)).unwrap();
    }
    for (folder, first) in [(&folder, "anthropic.json"), (&of_lines, "a.jsonl")] {
        for command in [&["ledger"][..], &["count"], &["fold", "--budget", "16k"]] {
            let ran = enfold(&[command, &[arg(folder.path())]].concat(), "");
            assert_eq!(ran.code, 2, "{command:?}: {}", ran.stderr);
            let is_said =
                ran.stderr.contains("it is a folder of several session files") && ran.stderr.contains(first);
            assert!(is_said, "{command:?}: {}", ran.stderr);
        }
    }
    assert!(json(&["count", &example("openhands-sdk"), "--json"])["tokens"].as_u64() > Some(0));
}

#[test]
fn a_cut_utf8_sequence_names_its_byte() {
    let said = refused(b"{\"role\":\"user\",\"content\":\"\xe2\x82");
    assert!(said.contains("byte 26 (line 1) is not UTF-8; the last character is cut off"), "{said}");
}

#[test]
fn binary_input_is_called_binary() {
    let said = refused([0x7f, b'E', b'L', b'F', 2, 1, 1, 0, 0xff, 0xfe, 0, 0]);
    assert!(said.contains("it looks like a binary file"), "{said}");
    let said = refused(b"\0\0\0\0");
    assert!(said.contains("not JSON"), "{said}");
}

#[test]
fn damaged_packing_is_told() {
    let packed = zstd::encode_all(USER.repeat(1000).as_bytes(), 1).unwrap();
    let said = refused(&packed[..packed.len() / 2]);
    assert!(said.contains("its zstd packing is damaged"), "{said}");
    assert!(refused(b"\x1f\x8b\x08\x00nonsense").contains("its gzip packing is damaged"));
}

#[test]
fn nesting_a_hundred_thousand_deep_is_read_or_refused_without_recursion() {
    let (open, close) = ("[".repeat(100_000), "]".repeat(100_000));
    refused(format!("{open}{close}"));
    refused(&open);
    refused("{\"messages\":".repeat(100_000));
    read(format!("{{\"role\":\"user\",\"content\":{open}{close}}}\n{USER}\n"));
    read(format!("{{\"role\":\"user\",\"content\":\"x\",\"extra\":{open}{close}}}\n{USER}\n"));
    let arguments = format!("{open}{close}").replace('"', "\\\"");
    read(format!(
        "{{\"role\":\"assistant\",\"tool_calls\":[{{\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{arguments}\"}}}}]}}\n{USER}\n"
    ));
}

#[test]
fn duplicate_ids_orphan_calls_and_orphan_results_are_read() {
    let call = |id: &str| {
        format!(
            "{{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"id\":\"{id}\",\"type\":\"function\",\"function\":{{\"name\":\"f\",\"arguments\":\"{{}}\"}}}}]}}\n"
        )
    };
    let result = |id: &str| format!("{{\"role\":\"tool\",\"tool_call_id\":\"{id}\",\"content\":\"ok\"}}\n");
    read(format!("{USER}\n{}{}{}{}", call("a"), call("a"), result("a"), result("a")));
    read(format!("{USER}\n{}", call("a")));
    read(format!("{USER}\n{}", result("a")));
}

#[test]
fn wrong_types_are_refused_or_reported() {
    for value in ["1", "\"text\"", "null", "true", "[]", "{}", "[1,2,3]", "[[[]]]", "{\"messages\":7}"] {
        refused(value);
    }
    for message in [
        "{\"role\":7,\"content\":\"x\"}",
        "{\"role\":\"nobody\",\"content\":\"x\"}",
        "{\"role\":\"user\",\"content\":7}",
        "{\"role\":\"user\",\"content\":[7,null,{}]}",
        "{\"role\":\"assistant\",\"tool_calls\":7}",
        "{\"role\":\"assistant\",\"tool_calls\":[7,{\"function\":null},{\"function\":{\"name\":[],\"arguments\":7}}]}",
        "{\"role\":\"tool\",\"tool_call_id\":{},\"content\":{\"a\":1}}",
        "7",
    ] {
        read(format!("{USER}\n{USER}\n{USER}\n{message}\n"));
    }
}

#[test]
fn line_ends_of_windows_and_a_byte_order_mark_are_fine() {
    let ran = read(format!("\u{feff}{USER}\r\n\r\n{USER}\r\n"));
    assert_eq!(ran.stderr, "");
}

#[test]
fn lone_surrogates_are_read() {
    read(
        "{\"role\":\"user\",\"content\":\"a\\ud800b \\udc00\"}\n{\"role\":\"user\",\"content\":\"\\ud83d\\ude00\"}\n",
    );
}

#[test]
fn equal_keys_empty_keys_and_escaped_keys_are_read() {
    read(format!("{{\"role\":\"user\",\"role\":\"user\",\"\":1,\"\\u0000\":2,\"content\":\"x\"}}\n{USER}\n"));
}

#[test]
fn a_missing_file_and_a_folder_without_sessions_are_named() {
    let missing = enfold(&["convert", "--to", "openai-chat", "no/such/file"], "");
    assert_eq!(
        (missing.code, missing.stderr.as_str()),
        (2, "error: no/such/file: no such file or directory; check the name\n")
    );
    let folder = tempfile::tempdir().unwrap();
    let empty = enfold(&["convert", "--to", "openai-chat", folder.path().to_str().unwrap()], "");
    assert_eq!(empty.code, 2);
    assert!(
        empty.stderr.contains("it is a folder without .json files; name a session file"),
        "{}",
        empty.stderr
    );
}

#[test]
fn what_a_session_says_cannot_reach_the_terminal_as_a_command() {
    let ran = read(
        "{\"role\":\"user\",\"content\":\"x\",\"\\u001b]0;owned\\u0007\":1}\n{\"role\":7}\n{\"role\":\"user\",\"content\":\"y\"}\n",
    );
    assert!(!ran.stderr.contains('\x1b'), "{:?}", ran.stderr);
}
