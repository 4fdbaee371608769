//! Positions: text, moves, pictures.

use std::hash::{DefaultHasher, Hash, Hasher};
use std::ops::ControlFlow;

use fanorona::board::{MAX_POINTS, PointSet, Wide};
use fanorona::game::{Referee, State, parse_action};
use fanorona::report::{board_svg, picture};
use fanorona::rules::{Outcome, Position as PositionOf, PositionText, Rules as RulesOn, Side, perft, turn_text};
use fanorona::{BoardSize, RuleSet};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyInt};

use crate::arguments::{BoardArgument, rule_set};
use crate::board::Board;
use crate::errors::{OrRaise, refuse};
use crate::rules::Rules;
use crate::run::{RunControl, run};

/// A position: the stones on a board, and the side to move.
///
/// The text has the ranks from the top, then the side to move, or is a board, such as "9x5", for its start. A notebook shows a position as a picture.
///
/// >>> position = Position("1B1/1W1/1W1 w")
/// >>> position.to_move, position.board
/// ('white', Board('3x3'))
/// >>> sorted(position.moves())
/// ['b1-a1', 'b1-c1', 'b2-a1', 'b2-a2', 'b2-a3', 'b2-c1', 'b2-c2', 'b2-c3']
/// >>> position.play("b2-c2")
/// Position('1B1/2W/1W1 b')
/// >>> print(position)
/// 1B1/1W1/1W1 w
#[pyclass(frozen, from_py_object, module = "fanorona")]
#[derive(Clone, PartialEq)]
pub struct Position {
    pub size: BoardSize,
    stones: Stones,
}

/// The stones, on a board of up to 64 points or on a larger one.
#[derive(Clone, Copy, PartialEq, Hash)]
enum Stones {
    Narrow(PositionOf<u64>),
    Wide(PositionOf<Wide>),
}

/// Does the same with either kind of stones.
macro_rules! on {
    ($position:expr, $stones:ident => $call:expr) => {
        match &$position.stones {
            Stones::Narrow($stones) => $call,
            Stones::Wide($stones) => $call,
        }
    };
}

/// Positions on one kind of board as those of Python.
trait Kind: PointSet {
    fn stones(position: PositionOf<Self>) -> Stones;
}

impl Kind for u64 {
    fn stones(position: PositionOf<Self>) -> Stones {
        Stones::Narrow(position)
    }
}

impl Kind for Wide {
    fn stones(position: PositionOf<Self>) -> Stones {
        Stones::Wide(position)
    }
}

fn on_board<P: PointSet>(size: BoardSize, rules: RuleSet) -> RulesOn<P> {
    RulesOn::new(fanorona::board::Board::new(size, rules.diagonals), rules)
}

fn wrap<P: Kind>(size: BoardSize, position: PositionOf<P>) -> Position {
    Position { size, stones: P::stones(position) }
}

fn moves<'py, P: Kind>(
    py: Python<'py>,
    size: BoardSize,
    position: &PositionOf<P>,
    rules: RuleSet,
) -> PyResult<Bound<'py, PyDict>> {
    let moves = PyDict::new(py);
    for (turn, after) in on_board(size, rules).turns(position) {
        moves.set_item(turn_text(size, &turn), wrap(size, after))?;
    }
    Ok(moves)
}

fn every_turn<P: PointSet>(size: BoardSize, position: &PositionOf<P>, rules: RuleSet) -> Vec<String> {
    let mut turns = Vec::new();
    let _ = on_board(size, rules).for_each_turn(position.mover(), position.opponent(), |path, _| {
        turns.push(turn_text(size, &path.to_turn()));
        ControlFlow::<()>::Continue(())
    });
    turns
}

fn play<P: Kind>(size: BoardSize, position: &PositionOf<P>, rules: RuleSet, text: &str) -> PyResult<Position> {
    let (referee, state) = (Referee::new(size, rules.into()), State::from(*position));
    Ok(wrap(size, parse_action(&referee, &state, text).or_raise()?.after.position))
}

fn from_sets<P: Kind>(size: BoardSize, to_move: Side, [white, black]: [&[u8]; 2]) -> Position {
    let set = |bytes: &[u8]| {
        let points = (0..size.points()).filter(|point| bytes[point / 8] >> (point % 8) & 1 == 1);
        points.fold(P::default(), |set, point| set | P::point(point))
    };
    wrap(size, PositionOf { white: set(white), black: set(black), to_move })
}

