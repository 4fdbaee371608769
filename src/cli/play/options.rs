//! Options of play: the players and the rules.

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::board::BoardSize;
use crate::game::PlayRules;
use crate::rules::Side;

use super::super::options::{RuleOptions, SideOption};
use super::super::values::{read_number, read_positive_time};

/// Who plays a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Player {
    /// you, at this terminal
    Person,
    /// the program
    Computer,
}

/// The rules of play.
#[derive(Args, Clone, Debug)]
pub struct PlayOptions {
    #[command(flatten)]
    table: RuleOptions,
    /// Instead of moving, a side may sacrifice a stone: for the next turn of the other side it is a block that cannot be
    /// captured and ends every run of captured stones, then it is removed
    #[arg(long, help_heading = "Rules")]
    sacrifice: bool,
    /// This side (the winner of the last game) may not capture while it has more than five stones. Choose Black: White,
    /// who moves first, can only capture in the start position
    #[arg(long, value_enum, value_name = "SIDE", help_heading = "Rules")]
    vela: Option<SideOption>,
    /// After this many turns of both sides together the game is a draw [default without a number: 10 for each row]
    #[arg(long, value_name = "TURNS", num_args = 0..=1, value_parser = read_number::<NonZero<u32>>, help_heading = "Rules")]
    #[allow(clippy::option_option)] // absent, alone, or with a number, as the command line has it
    move_limit: Option<Option<NonZero<u32>>>,
    /// A side that takes longer for a turn, such as 30s, loses
    #[arg(long, value_name = "TIME", value_parser = read_positive_time, help_heading = "Rules")]
    move_time: Option<Duration>,
    /// Do not call the third occurrence of a position a draw
    #[arg(long, help_heading = "Rules")]
    no_repetition: bool,
}

impl PlayOptions {
    /// The rules, for a board of that size.
    pub fn rules(&self, size: BoardSize) -> PlayRules {
        PlayRules {
            sacrifice: self.sacrifice,
            vela: self.vela.map(Side::from),
            move_limit: self
                .move_limit
                .map(|turns| turns.map_or_else(|| PlayRules::usual_move_limit(size), NonZero::get)),
            move_time: self.move_time.map(|time| u64::try_from(time.as_millis()).unwrap_or(u64::MAX)),
            repetition: !self.no_repetition,
            ..self.table.rule_set().into()
        }
    }
}
