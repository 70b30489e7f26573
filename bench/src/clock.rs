//! CPU time of this thread, so that a busy machine does not change the result.

use std::fs;

use rustix::time::{ClockId, Timespec, clock_gettime};

/// A moment in this thread's CPU time.
pub(crate) struct Cpu(Timespec);

impl Cpu {
    pub(crate) fn now() -> Cpu {
        Cpu(clock_gettime(ClockId::ThreadCPUTime))
    }

    /// Seconds since then.
    pub(crate) fn seconds(&self) -> f64 {
        let now = clock_gettime(ClockId::ThreadCPUTime);
        (now.tv_sec - self.0.tv_sec) as f64 + (now.tv_nsec - self.0.tv_nsec) as f64 / 1e9
    }
}

/// The most memory this process has held, in bytes; 0 where the system does not say.
pub(crate) fn peak_memory() -> u64 {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    line.and_then(|line| line.split_whitespace().next()?.parse::<u64>().ok()).unwrap_or(0) * 1024
}
