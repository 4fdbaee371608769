//! SGF files of `BoardSpace`: `; P0[1 Capture A F 2 E 3] ; P0[2 done]`.

use crate::board::{BoardSize, read_point};
use crate::rules::{Capture, Side};

use super::super::raw_record::{ParsedRecord, RawRecord, fault, short};
use super::super::record_error::{RecordError, RecordFault};
use super::list::BOARD;
use super::replay::replayed;
use super::written::{Turns, WrittenStep};

/// A property of a node.
#[derive(Debug, PartialEq, Eq)]
struct Property {
    line: usize,
    name: String,
    value: String,
}

/// The properties of the main line, in order.
fn properties(text: &str) -> Result<Vec<Property>, RecordError> {
    let (mut found, mut name, mut line) = (Vec::new(), String::new(), 1);
    let mut chars = text.chars();
    while let Some(c) = chars.next() {
        match c {
            '\n' => line += 1,
            // The first variation is the main line.
            ')' => return Ok(found),
            '(' | ';' => name.clear(),
            '[' => {
                let (begin, mut value) = (line, String::new());
                loop {
                    match chars.next() {
                        None => return Err(fault(begin, RecordFault::Sgf("a [ has no ]".to_owned()))),
                        Some(']') => break,
                        Some('\\') => value.extend(chars.next()),
                        Some(c) => {
                            line += usize::from(c == '\n');
                            value.push(c);
                        }
                    }
                }
                // A property may have several values.
                found.push(Property { line: begin, name: name.trim().to_owned(), value });
            }
            c if found.last().is_some_and(|last| last.name == name.trim()) && !c.is_whitespace() => {
                name = c.to_string();
            }
            c => name.push(c),
        }
    }
    let last = text.lines().count().max(1);
    Err(fault(line.min(last), RecordFault::Sgf("the ) at the end is missing".to_owned())))
}

/// What is read so far.
struct Reader {
    size: BoardSize,
    raw: RawRecord,
    turns: Turns,
    /// The present turn: its line, stone, and steps.
    turn: Option<(usize, usize, Vec<WrittenStep>)>,
    /// The stone that is lifted.
    lifted: Option<usize>,
    /// The player who makes the first turn, White.
    first: Option<usize>,
    names: [String; 2],
}

/// Parses an SGF file.
pub fn parse(text: &str) -> Result<ParsedRecord, RecordError> {
    let properties = properties(text)?;
    let games = || properties.iter().filter(|property| ["SU", "GM"].contains(&property.name.as_str()));
    if !games().any(|property| property.value.to_ascii_lowercase().starts_with("fanorona")) {
        let (line, name) =
            games().next().map_or((1, "?".to_owned()), |property| (property.line, property.value.clone()));
        return Err(fault(line, RecordFault::OtherGame(short(&name))));
    }
    let mut raw = RawRecord::of(text);
    raw.set(1, "Board", BOARD);
    let size = raw.size()?;
    let (turns, names) = (Turns::new(size), [String::new(), String::new()]);
    let mut reader = Reader { size, raw, turns, turn: None, lifted: None, first: None, names };
    for Property { line, name, value } in &properties {
        match name.as_str() {
            "P0" => reader.player(*line, 0, value)?,
            "P1" => reader.player(*line, 1, value)?,
            "DT" => reader.raw.set(*line, "Date", value.trim()),
            _ => {}
        }
    }
    reader.done();
    let Reader { mut raw, first, names, .. } = reader;
    let white = first.unwrap_or(0);
    for (tag, player) in [("White", white), ("Black", 1 - white)] {
        raw.set(1, tag, &names[player]);
    }
    replayed(raw)
}

