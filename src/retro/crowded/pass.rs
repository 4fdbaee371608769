//! What a turn of many columns of a row at once leads to: the look-up that captures and paikas share.
//!
//! Cost for each column looked up: its set of labels, a look-up for each eight labels that moves them to those of the row after
//! the turn, two that give the column there, and the value: about seven loads, all but the last from the nearest cache, and no
//! branch that depends on a value. For each turn of a row, besides: the orbit of the empty points after it, and the tables of
//! labels, of up to 256 entries for each eight.

use crate::board::{Board, PointSet, inverse};
use crate::index::{Crowded, MAX_STONES, Slice, Space, Splits, Subsets};
use crate::rules::{Continuation, Directions, RuleSet};
use crate::table::{RowValue, Rows};

/// Words of a row that are worked on at a time, so that the masks of a chain stay in the nearest caches.
pub const CHUNK_WORDS: usize = 256;

/// A slice that turns lead to, in which the opponent moves.
struct Target<'a, V: RowValue> {
    empties: &'a Subsets,
    representatives: &'a [u64],
    /// The splits by the stones of the side that has just moved: the columns from the end.
    splits: &'a Splits,
    rows: &'a Rows<V>,
}

/// What all rows of a slice share.
pub struct Pass<'a, V: RowValue> {
    pub crowded: Crowded<'a>,
    pub slice: Slice,
    pub obligatory: bool,
    pub directions: Directions,
    pub splits: &'a Splits,
    space: &'a Space,
    /// The sets of labels, by column.
    sets: &'a [u64],
    /// By the stones left to the opponent.
    targets: Vec<Option<Target<'a, V>>>,
}

/// Some columns of a row.
pub struct Row<V> {
    /// The empty points.
    pub empty: u64,
    /// The first word of the columns.
    pub start: usize,
    /// Columns for which something better may be found.
    pub open: Vec<u64>,
    /// By column, the least that a turn leaves to the opponent.
    pub least: Vec<V>,
    labels: [u8; 64],
    /// Where labels go in a turn: a table for each byte of a set.
    images: Box<[[u64; 256]; MAX_STONES.div_ceil(8)]>,
}

/// A turn that some columns have.
#[derive(Clone, Copy)]
pub struct Turn {
    pub from: usize,
    pub to: usize,
    pub captured: u64,
}

impl<V: RowValue> Row<V> {
    pub fn new() -> Self {
        Self {
            empty: 0,
            start: 0,
            open: Vec::new(),
            least: Vec::new(),
            labels: [0; 64],
            images: Box::new([[0; 256]; _]),
        }
    }

    /// Begins with the words of another row from `start` on: nothing is open, and nothing found.
    pub fn begin(&mut self, pass: &Pass<'_, V>, empty: u64, start: usize) {
        (self.empty, self.start) = (empty, start);
        let words = CHUNK_WORDS.min(pass.splits.words() - start);
        self.open.clear();
        self.open.resize(words, 0);
        self.least.clear();
        self.least.resize(64 * words, V::NONE);
        for (label, point) in pass.board().all().without(empty).iter().enumerate() {
            #[allow(clippy::cast_possible_truncation)] // below 64
            let label = label as u8;
            self.labels[point] = label;
        }
    }

    pub fn words(&self) -> usize {
        self.open.len()
    }

    #[inline(always)]
    pub fn label(&self, point: usize) -> usize {
        usize::from(self.labels[point])
    }
}

impl<'a, V: RowValue> Pass<'a, V> {
    /// A pass over a slice. `sets` are the sets of labels by column; `lower` are the slices that turns lead to, by the stones
    /// left to the opponent.
    pub fn new(
        space: &'a Space,
        rules: RuleSet,
        slice: Slice,
        sets: &'a [u64],
        lower: impl Iterator<Item = (usize, &'a Rows<V>)>,
    ) -> Self {
        let mut targets: Vec<_> = (0..=slice.opponent).map(|_| None).collect();
        for (left, rows) in lower {
            let after = Crowded::new(space, Slice::new(slice.mover, left));
            targets[left] = Some(Target {
                empties: after.empties(),
                representatives: after.empties().representatives(),
                splits: after.splits(),
                rows,
            });
        }
        Self {
            crowded: Crowded::new(space, slice),
            slice,
            obligatory: rules.continuation == Continuation::Obligatory,
            directions: rules.directions,
            splits: space.splits(slice),
            space,
            sets,
            targets,
        }
    }

    pub fn board(&self) -> &'a Board<u64> {
        self.space.board()
    }

