//! Why a stone, a step or the end of a turn is refused, as a sentence.

use thiserror::Error;

use crate::board::{Board, DIRECTIONS, PointSet, point_name};
use crate::rules::{Capture, Directions, Side};

use super::chain::Chain;
use super::play_rules::VELA_STONES;
use super::referee::{Referee, State};

/// Why something is not allowed. Points are names.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum Refusal {
    /// The game is over; the text says how.
    #[error("the game is over: {0}")]
    Over(String),
    /// The point is empty.
    #[error("{point} is empty: a turn begins with one of {}'s stones", side.name())]
    Empty {
        /// The point.
        point: String,
        /// The side to move.
        side: Side,
    },
    /// The stone is the opponent's.
    #[error("the stone on {point} is {}'s, and {} is to move", side.other().name(), side.name())]
    NotYours {
        /// The point.
        point: String,
        /// The side to move.
        side: Side,
    },
    /// Other stones can capture, this one cannot.
    #[error("a capture is possible, and the stone on {point} cannot make one; {stones} can")]
    OthersCapture {
        /// The point.
        point: String,
        /// The stones that capture.
        stones: String,
    },
    /// The stone cannot step anywhere.
    #[error("the stone on {0} has no empty point to step to")]
    ShutIn(String),
    /// The step leads to the point the stone is on.
    #[error("the stone is on {0} already")]
    SamePoint(String),
    /// The points are not neighbours.
    #[error("{to} is not next to {from}: a step goes to a neighbouring point along a line")]
    Far {
        /// Where the stone is.
        from: String,
        /// The point asked for.
        to: String,
    },
    /// Neighbours without a line between them.
    #[error("no line joins {from} and {to}: {from} is a weak point and has no diagonals")]
    NotJoined {
        /// Where the stone is.
        from: String,
        /// The point asked for.
        to: String,
    },
    /// The point is occupied.
    #[error("{point} is occupied{}", if *block { " by the sacrificed stone, which stays for one turn as a block" } else { "" })]
    Occupied {
        /// The point.
        point: String,
        /// Whether by the block.
        block: bool,
    },
    /// A paika although captures are possible.
    #[error("a capture is possible, so this paika is not allowed: {from}-{to} captures nothing; {stones} can capture")]
    Paika {
        /// Where the stone is.
        from: String,
        /// The point asked for.
        to: String,
        /// The stones that capture.
        stones: String,
    },
    /// A step of a chain that captures nothing.
    #[error("the step to {to} captures nothing, and a chain goes on only with captures")]
    CapturesNothing {
        /// The point asked for.
        to: String,
    },
    /// A step that does not capture in the way asked for.
    #[error("the step {from}-{to} captures nothing by {}", word(*capture))]
    NotThatWay {
        /// Where the stone is.
        from: String,
        /// The point asked for.
        to: String,
        /// The way asked for.
        capture: Capture,
    },
    /// The block cannot be captured.
    #[error("the step {from}-{to} would take the sacrificed stone, a block that cannot be captured")]
    Block {
        /// Where the stone is.
        from: String,
        /// The point asked for.
        to: String,
    },
    /// Two steps in the same direction.
    #[error("the step to {0} has the same direction as the step before it")]
    SameDirection(String),
    /// Two steps of a turn in the same direction, where that is not allowed.
    #[error("the step to {0} has the same direction as an earlier step (no direction twice in a turn)")]
    DirectionTaken(String),
    /// A point visited before in this turn.
    #[error("the stone has already visited {0} in this turn")]
    Visited(String),
    /// The turn may not end yet.
    #[error("the chain must go on while it can (obligatory continuation), and it can go on from {0}")]
    MustGoOn(String),
    /// Vela.
    #[error("{} is bound by vela and may not capture while it has more than {VELA_STONES} stones", .0.name())]
    Bound(Side),
    /// More than one step without a capture.
    #[error("a turn that captures nothing is one step")]
    OneStep,
    /// The rules have no sacrifices.
    #[error("sacrifices are not part of the rules of this game")]
    NoSacrifices,
}

fn word(capture: Capture) -> &'static str {
    match capture {
        Capture::Approach => "approach",
        Capture::Withdrawal => "withdrawal",
    }
}

/// A step as asked for: the point, and the way to capture if given.
pub type Wanted = (usize, Option<Capture>);

/// A path that matches more partial chains than this is not followed: it is too ambiguous.
pub const MAX_CHAINS: usize = 1024;

/// The names of points, as in `b2, c3 and d4`.
pub fn names<P: PointSet>(board: &Board<P>, points: P) -> String {
    let names: Vec<String> = points.iter().map(|point| point_name(board.size(), point)).collect();
    match &names[..] {
        [] => String::new(),
        [one] => one.clone(),
        [most @ .., last] => format!("{} and {last}", most.join(", ")),
    }
}

/// Why a turn cannot begin on a point.
pub fn refused_stone<P: PointSet>(referee: &Referee<P>, state: &State<P>, from: usize) -> Option<Refusal> {
    let side = state.position.to_move;
    let point = point_name(referee.board().size(), from);
    if state.position.opponent().contains(from) {
        return Some(Refusal::NotYours { point, side });
    }
    (!state.position.mover().contains(from)).then_some(Refusal::Empty { point, side })
}

