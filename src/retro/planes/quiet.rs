//! The quiet pass: values of positions without a capture, by iteration over the paikas of a pair of twin slices.
//!
//! A position is won if some paika leads to a lost one, and lost if every paika leads to a won one; wins and losses are
//! found in turn, each step from the state that the step before left, until neither step finds more. The rest is drawn.
//! So a win found in the n-th step of wins, and a loss likewise, belongs to that distance from the captures.
//!
//! Rows: a paika of the mover takes set S to S', and the positions after it are the row of S' in the twin slice's
//! opponent form. One OR of whole rows serves all opponent sets at once. A block of a row is looked at again only when
//! the same block of some row S' has changed.

use rayon::prelude::*;

use crate::board::{DIRECTIONS, PointSet};
use crate::index::{Plane, QuietMask, STRETCH, Slice, Space, Subsets, act, zeroed};
use crate::rules::{RuleSet, Stalemate};

use super::capture::{OpponentPlanes, slot_mask};
use super::marks::Marks;
use super::transpose::{GroupFlags, Merge, group_rows, transpose};
use crate::simd;

/// Which of the two results a step looks for.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Step {
    /// Positions from which a paika leads to a lost one.
    Wins,
    /// Positions from which every paika leads to a won one.
    Losses,
}

impl Step {
    /// The step after it.
    pub fn next(self) -> Self {
        match self {
            Self::Wins => Self::Losses,
            Self::Losses => Self::Wins,
        }
    }
}

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

/// The quiet positions of a slice, by the mover's orbits.
pub fn quiet_plane(space: &Space, slice: Slice) -> Plane {
    let (movers, opponents) = (space.subsets(slice.mover), space.subsets(slice.opponent));
    let mut plane = Plane::new(movers, opponents);
    let stride = plane.stride();
    let tail = slot_mask(opponents.slots(), opponents.words() - 1);
    plane.words_mut().par_chunks_mut(stride).zip(movers.representatives()).for_each_init(
        Vec::new,
        |valid, (row, &set)| {
            let (row, _) = row.split_at_mut(opponents.words());
            valid.resize(row.len(), 0);
            simd::run(
                #[inline(always)]
                || QuietMask::new(space.board(), set).fill(opponents, 0, valid, row),
            );
            row[opponents.words() - 1] &= tail;
        },
    );
    plane
}

