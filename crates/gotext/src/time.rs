//! Points in time.
//!
//! Source: Go's `time.Parse` with the layouts of `metav1.Time` and `metav1.MicroTime`.

use crate::quote;

/// Reads a `metav1.Time` and writes it back in UTC; nothing for Go's zero time, which is written as `null`.
pub fn to_the_second(text: &str) -> Result<Option<String>, String> {
    let time = parse(text, &SECONDS)?;
    Ok((!time.is_zero()).then(|| time.date_and_time() + "Z"))
}

/// Reads a `metav1.MicroTime` and writes it back in UTC; nothing for Go's zero time, which is written as `null`.
pub fn to_the_microsecond(text: &str) -> Result<Option<String>, String> {
    let time = parse(text, &MICROSECONDS)?;
    Ok((!time.is_zero()).then(|| format!("{}.{:06}Z", time.date_and_time(), time.nanosecond / 1000)))
}

/// Whether `text` is a time, and in UTC of the years 1 to 9999.
pub fn is_within_four_digits(text: &str) -> bool {
    const END_OF_9999: i64 = 253_402_300_799;
    parse(text, &SECONDS).is_ok_and(|time| (ZERO_TIME..=END_OF_9999).contains(&time.seconds))
}

/// Seconds since 1970, and nanoseconds.
pub fn parse_rfc3339(text: &str) -> Option<(i64, u32)> {
    parse(text, &SECONDS).ok().map(|time| (time.seconds, time.nanosecond))
}

/// Returns the time `seconds` after `text`, in UTC.
pub fn after(text: &str, seconds: i64) -> String {
    let Ok(time) = parse(text, &SECONDS) else { return text.to_owned() };
    let later = Time { seconds: time.seconds.saturating_add(seconds), nanosecond: 0 };
    later.date_and_time() + "Z"
}

struct Layout {
    text: &'static str,
    /// The separators and the parts that follow them.
    parts: &'static [(&'static str, Part)],
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Part {
    Year,
    Month,
    Day,
    Hour,
    Minute,
    Second,
    Microsecond,
    Zone,
}

static SECONDS: Layout = Layout {
    text: "2006-01-02T15:04:05Z07:00",
    parts: &[
        ("", Part::Year),
        ("-", Part::Month),
        ("-", Part::Day),
        ("T", Part::Hour),
        (":", Part::Minute),
        (":", Part::Second),
        ("", Part::Zone),
    ],
};

static MICROSECONDS: Layout = Layout {
    text: "2006-01-02T15:04:05.000000Z07:00",
    parts: &[
        ("", Part::Year),
        ("-", Part::Month),
        ("-", Part::Day),
        ("T", Part::Hour),
        (":", Part::Minute),
        (":", Part::Second),
        ("", Part::Microsecond),
        ("", Part::Zone),
    ],
};

/// A point in time, as seconds since 1970 and a fraction.
struct Time {
    seconds: i64,
    nanosecond: u32,
}

/// Midnight of January 1 of the year 1.
const ZERO_TIME: i64 = -62_135_596_800;

impl Time {
    fn is_zero(&self) -> bool {
        self.seconds == ZERO_TIME && self.nanosecond == 0
    }

    fn date_and_time(&self) -> String {
        let (year, month, day) = civil(self.seconds.div_euclid(86400));
        let second = self.seconds.rem_euclid(86400);
        let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
        format!("{year:04}-{month:02}-{day:02}T{hour:02}:{minute:02}:{second:02}")
    }
}

/// Why a part of the text does not fit.
enum Misfit {
    Bad,
    OutOfRange(&'static str),
}

fn parse(text: &str, layout: &Layout) -> Result<Time, String> {
    let whole = quote(text);
    let unfit = |rest: &str, wanted: &str| {
        let layout = quote(layout.text);
        format!("parsing time {whole} as {layout}: cannot parse {} as {}", quote(rest), quote(wanted))
    };
    let mut values = Values::default();
    let mut rest = text.as_bytes();
    for (position, (separator, part)) in layout.parts.iter().enumerate() {
        rest = rest.strip_prefix(separator.as_bytes()).ok_or_else(|| unfit(tail(text, rest), separator))?;
        let micro = layout.parts.get(position + 1).is_some_and(|(_, part)| *part == Part::Microsecond);
        rest = values.take(*part, rest, micro).map_err(|misfit| match misfit {
            Misfit::Bad => unfit(tail(text, rest), part.layout()),
            Misfit::OutOfRange(what) => format!("parsing time {whole}: {what} out of range"),
        })?;
    }
    if !rest.is_empty() {
        return Err(format!("parsing time {whole}: extra text: {}", quote(tail(text, rest))));
    }
    values.time().ok_or_else(|| format!("parsing time {whole}: day out of range"))
}

/// Returns the rest of `text` as a string slice.
fn tail<'a>(text: &'a str, rest: &[u8]) -> &'a str {
    text.get(text.len() - rest.len()..).unwrap_or_default()
}

