//! `enfold fold`.

use serde_json::Value;

use crate::support::{arg, enfold, example, examples, file, json};

const LONG: &str = "long.jsonl";

fn report(args: &[&str]) -> Value {
    let ran = enfold(&[&["fold", "--report", "json"], args].concat(), "");
    assert_eq!(ran.code, 0, "{args:?}: {}", ran.stderr);
    serde_json::from_str(&ran.stderr).unwrap_or_else(|error| panic!("{args:?}: {error}: {}", ran.stderr))
}

fn tokens(session: &str) -> u64 {
    let ran = enfold(&["count", "--json"], session);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    serde_json::from_str::<Value>(&ran.stdout).unwrap()["tokens"].as_u64().unwrap()
}

#[test]
fn the_view_goes_to_stdout_and_fits_the_report_to_stderr_within_80_columns() {
    let ran = enfold(&["fold", &example(LONG), "--budget", "16k"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let counted = tokens(&ran.stdout);
    assert!(counted > 10_000 && counted <= 16_000, "{counted}");
    let longest = ran.stderr.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "{}", ran.stderr);
    let last = ran.stderr.lines().last().unwrap();
    assert!(last.contains(" → ") && last.contains(" tokens of 16,000 ("), "{last}");
    assert!(last.contains("; of some only a note remains"), "{last}");
    assert_eq!(enfold(&["validate"], &ran.stdout).code, 0);
}

#[test]
fn a_session_that_fits_leaves_byte_for_byte() {
    let strange = "{\"role\": \"user\",  \"content\":\"hi\",\"x\":1.50}\r\n\r\n{\"role\":\"assistant\",\"content\":\"h\\u006f\"}\r\n";
    let ran = enfold(&["fold", "--budget", "100"], strange);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, strange));
    insta::assert_snapshot!(ran.stderr);
}

#[test]
fn reports_say_what_each_pass_did() {
    let (_folder, path) = file("mine.toml", CAPS);
    let fold = |report: &str| {
        enfold(&["fold", "--budget", "120", "--policy", arg(&path), "--report", report], SHORT)
    };
    insta::assert_snapshot!("report_table", fold("table").stderr);
    insta::assert_snapshot!("report_json", fold("json").stderr);
    assert_eq!(fold("none").stderr, "");
    insta::assert_snapshot!("view", fold("none").stdout);
}

