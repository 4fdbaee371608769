//! Reading a table: opening is cheap, every block is checked when it is read.

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};

use crate::files::{ByteSource, decompress};
use crate::index::{Slice, Space};
use crate::rules::RuleSet;

use super::block::{DecodedBlock, PER_BYTE, PackedBlock, decode_block};
use super::depth_block::{DecodedDepths, Depths, decode_depths, most_packed_depths};
use super::error::{Damage, TableError};
use super::header::{HEADER_BYTES, Header, INDEX_ENTRY_BYTES};
use super::metric::Metric;

/// A table over the bytes of its file: mapped, read, or in memory. Header and block index are read once, when it is opened.
#[derive(Debug)]
pub struct Table<D> {
    data: D,
    name: String,
    header: Header,
    index: Vec<u8>,
}

impl<D: ByteSource> Table<D> {
    /// Opens a table that should hold a slice of the board of `space` under `rules`. Costs the checks of header and block
    /// index, not of the blocks; [`Table::verify`] checks those. Errors call the file `name`.
    ///
    /// # Errors
    /// [`TableError`], which says what does not match.
    pub fn new(
        data: D,
        name: String,
        space: &Space,
        rules: RuleSet,
        kind: (Slice, Metric),
    ) -> Result<Self, TableError> {
        let header = Header::read(&data, &name)?;
        header.check(space, rules, kind, &name)?;
        let index = data.read(HEADER_BYTES as u64..header.data_start());
        let index = index.map_err(TableError::io("read", name.as_ref()))?.into_owned();
        let table = Self { data, name, header, index };
        if xxh3_64(&table.index) != header.index_checksum || table.entry(0).0 != header.data_start() {
            return Err(table.damaged(Damage::Index));
        }
        Ok(table)
    }

    /// The header.
    #[must_use]
    pub fn header(&self) -> &Header {
        &self.header
    }

    /// Compares a depth table with the header of the values beside it, if they are there: they count the same positions.
    ///
    /// # Errors
    /// [`TableError::Damaged`] if not.
    pub fn fits(&self, values: Option<&Header>) -> Result<(), TableError> {
        let fits = values.is_none_or(|values| self.header.counts == values.counts);
        if fits { Ok(()) } else { Err(self.damaged(Damage::Header)) }
    }

    /// The error for a damaged part of this file.
    #[must_use]
    pub fn damaged(&self, damage: Damage) -> TableError {
        TableError::Damaged { file: self.name.clone(), damage }
    }

