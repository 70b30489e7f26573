//! `enfold replay` and `enfold tune`.

use serde_json::Value;

use crate::support::{arg, enfold, example, file, json};

#[test]
fn a_session_is_charged_as_it_was_compacted_and_folded() {
    let ran = enfold(&["replay", &example("long.jsonl"), "--window", "16k"], "");
    assert_eq!((ran.code, ran.stderr.as_str()), (0, ""));
    for way in ["no management", "compaction at 95 %", "balanced"] {
        assert!(ran.stdout.contains(way), "{}", ran.stdout);
    }
    let told = json(&["replay", &example("long.jsonl"), "--window", "16k", "--json"]);
    let ways = told["sessions"][0]["ways"].as_array().unwrap();
    let (everything, folded) = (&ways[0], &ways[2]);
    assert_eq!(everything["relative_cost"], 1.0);
    assert!(folded["relative_cost"].as_f64().unwrap() < 1.0, "{folded}");
    assert_eq!(
        (&folded["over"], &folded["failed"], &folded["changed_within_an_epoch"]),
        (&0.into(), &0.into(), &0.into())
    );
    assert_eq!(folded["curve"].as_array().unwrap().len() as u64, folded["requests"].as_u64().unwrap());
}

#[test]
fn every_request_is_written_in_order_within_the_window() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("requests.jsonl");
    let ran = enfold(&["replay", &example("long.jsonl"), "--window", "16k", "--emit", arg(&out)], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    let session: Vec<Value> = session.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let written = std::fs::read_to_string(&out).unwrap();
    let requests: Vec<Value> = written.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let answers = (1..session.len()).filter(|nth| session[*nth]["role"] == "assistant");
    let at = requests.iter().map(|request| request["at"].as_u64().unwrap() as usize);
    assert!(at.eq(answers), "before each answer stands one request");
    for request in &requests {
        let messages = request["messages"].to_string();
        let (_folder, path) = file("request.json", messages);
        let counted = json(&["count", arg(&path), "--json"]);
        assert!(counted["total"].as_u64().is_none_or(|total| total <= 16_000), "{counted}");
        assert_eq!(enfold(&["validate", arg(&path)], "").code, 0);
    }
}

#[test]
fn a_session_without_a_window_is_told_how_to_get_one() {
    let ran = enfold(&["replay", &example("long.jsonl")], "");
    assert_eq!(ran.code, 2);
    assert!(ran.stderr.contains("names no model") && ran.stderr.contains("--window 64k"), "{}", ran.stderr);
}

#[test]
fn a_folder_is_replayed_session_by_session_and_what_is_none_is_named() {
    let folder = tempfile::tempdir().unwrap();
    std::fs::create_dir(folder.path().join("deeper")).unwrap();
    std::fs::copy(example("long.jsonl"), folder.path().join("deeper/one.jsonl")).unwrap();
    std::fs::copy(example("long.jsonl"), folder.path().join("two.jsonl")).unwrap();
    std::fs::write(folder.path().join("none.json"), "no session").unwrap();
    let ran = enfold(&["replay", arg(folder.path()), "--window", "16k"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("2 sessions") && ran.stdout.contains("Together"), "{}", ran.stdout);
    assert!(ran.stderr.contains("none.json") && ran.stderr.contains("left out"), "{}", ran.stderr);
}

#[test]
fn a_folder_of_one_event_files_is_one_session() {
    for folder in [example("openhands-sdk"), example("")] {
        let told = json(&["replay", &folder, "--window", "16k", "--json"]);
        let files = told["sessions"].as_array().unwrap().iter().map(|one| one["file"].as_str().unwrap());
        assert_eq!(files.filter(|file| file.contains("openhands-sdk")).count(), 1, "{folder}");
    }
}

#[test]
fn pauses_are_written_as_a_time_and_a_request() {
    let cost = |gap: &[&str]| {
        let session = example("long.jsonl");
        let told = json(&[&["replay", &session, "--window", "1M", "--json"], gap].concat());
        told["sessions"][0]["ways"][0]["cost"].as_f64().unwrap()
    };
    assert!(cost(&["--gap", "6m@10"]) > cost(&[]));
    let wrong = enfold(&["replay", &example("long.jsonl"), "--gap", "tomorrow"], "");
    assert!(wrong.code == 2 && wrong.stderr.contains("6m@40"), "{}", wrong.stderr);
}

#[test]
fn tuning_chooses_on_one_half_checks_on_the_other_and_writes_a_policy() {
    let folder = tempfile::tempdir().unwrap();
    for project in ["a", "b"] {
        std::fs::copy(example("long.jsonl"), folder.path().join(format!("{project}__1.jsonl"))).unwrap();
    }
    let out = folder.path().join("mine.toml");
    let data = arg(folder.path());
    let ran = enfold(&["tune", data, "--window", "16k", "--tries", "3", "--output", arg(&out)], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stdout.contains("chosen") && ran.stdout.contains("on 1 sessions"), "{}", ran.stdout);
    let folded = enfold(&["fold", &example("long.jsonl"), "--budget", "16k", "--policy", arg(&out)], "");
    assert_eq!(folded.code, 0, "{}", folded.stderr);
    let told =
        |seed: &str| json(&["tune", data, "--window", "16k", "--tries", "3", "--seed", seed, "--json"]);
    assert_eq!(told("1"), told("1"));
}

#[test]
fn one_project_alone_is_not_enough_to_tune_on() {
    let ran = enfold(&["tune", &example("long.jsonl"), "--window", "16k", "--tries", "1"], "");
    assert!(ran.code == 2 && ran.stderr.contains("two projects"), "{}", ran.stderr);
}