/// A session in which something can be folded, small enough to be read.
pub const SHORT: &str = "\
{\"role\":\"user\",\"content\":\"Why does the build fail?\"}
{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{\"id\":\"a\",\"type\":\"function\",\"function\":{\"name\":\"bash\",\"arguments\":\"{\\\"command\\\":\\\"make\\\"}\"}}]}
{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"cc -c one.c\\ncc -c two.c\\ncc -c three.c\\ncc -c four.c\\ncc -c five.c\\ncc -c six.c\\ncc -c seven.c\\nmain.c:3: error: `limit` undeclared\\ncc -c eight.c\\ncc -c nine.c\\ncc -c ten.c\\nmake: Error 1\"}
{\"role\":\"assistant\",\"content\":\"main.c uses `limit`, which nobody declares.\"}
{\"role\":\"user\",\"content\":\"Then declare it.\"}
";

/// A policy whose folds can be told beforehand.
pub const CAPS: &str = "\
name = \"mine\"
about = \"Small results.\"

[[pass]]
use = \"cap_results\"
why = \"nobody reads long results\"
max_tokens = 40
keep_chars = 30
";

#[test]
fn the_same_input_gives_the_same_bytes_from_a_file_and_from_stdin() {
    let path = example(LONG);
    let from_file = enfold(&["fold", &path, "--budget", "8k", "--report", "none"], "");
    let from_stdin =
        enfold(&["fold", "-", "--budget", "8000", "--report", "none"], std::fs::read(&path).unwrap());
    assert_eq!((from_file.code, from_file.stderr.as_str()), (0, ""));
    assert!(from_file.stdout == from_stdin.stdout && !from_file.stdout.is_empty());
}

#[test]
fn handles_stay_the_same_while_a_session_grows() {
    let (_folder, path) = file("mine.toml", CAPS.replace("40", "400"));
    let text = std::fs::read_to_string(example(LONG)).unwrap();
    let shorter: String = text.lines().take(140).map(|line| format!("{line}\n")).collect();
    let handles = |session: &str| -> Vec<Value> {
        let ran = enfold(&["fold", "--budget", "60k", "--policy", arg(&path), "--report", "json"], session);
        let report: Value = serde_json::from_str(&ran.stderr).unwrap();
        let folds = report["passes"][0]["folds"].as_array().unwrap();
        folds.iter().map(|fold| fold["handles"].clone()).collect()
    };
    let (before, after) = (handles(&shorter), handles(&text));
    assert!(before.len() > 10 && after.len() > before.len(), "{} {}", before.len(), after.len());
    assert_eq!(before, after[..before.len()]);
}

#[test]
fn every_wire_format_leaves_in_its_own() {
    for name in ["long.jsonl", "anthropic.json", "responses.json", "ai-sdk.json", "gemini.json"] {
        let file = example(name);
        let before = json(&["count", "--json", &file]);
        let total = before["tokens"].as_u64().unwrap();
        let budget = (total * 6 / 10).to_string();
        let ran = enfold(&["fold", &file, "--budget", &budget, "--report", "none"], "");
        assert_eq!(ran.code, 0, "{name}: {}", ran.stderr);
        let after: Value = serde_json::from_str(&enfold(&["count", "--json"], &ran.stdout).stdout).unwrap();
        assert_eq!(after["files"][0]["format"], before["files"][0]["format"], "{name}");
        assert!(after["tokens"].as_u64().unwrap() <= total * 6 / 10, "{name}: {}", after["tokens"]);
        assert_eq!(enfold(&["validate"], &ran.stdout).code, enfold(&["validate", &file], "").code, "{name}");
    }
}

#[test]
fn an_agents_log_leaves_in_the_format_its_agent_speaks() {
    for file in examples() {
        let total = json(&["count", "--json", arg(&file)])["tokens"].as_u64().unwrap();
        let ran = enfold(&["fold", arg(&file), "--budget", &total.to_string(), "--report", "json"], "");
        assert_eq!(ran.code, 0, "{}: {}", file.display(), ran.stderr);
        let said: Value = serde_json::from_str(ran.stderr.lines().last().unwrap()).unwrap();
        let to = said["to"].as_str().unwrap();
        assert_eq!(enfold(&["count", "--from", to], &ran.stdout).code, 0, "{} as {to}", file.display());
        assert!(["openai-chat", "openai-responses", "anthropic", "gemini", "ai-sdk"].contains(&to), "{to}");
    }
}

#[test]
fn a_view_can_be_written_in_another_format_and_the_budget_holds_there() {
    for to in
        ["openai-chat", "openai-responses", "anthropic", "ai-sdk", "gemini", "pi-agent-core", "notation"]
    {
        let ran = enfold(&["fold", &example(LONG), "--budget", "16k", "--to", to, "--report", "none"], "");
        assert_eq!(ran.code, 0, "{to}: {}", ran.stderr);
        let counted = tokens(&ran.stdout);
        assert!(counted > 8_000 && counted <= 16_000, "{to}: {counted}");
        let back = enfold(&["inspect", "--json"], &ran.stdout).stdout;
        assert_eq!(serde_json::from_str::<Value>(&back).unwrap()["format"], to);
    }
}

#[test]
fn a_session_in_the_notation_leaves_in_the_notation() {
    let notation = enfold(&["convert", "--to", "notation"], SHORT).stdout;
    let ran = enfold(&["fold", "--budget", "90", "--report", "none"], &notation);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.starts_with("user: Why does the build fail?\n"), "{}", ran.stdout);
    assert!(ran.stdout.len() < notation.len(), "{}", ran.stdout);
}

#[test]
fn tool_definitions_count_into_the_budget() {
    let file = example("anthropic.json");
    let said = report(&[&file, "--budget", "3k"]);
    let tools = said["budget"]["tools"].as_u64().unwrap();
    assert!(tools > 100, "{tools}");
    assert!(said["after"].as_u64().unwrap() <= 3_000);
    let view = enfold(&["fold", &file, "--budget", "3k", "--report", "none"], "").stdout;
    assert_eq!(tokens(&view), said["after"].as_u64().unwrap(), "what is reported is what is counted");
}

#[test]
fn budgets_are_tokens_or_shares_of_the_models_window() {
    let budget = |args: &[&str]| {
        report(&[&[example(LONG).as_str()], args].concat())["budget"]["tokens"].as_u64().unwrap()
    };
    for (spelling, tokens) in [("16000", 16_000), ("16k", 16_000), ("16_000", 16_000), ("1.5M", 1_500_000)] {
        assert_eq!(budget(&["--budget", spelling]), tokens, "{spelling}");
    }
    let usable = 128_000 - 4_096 - 2_000 - 5_000;
    assert_eq!(budget(&["--budget", "0.5", "--model", "gpt-4o"]), usable / 2);
    assert_eq!(budget(&["--budget", "50%", "--model", "gpt-4o"]), usable / 2);
    assert_eq!(budget(&["--model", "gpt-4o"]), usable * 8 / 10);
    for wrong in ["0", "-5", "lots", "1.5", "16kb", ""] {
        let ran = enfold(&["fold", &format!("--budget={wrong}")], SHORT);
        assert_eq!(ran.code, 2, "{wrong}");
        assert!(ran.stderr.contains("write for example"), "{wrong}: {}", ran.stderr);
    }
}

#[test]
fn without_a_budget_the_sessions_own_model_decides() {
    let named = format!("{{\"model\":\"gpt-4o\",\"messages\":[{}]}}", SHORT.trim_end().replace('\n', ","));
    let ran = enfold(&["fold", "--report", "json"], &named);
    let said: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(ran.stdout == named, "{}", ran.stdout);
    assert_eq!(said["budget"]["source"], "gpt-4o folds above 93,523 tokens, to 70,142");
    let narrow = named.replace("gpt-4o", "gpt-4");
    let ran = enfold(&["fold", "--report", "json"], &narrow);
    let said: Value = serde_json::from_str(&ran.stderr).unwrap();
    assert!(
        ran.stdout == narrow && said["budget"]["source"] == "gpt-4 folds above 3,277 tokens, to 2,458",
        "{said}"
    );
    let narrow = enfold(&["fold", "--output-reserve", "4096"], narrow);
    assert_eq!(narrow.code, 2);
    assert!(narrow.stderr.contains("no room in a window of 8192 tokens"), "{}", narrow.stderr);
    let unknown = enfold(&["fold"], named.replace("gpt-4o", "gtp-9"));
    assert_eq!(unknown.code, 0);
    assert!(unknown.stderr.contains("model `gtp-9` is not in the model table"), "{}", unknown.stderr);
}

#[test]
fn without_a_budget_and_a_model_it_says_what_to_type() {
    let ran = enfold(&["fold"], SHORT);
    insta::assert_snapshot!(format!("{}: {}", ran.code, ran.stderr), @"2: error: standard input: it names no model, and no budget is given; add --budget 16k, or --model with the model it is for, such as --model gpt-4o");
    let share = enfold(&["fold", "--budget", "0.8"], SHORT);
    insta::assert_snapshot!(format!("{}: {}", share.code, share.stderr), @"2: error: standard input: it names no model, and the budget is a share of a model's window; add --budget 16k, or --model with the model it is for, such as --model gpt-4o");
}

#[test]
fn what_cannot_fit_is_listed_and_nothing_is_written() {
    let (folder, path) = file("view.jsonl", "old");
    let blobs = folder.path().join("blobs");
    let ran = enfold(&["fold", "--budget", "10", "-o", arg(&path), "--blobs", arg(&blobs)], SHORT);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""));
    insta::assert_snapshot!(ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), "old");
    assert!(!blobs.exists());
    let quiet = enfold(&["fold", "--budget", "10", "--report", "none"], SHORT);
    assert_eq!((quiet.code, quiet.stderr.lines().count()), (3, 1), "{}", quiet.stderr);
    let json = enfold(&["fold", "--budget", "10", "--report", "json"], SHORT);
    let said: Value = serde_json::from_str(json.stderr.lines().next().unwrap()).unwrap();
    assert_eq!(said["cannot_fit"]["short"], said["cannot_fit"]["needed"].as_u64().unwrap() - 10);
    assert_eq!(said["cannot_fit"]["must_stay"].as_array().unwrap().len(), 3);
}

#[test]
fn where_nobody_asked_for_anything_the_newest_message_must_stay() {
    let nobody_asked =
        "{\"role\":\"assistant\",\"content\":\"one two three four five six seven\"}\n".repeat(9);
    let ran = enfold(&["fold", "--budget", "5"], &nobody_asked);
    assert_eq!((ran.code, ran.stdout.as_str()), (3, ""), "{}", ran.stderr);
}

#[test]
fn what_is_wrong_with_the_session_itself_is_a_note() {
    let orphan = format!("{SHORT}{}\n", "{\"role\":\"tool\",\"tool_call_id\":\"zz\",\"content\":\"x\"}");
    let (_folder, path) = file("mine.toml", CAPS);
    let ran = enfold(&["fold", "--budget", "120", "--policy", arg(&path)], &orphan);
    assert!(ran.stdout.contains("tokens trimmed"), "{}", ran.stdout);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(
        ran.stderr.contains(
            "note: a provider would refuse the session itself for 1 reason; `enfold validate` names"
        ),
        "{}",
        ran.stderr
    );
}

#[test]
fn the_output_may_be_the_input() {
    let (_folder, path) = file("session.jsonl", SHORT);
    let ran = enfold(&["fold", arg(&path), "--budget", "90", "-o", arg(&path), "--report", "none"], "");
    assert_eq!((ran.code, ran.stdout.as_str(), ran.stderr.as_str()), (0, "", ""));
    let view = std::fs::read_to_string(&path).unwrap();
    assert!(view.len() < SHORT.len() && tokens(&view) <= 90, "{view}");
}

#[test]
fn a_policy_of_ones_own_is_read_from_a_file_and_faults_name_its_lines() {
    let policy = CAPS;
    let (_folder, path) = file("mine.toml", policy);
    let ran = enfold(&["fold", "--budget", "150", "--policy", arg(&path)], SHORT);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("tokens trimmed") && ran.stdout.contains("make: Error 1"), "{}", ran.stdout);
    let fault = |text: String| {
        std::fs::write(&path, text).unwrap();
        let ran = enfold(&["fold", "--budget", "150", "--policy", arg(&path)], SHORT);
        assert_eq!(ran.code, 2);
        ran.stderr.replace(arg(&path), "mine.toml")
    };
    insta::assert_snapshot!(fault(policy.replace("cap_results", "cap_result")), @"error: mine.toml: line 4: no pass named `cap_result`; did you mean `cap_results`?");
    insta::assert_snapshot!(fault(policy.replace("max_tokens", "max_token")), @"error: mine.toml: line 4: pass `cap_results` has no option `max_token`; did you mean `max_tokens`?");
    insta::assert_snapshot!(fault(policy.replace("about", "abuot")), @"error: mine.toml: line 2: unknown field `abuot`, expected one of `name`, `about`, `fits`, `budget`, `epoch`, `understand`, `pass`; `enfold policies balanced --toml` prints one that works");
    insta::assert_snapshot!(fault(policy.replace("= 40", "= forty")), @"error: mine.toml: line 7: invalid boolean, expected `false`; `enfold policies balanced --toml` prints one that works");
    let none = enfold(&["fold", "--budget", "150", "--policy", "no/mine.toml"], SHORT);
    insta::assert_snapshot!(none.stderr, @"error: no/mine.toml: no such file or directory; check the name");
    let misspelt = enfold(&["fold", "--budget", "150", "--policy", "ballanced"], SHORT);
    insta::assert_snapshot!(misspelt.stderr, @"error: policy `ballanced`: there is no policy of that name; did you mean `balanced`? (`enfold policies` lists them; a file of your own needs a dot or a slash)");
}

