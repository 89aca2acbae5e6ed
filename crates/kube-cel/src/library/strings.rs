//! Texts.
//!
//! Source: cel-go `ext/strings.go` of version 2.

use super::Function;
use super::format;
use crate::failure::Fault;
use crate::meter::Meter;
use crate::printed;
use crate::value::Outcome;
use crate::value::Value;
use gotext::pointer::escape;

pub(super) fn overload(identity: &str) -> Option<Function> {
    Some(match identity {
        "string_char_at_int" => char_at,
        "string_index_of_string" => |_, arguments| match arguments {
            [Value::String(text), Value::String(part)] => index_of(text, part, 0),
            _ => Err(Fault::no_such_overload()),
        },
        "string_index_of_string_int" => |_, arguments| match arguments {
            [Value::String(text), Value::String(part), Value::Int(offset)] => index_of(text, part, *offset),
            _ => Err(Fault::no_such_overload()),
        },
        "string_last_index_of_string" => |_, arguments| match arguments {
            [Value::String(text), Value::String(part)] => last_index_of(text, part, None),
            _ => Err(Fault::no_such_overload()),
        },
        "string_last_index_of_string_int" => |_, arguments| match arguments {
            [Value::String(text), Value::String(part), Value::Int(offset)] => {
                last_index_of(text, part, Some(*offset))
            }
            _ => Err(Fault::no_such_overload()),
        },
        "string_lower_ascii" => |_, arguments| text(arguments, str::to_ascii_lowercase),
        "string_upper_ascii" => |_, arguments| text(arguments, str::to_ascii_uppercase),
        "string_trim" => |_, arguments| text(arguments, |text| text.trim().to_owned()),
        "strings_quote" => |_, arguments| text(arguments, quote),
        "string_replace_string_string" | "string_replace_string_string_int" => replace,
        "string_split_string" | "string_split_string_int" => split,
        "string_substring_int" | "string_substring_int_int" => substring,
        "list_join" | "list_join_string" => join,
        "string_format" => |meter, arguments| match arguments {
            [Value::String(text), Value::List(list)] => format::format(meter, text, list),
            _ => Err(Fault::no_such_overload()),
        },
        "string_jsonpatch_escapeKey_string" => {
            |_, arguments| text(arguments, |text| escape(text).into_owned())
        }
        _ => return None,
    })
}

fn text<'a>(arguments: &[Value<'a>], change: fn(&str) -> String) -> Outcome<'a> {
    match arguments.first() {
        Some(Value::String(text)) => Ok(Value::text(change(text))),
        _ => Err(Fault::no_such_overload()),
    }
}

fn out_of_range<T>(index: i64) -> Result<T, Fault> {
    Err(Fault::new(format!("index out of range: {index}")))
}

fn as_int(value: usize) -> Value<'static> {
    Value::Int(i64::try_from(value).unwrap_or(i64::MAX))
}

/// Returns the byte at which a character begins, or at which the text ends.
fn byte_of(text: &str, character: i64) -> Option<usize> {
    let position = usize::try_from(character).ok()?;
    let starts = text.char_indices().map(|(start, _)| start).chain([text.len()]);
    starts.into_iter().nth(position)
}

fn char_at<'a>(_: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::String(text), Value::Int(index)] = arguments else {
        return Err(Fault::no_such_overload());
    };
    let Some(start) = byte_of(text, *index) else { return out_of_range(*index) };
    Ok(Value::text(text[start..].chars().next().map(String::from).unwrap_or_default()))
}

fn index_of<'a>(text: &str, part: &str, offset: i64) -> Outcome<'a> {
    if part.is_empty() {
        return Ok(Value::Int(offset));
    }
    if offset < 0 {
        return out_of_range(offset);
    }
    let found = byte_of(text, offset).and_then(|start| Some(start + text[start..].find(part)?));
    Ok(found.map_or(Value::Int(-1), |byte| as_int(text[..byte].chars().count())))
}

