//! A second reader of table files, written from FORMAT.md alone, compared with the library on every position of small sets.

// Numbers of small boards fit every type here.
#![allow(clippy::cast_possible_truncation)]

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use fanorona::board::{BoardSize, Diagonals};
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::{Continuation, Directions, Outcome, RuleSet, Stalemate};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128};

use crate::prover::few_rules;

/// What the format calls options: the bytes in the header.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Rules {
    diagonals: u8,
    /// Bit 0: obligatory continuation, bit 1: no direction twice in a turn.
    chains: u8,
    stalemate: u8,
}

impl Rules {
    fn of(rules: RuleSet) -> Self {
        Self {
            diagonals: u8::from(rules.diagonals == Diagonals::Centre),
            chains: u8::from(rules.continuation == Continuation::Obligatory)
                + 2 * u8::from(rules.directions == Directions::Once),
            stalemate: u8::from(rules.stalemate == Stalemate::Draw),
        }
    }

    fn folder(self, columns: usize, rows: usize) -> String {
        let chains = [(self.chains & 1, "-obligatory"), (self.chains >> 1, "-once")];
        let words = [(self.diagonals, "-centre"), chains[0], chains[1], (self.stalemate, "-draw")];
        let words: String = words.iter().filter(|(set, _)| *set == 1).map(|(_, word)| *word).collect();
        format!("{columns}x{rows}{words}")
    }
}

/// Worse before better.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
enum Value {
    Loss,
    Draw,
    Win,
}

impl Value {
    fn for_the_other_side(self) -> Self {
        match self {
            Self::Loss => Self::Win,
            Self::Draw => Self::Draw,
            Self::Win => Self::Loss,
        }
    }
}

impl From<Outcome> for Value {
    fn from(outcome: Outcome) -> Self {
        match outcome {
            Outcome::Loss => Self::Loss,
            Outcome::Draw => Self::Draw,
            Outcome::Win => Self::Win,
        }
    }
}

// Points and lines

#[derive(Clone, Copy)]
struct Grid {
    columns: usize,
    rows: usize,
    rules: Rules,
}

type Direction = (isize, isize);

const DIRECTIONS: [Direction; 8] = [(1, 0), (-1, 0), (0, 1), (0, -1), (1, 1), (-1, -1), (-1, 1), (1, -1)];

impl Grid {
    fn points(self) -> usize {
        self.columns * self.rows
    }

    /// The next point on the line from `point` in a direction.
    fn next(self, point: usize, (right, up): Direction) -> Option<usize> {
        let (column, row) = (point % self.columns, point / self.columns);
        let strong_parity = if self.rules.diagonals == 1 { (self.columns / 2 + self.rows / 2) % 2 } else { 0 };
        if right != 0 && up != 0 && (column + row) % 2 != strong_parity {
            return None;
        }
        let column = column.checked_add_signed(right).filter(|&column| column < self.columns)?;
        let row = row.checked_add_signed(up).filter(|&row| row < self.rows)?;
        Some(column + self.columns * row)
    }

    fn order(self) -> usize {
        if self.columns == self.rows { 8 } else { 4 }
    }

    /// Where symmetry `element` takes a set.
    fn image(self, element: usize, set: u64) -> u64 {
        members(set).fold(0, |image, point| {
            let (mut column, mut row) = (point % self.columns, point / self.columns);
            if element & 4 != 0 {
                (column, row) = (row, column);
            }
            if element & 1 != 0 {
                column = self.columns - 1 - column;
            }
            if element & 2 != 0 {
                row = self.rows - 1 - row;
            }
            image | 1 << (column + self.columns * row)
        })
    }

    /// The capturing steps of a stone: where to, in which direction, and the run that is taken.
    fn captures(self, from: usize, own: u64, enemy: u64) -> Vec<(usize, Direction, u64)> {
        let mut found = Vec::new();
        for direction in DIRECTIONS {
            let back = (-direction.0, -direction.1);
            let Some(to) = self.next(from, direction).filter(|&to| (own | enemy) >> to & 1 == 0) else { continue };
            for (first, along) in [(self.next(to, direction), direction), (self.next(from, back), back)] {
                let run = std::iter::successors(first, |&point| self.next(point, along));
                let run = run.take_while(|&point| enemy >> point & 1 == 1).fold(0, |run, point| run | 1 << point);
                if run != 0 {
                    found.push((to, direction, run));
                }
            }
        }
        found
    }

    fn is_quiet(self, own: u64, enemy: u64) -> bool {
        members(own).all(|from| self.captures(from, own, enemy).is_empty())
    }

    /// Every board that a capturing turn can lead to: the mover's stones, and what is left of the enemy.
    fn after_captures(self, own: u64, enemy: u64) -> Vec<(u64, u64)> {
        let mut boards = Vec::new();
        for from in members(own) {
            self.extend(from, own & !(1 << from), enemy, 1 << from, &[], &mut boards);
        }
        boards
    }

