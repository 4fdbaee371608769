//! Questions that the rules or the tables answer.

use crate::rules::{Bounds, Outcome};
use crate::table::{Probe, TableError};

use super::canonical::Canonical;

/// Whether the side to move reaches its goal in a position, if the rules, the tables or the proofs settle that. The attacker
/// wants to win, the defender not to lose. Any image of the position will do.
///
/// # Errors
/// [`TableError`] if a table cannot be read.
pub fn settled(tables: &dyn Probe, position: Canonical, attacker_moves: bool) -> Result<Option<bool>, TableError> {
    if position.mover == 0 {
        return Ok(Some(false));
    }
    if position.opponent == 0 {
        return Ok(Some(true));
    }
    if position.stones() > tables.stones() {
        return Ok(None);
    }
    let Bounds { least, most } = tables.probe(position.mover, position.opponent)?;
    let goal = if attacker_moves { Outcome::Win } else { Outcome::Draw };
    Ok(if least >= goal { Some(true) } else { (most < goal).then_some(false) })
}
