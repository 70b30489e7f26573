//! Who answers questions in these tests: a plain function.

use enfold::summary::{Finish, Question};

/// Who is asked for summaries.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Narrator {
    /// Nobody.
    Nobody,
    /// Somebody who answers well.
    Good,
    /// Somebody whose every second answer is rubbish, each time of another kind.
    Moody,
}

impl Narrator {
    /// The `nth` answer.
    pub fn answer(self, question: &Question, nth: usize) -> Option<(String, Finish)> {
        match self {
            Narrator::Nobody => None,
            Narrator::Moody if nth % 2 == 1 => Some(rubbish(question, nth / 2)),
            Narrator::Good | Narrator::Moody => Some((good(question), Finish::Stop)),
        }
    }
}

/// The sections that were asked for, with every file, and words that no other round has.
pub fn good(question: &Question) -> String {
    let mut out = String::new();
    for (nth, section) in question.template.sections.iter().filter(|section| section.required).enumerate() {
        out += &format!("## {}\n", section.heading);
        if nth == 0 {
            out += &format!("- {}\n", told_by(question));
            out += &question.files.iter().map(|file| format!("- {file}\n")).collect::<String>();
        } else {
            out += "- as asked\n";
        }
    }
    out
}

/// Words by which a narrative of this question is known again.
pub fn told_by(question: &Question) -> String {
    format!("round {}, {} messages", question.round, question.messages.len())
}

/// What must not be used.
fn rubbish(question: &Question, nth: usize) -> (String, Finish) {
    match nth % 6 {
        0 => (String::new(), Finish::Stop),
        1 => ("I'm sorry, I can't help with that.".into(), Finish::Stop),
        2 => (good(question), Finish::Length),
        3 => ("ha".repeat(500), Finish::Stop),
        4 => (good(question), Finish::ToolCall),
        _ => (format!("{}{}", good(question), "- and one more thing, number 1\n".repeat(400)), Finish::Stop),
    }
}
