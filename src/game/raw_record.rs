//! A record before it is checked against the rules, whatever its form: tags, turns, times and score, each with its line.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::board::{BoardSize, excerpt};
use crate::rules::{PositionText, Side};

use super::any_board::Game;
use super::error::GameError;
use super::history::FREE_TAGS;
use super::lexeme::Lexeme;
use super::play_rules::PlayRules;
use super::record_error::{RecordError, RecordFault};
use super::request::GameRequest;
use super::result::{End, Reason};
use super::variation::{Variation, are_too_many};
use super::write_record::{OPEN, UNFINISHED, is_question};

/// A parsed record.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct ParsedRecord {
    /// The game.
    pub game: GameRequest,
    /// Every tag.
    pub tags: BTreeMap<String, String>,
}

/// The parts of a record, before they are checked against the rules.
#[derive(Default)]
pub struct RawRecord {
    /// The tags with their lines.
    tags: BTreeMap<String, (usize, String)>,
    /// The turns with their lines.
    pub moves: Vec<(usize, String)>,
    times: Vec<Option<u64>>,
    /// The variations.
    variations: Vec<RawVariation>,
    /// Which of them are open, the innermost last.
    open: Vec<usize>,
    /// Move numbers with their lines, and the number of moves before each.
    numbers: Vec<(usize, String, usize)>,
    /// The score with its line.
    pub score: Option<(usize, String)>,
    /// Number of lines.
    pub lines: usize,
}

/// A variation of the game.
struct RawVariation {
    /// The number of turns of the game before it.
    ply: usize,
    /// Its turns with their lines, and before them those of the variations around it.
    moves: Vec<(usize, String)>,
    /// The number of turns of those around it.
    before: usize,
}

impl RawVariation {
    fn to_variation(&self) -> Variation {
        Variation { ply: self.ply, moves: self.moves.iter().map(|(_, text)| text.clone()).collect() }
    }
}

/// A text of the record, shortened for messages.
pub fn short(text: &str) -> String {
    excerpt(text).into_owned()
}

/// A fault in a line.
pub fn fault(line: usize, fault: RecordFault) -> RecordError {
    RecordError { line, fault }
}

impl RawRecord {
    /// A record of that text, without anything in it yet.
    pub fn of(text: &str) -> Self {
        Self { lines: text.lines().count().max(1), ..Self::default() }
    }

    /// Whether a word is a score.
    pub fn is_score(word: &str) -> bool {
        [OPEN, "1-0", "0-1", "1/2-1/2"].contains(&word)
    }

    /// Sets a tag, unless it has no text.
    pub fn set(&mut self, line: usize, name: &str, value: &str) {
        if !value.is_empty() {
            self.tags.insert(name.to_owned(), (line, value.to_owned()));
        }
    }

    /// Adds a turn.
    pub fn push(&mut self, line: usize, turn: String) {
        self.moves.push((line, turn));
        self.times.push(None);
    }

    /// The record of a game that has been replayed, in full notation: letters, dashes and more may have been left out.
    pub fn parsed(self, mut replayed: Game) -> Result<ParsedRecord, RecordError> {
        let end = self.end(&replayed)?;
        if let Some(end) = end {
            let wrong = |error| fault(self.line_of("Termination"), RecordFault::Game(Box::new(error)));
            replayed.finish(end).map_err(wrong)?;
        }
        let game = GameRequest { position: self.tag("FEN").map(str::to_owned), ..replayed.to_request() };
        let tags = self.tags.into_iter().map(|(name, (_, value))| (name, value)).collect();
        Ok(ParsedRecord { game, tags })
    }

