//! The transposition table: what a search has found out about positions, in a given amount of memory.

use std::io;
use std::sync::atomic::{AtomicU64, Ordering};

use zerocopy::{FromBytes, IntoBytes};

use super::canonical::Key;
use super::numbers::{Effort, INFINITE, Numbers};

/// Zeroed memory, taken from the system as it is first written to, in huge pages where the system has them: a search reads
/// it at random, and with small pages each read would wait for the page tables as well (a quarter of the time of a search).
#[cfg(any(unix, windows))]
type Words = memmap2::MmapMut;

/// Zeroed memory.
#[cfg(not(any(unix, windows)))]
type Words = Vec<u64>;

/// The memory of a table.
#[derive(Debug)]
pub struct Memory(Words);

impl Memory {
    /// That many words, at least one.
    ///
    /// # Errors
    /// If the system has no such amount of address space.
    #[cfg(any(unix, windows))]
    pub fn words(count: usize) -> io::Result<Self> {
        let map = Words::map_anon(count.max(1).saturating_mul(size_of::<u64>()))?;
        // Without huge pages it works as well, only slower.
        #[cfg(target_os = "linux")]
        let _ = map.advise(memmap2::Advice::HugePage);
        Ok(Self(map))
    }

    /// That many words, at least one.
    ///
    /// # Errors
    /// If there is not so much memory.
    #[cfg(not(any(unix, windows)))]
    pub fn words(count: usize) -> io::Result<Self> {
        let mut words = Words::new();
        words.try_reserve_exact(count.max(1))?;
        words.resize(count.max(1), 0);
        Ok(Self(words))
    }

    /// Its size.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size_of_val(&self.0[..]) as u64
    }

    /// The words, to be shared by threads.
    ///
    /// # Panics
    /// Never: maps begin at a page.
    #[must_use]
    pub fn atomics(&mut self) -> &[AtomicU64] {
        let bytes = self.0[..].as_mut_bytes();
        let Ok(words) = <[AtomicU64]>::mut_from_bytes(bytes) else { unreachable!("pages hold whole words") };
        words
    }
}

/// What the table holds about a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct TtEntry {
    /// Its numbers.
    pub numbers: Numbers,
    /// The work that went into them.
    pub effort: Effort,
    /// Where the attacker wins: an upper bound on the turns until a position of the tables or the end. Otherwise 0.
    pub height: u32,
    /// Where the defender holds only because a position further up the path would come back: 16 bits of that one's key.
    pub path_dependency: Option<u16>,
}

/// Marks a settled entry that depends on the path, in the place of heights.
const PATH_DEPENDENT: u32 = 1 << 19;

impl TtEntry {
    /// Numbers that depend on nothing, without a height.
    #[inline]
    #[must_use]
    pub fn new(numbers: Numbers, effort: Effort) -> Self {
        Self { numbers, effort, height: 0, path_dependency: None }
    }

    /// Settled whatever the path.
    #[inline]
    #[must_use]
    pub fn holds(self) -> bool {
        self.numbers.settled().is_some() && self.path_dependency.is_none()
    }

    /// In one word: the finite number or the height, the work, 16 bits of the key.
    ///
    /// Bits 0-19 hold phi, 20-39 delta; where one is zero, the other is infinite and its place holds the height plus 1, or
    /// bit 19 of it is set and the lowest 16 hold the key bits of what the entry depends on.
    /// Never zero, since phi and delta never both are.
    pub(super) fn pack(self, key: Key) -> u64 {
        let Numbers { phi, delta } = self.numbers;
        let height = self
            .path_dependency
            .map_or((self.height + 1).min(PATH_DEPENDENT - 1), |key_part| PATH_DEPENDENT | u32::from(key_part));
        let (phi, delta) = match self.numbers.settled() {
            None => (phi, delta),
            Some(true) => (0, height),
            Some(false) => (height, 0),
        };
        u64::from(phi) | u64::from(delta) << 20 | u64::from(self.effort.0) << 40 | u64::from(key.more) << 48
    }

