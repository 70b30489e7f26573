//! The messages of a transcript, as much as fits: results shrink first, then the oldest messages are reduced to one line,
//! then left out; the user's words go last, and the newest messages last of all.

use std::borrow::Cow;

use super::message::Told;
use crate::count::Counter;
use crate::history::History;
use crate::history::MessageId;

/// Characters that stay of each result and of each call's arguments: as much as fits of these.
const RESULTS: [usize; 3] = [500, 200, 80];

/// The newest messages that are reduced to a line like all others, but left out only after the user's words.
const NEWEST: usize = 6;

/// How much of a message stands.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Level {
    Block,
    Line,
    Gone,
}

/// `before`, the messages, `after`, in at most `room` tokens. `None` if not one message fits.
pub(super) fn fit(
    history: &History,
    messages: &[MessageId],
    before: &str,
    after: &str,
    counter: &dyn Counter,
    room: usize,
) -> Option<String> {
    let told: Vec<Told> = messages.iter().filter_map(|id| Told::of(history, *id)).collect();
    if told.is_empty() {
        return None;
    }
    let framed = |body: &str| {
        let text = format!("{before}{body}{after}");
        counter.count_up_to(&text, room).map(|_| text)
    };
    let mut blocks = Vec::new();
    for most in RESULTS {
        blocks = told.iter().map(|message| message.block(most)).collect();
        if let Some(text) = framed(&blocks.join("\n\n")) {
            return Some(text);
        }
    }
    let lines = told.iter().map(Told::line).collect();
    Reduction { told: &told, blocks, lines, steps: steps(&told) }.first_that(framed)
}

/// Messages on their way from whole to gone.
struct Reduction<'t, 'h> {
    told: &'t [Told<'h>],
    blocks: Vec<String>,
    lines: Vec<String>,
    /// What is reduced next, in order.
    steps: Vec<(usize, Level)>,
}

impl Reduction<'_, '_> {
    /// The first text on the way that is taken, found by halving: each step makes the text smaller, or a note longer by
    /// a few characters, which is as good.
    fn first_that(&self, take: impl Fn(&str) -> Option<String>) -> Option<String> {
        let mut found = take(&self.text(self.steps.len()))?;
        let (mut refused, mut taken) = (0, self.steps.len());
        while taken - refused > 1 {
            let middle = refused.midpoint(taken);
            match take(&self.text(middle)) {
                Some(text) => (found, taken) = (text, middle),
                None => refused = middle,
            }
        }
        Some(found)
    }

    /// The text after so many steps.
    fn text(&self, steps: usize) -> String {
        let mut levels = vec![Level::Block; self.told.len()];
        for (nth, level) in &self.steps[..steps] {
            levels[*nth] = *level;
        }
        let mut out: Vec<Cow<str>> = Vec::new();
        let mut at = 0;
        while at < levels.len() {
            let gone = levels[at..].iter().take_while(|level| **level == Level::Gone).count();
            out.push(match (gone, levels[at]) {
                (0, Level::Block) => self.blocks[at].as_str().into(),
                (0, _) => self.lines[at].as_str().into(),
                (gone, _) => self.note(at, gone).into(),
            });
            at += gone.max(1);
        }
        out.join("\n\n")
    }

    fn note(&self, from: usize, count: usize) -> String {
        let (first, last) = (self.told[from].number(), self.told[from + count - 1].number());
        match count {
            1 => format!("[{first}: left out]"),
            _ => format!("[{first}–{last}: {count} messages left out]"),
        }
    }
}

/// What is reduced to what, in order. The last message stays: a transcript of nothing is no question.
fn steps(told: &[Told]) -> Vec<(usize, Level)> {
    let newest = told.len().saturating_sub(NEWEST);
    let who = |is_user: bool| (0..told.len()).filter(move |nth| told[*nth].is_user == is_user);
    let to = |level: Level| move |nth: usize| (nth, level);
    let mut steps: Vec<(usize, Level)> = who(false).map(to(Level::Line)).collect();
    steps.extend(who(false).filter(|nth| *nth < newest).map(to(Level::Gone)));
    steps.extend(who(true).map(to(Level::Line)));
    steps.extend(who(true).map(to(Level::Gone)));
    steps.extend(who(false).filter(|nth| *nth >= newest).map(to(Level::Gone)));
    steps.pop();
    steps
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::count::Heuristic;
    use crate::file::notation::parse;

    fn history() -> History {
        let step = |nth: usize| {
            let many = "many words of a file ".repeat(40);
            format!(
                "assistant: I look at file {nth} in order to see what it holds.\n  call c{nth} read \
                 {{\"path\":\"{nth}.rs\"}}\nresult c{nth}: {many}\n"
            )
        };
        let steps = |from: usize, to: usize| (from..to).map(step).collect::<String>();
        let text = format!(
            "{}user: Never change {}.\n{}",
            steps(0, 6),
            "the file of limits ".repeat(30),
            steps(6, 12)
        );
        parse(&text).unwrap()
    }

    fn fitted(room: usize) -> Option<String> {
        let history = history();
        let all: Vec<MessageId> = history.message_ids().collect();
        fit(&history, &all, "<<\n", "\n>>", &Heuristic, room)
    }

    #[test]
    fn what_stands_shrinks_step_by_step_and_fits_exactly() {
        let mut sizes = Vec::new();
        for room in 0..2_500 {
            let Some(text) = fitted(room) else {
                assert!(sizes.is_empty(), "less room had been enough: {room}");
                continue;
            };
            assert!(Heuristic.count(&text) <= room, "{room}");
            assert!(text.starts_with("<<\n") && text.ends_with("\n>>"), "{text}");
            sizes.push(text.len());
        }
        assert!(sizes.len() > 2_400, "a line fits into little room: {}", sizes.len());
    }

    #[test]
    fn results_shrink_first() {
        let (whole, less) = (fitted(2_500).unwrap(), fitted(1_500).unwrap());
        assert!(whole.len() > less.len());
        assert!(!less.contains("left out]\n") && less.contains("[1] ASSISTANT:\n"), "{less}");
    }

    #[test]
    fn then_the_oldest_become_lines_then_they_go_and_the_users_words_stay() {
        insta::assert_snapshot!(fitted(420).unwrap(), @r#"
        <<
        [1–12: 12 messages left out]

        [13] USER:
        Never change the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits the file of limits .

        [14–17: 4 messages left out]

        [18] ASSISTANT: I look at file 8 in order to see what it holds. call read: {"path":"8.rs"}

        [19] TOOL: result of read: many words of a file many words of a file many words of a file many words of a file many words of a file…

        [20] ASSISTANT: I look at file 9 in order to see what it holds. call read: {"path":"9.rs"}

        [21] TOOL: result of read: many words of a file many words of a file many words of a file many words of a file many words of a file…

        [22] ASSISTANT: I look at file 10 in order to see what it holds. call read: {"path":"10.rs"}

        [23] TOOL: result of read: many words of a file many words of a file many words of a file many words of a file many words of a file…

        [24] ASSISTANT: I look at file 11 in order to see what it holds. call read: {"path":"11.rs"}

        [25] TOOL: result of read: many words of a file many words of a file many words of a file many words of a file many words of a file…
        >>
        "#);
    }

    #[test]
    fn in_the_end_the_newest_alone_is_left() {
        insta::assert_snapshot!(fitted(60).unwrap(), @r#"
        <<
        [1–24: 24 messages left out]

        [25] TOOL: result of read: many words of a file many words of a file many words of a file many words of a file many words of a file…
        >>
        "#);
        assert_eq!(fitted(10), None);
    }
}