    /// Adds a part of a record.
    pub fn take(&mut self, line: usize, lexeme: Lexeme) -> Result<(), RecordError> {
        if let (Lexeme::Number(word) | Lexeme::Word(word), Some(_)) = (&lexeme, &self.score) {
            return Err(fault(line, RecordFault::AfterScore(short(word))));
        }
        match lexeme {
            Lexeme::Tag(..) if !self.moves.is_empty() || self.score.is_some() => {
                return Err(fault(line, RecordFault::LateTag));
            }
            Lexeme::Tag(name, _) if self.tags.contains_key(&name) => {
                return Err(fault(line, RecordFault::TwiceTag(short(&name))));
            }
            Lexeme::Tag(name, value) => {
                self.tags.insert(name, (line, value));
            }
            Lexeme::Time(time) => {
                if let (Some(last), true) = (self.times.last_mut(), self.open.is_empty()) {
                    *last = Some(time);
                }
            }
            Lexeme::Number(number) => {
                let inner = self.open.last().map(|&place| &self.variations[place]);
                let before = inner.map_or(self.moves.len(), |inner| inner.ply + inner.moves.len());
                self.numbers.push((line, number, before));
            }
            Lexeme::Open => self.open_variation(line)?,
            Lexeme::Close => {
                self.open.pop();
            }
            Lexeme::Word(word) if Self::is_score(&word) && self.open.is_empty() => {
                self.score = Some((line, word));
            }
            Lexeme::Word(word) => match self.open.last() {
                Some(&inner) => self.variations[inner].moves.push((line, word)),
                None => self.push(line, word),
            },
        }
        Ok(())
    }

    /// Begins a variation, which replaces the turn before it.
    fn open_variation(&mut self, line: usize) -> Result<(), RecordError> {
        let around = self.open.last().map(|&place| &self.variations[place]);
        let begin = match around {
            None => self.moves.len().checked_sub(1).map(|ply| RawVariation { ply, moves: Vec::new(), before: 0 }),
            Some(RawVariation { moves, before, .. }) if moves.len() == *before => None,
            Some(RawVariation { ply, moves, .. }) => {
                let before = moves.len() - 1;
                Some(RawVariation { ply: *ply, moves: moves[..before].to_vec(), before })
            }
        };
        let begin = begin.ok_or_else(|| fault(line, RecordFault::VariationOfNothing))?;
        if are_too_many(self.variations.iter().chain([&begin]).map(|variation| variation.moves.len())) {
            return Err(fault(line, RecordFault::Game(Box::new(GameError::TooManyVariations))));
        }
        self.open.push(self.variations.len());
        self.variations.push(begin);
        Ok(())
    }

    pub fn tag(&self, name: &str) -> Option<&str> {
        self.tags.get(name).map(|(_, value)| value.as_str())
    }

    /// The line of a tag; the first line if there is no such tag.
    fn line_of(&self, tag: &str) -> usize {
        self.tags.get(tag).map_or(1, |&(line, _)| line)
    }

    /// The game; only its rules and the size of its board have been checked.
    pub fn game(&self) -> Result<GameRequest, RecordError> {
        let rules = self
            .tag("Rules")
            .map_or_else(|| Ok(PlayRules::default()), PlayRules::from_text)
            .map_err(|why| fault(self.line_of("Rules"), RecordFault::Rules(why)))?;
        let known = self.times.iter().rposition(Option::is_some).map_or(0, |last| last + 1);
        let said = |&name: &&str| Some((name.to_owned(), self.tag(name).filter(|text| !is_question(text))?.to_owned()));
        Ok(GameRequest {
            board: self.board()?,
            position: self.tag("FEN").map(str::to_owned),
            rules,
            moves: self.moves.iter().map(|(_, text)| text.clone()).collect(),
            times: self.times[..known].to_vec(),
            variations: self.variations.iter().map(RawVariation::to_variation).collect(),
            end: None,
            tags: FREE_TAGS.iter().filter_map(said).collect(),
        })
    }

    /// Its board, as its tag names it, or else that of its position.
    fn board(&self) -> Result<String, RecordError> {
        match (self.tag("Board"), self.tag("FEN")) {
            (Some(board), _) => Ok(board.to_owned()),
            (None, Some(position)) => match PositionText::parse(position) {
                Ok(position) => Ok(position.size().to_string()),
                Err(error) => Err(fault(self.line_of("FEN"), RecordFault::Game(Box::new(error.into())))),
            },
            (None, None) => Err(fault(1, RecordFault::NoBoard)),
        }
    }

    /// The size of its board.
    pub fn size(&self) -> Result<BoardSize, RecordError> {
        self.board()?.parse().map_err(|error| self.at_line(GameError::Size(error)))
    }