    /// The key and what is known, from the check of a key and a word of data. `None` if the word is not one of these.
    pub(super) fn entry(check: u64, data: u64) -> Option<(Key, Self)> {
        #[allow(clippy::cast_possible_truncation)] // its highest 16 bits
        let key = Key { check, more: (data >> 48) as u16 };
        if data & ((1 << 40) - 1) == 0 {
            return None;
        }
        let found = Self::unpack(data);
        // Open entries have finite numbers, and no word has unused bits.
        let open = found.numbers.settled().is_none();
        let finite = found.numbers.phi.max(found.numbers.delta) < INFINITE;
        ((!open || finite) && found.pack(key) == data).then_some((key, found))
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // the fields of the word
    fn unpack(data: u64) -> Self {
        let (phi, delta) = (data as u32 & INFINITE, (data >> 20) as u32 & INFINITE);
        let effort = Effort((data >> 40) as u8);
        let numbers = Numbers { phi, delta };
        match numbers.settled() {
            None => Self::new(numbers, effort),
            Some(reached) => {
                let (numbers, place) = (Numbers::of(reached), phi.max(delta));
                let path_dependency = (place & PATH_DEPENDENT != 0).then_some(place as u16);
                Self { numbers, effort, height: if path_dependency.is_some() { 0 } else { place - 1 }, path_dependency }
            }
        }
    }
}

/// Entries of a bucket, which fills a cache line.
const WAYS: usize = 4;

/// Words of an entry: the check, XOR the data, and the data. An entry torn by two threads fits no position.
const WORDS: usize = 2;

/// Bytes of a bucket.
pub const BUCKET_BYTES: u64 = (WAYS * WORDS * size_of::<u64>()) as u64;

/// The table, over memory that it borrows. Threads share it without locks; a lost update costs work, never a wrong result.
///
/// A position finds its bucket by the leading bits of its key. In the bucket all 64 bits and 16
/// more distinguish it from others: with 2^28 entries that is one collision in 2^52 look-ups, and what is proved with the table is
/// checked without it. A full bucket replaces the entry that took least work.
#[derive(Debug, Clone, Copy)]
pub struct TranspositionTable<'m> {
    words: &'m [AtomicU64],
}

impl<'m> TranspositionTable<'m> {
    /// Over that memory, zero for an empty table; at least one bucket.
    ///
    /// # Panics
    /// If the memory is smaller than a bucket.
    #[must_use]
    pub fn new(memory: &'m mut Memory) -> Self {
        let words = memory.atomics();
        let buckets = words.len() / (WAYS * WORDS);
        assert!(buckets > 0, "a transposition table needs a bucket");
        Self { words: &words[..buckets * WAYS * WORDS] }
    }

    /// Number of entries that there is room for.
    #[must_use]
    pub fn capacity(&self) -> usize {
        self.words.len() / WORDS
    }

    /// Bytes of the table.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        size_of_val(self.words) as u64
    }

    #[inline]
    #[allow(clippy::cast_possible_truncation)] // below the number of buckets
    fn bucket(&self, key: Key) -> &'m [AtomicU64] {
        let buckets = self.words.len() / (WAYS * WORDS);
        let bucket = ((u128::from(key.check) * buckets as u128) >> 64) as usize;
        &self.words[bucket * WAYS * WORDS..][..WAYS * WORDS]
    }

    /// Reads something of a key's bucket, so that it is near when it is needed. To look several keys up it is quicker to
    /// touch all of them first: these loads depend on nothing and wait for memory side by side.
    #[inline]
    #[must_use]
    pub fn touch(&self, key: Key) -> u64 {
        self.bucket(key)[0].load(Ordering::Relaxed)
    }

    /// What is known of the position with that key.
    #[inline]
    #[must_use]
    pub fn get(&self, key: Key) -> Option<TtEntry> {
        self.bucket(key).chunks_exact(WORDS).find_map(|entry| {
            let data = entry[1].load(Ordering::Relaxed);
            is_of(key, entry[0].load(Ordering::Relaxed), data).then(|| TtEntry::unpack(data))
        })
    }

    /// Remembers what is known of a position. What is settled whatever the path stays so; see [`TranspositionTable::replace`].
    #[inline]
    pub fn put(&self, key: Key, found: TtEntry) {
        self.store(key, found, false);
    }

    /// Remembers something about a position whatever was known before.
    pub fn replace(&self, key: Key, found: TtEntry) {
        self.store(key, found, true);
    }

    #[inline]
    fn store(&self, key: Key, found: TtEntry, always: bool) {
        let bucket = self.bucket(key);
        let (mut place, mut least) = (0, u32::MAX);
        for (way, entry) in bucket.chunks_exact(WORDS).enumerate() {
            let data = entry[1].load(Ordering::Relaxed);
            if is_of(key, entry[0].load(Ordering::Relaxed), data) {
                if !always && TtEntry::unpack(data).holds() && !found.holds() {
                    return;
                }
                place = way;
                break;
            }
            let cost = if data == 0 { 0 } else { 1 + u32::from(TtEntry::unpack(data).effort.0) };
            if cost < least {
                (place, least) = (way, cost);
            }
        }
        let data = found.pack(key);
        bucket[WORDS * place].store(key.check ^ data, Ordering::Relaxed);
        bucket[WORDS * place + 1].store(data, Ordering::Relaxed);
    }

    /// Every entry with at least that much work in it, in the order of their buckets.
    pub fn list(&self, least: Effort) -> impl Iterator<Item = (Key, TtEntry)> {
        self.words.chunks_exact(WORDS).filter_map(move |entry| {
            let data = entry[1].load(Ordering::Relaxed);
            let (key, found) = TtEntry::entry(entry[0].load(Ordering::Relaxed) ^ data, data)?;
            (found.effort >= least).then_some((key, found))
        })
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for word in self.words {
            word.store(0, Ordering::Relaxed);
        }
    }

    /// The share of entries in use, by a sample.
    #[must_use]
    pub fn fill(&self) -> f64 {
        self.share(|data| data != 0)
    }

    /// About how many entries have at least that much work in them, by a sample.
    #[must_use]
    #[allow(clippy::cast_precision_loss)] // about
    pub fn with_effort(&self, least: Effort) -> f64 {
        self.share(|data| data != 0 && TtEntry::unpack(data).effort >= least) * self.capacity() as f64
    }

    /// The share of entries whose data satisfy `such`, by a sample.
    #[allow(clippy::cast_precision_loss)] // a share
    fn share(&self, such: impl Fn(u64) -> bool) -> f64 {
        const SAMPLE: usize = 4096;
        let buckets = self.words.chunks_exact(WAYS * WORDS);
        let step = (buckets.len() / SAMPLE).max(1);
        let counted = |bucket: &[AtomicU64]| {
            bucket.iter().skip(1).step_by(WORDS).filter(|data| such(data.load(Ordering::Relaxed))).count()
        };
        let sampled = buckets.step_by(step).fold((0, 0), |(seen, sum), bucket| (seen + WAYS, sum + counted(bucket)));
        sampled.1 as f64 / sampled.0 as f64
    }
}

