//! Table files: a changed file never gives another value, and one whose checksums have been made to fit never does worse than
//! give another value.
//!
//! The input names a table, then how it is changed: bytes of the file, or the fields of the header and what its blocks hold before
//! compression; of these a file is made whose checksums fit, but for those that the input keeps.

use std::path::Path;
use std::sync::LazyLock;

use fanorona::board::Diagonals;
use fanorona::index::{Slice, Space};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::table::{
    DecodedBlock, DecodedDepths, Depths, HEADER_BYTES, INDEX_ENTRY_BYTES, Metric, Table, TableError,
};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use super::{Input, check_message};

/// Blocks that are looked at.
const MAX_BLOCKS: u64 = 64;

/// Where fields stand in a header, by FORMAT.md.
const FIELDS: usize = 8;
const BLOCK_WORDS: usize = 37;
const FILE_BYTES: usize = 85;
const INDEX_CHECKSUM: usize = 93;
const IDENTITY: usize = 101;
const HEADER_CHECKSUM: usize = 117;

/// What the input keeps as it is, by bits of its second byte.
const AS_FILE: u8 = 1;
const KEEP_FILE_BYTES: u8 = 2;
const KEEP_INDEX_CHECKSUM: u8 = 4;
const KEEP_IDENTITY: u8 = 8;
const KEEP_FRAMES: u8 = 16;
const SPOIL_OFFSET: u8 = 32;

struct Specimen {
    space: Space,
    slice: Slice,
    metric: Metric,
    bytes: Vec<u8>,
    /// Of values or of the depths beside them.
    values: Vec<Vec<[u64; 2]>>,
    steps: Vec<Vec<(u64, usize, u16)>>,
    depths: Depths,
    identity: u128,
    /// The file of the values, for a table of depths.
    beside: Option<Vec<u8>>,
}

static SPECIMENS: LazyLock<Vec<Specimen>> = LazyLock::new(|| {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let mut specimens = Vec::new();
    for (board, stones, slices) in [("3x3", 3, &[(2, 1), (1, 2)][..]), ("5x5", 5, &[(3, 2)])] {
        let size = board.parse().expect("a board");
        let rules = RuleSet::default();
        build(Goal::both(size, rules, stones), folder.path(), Budget::default()).expect("tables");
        for &(mover, opponent) in slices {
            for metric in Metric::ALL {
                specimens.push(Specimen::read(&folder.path().join(board), Slice::new(mover, opponent), metric));
            }
        }
    }
    specimens
});

impl Specimen {
    fn read(folder: &Path, slice: Slice, metric: Metric) -> Self {
        let size = folder.file_name().and_then(|name| name.to_str()).expect("a name").parse().expect("a board");
        let file = |metric: Metric| std::fs::read(folder.join(format!("{slice}.{metric}"))).expect("a table");
        let mut specimen = Self {
            space: Space::new(size, Diagonals::Corner),
            slice,
            metric,
            bytes: file(metric),
            values: Vec::new(),
            steps: Vec::new(),
            depths: Depths::default(),
            identity: 0,
            beside: (metric == Metric::Dtw).then(|| file(Metric::Wdl)),
        };
        let table = specimen.open(specimen.bytes.clone()).expect("a table");
        specimen.identity = table.header().identity;
        specimen.depths = table.depths().expect("depths");
        for block in 0..table.header().blocks() {
            match metric {
                Metric::Wdl => {
                    let decoded = table.block(&specimen.space, block).expect("a block");
                    specimen.values.push(decoded.words().to_vec());
                }
                Metric::Dtw => {
                    let decoded = specimen.depth_block(&table, block).expect("a block");
                    specimen.steps.push(listed(&decoded));
                }
            }
        }
        specimen
    }

    fn open(&self, bytes: Vec<u8>) -> Result<Table<Vec<u8>>, TableError> {
        Table::new(bytes, "db/file".to_owned(), &self.space, RuleSet::default(), (self.slice, self.metric))
    }

