//! What providers say about tokens, in the shapes of the four APIs.
//!
//! Each function takes the object that a provider calls `usage` (Gemini: `usageMetadata`).

use enfold::json::{Kind, Raw};

use crate::Usage;

/// Anthropic Messages. Numbers in later events are totals and replace earlier ones; a number that is not repeated stands.
pub fn anthropic(usage: Raw, before: Option<Usage>) -> Usage {
    let before = before.unwrap_or_default();
    let total = |key, old| usage.get(key).and_then(Raw::u64).unwrap_or(old);
    let cache_read = total("cache_read_input_tokens", before.cache_read);
    let cache_write = total("cache_creation_input_tokens", before.cache_write);
    // What is reported as input leaves out both parts of the cache.
    let fresh = total(
        "input_tokens",
        before.input.saturating_sub(before.cache_read).saturating_sub(before.cache_write),
    );
    let input = fresh.saturating_add(cache_read).saturating_add(cache_write);
    let output = number(usage, &["output_tokens"]).max(before.output);
    Usage { input, cache_read, cache_write, output, ..Usage::default() }
}

/// OpenAI Chat Completions, and what other servers make of it.
pub fn chat(usage: Raw) -> Usage {
    let cached = number(usage, &["prompt_tokens_details", "cached_tokens"]);
    Usage {
        input: number(usage, &["prompt_tokens"]),
        // DeepSeek has a name of its own.
        cache_read: cached.max(number(usage, &["prompt_cache_hit_tokens"])),
        cache_write: number(usage, &["prompt_tokens_details", "cache_write_tokens"]),
        output: number(usage, &["completion_tokens"]),
        ..Usage::default()
    }
}

/// OpenAI Responses.
pub fn responses(usage: Raw) -> Usage {
    Usage {
        input: number(usage, &["input_tokens"]),
        cache_read: number(usage, &["input_tokens_details", "cached_tokens"]),
        cache_write: number(usage, &["input_tokens_details", "cache_write_tokens"]),
        output: number(usage, &["output_tokens"]),
        ..Usage::default()
    }
}

/// Gemini, whose thinking is counted apart from what it says.
pub fn gemini(usage: Raw) -> Usage {
    Usage {
        input: number(usage, &["promptTokenCount"]) + number(usage, &["toolUsePromptTokenCount"]),
        cache_read: number(usage, &["cachedContentTokenCount"]),
        output: number(usage, &["candidatesTokenCount"]) + number(usage, &["thoughtsTokenCount"]),
        ..Usage::default()
    }
}

/// The object under this key, where there is one.
pub fn reported<'a>(holder: Raw<'a>, key: &str) -> Option<Raw<'a>> {
    holder.get(key).filter(|usage| usage.kind() == Kind::Object)
}

/// A number under `keys`, or 0.
fn number(root: Raw, keys: &[&str]) -> u64 {
    root.at(keys).and_then(Raw::u64).unwrap_or(0)
}
