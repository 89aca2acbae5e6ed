//! Work on what one thread makes, while it makes more.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};

/// The batches that may wait for another thread. Beyond them, the one that makes them works on them itself.
const MAX_WAITING: usize = 4;

/// Returns what `work` makes of the batches that `make` hands over, in their order.
pub(super) fn map<Batch: Send, Found: Send>(
    work: &(impl Fn(Batch) -> Vec<Found> + Sync),
    make: impl FnOnce(&mut dyn FnMut(Batch)),
) -> Vec<Found> {
    let (found, waiting) = (Mutex::new(BTreeMap::new()), AtomicUsize::new(0));
    let put = |number: usize, batch| {
        let made = work(batch);
        found.lock().unwrap_or_else(PoisonError::into_inner).insert(number, made);
    };
    let (put, waiting) = (&put, &waiting);
    rayon::in_place_scope(|scope| {
        let mut count = 0;
        make(&mut |batch| {
            let number = count;
            count += 1;
            if waiting.load(Ordering::Relaxed) == MAX_WAITING {
                return put(number, batch);
            }
            waiting.fetch_add(1, Ordering::Relaxed);
            scope.spawn(move |_| {
                put(number, batch);
                waiting.fetch_sub(1, Ordering::Relaxed);
            });
        });
    });
    found.into_inner().unwrap_or_else(PoisonError::into_inner).into_values().flatten().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_order_is_that_of_the_batches() {
        let squares =
            map(&|batch: Vec<usize>| batch.iter().map(|number| number * number).collect(), |hand_over| {
                for number in 0..100 {
                    hand_over(vec![2 * number, 2 * number + 1]);
                }
            });
        assert_eq!(squares, (0..200).map(|number| number * number).collect::<Vec<usize>>());
    }
}
