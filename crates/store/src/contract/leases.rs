//! Leases: one at a time, and never for ever.

use std::thread;
use std::time::Duration;

use super::{at, raws, said, with};
use crate::{Acquired, Entry, Error, Lease, Store};

list_rules![
    one_owner_at_a_time,
    a_lease_ends_by_itself,
    a_lease_can_be_made_longer_while_it_lasts,
    a_late_owner_writes_nothing,
    of_many_threads_one_gets_it,
];

const MINUTE: Duration = Duration::from_secs(60);

fn take(store: &impl Store, owner: &str, now: u64) -> Lease {
    match store.acquire("s", owner, at(now), MINUTE).unwrap() {
        Acquired::Lease(lease) => lease,
        Acquired::Held { by, until } => panic!("{by} holds it until {until:?}"),
    }
}

fn one_owner_at_a_time<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let lease = take(store, "me", 0);
    assert_eq!((lease.owner.as_str(), lease.until), ("me", at(60)));
    let held = Acquired::Held { by: "me".into(), until: at(60) };
    assert_eq!(store.acquire("s", "you", at(59), MINUTE).unwrap(), held);
    assert_eq!(store.acquire("s", "me", at(59), MINUTE).unwrap(), held);
    assert_eq!(store.session("s").unwrap().unwrap().lease, Some(("me".into(), at(60))));
    store.release(&lease).unwrap();
    assert!(take(store, "you", 59).number > lease.number);
}

fn a_lease_ends_by_itself<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let old = take(store, "me", 0);
    let new = take(store, "you", 60);
    store.release(&old).unwrap();
    let held = Acquired::Held { by: "you".into(), until: new.until };
    assert_eq!(store.acquire("s", "me", at(61), MINUTE).unwrap(), held);
}

fn a_lease_can_be_made_longer_while_it_lasts<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let lease = take(store, "me", 0);
    let longer = store.renew(&lease, at(50), MINUTE).unwrap().unwrap();
    assert_eq!(longer.until, at(110));
    assert_eq!(store.renew(&longer, at(110), MINUTE).unwrap(), None);
    let other = take(store, "you", 110);
    assert_eq!(store.renew(&longer, at(111), MINUTE).unwrap(), None);
    assert!(store.renew(&other, at(111), MINUTE).unwrap().is_some());
}

fn a_late_owner_writes_nothing<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let lease = take(store, "me", 0);
    let raw = [said("two"), said("three")];
    let entry = |raw| Entry { lease: Some(lease.clone()), ..Entry::messages([raw]) };
    store.append("s", &entry(&raw[0]), at(59)).unwrap();
    let late = store.append("s", &entry(&raw[1]), at(60)).unwrap_err();
    assert!(matches!(late, Error::LeaseLost { .. }), "{late}");
    assert_eq!(raws(store, "s"), [said("one"), said("two")]);
}

fn of_many_threads_one_gets_it<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let got = thread::scope(|scope| {
        let ask = |owner: usize| move || store.acquire("s", &owner.to_string(), at(0), MINUTE).unwrap();
        let threads: Vec<_> = (0..8).map(|owner| scope.spawn(ask(owner))).collect();
        let answers = threads.into_iter().map(|thread| thread.join().unwrap());
        answers.filter(|answer| matches!(answer, Acquired::Lease(_))).count()
    });
    assert_eq!(got, 1);
}
