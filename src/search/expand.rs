//! The positions after each turn of a position, with what is known or estimated of them.

use std::ops::ControlFlow;

use crate::rules::{Rules, Stalemate};
use crate::simd;
use crate::table::{Probe, TableError};

use super::canonical::{Canonical, Key, Mirror};
use super::estimate::Tuning;
use super::numbers::Numbers;
use super::settled::settled;
use super::strongholds::Strongholds;
use super::transposition::{TranspositionTable, TtEntry};

/// A position one turn later.
#[derive(Clone, Copy, Debug)]
pub struct Child {
    /// The position; its mover is the other side.
    pub position: Canonical,
    /// Its key.
    pub key: Key,
    /// Its numbers, seen by its own mover.
    pub numbers: Numbers,
    /// Its height, where the attacker wins.
    pub height: u32,
    /// Settled by the rules, by a table, or by the path: not by its entry.
    pub fixed: bool,
    /// Where the defender holds because a position on the path would come back: the number of its frame, or else [`NOWHERE`].
    pub depends_on: usize,
}

/// In place of the number of a frame: does not depend on the path.
pub const NOWHERE: usize = usize::MAX;

/// The larger number of a position that is nearly settled: its entry would settle it on another path.
const NEARLY: u32 = 1 << 10;

/// What is needed to find children.
pub struct Expander<'a> {
    /// The rules.
    pub rules: &'a Rules<u64>,
    /// The symmetries of the board.
    pub mirror: Mirror,
    /// Values that are taken as given.
    pub tables: &'a dyn Probe,
    /// Positions in which the defender is known to hold; a closed set still needs replies in them.
    pub strongholds: Option<&'a Strongholds>,
    /// How positions are estimated of which nothing is known.
    pub tuning: Tuning,
}

/// The result of expanding a position.
#[derive(Clone, Copy, Debug)]
pub struct Expansion {
    /// Its turns are paikas, or it has none.
    pub quiet: bool,
    /// Turns that the rules, tables, certificates or strongholds settle.
    pub probes: u64,
}

impl Expander<'_> {
    /// Whether the side to move reaches its goal in a position, if the rules, the tables or the proofs settle that. The attacker
    /// wants to win, the defender not to lose.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn settled(&self, position: Canonical, attacker_moves: bool) -> Result<Option<bool>, TableError> {
        settled(self.tables, position, attacker_moves)
    }

    /// As [`settled`](Self::settled), by strongholds.
    #[inline]
    pub fn held(&self, position: Canonical, attacker_moves: bool) -> Option<bool> {
        self.strongholds.and_then(|strongholds| strongholds.settle(position, attacker_moves))
    }

    /// Appends the children of a position that has stones of both sides to `children`, each once, without those that the
    /// rules or the tables settle against the mover. If one child settles the position, or none is left, a single settled child
    /// stands for all. `frame` finds the frame on the path that an entry depends on, by part of its key.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn expand(
        &self,
        position: Canonical,
        attacker_moves: bool,
        entries: &TranspositionTable<'_>,
        frame: impl Fn(u16) -> Option<usize>,
        children: &mut Vec<Child>,
    ) -> Result<Expansion, TableError> {
        let start = children.len();
        let mut expansion = Expansion { quiet: true, probes: 0 };
        let mut turns = false;
        let reached = self.rules.for_each_turn(position.mover, position.opponent, |path, after| {
            expansion.quiet = path.last().capture.is_none();
            turns = true;
            let position = Canonical { mover: after.next, opponent: after.moved };
            let settled = match self.settled(position, !attacker_moves) {
                Ok(settled) => settled.or_else(|| self.held(position, !attacker_moves)),
                Err(error) => return ControlFlow::Break(Err(error)),
            };
            expansion.probes += u64::from(settled.is_some());
            match settled {
                None => children.push(Child::of(position, Numbers::REACHED, false)),
                Some(true) => {}
                Some(false) => return ControlFlow::Break(Ok(position)),
            }
            ControlFlow::Continue(())
        });
        let settled = match reached {
            ControlFlow::Break(Err(error)) => return Err(error),
            ControlFlow::Break(Ok(after)) => Some((true, self.mirror.canonical(after.mover, after.opponent))),
            ControlFlow::Continue(()) if children.len() > start => None,
            // Stalemate, or only turns that miss the goal.
            ControlFlow::Continue(()) => {
                let drawn = !turns && !attacker_moves && self.rules.rule_set().stalemate == Stalemate::Draw;
                Some((drawn, position))
            }
        };
        if let Some((reached, child)) = settled {
            children.truncate(start);
            children.push(Child::of(child, Numbers::of(!reached), true));
            return Ok(expansion);
        }
        self.unite(start, children);
        for child in &mut children[start..] {
            child.key = child.position.key(!attacker_moves);
        }
        std::hint::black_box(children[start..].iter().fold(0, |sum, child| sum ^ entries.touch(child.key)));
        let board = self.rules.board();
        // Estimates count bits, for which most processors, but not all, have an instruction.
        simd::run(
            #[inline(always)]
            || {
                for child in &mut children[start..] {
                    match entries.get(child.key) {
                        Some(found) => child.learn(found, |key_part| frame(key_part).filter(|_| expansion.quiet)),
                        None => child.numbers = self.tuning.estimate(board, child.position, !attacker_moves),
                    }
                }
            },
        );
        Ok(expansion)
    }

    /// Of the children from `start` on that are symmetric to each other, keeps one.
    fn unite(&self, start: usize, children: &mut Vec<Child>) {
        for child in &mut children[start..] {
            child.position = self.mirror.canonical(child.position.mover, child.position.opponent);
        }
        children[start..].sort_unstable_by_key(|child| child.position);
        let mut kept = start + 1;
        for next in start + 1..children.len() {
            if children[next].position != children[kept - 1].position {
                children[kept] = children[next];
                kept += 1;
            }
        }
        children.truncate(kept);
    }
}

impl Child {
    fn of(position: Canonical, numbers: Numbers, fixed: bool) -> Self {
        Self { position, key: Key::default(), numbers, height: 0, fixed, depends_on: NOWHERE }
    }

    /// Takes over what is known; `frame` finds the frame that an entry depends on. If there is none, the entry does not
    /// hold here.
    #[inline]
    pub fn learn(&mut self, found: TtEntry, frame: impl FnOnce(u16) -> Option<usize>) {
        (self.numbers, self.height, self.depends_on) = (found.numbers, found.height, NOWHERE);
        if let Some(key_part) = found.path_dependency {
            if let Some(frame) = frame(key_part) {
                self.depends_on = frame;
            } else if found.numbers == Numbers::REACHED {
                self.numbers = Numbers { phi: 1, delta: NEARLY };
            } else {
                self.numbers = Numbers { phi: NEARLY, delta: 1 };
            }
        }
    }

    /// Settles the child by the path: the attacker gains nothing by coming back to the position of that frame.
    pub fn repeat(&mut self, attacker_moves: bool, frame: usize) {
        (self.numbers, self.fixed, self.depends_on) = (Numbers::of(!attacker_moves), true, frame);
    }
}
