//! Closed sets of positions, and the ranks of those that are won.

use std::collections::HashMap;

use rayon::prelude::*;

use crate::table::TableError;

use super::canonical::Canonical;

/// A closed set: for each position, the position after the reply of its mover, where there is a reply; and its rank, if
/// the mover wins.
pub type ClosedSet = HashMap<Canonical, Extracted>;

/// What to do in a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Extracted {
    /// The position after the reply, its mover the other side. `None`: no turn, and stalemate is a draw.
    pub reply: Option<Canonical>,
    /// If the mover wins: greater than the rank of each position that can come up two turns later. Otherwise 0.
    pub rank: u32,
}

/// Sets the ranks of all positions that have one: one more than the largest among the answers to the reply, which are in the
/// same set, or in `base` with a rank. Returns the others, whose replies lead in circles. `answers` finds the open
/// answers to a reply.
pub fn ranks(
    base: &ClosedSet,
    replies: &mut ClosedSet,
    answers: &(dyn Fn(Canonical) -> Result<Vec<Canonical>, TableError> + Sync),
) -> Result<Vec<Canonical>, TableError> {
    let positions: Vec<(Canonical, Option<Canonical>)> = replies.iter().map(|(&p, e)| (p, e.reply)).collect();
    let numbers: HashMap<Canonical, usize> =
        positions.iter().enumerate().map(|(number, entry)| (entry.0, number)).collect();
    // The answers to each reply that are in the set, and the rank that those in `base` allow.
    let (after, mut rank): (Vec<Vec<usize>>, Vec<u32>) = positions
        .par_iter()
        .map(|&(_, reply)| {
            let (mut after, mut least) = (Vec::new(), 0);
            for answer in reply.map_or(Ok(Vec::new()), answers)? {
                match base.get(&answer) {
                    Some(extracted) => least = least.max(extracted.rank + 1),
                    // An answer outside both leaves the position without a rank.
                    None => after.push(numbers.get(&answer).copied().unwrap_or(usize::MAX)),
                }
            }
            Ok((after, least))
        })
        .collect::<Result<_, TableError>>()?;
    let mut before: Vec<Vec<usize>> = vec![Vec::new(); positions.len()];
    let mut waiting_for: Vec<usize> = after.iter().map(Vec::len).collect();
    for (number, after) in after.iter().enumerate() {
        for &answer in after.iter().filter(|&&answer| answer != usize::MAX) {
            before[answer].push(number);
        }
    }
    let mut ready: Vec<usize> = (0..positions.len()).filter(|&number| waiting_for[number] == 0).collect();
    while let Some(number) = ready.pop() {
        for &earlier in &before[number] {
            rank[earlier] = rank[earlier].max(rank[number] + 1);
            waiting_for[earlier] -= 1;
            if waiting_for[earlier] == 0 {
                ready.push(earlier);
            }
        }
    }
    let mut circular = Vec::new();
    for (number, &(position, _)) in positions.iter().enumerate() {
        if waiting_for[number] > 0 {
            circular.push(position);
        } else if let Some(extracted) = replies.get_mut(&position) {
            extracted.rank = rank[number];
        }
    }
    Ok(circular)
}
