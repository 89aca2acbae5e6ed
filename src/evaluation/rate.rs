//! The rate of a run's requests: the clock of plugins that limit rates.

use std::str::FromStr;
use std::time::Duration;

use thiserror::Error;

/// Requests per second; positive.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Rate(f64);

/// The error about a text that is not a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("must be a number of requests per second, such as 50 or 0.5")]
pub struct RateError;

impl Rate {
    /// Returns the time of the `ordinal`th request, counted from 1; the first one starts the clock.
    pub(super) fn time_of(self, ordinal: u64) -> Duration {
        #[expect(clippy::cast_precision_loss, reason = "no run has 2^52 requests")]
        let seconds = ordinal.saturating_sub(1) as f64 / self.0;
        Duration::try_from_secs_f64(seconds).unwrap_or(Duration::MAX)
    }
}

impl FromStr for Rate {
    type Err = RateError;

    fn from_str(text: &str) -> Result<Self, RateError> {
        let rate = text.parse().ok().filter(|rate: &f64| rate.is_finite() && *rate > 0.0);
        rate.map(Self).ok_or(RateError)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn requests_come_evenly() {
        let rate: Rate = "4".parse().unwrap();
        assert_eq!([1, 2, 5].map(|ordinal| rate.time_of(ordinal).as_millis()), [0, 250, 1000]);
        assert_eq!("1e-300".parse::<Rate>().unwrap().time_of(2), Duration::MAX);
    }

    #[test]
    fn no_rate_is_none() {
        for text in ["0", "-1", "NaN", "inf", "fast", ""] {
            assert_eq!(text.parse::<Rate>(), Err(RateError));
        }
    }
}
