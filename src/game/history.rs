//! The history of a game: its start, the turns played and undone, what the players agreed on, and the present state.

use std::cmp::Reverse;
use std::collections::BTreeMap;
use std::sync::Arc;

use crate::board::{BoardSize, PointSet};
use crate::rules::{Outcome, Position, Side};

use super::error::GameError;
use super::parse_action::{ParsedAction, parse_action};
use super::play_rules::PlayRules;
use super::referee::{Action, Referee, State};
use super::refusal::Refusal;
use super::result::{End, GameResult, Reason};
use super::variation::{Variation, are_too_many, lines, tree};

/// The tags of a record that come with the game; the others follow from its board, rules and moves.
pub const FREE_TAGS: [&str; 4] = ["Event", "Date", "White", "Black"];

/// How often a position has to occur for a draw by repetition.
const REPETITIONS: usize = 3;

/// A turn that has been made.
#[derive(Clone, Debug)]
pub struct Played<P> {
    /// The action.
    pub action: Action,
    /// The stones that each step captured.
    pub captures: Vec<P>,
    /// The state after it.
    pub after: State<P>,
    /// Milliseconds it took, if known.
    pub time: Option<u64>,
}

/// A game in progress, or over. Undone turns are kept until another turn is made.
#[derive(Clone, Debug)]
pub struct GameHistory<P> {
    /// Copies of a game share it: its tables take 90 kB on the largest board.
    referee: Arc<Referee<P>>,
    start: State<P>,
    played: Vec<Played<P>>,
    /// Number of turns that are not undone.
    ply: usize,
    end: Option<End>,
    variations: Vec<Variation>,
    /// Those of [`FREE_TAGS`] that are set.
    pub tags: BTreeMap<String, String>,
}

impl<P: PointSet> GameHistory<P> {
    /// A game that begins from a position.
    ///
    /// # Panics
    /// If the board has more points than `P` can hold.
    #[must_use]
    pub fn new(size: BoardSize, rules: PlayRules, start: Position<P>) -> Self {
        let (referee, start) = (Arc::new(Referee::new(size, rules)), start.into());
        Self { referee, start, played: Vec::new(), ply: 0, end: None, variations: Vec::new(), tags: BTreeMap::new() }
    }

    /// The rules of the game on its board.
    #[must_use]
    pub fn referee(&self) -> &Referee<P> {
        &self.referee
    }

    /// The board's size.
    #[must_use]
    pub fn size(&self) -> BoardSize {
        self.referee.board().size()
    }

    /// The state that the game began from.
    #[must_use]
    pub fn start(&self) -> &State<P> {
        &self.start
    }

    /// The turns made and not undone.
    #[must_use]
    pub fn played(&self) -> &[Played<P>] {
        &self.played[..self.ply]
    }

    /// What ended the game, if the moves did not.
    #[must_use]
    pub fn end(&self) -> Option<End> {
        self.end
    }

    /// The variations of the turns that are not undone, in full notation. A game without turns has none.
    #[must_use]
    pub fn variations(&self) -> Vec<Variation> {
        let kept = |variation: &&Variation| variation.ply <= self.ply && self.ply > 0;
        self.variations.iter().filter(kept).cloned().collect()
    }

    /// The turns made and not undone, in full notation.
    #[must_use]
    pub fn moves(&self) -> Vec<String> {
        self.played().iter().map(|played| played.action.text(self.size())).collect()
    }

    /// Sets the variations, whose moves must be legal. They are kept in a fixed order, without repetitions.
    ///
    /// # Errors
    /// [`GameError::Variation`] with the number of the variation, from 1, and [`GameError::TooManyVariations`].
    pub fn set_variations(&mut self, variations: &[Variation]) -> Result<(), GameError> {
        if are_too_many(variations.iter().map(|variation| variation.moves.len())) {
            return Err(GameError::TooManyVariations);
        }
        let mut numbered: Vec<(usize, &Variation)> = (1..).zip(variations).collect();
        numbered.sort_by_key(|(_, variation)| Reverse(variation.ply));
        let (mut line, mut checked) = (self.line(), Vec::new());
        for (number, Variation { ply, moves }) in numbered {
            let refused = |error| GameError::Variation { number, source: Box::new(error) };
            match line.play_from(*ply, moves).map_err(refused)? {
                (moves, None) => checked.push(Variation { ply: *ply, moves }),
                (_, Some(error)) => return Err(refused(error)),
            }
        }
        self.arrange(&checked);
        Ok(())
    }

