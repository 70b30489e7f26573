//! The proxy on loopback: what it adds to a request over a relay of the same bytes, many streams at once, many sessions in
//! turn, and LiteLLM's proxy with the same traffic.

mod http;
mod server;

use std::net::SocketAddr;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::{Value, json};

use crate::long_session::Material;
use crate::{Failure, report};
use http::{Client, Took};
use server::Server;

/// Tokens of the first request, and how many requests follow it, a step longer each.
const TOKENS: usize = 200_000;
const REQUESTS: usize = 120;

/// A window in which such a session has to be folded.
const WINDOW: &str = "128k";

const STREAMS: usize = 200;
const SESSIONS: usize = 5_000;

/// The whole measurement: some minutes.
pub(crate) fn run() -> Result<(), Failure> {
    let material = Material::find()?;
    let session = Requests::of(&material)?;
    let model = http::model()?;
    let relay = http::relay(model)?;
    let mut body = format!(
        "A session of {} messages and {TOKENS} tokens ({:.1} MB as a request), then {REQUESTS} requests with a step more each; {}. \
         Everything on loopback, on {} cores that others use too; the model answers at once. Milliseconds of the wall clock from the first byte sent to \
         the last byte received, by turns with a relay that only copies; *added* is the difference of each pair; CPU is what the server used by itself, which a busy machine does not change.\n\n\
         | way | p50 | p99 | added, p50 | added, p99 | CPU a request | memory |\n|---|---|---|---|---|---|---|\n",
        session.messages.len(),
        session.body(0).len() as f64 / 1e6,
        material.name,
        thread::available_parallelism()?,
    );
    let untouched = Server::enfold(model, "untouched", None)?;
    let measured = measure(&session, &untouched, relay)?;
    let copied: Vec<f64> = measured.pairs.iter().map(|pair| pair.1).collect();
    body += &format!("| plain relay | {:.1} | {:.1} | | | | |\n", at(&copied, 50), at(&copied, 99));
    body += &measured.row("enfold, nothing to fold", &untouched);
    drop(untouched);
    let folded = Server::enfold(model, "folded", Some(WINDOW))?;
    let measured = measure(&session, &folded, relay)?;
    body += &measured.row(&format!("enfold, folded into {WINDOW} ({})", epochs(&folded)?), &folded);
    drop(folded);
    body += &litellm(&session, model, relay);
    body += &streams(&session, model, relay)?;
    body += &in_turn(model)?;
    report::write("Proxy", &body)
}

/// Requests of one session, each a step longer than the one before.
struct Requests {
    messages: Vec<String>,
    steps: Vec<String>,
}

impl Requests {
    fn of(material: &Material) -> Result<Requests, Failure> {
        let session = material.session(TOKENS)?;
        let messages: Vec<String> = session.lines().map(String::from).collect();
        let step = |nth: usize| {
            let call = json!({"role": "assistant", "content": null, "tool_calls": [{"id": format!("bench_{nth}"), "type": "function",
                "function": {"name": "bash", "arguments": json!({"command": format!("make part{nth}")}).to_string()}}]});
            let output: String = (0..8)
                .map(|line| format!("src/part{nth}.c:{line}: warning: value_{nth}_{line} is never used\n"))
                .collect();
            let result = json!({"role": "tool", "tool_call_id": format!("bench_{nth}"), "content": output});
            format!(",{call},{result}")
        };
        Ok(Requests { messages, steps: (0..=REQUESTS).map(step).collect() })
    }

    fn body(&self, steps: usize) -> Vec<u8> {
        let (messages, steps) = (self.messages.join(","), self.steps[..steps].concat());
        request(&format!("{messages}{steps}"), false)
    }
}

