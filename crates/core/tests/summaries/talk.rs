//! A session under way: messages go in one by one, requests go out, questions are answered.

use enfold::folding::policy::Policy;
use enfold::history::{Message, MessageId, Role, Slot};
use enfold::session::Unasked;
use enfold::summary::Question;
use enfold::view::fold::HandleKey;
use enfold::{Cache, Session};

use crate::narrator::Narrator;
use crate::shot::Shot;
use crate::support::folding::Prepared;

/// Now and then the provider has forgotten everything.
pub fn cache_at(message: usize) -> Cache {
    if message % 29 == 28 { Cache::Cold } else { Cache::Warm }
}

/// How a session is run.
#[derive(Clone, Copy, Debug)]
pub struct Setting<'a> {
    /// A policy in TOML.
    pub policy: &'a str,
    pub limit: usize,
    pub narrator: Narrator,
}

impl Setting<'_> {
    pub fn session(&self, whole: &Prepared) -> Session {
        let policy = Policy::parse(self.policy).unwrap();
        let session = Session::new(whole.document.wire, policy, self.limit)
            .with_handles(HandleKey::new(b"secret", "session"));
        if self.narrator == Narrator::Nobody { session } else { session.asking() }
    }
}

/// What became of a question.
#[derive(Clone, Debug)]
pub enum Told {
    Accepted(Question),
    Refused,
}

/// A request that was sent, and what was asked for it.
pub struct Request {
    /// Messages of the history before it.
    pub at: MessageId,
    pub shot: Shot,
    pub told: Option<Told>,
}

/// Runs a session: calls `look` with each request. Returns it, and how many requests could not be made to fit.
pub fn run(whole: &Prepared, setting: Setting, mut look: impl FnMut(&Session, Request)) -> (Session, usize) {
    let mut session = setting.session(whole);
    let (mut asked, mut refused) = (0, 0);
    for (at, message) in whole.history().message_ids().zip(whole.history().messages()) {
        if at > MessageId::FIRST && message.role == Role::Assistant {
            match send(&mut session, cache_at(at.index()), setting.narrator, &mut asked) {
                Some((shot, told)) => look(&session, Request { at, shot, told }),
                None => refused += 1,
            }
        }
        push(&mut session, message);
    }
    (session, refused)
}

pub fn push(session: &mut Session, message: &Message) {
    match message.slot {
        Slot::List => session.push(message.raw.clone()).unwrap(),
        Slot::Head => session.push_head(message.raw.clone()).unwrap(),
    };
}

/// One request: prepared, and if there is a question, answered and prepared again.
pub fn send(
    session: &mut Session,
    cache: Cache,
    narrator: Narrator,
    asked: &mut usize,
) -> Option<(Shot, Option<Told>)> {
    let shot = Shot::of(session.prepare(cache).ok()?);
    let Some(question) = &shot.question else { return Some((shot, None)) };
    let (text, ending) = narrator.answer(question, *asked).unwrap();
    *asked += 1;
    match session.answer(&question.key, &text, &ending) {
        Ok(()) => {
            let better = Shot::of(session.prepare(cache).unwrap());
            assert_eq!(better.question, None, "an answered question is not asked again");
            assert_eq!(better.epoch, shot.epoch, "the answer makes the same epoch better");
            assert_eq!(better.opened, shot.opened);
            Some((better, Some(Told::Accepted(question.clone()))))
        }
        Err(Unasked::Rejected(_)) => {
            session.give_up(&question.key);
            Some((shot, Some(Told::Refused)))
        }
        Err(other) => panic!("the question was just asked: {other}"),
    }
}
