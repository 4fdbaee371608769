//! The size of a board, written columns x rows.

use std::fmt;
use std::str::FromStr;

use thiserror::Error;

use super::excerpt::excerpt;

/// Columns and rows of a board; both are odd and between 1 and 13.
///
/// Sizes are always written **columns x rows**: the standard board is `9x5`. Schadd's papers write rows x columns.
#[derive(Clone, Copy, PartialEq, Eq, Hash, PartialOrd, Ord, Debug)]
pub struct BoardSize {
    columns: u8,
    rows: u8,
}

/// The largest number of columns or rows.
pub const MAX_SIDE: usize = 13;

/// The largest board that has tables, searches and certificates: its sets of points fit 64 bits.
pub const MAX_POINTS: usize = 64;

/// Why a board size was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum BoardSizeError {
    /// The text is not two numbers with an `x` between them.
    #[error("board size {0:?} is not of the form COLUMNSxROWS; write for example 9x5")]
    Syntax(String),
    /// A count is even, zero or above 13.
    #[error("\"{0}x{1}\" is not a board size: columns and rows must be odd numbers from 1 to 13, for example 9x5")]
    Impossible(usize, usize),
}

impl BoardSize {
    /// The board that Fanorona is usually played on.
    pub const STANDARD: Self = Self { columns: 9, rows: 5 };

    /// The size with these columns and rows.
    ///
    /// # Errors
    /// [`BoardSizeError::Impossible`] unless both are odd and at most 13.
    pub fn new(columns: usize, rows: usize) -> Result<Self, BoardSizeError> {
        let fits = |n: usize| n % 2 == 1 && n <= MAX_SIDE;
        if !fits(columns) || !fits(rows) {
            return Err(BoardSizeError::Impossible(columns, rows));
        }
        #[allow(clippy::cast_possible_truncation)] // both are at most 13
        Ok(Self { columns: columns as u8, rows: rows as u8 })
    }

    /// Number of columns.
    #[inline]
    #[must_use]
    pub fn columns(self) -> usize {
        usize::from(self.columns)
    }

    /// Number of rows.
    #[inline]
    #[must_use]
    pub fn rows(self) -> usize {
        usize::from(self.rows)
    }

    /// Number of points, 1 to 169.
    #[must_use]
    pub fn points(self) -> usize {
        self.columns() * self.rows()
    }

    /// True if both counts are equal: the board then has eight symmetries instead of four.
    #[must_use]
    pub fn is_square(self) -> bool {
        self.columns == self.rows
    }
}

impl fmt::Display for BoardSize {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}x{}", self.columns, self.rows)
    }
}

impl FromStr for BoardSize {
    type Err = BoardSizeError;

    fn from_str(text: &str) -> Result<Self, BoardSizeError> {
        let syntax = || BoardSizeError::Syntax(excerpt(text).into_owned());
        let (columns, rows) = text.split_once(['x', 'X']).ok_or_else(syntax)?;
        let number = |part: &str| {
            if part.is_empty() || part.len() > 4 || !part.bytes().all(|b| b.is_ascii_digit()) {
                return Err(syntax());
            }
            part.parse::<usize>().map_err(|_| syntax())
        };
        Self::new(number(columns)?, number(rows)?)
    }
}
