//! Where requests go, and which key may go there.
//!
//! A key belongs to a host. `OPENAI_API_KEY` is sent to OpenAI or to the place `OPENAI_BASE_URL` names and nowhere else;
//! a URL given by other means gets `ENFOLD_API_KEY` or no key.

use hyper::Uri;
use hyper::header::{AUTHORIZATION, CONTENT_TYPE, HeaderMap, HeaderName, HeaderValue};

use crate::url::{self, place};
use crate::{Api, Error, Key};

/// An API at a URL, with the key for it.
#[derive(Clone)]
pub struct Endpoint {
    pub(crate) api: Api,
    pub(crate) url: Uri,
    pub(crate) key: Option<Key>,
    pub(crate) headers: HeaderMap,
}

/// The names and the place that belong to a provider.
struct Provider {
    key: &'static str,
    base_url: &'static str,
    home: &'static str,
}

const ANTHROPIC: Provider =
    Provider { key: "ANTHROPIC_API_KEY", base_url: "ANTHROPIC_BASE_URL", home: "https://api.anthropic.com" };
const OPENAI: Provider =
    Provider { key: "OPENAI_API_KEY", base_url: "OPENAI_BASE_URL", home: "https://api.openai.com/v1" };
pub(crate) const OWN_KEY: &str = "ENFOLD_API_KEY";

impl Endpoint {
    /// The endpoint that the environment describes, or the one at `base_url`.
    pub fn from_env(api: Api, base_url: Option<&str>) -> Result<Endpoint, Error> {
        Endpoint::from_variables(api, base_url, |name| std::env::var(name).ok())
    }

    /// The same with the environment as an argument.
    pub fn from_variables(
        api: Api,
        base_url: Option<&str>,
        variable: impl Fn(&str) -> Option<String>,
    ) -> Result<Endpoint, Error> {
        let variable = |name| variable(name).filter(|value| !value.trim().is_empty());
        let provider = match api {
            Api::Anthropic => ANTHROPIC,
            Api::Chat | Api::Responses => OPENAI,
        };
        let set = variable(provider.base_url);
        let own = set.as_deref().unwrap_or(provider.home);
        let base_url = base_url.unwrap_or(own);
        let is_own = same_place(&url::parse(base_url)?, &url::parse(own)?);
        let found = variable(OWN_KEY).or_else(|| variable(provider.key).filter(|_| is_own));
        let key = found.as_deref().map(Key::new).transpose()?;
        if key.is_none() && same_place(&url::parse(base_url)?, &url::parse(provider.home)?) {
            return Err(Error::Setup(format!("there is no key: set {} or {OWN_KEY}", provider.key)));
        }
        Endpoint::at(api, base_url, key)
    }

    /// An endpoint at `base_url` (`http://localhost:11434/v1`), which gets `key`.
    ///
    /// A key is not sent unencrypted to a host outside this machine and its network.
    pub fn at(api: Api, base_url: &str, key: Option<Key>) -> Result<Endpoint, Error> {
        let url = request_url(api, url::parse(base_url)?);
        if key.is_some() && !url::is_encrypted(&url) && !url::is_near(&url) {
            return Err(Error::Setup(format!("the key would go unencrypted to {}: use https", place(&url))));
        }
        Ok(Endpoint { api, url, key, headers: HeaderMap::new() })
    }

    /// Adds a header to every request, such as `anthropic-beta`.
    pub fn header(mut self, name: &str, value: &str) -> Result<Endpoint, Error> {
        let wrong = || Error::Setup(format!("`{name}` and its value are not an HTTP header"));
        let name = HeaderName::try_from(name).map_err(|_| wrong())?;
        let mut value = HeaderValue::try_from(value).map_err(|_| wrong())?;
        value.set_sensitive(true);
        self.headers.insert(name, value);
        Ok(self)
    }

    /// Scheme, host and port: what may be shown of the URL. User names, passwords and queries may not.
    pub fn place(&self) -> String {
        place(&self.url)
    }