    /// Adds a variation, as far as its moves can be played.
    pub fn add_variation(&mut self, ply: usize, moves: &[String]) {
        let lengths = self.variations.iter().map(|variation| variation.moves.len());
        if are_too_many(lengths.chain([moves.len()])) {
            return;
        }
        let Ok((moves, _)) = self.line().play_from(ply, moves) else { return };
        let mut variations = std::mem::take(&mut self.variations);
        variations.push(Variation { ply, moves });
        self.arrange(&variations);
    }

    /// Keeps variations in the order of their tree.
    fn arrange(&mut self, variations: &[Variation]) {
        self.variations = lines(&tree(&self.moves(), variations));
    }

    /// A copy of the game with only the turns made. They have no times: a variation goes on where a turn took too long.
    fn line(&self) -> Self {
        let (referee, start) = (self.referee.clone(), self.start);
        let played = self.played().iter().map(|played| Played { time: None, ..played.clone() }).collect();
        Self { referee, start, played, ply: self.ply, end: None, variations: Vec::new(), tags: BTreeMap::new() }
    }

    /// Plays moves after that many turns, in place of those that follow; returns them in full notation, and why the next one is
    /// refused, if one is.
    fn play_from(&mut self, ply: usize, moves: &[String]) -> Result<(Vec<String>, Option<GameError>), GameError> {
        if ply > self.ply {
            return Err(GameError::VariationPly { ply, turns: self.ply });
        }
        self.ply = ply;
        let refused = (ply + 1..).zip(moves).find_map(|(number, text)| {
            let played = self.play(text, None).map(drop);
            played.err().map(|error| GameError::Move { number, source: Box::new(error) })
        });
        let played = self.played()[ply..].iter().map(|played| played.action.text(self.size()));
        Ok((played.collect(), refused))
    }

    /// The state after that many turns.
    fn state_at(&self, ply: usize) -> &State<P> {
        ply.checked_sub(1).map_or(&self.start, |last| &self.played[last].after)
    }

    /// The present state.
    #[must_use]
    pub fn state(&self) -> &State<P> {
        self.state_at(self.ply)
    }

    /// All states of the game, the present one first.
    pub fn states(&self) -> impl Iterator<Item = &State<P>> {
        (0..=self.ply).rev().map(|ply| self.state_at(ply))
    }

    /// The side to move.
    #[must_use]
    pub fn to_move(&self) -> Side {
        self.state().position.to_move
    }

    /// How often the present position has occurred, this time included.
    #[must_use]
    pub fn repetitions(&self) -> usize {
        self.occurrences(self.state())
    }

    /// How often a state has occurred that is the present one, or comes after the next turn.
    #[must_use]
    pub fn occurrences(&self, state: &State<P>) -> usize {
        // Captured stones never come back.
        self.states()
            .take_while(|earlier| earlier.stones() == state.stones())
            .filter(|earlier| *earlier == state)
            .count()
    }

    /// Turns left until the move limit.
    #[must_use]
    pub fn turns_left(&self) -> Option<u32> {
        let made = u32::try_from(self.ply).unwrap_or(u32::MAX);
        self.referee.rules().move_limit.map(|limit| limit.saturating_sub(made))
    }

    /// Whether a turn that leads to that state ends the game by repetition.
    #[must_use]
    pub fn is_drawn_by(&self, after: &State<P>) -> bool {
        self.referee.rules().repetition && self.occurrences(after) + 1 >= REPETITIONS
    }

