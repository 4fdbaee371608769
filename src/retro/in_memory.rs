//! Pairs in memory, in the form that suits them: solved from finished slices, or read from their tables.

use std::collections::BTreeMap;
use std::ops::Range;

use rayon::prelude::*;

use crate::index::{Slice, Space, is_crowded};
use crate::rules::{Outcome, RuleSet};
use crate::table::{
    ByteSource, Cell, Damage, DecodedBlock, DecodedDepths, InMemory, Loaded, LoadedDepths, RowValue, Rows, Score,
    SliceDepths, SliceValues, Table, TableError, Tables, ValuePlanes,
};

use super::crowded::{crowded_captures, fill_quiet_rows, solve_crowded};
use super::depths::capture_scores;
use super::planes::{Leaves, captured_values, solve_planes};
use super::slices::Phase;

/// Values of slices in memory, by slice.
pub type Slices = BTreeMap<Slice, SliceValues>;

/// Scores of slices in memory, by slice.
pub type DepthSlices<C> = BTreeMap<Slice, SliceDepths<C>>;

/// Blocks that are decoded at a time where they are not all kept.
const BATCH: u64 = 256;

/// Computes a slice and, if it is another, its twin, in the form that suits them. `lookup` gives finished slices with fewer stones.
pub fn solve_pair<'v>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceValues,
    report: &(dyn Fn(Phase) + Sync),
) -> Vec<SliceValues> {
    if is_crowded(space.board().points(), slice) {
        let solved = solve_crowded(space, rules, slice, lookup, report);
        solved.unwrap_or_else(|_| unreachable!("any outcome is held"))
    } else {
        solve_planes(space, rules, slice, lookup, report)
    }
}

/// The part of the time to read a table that its captures take.
const CAPTURES: f64 = 0.8;

/// How much of a table is read when that many rows of its captures are resolved.
#[allow(clippy::cast_precision_loss)] // for people
fn part_of_captures(done: usize, rows: usize) -> f64 {
    CAPTURES * done as f64 / rows as f64
}

/// How much of a table is read when its captures are resolved and that many blocks are read.
#[allow(clippy::cast_precision_loss)] // for people
fn part_of_blocks(done: u64, blocks: u64) -> f64 {
    CAPTURES + (1.0 - CAPTURES) * done as f64 / blocks as f64
}

/// Decodes a table. Positions with a capture are resolved by a capture pass, from the slices in `lower`. `report` gets the part that is done.
///
/// # Errors
/// [`TableError::Damaged`].
///
/// # Panics
/// If `lower` lacks one of [`after_captures`](super::after_captures).
pub fn decode<D: ByteSource>(
    space: &Space,
    rules: RuleSet,
    table: &Table<D>,
    lower: &Slices,
    leaves: Leaves,
    report: &(dyn Fn(f64) + Sync),
) -> Result<SliceValues, TableError> {
    let (slice, lookup) = (table.header().slice, |slice| &lower[&slice]);
    let blocks = |range: Range<u64>| -> Result<Vec<DecodedBlock>, TableError> {
        range.into_par_iter().map(|block| table.block(space, block)).collect()
    };
    if is_crowded(space.board().points(), slice) {
        let mut rows = crowded_captures(space, rules, slice, &lookup)?;
        let blocks = blocks(0..table.header().blocks())?;
        fill_crowded(space, &mut rows, table, &blocks, DecodedBlock::outcome);
        return Ok(SliceValues::from_rows(slice, rows));
    }
    let captured = |done, rows| report(part_of_captures(done, rows));
    let mut planes = captured_values(space, rules, slice, &lookup, leaves, &captured);
    fill_quiet(space, table, blocks, &mut planes, report)?;
    Ok(SliceValues::new(slice, planes))
}

/// Sets the quiet positions of a crowded slice, from all blocks of their table.
fn fill_crowded<V: RowValue, D: ByteSource, B: Sync>(
    space: &Space,
    rows: &mut Rows<V>,
    table: &Table<D>,
    blocks: &[B],
    value: impl Fn(&B, u64, usize) -> V + Sync,
) {
    let header = table.header();
    fill_quiet_rows(space, header.slice, rows, |row, column| {
        let word = row as u64 * header.row_words + column as u64 / 64;
        #[allow(clippy::cast_possible_truncation)] // blocks are in memory
        let block = &blocks[table.block_of(word) as usize];
        value(block, word, column % 64)
    });
}

