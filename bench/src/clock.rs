//! CPU time of this thread, so that a busy machine does not change the result.

use std::fs;
use std::time::Instant;

/// A moment in this thread's CPU time (Linux; elsewhere in real time).
pub(crate) struct Cpu {
    nanoseconds: Option<u64>,
    real: Instant,
}

impl Cpu {
    pub(crate) fn now() -> Cpu {
        Cpu { nanoseconds: on_cpu(), real: Instant::now() }
    }

    /// Seconds since then.
    pub(crate) fn seconds(&self) -> f64 {
        match (self.nanoseconds, on_cpu()) {
            (Some(then), Some(now)) => (now - then) as f64 / 1e9,
            _ => self.real.elapsed().as_secs_f64(),
        }
    }
}

fn on_cpu() -> Option<u64> {
    let text = fs::read_to_string("/proc/thread-self/schedstat").ok()?;
    text.split(' ').next()?.parse().ok()
}
