//! How agents are told where their model is: by variables, and where those do not reach, by flags.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use enfold_server::Config;

use crate::failure::Failure;

/// What an agent is started with.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Start {
    /// Variables beside those there are.
    pub variables: Vec<(&'static str, String)>,
    /// Arguments in front of its own.
    pub arguments: Vec<OsString>,
}

/// Variables by which a client is told its base URL, whose path OpenAI's clients end with `/v1`.
const VARIABLES: [(&str, &str); 6] = [
    ("ANTHROPIC_BASE_URL", "anthropic"),
    ("ANTHROPIC_API_BASE", "anthropic"),
    ("OPENAI_BASE_URL", "openai"),
    ("OPENAI_API_BASE", "openai"),
    ("GOOGLE_GEMINI_BASE_URL", "gemini"),
    ("GEMINI_API_BASE", "gemini"),
];

/// A base URL that the user has set is where requests go on to.
pub fn take_over(config: &mut Config, variable: impl Fn(&str) -> Option<String>) -> Result<(), Failure> {
    for (name, provider) in VARIABLES.iter().rev() {
        if let Some(url) = variable(name).filter(|url| !url.trim().is_empty()) {
            let url = url.trim().trim_end_matches('/');
            let url = url.strip_suffix("/v1").unwrap_or(url);
            config.upstreams.put(super::upstream(provider, url)?);
        }
    }
    Ok(())
}

/// How to start an agent so that it asks the proxy at this URL.
pub fn start(program: &OsStr, proxy: &str) -> Start {
    let of = |provider: &str| match provider {
        "openai" => format!("{proxy}/v1"),
        _ => proxy.to_string(),
    };
    let mut start = Start::default();
    start.variables.extend(VARIABLES.iter().map(|(name, provider)| (*name, of(provider))));
    match Path::new(program).file_stem().and_then(OsStr::to_str) {
        // It does not look at OPENAI_BASE_URL.
        Some("codex") => {
            let setting = format!("openai_base_url=\"{proxy}/v1\"");
            start.arguments.extend(["-c".into(), setting.into()]);
        }
        // It looks at no variable of a provider's; this one is for settings that are in no file.
        Some("opencode") => {
            let options = |url: &str| format!(r#"{{"options":{{"baseURL":"{url}"}}}}"#);
            let v1 = options(&format!("{proxy}/v1"));
            let google = options(&format!("{proxy}/v1beta"));
            let settings = format!(r#"{{"provider":{{"anthropic":{v1},"openai":{v1},"google":{google}}}}}"#);
            start.variables.push(("OPENCODE_CONFIG_CONTENT", settings));
        }
        _ => {}
    }
    start
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "http://127.0.0.1:5";

    fn variable(start: &Start, name: &str) -> Option<String> {
        start.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn every_client_is_told_in_its_own_way() {
        let claude = start(OsStr::new("/usr/bin/claude"), PROXY);
        assert_eq!(variable(&claude, "ANTHROPIC_BASE_URL").as_deref(), Some(PROXY));
        assert_eq!(variable(&claude, "OPENAI_BASE_URL").as_deref(), Some("http://127.0.0.1:5/v1"));
        assert_eq!(claude.arguments, Vec::<OsString>::new());
        let codex = start(OsStr::new("codex"), PROXY);
        assert_eq!(codex.arguments, ["-c", r#"openai_base_url="http://127.0.0.1:5/v1""#]);
        let opencode = start(OsStr::new("opencode"), PROXY);
        let settings = variable(&opencode, "OPENCODE_CONFIG_CONTENT").unwrap();
        let settings: serde_json::Value = serde_json::from_str(&settings).unwrap();
        assert_eq!(settings["provider"]["openai"]["options"]["baseURL"], "http://127.0.0.1:5/v1");
    }

    #[test]
    fn a_base_url_of_the_users_own_is_where_requests_go_on_to() {
        let mut config = Config::new("127.0.0.1:0".parse().unwrap());
        let set =
            |name: &str| (name == "OPENAI_BASE_URL").then(|| "https://openrouter.ai/api/v1/".to_string());
        take_over(&mut config, set).unwrap();
        let openai = config.upstreams.iter().find(|upstream| upstream.name == "openai").unwrap();
        assert_eq!(openai.base().to_string(), "https://openrouter.ai/api");
    }
}
