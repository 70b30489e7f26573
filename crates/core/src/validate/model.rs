//! What a model's id says about the rules that bind it.

/// Whose model an id names, as far as the rules differ.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Maker {
    /// `gpt-…`, `o3`, `chatgpt-…`.
    OpenAi,
    /// DeepSeek, wherever it is served.
    DeepSeek,
    /// Mistral, whose servers want roles to alternate.
    Mistral,
    /// Somebody else.
    Other,
}

/// The version of a Claude model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Claude {
    /// `opus`, `sonnet`, `haiku`, …; empty where the id has none.
    pub(super) family: String,
    /// 4.5 as (4, 5).
    pub(super) version: (u32, u32),
    /// The id is spelled as Bedrock spells it.
    pub(super) bedrock: bool,
}

/// The id after its provider prefix, in lower case: `openai/gpt-4o` → `gpt-4o`.
fn bare(id: &str) -> String {
    id.rsplit('/').next().unwrap_or(id).to_ascii_lowercase()
}

/// Whose model it is.
pub(super) fn maker(id: &str) -> Maker {
    let name = bare(id);
    let o_series = name.strip_prefix('o').is_some_and(|rest| rest.starts_with(|c: char| c.is_ascii_digit()));
    let is_mistral =
        ["mistral", "mixtral", "codestral", "devstral", "magistral"].iter().any(|word| name.contains(word));
    if o_series || ["gpt-", "chatgpt", "codex"].iter().any(|start| name.starts_with(start)) {
        // gpt-oss is open-weight and served by others.
        if name.starts_with("gpt-oss") { Maker::Other } else { Maker::OpenAi }
    } else if name.contains("deepseek") {
        Maker::DeepSeek
    } else if is_mistral {
        Maker::Mistral
    } else {
        Maker::Other
    }
}

/// The Claude model an id names: `claude-opus-4-6`, `us.anthropic.claude-3-5-sonnet-20241022-v2:0`,
/// `anthropic/claude-sonnet-4.5`.
pub(super) fn claude(id: &str) -> Option<Claude> {
    let lower = id.to_ascii_lowercase();
    let at = lower.find("claude")?;
    let words: Vec<&str> = lower[at + "claude".len()..]
        .split(|c: char| !c.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let family = ["opus", "sonnet", "haiku", "fable", "mythos", "instant"]
        .into_iter()
        .find(|family| words.contains(family))
        .unwrap_or_default();
    let (nth, major) = words.iter().enumerate().find_map(|(nth, word)| Some((nth, part(word)?)))?;
    let minor = words.get(nth + 1).and_then(|word| part(word)).unwrap_or(0);
    let bedrock = lower.contains("anthropic.claude");
    Some(Claude { family: family.into(), version: (major, minor), bedrock })
}

/// The version of a Gemini model: `gemini-3-pro-preview` → 3, `models/gemini-2.5-flash` → 2.
pub(super) fn gemini_generation(id: &str) -> Option<u32> {
    bare(id).strip_prefix("gemini-")?.split(|c: char| !c.is_ascii_digit()).next().and_then(part)
}

/// A part of a version number; dates are longer.
fn part(word: &str) -> Option<u32> {
    (word.len() <= 2).then(|| word.parse().ok()).flatten()
}

impl Claude {
    /// Whether an unfinished assistant message may stand last, to be continued.
    pub(super) fn takes_prefill(&self) -> bool {
        self.version < (4, 6)
    }

    /// Whether its thinking is signed together with everything before it.
    pub(super) fn binds_prefix(&self) -> bool {
        match self.family.as_str() {
            "fable" => self.version >= (5, 1),
            "opus" | "sonnet" => self.version >= (5, 5),
            _ => false,
        }
    }

    /// Whether `system` messages may stand in the list.
    pub(super) fn takes_system_messages(&self) -> bool {
        match self.family.as_str() {
            "opus" => self.version >= (4, 8),
            "sonnet" | "haiku" => self.version >= (5, 5),
            _ => self.version >= (5, 0),
        }
    }

    /// Images a request may hold: fewer where the window is 200,000 tokens.
    pub(super) fn most_images(&self) -> usize {
        let large = if self.family == "haiku" { (5, 0) } else { (4, 6) };
        if self.version < large { 100 } else { 600 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_spelling_of_a_claude_id_gives_its_version() {
        let version = |id: &str| claude(id).map(|model| (model.family, model.version, model.bedrock));
        for (id, family, numbers, bedrock) in [
            ("claude-opus-4-6", "opus", (4, 6), false),
            ("claude-sonnet-4-20250514", "sonnet", (4, 0), false),
            ("claude-3-5-sonnet-20241022", "sonnet", (3, 5), false),
            ("us.anthropic.claude-3-opus-20240229-v1:0", "opus", (3, 0), true),
            ("anthropic/claude-sonnet-4.5", "sonnet", (4, 5), false),
            ("claude-fable-5-1", "fable", (5, 1), false),
            ("claude-2.1", "", (2, 1), false),
        ] {
            assert_eq!(version(id), Some((family.to_string(), numbers, bedrock)), "{id}");
        }
        assert_eq!(claude("gpt-4o"), None);
    }

    #[test]
    fn makers_are_told_apart_behind_any_prefix() {
        assert_eq!(maker("openai/gpt-4o"), Maker::OpenAi);
        assert_eq!(maker("o3-mini"), Maker::OpenAi);
        assert_eq!(maker("openai/gpt-oss-120b"), Maker::Other);
        assert_eq!(maker("litellm_proxy/deepseek/deepseek-chat"), Maker::DeepSeek);
        assert_eq!(maker("devstral-small"), Maker::Mistral);
        assert_eq!(maker("opus"), Maker::Other);
        assert_eq!(gemini_generation("models/gemini-2.5-flash"), Some(2));
        assert_eq!(gemini_generation("gemini-3.1-pro-preview"), Some(3));
        assert_eq!(gemini_generation("gemini-pro-latest"), None);
    }
}
