//! Tables, and tables with proofs: values of positions.

use std::collections::HashMap;
use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use fanorona::board::MAX_POINTS;
use fanorona::report::{SearchSummary, ValueAnswer, answer, line};
use fanorona::rules::Position as PositionOf;
use fanorona::search::{ShortSearch, search_value};
use fanorona::table::direct;
use fanorona::{BoardSize, BuildError, DEFAULT_CACHE_BYTES, Outcome, RuleSet, TableError, Trust};
use numpy::{PyArray1, PyReadonlyArray1};
use pyo3::exceptions::PyTypeError;
use pyo3::prelude::*;
use rayon::prelude::*;

use crate::arguments::{BoardArgument, rule_set, seconds, to_python};
use crate::errors::{IntoPython, OrRaise, refuse};
use crate::position::Position;
use crate::rules::Rules;
use crate::run::{RunControl, run};

/// Values in arrays, for the side to move.
pub const WIN: i8 = 1;
pub const DRAW: i8 = 0;
pub const LOSS: i8 = -1;
pub const UNKNOWN: i8 = -2;

/// Positions that a thread looks up at a time.
const PIECE: usize = 1 << 12;

/// The tables of a database folder. The values are for the side to move.
///
/// >>> tables = Tables(database)
/// >>> tables.probe(Position("1B1/1W1/1W1 w"))
/// 'draw'
/// >>> tables.look_up(Position("1B1/3/WW1 b"))
/// {'value': 'win', 'dtw': 1, 'source': 'table', 'proof': None}
///
/// `cache` is the number of bytes for blocks of tables, for each board. A board is opened when it is first used: for tables that are built
/// later, make a new object.
#[pyclass(frozen, subclass, module = "fanorona")]
pub struct Tables {
    database: PathBuf,
    rules: RuleSet,
    cache: u64,
    trust: Trust,
    opened: Mutex<HashMap<BoardSize, Arc<fanorona::Knowledge>>>,
}

impl Tables {
    /// The tables of a board, opened when they are first used.
    pub fn of(&self, py: Python<'_>, size: BoardSize) -> PyResult<Arc<fanorona::Knowledge>> {
        py.detach(|| self.open(size))
    }

    fn open(&self, size: BoardSize) -> PyResult<Arc<fanorona::Knowledge>> {
        if size.points() > MAX_POINTS {
            return Err(BuildError::BoardTooLarge(size).into_python());
        }
        let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(knowledge) = opened.get(&size) {
            return Ok(knowledge.clone());
        }
        let open = fanorona::Knowledge::open(self.database.as_path(), size, self.rules, self.cache, self.trust);
        let knowledge = Arc::new(open.or_raise()?);
        opened.insert(size, knowledge.clone());
        Ok(knowledge)
    }

    /// Those of the board of a position, with its stones.
    fn for_position(
        &self,
        py: Python<'_>,
        position: &Position,
    ) -> PyResult<(Arc<fanorona::Knowledge>, PositionOf<u64>)> {
        let knowledge = self.of(py, position.size)?;
        let stones = position.narrow().ok_or_else(|| BuildError::BoardTooLarge(position.size).into_python())?;
        Ok((knowledge, stones))
    }
}

#[pymethods]
impl Tables {
    #[new]
    #[pyo3(signature = (database, rules = None, *, cache = DEFAULT_CACHE_BYTES))]
    fn new(database: PathBuf, rules: Option<Rules>, cache: u64) -> PyResult<Self> {
        if !database.is_dir() {
            return Err(refuse(format!(
                "{} is not a folder; `build` and the program fill a database folder",
                database.display()
            )));
        }
        Ok(Self { database, rules: rule_set(rules), cache, trust: Trust::None, opened: Mutex::default() })
    }

    /// The rules of the tables.
    #[getter]
    fn rules(&self) -> Rules {
        Rules { set: self.rules }
    }

    /// Up to how many stones a board has all tables; 0 if it has none.
    ///
    /// >>> tables.stones("3x3")
    /// 4
    fn stones(&self, py: Python<'_>, board: BoardArgument) -> PyResult<usize> {
        let size = board.size()?;
        Ok(self.of(py, size)?.tables().folder().complete_up_to(size.points()))
    }

