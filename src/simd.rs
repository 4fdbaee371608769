//! Wide vectors where the processor has them: kernels are compiled twice, and the choice is made when they run.

use std::sync::OnceLock;

/// Set to anything, this environment variable keeps to the vectors that every processor of the architecture has: for
/// measuring what wider ones bring. Results are the same.
const BASELINE: &str = "FANORONA_BASELINE_VECTORS";

/// Runs a kernel compiled for the widest vectors this processor has (AVX2 on `x86-64`; aarch64 has its own at baseline).
///
/// Only what is inlined into the kernel profits: the closure itself needs `#[inline(always)]`, and so does every function
/// it calls; otherwise the compiler makes one copy of them, for the baseline. That goes for adaptors like `for_each`, `fold` and
/// `sum`, too: kernels are written as loops.
#[inline(always)]
pub fn run<R>(kernel: impl FnOnce() -> R) -> R {
    static ARCHITECTURE: OnceLock<pulp::Arch> = OnceLock::new();
    let choose = || match std::env::var_os(BASELINE) {
        Some(_) => pulp::Arch::Scalar,
        None => pulp::Arch::new(),
    };
    ARCHITECTURE.get_or_init(choose).dispatch(kernel)
}
