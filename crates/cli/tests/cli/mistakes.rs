//! What is typed wrong is answered with what would be right.

use crate::support::{Store, arg, enfold, example, file, json};

/// What a command that must be refused says.
fn refused(args: &[&str]) -> String {
    let ran = enfold(args, "");
    assert_eq!((ran.code, ran.stdout.as_str()), (2, ""), "{args:?}: {}", ran.stderr);
    assert!(!ran.stderr.contains("os error"), "{args:?}: {}", ran.stderr);
    ran.stderr
}

#[test]
fn a_word_that_is_no_number_is_answered_with_one_that_is() {
    let long = example("long.jsonl");
    for (args, example) in [
        (&["fold", &long, "--budget", "-5"][..], "a view takes at least 1 token; write for example 16000"),
        (&["fold", &long, "--budget", "0"], "a view takes at least 1 token; write for example 16000"),
        (
            &["fold", &long, "--budget", "much"],
            "no number of tokens and no share of a window; write for example 16000",
        ),
        (
            &["replay", &long, "--window", "abc"],
            "no number of tokens and no share of a window; write for example 16000",
        ),
        (&["replay", "--last=0"], "expected a whole number from 1 on, such as 20"),
        (&["inspect", "--last=x"], "expected a whole number from 1 on, such as 20"),
        (&["ledger", &long, "--tokens", "few"], "expected a number of tokens, such as 2000 or 4k"),
        (&["search", "--all", "x", "--limit", "all"], "expected a whole number from 1 on, such as 20"),
        (&["tune", &long, "--seed", "me"], "expected a whole number, such as 12"),
        (&["tune", &long, "--tries", "-3"], "must be positive"),
        (&["replay", &long, "--gap", "6@40"], "the unit of the time is missing: 6m@40"),
        (&["replay", &long, "--gap", "-6m@3"], "a pause must be positive, such as 6m@3"),
        (&["file-at", &long, "x", "--step", "two"], "expected a whole number, such as 12"),
        (&["serve", "--listen", "here"], "such as 127.0.0.1:8787"),
    ] {
        let said = refused(args);
        assert!(said.contains(example), "{args:?}: {said}");
    }
}

#[test]
fn a_number_behind_last_is_written_with_an_equals_sign() {
    for command in ["inspect", "count", "ledger"] {
        let said = refused(&[command, "--last", "2"]);
        assert!(said.contains("write --last=2"), "{said}");
    }
    let said = refused(&["file-at", "--last", "session.jsonl", "src/main.c"]);
    assert!(said.contains("a FILE is named as well") && said.contains("--last=2"), "{said}");
}

#[test]
fn a_place_that_cannot_be_written_is_told_as_what_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let long = example("long.jsonl");
    let said = refused(&["fold", &long, "--budget", "16k", "-o", "/no/such/folder/view.jsonl"]);
    assert!(said.contains("there is no folder /no/such/folder; make it first, or name another"), "{said}");
    let place = "/no/such/folder/out";
    for more in [&["replay", "--html", place][..], &["replay", "--emit", place], &["tune", "-o", place]] {
        let said = refused(&[more, &[&long, "--window", "16k"]].concat());
        assert!(said.contains("there is no folder /no/such/folder; make it first"), "{more:?}: {said}");
    }
    let said = refused(&["inspect", &long, "--html", arg(folder.path())]);
    assert!(said.contains("it is a folder; name a file in it"), "{said}");
}

#[test]
fn bytes_in_place_of_a_text_are_called_so() {
    let (_folder, path) = file("models.toml", [0xff, 0xfe, 0, 1]);
    for args in [&["models", "--models", arg(&path)][..], &["templates", "--check", arg(&path)]] {
        let said = refused(args);
        assert!(said.contains("it is not UTF-8 text; name a text file"), "{said}");
    }
}

#[test]
fn words_that_no_model_has_are_an_error() {
    let said = refused(&["models", "zzz", "yyy"]);
    assert!(said.contains("models `zzz yyy`: no model has all of these words in its name"), "{said}");
}

#[test]
fn a_pause_beyond_the_last_request_is_said_to_be_left_out() {
    let long = example("long.jsonl");
    let ran = enfold(&["replay", &long, "--window", "1M", "--gap", "6m@40000"], "");
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert_eq!(
        ran.stderr,
        "note: --gap before request 40000: there are 67 requests; this pause is left out\n"
    );
}

#[test]
fn a_handle_that_no_store_has_may_be_one_of_a_file() {
    let store = Store::with(&["long.jsonl"]);
    let said = store.refused(&["unfold", "999999999"]);
    assert!(said.contains("`enfold unfold 999999999 FILE`"), "{said}");
}

#[test]
fn a_session_that_only_the_command_folded_has_no_view_that_was_sent() {
    let store = Store::with(&["long.jsonl"]);
    let said = store.refused(&["sessions", "view", "long"]);
    assert!(said.contains("it was never folded"), "{said}");
    store.done(&["fold", "session:long", "--budget", "16k", "--report", "none"]);
    let said = store.refused(&["sessions", "view", "long"]);
    assert!(said.contains("folded by `enfold fold` only") && said.contains("`enfold log long`"), "{said}");
}

#[test]
fn tools_about_a_session_that_is_not_there_say_so_when_they_start() {
    let store = Store::with(&["long.jsonl"]);
    let ran = store.run(&["mcp", "--session", "nosuch"]);
    assert_eq!(ran.code, 0, "{}", ran.stderr);
    assert!(ran.stderr.starts_with("note: session `nosuch`: "), "{}", ran.stderr);
    assert_eq!(store.run(&["mcp", "--session", "long"]).stderr, "");
}

#[test]
fn an_agent_or_a_configuration_that_is_not_there_is_named_in_plain_words() {
    let store = Store::new();
    let said = store.refused(&["serve", "--config", "/no/such/serve.toml"]);
    assert!(said.contains("/no/such/serve.toml: no such file or directory; check the name"), "{said}");
    let path = store.path();
    let said = refused(&["run", "--store", arg(&path), "--", "/no/such/agent"]);
    assert!(said.contains("/no/such/agent: there is no such program"), "{said}");
}

/// The tip was to write `-- -6`, which cannot work.
#[test]
fn an_agent_without_its_dashes_is_told_where_they_stand() {
    let said = refused(&["run", "claude"]);
    assert!(said.contains("enfold run -- claude"), "{said}");
    assert!(!refused(&["run", "--nosuch", "--", "claude"]).contains("stands behind"));
}

#[test]
fn an_epoch_is_shown_at_the_number_of_its_request() {
    let (_folder, page) = file("replay.html", "");
    let told = json(&["replay", &example("long.jsonl"), "--window", "16k", "--json", "--html", arg(&page)]);
    let curve = told["sessions"][0]["ways"][2]["curve"].as_array().unwrap().iter().enumerate();
    let opened: Vec<usize> =
        curve.filter(|(_, point)| point["opened"] == true).map(|(nth, _)| nth + 1).collect();
    assert!(!opened.is_empty());
    let page = std::fs::read_to_string(page).unwrap();
    for request in opened {
        assert!(page.contains(&format!("balanced: an epoch at request {request}<")), "{request}");
    }
}
