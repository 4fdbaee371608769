//! Writes game records, similar to PGN: tags in brackets, numbered moves with variations in parentheses, the score.

use std::fmt::Write as _;

use crate::board::PointSet;
use crate::rules::Side;

use super::history::{FREE_TAGS, GameHistory};
use super::variation::{Branch, tree};

/// The longest line of moves.
const LINE: usize = 80;

/// The score of an unfinished game.
pub(super) const OPEN: &str = "*";

/// The termination of an unfinished game.
pub(super) const UNFINISHED: &str = "unfinished";

/// What a record says of a turn.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Note {
    /// A mark after the turn, such as `?`.
    pub suffix: &'static str,
    /// A comment, without braces; empty for none.
    pub comment: String,
}

/// The game as a record: tags Event, Date, White, Black (question marks if unknown), Board, Rules, FEN, Result,
/// Termination; then the numbered moves, each with its time in seconds if known, as `{[%emt 1.250]}`, and variations in parentheses.
#[must_use]
pub fn write_record<P: PointSet>(game: &GameHistory<P>) -> String {
    write_annotated(game, &[])
}

/// The same with a note for each turn, as far as there are any.
#[must_use]
pub fn write_annotated<P: PointSet>(game: &GameHistory<P>, notes: &[Note]) -> String {
    let size = game.size();
    let result = game.result();
    let score = result.as_ref().map_or(OPEN, |result| result.score);
    let mut text = String::new();
    let mut tag = |name: &str, value: &str| {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "[{name} \"{}\"]", escaped(value));
    };
    for name in FREE_TAGS {
        let nobody = if name == "Date" { "????.??.??" } else { "?" };
        let said = game.tags.get(name).filter(|text| !is_question(text));
        tag(name, said.map_or(nobody, String::as_str));
    }
    tag("Board", &size.to_string());
    tag("Rules", &game.referee().rules().to_string());
    tag("FEN", &game.start().position.to_text(size));
    tag("Result", score);
    tag("Termination", result.as_ref().map_or(UNFINISHED, |result| result.reason.word()));
    text.push('\n');
    let begins = game.start().position.to_move;
    let (moves, variations) = (game.moves(), game.variations());
    let tree = tree(&moves, &variations);
    let mut words = Words { begins, words: Vec::new() };
    words.line(&Branch { ply: 0, moves: &moves, branches: tree }, |words, ply| {
        let (note, last) = (notes.get(ply), words.last_mut());
        if let (Some(note), Some(last)) = (note, last) {
            last.push_str(note.suffix);
        }
        if let Some(time) = game.played()[ply].time {
            words.push(format!("{{[%emt {}.{:03}]}}", time / 1000, time % 1000));
        }
        if let Some(note) = note.filter(|note| !note.comment.is_empty()) {
            // Its lines may be broken like others.
            words.extend(format!("{{{}}}", note.comment).split_whitespace().map(str::to_owned));
        }
    });
    let mut words = words.words;
    words.push(score.to_owned());
    let mut width = 0;
    for word in words {
        if width > 0 && width + 1 + word.len() > LINE {
            text.push('\n');
            width = 0;
        } else if width > 0 {
            text.push(' ');
            width += 1;
        }
        width += word.len();
        text.push_str(&word);
    }
    text.push('\n');
    text
}

/// The number that a record has before a turn, as in `1.`, or `1...` for Black's turn; before these only where they come `first`. `ply` turns
/// came before it in a game that a side `begins`.
#[must_use]
pub fn move_number(begins: Side, ply: usize, first: bool) -> Option<String> {
    let count = ply + begins.index();
    let is_white = count.is_multiple_of(2);
    (is_white || first).then(|| format!("{}{}", count / 2 + 1, if is_white { "." } else { "..." }))
}

/// The words of the moves.
struct Words {
    /// The side that begins the game.
    begins: Side,
    words: Vec<String>,
}

impl Words {
    /// Adds a line with its branches, each after the move that it replaces. `note` adds the note of the turn after so many others.
    fn line(&mut self, line: &Branch<'_>, note: impl Fn(&mut Vec<String>, usize)) {
        let mut branches = line.branches.iter().peekable();
        let end = line.ply + line.moves.len();
        let mut numbered = true;
        for (ply, text) in (line.ply..).zip(line.moves) {
            self.words.extend(move_number(self.begins, ply, numbered));
            self.words.push(text.clone());
            note(&mut self.words, ply);
            numbered = false;
            // A branch that goes on where the line ends repeats the last move.
            while let Some(branch) =
                branches.next_if(|branch| branch.ply == ply || (ply + 1 == end && branch.ply == end))
            {
                let longer =
                    [&line.moves[branch.ply.min(end - 1) - line.ply..branch.ply - line.ply], branch.moves].concat();
                self.variation(&Branch {
                    ply: branch.ply.min(end - 1),
                    moves: &longer,
                    branches: branch.branches.clone(),
                });
                numbered = true;
            }
        }
    }

    /// Adds a line in parentheses.
    fn variation(&mut self, line: &Branch<'_>) {
        let begin = self.words.len();
        // Its turns have no notes.
        self.line(line, |_, _| ());
        self.words[begin].insert(0, '(');
        if let Some(last) = self.words.last_mut() {
            last.push(')');
        }
    }
}

/// The text of a tag: quotes and backslashes get a backslash, and line ends become spaces.
fn escaped(value: &str) -> String {
    let mut text = String::new();
    for character in value.chars() {
        match character {
            '"' | '\\' => text.extend(['\\', character]),
            c if c.is_control() => text.push(' '),
            c => text.push(c),
        }
    }
    text
}

/// Whether the value of a tag means unknown.
pub(super) fn is_question(text: &str) -> bool {
    text.chars().all(|character| character == '?' || character == '.')
}
