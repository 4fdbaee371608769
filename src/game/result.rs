//! How games end.

use serde::{Deserialize, Serialize, Serializer};

use crate::rules::{Outcome, Side};

/// What ended a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Reason {
    /// A side has lost its last stone.
    NoStones,
    /// The side to move cannot move, and loses.
    NoMoves,
    /// The side to move cannot move, and the game is a draw.
    Stalemate,
    /// The move limit has been reached.
    MoveLimit,
    /// A side has exceeded its time.
    Time,
    /// The players have agreed on a draw.
    Agreement,
    /// A side has resigned.
    Resignation,
    /// The third occurrence of a position.
    Repetition,
    /// A referee ended the game with the value of its position.
    Adjudication,
    /// A player broke the rules or stopped answering.
    Forfeit,
}

impl Reason {
    /// Every reason.
    pub const ALL: [Self; 10] = [
        Self::NoStones,
        Self::NoMoves,
        Self::Stalemate,
        Self::MoveLimit,
        Self::Time,
        Self::Agreement,
        Self::Resignation,
        Self::Repetition,
        Self::Adjudication,
        Self::Forfeit,
    ];

    /// The word in JSON and in records.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::NoStones => "no stones",
            Self::NoMoves => "no moves",
            Self::Stalemate => "stalemate",
            Self::MoveLimit => "move limit",
            Self::Time => "time",
            Self::Agreement => "agreement",
            Self::Resignation => "resignation",
            Self::Repetition => "repetition",
            Self::Adjudication => "adjudication",
            Self::Forfeit => "forfeit",
        }
    }
}

impl Serialize for Reason {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

/// What ended a game other than the moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "by", rename_all = "lowercase", deny_unknown_fields)]
pub enum End {
    /// The players agreed on a draw. Braces, so that unknown fields are refused.
    Agreement {},
    /// A side resigned.
    Resignation {
        /// That side.
        side: Side,
    },
    /// A side exceeded its time.
    Time {
        /// That side.
        side: Side,
    },
    /// A referee who knows the value of the position ended the game.
    Adjudication {
        /// The side that would have won, if one would.
        winner: Option<Side>,
    },
    /// A side broke the rules or stopped answering.
    Forfeit {
        /// That side.
        side: Side,
    },
}

/// The result of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct GameResult {
    /// The score, `1-0` if White has won, `0-1` if Black has, `1/2-1/2` for a draw.
    pub score: &'static str,
    /// The winner, if there is one.
    pub winner: Option<Side>,
    /// What ended the game.
    pub reason: Reason,
    /// The result as a sentence.
    pub text: String,
}

impl GameResult {
    /// The result for a side.
    #[must_use]
    pub fn outcome(&self, side: Side) -> Outcome {
        self.winner.map_or(Outcome::Draw, |winner| if winner == side { Outcome::Win } else { Outcome::Loss })
    }

    /// The game is won.
    #[must_use]
    pub fn won(winner: Side, reason: Reason) -> Self {
        let loser = winner.other().name();
        let how = match reason {
            Reason::NoStones => format!("{loser} has no stones left"),
            Reason::NoMoves => format!("{loser} cannot move"),
            Reason::Time => format!("{loser} has exceeded the time for a turn"),
            Reason::Resignation => format!("{loser} has resigned"),
            Reason::Adjudication => "the position is known to be won".to_owned(),
            Reason::Forfeit => format!("{loser} has broken the rules or stopped answering"),
            other => other.word().to_owned(),
        };
        let score = if winner == Side::White { "1-0" } else { "0-1" };
        Self { score, winner: Some(winner), reason, text: format!("{} wins: {how}", winner.name()) }
    }

    /// The game is drawn; `side` is to move, and `limit` is the move limit.
    #[must_use]
    pub fn drawn(reason: Reason, side: Side, limit: Option<u32>) -> Self {
        let how = match reason {
            Reason::Stalemate => format!("{} cannot move", side.name()),
            Reason::MoveLimit => match limit {
                None => reason.word().to_owned(),
                Some(1) => "1 turn has been made".to_owned(),
                Some(turns) => format!("{turns} turns have been made"),
            },
            Reason::Agreement => "agreed by the players".to_owned(),
            Reason::Repetition => "third occurrence of this position".to_owned(),
            Reason::Adjudication => "the position is known to be drawn".to_owned(),
            other => other.word().to_owned(),
        };
        Self { score: "1/2-1/2", winner: None, reason, text: format!("Draw: {how}") }
    }
}
