//! Cron schedules, parsed to validate them and to find those that are never due.
//!
//! Source: `github.com/robfig/cron/v3`, `ParseStandard`, `SpecSchedule.Next`.

use gotext::{duration, quote};

pub(crate) struct Bounds {
    min: u32,
    max: u32,
    names: &'static [&'static str],
}

pub(crate) const FIELDS: [Bounds; 5] = [
    Bounds { min: 0, max: 59, names: &[] },
    Bounds { min: 0, max: 23, names: &[] },
    Bounds { min: 1, max: 31, names: &[] },
    Bounds {
        min: 1,
        max: 12,
        names: &["jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec"],
    },
    Bounds { min: 0, max: 6, names: &["sun", "mon", "tue", "wed", "thu", "fri", "sat"] },
];
const DESCRIPTORS: [&str; 7] =
    ["@yearly", "@annually", "@monthly", "@weekly", "@daily", "@midnight", "@hourly"];

/// Returns the error in a schedule, in the parser's words. A time zone prefix is not looked up.
pub(crate) fn parse_standard_schedule(schedule: &str) -> Result<(), String> {
    if schedule.is_empty() {
        return Err("empty spec string".to_owned());
    }
    let mut rest = schedule;
    if rest.starts_with("TZ=") || rest.starts_with("CRON_TZ=") {
        rest = rest.split_once(' ').map_or("", |(_, rest)| rest).trim();
    }
    parse_unzoned(rest)
}

/// Returns the error that the parser of servers before 1.22 has: it knows no time zones.
///
/// Source: `github.com/robfig/cron` 1.1, `ParseStandard`
pub(crate) fn parse_first_standard_schedule(schedule: &str) -> Result<(), String> {
    let count = schedule.split_whitespace().count();
    if !schedule.starts_with('@') && count != FIELDS.len() {
        return Err(format!("Expected exactly 5 fields, found {count}: {schedule}"));
    }
    parse_unzoned(schedule).map_err(|error| error[..1].to_uppercase() + &error[1..])
}

fn parse_unzoned(rest: &str) -> Result<(), String> {
    if rest.starts_with('@') {
        return parse_descriptor(rest);
    }
    let fields: Vec<&str> = rest.split_whitespace().collect();
    if fields.len() != FIELDS.len() {
        return Err(format!("expected exactly 5 fields, found {}: [{}]", fields.len(), fields.join(" ")));
    }
    for (field, bounds) in fields.iter().zip(&FIELDS) {
        for range in field.split(',').filter(|range| !range.is_empty()) {
            parse_range(range, bounds)?;
        }
    }
    Ok(())
}

/// Whether a valid schedule names days alone that no month has, such as 31 February.
pub fn is_never_due(schedule: &str) -> bool {
    const LONGEST: [u32; 12] = [31, 29, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31];
    let has_zone = schedule.starts_with("TZ=") || schedule.starts_with("CRON_TZ=");
    let fields: Vec<&str> = schedule.split_whitespace().skip(usize::from(has_zone)).collect();
    let [_, _, days, months, weekdays] = fields[..] else { return false };
    // Otherwise a day of the week is enough.
    let is_any_weekday = weekdays.split(',').any(|range| ["*", "?", "*/1", "?/1"].contains(&range));
    let ranges = |field: &str, bounds: &Bounds| -> Vec<Range> {
        field.split(',').filter_map(|range| parse_range(range, bounds).ok()).collect()
    };
    let first_day = ranges(days, &FIELDS[2]).iter().map(|range| range.start).min();
    let last = |month: u32| LONGEST.get(month as usize - 1).copied();
    let months: Vec<Range> = ranges(months, &FIELDS[3]);
    let mut months = months.iter().flat_map(|range| (range.start..=range.end).step_by(range.step));
    is_any_weekday
        && first_day.is_some_and(|day| months.all(|month| last(month).is_some_and(|last| day > last)))
}

/// The values of a part of a field.
struct Range {
    start: u32,
    end: u32,
    step: usize,
}

fn parse_descriptor(text: &str) -> Result<(), String> {
    if DESCRIPTORS.contains(&text) {
        return Ok(());
    }
    match text.strip_prefix("@every ") {
        None => Err(format!("unrecognized descriptor: {text}")),
        Some(span) if duration::parse(span).is_ok() => Ok(()),
        Some(span) => {
            let quoted = quote(span);
            Err(format!("failed to parse duration {text}: time: invalid duration {quoted}"))
        }
    }
}

fn parse_range(expression: &str, bounds: &Bounds) -> Result<Range, String> {
    let steps: Vec<&str> = expression.split('/').collect();
    let ends: Vec<&str> = steps[0].split('-').collect();
    let (start, mut end) = if ["*", "?"].contains(&ends[0]) {
        (bounds.min, bounds.max)
    } else {
        let start = parse_int_or_name(ends[0], bounds)?;
        match ends.as_slice() {
            [_] => (start, start),
            [_, end] => (start, parse_int_or_name(end, bounds)?),
            _ => return Err(format!("too many hyphens: {expression}")),
        }
    };
    let step = match steps.as_slice() {
        [_] => 1,
        [_, step] => {
            if ends.len() == 1 {
                end = bounds.max;
            }
            must_parse_int(step)?
        }
        _ => return Err(format!("too many slashes: {expression}")),
    };
    if start < bounds.min {
        return Err(format!("beginning of range ({start}) below minimum ({}): {expression}", bounds.min));
    }
    if end > bounds.max {
        return Err(format!("end of range ({end}) above maximum ({}): {expression}", bounds.max));
    }
    if start > end {
        return Err(format!("beginning of range ({start}) beyond end of range ({end}): {expression}"));
    }
    if step == 0 {
        return Err(format!("step of range should be a positive number: {expression}"));
    }
    Ok(Range { start, end, step: step as usize })
}

fn parse_int_or_name(text: &str, bounds: &Bounds) -> Result<u32, String> {
    let name = text.to_lowercase();
    match bounds.names.iter().position(|known| *known == name) {
        Some(position) => Ok(bounds.min + u32::try_from(position).unwrap_or_default()),
        None => must_parse_int(text),
    }
}

fn must_parse_int(text: &str) -> Result<u32, String> {
    match text.parse::<i64>() {
        Err(_) => Err(format!(
            "failed to parse int from {text}: strconv.Atoi: parsing {}: invalid syntax",
            quote(text)
        )),
        Ok(number) if number < 0 => Err(format!("negative number ({number}) not allowed: {text}")),
        Ok(number) => Ok(u32::try_from(number).unwrap_or(u32::MAX)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn some_days_never_come() {
        for (schedule, expected) in [
            ("59 23 31 2 *", true),
            ("0 0 31 apr,jun-jun,9/2 *", true),
            ("TZ=Europe/Berlin 0 0 30 2 ?", true),
            ("0 0 31 9/1 *", false),
            ("0 0 29 2 *", false),
            ("0 0 31 2 mon", false),
            ("0 0 1,31 2 *", false),
            ("* * * * *", false),
            ("@yearly", false),
        ] {
            assert_eq!(parse_standard_schedule(schedule), Ok(()), "{schedule}");
            assert_eq!(is_never_due(schedule), expected, "{schedule}");
        }
    }
}
