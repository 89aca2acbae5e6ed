//! Format strings: whether each clause fits its argument.

use crate::Checked;
use crate::ast::{Expr, ExprId};
use crate::types::Type;

/// The faulty argument, unless it is the format string itself, and the error.
type Misuse = (Option<ExprId>, String);

/// Checks the arguments of a format string that is constant, where their types are known.
pub(super) fn check(text: &str, arguments: &[ExprId], checked: &Checked) -> Result<(), Misuse> {
    let mut rest = text;
    let mut used = 0;
    while let Some(percent) = rest.find('%') {
        rest = &rest[percent + 1..];
        if let Some(after) = rest.strip_prefix('%') {
            rest = after;
            continue;
        }
        if rest.is_empty() {
            return Err((None, "unexpected end of string".to_owned()));
        }
        let argument = arguments.get(used).ok_or_else(|| (None, format!("index {used} out of range")))?;
        let (clause, after) =
            clause(rest).map_err(|error| (None, format!("could not parse formatting clause: {error}")))?;
        rest = after;
        fits(clause, *argument, checked)
            .map_err(|(place, error)| (Some(place), format!("error during formatting: {error}")))?;
        used += 1;
    }
    if arguments.len() > used {
        let count = arguments.len();
        let message = format!("too many arguments supplied to string.format (expected {used}, got {count})");
        return Err((None, message));
    }
    Ok(())
}

/// Returns the letter of a clause, after its precision, and what follows.
fn clause(text: &str) -> Result<(char, &str), String> {
    let mut rest = text;
    if let Some(precision) = text.strip_prefix('.') {
        rest = precision.trim_start_matches(|digit: char| digit.is_ascii_digit());
        let digits = &precision[..precision.len() - rest.len()];
        if rest.is_empty() {
            return Err("error while parsing precision: could not find end of precision specifier".to_owned());
        }
        if let Err(error) = digits.parse::<i64>() {
            let reason = match error.kind() {
                std::num::IntErrorKind::PosOverflow => "value out of range",
                _ => "invalid syntax",
            };
            return Err(format!(
                "error while parsing precision: error while converting precision to integer: strconv.Atoi: parsing \"{digits}\": {reason}"
            ));
        }
    }
    // Go takes the clause from a single byte.
    let letter = char::from(rest.as_bytes()[0]);
    match letter {
        's' | 'd' | 'f' | 'e' | 'b' | 'x' | 'X' | 'o' => Ok((letter, &rest[1..])),
        _ => Err(format!("unrecognized formatting clause \"{letter}\"")),
    }
}

fn fits(clause: char, argument: ExprId, checked: &Checked) -> Result<(), (ExprId, String)> {
    let is = |wanted: fn(&Type) -> bool| {
        let found = checked.type_of(argument);
        *found == Type::Dyn || wanted(found)
    };
    let (is_fit, wanted) = match clause {
        's' => return prints(argument, checked),
        'd' => (
            is(|found| matches!(found, Type::Int | Type::Uint)),
            "decimal clause can only be used on integers",
        ),
        'f' => (
            is(|found| matches!(found, Type::Double | Type::String)),
            "fixed-point clause can only be used on doubles",
        ),
        'e' => (
            is(|found| matches!(found, Type::Double | Type::String)),
            "scientific clause can only be used on doubles",
        ),
        'b' => (
            is(|found| matches!(found, Type::Int | Type::Uint | Type::Bool)),
            "only integers and bools can be formatted as binary",
        ),
        'o' => {
            (is(|found| matches!(found, Type::Int | Type::Uint)), "octal clause can only be used on integers")
        }
        _ => (
            is(|found| matches!(found, Type::Int | Type::Uint | Type::String | Type::Bytes)),
            "only integers, byte buffers, and strings can be formatted as hex",
        ),
    };
    if is_fit {
        return Ok(());
    }
    Err((argument, format!("{wanted}, was given {}", checked.type_of(argument).name())))
}

/// Whether `%s` can print a value, with everything in it.
fn prints(argument: ExprId, checked: &Checked) -> Result<(), (ExprId, String)> {
    const WANTED: &str = "string clause can only be used on strings, bools, bytes, ints, doubles, maps, lists, types, \
                          durations, and timestamps";
    let found = checked.type_of(argument);
    let is_printable = !matches!(
        found,
        Type::Any | Type::Opaque(..) | Type::Object(_) | Type::Parameter(_) | Type::Error | Type::Unspecified
    );
    if !is_printable {
        return Err((argument, format!("{WANTED}, was given {}", found.name())));
    }
    match checked.ast().expr(argument) {
        Expr::List { .. } | Expr::Map(_) => {
            checked.ast().children(argument).into_iter().try_for_each(|inner| prints(inner, checked))
        }
        _ => Ok(()),
    }
}
