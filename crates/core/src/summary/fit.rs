//! The messages of a transcript, as much as fits: results shrink first, then the oldest messages are reduced to one line,
//! then left out; the user's words go last, and the newest messages last of all.

use super::message::Told;
use crate::history::History;
use crate::item::MessageId;
use crate::tokens::Counter;

/// Characters that stay of each result and of each call's arguments: as much as fits of these.
const RESULTS: [usize; 3] = [500, 200, 80];

/// The newest messages that are reduced to a line like all others, but left out only after the user's words.
const NEWEST: usize = 6;

/// What a note about left out messages and the space between messages take, at most.
const NOTE: usize = 24;

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
    counter.count_up_to(before, room)?;
    let framed = |body: &str| {
        let text = format!("{before}{body}{after}");
        counter.count_up_to(&text, room).map(|_| text)
    };
    let mut blocks = Vec::new();
    for most in RESULTS {
        blocks = told.iter().map(|message| message.block(most)).collect();
        if let Some(text) = framed(&blocks.join("\n\n")) {
            return (!told.is_empty()).then_some(text);
        }
    }
    Reduction::of(&told, blocks, counter, room.saturating_sub(counter.count(before) + counter.count(after)))
        .first_that(framed)
}

/// Messages on their way from whole to gone.
struct Reduction<'t, 'h> {
    told: &'t [Told<'h>],
    blocks: Vec<String>,
    lines: Vec<String>,
    levels: Vec<Level>,
    /// What is reduced next, in order.
    steps: Vec<(usize, Level)>,
    /// What each step saves.
    saves: Vec<usize>,
    /// Tokens over the room as long as nothing is reduced.
    over: usize,
}

impl<'t, 'h> Reduction<'t, 'h> {
    fn of(
        told: &'t [Told<'h>],
        blocks: Vec<String>,
        counter: &dyn Counter,
        room: usize,
    ) -> Reduction<'t, 'h> {
        let lines: Vec<String> = told.iter().map(Told::line).collect();
        let count =
            |texts: &[String]| -> Vec<usize> { texts.iter().map(|text| counter.count(text)).collect() };
        let (whole, line) = (count(&blocks), count(&lines));
        let steps = steps(told);
        let saves = steps.iter().map(|(nth, level)| match level {
            Level::Block => 0,
            Level::Line => whole[*nth].saturating_sub(line[*nth]),
            // A note may stand beside each of the user's words until all of them go.
            Level::Gone => line[*nth].min(whole[*nth]) + if told[*nth].is_user { NOTE } else { 2 },
        });
        let notes = NOTE * (1 + told.iter().filter(|message| message.is_user).count());
        let tokens = whole.iter().sum::<usize>() + 2 * told.len() + notes;
        let levels = vec![Level::Block; told.len()];
        let saves = saves.collect();
        Reduction { told, blocks, lines, levels, steps, saves, over: tokens.saturating_sub(room) }
    }

    /// The first text on the way that is taken. What has to be saved is only estimated (the tokens of a whole are not the
    /// sum of its parts'), so if a text is refused after all, twice as much as before is saved in addition.
    fn first_that(mut self, take: impl Fn(&str) -> Option<String>) -> Option<String> {
        let (mut done, mut saved, mut wanted, mut more) = (0, 0, self.over, 32);
        loop {
            while saved < wanted && done < self.steps.len() {
                let (nth, level) = self.steps[done];
                self.levels[nth] = level;
                saved += self.saves[done];
                done += 1;
            }
            if self.levels.iter().all(|level| *level == Level::Gone) {
                return None;
            }
            if let Some(text) = take(&self.text()) {
                return Some(text);
            }
            if done == self.steps.len() {
                return None;
            }
            wanted = saved + more;
            more *= 2;
        }
    }

    fn text(&self) -> String {
        let mut out: Vec<String> = Vec::new();
        let mut at = 0;
        while at < self.told.len() {
            let gone = self.levels[at..].iter().take_while(|level| **level == Level::Gone).count();
            match (gone, self.levels[at]) {
                (0, Level::Block) => out.push(self.blocks[at].clone()),
                (0, _) => out.push(self.lines[at].clone()),
                (gone, _) => out.push(self.note(at, gone)),
            }
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

/// What is reduced to what, in order.
fn steps(told: &[Told]) -> Vec<(usize, Level)> {
    let newest = told.len().saturating_sub(NEWEST);
    let who = |is_user: bool| (0..told.len()).filter(move |nth| told[*nth].is_user == is_user);
    let to = |level: Level| move |nth: usize| (nth, level);
    let mut steps: Vec<(usize, Level)> = who(false).map(to(Level::Line)).collect();
    steps.extend(who(false).filter(|nth| *nth < newest).map(to(Level::Gone)));
    steps.extend(who(true).map(to(Level::Line)));
    steps.extend(who(true).map(to(Level::Gone)));
    steps.extend(who(false).filter(|nth| *nth >= newest).map(to(Level::Gone)));
    steps
}
