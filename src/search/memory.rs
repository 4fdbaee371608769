//! Memory for large tables that are read at random.

use std::io;
use std::sync::atomic::AtomicU64;

use memmap2::MmapMut;
use zerocopy::FromBytes;

/// Zeroed memory, taken from the system as it is first written to, in huge pages where the system has them: a search reads
/// it at random, and with small pages each read would wait for the page tables as well (a quarter of the time of a search).
#[derive(Debug)]
pub struct Memory(MmapMut);

impl Memory {
    /// So many words, at least one.
    ///
    /// # Errors
    /// If the system has no such amount of address space.
    pub fn words(count: usize) -> io::Result<Self> {
        let map = MmapMut::map_anon(count.max(1).saturating_mul(size_of::<u64>()))?;
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(map))
    }

    /// The words, to be shared by threads.
    ///
    /// # Panics
    /// Never: maps begin at a page.
    #[must_use]
    pub fn atomics(&mut self) -> &[AtomicU64] {
        let Ok(words) = <[AtomicU64]>::mut_from_bytes(&mut self.0) else { unreachable!("pages hold whole words") };
        words
    }
}