fn set_to_int<P: PointSet>(py: Python<'_>, set: P) -> PyResult<Bound<'_, PyAny>> {
    let mut bytes = [0; 24];
    set.iter().for_each(|point| bytes[point / 8] |= 1 << (point % 8));
    py.get_type::<PyInt>().call_method1("from_bytes", (PyBytes::new(py, &bytes), "little"))
}

impl Position {
    pub fn start(size: BoardSize) -> Self {
        if size.points() <= MAX_POINTS {
            wrap::<u64>(size, PositionOf::start(size))
        } else {
            wrap::<Wide>(size, PositionOf::start(size))
        }
    }

    /// On a board of up to 64 points.
    pub fn of(size: BoardSize, position: PositionOf<u64>) -> Self {
        wrap(size, position)
    }

    pub fn parse(text: &str) -> PyResult<Self> {
        let text = PositionText::parse(text).or_raise()?;
        let size = text.size();
        if size.points() <= MAX_POINTS {
            Ok(wrap::<u64>(size, text.on(size).or_raise()?))
        } else {
            Ok(wrap::<Wide>(size, text.on(size).or_raise()?))
        }
    }

    /// The stones, if the board has up to 64 points.
    pub fn narrow(&self) -> Option<PositionOf<u64>> {
        if let Stones::Narrow(stones) = self.stones { Some(stones) } else { None }
    }

    pub fn text(&self) -> String {
        on!(self, stones => stones.to_text(self.size))
    }

    /// As a picture in SVG.
    pub fn draw(&self, rules: RuleSet) -> String {
        on!(self, stones => board_svg(&fanorona::board::Board::new(self.size, rules.diagonals), stones))
    }
}

#[pymethods]
impl Position {
    #[new]
    fn new(text: &str) -> PyResult<Self> {
        Self::parse(text)
    }

    /// A position by its sets of points, as ints with bit p set for each point p.
    ///
    /// >>> Position.of_sets("3x3", white=0b010_010, black=0b10_000_000, to_move="white")
    /// Position('1B1/1W1/1W1 w')
    #[staticmethod]
    #[pyo3(signature = (board, white, black, to_move = "white"))]
    fn of_sets(
        board: BoardArgument,
        white: &Bound<'_, PyInt>,
        black: &Bound<'_, PyInt>,
        to_move: &str,
    ) -> PyResult<Self> {
        let size = board.size()?;
        let to_move = match to_move {
            "white" => Side::White,
            "black" => Side::Black,
            _ => return Err(refuse(format!("{to_move:?} is not a side; write \"white\" or \"black\""))),
        };
        let outside =
            || refuse(format!("a set of points of the {size} board is an int from 0 to 2**{} - 1", size.points()));
        let bytes = |set: &Bound<'_, PyInt>| -> PyResult<Vec<u8>> {
            let bytes: Vec<u8> = set.call_method1("to_bytes", (24, "little")).map_err(|_| outside())?.extract()?;
            let inside = (0..192).all(|point| point < size.points() || bytes[point / 8] >> (point % 8) & 1 == 0);
            if inside { Ok(bytes) } else { Err(outside()) }
        };
        let (white, black) = (bytes(white)?, bytes(black)?);
        if white.iter().zip(&black).any(|(white, black)| white & black != 0) {
            return Err(refuse("a point has a white and a black stone"));
        }
        let sets = [&white[..], &black[..]];
        Ok(if size.points() <= MAX_POINTS {
            from_sets::<u64>(size, to_move, sets)
        } else {
            from_sets::<Wide>(size, to_move, sets)
        })
    }

    /// The board.
    #[getter]
    fn board(&self) -> Board {
        Board { size: self.size }
    }

    /// The side to move: "white" or "black".
    #[getter]
    fn to_move(&self) -> &'static str {
        if on!(self, stones => stones.to_move) == Side::White { "white" } else { "black" }
    }

    /// Points with white stones, as an int with bit p set for each point p.
    #[getter]
    fn white<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        on!(self, stones => set_to_int(py, stones.white))
    }

    /// Points with black stones.
    #[getter]
    fn black<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        on!(self, stones => set_to_int(py, stones.black))
    }

    /// Points with stones of the side to move.
    #[getter]
    fn mover<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        on!(self, stones => set_to_int(py, stones.mover()))
    }

    /// Points with stones of the other side.
    #[getter]
    fn opponent<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        on!(self, stones => set_to_int(py, stones.opponent()))
    }

    /// Number of stones.
    #[getter]
    fn stones(&self) -> usize {
        on!(self, stones => stones.white.count() + stones.black.count())
    }

    /// The legal moves with the position after each. Of turns that lead to the same position, only the shortest is listed.
    #[pyo3(signature = (rules = None))]
    fn moves<'py>(&self, py: Python<'py>, rules: Option<Rules>) -> PyResult<Bound<'py, PyDict>> {
        on!(self, stones => moves(py, self.size, stones, rule_set(rules)))
    }

    /// Every legal turn by every path.
    ///
    /// >>> len(Position("WWW/W1B/BBB w").turns())
    /// 4
    #[pyo3(signature = (rules = None))]
    fn turns(&self, rules: Option<Rules>) -> Vec<String> {
        on!(self, stones => every_turn(self.size, stones, rule_set(rules)))
    }

    /// The position after a move, in Schadd's notation: "d3-e3A", "a1-b2". Dashes may be left out, and so may letters that are not needed.
    #[pyo3(signature = (r#move, rules = None))]
    fn play(&self, r#move: &str, rules: Option<Rules>) -> PyResult<Self> {
        on!(self, stones => play(self.size, stones, rule_set(rules), r#move))
    }

    /// How the game has ended for the side to move: "win", "draw" or "loss"; None if it goes on.
    ///
    /// >>> Position("3/1W1/3 b").ending()
    /// 'loss'
    #[pyo3(signature = (rules = None))]
    fn ending(&self, rules: Option<Rules>) -> Option<&'static str> {
        let ending =
            on!(self, stones => on_board(self.size, rule_set(rules)).ending(stones.mover(), stones.opponent()));
        ending.map(|outcome| Outcome::word(Some(outcome)))
    }

    /// Number of lines of play of that many turns; turns that lead to the same position count once.
    ///
    /// >>> Board("9x5").start().perft(3)
    /// 724
    #[pyo3(signature = (depth, rules = None))]
    fn perft(&self, py: Python<'_>, depth: u32, rules: Option<Rules>) -> PyResult<u64> {
        let rules = rule_set(rules);
        run(
            py,
            None,
            |control: &RunControl<()>| on!(self, stones => count(&on_board(self.size, rules), stones.mover(), stones.opponent(), depth, control)),
        )
    }

    /// The position as a picture of characters.
    ///
    /// >>> print(Position("1B1/1W1/1W1 w").picture())
    ///   3 +---B---+
    ///     | \ | / |
    ///   2 ·---W---·
    ///     | / | \ |
    ///   1 +---W---+
    ///     a   b   c
    ///     White to move
    #[pyo3(signature = (rules = None))]
    fn picture(&self, rules: Option<Rules>) -> String {
        on!(self, stones => picture(&fanorona::board::Board::new(self.size, rule_set(rules).diagonals), stones))
    }

    /// The position as a picture in SVG.
    #[pyo3(signature = (rules = None))]
    fn svg(&self, rules: Option<Rules>) -> String {
        self.draw(rule_set(rules))
    }

    fn _repr_svg_(&self) -> String {
        self.draw(RuleSet::default())
    }

    fn __str__(&self) -> String {
        self.text()
    }

    fn __repr__(&self) -> String {
        format!("Position('{}')", self.text())
    }

    fn __eq__(&self, other: &Self) -> bool {
        self == other
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        (self.size, self.stones).hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.text(),)
    }
}

/// As [`perft`], and stops in between.
fn count<P: PointSet>(rules: &RulesOn<P>, mover: P, opponent: P, depth: u32, control: &RunControl<()>) -> u64 {
    /// Lines of three turns take a fraction of a second.
    const QUICK: u32 = 3;
    if depth <= QUICK {
        control.unwind_if_stopped();
        return perft(rules, mover, opponent, depth);
    }
    let after = rules.successors(mover, opponent);
    after.iter().map(|after| count(rules, after.next, after.moved, depth - 1, control)).sum()
}
