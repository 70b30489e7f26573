//! What a person typed, and what must stay of it.
//!
//! All of it stays word for word, as long as it takes no more than a share of the budget: a session's worth of requests,
//! corrections and refusals is a few hundred tokens, and nothing else says what is wanted. A paste is no typing: it is folded
//! by lines. What exceeds the share yields, oldest first, to its first sentence; where even these are too many, the oldest are
//! folded like any other text. Where an answer is as short as "yes, the second", the question it answers stays with it, and so
//! does what the newest of all refers to, be it longer. What was sent again and again in the same words stays once, the newest.

use std::collections::{BTreeMap, BTreeSet, HashSet};

use crate::count::Tally;
use crate::count::budget::Share;
use crate::folding::passes::Cx;
use crate::history::{History, ItemId, ItemKind, MessageId, Role};

/// Texts above this many tokens are pasted, not typed.
pub(crate) const PASTE: usize = 400;

/// Share of the budget that what a person typed may take.
const SHARE: Share = Share::percent(25);

/// Tokens of the message around a text.
const AROUND: usize = 4;

/// Share of the budget that the beginnings of what exceeds it may take. A session of nothing but talk would otherwise fill
/// its view with them, and open an epoch with every message.
const BEGINNINGS: Share = Share::percent(10);

/// Tokens that a beginning takes at most: a sentence, or the ends of a paste.
const BEGINNING: usize = 120;

/// Share of what other things that must stay leave, where that is less.
const BESIDE: Share = Share::percent(60);

/// Answers up to this many characters say nothing without what they answer: `do it`, `that's quite close`. In a small budget
/// only the shortest, one character for so many tokens.
const SHORT: usize = 40;
const TOKENS_PER_CHARACTER: usize = 400;

/// What they answer stays whole up to a share of the budget, and so many tokens; of longer texts the end, half as much.
const QUESTION: Share = Share::percent(2);
const LONGEST_QUESTION: usize = 300;

/// The same for the newest of what a person typed, with all of that for the end: "if so, do it" is the work at hand.
const NEWEST_QUESTION: Share = Share::percent(3);
const LONGEST_NEWEST_QUESTION: usize = 600;

/// Characters from which on the same words again say nothing new: nobody types them twice.
const RECURRING: usize = 200;

/// Tokens of what a short answer answers that stay.
fn question(limit: usize) -> usize {
    QUESTION.of(limit).min(LONGEST_QUESTION)
}

fn newest_question(limit: usize) -> usize {
    NEWEST_QUESTION.of(limit).min(LONGEST_NEWEST_QUESTION)
}

/// Which texts stay word for word because a person typed them.
#[derive(Clone, Debug, Default)]
pub struct Words {
    kept: BTreeSet<ItemId>,
    /// Texts of the model whose end an answer answers, and the tokens of that end.
    questions: BTreeMap<ItemId, usize>,
    /// Texts of a person that stay in part only: pastes, and what exceeds the share.
    parts: BTreeSet<ItemId>,
}

/// Nobody typed anything.
pub(crate) static NO_WORDS: Words =
    Words { kept: BTreeSet::new(), questions: BTreeMap::new(), parts: BTreeSet::new() };

impl Words {
    /// What stays of what was never sent, where `given` tokens of the limit are taken already. O(those texts).
    pub fn of(history: &History, tally: &Tally, cx: &Cx, given: usize) -> Words {
        let mut room = SHARE.of(cx.limit).min(BESIDE.of(cx.limit.saturating_sub(given)));
        let is_new = |item: &&ItemId| history.item(**item).message >= cx.first_unsent;
        let (said, notices) = (cx.facts.words().iter().rev(), cx.facts.notices().iter().rev());
        let mut beginnings = BEGINNINGS.of(cx.limit);
        let mut words = Words::default();
        let mut questions = Vec::new();
        let mut recurring = HashSet::new();
        // Notices in plain words come last: they may be somebody's after all.
        for item in said.take_while(is_new).chain(notices.take_while(is_new)) {
            let text = history.item(*item).text();
            if text.len() > RECURRING && !recurring.insert(text) {
                continue;
            }
            let tokens = tally.item(*item) + AROUND;
            if tally.item(*item) > PASTE || tokens > room {
                if let Some(left) = beginnings.checked_sub(tokens.min(BEGINNING)) {
                    beginnings = left;
                    words.parts.insert(*item);
                }
                continue;
            }
            room -= tokens;
            words.kept.insert(*item);
            let is_newest = cx.facts.words().last() == Some(item);
            if is_newest || is_short(history, *item, cx.limit) {
                questions.extend(question_of(history, *item).map(|said| (said, is_newest)));
            }
        }
        // What the model said yields to what the person did.
        questions.dedup_by_key(|(said, _)| *said);
        for (said, is_newest) in questions {
            let tokens = tally.item(said);
            let (most, end) = match is_newest {
                true => (newest_question(cx.limit), newest_question(cx.limit)),
                false => (question(cx.limit), question(cx.limit) / 2),
            };
            if tokens <= most.min(room) {
                room -= tokens;
                words.kept.insert(said);
            } else if let Some(left) = room.checked_sub(end) {
                room = left;
                words.questions.insert(said, end);
            }
        }
        words
    }

