//! No room for what must be stored: a clear error, and the session is as good as before.

use enfold::history::MessageId;
use std::sync::Arc;

use enfold_coordinator::{Coordinator, Error};
use enfold_store::{Error as StoreError, Options, Sessions, Sqlite};

use crate::support::{begin, config, history, step};

#[test]
fn a_full_disk_stops_the_session_where_it_is() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("enfold.db");
    let small = Options { most_pages: Some(100), ..Options::default() };
    let store = Arc::new(Sqlite::open_with(&path, small).unwrap());
    let mut session = Coordinator::open(store.clone(), "a session", config("summarize")).unwrap();
    begin(&mut session);
    let mut pushed = 2;
    let error = (0..100_000).find_map(|nth| {
        for message in step(nth) {
            match session.push(message) {
                Ok(()) => pushed += 1,
                Err(error) => return Some(error),
            }
        }
        session.prepare().err()
    });
    let error = error.expect("there is always room");
    assert!(matches!(error, Error::Store(StoreError::Full(_))), "{error}");
    assert!(error.to_string().contains("make room"), "{error}");
    store.check().unwrap();
    let stored = store.messages("a session", MessageId::ALL).unwrap();
    assert_eq!(stored.len(), pushed);
    assert!(stored.iter().zip(history(100_000)).all(|(message, expected)| *message.raw == *expected));
    drop((session, store));

    let store = Arc::new(Sqlite::open(&path).unwrap());
    let mut session = Coordinator::open(store, "a session", config("summarize")).unwrap();
    let nth = (pushed - 2) / 2;
    step(nth).into_iter().skip(pushed % 2).for_each(|message| session.push(message).unwrap());
    assert!(session.prepare().unwrap().tokens <= 6_000);
}
