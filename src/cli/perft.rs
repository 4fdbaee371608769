//! `fanorona perft`: counts lines of play, the standard test of a move generator.

use clap::Args as ClapArgs;

use crate::board::{Board, BoardSize, MAX_POINTS, PointSet, Wide};
use crate::rules::{Position, PositionText, RuleSet, Rules, perft};

use super::options::RuleOptions;
use super::output::{CliResult, print};

/// Count lines of play by length; turns to the same board count once
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The board, columns x rows
    size: BoardSize,
    /// The largest number of turns
    depth: u32,
    /// Count from this position instead of the start
    #[arg(long, value_name = "P")]
    position: Option<String>,
    #[command(flatten)]
    rules: RuleOptions,
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
    for depth in arguments.depth.min(1)..=arguments.depth {
        print(&format!("{depth} {}", perft(&rules, position.mover(), position.opponent(), depth)))?;
    }
    Ok(())
}