impl Part {
    fn layout(self) -> &'static str {
        match self {
            Self::Year => "2006",
            Self::Month => "01",
            Self::Day => "02",
            Self::Hour => "15",
            Self::Minute => "04",
            Self::Second => "05",
            Self::Microsecond => ".000000",
            Self::Zone => "Z07:00",
        }
    }
}

#[derive(Default)]
struct Values {
    year: i64,
    month: u32,
    day: u32,
    hour: u32,
    minute: u32,
    second: u32,
    nanosecond: u32,
    /// Seconds east of UTC.
    offset: i64,
}

impl Values {
    /// Reads one part from the front of `text` and returns the rest.
    fn take<'a>(&mut self, part: Part, text: &'a [u8], micro_follows: bool) -> Result<&'a [u8], Misfit> {
        match part {
            Part::Year => {
                let (year, rest) = text.split_at_checked(4).ok_or(Misfit::Bad)?;
                if !year.iter().all(u8::is_ascii_digit) {
                    return Err(Misfit::Bad);
                }
                self.year = year.iter().fold(0, |year, digit| year * 10 + i64::from(digit - b'0'));
                Ok(rest)
            }
            Part::Month => {
                let rest = two_digits(text, true, &mut self.month)?;
                if (1..=12).contains(&self.month) { Ok(rest) } else { Err(Misfit::OutOfRange("month")) }
            }
            Part::Day => two_digits(text, true, &mut self.day),
            Part::Hour => {
                let rest = two_digits(text, false, &mut self.hour)?;
                below(24, "hour", (self.hour, rest))
            }
            Part::Minute => {
                let rest = two_digits(text, true, &mut self.minute)?;
                below(60, "minute", (self.minute, rest))
            }
            Part::Second => {
                let rest = two_digits(text, true, &mut self.second)?;
                let rest = below(60, "second", (self.second, rest))?;
                // A fraction is accepted although the layout has none.
                match rest {
                    [b'.' | b',', digits @ ..]
                        if !micro_follows && digits.first().is_some_and(u8::is_ascii_digit) =>
                    {
                        let length = digits.iter().take_while(|digit| digit.is_ascii_digit()).count();
                        self.nanosecond = nanoseconds(&digits[..length]);
                        Ok(&digits[length..])
                    }
                    rest => Ok(rest),
                }
            }
            Part::Microsecond => {
                let (fraction, rest) = text.split_at_checked(7).ok_or(Misfit::Bad)?;
                let digits = match fraction {
                    [b'.' | b',', digits @ ..] if digits.iter().all(u8::is_ascii_digit) => digits,
                    _ => return Err(Misfit::Bad),
                };
                self.nanosecond = nanoseconds(digits);
                Ok(rest)
            }
            Part::Zone => self.zone(text),
        }
    }

    fn zone<'a>(&mut self, text: &'a [u8]) -> Result<&'a [u8], Misfit> {
        if let Some(rest) = text.strip_prefix(b"Z") {
            return Ok(rest);
        }
        let (zone, rest) = text.split_at_checked(6).ok_or(Misfit::Bad)?;
        if zone[3] != b':' {
            return Err(Misfit::Bad);
        }
        let (mut hours, mut minutes) = (0, 0);
        two_digits(&zone[1..3], true, &mut hours)?;
        two_digits(&zone[4..], true, &mut minutes)?;
        if hours > 24 {
            return Err(Misfit::OutOfRange("time zone offset hour"));
        }
        if minutes > 60 {
            return Err(Misfit::OutOfRange("time zone offset minute"));
        }
        let offset = i64::from(hours * 3600 + minutes * 60);
        self.offset = match zone[0] {
            b'+' => offset,
            b'-' => -offset,
            _ => return Err(Misfit::Bad),
        };
        Ok(rest)
    }

    /// Returns the point in time, unless the month has no such day.
    fn time(&self) -> Option<Time> {
        if self.day < 1 || self.day > days_in(self.year, self.month) {
            return None;
        }
        let days = days_since_1970(self.year, self.month, self.day);
        let second = i64::from(self.hour * 3600 + self.minute * 60 + self.second);
        Some(Time { seconds: days * 86400 + second - self.offset, nanosecond: self.nanosecond })
    }
}

