//! A match: which games there are, who plays them, and when it is over.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use thiserror::Error;

use crate::board::BoardSize;
use crate::game::{GameError, GameRequest, PlayRules};
use crate::rules::Side;

use super::adjudicator::Adjudicator;
use super::engine::{Engine, EngineProcess, StartError};
use super::openings::{OpeningError, Openings};
use super::play::{Conditions, NoResult, PlayedGame, play};
use super::record::{EVENT, RecordFileError};
use super::results::{Results, first_side};
use super::sprt::{Decision, Sprt};

/// A match between two engines. Games are numbered from 0; two in a row have the same opening, and the first engine has
/// White in the first of them.
pub struct Match<'a> {
    /// The engines.
    pub engines: [Engine; 2],
    /// The board.
    pub board: BoardSize,
    /// The rules.
    pub rules: PlayRules,
    /// The largest number of games.
    pub games: u64,
    /// How many games are played at the same time.
    pub concurrency: usize,
    /// The test that ends the match early.
    pub sprt: Option<Sprt>,
    /// How long after its time an engine may still answer.
    pub timeout: Duration,
    /// Who ends games where their value is known.
    pub adjudicator: Adjudicator<'a>,
}

/// Why a match ends without a result.
#[derive(Debug, Error)]
pub enum MatchError {
    /// An engine cannot take part.
    #[error(transparent)]
    Start(#[from] StartError),
    /// There is no opening for a game.
    #[error(transparent)]
    Opening(#[from] OpeningError),
    /// The records cannot be read or written.
    #[error(transparent)]
    Record(#[from] RecordFileError),
    /// A game cannot be played on.
    #[error("{0}")]
    Game(String),
    /// A thread could not be started.
    #[error("cannot start a game: the system lacks threads or processes (ulimit -u)")]
    Thread,
    /// A record belongs to another match.
    #[error("game {number} of the file is of another match: {what}")]
    OtherMatch {
        /// Which record, from 1.
        number: usize,
        /// What is different.
        what: String,
    },
}

/// A game of the match that has just ended.
pub struct FinishedGame<'a> {
    /// Its number, from 0.
    pub number: u64,
    /// The game, with its tags.
    pub played: &'a PlayedGame,
}

/// What is done with each game that has ended.
pub type OnGame<'a> = &'a mut (dyn FnMut(&FinishedGame<'_>, &Results) -> Result<(), MatchError> + Send);

/// What the threads share.
struct Shared<'a> {
    next: u64,
    openings: Openings,
    results: Results,
    on_game: OnGame<'a>,
    error: Option<MatchError>,
}

impl Match<'_> {
    /// Whether nothing is left to play: all games are, or the test has decided.
    #[must_use]
    pub fn is_over(&self, results: &Results) -> bool {
        results.tally.games() >= self.games || self.decision(results) != Decision::Open
    }

    /// What the test has decided so far.
    #[must_use]
    pub fn decision(&self, results: &Results) -> Decision {
        self.sprt.map_or(Decision::Open, |sprt| sprt.decision(&results.tally))
    }

    /// The results of games that were played before, from their records. `stop` ends the search for their openings.
    ///
    /// # Errors
    /// [`MatchError::OtherMatch`] if one of them is not a game of this match; [`OpeningError`].
    pub fn resume(
        &self,
        openings: &mut Openings,
        records: &[GameRequest],
        stop: &AtomicBool,
    ) -> Result<Results, MatchError> {
        let mut results = Results::default();
        // Between these games only those are missing that were played at the same time.
        let most = records.len() as u64 + u64::from(u16::MAX);
        for (index, record) in records.iter().enumerate() {
            let other = |what: String| MatchError::OtherMatch { number: index + 1, what };
            let number = self.number_of(record).map_err(other)?;
            if number >= most {
                return Err(other(format!("it has number {} in a file of {} games", number + 1, records.len())));
            }
            if openings.listed().is_some_and(|listed| number / 2 >= listed as u64) {
                return Err(other("its opening is not in the list".to_owned()));
            }
            let opening = self.opening(number, openings, stop)?;
            let game = record.replay().map_err(|error: GameError| other(error.to_string()))?;
            let played = game.to_request();
            if played.position != opening.position || !played.moves.starts_with(&opening.moves) {
                return Err(other("it has another opening".to_owned()));
            }
            if game.result().is_none() {
                return Err(other("it is not over".to_owned()));
            }
            results.add(number, &game);
        }
        Ok(results)
    }

    fn opening(&self, number: u64, openings: &mut Openings, stop: &AtomicBool) -> Result<GameRequest, OpeningError> {
        openings.get(usize::try_from(number / 2).unwrap_or(usize::MAX), self.adjudicator, stop)
    }

    /// The number of the game with a record, or what does not belong to this match.
    fn number_of(&self, record: &GameRequest) -> Result<u64, String> {
        let tag = |name: &str| record.tags.get(name).map_or("", String::as_str);
        let number = tag("Event").strip_prefix(&self.event()).and_then(|number| number.parse::<u64>().ok());
        let number = number.and_then(|number| number.checked_sub(1));
        let number = number
            .ok_or_else(|| format!("its Event is {:?} instead of {:?} and a number", tag("Event"), self.event()))?;
        if record.board != self.board.to_string() || record.rules != self.rules {
            return Err(format!("it is on {}, {}", record.board, record.rules));
        }
        for (name, expected) in ["White", "Black"].into_iter().zip(self.players(number)) {
            if tag(name) != expected.name {
                return Err(format!("{name} is {:?} instead of {:?}", tag(name), expected.name));
            }
        }
        Ok(number)
    }

    /// White and Black of a game.
    #[must_use]
    pub fn players(&self, number: u64) -> [&Engine; 2] {
        let [first, second] = &self.engines;
        if first_side(number) == Side::White { [first, second] } else { [second, first] }
    }

    /// The tag Event of games, without their number.
    fn event(&self) -> String {
        let [first, second] = [self.engines[0].limit, self.engines[1].limit].map(|limit| limit.to_string());
        let limits = if first == second { first } else { format!("{first} against {second}") };
        format!("{EVENT}{limits}, game ")
    }

    /// Plays the games that are left, and calls `on_game` with each of them, as it ends. `stop` ends the match in order; it is also
    /// set when the match is over. Returns the results so far, and why the match could not go on, if it could not.
    pub fn run(
        &self,
        openings: Openings,
        earlier: Results,
        stop: &AtomicBool,
        on_game: OnGame<'_>,
    ) -> (Results, Result<(), MatchError>) {
        let shared = Mutex::new(Shared { next: 0, openings, results: earlier, on_game, error: None });
        thread::scope(|scope| {
            // With fewer threads the match only takes longer.
            let threads: Vec<_> = (0..self.concurrency.max(1))
                .map_while(|_| thread::Builder::new().spawn_scoped(scope, || self.work(&shared, stop)).ok())
                .collect();
            if threads.is_empty() {
                lock(&shared).error = Some(MatchError::Thread);
            }
            for thread in threads {
                if let Err(error) = thread.join().unwrap_or_else(|panic| resume_unwind(panic)) {
                    lock(&shared).error.get_or_insert(error);
                }
            }
        });
        let Shared { results, error, .. } = shared.into_inner().unwrap_or_else(PoisonError::into_inner);
        (results, error.map_or(Ok(()), Err))
    }

    /// Plays one game after the other, with engines of its own.
    fn work(&self, shared: &Mutex<Shared<'_>>, stop: &AtomicBool) -> Result<(), MatchError> {
        let played = self.play_games(shared, stop);
        if played.is_err() {
            stop.store(true, Ordering::Relaxed);
        }
        match played {
            Err(MatchError::Start(StartError::Interrupted) | MatchError::Opening(OpeningError::Interrupted)) => Ok(()),
            other => other,
        }
    }

    fn play_games(&self, shared: &Mutex<Shared<'_>>, stop: &AtomicBool) -> Result<(), MatchError> {
        let mut running: [Option<EngineProcess>; 2] = [None, None];
        loop {
            // The lock must not be held while the game is played.
            let next = self.next_game(&mut lock(shared), stop)?;
            let Some((number, opening)) = next else { return Ok(()) };
            let [first, second] = &mut running;
            let (first, second) =
                (self.started(&self.engines[0], first, stop)?, self.started(&self.engines[1], second, stop)?);
            let white_first = first_side(number) == Side::White;
            let engines = if white_first { [first, second] } else { [second, first] };
            let conditions = Conditions {
                limits: self.players(number).map(|engine| engine.limit),
                timeout: self.timeout,
                adjudicator: self.adjudicator,
                stop,
            };
            let mut played = match play(engines, &opening, conditions) {
                Ok(played) => played,
                Err(NoResult::Interrupted) => return Ok(()),
                Err(NoResult::Failed(error)) => return Err(MatchError::Game(error)),
            };
            if let Some((side, _)) = played.fault {
                // It is started again for the next game.
                running[usize::from((side == Side::White) != white_first)] = None;
            }
            self.finish(&mut lock(shared), number, &mut played, stop)?;
        }
    }

    fn started<'e>(
        &self,
        engine: &Engine,
        running: &'e mut Option<EngineProcess>,
        stop: &AtomicBool,
    ) -> Result<&'e mut EngineProcess, MatchError> {
        match running {
            Some(running) => Ok(running),
            empty => Ok(empty.insert(engine.start(self.board, &self.rules, stop)?)),
        }
    }

