//! Positions, and positions as text.

use std::fmt::Write as _;

use serde::{Deserialize, Serialize};
use thiserror::Error;

use crate::board::{BoardSize, BoardSizeError, MAX_SIDE, PointSet, Wide, excerpt};

/// One of the two players.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Side {
    /// White moves first in a game.
    White,
    /// Black.
    Black,
}

impl Side {
    /// The opponent.
    #[must_use]
    pub fn other(self) -> Self {
        match self {
            Self::White => Self::Black,
            Self::Black => Self::White,
        }
    }

    /// 0 for White, 1 for Black.
    #[must_use]
    pub const fn index(self) -> usize {
        self as usize
    }

    /// The side's name in a sentence.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::White => "White",
            Self::Black => "Black",
        }
    }
}

/// The stones on the board and the side to move.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Position<P> {
    /// Points with white stones.
    pub white: P,
    /// Points with black stones.
    pub black: P,
    /// The side to move.
    pub to_move: Side,
}

impl<P: PointSet> Position<P> {
    /// A position given by the stones of the side to move and of the other.
    #[must_use]
    pub fn of_sides(to_move: Side, mover: P, opponent: P) -> Self {
        match to_move {
            Side::White => Self { white: mover, black: opponent, to_move },
            Side::Black => Self { white: opponent, black: mover, to_move },
        }
    }

    /// The stones of the side to move.
    #[must_use]
    pub fn mover(&self) -> P {
        match self.to_move {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }

    /// The stones of the other side.
    #[must_use]
    pub fn opponent(&self) -> P {
        match self.to_move {
            Side::White => self.black,
            Side::Black => self.white,
        }
    }

    /// The position as text, ranks from the top, run lengths for empty points: `B.W/3/WW1 w` is printed `B1W/3/WW1 w`.
    ///
    /// # Panics
    /// If the board has more points than the sets can hold.
    #[must_use]
    pub fn to_text(&self, size: BoardSize) -> String {
        check_capacity::<P>(size);
        let mut text = String::with_capacity(size.points() + size.rows() + 2);
        for row in (0..size.rows()).rev() {
            let mut empty = 0;
            for column in 0..=size.columns() {
                let point = column + size.columns() * row;
                let stone = match column < size.columns() {
                    true if self.white.contains(point) => Some('W'),
                    true if self.black.contains(point) => Some('B'),
                    true => None,
                    false => Some(if row == 0 { ' ' } else { '/' }),
                };
                match stone {
                    None => empty += 1,
                    Some(stone) => {
                        if empty > 0 {
                            // Writing to a string cannot fail.
                            let _ = write!(text, "{empty}");
                        }
                        empty = 0;
                        text.push(stone);
                    }
                }
            }
        }
        text.push(if self.to_move == Side::White { 'w' } else { 'b' });
        text
    }

    /// The start position: the lower half white, the upper half black, the middle row alternating around an empty middle.
    ///
    /// # Panics
    /// If the board has more points than the sets can hold.
    #[must_use]
    pub fn start(size: BoardSize) -> Self {
        let middle = size.columns() / 2;
        // Skipping the middle shifts the alternation by one.
        Self::start_with(
            size,
            |column| {
                if (column - usize::from(column > middle)) % 2 == 1 { Side::White } else { Side::Black }
            },
        )
    }

    /// The start position with a palindrome as its middle row: it alternates from the empty middle to both edges, with
    /// stones of `inner` beside the middle.
    ///
    /// # Panics
    /// If the board has more points than the sets can hold.
    #[must_use]
    pub fn palindromic_start(size: BoardSize, inner: Side) -> Self {
        let middle = size.columns() / 2;
        Self::start_with(size, |column| if column.abs_diff(middle) % 2 == 1 { inner } else { inner.other() })
    }

    /// The start position with a middle row of these stones, by column.
    fn start_with(size: BoardSize, stone: impl Fn(usize) -> Side) -> Self {
        check_capacity::<P>(size);
        let (columns, rows) = (size.columns(), size.rows());
        let mut position = Self { white: P::default(), black: P::default(), to_move: Side::White };
        for point in 0..size.points() {
            let (column, row) = (point % columns, point / columns);
            let owner = match row.cmp(&(rows / 2)) {
                std::cmp::Ordering::Less => Side::White,
                std::cmp::Ordering::Greater => Side::Black,
                std::cmp::Ordering::Equal if column == columns / 2 => continue,
                std::cmp::Ordering::Equal => stone(column),
            };
            let stones = if owner == Side::White { &mut position.white } else { &mut position.black };
            *stones |= P::point(point);
        }
        position
    }
}

/// Why a position text was refused.
#[derive(Debug, Clone, PartialEq, Eq, Error)]
pub enum PositionError {
    /// The side to move is missing or invalid.
    #[error(
        "position {0:?} must end in a space (or _) and the side to move, w or b, such as \"B1W/3/WW1 w\", or be a board such as 9x5, for its start"
    )]
    SideToMove(String),
    /// An invalid character.
    #[error("character {character:?} at place {place} of the position is none of W, B, a digit, '.' or '/'")]
    Character {
        /// The character.
        character: char,
        /// Where, counted in characters from 1.
        place: usize,
    },
    /// A rank that is empty or too long for any board, or has a run length of zero.
    #[error("rank {rank} from the top of the position needs 1 to {MAX_SIDE} points, and no number 0")]
    RankLength {
        /// Which rank, from 1 at the top.
        rank: usize,
    },
    /// Ranks of different lengths.
    #[error(
        "rank {rank} from the top has {found} points, but the first rank has {expected}; every rank needs the same"
    )]
    Ragged {
        /// Which rank, from 1 at the top.
        rank: usize,
        /// Its number of points.
        found: usize,
        /// Number of points of the first rank.
        expected: usize,
    },
    /// No board has this size.
    #[error("the ranks make {0}x{1}, which is not a board: columns and rows must be odd, from 1 to 13")]
    Size(usize, usize),
    /// The text names what is no board.
    #[error(transparent)]
    Board(BoardSizeError),
    /// The position is on a different board than requested.
    #[error("the position is on a {found} board; {expected} is expected here")]
    OtherBoard {
        /// The board of the position.
        found: BoardSize,
        /// The board of the request.
        expected: BoardSize,
    },
}

