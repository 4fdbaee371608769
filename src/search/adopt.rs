//! Completes a certificate whose search relied on other certificates, so that it stands alone.

use std::collections::{BTreeMap, HashSet};

use rayon::prelude::*;

use crate::board::{Board, Symmetry};
use crate::knowledge::Proofs;
use crate::proof::{Certificate, Claim, Member, Set, canonical, replies};
use crate::rules::RuleSet;

/// A canonical position, as the stones of its mover and of its opponent.
type Sides = (u64, u64);

/// Adds every position of other certificates that this one leads to, and the tables that these rely on.
///
/// Ranks have to fall from each position of the won set to those that follow. So a position is taken from the first certificate that
/// has it in its won set, with its rank among all certificates; the ranks of `certificate` itself are raised above all of these.
pub fn adopt(certificate: &mut Certificate, proofs: &Proofs) {
    let above_all =
        proofs.proofs().iter().flat_map(|proof| proof.certificate.won.iter().map(|won| proof.rank(won.rank))).max();
    for won in &mut certificate.won {
        won.rank = short(above_all.unwrap_or(0).saturating_add(u64::from(won.rank) + 1));
    }
    let ways = Ways {
        board: Board::new(certificate.size, certificate.rules.diagonals),
        rules: certificate.rules,
        symmetry: Symmetry::new(certificate.size),
    };
    let mut layer: Vec<Member> = certificate.safe.iter().chain(&certificate.won).copied().collect();
    let mut held: HashSet<Sides> = layer.iter().map(Member::sides).collect();
    let mut tables: BTreeMap<_, _> = certificate.tables.iter().map(|used| (used.slice, *used)).collect();
    let mut needed: Vec<Sides> = certificate.claims.iter().flat_map(|claim| ways.for_claim(claim)).collect();
    loop {
        let after: Vec<Sides> = layer.par_iter().flat_map_iter(|&member| ways.after_member(member)).collect();
        needed.extend(after);
        needed.sort_unstable();
        needed.dedup();
        layer = Vec::new();
        for position in needed.drain(..).filter(|position| !held.contains(position)).collect::<Vec<_>>() {
            // A position in no certificate is settled by tables or the rules.
            let Some((proof, set, member)) = proofs.best(position.0, position.1) else { continue };
            held.insert(position);
            tables.extend(proof.certificate.tables.iter().map(|used| (used.slice, *used)));
            layer.push(member);
            match set {
                Set::Safe => certificate.safe.push(member),
                Set::Won => certificate.won.push(Member { rank: short(proof.rank(member.rank)), ..member }),
            }
        }
        if layer.is_empty() {
            break;
        }
    }
    certificate.tables = tables.into_values().collect();
}

/// A rank as files store it. Ranks that are too large become equal, and the checker refuses the certificate.
fn short(rank: u64) -> u32 {
    u32::try_from(rank).unwrap_or(u32::MAX)
}

/// Finds the positions that must be in the sets of a certificate because of others.
struct Ways {
    board: Board<u64>,
    rules: RuleSet,
    symmetry: Symmetry,
}

impl Ways {
    /// The positions after each turn that answers the reply.
    fn after_member(&self, member: Member) -> Vec<Sides> {
        let after = replies(&self.board, self.rules, member.mover, member.opponent);
        let after = after.get(member.reply as usize);
        after.map_or_else(Vec::new, |&(own, enemy)| self.after_turns(enemy, own))
    }

    /// The position of a claim; if the claim is about the side that does not move, also the positions after each turn.
    fn for_claim(&self, claim: &Claim) -> Vec<Sides> {
        let (mover, opponent) = (claim.position.mover(), claim.position.opponent());
        let mut positions = vec![canonical(&self.symmetry, mover, opponent)];
        if claim.parts().iter().any(|&(side, _)| side != claim.position.to_move) {
            positions.extend(self.after_turns(mover, opponent));
        }
        positions
    }

    /// The positions after each turn of the mover.
    fn after_turns(&self, mover: u64, opponent: u64) -> Vec<Sides> {
        let turns = replies(&self.board, self.rules, mover, opponent).into_iter();
        turns.map(|(own, enemy)| canonical(&self.symmetry, enemy, own)).collect()
    }
}