    /// True for OpenAI itself, whose models take newer field names than other servers.
    pub(crate) fn is_openai(&self) -> bool {
        let host = url::host(&self.url);
        host == "openai.com" || host.ends_with(".openai.com")
    }

    /// Every header but those of the transport.
    pub(crate) fn all_headers(&self) -> HeaderMap {
        let mut headers = HeaderMap::new();
        headers.insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
        match (self.api, &self.key) {
            (Api::Anthropic, key) => {
                headers.insert("anthropic-version", HeaderValue::from_static("2023-06-01"));
                if let Some(key) = key {
                    headers.insert("x-api-key", key.header(""));
                }
            }
            (Api::Chat | Api::Responses, Some(key)) => {
                headers.insert(AUTHORIZATION, key.header("Bearer "));
            }
            (Api::Chat | Api::Responses, None) => {}
        }
        headers.extend(self.headers.clone());
        headers
    }
}

impl std::fmt::Debug for Endpoint {
    fn fmt(&self, f: &mut std::fmt::Formatter) -> std::fmt::Result {
        let Endpoint { api, url, key, headers } = self;
        let names: Vec<&str> = headers.keys().map(HeaderName::as_str).collect();
        let mut out = f.debug_struct("Endpoint");
        out.field("api", api).field("place", &place(url)).field("key", key).field("headers", &names).finish()
    }
}

/// Appends the API's path as the providers' own clients do, and accepts a URL that ends in (part of) it already.
fn request_url(api: Api, url: Uri) -> Uri {
    let (version, call) = match api {
        Api::Anthropic => ("/v1", "/messages"),
        Api::Chat => ("", "/chat/completions"),
        Api::Responses => ("", "/responses"),
    };
    let path = url.path().trim_end_matches('/');
    if path.ends_with(call) {
        return url;
    }
    let version = match path {
        "" => "/v1",
        versioned if versioned.ends_with("/v1") => "",
        _ => version,
    };
    url::with_path(&url, &format!("{path}{version}{call}"))
}