    /// The value by tables: "win", "draw", "loss" or "unknown".
    fn probe(&self, py: Python<'_>, position: &Position) -> PyResult<&'static str> {
        let (knowledge, stones) = self.for_position(py, position)?;
        let value = py.detach(|| knowledge.tables().probe(stones.mover(), stones.opponent())).or_raise()?;
        Ok(Outcome::word(value))
    }

    /// What is known of a position, as a dict: `value`, the plies to the end of the game (`dtw`), and how that is known (`source`, `proof`).
    fn look_up(&self, py: Python<'_>, position: &Position) -> PyResult<Py<PyAny>> {
        let (knowledge, stones) = self.for_position(py, position)?;
        let mut look_up = |mover, opponent| knowledge.look_up(mover, opponent);
        let known =
            py.detach(|| direct(knowledge.rules(), stones.mover(), stones.opponent(), &mut look_up)).or_raise()?;
        to_python(py, &ValueAnswer::new(known.as_ref(), stones.to_move))
    }

    /// What is known of a position and of each of its moves, best first, as the program's `query --json` prints it.
    ///
    /// >>> best = tables.answer(Position("1B1/3/WW1 b"))["moves"][0]
    /// >>> best["move"], best["value"]
    /// ('b3-b2A-c3W', 'win')
    fn answer(&self, py: Python<'_>, position: &Position) -> PyResult<Py<PyAny>> {
        let (knowledge, stones) = self.for_position(py, position)?;
        let answer =
            py.detach(|| answer(knowledge.rules(), &stones, |mover, opponent| knowledge.look_up(mover, opponent)));
        to_python(py, &answer.or_raise()?)
    }

    /// Best play to the end of the game: the moves (`line`), and why they end (`end`): "over", "repetition" or "unknown".
    ///
    /// >>> line = tables.line(Position("1B1/3/WW1 b"))
    /// >>> [turn["move"] for turn in line["line"]], line["end"]
    /// (['b3-b2A-c3W'], 'over')
    fn line(&self, py: Python<'_>, position: &Position) -> PyResult<Py<PyAny>> {
        let (knowledge, stones) = self.for_position(py, position)?;
        let line = py.detach(|| line(knowledge.rules(), &stones, |mover, opponent| knowledge.look_up(mover, opponent)));
        to_python(py, &line.or_raise()?)
    }

    /// Searches for the value of a position for at most `limit` seconds: `value`, `nodes`, `seconds`. What is not proved by then is "unknown".
    #[pyo3(signature = (position, limit = 2.0, *, memory = 256 << 20))]
    fn search(&self, py: Python<'_>, position: &Position, limit: f64, memory: u64) -> PyResult<Py<PyAny>> {
        let (knowledge, stones) = self.for_position(py, position)?;
        let limit = seconds(Some(limit))?.unwrap_or(Duration::ZERO);
        let searched = run(py, None, |control: &RunControl<()>| {
            let short = ShortSearch {
                memory,
                threads: rayon::current_num_threads(),
                limit,
                interrupt: control.interrupt.clone(),
            };
            search_value(knowledge.rules(), &knowledge.complete(), stones, &short)
        })?;
        to_python(py, &SearchSummary::of(&searched.or_raise()?))
    }

    /// The values of many positions by tables, on all threads: an array of `int8` with WIN, DRAW, LOSS or UNKNOWN for each.
    ///
    /// `mover` and `opponent` are arrays of `uint64` with the stones of the side to move and of the other: bit p is set for each point p.
    ///
    /// >>> import numpy as np
    /// >>> position = Position("1B1/1W1/1W1 w")
    /// >>> tables.probe_many("3x3", np.array([position.mover], np.uint64), np.array([position.opponent], np.uint64))
    /// array([0], dtype=int8)
    fn probe_many<'py>(
        &self,
        py: Python<'py>,
        board: BoardArgument,
        mover: &Bound<'py, PyAny>,
        opponent: &Bound<'py, PyAny>,
    ) -> PyResult<Bound<'py, PyArray1<i8>>> {
        let size = board.size()?;
        let knowledge = self.of(py, size)?;
        // Copies: other threads of Python may write to the arrays.
        let (mover, opponent) = (sets("mover", mover)?, sets("opponent", opponent)?);
        if mover.len() != opponent.len() {
            return Err(refuse(format!("mover has {} positions, but opponent has {}", mover.len(), opponent.len())));
        }
        let values = run(py, None, |control: &RunControl<()>| {
            let pieces = mover.par_chunks(PIECE).zip(opponent.par_chunks(PIECE)).enumerate();
            let pieces = pieces.map(|(piece, (mover, opponent))| {
                if control.is_stopped() {
                    return Ok(Vec::new());
                }
                let positions = mover.iter().zip(opponent).enumerate();
                positions
                    .map(|(place, (&mover, &opponent))| {
                        value(&knowledge, size, piece * PIECE + place, (mover, opponent))
                    })
                    .collect()
            });
            pieces.collect::<Result<Vec<Vec<i8>>, Wrong>>()
        })?;
        let values = values.map_err(|wrong| match wrong {
            Wrong::Sets(place) => refuse(format!(
                "position {place} is not one of the {size} board: each point is a bit below {}, in one of the sets at most",
                size.points()
            )),
            Wrong::Table(error) => error.into_python(),
        })?;
        Ok(PyArray1::from_vec(py, values.concat()))
    }
}

