//! Memory for whole slices, with a specific error when the system refuses it.

use std::fmt;
use std::panic::panic_any;

use zerocopy::FromZeros;

/// The system refused memory. Whole slices are allocated deep inside parallel loops, so this is the payload of a panic;
/// to continue without that memory, catch it (`std::panic::catch_unwind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes of the allocation that failed.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    #[allow(clippy::cast_precision_loss)] // for people
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.bytes as f64 / 1e6;
        write!(
            f,
            "cannot allocate {megabytes:.1} MB of memory; raise the limit of the system (ulimit -v), or use fewer stones or \
             threads"
        )
    }
}

impl std::error::Error for OutOfMemory {}

fn refused<T>(count: usize) -> ! {
    panic_any(OutOfMemory { bytes: (count as u64).saturating_mul(size_of::<T>() as u64) })
}

/// A vector of `count` zeros. Pages take real memory only once they are written to.
///
/// # Panics
/// With [`OutOfMemory`] if the system refuses the memory.
#[must_use]
pub fn zeroed<T: FromZeros>(count: usize) -> Vec<T> {
    T::new_vec_zeroed(count).unwrap_or_else(|_| refused::<T>(count))
}

/// A vector of `count` times `value`.
///
/// # Panics
/// As [`zeroed`].
#[must_use]
pub fn filled<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = with_room(count);
    all.resize(count, value);
    all
}

/// An empty vector with room for `count` items.
///
/// # Panics
/// As [`zeroed`].
#[must_use]
pub fn with_room<T>(count: usize) -> Vec<T> {
    let mut all = Vec::new();
    match all.try_reserve_exact(count) {
        Ok(()) => all,
        Err(_) => refused::<T>(count),
    }
}

#[cfg(test)]
mod tests {
    use std::hint::black_box;

    use super::*;

    #[test]
    fn a_refusal_says_how_many_bytes() {
        let too_many = 1 << 50;
        let requests: [fn(usize); 3] = [
            // An allocation that nobody reads may be optimised away.
            |count| drop(black_box(zeroed::<u64>(count))),
            |count| drop(black_box(filled(7u64, count))),
            |count| drop(black_box(with_room::<u64>(count))),
        ];
        for request in requests {
            let payload = std::panic::catch_unwind(|| request(too_many)).expect_err("no memory");
            assert_eq!(payload.downcast_ref(), Some(&OutOfMemory { bytes: 8 << 50 }));
        }
    }

    #[test]
    fn memory_has_the_contents_asked_for() {
        assert_eq!(zeroed::<u64>(3), [0; 3]);
        assert_eq!(filled(7u8, 3), [7; 3]);
        assert!(with_room::<u8>(3).is_empty());
    }
}
