//! Wide vectors where the processor has them: kernels are compiled twice, and the choice is made when they run.

/// Runs a kernel compiled for the widest vectors this processor has (AVX2 on `x86-64`; aarch64 has its own at baseline).
/// Everything the kernel calls has to be inlined into it to profit.
#[inline]
pub fn run<R>(kernel: impl FnOnce() -> R) -> R {
    pulp::Arch::new().dispatch(kernel)
}
