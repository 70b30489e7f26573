//! A full disk and a place that cannot be written: a clear error, and nothing is lost.

// Helpers of tests fail as tests do.
#![allow(clippy::unwrap_used)]

use enfold::history::MessageId;
use std::path::Path;
use std::process::Command;
use std::time::Duration;

use enfold_store::{Entry, Error, NewSession, Options, Sessions, Sqlite, Upkeep};

const NOW: Duration = Duration::from_secs(1_700_000_000);

fn create(store: &Sqlite) {
    let session = NewSession { id: "s".into(), wire: "openai-chat".into(), ..NewSession::default() };
    store.create(&session, NOW).unwrap();
}

/// A text that hardly packs.
fn noise(number: usize) -> String {
    let mut state = number as u64 + 1;
    let mut next = || {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        char::from(b'!' + (state >> 40) as u8 % 90)
    };
    (0..20_000).map(|_| next()).collect()
}

/// Appends until there is no room. Returns how many messages were taken.
fn fill(store: &Sqlite) -> usize {
    for number in 0..1_000 {
        let raw = noise(number);
        match store.append("s", &Entry::messages([&*raw]), NOW) {
            Ok(_) => {}
            Err(error) => {
                assert!(matches!(error, Error::Full(_)), "{error:?}");
                let said = error.to_string();
                assert!(said.contains(&store.path().display().to_string()), "{said}");
                assert!(said.contains("make room") && said.contains("nothing was changed"), "{said}");
                return number;
            }
        }
    }
    panic!("there is always room");
}

fn assert_whole(store: &Sqlite, messages: usize) {
    store.check().unwrap();
    let found = store.messages("s", MessageId::ALL).unwrap();
    assert_eq!(found.len(), messages);
    for message in found {
        assert!(*message.raw == noise(message.number.index()), "message {}", message.number);
    }
}

#[test]
fn a_full_quota_is_told_and_nothing_is_lost() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("store.db");
    let options = Options { most_pages: Some(200), ..Options::default() };
    let store = Sqlite::open_with(&path, options).unwrap();
    create(&store);
    let taken = fill(&store);
    assert!(taken > 10);
    assert_whole(&store, taken);
    drop(store);
    let store = Sqlite::open(&path).unwrap();
    assert_whole(&store, taken);
    let raw = noise(taken);
    store.append("s", &Entry::messages([&*raw]), NOW).unwrap();
    assert_whole(&store, taken + 1);
}

/// A small disk of its own, where this user may mount one.
struct Disk(tempfile::TempDir);

impl Disk {
    fn mount(options: &str) -> Option<Disk> {
        let disk = Disk(tempfile::tempdir().unwrap());
        disk.try_mount(options).then_some(disk)
    }

    fn try_mount(&self, options: &str) -> bool {
        let command = ["-t", "tmpfs", "-o", options, "tmpfs"];
        Command::new("mount")
            .args(command)
            .arg(self.0.path())
            .output()
            .is_ok_and(|done| done.status.success())
    }

    fn path(&self) -> &Path {
        self.0.path()
    }
}

impl Drop for Disk {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(self.0.path()).output();
    }
}

#[test]
fn a_full_disk_is_told_and_nothing_is_lost() {
    let Some(disk) = Disk::mount("size=2m") else {
        eprintln!("SKIPPED: a full disk; this user may not mount a small one");
        return;
    };
    let path = disk.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    create(&store);
    let taken = fill(&store);
    assert!(taken > 10);
    assert_whole(&store, taken);
    let raw = noise(taken);
    assert!(matches!(store.append("s", &Entry::messages([&*raw]), NOW), Err(Error::Full(_))));
    assert!(disk.try_mount("remount,size=20m"));
    store.append("s", &Entry::messages([&*raw]), NOW).unwrap();
    assert_whole(&store, taken + 1);
    drop(store);
    assert_whole(&Sqlite::open(&path).unwrap(), taken + 1);
}

#[test]
fn a_place_that_cannot_be_written_is_named() {
    let Some(disk) = Disk::mount("size=4m") else {
        eprintln!("SKIPPED: a disk that cannot be written; this user may not mount one");
        return;
    };
    let path = disk.path().join("store.db");
    let store = Sqlite::open(&path).unwrap();
    create(&store);
    let raw = noise(0);
    store.append("s", &Entry::messages([&*raw]), NOW).unwrap();
    drop(store);
    assert!(disk.try_mount("remount,ro,size=4m"));
    for path in [path.clone(), disk.path().join("new/store.db"), disk.path().join("new.db")] {
        let error = Sqlite::open(&path).map(|_| ()).unwrap_err();
        assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
        let said = error.to_string();
        assert!(said.contains(&path.display().to_string()) && said.contains("writable"), "{said}");
    }
    let read = Sqlite::open_to_read(&path, Options::default()).unwrap();
    assert!(read.is_read_only());
    assert_whole(&read, 1);
    assert_eq!(read.sessions().unwrap().len(), 1);
    assert_eq!(read.search("s", "nothing", 3).unwrap().len(), 0);
    let refused = read.append("s", &Entry::messages([&*raw]), NOW).unwrap_err();
    assert!(matches!(refused, Error::ReadOnly(_)), "{refused:?}");
    drop(read);
    assert!(disk.try_mount("remount,rw,size=4m"));
    assert_whole(&Sqlite::open(&path).unwrap(), 1);
    assert!(!Sqlite::open_to_read(&path, Options::default()).unwrap().is_read_only());
}

#[cfg(unix)]
#[test]
fn a_folder_without_permission_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let folder = tempfile::tempdir().unwrap();
    std::fs::set_permissions(folder.path(), std::fs::Permissions::from_mode(0o500)).unwrap();
    if std::fs::write(folder.path().join("probe"), "").is_ok() {
        eprintln!("SKIPPED: a folder without permission; this user may write anywhere");
        return;
    }
    let error = Sqlite::open(folder.path().join("store.db")).map(|_| ()).unwrap_err();
    assert!(matches!(error, Error::ReadOnly(_)), "{error:?}");
}
