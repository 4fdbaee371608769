//! Plans which strongholds are made, and makes them.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicBool, AtomicU64};

use crate::board::Board;
use crate::index::Space;
use crate::rules::Rules;
use crate::table::Probe;

use super::super::error::SolveError;
use super::captures::Captures;
use super::choice::{Allowance, Chosen, choose};
use super::known::Strongholds;
use super::rows::Work;
use super::tally::PlacementCounts;

/// Rows that are to be made.
pub struct Plan {
    chosen: Chosen,
    positions: u64,
}

impl Plan {
    /// The rows that are most worth their work, by what has been counted, after those of earlier strongholds.
    #[must_use]
    pub fn new(
        board: &Board<u64>,
        tally: &PlacementCounts,
        earlier: Option<&Strongholds>,
        allowance: Allowance,
    ) -> Self {
        let space = Space::new(board.size(), board.diagonals());
        let earlier: Vec<_> = earlier.iter().flat_map(|strongholds| strongholds.placements()).collect();
        let (chosen, positions) = choose(&space, tally, &earlier, allowance);
        Self { chosen, positions }
    }

    /// Positions in all rows.
    #[must_use]
    pub fn positions(&self) -> u64 {
        self.positions
    }

    /// Makes the rows, with the threads of the pool that it is called in; adds the positions that are done to `done`.
    ///
    /// # Errors
    /// [`SolveError::Table`], or [`SolveError::Stopped`] as soon as `stop` is set.
    pub fn carry_out(
        &self,
        rules: &Rules<u64>,
        tables: &dyn Probe,
        stop: &AtomicBool,
        done: &AtomicU64,
    ) -> Result<Strongholds, SolveError> {
        let space = Space::new(rules.board().size(), rules.board().diagonals());
        let mut strongholds = Strongholds { space, slices: BTreeMap::new(), max_stones: 0 };
        for (&(stones, defenders), placements) in &self.chosen {
            let attackers = stones - defenders;
            let captures = Captures { rules, tables, strongholds: &strongholds };
            let work = Work { captures, subsets: strongholds.space.subsets(attackers), stop, done };
            let rows = work.rows(placements)?;
            strongholds.slices.insert((defenders, attackers), rows);
            strongholds.max_stones = stones;
        }
        Ok(strongholds)
    }
}

#[cfg(test)]
mod tests {
    use crate::board::Diagonals;
    use crate::knowledge::{Knowledge, Trust};
    use crate::retro::{Budget, Goal, build};
    use crate::rules::{Outcome, RuleSet, Stalemate};
    use crate::table::{DEFAULT_CACHE_BYTES, NoValues, Tables};

    use super::super::tally::Placement;
    use super::*;

    /// The strongholds of the placements of all slices with stones in that range for which `is_chosen` is true.
    fn strongholds(
        rules: &Rules<u64>,
        tables: &dyn Probe,
        stones: std::ops::RangeInclusive<usize>,
        mut is_chosen: impl FnMut() -> bool,
    ) -> Strongholds {
        let (space, mut tally) =
            (Space::new(rules.board().size(), rules.board().diagonals()), PlacementCounts::default());
        for (all, defenders) in stones.flat_map(|all| (1..all).map(move |defenders| (all, defenders))) {
            for &defender in space.subsets(defenders).representatives() {
                if is_chosen() {
                    let attackers = u32::try_from(all - defenders).unwrap();
                    tally.count(Placement { defender, attackers });
                }
            }
        }
        let allowance = Allowance { positions: u64::MAX, bytes: u64::MAX };
        let plan = Plan::new(rules.board(), &tally, None, allowance);
        let (stop, done, positions) = (AtomicBool::new(false), AtomicU64::new(0), plan.positions());
        let strongholds = plan.carry_out(rules, tables, &stop, &done).unwrap();
        assert!(positions > 0 && done.into_inner() == positions);
        strongholds
    }

