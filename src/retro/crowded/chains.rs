//! The captures of a whole row at once: every chain that some column has, with the mask of the columns that have it.
//!
//! In a row the empty points are known, and the sides of the occupied ones are not. A chain requires some of them: the stones
//! that it captures are the enemy's, the stone that ends a run of these is the mover's. So the tree of chains is walked once
//! for the row, each node with the columns that fit, and a column is dropped as soon as nothing better can be found for it.

use crate::board::{DIRECTIONS, PointSet};
use crate::simd;
use crate::table::RowValue;

use super::pass::{Pass, Row, Turn};

/// Where a chain has come to.
#[derive(Clone, Copy)]
struct Node {
    /// Where the stone began, and where it is.
    origin: usize,
    point: usize,
    /// Points without a stone; the moving stone's is none of them.
    empty: u64,
    /// Points that the stone has stood on.
    visited: u64,
    /// Directions that the next step may not take, as bits.
    barred: u8,
    /// Points that have to be the mover's, beside the origin.
    own: u64,
    captured: u64,
}

/// The captures of some columns of a row.
pub struct Chains<'a, 'b, V: RowValue> {
    pass: &'a Pass<'a, V>,
    row: &'b mut Row<V>,
    /// Masks of columns, one after the other: those of the nodes on the way, two for each.
    masks: &'b mut Vec<u64>,
}

impl<'a, 'b, V: RowValue> Chains<'a, 'b, V> {
    /// Takes into account what all captures of the row's open columns lead to.
    pub fn follow(pass: &'a Pass<'a, V>, row: &'b mut Row<V>, masks: &'b mut Vec<u64>) {
        let chains = &mut Self { pass, row, masks };
        for origin in pass.board().all().without(chains.row.empty).iter() {
            let words = chains.row.words();
            chains.masks.resize(chains.masks.len().max(words), 0);
            let with = &pass.splits.with(chains.row.label(origin))[chains.row.start..][..words];
            let mut any = 0;
            for ((mask, with), open) in chains.masks.iter_mut().zip(with).zip(&chains.row.open) {
                *mask = with & open;
                any |= *mask;
            }
            if any == 0 {
                continue;
            }
            let empty = chains.row.empty;
            let visited = u64::point(origin);
            chains.step(Node { origin, point: origin, empty, visited, barred: 0, own: 0, captured: 0 }, 0);
        }
    }

    /// Goes on from a node whose columns are mask number `level`.
    fn step(&mut self, node: Node, level: usize) {
        let board = self.pass.board();
        for direction in (0..DIRECTIONS).filter(|&direction| node.barred >> direction & 1 == 0) {
            let Some(to) = board.next(node.point, direction) else { continue };
            if !node.empty.contains(to) || node.visited.contains(to) {
                continue;
            }
            for (first, line) in
                [(board.next(to, direction), direction), (board.next(node.point, direction ^ 1), direction ^ 1)]
            {
                self.run(&node, (to, direction), first, line, level);
            }
        }
    }

    /// The captures of runs of every length that begin at `first` and go on in direction `line`.
    fn run(&mut self, node: &Node, (to, direction): (usize, usize), first: Option<usize>, line: usize, level: usize) {
        let board = self.pass.board();
        let words = self.row.words();
        let can_fall = |point: &usize| !node.empty.contains(*point) && !node.own.contains(*point);
        let Some(mut victim) = first.filter(can_fall) else { return };
        self.masks.resize(self.masks.len().max((level + 3) * words), 0);
        let mut run = 0;
        let mut source = level;
        loop {
            // The columns in which the run is the enemy's, up to here.
            let with = &self.pass.splits.with(self.row.label(victim))[self.row.start..][..words];
            let (before, masks) = self.masks.split_at_mut((level + 1) * words);
            let (enemies, ended) = masks[..2 * words].split_at_mut(words);
            let before = &before[level * words..][..words];
            let open = &self.row.open[..words];
            if !simd::run(
                #[inline(always)]
                || {
                    if source == level {
                        without(enemies, before, with, open)
                    } else {
                        keep_without(enemies, with, open)
                    }
                },
            ) {
                return;
            }
            source = level + 1;
            run |= u64::point(victim);
            let next = board.next(victim, line);
            let Some(next) = next.filter(can_fall) else {
                self.arrive(node, (to, direction), run, None, level + 1);
                return;
            };
            let with = &self.pass.splits.with(self.row.label(next))[self.row.start..][..words];
            if simd::run(
                #[inline(always)]
                || both(ended, enemies, with),
            ) {
                self.arrive(node, (to, direction), run, Some(next), level + 2);
            }
            victim = next;
        }
    }

    /// The stone has captured `run`; the mover's stone on `own` ends the run, if it is not the edge or an empty point that does.
    fn arrive(&mut self, node: &Node, (to, direction): (usize, usize), run: u64, own: Option<usize>, level: usize) {
        let node = Node {
            point: to,
            empty: (node.empty | run | u64::point(node.point)).without(u64::point(to)),
            visited: node.visited | u64::point(to),
            barred: self.pass.directions.barred_after(node.barred, direction),
            own: own.map_or(0, u64::point) | node.own,
            captured: node.captured | run,
            ..*node
        };
        let words = self.row.words();
        let turn = Turn { from: node.origin, to, captured: node.captured };
        if self.pass.obligatory {
            // The turn ends where no step can follow.
            let mut ends = self.masks[level * words..][..words].to_vec();
            self.leave_steps(&node, &mut ends);
            self.pass.lead(self.row, turn, &ends);
        } else {
            self.pass.lead(self.row, turn, &self.masks[level * words..][..words]);
        }
        if node.captured.count() < self.pass.slice.opponent {
            self.step(node, level);
        }
    }

    /// Clears the columns in which a capturing step can follow.
    fn leave_steps(&self, node: &Node, mask: &mut [u64]) {
        let board = self.pass.board();
        for direction in (0..DIRECTIONS).filter(|&direction| node.barred >> direction & 1 == 0) {
            let Some(to) = board.next(node.point, direction) else { continue };
            if !node.empty.contains(to) || node.visited.contains(to) {
                continue;
            }
            for victim in [board.next(to, direction), board.next(node.point, direction ^ 1)].into_iter().flatten() {
                if !node.empty.contains(victim) && !node.own.contains(victim) {
                    let with = &self.pass.splits.with(self.row.label(victim))[self.row.start..];
                    for (mask, with) in mask.iter_mut().zip(with) {
                        *mask &= with;
                    }
                }
            }
        }
    }
}

/// Puts the open columns of `before` without the label into `target`; returns whether there are any.
#[inline(always)]
fn without(target: &mut [u64], before: &[u64], with: &[u64], open: &[u64]) -> bool {
    let mut any = 0;
    for (((target, before), with), open) in target.iter_mut().zip(before).zip(with).zip(open) {
        *target = before & !with & open;
        any |= *target;
    }
    any != 0
}

#[inline(always)]
fn keep_without(target: &mut [u64], with: &[u64], open: &[u64]) -> bool {
    let mut any = 0;
    for ((target, with), open) in target.iter_mut().zip(with).zip(open) {
        *target &= !with & open;
        any |= *target;
    }
    any != 0
}

#[inline(always)]
fn both(target: &mut [u64], before: &[u64], with: &[u64]) -> bool {
    let mut any = 0;
    for ((target, before), with) in target.iter_mut().zip(before).zip(with) {
        *target = before & with;
        any |= *target;
    }
    any != 0
}
