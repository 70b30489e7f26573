//! `enfold explain`.

use serde_json::Value;

use crate::fold::{CAPS, SHORT};
use crate::support::{arg, enfold, example, file, json};

#[test]
fn each_fold_says_what_it_is_and_why() {
    let (_folder, path) = file("mine.toml", CAPS);
    let ran = enfold(&["explain", "--budget", "120", "--policy", arg(&path)], SHORT);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn every_fold_is_listed_with_its_handle_within_80_columns() {
    let file = example("long.jsonl");
    let ran = enfold(&["explain", &file, "--budget", "16k"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    let longest = ran.stdout.lines().map(|line| line.chars().count()).max().unwrap();
    assert!(longest <= 80, "a line of {longest} columns:\n{}", ran.stdout);
    for fold in folds(&json(&["explain", &file, "--budget", "16k", "--json"])) {
        for handle in fold["handles"].as_array().unwrap() {
            assert!(ran.stdout.contains(handle.as_str().unwrap()), "{fold}");
        }
    }
}

fn folds(explained: &Value) -> Vec<Value> {
    let passes = explained["passes"].as_array().unwrap();
    passes.iter().flat_map(|pass| pass["folds"].as_array().unwrap().clone()).collect()
}

#[test]
fn the_numbers_add_up() {
    for name in ["long.jsonl", "anthropic.json", "responses.json", "claude-code.jsonl"] {
        let total = json(&["count", "--json", &example(name)])["tokens"].as_u64().unwrap();
        let explained =
            json(&["explain", &example(name), "--json", "--budget", &(total * 6 / 10).to_string()]);
        let saved = |fold: &Value| fold["before"].as_u64().unwrap() - fold["after"].as_u64().unwrap();
        let saved: u64 = folds(&explained).iter().map(saved).sum();
        assert!(saved > 0, "{name}");
        assert_eq!(
            explained["before"].as_u64().unwrap() - explained["after"].as_u64().unwrap(),
            saved,
            "{name}"
        );
    }
}

#[test]
fn the_report_of_fold_is_the_same_object() {
    let file = example("long.jsonl");
    let explained = json(&["explain", &file, "--budget", "16k", "--json"]);
    let report = enfold(&["fold", &file, "--budget", "16k", "--report", "json"], "").stderr;
    assert_eq!(serde_json::from_str::<Value>(&report).unwrap(), explained);
}

#[test]
fn what_cannot_fit_is_explained_too() {
    let (_folder, path) = file("mine.toml", CAPS);
    let ran = enfold(&["explain", "--budget", "10", "--policy", arg(&path)], SHORT);
    assert_eq!(ran.code, 3);
    insta::assert_snapshot!(ran.stdout);
}

#[test]
fn the_page_holds_every_fold_and_no_markup_of_the_session_and_loads_nothing() {
    let evil = "<script>alert(1)</script><img src=x onerror=alert(1)> ' \\\" </style></details></pre>\\n";
    let session = format!(
        "{{\"role\":\"user\",\"content\":\"{evil}\"}}\n\
         {{\"role\":\"assistant\",\"content\":null,\"tool_calls\":[{{\"id\":\"a\",\"type\":\"function\",\"function\":{{\"name\":\"<b>run</b>\",\"arguments\":\"{{}}\"}}}}]}}\n\
         {{\"role\":\"tool\",\"tool_call_id\":\"a\",\"content\":\"{}\"}}\n\
         {{\"role\":\"user\",\"content\":\"go on\"}}\n",
        evil.repeat(50)
    );
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ran = enfold(&["explain", "--budget", "200", "--html", arg(&path)], &session);
    assert_eq!((ran.code, ran.stdout.as_str()), (0, ""));
    let page = std::fs::read_to_string(&path).unwrap();
    assert_eq!((page.matches("<script").count(), page.matches("</script>").count()), (2, 2), "its own");
    let data = page_data(&page);
    assert_eq!(data["messages"].as_array().unwrap().len(), 4, "a row for each message");
    for markup in ["<img", "<b>run", "http://", "https://", "url(", "@import"] {
        assert!(!page.contains(markup), "{markup}");
    }
    assert!(page.contains("default-src 'none'"));
    let explained = enfold(&["explain", "--budget", "200", "--json"], &session).stdout;
    let folds = folds(&serde_json::from_str(&explained).unwrap());
    assert!(!folds.is_empty(), "{explained}");
    assert_eq!(begins_at(&data)["folds"], Value::Array(folds));
}

/// What a page is told.
pub fn page_data(page: &str) -> Value {
    let data = page.split("id='data'>").nth(1).unwrap().split("</script>").next().unwrap();
    serde_json::from_str(data).unwrap()
}

/// The view that a page begins with.
pub fn begins_at(data: &Value) -> &Value {
    &data["views"][data["start"].as_u64().unwrap() as usize]
}

#[test]
fn the_page_is_announced_with_what_it_shows_and_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ran = enfold(&["explain", &example("long.jsonl"), "--budget", "16k", "--html", arg(&path)], "");
    let said = ran.stderr.replace(arg(folder.path()), "DIR");
    insta::assert_snapshot!(said, @r"
    65,518 → 15,995 tokens of 16,000 (24.4 %), 43 folds; of some only a note remains
    DIR/page.html: the page; 7 other budgets on its slider. Open it in a browser.
    ");
}

#[test]
fn a_session_that_fits_is_shown_at_a_budget_that_folds_unless_one_is_named() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let file = example("long.jsonl");
    let ran = enfold(&["explain", &file, "--model", "claude-sonnet-4-5", "--html", arg(&path)], "");
    assert!(
        ran.stderr.contains("nothing has to be folded")
            && ran.stderr.contains("the page begins with a smaller budget: "),
        "{}",
        ran.stderr
    );
    let data = page_data(&std::fs::read_to_string(&path).unwrap());
    assert!(!begins_at(&data)["folds"].as_array().unwrap().is_empty());
    enfold(&["explain", &file, "--budget", "100k", "--html", arg(&path)], "");
    let data = page_data(&std::fs::read_to_string(&path).unwrap());
    assert_eq!(begins_at(&data)["after"], data["before"], "the one that was named");
}

#[test]
fn the_page_names_every_handle_and_shows_the_originals() {
    let file = example("long.jsonl");
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("page.html");
    let ran = enfold(&["explain", &file, "--budget", "16k", "--json", "--html", arg(&path)], "");
    let page = std::fs::read_to_string(&path).unwrap();
    let data = page_data(&page);
    let handles = begins_at(&data)["handles"].as_object().unwrap();
    for (nth, fold) in folds(&serde_json::from_str(&ran.stdout).unwrap()).iter().enumerate() {
        for handle in fold["handles"].as_array().unwrap() {
            assert_eq!(handles[handle.as_str().unwrap()], nth, "{fold}");
        }
    }
    let session = std::fs::read_to_string(&file).unwrap();
    for (line, shown) in session.lines().zip(data["messages"].as_array().unwrap()) {
        let message: Value = serde_json::from_str(line).unwrap();
        let said = message["content"].as_str().unwrap_or("");
        assert!(shown["text"].as_str().unwrap().contains(said), "{said}");
    }
}

/// A session whose user pasted a log and typed three sentences.
fn with_a_paste() -> String {
    let say = |role: &str, text: &str| serde_json::json!({"role": role, "content": text}).to_string() + "\n";
    let log: String =
        (0..120).map(|nth| format!("12:00:{nth:02} worker {nth} took job {}\n", nth * 7)).collect();
    let work = |nth: usize| {
        say("assistant", &format!("Looking at part {nth}. {}", format!("It holds value {nth}. ").repeat(60)))
    };
    let start = [say("user", "Find out why the queue stalls"), work(1), say("user", &log), work(2), work(3)];
    start.concat() + &say("user", "And keep it short") + &work(4) + &say("user", "Go on")
}

#[test]
fn every_text_of_the_user_that_is_not_whole_is_named() {
    let session = with_a_paste();
    let ran = enfold(&["explain", "-", "--budget", "2500"], &session);
    let table = ran.stdout.split("not whole\n").nth(1).unwrap_or_else(|| panic!("{}", ran.stdout));
    assert!(table.contains("12:00:00 worker 0") && table.contains("a paste, folded by lines"), "{table}");
    let json = enfold(&["explain", "-", "--budget", "2500", "--json"], &session).stdout;
    let json: Value = serde_json::from_str(&json).unwrap();
    let rows = json["shortened"].as_array().unwrap();
    assert_eq!(rows.len(), 1, "{rows:?}");
    assert_eq!((&rows[0]["message"], &rows[0]["why"]), (&Value::from(3), &Value::from("paste")));
    let [tokens, stands] = ["tokens", "stands"].map(|key| rows[0][key].as_u64().unwrap());
    assert!(0 < stands && stands < tokens, "{stands} of {tokens}");
    let folder = tempfile::tempdir().unwrap();
    let page = folder.path().join("page.html");
    enfold(&["explain", "-", "--budget", "2500", "--html", arg(&page)], &session);
    let data = page_data(&std::fs::read_to_string(&page).unwrap());
    let said = begins_at(&data)["shortened"][0].as_str().unwrap();
    assert!(said.starts_with("message 3: “12:00:00 worker 0"), "{said}");
    let report = enfold(&["fold", "-", "--budget", "2500"], &session).stderr;
    assert!(report.contains("1 text of the user is not whole:"), "{report}");
}

#[test]
fn where_everything_the_user_said_stands_nothing_is_said_about_it() {
    let explained = enfold(&["explain", "--budget", "16k"], std::fs::read(example("long.jsonl")).unwrap());
    assert!(!explained.stdout.contains("not whole"), "{}", explained.stdout);
    let report = enfold(&["fold", &example("long.jsonl"), "--budget", "16k"], "").stderr;
    assert!(!report.contains("not whole"), "{report}");
}
