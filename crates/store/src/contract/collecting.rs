//! Retention: old sessions leave, and what is in use stays whole.

use std::time::Duration;

use super::{at, chat, raws, said};
use crate::{Acquired, Entry, Limits, Report, Store};

list_rules![
    without_limits_nothing_leaves,
    sessions_idle_for_too_long_leave,
    the_oldest_leave_until_the_rest_fits,
    a_session_in_use_stays,
    a_dry_run_tells_the_same_and_changes_nothing,
];

const DAY: u64 = 86_400;

/// Ten sessions, a day apart, with texts of their own and texts they share.
fn ten(store: &impl Store) -> Vec<Vec<String>> {
    (0..10u64)
        .map(|day| {
            let id = day.to_string();
            let own = (0..8).map(|nth| said(&noise(day * 100 + nth, 4_000)));
            let shared = (0..8).map(|nth| said(&noise(nth, 4_000)));
            let raw: Vec<String> = own.chain(shared).collect();
            store.create(&chat(&id), at(day * DAY)).unwrap();
            store.append(&id, &Entry::messages(raw.iter().map(String::as_str)), at(day * DAY)).unwrap();
            raw
        })
        .collect()
}

/// Letters that cannot be packed well.
fn noise(seed: u64, length: usize) -> String {
    let mut state = seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1;
    let mut next = || {
        state ^= state << 13;
        state ^= state >> 7;
        state ^= state << 17;
        char::from(b'a' + (state >> 40) as u8 % 26)
    };
    (0..length).map(|_| next()).collect()
}

fn left(store: &impl Store) -> Vec<String> {
    let mut ids: Vec<String> = store.sessions().unwrap().into_iter().map(|found| found.session.id).collect();
    ids.sort();
    ids
}

fn assert_whole(store: &impl Store, texts: &[Vec<String>]) {
    for id in left(store) {
        assert!(raws(store, &id) == texts[id.parse::<usize>().unwrap()], "session {id} is not whole");
    }
}

fn without_limits_nothing_leaves<S: Store>(store: &S) {
    let texts = ten(store);
    let report = store.collect(at(100 * DAY), &Limits::default()).unwrap();
    assert_eq!(report, Report { before: report.before, after: report.before, ..Report::default() });
    assert_eq!(left(store).len(), 10);
    assert_whole(store, &texts);
}

fn sessions_idle_for_too_long_leave<S: Store>(store: &S) {
    let texts = ten(store);
    let limits = Limits { idle: Some(Duration::from_secs(3 * DAY)), ..Limits::default() };
    let report = store.collect(at(9 * DAY), &limits).unwrap();
    assert_eq!(report.sessions, ["0", "1", "2", "3", "4", "5"]);
    assert_eq!(left(store), ["6", "7", "8", "9"]);
    assert!(report.blobs >= 40 && report.after < report.before, "{report:?}");
    assert_whole(store, &texts);
}

fn the_oldest_leave_until_the_rest_fits<S: Store>(store: &S) {
    let texts = ten(store);
    let all = store.collect(at(9 * DAY), &Limits::default()).unwrap().after;
    let limits = Limits { bytes: Some(all / 2), ..Limits::default() };
    let report = store.collect(at(9 * DAY), &limits).unwrap();
    assert!(report.after <= all / 2, "{report:?}");
    let gone = report.sessions.len();
    assert!((3..10).contains(&gone), "{report:?}");
    assert_eq!(left(store), (gone..10).map(|id| id.to_string()).collect::<Vec<_>>());
    assert_whole(store, &texts);
}

fn a_session_in_use_stays<S: Store>(store: &S) {
    let texts = ten(store);
    let minute = Duration::from_secs(60);
    assert!(matches!(store.acquire("0", "me", at(9 * DAY), minute).unwrap(), Acquired::Lease(_)));
    let limits = Limits { idle: Some(minute), bytes: Some(0), ..Limits::default() };
    store.collect(at(9 * DAY), &limits).unwrap();
    assert_eq!(left(store), ["0"]);
    assert_whole(store, &texts);
    store.collect(at(9 * DAY) + minute, &limits).unwrap();
    assert!(left(store).is_empty());
}

fn a_dry_run_tells_the_same_and_changes_nothing<S: Store>(store: &S) {
    let texts = ten(store);
    let idle = Some(Duration::from_secs(3 * DAY));
    let dry = Limits { idle, dry_run: true, ..Limits::default() };
    let told = store.collect(at(9 * DAY), &dry).unwrap();
    assert_eq!(left(store).len(), 10);
    assert_whole(store, &texts);
    let done = store.collect(at(9 * DAY), &Limits { dry_run: false, ..dry }).unwrap();
    assert_eq!((told.sessions, told.blobs, told.before), (done.sessions, done.blobs, done.before));
}
