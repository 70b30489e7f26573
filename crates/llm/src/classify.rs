//! What a provider's refusal means.
//!
//! Codes and types are trusted before words, words before the status. Providers reword their messages, so they are
//! matched by the few words that carry the meaning.

use std::time::Duration;

use enfold::json::{Kind, Raw};

use crate::{Error, Said};

/// Words by which providers say that a request is longer than the window. Lower case.
const OVERFLOW_WORDS: &[&str] = &[
    "prompt is too long",                           // Anthropic
    "exceed context limit",                         // Anthropic, before 4.5
    "input is too long",                            // Bedrock
    "prompt_too_long",                              // Claude gateways
    "maximum context length",                       // OpenAI, DeepSeek, OpenRouter, vLLM, Mistral
    "tokens exceed the configured limit",           // OpenAI
    "exceeds the context window",                   // OpenAI Responses
    "exceeds the maximum number of tokens allowed", // Gemini
    "maximum prompt length",                        // xAI
    "reduce the length of the messages",            // Groq
    "request too large for",                        // OpenAI, Groq: more than the tokens per minute
    "exceeds the available context size",           // llama.cpp
    "greater than the context length",              // LM Studio
    "prompt token count of",                        // Copilot
    "context window exceeds limit",                 // MiniMax
    "exceeded model token limit",                   // Kimi
    "`max_new_tokens` must be <=",                  // Text Generation Inference
];

const OVERFLOW_CODES: &[&str] = &[
    "context_length_exceeded",
    "request_too_large",
    "exceed_context_size_error",
    "1261", // z.ai
];

const CREDIT_CODES: &[&str] =
    &["insufficient_quota", "billing_error", "billing_hard_limit_reached", "insufficient_balance"];

const CREDIT_WORDS: &[&str] = &["credit balance is too low", "insufficient balance", "insufficient credits"];

/// Whether an answer says that the request was longer than the model's window: an answer with a status other than success,
/// or (status `None`) what stands inside one that began as a success. An answer that says nothing says nothing about length,
/// unless its status is 413.
pub fn is_overflow(status: Option<u16>, body: &str) -> bool {
    let error = match (status, Raw::parse(body)) {
        (Some(status), _) => refusal(status, body, None, None),
        (None, Ok(root)) => inside(root.get("response").unwrap_or(root)),
        (None, Err(_)) => return false,
    };
    matches!(error, Error::Overflow(_))
}

/// The error that an answer with a status other than success is.
pub(crate) fn refusal(
    status: u16,
    body: &str,
    retry_after: Option<Duration>,
    request_id: Option<String>,
) -> Error {
    let told = match Raw::parse(body) {
        Ok(root) => Refusal::of(root),
        Err(_) => Refusal { message: plain(body), ..Refusal::default() },
    };
    Refusal { status: Some(status), retry_after, request_id, ..told }.into_error()
}

/// The error that stands in an answer which began as a success: an `error` object, or an event with one.
pub(crate) fn inside(root: Raw) -> Error {
    Refusal::of(root).into_error()
}

#[derive(Default)]
struct Refusal {
    status: Option<u16>,
    kind: Option<String>,
    code: Option<String>,
    param: Option<String>,
    message: String,
    retry_after: Option<Duration>,
    request_id: Option<String>,
}

impl Refusal {
    /// Finds the error in `{"error":{…}}`, `{"error":"…"}`, `{"detail":…}` or an object that is the error itself.
    fn of(root: Raw) -> Refusal {
        let error = root.get("error").filter(|error| !error.is_null());
        let object = match error.map(Raw::kind) {
            Some(Kind::Object) => error.unwrap_or(root),
            _ => root,
        };
        let text = |key: &str| object.get(key).and_then(words);
        let message = error.filter(|error| error.kind() == Kind::String).and_then(words);
        let message = message
            .or_else(|| text("message"))
            .or_else(|| text("detail"))
            .unwrap_or_else(|| plain(root.text()));
        // OpenRouter puts the status of the provider behind it where others have a code.
        let status = object.get("code").and_then(Raw::u64).filter(|code| (400..600).contains(code));
        Refusal {
            status: status.and_then(|status| u16::try_from(status).ok()),
            kind: text("type").filter(|kind| kind != "error"),
            code: text("code"),
            param: text("param"),
            message,
            ..Refusal::default()
        }
    }

