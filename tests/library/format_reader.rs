//! A second reader of table files, written from FORMAT.md alone: blocks of a file, values and plies in a folder.

// Numbers of small boards fit every type here.
#![allow(clippy::cast_possible_truncation)]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::format_positions::{Grid, Order, Rules, Slots, Value};

/// Takes fields off the front, little-endian.
struct Fields<'a>(&'a [u8]);

impl Fields<'_> {
    fn take(&mut self, bytes: usize) -> u128 {
        let (field, rest) = self.0.split_at(bytes);
        self.0 = rest;
        field.iter().rev().fold(0, |number, &byte| number << 8 | u128::from(byte))
    }

    fn byte(&mut self) -> u8 {
        self.take(1) as u8
    }

    fn number(&mut self) -> usize {
        self.take(8) as usize
    }
}

/// What a table holds: a value for each quiet position, by row and column, and the counts that its header gives.
pub struct File {
    pub values: HashMap<(usize, usize), Value>,
    pub positions: usize,
    pub wins: usize,
    pub draws: usize,
    pub losses: usize,
    pub quiet: usize,
    pub identity: u128,
}

const HEADER: usize = 125;

/// The parts of a file of either metric: its counts, where its blocks end, and what they decompress to.
struct Parts {
    counts: [usize; 5],
    identity: u128,
    row_words: usize,
    block_words: usize,
    words: usize,
    packed: Vec<Vec<u8>>,
}

fn parts(bytes: &[u8], metric: u8, order: &Order<'_>, opponent: usize) -> Parts {
    let grid = order.grid;
    let mut fields = Fields(bytes);
    assert_eq!(fields.take(8).to_le_bytes()[..8], *b"FANORONA");
    assert_eq!(fields.take(4), 1, "version");
    assert_eq!([fields.byte(), fields.byte()].map(usize::from), [grid.columns, grid.rows]);
    let rules = Rules { diagonals: fields.byte(), chains: fields.byte(), stalemate: fields.byte() };
    assert_eq!(rules, grid.rules);
    assert_eq!(fields.byte(), metric, "metric");
    assert_eq!([fields.byte(), fields.byte()].map(usize::from), [order.mover, opponent]);
    assert_eq!(fields.byte(), order.scheme(), "index scheme");
    let [rows, row_words, block_words] = std::array::from_fn(|_| fields.number());
    let counts = std::array::from_fn(|_| fields.number());
    let file_bytes = fields.number();
    let index_checksum = fields.take(8);
    let identity = fields.take(16);
    assert_eq!(u128::from(xxh3_64(&bytes[..117])), fields.take(8), "checksum of the header");
    assert_eq!(bytes.len() - fields.0.len(), HEADER);
    assert_eq!(file_bytes, bytes.len());

    assert_eq!(rows, order.bases.representatives.len());
    assert_eq!(row_words, order.columns().div_ceil(64));
    let words = rows * row_words;
    // A depth table has a summary behind its blocks.
    let entries = words.div_ceil(block_words) + usize::from(metric);
    let index_end = HEADER + 16 * entries;
    assert_eq!(u128::from(xxh3_64(&bytes[HEADER..index_end])), index_checksum, "checksum of the block index");
    let index: Vec<(usize, u128)> = (0..entries).map(|_| (fields.number(), fields.take(8))).collect();
    assert_eq!(index[0].0, index_end, "blocks follow the index");
    let packed = index.iter().enumerate().map(|(block, &(start, checksum))| {
        let end = index.get(block + 1).map_or(file_bytes, |next| next.0);
        assert_eq!(u128::from(xxh3_64(&bytes[start..end])), checksum, "checksum of block {block}");
        zstd::stream::decode_all(&bytes[start..end]).expect("a zstd frame")
    });
    let packed: Vec<Vec<u8>> = packed.collect();
    assert_eq!(xxh3_128(&packed.concat()), identity, "identity");
    Parts { counts, identity, row_words, block_words, words, packed }
}

impl Parts {
    /// The quiet positions in the stretch of a block: rows and columns, in order.
    fn stored(&self, block: usize, order: &Order<'_>) -> Vec<(usize, usize)> {
        let mut stored = Vec::new();
        for word in block * self.block_words..self.words.min((block + 1) * self.block_words) {
            let row = word / self.row_words;
            let first = 64 * (word % self.row_words);
            stored.extend((first..order.columns().min(first + 64)).map(|column| (row, column)).filter(
                |&(row, column)| {
                    order.position(row, column).is_some_and(|(own, enemy)| order.grid.is_quiet(own, enemy))
                },
            ));
        }
        stored
    }
}

pub fn read(bytes: &[u8], grid: Grid, slice: (usize, usize), slots: &[Slots]) -> File {
    let order = Order::new(grid, slice, slots);
    let parts = parts(bytes, 0, &order, slice.1);
    let mut values = HashMap::new();
    for (block, packed) in parts.packed.iter().enumerate() {
        let mut digits = packed.iter().flat_map(|&byte| [1, 3, 9, 27, 81].map(|place| byte / place % 3));
        assert!(packed.iter().all(|&byte| byte < 243));
        let stored = parts.stored(block, &order);
        for &place in &stored {
            let value = match digits.next().expect("a digit for each quiet position") {
                0 => Value::Draw,
                1 => Value::Win,
                _ => Value::Loss,
            };
            values.insert(place, value);
        }
        assert_eq!(packed.len(), stored.len().div_ceil(5));
        assert!(digits.all(|digit| digit == 0), "the last byte is filled with zeros");
    }
    let [positions, wins, draws, losses, quiet] = parts.counts;
    File { values, positions, wins, draws, losses, quiet, identity: parts.identity }
}

