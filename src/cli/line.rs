//! `fanorona line`: best play from a position to the end of the game.

use clap::Args as ClapArgs;

use crate::board::MAX_POINTS;
use crate::report::{LineEnd, advice, line};
use crate::retro::{BuildError, Goal};
use crate::rules::PositionText;

use super::options::{KnowledgeOptions, RuleOptions, machine_reach};
use super::output::{CliResult, print, print_json};
use super::wording::{moves_text, note_unused, value_text};

/// Print best play to the end of the game: by depth tables the winner takes the shortest way and the loser the longest, by
/// proofs the way that a proof has
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The position: ranks from the top, then the side to move, such as "9/9/9/B6B1/B3WW2W w", or a board such as 9x5, for its start
    position: String,
    #[command(flatten)]
    rules: RuleOptions,
    #[command(flatten)]
    knowledge: KnowledgeOptions,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let parsed = PositionText::parse(&arguments.position)?;
    let size = parsed.size();
    if size.points() > MAX_POINTS {
        return Err(BuildError::BoardTooLarge(size).into());
    }
    let rules = arguments.rules.rule_set();
    let knowledge = arguments.knowledge.open(size, rules)?;
    let position = parsed.on::<u64>(size)?;
    let line = line(knowledge.rules(), &position, |mover, opponent| knowledge.look_up(mover, opponent))?;
    if arguments.json {
        print_json(&line)?;
    } else {
        let value = value_text(&line.known, position.to_move);
        print(&format!("{}\nValue: {value}\n{}", line.position, moves_text(&line, position.to_move)))?;
    }
    if line.end == LineEnd::Unknown {
        let (board, database) = ((size, rules), &arguments.knowledge.database.folder);
        note_unused(knowledge.proofs(), database);
        if arguments.json {
            return Ok(());
        }
        let last = line.line.last().map_or(Ok(position), |last| PositionText::parse(&last.position)?.on(size))?;
        note!(
            "Neither a depth table nor a proof leads on from \"{}\": {}",
            last.to_text(size),
            advice(Goal::both, board, &last, database, &machine_reach())
        );
    }
    Ok(())
}
