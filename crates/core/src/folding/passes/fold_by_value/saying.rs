//! What a sentence of the model does, as far as its words tell.

/// What a line that the model said does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Saying {
    /// It announces what the call beside it shows anyway: `Let me look at the test:`.
    Announces,
    /// It says why, what follows, what is wrong, how things are.
    Concludes,
    /// Anything else, and whatever is not in English.
    Tells,
}

/// How announcements begin.
const BEGINS: [&str; 22] = [
    "let me",
    "let's",
    "now ",
    "i'll ",
    "i will ",
    "i need to",
    "first,",
    "next,",
    "also let me",
    "here's",
    "good. now",
    "good. let me",
    "good, now",
    "good, let me",
    "great. now",
    "great! now",
    "perfect. now",
    "perfect! now",
    "ok, let me",
    "ok. let me",
    "okay, let me",
    "alright, let me",
];

/// What a conclusion has: a reason, a contrast, a denial, a duty, a state.
const HAS: [&str; 46] = [
    " because",
    " since ",
    "reason",
    "root cause",
    "caused",
    " so ",
    "means",
    "turns out",
    "actually",
    "however",
    " but ",
    "instead",
    "rather than",
    "unlike",
    "without",
    " only ",
    "decid",
    "confirmed",
    "won't",
    "can't",
    "cannot",
    "doesn't",
    "don't",
    "isn't",
    " not ",
    "never",
    "no longer",
    "always",
    " must ",
    "should",
    "needs",
    "required",
    "the issue",
    "the problem",
    "the bug",
    "fail",
    "wrong",
    "unrelated",
    "pre-existing",
    "fixed",
    "works",
    "green",
    "committed",
    "already",
    " still ",
    "currently",
];

/// Announcements are shorter than this, in bytes, or end with a colon.
const BRIEF: usize = 100;

impl Saying {
    pub(super) fn of(line: &str) -> Saying {
        let line = line.trim().trim_start_matches(['-', '*', '#', ' ']).to_ascii_lowercase();
        // Models write either apostrophe.
        let line = line.replace('\u{2019}', "'");
        let is_brief = line.len() < BRIEF || line.ends_with(':');
        if is_brief && BEGINS.iter().any(|begin| line.starts_with(begin)) {
            Saying::Announces
        } else if HAS.iter().any(|cue| line.contains(cue)) {
            Saying::Concludes
        } else {
            Saying::Tells
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_call_is_announced_before_it_is_made() {
        for line in ["Let me look at the test:", "Now I\u{2019}ll run the linter.", "- First, the types:"] {
            assert_eq!(Saying::of(line), Saying::Announces, "{line}");
        }
    }

    #[test]
    fn a_reason_is_a_conclusion_even_behind_an_announcement() {
        let long = "Let me keep the old reader as it is, because files written by version 2 have no header and would be refused.";
        for line in
            [long, "The lock is taken twice, so the second writer waits forever.", "It must stay a draft."]
        {
            assert_eq!(Saying::of(line), Saying::Concludes, "{line}");
        }
    }

    #[test]
    fn whatever_is_not_recognised_tells() {
        for line in ["Updated both readers.", "Ich sehe mir den Test an:", ""] {
            assert_eq!(Saying::of(line), Saying::Tells, "{line}");
        }
    }
}
