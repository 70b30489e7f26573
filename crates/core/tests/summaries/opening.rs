//! Sessions that another process goes on with: the same views, byte for byte.

use std::time::Duration;

use enfold::Session;
use enfold::history::Role;
use enfold::session::Opening;

use crate::laws::{limit_for, subjects};
use crate::narrator::Narrator;
use crate::shot::Shot;
use crate::sources;
use crate::support::folding::Prepared;
use crate::talk::{CACHE, Setting, push, send};

/// A session made again from its messages and how its epoch was opened, which went through a file.
fn again(whole: &Prepared, setting: Setting, session: &Session, at: usize, now: Duration) -> Option<Session> {
    let written = serde_json::to_string(session.opening()?).unwrap();
    let opening: Opening = serde_json::from_str(&written).unwrap();
    assert_eq!(Some(&opening), session.opening());
    let messages = &whole.history().messages()[..at];
    let mut twin = setting.session(whole);
    messages[..opening.messages].iter().for_each(|message| push(&mut twin, message));
    assert!(twin.reopen(&opening, session.epoch(), now));
    assert_eq!(twin.opening(), session.opening());
    messages[opening.messages..].iter().for_each(|message| push(&mut twin, message));
    Some(twin)
}

/// Runs a session beside one that is thrown away and made again now and then. Returns how many requests were compared,
/// and how many of them opened an epoch.
fn compare(name: &str, whole: &Prepared, setting: Setting) -> (usize, usize) {
    let (mut session, mut twin) = (setting.session(whole), None::<Session>);
    let (mut now, mut asked, mut compared, mut epochs) = (Duration::ZERO, 0, 0, 0);
    for (at, message) in whole.history().messages().iter().enumerate() {
        if at > 0 && message.role == Role::Assistant {
            now += if at % 29 == 28 { CACHE * 2 } else { Duration::from_secs(1) };
            let other = twin.as_mut().map(|twin| send(twin, now, setting.narrator, &mut asked.clone()));
            let sent = send(&mut session, now, setting.narrator, &mut asked);
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
            if (at * 7919) % 13 < 2 {
                twin = again(whole, setting, &session, at, now).or(twin);
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
fn an_opening_of_other_messages_is_refused() {
    let (_, whole) = sources::committed().into_iter().find(|(name, _)| name == "long.jsonl").unwrap();
    let setting = Setting { policy: subjects()[0].policy, limit: 12_000, narrator: Narrator::Nobody };
    let mut session = setting.session(&whole);
    whole.history().messages().iter().for_each(|message| push(&mut session, message));
    session.prepare(Duration::ZERO, CACHE).unwrap();
    let opening = session.opening().unwrap().clone();
    let mut other = setting.session(&whole);
    assert!(!other.reopen(&opening, 1, Duration::ZERO), "without messages");
    push(&mut other, &whole.history().messages()[0]);
    assert!(!other.reopen(&opening, 1, Duration::ZERO), "with fewer messages");
    assert!(other.prepare(Duration::ZERO, CACHE).is_ok(), "it goes on as a new session does");
}
