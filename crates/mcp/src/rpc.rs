//! JSON-RPC 2.0: what came, and what is sent back.

use serde::Serialize;
use serde_json::{Map, Value};

/// Bytes of one message at most. Arguments of these tools are a few words; whatever is longer is a mistake or an attack.
pub(crate) const LONGEST: usize = 4 << 20;

/// What a client sent at once.
#[derive(Debug)]
pub(crate) enum Incoming {
    One(Message),
    /// A batch: only clients of 2025-03-26 send one.
    Several(Vec<Message>),
}

#[derive(Debug)]
pub(crate) enum Message {
    Request(Request),
    /// Something is told, and nothing wanted.
    Notification(Notification),
    /// An answer, though nothing was asked.
    Answer,
    /// None of these. What is wrong goes back, under its id where it has one.
    Malformed(Response),
}

#[derive(Debug)]
pub(crate) struct Request {
    pub(crate) id: Id,
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

#[derive(Debug)]
pub(crate) struct Notification {
    pub(crate) method: String,
    pub(crate) params: Map<String, Value>,
}

/// What joins an answer to its request. A number goes back as it was spelled.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(untagged)]
pub(crate) enum Id {
    Text(String),
    Number(serde_json::Number),
}

#[derive(Debug, Serialize)]
pub(crate) struct Response {
    jsonrpc: &'static str,
    /// Left out where the request could not be read so far: clients refuse `null` here.
    #[serde(skip_serializing_if = "Option::is_none")]
    id: Option<Id>,
    #[serde(flatten)]
    outcome: Outcome,
}

#[derive(Debug, Serialize)]
#[serde(rename_all = "lowercase")]
enum Outcome {
    Result(Value),
    Error(Fault),
}

/// Why a request is not answered. The client's program reads it, not its model.
#[derive(Debug, Serialize)]
pub(crate) struct Fault {
    pub(crate) code: i32,
    message: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    data: Option<Value>,
}

impl Incoming {
    pub(crate) fn read(bytes: &[u8]) -> Result<Incoming, Response> {
        match serde_json::from_slice(bytes) {
            Ok(Value::Array(several)) if several.is_empty() => {
                Err(Response::refused(Fault::invalid_request("a batch of nothing")))
            }
            Ok(Value::Array(several)) => {
                Ok(Incoming::Several(several.into_iter().map(Message::read).collect()))
            }
            Ok(one) => Ok(Incoming::One(Message::read(one))),
            Err(why) => Err(Response::refused(Fault::parse_error(why))),
        }
    }
}

impl Message {
    fn read(value: Value) -> Message {
        let Value::Object(mut parts) = value else { return Message::malformed(None, "no object") };
        let (has_id, id) = (parts.contains_key("id"), parts.remove("id").and_then(Id::read));
        if parts.get("jsonrpc").is_none_or(|version| version != "2.0") {
            return Message::malformed(id, "`jsonrpc` is not \"2.0\"");
        }
        if !parts.contains_key("method") && (parts.contains_key("result") || parts.contains_key("error")) {
            return Message::Answer;
        }
        let Some(Value::String(method)) = parts.remove("method") else {
            return Message::malformed(id, "`method` is no text");
        };
        let params = match parts.remove("params") {
            None | Some(Value::Null) => Map::new(),
            Some(Value::Object(params)) => params,
            Some(_) => return Message::malformed(id, "`params` is no object"),
        };
        match id {
            Some(id) => Message::Request(Request { id, method, params }),
            None if has_id => Message::malformed(None, "`id` is neither text nor number"),
            None => Message::Notification(Notification { method, params }),
        }
    }

    fn malformed(id: Option<Id>, what: &str) -> Message {
        Message::Malformed(Response { id, ..Response::refused(Fault::invalid_request(what)) })
    }
}

impl Id {
    pub(crate) fn read(value: Value) -> Option<Id> {
        match value {
            Value::String(text) => Some(Id::Text(text)),
            Value::Number(number) => Some(Id::Number(number)),
            _ => None,
        }
    }
}

impl Response {
    pub(crate) fn new(id: Id, outcome: Result<Value, Fault>) -> Response {
        let outcome = outcome.map_or_else(Outcome::Error, Outcome::Result);
        Response { jsonrpc: "2.0", id: Some(id), outcome }
    }

    /// To something that has no id, or whose id could not be read.
    pub(crate) fn refused(fault: Fault) -> Response {
        Response { jsonrpc: "2.0", id: None, outcome: Outcome::Error(fault) }
    }
}

/// Codes of JSON-RPC, and from -32020 on the protocol's own.
impl Fault {
    pub(crate) const METHOD_NOT_FOUND: i32 = -32601;

