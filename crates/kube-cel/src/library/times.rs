//! The parts of times and of spans of time.
//!
//! Source: cel-go `common/stdlib/standard.go`.

use super::Function;
use crate::failure::Fault;
use crate::time::Date;
use crate::value::Outcome;
use crate::value::Value;

const SECOND: i64 = 1_000_000_000;

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "timestamp_to_year" | "timestamp_to_year_with_tz" => |_, arguments| date(arguments, |date| date.year),
        "timestamp_to_month" | "timestamp_to_month_with_tz" => {
            |_, arguments| date(arguments, |date| date.month - 1)
        }
        "timestamp_to_day_of_year" | "timestamp_to_day_of_year_with_tz" => {
            |_, arguments| date(arguments, |date| date.day_of_year)
        }
        "timestamp_to_day_of_month" | "timestamp_to_day_of_month_with_tz" => {
            |_, arguments| date(arguments, |date| date.day - 1)
        }
        "timestamp_to_day_of_month_1_based" | "timestamp_to_day_of_month_1_based_with_tz" => {
            |_, arguments| date(arguments, |date| date.day)
        }
        "timestamp_to_day_of_week" | "timestamp_to_day_of_week_with_tz" => {
            |_, arguments| date(arguments, |date| date.weekday)
        }
        "timestamp_to_hours" | "timestamp_to_hours_with_tz" => {
            |_, arguments| date(arguments, |date| date.hour)
        }
        "timestamp_to_minutes" | "timestamp_to_minutes_with_tz" => {
            |_, arguments| date(arguments, |date| date.minute)
        }
        "timestamp_to_seconds" | "timestamp_to_seconds_tz" => {
            |_, arguments| date(arguments, |date| date.second)
        }
        "timestamp_to_milliseconds" | "timestamp_to_milliseconds_with_tz" => milliseconds,
        "duration_to_hours" => |_, arguments| whole(arguments, 3600 * SECOND),
        "duration_to_minutes" => |_, arguments| whole(arguments, 60 * SECOND),
        "duration_to_seconds" => |_, arguments| whole(arguments, SECOND),
        "duration_to_milliseconds" => |_, arguments| whole(arguments, SECOND / 1000),
        _ => return None,
    })
}

/// Returns a part of a date, in UTC or in the zone that the second argument names.
fn date<'a>(arguments: &[Value<'a>], part: fn(Date) -> i64) -> Outcome<'a> {
    let (time, zone) = match arguments {
        [Value::Timestamp(time)] => (time, "UTC"),
        [Value::Timestamp(time), Value::String(zone)] => (time, &**zone),
        _ => return Err(Fault::no_such_overload()),
    };
    Ok(Value::Int(part(time.date_in(zone)?)))
}

fn milliseconds<'a>(_: &crate::meter::Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    // The zone does not matter, but it must be valid.
    date(arguments, |date| date.second)?;
    match &arguments[0] {
        Value::Timestamp(time) => Ok(Value::Int(time.milliseconds())),
        _ => Err(Fault::no_such_overload()),
    }
}

fn whole<'a>(arguments: &[Value<'a>], unit: i64) -> Outcome<'a> {
    match arguments {
        [Value::Duration(duration)] => Ok(Value::Int(duration.whole(unit))),
        _ => Err(Fault::no_such_overload()),
    }
}
