//! How agents are told where their model is: by variables, and where those do not reach, by flags.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use enfold_server::Config;
use serde_json::{Value, json};

use super::recall::{InJson, Recall};
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
    let copilot = [(COPILOT, copilots_provider(&variable))];
    for (name, provider) in copilot.iter().chain(VARIABLES.iter().rev()) {
        if let Some(url) = variable(name).filter(|url| !url.trim().is_empty()) {
            let url = url.trim().trim_end_matches('/');
            let url = url.strip_suffix("/v1").unwrap_or(url);
            config.upstreams.put(super::upstream(provider, url)?);
        }
    }
    Ok(())
}

/// How to start an agent, its program and arguments being these, so that it asks the proxy at this URL and can open what that
/// leaves out. `variable` tells what the user has set.
pub fn start(
    command: &[OsString],
    proxy: &str,
    recall: &Recall,
    variable: impl Fn(&str) -> Option<String>,
) -> Start {
    let of = |provider: &str| match provider {
        "openai" => format!("{proxy}/v1"),
        _ => proxy.to_string(),
    };
    let mut start = Start::default();
    start.variables.extend(VARIABLES.iter().map(|(name, provider)| (*name, of(provider))));
    // For `enfold unfold` in its shell.
    start.variables.push(("ENFOLD_STORE", recall.store.clone()));
    let (program, arguments) = command.split_first().expect("the command line asks for one");
    match Path::new(program).file_stem().and_then(OsStr::to_str) {
        Some("claude") => start.arguments.extend(recall.in_json(InJson::CLAUDE, arguments)),
        Some("copilot") => {
            start.arguments.extend(recall.in_json(InJson::COPILOT, arguments));
            // Without a provider of the user's own it asks GitHub's service, and nobody stands between them.
            if variable(COPILOT).is_some() {
                start.variables.push((COPILOT, of(copilots_provider(&variable))));
            }
        }
        Some("qwen") => start.arguments.extend(recall.in_json(InJson::QWEN, arguments)),
        Some("codex") => {
            // It does not look at OPENAI_BASE_URL.
            let setting = format!("openai_base_url=\"{proxy}/v1\"");
            start.arguments.extend(["-c".into(), setting.into()]);
            start.arguments.extend(recall.for_codex(arguments));
        }
        // It looks at no variable of a provider's; this one is for settings that are in no file.
        Some("opencode") => {
            let at = |path: &str| json!({"options": {"baseURL": format!("{proxy}{path}")}});
            let providers = json!({"anthropic": at("/v1"), "openai": at("/v1"), "google": at("/v1beta")});
            let own = variable(OPENCODE).and_then(|own| serde_json::from_str(&own).ok());
            let mut settings = own.unwrap_or_else(|| json!({}));
            if let Some(server) = recall.for_opencode(&settings) {
                put(&mut settings, &server);
            }
            put(&mut settings, &json!({"provider": providers}));
            start.variables.push((OPENCODE, settings.to_string()));
        }
        _ => {}
    }
    start
}

/// Where Copilot CLI finds the model of a provider that the user has chosen.
const COPILOT: &str = "COPILOT_PROVIDER_BASE_URL";

/// Whose protocol it speaks there.
fn copilots_provider(variable: impl Fn(&str) -> Option<String>) -> &'static str {
    match variable("COPILOT_PROVIDER_TYPE").as_deref() {
        Some("anthropic") => "anthropic",
        _ => "openai",
    }
}

/// Settings of OpenCode's that are in no file.
const OPENCODE: &str = "OPENCODE_CONFIG_CONTENT";