/// Puts the values of quiet positions into planes in which they count as drawn so far.
fn fill_quiet<D: ByteSource>(
    space: &Space,
    table: &Table<D>,
    blocks: impl Fn(Range<u64>) -> Result<Vec<DecodedBlock>, TableError>,
    ValuePlanes { loss, not_win }: &mut ValuePlanes,
    report: &dyn Fn(f64),
) -> Result<(), TableError> {
    let (header, stride) = (table.header(), loss.stride());
    let end = header.blocks();
    for first in (0..end).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        report(part_of_blocks(first, end));
        #[allow(clippy::cast_possible_truncation)] // planes of this size are addressed in memory
        let (mut word, row_words) = ((first * header.block_words) as usize, header.row_words as usize);
        for [win, lost] in blocks(first..end.min(first + BATCH))?.iter().flat_map(DecodedBlock::words) {
            let at = word / row_words * stride + word % row_words;
            not_win.words_mut()[at] &= !win;
            loss.words_mut()[at] |= lost;
            word += 1;
        }
    }
    // Tables hold the first of equal slots; the others follow it.
    for (slot, first) in space.subsets(header.slice.opponent).equal_slots() {
        loss.copy_column(first, slot);
        not_win.copy_column(first, slot);
    }
    Ok(())
}

/// A block of values with the blocks of depths in it.
struct BlockWithDepths {
    values: DecodedBlock,
    depths: Vec<DecodedDepths>,
}

impl BlockWithDepths {
    fn decode<D: ByteSource>(
        space: &Space,
        values: &Table<D>,
        depths: &Table<D>,
        block: u64,
        max_steps: usize,
    ) -> Result<Self, TableError> {
        let (header, finer) = (values.header(), depths.header());
        if header.block_words % finer.block_words != 0 {
            return Err(depths.damaged(Damage::Header));
        }
        let share = header.block_words / finer.block_words;
        let numbers = block * share..finer.blocks().min((block + 1) * share);
        let values = values.block(space, block)?;
        let decode = |number| {
            let decoded = depths.depth_block(number, &values)?;
            // Cells are chosen by the table's list of depths.
            let listed = usize::from(decoded.most_steps()) <= max_steps;
            if listed { Ok(decoded) } else { Err(depths.damaged(Damage::Block(number))) }
        };
        let depths = numbers.map(decode).collect::<Result<_, _>>()?;
        Ok(Self { values, depths })
    }

    /// The score of a quiet position, by word and bit.
    fn score(&self, word: u64, bit: usize) -> Score {
        let step = || self.depths.iter().find(|depths| depths.covers(word)).and_then(|depths| depths.step(word, bit));
        match self.values.outcome(word, bit) {
            Outcome::Draw => Score::DRAW,
            Outcome::Win => step().map_or(Score::DRAW, Score::win),
            Outcome::Loss => step().map_or(Score::DRAW, Score::loss),
        }
    }
}

