//! The protocol: its versions, and what each method answers.
//!
//! Nothing is kept between two requests. Clients up to 2025-11-25 begin with `initialize` and say no more about themselves;
//! later ones say in every request which version they speak, and are told more in every answer.

use serde_json::{Map, Value, json};

use crate::rpc::{Fault, Message, Request, Response};
use crate::{Recall, tools};

/// Versions that are spoken here, the newest first.
pub(crate) const VERSIONS: [&str; 5] = [MODERN, HANDSHAKE, "2025-06-18", BATCHES, "2024-11-05"];

/// The first version without a handshake.
pub(crate) const MODERN: &str = "2026-07-28";

/// The newest version that begins with `initialize`.
const HANDSHAKE: &str = "2025-11-25";

/// The version that has batches.
pub(crate) const BATCHES: &str = "2025-03-26";

/// Where a request says its version, and an answer who gives it.
const DECLARED: &str = "io.modelcontextprotocol/protocolVersion";
const CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";
const SERVER: &str = "io.modelcontextprotocol/serverInfo";

/// Milliseconds that a client may keep what is the same until another version of Enfold is started.
const KEPT: u32 = 3_600_000;

/// How a client speaks.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Era {
    /// After a handshake.
    Handshake,
    /// Every request for itself.
    Modern,
}

impl Era {
    /// The era of a request, or what is missing in it.
    pub(crate) fn of(request: &Request) -> Result<Era, Fault> {
        let Some(version) = declared(request)? else {
            return match request.method == "server/discover" {
                false => Ok(Era::Handshake),
                true => Err(missing(DECLARED)),
            };
        };
        if !VERSIONS.contains(&version) {
            return Err(Fault::unsupported_version(version, &VERSIONS));
        }
        if version < MODERN {
            return Ok(Era::Handshake);
        }
        match meta(request, CAPABILITIES) {
            Some(Value::Object(_)) => Ok(Era::Modern),
            _ => Err(missing(CAPABILITIES)),
        }
    }

    /// A result with what this era wants in each.
    fn complete(self, mut result: Map<String, Value>) -> Value {
        if self == Era::Modern {
            result.insert("resultType".into(), "complete".into());
            result.insert("_meta".into(), json!({SERVER: myself()}));
        }
        Value::Object(result)
    }
}

/// The version that a request declares for itself.
pub(crate) fn declared(request: &Request) -> Result<Option<&str>, Fault> {
    let Some(version) = meta(request, DECLARED) else { return Ok(None) };
    version.as_str().map(Some).ok_or_else(|| missing(DECLARED))
}

/// The fault of a request that does not say what it must.
pub(crate) fn undeclared() -> Fault {
    missing(DECLARED)
}

/// Answers a request.
pub(crate) async fn answer(recall: &Recall, request: Request) -> Response {
    match Era::of(&request) {
        Ok(era) => answer_in(era, recall, request).await.1,
        Err(fault) => Response::new(request.id, Err(fault)),
    }
}

/// Answers a request of this era. Beside the answer: its code, if it is a fault.
pub(crate) async fn answer_in(era: Era, recall: &Recall, request: Request) -> (Option<i32>, Response) {
    let result = match &*request.method {
        "initialize" => initialize(&request.params),
        "server/discover" => Ok(discover()),
        "ping" => Ok(Map::new()),
        "tools/list" => Ok(list(era)),
        "tools/call" => call(recall, request.params).await,
        method => Err(Fault::method_not_found(method)),
    };
    let code = result.as_ref().err().map(|fault| fault.code);
    (code, Response::new(request.id, result.map(|result| era.complete(result))))
}

/// Answers what wants an answer of a batch.
pub(crate) async fn answer_several(recall: &Recall, several: Vec<Message>) -> Vec<Response> {
    let mut answers = Vec::new();
    for message in several {
        match message {
            Message::Request(request) => answers.push(answer(recall, request).await),
            Message::Malformed(response) => answers.push(response),
            Message::Notification(_) | Message::Answer => {}
        }
    }
    answers
}

fn initialize(params: &Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    let wanted = params.get("protocolVersion").and_then(Value::as_str);
    let wanted = wanted.ok_or_else(|| Fault::invalid_params("initialize: `protocolVersion` is missing"))?;
    // A version without a handshake cannot be agreed upon in one.
    let known = VERSIONS.into_iter().find(|known| *known == wanted && *known < MODERN);
    Ok(object(json!({
        "protocolVersion": known.unwrap_or(HANDSHAKE),
        "capabilities": {"tools": {}},
        "serverInfo": myself(),
        "instructions": tools::ABOUT,
    })))
}

fn discover() -> Map<String, Value> {
    object(json!({
        "supportedVersions": VERSIONS,
        "capabilities": {"tools": {}},
        "instructions": tools::ABOUT,
        "ttlMs": KEPT,
        "cacheScope": "public",
    }))
}

fn list(era: Era) -> Map<String, Value> {
    match era {
        Era::Handshake => object(json!({"tools": tools::all()})),
        Era::Modern => object(json!({"tools": tools::all(), "ttlMs": KEPT, "cacheScope": "public"})),
    }
}

async fn call(recall: &Recall, mut params: Map<String, Value>) -> Result<Map<String, Value>, Fault> {
    let Some(Value::String(tool)) = params.remove("name") else {
        return Err(Fault::invalid_params("tools/call: `name` is missing"));
    };
    let arguments = match params.remove("arguments") {
        None | Some(Value::Null) => Map::new(),
        Some(Value::Object(arguments)) => arguments,
        Some(_) => return Err(Fault::invalid_params("tools/call: `arguments` is no object")),
    };
    if !tools::NAMES.contains(&&*tool) {
        let named = tools::NAMES.join(", ");
        return Err(Fault::invalid_params(format!("{tool}: there is no such tool; there are {named}")));
    }
    let recall = recall.clone();
    // The store is read: not for a thread that others wait for.
    let answered = tokio::task::spawn_blocking(move || recall.answer(&tool, arguments)).await;
    let answered = answered.ok().flatten().ok_or_else(Fault::ours)?;
    // A model reads the text either way, and can do better next time.
    let is_error = answered.is_err();
    let text = answered.unwrap_or_else(|why| why.to_string());
    Ok(object(json!({"content": [{"type": "text", "text": text}], "isError": is_error})))
}

fn myself() -> Value {
    json!({"name": "enfold", "version": env!("CARGO_PKG_VERSION")})
}

fn meta<'r>(request: &'r Request, key: &str) -> Option<&'r Value> {
    request.params.get("_meta")?.get(key)
}

fn missing(key: &str) -> Fault {
    Fault::invalid_params(format!("`{key}` is missing in `_meta`, or is of the wrong type"))
}

fn object(value: Value) -> Map<String, Value> {
    match value {
        Value::Object(object) => object,
        _ => unreachable!("only objects are written here"),
    }
}
