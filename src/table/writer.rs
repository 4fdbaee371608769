//! Writing a finished slice as a table file.

use std::io::{Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::Path;

use rayon::prelude::*;
use xxhash_rust::xxh3::{Xxh3, xxh3_64};
use zstd::bulk::Compressor;

use crate::files::replace_file;
use crate::index::{Order, Slice, Space};
use crate::rules::RuleSet;

use super::block::{PER_BYTE, encode_block, for_each_word};
use super::cell::Cell;
use super::counts::Counts;
use super::depth_block::{Depths, encode_depths};
use super::error::TableError;
use super::header::{Header, INDEX_ENTRY_BYTES};
use super::metric::Metric;
use super::values::{SliceDepths, SliceValues};

/// Average size of a block before compression.
const BLOCK_BYTES: u64 = 4 * 1024;

/// zstd's effort. On 4v3 of 9x5 level 3 gives 5 % larger files in half the time, level 19 the same size in twice the time.
const LEVEL: i32 = 15;

/// Blocks encoded between two writes, at most.
const BATCH: u64 = 512;

/// Words of them, unless a block has more: where few positions are quiet, blocks are long, and their values have to be in memory.
const BATCH_WORDS: u64 = 1 << 20;

/// A slice in memory that can be written as a table.
pub trait SliceData: Sync {
    /// What the table holds.
    const METRIC: Metric;

    /// Quiet values in a byte before compression; for depths a rough average.
    const PER_BYTE: u64;

    /// Which slice it is.
    fn slice(&self) -> Slice;

    /// Prepares a stretch of words; [`SliceData::encode`] is then called with parts of it. Stretches come in order.
    ///
    /// # Errors
    /// [`TableError`], if the words are not in memory and cannot be loaded.
    fn prepare(&self, space: &Space, first: u64, count: u64) -> Result<(), TableError> {
        let _ = (space, first, count);
        Ok(())
    }

    /// The packed quiet values of a stretch of words, the counts of all its positions, and their depths.
    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths);

    /// Some blocks as they are written to the file, encoded by this process or another.
    ///
    /// # Errors
    /// [`TableError`], if memory runs out.
    fn encode_blocks(&self, space: &Space, cut: Cut, blocks: Range<u64>) -> Result<Vec<EncodedBlock>, TableError> {
        encode_blocks_here(self, space, cut, blocks)
    }
}

/// How the words of a slice are cut into blocks.
#[derive(Clone, Copy, Debug)]
pub struct Cut {
    /// Words of the slice.
    words: u64,
    /// Words of a block.
    block: u64,
}

/// A block ready to be written.
pub struct EncodedBlock {
    /// Its packed values, before compression.
    pub packed: Vec<u8>,
    /// Its bytes in the file.
    pub compressed: Vec<u8>,
    /// Counts of its positions.
    pub counts: Counts,
    /// Its part of the summary of depths.
    pub depths: Depths,
}

/// Encodes some blocks with all threads.
///
/// # Errors
/// [`TableError`], if memory runs out.
pub fn encode_blocks_here<C: SliceData + ?Sized>(
    values: &C,
    space: &Space,
    cut: Cut,
    blocks: Range<u64>,
) -> Result<Vec<EncodedBlock>, TableError> {
    let encode = |compressor: &mut std::io::Result<Compressor<'_>>, block: u64| {
        let first = block * cut.block;
        let (packed, counts, depths) = values.encode(space, first, cut.block.min(cut.words - first));
        let compressed = match compressor {
            Ok(compressor) => compressor.compress(&packed)?,
            Err(error) => return Err(std::io::Error::from(error.kind())),
        };
        Ok(EncodedBlock { packed, compressed, counts, depths })
    };
    let encoded: std::io::Result<Vec<EncodedBlock>> =
        blocks.into_par_iter().map_init(|| Compressor::new(LEVEL), encode).collect();
    encoded.map_err(TableError::io("compress", "a block".as_ref()))
}

/// Encodes all blocks of a slice, some at a time, and passes them on in order. `report` gets the part that is done.
fn encode_all<C: SliceData>(
    space: &Space,
    header: &Header,
    values: &C,
    report: &dyn Fn(f64),
    mut take: impl FnMut(Vec<EncodedBlock>) -> Result<(), TableError>,
) -> Result<(), TableError> {
    let cut = Cut { words: header.orbits * header.row_words, block: header.block_words };
    let blocks = header.blocks();
    let batch = (BATCH_WORDS / cut.block).clamp(1, BATCH);
    for start in (0..blocks).step_by(usize::try_from(batch).unwrap_or(1)) {
        #[allow(clippy::cast_precision_loss)] // for people
        report(start as f64 / blocks as f64);
        let first = start * cut.block;
        values.prepare(space, first, (batch * cut.block).min(cut.words - first))?;
        take(values.encode_blocks(space, cut, start..blocks.min(start + batch))?)?;
    }
    Ok(())
}

/// The header of an empty table.
fn empty_header<C: SliceData>(space: &Space, rules: RuleSet, values: &C) -> Header {
    let slice = values.slice();
    let (orbits, row_words) = Order::shape(space, slice);
    Header {
        size: space.board().size(),
        rules,
        metric: C::METRIC,
        slice,
        orbits,
        row_words,
        block_words: block_words(space, slice, C::PER_BYTE),
        counts: Counts::default(),
        file_bytes: 0,
        index_checksum: 0,
        identity: 0,
    }
}