/// Decodes the two tables of a slice. Positions with a capture are resolved by a capture pass, from the slices in `lower`. `report` gets the
/// part that is done, from any thread.
///
/// # Errors
/// [`TableError::Damaged`]; [`TableError::TooDeep`] if cells of that width cannot hold them.
///
/// # Panics
/// If `lower` lacks one of the slices that captures lead to.
pub fn decode_depths<C: Cell, D: ByteSource>(
    space: &Space,
    rules: RuleSet,
    values: &Table<D>,
    depths: &Table<D>,
    lower: &DepthSlices<C>,
    report: &(dyn Fn(f64) + Sync),
) -> Result<SliceDepths<C>, TableError> {
    let (header, slice) = (values.header(), values.header().slice);
    let max_steps = depths.depths()?.most_steps();
    if max_steps > C::MAX_STEPS.into() {
        return Err(TableError::too_deep::<C>(slice));
    }
    let blocks = |range: Range<u64>| -> Result<Vec<BlockWithDepths>, TableError> {
        let decode = |block| BlockWithDepths::decode(space, values, depths, block, max_steps);
        range.into_par_iter().map(decode).collect()
    };
    let lookup = |slice| &lower[&slice];
    if is_crowded(space.board().points(), slice) {
        let mut rows = crowded_captures(space, rules, slice, &lookup)?;
        let blocks = blocks(0..header.blocks())?;
        fill_crowded(space, &mut rows, values, &blocks, |block, word, bit| C::of(block.score(word, bit)));
        return Ok(SliceDepths::from_rows(slice, rows));
    }
    let mut scores = capture_scores(space, rules, slice, &lookup, &|done, rows| report(part_of_captures(done, rows)));
    let stride = scores.stride();
    let end = header.blocks();
    for first in (0..end).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        report(part_of_blocks(first, end));
        for block in blocks(first..end.min(first + BATCH))? {
            for depths in &block.depths {
                depths.for_each(|word, bit, step| {
                    let win = block.values.outcome(word, bit) == Outcome::Win;
                    let cell = if win { C::win(step) } else { C::loss(step) };
                    #[allow(clippy::cast_possible_truncation)] // planes of this size are addressed in memory
                    let (row, column) = ((word / header.row_words) as usize, (word % header.row_words) as usize);
                    scores.all_mut()[row * stride + 64 * column + bit] = cell;
                });
            }
        }
    }
    // Tables hold the first of equal slots; the others follow it.
    for (slot, first) in space.subsets(slice.opponent).equal_slots() {
        for row in scores.all_mut().chunks_exact_mut(stride) {
            row[slot] = row[first];
        }
    }
    Ok(SliceDepths::new(slice, scores))
}

/// Reads the values of slices into memory, in an order in which captures lead to slices before, as
/// [`closed`](super::closed) and [`Slice::up_to`] give them.
///
/// # Errors
/// [`TableError`]; [`TableError::Missing`] if a slice is not there.
///
/// # Panics
/// In another order, or if a slice that captures lead to is left out.
pub fn load_values(tables: &Tables, slices: impl IntoIterator<Item = Slice>) -> Result<Loaded, TableError> {
    let rules = tables.rules().rule_set();
    load(tables, slices, |space, slice, lower| {
        let table = tables.folder().get(slice).ok_or_else(|| missing(tables, slice))?;
        decode(space, rules, table, lower, Leaves::All, &|_| ())
    })
}

/// As [`load_values`], for depths.
///
/// # Errors
/// As [`load_values`].
///
/// # Panics
/// As [`load_values`].
pub fn load_depths(
    tables: &Tables,
    slices: impl IntoIterator<Item = Slice> + Clone,
) -> Result<LoadedDepths, TableError> {
    match load_cells(tables, slices.clone()) {
        Err(TableError::TooDeep { .. }) => load_cells(tables, slices).map(LoadedDepths::Words),
        other => other.map(LoadedDepths::Bytes),
    }
}

fn load_cells<C: Cell>(
    tables: &Tables,
    slices: impl IntoIterator<Item = Slice>,
) -> Result<InMemory<SliceDepths<C>>, TableError> {
    let rules = tables.rules().rule_set();
    load(tables, slices, |space, slice, lower| {
        let both = [tables.folder().get(slice), tables.folder().depths(slice)];
        let [values, depths] = both.map(|table| table.ok_or_else(|| missing(tables, slice)));
        decode_depths(space, rules, values?, depths?, lower, &|_| ())
    })
}

fn load<T>(
    tables: &Tables,
    slices: impl IntoIterator<Item = Slice>,
    decode: impl Fn(&Space, Slice, &BTreeMap<Slice, T>) -> Result<T, TableError>,
) -> Result<InMemory<T>, TableError> {
    let space = Space::new(tables.space().board().size(), tables.rules().rule_set().diagonals);
    let mut decoded = BTreeMap::new();
    for slice in slices {
        let values = decode(&space, slice, &decoded)?;
        decoded.insert(slice, values);
    }
    Ok(InMemory::new(space, decoded))
}

/// The error that a slice has no table in the folder.
fn missing(tables: &Tables, slice: Slice) -> TableError {
    let (size, rules) = (tables.space().board().size(), tables.rules().rule_set());
    TableError::Missing {
        slice,
        needed: Box::new(slice.into()),
        folder: tables.folder().path().to_owned(),
        size,
        rules,
    }
}
