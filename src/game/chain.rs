//! A capturing chain, step by step: its legal continuations and what each step captures.

use crate::board::{Board, DIRECTIONS, PointSet};
use crate::rules::{Capture, Continuation, Step, Turn};

use super::referee::{Referee, State};

/// A chain in progress.
#[derive(Clone, Debug)]
pub struct Chain<P> {
    /// Where the stone began.
    pub from: usize,
    /// Where it stands.
    pub at: usize,
    /// The steps so far, with the stones they captured.
    pub steps: Vec<(Step, P)>,
    /// The enemy stones that are left, without the block.
    pub enemy: P,
    /// The points it has stood on.
    pub visited: P,
    /// Directions that the next step may not take, as bits.
    pub barred: u8,
    /// The other stones of the moving side.
    others: P,
    block: P,
}

impl<P: PointSet> Chain<P> {
    /// The stone on `from` before its first step.
    #[must_use]
    pub fn begin(state: &State<P>, from: usize) -> Self {
        Self {
            from,
            at: from,
            steps: Vec::new(),
            enemy: state.enemy(),
            visited: P::point(from),
            barred: 0,
            others: state.position.mover().without(P::point(from)),
            block: state.block,
        }
    }

    /// The points with stones on them, except that of the moving stone.
    #[must_use]
    pub fn occupied(&self) -> P {
        self.others | self.enemy | self.block
    }

    /// The chain after each capturing step that may come next.
    #[must_use]
    pub fn longer(&self, referee: &Referee<P>) -> Vec<Self> {
        let mut found = Vec::new();
        for direction in (0..DIRECTIONS).filter(|&direction| self.barred >> direction & 1 == 0) {
            let Some(to) = referee.board().next(self.at, direction) else { continue };
            if (self.occupied() | self.visited).contains(to) {
                continue;
            }
            for capture in [Capture::Approach, Capture::Withdrawal] {
                let captured = self.captured(referee, to, direction, capture);
                if !captured.is_empty() {
                    let mut longer = self.clone();
                    longer.at = to;
                    longer.steps.push((Step { to, capture: Some(capture) }, captured));
                    longer.enemy = self.enemy.without(captured);
                    longer.visited |= P::point(to);
                    longer.barred = referee.rules().directions.barred_after(self.barred, direction);
                    found.push(longer);
                }
            }
        }
        found
    }

    /// The stones that a step would capture that way.
    #[must_use]
    pub fn captured(&self, referee: &Referee<P>, to: usize, direction: usize, capture: Capture) -> P {
        captured(referee.board(), self.enemy, [self.at, to], direction, capture)
    }

    /// Whether the turn may end here.
    #[must_use]
    pub fn may_stop(&self, referee: &Referee<P>) -> bool {
        let goes_on = || !self.longer(referee).is_empty();
        !self.steps.is_empty() && (referee.rules().continuation == Continuation::Optional || !goes_on())
    }

    /// The steps as a turn.
    #[must_use]
    pub fn turn(&self) -> Turn {
        Turn { from: self.from, steps: self.steps.iter().map(|&(step, _)| step).collect() }
    }

    /// The stones that each step captured.
    #[must_use]
    pub fn captures(&self) -> Vec<P> {
        self.steps.iter().map(|&(_, captured)| captured).collect()
    }

    /// The state after the turn if it ends here; `state` is the one it began in.
    #[must_use]
    pub fn state_after(&self, state: &State<P>) -> State<P> {
        let side = state.position.to_move.other();
        let moved = self.others | P::point(self.at);
        crate::rules::Position::of_sides(side, self.enemy, moved).into()
    }
}

/// The stones of `enemy` that a step from one point to the next one in that direction captures that way.
pub fn captured<P: PointSet>(
    board: &Board<P>,
    enemy: P,
    [from, to]: [usize; 2],
    direction: usize,
    capture: Capture,
) -> P {
    let (origin, along) = match capture {
        Capture::Approach => (to, direction),
        Capture::Withdrawal => (from, direction ^ 1),
    };
    board.next(origin, along).map_or(P::default(), |first| board.run(enemy, first, along))
}
