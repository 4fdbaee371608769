//! Whether the defender holds after captures: by tables, and by strongholds with fewer stones.

use std::ops::ControlFlow;

use crate::rules::Rules;
use crate::table::{Probe, TableError};

use super::super::canonical::Canonical;
use super::super::settled::settled;
use super::known::Strongholds;

/// What holds after captures.
pub struct Captures<'a> {
    /// The rules.
    pub rules: &'a Rules<u64>,
    /// Values.
    pub tables: &'a dyn Probe,
    /// The strongholds with fewer stones.
    pub strongholds: &'a Strongholds,
}

impl Captures<'_> {
    /// Whether the defender holds in a position with captures, as far as that is known, or `None` if it has none.
    pub fn hold(&self, defender: u64, attacker: u64, attacker_moves: bool) -> Result<Option<bool>, TableError> {
        let (own, enemy) = if attacker_moves { (attacker, defender) } else { (defender, attacker) };
        let mut captures = false;
        // One good capture is enough: for the attacker, one after which the defender is not known to hold.
        let gained = self.rules.for_each_capture(own, enemy, |_, after| {
            captures = true;
            let (defender, attacker) =
                if attacker_moves { (after.next, after.moved) } else { (after.moved, after.next) };
            match self.known(defender, attacker, !attacker_moves) {
                Ok(holds) if holds == attacker_moves => ControlFlow::Continue(()),
                Ok(_) => ControlFlow::Break(Ok(())),
                Err(error) => ControlFlow::Break(Err(error)),
            }
        });
        match gained {
            ControlFlow::Break(Err(error)) => Err(error),
            ControlFlow::Break(Ok(())) => Ok(Some(!attacker_moves)),
            ControlFlow::Continue(()) => Ok(captures.then_some(attacker_moves)),
        }
    }

    /// Whether the defender is known to hold.
    fn known(&self, defender: u64, attacker: u64, attacker_moves: bool) -> Result<bool, TableError> {
        let (mover, opponent) = if attacker_moves { (attacker, defender) } else { (defender, attacker) };
        let reached = settled(self.tables, Canonical { mover, opponent }, attacker_moves)?;
        Ok(reached.map_or_else(|| self.strongholds.hold(defender, attacker, attacker_moves), |it| it != attacker_moves))
    }
}
