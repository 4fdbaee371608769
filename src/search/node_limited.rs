//! One question with a limit of nodes, answered by the calling thread alone: for callers with milliseconds to spend.

use crate::table::TableError;

use super::canonical::{Canonical, Mirror};
use super::dfpn::Worker;
use super::numbers::Numbers;
use super::solver::Solver;

impl Solver<'_> {
    /// Whether the attacker wins from a position, or `None` if that is open after `nodes` more nodes; another call continues
    /// where this one ends. The table does not grow. The same calls give the same answers.
    ///
    /// A win is certain. The answer that there is none may depend on a path, as the module's documentation explains: only
    /// [`Solver::extract`] makes that certain.
    ///
    /// # Errors
    /// [`TableError`] if a table cannot be read.
    pub fn attacker_wins_within(
        &mut self,
        position: (u64, u64),
        attacker_moves: bool,
        nodes: u64,
    ) -> Result<Option<bool>, TableError> {
        let root = Mirror::new(self.rules().board().size()).canonical(position.0, position.1);
        let reached = self.with_shared(|shared| {
            if let Some(reached) = shared.expander.settled(root, attacker_moves)? {
                return Ok(Some(reached));
            }
            let found = shared.entries.get(root.key(attacker_moves)).filter(|found| found.holds());
            let numbers = match found {
                Some(found) => found.numbers,
                None => Worker::new(shared, nodes).settle(root, attacker_moves)?,
            };
            Ok(numbers.settled())
        })?;
        Ok(reached.map(|reached| reached == attacker_moves))
    }

    /// The position after a turn of the attacker after which a win looks nearest to being proved, if any has been searched.
    pub fn most_promising(&mut self, position: (u64, u64)) -> Option<Canonical> {
        let mirror = Mirror::new(self.rules().board().size());
        let after = self.rules().successors(position.0, position.1);
        let entries = self.entries();
        let searched = after.iter().filter_map(|after| {
            let after = mirror.canonical(after.next, after.moved);
            let Numbers { phi, delta } = entries.get(after.key(false))?.numbers;
            Some((delta, std::cmp::Reverse(phi), after))
        });
        searched.min().map(|(.., after)| after)
    }
}

#[cfg(test)]
mod tests {
    use crate::board::{Board, Diagonals};
    use crate::rules::{Position, PositionText, RuleSet, Rules};
    use crate::table::NoValues;

    use super::super::estimate::Tuning;
    use super::super::solver::SearchOptions;
    use super::*;

    /// Twelve stones against one that can run away for a long time: without the detour, a search follows it for a hundred
    /// thousand paikas.
    #[test]
    fn a_lone_stone_is_not_followed_for_ever() {
        let board = Board::new("3x13".parse().expect("a board"), Diagonals::Corner);
        let start = "B2/3/3/3/W2/1W1/2W/1W1/3/1WW/1WW/1WW/1WW w";
        let start: Position<u64> =
            PositionText::parse(start).and_then(|text| text.on(board.size())).expect("a position");
        let rules = Rules::new(board, RuleSet::default());
        let wins = |paikas| {
            let tuning = Tuning { paikas, ..Tuning::default() };
            let options = SearchOptions { memory: 1 << 24, threads: 1, tuning };
            let mut solver = Solver::new(&rules, &NoValues, options).expect("memory");
            solver.attacker_wins_within((start.mover(), start.opponent()), true, 200_000).expect("no tables")
        };
        assert_eq!((wins(Tuning::default().paikas), wins(0)), (Some(true), None));
    }
}