fn below<'a>(limit: u32, what: &'static str, (value, rest): (u32, &'a [u8])) -> Result<&'a [u8], Misfit> {
    if value < limit { Ok(rest) } else { Err(Misfit::OutOfRange(what)) }
}

/// Reads two digits, or one where that is allowed.
fn two_digits<'a>(text: &'a [u8], fixed: bool, value: &mut u32) -> Result<&'a [u8], Misfit> {
    match text {
        [tens, ones, rest @ ..] if tens.is_ascii_digit() && ones.is_ascii_digit() => {
            *value = u32::from(tens - b'0') * 10 + u32::from(ones - b'0');
            Ok(rest)
        }
        [ones, rest @ ..] if !fixed && ones.is_ascii_digit() => {
            *value = u32::from(ones - b'0');
            Ok(rest)
        }
        _ => Err(Misfit::Bad),
    }
}

/// Returns the nanoseconds of a decimal fraction of a second; digits beyond the ninth do not count.
fn nanoseconds(digits: &[u8]) -> u32 {
    (0..9).fold(0, |value, position| {
        value * 10 + digits.get(position).map_or(0, |digit| u32::from(digit - b'0'))
    })
}

fn days_in(year: i64, month: u32) -> u32 {
    match month {
        2 if year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) => 29,
        2 => 28,
        4 | 6 | 9 | 11 => 30,
        _ => 31,
    }
}

/// Returns the days since 1970 in the proleptic Gregorian calendar; years are counted from March, so that the leap day
/// is the last.
pub fn days_since_1970(year: i64, month: u32, day: u32) -> i64 {
    let year = if month <= 2 { year - 1 } else { year };
    let era = year.div_euclid(400);
    let year_of_era = year.rem_euclid(400);
    let day_of_year = i64::from((153 * ((month + 9) % 12) + 2) / 5 + day - 1);
    era * 146_097 + year_of_era * 365 + year_of_era / 4 - year_of_era / 100 + day_of_year - 719_468
}

/// Returns year, month and day of a day counted from 1970.
pub fn civil(days: i64) -> (i64, i64, i64) {
    let days = days + 719_468;
    let era = days.div_euclid(146_097);
    let day_of_era = days.rem_euclid(146_097);
    let year_of_era = (day_of_era - day_of_era / 1460 + day_of_era / 36524 - day_of_era / 146_096) / 365;
    let day_of_year = day_of_era - (365 * year_of_era + year_of_era / 4 - year_of_era / 100);
    let month = (5 * day_of_year + 2) / 153;
    let day = day_of_year - (153 * month + 2) / 5 + 1;
    let month = if month < 10 { month + 3 } else { month - 9 };
    (era * 400 + year_of_era + i64::from(month <= 2), month, day)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn writes_times_in_utc() {
        let cases = [
            ("2026-01-01T00:00:00Z", Some("2026-01-01T00:00:00Z")),
            ("2024-02-29T23:30:00.75-01:00", Some("2024-03-01T00:30:00Z")),
            ("1969-12-31T23:59:59Z", Some("1969-12-31T23:59:59Z")),
            ("0001-01-01T00:00:00Z", None),
        ];
        for (text, expected) in cases {
            assert_eq!(to_the_second(text), Ok(expected.map(str::to_owned)), "{text}");
        }
        let micro = "2026-01-01T00:00:00.123456Z";
        assert_eq!(to_the_microsecond(micro), Ok(Some(micro.to_owned())));
    }

    #[test]
    fn words_errors_as_go_does() {
        let layout = "\"2006-01-02T15:04:05Z07:00\"";
        let cases = [
            ("tomorrow", format!(" as {layout}: cannot parse \"tomorrow\" as \"2006\"")),
            ("", format!(" as {layout}: cannot parse \"\" as \"2006\"")),
            ("2026-01-01", format!(" as {layout}: cannot parse \"\" as \"T\"")),
            ("2026-1-01", format!(" as {layout}: cannot parse \"1-01\" as \"01\"")),
            ("2026-01-01T00:00:00", format!(" as {layout}: cannot parse \"\" as \"Z07:00\"")),
            ("2026-13-01T00:00:00Z", ": month out of range".to_owned()),
            ("2026-02-30T00:00:00Z", ": day out of range".to_owned()),
            ("2026-02-03T24:00:00Z", ": hour out of range".to_owned()),
            ("2026-02-03T00:00:00Zx", ": extra text: \"x\"".to_owned()),
        ];
        for (text, expected) in cases {
            assert_eq!(to_the_second(text), Err(format!("parsing time \"{text}\"{expected}")));
        }
        assert_eq!(
            to_the_microsecond("2026-01-01T00:00:00Z"),
            Err("parsing time \"2026-01-01T00:00:00Z\" as \"2006-01-02T15:04:05.000000Z07:00\": \
                 cannot parse \"Z\" as \".000000\""
                .to_owned())
        );
    }
}