    fn into_error(self) -> Error {
        let class = self.class();
        let Refusal { status, kind, code, param, message, retry_after, request_id } = self;
        let said = Said { status, code: code.or(kind), param, message, request_id };
        match class {
            Class::Auth => Error::Auth(said),
            Class::Credit => Error::Credit(said),
            Class::BadRequest => Error::BadRequest(said),
            Class::Overflow => Error::Overflow(said),
            Class::RateLimited => Error::RateLimited { said, retry_after },
            Class::Overloaded => Error::Overloaded { said, retry_after },
            Class::Server => Error::Server { said, retry_after },
        }
    }

    fn class(&self) -> Class {
        let words = self.message.to_lowercase();
        let says = |list: &[&str]| list.iter().any(|wanted| words.contains(wanted));
        let named = |list: &[&str]| {
            [&self.code, &self.kind].into_iter().flatten().any(|name| list.contains(&name.as_str()))
        };
        if named(OVERFLOW_CODES) || says(OVERFLOW_WORDS) {
            return Class::Overflow;
        }
        if named(CREDIT_CODES) || says(CREDIT_WORDS) {
            return Class::Credit;
        }
        match self.status {
            Some(401 | 403) => Class::Auth,
            Some(402) => Class::Credit,
            Some(413) => Class::Overflow,
            Some(429) => Class::RateLimited,
            Some(503 | 529) => Class::Overloaded,
            Some(408 | 409 | 425 | 500..) => Class::Server,
            Some(_) => Class::BadRequest,
            None => self.class_by_name(),
        }
    }

    /// For errors inside a stream, which have no status.
    fn class_by_name(&self) -> Class {
        let named =
            |part: &str| [&self.code, &self.kind].into_iter().flatten().any(|name| name.contains(part));
        if named("overloaded") {
            Class::Overloaded
        } else if named("rate_limit") {
            Class::RateLimited
        } else if named("authentication") || named("permission") || named("invalid_api_key") {
            Class::Auth
        } else if named("invalid_") || named("not_found") || named("unsupported") {
            Class::BadRequest
        } else {
            Class::Server
        }
    }
}

#[derive(Clone, Copy)]
enum Class {
    Auth,
    Credit,
    BadRequest,
    Overflow,
    RateLimited,
    Overloaded,
    Server,
}

/// A string as text, another value as it stands; nothing for `null`.
fn words(value: Raw) -> Option<String> {
    match value.kind() {
        Kind::Null => None,
        Kind::String => value.str().map(|text| text.into_owned()),
        _ => Some(value.text().to_string()),
    }
}

