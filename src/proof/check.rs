//! The checker: decides in the slow and plain way whether a certificate proves its claims.

use std::collections::HashSet;
use std::convert::Infallible;

use rayon::prelude::*;

use crate::board::{Board, Symmetry};
use crate::index::Slice;
use crate::rules::{Outcome, Position, Side, Stalemate};
use crate::verify::Values;

use super::certificate::{Certificate, Member, Set, canonical, find, replies};
use super::claim::Claim;
use super::error::{Flaw, Lack, Refusal};
use super::shape::{check_shape, text};

/// The version of the checker. Records of checks by other versions do not count; it goes up when a fault is found that could
/// have let a wrong certificate pass.
pub const CHECKER: u32 = 1;

/// The source of values for certificates that use no tables: it has none.
#[derive(Clone, Copy, Debug, Default)]
pub struct NoTables;

impl Values for NoTables {
    type Label = Outcome;
    type Error = Infallible;

    fn value(&self, _: u64, _: u64) -> Result<Option<Outcome>, Infallible> {
        Ok(None)
    }
}

/// Checks that a certificate proves its claims, on all threads of the current pool. `values` are those of the tables that
/// the certificate lists; only quiet positions of these slices are looked up, and the checker follows captures itself.
/// [`compare_tables`](super::compare_tables) checks that they are the same tables. `progress` gets the number of further
/// positions that are done.
///
/// # Errors
/// [`Refusal`], the same one with any number of threads: for the first position that fails, in the order of the sets, safe
/// before won; then for the first claim.
pub fn check<V: Values<Label = Outcome>>(
    certificate: &Certificate,
    values: &V,
    progress: &(dyn Fn(u64) + Sync),
) -> Result<(), Refusal<V::Error>> {
    check_shape(certificate).map_err(Refusal::Malformed)?;
    let checker = Checker {
        certificate,
        board: Board::new(certificate.size, certificate.rules.diagonals),
        symmetry: Symmetry::new(certificate.size),
        listed: certificate.tables.iter().map(|table| table.slice).collect(),
        values,
    };
    checker.check_set(Set::Safe, progress)?;
    checker.check_set(Set::Won, progress)?;
    certificate.claims.iter().enumerate().try_for_each(|(index, claim)| checker.check_claim(index + 1, claim))
}

/// What has to be proved for a side.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Goal {
    /// It does not lose.
    NotLose,
    /// It wins; a position of the won set counts only with a rank below this.
    Win { below: Option<u32> },
}

/// What was found, if anything; an error if a value could not be read.
type Verdict<T, V> = Result<Option<T>, <V as Values>::Error>;

struct Checker<'a, V> {
    certificate: &'a Certificate,
    board: Board<u64>,
    symmetry: Symmetry,
    listed: HashSet<Slice>,
    values: &'a V,
}

