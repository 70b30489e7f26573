//! Time for people and programs. All of it in UTC.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

/// What the clock says.
pub use enfold_store::since_1970 as now;

/// `2026-05-01T10:00:00.250Z`.
pub fn rfc3339(time: Duration) -> String {
    humantime::format_rfc3339_millis(moment(time)).to_string()
}

/// `2026-05-01 10:00:00`.
pub fn stamp(time: Duration) -> String {
    humantime::format_rfc3339_seconds(moment(time)).to_string().replace('T', " ").replace('Z', "")
}

/// How long ago, in one unit: `just now`, `5 min ago`, `12 days ago`.
pub fn ago(now: Duration, then: Duration) -> String {
    let seconds = now.saturating_sub(then).as_secs();
    match seconds {
        0..60 => "just now".into(),
        60..3_600 => format!("{} min ago", seconds / 60),
        3_600..172_800 => format!("{} h ago", seconds / 3_600),
        _ => format!("{} days ago", seconds / 86_400),
    }
}

/// Imports may claim any time; calendars end with the year 9999.
fn moment(time: Duration) -> SystemTime {
    const LAST: Duration = Duration::from_secs(253_402_300_799);
    UNIX_EPOCH + time.min(LAST)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_read_at_a_glance() {
        let time = Duration::from_millis(1_714_557_600_250);
        assert_eq!(rfc3339(time), "2024-05-01T10:00:00.250Z");
        assert_eq!(stamp(time), "2024-05-01 10:00:00");
        let ago = |seconds| ago(time + Duration::from_secs(seconds), time);
        assert_eq!([59, 61, 7_300, 172_800].map(ago), ["just now", "1 min ago", "2 h ago", "2 days ago"]);
    }

    #[test]
    fn a_time_beyond_all_calendars_is_printed() {
        assert_eq!(stamp(Duration::MAX), "9999-12-31 23:59:59");
    }
}