    /// A block by either reader, which agree on it.
    fn block(&self, table: &Table<Vec<u8>>, block: u64) -> Result<DecodedBlock, TableError> {
        let (decoded, packed) = (table.block(&self.space, block), table.packed_block(&self.space, block));
        assert_eq!(decoded.is_ok(), packed.is_ok(), "block {block}");
        if let (Ok(decoded), Ok(packed)) = (&decoded, &packed) {
            let (first, count) = table.stretch(block);
            let part = |first, count| packed.decoded(&self.space, self.slice, first, count).expect("words of it");
            let half = count / 2;
            assert_eq!(part(first, count).words(), decoded.words());
            let (_, rest) = decoded.words().split_at(usize::try_from(half).expect("in memory"));
            assert_eq!(part(first + half, count - half).words(), rest);
        }
        decoded
    }

    /// The values that a block of depths goes with.
    fn values_of(&self, table: &Table<Vec<u8>>, block: u64) -> DecodedBlock {
        let beside = self.beside.clone().expect("values");
        let kind = (self.slice, Metric::Wdl);
        let values = Table::new(beside, "values".to_owned(), &self.space, RuleSet::default(), kind).expect("values");
        let number = values.block_of(block.saturating_mul(table.header().block_words));
        values.block(&self.space, number.min(values.header().blocks() - 1)).expect("a block")
    }

    fn depth_block(&self, table: &Table<Vec<u8>>, block: u64) -> Result<DecodedDepths, TableError> {
        table.depth_block(block, &self.values_of(table, block))
    }

    fn blocks(&self) -> usize {
        self.values.len() + self.steps.len() + usize::from(self.metric == Metric::Dtw)
    }

    /// The offset of a block, or of the end of the file.
    fn offset(&self, block: usize) -> usize {
        if block == self.blocks() {
            return self.bytes.len();
        }
        let at = HEADER_BYTES + block * INDEX_ENTRY_BYTES;
        let bytes = &self.bytes[at..at + 8];
        bytes.iter().rev().fold(0, |offset, &byte| offset << 8 | usize::from(byte))
    }

    fn content(&self, block: usize) -> Vec<u8> {
        zstd::decode_all(&self.bytes[self.offset(block)..self.offset(block + 1)]).expect("a frame")
    }

    /// Asserts that what a table says is what this one says, block by block; those that are refused say nothing.
    fn compare(&self, table: &Table<Vec<u8>>) {
        let blocks = table.header().blocks().min(MAX_BLOCKS);
        for block in 0..blocks {
            let number = usize::try_from(block).expect("few");
            match self.metric {
                Metric::Wdl => {
                    if let Ok(decoded) = self.block(table, block) {
                        assert_eq!(decoded.words(), self.values[number]);
                    }
                }
                Metric::Dtw => {
                    if let Ok(decoded) = self.depth_block(table, block) {
                        assert_eq!(listed(&decoded), self.steps[number]);
                    }
                }
            }
        }
        if let Ok(depths) = table.depths() {
            assert_eq!(depths, self.depths);
        }
    }
}

fn listed(decoded: &DecodedDepths) -> Vec<(u64, usize, u16)> {
    let mut listed = Vec::new();
    decoded.for_each(|word, bit, step| listed.push((word, bit, step)));
    listed
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, specimen) in (0u8..).zip(&*SPECIMENS) {
        seeds.push(vec![number, AS_FILE, 30, 0, 1, 200, 0, 255]);
        for keep in [0, KEEP_IDENTITY] {
            let mut seed = vec![number, keep];
            seed.extend(&specimen.bytes[FIELDS..HEADER_CHECKSUM]);
            for block in 0..specimen.blocks() {
                let content = specimen.content(block);
                seed.extend(u16::try_from(content.len()).expect("short").to_le_bytes());
                seed.extend(content);
            }
            // The large one once is enough.
            if keep == 0 || seed.len() < 2000 {
                seeds.push(seed);
            }
        }
    }
    seeds
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let specimen = &SPECIMENS[input.index(SPECIMENS.len())];
    let how = input.bytes(1).first().copied().unwrap_or(AS_FILE);
    if how & AS_FILE != 0 {
        changed_file(specimen, input);
    } else {
        made_file(specimen, how, input);
    }
}