/// A page or other text on one line.
fn plain(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(status: u16, body: &str, class: &str) {
        let error = refusal(status, body, None, None);
        assert_eq!(error.class(), class, "{status} {body}: {error}");
    }

    #[test]
    fn a_context_overflow_is_known_in_each_providers_words() {
        for (status, body) in [
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"prompt is too long: 208310 tokens > 200000 maximum"},"request_id":"r"}"#,
            ),
            (
                400,
                r#"{"type":"error","error":{"type":"invalid_request_error","message":"input length and `max_tokens` exceed context limit: 188059 + 20000 > 200000"}}"#,
            ),
            (
                413,
                r#"{"type":"error","error":{"type":"request_too_large","message":"Request exceeds the maximum size"}}"#,
            ),
            (400, r#"{"message":"Input is too long for requested model."}"#),
            (
                400,
                r#"{"error":{"message":"Input tokens exceed the configured limit of 272000 tokens. Your messages resulted in 300000 tokens. Please reduce the length of the messages.","type":"invalid_request_error","param":"messages","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"This model's maximum context length is 128000 tokens. However, your messages resulted in 200000 tokens."}}"#,
            ),
            (
                400,
                r#"{"error":{"message":"Your input exceeds the context window of this model. Please adjust your input and try again.","code":"context_length_exceeded"}}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"The input token count (1200000) exceeds the maximum number of tokens allowed (1048576).","status":"INVALID_ARGUMENT"}}"#,
            ),
            (
                400,
                r#"{"error":"This model's maximum prompt length is 131072 but the request contains 200000 tokens."}"#,
            ),
            (
                413,
                r#"{"error":{"message":"Request too large for model `x` in organization `o` service tier `t` on tokens per minute (TPM): Limit 6000, Requested 7000","type":"tokens","code":"rate_limit_exceeded"}}"#,
            ),
            (
                400,
                r#"{"message":"Prompt contains 40000 tokens, too large for model with 32768 maximum context length","object":"error"}"#,
            ),
            (
                400,
                r#"{"error":{"code":400,"message":"the request exceeds the available context size. try increasing it","type":"exceed_context_size_error"}}"#,
            ),
            (
                400,
                r#"{"error":"The number of tokens to keep from the initial prompt is greater than the context length. Try a larger context length or a shorter input."}"#,
            ),
            (
                400,
                r#"{"error":{"message":"prompt token count of 130000 exceeds the limit of 128000","code":"model_max_prompt_tokens_exceeded"}}"#,
            ),
            (400, r#"{"error":{"message":"invalid params, context window exceeds limit (2013)"}}"#),
            (
                400,
                r#"{"error":{"message":"Invalid request: Your request exceeded model token limit: 131072"}}"#,
            ),
            (400, r#"{"error":{"code":"1261","message":"Prompt 超长"}}"#),
            (413, ""),
        ] {
            check(status, body, "overflow");
        }
    }

    #[test]
    fn an_empty_or_odd_400_is_no_overflow() {
        check(400, "", "bad_request");
        check(400, "{}", "bad_request");
        check(
            400,
            r#"{"error":{"message":"max_tokens is too large: 100000. This model supports at most 16384 completion tokens","param":"max_tokens"}}"#,
            "bad_request",
        );
        check(
            400,
            r#"{"error":{"message":"Invalid 'messages[2].tool_calls[0].id': string too long.","code":"string_above_max_length","param":"messages[2].tool_calls[0].id"}}"#,
            "bad_request",
        );
    }

    #[test]
    fn money_is_told_from_haste() {
        check(
            429,
            r#"{"error":{"message":"You exceeded your current quota","type":"insufficient_quota","code":"insufficient_quota"}}"#,
            "credit",
        );
        check(
            429,
            r#"{"error":{"message":"Rate limit reached for gpt-5","type":"requests","code":"rate_limit_exceeded"}}"#,
            "rate_limited",
        );
        check(
            400,
            r#"{"type":"error","error":{"type":"invalid_request_error","message":"Your credit balance is too low to access the Anthropic API."}}"#,
            "credit",
        );
        check(402, r#"{"error":{"message":"Insufficient Balance"}}"#, "credit");
        check(402, "", "credit");
    }

    #[test]
    fn the_status_decides_where_words_do_not() {
        for (status, class) in [
            (401, "auth"),
            (403, "auth"),
            (404, "bad_request"),
            (422, "bad_request"),
            (429, "rate_limited"),
            (500, "server"),
            (502, "server"),
            (503, "overloaded"),
            (504, "server"),
            (529, "overloaded"),
            (408, "server"),
        ] {
            check(status, "<html>\n<body>no</body></html>", class);
        }
    }

    #[test]
    fn an_error_inside_a_stream_is_told_by_its_name() {
        let class = |text: &str| inside(Raw::parse(text).unwrap()).class();
        assert_eq!(
            class(r#"{"type":"error","error":{"type":"overloaded_error","message":"Overloaded"}}"#),
            "overloaded"
        );
        assert_eq!(class(r#"{"type":"error","error":{"type":"api_error","message":"Internal"}}"#), "server");
        assert_eq!(
            class(r#"{"type":"error","error":{"type":"invalid_request_error","message":"no"}}"#),
            "bad_request"
        );
        assert_eq!(
            class(r#"{"type":"error","code":"rate_limit_exceeded","message":"slow down"}"#),
            "rate_limited"
        );
        assert_eq!(
            class(r#"{"error":{"code":"context_length_exceeded","message":"Your input"}}"#),
            "overflow"
        );
        assert_eq!(class(r#"{"error":{"code":502,"message":"upstream"}}"#), "server");
        assert_eq!(class(r#"{"error":{"code":429,"message":"upstream"}}"#), "rate_limited");
    }

    #[test]
    fn a_message_names_status_code_and_request() {
        let body = r#"{"error":{"message":"No such model","code":"model_not_found"}}"#;
        let error = refusal(404, body, None, Some("req_1".into()));
        assert_eq!(
            error.to_string(),
            "the request was refused: No such model (404, model_not_found) [request req_1]"
        );
        let error = refusal(422, r#"{"detail":[{"loc":["body"],"msg":"field required"}]}"#, None, None);
        assert!(error.to_string().contains("field required"), "{error}");
        assert_eq!(refusal(500, "", None, None).to_string(), "the provider failed: no reason given (500)");
    }
}
