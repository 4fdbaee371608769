//! The quiet pass: values of positions without a capture, by iteration over the paikas of a pair of twin slices.
//!
//! A position is won if some paika leads to a lost one, and lost if every paika leads to a won one; wins and losses are
//! found in turn, each step from the state that the step before left, until neither step finds more. The rest is drawn.
//! So a win found in the n-th step of wins, and a loss likewise, belongs to that distance from the captures.
//!
//! Rows: a paika of the mover takes set S to S', and the positions after it are the row of S' in the twin slice's
//! opponent form. One OR of whole rows serves all opponent sets at once. A block of a row is looked at again only when
//! the same block of some row S' has changed. `search` is one step of one side.

use rayon::prelude::*;

use crate::index::{Plane, QuietMask, Slice, Space, Subsets, zeroed};
use crate::rules::RuleSet;

use super::capture::{OpponentPlanes, slot_mask};
use super::marks::Marks;
use super::neighbours::Neighbours;
use super::search::{Search, Step};
use super::sizes::group_rows;
use super::transpose::{GroupFlags, Merge, copy_transposed, transpose};
use crate::simd;

/// A slice and its twin (or a slice that is its own twin) during the quiet pass.
pub struct Pair<'a> {
    space: &'a Space,
    rules: RuleSet,
    slices: Vec<Slice>,
    work: Vec<Work>,
    state: Vec<State>,
}

/// The part of a slice that its own step changes, by the mover's orbits.
struct Work {
    /// Quiet positions not yet decided.
    open: Plane,
    /// What the present step has found, in stretches that are flagged.
    found: Plane,
    flags: GroupFlags,
}

/// The part of a slice that the twin's step reads, by the opponent's orbits.
struct State {
    planes: OpponentPlanes,
    /// Blocks of `planes` that the present step has changed.
    changed: Marks,
    /// Blocks of [`Work::open`] to look at for wins and for losses.
    due: [Marks; 2],
}

/// Which positions of a slice are marked.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Positions {
    /// All placements.
    All,
    /// Those in which the side to move cannot capture.
    Quiet,
}

/// Marks positions in a plane of a slice by the mover's orbits, whose rows are those of the whole slice from word `first` on.
pub fn fill_plane(space: &Space, slice: Slice, positions: Positions, first: usize, plane: &mut Plane) {
    let (movers, opponents) = (space.subsets(slice.mover), space.subsets(slice.opponent));
    let stride = plane.stride();
    // Padding at the end of rows has no words in the masks.
    let words = stride.min(opponents.words() - first);
    let tail = slot_mask(opponents.slots(), first + words - 1);
    plane.words_mut().par_chunks_mut(stride).zip(movers.representatives()).for_each_init(
        || vec![0; words],
        |valid, (row, &set)| {
            let row = &mut row[..words];
            simd::run(
                #[inline(always)]
                || {
                    let mask = QuietMask::new(space.board(), set, slice.opponent);
                    match positions {
                        Positions::All => mask.fill_valid(opponents, first, row),
                        Positions::Quiet => mask.fill(opponents, first, valid, row),
                    }
                },
            );
            row[words - 1] &= tail;
        },
    );
}

