//! The protocol over pipes, by hand: what no well-behaved client sends.

use enfold_mcp::{Recall, Scope};
use serde_json::{Value, json};
use tokio::io::{
    AsyncBufReadExt as _, AsyncWriteExt as _, BufReader, DuplexStream, Lines, ReadHalf, WriteHalf,
};
use tokio::task::JoinHandle;

use crate::support::{Asked, held, without_handshake};

/// A client that writes lines.
struct Hand {
    output: WriteHalf<DuplexStream>,
    input: Lines<BufReader<ReadHalf<DuplexStream>>>,
    served: JoinHandle<()>,
}

impl Hand {
    fn of(recall: Recall) -> Hand {
        let (theirs, ours) = tokio::io::duplex(1 << 16);
        let (input, output) = tokio::io::split(ours);
        let served = tokio::spawn(async move { enfold_mcp::over(recall, input, output).await.unwrap() });
        let (input, output) = tokio::io::split(theirs);
        Hand { output, input: BufReader::new(input).lines(), served }
    }

    /// One whose store is not there: enough where no tool is to succeed.
    fn new() -> Hand {
        Hand::of(Recall::new(std::sync::Arc::new(|| Err("there is none".into())), Scope::default()))
    }

    async fn say(&mut self, line: &str) {
        self.output.write_all(format!("{line}\n").as_bytes()).await.unwrap();
    }

    async fn hear(&mut self) -> Value {
        serde_json::from_str(&self.input.next_line().await.unwrap().unwrap()).unwrap()
    }

    async fn ask(&mut self, line: &str) -> Value {
        self.say(line).await;
        self.hear().await
    }
}

fn call(id: u32, tool: &str, arguments: Value) -> String {
    let params = json!({"name": tool, "arguments": arguments});
    json!({"jsonrpc": "2.0", "id": id, "method": "tools/call", "params": params}).to_string()
}

#[tokio::test]
async fn a_known_version_is_agreed_to_and_for_any_other_the_newest_is_offered() {
    let mut hand = Hand::new();
    for (wanted, agreed) in [
        ("2024-11-05", "2024-11-05"),
        ("2025-03-26", "2025-03-26"),
        ("2025-06-18", "2025-06-18"),
        ("2025-11-25", "2025-11-25"),
        ("1999-01-01", "2025-11-25"),
        // It has no handshake, so none can end with it.
        ("2026-07-28", "2025-11-25"),
    ] {
        let hello =
            json!({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"protocolVersion": wanted}});
        let answer = hand.ask(&hello.to_string()).await;
        assert_eq!(answer["result"]["protocolVersion"], agreed);
        assert_eq!(answer["result"]["capabilities"], json!({"tools": {}}));
        assert_eq!(answer["result"].get("resultType"), None, "clients of that time know no such thing");
    }
    let answer = hand.ask(r#"{"jsonrpc":"2.0","id":1,"method":"initialize"}"#).await;
    assert_eq!(answer["error"]["code"], -32602);
}

#[tokio::test]
async fn a_client_without_a_handshake_is_served_and_told_what_it_may_keep() {
    let asked = Asked::by(Scope::default(), without_handshake()).await;
    let handle = asked.session("one", "tab", 1)[0].0;
    let about = asked.client.peer_info().unwrap();
    assert_eq!(about.server_info.as_ref().unwrap().name, "enfold");
    assert_eq!(asked.client.list_all_tools().await.unwrap().len(), 4);
    assert!(asked.answer("unfold", json!({"handle": handle})).await.starts_with(&format!("[{handle}: ")));
    let mut hand = Hand::new();
    let meta = |version: &str| {
        json!({"_meta": {
            "io.modelcontextprotocol/protocolVersion": version,
            "io.modelcontextprotocol/clientCapabilities": {},
        }})
    };
    let ask = |method: &str, params: Value| {
        json!({"jsonrpc": "2.0", "id": "a", "method": method, "params": params}).to_string()
    };
    let answer = hand.ask(&ask("tools/list", meta("2026-07-28"))).await;
    let result = &answer["result"];
    assert_eq!((&answer["id"], &result["resultType"]), (&json!("a"), &json!("complete")));
    assert_eq!((&result["cacheScope"], &result["ttlMs"]), (&json!("public"), &json!(3_600_000)));
    assert_eq!(result["_meta"]["io.modelcontextprotocol/serverInfo"]["name"], "enfold");
    let answer = hand.ask(&ask("tools/list", meta("2099-01-01"))).await;
    assert_eq!(answer["error"]["code"], -32022);
    assert_eq!(answer["error"]["data"]["requested"], "2099-01-01");
    assert_eq!(answer["error"]["data"]["supported"][0], "2026-07-28");
    // Who discovers must say what it speaks, and who speaks so what it can do.
    assert_eq!(hand.ask(&ask("server/discover", json!({}))).await["error"]["code"], -32602);
    let mut half = meta("2026-07-28");
    half["_meta"].as_object_mut().unwrap().remove("io.modelcontextprotocol/clientCapabilities");
    assert_eq!(hand.ask(&ask("tools/list", half)).await["error"]["code"], -32602);
}