    /// The next game that has not been played.
    fn next_game(&self, shared: &mut Shared<'_>, stop: &AtomicBool) -> Result<Option<(u64, GameRequest)>, MatchError> {
        while shared.results.has(shared.next) {
            shared.next += 1;
        }
        let number = shared.next;
        if stop.load(Ordering::Relaxed) || number >= self.games || self.is_over(&shared.results) {
            return Ok(None);
        }
        shared.next += 1;
        let opening = self.opening(number, &mut shared.openings, stop)?;
        Ok(Some((number, opening)))
    }

    /// Counts a game that has ended.
    fn finish(
        &self,
        shared: &mut Shared<'_>,
        number: u64,
        played: &mut PlayedGame,
        stop: &AtomicBool,
    ) -> Result<(), MatchError> {
        if self.is_over(&shared.results) {
            return Ok(());
        }
        for (tag, engine) in ["White", "Black"].into_iter().zip(self.players(number)) {
            played.game.set_tag(tag, &engine.name);
        }
        played.game.set_tag("Event", &format!("{}{}", self.event(), number + 1));
        shared.results.add(number, &played.game);
        (shared.on_game)(&FinishedGame { number, played }, &shared.results)?;
        if self.is_over(&shared.results) {
            stop.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

fn lock<'l, 'a>(shared: &'l Mutex<Shared<'a>>) -> MutexGuard<'l, Shared<'a>> {
    shared.lock().unwrap_or_else(PoisonError::into_inner)
}
