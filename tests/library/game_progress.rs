//! The best level wins won positions with values alone, with and without memory of the turns before, against the longest resistance
//! and against random play; depth tables have the length of the longest.

use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};

use fanorona::game::engine::{Engine, Level, SearchLimits};
use fanorona::game::{GameHistory, PlayRules};
use fanorona::rules::{Bounds, Outcome, Position, PositionText, RuleSet, Side, turn_text};
use fanorona::table::{Known, NoValues, Probe, TableError};
use fanorona::{Budget, DEFAULT_CACHE_BYTES, Goal, Tables, build};

static NEVER: AtomicBool = AtomicBool::new(false);

const STONES: usize = 6;

/// Tables, with their depths or without.
struct Values<'a> {
    tables: &'a Tables,
    depths: bool,
}

impl Probe for Values<'_> {
    fn stones(&self) -> usize {
        STONES
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        Ok(self.tables.probe(mover, opponent)?.map_or(Bounds::UNKNOWN, Bounds::from))
    }

    fn look_up(&self, mover: u64, opponent: u64) -> Result<Option<Known>, TableError> {
        let known = self.tables.look_up(mover, opponent)?;
        Ok(known.map(|known| Known { plies: known.plies.filter(|_| self.depths), ..known }))
    }
}

/// A random position with that many stones that its side to move wins.
fn won(tables: &Tables, (own, enemy): (usize, usize), random: &mut fastrand::Rng) -> Position<u64> {
    let points = tables.space().board().points();
    loop {
        let mut order: Vec<usize> = (0..points).collect();
        random.shuffle(&mut order);
        let set = |points: &[usize]| points.iter().fold(0, |set, point| set | 1 << point);
        let (mover, opponent) = (set(&order[..own]), set(&order[own..own + enemy]));
        if tables.probe(mover, opponent).expect("a table") == Some(Outcome::Win) {
            return Position::of_sides(Side::White, mover, opponent);
        }
    }
}

/// Plies that White takes to win from a position.
fn plies_to_win(
    tables: &Tables,
    position: Position<u64>,
    (forgetful, stubborn): (bool, bool),
    rules: PlayRules,
) -> u32 {
    let mut game = GameHistory::new(tables.space().board().size(), rules, position);
    let (mut white, mut black) = (Engine::new(1 << 12), Engine::new(1 << 12));
    for ply in 0.. {
        if let Some(result) = game.result() {
            assert_eq!(result.winner, Some(Side::White), "{}", result.text);
            return ply;
        }
        assert!(ply < 400, "no end from {}", position.to_text(game.size()));
        let limits =
            |level| SearchLimits { depth: Some(4), nodes: Some(2_000), ..SearchLimits::new(level, ply.into(), &NEVER) };
        let reply = if game.to_move() == Side::White {
            if forgetful {
                white = Engine::new(1 << 12);
            }
            white.choose(&game, &Values { tables, depths: false }, &limits(Level::BEST), &mut |_| ())
        } else {
            let level = if stubborn { Level::BEST } else { Level::try_from(1).expect("a level") };
            black.choose(&game, &Values { tables, depths: true }, &limits(level), &mut |_| ())
        };
        game.play(&reply.expect("a turn").text, None).expect("a legal turn");
    }
    unreachable!("a game ends or is too long")
}

