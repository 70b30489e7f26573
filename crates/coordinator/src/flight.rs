//! One compaction of a session at a time, whoever wants it.

use std::time::Duration;

use enfold_store::{Acquired, Lease, Store};

use crate::{Config, Error};

/// How often to look whether the other one is done.
const LOOK: Duration = Duration::from_millis(20);

/// Who may compact now.
pub(crate) enum Turn {
    /// We may.
    Ours(Lease),
    /// Somebody else did, and is done: read what they made.
    WasTheirs,
}

/// Waits for its turn, as long as there is patience.
pub(crate) fn turn(store: &dyn Store, session: &str, owner: &str, config: &Config) -> Result<Turn, Error> {
    let start = (config.clock)();
    let mut waited = false;
    loop {
        let now = (config.clock)();
        match store.acquire(session, owner, now, config.lease)? {
            Acquired::Lease(lease) if !waited => return Ok(Turn::Ours(lease)),
            Acquired::Lease(lease) => {
                store.release(&lease)?;
                return Ok(Turn::WasTheirs);
            }
            Acquired::Held { by, until } if now.saturating_sub(start) > config.patience => {
                let left = until.saturating_sub(now);
                return Err(Error::BeingCompacted { session: session.into(), by, left });
            }
            Acquired::Held { .. } => {
                waited = true;
                std::thread::sleep(LOOK);
            }
        }
    }
}

/// A name for this process and value that nobody else has.
pub(crate) fn owner() -> String {
    use std::sync::atomic::{AtomicU64, Ordering};
    static COUNT: AtomicU64 = AtomicU64::new(0);
    let nth = COUNT.fetch_add(1, Ordering::Relaxed);
    let host = std::fs::read_to_string("/proc/sys/kernel/hostname").unwrap_or_default();
    let host = if host.trim().is_empty() { "this machine" } else { host.trim() };
    format!("process {} on {host}, session {nth}", std::process::id())
}
