//! The header of a table file; its bytes are specified in FORMAT.md.

use bincode::{Decode, Encode};
use xxhash_rust::xxh3::xxh3_64;

use crate::board::BoardSize;
use crate::files::{ByteSource, FIXED_WIDTH};
use crate::index::{Order, Slice, Space};
use crate::rules::RuleSet;

use super::counts::Counts;
use super::error::{Damage, TableError};
use super::metric::Metric;

/// The first bytes of every table.
pub const MAGIC: [u8; 8] = *b"FANORONA";

/// The format that this program writes and reads.
pub const VERSION: u32 = 1;

/// Bytes of the fixed part in front of the block index.
pub const HEADER_BYTES: usize = PRELUDE_BYTES + FIELD_BYTES + 8;

const PRELUDE_BYTES: usize = 12;
const FIELD_BYTES: usize = 9 + 8 * 10 + 16;

/// Bytes of one entry of the block index.
pub const INDEX_ENTRY_BYTES: usize = 16;

/// The fields as in the file: little-endian, without gaps.
#[derive(Encode, Decode, Clone, Debug, PartialEq, Eq)]
struct RawHeader {
    columns: u8,
    rows: u8,
    /// [`RuleSet::to_bytes`].
    options: [u8; 3],
    metric: u8,
    mover: u8,
    opponent: u8,
    index_scheme: u8,
    orbits: u64,
    row_words: u64,
    block_words: u64,
    counts: [u64; 5],
    file_bytes: u64,
    index_checksum: u64,
    identity: u128,
}

/// What the header of a table states.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Header {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: RuleSet,
    /// Whether it holds values or depths.
    pub metric: Metric,
    /// The slice.
    pub slice: Slice,
    /// Rows: orbits of the mover's sets, or of the sets of empty points on a crowded board.
    pub orbits: u64,
    /// Words of a row, 64 columns each.
    pub row_words: u64,
    /// Words that each block covers, counted through all rows; the last may cover fewer.
    pub block_words: u64,
    /// Unreduced counts.
    pub counts: Counts,
    /// Length of the whole file.
    pub file_bytes: u64,
    /// xxh3 (64 bits) of the block index.
    pub index_checksum: u64,
    /// xxh3 (128 bits) of the packed values of all blocks before compression: the same for any thread count and any
    /// version of the compressor.
    pub identity: u128,
}

impl Header {
    /// Number of blocks.
    #[must_use]
    pub fn blocks(&self) -> u64 {
        (self.orbits * self.row_words).div_ceil(self.block_words)
    }

    /// Number of entries of the block index: the blocks, and in a depth table the summary after them, [`super::Depths`].
    #[must_use]
    pub fn entries(&self) -> u64 {
        self.blocks() + u64::from(self.metric == Metric::Dtw)
    }

    /// The offset of the first block.
    #[must_use]
    pub fn data_start(&self) -> u64 {
        self.entries().saturating_mul(INDEX_ENTRY_BYTES as u64).saturating_add(HEADER_BYTES as u64)
    }