#[test]
fn won_positions_are_brought_home_with_values_alone() {
    let folder = tempfile::tempdir().expect("a folder");
    let (size, rules) = ("5x5".parse().expect("a board"), RuleSet::default());
    build(Goal::both(size, rules, STONES), folder.path(), Budget::default()).expect("tables");
    let tables = Tables::open(folder.path(), size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    let mut random = fastrand::Rng::with_seed(5);
    let (mut best, mut taken, mut longest) = (0, [0; 4], 0);
    for slice in [(2, 2), (3, 2), (2, 3), (3, 3), (4, 2), (2, 4)] {
        for number in 0..6 {
            let position = won(&tables, slice, &mut random);
            // The draw by repetition does not spoil a win either.
            let rules = PlayRules { repetition: number % 2 == 1, ..PlayRules::default() };
            let score = tables.score(position.white, position.black).expect("a table").expect("a depth table");
            best += score.plies().expect("the depth of a win");
            for (mode, taken) in taken.iter_mut().enumerate() {
                let plies = plies_to_win(&tables, position, (mode % 2 == 1, mode < 2), rules);
                *taken += plies;
                longest = longest.max(plies);
            }
        }
    }
    assert!(longest <= 150, "{longest} plies");
    // Nor does one that others have begun: with depths, a win is not given away by it, and a loss is saved.
    let won = ("3W1/1W3/5/4B/5 b", ["e2-e1", "b4-c5", "e1-e2", "c5-b4", "e2-e1", "b4-c5", "e1-e2"]);
    let lost = ("3W1/1W3/5/5/4B w", ["b4-c5", "e1-e2", "c5-b4", "e2-e1", "b4-c5", "e1-e2", "c5-b4"]);
    for ((position, moves), depths, is_drawn) in
        [(won, true, false), (won, false, false), (lost, true, true), (lost, false, true)]
    {
        let position = PositionText::parse(position).and_then(|text| text.on(size)).expect("a position");
        let mut game = GameHistory::new(size, PlayRules::default(), position);
        for text in moves {
            game.play(text, None).expect("a legal turn");
        }
        let limits = SearchLimits { depth: Some(4), ..SearchLimits::new(Level::BEST, 1, &NEVER) };
        let reply = Engine::new(1 << 12).choose(&game, &Values { tables: &tables, depths }, &limits, &mut |_| ());
        let text = reply.expect("a turn").text;
        game.play(&text, None).expect("a legal turn");
        assert_eq!(game.result().is_some(), is_drawn, "{text}, with depths: {depths}");
    }
    // Against the longest resistance no game can be shorter than the depth; on average it takes less than three times as long.
    assert!(taken[..2].iter().all(|&taken| best <= taken && taken < 3 * best), "{best} {taken:?}");
}

/// A game that comes to a position for the second time, after what follows this turn has occurred twice; none if no answer to the turn
/// can be taken back.
fn back_and_forth(position: Position<u64>, turn: &str) -> Option<GameHistory<u64>> {
    let back = |turn: &str| turn.split('-').rev().collect::<Vec<_>>().join("-");
    let mut before = GameHistory::new("5x5".parse().expect("a board"), PlayRules::default(), position);
    before.play(turn, None).expect("a legal turn");
    let mut answers = Vec::new();
    let _ = before.referee().for_each_turn(before.state(), |path, _| {
        answers.push(turn_text(before.size(), &path.to_turn()));
        ControlFlow::<()>::Continue(())
    });
    answers.into_iter().filter(|answer| answer.len() == turn.len()).find_map(|answer| {
        let mut game = GameHistory::new(before.size(), PlayRules::default(), before.state().position);
        let round = [&answer, &back(turn), &back(&answer), turn];
        let played = round.into_iter().cycle().take(7).all(|text| game.play(text, None).is_ok());
        (played && game.state() == &position.into() && game.result().is_none()).then_some(game)
    })
}

#[test]
fn a_plan_draws_by_no_repetition() {
    let folder = tempfile::tempdir().expect("a folder");
    let (size, rules) = ("5x5".parse().expect("a board"), RuleSet::default());
    build(Goal::values(size, rules, 5), folder.path(), Budget::default()).expect("tables");
    let tables = Tables::open(folder.path(), size, rules, DEFAULT_CACHE_BYTES).expect("tables");
    let mut random = fastrand::Rng::with_seed(8);
    let choose = |game: &GameHistory<u64>| {
        let limits = SearchLimits { nodes: Some(20_000), ..SearchLimits::new(Level::BEST, 1, &NEVER) };
        Engine::new(1 << 12).choose(game, &NoValues, &limits, &mut |_| ()).expect("a turn")
    };
    let mut repeated = 0;
    for _ in 0..240 {
        let position = won(&tables, (3, 2), &mut random);
        let turn = choose(&GameHistory::new(size, PlayRules::default(), position));
        let quiet = turn.known.value == "win" && !turn.text.contains(['A', 'W']);
        let Some(mut game) = quiet.then(|| back_and_forth(position, &turn.text)).flatten() else { continue };
        let again = choose(&game);
        game.play(&again.text, None).expect("a legal turn");
        assert!(game.result().is_none(), "{} from {}", again.text, position.to_text(size));
        repeated += 1;
    }
    assert!(repeated >= 5, "{repeated}");
}

/// Knows nothing, and counts how often it is asked.
#[derive(Default)]
struct Counting(AtomicU64);

impl Probe for Counting {
    fn stones(&self) -> usize {
        STONES
    }

    fn probe(&self, _: u64, _: u64) -> Result<Bounds, TableError> {
        Ok(Bounds::UNKNOWN)
    }

    fn look_up(&self, _: u64, _: u64) -> Result<Option<Known>, TableError> {
        self.0.fetch_add(1, Ordering::Relaxed);
        Ok(None)
    }
}

#[test]
fn turns_without_end_are_not_all_looked_up() {
    let crowded = "BW1BB1B/B1WBB1B/BB2BBB/W1BB1BB/B2B2B/BB2B2/BBB1BBB w";
    let position = PositionText::parse(crowded).and_then(|text| text.on(text.size())).expect("a position");
    let game = GameHistory::new("7x7".parse().expect("a board"), PlayRules::default(), position);
    let asked = Counting::default();
    let limits = SearchLimits { nodes: Some(100), ..SearchLimits::new(Level::BEST, 1, &NEVER) };
    Engine::new(1 << 12).choose(&game, &asked, &limits, &mut |_| ()).expect("a turn");
    let asked = asked.0.into_inner();
    assert!(asked < 2_000, "{asked}");
}
