//! Days, on which skips expire.

use std::fmt;

/// A day of the Gregorian calendar.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Date {
    /// The year.
    pub year: i64,
    /// The month, counted from 1.
    pub month: u8,
    /// The day of the month, counted from 1.
    pub day: u8,
}

const SECONDS_OF_A_DAY: u64 = 24 * 60 * 60;

impl Date {
    /// Returns the day in UTC on which it is `seconds` since the beginning of 1970.
    pub fn of_unix_time(seconds: u64) -> Self {
        let mut rest = seconds / SECONDS_OF_A_DAY;
        let mut year = 1970;
        while rest >= days_of_year(year) {
            rest -= days_of_year(year);
            year += 1;
        }
        let mut month = 1;
        while rest >= days_of_month(year, month) {
            rest -= days_of_month(year, month);
            month += 1;
        }
        let day = u8::try_from(rest + 1).expect("a month has no more than 31 days");
        Self { year, month, day }
    }
}

impl fmt::Display for Date {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:04}-{:02}-{:02}", self.year, self.month, self.day)
    }
}

fn is_leap(year: i64) -> bool {
    year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
}

fn days_of_year(year: i64) -> u64 {
    if is_leap(year) { 366 } else { 365 }
}

fn days_of_month(year: i64, month: u8) -> u64 {
    match month {
        2 if is_leap(year) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn days_are_those_of_the_calendar() {
        let of = |seconds| Date::of_unix_time(seconds).to_string();
        assert_eq!(of(0), "1970-01-01");
        assert_eq!(of(951_782_399), "2000-02-28");
        assert_eq!(of(951_782_400), "2000-02-29");
        assert_eq!(of(1_798_675_199), "2026-12-30");
        assert_eq!(of(1_798_761_599), "2026-12-31");
        assert_eq!(of(4_107_542_400), "2100-03-01");
    }

    #[test]
    fn earlier_days_are_less() {
        let date = |year, month, day| Date { year, month, day };
        assert!(date(2026, 9, 30) < date(2026, 10, 1));
        assert!(date(2025, 12, 31) < date(2026, 1, 1));
    }
}
