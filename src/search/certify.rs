//! Turns solutions into certificates.

use std::path::Path;

use rayon::prelude::*;
use serde::Serialize;

use crate::board::Symmetry;
use crate::knowledge::{Proof, Proofs};
use crate::proof::{Certificate, Claim, Member, ProofError, TableUse, canonical, replies};
use crate::rules::{Position, Rules, Side, Value};

use super::adopt::adopt;
use super::canonical::{Canonical, Mirror};
use super::closed_set::{ClosedSet, Extracted};
use super::solution::Solution;

/// A certificate that was written.
#[derive(Clone, Debug, Serialize)]
pub struct CertificateFile {
    /// Its path.
    pub file: String,
    /// Its length.
    pub bytes: u64,
    /// Positions in its safe set.
    pub safe: usize,
    /// Positions in its won set.
    pub won: usize,
}

impl Solution {
    /// Writes the certificate of the values found, which relies on these tables, unless there is nothing to claim. What the search
    /// took from other certificates is copied into it; if one of these is about the same position, its other claims are kept.
    ///
    /// # Errors
    /// Those of [`Certificate::write`].
    pub fn certify(
        &self,
        rules: &Rules<u64>,
        tables: &[TableUse],
        proofs: &Proofs,
        path: &Path,
    ) -> Result<Option<CertificateFile>, ProofError> {
        let mut certificate = self.certificate(rules, tables.to_vec());
        if certificate.claims.is_empty() {
            return Ok(None);
        }
        if !proofs.proofs().is_empty() {
            self.keep_claims(&mut certificate, proofs);
            adopt(&mut certificate, proofs);
        }
        let (bytes, file) = (certificate.write(path)?, path.display().to_string());
        Ok(Some(CertificateFile { file, bytes, safe: certificate.safe.len(), won: certificate.won.len() }))
    }

    /// Adds the claims of the certificates about the same position, and the tables that they rely on. Of two claims about a position
    /// one remains, as strong as both.
    fn keep_claims(&self, certificate: &mut Certificate, proofs: &Proofs) {
        for Proof { certificate: proof, .. } in proofs.proofs() {
            if proof.claims.first().is_none_or(|main| main.position != self.position) {
                continue;
            }
            for claim in &proof.claims {
                match certificate.claims.iter_mut().find(|own| own.position == claim.position) {
                    None => certificate.claims.push(*claim),
                    Some(own) => {
                        let [one, other] = [own.value, claim.value].map(|value| value.bounds(Side::White));
                        let both = Value::of_bounds(one.and(other), Side::White);
                        own.value = if both == Value::Unknown { own.value } else { both };
                    }
                }
            }
            for used in &proof.tables {
                if certificate.tables.iter().all(|own| own.slice != used.slice) {
                    certificate.tables.push(*used);
                }
            }
        }
    }

    /// A certificate of the values found, which relies on these tables. It numbers replies by the checker's own list of turns.
    #[must_use]
    pub fn certificate(&self, rules: &Rules<u64>, tables: Vec<TableUse>) -> Certificate {
        let values = self.moves.iter().map(|entry| (entry.after, entry.value));
        let claims = [(self.position, self.value)].into_iter().chain(values);
        // A board without stones is known by the rules, and is no position of a certificate.
        let is_claim = |&(position, value): &(Position<u64>, Value)| {
            value != Value::Unknown && position.mover() | position.opponent() != 0
        };
        let claims = claims.filter(is_claim).map(|(position, value)| Claim { position, value });
        let naming =
            Naming { rules, mirror: Mirror::new(rules.board().size()), symmetry: Symmetry::new(rules.board().size()) };
        // A position that is won is safe too, and is listed once.
        let safe = naming.named(&self.safe, |position| !self.won.contains_key(position));
        let won = naming.named(&self.won, |_| true);
        Certificate { size: rules.board().size(), rules: rules.rule_set(), tables, claims: claims.collect(), safe, won }
    }
}

struct Naming<'a> {
    rules: &'a Rules<u64>,
    mirror: Mirror,
    symmetry: Symmetry,
}

impl Naming<'_> {
    fn named(&self, set: &ClosedSet, keep: impl Fn(&Canonical) -> bool + Sync) -> Vec<Member> {
        let kept = set.par_iter().filter(|(position, _)| keep(position));
        kept.map(|(&position, &extracted)| self.member(position, extracted)).collect()
    }

    fn member(&self, position: Canonical, Extracted { reply, rank }: Extracted) -> Member {
        let (mover, opponent) = canonical(&self.symmetry, position.mover, position.opponent);
        let boards = replies(self.rules.board(), self.rules.rule_set(), mover, opponent);
        let is_reply = |&(own, enemy): &(u64, u64)| Some(self.mirror.canonical(enemy, own)) == reply;
        // A reply that the checker's generator does not know gets a number that is refused.
        let missing = if reply.is_some() { boards.len() } else { 0 };
        #[allow(clippy::cast_possible_truncation)] // a position has few turns
        let reply = boards.iter().position(is_reply).unwrap_or(missing) as u32;
        Member { mover, opponent, reply, rank }
    }
}
