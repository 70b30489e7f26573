//! A proxy that is killed in the middle of a session, again and again: the next request goes out as if nothing had happened.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::TcpStream;
use std::path::Path;
use std::process::{Child, Command, Stdio};

use enfold_script::{Model, Reply};

use crate::support::{arg, json};

const ROUNDS: usize = 50;

struct Proxy {
    process: Child,
    address: String,
}

impl Proxy {
    fn start(store: &Path, upstream: &str) -> Proxy {
        let mut command = Command::new(env!("CARGO_BIN_EXE_enfold"));
        command.args(["serve", "--listen", "127.0.0.1:0", "--window", "12k", "--store", arg(store)]);
        command.args(["--upstream", &format!("anthropic={upstream}")]);
        let mut process = command.stderr(Stdio::piped()).spawn().unwrap();
        let mut line = String::new();
        BufReader::new(process.stderr.take().unwrap()).read_line(&mut line).unwrap();
        let address = line.split("http://").nth(1).and_then(|rest| rest.split(' ').next());
        let address = address.unwrap_or_else(|| panic!("{line}")).to_string();
        Proxy { process, address }
    }

    /// A request of a session of so many steps.
    fn ask(&self, steps: usize) -> TcpStream {
        let step = |nth: usize| {
            let lines: String = (0..40)
                .map(|line| format!("src/part{nth}.rs:{line}: value_{nth}_{line} is never used\\n"))
                .collect();
            format!(
                r#",{{"role":"assistant","content":[{{"type":"tool_use","id":"t{nth}","name":"Bash","input":{{"command":"make {nth}"}}}}]}},{{"role":"user","content":[{{"type":"tool_result","tool_use_id":"t{nth}","content":"{lines}"}}]}}"#
            )
        };
        let steps: String = (0..steps).map(step).collect();
        let body = format!(
            r#"{{"model":"claude-sonnet-4-5","max_tokens":1024,"messages":[{{"role":"user","content":"Make it build."}}{steps}],"tools":[{{"name":"Bash","description":"Runs","input_schema":{{"type":"object"}}}}]}}"#
        );
        let mut stream = TcpStream::connect(&self.address).unwrap();
        let head = format!(
            "POST /v1/messages HTTP/1.1\r\nhost: {}\r\nx-api-key: k\r\nx-enfold-session: s\r\nconnection: close\r\ncontent-length: {}\r\n\r\n",
            self.address,
            body.len()
        );
        stream.write_all(head.as_bytes()).unwrap();
        stream.write_all(body.as_bytes()).unwrap();
        stream
    }

    /// No time to tidy up.
    fn kill(mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

#[test]
fn a_proxy_killed_fifty_times_sends_what_it_sent_before_and_loses_nothing() {
    let model = Model::start(|_| Reply::Text("done".into()));
    let folder = tempfile::tempdir().unwrap();
    let store = folder.path().join("enfold.db");
    for round in 1..=ROUNDS {
        let proxy = Proxy::start(&store, model.url());
        let mut answer = proxy.ask(round);
        match round % 3 {
            // While the request is on its way: it may have been stored and sent, or not.
            0 => std::thread::sleep(std::time::Duration::from_millis(round as u64)),
            // With the answer on its way.
            1 => drop(answer.read(&mut [0; 16])),
            _ => drop(answer.read_to_string(&mut String::new())),
        }
        proxy.kill();
    }
    assert_eq!(model.refused(), Vec::<String>::new());
    let requests = model.requests();
    assert!(requests.len() > ROUNDS / 2, "{} of {ROUNDS} came through", requests.len());
    let sent: Vec<Vec<String>> = requests
        .iter()
        .map(|request| {
            let marks = r#","cache_control":{"type":"ephemeral"}"#;
            request.messages().iter().map(|message| message.replace(marks, "")).collect()
        })
        .collect();
    let rewritten = sent.windows(2).filter(|pair| !pair[1].starts_with(&pair[0])).count();
    let shown = json(&["sessions", "list", "--json", "--store", arg(&store)]);
    let session = &shown["sessions"][0];
    let epochs = session["compactions"].as_u64().unwrap() as usize;
    eprintln!("{} requests, {epochs} epochs, {rewritten} rewrites", requests.len());
    assert!((3..=12).contains(&epochs), "{epochs} epochs");
    assert!(rewritten <= epochs, "{rewritten} rewrites by {epochs} epochs");
    assert_eq!(session["messages"], 1 + 2 * ROUNDS, "nothing is lost");
}
