//! Exceptions: one for each kind of error of the library, with its sentence.

use pyo3::create_exception;
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

create_exception!(
    fanorona,
    FanoronaError,
    PyValueError,
    "What the library refuses, or cannot do. The base of all others."
);

macro_rules! errors {
    ($($name:ident, $text:literal, [$($library:ty),+];)+) => {
        $(
            create_exception!(fanorona, $name, FanoronaError, $text);
            $(impl IntoPython for $library {
                fn into_python(self) -> PyErr {
                    $name::new_err(self.to_string())
                }
            })+
        )+
    };
}

/// An error of the library as an exception.
pub trait IntoPython {
    /// With the sentence of the error.
    fn into_python(self) -> PyErr;
}

errors! {
    PositionError, "Not a position, or not one of the board.", [fanorona::rules::PositionError, fanorona::board::BoardSizeError];
    MoveError, "Not a move, not a legal one, or an ambiguous one.", [fanorona::game::ActionError];
    TableError, "A table cannot be read, or is missing.", [fanorona::TableError];
    BuildError, "Tables cannot be built.", [fanorona::BuildError];
    SolveError, "A position cannot be solved.", [fanorona::SolveError];
    CheckError, "A certificate cannot be read, or does not prove what it claims.", [fanorona::CheckError, fanorona::proof::ProofError];
    GameError, "Not a game, or not a legal action in it.", [fanorona::game::GameError];
    RecordError, "Not a game record.", [fanorona::game::RecordError];
    ReviewError, "A game cannot be reviewed.", [fanorona::review::ReviewError];
    EngineError, "The engine cannot choose a turn.", [fanorona::game::engine::EngineError, fanorona::game::engine::LevelError, fanorona::index::OutOfMemory];
}

/// An error as an exception, with `?`.
pub trait OrRaise<T> {
    /// Raises the error.
    fn or_raise(self) -> PyResult<T>;
}

impl<T, E: IntoPython> OrRaise<T> for Result<T, E> {
    fn or_raise(self) -> PyResult<T> {
        self.map_err(IntoPython::into_python)
    }
}

/// An exception for a value that the binding itself cannot use.
pub fn refuse(sentence: impl Into<String>) -> PyErr {
    FanoronaError::new_err(sentence.into())
}
