//! Checks that a certificate is well formed, before its claims are checked.

use rayon::prelude::*;

use crate::board::Symmetry;
use crate::index::Slice;
use crate::rules::{Position, Side, Value};

use super::certificate::{Certificate, Set, canonical, disorder, find};
use super::error::Malformed;

/// The largest number of claims in a certificate.
pub const MAX_CLAIMS: usize = 1 << 16;

/// The largest number of positions in a set.
pub const MAX_POSITIONS: u64 = 1 << 36;

/// The largest number of positions for each byte of a file. Proofs have less than one; the limit bounds the work that a small
/// file can cause.
pub const MAX_POSITIONS_PER_BYTE: u64 = 16;

/// Checks everything that does not need the rules.
pub fn check_shape(certificate: &Certificate) -> Result<(), Malformed> {
    check_head(certificate)?;
    let symmetry = Symmetry::new(certificate.size);
    check_set(Set::Safe, certificate, &symmetry)?;
    check_set(Set::Won, certificate, &symmetry)?;
    let both = certificate.won.par_iter().find_first(|won| find(&certificate.safe, won.sides()).is_some());
    both.map_or(Ok(()), |won| Err(Malformed::InBoth(text(certificate, won.sides()))))
}

/// Checks the board, the list of tables, and the claims.
pub fn check_head(certificate: &Certificate) -> Result<(), Malformed> {
    let points = certificate.size.points();
    if points > 64 {
        return Err(Malformed::Board(certificate.size));
    }
    check_tables(certificate, points)?;
    check_claims(certificate)
}

/// A position as text, White to move.
pub fn text(certificate: &Certificate, (mover, opponent): (u64, u64)) -> String {
    Position::of_sides(Side::White, mover, opponent).to_text(certificate.size)
}

fn check_tables(certificate: &Certificate, points: usize) -> Result<(), Malformed> {
    let mut before = None;
    for slice in certificate.tables.iter().map(|table| table.slice) {
        if before >= Some(slice) || slice.mover == 0 || slice.opponent == 0 || slice.stones() > points {
            return Err(Malformed::Slice(slice));
        }
        before = Some(slice);
    }
    // Positions with a capture are looked up where their captures lead, so those tables belong to the proof too.
    let listed = |slice: Slice| certificate.tables.binary_search_by_key(&slice, |table| table.slice).is_ok();
    for slice in certificate.tables.iter().map(|table| table.slice) {
        let mut after_captures = (1..slice.opponent).map(|left| Slice::new(left, slice.mover));
        if let Some(missing) = after_captures.find(|&after| !listed(after)) {
            return Err(Malformed::OpenTables { slice, missing });
        }
    }
    Ok(())
}

fn check_claims(certificate: &Certificate) -> Result<(), Malformed> {
    let claims = &certificate.claims;
    if claims.is_empty() {
        return Err(Malformed::NoClaims);
    }
    if claims.len() > MAX_CLAIMS {
        return Err(Malformed::TooMany { what: "claims", found: claims.len() as u64, most: MAX_CLAIMS as u64 });
    }
    let impossible = claims.iter().position(|claim| {
        let (white, black) = (claim.position.white, claim.position.black);
        !stand(certificate, white, black) || white | black == 0 || claim.value == Value::Unknown
    });
    impossible.map_or(Ok(()), |index| Err(Malformed::Claim(index + 1)))
}

fn check_set(set: Set, certificate: &Certificate, symmetry: &Symmetry) -> Result<(), Malformed> {
    let (set, positions) = (set.name(), certificate.set(set));
    if positions.len() as u64 > MAX_POSITIONS {
        return Err(Malformed::TooMany { what: "positions", found: positions.len() as u64, most: MAX_POSITIONS });
    }
    if let Some(index) = disorder(positions) {
        return Err(Malformed::NotSorted { set, number: index + 1 });
    }
    let wrong = positions.par_iter().enumerate().find_map_first(|(index, member)| {
        let (mover, opponent) = member.sides();
        if !stand(certificate, mover, opponent) || mover == 0 || opponent == 0 {
            return Some(Malformed::Stones { set, number: index + 1 });
        }
        let image = canonical(symmetry, mover, opponent);
        (image != (mover, opponent)).then(|| Malformed::NotCanonical {
            set,
            position: text(certificate, (mover, opponent)),
            canonical: text(certificate, image),
        })
    });
    wrong.map_or(Ok(()), Err)
}

/// True if no point has two stones and every stone is on the board.
fn stand(certificate: &Certificate, one: u64, other: u64) -> bool {
    let off = u64::MAX.checked_shl(certificate.size.points().try_into().unwrap_or(64)).unwrap_or(0);
    one & other == 0 && (one | other) & off == 0
}
