//! Sessions that another process goes on with: the same views, byte for byte.

use enfold::history::{MessageId, Role};
use enfold::session::Checkpoint;
use enfold::{Cache, Session};

use crate::laws::{limit_for, subjects};
use crate::narrator::Narrator;
use crate::shot::Shot;
use crate::sources;
use crate::support::folding::Prepared;
use crate::talk::{Setting, cache_at, push, send};

/// A session made again from its messages and its checkpoint, which went through a file.
fn again(whole: &Prepared, setting: Setting, session: &Session, at: MessageId) -> Option<Session> {
    let written = serde_json::to_string(&session.checkpoint()?).unwrap();
    let checkpoint: Checkpoint = serde_json::from_str(&written).unwrap();
    assert_eq!(Some(&checkpoint), session.checkpoint().as_ref());
    let mut twin = setting.session(whole);
    whole.history().messages()[..at.index()].iter().for_each(|message| push(&mut twin, message));
    twin.reopen(&checkpoint).unwrap();
    assert_eq!(twin.checkpoint(), Some(checkpoint));
    assert_eq!((twin.view(), twin.head()), (session.view(), session.head()));
    Some(twin)
}

/// Runs a session beside one that is thrown away and made again now and then. Returns how many requests were compared,
/// and how many of them opened an epoch.
fn compare(name: &str, whole: &Prepared, setting: Setting) -> (usize, usize) {
    let (mut session, mut twin) = (setting.session(whole), None::<Session>);
    let (mut asked, mut compared, mut epochs) = (0, 0, 0);
    for (at, message) in whole.history().message_ids().zip(whole.history().messages()) {
        if at > MessageId::FIRST && message.role == Role::Assistant {
            let cache = cache_at(at.index());
            let other = twin.as_mut().map(|twin| send(twin, cache, setting.narrator, &mut asked.clone()));
            let sent = send(&mut session, cache, setting.narrator, &mut asked);
            if let Some(other) = other {
                let shown = |sent: Option<(Shot, _)>| {
                    sent.map(|(shot, _)| (shot.head, shot.messages, shot.epoch, shot.opened, shot.summary))
                };
                let (one, two) = (shown(sent), shown(other));
                assert!(one == two, "{name} at message {at}:\n{one:#?}\n{two:#?}");
                compared += 1;
                epochs += usize::from(one.is_some_and(|(_, _, _, opened, _)| opened.is_some()));
            }
            // Not a multiple of anything in a session.
            if (at.index() * 7919) % 13 < 2 {
                twin = again(whole, setting, &session, at).or(twin);
            }
        }
        push(&mut session, message);
        twin.iter_mut().for_each(|twin| push(twin, message));
    }
    (compared, epochs)
}

fn compare_all(what: &str, sessions: impl Iterator<Item = (String, Prepared)>) -> (usize, usize) {
    let mut all = (0, 0);
    for (nth, (name, whole)) in sessions.enumerate() {
        let subject = &subjects()[nth % 3];
        let Some(limit) = limit_for(&whole, subject.policy) else { continue };
        for narrator in [Narrator::Nobody, Narrator::Moody] {
            let (compared, epochs) =
                compare(&name, &whole, Setting { policy: subject.policy, limit, narrator });
            all = (all.0 + compared, all.1 + epochs);
        }
    }
    eprintln!("{what}: {} requests of reopened sessions, {} of them opened an epoch", all.0, all.1);
    all
}

#[test]
fn example_sessions_go_on_elsewhere_with_the_same_views() {
    let (compared, epochs) = compare_all("example sessions", sources::committed().into_iter());
    assert!(compared > 50 && epochs > 10, "{compared} requests, {epochs} epochs");
}

#[test]
fn real_sessions_go_on_elsewhere_with_the_same_views() {
    compare_all("real sessions", sources::real("reopened sessions", 2));
}

#[test]
fn a_checkpoint_of_other_messages_is_refused() {
    let (_, whole) = sources::committed().into_iter().find(|(name, _)| name == "long.jsonl").unwrap();
    let setting = Setting { policy: subjects()[0].policy, limit: 12_000, narrator: Narrator::Nobody };
    let mut session = setting.session(&whole);
    whole.history().messages().iter().for_each(|message| push(&mut session, message));
    session.prepare(Cache::Warm).unwrap();
    let checkpoint = session.checkpoint().unwrap();
    let mut other = setting.session(&whole);
    assert!(other.reopen(&checkpoint).is_err(), "without messages");
    push(&mut other, &whole.history().messages()[0]);
    assert!(other.reopen(&checkpoint).is_err(), "with fewer messages");
    assert!(other.prepare(Cache::Warm).is_ok(), "it goes on as a new session does");
}

/// A session was once reopened by folding again, so that an update of a pass changed what had been sent.
#[test]
fn what_was_sent_stays_whatever_the_policy_would_do_today() {
    let (_, whole) = sources::committed().into_iter().find(|(name, _)| name == "long.jsonl").unwrap();
    let setting = Setting { policy: subjects()[0].policy, limit: 12_000, narrator: Narrator::Nobody };
    let mut session = setting.session(&whole);
    whole.history().messages().iter().for_each(|message| push(&mut session, message));
    let sent = session.prepare(Cache::Warm).unwrap();
    assert!(sent.opened.is_some());
    let policy = "name = \"later\"\nabout = \"\"\n[[pass]]\nuse = \"trim_age\"\nwhy = \"\"";
    let mut later = Setting { policy, ..setting }.session(&whole);
    whole.history().messages().iter().for_each(|message| push(&mut later, message));
    later.reopen(&session.checkpoint().unwrap()).unwrap();
    let again = later.prepare(Cache::Warm).unwrap();
    assert_eq!((again.messages, again.tokens, again.opened), (sent.messages, sent.tokens, None));
}