    /// Takes into account what a turn of the columns in `mask` leads to.
    pub fn lead(&self, row: &mut Row<V>, turn: Turn, mask: &[u64]) {
        let left = self.slice.opponent - turn.captured.count();
        let Some(target) = &self.targets[left] else {
            // Nothing is better than capturing the opponent's last stones.
            assert_eq!(left, 0, "a slice that captures lead to is missing");
            for (word, (&mask, open)) in mask.iter().zip(&mut row.open).enumerate() {
                let mut bits = mask & *open;
                *open &= !mask;
                while bits != 0 {
                    row.least[64 * word + bits.trailing_zeros() as usize] = V::loss(0);
                    bits &= bits - 1;
                }
            }
            return;
        };
        if mask.iter().zip(&row.open).all(|(mask, open)| mask & open == 0) {
            return;
        }
        let board = self.board();
        let empty = (row.empty | turn.captured | u64::point(turn.from)).without(u64::point(turn.to));
        let (orbit, element) = target.empties.orbit(empty);
        let (symmetry, back) = (self.space.symmetry(), inverse(element));
        let occupied = board.all().without(target.representatives[orbit]);
        // Where the labels of this row go.
        let (stones, all) = (self.slice.stones(), board.all().without(row.empty));
        for (label, point) in all.iter().enumerate() {
            let image = if turn.captured.contains(point) {
                0
            } else {
                let point = symmetry.point(back, if point == turn.from { turn.to } else { point });
                1 << (occupied & ((1 << point) - 1)).count_ones()
            };
            let (known, new) = row.images[label / 8][..2 << (label % 8)].split_at_mut(1 << (label % 8));
            for (new, known) in new.iter_mut().zip(known) {
                *new = *known | image;
            }
        }
        let values = target.rows.row(orbit);
        match stones.div_ceil(8) {
            0..=2 => self.look_up::<2>(row, mask, target.splits, values),
            3 => self.look_up::<3>(row, mask, target.splits, values),
            _ => self.look_up::<{ MAX_STONES.div_ceil(8) }>(row, mask, target.splits, values),
        }
    }

    /// Looks up the open columns in `mask` in a row of values; `BYTES` bytes hold the labels.
    fn look_up<const BYTES: usize>(&self, row: &mut Row<V>, mask: &[u64], splits: &Splits, values: &[V::Unit]) {
        let Row { images, open, least, start, .. } = row;
        let last = splits.count() - 1;
        let sets = self.sets[64 * *start..].chunks(64).zip(least.chunks_mut(64));
        for ((&mask, open), (sets, least)) in mask.iter().zip(open).zip(sets) {
            let (mut bits, mut closed) = (mask & *open, 0);
            while bits != 0 {
                let bit = bits.trailing_zeros() as usize;
                let set = sets[bit].to_le_bytes();
                let moved = (0..BYTES).fold(0, |moved, byte| moved | images[byte][usize::from(set[byte])]);
                let value = V::get(values, last - splits.rank(moved));
                least[bit] = least[bit].min(value);
                closed |= u64::from(value == V::loss(0)) << bit;
                bits &= bits - 1;
            }
            *open &= !closed;
        }
    }
}

/// A win or a loss takes more plies than the values of rows can hold.
#[derive(Debug)]
pub struct TooDeep;

/// The numbers of the bits that are set.
#[inline(always)]
pub fn columns(bits: &[u64]) -> impl Iterator<Item = usize> {
    bits.iter().enumerate().flat_map(|(word, &bits)| bits.iter().map(move |bit| 64 * word + bit))
}
