//! The computer as a player.

use fanorona::game::engine::{DEFAULT_ENTRIES, SearchInfo};
use fanorona::{Level, SearchLimits};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{seconds, to_python};
use crate::errors::OrRaise;
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
#[pyclass(module = "fanorona")]
pub struct Engine {
    engine: fanorona::Engine,
}

#[pymethods]
impl Engine {
    /// With a transposition table of that many positions, 16 bytes each.
    #[new]
    #[pyo3(signature = (entries = DEFAULT_ENTRIES))]
    fn new(entries: usize) -> Self {
        Self { engine: fanorona::Engine::new(entries) }
    }

    /// Clears the transposition table.
    fn forget(&mut self) {
        self.engine.forget();
    }

    /// Chooses a turn for the side to move: a dict with the `move`, how it was chosen, the value, the score in hundredths of a stone, and the work.
    ///
    /// `level` is 1 to 9. `time` in seconds, `depth` and `nodes` limit the search; without any of them it takes a second. With the same seed
    /// and no time limit the reply is the same. `progress` is called after each completed depth.
    #[pyo3(signature = (
        game, knowledge = None, *, level = 9, time = None, depth = None, nodes = None, seed = 1, threads = 1, progress = None
    ))]
    #[allow(clippy::too_many_arguments)] // keywords of Python
    fn reply(
        &mut self,
        py: Python<'_>,
        game: &Game,
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
        let time = if depth.is_none() && nodes.is_none() { Some(time.unwrap_or(1.0)) } else { time };
        let time = seconds(time)?;
        let knowledge = known_for(&game.game, knowledge)?;
        let (game, engine) = (game.game.clone(), &mut self.engine);
        let reply = run(py, progress, |control: &RunControl<Status>| {
            let limits = SearchLimits {
                time,
                depth,
                nodes,
                threads: threads.max(1),
                ..SearchLimits::new(level, seed, &control.interrupt)
            };
            engine.reply(&game, knowledge.as_deref(), &limits, &mut |info| control.report(info.into()))
        })?;
        to_python(py, &reply.or_raise()?)
    }
}