fn last_index_of<'a>(text: &str, part: &str, offset: Option<i64>) -> Outcome<'a> {
    let length = i64::try_from(text.chars().count()).unwrap_or(i64::MAX);
    if part.is_empty() {
        return Ok(Value::Int(offset.unwrap_or(length)));
    }
    if offset.is_none() && text.len() < part.len() {
        return Ok(Value::Int(-1));
    }
    let offset = offset.unwrap_or(length - 1);
    if offset < 0 {
        return out_of_range(offset);
    }
    if offset >= length {
        return Ok(Value::Int(-1));
    }
    let part_length = i64::try_from(part.chars().count()).unwrap_or(i64::MAX);
    let end = byte_of(text, offset.saturating_add(part_length)).unwrap_or(text.len());
    let found = text[..end].rfind(part);
    Ok(found.map_or(Value::Int(-1), |byte| as_int(text[..byte].chars().count())))
}

fn quote(text: &str) -> String {
    let mut quoted = String::with_capacity(text.len() + 2);
    quoted.push('"');
    for character in text.chars() {
        match character {
            '\u{7}' => quoted += "\\a",
            '\u{8}' => quoted += "\\b",
            '\u{c}' => quoted += "\\f",
            '\n' => quoted += "\\n",
            '\r' => quoted += "\\r",
            '\t' => quoted += "\\t",
            '\u{b}' => quoted += "\\v",
            '\\' => quoted += "\\\\",
            '"' => quoted += "\\\"",
            other => quoted.push(other),
        }
    }
    quoted.push('"');
    quoted
}

/// Returns the third or fourth argument: the limit; negative numbers mean none.
fn bound(argument: Option<&Value>) -> Option<usize> {
    match argument {
        Some(Value::Int(count)) => Some(usize::try_from(*count).unwrap_or(usize::MAX)),
        _ => None,
    }
}

fn replace<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::String(text), Value::String(old), Value::String(new), rest @ ..] = arguments else {
        return Err(Fault::no_such_overload());
    };
    let count = bound(rest.first()).unwrap_or(usize::MAX);
    let found = text.matches(&**old).take(count).count();
    meter.charge_text(text.len().saturating_add(found.saturating_mul(new.len())))?;
    Ok(Value::text(text.replacen(&**old, new, count)))
}

fn split<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let [Value::String(text), Value::String(separator), rest @ ..] = arguments else {
        return Err(Fault::no_such_overload());
    };
    let count = bound(rest.first()).unwrap_or(usize::MAX);
    if count == 0 {
        return Ok(Value::list(Vec::new()));
    }
    meter.charge_items(text.len())?;
    if !separator.is_empty() {
        return Ok(Value::texts(text.splitn(count, &**separator).map(ToOwned::to_owned)));
    }
    let mut parts = Vec::new();
    let mut left = &**text;
    while let Some(first) = left.chars().next() {
        let length = if parts.len() + 1 == count { left.len() } else { first.len_utf8() };
        let (part, after) = left.split_at(length);
        parts.push(part.to_owned());
        left = after;
    }
    Ok(Value::texts(parts))
}

fn substring<'a>(_: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let (text, start, end) = match arguments {
        [Value::String(text), Value::Int(start)] => (text, *start, None),
        [Value::String(text), Value::Int(start), Value::Int(end)] => (text, *start, Some(*end)),
        _ => return Err(Fault::no_such_overload()),
    };
    if let Some(end) = end
        && start > end
    {
        return Err(Fault::new(format!("invalid substring range. start: {start}, end: {end}")));
    }
    let Some(first) = byte_of(text, start) else { return out_of_range(start) };
    let last = match end {
        None => text.len(),
        Some(end) => match byte_of(text, end) {
            Some(last) => last,
            None => return out_of_range(end),
        },
    };
    Ok(Value::text(&text[first..last]))
}

fn join<'a>(meter: &Meter, arguments: &[Value<'a>]) -> Outcome<'a> {
    let (list, separator) = match arguments {
        [Value::List(list)] => (list, ""),
        [Value::List(list), Value::String(separator)] => (list, &**separator),
        _ => return Err(Fault::no_such_overload()),
    };
    let mut joined = String::new();
    for (index, item) in list.iter().enumerate() {
        meter.charge(1)?;
        let Value::String(item) = &item else {
            return Err(Fault::new(format!("join: invalid input: {}", printed::print(&item))));
        };
        if index > 0 {
            joined += separator;
        }
        joined += item;
        meter.charge_text(joined.len() / 16)?;
    }
    Ok(Value::text(joined))
}
