//! Points in time and spans of it.
//!
//! Source: Go's `time`, cel-go `common/types/{timestamp,duration,overflow}.go`.

use jiff::tz::TimeZone;

use super::failure::Fault;
use super::number;
use gotext::{duration, time};

const SECOND: i64 = 1_000_000_000;
const DAY: i64 = 86_400;
/// Midnight of January 1 of the year 1.
const MIN_SECONDS: i64 = -62_135_596_800;
/// The last second of the year 9999.
const MAX_SECONDS: i64 = 253_402_300_799;

/// A span of time in nanoseconds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub struct Duration(pub i64);

impl Duration {
    pub(super) fn parse(text: &str) -> Option<Self> {
        duration::parse(text).ok().map(Self)
    }

    #[expect(
        clippy::cast_precision_loss,
        reason = "the fraction of a second fits a double, and so do the seconds"
    )]
    pub(super) fn seconds(self) -> f64 {
        (self.0 / SECOND) as f64 + (self.0 % SECOND) as f64 / 1e9
    }

    /// Writes it as `string()` does: in seconds.
    pub(super) fn to_text(self) -> String {
        format!("{}s", number::fixed(self.seconds()))
    }

    /// Returns the number of whole `unit`s in it.
    pub(super) fn whole(self, unit: i64) -> i64 {
        self.0 / unit
    }

    /// Writes it as Go's `String` does: `1h30m0s`.
    pub(super) fn to_go(self) -> String {
        duration::print(self.0)
    }
}

/// A point in time.
#[derive(Debug, Clone, Copy)]
pub struct Timestamp {
    /// Since 1970.
    pub seconds: i64,
    /// The nanoseconds of the second.
    pub nanoseconds: u32,
    /// The offset that it was written with, in seconds east of UTC.
    pub offset: i32,
}

fn overflow() -> Fault {
    Fault::new("timestamp overflow")
}

impl Timestamp {
    /// Returns a time in UTC.
    pub fn from_seconds(seconds: i64) -> Option<Self> {
        let is_valid = (MIN_SECONDS..=MAX_SECONDS).contains(&seconds);
        is_valid.then_some(Self { seconds, nanoseconds: 0, offset: 0 })
    }

    /// Parses a time in RFC 3339; `None` for what is not a time, and an error for years outside 1 to 9999.
    pub(super) fn parse(text: &str) -> Option<Result<Self, Fault>> {
        let (seconds, nanoseconds) = time::parse_rfc3339(text)?;
        if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            return Some(Err(overflow()));
        }
        Some(Ok(Self { seconds, nanoseconds, offset: written_offset(text) }))
    }

    pub(super) fn is_zero(self) -> bool {
        self.seconds == MIN_SECONDS && self.nanoseconds == 0
    }

    pub(super) fn instant(self) -> (i64, u32) {
        (self.seconds, self.nanoseconds)
    }

    pub(super) fn add(self, duration: Duration) -> Result<Self, Fault> {
        let mut seconds = self.seconds.checked_add(duration.0 / SECOND).ok_or_else(number::int_overflow)?;
        let mut nanoseconds = i64::from(self.nanoseconds) + duration.0 % SECOND;
        seconds = seconds.checked_add(nanoseconds.div_euclid(SECOND)).ok_or_else(number::int_overflow)?;
        nanoseconds = nanoseconds.rem_euclid(SECOND);
        if !(MIN_SECONDS..=MAX_SECONDS).contains(&seconds) {
            return Err(overflow());
        }
        Ok(Self { seconds, nanoseconds: u32::try_from(nanoseconds).unwrap_or_default(), ..self })
    }

    pub(super) fn sub(self, other: Self) -> Result<Duration, Fault> {
        let seconds = self.seconds.checked_sub(other.seconds).ok_or_else(number::int_overflow)?;
        let nanoseconds = i64::from(self.nanoseconds) - i64::from(other.nanoseconds);
        let whole = seconds.checked_mul(SECOND).ok_or_else(number::int_overflow)?;
        whole.checked_add(nanoseconds).map(Duration).ok_or_else(number::int_overflow)
    }

    /// Writes it as `string()` does: RFC 3339 with as many digits as needed.
    pub(super) fn to_text(self) -> String {
        let date = Date::of(self.seconds + i64::from(self.offset));
        let Date { year, month, day, hour, minute, second, .. } = date;
        let mut text = format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}");
        if self.nanoseconds > 0 {
            text += ".";
            text += format!("{:09}", self.nanoseconds).trim_end_matches('0');
        }
        if self.offset == 0 {
            return text + "Z";
        }
        let (sign, minutes) = (if self.offset < 0 { '-' } else { '+' }, self.offset.abs() / 60);
        text + &format!("{sign}{:02}:{:02}", minutes / 60, minutes % 60)
    }

    /// Writes it as Go's `String` does.
    pub(super) fn to_go(self) -> String {
        let text = self.to_text();
        let (date, rest) = text.split_once('T').unwrap_or((&text, ""));
        let zone = rest.find(['Z', '+', '-']).unwrap_or(rest.len());
        let zone_text = match &rest[zone..] {
            "Z" => "+0000 UTC".to_owned(),
            other => {
                let digits = other.replace(':', "");
                format!("{digits} {digits}")
            }
        };
        format!("{date} {} {zone_text}", &rest[..zone])
    }

    /// Returns the date and the time of day in a zone: a name, or hours and minutes.
    pub(super) fn date_in(self, zone: &str) -> Result<Date, Fault> {
        let offset = match zone.split_once(':') {
            Some((hours, minutes)) => fixed_offset(zone, hours, minutes)?,
            None => named_offset(zone, self.seconds)?,
        };
        Ok(Date::of(self.seconds + offset))
    }

    pub(super) fn milliseconds(self) -> i64 {
        i64::from(self.nanoseconds / 1_000_000)
    }
}

