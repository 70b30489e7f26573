//! What the user stated beside the task: conditions, and the names and numbers they used.

use std::sync::LazyLock;

use regex::Regex;
use serde::Serialize;

use crate::text::names::{self, NameKind};

/// Conditions and names the user stated.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Stated {
    /// Sentences that set conditions, word for word, oldest first.
    pub conditions: Vec<String>,
    /// Paths, identifiers and numbers, those used last first.
    pub names: Vec<String>,
}

static CONDITION: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"\b(?i-u:must|never|always|don't|do not|dont|only|make sure|ensure|prefer|rather than|instead of|should not|shouldn't|should|no longer|without|avoid|keep|leave|at most|at least|not allowed|required|stop|please use|use the)\b";
    Regex::new(words).expect("a constant pattern compiles")
});

/// Longer ones are no conditions but documents.
const LONGEST: usize = 400;

/// More than this nobody states; it is what they pasted.
const MOST: usize = 200;

impl Stated {
    /// What these texts of the user state.
    pub(super) fn of<'a>(texts: impl DoubleEndedIterator<Item = &'a str> + Clone) -> Stated {
        let mut conditions: Vec<String> = Vec::new();
        for sentence in texts.clone().flat_map(sentences) {
            // A row of a table or of somebody's help is pasted.
            let is_said = !sentence.starts_with('|') && !sentence.contains("  ");
            let is_one = is_said && sentence.len() <= LONGEST && sets_condition(sentence);
            if is_one && conditions.len() < MOST && !conditions.iter().any(|known| known == sentence) {
                conditions.push(sentence.to_string());
            }
        }
        let mut used: Vec<String> = Vec::new();
        let mut known = std::collections::HashSet::new();
        for line in texts.rev().flat_map(prose) {
            names::names(line, |name| {
                let tells = names::kind(name) != NameKind::Path || name.len() <= LONGEST;
                if tells && used.len() < MOST && known.insert(name.to_string()) {
                    used.push(name.to_string());
                }
            });
        }
        Stated { conditions, names: used }
    }
}

/// Whether a sentence sets a condition. A question asks, unless it is a request with a condition in it.
fn sets_condition(sentence: &str) -> bool {
    if sentence.ends_with('?') {
        return REQUEST.is_match(sentence);
    }
    CONDITION.find_iter(sentence).any(|word| commands(&sentence[..word.start()], word.as_str()))
}

static REQUEST: LazyLock<Regex> = LazyLock::new(|| {
    let words = r"^(?i-u:(?:can|could|would|will) you)\b.*\b(?i-u:without|instead of|rather than)\b";
    Regex::new(words).expect("a constant pattern compiles")
});

/// Words behind which a word of command only tells how things are: `I don't know`, `this is only supported`.
const TELLING: [&str; 23] = [
    "i", "you", "they", "he", "she", "it", "who", "which", "is", "are", "was", "were", "it's", "that's",
    "there's", "i've", "i'll", "would", "could", "might", "have", "has", "been",
];

/// Words that command only where nobody does what they say.
const TOLD: [&str; 12] = [
    "don't", "do not", "dont", "never", "always", "only", "keep", "leave", "avoid", "stop", "prefer",
    "required",
];

fn commands(before: &str, word: &str) -> bool {
    let word = word.to_ascii_lowercase();
    let last = before.split_whitespace().next_back().unwrap_or_default().to_ascii_lowercase();
    // The end of a clause is the end of its subject.
    let tells = TOLD.contains(&&*word) && TELLING.contains(&&*last.replace('’', "'"));
    let helps = last == "to" && before.trim_end().to_ascii_lowercase().ends_with("help to");
    !tells && !helps
}

/// The lines outside code fences.
fn prose(text: &str) -> impl Iterator<Item = &str> {
    let mut fenced = false;
    text.lines().filter(move |line| {
        let is_fence = line.trim_start().starts_with("```");
        fenced ^= is_fence;
        !fenced && !is_fence
    })
}

/// Marks around reports that a task quotes.
const REPORTS: [(&str, &str); 2] =
    [("<issue_description>", "</issue_description>"), ("<pr_description>", "</pr_description>")];

/// Sentences end with their line or with `. `, `! `, `? `, `; `.
fn sentences(text: &str) -> impl Iterator<Item = &str> {
    let cut = |line| {
        let mut rest: &str = line;
        std::iter::from_fn(move || {
            if rest.trim().is_empty() {
                return None;
            }
            let end = rest.find(['.', '!', '?', ';']).and_then(|_| {
                let ends = rest.char_indices().zip(rest.chars().skip(1));
                ends.into_iter()
                    .find(|((_, mark), next)| matches!(mark, '.' | '!' | '?' | ';') && *next == ' ')
                    .map(|((at, mark), _)| at + mark.len_utf8())
            });
            let (sentence, more) = rest.split_at(end.unwrap_or(rest.len()));
            rest = more;
            Some(sentence.trim().trim_start_matches(['-', '*', '•']).trim_start())
        })
    };
    let mut quoted = false;
    let own = prose(text).filter(move |line| {
        // What is wrong with a project is told by its users; what to do about it stands around their report.
        quoted |= REPORTS.iter().any(|(open, _)| line.contains(open));
        let is_own = !quoted;
        quoted &= !REPORTS.iter().any(|(_, close)| line.contains(close));
        is_own
    });
    own.flat_map(cut).filter(|sentence| !sentence.is_empty())
}
