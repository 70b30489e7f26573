//! The page that lists the rules is made from the catalogue.

use super::*;
use crate::validate::Checked;

#[test]
fn the_page_of_rules_says_what_the_catalogue_says() {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../docs/validation.md");
    let page = std::fs::read_to_string(path).unwrap_or_default();
    let wanted = page_of_rules();
    if std::env::var_os("ENFOLD_BLESS").is_some() {
        std::fs::write(path, wanted).unwrap();
        return;
    }
    assert!(
        page == wanted,
        "docs/validation.md is out of date; run the tests with ENFOLD_BLESS=1 to write it"
    );
}

#[test]
fn every_rule_has_a_number_of_its_own() {
    let numbers: Vec<&str> = WIRES.iter().flat_map(|wire| rules(wire)).map(|rule| rule.number).collect();
    let unique: std::collections::HashSet<_> = numbers.iter().collect();
    assert_eq!(numbers.len(), unique.len());
    assert_eq!(rules("no such wire"), []);
}

fn page_of_rules() -> String {
    let mut page = INTRODUCTION.to_string();
    for wire in WIRES {
        page += &format!(
            "\n## {wire}\n\n| rule | what it demands | checked | the refusal contains |\n|---|---|---|---|\n"
        );
        for rule in rules(wire) {
            let checked = match rule.checked {
                Checked::Offline => "here".to_string(),
                Checked::NeedsProvider(reason) => format!("by the provider: {reason}"),
            };
            page += &format!("| {} | {} | {checked} | {} |\n", rule.number, rule.title, code(rule.error));
        }
    }
    page
}

/// A code span around text that may hold backquotes itself.
fn code(text: &str) -> String {
    match text {
        // Not the provider's words but what it does.
        _ if text.starts_with('(') => text.to_string(),
        _ if text.contains('`') => format!("`` {text} ``"),
        _ => format!("`{text}`"),
    }
}

const INTRODUCTION: &str = "\
# Which requests a provider takes

`enfold validate` checks a request or a session against the rules of its wire format, without a network. Each finding
names the rule, the place in the provider's own spelling, what is wrong and what would mend it:

```
error A4 (message 5, messages.4.content.0): no `tool_use` with id `toolu_01` in the previous message; remove the result, or restore its call before it
```

| severity | meaning |
|---|---|
| error | the provider refuses this |
| warning | some servers or models refuse this, or it depends on a model that is not known |
| note | normal in a session that is under way (a call without its result at the very end), or worth knowing |

What depends on the rest of a request (its tools, its thinking mode, who speaks last) is only an error if the whole request is
there: an object with `model`, for Anthropic with `max_tokens` (or `anthropic_version`), for Gemini with `generationConfig` or the like. Messages alone
are a session: it may end with the assistant and need not carry its tools. The model's id decides where models differ.

A view is judged in its whole request, the fields around its messages included, and against the request it was made of. A fault counts
as the request's own only if it is the same rule, broken by the same message; what a provider remembers (thinking, signatures, stored
reasoning items) is compared: it is there as it was, or it has left with what depends on it.

Messages are counted from 1; fields are spelled as the provider spells them, from 0. The wording of refusals drifts: compare by substring.

This page is made from the catalogue in the code and compared with it by a test; `ENFOLD_BLESS=1` writes it anew.
";