    /// Offset and checksum of a block.
    #[allow(clippy::cast_possible_truncation)] // the index is in memory
    fn entry(&self, block: u64) -> (u64, u64) {
        let entry = &self.index[block as usize * INDEX_ENTRY_BYTES..][..INDEX_ENTRY_BYTES];
        let number = |bytes: &[u8]| bytes.iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte));
        (number(&entry[..8]), number(&entry[8..]))
    }

    /// The words that a block covers: the first, and how many.
    ///
    /// # Panics
    /// If there is no such block.
    #[must_use]
    pub fn stretch(&self, block: u64) -> (u64, u64) {
        let first = block * self.header.block_words;
        let words = self.header.orbits * self.header.row_words;
        assert!(first < words, "there is no block {block}");
        (first, self.header.block_words.min(words - first))
    }

    /// An upper bound of the bytes of a block before compression.
    #[allow(clippy::cast_possible_truncation)] // at most MAX_BLOCK_WORDS
    fn most_packed(&self, block: u64) -> usize {
        match self.header.metric {
            Metric::Dtw if block == self.header.blocks() => MAX_DEPTH_LIST,
            Metric::Dtw => most_packed_depths(self.stretch(block).1),
            Metric::Wdl => (self.stretch(block).1 as usize * 64).div_ceil(PER_BYTE),
        }
    }

    /// The packed values of a block.
    fn packed(&self, block: u64) -> Result<Vec<u8>, TableError> {
        let most = self.most_packed(block);
        let damaged = || self.damaged(Damage::Block(block));
        let (start, checksum) = self.entry(block);
        let end = if block + 1 < self.header.entries() { self.entry(block + 1).0 } else { self.header.file_bytes };
        // Whatever the index says, no more is read than the values can take.
        let longest = start.saturating_add(zstd::zstd_safe::compress_bound(most) as u64);
        if !(self.header.data_start() <= start && start <= end && end <= self.header.file_bytes.min(longest)) {
            return Err(damaged());
        }
        let bytes = self.data.read(start..end).map_err(TableError::io("read", self.name.as_ref()))?;
        // A copy, so that the bytes that were checked are decoded, even if another program writes to a mapped file.
        let bytes = bytes.into_owned();
        if xxh3_64(&bytes) != checksum {
            return Err(damaged());
        }
        decompress(&bytes, 0..=most).ok_or_else(damaged)
    }

    /// Decodes a block.
    ///
    /// # Errors
    /// [`TableError::Damaged`], or [`TableError::Io`].
    pub fn block(&self, space: &Space, block: u64) -> Result<DecodedBlock, TableError> {
        let (first, count) = self.stretch(block);
        let packed = self.packed(block)?;
        let decoded = decode_block(space, self.header.slice, first, count, &packed);
        decoded.ok_or_else(|| self.damaged(Damage::Block(block)))
    }

    /// Reads a block and leaves it packed.
    ///
    /// # Errors
    /// [`TableError::Damaged`], or [`TableError::Io`].
    pub fn packed_block(&self, space: &Space, block: u64) -> Result<PackedBlock, TableError> {
        let (first, count) = self.stretch(block);
        let packed = self.packed(block)?;
        let packed = PackedBlock::new(space, self.header.slice, first, count, packed);
        packed.ok_or_else(|| self.damaged(Damage::Block(block)))
    }

    /// Decodes a block of a depth table. `values` must contain the words of its [`stretch`](Self::stretch).
    ///
    /// # Errors
    /// [`TableError::Io`], or [`TableError::Damaged`], also if the depths do not match the values.
    pub fn depth_block(&self, block: u64, values: &DecodedBlock) -> Result<DecodedDepths, TableError> {
        let (first, count) = self.stretch(block);
        let packed = self.packed(block)?;
        let decoded = decode_depths(first, count, values, &packed);
        decoded.ok_or_else(|| self.damaged(Damage::Block(block)))
    }

    /// The summary of depths of a depth table; empty for a table of values.
    ///
    /// # Errors
    /// [`TableError::Io`], or [`TableError::Damaged`], also if the summary contradicts the counts in the header.
    pub fn depths(&self) -> Result<Depths, TableError> {
        let block = self.header.blocks();
        if self.header.metric == Metric::Wdl {
            return Ok(Depths::default());
        }
        let damaged = || self.damaged(Damage::Block(block));
        let packed = self.packed(block)?;
        let config = bincode::config::standard().with_limit::<MAX_DEPTH_LIST>();
        let (depths, length): (Depths, usize) = bincode::decode_from_slice(&packed, config).map_err(|_| damaged())?;
        let fits = length == packed.len() && depths.fit(self.header.size, self.header.slice, &self.header.counts);
        if fits { Ok(depths) } else { Err(damaged()) }
    }

    /// Number of the block that holds a word.
    #[inline]
    #[must_use]
    pub fn block_of(&self, word: u64) -> u64 {
        word / self.header.block_words
    }

    /// Checks every block against its checksum, all values together against the identity in the header, and the list of
    /// depths against its counts. Calls `progress` after each block. How many values a block has follows from which of its
    /// positions are quiet, which takes much longer to find out; that is checked when the block is decoded.
    ///
    /// # Errors
    /// [`TableError::Damaged`], or [`TableError::Io`].
    pub fn verify(&self, progress: &(dyn Fn() + Sync)) -> Result<(), TableError> {
        const BATCH_BYTES: usize = 256 << 20;
        let batch = (BATCH_BYTES / self.most_packed(0).max(1)).clamp(1, 1024);
        let mut identity = Xxh3::new();
        let entries = self.header.entries();
        for first in (0..entries).step_by(batch) {
            let blocks = first..entries.min(first + batch as u64);
            let packed: Result<Vec<Vec<u8>>, TableError> = blocks
                .into_par_iter()
                .map(|block| {
                    let packed = self.packed(block);
                    progress();
                    packed
                })
                .collect();
            packed?.iter().for_each(|packed| identity.update(packed));
        }
        if identity.digest128() != self.header.identity {
            return Err(self.damaged(Damage::Values));
        }
        self.depths().map(|_| ())
    }
}

/// An upper bound of the bytes of the list of depths: two numbers of up to 9 bytes for each possible step.
const MAX_DEPTH_LIST: usize = 1 << 20;
