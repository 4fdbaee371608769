//! Scores of a slice from its two tables, into memory: what a resumed build starts from.

use rayon::prelude::*;

use crate::index::Space;
use crate::rules::{Outcome, RuleSet};
use crate::table::{Cell, Damage, DecodedBlock, DecodedDepths, Score, SliceDepths, Source, Table, TableError};

use super::super::pair::prefers_compact;
use super::DepthSlices;
use super::capture_scores;
use super::compact::CompactDepths;

/// A block of values with the blocks of depths in it.
struct Decoded {
    values: DecodedBlock,
    depths: Vec<DecodedDepths>,
}

impl Decoded {
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

/// Decodes the tables of a slice. Positions with a capture are resolved by a capture pass, from the slices in `finished`.
///
/// # Errors
/// [`TableError::Damaged`]; [`TableError::TooDeep`] if cells of that width cannot hold them.
///
/// # Panics
/// If `finished` lacks one of the slices that captures lead to.
pub fn decode_depths<C: Cell, D: Source>(
    space: &Space,
    rules: RuleSet,
    values: &Table<D>,
    depths: &Table<D>,
    finished: &DepthSlices<C>,
) -> Result<SliceDepths<C>, TableError> {
    const BATCH: u64 = 256;
    let (header, slice) = (values.header(), values.header().slice);
    let most_steps = depths.depths()?.most_steps();
    if most_steps > C::MOST_STEPS.into() {
        return Err(TableError::too_deep::<C>(slice));
    }
    let blocks = |range: std::ops::Range<u64>| -> Result<Vec<Decoded>, TableError> {
        range.into_par_iter().map(|block| decoded(space, values, depths, block, most_steps)).collect()
    };
    let lookup = |slice| &finished[&slice];
    if prefers_compact(space, slice) {
        let mut side = CompactDepths::new(space, rules, slice, lookup, &|_| ())?;
        let blocks = blocks(0..header.blocks())?;
        let opponents = space.subsets(slice.opponent);
        side.fill(|row, enemy| {
            let slot = opponents.slot(enemy);
            let word = row as u64 * header.row_words + slot as u64 / 64;
            #[allow(clippy::cast_possible_truncation)] // blocks are in memory
            let block = &blocks[values.block_of(word) as usize];
            block.score(word, slot % 64)
        });
        return Ok(side.finish());
    }
    let mut scores = capture_scores(space, rules, slice, lookup);
    let stride = scores.stride();
    for first in (0..header.blocks()).step_by(usize::try_from(BATCH).unwrap_or(1)) {
        for block in blocks(first..header.blocks().min(first + BATCH))? {
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

fn decoded<D: Source>(
    space: &Space,
    values: &Table<D>,
    depths: &Table<D>,
    block: u64,
    most_steps: usize,
) -> Result<Decoded, TableError> {
    let (header, finer) = (values.header(), depths.header());
    if header.block_words % finer.block_words != 0 {
        return Err(depths.damaged(Damage::Header));
    }
    let share = header.block_words / finer.block_words;
    let numbers = block * share..finer.blocks().min((block + 1) * share);
    let values = values.block(space, block)?;
    let decode = |number| {
        let decoded = depths.depth_block(space, number, &values)?;
        // Cells are chosen by what the list of depths says.
        let listed = usize::from(decoded.most_steps()) <= most_steps;
        if listed { Ok(decoded) } else { Err(depths.damaged(Damage::Block(number))) }
    };
    let depths = numbers.map(decode).collect::<Result<_, _>>()?;
    Ok(Decoded { values, depths })
}
