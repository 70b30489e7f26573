//! Whose request it is: what the client says, and where it says nothing, how the conversation begins.

use enfold::Envelope;
use enfold::history::Role;
use enfold::json::{Kind, Raw};
use enfold::wire::fingerprint;
use hyper::HeaderMap;
use hyper::header::USER_AGENT;

use crate::route::Endpoint;

/// Headers by which clients name a conversation, the most telling first.
const SESSION: [&str; 9] = [
    "x-enfold-session",
    "x-claude-code-session-id",
    "thread-id",
    "session-id",
    "session_id",
    "x-opencode-session",
    "x-session-id",
    "x-session-affinity",
    "x-conversation-id",
];

/// Headers by which they tell the agents of one session apart.
const AGENT: [&str; 2] = ["x-claude-code-agent-id", "x-openai-subagent"];

/// Headers that carry keys.
const KEYS: [&str; 4] = ["authorization", "x-api-key", "api-key", "x-goog-api-key"];

/// Whose request it is. Nothing of it can be turned back into what the client sent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Identity {
    /// The same for all requests that may be of one conversation.
    pub(crate) base: String,
    /// How sure it is that they are.
    pub(crate) strength: Strength,
    /// For people.
    pub(crate) name: String,
}

/// How much is known.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Strength {
    /// The client names its conversation.
    Named,
    /// It names something that several conversations may share: a cache key, a first message.
    Guessed,
}

/// What a request says about itself, apart from its messages.
pub(crate) struct Asked<'a> {
    pub(crate) headers: &'a HeaderMap,
    /// The query, which may hold a key.
    pub(crate) query: Option<&'a str>,
    pub(crate) endpoint: Endpoint,
    pub(crate) model: &'a str,
}

/// Finds out whose request it is. Several conversations may have one identity: agents of one session, sessions that begin
/// alike. `secret` is the installation's.
pub(crate) fn identify(secret: &[u8], asked: &Asked, envelope: &Envelope) -> Identity {
    let header = |name: &&str| asked.headers.get(*name)?.to_str().ok().map(str::to_string);
    let root = envelope.around().root();
    let named = SESSION.iter().find_map(header).or_else(|| root.and_then(metadata));
    let agent = AGENT.iter().find_map(header).unwrap_or_default();
    let strength = if named.is_some() { Strength::Named } else { Strength::Guessed };
    let cache_key = || root?.str_at("prompt_cache_key").map(|key| key.into_owned());
    let session = named.clone().or_else(cache_key).unwrap_or_else(|| first_words(envelope));
    let key: Vec<&[u8]> =
        KEYS.iter().filter_map(|name| asked.headers.get(*name)).map(|value| value.as_bytes()).collect();
    let key = key.first().copied().or(asked.query.and_then(key_in)).unwrap_or_default();
    let parts = [
        key,
        session.as_bytes(),
        agent.as_bytes(),
        asked.model.as_bytes(),
        asked.endpoint.wire().name().as_bytes(),
    ];
    let base = hash(secret, &parts);
    let name = format!("{} {}", client(asked.headers), &base[..6]);
    Identity { base, strength, name }
}

/// Claude Code: `metadata.user_id` is JSON with a `session_id`, or `…_session_ID`. Others: a field of that name.
fn metadata(root: Raw) -> Option<String> {
    let metadata = root.get("metadata").filter(|metadata| metadata.kind() == Kind::Object);
    let direct =
        metadata.and_then(|metadata| metadata.str_at("session_id")).or_else(|| root.str_at("session_id"));
    if let Some(id) = direct {
        return Some(id.into_owned());
    }
    let user = metadata?.str_at("user_id")?;
    match Raw::parse(&user).ok().and_then(|user| user.str_at("session_id").map(|id| id.into_owned())) {
        Some(id) => Some(id),
        None => user.split_once("_session_").map(|(_, id)| id.to_string()),
    }
}

