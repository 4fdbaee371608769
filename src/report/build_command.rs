//! The command that builds the tables of a board, for messages.

use crate::board::BoardSize;
use crate::rules::RuleSet;

/// The command that builds a board under these rules up to that many stones.
#[must_use]
pub fn build_command(size: BoardSize, rules: RuleSet, stones: usize) -> String {
    let mut command = format!("fanorona build {size} --stones {stones}");
    let options = ["diagonals", "continuation", "stalemate"].into_iter().zip(rules.words()).zip(rules.options());
    for ((option, word), _) in options.filter(|(_, differs)| *differs) {
        command.extend([" --", option, " ", word]);
    }
    command
}