#[test]
fn a_reader_that_leaves_early_is_no_error() {
    use std::process::{Command, Stdio};
    let mut child = Command::new(assert_cmd::cargo::cargo_bin("enfold"))
        .args(["fold", &example(LONG), "--budget", "60k", "--report", "none"])
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    drop(child.stdout.take());
    let ended = child.wait_with_output().unwrap();
    assert_eq!((ended.status.code(), String::from_utf8_lossy(&ended.stderr).as_ref()), (Some(0), ""));
}

#[test]
fn a_request_before_its_first_message_is_read_and_left_alone() {
    for request in [
        r#"{"model":"gpt-4o","messages":[]}"#,
        r#"{"model":"claude-sonnet-4-5","max_tokens":9,"messages":[]}"#,
        r#"{"model":"gpt-5","input":[]}"#,
    ] {
        for policy in ["balanced", "summarize", "priority"] {
            let ran = enfold(&["fold", "--policy", policy], request);
            assert_eq!((ran.code, ran.stdout.as_str()), (0, request), "{policy}: {}", ran.stderr);
        }
        for command in [&["inspect"][..], &["count"], &["ledger"], &["changelog"], &["explain"]] {
            let ran = enfold(command, request);
            assert_eq!(ran.code, 0, "{command:?}: {}", ran.stderr);
        }
        let refused = enfold(&["validate"], request);
        assert!(refused.code == 2 && refused.stderr.contains("it holds no message; add one"));
        let replayed = enfold(&["replay", "-"], request);
        assert!(replayed.code == 2 && replayed.stderr.contains("no session has a request to replay"));
    }
}
