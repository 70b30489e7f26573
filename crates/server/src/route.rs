//! Maps method and path to health, API, dashboard, model or pass-through.

use enfold::wire::{Anthropic, Gemini, OpenAiChat, OpenAiResponses, Wire};
use hyper::http::uri::PathAndQuery;
use hyper::{HeaderMap, Method, Uri};

use crate::dashboard;
use crate::upstream::{Provider, Upstream, Upstreams};

/// What is asked for.
pub(crate) enum Route<'a> {
    /// A model.
    Model(ModelRoute<'a>),
    /// Anything else of a provider's: passed on as it is.
    Pass(&'a Upstream, PathAndQuery),
    /// Something about sessions.
    Api(String),
    /// An agent about its own session.
    Mcp,
    /// A file of the dashboard.
    Dashboard(String),
    /// Whether the server is alive.
    Health,
    /// Numbers.
    Metrics,
    /// Nothing there is.
    Nothing,
}

/// A request to a model.
pub(crate) struct ModelRoute<'a> {
    pub(crate) upstream: &'a Upstream,
    pub(crate) path: PathAndQuery,
    pub(crate) endpoint: Endpoint,
    pub(crate) purpose: Purpose,
    /// The model, where the path names it.
    pub(crate) model: Option<String>,
}

/// The API.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Endpoint {
    Messages,
    Chat,
    Responses,
    Gemini,
}

/// What for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Purpose {
    /// An answer is wanted.
    Answer,
    /// Only the tokens are counted.
    Count,
    /// The conversation is to be made shorter, by the provider.
    Compact,
}

impl Endpoint {
    pub(crate) fn wire(self) -> &'static dyn Wire {
        match self {
            Endpoint::Messages => &Anthropic,
            Endpoint::Chat => &OpenAiChat,
            Endpoint::Responses => &OpenAiResponses,
            Endpoint::Gemini => &Gemini,
        }
    }
}

/// Finds out what is asked for. Only the path and the method decide, and for a provider's other paths the kind of key.
pub(crate) fn route<'a>(
    upstreams: &'a Upstreams,
    method: &Method,
    uri: &Uri,
    headers: &HeaderMap,
) -> Route<'a> {
    let Some(path) = uri.path_and_query() else { return Route::Nothing };
    match path.path() {
        "/healthz" => return Route::Health,
        "/metrics" => return Route::Metrics,
        "/mcp" => return Route::Mcp,
        "/api/hello" => {}
        file if dashboard::has(file) && is_read(method) => return Route::Dashboard(file.to_string()),
        own if own == "/api" || own.starts_with("/api/") => return Route::Api(own.to_string()),
        _ => {}
    }
    let (named, path) = match named(upstreams, path) {
        Some((upstream, rest)) => (Some(upstream), rest),
        None => (None, path.clone()),
    };
    let is_post = *method == Method::POST;
    if let Some((endpoint, purpose, model)) = endpoint(path.path()).filter(|_| is_post) {
        let upstream = named.or_else(|| upstreams.named(provider_of(endpoint).name()));
        return match upstream {
            Some(upstream) => Route::Model(ModelRoute { upstream, path, endpoint, purpose, model }),
            None => Route::Nothing,
        };
    }
    match named.or_else(|| upstreams.named(provider(path.path(), headers)?.name())) {
        Some(upstream) => Route::Pass(upstream, path),
        None => Route::Nothing,
    }
}

fn is_read(method: &Method) -> bool {
    *method == Method::GET || *method == Method::HEAD
}

/// `/NAME/v1/…` calls an upstream of the configuration by its name.
fn named<'a>(upstreams: &'a Upstreams, path: &PathAndQuery) -> Option<(&'a Upstream, PathAndQuery)> {
    let (name, _) = path.path().strip_prefix('/')?.split_once('/')?;
    let upstream = upstreams.named(name)?;
    Some((upstream, path.as_str()[name.len() + 1..].parse().ok()?))
}

fn endpoint(path: &str) -> Option<(Endpoint, Purpose, Option<String>)> {
    let path = path.trim_end_matches('/');
    let found = |endpoint, purpose| Some((endpoint, purpose, None));
    match () {
        () if path.ends_with("/messages/count_tokens") => found(Endpoint::Messages, Purpose::Count),
        () if path.ends_with("/messages") => found(Endpoint::Messages, Purpose::Answer),
        () if path.ends_with("/chat/completions") => found(Endpoint::Chat, Purpose::Answer),
        () if path.ends_with("/responses/input_tokens") => found(Endpoint::Responses, Purpose::Count),
        () if path.ends_with("/responses/compact") => found(Endpoint::Responses, Purpose::Compact),
        () if path.ends_with("/responses") => found(Endpoint::Responses, Purpose::Answer),
        () => {
            let (before, verb) = path.rsplit_once(':')?;
            let model = before.rsplit_once("/models/")?.1.to_string();
            let purpose = match verb {
                "generateContent" | "streamGenerateContent" => Purpose::Answer,
                "countTokens" => Purpose::Count,
                _ => return None,
            };
            Some((Endpoint::Gemini, purpose, Some(model)))
        }
    }
}