    /// Continues a chain whose stone has come to `at` over the points `visited`; returns whether it could.
    fn extend(
        self,
        at: usize,
        rest: u64,
        enemy: u64,
        visited: u64,
        steps: &[Direction],
        boards: &mut Vec<(u64, u64)>,
    ) -> bool {
        let mut any = false;
        for (to, direction, run) in self.captures(at, rest, enemy) {
            let compared = if self.rules.chains & 2 == 0 { &steps[steps.len().saturating_sub(1)..] } else { steps };
            if visited >> to & 1 == 1 || compared.contains(&direction) {
                continue;
            }
            any = true;
            let more = self.extend(to, rest, enemy & !run, visited | 1 << to, &[steps, &[direction]].concat(), boards);
            if self.rules.chains & 1 == 0 || !more {
                boards.push((rest | 1 << to, enemy & !run));
            }
        }
        any
    }
}

fn members(set: u64) -> impl Iterator<Item = usize> {
    (0..64).filter(move |point| set >> point & 1 == 1)
}

/// All sets of `size` of the first `points` points, ascending as numbers.
fn sets(points: usize, size: usize) -> Vec<u64> {
    if size == 0 {
        return vec![0];
    }
    (0..points).flat_map(|top| sets(top, size - 1).into_iter().map(move |below| below | 1 << top)).collect()
}

// Slots

struct Slots {
    grid: Grid,
    representatives: Vec<u64>,
    /// The first slot of each set.
    first: HashMap<u64, usize>,
}

impl Slots {
    fn new(grid: Grid, size: usize) -> Self {
        let (mut representatives, mut first) = (Vec::new(), HashMap::new());
        for set in sets(grid.points(), size) {
            if first.contains_key(&set) {
                continue;
            }
            for element in 0..grid.order() {
                let slot = grid.order() * representatives.len() + element;
                first.entry(grid.image(element, set)).or_insert(slot);
            }
            representatives.push(set);
        }
        Self { grid, representatives, first }
    }

    fn count(&self) -> usize {
        self.grid.order() * self.representatives.len()
    }

    fn set(&self, slot: usize) -> u64 {
        self.grid.image(slot % self.grid.order(), self.representatives[slot / self.grid.order()])
    }

    fn orbit_size(&self, orbit: usize) -> usize {
        let order = self.grid.order();
        (order * orbit..order * (orbit + 1)).filter(|&slot| self.first[&self.set(slot)] == slot).count()
    }
}

/// The rows and columns of a table.
struct Order<'a> {
    grid: Grid,
    mover: usize,
    /// What the rows are orbits of: the sets of the mover's stones, or of empty points on a crowded board.
    bases: &'a Slots,
    columns: Columns<'a>,
}

enum Columns<'a> {
    /// Slots of the opponent's sets.
    Slots(&'a Slots),
    /// The mover's sets among the occupied points, which are numbered upwards.
    Splits(Vec<u64>),
}

impl<'a> Order<'a> {
    /// `slots` are by the number of points of their sets.
    fn new(grid: Grid, (mover, opponent): (usize, usize), slots: &'a [Slots]) -> Self {
        if is_crowded(grid.points(), mover, opponent) {
            let bases = &slots[grid.points() - mover - opponent];
            return Self { grid, mover, bases, columns: Columns::Splits(sets(mover + opponent, mover)) };
        }
        Self { grid, mover, bases: &slots[mover], columns: Columns::Slots(&slots[opponent]) }
    }

    fn scheme(&self) -> u8 {
        if matches!(self.columns, Columns::Splits(_)) { 2 } else { 1 }
    }

    fn columns(&self) -> usize {
        match &self.columns {
            Columns::Slots(slots) => slots.count(),
            Columns::Splits(splits) => splits.len(),
        }
    }

    /// The two sides' stones, if there is a position in that place.
    fn position(&self, row: usize, column: usize) -> Option<(u64, u64)> {
        let base = self.bases.representatives[row];
        match &self.columns {
            Columns::Slots(slots) => {
                let enemy = slots.set(column);
                (enemy & base == 0 && slots.first[&enemy] == column).then_some((base, enemy))
            }
            Columns::Splits(splits) => {
                let occupied = (0..self.grid.points()).filter(|point| base >> point & 1 == 0);
                Some(occupied.enumerate().fold((0, 0), |(own, enemy), (label, point)| {
                    if splits[column] >> label & 1 == 1 { (own | 1 << point, enemy) } else { (own, enemy | 1 << point) }
                }))
            }
        }
    }