/// Places and changes of bytes; after an odd number of input bytes the file is cut there.
fn changed_file(specimen: &Specimen, mut input: Input<'_>) {
    let mut bytes = specimen.bytes.clone();
    while input.0.len() >= 3 {
        let at = usize::try_from(input.number(2)).expect("small") % bytes.len();
        bytes[at] ^= input.number(1).to_le_bytes()[0];
    }
    if input.0.len() == 2 {
        bytes.truncate(usize::try_from(input.number(2)).expect("small"));
    }
    let changed = bytes != specimen.bytes;
    match specimen.open(bytes) {
        Err(error) => check_message(&error.to_string()),
        Ok(table) => {
            specimen.compare(&table);
            let refusal = table.verify(&|| ()).err();
            let refusal = refusal.or_else(|| table.depths().err());
            assert_eq!(refusal.is_some(), changed);
            refusal.inspect(|error| check_message(&error.to_string()));
        }
    }
}

fn made_file(specimen: &Specimen, how: u8, mut input: Input<'_>) {
    let table = match specimen.open(sealed(how, &mut input)) {
        Ok(table) => table,
        Err(error) => return check_message(&error.to_string()),
    };
    // Nothing here may panic, or take memory that the shape of the slice does not explain.
    for block in 0..table.header().blocks().min(MAX_BLOCKS) {
        let refusal = match specimen.metric {
            Metric::Wdl => specimen.block(&table, block).err(),
            Metric::Dtw => specimen.depth_block(&table, block).err(),
        };
        refusal.inspect(|error| check_message(&error.to_string()));
    }
    let depths = table.depths();
    let verdict = table.verify(&|| ());
    verdict.as_ref().err().inspect(|error| check_message(&error.to_string()));
    if verdict.is_ok() && table.header().identity == specimen.identity {
        specimen.compare(&table);
    }
    if let (Ok(depths), Metric::Dtw) = (depths, specimen.metric) {
        let counts = table.header().counts;
        assert_eq!(depths.wins.iter().sum::<u64>(), counts.wins);
        assert_eq!(depths.losses.iter().sum::<u64>(), counts.losses);
    }
}

/// A file of the header and the blocks that the input gives, with checksums that fit.
fn sealed(how: u8, input: &mut Input<'_>) -> Vec<u8> {
    let mut bytes = b"FANORONA".to_vec();
    bytes.extend(input.bytes(HEADER_CHECKSUM - FIELDS));
    bytes.resize(HEADER_BYTES, 0);
    let (mut frames, mut contents) = (Vec::new(), Vec::new());
    while !input.is_empty() {
        let length = usize::try_from(input.number(2)).expect("small");
        let content = input.bytes(length);
        contents.extend(content);
        let frame =
            if how & KEEP_FRAMES != 0 { content.to_vec() } else { zstd::bulk::compress(content, 1).expect("a frame") };
        frames.push(frame);
    }
    let mut offset = HEADER_BYTES + frames.len() * INDEX_ENTRY_BYTES;
    for (number, frame) in frames.iter().enumerate() {
        let spoilt = if how & SPOIL_OFFSET != 0 && number == 0 { u64::from(bytes[BLOCK_WORDS]) } else { 0 };
        bytes.extend((offset as u64 ^ spoilt).to_le_bytes());
        bytes.extend(xxh3_64(frame).to_le_bytes());
        offset += frame.len();
    }
    let index = xxh3_64(&bytes[HEADER_BYTES..]);
    bytes.extend(frames.concat());
    let mut put = |keep: u8, at: usize, field: &[u8]| {
        if how & keep == 0 {
            bytes[at..at + field.len()].copy_from_slice(field);
        }
    };
    put(KEEP_FILE_BYTES, FILE_BYTES, &(offset as u64).to_le_bytes());
    put(KEEP_INDEX_CHECKSUM, INDEX_CHECKSUM, &index.to_le_bytes());
    put(KEEP_IDENTITY, IDENTITY, &xxh3_128(&contents).to_le_bytes());
    let header = xxh3_64(&bytes[..HEADER_CHECKSUM]);
    bytes[HEADER_CHECKSUM..HEADER_BYTES].copy_from_slice(&header.to_le_bytes());
    bytes
}
