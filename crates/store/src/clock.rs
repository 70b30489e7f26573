//! The usual clock.

use std::time::{Duration, UNIX_EPOCH};

/// What the clock of this machine says, since 1970 (UTC).
pub fn since_1970() -> Duration {
    UNIX_EPOCH.elapsed().unwrap_or_default()
}
