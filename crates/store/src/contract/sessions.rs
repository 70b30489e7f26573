//! Sessions: created, listed, removed.

use super::{at, chat, ids, raws, said, with};
use crate::{Entry, Error, NewSession, Store};

list_rules![
    a_session_is_found_by_its_id,
    sessions_are_listed_by_use,
    a_session_gets_another_name_and_model,
    an_id_is_taken_once,
    what_is_not_there_is_named,
    a_removed_session_takes_along_only_what_is_its_own,
];

fn a_session_is_found_by_its_id<S: Store>(store: &S) {
    assert_eq!(store.session("s").unwrap(), None);
    with(store, "s", &["one", "two"]);
    let found = store.session("s").unwrap().unwrap();
    assert_eq!(found.session, chat("s"));
    assert_eq!((found.created, found.updated, found.messages), (at(0), at(1), 2));
    assert_eq!(found.bytes, (said("one") + &said("two")).len() as u64);
    assert_eq!((found.compactions, found.compacted, found.lease), (0, None, None));
}

fn sessions_are_listed_by_use<S: Store>(store: &S) {
    for (id, second) in [("a", 5), ("b", 9), ("c", 7)] {
        store.create(&chat(id), at(0)).unwrap();
        store.append(id, &Entry::messages([&*said(id)]), at(second)).unwrap();
    }
    let ids: Vec<String> = store.sessions().unwrap().into_iter().map(|found| found.session.id).collect();
    assert_eq!(ids, ["b", "c", "a"]);
}

fn a_session_gets_another_name_and_model<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let other = NewSession { name: "other".into(), model: None, policy: "age".into(), ..chat("s") };
    store.describe(&NewSession { wire: "anthropic".into(), ..other.clone() }).unwrap();
    assert_eq!(store.session("s").unwrap().unwrap().session, other);
    assert!(matches!(store.describe(&chat("no")), Err(Error::NoSession(_))));
}

fn an_id_is_taken_once<S: Store>(store: &S) {
    with(store, "s", &["one"]);
    let error = store.create(&chat("s"), at(2)).unwrap_err();
    assert!(matches!(&error, Error::SessionExists(id) if id == "s"), "{error}");
    assert_eq!(raws(store, "s"), [said("one")]);
}

fn what_is_not_there_is_named<S: Store>(store: &S) {
    let missing = |error: Error| assert!(matches!(&error, Error::NoSession(id) if id == "no"), "{error}");
    missing(store.append("no", &Entry::messages([&*said("x")]), at(1)).unwrap_err());
    missing(store.messages("no", ids(0..1)).unwrap_err());
    missing(store.search("no", "x", 1).unwrap_err());
    missing(store.take_out("no").unwrap_err());
    missing(store.answers("no").unwrap_err());
    missing(store.acquire("no", "me", at(0), at(1)).unwrap_err());
    assert!(!store.remove("no").unwrap());
}

fn a_removed_session_takes_along_only_what_is_its_own<S: Store>(store: &S) {
    // Long enough to be packed against each other, so that what two sessions share depends on the first one.
    let texts: Vec<String> =
        (0..60).map(|nth| format!("{nth} {}", "every good boy ".repeat(40 + nth))).collect();
    let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
    with(store, "first", &texts);
    with(store, "second", &texts[30..]);
    assert!(store.remove("first").unwrap());
    assert_eq!(store.session("first").unwrap(), None);
    let kept: Vec<String> = texts[30..].iter().map(|text| said(text)).collect();
    assert_eq!(raws(store, "second"), kept);
    with(store, "first", &["again"]);
    assert_eq!(raws(store, "first"), [said("again")]);
}
