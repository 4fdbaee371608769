//! Turns, notation, endings and perft against the slow oracle, on random positions of every kind.

use std::cell::Cell;
use std::collections::BTreeSet;
use std::ops::ControlFlow;

use fanorona::board::{Board, BoardSize, PointSet, Wide};
use fanorona::game::Referee;
use fanorona::rules::{Outcome, Position, PositionText, RuleSet, Rules, Side, perft, turn_text};
use fanorona::verify::{Stones, for_each_turn};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};

use crate::oracle;
use crate::prover::oracle_rules;
use crate::rules::read_turn;

/// A position with more turns, merged ones counted each, is left out: chains grow exponentially with the stones.
const MAX_TURNS: usize = 2_000;

fn any_rules() -> impl Strategy<Value = RuleSet> {
    (0..16usize).prop_map(|index| RuleSet::all().nth(index).unwrap())
}

/// Random positions of the sizes with that number of points, as text. Shares of empty points and of the mover's among
/// the stones vary from position to position; few stones that move among many that do not make the long chains.
fn any_position(points: std::ops::RangeInclusive<usize>) -> impl Strategy<Value = String> {
    let odd = || (1..=13usize).step_by(2);
    let all = odd().flat_map(move |columns| odd().map(move |rows| (columns, rows)));
    let sizes: Vec<_> = all.filter(|(columns, rows)| points.contains(&(columns * rows))).collect();
    let stones = prop::collection::vec((0..100u32, 0..100u32), 169);
    (prop::sample::select(sizes), 15..95u32, 0..=100u32, any::<bool>(), stones).prop_map(
        |((columns, rows), empty, movers, white, stones)| {
            // On a large board the enemy is kept to some 30 stones, so that the oracle comes to an end.
            #[allow(clippy::cast_possible_truncation)]
            let points = (columns * rows) as u32;
            let movers = if points < 40 { movers } else { movers.max(100 * (points - 25) / (2 * points)) };
            let stone = |(occupied, side): (u32, u32)| match (occupied < empty, (side < movers) == white) {
                (true, _) => '.',
                (false, true) => 'W',
                (false, false) => 'B',
            };
            let cells: Vec<char> = stones.into_iter().map(stone).take(columns * rows).collect();
            let ranks: Vec<String> = cells.chunks(columns).map(|rank| rank.iter().collect()).collect();
            format!("{} {}", ranks.join("/"), if white { 'w' } else { 'b' })
        },
    )
}

/// A game and a position of it, with the oracle's view of the same two.
struct Case<P> {
    game: Rules<P>,
    position: Position<P>,
    text: String,
    rules: oracle::Rules,
}

impl<P: PointSet> Case<P> {
    fn new(text: &str, rules: RuleSet) -> Self {
        let read = PositionText::parse(text).unwrap();
        let game = Rules::new(Board::new(read.size(), rules.diagonals), rules);
        let position: Position<P> = read.on(read.size()).unwrap();
        let text = position.to_text(read.size());
        Self { game, position, text, rules: oracle_rules(rules) }
    }

    fn size(&self) -> BoardSize {
        self.game.board().size()
    }

    fn text_after(&self, moved: P, next: P) -> String {
        Position::of_sides(self.position.to_move.other(), next, moved).to_text(self.size())
    }

    /// Every turn, unmerged, with the position after it; nothing if there are too many.
    fn turns(&self) -> Option<Vec<(String, String)>> {
        let mut turns = Vec::new();
        let flow = self.game.for_each_turn(self.position.mover(), self.position.opponent(), |path, after| {
            turns.push((turn_text(self.size(), &path.to_turn()), self.text_after(after.moved, after.next)));
            if turns.len() > MAX_TURNS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
        });
        flow.is_continue().then_some(turns)
    }

    /// Holds everything about the turns of the position against the oracle; gives the number of steps of the longest,
    /// nothing for a position left out.
    fn check_turns(&self) -> Result<Option<usize>, TestCaseError> {
        let Some(mut turns) = self.turns() else { return Ok(None) };
        turns.sort();
        let mut expected = oracle::turns(&self.text, self.rules);
        expected.sort();
        prop_assert_eq!(&turns, &expected);

        let boards = oracle::successors(&self.text, self.rules);
        let (own, enemy) = (self.position.mover(), self.position.opponent());
        let successors = self.game.successors(own, enemy);
        prop_assert_eq!(successors.len(), boards.len());
        let successors: BTreeSet<_> = successors.iter().map(|after| self.text_after(after.moved, after.next)).collect();
        prop_assert_eq!(&successors, &boards);
        let merged = self.game.turns(&self.position);
        prop_assert_eq!(merged.len(), boards.len());
        for (turn, after) in merged {
            let pair = (turn_text(self.size(), &turn), after.to_text(self.size()));
            prop_assert!(expected.binary_search(&pair).is_ok(), "{:?} is no turn of the oracle", pair);
            prop_assert!(boards.contains(&pair.1));
        }

        let referee = Referee::new(self.size(), self.game.rule_set().into());
        for (text, after) in &expected {
            match read_turn(&referee, &self.position, text) {
                Ok((turn, found)) => {
                    prop_assert_eq!(&turn_text(self.size(), &turn), text);
                    prop_assert_eq!(&found.to_text(self.size()), after);
                }
                Err(error) => return Err(TestCaseError::fail(format!("{text}: {error}"))),
            }
        }
        prop_assert_eq!(self.game.ending(own, enemy), self.expected_ending(boards.is_empty()));
        Ok(Some(turns.iter().map(|(text, _)| text.matches('-').count()).max().unwrap_or(0)))
    }

