//! `fanorona perft`: counts lines of play, the standard test of a move generator.

use clap::Args as ClapArgs;
use serde::Serialize;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet, Wide};
use crate::rules::{Position, PositionText, RuleSet, Rules, perft};

use super::options::RuleOptions;
use super::output::{CliResult, print, print_json};
use super::values::read_number;

/// Count lines of play by length; turns to the same board count once
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The board, columns x rows
    size: BoardSize,
    /// The largest number of turns
    #[arg(value_parser = read_number::<u32>)]
    depth: u32,
    /// Count from this position instead of the start
    #[arg(long, value_name = "P")]
    position: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
    /// Print JSON at the end
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Perft {
    board: String,
    rules: RuleSet,
    position: String,
    /// Lines of 0 turns, of 1, and so on.
    counts: Vec<u64>,
}

pub fn run(arguments: &Arguments) -> CliResult {
    if arguments.size.points() <= MAX_POINTS {
        count::<u64>(arguments, arguments.rules.rule_set())
    } else {
        count::<Wide>(arguments, arguments.rules.rule_set())
    }
}

fn count<P: PointSet>(arguments: &Arguments, rules: RuleSet) -> CliResult {
    let size = arguments.size;
    let rules = Rules::<P>::new(Board::new(size, rules.diagonals), rules);
    let position = match &arguments.position {
        Some(text) => PositionText::parse(text)?.on(size)?,
        None => Position::start(size),
    };
    let count = |depth| perft(&rules, position.mover(), position.opponent(), depth);
    if arguments.json {
        let counts = (0..=arguments.depth).map(count).collect();
        let (board, position) = (size.to_string(), position.to_text(size));
        return print_json(&Perft { board, rules: rules.rule_set(), position, counts });
    }
    (arguments.depth.min(1)..=arguments.depth).try_for_each(|depth| print(&format!("{depth} {}", count(depth))))
}
