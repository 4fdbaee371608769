//! One game between two engines. The referee of this program decides which moves are legal and how it ends.

use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::board::excerpt;
use crate::game::{End, Game, GameRequest};
use crate::rules::Side;
use crate::table::TableError;

use super::adjudicator::Adjudicator;
use super::engine::EngineProcess;
use super::limit::{Clocks, Limit};
use super::process::NoAnswer;

/// A game that has been played.
pub struct PlayedGame {
    /// The game; it is over.
    pub game: Game,
    /// Which side broke the rules or stopped answering, and how.
    pub fault: Option<(Side, String)>,
}

/// Why a game has no result.
pub enum NoResult {
    /// The match was interrupted.
    Interrupted,
    /// The opening or a table cannot be read.
    Failed(String),
}

impl From<TableError> for NoResult {
    fn from(error: TableError) -> Self {
        Self::Failed(error.to_string())
    }
}

/// How a game is played.
#[derive(Clone, Copy)]
pub struct Conditions<'a> {
    /// The limits of White and Black.
    pub limits: [Limit; 2],
    /// How long after its time an engine may still answer.
    pub timeout: Duration,
    /// Who ends the game where its value is known.
    pub adjudicator: Adjudicator<'a>,
    /// Set by an interrupt.
    pub stop: &'a AtomicBool,
}

/// Plays a game; `engines` are White and Black.
pub fn play(
    engines: [&mut EngineProcess; 2],
    opening: &GameRequest,
    conditions: Conditions<'_>,
) -> Result<PlayedGame, NoResult> {
    let Conditions { limits, timeout, adjudicator, stop } = conditions;
    let mut game = opening.replay().map_err(|error| NoResult::Failed(error.to_string()))?;
    let mut clocks = Clocks::new(limits);
    let [white, black] = engines;
    for (side, engine) in [(Side::White, &mut *white), (Side::Black, &mut *black)] {
        if let Err(silence) = engine.new_game(stop) {
            return silent(game, side, engine, &silence);
        }
    }
    let place = opening.position.as_ref().map_or("startpos".to_owned(), |position| format!("fen {position}"));
    while game.result().is_none() {
        if let Some(winner) = adjudicator.value(&game)? {
            return Ok(ended(game, End::Adjudication { winner }));
        }
        let side = game.to_move();
        let (engine, index) = match side {
            Side::White => (&mut *white, 0),
            Side::Black => (&mut *black, 1),
        };
        let moves = game.to_request().moves;
        let moves = if moves.is_empty() { String::new() } else { format!(" moves {}", moves.join(" ")) };
        let patience = clocks.allowed(limits[index], index).saturating_add(timeout).saturating_sub(clocks.late(index));
        let chosen = engine.choose(&format!("position {place}{moves}"), &clocks.go(limits, index), patience, stop);
        let answer = match chosen {
            Ok(answer) => answer,
            Err(silence) => return silent(game, side, engine, &silence),
        };
        clocks.moved(limits[index], index, answer.took);
        let took = u64::try_from(answer.took.as_millis()).ok();
        if let Err(error) = game.play(&answer.text, took) {
            let fault = format!("illegal move {:?}: {error}", excerpt(&answer.text));
            return Ok(forfeit(game, side, fault));
        }
    }
    Ok(PlayedGame { game, fault: None })
}

/// The game is lost by a side that does not answer.
fn silent(game: Game, side: Side, engine: &EngineProcess, silence: &NoAnswer) -> Result<PlayedGame, NoResult> {
    if *silence == NoAnswer::Interrupted {
        return Err(NoResult::Interrupted);
    }
    let said = engine.error().map_or(String::new(), |error| format!("; it reported: {error}"));
    Ok(forfeit(game, side, format!("{silence}{said}")))
}

fn forfeit(game: Game, side: Side, fault: String) -> PlayedGame {
    PlayedGame { fault: Some((side, fault)), ..ended(game, End::Forfeit { side }) }
}

fn ended(mut game: Game, end: End) -> PlayedGame {
    // The game is not over yet, so it can end this way.
    let _ = game.finish(end);
    PlayedGame { game, fault: None }
}