/// Why the stone on a point, one of the side to move, cannot make any step.
pub fn refused_mover<P: PointSet>(referee: &Referee<P>, state: &State<P>, from: usize) -> Option<Refusal> {
    let capturing = referee.capturing_stones(state);
    let point = point_name(referee.board().size(), from);
    if !capturing.is_empty() {
        let stones = names(referee.board(), capturing);
        return (!capturing.contains(from)).then_some(Refusal::OthersCapture { point, stones });
    }
    let occupied = state.position.white | state.position.black;
    let free = |direction| referee.board().next(from, direction).is_some_and(|to| !occupied.contains(to));
    (!(0..DIRECTIONS).any(free)).then_some(Refusal::ShutIn(point))
}

/// Why a path is refused; with `ends` also why the turn may not end there. `None` if it is legal.
pub fn refused_path<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    from: usize,
    wanted: &[Wanted],
    ends: bool,
) -> Option<Refusal> {
    if let Some(refusal) = refused_stone(referee, state, from) {
        return Some(refusal);
    }
    let begin = Chain::begin(state, from);
    if referee.capturing_stones(state).is_empty() {
        return refused_paika(referee, state, &begin, wanted);
    }
    let mut chains = vec![begin];
    for &step in wanted {
        let longer = steps(referee, &chains, step);
        if longer.is_empty() {
            return chains.first().map(|chain| refused_step(referee, state, chain, step));
        }
        chains = longer;
        chains.truncate(MAX_CHAINS);
    }
    if wanted.is_empty() {
        return if ends { Some(Refusal::OneStep) } else { refused_mover(referee, state, from) };
    }
    let stuck = ends && !chains.iter().any(|chain| chain.may_stop(referee));
    let at = chains.first().map_or(from, |chain| chain.at);
    stuck.then(|| Refusal::MustGoOn(point_name(referee.board().size(), at)))
}

/// The chains after one more step, one for each way to capture that the step leaves open.
pub fn steps<P: PointSet>(referee: &Referee<P>, chains: &[Chain<P>], (to, capture): Wanted) -> Vec<Chain<P>> {
    let fits = |chain: &Chain<P>| {
        let made = chain.steps.last().map(|(step, _)| *step);
        chain.at == to && (capture.is_none() || made.is_some_and(|step| step.capture == capture))
    };
    chains.iter().flat_map(|chain| chain.longer(referee)).filter(fits).collect()
}

fn refused_paika<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    begin: &Chain<P>,
    wanted: &[Wanted],
) -> Option<Refusal> {
    let Some(&(to, capture)) = wanted.first() else { return refused_mover(referee, state, begin.from) };
    if let Err(refusal) = direction(referee, state, begin, to) {
        return Some(refusal);
    }
    if wanted.len() > 1 {
        return Some(Refusal::OneStep);
    }
    if referee.is_bound(state) && capture.is_some() {
        return Some(Refusal::Bound(state.position.to_move));
    }
    capture.map(|_| refused_step(referee, state, begin, (to, capture)))
}

/// The direction of a step to a neighbouring empty point.
fn direction<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    chain: &Chain<P>,
    to: usize,
) -> Result<usize, Refusal> {
    let board = referee.board();
    let columns = board.size().columns();
    let name = |point| point_name(board.size(), point);
    if chain.at == to {
        return Err(Refusal::SamePoint(name(to)));
    }
    let Some(direction) = (0..DIRECTIONS).find(|&direction| board.next(chain.at, direction) == Some(to)) else {
        let near = |a: usize, b: usize| a.abs_diff(b) <= 1;
        let (from, to_name) = (name(chain.at), name(to));
        return Err(if near(chain.at % columns, to % columns) && near(chain.at / columns, to / columns) {
            Refusal::NotJoined { from, to: to_name }
        } else {
            Refusal::Far { from, to: to_name }
        });
    };
    if chain.occupied().contains(to) {
        return Err(Refusal::Occupied { point: name(to), block: state.block.contains(to) });
    }
    Ok(direction)
}

/// Why a step that is not a legal capture is refused.
fn refused_step<P: PointSet>(
    referee: &Referee<P>,
    state: &State<P>,
    chain: &Chain<P>,
    (to, capture): Wanted,
) -> Refusal {
    let board = referee.board();
    let direction = match direction(referee, state, chain, to) {
        Ok(direction) => direction,
        Err(refusal) => return refusal,
    };
    let (from, name) = (point_name(board.size(), chain.at), point_name(board.size(), to));
    if chain.visited.contains(to) {
        return Refusal::Visited(name);
    }
    if chain.barred >> direction & 1 == 1 {
        return match referee.rules().directions {
            Directions::NotRepeated => Refusal::SameDirection(name),
            Directions::Once => Refusal::DirectionTaken(name),
        };
    }
    let takes = |way| !chain.captured(referee, to, direction, way).is_empty();
    match capture {
        Some(way) if takes(Capture::Approach) || takes(Capture::Withdrawal) => {
            Refusal::NotThatWay { from, to: name, capture: way }
        }
        _ if chain.steps.is_empty() && !referee.capturing_stones(state).is_empty() => {
            let stones = names(board, referee.capturing_stones(state));
            Refusal::Paika { from, to: name, stones }
        }
        _ => {
            let ahead = board.next(to, direction);
            let behind = board.next(chain.at, direction ^ 1);
            if [ahead, behind].into_iter().flatten().any(|point| state.block.contains(point)) {
                return Refusal::Block { from, to: name };
            }
            match capture {
                Some(way) => Refusal::NotThatWay { from, to: name, capture: way },
                None => Refusal::CapturesNothing { to: name },
            }
        }
    }
}
