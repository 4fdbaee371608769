//! Lists of moves, alone or below the tags of vchess.

use crate::board::BoardSize;

use super::super::lexeme::Lexeme;
use super::super::raw_record::{ParsedRecord, RawRecord, fault, short};
use super::super::record_error::{RecordError, RecordFault};
use super::replay::replayed;
use super::written::{Turns, Word};

/// The board of games from other programs.
pub const BOARD: &str = "9x5";

/// The largest board, which has all points.
const LARGEST: &str = "13x13";

fn size(text: &str) -> Option<BoardSize> {
    text.parse().ok()
}

/// Whether a text looks like a list of moves: by its first word that is not a number.
pub fn begins(text: &str) -> bool {
    let first = text.split_whitespace().find_map(|word| {
        let word = word.trim_start_matches(|c: char| c.is_ascii_digit()).trim_start_matches(['.', ')']);
        // A board size begins with a digit too: of 9x5, `x5` is left.
        (!word.is_empty()).then_some(word)
    });
    let Some(word) = first else { return false };
    let is_move = |part: &str| {
        let word = size(LARGEST).and_then(|size| Word::parse(size, part));
        matches!(word, Some(Word::Steps(..) | Word::Sacrifice(_)))
    };
    is_rank_list(word)
        || word.strip_prefix(['x', 'X']).is_some_and(|rows| rows.parse::<usize>().is_ok())
        || word.split(',').next().is_some_and(is_move)
}

/// Whether a word is written like the size of a board, even if there is none of that size.
fn is_size(word: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit());
    word.split_once('x').is_some_and(|(columns, rows)| digits(columns) && digits(rows))
}

/// Whether a word can be the stones of a position.
fn is_rank_list(word: &str) -> bool {
    word.contains('/') && word.chars().all(|c| "WwBb./".contains(c) || c.is_ascii_digit())
}

/// Parses a list of moves.
pub fn parse(text: &str, lexemes: Vec<(usize, Lexeme)>) -> Result<ParsedRecord, RecordError> {
    let mut raw = RawRecord::of(text);
    let mut words = lexemes.into_iter().peekable();
    let mut board = BOARD.to_owned();
    if let Some((line, Lexeme::Word(word))) = words.peek().cloned() {
        if is_size(&word) {
            board = word;
            words.next();
        } else if is_rank_list(&word) {
            words.next();
            let side =
                words.next_if(|(_, next)| matches!(next, Lexeme::Word(word) if ["w", "b"].contains(&word.as_str())));
            let side = if let Some((_, Lexeme::Word(side))) = side { side } else { String::new() };
            raw.set(line, "FEN", format!("{word} {side}").trim());
            board.clear();
        }
    }
    raw.set(1, "Board", &board);
    let size = raw.size()?;
    add_moves(&mut raw, size, words)?;
    replayed(raw)
}

/// Parses a PGN file of vchess, which has the moves twice: as they are shown, and below them a second time with `1.w` and `1.b`
/// before them.
pub fn parse_vchess(text: &str, lexemes: Vec<(usize, Lexeme)>) -> Result<ParsedRecord, RecordError> {
    let mut raw = RawRecord::of(text);
    let is_second =
        |(_, lexeme): &(usize, Lexeme)| matches!(lexeme, Lexeme::Word(word) if ["w", "b"].contains(&word.as_str()));
    // The second list begins with the number before that word.
    let end = lexemes.windows(2).position(|pair| is_second(&pair[1])).unwrap_or(lexemes.len());
    let mut moves = Vec::new();
    let mut score = None;
    for (line, lexeme) in lexemes.into_iter().take(end) {
        match lexeme {
            Lexeme::Tag(name, value) if name == "Variant" && !value.eq_ignore_ascii_case("fanorona") => {
                return Err(fault(line, RecordFault::OtherGame(short(&value))));
            }
            Lexeme::Tag(name, value) if name == "Fen" => {
                let mut words = value.split_whitespace();
                let stones = words.next().unwrap_or_default().replace('P', "W").replace('p', "B");
                raw.set(line, "FEN", format!("{stones} {}", words.next().unwrap_or("w")).as_str());
            }
            Lexeme::Tag(name, value) if name == "Result" => score = Some((line, value)),
            Lexeme::Tag(name, value) => raw.set(line, &name, &value),
            // The first turn of White where Black begins.
            Lexeme::Word(word) if word == ".." || word == "..." => {}
            other => moves.push((line, other)),
        }
    }
    raw.set(1, "Board", BOARD);
    let size = raw.size()?;
    add_moves(&mut raw, size, moves.into_iter())?;
    if let (None, Some((line, score))) = (&raw.score, score) {
        raw.take(line, Lexeme::Word(score))?;
    }
    replayed(raw)
}

/// Adds the moves and the score; numbers are skipped.
fn add_moves(
    raw: &mut RawRecord,
    size: BoardSize,
    words: impl Iterator<Item = (usize, Lexeme)>,
) -> Result<(), RecordError> {
    let mut turns = Turns::new(size);
    for (line, lexeme) in words {
        match lexeme {
            Lexeme::Word(word) if raw.score.is_none() && RawRecord::is_score(&word) => {
                turns.end(raw);
                raw.take(line, Lexeme::Word(word))?;
            }
            Lexeme::Word(word) if is_number(&word) => {}
            Lexeme::Word(word) if raw.score.is_none() => turns.add(raw, line, &word),
            Lexeme::Word(word) => raw.take(line, Lexeme::Word(word))?,
            Lexeme::Number(_) | Lexeme::Time(_) | Lexeme::Tag(..) | Lexeme::Open | Lexeme::Close => {}
        }
    }
    turns.end(raw);
    Ok(())
}

/// The number of a move without a dot, as in `1` or `1)`.
fn is_number(word: &str) -> bool {
    word.trim_end_matches([')', ':']).parse::<u32>().is_ok()
}
