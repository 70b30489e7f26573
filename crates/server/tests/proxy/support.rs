//! A proxy in front of a scripted upstream, and a client that sees every byte.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use bytes::Bytes;
use enfold_llm::{Proxy as Through, connect};
use enfold_server::{Bound, Config, Home, Reach, Upstream};
use enfold_store::Sqlite;
use http_body_util::{BodyExt, Full};
use hyper::{HeaderMap, Request, Response, StatusCode};
use tempfile::TempDir;
use tokio::sync::oneshot;
use tokio::task::JoinHandle;

/// A key that must never be seen anywhere but upstream.
pub(crate) const KEY: &str = "sk-canary-5f1c9e0d77";

/// A proxy that runs.
pub(crate) struct Proxy {
    pub(crate) url: String,
    pub(crate) token: String,
    pub(crate) log: Arc<Mutex<Vec<String>>>,
    end: Option<oneshot::Sender<()>>,
    running: Option<JoinHandle<()>>,
    pub(crate) totals: Box<dyn Fn() -> enfold_server::Totals + Send + Sync>,
}

/// What came back.
pub(crate) struct Came {
    pub(crate) status: StatusCode,
    pub(crate) headers: HeaderMap,
    pub(crate) body: Bytes,
    /// Whether it ended as it should.
    pub(crate) is_whole: bool,
}

impl Came {
    pub(crate) fn text(&self) -> String {
        String::from_utf8_lossy(&self.body).into_owned()
    }

    pub(crate) fn json(&self) -> serde_json::Value {
        serde_json::from_slice(&self.body).unwrap_or_else(|_| panic!("no JSON: {}", self.text()))
    }
}

/// A configuration whose upstreams are all this one.
pub(crate) fn config(upstream: &str) -> Config {
    let mut config = Config::new("127.0.0.1:0".parse().unwrap());
    for name in ["anthropic", "openai", "gemini"] {
        config.upstreams.put(Upstream::new(name, upstream).unwrap());
    }
    config.proxy = Through::Direct;
    config.grace = Duration::from_secs(5);
    config.patience = Duration::from_secs(5);
    config
}

impl Proxy {
    /// In front of this upstream, with a store in this folder.
    pub(crate) async fn start(folder: &TempDir, upstream: &str) -> Proxy {
        Proxy::of(folder, config(upstream)).await
    }

    pub(crate) async fn of(folder: &TempDir, mut config: Config) -> Proxy {
        let log = Arc::new(Mutex::new(Vec::new()));
        let lines = log.clone();
        config.log = Some(Arc::new(move |line: &str| lines.lock().unwrap().push(line.to_string())));
        let home = Home::open(folder.path()).unwrap();
        let token = home.token.clone();
        let store = Arc::new(Sqlite::open(folder.path().join("enfold.db")).unwrap());
        let bound = Bound::new(config, home, store, Reach::Loopback).await.unwrap();
        let url = format!("http://{}", bound.address());
        let totals = Box::new(bound.totals());
        let (end, ended) = oneshot::channel();
        let running = tokio::spawn(bound.serve(async {
            let _ = ended.await;
        }));
        Proxy { url, token, log, end: Some(end), running: Some(running), totals }
    }

    /// Ends it, as a signal would.
    pub(crate) async fn stop(mut self) {
        self.end.take().map(|end| end.send(()));
        self.running.take().unwrap().await.unwrap();
    }

    pub(crate) fn ask_to_end(&mut self) {
        self.end.take().map(|end| end.send(()));
    }

    pub(crate) async fn ended(mut self) {
        self.running.take().unwrap().await.unwrap();
    }

    pub(crate) async fn post(&self, path: &str, body: impl Into<Bytes>) -> Came {
        self.post_with(path, &[], body).await
    }

    /// With these headers beside the usual ones.
    pub(crate) async fn post_with(
        &self,
        path: &str,
        headers: &[(&str, &str)],
        body: impl Into<Bytes>,
    ) -> Came {
        let mut request = Request::post(format!("{}{path}", self.url))
            .header("content-type", "application/json")
            .header("x-api-key", KEY)
            .header("anthropic-version", "2023-06-01");
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        send(request.body(Full::new(body.into())).unwrap()).await
    }

    pub(crate) async fn get(&self, path: &str, headers: &[(&str, &str)]) -> Came {
        let mut request = Request::get(format!("{}{path}", self.url));
        for (name, value) in headers {
            request = request.header(*name, *value);
        }
        send(request.body(Full::default()).unwrap()).await
    }

    /// With the token.
    pub(crate) async fn api(&self, path: &str) -> Came {
        let token = format!("Bearer {}", self.token);
        self.get(path, &[("authorization", &token)]).await
    }

    /// Waits until something is true: what comes after an answer comes soon.
    pub(crate) async fn until(&self, is_true: impl Fn(&Proxy) -> bool) {
        for _ in 0..500 {
            if is_true(self) {
                return;
            }
            tokio::time::sleep(Duration::from_millis(10)).await;
        }
        panic!("it never came true; the log: {:#?}", self.log.lock().unwrap());
    }
}

