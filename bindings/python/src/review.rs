//! Reviews of games.

use fanorona::ReviewOptions;
use fanorona::review::{ReviewError, annotated_record, review as review_game};
use pyo3::prelude::*;
use serde::Serialize;

use crate::arguments::{seconds, to_python};
use crate::errors::OrRaise;
use crate::game::Game;
use crate::run::{RunControl, run};
use crate::tables::Knowledge;

/// How far a review is.
#[derive(Serialize)]
struct Status {
    searched: usize,
    to_search: usize,
    seconds_left: Option<f64>,
}

/// A review of a game.
#[pyclass(frozen, module = "fanorona")]
pub struct Review {
    game: fanorona::Game,
    review: fanorona::Review,
}

#[pymethods]
impl Review {
    /// The turns, each as a dict: the move, its values before and after, what it lost, its mark, a better move.
    #[getter]
    fn turns(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.review.turns)
    }

    /// What White did, as a dict: moves, inaccuracies, mistakes, blunders, only moves, the average loss.
    #[getter]
    fn white(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.review.white)
    }

    /// What Black did.
    #[getter]
    fn black(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.review.black)
    }

    /// All of it as a dict, as the program's `review --json` prints it.
    fn to_dict(&self, py: Python<'_>) -> PyResult<Py<PyAny>> {
        to_python(py, &self.review)
    }

    /// The game as a record with marks, values and better moves.
    fn annotated_record(&self) -> String {
        annotated_record(&self.game, &self.review)
    }
}

/// Reviews a game: what each of its moves was worth. What neither tables nor proofs know is searched, each position for at most `time` seconds
/// or `nodes` nodes.
///
/// `progress` is called with a dict: positions searched, positions to search, and the seconds that are left.
///
/// >>> game = Game.parse("3x3 c2-b2A c3-c2A b2-c1W")
/// >>> reviewed = review(game, Knowledge(database))
/// >>> [turn["mark"] for turn in reviewed.turns], reviewed.white["moves"]
/// ([None, None, '??'], 2)
#[pyfunction]
#[pyo3(signature = (game, knowledge = None, *, time = None, nodes = 10_000, progress = None))]
pub fn review(
    py: Python<'_>,
    game: &Bound<'_, Game>,
    knowledge: Option<PyRef<'_, Knowledge>>,
    time: Option<f64>,
    nodes: Option<u64>,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Review> {
    let game = game.borrow().game.clone();
    let knowledge = known_for(py, &game, knowledge)?;
    let time = seconds(time)?;
    let review = run(py, progress, |control: &RunControl<Status>| -> Result<_, ReviewError> {
        let options = ReviewOptions { time, nodes, stop: &control.interrupt };
        review_game(&game, knowledge.as_deref(), options, &mut |progress| {
            let (searched, to_search) = (progress.searched, progress.to_search);
            control.report(Status { searched, to_search, seconds_left: progress.seconds_left });
        })
    })?;
    Ok(Review { review: review.or_raise()?, game })
}

/// What is known of the board of a game; nothing of one with more than 64 points.
pub fn known_for(
    py: Python<'_>,
    game: &fanorona::Game,
    knowledge: Option<PyRef<'_, Knowledge>>,
) -> PyResult<Option<std::sync::Arc<fanorona::Knowledge>>> {
    let is_narrow = matches!(game, fanorona::Game::Narrow(_));
    knowledge.filter(|_| is_narrow).map(|knowledge| knowledge.as_super().of(py, game.size())).transpose()
}