    /// Every text of which something stays.
    pub(crate) fn items(&self) -> impl Iterator<Item = ItemId> + '_ {
        self.kept.iter().chain(self.questions.keys()).chain(&self.parts).copied()
    }

    /// Whether a text stays word for word.
    pub fn keeps(&self, item: ItemId) -> bool {
        self.kept.contains(&item)
    }

    /// Tokens at the end of a text that an answer answers.
    pub(crate) fn question_end(&self, item: ItemId) -> Option<usize> {
        self.questions.get(&item).copied()
    }

    /// Whether a person typed or pasted it and it is too much to stay whole.
    pub(crate) fn keeps_part(&self, item: ItemId) -> bool {
        self.parts.contains(&item)
    }

    /// Whether something of a message stays word for word.
    pub(crate) fn hold(&self, history: &History, message: MessageId) -> bool {
        let items = history.message(message).items.clone();
        self.kept.range(items).next().is_some()
    }
}

/// Whether an answer says nothing without what it answers.
fn is_short(history: &History, answer: ItemId, limit: usize) -> bool {
    let short = SHORT.min(limit / TOKENS_PER_CHARACTER);
    history.item(answer).text().trim().chars().nth(short).is_none()
}

/// What the model said last before an answer.
fn question_of(history: &History, answer: ItemId) -> Option<ItemId> {
    let before = MessageId::each(MessageId::FIRST..history.item(answer).message).rev();
    let speaks = |id: &MessageId| history.message(*id).role == Role::Assistant;
    let mut said = before.take_while(speaks).flat_map(|id| history.message(id).item_ids().rev());
    let last = said.find(|item| history.item(*item).kind == ItemKind::Text)?;
    let text = history.item(last).text();
    // `Yes.` explains no `go on`.
    (text.contains('?') || text.trim().chars().nth(SHORT).is_some()).then_some(last)
}

#[cfg(test)]
mod tests {
    use std::sync::Arc;

    use super::*;
    use crate::count::Encoding;
    use crate::file::notation;
    use crate::understand::facts::Facts;
    use crate::view::fold::HandleKey;
    use crate::wire::Neutral;

    /// Per item of a history, by its text, whether it stays word for word in a budget of 8,000 tokens.
    fn kept(history: &str) -> Vec<(String, bool)> {
        let history = notation::parse(history).unwrap();
        let tally = Tally::of(&history, Arc::new(Encoding::O200k), Default::default());
        let (facts, handles) = (Facts::of(&history), HandleKey::new(b"secret", "session"));
        let words = Words::of(&history, &tally, &Cx::new(8_000, &facts, &handles, &Neutral), 0);
        let text = |id: ItemId| history.item(id).text().into_owned();
        history.item_ids().map(|id| (text(id), words.keeps(id))).collect()
    }

    /// The five points that "if so, do it" spoke of once were `[27 lines]`.
    #[test]
    fn what_the_newest_request_refers_to_stays() {
        let plan = "First the parser moves to its own file, then the tests follow it.";
        let asks = "are we all committed? if so, do it, if not commit first and say when it is done";
        let newest = kept(&format!("user: Tidy up.\nassistant: {plan}\nuser: {asks}\n"));
        assert!(newest.contains(&(plan.into(), true)), "{newest:?}");
        let older = kept(&format!(
            "user: Tidy up.\nassistant: {plan}\nuser: {asks}\nassistant: Done.\nuser: Thanks.\n"
        ));
        assert!(older.contains(&(plan.into(), false)), "a long answer speaks for itself: {older:?}");
    }

    /// A harness's reprimand in the user's name once stood five times.
    #[test]
    fn what_was_sent_again_and_again_stays_once() {
        let again = "Answer with one action and nothing else. ".repeat(8);
        let round = format!("user: {again}\nassistant: I see.\n");
        let all = kept(&format!(
            "user: Tidy up.\nassistant: Yes.\n{}user: go on\nassistant: Yes.\nuser: go on\n",
            round.repeat(3)
        ));
        let stays = |text: &str| -> Vec<bool> {
            all.iter().filter(|(it, _)| it.trim() == text.trim()).map(|(_, kept)| *kept).collect()
        };
        assert_eq!(stays(&again), [false, false, true], "the newest");
        assert_eq!(stays("go on"), [true, true], "what is short may be said twice");
    }
}
