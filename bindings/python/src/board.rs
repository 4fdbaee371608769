//! Boards.

use std::hash::{DefaultHasher, Hash, Hasher};

use fanorona::BoardSize;
use fanorona::board::{point_name, read_point};
use pyo3::prelude::*;

use crate::errors::{OrRaise, refuse};
use crate::position::Position;

/// A board: its size, columns x rows, both odd and up to 13. Wherever a board is expected, its size as text will do.
///
/// Point (column c, row r), both from 0, has the number c + columns * r, and its bit in sets of points.
///
/// >>> board = Board("9x5")
/// >>> board.columns, board.rows, board.points
/// (9, 5, 45)
/// >>> board.point("c2"), board.point_name(11)
/// (11, 'c2')
#[pyclass(frozen, from_py_object, module = "fanorona")]
#[derive(Clone)]
pub struct Board {
    pub size: BoardSize,
}

#[pymethods]
impl Board {
    #[new]
    fn new(size: &str) -> PyResult<Self> {
        Ok(Self { size: size.parse().or_raise()? })
    }

    /// Number of columns.
    #[getter]
    fn columns(&self) -> usize {
        self.size.columns()
    }

    /// Number of rows.
    #[getter]
    fn rows(&self) -> usize {
        self.size.rows()
    }

    /// Number of points.
    #[getter]
    fn points(&self) -> usize {
        self.size.points()
    }

    /// The start position.
    ///
    /// >>> Board("3x3").start()
    /// Position('BBB/B1W/WWW w')
    fn start(&self) -> Position {
        Position::start(self.size)
    }

    /// The name of a point: a letter for the column, and the row from 1.
    fn point_name(&self, point: usize) -> PyResult<String> {
        if point >= self.size.points() {
            return Err(refuse(format!(
                "the {} board has no point {point}; its points are 0 to {}",
                self.size,
                self.size.points() - 1
            )));
        }
        Ok(point_name(self.size, point))
    }

    /// The number of the point of that name.
    fn point(&self, name: &str) -> PyResult<usize> {
        match read_point(self.size, name) {
            Some((point, "")) => Ok(point),
            _ => Err(refuse(format!("{name:?} is not a point of the {} board; points look like c3", self.size))),
        }
    }

    fn __str__(&self) -> String {
        self.size.to_string()
    }

    fn __repr__(&self) -> String {
        format!("Board('{}')", self.size)
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.size == other.size
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.size.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__(&self) -> (String,) {
        (self.size.to_string(),)
    }
}