#[tokio::test]
async fn what_cannot_be_read_is_answered_and_the_next_line_read() {
    let mut hand = Hand::new();
    assert_eq!(hand.ask("{").await["error"]["code"], -32700);
    assert_eq!(hand.ask("\u{0}\u{1b}[A").await["error"]["code"], -32700);
    assert_eq!(hand.ask(r#"{"jsonrpc":"2.0","id":3}"#).await["error"]["code"], -32600);
    let answer = hand.ask(r#"{"jsonrpc":"2.0","id":4,"method":"resources/list"}"#).await;
    assert_eq!((&answer["id"], &answer["error"]["code"]), (&json!(4), &json!(-32601)));
    let answer = hand.ask(&call(5, "fold", json!({}))).await;
    assert_eq!(answer["error"]["code"], -32602);
    assert_eq!(
        answer["error"]["message"],
        "fold: there is no such tool; there are unfold, search_history, session_ledger, file_at"
    );
    let answer = hand.ask(&call(6, "unfold", json!("x"))).await;
    assert_eq!(answer["error"]["message"], "tools/call: `arguments` is no object");
    let answer = hand.ask(r#"{"jsonrpc":"2.0","id":7,"method":"tools/call"}"#).await;
    assert_eq!(answer["error"]["message"], "tools/call: `name` is missing");
    // The model can mend its arguments, so it reads what is wrong with them.
    let answer = hand.ask(&call(8, "unfold", json!({"message": "three"}))).await;
    assert_eq!(answer["result"]["isError"], true);
    let text = answer["result"]["content"][0]["text"].as_str().unwrap();
    assert!(
        text.starts_with("the arguments: ") && text.ends_with("the tool's schema says what it takes"),
        "{text}"
    );
    // Neither blank lines nor notifications nor answers are answered.
    hand.say("\r\n{\"jsonrpc\":\"2.0\",\"method\":\"notifications/initialized\"}").await;
    hand.say(r#"{"jsonrpc":"2.0","id":9,"result":{}}"#).await;
    assert_eq!(
        hand.ask(r#"{"jsonrpc":"2.0","id":10,"method":"ping"}"#).await,
        json!({"jsonrpc": "2.0", "id": 10, "result": {}})
    );
}

#[tokio::test]
async fn a_line_without_end_is_not_kept_and_the_next_is_answered() {
    let mut hand = Hand::new();
    let piece = "x".repeat(1 << 16);
    for _ in 0..100 {
        hand.output.write_all(piece.as_bytes()).await.unwrap();
    }
    let answer = hand.ask("").await;
    assert_eq!(answer["error"]["message"], "a message of more than 4194304 bytes is not read");
    // The longest that is read: one message, and spaces behind it.
    let ping = r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#;
    let padded = format!("{ping}{}", " ".repeat((4 << 20) - ping.len()));
    assert_eq!(hand.ask(&padded).await["id"], 1);
}

#[tokio::test]
async fn a_batch_is_answered_in_one_line() {
    let mut hand = Hand::new();
    let ping = |id: u32| json!({"jsonrpc": "2.0", "id": id, "method": "ping"});
    let note = json!({"jsonrpc": "2.0", "method": "notifications/initialized"});
    let answer = hand.ask(&json!([ping(1), note, ping(2), {"id": 3}]).to_string()).await;
    let ids: Vec<_> = answer.as_array().unwrap().iter().map(|answer| &answer["id"]).collect();
    assert_eq!(ids, [1, 2, 3]);
    assert_eq!(answer[2]["error"]["code"], -32600);
    hand.say(&json!([note]).to_string()).await;
    assert_eq!(hand.ask(&ping(4).to_string()).await["id"], 4);
}

#[tokio::test]
async fn a_call_that_takes_long_holds_up_no_other() {
    let held = held();
    let mut hand = Hand::of(held.recall.clone());
    hand.say(&call(1, "session_ledger", json!({}))).await;
    let let_go = held.begun().await;
    assert_eq!(hand.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await["id"], 2);
    assert_eq!(hand.ask(&call(3, "session_ledger", json!({}))).await["id"], 3);
    let_go.send(()).unwrap();
    assert_eq!(hand.hear().await["id"], 1);
}

#[tokio::test]
async fn a_call_that_is_called_off_is_not_answered() {
    let held = held();
    let mut hand = Hand::of(held.recall.clone());
    hand.say(&call(1, "session_ledger", json!({}))).await;
    let let_go = held.begun().await;
    hand.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}"#).await;
    hand.say(r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"of nobody"}}"#)
        .await;
    assert_eq!(hand.ask(r#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await["id"], 2);
    let_go.send(()).unwrap();
    hand.output.shutdown().await.unwrap();
    assert_eq!(hand.input.next_line().await.unwrap(), None, "nothing more is said");
    hand.served.await.unwrap();
}

#[tokio::test]
async fn what_was_asked_before_the_client_stopped_asking_is_answered() {
    let held = held();
    let mut hand = Hand::of(held.recall.clone());
    hand.say(&call(1, "session_ledger", json!({}))).await;
    // The last line may lack its end.
    hand.output.write_all(br#"{"jsonrpc":"2.0","id":2,"method":"ping"}"#).await.unwrap();
    let let_go = held.begun().await;
    hand.output.shutdown().await.unwrap();
    assert_eq!(hand.hear().await["id"], 2);
    let_go.send(()).unwrap();
    assert_eq!(hand.hear().await["id"], 1);
    hand.served.await.unwrap();
}

#[tokio::test]
async fn a_client_that_hangs_up_in_the_middle_of_a_call_ends_the_server_without_an_error() {
    let held = held();
    let mut hand = Hand::of(held.recall.clone());
    hand.say(&call(1, "session_ledger", json!({}))).await;
    let let_go = held.begun().await;
    drop((hand.output, hand.input));
    let_go.send(()).unwrap();
    hand.served.await.unwrap();
}