    fn expected_ending(&self, no_turns: bool) -> Option<Outcome> {
        let stones = self.text.split(' ').next().unwrap();
        let (own, enemy) = if self.position.to_move == Side::White { ('W', 'B') } else { ('B', 'W') };
        match (stones.contains(own), stones.contains(enemy), no_turns) {
            (false, ..) => Some(Outcome::Loss),
            (true, false, _) => Some(Outcome::Win),
            (true, true, true) if self.rules.stalemate_is_loss => Some(Outcome::Loss),
            (true, true, true) => Some(Outcome::Draw),
            (true, true, false) => None,
        }
    }
}

/// The verifier's own generator, which has no notion of a game that is over for lack of stones.
fn check_verifier_turns(case: &Case<u64>) -> TestCaseResult {
    let stones = Stones { own: case.position.mover(), enemy: case.position.opponent() };
    if stones.own != 0 && stones.enemy != 0 {
        let mut boards = BTreeSet::new();
        let any = for_each_turn(case.game.board(), case.game.rule_set().into(), stones, &mut |after| {
            boards.insert(case.text_after(after.own, after.enemy));
            true
        });
        prop_assert_eq!(any, !boards.is_empty());
        prop_assert_eq!(boards, oracle::successors(&case.text, case.rules));
    }
    Ok(())
}

/// The same cases in every run; `PROPTEST_CASES` asks for more of them.
fn runner(cases: u32) -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = cases.max(wanted.unwrap_or(0));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// Runs `check` on random positions and makes sure that they were worth it: hardly any left out, long chains among them.
fn run<P: PointSet>(
    cases: u32,
    points: std::ops::RangeInclusive<usize>,
    longest_expected: usize,
    check: impl Fn(&Case<P>) -> TestCaseResult,
) {
    let (all, left_out, longest) = (Cell::new(0), Cell::new(0), Cell::new(0));
    let outcome = runner(cases).run(&(any_position(points), any_rules()), |(text, rules)| {
        let case = Case::<P>::new(&text, rules);
        all.set(all.get() + 1);
        let Some(steps) = case.check_turns()? else {
            left_out.set(left_out.get() + 1);
            return Ok(());
        };
        longest.set(longest.get().max(steps));
        check(&case)
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    println!("{} positions, {} left out, longest chain {}", all.get(), left_out.get(), longest.get());
    assert!(left_out.get() * 10 < all.get(), "{} of {} left out", left_out.get(), all.get());
    assert!(longest.get() >= longest_expected, "the longest chain had {} steps", longest.get());
}

#[test]
fn boards_of_up_to_64_points() {
    run::<u64>(6_000, 1..=64, 9, check_verifier_turns);
}

#[test]
fn boards_of_any_size_with_wide_sets() {
    run::<Wide>(1_000, 1..=64, 6, |_| Ok(()));
    run::<Wide>(2_000, 65..=169, 9, |_| Ok(()));
}

/// A step back leads to the point that the stone has just left.
#[test]
fn steps_that_may_not_turn_back_are_those_that_may_not_repeat() {
    let longest = Cell::new(0);
    let outcome = runner(3_000).run(&(any_position(9..=45), any_rules()), |(text, rules)| {
        let rules = oracle::Rules { directions: oracle::Directions::NotRepeated, ..oracle_rules(rules) };
        if Case::<u64>::new(&text, RuleSet::default()).turns().is_some() {
            let turns = oracle::turns(&text, rules);
            longest.set(
                turns.iter().map(|(turn, _)| turn.matches('-').count()).max().max(Some(longest.get())).unwrap_or(0),
            );
            let turning = oracle::turns(&text, oracle::Rules { directions: oracle::Directions::Turning, ..rules });
            prop_assert_eq!(turning, turns);
        }
        Ok(())
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    assert!(longest.get() >= 8, "the longest chain had {} steps", longest.get());
}

#[test]
fn perft_of_two_turns() {
    run::<u64>(1_200, 1..=27, 5, |case| {
        let counted = perft(&case.game, case.position.mover(), case.position.opponent(), 2);
        prop_assert_eq!(counted, oracle::perft(&case.text, 2, case.rules));
        Ok(())
    });
}

#[test]
fn perft_of_the_start_positions_under_all_rules() {
    for (columns, rows) in [(3, 3), (3, 5), (5, 3), (1, 7), (7, 1), (7, 3), (5, 5), (9, 5), (7, 9), (11, 13), (13, 1)] {
        for rules in RuleSet::all() {
            let case = Case::<Wide>::new(&oracle::start(columns, rows), rules);
            assert_eq!(case.position, Position::start(case.size()));
            let depth = if columns * rows <= 25 { 3 } else { 2 };
            let counted = perft(&case.game, case.position.mover(), case.position.opponent(), depth);
            assert_eq!(counted, oracle::perft(&case.text, depth, case.rules), "{columns}x{rows}, {rules}");
        }
    }
}
