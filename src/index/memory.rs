//! Memory for whole slices, which the system may refuse.

use std::fmt;
use std::panic::panic_any;

use zerocopy::FromZeros;

/// The system gave no memory. Whole slices are made deep inside of loops over all threads, so this comes up as the payload
/// of a panic: whoever wants to go on without that memory catches it (`std::panic::catch_unwind`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct OutOfMemory {
    /// Bytes that were wanted at once.
    pub bytes: u64,
}

impl fmt::Display for OutOfMemory {
    #[allow(clippy::cast_precision_loss)] // for people
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let megabytes = self.bytes as f64 / 1e6;
        write!(
            f,
            "the system has no further {megabytes:.1} MB of memory for this; raise the limit there is (ulimit -v), ask for \
             fewer stones, or give fewer --threads"
        )
    }
}

impl std::error::Error for OutOfMemory {}

fn refused<T>(count: usize) -> ! {
    panic_any(OutOfMemory { bytes: (count as u64).saturating_mul(size_of::<T>() as u64) })
}

/// So many zeros, which take real memory only as they are written to.
///
/// # Panics
/// With [`OutOfMemory`] if the system has no such amount.
#[must_use]
pub fn zeroed<T: FromZeros>(count: usize) -> Vec<T> {
    T::new_vec_zeroed(count).unwrap_or_else(|_| refused::<T>(count))
}

/// So many times the same.
///
/// # Panics
/// As [`zeroed`].
#[must_use]
pub fn filled<T: Clone>(value: T, count: usize) -> Vec<T> {
    let mut all = with_room(count);
    all.resize(count, value);
    all
}

/// Room for so many.
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
    fn what_no_system_has_is_told_in_bytes() {
        let too_many = 1 << 50;
        let requests: [fn(usize); 3] = [
            // What nobody looks at need not be allocated at all.
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
    fn what_there_is_is_as_it_was_wanted() {
        assert_eq!(zeroed::<u64>(3), [0; 3]);
        assert_eq!(filled(7u8, 3), [7; 3]);
        assert!(with_room::<u8>(3).is_empty());
    }
}
