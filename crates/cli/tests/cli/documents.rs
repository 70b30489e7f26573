//! What the source documents promise a user of the command.

use serde_json::{Value, json};

use crate::agent::{history, narrative, works};
use crate::support::{Store, arg, enfold, example, file};
use enfold_script::Reply;

/// A session of so many tokens, as `--tokenizer heuristic` counts them: a task, small steps, and one thing said.
fn session(tokens: usize) -> String {
    let mut lines = history(20);
    let counted = |lines: &[String]| {
        let ran = enfold(&["count", "-", "--tokenizer", "heuristic", "--json"], lines.join("\n"));
        let counted: Value = serde_json::from_str(&ran.stdout).unwrap();
        counted["files"][0]["parts"]
            .as_array()
            .unwrap()
            .iter()
            .map(|it| it["tokens"].as_u64().unwrap())
            .sum::<u64>()
    };
    let say = |words: usize| json!({ "role": "assistant", "content": "word".repeat(words) }).to_string();
    let with = |words: usize| [lines.clone(), vec![say(words)]].concat();
    let rest = tokens - counted(&with(1)) as usize + 1;
    let talk = say(rest);
    lines.insert(1, talk);
    assert_eq!(counted(&lines) as usize, tokens);
    lines.join("\n") + "\n"
}

fn fold(session: &str, args: &[&str]) -> (i32, bool, String) {
    let ran = enfold(&[&["fold", "-", "--tokenizer", "heuristic"], args].concat(), session);
    (ran.code, ran.stdout == session, ran.stderr)
}

#[test]
fn summarize_folds_at_the_threshold_that_it_prints() {
    let args = ["--model", "gpt-4o", "--policy", "summarize"];
    let (code, is_same, said) = fold(&session(93_599), &args);
    assert_eq!((code, is_same), (0, true), "{said}");
    let (code, is_same, said) = fold(&session(93_600), &args);
    assert_eq!((code, is_same), (0, false), "{said}");
    assert!(said.contains("folds above 93,600 tokens, to "), "{said}");
    // A budget in tokens is what may be taken, not where it starts.
    let (code, is_same, said) = fold(&session(9_999), &["--budget", "10k", "--policy", "summarize"]);
    assert_eq!((code, is_same), (0, true), "{said}");
}