    /// Compares them with tables; returns how many positions hold, and how many of these the strongholds know.
    fn known(strongholds: &Strongholds, tables: &Tables, stones: usize) -> (usize, usize) {
        let (space, mut all, mut known) = (tables.space(), 0, 0);
        for defenders in 1..stones {
            let (placements, others) = (space.subsets(defenders), space.subsets(stones - defenders));
            for (&defender, slot) in
                placements.representatives().iter().flat_map(|set| (0..others.slots()).map(move |slot| (set, slot)))
            {
                let attacker = others.subset(slot);
                if others.slot(attacker) != slot || defender & attacker != 0 {
                    continue;
                }
                let to_defend = tables.probe(defender, attacker).unwrap().unwrap() >= Outcome::Draw;
                let to_attack = tables.probe(attacker, defender).unwrap().unwrap() <= Outcome::Draw;
                for (holds, attacker_moves) in [(to_defend, false), (to_attack, true)] {
                    let found = strongholds.hold(defender, attacker, attacker_moves);
                    assert!(holds || !found, "{defender:x} {attacker:x} {attacker_moves}");
                    (all, known) = (all + usize::from(holds), known + usize::from(found));
                }
            }
        }
        (all, known)
    }

    #[test]
    fn strongholds_of_all_placements_know_what_tables_know_and_those_of_some_a_part_of_it() {
        let mut random = fastrand::Rng::with_seed(51);
        for (board, stones, options) in [
            ("3x3", 6, [false; 4]),
            ("3x5", 4, [false; 4]),
            ("5x5", 4, [false; 4]),
            ("3x3", 5, [true, true, true, false]),
            ("3x5", 4, [false, false, false, true]),
        ] {
            let folder = tempfile::tempdir().unwrap();
            let (size, rules) = (board.parse().unwrap(), RuleSet::from_options(options));
            build(Goal::values(size, rules, stones), folder.path(), Budget::default()).unwrap();
            let knowledge = Knowledge::open(folder.path(), size, rules, DEFAULT_CACHE_BYTES, Trust::None).unwrap();
            let tables = knowledge.tables();
            // All from nothing, which is retrograde analysis; and the last slices from tables.
            let all = strongholds(tables.rules(), &NoValues, 2..=stones, || true);
            let below = knowledge.select(stones - 1);
            let last = strongholds(tables.rules(), &below, stones..=stones, || true);
            let some = strongholds(tables.rules(), &below, stones..=stones, || random.u32(..3) > 0);
            for strongholds in [&all, &last] {
                let (all, known) = known(strongholds, tables, stones);
                assert!(all == known || rules.stalemate == Stalemate::Draw, "{board}: {known} of {all}");
            }
            let (all, known) = known(&some, tables, stones);
            assert!(all / 3 < known && known < all, "{board}: {known} of {all}");
        }
    }

    #[test]
    fn the_placements_with_most_counts_for_their_positions_are_chosen() {
        let board = Board::<u64>::new("5x5".parse().unwrap(), Diagonals::Corner);
        let mut tally = PlacementCounts::default();
        let placements: Vec<_> = Space::new(board.size(), board.diagonals()).subsets(2).representatives().to_vec();
        // Beside two stones there are 1771 placements of three, and 8855 of four.
        for (number, &defender) in placements.iter().take(8).enumerate() {
            (0..=number).for_each(|_| tally.count(Placement { defender, attackers: 3 }));
            (0..6).for_each(|_| tally.count(Placement { defender, attackers: 4 }));
        }
        let chosen = |positions, bytes| Plan::new(&board, &tally, None, Allowance { positions, bytes }).chosen;
        assert_eq!(chosen(1770, u64::MAX), Chosen::new());
        let mut expected = placements[4..8].to_vec();
        expected.reverse();
        assert_eq!(chosen(4 * 1771 + 1770, u64::MAX), Chosen::from([((5, 2), expected)]));
        // One count for 1771 is less than six for 8855.
        let both = chosen(7 * 1771 + 8 * 8855, u64::MAX);
        assert_eq!(both.values().map(Vec::len).collect::<Vec<_>>(), [7, 8]);
        assert_eq!(chosen(u64::MAX, 100), Chosen::new());
    }
}