/// The plies of the quiet positions that are won or lost.
pub struct Depths {
    plies: HashMap<(usize, usize), usize>,
    /// How many positions are won in 1, 3, 5 … plies, and lost in 0, 2, 4 …
    pub counts: [Vec<usize>; 2],
    /// The mover's and the opponent's points in the longest win and the longest loss.
    pub longest: [Option<(u64, u64)>; 2],
}

fn read_depths(bytes: &[u8], grid: Grid, slice: (usize, usize), slots: &[Slots], values: &File) -> Depths {
    let order = Order::new(grid, slice, slots);
    let parts = parts(bytes, 1, &order, slice.1);
    let counts = [values.positions, values.wins, values.draws, values.losses, values.quiet];
    assert_eq!(parts.counts, counts, "both tables of a slice have the same counts");
    let (summary, blocks) = parts.packed.split_last().expect("a summary");
    let mut plies = HashMap::new();
    for (block, packed) in blocks.iter().enumerate() {
        let mut packed = packed.iter();
        let mut step = || {
            let (mut step, mut place) = (0, 1);
            loop {
                let byte = usize::from(*packed.next().expect("a byte for each step"));
                step += byte % 128 * place;
                if byte < 128 {
                    assert!(place == 1 || byte > 0, "a number has no more bytes than it needs");
                    return step;
                }
                place *= 128;
            }
        };
        let stored = parts.stored(block, &order);
        for (wanted, odd) in [(Value::Win, 1), (Value::Loss, 0)] {
            for place in stored.iter().filter(|place| values.values[place] == wanted) {
                plies.insert(*place, 2 * step() + odd);
            }
        }
        assert!(packed.next().is_none(), "bytes are left over");
    }
    let mut fields = Fields(summary);
    let short = |fields: &mut Fields<'_>| match fields.byte() {
        251 => fields.take(2),
        252 => fields.take(4),
        253 => fields.take(8),
        small => u128::from(small),
    };
    let counts = std::array::from_fn(|_| {
        let length = short(&mut fields);
        (0..length).map(|_| short(&mut fields) as usize).collect()
    });
    let longest =
        std::array::from_fn(|_| (fields.byte() == 1).then(|| (short(&mut fields) as u64, short(&mut fields) as u64)));
    assert!(fields.0.is_empty(), "the summary ends there");
    Depths { plies, counts, longest }
}

/// Files of one folder, read by the second reader.
pub struct Reader {
    pub grid: Grid,
    pub slots: Vec<Slots>,
    pub files: HashMap<(usize, usize), File>,
    pub depths: HashMap<(usize, usize), Depths>,
}

impl Reader {
    pub fn open(folder: &Path, grid: Grid, stones: usize) -> Self {
        let most = stones.min(grid.points());
        // On crowded boards the few empty points count as well.
        let sizes = if 2 * most > grid.points() { grid.points() } else { most };
        let slots: Vec<Slots> = (0..sizes).map(|size| Slots::new(grid, size)).collect();
        let slices = (1..most).flat_map(|mover| (1..=most - mover).map(move |opponent| (mover, opponent)));
        let files: HashMap<_, _> = slices
            .map(|(mover, opponent)| {
                let bytes = fs::read(folder.join(format!("{mover}v{opponent}.wdl"))).expect("a table");
                ((mover, opponent), read(&bytes, grid, (mover, opponent), &slots))
            })
            .collect();
        let depths = files.iter().map(|(&(mover, opponent), values)| {
            let bytes = fs::read(folder.join(format!("{mover}v{opponent}.dtw"))).expect("a depth table");
            ((mover, opponent), read_depths(&bytes, grid, (mover, opponent), &slots, values))
        });
        let depths = depths.collect();
        Self { grid, slots, files, depths }
    }

    /// The value of a position; captures are followed to quiet positions.
    pub fn value(&self, own: u64, enemy: u64) -> Value {
        if own == 0 {
            return Value::Loss;
        }
        if enemy == 0 {
            return Value::Win;
        }
        let after = self.grid.after_captures(own, enemy);
        let best = after.into_iter().map(|(own, enemy)| self.value(enemy, own).for_the_other_side()).max();
        best.unwrap_or_else(|| self.quiet_value(own, enemy))
    }

    /// The plies to the end of a position that is won or lost.
    pub fn plies(&self, own: u64, enemy: u64) -> Option<usize> {
        if own == 0 {
            return Some(0);
        }
        let after: Vec<_> = self.grid.after_captures(own, enemy);
        if after.is_empty() {
            let slice = (own.count_ones() as usize, enemy.count_ones() as usize);
            return self.depths[&slice].plies.get(&self.place(own, enemy)).copied();
        }
        let after: Vec<_> =
            after.into_iter().map(|(own, enemy)| (self.value(enemy, own), self.plies(enemy, own))).collect();
        let plies = |wanted| after.iter().filter(move |(value, _)| *value == wanted).filter_map(|(_, plies)| *plies);
        match self.value(own, enemy) {
            Value::Win => plies(Value::Loss).min().map(|plies| plies + 1),
            Value::Draw => None,
            Value::Loss => plies(Value::Win).max().map(|plies| plies + 1),
        }
    }

    fn quiet_value(&self, own: u64, enemy: u64) -> Value {
        self.files[&(own.count_ones() as usize, enemy.count_ones() as usize)].values[&self.place(own, enemy)]
    }

    fn place(&self, own: u64, enemy: u64) -> (usize, usize) {
        let slice = (own.count_ones() as usize, enemy.count_ones() as usize);
        Order::new(self.grid, slice, &self.slots).place(own, enemy)
    }
}
