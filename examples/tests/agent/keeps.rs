//! What the agent's store has of its work.

use enfold_script::{Model, Reply};
use enfold_store::{Records, Sessions, Sqlite};

use crate::{run, text};

#[test]
fn the_agents_session_is_kept_also_on_errors() {
    let folder = tempfile::tempdir().unwrap();
    let (store, save) = (folder.path().join("kept.db"), folder.path().join("kept.jsonl"));
    let model = Model::start(|request| match request.nth {
        0..10 => Reply::call(
            "run",
            format!(r#"{{"command":"seq {}000 {}220"}}"#, request.nth + 1, request.nth + 1),
        ),
        _ => Reply::status(401, r#"{"error":{"message":"no such key"}}"#),
    });
    let options = ["--window", "16k", "--max-tokens", "2k", "--store", store.to_str().unwrap()];
    let options = [&options[..], &["--save", save.to_str().unwrap()]].concat();
    let output = run("chat", &model, folder.path(), &options, "Count.");
    assert!(!output.status.success(), "{}", text(&output.stdout));
    let store = Sqlite::open(&store).unwrap();
    let [session] = &store.sessions().unwrap()[..] else { panic!("one session") };
    assert_eq!(session.messages, 22, "system, task, ten steps");
    let epochs = store.epochs(&session.session.id).unwrap();
    let opened: Vec<Option<&str>> = epochs.iter().map(|epoch| epoch.opened.as_deref()).collect();
    assert_eq!(opened, [], "the newest turns stand, and there is but one: {}", text(&output.stderr));
}

#[test]
fn the_agent_asks_for_the_reason_of_every_edit() {
    let folder = tempfile::tempdir().unwrap();
    for api in ["chat", "responses", "anthropic"] {
        let model = Model::start(|_| Reply::Text("done".into()));
        let output = run(api, &model, folder.path(), &[], "Go.");
        assert!(output.status.success(), "{}", text(&output.stderr));
        let body: serde_json::Value = serde_json::from_str(&model.requests()[0].body).unwrap();
        let asking: Vec<&str> = body["tools"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|tool| tool.to_string().contains("\"intent\""))
            .map(|tool| tool["name"].as_str().or(tool["function"]["name"].as_str()).unwrap())
            .collect();
        assert_eq!(asking, ["write_file", "edit_file"], "{api}");
    }
}
