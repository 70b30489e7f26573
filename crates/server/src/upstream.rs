//! Where requests go. The configuration decides, never the caller: a key must not reach a host that its owner did not name.

use hyper::Uri;
use hyper::http::uri::PathAndQuery;

use crate::config::ConfigError;

/// A server of a provider.
#[derive(Clone, Debug)]
pub struct Upstream {
    /// What it is called.
    pub name: String,
    base: Uri,
}

/// All of them. The three whose paths tell them apart are always there; others are called by their names.
#[derive(Clone, Debug)]
pub struct Upstreams {
    all: Vec<Upstream>,
}

/// Those that are known by the paths of their APIs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Provider {
    /// Messages.
    Anthropic,
    /// Chat Completions, Responses.
    OpenAi,
    /// `generateContent`.
    Gemini,
}

impl Provider {
    /// Its name in a configuration.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Provider::Anthropic => "anthropic",
            Provider::OpenAi => "openai",
            Provider::Gemini => "gemini",
        }
    }
}

impl Upstream {
    /// A server by the beginning of its URLs: `https://api.openai.com`, without the path of the API.
    pub fn new(name: &str, url: &str) -> Result<Upstream, ConfigError> {
        let fault = |why: String| ConfigError::Upstream { name: name.into(), why };
        let is_name = |letter: char| letter.is_ascii_alphanumeric() || letter == '-' || letter == '_';
        if name.is_empty()
            || !name.chars().all(is_name)
            || matches!(name, "api" | "dashboard" | "v1" | "v1beta")
        {
            return Err(fault(
                "a name has letters, digits, `-` and `_`, and is not the beginning of a path".into(),
            ));
        }
        let base = enfold_llm::parse_url(url).map_err(|error| fault(error.to_string()))?;
        if base.query().is_some() {
            return Err(fault("its URL has a query; write it without".into()));
        }
        Ok(Upstream { name: name.into(), base })
    }

    /// The beginning of its URLs.
    pub fn base(&self) -> &Uri {
        &self.base
    }

    /// The URL of a path there. Scheme and host are the configuration's, whatever the path holds.
    pub(crate) fn at(&self, path: &PathAndQuery) -> Option<Uri> {
        let before = self.base.path().trim_end_matches('/');
        let whole: PathAndQuery = format!("{before}{path}").parse().ok()?;
        let mut parts = self.base.clone().into_parts();
        parts.path_and_query = Some(whole);
        Uri::from_parts(parts).ok()
    }
}

impl Default for Upstreams {
    fn default() -> Upstreams {
        let known = [
            ("anthropic", "https://api.anthropic.com"),
            ("openai", "https://api.openai.com"),
            ("gemini", "https://generativelanguage.googleapis.com"),
        ];
        let all = known.map(|(name, url)| Upstream::new(name, url).expect("a URL that a test reads"));
        Upstreams { all: all.to_vec() }
    }
}

impl Upstreams {
    /// Adds one, in place of another of the same name.
    pub fn put(&mut self, upstream: Upstream) {
        self.all.retain(|known| known.name != upstream.name);
        self.all.push(upstream);
    }

    /// All of them.
    pub fn iter(&self) -> impl Iterator<Item = &Upstream> {
        self.all.iter()
    }

    pub(crate) fn named(&self, name: &str) -> Option<&Upstream> {
        self.all.iter().find(|upstream| upstream.name == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_never_changes_the_host() {
        let upstream = Upstream::new("openai", "https://api.example.com/base/").unwrap();
        for (path, url) in [
            ("/v1/responses?x=1", "https://api.example.com/base/v1/responses?x=1"),
            ("//evil.example/v1", "https://api.example.com/base//evil.example/v1"),
            ("/@evil.example/", "https://api.example.com/base/@evil.example/"),
            ("/:80@evil.example/", "https://api.example.com/base/:80@evil.example/"),
        ] {
            assert_eq!(upstream.at(&path.parse().unwrap()).unwrap().to_string(), url);
        }
        let bare = Upstream::new("other", "http://127.0.0.1:9").unwrap();
        assert_eq!(bare.at(&"//evil/x".parse().unwrap()).unwrap().host(), Some("127.0.0.1"));
    }

    #[test]
    fn a_name_is_no_path_and_a_url_has_no_secrets() {
        assert!(Upstream::new("api", "https://x.example").is_err());
        assert!(Upstream::new("a/b", "https://x.example").is_err());
        let told = Upstream::new("x", "https://user:secret@x.example").unwrap_err().to_string();
        assert!(!told.contains("secret@"), "{told}");
    }

    #[test]
    fn the_providers_own_servers_are_known() {
        assert_eq!(Upstreams::default().iter().count(), 3);
    }
}
