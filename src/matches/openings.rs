//! The positions that games begin from: from a list, or by random moves.

use std::collections::HashSet;
use std::sync::atomic::{AtomicBool, Ordering};

use thiserror::Error;

use crate::board::BoardSize;
use crate::game::{Game, GameError, GameRequest, PlayRules};
use crate::rules::PositionText;
use crate::table::TableError;

use super::adjudicator::Adjudicator;
use super::balance::is_even;

/// How many random games in a row may lead to no new opening.
const ATTEMPTS: usize = 1_000;

/// Why there is no opening.
#[derive(Debug, Error)]
pub enum OpeningError {
    /// A line of the list is not an opening.
    #[error("line {line} of the openings: {why}")]
    Line {
        /// Its number, from 1.
        line: usize,
        /// What is wrong.
        why: String,
    },
    /// The list has no line.
    #[error("the list of openings is empty; write a position or moves on each line")]
    Empty,
    /// There are no more.
    #[error("{}", too_few(*found, *ended))]
    TooFew {
        /// How many there are.
        found: usize,
        /// Most random games ended before they had enough turns.
        ended: bool,
    },
    /// The search for one was stopped.
    #[error("interrupted")]
    Interrupted,
    /// A table cannot be read.
    #[error(transparent)]
    Table(#[from] TableError),
}

fn too_few(found: usize, ended: bool) -> String {
    let [found, games] = match found {
        0 => ["no opening", ""],
        1 => ["only 1 opening", ", fewer --games"],
        _ => [&format!("only {found} different openings"), ", fewer --games"],
    };
    format!("{found} found; use {} --plies{games} or a larger --balance", if ended { "fewer" } else { "more" })
}

/// Which random openings there are.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct RandomOpenings {
    /// Random turns of both sides together.
    pub plies: u32,
    /// By how many stones a side may be ahead after a short search.
    pub balance: u32,
    /// The seed.
    pub seed: u64,
}

/// Where openings come from.
#[derive(Debug)]
enum Origin {
    List,
    Random { by: RandomOpenings, random: fastrand::Rng, seen: HashSet<String> },
}

/// The openings of a match, always the same in the same order.
#[derive(Debug)]
pub struct Openings {
    origin: Origin,
    start: GameRequest,
    found: Vec<GameRequest>,
}

impl Openings {
    /// One opening a line: a position, or moves from the start. Empty lines and what follows a # are skipped.
    ///
    /// # Errors
    /// [`OpeningError`] with the line.
    pub fn list(text: &str, board: BoardSize, rules: PlayRules) -> Result<Self, OpeningError> {
        let start = GameRequest { board: board.to_string(), rules, ..GameRequest::default() };
        let mut found = Vec::new();
        for (number, line) in text.lines().enumerate() {
            let line = line.split('#').next().unwrap_or_default().trim();
            if line.is_empty() {
                continue;
            }
            let wrong = |why: String| OpeningError::Line { line: number + 1, why };
            let request = match PositionText::parse(line).map(|position| position.size()) {
                Ok(size) if size == board => GameRequest { position: Some(line.to_owned()), ..start.clone() },
                Ok(size) => return Err(wrong(format!("the position is on a {size} board, the match on {board}"))),
                Err(error) if line.contains('/') => return Err(wrong(error.to_string())),
                Err(_) => GameRequest { moves: line.split_whitespace().map(str::to_owned).collect(), ..start.clone() },
            };
            let game = request.replay().map_err(|error: GameError| wrong(error.to_string()))?;
            if let Some(result) = game.result() {
                return Err(wrong(format!("the game is over: {}", result.text)));
            }
            found.push(game.to_request());
        }
        if found.is_empty() { Err(OpeningError::Empty) } else { Ok(Self { origin: Origin::List, start, found }) }
    }

    /// Positions after random turns, each once, in which the game is not over and no side is far ahead.
    #[must_use]
    pub fn random(by: RandomOpenings, board: BoardSize, rules: PlayRules) -> Self {
        let start = GameRequest { board: board.to_string(), rules, ..GameRequest::default() };
        let random = fastrand::Rng::with_seed(by.seed);
        Self { origin: Origin::Random { by, random, seen: HashSet::new() }, start, found: Vec::new() }
    }

    /// How many there are, if they are listed.
    #[must_use]
    pub fn listed(&self) -> Option<usize> {
        matches!(self.origin, Origin::List).then_some(self.found.len())
    }

    /// The opening with that number, from 0. Random ones that an adjudicator would end at once are skipped. `stop` ends the search
    /// for more of them.
    ///
    /// # Errors
    /// [`OpeningError::TooFew`], [`OpeningError::Table`], [`OpeningError::Interrupted`].
    pub fn get(
        &mut self,
        number: usize,
        adjudicator: Adjudicator<'_>,
        stop: &AtomicBool,
    ) -> Result<GameRequest, OpeningError> {
        while self.found.len() <= number {
            let found = self.found.len();
            let too_few = |ended| OpeningError::TooFew { found, ended };
            let Origin::Random { by, random, seen } = &mut self.origin else { return Err(too_few(false)) };
            let (mut new, mut ended) = (None, 0);
            for _ in 0..ATTEMPTS {
                let Some(game) = random_game(&self.start, by.plies, random) else {
                    ended += 1;
                    continue;
                };
                let is_good = seen.insert(game.position()) && is_even(&game, by.balance, stop);
                if stop.load(Ordering::Relaxed) {
                    return Err(OpeningError::Interrupted);
                }
                if is_good && adjudicator.value(&game)?.is_none() {
                    new = Some(game.to_request());
                    break;
                }
            }
            self.found.push(new.ok_or_else(|| too_few(ended > ATTEMPTS / 2))?);
        }
        Ok(self.found[number].clone())
    }
}

/// A game of random moves; `None` if it ends early.
fn random_game(start: &GameRequest, plies: u32, random: &mut fastrand::Rng) -> Option<Game> {
    let mut game = start.replay().ok()?;
    for _ in 0..plies {
        let turn = random.choice(game.turns())?;
        game.play(&turn, None).ok()?;
    }
    game.result().is_none().then_some(game)
}
