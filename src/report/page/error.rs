//! Why a page about a database cannot be made.

use thiserror::Error;

use crate::rules::PositionError;

use super::super::plot::PlotError;

/// Why there is no page.
#[derive(Clone, Debug, PartialEq, Eq, Error)]
pub enum PageError {
    /// A chart cannot be drawn.
    #[error(transparent)]
    Plot(#[from] PlotError),
    /// A position in the statistics is invalid.
    #[error(transparent)]
    Position(#[from] PositionError),
}
