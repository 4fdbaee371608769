//! Boards: sizes, points, lines, symmetries and the names of points.

mod coords;
mod excerpt;
mod geometry;
mod points;
mod size;
mod symmetry;

pub use coords::{point_name, read_point};
pub use geometry::{Attack, Board, DIRECTIONS, Diagonals};
pub use points::{PointSet, Points, Wide};
pub use size::{BoardSize, BoardSizeError, MAX_POINTS, MAX_SIDE};
pub use symmetry::{Images, Symmetry};

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    excerpt::{excerpt, printable},
    geometry::NO_POINT,
    symmetry::{compose, inverse},
};