/// Returns the offset of the zone at the end of a valid time.
fn written_offset(text: &str) -> i32 {
    let Some(start) = text.len().checked_sub(6).filter(|_| !text.ends_with('Z')) else { return 0 };
    let Some(zone) = text.get(start..) else { return 0 };
    let part = |range: std::ops::Range<usize>| zone.get(range).and_then(|digits| digits.parse::<i32>().ok());
    let seconds = (part(1..3).unwrap_or_default() * 60 + part(4..6).unwrap_or_default()) * 60;
    if zone.starts_with('-') { -seconds } else { seconds }
}

fn fixed_offset(zone: &str, hours: &str, minutes: &str) -> Result<i64, Fault> {
    let hours = gotext::number::atoi(hours).map_err(Fault::new)?;
    let minutes = gotext::number::atoi(minutes).map_err(Fault::new)?;
    let minutes = if zone.starts_with('-') {
        hours.wrapping_mul(60).wrapping_sub(minutes)
    } else {
        hours.wrapping_mul(60).wrapping_add(minutes)
    };
    // This far from UTC no date is defined; Go wraps around.
    Ok(minutes.wrapping_mul(60).clamp(-MAX_SECONDS, MAX_SECONDS))
}

/// Implements `time.LoadLocation`: names are distinguished by their case.
fn named_offset(zone: &str, seconds: i64) -> Result<i64, Fault> {
    if matches!(zone, "" | "UTC" | "Local") {
        return Ok(0);
    }
    if zone.contains("..") || zone.starts_with(['/', '\\']) {
        return Err(Fault::new("time: invalid location name"));
    }
    let found = TimeZone::get(zone).ok().filter(|found| found.iana_name() == Some(zone));
    let found = found.ok_or_else(|| Fault::new(format!("unknown time zone {zone}")))?;
    let instant = jiff::Timestamp::from_second(seconds).map_err(|_| overflow())?;
    Ok(i64::from(found.to_offset(instant).seconds()))
}

/// A date of the proleptic Gregorian calendar and a time of day.
#[derive(Debug, Clone, Copy)]
pub(super) struct Date {
    pub(super) year: i64,
    /// Counted from one.
    pub(super) month: i64,
    /// Counted from one.
    pub(super) day: i64,
    /// From zero.
    pub(super) day_of_year: i64,
    /// Sunday is zero.
    pub(super) weekday: i64,
    pub(super) hour: i64,
    pub(super) minute: i64,
    pub(super) second: i64,
}

impl Date {
    fn of(seconds: i64) -> Self {
        let (days, second) = (seconds.div_euclid(DAY), seconds.rem_euclid(DAY));
        let (year, month, day) = time::civil(days);
        Self {
            year,
            month,
            day,
            day_of_year: days - time::days_since_1970(year, 1, 1),
            weekday: (days + 4).rem_euclid(7),
            hour: second / 3600,
            minute: second / 60 % 60,
            second: second % 60,
        }
    }
}