impl<'a> Pair<'a> {
    /// Slices after their capture passes: one that is its own twin, or two.
    pub fn new(space: &'a Space, rules: RuleSet, slices: Vec<Slice>, planes: Vec<OpponentPlanes>) -> Self {
        let group = group_rows(space.symmetry().order());
        let work = slices.iter().map(|&slice| {
            let [mut open, found] =
                [(); 2].map(|()| Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent)));
            fill_plane(space, slice, Positions::Quiet, 0, &mut open);
            let flags = zeroed(open.rows().div_ceil(group) * open.blocks());
            Work { open, found, flags }
        });
        let work: Vec<Work> = work.collect();
        let state = work.iter().zip(planes).map(|(work, planes)| {
            let due = [(); 2].map(|()| Marks::new(work.open.rows(), work.open.blocks()));
            for due in &due {
                due.mark_all(work.open.blocks());
            }
            State { changed: Marks::new(planes.loss.rows(), planes.loss.blocks()), planes, due }
        });
        Self { space, rules, slices, state: state.collect(), work }
    }

    fn twin(&self, side: usize) -> usize {
        self.slices.len() - 1 - side
    }

    /// Decides every quiet position. `report` gets the number of bits that each step found.
    pub fn decide(&mut self, mut report: impl FnMut(u64)) {
        let mut step = Step::Losses;
        let mut idle = 0;
        while idle < 2 {
            let found = self.find(step);
            self.merge(step, |_| |_, _, _| ());
            self.spread(step);
            report(found as u64);
            idle = if found == 0 { idle + 1 } else { 0 };
            step = step.next();
        }
    }

    /// Finds what the step can decide, and returns the number of bits. The state stays as it is.
    pub fn find(&mut self, step: Step) -> usize {
        let mut count = 0;
        for side in 0..self.slices.len() {
            let other = &self.state[self.twin(side)];
            let search = Search {
                space: self.space,
                rules: self.rules,
                step,
                slice: self.slices[side],
                rows: if step == Step::Wins { &other.planes.loss } else { &other.planes.not_win },
                due: &self.state[side].due[step as usize],
                first_block: 0,
            };
            let Work { open, found, flags } = &mut self.work[side];
            count += search.find(open, found, flags);
        }
        count
    }

    /// Puts what the step found into the state. For a side and each piece of the work, `arrived` makes a function that is called with
    /// a row and a word of the state's planes and the bits of it that arrive.
    pub fn merge<A: FnMut(usize, usize, u64)>(&mut self, step: Step, arrived: impl Fn(usize) -> A + Sync) {
        for (side, (work, state)) in self.work.iter().zip(&mut self.state).enumerate() {
            let merge = if step == Step::Wins { Merge::Clear } else { Merge::Set };
            let plane = state.planes.changed_by(step);
            let (order, block, changed) = (self.space.symmetry().order(), plane.block(), &state.changed);
            transpose(order, &work.found, Some(&work.flags), plane, merge, || {
                let mut arrived = arrived(side);
                move |row, word, bits| {
                    changed.mark(row, word / block);
                    arrived(row, word, bits);
                }
            });
        }
    }

    /// Closes the positions that are decided in the state, when the work continues from a saved one.
    pub fn close_decided(&mut self) {
        let order = self.space.symmetry().order();
        for (work, state) in self.work.iter_mut().zip(&self.state) {
            // Between steps `found` is free for other use.
            let Work { open, found, .. } = work;
            for (plane, closes) in [(&state.planes.loss, u64::MAX), (&state.planes.not_win, 0)] {
                copy_transposed(order, plane, found, 0);
                let words = open.words_mut().par_iter_mut().zip(found.words());
                words.with_min_len(1 << 12).for_each(|(open, found)| *open &= found ^ closes);
            }
        }
    }

    /// The plane of the state that the step changes, by the opponent's orbits, and where to mark changes.
    pub fn state(&mut self, side: usize, step: Step) -> (&mut Plane, &Marks) {
        let State { planes, changed, .. } = &mut self.state[side];
        (planes.changed_by(step), changed)
    }

    /// A new win can make a loss one ply before it, and a new loss a win: marks where to look.
    pub fn spread(&mut self, step: Step) {
        for (side, slice) in self.slices.iter().enumerate() {
            let (twin, changed) = (self.twin(side), &self.state[side].changed);
            let (open, due) = (&self.work[twin].open, &self.state[twin].due[step.next() as usize]);
            // All neighbours of a short row that has changed are looked up, but few of one that is open.
            if open.blocks() == 1 && 4 * changed.marked_rows() >= open_rows(open) {
                changed.clear();
                due.mark_all(1);
            } else {
                spread(self.space, self.space.subsets(slice.opponent), changed, due);
            }
        }
    }

    /// Slices and planes, by the opponent's orbits.
    pub fn into_planes(self) -> impl Iterator<Item = (Slice, OpponentPlanes)> {
        self.slices.into_iter().zip(self.state).map(|(slice, state)| (slice, state.planes))
    }
}

/// Number of rows in which a position is open.
fn open_rows(open: &Plane) -> usize {
    open.words().par_chunks(open.stride()).with_min_len(1 << 12).filter(|row| row.iter().any(|&word| word != 0)).count()
}

/// Marks, for every changed row of a set, the rows of the sets one paika away, and forgets the changes.
pub fn spread(space: &Space, subsets: &Subsets, changed: &Marks, due: &Marks) {
    (0..changed.rows()).into_par_iter().with_min_len(64).for_each_init(Neighbours::default, |neighbours, row| {
        if (0..changed.stride()).all(|word| changed.word(row, word) == 0) {
            return;
        }
        neighbours.find(space, subsets, subsets.representatives()[row]);
        for word in 0..changed.stride() {
            let marks = changed.take_word(row, word);
            if marks != 0 {
                for neighbour in neighbours.all() {
                    due.mark_word(neighbour.orbit, word, marks);
                }
            }
        }
    });
}
