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

/// The most memory this process has held, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
