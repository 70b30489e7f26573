//! Other spellings of a model's id.

/// The spellings under which to look for `name` (lower case), most faithful first. At most a few dozen, each a
/// shorter or plainer form of an earlier one.
pub(super) fn aliases(name: &str) -> Vec<String> {
    let mut found: Vec<String> = Vec::new();
    let mut add = |alias: String| {
        if !alias.is_empty() && !found.contains(&alias) {
            found.push(alias);
        }
    };
    let bases = without_provider(name);
    for base in &bases {
        add(base.clone());
    }
    for base in &bases {
        for shorter in without_tail(base) {
            add(shorter);
        }
    }
    for base in &bases {
        add(plain(base));
    }
    found
}

/// The id with everything taken off that only names a version of the same model, and dashes for dots.
pub(super) fn plain(id: &str) -> String {
    let id = id.to_ascii_lowercase();
    let shortest = without_tail(&id).into_iter().last().unwrap_or(id);
    shortest.replace(['.', '_'], "-")
}

/// `ft:gpt-4o:org::x` → `gpt-4o`; `openrouter/openai/gpt-4o` → `openai/gpt-4o`, `gpt-4o`;
/// `us.anthropic.claude-…` → `claude-…`.
fn without_provider(name: &str) -> Vec<String> {
    const VENDORS: [&str; 12] = [
        "anthropic",
        "amazon",
        "meta",
        "mistral",
        "deepseek",
        "qwen",
        "openai",
        "cohere",
        "google",
        "moonshotai",
        "minimax",
        "zai",
    ];
    let name = name.strip_prefix("ft:").map_or(name, |tuned| tuned.split(':').next().unwrap_or(tuned));
    let mut forms = vec![name.to_string()];
    let mut rest = name;
    while let Some((_, tail)) = rest.split_once('/') {
        forms.push(tail.to_string());
        rest = tail;
    }
    for vendor in VENDORS {
        if let Some((head, tail)) = rest.split_once(&format!("{vendor}."))
            && (head.is_empty() || head.ends_with('.'))
        {
            forms.push(tail.to_string());
        }
    }
    forms
}

/// The id with one tail after the other taken off: `:free`, `@20250929`, `-v1:0`, `-20250929`, `-2024-08-06`,
/// `-preview-05-06`, `-001`, `-latest`. A single digit stays: it tells models apart.
fn without_tail(id: &str) -> Vec<String> {
    let mut forms = vec![id.to_string()];
    let mut rest = id.to_string();
    for mark in [':', '@'] {
        if let Some((head, _)) = rest.clone().split_once(mark) {
            forms.push(head.to_string());
            rest = head.to_string();
        }
    }
    let mut seen_date = false;
    while let Some((head, tail)) = rest.clone().rsplit_once('-') {
        let is_number = tail.bytes().all(|byte| byte.is_ascii_digit());
        let is_version = tail.strip_prefix('v').is_some_and(|digits| matches!(digits, "1" | "2" | "3"));
        let takes_off = match tail {
            "latest" | "preview" | "exp" | "default" => true,
            _ if is_version => true,
            _ if is_number && tail.len() >= 3 => true,
            // The parts of 2024-08-06 and of 05-06; `gpt-4-32` is no date.
            _ if is_number && tail.len() == 2 => {
                seen_date || head.rsplit('-').next().is_some_and(is_date_part)
            }
            _ => false,
        };
        if !takes_off {
            break;
        }
        seen_date = is_number && tail.len() == 2;
        forms.push(head.to_string());
        rest = head.to_string();
    }
    forms
}

fn is_date_part(part: &str) -> bool {
    part.len() == 2 && part.bytes().all(|byte| byte.is_ascii_digit())
}
