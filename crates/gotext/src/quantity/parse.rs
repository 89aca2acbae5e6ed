//! The spelling of quantities.
//!
//! Source: `ParseQuantity` and `suffixHandler`.

use super::amount::Amount;
use super::decimal::Decimal;
use super::natural::Natural;
use super::{Format, Quantity, QuantityError};

/// As many digits always fit 64 bits.
const MAX_SMALL_DIGITS: i64 = 18;
/// The finest power of ten.
const NANO: i32 = -9;

pub(super) fn parse(text: &str) -> Result<Quantity, QuantityError> {
    if text.is_empty() {
        return Err(QuantityError::Format);
    }
    let parts = Parts::of(text.as_bytes())?;
    let suffix = Suffix::of(parts.suffix).ok_or(QuantityError::Suffix)?;
    if let Some(quantity) = parse_small(text, &parts, suffix) {
        return Ok(quantity);
    }
    parse_large(&parts, suffix)
}

/// The parts of a spelling; leading zeros belong to none.
struct Parts<'a> {
    negative: bool,
    /// `0` if there are only zeros, or no digits at all.
    whole: &'a [u8],
    fraction: &'a [u8],
    /// Whether there is a digit, even if only a leading zero.
    has_digits: bool,
    suffix: &'a str,
}

impl<'a> Parts<'a> {
    fn of(text: &'a [u8]) -> Result<Self, QuantityError> {
        let negative = text.starts_with(b"-");
        let number = after_sign(text);
        let zeros = number.iter().take_while(|byte| **byte == b'0').count();
        let (whole, rest) = split_digits(&number[zeros..]);
        let (fraction, suffix) = match rest {
            [b'.', rest @ ..] => split_digits(rest),
            _ => (&rest[..0], rest),
        };
        let symbols = suffix.iter().take_while(|byte| b"eEinumkKMGTP".contains(byte)).count();
        let exponent = after_sign(&suffix[symbols..]);
        if !exponent.iter().all(u8::is_ascii_digit) {
            return Err(QuantityError::Format);
        }
        Ok(Self {
            negative,
            whole: if whole.is_empty() { b"0" } else { whole },
            fraction,
            has_digits: zeros + whole.len() + fraction.len() > 0,
            suffix: std::str::from_utf8(suffix).map_err(|_| QuantityError::Format)?,
        })
    }

    fn digits(&self) -> i64 {
        i64::try_from(self.whole.len() + self.fraction.len()).unwrap_or(i64::MAX)
    }

    /// Returns the digits without the point.
    fn shifted(&self) -> impl DoubleEndedIterator<Item = &'a u8> + use<'a> {
        self.whole.iter().chain(self.fraction)
    }
}

/// The factor that a quantity is multiplied with.
#[derive(Clone, Copy)]
enum Suffix {
    Decimal {
        exponent: i32,
        format: Format,
    },
    /// A power of two.
    Binary(u32),
}

impl Suffix {
    fn of(text: &str) -> Option<Self> {
        let decimal = |exponent| Some(Self::Decimal { exponent, format: Format::DecimalSi });
        match text {
            "" => decimal(0),
            "n" => decimal(-9),
            "u" => decimal(-6),
            "m" => decimal(-3),
            "k" => decimal(3),
            "M" => decimal(6),
            "G" => decimal(9),
            "T" => decimal(12),
            "P" => decimal(15),
            "E" => decimal(18),
            "Ki" => Some(Self::Binary(10)),
            "Mi" => Some(Self::Binary(20)),
            "Gi" => Some(Self::Binary(30)),
            "Ti" => Some(Self::Binary(40)),
            "Pi" => Some(Self::Binary(50)),
            "Ei" => Some(Self::Binary(60)),
            _ => {
                let exponent: i64 = text.strip_prefix(['e', 'E'])?.parse().ok()?;
                #[expect(clippy::cast_possible_truncation, reason = "Go keeps the low 32 bits")]
                let exponent = exponent as i32;
                Some(Self::Decimal { exponent, format: Format::DecimalExponent })
            }
        }
    }
}

/// Parses the fast way: everything fits 64 bits and a power of ten.
fn parse_small(text: &str, parts: &Parts, suffix: Suffix) -> Option<Quantity> {
    let (exponent, factor, precision, format) = match suffix {
        Suffix::Decimal { exponent, format } => (exponent, 1, MAX_SMALL_DIGITS - parts.digits(), format),
        Suffix::Binary(power) if parts.fraction.is_empty() => {
            // A power of two has about 3 decimal digits in 10 bits.
            let precision = 15 - parts.digits() - i64::from(power * 3 / 10) - 1;
            (0, 1_i64 << power, precision, Format::BinarySi)
        }
        Suffix::Binary(_) => return None,
    };
    if precision < 0 {
        return None;
    }
    let exponent = exponent.checked_sub_unsigned(parts.fraction.len().try_into().ok()?)?;
    if exponent < NANO {
        return None;
    }
    let number = parts.shifted().fold(0, |number, digit| number * 10 + i64::from(digit - b'0'));
    let value = number.checked_mul(factor)?;
    let keeps_spelling = match format {
        Format::BinarySi => number % 8 != 0,
        Format::DecimalSi | Format::DecimalExponent => {
            exponent % 3 == 0
                && parts.whole[0] != b'0'
                && !(parts.digits() >= 3 && parts.shifted().rev().take(3).all(|digit| *digit == b'0'))
        }
    };
    Some(Quantity {
        amount: Amount::Small { value: if parts.negative { -value } else { value }, exponent },
        format,
        spelling: keeps_spelling.then(|| text.into()),
    })
}

fn parse_large(parts: &Parts, suffix: Suffix) -> Result<Quantity, QuantityError> {
    if !parts.has_digits {
        return Err(QuantityError::Numeric);
    }
    let mut magnitude = Natural::from_digits(parts.shifted());
    let mut exponent = -i64::try_from(parts.fraction.len()).map_err(|_| QuantityError::Numeric)?;
    let mut format = Format::BinarySi;
    match suffix {
        Suffix::Decimal { exponent: power, format: decimal } => {
            exponent += i64::from(power);
            format = decimal;
        }
        Suffix::Binary(power) => magnitude.multiply(1 << power),
    }
    // What is finer than a billionth is rounded up to it, so that a request for some is not one for none.
    let mut amount = Decimal { negative: false, magnitude, exponent };
    if !amount.is_zero() {
        amount = amount.round_up(i64::from(NANO)).0;
    }
    if format == Format::BinarySi {
        let max = Decimal::from_scaled(i64::MAX, 0);
        if amount.compare(&max).is_gt() {
            amount = max;
        }
        if amount.compare(&Decimal::from_scaled(1, 0)).is_lt() && !amount.is_zero() {
            format = Format::DecimalSi;
        }
    }
    amount.negative = parts.negative;
    Ok(Quantity { amount: Amount::large(amount), format, spelling: None })
}

fn split_digits(text: &[u8]) -> (&[u8], &[u8]) {
    text.split_at(text.iter().take_while(|byte| byte.is_ascii_digit()).count())
}

fn after_sign(text: &[u8]) -> &[u8] {
    match text {
        [b'-' | b'+', rest @ ..] => rest,
        _ => text,
    }
}