    /// Row and column of a position.
    fn place(&self, own: u64, enemy: u64) -> (usize, usize) {
        let crowded = matches!(self.columns, Columns::Splits(_));
        let base = if crowded { ((1 << self.grid.points()) - 1) & !(own | enemy) } else { own };
        let slot = self.bases.first[&base];
        let (row, element) = (slot / self.grid.order(), slot % self.grid.order());
        let back = (0..self.grid.order()).find(|&back| {
            (0..self.grid.points()).all(|p| self.grid.image(back, self.grid.image(element, 1 << p)) == 1 << p)
        });
        let [own, enemy] = [own, enemy].map(|set| self.grid.image(back.expect("an inverse"), set));
        match &self.columns {
            Columns::Slots(slots) => (row, slots.first[&enemy]),
            Columns::Splits(splits) => {
                let all = members(own | enemy).enumerate();
                let labels =
                    all.filter(|&(_, point)| own >> point & 1 == 1).fold(0, |set, (label, _)| set | 1 << label);
                (row, splits.binary_search(&labels).expect("one of the splits"))
            }
        }
    }
}

/// Whether a table numbers positions by their empty points.
fn is_crowded(points: usize, mover: usize, opponent: usize) -> bool {
    8 * sets(points - mover, opponent).len() < sets(points, opponent).len()
}