#[inline]
fn is_of(key: Key, check: u64, data: u64) -> bool {
    check ^ data == key.check && data >> 48 == u64::from(key.more) && data != 0
}

#[cfg(test)]
mod tests {
    use super::*;

    fn key(number: u64) -> Key {
        Key { check: number.wrapping_mul(0x9e37_79b9_7f4a_7c15), more: (number % 7) as u16 }
    }

    #[test]
    fn entries_come_back_as_they_were_put() {
        let mut memory = Memory::words(1 << 12).unwrap();
        let entries = TranspositionTable::new(&mut memory);
        for number in 0..100u8 {
            let unsettled = Numbers { phi: 1 + u32::from(number), delta: INFINITE - 1 - u32::from(number) };
            let numbers = [unsettled, Numbers::REACHED, Numbers::MISSED][usize::from(number) % 3];
            let height = if numbers.settled().is_some() { number.into() } else { 0 };
            let path_dependency =
                (numbers == Numbers::MISSED && number % 2 == 0).then_some(u16::MAX - u16::from(number));
            let height = if path_dependency.is_some() { 0 } else { height };
            let found = TtEntry { numbers, effort: Effort(number), height, path_dependency };
            entries.put(key(number.into()), found);
            assert_eq!(entries.get(key(number.into())), Some(found));
        }
        assert_eq!(entries.get(key(1000)), None);
        assert_eq!(entries.list(Effort(50)).count(), 50);
    }

    #[test]
    fn a_full_bucket_gives_up_the_cheapest() {
        let mut memory = Memory::words(WAYS * WORDS).unwrap();
        let entries = TranspositionTable::new(&mut memory);
        let put = |number: u64, effort: u8| {
            let numbers = Numbers { phi: 1, delta: 1 };
            entries.put(key(number), TtEntry::new(numbers, Effort(effort)));
        };
        for (number, effort) in [(0, 9), (1, 3), (2, 7), (3, 8), (4, 1)] {
            put(number, effort);
        }
        assert!(entries.get(key(1)).is_none(), "the cheapest is gone");
        assert!([0, 2, 3, 4].iter().all(|&number| entries.get(key(number)).is_some()));
    }

    #[test]
    fn what_is_settled_stays_so_unless_replaced() {
        let mut memory = Memory::words(64).unwrap();
        let entries = TranspositionTable::new(&mut memory);
        let settled = TtEntry::new(Numbers::MISSED, Effort(3));
        let open = TtEntry::new(Numbers { phi: 2, delta: 3 }, Effort(9));
        entries.put(key(5), settled);
        entries.put(key(5), open);
        assert_eq!(entries.get(key(5)), Some(settled));
        let dependent = TtEntry { path_dependency: Some(0), ..settled };
        entries.put(key(5), dependent);
        assert_eq!(entries.get(key(5)), Some(settled));
        entries.replace(key(5), dependent);
        assert_eq!(entries.get(key(5)), Some(dependent));
        entries.put(key(5), open);
        assert_eq!(entries.get(key(5)), Some(open), "what depends on a path is not settled");
        entries.replace(key(5), open);
        assert_eq!(entries.get(key(5)), Some(open));
    }
}
