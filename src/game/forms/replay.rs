//! Replays the turns of records that do not say how their stones capture.

use super::super::any_board::Game;
use super::super::error::GameError;
use super::super::parse_action::ActionError;
use super::super::raw_record::{ParsedRecord, RawRecord, fault, short};
use super::super::record_error::{RecordError, RecordFault};
use super::super::request::GameRequest;

/// The most readings of a record that are followed at the same time.
const MAX_READINGS: usize = 256;

/// Replays a record. An ambiguous turn is resolved by the turns after it: only one reading may be left at the end. A game that goes on
/// after the third occurrence of a position, or ends there in another way, was played without that rule.
///
/// # Errors
/// [`RecordError`] for the first fault.
pub fn replayed(raw: RawRecord) -> Result<ParsedRecord, RecordError> {
    let mut start = GameRequest { moves: Vec::new(), ..raw.game()? };
    start.rules.repetition = false;
    let mut readings = readings(&raw, &start).map_err(|error| raw.at_line(error))?;
    match readings.pop() {
        Some(game) if readings.is_empty() => {
            let mut request = game.to_request();
            request.rules.repetition = true;
            let drawn = request.replay().ok().filter(|drawn| raw.end(drawn).is_ok());
            raw.parsed(drawn.unwrap_or(game))
        }
        last => Err(doubtful(&raw, &readings.into_iter().chain(last).collect::<Vec<_>>())),
    }
}

/// All games that a record can mean, or more than [`MAX_READINGS`].
fn readings(raw: &RawRecord, start: &GameRequest) -> Result<Vec<Game>, GameError> {
    let mut readings = vec![start.replay()?];
    for (number, (_, turn)) in (1..).zip(&raw.moves) {
        let (mut next, mut refused) = (Vec::new(), None);
        for game in readings {
            if next.len() > MAX_READINGS {
                break;
            }
            match played(game, turn) {
                Ok(games) => next.extend(games),
                Err(error) => refused = Some(error),
            }
        }
        if let (true, Some(source)) = (next.is_empty(), refused) {
            return Err(GameError::Move { number, source: Box::new(source) });
        }
        readings = next;
        if readings.len() > MAX_READINGS {
            break;
        }
    }
    Ok(readings)
}

/// The error for the first turn that several readings understand differently.
fn doubtful(raw: &RawRecord, readings: &[Game]) -> RecordError {
    let readings: Vec<Vec<String>> = readings.iter().map(|game| game.to_request().moves).collect();
    let differs = |place: &usize| readings.iter().any(|moves| moves.get(*place) != readings[0].get(*place));
    let first = (0..raw.moves.len()).find(differs).unwrap_or_default();
    let (line, turn) = raw.moves.get(first).map_or((1, ""), |(line, turn)| (*line, turn));
    fault(line, RecordFault::Readings(short(turn)))
}

/// The games after a turn: one for each that its text can mean, as far as these may be followed. The game is copied only if there are
/// several, because it may be long.
fn played(mut game: Game, turn: &str) -> Result<Vec<Game>, GameError> {
    let Err(error) = game.play(turn, None).map(drop) else { return Ok(vec![game]) };
    let GameError::Action(action) = &error else { return Err(error) };
    let ActionError::Ambiguous { candidates, .. } = &**action else { return Err(error) };
    let play = |text: &String| {
        let mut after = game.clone();
        after.play(text, None).map(|_| after)
    };
    candidates.iter().take(MAX_READINGS + 1).map(play).collect()
}
