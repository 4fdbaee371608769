//! `fanorona line`: best play from a position to the end of the game.

use std::fmt::Write as _;

use clap::Args as ClapArgs;

use crate::report::{Line, LineEnd, line};
use crate::retro::BuildError;
use crate::rules::{Outcome, PositionText, Side};
use crate::table::{DEFAULT_CACHE_BYTES, Tables};

use super::options::{DatabaseOption, RuleOptions};
use super::output::{CliResult, print, print_json};

/// Play a position to its end: the winner takes the shortest way, the loser the longest
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The position: ranks from the top, then the side to move, such as "9/9/9/B6B1/B3WW2W w"
    position: String,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    database: DatabaseOption,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let parsed = PositionText::parse(&arguments.position)?;
    let size = parsed.size();
    if size.points() > 64 {
        return Err(BuildError::BoardTooLarge(size).into());
    }
    let rules = arguments.rules.rules();
    let tables = Tables::open(&arguments.database, size, rules, DEFAULT_CACHE_BYTES)?;
    let position = parsed.on::<u64>(size)?;
    let line = line(tables.game(), &position, |mover, opponent| tables.look_up(mover, opponent))?;
    if arguments.json {
        return print_json(&line);
    }
    let value = value_text(line.value, line.dtw, position.to_move);
    print(&format!("{}\nValue: {value}\n{}", line.position, moves_text(&line, position.to_move)))?;
    if line.end == LineEnd::Unknown {
        let stones = (position.mover() | position.opponent()).count_ones();
        let reach = tables.folder().depths_up_to(size.points());
        note!(
            "No depth table covers this position: depth tables reach {reach} stones, the position has {stones}. \
             More: fanorona build {size} --stones N --metric both"
        );
    }
    Ok(())
}

/// A value with the plies it takes, as in `wins in 11 plies`.
pub fn value_text(value: Option<Outcome>, dtw: Option<u32>, side: Side) -> String {
    let plies = dtw.map_or(String::new(), |plies| format!(" in {plies} {}", if plies == 1 { "ply" } else { "plies" }));
    match value {
        Some(Outcome::Win) => format!("{side:?} to move wins{plies}"),
        Some(Outcome::Draw) => "draw".to_owned(),
        Some(Outcome::Loss) => format!("{side:?} to move loses{plies}"),
        None => "unknown".to_owned(),
    }
}

/// A line for people: the moves with their numbers, and why it ends.
pub fn moves_text(line: &Line, to_move: Side) -> String {
    let mut text = "Line:".to_owned();
    let black_begins = usize::from(to_move == Side::Black);
    for (number, one) in line.line.iter().enumerate() {
        let ply = number + black_begins;
        if ply.is_multiple_of(2) {
            // Writing to a string cannot fail.
            let _ = write!(text, " {}.", ply / 2 + 1);
        } else if number == 0 {
            text.push_str(" 1…");
        }
        text.push(' ');
        text.push_str(&one.text);
    }
    text.push_str(match line.end {
        LineEnd::Over if line.line.is_empty() => " the game is over.",
        LineEnd::Over => ", and the game is over.",
        LineEnd::Repetition => ", and a position has come back.",
        LineEnd::Unknown => " unknown from here.",
    });
    text
}
