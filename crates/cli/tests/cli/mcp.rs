//! `enfold mcp`: a real client of the protocol starts it, as an agent would.

use std::process::Stdio;

use rmcp::ServiceExt;
use rmcp::model::CallToolRequestParams;
use serde_json::json;
use tokio::process::Command;

use crate::support::{Store, arg};

#[test]
fn an_agent_starts_it_and_opens_what_was_folded() {
    let store = Store::with(&["long.jsonl"]);
    let view = store.done(&["fold", "session:long", "--budget", "8k", "--report", "none"]);
    let digits = |text: &str| text.get(..9).filter(|text| text.parse::<u32>().is_ok()).map(str::to_string);
    let handle = view.split(" #").find_map(digits).unwrap();
    let runtime = tokio::runtime::Runtime::new().unwrap();
    runtime.block_on(async {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfold"));
        command.args(["mcp", "--store", arg(&store.path())]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let client = ().serve(pipes).await.unwrap();
        assert_eq!(client.peer_info().unwrap().server_info.as_ref().unwrap().name, "enfold");
        let names: Vec<String> =
            client.list_all_tools().await.unwrap().iter().map(|tool| tool.name.to_string()).collect();
        assert_eq!(names, ["unfold", "search_history", "session_ledger", "file_at"]);
        for (tool, arguments, holds) in [
            ("unfold", json!({"handle": handle}), format!("[#{handle}: ")),
            ("search_history", json!({"query": "limits"}), "message ".into()),
            ("session_ledger", json!({}), "### Original task".into()),
            ("file_at", json!({"path": "src/limits.c"}), "after step".into()),
        ] {
            let asked =
                CallToolRequestParams::new(tool).with_arguments(arguments.as_object().unwrap().clone());
            let answered = client.call_tool(asked).await.unwrap();
            let text = &answered.content[0].as_text().unwrap().text;
            assert_eq!(answered.is_error, Some(false), "{tool}: {text}");
            assert!(text.contains(&holds), "{tool}: {text}");
        }
        client.cancel().await.unwrap();
        assert!(server.wait().await.unwrap().success(), "it ends when its client leaves");
    });
}

#[test]
fn without_a_store_it_says_so_when_it_is_asked() {
    let runtime = tokio::runtime::Runtime::new().unwrap();
    let folder = tempfile::tempdir().unwrap();
    runtime.block_on(async {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfold"));
        command.args(["mcp", "--store", arg(&folder.path().join("none.db"))]);
        let mut server = command.stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
        let pipes = (server.stdout.take().unwrap(), server.stdin.take().unwrap());
        let client = ().serve(pipes).await.unwrap();
        let answered = client.call_tool(CallToolRequestParams::new("session_ledger")).await.unwrap();
        let text = &answered.content[0].as_text().unwrap().text;
        assert!(answered.is_error == Some(true) && text.contains("there is no store"), "{text}");
    });
    assert_eq!(std::fs::read_dir(folder.path()).unwrap().count(), 0, "looking makes nothing");
}