// Files

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
struct File {
    values: HashMap<(usize, usize), Value>,
    positions: usize,
    wins: usize,
    draws: usize,
    losses: usize,
    quiet: usize,
    identity: u128,
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

fn read(bytes: &[u8], grid: Grid, slice: (usize, usize), slots: &[Slots]) -> File {
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
struct Depths {
    plies: HashMap<(usize, usize), usize>,
    /// How many positions are won in 1, 3, 5 … plies, and lost in 0, 2, 4 …
    counts: [Vec<usize>; 2],
    /// The mover's and the opponent's points in the longest win and the longest loss.
    longest: [Option<(u64, u64)>; 2],
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
struct Reader {
    grid: Grid,
    slots: Vec<Slots>,
    files: HashMap<(usize, usize), File>,
    depths: HashMap<(usize, usize), Depths>,
}

impl Reader {
    fn open(folder: &Path, grid: Grid, stones: usize) -> Self {
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
    fn value(&self, own: u64, enemy: u64) -> Value {
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
    fn plies(&self, own: u64, enemy: u64) -> Option<usize> {
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

/// Builds a set, reads it with both readers, and compares every position, quiet ones or not.
fn compare(board: &str, stones: usize, rules: RuleSet) {
    let database = tempfile::tempdir().expect("a temporary folder");
    let size: BoardSize = board.parse().expect("a board");
    let built = build(Goal::values(size, rules, stones), database.path(), Budget::default()).expect("a build");
    build(Goal::depths(size, rules, stones), database.path(), Budget::default()).expect("a build of depths");
    let grid = Grid { columns: size.columns(), rows: size.rows(), rules: Rules::of(rules) };
    let folder = database.path().join(grid.rules.folder(grid.columns, grid.rows));
    check_folder(&folder, stones.min(grid.points()));
    let reader = Reader::open(&folder, grid, stones);
    let tables = Tables::open(database.path(), size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    assert_eq!(reader.files.len(), built.len());
    for made in &built {
        let (mover, opponent) = (made.slice.mover, made.slice.opponent);
        let file = &reader.files[&(mover, opponent)];
        assert_eq!(made.header.identity, file.identity);
        let [mut positions, mut quiet] = [0; 2];
        let mut counts = [0; 3];
        let mut by_plies = [HashMap::new(), HashMap::new()];
        for own in sets(grid.points(), mover) {
            for enemy in sets(grid.points(), opponent).into_iter().filter(|enemy| enemy & own == 0) {
                let value = reader.value(own, enemy);
                let probed = tables.probe(own, enemy).expect("no damage").expect("no missing table");
                assert_eq!(value, probed.into(), "{board} {rules}: {own:#x} against {enemy:#x}");
                let plies = reader.plies(own, enemy);
                let score = tables.score(own, enemy).expect("no damage").expect("no missing table");
                assert_eq!((value, plies), (score.outcome().into(), score.plies().map(|plies| plies as usize)));
                if let Some(plies) = plies {
                    *by_plies[usize::from(value == Value::Loss)].entry(plies).or_insert(0usize) += 1;
                }
                positions += 1;
                quiet += usize::from(grid.is_quiet(own, enemy));
                counts[value as usize] += 1;
            }
        }
        assert_eq!([positions, quiet], [file.positions, file.quiet], "{board} {mover}v{opponent}");
        assert_eq!(counts, [file.losses, file.draws, file.wins], "{board} {mover}v{opponent}");
        check_orbits(&reader, file, (mover, opponent));
        check_summary(&reader, &reader.depths[&(mover, opponent)], &by_plies);
    }
}

/// The summary counts every position by its plies, and names one of the longest.
fn check_summary(reader: &Reader, depths: &Depths, by_plies: &[HashMap<usize, usize>; 2]) {
    for (which, (counts, expected)) in depths.counts.iter().zip(by_plies).enumerate() {
        let listed = counts.iter().enumerate().filter(|(_, count)| **count > 0);
        let listed: HashMap<usize, usize> = listed.map(|(step, &count)| (2 * step + 1 - which, count)).collect();
        assert_eq!(listed, *expected);
        assert_ne!(counts.last(), Some(&0));
        let most = depths.longest[which].map(|(own, enemy)| reader.plies(own, enemy));
        assert_eq!(most, expected.keys().max().map(|&plies| Some(plies)));
    }
}

/// Stored values, each counted as often as its row has images, are the quiet placements.
fn check_orbits(reader: &Reader, file: &File, slice: (usize, usize)) {
    let order = Order::new(reader.grid, slice, &reader.slots);
    let weight = |row: usize| order.bases.orbit_size(row);
    assert_eq!(file.values.keys().map(|(row, _)| weight(*row)).sum::<usize>(), file.quiet);
}

/// The folder holds a file for each slice, the lock, and a manifest with the checksum of each file.
fn check_folder(folder: &Path, stones: usize) {
    let entries = fs::read_dir(folder).expect("a folder");
    let mut names: Vec<String> =
        entries.map(|entry| entry.expect("an entry").file_name().into_string().expect("a name")).collect();
    names.sort();
    let mut expected = vec![".lock".to_owned(), "XXH128SUMS".to_owned()];
    expected.extend(
        (1..stones)
            .flat_map(|mover| (1..=stones - mover).map(move |opponent| (mover, opponent)))
            .flat_map(|(mover, opponent)| ["wdl", "dtw"].map(|metric| format!("{mover}v{opponent}.{metric}"))),
    );
    expected.sort();
    assert_eq!(names, expected);
    let manifest = fs::read_to_string(folder.join("XXH128SUMS")).expect("a manifest");
    let mut listed = Vec::new();
    for line in manifest.lines() {
        let (checksum, name) = line.split_once("  ").expect("a checksum, two spaces, a name");
        let bytes = fs::read(folder.join(name)).expect("a listed file");
        assert_eq!(checksum, format!("{:032x}", xxh3_128(&bytes)), "{name}");
        listed.push(name.to_owned());
    }
    listed.sort();
    expected.retain(|name| name.contains('v'));
    assert_eq!(listed, expected);
}

#[test]
fn tables_of_3x3_under_several_rule_sets() {
    few_rules().for_each(|rules| compare("3x3", 9, rules));
}

#[test]
fn tables_of_3x5_under_several_rule_sets() {
    few_rules().for_each(|rules| compare("3x5", 4, rules));
}

#[test]
fn tables_of_5x5() {
    compare("5x5", 4, RuleSet::default());
}

#[test]
fn tables_of_9x5() {
    compare("9x5", 3, RuleSet::default());
}

#[test]
fn tables_of_boards_one_point_wide() {
    compare("1x7", 5, RuleSet::default());
    compare("5x1", 5, RuleSet { stalemate: Stalemate::Draw, ..RuleSet::default() });
}

/// The example that FORMAT.md takes apart byte by byte.
#[test]
fn the_worked_example_is_what_a_build_writes() {
    const EXAMPLE: &str = include_str!("../../src/table/FORMAT.md");
    let database = tempfile::tempdir().expect("a temporary folder");
    let size: BoardSize = "3x3".parse().expect("a board");
    let rules = RuleSet::default();
    build(Goal::values(size, rules, 2), database.path(), Budget::default()).expect("a build");
    let bytes = fs::read(database.path().join("3x3/1v1.wdl")).expect("a table");
    let dump = EXAMPLE.lines().filter_map(|line| line.strip_prefix("0000").and_then(|line| line.split_once(':')));
    let dumped: Vec<u8> = dump
        .flat_map(|(_, line)| line.split_whitespace())
        .map(|byte| u8::from_str_radix(byte, 16).expect("a byte in hexadecimal"))
        .collect();
    // The compressor may come to differ; all in front of the block index does not depend on it but for the length and checksums.
    let without_compressor = |bytes: &[u8]| [&bytes[..85], &bytes[101..117]].concat();
    assert_eq!(without_compressor(&dumped), without_compressor(&bytes));
    assert_eq!(dumped.len(), 152);
    let grid = Grid { columns: 3, rows: 3, rules: Rules::of(rules) };
    let slots: Vec<Slots> = (0..2).map(|size| Slots::new(grid, size)).collect();
    let (example, built) = (read(&dumped, grid, (1, 1), &slots), read(&bytes, grid, (1, 1), &slots));
    assert_eq!(example.values, built.values);
}