    /// The header as bytes, its checksum included.
    ///
    /// # Panics
    /// Never: all fields have a fixed width.
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        #[allow(clippy::cast_possible_truncation)] // sides and stones are below 65
        let raw = RawHeader {
            columns: self.size.columns() as u8,
            rows: self.size.rows() as u8,
            options: self.rules.to_bytes(),
            metric: self.metric as u8,
            mover: self.slice.mover as u8,
            opponent: self.slice.opponent as u8,
            index_scheme: Order::scheme(self.size.points(), self.slice),
            orbits: self.orbits,
            row_words: self.row_words,
            block_words: self.block_words,
            counts: [self.counts.positions, self.counts.wins, self.counts.draws, self.counts.losses, self.counts.quiet],
            file_bytes: self.file_bytes,
            index_checksum: self.index_checksum,
            identity: self.identity,
        };
        let mut bytes = MAGIC.to_vec();
        bytes.extend(VERSION.to_le_bytes());
        bytes.extend(bincode::encode_to_vec(&raw, FIXED_WIDTH).expect("fixed-width fields always encode"));
        bytes.extend(xxh3_64(&bytes).to_le_bytes());
        debug_assert_eq!(bytes.len(), HEADER_BYTES);
        bytes
    }

    /// Reads and checks the header of a file, given as the whole file.
    ///
    /// # Errors
    /// [`TableError`]: not a table, another version, cut short, damaged, or unreadable. Errors call the file `name`.
    pub fn read(data: &impl ByteSource, name: &str) -> Result<Self, TableError> {
        let length = data.length();
        let file = data.read(0..HEADER_BYTES as u64).map_err(TableError::io("read", name.as_ref()))?;
        let not_a_table = || TableError::NotATable { file: name.to_owned() };
        let damaged = |damage| TableError::Damaged { file: name.to_owned(), damage };
        if file.get(..8) != Some(&MAGIC[..]) {
            return Err(not_a_table());
        }
        let short = TableError::Truncated { file: name.to_owned(), expected: HEADER_BYTES as u64, found: length };
        let version = file.get(8..12).and_then(|bytes| bytes.first_chunk()).map(|bytes| u32::from_le_bytes(*bytes));
        let version = version.ok_or(short.clone())?;
        if version != VERSION {
            return Err(TableError::Version { file: name.to_owned(), found: version, known: VERSION });
        }
        let Some((fields, checksum)) = file.get(..HEADER_BYTES).and_then(|bytes| bytes.split_last_chunk::<8>()) else {
            return Err(short);
        };
        if xxh3_64(fields) != u64::from_le_bytes(*checksum) {
            return Err(damaged(Damage::Header));
        }
        let (raw, _) = bincode::decode_from_slice::<RawHeader, _>(&fields[PRELUDE_BYTES..], FIXED_WIDTH)
            .map_err(|_| damaged(Damage::Header))?;
        let (points, slice) =
            (raw.columns as usize * raw.rows as usize, Slice::new(raw.mover.into(), raw.opponent.into()));
        let (found, known) = (raw.index_scheme, Order::scheme(points, slice));
        if found != known {
            return Err(TableError::IndexScheme { file: name.to_owned(), found, known });
        }
        let header = Self::try_from(raw).map_err(|()| damaged(Damage::Header))?;
        if header.file_bytes != length {
            return Err(TableError::Truncated { file: name.to_owned(), expected: header.file_bytes, found: length });
        }
        Ok(header)
    }

    /// Checks that the table is of this board, slice, rule set and metric, and has the dimensions that follow from them.
    ///
    /// # Errors
    /// [`TableError::Foreign`] or [`TableError::Damaged`].
    pub fn check(
        &self,
        space: &Space,
        rules: RuleSet,
        (slice, metric): (Slice, Metric),
        name: &str,
    ) -> Result<(), TableError> {
        let expected = format!("{} {slice} {metric}, {rules}", space.board().size());
        let found = format!("{} {} {}, {}", self.size, self.slice, self.metric, self.rules);
        if expected != found {
            return Err(TableError::Foreign { file: name.to_owned(), expected, found });
        }
        let fits = Order::exists(space.board().points(), slice)
            && self.block_words <= MAX_BLOCK_WORDS
            && self.data_start() <= self.file_bytes
            && (self.orbits, self.row_words) == Order::shape(space, slice)
            && self.counts.are_of(space.placements(slice));
        if fits { Ok(()) } else { Err(TableError::Damaged { file: name.to_owned(), damage: Damage::Header }) }
    }
}

/// The largest number of words in a block, which bounds the memory for decoding one.
pub const MAX_BLOCK_WORDS: u64 = 1 << 20;

impl TryFrom<RawHeader> for Header {
    type Error = ();

    fn try_from(raw: RawHeader) -> Result<Self, ()> {
        let metric = Metric::ALL.into_iter().find(|&metric| metric as u8 == raw.metric).ok_or(())?;
        if raw.block_words == 0 {
            return Err(());
        }
        let [positions, wins, draws, losses, quiet] = raw.counts;
        raw.orbits.checked_mul(raw.row_words).ok_or(())?;
        Ok(Self {
            size: BoardSize::new(raw.columns.into(), raw.rows.into()).map_err(|_| ())?,
            rules: RuleSet::from_bytes(raw.options).ok_or(())?,
            metric,
            slice: Slice::new(raw.mover.into(), raw.opponent.into()),
            orbits: raw.orbits,
            row_words: raw.row_words,
            block_words: raw.block_words,
            counts: Counts { positions, wins, draws, losses, quiet },
            file_bytes: raw.file_bytes,
            index_checksum: raw.index_checksum,
            identity: raw.identity,
        })
    }
}
