//! Retrograde analysis of crowded slices, a row of many positions at a time.
//!
//! A row has given empty points, its columns are all the ways to split the occupied ones between the sides
//! ([`Crowded`]). `chains` walks the captures of a row, `paikas` follows the other turns until nothing new is decided, and `pass`
//! looks up what a turn of many columns leads to. Values and depths differ in what a grid holds.

mod chains;
mod paikas;
mod pass;

use rayon::prelude::*;

use crate::index::{Crowded, Slice, Space};
use crate::rules::RuleSet;
use crate::table::{RowValue, Rows, SliceOf, SliceValue, TableError};

use super::parallel::counting;
use super::slices::{Phase, with_twin};
use chains::Chains;
use pass::{Pass, Row, TooDeep, columns};

/// Rows that a thread takes at a time.
const BATCH: usize = 16;

/// Computes a slice and, if it is another, its twin. `lookup` gives finished slices with fewer stones.
///
/// # Errors
/// [`TableError::TooDeep`] if cells of that width cannot hold the scores.
pub fn solve_crowded<'v, V: SliceValue>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceOf<V>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Vec<SliceOf<V>>, TableError> {
    let slices: Vec<Slice> = with_twin(slice).collect();
    let solve = || {
        let rows = slices.iter().map(|&slice| captures(space, rules, slice, lookup, report));
        let mut rows = rows.collect::<Result<Vec<_>, _>>()?;
        paikas::decide(space, rules, &slices, &mut rows, report)?;
        Ok(slices.iter().zip(rows).map(|(&slice, rows)| SliceOf::from_rows(slice, rows)).collect())
    };
    solve().map_err(|TooDeep| TableError::too_deep::<V>(slice))
}

/// The values of the positions with a capture; quiet positions count as drawn.
///
/// # Errors
/// As [`solve_crowded`].
pub fn crowded_captures<'v, V: SliceValue>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceOf<V>,
) -> Result<Rows<V>, TableError> {
    captures(space, rules, slice, lookup, &|_| ()).map_err(|TooDeep| TableError::too_deep::<V>(slice))
}

/// Sets the quiet positions of a slice to what `known` gives for their row and column.
pub fn fill_quiet_rows<V: RowValue>(
    space: &Space,
    slice: Slice,
    rows: &mut Rows<V>,
    known: impl Fn(usize, usize) -> V + Sync,
) {
    let (crowded, stride) = (Crowded::new(space, slice), rows.stride());
    let empties = crowded.empties().representatives();
    rows.units_mut().par_chunks_mut(stride).zip(empties).enumerate().for_each_init(
        Vec::new,
        |quiet, (row, (units, &empty))| {
            quiet.resize(crowded.splits().words(), 0);
            crowded.mark_quiet(empty, 0, quiet);
            for column in columns(quiet) {
                V::set(units, column, known(row, column));
            }
        },
    );
}

/// Resolves all captures of a slice; quiet positions count as drawn.
fn captures<'v, V: SliceValue>(
    space: &Space,
    rules: RuleSet,
    slice: Slice,
    lookup: &dyn Fn(Slice) -> &'v SliceOf<V>,
    report: &(dyn Fn(Phase) + Sync),
) -> Result<Rows<V>, TooDeep> {
    let crowded = Crowded::new(space, slice);
    let sets: Vec<u64> = crowded.splits().sets().collect();
    let lower: Vec<_> = (1..slice.opponent).map(|left| lookup(Slice::new(left, slice.mover)).rows(space)).collect();
    let pass = Pass::new(space, rules, slice, &sets, (1..).zip(lower.iter().map(AsRef::as_ref)));
    let mut solved = Rows::new(crowded, V::DRAW);
    let stride = solved.stride();
    let progress = |done, total| report(Phase::Captures { slice, done, total });
    let advance = counting(crowded.empties().orbits(), &progress);
    let empties = crowded.empties().representatives();
    let rows = solved.units_mut().par_chunks_mut(stride * BATCH).zip(empties.par_chunks(BATCH));
    rows.try_for_each_init(
        || (Row::new(), Vec::new()),
        |(row, masks), (units, empties)| {
            for (units, &empty) in units.chunks_mut(stride).zip(empties) {
                for start in (0..pass.splits.words()).step_by(pass::CHUNK_WORDS) {
                    resolve(&pass, row, masks, (empty, start), units)?;
                }
            }
            advance(empties.len());
            Ok(())
        },
    )?;
    Ok(solved)
}

/// Resolves the captures of a stretch of a row.
fn resolve<V: RowValue>(
    pass: &Pass<'_, V>,
    row: &mut Row<V>,
    masks: &mut Vec<u64>,
    (empty, start): (u64, usize),
    units: &mut [V::Unit],
) -> Result<(), TooDeep> {
    row.begin(pass, empty, start);
    pass.crowded.mark_capturing(empty, start, &mut row.open);
    let capturing = row.open.clone();
    Chains::follow(pass, row, masks);
    for column in columns(&capturing) {
        let least = row.least[column];
        let value = least.before();
        if value == V::DRAW && least != V::DRAW {
            return Err(TooDeep);
        }
        V::set(units, 64 * start + column, value);
    }
    Ok(())
}