/// A parsed position before the type of its point sets is chosen, which depends on its size.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PositionText {
    size: BoardSize,
    position: Position<Wide>,
}

impl PositionText {
    /// Parses a text. Underscores stand for the space; empty points are `.` or run lengths. A board, such as `9x5`, stands for its
    /// start.
    ///
    /// # Errors
    /// [`PositionError`], which says what is wrong and where.
    pub fn parse(text: &str) -> Result<Self, PositionError> {
        let trimmed = text.trim();
        let no_side = || PositionError::SideToMove(excerpt(text).into_owned());
        let Some((ranks, to_move)) = trimmed.split_once([' ', '_']) else {
            let start = |size| Self { size, position: Position::start(size) };
            return trimmed.parse().map(start).map_err(|error| match error {
                BoardSizeError::Impossible(..) => PositionError::Board(error),
                BoardSizeError::Syntax(_) => no_side(),
            });
        };
        let to_move = match to_move.trim_matches([' ', '_']) {
            "w" | "W" => Side::White,
            "b" | "B" => Side::Black,
            _ => return Err(no_side()),
        };
        let mut place = 1 + text.chars().take_while(|c| c.is_whitespace()).count();
        let mut cells = Vec::new();
        for (rank, text) in ranks.split('/').enumerate() {
            let row = read_rank(text, rank + 1, place)?;
            let expected = cells.first().map_or(row.len(), Vec::len);
            if row.len() != expected {
                return Err(PositionError::Ragged { rank: rank + 1, found: row.len(), expected });
            }
            cells.push(row);
            place += text.chars().count() + 1;
        }
        let (columns, rows) = (cells[0].len(), cells.len());
        let size = BoardSize::new(columns, rows).map_err(|_| PositionError::Size(columns, rows))?;
        let points_of = |stone: char| {
            let places = cells.iter().rev().flatten().enumerate();
            set_of(places.filter(|&(_, &cell)| cell == stone).map(|(point, _)| point))
        };
        Ok(Self { size, position: Position { white: points_of('W'), black: points_of('B'), to_move } })
    }

    /// The size of the board.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.size
    }

    /// The position, on a board of this size.
    ///
    /// # Errors
    /// [`PositionError::OtherBoard`] if the text has another size.
    ///
    /// # Panics
    /// If the board has more points than the sets can hold.
    pub fn on<P: PointSet>(&self, size: BoardSize) -> Result<Position<P>, PositionError> {
        if self.size != size {
            return Err(PositionError::OtherBoard { found: self.size, expected: size });
        }
        check_capacity::<P>(size);
        let Position { white, black, to_move } = self.position;
        Ok(Position { white: set_of(white.iter()), black: set_of(black.iter()), to_move })
    }
}

fn set_of<P: PointSet>(points: impl Iterator<Item = usize>) -> P {
    points.fold(P::default(), |set, point| set | P::point(point))
}

fn check_capacity<P: PointSet>(size: BoardSize) {
    assert!(size.points() <= P::CAPACITY, "{size} has more than {} points", P::CAPACITY);
}

fn read_rank(text: &str, rank: usize, place: usize) -> Result<Vec<char>, PositionError> {
    let mut row = Vec::new();
    let mut rest = text.char_indices().peekable();
    while row.len() <= MAX_SIDE
        && let Some((at, character)) = rest.next()
    {
        match character {
            'W' | 'w' => row.push('W'),
            'B' | 'b' => row.push('B'),
            '.' => row.push('.'),
            '0'..='9' => {
                let mut end = at + 1;
                while let Some((digit, _)) = rest.next_if(|(_, c)| c.is_ascii_digit()) {
                    end = digit + 1;
                }
                // A number that does not fit is too large as well.
                let run = text[at..end].parse().unwrap_or(usize::MAX);
                if run == 0 || run > MAX_SIDE {
                    return Err(PositionError::RankLength { rank });
                }
                row.extend(std::iter::repeat_n('.', run));
            }
            _ => return Err(PositionError::Character { character, place: place + text[..at].chars().count() }),
        }
    }
    if (1..=MAX_SIDE).contains(&row.len()) { Ok(row) } else { Err(PositionError::RankLength { rank }) }
}
