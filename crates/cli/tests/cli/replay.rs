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

/// The example of Claude Code, with a night in the middle of it.
fn over_night() -> (tempfile::TempDir, std::path::PathBuf) {
    let session = std::fs::read_to_string(example("claude-code.jsonl")).unwrap();
    let half = session.lines().count() / 2;
    let day = |(nth, line): (usize, &str)| {
        if nth < half { line.to_string() } else { line.replace("2025-11-04T", "2025-11-05T") }
    };
    file("night.jsonl", session.lines().enumerate().map(day).collect::<Vec<_>>().join("\n"))
}

#[test]
fn a_night_leaves_the_cache_cold_unless_the_clock_is_not_to_count() {
    let (_folder, path) = over_night();
    let first = |more: &[&str]| {
        let told = json(&[&["replay", arg(&path), "--json"], more].concat());
        let one = &told["sessions"][0];
        let everything = &one["ways"][0];
        (
            one["has_clock"].as_bool().unwrap(),
            everything["cold"].as_u64().unwrap(),
            everything["cost"].as_f64().unwrap(),
        )
    };
    let (by_clock, without) = (first(&[]), first(&["--no-clock"]));
    assert_eq!((by_clock.0, by_clock.1, without.0, without.1), (true, 1, false, 0));
    assert!(by_clock.2 > without.2);
}

