//! Many sessions at once.

use std::num::NonZero;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError};
use std::thread;

/// Does something with each of these, on all cores; what came of it in their order.
pub fn on_all_cores<S: Sync, T: Send>(all: &[S], work: impl Fn(&S) -> T + Sync) -> Vec<T> {
    let next = AtomicUsize::new(0);
    let done: Mutex<Vec<(usize, T)>> = Mutex::default();
    let take = || {
        let nth = next.fetch_add(1, Ordering::Relaxed);
        all.get(nth).map(|one| (nth, one))
    };
    let run = || {
        while let Some((nth, one)) = take() {
            let came = work(one);
            done.lock().unwrap_or_else(PoisonError::into_inner).push((nth, came));
        }
    };
    let cores = thread::available_parallelism().map_or(1, NonZero::get).min(all.len());
    thread::scope(|scope| (0..cores).for_each(|_| drop(scope.spawn(run))));
    let mut done = done.into_inner().unwrap_or_else(PoisonError::into_inner);
    done.sort_by_key(|(nth, _)| *nth);
    done.into_iter().map(|(_, came)| came).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_came_of_each_stands_in_their_order() {
        let all: Vec<usize> = (0..100).collect();
        assert_eq!(on_all_cores(&all, |one| one * 2), (0..200).step_by(2).collect::<Vec<_>>());
        assert!(on_all_cores(&[0usize; 0], |one| *one).is_empty());
    }
}
