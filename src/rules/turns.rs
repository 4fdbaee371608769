//! Legal turns: paikas and capturing chains.

use std::ops::ControlFlow;

use serde::Serialize;

use crate::board::{Board, DIRECTIONS, PointSet};

use super::outcome::Outcome;
use super::position::Position;
use super::ruleset::{Continuation, RuleSet};

/// How a step captures.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize)]
#[serde(rename_all = "lowercase")]
pub enum Capture {
    /// The enemy run in front of the point stepped to.
    Approach,
    /// The enemy run behind the point stepped from.
    Withdrawal,
}

/// One step of a turn; `capture` is `None` for a paika.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Step {
    /// The point stepped to.
    pub to: usize,
    /// How the step captures, if it does.
    pub capture: Option<Capture>,
}

/// A whole turn: where a stone starts and the steps it makes.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Turn {
    /// The point the stone starts from.
    pub from: usize,
    /// Its steps, at least one.
    pub steps: Vec<Step>,
}

/// The board after a turn: the side that made it, and the side to move next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct After<P> {
    /// The stones of the side that has just moved.
    pub moved: P,
    /// The stones of the side that moves next.
    pub next: P,
}

/// The rules on one board under one rule set: turns and endings.
#[derive(Clone, Debug)]
pub struct Rules<P> {
    board: Board<P>,
    rule_set: RuleSet,
}

/// A chain while it is being extended: the steps so far, newest first.
#[derive(Clone, Copy)]
pub struct Path<'a> {
    from: usize,
    last: Step,
    length: usize,
    before: Option<&'a Path<'a>>,
}

impl Path<'_> {
    /// The point the stone started from.
    #[inline]
    #[must_use]
    pub fn from(&self) -> usize {
        self.from
    }

    /// The last step.
    #[inline]
    #[must_use]
    pub fn last(&self) -> Step {
        self.last
    }

    /// Number of steps, at least one.
    #[inline]
    #[must_use]
    pub fn length(&self) -> usize {
        self.length
    }

    /// The path as a [`Turn`].
    #[must_use]
    pub fn to_turn(&self) -> Turn {
        let mut steps = Vec::new();
        let mut link = Some(self);
        while let Some(path) = link {
            steps.push(path.last);
            link = path.before;
        }
        steps.reverse();
        Turn { from: self.from, steps }
    }
}

/// The state of one chain: the moving stone is in neither of the two sets.
struct Chain<'a, P> {
    /// The other stones of the moving side.
    rest: P,
    /// The enemy stones that are left.
    enemy: P,
    /// Points that the moving stone has visited, its present one included.
    visited: P,
    /// Directions that the next step may not take, as bits.
    barred: u8,
    path: Option<&'a Path<'a>>,
}