impl<V: Values<Label = Outcome>> Checker<'_, V> {
    /// The value of a position with stones of both sides by the listed tables. Tables hold quiet positions, so captures are
    /// followed down to these.
    fn value(&self, mover: u64, opponent: u64) -> Verdict<Outcome, V> {
        let slice = Slice::of(mover, opponent);
        if !self.listed.contains(&slice) {
            return Ok(None);
        }
        let turns = replies(&self.board, self.certificate.rules, mover, opponent);
        // Captures are obligatory: if one turn captures, all do.
        if turns.first().is_none_or(|&(_, enemy)| enemy == opponent) {
            return self.values.value(mover, opponent);
        }
        let (mut best, mut unknown) = (None, false);
        for (own, enemy) in turns {
            let value = if enemy == 0 { Some(Outcome::Loss) } else { self.value(enemy, own)? };
            match value {
                Some(Outcome::Loss) => return Ok(Some(Outcome::Win)),
                Some(value) => best = best.max(Some(value.reversed())),
                None => unknown = true,
            }
        }
        Ok(if unknown { None } else { best })
    }

    /// What is missing to prove the goal for the mover.
    fn lack(&self, mover: u64, opponent: u64, goal: Goal) -> Verdict<Lack, V> {
        if mover == 0 || opponent == 0 {
            return Ok((mover == 0).then_some(Lack::NoStones));
        }
        let value = self.value(mover, opponent)?;
        if value == Some(Outcome::Win) || (value == Some(Outcome::Draw) && goal == Goal::NotLose) {
            return Ok(None);
        }
        let sides = canonical(&self.symmetry, mover, opponent);
        let rank = find(&self.certificate.won, sides).map(|won| won.rank);
        let safe = || find(&self.certificate.safe, sides).is_some();
        Ok(match (goal, rank) {
            (Goal::NotLose | Goal::Win { below: None }, Some(_)) => None,
            (Goal::NotLose, None) if safe() => None,
            (Goal::Win { below: Some(below) }, Some(found)) if found < below => None,
            (Goal::Win { below: Some(below) }, Some(found)) => Some(Lack::Rank { found, below }),
            (Goal::Win { .. }, None) if safe() => Some(Lack::OnlySafe),
            (_, None) => Some(value.map_or(Lack::Unknown, Lack::Table)),
        })
    }

    /// Why the goal is not proved for a side that has just moved: every turn of the other side must lead to a position in which
    /// the goal holds. `own` has the colour `side`, for messages.
    fn flaw_after_turn(&self, own: u64, enemy: u64, goal: Goal, side: Side) -> Verdict<Flaw, V> {
        if enemy == 0 {
            return Ok(None);
        }
        let text = |position: Position<u64>| position.to_text(self.certificate.size);
        let before = || text(Position::of_sides(side.other(), enemy, own));
        let turns = replies(&self.board, self.certificate.rules, enemy, own);
        if turns.is_empty() && goal != Goal::NotLose && self.certificate.rules.stalemate == Stalemate::Draw {
            return Ok(Some(Flaw::Stalemate(before())));
        }
        for (enemy, own) in turns {
            if let Some(lack) = self.lack(own, enemy, goal)? {
                let after = text(Position::of_sides(side, own, enemy));
                return Ok(Some(Flaw::Turn { before: before(), after, lack }));
            }
        }
        Ok(None)
    }

    /// Whether the mover has no legal turn, and that is a draw rather than a loss.
    fn is_drawn_stalemate(&self, mover: u64, opponent: u64) -> bool {
        self.certificate.rules.stalemate == Stalemate::Draw
            && replies(&self.board, self.certificate.rules, mover, opponent).is_empty()
    }

    /// Why a position of a set is not proved.
    fn flaw(&self, set: Set, Member { mover, opponent, reply, rank }: Member) -> Verdict<Flaw, V> {
        let goal = match set {
            Set::Safe => Goal::NotLose,
            Set::Won => Goal::Win { below: Some(rank) },
        };
        let replies = replies(&self.board, self.certificate.rules, mover, opponent);
        match replies.get(reply as usize) {
            Some(&(own, enemy)) => self.flaw_after_turn(own, enemy, goal, Side::White),
            None if reply == 0 && goal == Goal::NotLose && self.is_drawn_stalemate(mover, opponent) => Ok(None),
            None => Ok(Some(Flaw::NoSuchReply { reply, replies: replies.len() })),
        }
    }

    fn check_set(&self, set: Set, progress: &(dyn Fn(u64) + Sync)) -> Result<(), Refusal<V::Error>> {
        const PIECE: usize = 1024;
        let refusal = self.certificate.set(set).par_chunks(PIECE).find_map_first(|piece| {
            let refusal = piece.iter().find_map(|member| match self.flaw(set, *member) {
                Ok(None) => None,
                Ok(Some(flaw)) => {
                    let position = text(self.certificate, member.sides());
                    Some(Refusal::Position { set: set.name(), position, flaw })
                }
                Err(error) => Some(Refusal::Unreadable(error)),
            });
            progress(piece.len() as u64);
            refusal
        });
        refusal.map_or(Ok(()), Err)
    }

    fn check_claim(&self, number: usize, claim: &Claim) -> Result<(), Refusal<V::Error>> {
        for &(side, wins) in claim.parts() {
            let goal = if wins { Goal::Win { below: None } } else { Goal::NotLose };
            if let Some(flaw) = self.flaw_in_claim(claim.position, side, goal).map_err(Refusal::Unreadable)? {
                let position = claim.position.to_text(self.certificate.size);
                return Err(Refusal::Claim { number, position, value: claim.value, flaw });
            }
        }
        Ok(())
    }

    /// Why the goal is not proved for one side in a position with either side to move.
    fn flaw_in_claim(&self, position: Position<u64>, side: Side, goal: Goal) -> Verdict<Flaw, V> {
        let (mover, opponent) = (position.mover(), position.opponent());
        if side != position.to_move {
            if opponent == 0 {
                return Ok(Some(Flaw::Here(Lack::NoStones)));
            }
            return self.flaw_after_turn(opponent, mover, goal, side);
        }
        if goal == Goal::NotLose && mover != 0 && self.is_drawn_stalemate(mover, opponent) {
            return Ok(None);
        }
        Ok(self.lack(mover, opponent, goal)?.map(Flaw::Here))
    }
}