#[test]
fn a_window_of_8k_is_usable_and_reserves_can_be_set() {
    let gpt4 = |args: &[&str]| {
        let ran = enfold(&[&["models", "gpt-4", "--json"], args].concat(), "");
        assert_eq!(ran.code, 0, "{}", ran.stderr);
        let budget: Value = serde_json::from_str(&ran.stdout).unwrap();
        ["output_reserve", "usable", "approaching"].map(|name| budget["budget"][name]["tokens"].as_u64())
    };
    assert_eq!(gpt4(&[]), [Some(1512), Some(4097), Some(3687)]);
    let own = ["--output-reserve", "1k", "--system-reserve", "0", "--safety", "500"];
    assert_eq!(gpt4(&own), [Some(1000), Some(6692), Some(6022)]);
    let ran = enfold(&["fold", &example("long.jsonl"), "--model", "gpt-4"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let ran = enfold(&["fold", &example("long.jsonl"), "--model", "gpt-4", "--output-reserve", "8k"], "");
    assert!(ran.code == 2 && ran.stderr.contains("lower a reserve"), "{}", ran.stderr);
}

#[test]
fn a_policy_file_sets_reserves_and_thresholds() {
    let policy = "name = \"mine\"\nabout = \"\"\n[budget]\noutput_reserve = 1000\nsystem_reserve = 0\nsafety = 0\n\
                  threshold = 0.5\n[[pass]]\nuse = \"summarize\"\nwhy = \"\"\n";
    let (_folder, path) = file("mine.toml", policy);
    let args = ["--model", "gpt-4o", "--policy", arg(&path)];
    for (tokens, wanted) in [(63_499, true), (63_500, false)] {
        let (code, is_same, said) = fold(&session(tokens), &args);
        assert_eq!((code, is_same), (0, wanted), "{said}");
    }
}

#[test]
fn warm_and_cold_can_be_said() {
    let (policy, budget) = (["--policy", "microcompact"], ["--model", "gpt-4o"]);
    let mut lines: Vec<String> = history(4);
    lines.push(json!({ "role": "assistant", "content": "word".repeat(60_000) }).to_string());
    lines[2] = lines[2].replace("line 0 ", &"0123456789 ".repeat(2_000));
    let session = lines.join("\n") + "\n";
    let run = |cache: &str| fold(&session, &[&policy[..], &budget, &["--cache", cache]].concat());
    assert!(run("warm").1, "{}", run("warm").2);
    assert!(!run("cold").1 && !fold(&session, &[&policy[..], &budget].concat()).1, "{}", run("cold").2);
}

#[test]
fn a_file_is_shown_as_it_was_after_a_turn() {
    let write = |nth: usize| {
        let arguments = json!({ "path": "a.txt", "content": format!("state {nth}\n") }).to_string();
        let call = json!({ "id": format!("c{nth}"), "type": "function", "function": { "name": "write_file", "arguments": arguments } });
        [
            json!({ "role": "user", "content": format!("turn {nth}") }).to_string(),
            json!({ "role": "assistant", "content": null, "tool_calls": [call] }).to_string(),
            json!({ "role": "tool", "tool_call_id": format!("c{nth}"), "content": "ok" }).to_string(),
        ]
    };
    let session = (1..=3).flat_map(write).collect::<Vec<_>>().join("\n");
    for turn in 1..=3 {
        let ran = enfold(&["file-at", "-", "a.txt", "--turn", &turn.to_string()], &session);
        assert_eq!((ran.code, ran.stdout), (0, format!("state {turn}\n")), "{}", ran.stderr);
    }
    let ran = enfold(&["file-at", "-", "a.txt", "--turn", "4"], &session);
    assert!(ran.code == 2 && ran.stderr.contains("the session has 3 turns"), "{}", ran.stderr);
}

#[test]
fn edit_tools_come_to_ask_for_a_reason() {
    let schema = json!({ "type": "object", "properties": { "path": { "type": "string" } } });
    let tool = |name: &str| json!({ "type": "function", "function": { "name": name, "parameters": schema } });
    let request =
        json!({ "model": "gpt-4o", "tools": [tool("edit_file"), tool("bash")], "messages": [] }).to_string();
    let ran = enfold(&["intent"], &request);
    let written: Value = serde_json::from_str(&ran.stdout).unwrap_or_else(|_| panic!("{}", ran.stderr));
    let fields =
        |nth: usize| written["tools"][nth]["function"]["parameters"]["properties"].as_object().unwrap().len();
    assert_eq!((fields(0), fields(1)), (2, 1), "{written}");
    let named = enfold(&["intent", "--tool", "bash"], &request);
    assert!(named.stdout.matches("\"intent\"").count() == 1, "{}", named.stdout);
    let none = enfold(&["intent"], "[]");
    assert!(none.code == 2 && none.stderr.contains("--tool NAME"), "{}", none.stderr);
}

#[test]
fn older_messages_of_the_ai_sdk_are_converted_to_todays() {
    let old = r#"[{"role":"user","content":"go"},{"role":"assistant","content":[{"type":"tool-call","toolCallId":"c1","toolName":"read","args":{}}]},{"role":"tool","content":[{"type":"tool-result","toolCallId":"c1","toolName":"read","result":{"a":1}}]}]"#;
    let ran = enfold(&["convert", "-", "--to", "ai-sdk"], old);
    assert!(
        ran.code == 0 && ran.stdout.contains(r#""output":{"type":"json","value":{"a":1}}"#),
        "{}",
        ran.stdout
    );
    assert_eq!(enfold(&["validate", "-"], &ran.stdout).code, 0, "{}", ran.stdout);
}

#[test]
fn a_policy_says_how_it_understands_a_session() {
    let told = enfold(&["policies", "priority"], "").stdout;
    for part in ["the last 5 steps, the last 1 turns", "AGENTS.md", "rereadable", "those of the known agents"]
    {
        assert!(told.contains(part), "{part}: {told}");
    }
    let policy = "name = \"mine\"\nabout = \"\"\n[understand]\nrecent_steps = 9\ninstruction_marks = [\"HOUSE RULES\"]\n\
                  modified = [\"a.ts\"]\n[understand.categories]\nForecast = \"computational\"\n\
                  [[understand.tool]]\nname = \"peek\"\ndoes = \"read\"\npath = \"where\"\n";
    let (_folder, path) = file("mine.toml", policy);
    let told = enfold(&["policies", arg(&path), "--json"], "").stdout;
    let told: Value = serde_json::from_str(&told).unwrap();
    let wanted = json!({ "name": "peek", "does": "read", "path": "where" });
    assert_eq!(told["understand"]["tool"][0], wanted, "{told:#}");
    assert_eq!(told["understand"]["recent_steps"], 9);
    assert_eq!(told["understand"]["categories"], json!({ "forecast": "computational" }));
    assert_eq!(told["understand"]["modified"], json!(["a.ts"]));
    let page =
        std::fs::read_to_string(concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/policies.md")).unwrap();
    for section in ["budget", "understand"] {
        for key in told[section].as_object().unwrap().keys() {
            assert!(page.contains(&format!("`{key}`")), "docs/policies.md does not explain `{key}`");
        }
    }
}

#[test]
fn retention_refuses_rather_than_leave_out_an_edit() {
    let edits = |session: &str| {
        let listed = enfold(&["changelog", "-", "--json"], session);
        let listed: Value = serde_json::from_str(&listed.stdout).unwrap();
        listed["changes"].as_array().unwrap().len()
    };
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    let fold = |budget: &str| enfold(&["fold", "-", "--policy", "retention", "--budget", budget], &session);
    let half = fold("33k");
    assert_eq!((half.code, edits(&half.stdout)), (0, edits(&session)), "{}", half.stderr);
    let little = fold("9k");
    assert_eq!((little.code, little.stdout.as_str()), (3, ""));
    assert!(little.stderr.contains("what the policy `retention` leaves takes "), "{}", little.stderr);
}

/// The round of each summary that the store knows.
fn rounds(store: &Store, id: &str) -> Vec<u64> {
    let shown = store.json(&["sessions", "show", id, "--json"]);
    shown["summaries"].as_array().unwrap().iter().map(|it| it["round"].as_u64().unwrap()).collect()
}

#[test]
fn rounds_go_on_from_the_store() {
    let store = Store::new();
    let file = store.beside("tabs.jsonl", history(60).join("\n"));
    let fold = || store.run(&["fold", "session:tabs", "--policy", "summarize", "--budget", "6k"]);
    store.done(&["sessions", "import", &file]);
    let first = fold();
    assert!(first.stdout.contains(r#"<enfold-summary round=\"1\""#), "{}", first.stderr);
    assert_eq!(fold().stdout, first.stdout, "nothing is new: the same round says it");
    assert_eq!(rounds(&store, "tabs"), [1]);
    store.beside("tabs.jsonl", history(120).join("\n"));
    store.done(&["sessions", "import", &file]);
    let second = fold();
    assert!(second.stdout.contains(r#"<enfold-summary round=\"2\""#), "{}", second.stderr);
    assert_eq!(second.stdout.matches("<enfold-summary ").count(), 1);
    assert_eq!(rounds(&store, "tabs"), [1, 2]);
}

#[test]
fn which_messages_were_compacted_is_marked_and_listed() {
    let store = Store::new();
    works(&store, 50, |_| Reply::Text(narrative()));
    let listed = |args: &[&str]| {
        let listed = store.json(&[&["sessions", "messages", "tabs", "--json"], args].concat());
        let messages = listed["messages"].as_array().unwrap().clone();
        (messages, listed["compacted"].as_u64().unwrap())
    };
    let (all, compacted) = listed(&[]);
    let (hidden, _) = listed(&["--hidden"]);
    assert_eq!(all.len(), 101);
    assert!(!hidden.is_empty() && hidden.len() < compacted as usize, "{} of {compacted}", hidden.len());
    assert!(hidden.iter().all(|it| it["hidden"] == true && it["fold"] == "summary"), "{hidden:?}");
    assert_eq!(all.iter().filter(|it| it["hidden"] == true).count(), hidden.len());
    let handle = hidden[0]["handles"][0].as_str().unwrap();
    assert!(store.done(&["unfold", handle, "--session", "tabs"]).contains("tool_calls"));
    let (since, _) = listed(&["--since-compaction"]);
    assert_eq!(since.len() as u64, 101 - compacted);
    assert!(since.iter().all(|it| it["hidden"] == false && it["number"].as_u64() > Some(compacted)));
    let table = store.done(&["sessions", "messages", "tabs"]);
    assert!(table.contains("hidden: summary #") && table.contains(" since the last compaction\n"), "{table}");
}

#[test]
fn the_last_view_that_was_sent_can_be_printed() {
    let store = Store::new();
    works(&store, 50, |_| Reply::Text(narrative()));
    let view = store.done(&["sessions", "view", "tabs"]);
    let messages = store.messages("tabs");
    let lines: Vec<&str> = view.lines().collect();
    assert_eq!(lines[0], messages[0]);
    assert!(lines[1].contains("<enfold-summary round="), "{}", lines[1]);
    assert!(lines[2..].iter().all(|line| messages.iter().any(|message| message == line)));
    let hidden = store.json(&["sessions", "messages", "tabs", "--hidden", "--json"]);
    let shown = messages.len() - hidden["messages"].as_array().unwrap().len() + 1;
    assert_eq!(lines.len(), shown - 2, "nobody knows whether what follows the newest answer was sent");
    assert_eq!(lines.last(), Some(&messages[messages.len() - 3].as_str()));
    let untouched = Store::with(&["pi.jsonl"]);
    assert!(untouched.refused(&["sessions", "view", "pi"]).contains("it was never folded"));
}