    /// The result, if the game is over. Exceeded time takes precedence over the turn, and the board over repetition and the
    /// move limit.
    #[must_use]
    pub fn result(&self) -> Option<GameResult> {
        self.result_by_play().or_else(|| {
            self.end.map(|end| match end {
                End::Agreement {} => GameResult::drawn(Reason::Agreement, self.to_move(), None),
                End::Resignation { side } => GameResult::won(side.other(), Reason::Resignation),
                End::Time { side } => GameResult::won(side.other(), Reason::Time),
                End::Adjudication { winner: Some(winner) } => GameResult::won(winner, Reason::Adjudication),
                End::Adjudication { winner: None } => GameResult::drawn(Reason::Adjudication, self.to_move(), None),
                End::Forfeit { side } => GameResult::won(side.other(), Reason::Forfeit),
            })
        })
    }

    /// The result by the moves and their times alone.
    fn result_by_play(&self) -> Option<GameResult> {
        let rules = self.referee.rules();
        let side = self.to_move();
        let time = self.played().last().and_then(|last| last.time);
        if let (Some(time), Some(limit)) = (time, rules.move_time)
            && time > limit
        {
            return Some(GameResult::won(side, Reason::Time));
        }
        let state = self.state();
        let stones_gone = state.position.mover().is_empty() || state.position.opponent().is_empty();
        let lost_by = if stones_gone { Reason::NoStones } else { Reason::NoMoves };
        match self.referee.ending(state) {
            Some(Outcome::Loss) => return Some(GameResult::won(side.other(), lost_by)),
            Some(Outcome::Win) => return Some(GameResult::won(side, lost_by)),
            Some(Outcome::Draw) => return Some(GameResult::drawn(Reason::Stalemate, side, None)),
            None => {}
        }
        if rules.repetition && self.repetitions() >= REPETITIONS {
            return Some(GameResult::drawn(Reason::Repetition, side, None));
        }
        (self.turns_left() == Some(0)).then(|| GameResult::drawn(Reason::MoveLimit, side, rules.move_limit))
    }

    /// Why every action is refused, if the game is over.
    #[must_use]
    pub fn over(&self) -> Option<Refusal> {
        self.result().map(|result| Refusal::Over(result.text))
    }

    /// Makes the turn that a text describes, which took `time` milliseconds if known. Undone turns are dropped.
    ///
    /// # Errors
    /// [`GameError::Over`], or [`GameError::Action`] if the text is not a legal action.
    pub fn play(&mut self, text: &str, time: Option<u64>) -> Result<&Played<P>, GameError> {
        if let Some(refusal) = self.over() {
            return Err(GameError::Over(Box::new(refusal)));
        }
        let ParsedAction { action, captures, after } = parse_action(&self.referee, self.state(), text)?;
        self.variations.retain(|variation| variation.ply <= self.ply);
        self.played.truncate(self.ply);
        self.ply += 1;
        self.played.push(Played { action, captures, after, time });
        if !self.variations.is_empty() {
            // One that begins with this turn goes on after it.
            let variations = std::mem::take(&mut self.variations);
            self.arrange(&variations);
        }
        Ok(&self.played[self.ply - 1])
    }

    /// Undoes what ended the game other than the moves, or else the last turn; false if there is nothing to undo.
    pub fn undo(&mut self) -> bool {
        if self.end.take().is_some() {
            return true;
        }
        let any = self.ply > 0;
        self.ply -= usize::from(any);
        any
    }

    /// Redoes the turn that was undone last; false if there is none, or if the game was ended otherwise.
    pub fn redo(&mut self) -> bool {
        let any = self.end.is_none() && self.ply < self.played.len();
        self.ply += usize::from(any);
        any
    }

    /// Ends the game by agreement, resignation, time, adjudication or forfeit.
    ///
    /// # Errors
    /// [`GameError::Over`] if it is over; [`GameError::NoTime`] and [`GameError::OtherTime`] if that side cannot have exceeded its time.
    pub fn finish(&mut self, end: End) -> Result<(), GameError> {
        if let Some(refusal) = self.over() {
            return Err(GameError::Over(Box::new(refusal)));
        }
        if let End::Time { side } = end {
            if self.referee.rules().move_time.is_none() {
                return Err(GameError::NoTime);
            }
            if side != self.to_move() {
                return Err(GameError::OtherTime(side));
            }
        }
        self.end = Some(end);
        Ok(())
    }
}
