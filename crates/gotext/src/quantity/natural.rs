//! Natural numbers of any size: just the arithmetic that quantities need.

use std::cmp::Ordering;
use std::fmt::Write as _;

/// As many decimal digits as always fit a limb.
const CHUNK_DIGITS: u32 = 18;

/// A natural number: limbs of 64 bits, the lowest first, without zeros at the top.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Natural(Vec<u64>);

impl Natural {
    /// Returns the number that ASCII digits spell; no digits are zero.
    pub(super) fn from_digits<'a>(digits: impl IntoIterator<Item = &'a u8>) -> Self {
        let mut number = Self(Vec::new());
        let (mut chunk, mut length) = (0, 0);
        for digit in digits {
            chunk = chunk * 10 + u64::from(digit - b'0');
            length += 1;
            if length == CHUNK_DIGITS {
                number.multiply_and_add(10_u64.pow(length), chunk);
                (chunk, length) = (0, 0);
            }
        }
        number.multiply_and_add(10_u64.pow(length), chunk);
        number
    }

    pub(super) fn is_zero(&self) -> bool {
        self.0.is_empty()
    }

    /// Returns the number modulo 2^64.
    pub(super) fn low_bits(&self) -> u64 {
        self.0.first().copied().unwrap_or_default()
    }

    pub(super) fn as_u64(&self) -> Option<u64> {
        (self.0.len() <= 1).then(|| self.low_bits())
    }

    pub(super) fn multiply(&mut self, factor: u64) {
        self.multiply_and_add(factor, 0);
    }

    pub(super) fn multiply_by_power_of_ten(&mut self, power: u32) {
        if self.is_zero() {
            return;
        }
        for _ in 0..power / CHUNK_DIGITS {
            self.multiply(10_u64.pow(CHUNK_DIGITS));
        }
        self.multiply(10_u64.pow(power % CHUNK_DIGITS));
    }

    /// Divides and returns the remainder.
    pub(super) fn divide(&mut self, divisor: u64) -> u64 {
        let mut remainder = 0;
        for limb in self.0.iter_mut().rev() {
            let dividend = u128::from(remainder) << 64 | u128::from(*limb);
            *limb = low(dividend / u128::from(divisor));
            remainder = low(dividend % u128::from(divisor));
        }
        self.trim();
        remainder
    }

    /// Divides, rounding down, and returns whether there was no remainder.
    pub(super) fn divide_by_power_of_ten(&mut self, power: u64) -> bool {
        let mut exact = true;
        let mut power = power;
        while power > 0 && !self.is_zero() {
            let step = power.min(u64::from(CHUNK_DIGITS));
            exact &= self.divide(10_u64.pow(step.try_into().expect("at most a chunk"))) == 0;
            power -= step;
        }
        exact
    }

    /// Divides by `divisor` as often as there is no remainder, and returns that number of times.
    pub(super) fn remove_factors(&mut self, divisor: u64) -> u32 {
        let mut times = 0;
        while !self.is_zero() {
            let mut quotient = self.clone();
            if quotient.divide(divisor) != 0 {
                break;
            }
            *self = quotient;
            times += 1;
        }
        times
    }

    pub(super) fn add(&mut self, other: &Self) {
        self.0.resize(self.0.len().max(other.0.len()), 0);
        let mut carry = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let addend = other.0.get(index).copied().unwrap_or_default();
            let (sum, overflow) = limb.overflowing_add(addend);
            let (sum, overflow_of_carry) = sum.overflowing_add(u64::from(carry));
            *limb = sum;
            carry = overflow || overflow_of_carry;
        }
        if carry {
            self.0.push(1);
        }
    }

    /// Subtracts a number that is not greater.
    pub(super) fn subtract(&mut self, other: &Self) {
        let mut borrow = false;
        for (index, limb) in self.0.iter_mut().enumerate() {
            let subtrahend = other.0.get(index).copied().unwrap_or_default();
            let (difference, underflow) = limb.overflowing_sub(subtrahend);
            let (difference, underflow_of_borrow) = difference.overflowing_sub(u64::from(borrow));
            *limb = difference;
            borrow = underflow || underflow_of_borrow;
        }
        debug_assert!(!borrow, "the subtrahend is not greater");
        self.trim();
    }

    /// Returns the number of decimal digits; zero has none.
    pub(super) fn digits(&self) -> usize {
        if self.is_zero() { 0 } else { self.to_string().len() }
    }

    fn multiply_and_add(&mut self, factor: u64, addend: u64) {
        let mut carry = addend;
        for limb in &mut self.0 {
            let product = u128::from(*limb) * u128::from(factor) + u128::from(carry);
            *limb = low(product);
            carry = low(product >> 64);
        }
        if carry > 0 {
            self.0.push(carry);
        }
    }

    fn trim(&mut self) {
        while self.0.last() == Some(&0) {
            self.0.pop();
        }
    }
}

impl From<u64> for Natural {
    fn from(value: u64) -> Self {
        let mut number = Self(vec![value]);
        number.trim();
        number
    }
}

impl Ord for Natural {
    fn cmp(&self, other: &Self) -> Ordering {
        self.0.len().cmp(&other.0.len()).then_with(|| self.0.iter().rev().cmp(other.0.iter().rev()))
    }
}

impl PartialOrd for Natural {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl std::fmt::Display for Natural {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let mut rest = self.clone();
        let mut chunks = vec![rest.divide(10_u64.pow(CHUNK_DIGITS))];
        while !rest.is_zero() {
            chunks.push(rest.divide(10_u64.pow(CHUNK_DIGITS)));
        }
        let mut text = String::with_capacity(chunks.len() * 18);
        for chunk in chunks.into_iter().rev() {
            if text.is_empty() { write!(text, "{chunk}")? } else { write!(text, "{chunk:018}")? }
        }
        formatter.write_str(&text)
    }
}

#[expect(clippy::cast_possible_truncation, reason = "the low half is what is asked for")]
fn low(value: u128) -> u64 {
    value as u64
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn natural(value: u128) -> Natural {
        Natural::from_digits(value.to_string().as_bytes())
    }

    proptest! {
        #[test]
        fn computes_as_128_bits_do(left: u128, right: u128, small in 1..u64::MAX, power in 0_u32..18) {
            let (low, high) = (left.min(right) / 2, left.max(right) / 2);
            prop_assert_eq!(natural(left).to_string(), left.to_string());
            prop_assert_eq!(natural(low).cmp(&natural(high)), low.cmp(&high));

            let mut sum = natural(low);
            sum.add(&natural(high));
            prop_assert_eq!(&sum, &natural(low + high));
            sum.subtract(&natural(low));
            prop_assert_eq!(&sum, &natural(high));

            let mut quotient = natural(left);
            prop_assert_eq!(u128::from(quotient.divide(small)), left % u128::from(small));
            prop_assert_eq!(&quotient, &natural(left / u128::from(small)));
            quotient.multiply(small);
            prop_assert_eq!(&quotient, &natural(left - left % u128::from(small)));

            quotient.multiply_by_power_of_ten(power * 3);
            prop_assert!(quotient.divide_by_power_of_ten(u64::from(power) * 3));
            prop_assert_eq!(&quotient, &natural(left - left % u128::from(small)));
        }
    }
}