#[test]
fn what_was_charged_stands_beneath_in_tokens_and_dollars() {
    let ran = enfold(&["replay", &example("claude-code.jsonl")], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let line = ran.stdout.lines().find(|line| line.starts_with("charged:")).unwrap();
    assert!(
        line.contains("164,459 of 166,350 input tokens") && line.contains("predicted: 164,570"),
        "{line}"
    );
    assert!(line.contains("$") && line.contains("at list prices"), "{line}");
}

#[test]
fn several_sessions_say_what_they_cost_unmanaged_folded_and_charged() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["claude-code.jsonl", "codex.jsonl", "swe-agent-0.traj"] {
        std::fs::copy(example(name), folder.path().join(name)).unwrap();
    }
    std::fs::write(folder.path().join("broken.jsonl"), "{\"role\": ").unwrap();
    let page = folder.path().join("page.html");
    let ran = enfold(&["replay", arg(folder.path()), "--window", "16k", "--html", arg(&page)], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    for said in ["3 sessions", "$ unmanaged", "$ charged", "$ folded", "+rec", "swe-agent-0.traj", "Together"]
    {
        assert!(ran.stdout.contains(said), "{said}: {}", ran.stdout);
    }
    assert!(!ran.stdout.contains("as it was"), "{}", ran.stdout);
    assert!(ran.stderr.contains("broken.jsonl") && ran.stderr.contains("left out"), "{}", ran.stderr);
    let page = std::fs::read_to_string(page).unwrap();
    assert!(page.contains("several models") && page.contains("3 sessions"));
}

/// The view of the task alone does not fit: such requests once cost nothing.
#[test]
fn requests_without_a_view_are_told_and_charged() {
    let ran = enfold(&["replay", &example("long.jsonl"), "--window", "20"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let said = "balanced: 67 of 67 requests have no view, because what must stay";
    assert!(
        ran.stdout.contains(said) && ran.stdout.contains("charged as sending everything"),
        "{}",
        ran.stdout
    );
    let told = json(&["replay", &example("long.jsonl"), "--window", "20", "--json"]);
    let folded = &told["sessions"][0]["ways"][2];
    assert_eq!((&folded["relative_cost"], folded["curve"].as_array().unwrap().len()), (&1.0.into(), 67));
}

#[test]
fn look_ups_are_in_the_cost_with_them_alone() {
    let told = json(&["replay", &example("long.jsonl"), "--window", "8k", "--policy", "age", "--json"]);
    let ways = told["sessions"][0]["ways"].as_array().unwrap();
    let relative = |way: &Value, cost: f64| cost / ways[0]["cost"].as_f64().unwrap() - way.as_f64().unwrap();
    let folded = &ways[2];
    let (cost, more) = (folded["cost"].as_f64().unwrap(), folded["lookup_cost"].as_f64().unwrap());
    assert!(more > 0.0 && relative(&folded["relative_cost"], cost).abs() < 1e-9, "{folded}");
    assert!(relative(&folded["relative_cost_with_lookups"], cost + more).abs() < 1e-9, "{folded}");
}

#[test]
fn a_system_prompt_of_several_lines_is_written_on_one() {
    let ran = enfold(&["replay", &example("anthropic.json"), "--emit", "-"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("balanced"), "the tables go where the requests do not: {}", ran.stderr);
    let requests: Vec<Value> = ran.stdout.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(requests.len(), 15);
    assert!(
        requests
            .iter()
            .all(|request| request["system"][0]["text"].as_str().unwrap().contains("coding agent"))
    );
    let both = enfold(&["replay", &example("anthropic.json"), "--emit", "-", "--json"], "");
    assert!(both.code == 2 && both.stderr.contains("--json goes to standard output too"), "{}", both.stderr);
}

#[test]
fn a_recorded_session_is_never_written_over() {
    let session = std::fs::read_to_string(example("long.jsonl")).unwrap();
    let (folder, path) = file("session.jsonl", &session);
    let around = folder.path().join("./session.jsonl");
    for option in ["--emit", "--html"] {
        let ran = enfold(&["replay", arg(&path), "--window", "16k", option, arg(&around)], "");
        assert!(ran.code == 2 && ran.stderr.contains("the recorded session itself"), "{}", ran.stderr);
    }
    let ran = enfold(&["tune", arg(folder.path()), "--window", "16k", "--output", arg(&around)], "");
    assert!(ran.code == 2 && ran.stderr.contains("the recorded session itself"), "{}", ran.stderr);
    assert_eq!(std::fs::read_to_string(&path).unwrap(), session);
}

#[test]
fn a_policy_may_be_called_like_what_agents_do_by_themselves() {
    let policy = "name = \"compaction of mine\"\nabout = \"\"\n[[pass]]\nuse = \"trim_age\"\nwhy = \"\"\n";
    let (folder, path) = file("mine.toml", policy);
    let page = folder.path().join("page.html");
    let session = example("long.jsonl");
    let ran = enfold(
        &["replay", &session, &session, "--window", "16k", "--policy", arg(&path), "--html", arg(&page)],
        "",
    );
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let rows = ran.stdout.lines().filter(|line| line.trim_start().starts_with("long.jsonl")).count();
    assert_eq!(rows, 2, "{}", ran.stdout);
    assert!(std::fs::read_to_string(page).unwrap().contains("of the cost, compaction of mine"));
}

#[test]
fn a_policys_own_reserves_hold_in_a_replay_too() {
    let policy = "name = \"mine\"\nabout = \"\"\n[budget]\nsystem_reserve = 0\nsafety = 0\noutput_reserve = 28000\n\
                  [[pass]]\nuse = \"trim_age\"\nwhy = \"\"\n";
    let (_folder, path) = file("mine.toml", policy);
    let window = |more: &[&str]| {
        let told = json(&[&["replay", &example("long.jsonl"), "--json"], more].concat());
        told["sessions"][0]["window"].as_u64().unwrap()
    };
    assert_eq!(window(&["--model", "gpt-4o"]), 116_904);
    assert_eq!(window(&["--model", "gpt-4o", "--policy", arg(&path)]), 100_000);
    assert_eq!(
        window(&["--model", "gemini-2.5-pro"]),
        193_000,
        "up to the price cliff, less what is kept free"
    );
}

#[cfg(unix)]
#[test]
fn a_folder_that_nobody_may_read_is_named_and_the_others_are_replayed() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::copy(example("long.jsonl"), folder.path().join("one.jsonl")).unwrap();
    let closed = folder.path().join("closed");
    std::fs::create_dir(&closed).unwrap();
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o000)).unwrap();
    // Whoever may read everything, as root may, sees an empty folder.
    let is_closed = std::fs::read_dir(&closed).is_err();
    let ran = enfold(&["replay", arg(folder.path()), "--window", "16k"], "");
    std::fs::set_permissions(&closed, std::fs::Permissions::from_mode(0o700)).unwrap();
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(ran.stderr.contains("closed") && ran.stderr.contains("left out"), is_closed, "{}", ran.stderr);
}

#[test]
fn tuning_says_what_it_could_not_read_and_asks_for_its_place_before_it_searches() {
    let folder = tempfile::tempdir().unwrap();
    for project in ["a", "b"] {
        std::fs::copy(example("long.jsonl"), folder.path().join(format!("{project}__1.jsonl"))).unwrap();
    }
    std::fs::write(folder.path().join("c__1.jsonl"), "{\"role\": ").unwrap();
    let tune = |out: &str| {
        enfold(&["tune", arg(folder.path()), "--window", "16k", "--tries", "1", "--output", out], "")
    };
    let nowhere = tune("/nonexistent/mine.toml");
    assert!(nowhere.code == 2 && !nowhere.stderr.contains("c__1.jsonl"), "{}", nowhere.stderr);
    let ran = tune(arg(&folder.path().join("mine.toml")));
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.contains("c__1.jsonl") && ran.stderr.contains("left out"), "{}", ran.stderr);
    assert!(ran.stdout.contains("cost: with look-ups"), "{}", ran.stdout);
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
    assert!(ran.stdout.contains("chosen") && ran.stdout.contains("on 1 session;"), "{}", ran.stdout);
    assert!(ran.stdout.contains("Only 1 session chose and 1 session checked"), "{}", ran.stdout);
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

/// Whoever named many projects was told to name more.
#[test]
fn a_window_that_everything_fits_into_is_called_the_cause() {
    let ran = enfold(&["tune", &example("long.jsonl"), "--window", "500k", "--tries", "1"], "");
    assert!(ran.code == 2 && ran.stderr.contains("not larger than its window"), "{}", ran.stderr);
    let long = example("long.jsonl");
    let ran = enfold(&["tune", &long, &long, "--window", "500k", "--tries", "1"], "");
    assert!(ran.stderr.contains("none of 2 sessions is larger than its window"), "{}", ran.stderr);
    assert!(!ran.stderr.contains("projects"), "{}", ran.stderr);
}

/// A mean of .56 stood beside dollars whose ratio was .31, and dollars of one session beside the cost of two.
#[test]
fn means_sums_and_parts_of_sums_are_called_what_they_are() {
    let folder = tempfile::tempdir().unwrap();
    for name in ["claude-code.jsonl", "long.jsonl"] {
        std::fs::copy(example(name), folder.path().join(name)).unwrap();
    }
    let page = folder.path().join("page.html");
    let args = ["replay", arg(folder.path()), "--window", "12k"];
    let ran = enfold(&[&args[..], &["--html", arg(&page)]].concat(), "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    let page = std::fs::read_to_string(page).unwrap();
    for text in [&ran.stdout, &page] {
        assert!(text.contains("cost, +rec: mean over 2 sessions"), "{text}");
        assert!(text.contains("$*: of 1 of 2 sessions"), "{text}");
        assert!(text.contains("recall, steps, lines, asked: means over "), "{text}");
    }
    assert!(page.contains("of the cost, balanced; mean over 2 sessions"), "{page}");
    assert!(page.contains("answers included; of 1 of 2 sessions"), "{page}");
    let total = &json(&[&args[..], &["--json"]].concat())["total"][0];
    assert_eq!(total["priced_sessions"], 1);
    let (judged, of) = (total["judged"].as_u64().unwrap(), total["judged_sessions"].as_u64().unwrap());
    let said = format!("means over {judged} requests of {of} session");
    assert!(judged > 0 && ran.stdout.contains(&said), "{said}: {}", ran.stdout);
    let one = enfold(&["replay", &example("claude-code.jsonl"), "--window", "1M"], "").stdout;
    assert!(one.contains("nothing was judged") && !one.contains("mean over"), "{one}");
}

/// The column `over` counted what JSON calls `failed`.
#[test]
fn over_and_failed_are_the_same_in_the_table_and_in_json() {
    let args = ["replay", &example("long.jsonl"), "--window", "300"];
    let told = json(&[&args[..], &["--json"]].concat());
    let folded = &told["total"][2];
    assert!(folded["failed"].as_u64() > Some(0), "{folded}");
    let shown = enfold(&args, "").stdout;
    let cells = |start: &str| -> Vec<String> {
        let line = shown.lines().find(|line| line.starts_with(start)).unwrap_or_else(|| panic!("{shown}"));
        line.split_whitespace().map(String::from).collect()
    };
    let (head, row) = (cells("way"), cells("balanced"));
    for name in ["over", "failed"] {
        // From the right: `94.7 %` is two words.
        let at = head.iter().rev().position(|column| column == name).unwrap();
        assert_eq!(row[row.len() - 1 - at], folded[name].to_string(), "{shown}");
    }
}

#[test]
fn a_file_with_the_name_of_another_policy_is_called_by_its_file() {
    let toml = enfold(&["policies", "balanced", "--toml"], "").stdout;
    let (_folder, path) = file("mine.toml", toml);
    let args = ["replay", &example("long.jsonl"), "--window", "16k", "--json", "--policy", arg(&path)];
    let names = |more: &[&str]| -> Vec<String> {
        let told = json(&[&args[..], more].concat());
        told["total"].as_array().unwrap().iter().map(|row| row["way"].as_str().unwrap().into()).collect()
    };
    assert_eq!(names(&[])[2..], ["balanced"]);
    assert_eq!(names(&["--policy", "balanced"])[2..], [arg(&path), "balanced"]);
}

#[test]
fn requests_that_are_written_leave_compaction_out_and_that_is_said() {
    let folder = tempfile::tempdir().unwrap();
    let out = folder.path().join("requests.jsonl");
    let ran = enfold(&["replay", &example("long.jsonl"), "--window", "16k", "--emit", arg(&out)], "");
    assert!(!ran.stdout.contains("compaction at 95 %"), "{}", ran.stdout);
    assert!(ran.stderr.contains("no row of `compaction at 95 %`"), "{}", ran.stderr);
}
