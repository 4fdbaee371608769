//! The referee: legal turns under the rules of play, with blocks and vela.

use std::ops::ControlFlow;

use crate::board::{Board, BoardSize, PointSet, point_name};
use crate::rules::{Outcome, Path, Position, Rules, Side, Turn, turn_text};

use super::play_rules::{PlayRules, VELA_STONES};

/// What a side does in a turn.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Action {
    /// It moves a stone.
    Move(Turn),
    /// It sacrifices the stone on that point.
    Sacrifice(usize),
}

impl Action {
    /// The action in Schadd's notation; a sacrifice is the point and an x.
    #[must_use]
    pub fn text(&self, size: BoardSize) -> String {
        match self {
            Self::Move(turn) => turn_text(size, turn),
            Self::Sacrifice(point) => format!("{}x", point_name(size, *point)),
        }
    }
}

/// A position with its block: everything that decides which turns are legal.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct State<P> {
    /// The stones, the block among those of its owner.
    pub position: Position<P>,
    /// The sacrificed stone of the side not to move, if there is one; at most one point.
    pub block: P,
}

impl<P: PointSet> From<Position<P>> for State<P> {
    fn from(position: Position<P>) -> Self {
        Self { position, block: P::default() }
    }
}

impl<P: PointSet> State<P> {
    /// Number of stones on the board, the block included. It never increases.
    #[inline]
    #[must_use]
    pub fn stones(&self) -> usize {
        self.position.white.count() + self.position.black.count()
    }

    /// The stones of the side not to move that can be captured: all but the block.
    #[inline]
    #[must_use]
    pub fn enemy(&self) -> P {
        self.position.opponent().without(self.block)
    }

    /// The state after a turn, from the stones of the side that moved and of the other.
    #[inline]
    fn after(&self, moved: P, next: P, block: P) -> Self {
        Self { position: Position::of_sides(self.position.to_move.other(), next, moved), block }
    }
}

/// The rules of play on one board.
#[derive(Clone, Debug)]
pub struct Referee<P> {
    board_rules: Rules<P>,
    rules: PlayRules,
}

impl<P: PointSet> Referee<P> {
    /// The referee for a board of that size.
    ///
    /// # Panics
    /// If the board has more points than `P` can hold.
    #[must_use]
    pub fn new(size: BoardSize, rules: PlayRules) -> Self {
        Self { board_rules: Rules::new(Board::new(size, rules.diagonals), rules.table_rules()), rules }
    }

    /// The rules that tables know, on this board.
    #[must_use]
    pub fn board_rules(&self) -> &Rules<P> {
        &self.board_rules
    }

    /// The board.
    #[must_use]
    pub fn board(&self) -> &Board<P> {
        self.board_rules.board()
    }

    /// The rules.
    #[must_use]
    pub fn rules(&self) -> &PlayRules {
        &self.rules
    }

    /// The side that may not capture at present, whether or not it is to move.
    #[inline]
    #[must_use]
    pub fn bound_side(&self, state: &State<P>) -> Option<Side> {
        let stones = |side| match side {
            Side::White => state.position.white.count(),
            Side::Black => state.position.black.count(),
        };
        self.rules.vela.filter(|&side| stones(side) > VELA_STONES)
    }

    /// Whether the side to move may not capture at present.
    #[inline]
    #[must_use]
    pub fn is_bound(&self, state: &State<P>) -> bool {
        self.bound_side(state) == Some(state.position.to_move)
    }

    /// The stones that may capture.
    #[inline]
    #[must_use]
    pub fn capturing_stones(&self, state: &State<P>) -> P {
        let mover = state.position.mover();
        if self.is_bound(state) {
            return P::default();
        }
        // Counted as an own stone, the block keeps its point and ends every run; it never moves.
        self.board().capturing_stones(mover | state.block, state.enemy()) & mover
    }

    /// The stones that may be sacrificed.
    #[inline]
    #[must_use]
    pub fn sacrifices(&self, state: &State<P>) -> P {
        if self.rules.sacrifice && !state.position.opponent().is_empty() {
            state.position.mover()
        } else {
            P::default()
        }
    }

    /// Calls `visit` with every move and the state after it until it breaks, without sacrifices. Moves that lead to the same
    /// board are all visited. If a side has no stones there are none.
    ///
    /// # Errors
    /// [`ControlFlow::Break`] with what `visit` breaks with.
    #[inline]
    pub fn for_each_turn<B>(
        &self,
        state: &State<P>,
        mut visit: impl FnMut(&Path<'_>, State<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let (mover, opponent) = (state.position.mover(), state.position.opponent());
        if mover.is_empty() || opponent.is_empty() {
            return ControlFlow::Continue(());
        }
        let (enemy, none) = (state.enemy(), P::default());
        let capturing = self.capturing_stones(state);
        if capturing.is_empty() {
            return self
                .board_rules
                .for_each_paika(mover, opponent, |path, after| visit(path, state.after(after.moved, enemy, none)));
        }
        for from in capturing.iter() {
            self.captures_of(from, state, &mut visit)?;
        }
        ControlFlow::Continue(())
    }

    /// The same for the moves of the stone on `from` alone, one of the side to move.
    ///
    /// # Errors
    /// [`ControlFlow::Break`] with what `visit` breaks with.
    pub fn for_each_turn_of<B>(
        &self,
        from: usize,
        state: &State<P>,
        mut visit: impl FnMut(&Path<'_>, State<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let capturing = self.capturing_stones(state);
        if capturing.contains(from) {
            self.captures_of(from, state, &mut visit)
        } else if capturing.is_empty() && !state.position.opponent().is_empty() {
            let (others_of_side, enemy) = (state.position.mover().without(P::point(from)), state.enemy());
            let others = state.position.opponent() | others_of_side;
            self.board_rules.for_each_paika(P::point(from), others, |path, after| {
                visit(path, state.after(others_of_side | after.moved, enemy, P::default()))
            })
        } else {
            ControlFlow::Continue(())
        }
    }

    #[inline]
    fn captures_of<B>(
        &self,
        from: usize,
        state: &State<P>,
        visit: &mut impl FnMut(&Path<'_>, State<P>) -> ControlFlow<B>,
    ) -> ControlFlow<B> {
        let own = state.position.mover() | state.block;
        self.board_rules.for_each_capture_of(from, own, state.enemy(), |path, after| {
            visit(path, state.after(after.moved.without(state.block), after.next, P::default()))
        })
    }

    /// The state after the stone on `point`, one of the side to move, has been sacrificed.
    #[inline]
    #[must_use]
    pub fn after_sacrifice(&self, state: &State<P>, point: usize) -> State<P> {
        state.after(state.position.mover(), state.enemy(), P::point(point))
    }

    /// Whether the side to move can do anything.
    #[must_use]
    pub fn has_turn(&self, state: &State<P>) -> bool {
        !self.sacrifices(state).is_empty() || self.for_each_turn(state, |_, _| ControlFlow::Break(())).is_break()
    }

    /// How the game has ended on the board for the side to move, if it has. Having no stones takes precedence over having no moves. A block
    /// counts as its owner's until it is removed.
    #[must_use]
    pub fn ending(&self, state: &State<P>) -> Option<Outcome> {
        if state.position.mover().is_empty() {
            Some(Outcome::Loss)
        } else if state.position.opponent().is_empty() {
            Some(Outcome::Win)
        } else {
            (!self.has_turn(state)).then(|| self.rules.stalemate.outcome())
        }
    }
}
