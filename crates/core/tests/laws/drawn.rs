//! The promises over sessions drawn at random, in every format.

use enfold::file;
use enfold::file::NOTATION;
use enfold::file::document::Frame;
use enfold::file::notation;
use enfold::folding::passes::Cache;
use enfold::history::MessageId;
use enfold::wire::WIRES;
use proptest::prelude::*;
use proptest::test_runner::TestRunner;

use crate::support::folding::{Asked, Folding, Prepared, Subject};
use crate::support::generate::{Session, Wildness, session};
use crate::support::promises;
use crate::support::render::framed;
use crate::support::work::work;

/// A session, how it is spelled, and what is asked for.
#[derive(Clone, Debug)]
pub(crate) struct Drawn {
    session: Session,
    /// A wire format; beyond them Enfold's notation.
    format: usize,
    seed: u64,
    /// Percent of its tokens that there is room for.
    room: usize,
    /// Percent of the room to aim for.
    aim: usize,
    warm: bool,
    blobs: bool,
    /// Percent of its messages that were sent before.
    sent: usize,
}

pub(crate) fn drawn() -> impl Strategy<Value = Drawn> {
    let session = prop_oneof![
        4 => work(Wildness::Valid),
        2 => work(Wildness::Broken),
        1 => session(Wildness::Valid),
        1 => session(Wildness::Broken),
    ];
    let sent = prop_oneof![2 => Just(0usize), 1 => 0usize..100];
    let aim = prop_oneof![2 => Just(100usize), 1 => 50usize..100];
    let switches = (any::<bool>(), any::<bool>());
    (session, 0..=WIRES.len(), any::<u64>(), 1usize..115, aim, switches, sent).prop_map(
        |(session, format, seed, room, aim, (warm, blobs), sent)| Drawn {
            session,
            format,
            seed,
            room,
            aim,
            warm,
            blobs,
            sent,
        },
    )
}

impl Drawn {
    /// `None` if it says nothing at all in its format.
    pub(crate) fn prepared(&self) -> Option<Prepared> {
        let frame = [Frame::Request, Frame::Array, Frame::Lines][(self.seed % 3) as usize];
        let has_extras = self.seed.is_multiple_of(2);
        let document = match WIRES.get(self.format) {
            Some(wire) => {
                let text = framed(&self.session, wire.name(), frame, self.seed, has_extras);
                file::read_bytes_as(wire.name(), text.into_bytes()).ok()?
            }
            None => {
                let text = framed(&self.session, "openai-chat", Frame::Array, self.seed, has_extras);
                let chat = file::read_bytes_as("openai-chat", text.into_bytes()).ok()?;
                let summary = "user\n  summary: What went before.\n  | Two files were read.\n";
                let text = notation::print(&chat.history) + summary;
                file::read_bytes_as(NOTATION, text.into_bytes()).unwrap()
            }
        };
        let prepared = Prepared::read(document);
        (!prepared.history().messages().is_empty()).then_some(prepared)
    }

    pub(crate) fn asked(&self, session: &Prepared) -> Asked {
        let limit = session.tally.total() * self.room / 100;
        Asked {
            limit,
            target: limit * self.aim / 100,
            cache: if self.warm { Cache::Warm } else { Cache::Cold },
            fresh: MessageId::new(session.history().messages().len() * self.sent / 100),
            blobs: self.blobs.then_some("blobs"),
        }
    }

    pub(crate) fn name(&self) -> String {
        format!("a drawn session in {}", WIRES.get(self.format).map_or(NOTATION, |wire| wire.name()))
    }
}

/// A few dozen cases; `PROPTEST_CASES` asks for more.
pub(crate) fn runner() -> TestRunner {
    let default = ProptestConfig::default();
    let cases = (default.cases / 8).max(1);
    TestRunner::new(ProptestConfig { cases, max_shrink_iters: 4_096, failure_persistence: None, ..default })
}

#[track_caller]
fn always(promise: fn(&Folding)) {
    let subjects = Subject::all();
    let held = runner().run(&drawn(), |drawn| {
        let Some(session) = drawn.prepared() else { return Ok(()) };
        for subject in &subjects {
            let facts = session.facts(&subject.policy);
            promise(&Folding::of(&session, subject, &facts, drawn.asked(&session), &drawn.name()));
        }
        Ok(())
    });
    if let Err(broken) = held {
        panic!("{broken}");
    }
}

#[test]
fn the_same_input_gives_the_same_bytes() {
    always(promises::the_same_input_gives_the_same_bytes);
}

#[test]
fn each_fold_saves() {
    always(promises::each_fold_saves);
}

#[test]
fn pairs_stay_whole() {
    always(promises::pairs_stay_whole);
}

#[test]
fn what_is_protected_stays_as_it_is() {
    always(promises::what_is_protected_stays_as_it_is);
}

#[test]
fn the_users_words_stay() {
    always(promises::the_users_words_stay);
}

#[test]
fn calls_stay_as_they_were_written() {
    always(promises::calls_stay_as_they_were_written);
}

#[test]
fn what_was_sent_stays_as_it_is() {
    always(promises::what_was_sent_stays_as_it_is);
}

#[test]
fn everything_hidden_is_recalled() {
    always(promises::everything_hidden_is_recalled);
}

#[test]
fn every_handle_opens_from_the_history_alone() {
    always(promises::every_handle_opens_from_the_history_alone);
}

#[test]
fn the_provider_takes_it() {
    always(promises::the_provider_takes_it);
}

#[test]
fn it_fits_and_is_counted_on_the_result() {
    always(promises::it_fits_and_is_counted_on_the_result);
}

#[test]
fn folding_again_changes_nothing() {
    always(promises::folding_again_changes_nothing);
}

#[test]
fn what_no_fold_touches_leaves_as_it_came() {
    always(promises::what_no_fold_touches_leaves_as_it_came);
}
