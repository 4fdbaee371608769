//! Words that stand for turns, in the notations of this program, of Abstract Play and of vchess.

use crate::board::{BoardSize, point_name, read_point};
use crate::rules::{Capture, read_capture};

use super::super::raw_record::RawRecord;

/// A point that a stone goes to, and how it captures if that is written.
pub type WrittenStep = (usize, Option<Capture>);

/// What a word stands for.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Word {
    /// A stone and its steps: `d3-e3A`, `d3e3+`, `d3e3X`, `d3xe3`.
    Steps(usize, Vec<WrittenStep>),
    /// One more step of the turn before: `d4-`.
    Step(WrittenStep),
    /// A sacrifice: `d3x`.
    Sacrifice(usize),
    /// The turn ends here: `stop`.
    Stop,
}

impl Word {
    /// Parses a word; `None` if it stands for no part of a turn. Marks such as `!` and `?` are skipped.
    pub fn parse(size: BoardSize, text: &str) -> Option<Self> {
        let text = text.trim_end_matches(['!', '?', '#']);
        if text == "stop" {
            return Some(Self::Stop);
        }
        let mut points = Vec::new();
        let mut rest = text;
        while !rest.is_empty() {
            let (point, after) = read_point(size, rest)?;
            let (capture, after) = letter(after);
            points.push((point, capture));
            rest = after;
        }
        match points[..] {
            [(point, None)] if text.ends_with(['x', 'X']) => Some(Self::Sacrifice(point)),
            [step] => Some(Self::Step(step)),
            [(from, None), ref steps @ ..] => Some(Self::Steps(from, steps.to_vec())),
            // Nothing, or a letter where the stone begins, which captures nothing.
            _ => None,
        }
    }
}

/// How a step captures, and the text from the next point on.
fn letter(text: &str) -> (Option<Capture>, &str) {
    let (capture, rest) = match text.as_bytes() {
        [b'+', ..] => (Some(Capture::Approach), &text[1..]),
        [b'-'] => (Some(Capture::Withdrawal), ""),
        [b'x' | b'X', ..] => (None, &text[1..]),
        _ => read_capture(text),
    };
    (capture, rest.strip_prefix(['-', '–']).unwrap_or(rest))
}

/// Joins words to turns.
pub struct Turns {
    size: BoardSize,
    /// The line of the turn that may go on, its stone, and its steps.
    turn: Option<(usize, usize, Vec<WrittenStep>)>,
}

impl Turns {
    /// On a board of that size.
    pub fn new(size: BoardSize) -> Self {
        Self { size, turn: None }
    }

    /// Adds a word, in which commas separate steps or turns. A word that stands for no part of a turn becomes a turn as it
    /// is, which is refused when the game is replayed.
    pub fn add(&mut self, raw: &mut RawRecord, line: usize, word: &str) {
        for part in word.split(',').filter(|part| !part.is_empty()) {
            match (Word::parse(self.size, part), &mut self.turn) {
                (Some(Word::Step(step)), Some((_, _, steps))) => steps.push(step),
                // Only the stone that has just moved can go on from where it stands.
                (Some(Word::Steps(from, more)), Some((_, _, steps)))
                    if steps.last().is_some_and(|&(last, _)| last == from) =>
                {
                    steps.extend(more);
                }
                (Some(Word::Steps(from, steps)), _) => self.begin(raw, line, from, steps),
                (Some(Word::Stop), _) => self.end(raw),
                (Some(Word::Sacrifice(point)), _) => {
                    self.end(raw);
                    raw.push(line, format!("{}x", point_name(self.size, point)));
                }
                (None | Some(Word::Step(_)), _) => {
                    self.end(raw);
                    raw.push(line, part.to_owned());
                }
            }
        }
    }

    /// Begins a turn.
    pub fn begin(&mut self, raw: &mut RawRecord, line: usize, from: usize, steps: Vec<WrittenStep>) {
        self.end(raw);
        self.turn = Some((line, from, steps));
    }

    /// Ends the present turn, if there is one.
    pub fn end(&mut self, raw: &mut RawRecord) {
        let Some((line, from, steps)) = self.turn.take() else { return };
        let mut text = point_name(self.size, from);
        for (to, capture) in steps {
            text.push('-');
            text.push_str(&point_name(self.size, to));
            text.push_str(match capture {
                Some(Capture::Approach) => "A",
                Some(Capture::Withdrawal) => "W",
                None => "",
            });
        }
        raw.push(line, text);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_of_all_notations_are_understood() {
        let size: BoardSize = "9x5".parse().unwrap();
        let turns = |words: &[&str]| {
            let (mut raw, mut turns) = (RawRecord::of(""), Turns::new(size));
            for word in words {
                turns.add(&mut raw, 1, word);
            }
            turns.end(&mut raw);
            raw.moves.into_iter().map(|(_, turn)| turn).collect::<Vec<_>>()
        };
        assert_eq!(turns(&["d3-e3A", "d3e3a", "D3E3A", "d3–e3A!?"]), ["d3-e3A"; 4]);
        assert_eq!(turns(&["b2-c2A-c3A", "b2c2ac3a", "b2c2+,c3+", "b2c2+,", "c3+"]), ["b2-c2A-c3A"; 4]);
        // Words of one point go on, whatever separates them.
        assert_eq!(turns(&["f4e4-,", "e3+", "e5d4-,d5-"]), ["f4-e4W-e3A", "e5-d4W-d5W"]);
        assert_eq!(turns(&["b2c2X,c2c3X,stop", "d5d4X#", "d3xe3"]), ["b2-c2-c3", "d5-d4", "d3-e3"]);
        assert_eq!(turns(&["a1-b2,", "c5-c4"]), ["a1-b2", "c5-c4"]);
        assert_eq!(turns(&["c3x", "c3X"]), ["c3x", "c3x"]);
        assert_eq!(turns(&["d4-", "hello", "d3A-e3"]), ["d4-", "hello", "d3A-e3"]);
    }
}