    pub(crate) fn parse_error(why: impl std::fmt::Display) -> Fault {
        Fault::new(-32700, format!("this is no JSON: {why}"))
    }

    pub(crate) fn too_long() -> Fault {
        Fault::new(-32600, format!("a message of more than {LONGEST} bytes is not read"))
    }

    pub(crate) fn invalid_request(what: &str) -> Fault {
        Fault::new(-32600, format!("this is no request of JSON-RPC 2.0: {what}"))
    }

    pub(crate) fn method_not_found(method: &str) -> Fault {
        Fault::new(
            Fault::METHOD_NOT_FOUND,
            format!("{method}: there is no such method here; there are tools"),
        )
    }

    pub(crate) fn invalid_params(why: impl Into<String>) -> Fault {
        Fault::new(-32602, why)
    }

    pub(crate) fn ours() -> Fault {
        Fault::new(-32603, "this is a fault of Enfold's")
    }

    pub(crate) fn header_mismatch(why: impl Into<String>) -> Fault {
        Fault::new(-32020, why)
    }

    pub(crate) fn unsupported_version(requested: &str, supported: &[&str]) -> Fault {
        let data = serde_json::json!({"requested": requested, "supported": supported});
        let message = format!("protocol version {requested} is not known here; {} are", supported.join(", "));
        Fault { data: Some(data), ..Fault::new(-32022, message) }
    }

    fn new(code: i32, message: impl Into<String>) -> Fault {
        Fault { code, message: message.into(), data: None }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// What is made of a message: its kind, or the answer that goes back at once.
    fn told(text: &str) -> String {
        let tell = |message: &Message| match message {
            Message::Request(request) => format!("request {}", serde_json::to_string(&request.id).unwrap()),
            Message::Notification(notification) => format!("notification {}", notification.method),
            Message::Answer => "answer".into(),
            Message::Malformed(response) => serde_json::to_string(response).unwrap(),
        };
        match Incoming::read(text.as_bytes()) {
            Ok(Incoming::One(message)) => tell(&message),
            Ok(Incoming::Several(several)) => several.iter().map(tell).collect::<Vec<_>>().join(" + "),
            Err(response) => serde_json::to_string(&response).unwrap(),
        }
    }

    #[test]
    fn requests_notifications_and_answers_are_told_apart() {
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":1,"method":"ping"}"#), "request 1");
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":"a","method":"ping","params":null}"#), r#"request "a""#);
        assert_eq!(
            told(r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#),
            "notification notifications/initialized"
        );
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":1,"result":{}}"#), "answer");
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":1,"error":{"code":1,"message":""}}"#), "answer");
        assert_eq!(
            told(r#"[{"jsonrpc":"2.0","id":1,"method":"ping"},{"jsonrpc":"2.0","method":"x"}]"#),
            "request 1 + notification x"
        );
    }

    #[test]
    fn what_is_none_of_them_is_answered_under_its_id() {
        let refusal = |id: &str, what: &str| {
            format!(
                r#"{{"jsonrpc":"2.0",{id}"error":{{"code":-32600,"message":"this is no request of JSON-RPC 2.0: {what}"}}}}"#
            )
        };
        assert_eq!(told(r#"{"id":7,"method":"ping"}"#), refusal(r#""id":7,"#, r#"`jsonrpc` is not \"2.0\""#));
        assert_eq!(told(r#"{"jsonrpc":"2.0","id":7}"#), refusal(r#""id":7,"#, "`method` is no text"));
        assert_eq!(
            told(r#"{"jsonrpc":"2.0","id":7,"method":"x","params":[]}"#),
            refusal(r#""id":7,"#, "`params` is no object")
        );
        assert_eq!(
            told(r#"{"jsonrpc":"2.0","id":null,"method":"x"}"#),
            refusal("", "`id` is neither text nor number")
        );
        assert_eq!(told("7"), refusal("", "no object"));
        assert_eq!(told("[]"), refusal("", "a batch of nothing"));
    }

    #[test]
    fn what_is_no_json_is_answered_without_an_id() {
        let answer = told(r#"{"jsonrpc":"2.0","id":1,"#);
        assert!(
            answer.starts_with(r#"{"jsonrpc":"2.0","error":{"code":-32700,"message":"this is no JSON: "#),
            "{answer}"
        );
        // Depth is bounded by the reader, not by the stack.
        assert!(told(&"[".repeat(1 << 20)).contains("-32700"));
    }
}