impl<P: PointSet> Rules<P> {
    /// The rules on that board.
    ///
    /// # Panics
    /// If the diagonals of the board differ from those of the rules.
    #[must_use]
    pub fn new(board: Board<P>, rule_set: RuleSet) -> Self {
        assert_eq!(board.diagonals(), rule_set.diagonals, "board and rules disagree on the diagonals");
        Self { board, rule_set }
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board<P> {
        &self.board
    }

    /// The rule set.
    #[must_use]
    pub fn rule_set(&self) -> RuleSet {
        self.rule_set
    }

    /// Calls `visit` with every turn of `own` against `enemy`, until it breaks. Turns that lead to the same board are
    /// all visited; see [`Rules::successors`] for distinct boards. A side without stones, or without enemies, has no turns.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    pub fn for_each_turn<B>(
        &self,
        own: P,
        enemy: P,
        mut visit: impl FnMut(&Path<'_>, After<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        if own.is_empty() || enemy.is_empty() {
            return ControlFlow::Continue(());
        }
        let capturing = self.board.capturing_stones(own, enemy);
        if capturing.is_empty() {
            return self.for_each_paika(own, enemy, visit);
        }
        for from in capturing.iter() {
            self.for_each_capture_of(from, own, enemy, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// As [`for_each_turn`](Self::for_each_turn), for captures alone.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    #[inline]
    pub fn for_each_capture<B>(
        &self,
        own: P,
        enemy: P,
        mut visit: impl FnMut(&Path<'_>, After<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for from in self.board.capturing_stones(own, enemy).iter() {
            self.for_each_capture_of(from, own, enemy, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// The chains of a stone on `from`, as if its side had no other stones, each with the enemy stones that are left.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    #[inline]
    pub fn for_each_chain_of<B>(
        &self,
        from: usize,
        enemy: P,
        mut visit: impl FnMut(&Path<'_>, P) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        self.for_each_capture_of(from, P::point(from), enemy, |path, after| visit(path, after.next))
    }

    /// The same without the chains that go on where `goes_on(direction, path, left)` says that none of them matters. The chain up to there
    /// is visited if chains may stop anywhere.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    #[inline]
    pub fn for_each_chain_where<B>(
        &self,
        from: usize,
        enemy: P,
        goes_on: impl Fn(usize, &Path<'_>, P) -> bool,
        mut visit: impl FnMut(&Path<'_>, P) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let start = Chain { rest: P::default(), enemy, visited: P::point(from), barred: 0, path: None };
        self.extend(from, from, &start, &goes_on, &mut |path, after| visit(path, after.next)).map_continue(|_| ())
    }

    /// The chains of the stone on `from`, one of `own`.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    #[inline]
    pub fn for_each_capture_of<B>(
        &self,
        from: usize,
        own: P,
        enemy: P,
        mut visit: impl FnMut(&Path<'_>, After<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let stone = P::point(from);
        let start = Chain { rest: own.without(stone), enemy, visited: stone, barred: 0, path: None };
        self.extend(from, from, &start, &|_, _, _| true, &mut visit).map_continue(|_| ())
    }

    /// Every step of a stone of `own` to an empty point, without a capture, whether or not there are captures.
    ///
    /// # Errors
    /// What `visit` breaks with comes back as [`ControlFlow::Break`].
    pub fn for_each_paika<B>(
        &self,
        own: P,
        enemy: P,
        mut visit: impl FnMut(&Path<'_>, After<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        for from in own.iter() {
            for direction in 0..DIRECTIONS {
                let Some(to) = self.board.next(from, direction) else { continue };
                if (own | enemy).contains(to) {
                    continue;
                }
                let path = Path { from, last: Step { to, capture: None }, length: 1, before: None };
                let moved = own ^ P::point(from) ^ P::point(to);
                visit(&path, After { moved, next: enemy })?;
            }
        }
        ControlFlow::Continue(())
    }

    /// Visits every continuation of a chain whose stone is on `point`; returns whether there was one.
    fn extend<B>(
        &self,
        from: usize,
        point: usize,
        chain: &Chain<'_, P>,
        goes_on: &impl Fn(usize, &Path<'_>, P) -> bool,
        visit: &mut impl FnMut(&Path<'_>, After<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B, bool> {
        let blocked = chain.rest | chain.enemy | chain.visited;
        let mut extended = false;
        for victim in (self.board.victims(point) & chain.enemy).iter() {
            let attack = self.board.attack(point, victim);
            let (to, direction) = (usize::from(attack.to), usize::from(attack.direction));
            if chain.barred >> direction & 1 == 1 || blocked.contains(to) {
                continue;
            }
            let (capture, along) =
                if attack.approach { (Capture::Approach, direction) } else { (Capture::Withdrawal, direction ^ 1) };
            extended = true;
            let length = chain.path.map_or(1, |path| path.length + 1);
            let path = Path { from, last: Step { to, capture: Some(capture) }, length, before: chain.path };
            let longer = Chain {
                rest: chain.rest,
                enemy: chain.enemy.without(self.board.run(chain.enemy, victim, along)),
                visited: chain.visited | P::point(to),
                barred: self.rule_set.directions.barred_after(chain.barred, direction),
                path: Some(&path),
            };
            let stop = After { moved: chain.rest | P::point(to), next: longer.enemy };
            let optional = self.rule_set.continuation == Continuation::Optional;
            if optional {
                visit(&path, stop)?;
            }
            if goes_on(direction, &path, longer.enemy) {
                let extended = self.extend(from, to, &longer, goes_on, visit)?;
                if !optional && !extended {
                    visit(&path, stop)?;
                }
            }
        }
        ControlFlow::Continue(extended)
    }

    /// Whether the side to move has more than `count` turns, to the same board or not.
    #[must_use]
    pub fn has_more_turns_than(&self, count: usize, position: &Position<P>) -> bool {
        let mut turns = 0;
        let counted = self.for_each_turn(position.mover(), position.opponent(), |_, _| {
            turns += 1;
            if turns > count { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        counted.is_break()
    }

    /// The distinct boards that one turn can lead to, sorted.
    #[must_use]
    pub fn successors(&self, own: P, enemy: P) -> Vec<After<P>> {
        let mut boards = Vec::new();
        let _ = self.for_each_turn(own, enemy, |_, after| {
            boards.push(after);
            ControlFlow::<()>::Continue(())
        });
        boards.sort_unstable();
        boards.dedup();
        boards
    }

    /// Every distinct board one turn can lead to, with the shortest turn that leads there, in board order.
    #[must_use]
    pub fn turns(&self, position: &Position<P>) -> Vec<(Turn, Position<P>)> {
        let mut turns: Vec<(After<P>, Turn)> = Vec::new();
        let _ = self.for_each_turn(position.mover(), position.opponent(), |path, after| {
            turns.push((after, path.to_turn()));
            ControlFlow::<()>::Continue(())
        });
        turns.sort_by(|a, b| (a.0, a.1.steps.len(), &a.1).cmp(&(b.0, b.1.steps.len(), &b.1)));
        turns.dedup_by(|later, first| later.0 == first.0);
        let next = position.to_move.other();
        turns.into_iter().map(|(after, turn)| (turn, Position::of_sides(next, after.next, after.moved))).collect()
    }

    /// Whether and how the game has ended, for the side to move. No stones counts before no moves.
    #[must_use]
    pub fn ending(&self, own: P, enemy: P) -> Option<Outcome> {
        if own.is_empty() {
            Some(Outcome::Loss)
        } else if enemy.is_empty() {
            Some(Outcome::Win)
        } else if self.for_each_turn(own, enemy, |_, _| ControlFlow::Break(())).is_continue() {
            Some(self.rule_set.stalemate.outcome())
        } else {
            None
        }
    }
}

/// Number of lines of play of exactly `depth` turns; turns that lead to the same board count once.
#[must_use]
pub fn perft<P: PointSet>(rules: &Rules<P>, own: P, enemy: P, depth: u32) -> u64 {
    if depth == 0 {
        return 1;
    }
    let boards = rules.successors(own, enemy);
    if depth == 1 {
        return boards.len() as u64;
    }
    boards.iter().map(|after| perft(rules, after.next, after.moved, depth - 1)).sum()
}