impl Reader {
    /// A property of a player: a name, a time, or an action with its number.
    fn player(&mut self, line: usize, player: usize, value: &str) -> Result<(), RecordError> {
        let mut words = value.split_whitespace().peekable();
        words.next_if(|word| word.parse::<u32>().is_ok());
        let Some(action) = words.next() else { return Ok(()) };
        let rest: Vec<&str> = words.collect();
        let wrong = || fault(line, RecordFault::Sgf(format!("{:?} is not an action that is known", short(value))));
        match action.to_ascii_lowercase().as_str() {
            "id" => rest.join(" ").trim_matches('"').clone_into(&mut self.names[player]),
            "start" | "time" | "edit" | "offerdraw" | "declinedraw" | "colormap" | "ranking" => {}
            "done" => self.done(),
            "acceptdraw" => self.raw.score = Some((line, "1/2-1/2".to_owned())),
            "resign" => {
                self.done();
                // White has made as many turns as Black, or one more.
                let loser = if self.first.unwrap_or(0) == player { Side::White } else { Side::Black };
                let score = if loser == Side::White { "0-1" } else { "1-0" };
                self.raw.score = Some((line, score.to_owned()));
            }
            "move" => {
                let (from, to) = self.two(&rest).ok_or_else(wrong)?;
                self.step(line, player, from, (to, None)).ok_or_else(wrong)?;
            }
            "capture" => {
                let capture = match rest.first().map(|word| word.to_ascii_lowercase()).as_deref() {
                    Some("a") => Capture::Approach,
                    Some("w") => Capture::Withdrawal,
                    _ => return Err(wrong()),
                };
                let (from, to) = self.two(&rest[1..]).ok_or_else(wrong)?;
                self.step(line, player, from, (to, Some(capture))).ok_or_else(wrong)?;
            }
            "pickb" => self.lifted = Some(self.point(&rest).ok_or_else(wrong)?),
            "dropb" => {
                let (from, to) = (self.lifted.take().ok_or_else(wrong)?, self.point(&rest).ok_or_else(wrong)?);
                if from != to {
                    self.step(line, player, from, (to, None)).ok_or_else(wrong)?;
                }
            }
            "remove" => {
                let stone = self.point(&rest).ok_or_else(wrong)?;
                self.capture(stone).ok_or_else(wrong)?;
            }
            _ => return Err(wrong()),
        }
        Ok(())
    }

    /// The point of a column and a row.
    fn point(&self, words: &[&str]) -> Option<usize> {
        let [column, row, ..] = words else { return None };
        read_point(self.size, &format!("{column}{row}")).filter(|(_, rest)| rest.is_empty()).map(|(point, _)| point)
    }

    fn two(&self, words: &[&str]) -> Option<(usize, usize)> {
        Some((self.point(words)?, self.point(words.get(2..)?)?))
    }

    /// A step of the present turn, or the first of one.
    fn step(&mut self, line: usize, player: usize, from: usize, step: WrittenStep) -> Option<()> {
        self.first.get_or_insert(player);
        match &mut self.turn {
            Some((_, _, steps)) => {
                let &(last, _) = steps.last()?;
                (last == from).then(|| steps.push(step))
            }
            none => {
                *none = Some((line, from, vec![step]));
                Some(())
            }
        }
    }

    /// Notes that the last step captures this stone, ahead of it or behind.
    fn capture(&mut self, stone: usize) -> Option<()> {
        let columns = self.size.columns();
        let (_, stone_of_turn, steps) = self.turn.as_mut()?;
        let from = steps.len().checked_sub(2).map_or(*stone_of_turn, |before| steps[before].0);
        let (to, capture) = steps.last_mut()?;
        let away = |point: usize, other: usize| {
            (point % columns).abs_diff(other % columns).max((point / columns).abs_diff(other / columns))
        };
        let is_ahead = away(stone, *to) < away(stone, from);
        *capture = Some(if is_ahead { Capture::Approach } else { Capture::Withdrawal });
        Some(())
    }

    fn done(&mut self) {
        self.lifted = None;
        if let Some((line, from, steps)) = self.turn.take() {
            self.turns.begin(&mut self.raw, line, from, steps);
            self.turns.end(&mut self.raw);
        }
    }
}