/// Puts settings into others, whose rest stays.
fn put(settings: &mut Value, new: &Value) {
    match (settings.as_object_mut(), new.as_object()) {
        (Some(settings), Some(new)) => {
            for (key, value) in new {
                put(settings.entry(key).or_insert_with(|| json!({})), value);
            }
        }
        _ => *settings = new.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PROXY: &str = "http://127.0.0.1:5";

    fn started(command: &[&str], own: Option<&str>) -> Start {
        let command: Vec<OsString> = command.iter().map(Into::into).collect();
        let recall = Recall { program: "/bin/enfold".into(), store: "/data/enfold.db".into(), since: 7 };
        start(&command, PROXY, &recall, |name| own.filter(|_| name == OPENCODE).map(str::to_string))
    }

    fn variable(start: &Start, name: &str) -> Option<String> {
        start.variables.iter().find(|(known, _)| *known == name).map(|(_, value)| value.clone())
    }

    #[test]
    fn every_client_is_told_in_its_own_way() {
        let other = started(&["/usr/bin/my-agent"], None);
        assert_eq!(variable(&other, "ANTHROPIC_BASE_URL").as_deref(), Some(PROXY));
        assert_eq!(variable(&other, "OPENAI_BASE_URL").as_deref(), Some("http://127.0.0.1:5/v1"));
        assert_eq!(variable(&other, "ENFOLD_STORE").as_deref(), Some("/data/enfold.db"));
        assert_eq!(other.arguments, Vec::<OsString>::new());
        let codex = started(&["codex", "exec"], None);
        assert_eq!(codex.arguments[..2], ["-c", r#"openai_base_url="http://127.0.0.1:5/v1""#]);
        let opencode = started(&["opencode"], None);
        let settings: Value = serde_json::from_str(&variable(&opencode, OPENCODE).unwrap()).unwrap();
        assert_eq!(settings["provider"]["openai"]["options"]["baseURL"], "http://127.0.0.1:5/v1");
    }

    #[test]
    fn every_client_that_can_is_given_the_tools_of_recall() {
        let claude = started(&["/usr/bin/claude", "-p", "go"], None);
        let settings = claude.arguments[0].to_str().unwrap().strip_prefix("--mcp-config=").unwrap();
        let server = &serde_json::from_str::<Value>(settings).unwrap()["mcpServers"]["enfold"];
        let words = json!(["mcp", "--store", "/data/enfold.db", "--since", "7"]);
        assert_eq!((&server["command"], &server["args"]), (&json!("/bin/enfold"), &words));
        assert_eq!(server["alwaysLoad"], true);
        for (agent, option) in [("copilot", "--additional-mcp-config="), ("qwen", "--mcp-config=")] {
            let settings = started(&[agent, "-p", "go"], None).arguments[0].to_str().unwrap().to_string();
            let settings: Value = serde_json::from_str(settings.strip_prefix(option).unwrap()).unwrap();
            assert_eq!(settings["mcpServers"]["enfold"]["args"], words, "{agent}");
        }
        let codex = started(&["codex", "exec"], None);
        assert_eq!(codex.arguments[3], r#"mcp_servers.enfold.command="/bin/enfold""#);
        assert_eq!(codex.arguments[5], format!("mcp_servers.enfold.args={words}").as_str());
        let opencode = started(&["opencode"], None);
        let settings: Value = serde_json::from_str(&variable(&opencode, OPENCODE).unwrap()).unwrap();
        assert_eq!(settings["mcp"]["enfold"]["command"][0], "/bin/enfold");
    }

    #[test]
    fn what_the_user_has_set_stays() {
        for own in [
            &["claude", "--mcp-config", "mine.json"][..],
            &["claude", "--strict-mcp-config"],
            &["claude", "mcp", "list"],
        ] {
            assert_eq!(started(own, None).arguments, Vec::<OsString>::new(), "{own:?}");
        }
        let codex = started(&["codex", "-c", "mcp_servers.enfold.command=\"mine\""], None);
        assert_eq!(codex.arguments.len(), 2, "only where its model is");
        let own = r#"{"theme":"dark","mcp":{"enfold":{"command":["mine"]}},"provider":{"openai":{"options":{"timeout":5}}}}"#;
        let opencode = started(&["opencode"], Some(own));
        let settings: Value = serde_json::from_str(&variable(&opencode, OPENCODE).unwrap()).unwrap();
        assert_eq!(
            (&settings["theme"], &settings["mcp"]["enfold"]["command"]),
            (&json!("dark"), &json!(["mine"]))
        );
        let options = json!({"timeout": 5, "baseURL": "http://127.0.0.1:5/v1"});
        assert_eq!(settings["provider"]["openai"]["options"], options);
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

    #[test]
    fn copilot_is_redirected_where_the_user_has_a_provider_of_their_own() {
        let set = [(COPILOT, "https://models.example/v1"), ("COPILOT_PROVIDER_TYPE", "anthropic")];
        let of = |set: &[(&str, &str)]| {
            let set: Vec<(String, String)> =
                set.iter().map(|(name, value)| (name.to_string(), value.to_string())).collect();
            move |name: &str| set.iter().find(|(known, _)| known == name).map(|(_, value)| value.clone())
        };
        let recall = Recall { program: "/bin/enfold".into(), store: "/data/enfold.db".into(), since: 7 };
        let told =
            |set: &[(&str, &str)]| variable(&start(&["copilot".into()], PROXY, &recall, of(set)), COPILOT);
        assert_eq!(told(&set), Some(PROXY.to_string()));
        assert_eq!(told(&set[..1]), Some(format!("{PROXY}/v1")));
        assert_eq!(told(&[]), None, "it asks GitHub, as ever");
    }
}
