//! Games in progress, and records.

use fanorona::game::{End, GameRequest, PlayRules};
use fanorona::parse_game;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use crate::arguments::{BoardArgument, to_python};
use crate::errors::{GameError, OrRaise, refuse};
use crate::position::Position;
use crate::rules::Rules;

/// A game under the rules of play, with its history.
///
/// `rules` are `Rules`, or a dict as in the program's JSON, such as `{"sacrifice": True, "move_limit": 50}`.
///
/// >>> game = Game("5x5", moves=["b2-c3A"])
/// >>> game.to_move, game.ply
/// ('black', 1)
/// >>> game.play("a3b2")
/// 'a3-b2A'
/// >>> game.moves
/// ['b2-c3A', 'a3-b2A']
#[pyclass(module = "fanorona")]
pub struct Game {
    pub game: fanorona::Game,
}

/// Rules of the tables, or rules of play as in JSON.
#[derive(FromPyObject)]
pub enum GameRules<'py> {
    Rules(Rules),
    Play(Bound<'py, PyDict>),
}

impl GameRules<'_> {
    fn play_rules(self) -> PyResult<PlayRules> {
        match self {
            Self::Rules(rules) => Ok(rules.set.into()),
            Self::Play(rules) => {
                pythonize::depythonize(&rules).map_err(|error| GameError::new_err(format!("rules: {error}")))
            }
        }
    }
}

#[pymethods]
impl Game {
    #[new]
    #[pyo3(signature = (board = None, *, position = None, rules = None, moves = Vec::new()))]
    fn new(
        board: Option<BoardArgument>,
        position: Option<Position>,
        rules: Option<GameRules<'_>>,
        moves: Vec<String>,
    ) -> PyResult<Self> {
        let board = match (&board, &position) {
            (Some(board), _) => board.size()?,
            (None, Some(position)) => position.size,
            (None, None) => return Err(refuse("a game needs a board or a position")),
        };
        let rules = rules.map(GameRules::play_rules).transpose()?.unwrap_or_default();
        let position = position.map(|position| position.text());
        let request = GameRequest { board: board.to_string(), position, rules, moves, ..GameRequest::default() };
        Ok(Self { game: request.replay().or_raise()? })
    }

    /// Reads a game: a record of the program, SGF of BoardSpace, JSON of Abstract Play, PGN of vchess, or a list of moves.
    ///
    /// >>> Game.parse("3x3 c2-b2A c3-c2A b2-c1W").moves
    /// ['c2-b2A', 'c3-c2A', 'b2-c1W']
    #[staticmethod]
    fn parse(text: &str) -> PyResult<Self> {
        Ok(Self { game: parse_game(text).or_raise()?.game.replay().or_raise()? })
    }

    /// A game from a dict with the keys of `request()`.
    #[staticmethod]
    fn of_request(request: &Bound<'_, PyDict>) -> PyResult<Self> {
        let request: GameRequest =
            pythonize::depythonize(request).map_err(|error| GameError::new_err(error.to_string()))?;
        Ok(Self { game: request.replay().or_raise()? })
    }

    /// The game as a dict that `of_request`, the program and its API read: board, position, rules, moves.
    fn request(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.game.to_request())
    }

    /// Makes a turn; returns it in full notation.
    fn play(&mut self, r#move: &str) -> PyResult<String> {
        self.game.play(r#move, None).or_raise()
    }

    /// Undoes the last turn, or the end that was agreed on; False if there is nothing to undo.
    fn undo(&mut self) -> bool {
        self.game.undo()
    }

    /// Redoes the turn that was undone last; False if there is none.
    fn redo(&mut self) -> bool {
        self.game.redo()
    }

    /// Ends the game: `{"by": "agreement"}`, `{"by": "resignation", "side": "white"}`, and so on.
    fn finish(&mut self, end: &Bound<'_, PyDict>) -> PyResult<()> {
        let end: End = pythonize::depythonize(end).map_err(|error| GameError::new_err(format!("end: {error}")))?;
        self.game.finish(end).or_raise()
    }

    /// The moves made.
    #[getter]
    fn moves(&self) -> Vec<String> {
        self.game.to_request().moves
    }

    /// The present position.
    #[getter]
    fn position(&self) -> PyResult<Position> {
        Position::parse(&self.game.position())
    }

    /// The side to move: "white" or "black".
    #[getter]
    fn to_move(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.game.to_move())
    }

    /// Number of turns made.
    #[getter]
    fn ply(&self) -> usize {
        self.game.ply()
    }

    /// The result as a dict, None while the game goes on.
    #[getter]
    fn result(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.game.result())
    }

    /// The whole game as a dict, with its legal turns, as the program's API has it.
    fn view(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.game.view())
    }

    /// The game as a record, which `parse` reads.
    fn record(&self) -> String {
        self.game.record()
    }

    fn _repr_svg_(&self) -> PyResult<String> {
        Ok(self.position()?.draw(self.game.rules().table_rules()))
    }

    fn __str__(&self) -> String {
        self.game.picture()
    }

    fn __repr__(&self) -> String {
        format!("<Game on {} after {} turns: {}>", self.game.size(), self.game.ply(), self.game.position())
    }
}
