//! The positions of a board that take longest to win.

use crate::index::Slice;

use super::stats::{Longest, Stats};

/// The longest win for each number of stones, most stones first; among equals, that of the slice built first.
#[must_use]
pub fn longest_wins(stats: &Stats) -> Vec<(Slice, &Longest)> {
    let mut wins: Vec<(Slice, &Longest)> = stats
        .slices
        .iter()
        .filter_map(|slice| Some((slice.slice(), slice.depths.as_ref()?.longest_win.as_ref()?)))
        .collect();
    // Stable, so that equals keep the order of building.
    wins.sort_by_key(|(slice, win)| std::cmp::Reverse((slice.stones(), win.plies)));
    wins.dedup_by_key(|(slice, _)| slice.stones());
    wins
}

#[cfg(test)]
mod tests {
    use super::super::stats::{DepthStats, SliceStats, Totals};
    use super::*;
    use crate::rules::RuleSet;
    use crate::table::Counts;

    fn slice(mover: usize, opponent: usize, plies: Option<u32>) -> SliceStats {
        let depths = Some(DepthStats {
            bytes: 0,
            longest_win: plies.map(|plies| Longest { plies, position: format!("{mover}v{opponent}") }),
            longest_loss: None,
            wins: [].into(),
            losses: [].into(),
        });
        let counts = Counts::default();
        let (shares, identity) = (counts.into(), String::new());
        SliceStats { mover, opponent, counts, shares, bytes: 0, identity, depths, zugzwangs: None }
    }

    #[test]
    fn each_number_of_stones_has_its_longest_win() {
        let slices = vec![
            slice(1, 1, None),
            slice(2, 1, Some(9)),
            slice(1, 2, Some(9)),
            slice(3, 1, Some(5)),
            slice(2, 2, Some(7)),
            SliceStats { depths: None, ..slice(3, 2, Some(11)) },
        ];
        let rules = RuleSet::default();
        let stats = Stats { board: "5x5".to_owned(), rules, stones: 0, slices, totals: Totals::default() };
        let wins: Vec<_> =
            longest_wins(&stats).into_iter().map(|(_, win)| (win.position.as_str(), win.plies)).collect();
        assert_eq!(wins, [("2v2", 7), ("2v1", 9)]);
    }
}