fn request(messages: &str, is_stream: bool) -> Vec<u8> {
    let tool = r#"{"type":"function","function":{"name":"bash","parameters":{"type":"object"}}}"#;
    format!(r#"{{"model":"gpt-4.1","stream":{is_stream},"tools":[{tool}],"messages":[{messages}]}}"#)
        .into_bytes()
}

/// What requests took here and over the relay, and the processor time of each here.
struct Measured {
    pairs: Vec<(f64, f64)>,
    cpu: f64,
}

/// Each request both ways, by turns: this one, then the relay.
fn measure(session: &Requests, server: &Server, relay: SocketAddr) -> Result<Measured, Failure> {
    let (mut one, mut other) = (Client::to(server.address)?, Client::to(relay)?);
    let (mut pairs, mut before) = (Vec::new(), 0.0);
    for nth in 0..=REQUESTS {
        let body = session.body(nth);
        let took = one.post("long", &body)?;
        let copied = other.post("long", &body)?;
        // The first one reads 200,000 tokens that nobody has seen before, which happens once in a session.
        match nth {
            0 => before = server.cpu(),
            _ => pairs.push((millis(&took), millis(&copied))),
        }
    }
    let cpu = (server.cpu() - before) / pairs.len() as f64;
    Ok(Measured { pairs, cpu })
}

fn millis(took: &Took) -> f64 {
    took.whole.as_secs_f64() * 1e3
}

impl Measured {
    fn row(&self, name: &str, server: &Server) -> String {
        let times: Vec<f64> = self.pairs.iter().map(|pair| pair.0).collect();
        let added: Vec<f64> = self.pairs.iter().map(|pair| pair.0 - pair.1).collect();
        format!(
            "| {name} | {:.1} | {:.1} | {:.1} | {:.1} | {:.1} | {} |\n",
            at(&times, 50),
            at(&times, 99),
            at(&added, 50),
            at(&added, 99),
            self.cpu,
            megabytes(server.memory()),
        )
    }
}

/// A percentile.
fn at(values: &[f64], percent: usize) -> f64 {
    let mut sorted = values.to_vec();
    sorted.sort_by(f64::total_cmp);
    let place = (sorted.len() * percent).div_ceil(100).clamp(1, sorted.len().max(1)) - 1;
    sorted.get(place).copied().unwrap_or(f64::NAN)
}

fn megabytes(bytes: u64) -> String {
    format!("{:.0} MB", bytes as f64 / 1e6)
}

fn epochs(server: &Server) -> Result<String, Failure> {
    let metrics = http::get(server.address, "/metrics")?;
    let number = |name: &str| {
        let line = metrics.lines().find_map(|line| line.strip_prefix(&format!("enfold_{name}_total ")));
        line.unwrap_or("?").trim().to_string()
    };
    Ok(format!(
        "{} epochs, {} of {} bodies changed",
        number("epochs"),
        number("requests_folded"),
        number("requests")
    ))
}

fn litellm(session: &Requests, model: SocketAddr, relay: SocketAddr) -> String {
    let measured = Server::litellm(model).and_then(|server| {
        // The first request makes it load what it needs.
        Client::to(server.address)?.post("warm", &request(r#"{"role":"user","content":"hello"}"#, false))?;
        Ok(measure(session, &server, relay)?.row("LiteLLM's proxy, which folds nothing", &server))
    });
    measured.unwrap_or_else(|why| {
        eprintln!("SKIPPED: LiteLLM's proxy: {why}");
        format!(
            "| LiteLLM's proxy | not measured: {} | | | | | |\n",
            why.to_string().replace(['|', '\n'], " ")
        )
    })
}

/// Many streams at once: the time to the first bytes and to the end, and whether every byte came as it was sent.
fn streams(session: &Requests, model: SocketAddr, relay: SocketAddr) -> Result<String, Failure> {
    let server = Server::enfold(model, "streams", None)?;
    let started = server.memory();
    let messages = session.messages.iter().take(12).cloned().collect::<Vec<_>>().join(",");
    let body = request(&messages, true);
    let mut rows = String::new();
    for (name, to) in [("plain relay", relay), ("enfold", server.address)] {
        let all: Vec<_> = (0..STREAMS)
            .map(|nth| {
                let body = body.clone();
                thread::spawn(move || {
                    Client::to(to)
                        .and_then(|mut client| client.post(&format!("stream{nth}"), &body))
                        .map_err(|why| why.to_string())
                })
            })
            .collect();
        let took: Vec<Took> = all
            .into_iter()
            .map(|one| one.join().map_err(|_| "a thread ended")?.map_err(Failure::from))
            .collect::<Result<_, Failure>>()?;
        let same = took
            .iter()
            .filter(|one| one.body == took[0].body && one.body.ends_with(b"data: [DONE]\n\n"))
            .count();
        let first: Vec<f64> = took.iter().map(|one| one.first.as_secs_f64() * 1e3).collect();
        let whole: Vec<f64> = took.iter().map(millis).collect();
        rows += &format!(
            "| {name} | {:.0} | {:.0} | {:.0} | {:.0} | {same} |\n",
            at(&first, 50),
            at(&first, 99),
            at(&whole, 50),
            at(&whole, 99)
        );
    }
    let ideal = (http::BEAT * u32::try_from(http::EVENTS)?).as_millis();
    Ok(format!(
        "\n**{STREAMS} streams at once**, {} events each, one every {} ms ({ideal} ms in all). Milliseconds to the first byte and to the last; streams that came byte for byte. \
         Memory {} before, {} after.\n\n\
         | way | first, p50 | first, p99 | last, p50 | last, p99 | byte-equal |\n|---|---|---|---|---|---|\n{rows}",
        http::EVENTS,
        http::BEAT.as_millis(),
        megabytes(started),
        megabytes(server.memory()),
    ))
}

/// Many sessions one after the other, two requests each: what is left of them in memory.
fn in_turn(model: SocketAddr) -> Result<String, Failure> {
    let server = Server::enfold(model, "sessions", None)?;
    let mut client = Client::to(server.address)?;
    let (mut marks, since) = (Vec::new(), Instant::now());
    for nth in 1..=SESSIONS {
        for steps in [4, 5] {
            client.post(&format!("session{nth}"), &short(nth, steps))?;
        }
        if [100, SESSIONS / 5, SESSIONS / 2, SESSIONS].contains(&nth) {
            // What comes after an answer comes soon.
            thread::sleep(Duration::from_millis(500));
            marks.push((nth, server.memory(), server.stored()));
        }
    }
    let seconds = since.elapsed().as_secs_f64();
    let rows = marks.iter().map(|(nth, memory, stored)| {
        format!("| {nth} | {} | {} |\n", megabytes(*memory), megabytes(*stored))
    });
    let (half, last) = (marks[marks.len() - 2], marks[marks.len() - 1]);
    let each = |from: u64, to: u64| (to as f64 - from as f64) / (last.0 - half.0) as f64;
    Ok(format!(
        "\n**{SESSIONS} sessions in turn**, two requests of some 2,000 tokens each, {:.1} ms a request. From the {}th to the {}th an idle session took {:.0} bytes of memory and {:.0} bytes of the store.\n\n\
         | sessions | memory | store |\n|---|---|---|\n{}",
        seconds * 1e3 / (2 * SESSIONS) as f64,
        half.0,
        last.0,
        each(half.1, last.1),
        each(half.2, last.2),
        rows.collect::<String>(),
    ))
}

/// A small request with names that no other session has.
fn short(session: usize, steps: usize) -> Vec<u8> {
    let mut messages: Vec<Value> = vec![
        json!({"role": "system", "content": "You are an agent."}),
        json!({"role": "user", "content": format!("Task {session}: make the parser accept tabs.")}),
    ];
    for step in 0..steps {
        let id = format!("call_{session}_{step}");
        let call = json!({"id": id, "type": "function", "function": {"name": "bash", "arguments": json!({"command": format!("make part{step}")}).to_string()}});
        messages.push(json!({"role": "assistant", "content": null, "tool_calls": [call]}));
        let output: String = (0..20)
            .map(|line| format!("src/part{step}.c:{line}: warning: value_{session}_{line} is never used\n"))
            .collect();
        messages.push(json!({"role": "tool", "tool_call_id": id, "content": output}));
    }
    let messages: Vec<String> = messages.iter().map(Value::to_string).collect();
    request(&messages.join(","), false)
}