    /// An error of the game with its line.
    pub fn at_line(&self, error: GameError) -> RecordError {
        let line = match &error {
            GameError::Size(_) => self.line_of("Board"),
            GameError::Position(_) => self.line_of("FEN"),
            GameError::Rules(_) => self.line_of("Rules"),
            GameError::Tag(name) => self.line_of(name),
            GameError::Variation { number, source } => self.line_of_variation(*number, source),
            GameError::Move { number, .. } => self.moves.get(number - 1).map_or(self.lines, |&(line, _)| line),
            _ => self.lines,
        };
        fault(line, RecordFault::Game(Box::new(error)))
    }

    /// The line of what is wrong with a variation.
    fn line_of_variation(&self, number: usize, error: &GameError) -> usize {
        let variation = self.variations.get(number - 1);
        let turn = match error {
            GameError::Move { number, .. } => variation.and_then(|it| it.moves.get(number - 1 - it.ply)),
            _ => variation.and_then(|it| it.moves.first()),
        };
        turn.map_or(self.lines, |&(line, _)| line)
    }

    /// Checks the move numbers.
    pub fn check_numbers(&self, game: &Game) -> Result<(), RecordError> {
        // Black's turns have the number of White's turn before them.
        let black_is_next = game.to_move() == Side::Black;
        let black_begins = black_is_next == game.ply().is_multiple_of(2);
        for (line, found, moves) in &self.numbers {
            let count = moves + usize::from(black_begins);
            let number = count / 2 + 1;
            let expected = format!("{number}{}", if count.is_multiple_of(2) { "." } else { "..." });
            if found.trim_end_matches('.').parse() != Ok(number) {
                return Err(fault(*line, RecordFault::Number { found: short(found), expected }));
            }
        }
        Ok(())
    }

    /// What ended the game, if the moves did not.
    ///
    /// # Errors
    /// [`RecordError`] if the score or the termination does not fit the moves.
    pub fn end(&self, game: &Game) -> Result<Option<End>, RecordError> {
        let Some((line, score)) = &self.score else { return Ok(None) };
        if let Some(tag) = self.tag("Result").filter(|tag| tag != score) {
            let (score, tag) = (score.clone(), short(tag));
            return Err(fault(*line, RecordFault::Scores { score, tag }));
        }
        let found = self.tag("Termination").filter(|text| !is_question(text));
        let termination = |expected: &str| {
            let found = short(found.unwrap_or_default());
            fault(self.line_of("Termination"), RecordFault::Termination { found, expected: expected.to_owned() })
        };
        if let Some(result) = game.result() {
            return if result.score != score {
                let (score, played) = (score.clone(), format!("{} ({})", result.score, result.text));
                Err(fault(*line, RecordFault::Played { score, played }))
            } else if found.is_some_and(|found| found != result.reason.word()) {
                Err(termination(&format!("the moves end the game by {}", result.reason.word())))
            } else {
                Ok(None)
            };
        }
        let loser = match score.as_str() {
            OPEN if found.is_none_or(|found| found == UNFINISHED) => return Ok(None),
            OPEN => return Err(termination("the score * belongs to an unfinished game")),
            "1-0" => Some(Side::Black),
            "0-1" => Some(Side::White),
            _ => None,
        };
        let reason = |word: &str| Reason::ALL.into_iter().find(|reason| reason.word() == word);
        // A win is by resignation and a draw by agreement if there is no termination; an unknown one fits none.
        let without = if loser.is_some() { Reason::Resignation } else { Reason::Agreement };
        match (loser, found.map_or(Some(without), reason)) {
            (_, Some(Reason::Adjudication)) => Ok(Some(End::Adjudication { winner: loser.map(Side::other) })),
            (Some(side), Some(Reason::Forfeit)) => Ok(Some(End::Forfeit { side })),
            (Some(side), Some(Reason::Resignation)) => Ok(Some(End::Resignation { side })),
            (Some(side), Some(Reason::Time)) => Ok(Some(End::Time { side })),
            (None, Some(Reason::Agreement)) => Ok(Some(End::Agreement {})),
            (Some(_), _) => {
                Err(termination("the moves do not end the game; expected resignation, time, adjudication or forfeit"))
            }
            (None, _) => Err(termination("the moves do not end the game; expected agreement or adjudication")),
        }
    }
}