fn same_place(one: &Uri, other: &Uri) -> bool {
    place(one) == place(other)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECRET: &str = "sk-a-secret-of-some-length";

    #[track_caller]
    fn sent(api: Api, base_url: Option<&str>, variables: &[(&str, &str)]) -> (String, Option<String>) {
        let variable =
            |name: &str| variables.iter().find(|(own, _)| *own == name).map(|(_, value)| value.to_string());
        let endpoint = Endpoint::from_variables(api, base_url, variable).unwrap();
        let headers = endpoint.all_headers();
        let key = headers.get("x-api-key").or(headers.get("authorization"));
        (endpoint.url.to_string(), key.map(|key| key.to_str().unwrap().to_string()))
    }

    fn at(url: &str) -> String {
        Endpoint::at(Api::Chat, url, None).unwrap().url.to_string()
    }

    #[test]
    fn each_provider_has_its_place_path_and_header() {
        let keys = [("ANTHROPIC_API_KEY", "a-key"), ("OPENAI_API_KEY", "o-key")];
        let anthropic = ("https://api.anthropic.com/v1/messages".to_string(), Some("a-key".to_string()));
        assert_eq!(sent(Api::Anthropic, None, &keys), anthropic);
        let chat =
            ("https://api.openai.com/v1/chat/completions".to_string(), Some("Bearer o-key".to_string()));
        assert_eq!(sent(Api::Chat, None, &keys), chat);
        assert_eq!(sent(Api::Responses, None, &keys).0, "https://api.openai.com/v1/responses");
    }

    #[test]
    fn a_base_url_may_stop_before_or_after_the_version_or_be_whole() {
        for url in [
            "http://localhost:8080",
            "http://localhost:8080/v1/",
            "http://localhost:8080/v1/chat/completions",
        ] {
            assert_eq!(at(url), "http://localhost:8080/v1/chat/completions");
        }
        assert_eq!(
            at("https://x.example/api/v3?version=7"),
            "https://x.example/api/v3/chat/completions?version=7"
        );
        let gateway = Endpoint::at(Api::Anthropic, "https://x.example/anthropic", None).unwrap();
        assert_eq!(gateway.url.to_string(), "https://x.example/anthropic/v1/messages");
    }

    #[test]
    fn a_providers_key_goes_to_that_provider_only() {
        let keys = [("OPENAI_API_KEY", "o-key")];
        assert_eq!(sent(Api::Chat, Some("https://elsewhere.example/v1"), &keys).1, None);
        assert_eq!(
            sent(Api::Chat, Some("https://api.openai.com/v1"), &keys).1.as_deref(),
            Some("Bearer o-key")
        );
        let own_url = [("OPENAI_API_KEY", "o-key"), ("OPENAI_BASE_URL", "https://mine.example/v1")];
        assert_eq!(sent(Api::Chat, None, &own_url).1.as_deref(), Some("Bearer o-key"));
        assert_eq!(
            sent(Api::Chat, Some("https://mine.example/v1"), &own_url).1.as_deref(),
            Some("Bearer o-key")
        );
        assert_eq!(sent(Api::Chat, Some("https://elsewhere.example/v1"), &own_url).1, None);
    }

    #[test]
    fn the_own_key_goes_wherever_it_is_sent() {
        let keys = [("ENFOLD_API_KEY", " e-key\n"), ("OPENAI_API_KEY", "o-key")];
        assert_eq!(
            sent(Api::Chat, Some("https://elsewhere.example/v1"), &keys).1.as_deref(),
            Some("Bearer e-key")
        );
        assert_eq!(sent(Api::Anthropic, None, &keys).1.as_deref(), Some("e-key"));
    }

    #[test]
    fn a_provider_without_a_key_is_refused_and_a_local_server_is_not() {
        let error = Endpoint::from_variables(Api::Anthropic, None, |_| None).unwrap_err();
        assert_eq!(error.to_string(), "there is no key: set ANTHROPIC_API_KEY or ENFOLD_API_KEY");
        assert_eq!(sent(Api::Chat, Some("http://localhost:11434"), &[]).1, None);
    }

    #[test]
    fn a_key_does_not_travel_unencrypted_across_the_internet() {
        let with_key = |url| Endpoint::at(Api::Chat, url, Some(Key::new(SECRET).unwrap()));
        for near in [
            "http://127.0.0.1:1",
            "http://[::1]:1",
            "http://192.168.0.9/v1",
            "http://vllm:8000",
            "https://a.example",
        ] {
            assert!(with_key(near).is_ok(), "{near}");
        }
        for far in ["http://api.openai.com/v1", "http://8.8.8.8/v1", "http://134744072/v1"] {
            assert!(matches!(with_key(far), Err(Error::Setup(_))), "{far}");
        }
    }

    #[test]
    fn nothing_secret_is_shown() {
        let key = Key::new(SECRET).unwrap();
        let endpoint =
            Endpoint::at(Api::Chat, &format!("https://a.example/v1?key={SECRET}"), Some(key)).unwrap();
        let endpoint = endpoint.header("x-other-key", SECRET).unwrap();
        let shown = format!("{endpoint:?} {endpoint:#?} {:?} {:?}", endpoint.place(), endpoint.all_headers());
        assert!(!shown.contains(SECRET), "{shown}");
        for url in
            [format!("https://u:{SECRET}@a.example"), format!("{SECRET}://a"), format!("ht tp://{SECRET}")]
        {
            let error = Endpoint::at(Api::Chat, &url, None).unwrap_err();
            assert!(!format!("{error} {error:?}").contains(SECRET), "{error}");
        }
        let error = Key::new(&format!("{SECRET} {SECRET}")).unwrap_err();
        assert!(!format!("{error:?}").contains(SECRET));
    }
}
