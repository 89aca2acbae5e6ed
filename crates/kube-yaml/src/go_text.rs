//! Numbers and values as Go's `strconv`, `encoding/json` and `fmt` print them.

use std::fmt::Write;

use gotext::value::Number;

use gotext::quote;
use gotext::source::{Data, Node};

/// `strconv.FormatFloat(value, 'g', -1, 64)`.
pub(super) fn float_general(value: f64) -> String {
    general(&format!("{value:e}"), &format!("{value}"))
}

/// Returns `strconv.FormatFloat(value, 'g', -1, 32)`, which sigs.k8s.io/yaml uses for keys.
pub(super) fn float_key(value: f64) -> String {
    #[expect(clippy::cast_possible_truncation, reason = "keys are printed with 32 bits")]
    let short = value as f32;
    if short.is_nan() {
        return ".nan".to_owned();
    }
    if short.is_infinite() {
        return if short > 0.0 { ".inf" } else { "-.inf" }.to_owned();
    }
    general(&format!("{short:e}"), &format!("{short}"))
}

/// Returns the shorter of two shortest spellings of a number, chosen as Go's verb `g` does.
fn general(scientific: &str, decimal: &str) -> String {
    let (digits, exponent) = scientific.split_once('e').unwrap_or((scientific, "0"));
    let exponent: i32 = exponent.parse().unwrap_or(0);
    if (-4..6).contains(&exponent) || digits == "0" || digits == "-0" {
        return decimal.to_owned();
    }
    let sign = if exponent < 0 { '-' } else { '+' };
    format!("{digits}e{sign}{:02}", exponent.unsigned_abs())
}

/// Returns a finite `value` after a conversion through JSON text, in which a whole number of less than 22 digits is an
/// integer.
pub(super) fn through_json(value: f64) -> Option<Number> {
    if value.fract() == 0.0 && value.abs() < 1e21 {
        let text = value.to_string();
        if text == "-0" {
            return Some(Number::from(0));
        }
        if let Ok(integer) = text.parse::<i64>() {
            return Some(Number::from(integer));
        }
        if let Ok(integer) = text.parse::<u64>() {
            return Some(Number::from(integer));
        }
    }
    Number::from_f64(value)
}

/// Returns a value of go-yaml as Go's `%#v` prints it.
pub(super) fn go_syntax(node: &Node) -> String {
    let mut out = String::new();
    match node.data {
        Data::Null => out.push_str("<nil>"),
        _ => write_go_syntax(node, &mut out),
    }
    out
}

fn write_go_syntax(node: &Node, out: &mut String) {
    match &node.data {
        Data::Null => out.push_str("interface {}(nil)"),
        Data::Bool(value) => out.push_str(if *value { "true" } else { "false" }),
        Data::Number(value) => match (value.as_i64(), value.as_u64()) {
            (Some(value), _) => write!(out, "{value}").expect("writing to text never fails"),
            (None, Some(value)) => write!(out, "{value:#x}").expect("writing to text never fails"),
            (None, None) => out.push_str(&float_general(value.as_f64().unwrap_or_default())),
        },
        Data::String(value) => out.push_str(&quote(value)),
        Data::Array(items) => {
            out.push_str("[]interface {}{");
            for (position, item) in items.iter().enumerate() {
                if position > 0 {
                    out.push_str(", ");
                }
                write_go_syntax(item, out);
            }
            out.push('}');
        }
        Data::Object(entries) => {
            out.push_str("map[interface {}]interface {}{");
            let mut sorted: Vec<_> = entries.iter().collect();
            sorted.sort_by(|left, right| left.key.cmp(&right.key));
            for (position, entry) in sorted.into_iter().enumerate() {
                if position > 0 {
                    out.push_str(", ");
                }
                out.push_str(&quote(&entry.key));
                out.push(':');
                write_go_syntax(&entry.value, out);
            }
            out.push('}');
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn prints_floats_as_go_does() {
        assert_eq!(float_general(123_456_789.5), "1.234567895e+08");
        assert_eq!(float_general(100_000.5), "100000.5");
        assert_eq!(float_general(1e20), "1e+20");
        assert_eq!(float_general(0.000_01), "1e-05");
        assert_eq!(float_general(0.0001), "0.0001");
        assert_eq!(float_key(1.1), "1.1");
    }

    #[test]
    fn whole_floats_become_integers_in_json() {
        assert_eq!(through_json(1e3), Some(Number::from(1000)));
        assert_eq!(through_json(-0.0), Some(Number::from(0)));
        assert_eq!(
            through_json(9_223_372_036_854_775_808.0),
            Some(Number::from(9_223_372_036_854_776_000_u64))
        );
        assert_eq!(through_json(1e21), Number::from_f64(1e21));
        assert_eq!(through_json(f64::NAN), None);
    }
}
