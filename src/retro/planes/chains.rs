//! The capturing chains against one opponent set, as a program over rows of the mover's other stones.
//!
//! With the opponent set T fixed, a chain of a stone from `x` captures the same stones whatever the mover's other stones
//! S0 are, as long as none of them stands on a point the chain enters. So the tree of chains of a lone stone, found with
//! the rules' own generator, serves every S0 at once: each node becomes a row operation, masked by the points it enters.
//! A lone stone has no S0 to mask by: [`super::lone`] follows its captures.

use std::convert::Infallible;
use std::ops::ControlFlow;

use crate::board::{PointSet, inverse};
use crate::index::{Space, Stretch, act};
use crate::rules::Rules;

use super::lanes::ExtendedPlanes;

/// A point of a chain where the turn may stop: the row of the position after it, and its place in the tree.
#[derive(Clone, Copy, Debug)]
pub struct Node {
    /// The leaf in the reduced slice: its orbit times the number of points, and the point where the stone stands there.
    pub leaf: usize,
    /// Stones left to the opponent.
    pub left: u8,
    /// The group element that turns the leaf's rows into this node's.
    pub element: u8,
    /// Number of steps of the chain, from 1.
    pub depth: u8,
    /// Where the stone stands.
    pub point: u8,
    /// Whether some chain continues from here.
    pub has_children: bool,
}

/// The chains against one opponent set.
#[derive(Debug, Default)]
pub struct Program {
    /// For each starting point in use, the end of its nodes; they begin where those of the one before end.
    starts: Vec<(usize, usize)>,
    /// Every node before the chains that go on from it.
    nodes: Vec<Node>,
    /// For each starting point, the points that a first capturing step may lead to.
    targets: Vec<(usize, u64)>,
}

/// Orbits and elements of reduced sets met lately, each in the place that its hash gives: the chains against one set lead
/// to the same few sets again and again.
#[derive(Debug)]
pub struct OrbitCache(Vec<(u64, usize, usize)>);

impl Default for OrbitCache {
    fn default() -> Self {
        Self(vec![(u64::MAX, 0, 0); 1 << Self::BITS])
    }
}

impl OrbitCache {
    const BITS: u32 = 8;

    /// Orbit and group element of a set.
    #[inline]
    pub fn orbit(&mut self, space: &Space, set: u64) -> (usize, usize) {
        #[allow(clippy::cast_possible_truncation)] // a few bits
        let place = (set.wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (64 - Self::BITS)) as usize;
        let known = &mut self.0[place];
        if known.0 != set {
            let (orbit, element) = space.subsets(set.count()).orbit(set);
            *known = (set, orbit, element);
        }
        (known.1, known.2)
    }
}

/// Two rows, "some way to go on is lost for the opponent" and "… not won for the opponent", block by block.
pub type BlockPair<const B: usize> = [[u64; B]; 2];

impl Program {
    /// Replaces the program by that of another opponent set. The rules must let chains stop anywhere.
    pub fn compile(&mut self, space: &Space, rules: &Rules<u64>, opponent: u64, cache: &mut OrbitCache) {
        let points = space.board().points();
        self.starts.clear();
        self.nodes.clear();
        self.targets.clear();
        for from in rules.board().all().without(opponent).iter() {
            let before = self.nodes.len();
            let mut targets = 0;
            let ControlFlow::Continue(()) = rules.for_each_chain_of(from, opponent, |path, left| {
                let point = path.last().to;
                let (orbit, element) = cache.orbit(space, left);
                let stones = left.count();
                let leaf = orbit * points + space.symmetry().point(inverse(element), point);
                let depth = path.length();
                if depth == 1 {
                    targets |= u64::point(point);
                } else if let Some(parent) = self.nodes.last_mut().filter(|node| usize::from(node.depth) < depth) {
                    parent.has_children = true;
                }
                #[allow(clippy::cast_possible_truncation)] // all are below 65
                self.nodes.push(Node {
                    leaf,
                    left: stones as u8,
                    element: element as u8,
                    depth: depth as u8,
                    point: point as u8,
                    has_children: false,
                });
                ControlFlow::<Infallible>::Continue(())
            });
            if self.nodes.len() > before {
                self.starts.push((from, self.nodes.len()));
                self.targets.push((from, targets));
            }
        }
    }

    /// The leaves: the number of stones left, their orbit, and the point where the stone stands there.
    pub fn leaves(&self, points: usize) -> impl Iterator<Item = (usize, usize, usize)> {
        self.nodes.iter().map(move |node| (node.left.into(), node.leaf / points, node.leaf % points))
    }

    /// Gives the leaves other numbers: `number` says which one the orbit of so many stones left has instead.
    pub fn renumber(&mut self, points: usize, mut number: impl FnMut(usize, usize) -> usize) {
        for node in &mut self.nodes {
            node.leaf = number(node.left.into(), node.leaf / points) * points + node.leaf % points;
        }
    }

    /// For each starting point, the points that a first capturing step may lead to.
    pub fn targets(&self) -> &[(usize, u64)] {
        &self.targets
    }

    /// The starting points in use, each with its nodes: every node before the chains that go on from it.
    pub fn chains(&self) -> impl Iterator<Item = (usize, &[Node])> {
        let mut begin = 0;
        self.starts.iter().map(move |&(from, end)| {
            let nodes = &self.nodes[begin..end];
            begin = end;
            (from, nodes)
        })
    }

    /// Evaluates the program for the block of rest sets from word `first` on, which is in stretch `rest`, and calls `found` with every
    /// starting point and its pair of rows. `stack` needs as many entries as the opponent has stones, and two more.
    #[inline(always)]
    pub fn run<const B: usize>(
        &self,
        planes: &[&ExtendedPlanes],
        rest: Stretch<'_>,
        obligatory: bool,
        first: usize,
        stack: &mut [Frame<B>],
        mut found: impl FnMut(usize, &BlockPair<B>),
    ) {
        for (from, nodes) in self.chains() {
            for node in nodes.iter().rev() {
                let mut rows = planes[usize::from(node.left)].blocks::<B>(node.leaf, first);
                act(usize::from(node.element), rows.as_flattened_mut());
                let depth = usize::from(node.depth);
                // Padding past the row counts as free; the rows it masks are zero there.
                let free = rest.block::<B>(usize::from(node.point), first).map(|word| !word);
                if node.has_children {
                    let below = &mut stack[depth + 1];
                    for (rows, deeper) in rows.iter_mut().zip(&below.rows) {
                        for word in 0..B {
                            let stop = if obligatory { rows[word] & !below.open[word] } else { rows[word] };
                            rows[word] = (stop | deeper[word]) & free[word];
                        }
                    }
                    *below = Frame::default();
                }
                let frame = &mut stack[depth];
                for (sum, rows) in frame.rows.iter_mut().zip(&rows) {
                    for (sum, word) in sum.iter_mut().zip(rows) {
                        *sum |= word;
                    }
                }
                if obligatory {
                    for (open, free) in frame.open.iter_mut().zip(&free) {
                        *open |= free;
                    }
                }
            }
            found(from, &stack[1].rows);
            stack[1] = Frame::default();
        }
    }
}

/// What the chains of one depth have come to so far.
#[derive(Clone, Copy, Debug)]
pub struct Frame<const B: usize> {
    rows: BlockPair<B>,
    /// Rest sets for which some chain goes on: under obligatory continuation they may not stop one step earlier.
    open: [u64; B],
}

impl<const B: usize> Default for Frame<B> {
    fn default() -> Self {
        Self { rows: [[0; B]; 2], open: [0; B] }
    }
}