/// The elements of an array.
fn sets(name: &str, array: &Bound<'_, PyAny>) -> PyResult<Vec<u64>> {
    let array: PyReadonlyArray1<'_, u64> = array
        .extract()
        .map_err(|_| PyTypeError::new_err(format!("{name} has to be a NumPy array of uint64 with one dimension")))?;
    Ok(array.as_array().to_vec())
}

/// Why there are no values.
enum Wrong {
    Sets(usize),
    Table(TableError),
}

fn value(
    knowledge: &fanorona::Knowledge,
    size: BoardSize,
    place: usize,
    (mover, opponent): (u64, u64),
) -> Result<i8, Wrong> {
    let points = u64::MAX >> (64 - size.points());
    if (mover | opponent) & !points != 0 || mover & opponent != 0 {
        return Err(Wrong::Sets(place));
    }
    Ok(match knowledge.tables().probe(mover, opponent).map_err(Wrong::Table)? {
        Some(Outcome::Win) => WIN,
        Some(Outcome::Draw) => DRAW,
        Some(Outcome::Loss) => LOSS,
        None => UNKNOWN,
    })
}

/// The tables and certificates of a database folder as one source of values.
///
/// `trust` says which certificates are used: "checked" for those that have been checked (see `check`), "all", or "none".
///
/// >>> Knowledge(database).look_up(Board("3x3").start())
/// {'value': 'win', 'dtw': None, 'source': 'proof', 'proof': '3x3.proof'}
#[pyclass(frozen, extends = Tables, module = "fanorona")]
pub struct Knowledge;

#[pymethods]
impl Knowledge {
    #[new]
    #[pyo3(signature = (database, rules = None, *, trust = "checked", cache = DEFAULT_CACHE_BYTES))]
    fn new(database: PathBuf, rules: Option<Rules>, trust: &str, cache: u64) -> PyResult<PyClassInitializer<Self>> {
        let trust = match trust {
            "checked" => Trust::Checked,
            "all" => Trust::All,
            "none" => Trust::None,
            _ => return Err(refuse(format!("trust is \"checked\", \"all\" or \"none\", not {trust:?}"))),
        };
        let tables = Tables { trust, ..Tables::new(database, rules, cache)? };
        Ok(PyClassInitializer::from(tables).add_subclass(Self))
    }

    /// The names of the certificates of a board that are used.
    ///
    /// >>> Knowledge(database).proofs("3x3")
    /// ['3x3.proof']
    fn proofs(slf: PyRef<'_, Self>, py: Python<'_>, board: BoardArgument) -> PyResult<Vec<String>> {
        let knowledge = slf.as_super().of(py, board.size()?)?;
        Ok(knowledge.proofs().proofs().iter().map(|proof| proof.name.to_string()).collect())
    }

    /// The certificates of a board that are not used, each with the reason as a sentence.
    fn unused(slf: PyRef<'_, Self>, py: Python<'_>, board: BoardArgument) -> PyResult<Vec<String>> {
        let knowledge = slf.as_super().of(py, board.size()?)?;
        Ok(knowledge.proofs().unused().iter().map(ToString::to_string).collect())
    }
}
