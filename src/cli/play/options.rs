//! Options of a game that is played: who plays, and by which rules.

use std::num::NonZero;
use std::time::Duration;

use clap::{Args, ValueEnum};

use crate::board::BoardSize;
use crate::game::PlayRules;
use crate::rules::Side;

use super::super::options::{RuleOptions, SideOption};

/// Who plays a side.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Player {
    /// you, at this terminal
    Human,
    /// the program
    Computer,
}

/// The rules of play.
#[derive(Args, Clone, Debug)]
pub struct PlayOptions {
    #[command(flatten)]
    table: RuleOptions,
    /// Instead of moving, a side may sacrifice a stone: it stays for the next turn of the other as a block, which can be
    /// neither captured nor captured through, and then is gone
    #[arg(long, help_heading = "Rules")]
    sacrifice: bool,
    /// That side (the winner of the last game) may not capture until it has five stones left. Choose Black: White, who
    /// begins, has no paika on the start position, and so could not move
    #[arg(long, value_enum, value_name = "SIDE", help_heading = "Rules")]
    vela: Option<SideOption>,
    /// After so many turns, both sides counted, the game is a tie; without a number 10 for each row
    #[arg(long, value_name = "TURNS", num_args = 0..=1, help_heading = "Rules")]
    #[allow(clippy::option_option)] // absent, alone, or with a number, as the command line has it
    move_limit: Option<Option<NonZero<u32>>>,
    /// A side that takes longer for a turn, such as 30s, has lost
    #[arg(long, value_name = "TIME", value_parser = humantime::parse_duration, help_heading = "Rules")]
    move_time: Option<Duration>,
    /// A position that stands for the third time is a draw
    #[arg(long, help_heading = "Rules")]
    repetition: bool,
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
            repetition: self.repetition,
            ..self.table.rules().into()
        }
    }
}