/// Encodes a slice without writing it: the part of a process whose blocks another process writes.
///
/// # Errors
/// Those of `values`.
pub fn encode_table<C: SliceData>(
    space: &Space,
    rules: RuleSet,
    values: &C,
    report: &dyn Fn(f64),
) -> Result<(), TableError> {
    encode_all(space, &empty_header(space, rules, values), values, report, |_| Ok(()))
}

impl SliceData for SliceValues {
    const METRIC: Metric = Metric::Wdl;
    const PER_BYTE: u64 = PER_BYTE as u64;

    fn slice(&self) -> Slice {
        self.slice()
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        let values = |row, word| self.word(row, word);
        let (packed, counts) = encode_block(space, SliceValues::slice(self), values, first, count);
        (packed, counts, Depths::default())
    }
}

impl<C: Cell> SliceData for SliceDepths<C> {
    const METRIC: Metric = Metric::Dtw;
    const PER_BYTE: u64 = 1;

    fn slice(&self) -> Slice {
        self.slice()
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        encode_depths(space, SliceDepths::slice(self), |row| self.row(row), first, count)
    }
}

/// Encodes a slice into `file`, from its beginning, and returns the header. `report` gets the part that is done.
///
/// # Errors
/// [`TableError::Io`] if writing fails, [`TableError::Inconsistent`] if the counts do not add up to the number of placements.
pub fn write_table<C: SliceData>(
    file: &mut (impl Write + Seek),
    path: &Path,
    space: &Space,
    rules: RuleSet,
    values: &C,
    report: &dyn Fn(f64),
) -> Result<Header, TableError> {
    let slice = values.slice();
    let failed = |source| TableError::io("write", path)(source);
    let mut header = empty_header(space, rules, values);
    let mut offset = header.data_start();
    let mut index = Vec::new();
    let mut identity = Xxh3::new();
    let mut depths = Depths::default();
    file.seek(SeekFrom::Start(offset)).map_err(failed)?;
    let mut append = |packed: &[u8], compressed: &[u8]| {
        identity.update(packed);
        index.extend(offset.to_le_bytes());
        index.extend(xxh3_64(compressed).to_le_bytes());
        offset += compressed.len() as u64;
        file.write_all(compressed).map_err(failed)
    };
    let mut counts = Counts::default();
    encode_all(space, &header, values, report, |blocks| {
        blocks.iter().try_for_each(|block| {
            counts += block.counts;
            depths.add(&block.depths);
            append(&block.packed, &block.compressed)
        })
    })?;
    header.counts = counts;
    if C::METRIC == Metric::Dtw {
        let packed = bincode::encode_to_vec(&depths, bincode::config::standard());
        let packed = packed.map_err(|error| failed(std::io::Error::other(error)))?;
        let compressed = zstd::bulk::compress(&packed, LEVEL).map_err(failed)?;
        append(&packed, &compressed)?;
    }
    if !header.counts.are_of(space.placements(slice)) {
        return Err(TableError::Inconsistent(slice));
    }
    debug_assert_eq!(index.len() as u64, header.entries() * INDEX_ENTRY_BYTES as u64);
    header.file_bytes = offset;
    header.index_checksum = xxh3_64(&index);
    header.identity = identity.digest128();
    file.seek(SeekFrom::Start(0)).map_err(failed)?;
    file.write_all(&header.to_bytes()).map_err(failed)?;
    file.write_all(&index).map_err(failed)?;
    file.flush().map_err(failed)?;
    Ok(header)
}

/// Words in a block: the power of two that gives it about [`BLOCK_BYTES`] of packed values on average.
fn block_words(space: &Space, slice: Slice, per_byte: u64) -> u64 {
    let (rows, row_words) = Order::shape(space, slice);
    let words = rows * row_words;
    // The share of quiet positions is estimated from a sample of rows, which depends on the slice alone.
    let sample = words.div_ceil(64 * 64).max(1);
    let (mut seen, mut quiet) = (0u64, 0u64);
    let order = Order::new(space, slice);
    for start in (0..words).step_by(usize::try_from(sample * 64).unwrap_or(usize::MAX)) {
        let count = 64.min(words - start);
        for_each_word(order, start, count, |_, _, bits| quiet += u64::from(bits.count_ones()));
        seen += count;
    }
    let wanted = BLOCK_BYTES * per_byte * seen / quiet.max(1);
    wanted.clamp(64, super::header::MAX_BLOCK_WORDS / 4).next_power_of_two()
}

/// Writes a slice to its file under a temporary name, makes sure that it is on disk, and only then gives it its name.
/// `report` gets the part that is done, from this thread.
///
/// # Errors
/// As [`write_table`]; the temporary file is removed if anything fails.
pub fn save_table<C: SliceData>(
    folder: &Path,
    space: &Space,
    rules: RuleSet,
    values: &C,
    report: &dyn Fn(f64),
) -> Result<Header, TableError> {
    save_table_if(folder, space, rules, values, report, |_| true)
}

/// As [`save_table`], if the finished header is right.
///
/// # Errors
/// As [`save_table`]; [`TableError::Inconsistent`] if `is_right` returns `false`.
pub fn save_table_if<C: SliceData>(
    folder: &Path,
    space: &Space,
    rules: RuleSet,
    values: &C,
    report: &dyn Fn(f64),
    is_right: impl Fn(&Header) -> bool,
) -> Result<Header, TableError> {
    let path = folder.join(super::store::file_name(values.slice(), C::METRIC));
    replace_file(&path, TableError::of_system, |file, temporary| {
        let header = write_table(file, temporary, space, rules, values, report)?;
        if is_right(&header) { Ok(header) } else { Err(TableError::Inconsistent(values.slice())) }
    })
}