fn provider_of(endpoint: Endpoint) -> Provider {
    match endpoint {
        Endpoint::Messages => Provider::Anthropic,
        Endpoint::Chat | Endpoint::Responses => Provider::OpenAi,
        Endpoint::Gemini => Provider::Gemini,
    }
}

/// Whose a path is that is no request to a model. `None` for one that no provider has.
fn provider(path: &str, headers: &HeaderMap) -> Option<Provider> {
    let is_anthropic = headers.contains_key("anthropic-version") || headers.contains_key("x-api-key");
    match () {
        () if path.starts_with("/v1beta/") || path.starts_with("/upload/") => Some(Provider::Gemini),
        () if path == "/api/hello" || path.starts_with("/v1/messages") => Some(Provider::Anthropic),
        () if path.starts_with("/v1/") && is_anthropic => Some(Provider::Anthropic),
        () if path.starts_with("/v1/") => Some(Provider::OpenAi),
        () => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn told(method: Method, path: &str, header: Option<&'static str>) -> String {
        let mut upstreams = Upstreams::default();
        upstreams.put(Upstream::new("deep", "https://deep.example/x").unwrap());
        let headers = header.into_iter().map(|name| (name.parse().unwrap(), "x".parse().unwrap())).collect();
        match route(&upstreams, &method, &path.parse().unwrap(), &headers) {
            Route::Model(to) => {
                let model = to.model.map(|model| format!(" {model}")).unwrap_or_default();
                format!("{:?} {:?} {}{model}", to.endpoint, to.purpose, to.upstream.at(&to.path).unwrap())
            }
            Route::Pass(upstream, path) => format!("pass {}", upstream.at(&path).unwrap()),
            Route::Api(path) => format!("api {path}"),
            Route::Mcp => "mcp".into(),
            Route::Dashboard(path) => format!("dashboard {path}"),
            Route::Health => "health".into(),
            Route::Metrics => "metrics".into(),
            Route::Nothing => "nothing".into(),
        }
    }

    #[test]
    fn models_are_known_by_the_paths_of_their_apis() {
        let post = |path| told(Method::POST, path, None);
        assert_eq!(
            post("/v1/messages?beta=true"),
            "Messages Answer https://api.anthropic.com/v1/messages?beta=true"
        );
        assert_eq!(
            post("/v1/messages/count_tokens"),
            "Messages Count https://api.anthropic.com/v1/messages/count_tokens"
        );
        assert_eq!(post("/v1/chat/completions"), "Chat Answer https://api.openai.com/v1/chat/completions");
        assert_eq!(post("/v1/responses"), "Responses Answer https://api.openai.com/v1/responses");
        assert_eq!(
            post("/v1/responses/compact"),
            "Responses Compact https://api.openai.com/v1/responses/compact"
        );
        assert_eq!(
            post("/deep/v1/chat/completions"),
            "Chat Answer https://deep.example/x/v1/chat/completions"
        );
        assert_eq!(
            post("/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse"),
            "Gemini Answer https://generativelanguage.googleapis.com/v1beta/models/gemini-3-pro:streamGenerateContent?alt=sse gemini-3-pro"
        );
    }

    #[test]
    fn the_rest_is_passed_on_or_ours_or_nothing() {
        assert_eq!(told(Method::GET, "/v1/models", None), "pass https://api.openai.com/v1/models");
        assert_eq!(
            told(Method::GET, "/v1/models", Some("anthropic-version")),
            "pass https://api.anthropic.com/v1/models"
        );
        assert_eq!(told(Method::HEAD, "/api/hello", None), "pass https://api.anthropic.com/api/hello");
        assert_eq!(
            told(Method::GET, "/v1/responses/r_1", None),
            "pass https://api.openai.com/v1/responses/r_1"
        );
        assert_eq!(told(Method::GET, "/api/sessions", None), "api /api/sessions");
        assert_eq!(told(Method::GET, "/healthz", None), "health");
        assert_eq!(told(Method::POST, "/mcp", None), "mcp");
        assert_eq!(told(Method::GET, "/", None), "dashboard /");
        assert_eq!(told(Method::GET, "/dashboard/app.js", None), "dashboard /dashboard/app.js");
        assert_eq!(told(Method::GET, "/dashboard/../app.js", None), "nothing");
        assert_eq!(told(Method::POST, "/", None), "nothing");
        assert_eq!(told(Method::GET, "/etc/passwd", None), "nothing");
        assert_eq!(told(Method::GET, "/http://evil.example/", None), "nothing");
    }
}
