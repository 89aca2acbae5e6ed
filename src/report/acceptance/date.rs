//! Days, on which skips expire.

use jiff::ToSpan;
use jiff::civil::{self, Date};

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

/// Returns the day in UTC on which it is `seconds` since the beginning of 1970; the last day is that of the year 9999.
pub fn day_of_unix_time(seconds: u64) -> Date {
    let days = i64::try_from(seconds / SECONDS_OF_A_DAY).unwrap_or(i64::MAX);
    civil::date(1970, 1, 1).saturating_add(days.days())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let of = |seconds| day_of_unix_time(seconds).to_string();
        assert_eq!(of(0), "1970-01-01");
        assert_eq!(of(951_782_399), "2000-02-28");
        assert_eq!(of(951_782_400), "2000-02-29");
        assert_eq!(of(1_798_675_199), "2026-12-30");
        assert_eq!(of(1_798_761_599), "2026-12-31");
        assert_eq!(of(4_107_542_400), "2100-03-01");
    }
}