impl<'a> Pair<'a> {
    /// Slices after their capture passes: one that is its own twin, or two.
    pub fn new(space: &'a Space, rules: RuleSet, slices: Vec<Slice>, planes: Vec<OpponentPlanes>) -> Self {
        let group = group_rows(space.symmetry().order());
        let work = slices.iter().map(|&slice| {
            let open = quiet_plane(space, slice);
            let found = Plane::new(space.subsets(slice.mover), space.subsets(slice.opponent));
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
    pub fn decide(&mut self, mut report: impl FnMut(usize)) {
        let mut step = Step::Losses;
        let mut idle = 0;
        while idle < 2 {
            let found = self.step(step);
            report(found);
            idle = if found == 0 { idle + 1 } else { 0 };
            step = step.next();
        }
    }

    fn step(&mut self, step: Step) -> usize {
        let found = self.find(step);
        self.merge(step, |_, _, _, _| ());
        self.spread(step);
        found
    }

    /// Finds what the step can decide, and returns the number of bits. The state stays as it is.
    pub fn find(&mut self, step: Step) -> usize {
        let mut found = 0;
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
            found += search.find(&mut self.work[side]);
        }
        found
    }

    /// Puts what the step found into the state. `arrived` gets a side, a row and a word of the state's planes, and which
    /// bits of it are new.
    pub fn merge(&mut self, step: Step, arrived: impl Fn(usize, usize, usize, u64) + Sync) {
        for (side, (work, state)) in self.work.iter().zip(&mut self.state).enumerate() {
            let (plane, merge) = match step {
                Step::Wins => (&mut state.planes.not_win, Merge::Clear),
                Step::Losses => (&mut state.planes.loss, Merge::Set),
            };
            let (order, block, changed) = (self.space.symmetry().order(), plane.block(), &state.changed);
            transpose(order, &work.found, Some(&work.flags), plane, merge, |row, word, bits| {
                changed.mark(row, word / block);
                arrived(side, row, word, bits);
            });
        }
    }

    /// The plane of the state that the step changes, by the opponent's orbits, and where to mark changes.
    pub fn state(&mut self, side: usize, step: Step) -> (&mut Plane, &Marks) {
        let State { planes, changed, .. } = &mut self.state[side];
        (if step == Step::Wins { &mut planes.not_win } else { &mut planes.loss }, changed)
    }

    /// A new win can make a loss one ply before it, and a new loss a win: marks where to look.
    pub fn spread(&mut self, step: Step) {
        for (side, slice) in self.slices.iter().enumerate() {
            let due = &self.state[self.twin(side)].due[step.next() as usize];
            spread(self.space, self.space.subsets(slice.opponent), &self.state[side].changed, due);
        }
    }

    /// Slices and planes, by the opponent's orbits.
    pub fn into_planes(self) -> impl Iterator<Item = (Slice, OpponentPlanes)> {
        self.slices.into_iter().zip(self.state).map(|(slice, state)| (slice, state.planes))
    }
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

/// A set one paika away: its orbit, and where the stone has gone.
#[derive(Clone, Copy, Debug)]
struct Neighbour {
    orbit: usize,
    target: usize,
}

/// The sets one paika away, grouped by the element that takes the orbit's representative to them.
#[derive(Default)]
pub struct Neighbours([Vec<Neighbour>; 8]);

impl Neighbours {
    /// Replaces the sets by those one paika away from `set`.
    pub fn find(&mut self, space: &Space, subsets: &Subsets, set: u64) {
        self.0.iter_mut().for_each(Vec::clear);
        let (board, symmetry) = (space.board(), space.symmetry());
        let images = symmetry.images(set);
        simd::run(
            #[inline(always)]
            || {
                for from in set.iter() {
                    let without = symmetry.toggled(&images, from);
                    for direction in 0..DIRECTIONS {
                        let Some(target) = board.next(from, direction).filter(|&to| !set.contains(to)) else {
                            continue;
                        };
                        let (orbit, element) = subsets.orbit_of_images(&symmetry.toggled(&without, target));
                        self.0[element].push(Neighbour { orbit, target });
                    }
                }
            },
        );
    }

    fn all(&self) -> impl Iterator<Item = &Neighbour> {
        self.0.iter().flatten()
    }
}

/// One step of one side, for all columns or a band of them.
pub struct Search<'a> {
    /// The indexing.
    pub space: &'a Space,
    /// The rules.
    pub rules: RuleSet,
    /// What is looked for.
    pub step: Step,
    /// The slice.
    pub slice: Slice,
    /// What is known of the positions after a paika.
    pub rows: &'a Plane,
    /// Blocks to look at.
    pub due: &'a Marks,
    /// The number of the first block of `rows` among those of a whole row.
    pub first_block: usize,
}

impl Search<'_> {
    fn find(&self, work: &mut Work) -> usize {
        match work.open.block() {
            1 => self.find_in::<1>(work),
            2 => self.find_in::<2>(work),
            4 => self.find_in::<4>(work),
            _ => self.find_in::<8>(work),
        }
    }

    fn find_in<const B: usize>(&self, work: &mut Work) -> usize {
        let Work { open, found, flags } = work;
        let group = group_rows(self.space.symmetry().order());
        let (stride, blocks) = (open.stride(), open.blocks());
        let groups =
            open.words_mut().par_chunks_mut(group * stride).zip(found.words_mut().par_chunks_mut(group * stride));
        let groups = groups.zip(flags.par_chunks_mut(blocks)).enumerate();
        let counts = groups.map_init(Neighbours::default, |neighbours, (number, ((open, found), flags))| {
            simd::run(
                #[inline(always)]
                || self.find_in_group::<B>(number * group, neighbours, open, found, flags),
            )
        });
        counts.sum()
    }

    /// Looks at the due blocks of the rows from `first` on.
    #[inline(always)]
    fn find_in_group<const B: usize>(
        &self,
        first: usize,
        neighbours: &mut Neighbours,
        open: &mut [u64],
        found: &mut [u64],
        flags: &mut [u8],
    ) -> usize {
        let stride = self.rows.stride();
        let rows = open.len() / stride;
        let subsets = self.space.subsets(self.slice.mover);
        flags.fill(0);
        let mut count = 0;
        for word in 0..self.due.stride() {
            let all = (0..rows).fold(0, |all, row| all | self.due.word(first + row, word));
            if all == 0 {
                continue;
            }
            for row in 0..rows {
                let due = self.due.take_word(first + row, word);
                let (open, found) = (&mut open[row * stride..][..stride], &mut found[row * stride..][..stride]);
                for block in (all & !due).iter() {
                    found[(64 * word + block) * B..][..B].fill(0);
                }
                if due == 0 {
                    continue;
                }
                let mut searched = false;
                for block in due.iter().map(|block| 64 * word + block) {
                    let open: &mut [u64; B] = open[block * B..][..B].first_chunk_mut().expect("B words");
                    if open.iter().all(|&word| word == 0) {
                        found[block * B..][..B].fill(0);
                        continue;
                    }
                    if !std::mem::replace(&mut searched, true) {
                        neighbours.find(self.space, subsets, subsets.representatives()[first + row]);
                    }
                    let new = self.find_block::<B>(neighbours, block, open);
                    found[block * B..][..B].copy_from_slice(&new);
                    let bits: u32 = new.iter().map(|word| word.count_ones()).sum();
                    if bits > 0 {
                        flags[block] = 1;
                        count += bits as usize;
                    }
                }
            }
        }
        count
    }

    /// Decides what can be decided in one block of a row, and takes it out of the open positions.
    #[inline(always)]
    pub fn find_block<const B: usize>(&self, neighbours: &Neighbours, block: usize, open: &mut [u64; B]) -> [u64; B] {
        let mut reached = [0u64; B];
        for (element, neighbours) in neighbours.0.iter().enumerate().filter(|(_, n)| !n.is_empty()) {
            let mut sum = [0u64; B];
            for neighbour in neighbours {
                for (sum, word) in sum.iter_mut().zip(self.rows.block_at::<B>(neighbour.orbit, block)) {
                    *sum |= word;
                }
            }
            act(element, &mut sum);
            for (reached, word) in reached.iter_mut().zip(&sum) {
                *reached |= word;
            }
        }
        if self.step == Step::Losses {
            // Lost is what cannot reach a position that the opponent does not win.
            reached = reached.map(|word| !word);
            if self.rules.stalemate == Stalemate::Draw {
                let opponents = self.space.subsets(self.slice.opponent);
                keep_movable(neighbours, opponents, self.first_block + block, &mut reached);
            }
        }
        let mut new = [0u64; B];
        for ((new, open), reached) in new.iter_mut().zip(open).zip(&reached) {
            *new = *open & reached;
            *open &= !*new;
        }
        new
    }
}

/// Takes away the opponent sets that leave the mover no paika at all.
#[inline(always)]
fn keep_movable<const B: usize>(paikas: &Neighbours, opponents: &Subsets, block: usize, reached: &mut [u64; B]) {
    let stretch = opponents.stretch(block * B / STRETCH);
    let mut movable = [0u64; B];
    for paika in paikas.all() {
        for (movable, word) in movable.iter_mut().zip(stretch.block::<B>(paika.target, block * B)) {
            *movable |= !word;
        }
    }
    for (reached, movable) in reached.iter_mut().zip(&movable) {
        *reached &= movable;
    }
}
