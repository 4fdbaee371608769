//! Fanorona in Python: a thin layer over the library, without rules of its own.
//!
//! Classes stand for the library's types, under the same names. What the program prints as JSON comes as dicts with the same keys.
//! Everything that may take long runs without the interpreter's lock; apart from opening files, in a separate thread that Ctrl-C stops
//! ([`run`]).

mod arguments;
mod board;
mod build;
mod certificate;
mod engine;
mod errors;
mod game;
mod position;
mod review;
mod rules;
mod run;
mod solve;
mod tables;

use pyo3::prelude::*;

#[pymodule]
mod _fanorona {
    #[pymodule_export]
    use super::board::Board;
    #[pymodule_export]
    use super::build::build;
    #[pymodule_export]
    use super::certificate::{Certificate, check};
    #[pymodule_export]
    use super::engine::Engine;
    #[pymodule_export]
    use super::errors::{
        BuildError, CheckError, EngineError, FanoronaError, GameError, MoveError, PositionError, RecordError,
        ReviewError, SolveError, TableError,
    };
    #[pymodule_export]
    use super::game::Game;
    #[pymodule_export]
    use super::position::Position;
    #[pymodule_export]
    use super::review::{Review, review};
    #[pymodule_export]
    use super::rules::Rules;
    #[pymodule_export]
    use super::solve::solve;
    #[pymodule_export]
    use super::tables::{Knowledge, Tables};

    use pyo3::prelude::*;

    #[pymodule_init]
    fn init(module: &Bound<'_, PyModule>) -> PyResult<()> {
        module.add("WIN", super::tables::WIN)?;
        module.add("DRAW", super::tables::DRAW)?;
        module.add("LOSS", super::tables::LOSS)?;
        module.add("UNKNOWN", super::tables::UNKNOWN)
    }
}
