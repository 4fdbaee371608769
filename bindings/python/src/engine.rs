//! The computer as a player.

use std::sync::{Mutex, MutexGuard, TryLockError};

use fanorona::game::engine::{DEFAULT_ENTRIES, MAX_THREADS, SearchInfo};
use fanorona::{Level, SearchLimits};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{seconds, to_python};
use crate::errors::{EngineError, OrRaise};
use crate::game::Game;
use crate::review::known_for;
use crate::run::{RunControl, run};
use crate::tables::Knowledge;

/// A completed depth.
#[derive(Serialize)]
struct Status {
    depth: u32,
    nodes: u64,
    score: i32,
    line: Vec<String>,
}

impl From<&SearchInfo> for Status {
    fn from(info: &SearchInfo) -> Self {
        Self { depth: info.depth, nodes: info.nodes, score: info.score, line: info.line.clone() }
    }
}

/// The engine as a player. It keeps its transposition table from turn to turn.
///
/// >>> game = Game("5x5")
/// >>> reply = Engine().reply(game, level=5, depth=3, seed=1)
/// >>> game.play(reply["move"]) == reply["move"]
/// True
#[pyclass(frozen, module = "fanorona")]
pub struct Engine {
    engine: Mutex<fanorona::Engine>,
}

#[pymethods]
impl Engine {
    /// With a transposition table of that many positions, 16 bytes each.
    #[new]
    #[pyo3(signature = (entries = DEFAULT_ENTRIES))]
    fn new(entries: usize) -> PyResult<Self> {
        let engine = fanorona::Engine::with_entries(entries).or_raise()?;
        Ok(Self { engine: Mutex::new(engine) })
    }

    /// Clears the transposition table.
    fn forget(&self) -> PyResult<()> {
        self.idle()?.forget();
        Ok(())
    }

    /// Chooses a turn for the side to move: a dict with the `move`, how it was chosen, the value, the score in hundredths of a stone, and the work.
    ///
    /// `level` is 1 to 9. `time` in seconds, `depth` and `nodes` limit the search; without any of them it takes a second. `threads` is 1 to
    /// 256. With the same seed, one thread and no time limit the reply of a new engine is the same. `progress` is called after each
    /// completed depth.
    #[pyo3(signature = (
        game, knowledge = None, *, level = 9, time = None, depth = None, nodes = None, seed = 1, threads = 1, progress = None
    ))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn reply(
        &self,
        py: Python<'_>,
        game: &Bound<'_, Game>,
        knowledge: Option<PyRef<'_, Knowledge>>,
        level: u8,
        time: Option<f64>,
        depth: Option<u32>,
        nodes: Option<u64>,
        seed: u64,
        threads: usize,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<Py<PyAny>> {
        let level = Level::try_from(level).or_raise()?;
        if !(1..=MAX_THREADS).contains(&threads) {
            return Err(EngineError::new_err(format!("threads is a number from 1 to {MAX_THREADS}, not {threads}")));
        }
        let time = if depth.is_none() && nodes.is_none() { Some(time.unwrap_or(1.0)) } else { time };
        let time = seconds(time)?;
        let game = game.borrow().game.clone();
        let knowledge = known_for(py, &game, knowledge)?;
        let mut idle = self.idle()?;
        let engine = &mut *idle;
        let reply = run(py, progress, |control: &RunControl<Status>| {
            let limits =
                SearchLimits { time, depth, nodes, threads, ..SearchLimits::new(level, seed, &control.interrupt) };
            engine.reply(&game, knowledge.as_deref(), &limits, &mut |info| control.report(info.into()))
        })?;
        to_python(py, &reply.or_raise()?)
    }
}

impl Engine {
    /// The engine, unless it is thinking.
    fn idle(&self) -> PyResult<MutexGuard<'_, fanorona::Engine>> {
        match self.engine.try_lock() {
            Ok(engine) => Ok(engine),
            // A search that ended in a panic leaves a table that is as good as any.
            Err(TryLockError::Poisoned(poisoned)) => Ok(poisoned.into_inner()),
            Err(TryLockError::WouldBlock) => {
                Err(EngineError::new_err("the engine is thinking; wait for its reply, or use another engine"))
            }
        }
    }
}
