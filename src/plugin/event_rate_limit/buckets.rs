//! Token buckets that refill over time, of which a limited number is kept.
//!
//! Source: `golang.org/x/time/rate`, `k8s.io/utils/lru`.

use std::collections::{BTreeMap, HashMap};
use std::time::Duration;

use super::configuration::Limit;

/// The buckets of one limit.
pub(super) struct Buckets {
    tokens_per_second: f64,
    burst: f64,
    /// The number of buckets to keep.
    size: usize,
    by_key: HashMap<String, Bucket>,
    /// Keys by their last use.
    uses: BTreeMap<u64, String>,
    next_use: u64,
}

struct Bucket {
    tokens: f64,
    /// When `tokens` were counted.
    counted_at: Duration,
    last_use: u64,
}

impl Buckets {
    pub(super) fn new(limit: &Limit) -> Self {
        Self {
            tokens_per_second: limit.qps.into(),
            burst: limit.burst.into(),
            size: limit.cache_size,
            by_key: HashMap::new(),
            uses: BTreeMap::new(),
            next_use: 0,
        }
    }

    /// Takes a token from the bucket `key`, if it has one at `time`.
    pub(super) fn take(&mut self, key: &str, time: Duration) -> bool {
        let (tokens_per_second, burst) = (self.tokens_per_second, self.burst);
        self.bucket(key, time).take(tokens_per_second, burst, time)
    }

    fn bucket(&mut self, key: &str, time: Duration) -> &mut Bucket {
        let this_use = self.next_use;
        self.next_use += 1;
        let full = Bucket { tokens: self.burst, counted_at: time, last_use: this_use };
        let bucket = self.by_key.entry(key.to_owned()).or_insert(full);
        self.uses.remove(&bucket.last_use);
        self.uses.insert(this_use, key.to_owned());
        bucket.last_use = this_use;
        if self.uses.len() > self.size
            && let Some((_, oldest)) = self.uses.pop_first()
        {
            self.by_key.remove(&oldest);
        }
        self.by_key.get_mut(key).expect("of at least one bucket the newest is kept")
    }
}

impl Bucket {
    /// Takes a token. If less is missing than is gained in a nanosecond, that is rounding; Go does not count shorter
    /// waits.
    fn take(&mut self, tokens_per_second: f64, burst: f64, time: Duration) -> bool {
        let elapsed = time.saturating_sub(self.counted_at).as_secs_f64();
        let left = (self.tokens + elapsed * tokens_per_second).min(burst) - 1.0;
        let is_enough = left >= 0.0 || -left / tokens_per_second * 1e9 < 1.0;
        if is_enough {
            self.tokens = left;
            self.counted_at = time;
        }
        is_enough
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plugin::event_rate_limit::configuration::LimitType;

    fn buckets(qps: i32, cache_size: usize) -> Buckets {
        Buckets::new(&Limit { kind: LimitType::User, qps, burst: 1, cache_size })
    }

    #[test]
    fn a_bucket_that_was_forgotten_is_full_again() {
        let mut buckets = buckets(1, 2);
        let mut take = |key| buckets.take(key, Duration::ZERO);
        assert!(take("a") && take("b") && !take("a"));
        assert!(take("c"), "forgets b, which was used longest ago");
        assert!(!take("a") && take("b"));
    }

    #[test]
    fn every_third_of_a_second_gives_a_token_of_three() {
        let mut buckets = buckets(3, 1);
        let thirds = (0..300_u32).map(|count| Duration::from_secs(count.into()) / 3);
        assert!(thirds.into_iter().all(|time| buckets.take("a", time)));
        assert!(!buckets.take("a", Duration::from_secs(100) - Duration::from_millis(1)));
    }
}