/// The fingerprint of the first message that a user wrote. Never all that there is to go by: sessions of one project often
/// begin with the same instructions.
fn first_words(envelope: &Envelope) -> String {
    let history = &envelope.document().history;
    let first = history.messages().iter().find(|message| message.role == Role::User);
    let print = first.and_then(|message| fingerprint(&message.raw)).unwrap_or_default();
    format!("begins {print:016x}")
}

/// Gemini's key may stand in the query.
fn key_in(query: &str) -> Option<&[u8]> {
    query.split('&').find_map(|pair| pair.strip_prefix("key=")).map(str::as_bytes)
}

/// What the client calls itself, in one word.
fn client(headers: &HeaderMap) -> String {
    let says = headers.get(USER_AGENT).and_then(|agent| agent.to_str().ok()).unwrap_or_default();
    let word = says.split(['/', ' ', '(']).next().unwrap_or_default();
    let word: String = word
        .chars()
        .filter(|letter| letter.is_ascii_alphanumeric() || "-_.".contains(*letter))
        .take(24)
        .collect();
    match word.as_str() {
        _ if headers.contains_key("x-claude-code-session-id") => "claude-code".into(),
        _ if headers.contains_key("x-codex-window-id") => "codex".into(),
        "" => "client".into(),
        _ => word.to_ascii_lowercase(),
    }
}

/// Twenty letters that nobody can guess or turn back without the secret.
fn hash(secret: &[u8], parts: &[&[u8]]) -> String {
    let mut hasher = blake3::Hasher::new_derive_key("enfold server: names of sessions");
    for part in [secret].iter().chain(parts) {
        hasher.update(&(part.len() as u64).to_le_bytes());
        hasher.update(part);
    }
    hasher.finalize().to_hex()[..20].to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(headers: &[(&'static str, &'static str)], body: &str) -> Identity {
        let headers =
            headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap())).collect();
        let envelope = Envelope::open(body, Some(Endpoint::Messages.wire())).unwrap();
        let asked = Asked { headers: &headers, query: None, endpoint: Endpoint::Messages, model: "m" };
        identify(b"secret", &asked, &envelope)
    }

    const BODY: &str = r#"{"model":"m","max_tokens":1,"messages":[{"role":"user","content":"a"}]}"#;

    #[test]
    fn a_header_counts_before_metadata_and_agents_of_one_session_are_told_apart() {
        let with = |user: &str| {
            BODY.replace("\"max_tokens\"", &format!("\"metadata\":{{\"user_id\":\"{user}\"}},\"max_tokens\""))
        };
        let json = with(r#"{\"device_id\":\"d\",\"session_id\":\"s1\"}"#);
        let old = with("user_x_account_y_session_s1");
        assert_eq!(of(&[], &json).base, of(&[], &old).base);
        assert_eq!(of(&[], &json).strength, Strength::Named);
        assert_eq!(of(&[("x-claude-code-session-id", "s1")], BODY).base, of(&[], &json).base);
        let other = of(&[("x-claude-code-session-id", "s2")], &json).base;
        assert_ne!(other, of(&[], &json).base);
        let agent = [("x-claude-code-session-id", "s2"), ("x-claude-code-agent-id", "a")];
        assert_ne!(of(&agent, &json).base, other);
    }

    #[test]
    fn without_a_name_the_first_words_are_a_guess_and_keys_never_mix() {
        let guessed = of(&[], BODY);
        assert_eq!(guessed.strength, Strength::Guessed);
        let respelled = BODY.replace(
            "\"content\":\"a\"",
            "\"content\":[{\"type\":\"text\",\"text\":\"a\",\"cache_control\":{\"type\":\"ephemeral\"}}]",
        );
        assert_eq!(of(&[], &respelled).base, guessed.base);
        let keyed = of(&[("x-api-key", "sk-canary-1")], BODY);
        assert_ne!(keyed.base, guessed.base);
        assert_ne!(of(&[("x-api-key", "sk-canary-2")], BODY).base, keyed.base);
        assert!(!format!("{keyed:?}").contains("canary"));
    }
}