pub(crate) async fn begin(request: Request<Full<Bytes>>) -> Response<hyper::body::Incoming> {
    let (client, _) = connect::client(request.uri(), Through::Direct, Duration::from_secs(5)).unwrap();
    client.request(request).await.unwrap()
}

pub(crate) async fn send(request: Request<Full<Bytes>>) -> Came {
    let answer = begin(request).await;
    let (head, mut body) = answer.into_parts();
    let (mut bytes, mut is_whole) = (Vec::new(), true);
    while let Some(frame) = body.frame().await {
        match frame {
            Ok(frame) => bytes.extend_from_slice(frame.data_ref().unwrap_or(&Bytes::new())),
            Err(_) => is_whole = false,
        }
    }
    Came { status: head.status, headers: head.headers, body: bytes.into(), is_whole }
}

/// A request of Claude Code's after so many steps, as it would send it: markers on the system prompt and on the last message.
pub(crate) fn messages_request(steps: usize, model: &str) -> String {
    const MARK: &str = r#""cache_control":{"type":"ephemeral"}"#;
    let step = |nth: usize| {
        let mark = if nth + 1 == steps { format!(",{MARK}") } else { String::new() };
        format!(
            r#",{{"role":"assistant","content":[{{"type":"text","text":"Step {nth}."}},{{"type":"tool_use","id":"toolu_{nth}","name":"Bash","input":{{"command":"make part{nth}"}}}}]}},
  {{"role":"user","content":[{{"type":"tool_result","tool_use_id":"toolu_{nth}","content":"{}"{mark}}}]}}"#,
            output(nth)
        )
    };
    let steps: String = (0..steps).map(step).collect();
    format!(
        r#"{{"model":"{model}","max_tokens":1024, "stream":false,
 "system":[{{"type":"text","text":"You are an agent.",{MARK}}}],
 "messages":[{{"role":"user","content":[{{"type":"text","text":"Make the parser accept tabs."}}]}}{steps}],
 "tools":[{{"name":"Bash","description":"Runs","input_schema":{{"type":"object"}}}}],"x_unknown": 1.50e+3}}"#
    )
}

/// The same as OpenAI Chat.
pub(crate) fn chat_request(steps: usize, model: &str) -> String {
    let step = |nth: usize| {
        format!(
            r#",{{"role":"assistant","content":null,"tool_calls":[{{"id":"call_{nth}","type":"function","function":{{"name":"bash","arguments":"{{\"command\": \"make part{nth}\"}}"}}}}]}},{{"role":"tool","tool_call_id":"call_{nth}","content":"{}"}}"#,
            output(nth)
        )
    };
    let steps: String = (0..steps).map(step).collect();
    format!(
        r#"{{"model":"{model}","messages":[{{"role":"system","content":"You are an agent."}},{{"role":"user","content":"Make the parser accept tabs."}}{steps}],"tools":[{{"type":"function","function":{{"name":"bash","parameters":{{"type":"object"}}}}}}]}}"#
    )
}

/// The same as OpenAI Responses, with fields that Codex adds.
pub(crate) fn responses_request(steps: usize, model: &str) -> String {
    let step = |nth: usize| {
        format!(
            r#",{{"type":"function_call","id":"fc_{nth}","call_id":"call_{nth}","name":"shell","arguments":"{{\"command\": \"make part{nth}\"}}"}},{{"type":"function_call_output","call_id":"call_{nth}","output":"{}"}}"#,
            output(nth)
        )
    };
    let steps: String = (0..steps).map(step).collect();
    format!(
        r#"{{"model":"{model}","store":false,"prompt_cache_key":"thread-1","input":[{{"type":"message","role":"developer","content":[{{"type":"input_text","text":"You are an agent."}}]}},{{"type":"message","role":"user","content":[{{"type":"input_text","text":"Make the parser accept tabs."}}]}}{steps}],"tools":[{{"type":"function","name":"shell","parameters":{{"type":"object"}}}}]}}"#
    )
}

/// The same as Gemini.
pub(crate) fn gemini_request(steps: usize) -> String {
    let step = |nth: usize| {
        format!(
            r#",{{"role":"model","parts":[{{"functionCall":{{"name":"bash","args":{{"command":"make part{nth}"}}}}}}]}},{{"role":"user","parts":[{{"functionResponse":{{"name":"bash","response":{{"output":"{}"}}}}}}]}}"#,
            output(nth)
        )
    };
    let steps: String = (0..steps).map(step).collect();
    format!(
        r#"{{"contents":[{{"role":"user","parts":[{{"text":"Make the parser accept tabs."}}]}}{steps}],"systemInstruction":{{"parts":[{{"text":"You are an agent."}}]}},"tools":[{{"functionDeclarations":[{{"name":"bash"}}]}}]}}"#
    )
}

/// Some 900 tokens of a build's output, as JSON holds it.
fn output(nth: usize) -> String {
    (0..40)
        .map(|line| format!("src/part{nth}.rs:{line}: warning: value_{nth}_{line} is never used\\n"))
        .collect()
}

/// Messages without their cache markers, which move.
pub(crate) fn unmarked(messages: &[&str]) -> Vec<String> {
    messages.iter().map(|message| message.replace(r#","cache_control":{"type":"ephemeral"}"#, "")).collect()
}
