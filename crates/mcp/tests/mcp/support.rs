//! Sessions to ask about, and somebody who asks.

use std::path::Path;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use enfold::folding::policy::Policy;
use enfold::view::fold::Handle;
use enfold::wire::OpenAiChat;
use enfold_coordinator::{Config, Coordinator};
use enfold_mcp::{Recall, Scope};
use enfold_store::{Sqlite, Store};
use rmcp::ServiceError;
use rmcp::model::{CallToolRequestParams, CallToolResult, ProtocolVersion};
use rmcp::service::{ClientLifecycleMode, ClientServiceExt as _, RoleClient, RunningService};
use serde_json::{Value, json};
use tempfile::TempDir;

/// A store with sessions, and somebody who asks about them.
pub(crate) struct Asked {
    _folder: TempDir,
    store: Arc<Sqlite>,
    pub(crate) client: Client,
}

pub(crate) type Client = RunningService<RoleClient, ()>;

impl Asked {
    /// Over pipes, after a handshake.
    pub(crate) async fn about(scope: Scope) -> Asked {
        Asked::by(scope, ClientLifecycleMode::Initialize).await
    }

    /// Over pipes.
    pub(crate) async fn by(scope: Scope, lifecycle: ClientLifecycleMode) -> Asked {
        Asked::over(scope, async |recall, _| {
            let (theirs, ours) = tokio::io::duplex(1 << 16);
            let (input, output) = tokio::io::split(ours);
            tokio::spawn(async move { enfold_mcp::over(recall, input, output).await.unwrap() });
            ().serve_with_lifecycle(theirs, lifecycle).await.unwrap()
        })
        .await
    }

    /// By any way that leads to what answers. It may keep files in the folder.
    pub(crate) async fn over(scope: Scope, connect: impl AsyncFnOnce(Recall, &Path) -> Client) -> Asked {
        let folder = tempfile::tempdir().unwrap();
        let store = Arc::new(Sqlite::open(folder.path().join("enfold.db")).unwrap());
        let shared = store.clone();
        let recall = Recall::new(Arc::new(move || Ok(shared.clone() as Arc<dyn Store>)), scope);
        let client = connect(recall, folder.path()).await;
        Asked { _folder: folder, store, client }
    }

    pub(crate) async fn call(
        &self,
        tool: &'static str,
        arguments: Value,
    ) -> Result<CallToolResult, ServiceError> {
        let arguments = arguments.as_object().unwrap().clone();
        self.client.call_tool(CallToolRequestParams::new(tool).with_arguments(arguments)).await
    }

    #[track_caller]
    fn told(result: Result<CallToolResult, ServiceError>, is_error: bool) -> String {
        let result = result.unwrap();
        let text = result.content[0].as_text().unwrap().text.clone();
        assert_eq!(result.is_error == Some(true), is_error, "{text}");
        text
    }

    pub(crate) async fn answer(&self, tool: &'static str, arguments: Value) -> String {
        Asked::told(self.call(tool, arguments).await, false)
    }

    pub(crate) async fn refusal(&self, tool: &'static str, arguments: Value) -> String {
        Asked::told(self.call(tool, arguments).await, true)
    }

    /// A session of some steps, folded; the handles that its view shows, each with what it opens.
    pub(crate) fn session(&self, id: &str, word: &str, at: u64) -> Vec<(Handle, String)> {
        let mut config = Config::new(&OpenAiChat, Policy::named("balanced").unwrap(), 3_000);
        let at = if at == 1 { 1_700_000_001 } else { 1_700_000_002 };
        config.clock = Arc::new(move || Duration::from_secs(at));
        let mut session = Coordinator::open(self.store.clone(), id, config).unwrap();
        session.push(r#"{"role":"user","content":"Make the parser accept tabs."}"#).unwrap();
        for nth in 0..12 {
            let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("c{nth}"), "type": "function",
                "function": {"name": "read_file", "arguments": format!(r#"{{"path":"src/{word}{nth}.rs"}}"#)}}]});
            let lines: String = (0..60).map(|line| format!("let {word}_{nth}_{line} = {line};\n")).collect();
            let result = json!({"role": "tool", "tool_call_id": format!("c{nth}"), "content": lines});
            session.push(call.to_string()).unwrap();
            session.push(result.to_string()).unwrap();
        }
        let prepared = session.prepare().unwrap();
        let originals = prepared.originals.keys().copied().collect::<Vec<_>>();
        assert!(!originals.is_empty());
        originals
            .into_iter()
            .map(|handle| (handle, session.recall(handle).unwrap().unwrap().to_string()))
            .collect()
    }
}

/// As clients of today begin: without a handshake.
pub(crate) fn without_handshake() -> ClientLifecycleMode {
    ClientLifecycleMode::Discover { preferred_versions: vec![ProtocolVersion::V_2026_07_28] }
}

/// A server whose first call takes until it is let go; `begun` says when it has begun. All others find no store.
pub(crate) struct Held {
    pub(crate) recall: Recall,
    pub(crate) begun: Receiver<()>,
    pub(crate) let_go: Sender<()>,
}

pub(crate) fn held() -> Held {
    let ((begin, begun), (let_go, wait)) = (channel(), channel());
    let first = Mutex::new(Some((begin, wait)));
    let open = move || {
        let first = first.lock().unwrap().take();
        if let Some((begin, wait)) = first {
            begin.send(()).unwrap();
            // An error is somebody who has left: the test is over.
            let _: Result<(), _> = wait.recv();
        }
        Err("there is none".to_string())
    };
    Held { recall: Recall::new(Arc::new(open), Scope::default()), begun, let_go }
}

impl Held {
    /// Waits for the first call without keeping others from running.
    pub(crate) async fn begun(self) -> Sender<()> {
        let Held { begun, let_go, .. } = self;
        tokio::task::spawn_blocking(move || begun.recv()).await.unwrap().unwrap();
        let_go
    }
}
