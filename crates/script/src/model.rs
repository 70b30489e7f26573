//! What was asked, and what to reply.

use std::sync::{Arc, Mutex};

use enfold::count::{Counter, Encoding};
use enfold::finding::{Finding, Severity};
use enfold::json::Raw;
use enfold::validate;

use crate::server::{self, Act, Server, lock};
use crate::speak::{self, End, Said};

/// A model that answers as a closure says. It ends with this value.
pub struct Model {
    server: Server,
    requests: Arc<Mutex<Vec<Request>>>,
}

/// A request as it arrived, without the headers that carry keys.
#[derive(Clone, Debug)]
pub struct Request {
    /// Its number, counted from 0.
    pub nth: usize,
    /// The path of the URL.
    pub path: String,
    /// Names in small letters, and values.
    pub headers: Vec<(String, String)>,
    /// What was sent.
    pub body: String,
    /// The wire format of the API that was asked; `None` for a path that no API here has.
    pub wire: Option<&'static str>,
    /// What a provider would say about it, by [`enfold::validate`].
    pub findings: Vec<Finding>,
}

/// What to do about a request.
#[derive(Clone, Debug)]
pub enum Reply {
    /// Say this, and be done.
    Text(String),
    /// Call tools.
    Calls(Vec<Call>),
    /// Refuse, in these words.
    Refusal(String),
    /// Say this, and run into the limit of the answer.
    CutOff(String),
    /// Say so many bytes.
    Large(usize),
    /// Answer with this status, these headers and this body.
    Status(u16, Vec<(String, String)>, String),
    /// Send these bytes, which need not be HTTP.
    Raw(Vec<u8>),
    /// Keep the connection and say nothing.
    Hang,
    /// End the connection as a crash does.
    Reset,
}

/// A call of a tool.
#[derive(Clone, Debug)]
pub struct Call {
    /// The tool.
    pub name: String,
    /// What it is given: JSON, or something that a model took for it.
    pub arguments: String,
}

/// Headers that carry keys.
const KEYS: [&str; 3] = ["authorization", "x-api-key", "api-key"];

impl Model {
    /// A model on a thread of its own. `answer` is asked about one request at a time.
    pub fn start(mut answer: impl FnMut(&Request) -> Reply + Send + 'static) -> Model {
        let requests = Arc::new(Mutex::new(Vec::<Request>::new()));
        let record = requests.clone();
        let server = Server::on_thread(move |raw| {
            let request = Request::read(lock(&record).len(), raw);
            lock(&record).push(request.clone());
            match request.wire {
                Some(wire) => answer(&request).acts(wire, &request),
                None => server::json(404, r#"{"error":{"message":"no such path"}}"#),
            }
        });
        Model { server, requests }
    }

    /// The base URL, as clients of any of the three APIs take it.
    pub fn url(&self) -> &str {
        &self.server.url
    }

    /// Every request so far.
    pub fn requests(&self) -> Vec<Request> {
        lock(&self.requests).clone()
    }

    /// What a provider would have refused, a line per fault. Empty is what a test wants to see.
    pub fn refused(&self) -> Vec<String> {
        let requests = lock(&self.requests);
        requests.iter().flat_map(Request::refused).collect()
    }
}

impl Request {
    fn read(nth: usize, raw: &server::Request) -> Request {
        let mut lines = raw.head.lines();
        let path = lines.next().and_then(|line| line.split(' ').nth(1)).unwrap_or_default().to_string();
        let headers = lines.filter_map(|line| line.split_once(": "));
        let headers = headers.map(|(name, value)| (name.to_lowercase(), value.to_string()));
        let headers = headers.filter(|(name, _)| !KEYS.contains(&name.as_str())).collect();
        let wire = wire(&path);
        let findings = wire.map(|wire| findings(wire, &raw.body)).unwrap_or_default();
        Request { nth, path, headers, body: raw.body.clone(), wire, findings }
    }

    /// The messages (in Responses: the input items), byte for byte.
    pub fn messages(&self) -> Vec<&str> {
        let (Some(wire), Ok(body)) = (self.wire, Raw::parse(&self.body)) else { return Vec::new() };
        validate::Request::of(wire, body).messages.into_iter().map(Raw::text).collect()
    }

    /// How many tokens the model counts, and reports, for it: a quarter more than OpenAI's do, as some models' count.
    pub fn tokens(&self) -> usize {
        Encoding::O200k.count(&self.body) * 5 / 4
    }

    /// Whether the answer is to come as a stream of events.
    pub fn wants_stream(&self) -> bool {
        if self.path.contains(":streamGenerateContent") {
            return true;
        }
        let body = Raw::parse(&self.body).ok();
        body.and_then(|body| body.get("stream")).is_some_and(|stream| stream.text() == "true")
    }

    /// Whether the API wants a thought in front of every answer.
    fn wants_thinking(&self) -> bool {
        let body = Raw::parse(&self.body).ok();
        let kind = body.and_then(|body| body.get("thinking")?.str_at("type"));
        kind.is_some_and(|kind| kind == "enabled")
    }

    /// What a provider would have refused about it.
    fn refused(&self) -> Vec<String> {
        let errors = self.findings.iter().filter(|finding| finding.severity == Severity::Error);
        errors.map(|finding| format!("request {}: {finding}", self.nth)).collect()
    }
}

fn wire(path: &str) -> Option<&'static str> {
    let is = |end: &str| path.split('?').next().is_some_and(|path| path.ends_with(end));
    match () {
        () if is("/messages") => Some("anthropic"),
        () if is("/chat/completions") => Some("openai-chat"),
        () if is("/responses") => Some("openai-responses"),
        () if is(":generateContent") || is(":streamGenerateContent") => Some("gemini"),
        () => None,
    }
}

fn findings(wire: &str, body: &str) -> Vec<Finding> {
    match Raw::parse(body) {
        Ok(body) => validate::validate(wire, &validate::Request::of(wire, body)),
        Err(why) => vec![Finding::new(Severity::Error, Default::default(), format!("not JSON: {why}"))],
    }
}

impl Reply {
    /// One call.
    pub fn call(name: impl Into<String>, arguments: impl Into<String>) -> Reply {
        Reply::Calls(vec![Call { name: name.into(), arguments: arguments.into() }])
    }

    /// A status without further headers.
    pub fn status(code: u16, body: impl Into<String>) -> Reply {
        Reply::Status(code, Vec::new(), body.into())
    }

    fn acts(self, wire: &'static str, request: &Request) -> Vec<Act> {
        let (text, calls, end) = match self {
            Reply::Text(text) => (text, Vec::new(), End::Done),
            Reply::Large(bytes) => ("x".repeat(bytes), Vec::new(), End::Done),
            Reply::Calls(calls) => (String::new(), calls, End::Calls),
            Reply::Refusal(text) => (text, Vec::new(), End::Refused),
            Reply::CutOff(text) => (text, Vec::new(), End::CutOff),
            Reply::Status(code, headers, body) => {
                let headers = headers.iter().map(|(name, value)| format!("{name}: {value}\r\n"));
                return server::json_with(code, &headers.collect::<String>(), &body);
            }
            Reply::Raw(bytes) => return vec![Act::Send(bytes)],
            Reply::Hang => return vec![Act::Hang],
            Reply::Reset => return vec![Act::Reset],
        };
        let (nth, read, thinks) = (request.nth, request.tokens(), request.wants_thinking());
        let said = Said { nth, text, calls, end, read, thinks };
        match request.wants_stream() {
            true => server::stream([speak::events(wire, &said).as_bytes()]),
            false => server::json(200, &speak::whole(wire, &said).to_string()),
        }
    }
}
