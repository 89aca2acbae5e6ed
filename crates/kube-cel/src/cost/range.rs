//! Estimates: at least so much, and at most so much.

/// A size or a cost that lies between two bounds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct Range {
    pub(super) least: u64,
    pub(super) most: u64,
}

impl Range {
    pub(super) const NOTHING: Self = Self::of(0);
    pub(super) const UNKNOWN: Self = Self { least: 0, most: u64::MAX };
    /// The start value, which the first estimate that joins it replaces.
    pub(super) const NONE_YET: Self = Self { least: u64::MAX, most: 0 };

    pub(super) const fn of(value: u64) -> Self {
        Self { least: value, most: value }
    }

    pub(super) fn plus(self, other: Self) -> Self {
        Self { least: self.least.saturating_add(other.least), most: self.most.saturating_add(other.most) }
    }

    pub(super) fn times(self, other: Self) -> Self {
        Self { least: self.least.saturating_mul(other.least), most: self.most.saturating_mul(other.most) }
    }

    pub(super) fn times_factor(self, factor: f64) -> Self {
        Self { least: scale(self.least, factor), most: scale(self.most, factor) }
    }

    pub(super) fn join(self, other: Self) -> Self {
        Self { least: self.least.min(other.least), most: self.most.max(other.most) }
    }
}

/// Rounds up; saturates.
#[expect(
    clippy::cast_precision_loss,
    clippy::cast_possible_truncation,
    clippy::cast_sign_loss,
    reason = "upstream counts in doubles, and the result is not negative"
)]
fn scale(value: u64, factor: f64) -> u64 {
    (value as f64 * factor).ceil() as u64
}
