//! The computer as a player: perfect with values, sound without, weaker at lower levels, obedient to limits; values come from
//! the slow oracle.

use std::collections::{HashMap, HashSet};
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::OnceLock;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use fanorona::board::{BoardSize, PointSet as _};
use fanorona::game::engine::{Engine, How, Level, Reply, SearchLimits};
use fanorona::game::{Game, GameHistory, GameRequest, PlayRules};
use fanorona::rules::{Bounds, Outcome, Position, PositionText, RuleSet, Side};
use fanorona::table::{Known, NoValues, Probe, TableError};

use crate::oracle;

const RULES: oracle::Rules = oracle::Rules::DEFAULT;

/// What the oracle knows of every position of the 3x3 board.
struct Solved {
    values: &'static HashMap<String, (oracle::Value, Option<u32>)>,
    /// Whether depths are given as well.
    depths: bool,
}

impl Solved {
    fn new(depths: bool) -> Self {
        static VALUES: OnceLock<HashMap<String, (oracle::Value, Option<u32>)>> = OnceLock::new();
        let values = VALUES.get_or_init(|| oracle::solve(&oracle::all_positions(3, 3, 8), RULES));
        Self { values, depths }
    }

    fn of(&self, position: &Position<u64>) -> (Outcome, Option<u32>) {
        let (value, plies) = self.values[&position.to_text(size())];
        let outcome = match value {
            oracle::Value::Win => Outcome::Win,
            oracle::Value::Draw => Outcome::Draw,
            oracle::Value::Loss => Outcome::Loss,
        };
        (outcome, plies)
    }
}

impl Probe for Solved {
    fn stones(&self) -> usize {
        8
    }

    fn probe(&self, own: u64, enemy: u64) -> Result<Bounds, TableError> {
        Ok(self.of(&Position::of_sides(Side::White, own, enemy)).0.into())
    }

    fn look_up(&self, own: u64, enemy: u64) -> Result<Option<Known>, TableError> {
        let (outcome, plies) = self.of(&Position::of_sides(Side::White, own, enemy));
        Ok(Some(Known { plies: plies.filter(|_| self.depths), ..outcome.into() }))
    }
}

fn size() -> BoardSize {
    BoardSize::new(3, 3).unwrap()
}

/// Every n-th position of the 3x3 board in which both sides have stones.
fn positions(step: usize) -> Vec<Position<u64>> {
    let mut texts: Vec<String> = oracle::all_positions(3, 3, 8).into_iter().collect();
    texts.sort();
    let read = |text: &String| PositionText::parse(text).unwrap().on::<u64>(size()).unwrap();
    let both = |position: &Position<u64>| !position.white.is_empty() && !position.black.is_empty();
    texts.iter().step_by(step).map(read).filter(both).collect()
}

static NEVER: AtomicBool = AtomicBool::new(false);

pub const BEST: u8 = Level::BEST.number();

pub fn limits(level: u8, depth: u32, seed: u64) -> SearchLimits<'static> {
    let level = Level::try_from(level).unwrap();
    SearchLimits { depth: Some(depth), ..SearchLimits::new(level, seed, &NEVER) }
}

/// The reply in a position, if the game goes on there.
fn reply(
    values: &dyn Probe,
    position: Position<u64>,
    rules: PlayRules,
    limits: &SearchLimits<'_>,
) -> Option<(Reply, GameHistory<u64>)> {
    let mut history = GameHistory::new(size(), rules, position);
    if history.result().is_some() {
        return None;
    }
    let reply = Engine::new(1 << 12).choose(&history, values, limits, &mut |_| ()).unwrap();
    history.play(&reply.text, None).unwrap();
    Some((reply, history))
}

#[test]
fn with_depths_play_is_perfect() {
    let solved = Solved::new(true);
    let mut seen = [0; 3];
    for position in positions(5) {
        let Some((reply, after)) = reply(&solved, position, PlayRules::default(), &limits(BEST, 3, 1)) else {
            continue;
        };
        let (outcome, plies) = solved.of(&position);
        assert_eq!(reply.known.bounds.exact(), Some(outcome), "{}", position.to_text(size()));
        assert_eq!(reply.known.dtw, plies);
        let (left, plies_left) = solved.of(&after.state().position);
        assert_eq!(left.reversed(), outcome, "{} {}", position.to_text(size()), reply.text);
        assert_eq!(plies_left.map(|plies| plies + 1), plies, "{} {}", position.to_text(size()), reply.text);
        assert_eq!(reply.offers_draw, outcome == Outcome::Draw);
        assert!(reply.how == How::Table || reply.how == How::OnlyMove);
        seen[outcome as usize] += 1;
    }
    assert!(seen.iter().all(|&count| count > 50), "{seen:?}");
}

#[test]
fn what_a_reply_says_of_its_turn_is_true() {
    let solved = Solved::new(true);
    let mut said = 0;
    for (number, position) in positions(7).into_iter().enumerate() {
        let level = 1 + u8::try_from(number % usize::from(BEST)).unwrap();
        let limits = &limits(level, 3, number as u64);
        let Some((reply, after)) = reply(&solved, position, PlayRules::default(), limits) else { continue };
        let text = format!("level {level}: {} {}", position.to_text(size()), reply.text);
        let (left, plies_left) = solved.of(&after.state().position);
        let Some(outcome) = reply.known.bounds.exact() else { continue };
        assert_eq!(left.reversed(), outcome, "{text}");
        if reply.how != How::Search {
            assert_eq!(reply.known.dtw, plies_left.map(|plies| plies + 1), "{text}");
        }
        said += 1;
    }
    assert!(said > 100, "{said}");
}

#[test]
fn without_depths_values_are_kept_and_wins_are_won() {
    let solved = Solved::new(false);
    let (mut won, mut kept) = (0, 0);
    for position in positions(41) {
        let outcome = solved.of(&position).0;
        let Some((reply, mut history)) = reply(&solved, position, PlayRules::default(), &limits(BEST, 6, 2)) else {
            continue;
        };
        assert_eq!((reply.known.bounds.exact(), reply.how == How::Search), (Some(outcome), false));
        assert_eq!(solved.of(&history.state().position).0.reversed(), outcome);
        kept += 1;
        if outcome != Outcome::Win {
            continue;
        }
        // The winner goes on against the slowest defence until the game is over.
        let slow = Solved { depths: true, ..solved };
        let mut engine = Engine::new(1 << 12);
        for turn in 0.. {
            if let Some(result) = history.result() {
                assert_eq!(result.winner, Some(position.to_move));
                break;
            }
            assert!(turn < 60, "no end from {}", position.to_text(size()));
            let reply = if history.to_move() == position.to_move {
                engine.choose(&history, &solved, &limits(BEST, 6, 2), &mut |_| ()).unwrap()
            } else {
                engine.choose(&history, &slow, &limits(BEST, 6, 2), &mut |_| ()).unwrap()
            };
            history.play(&reply.text, None).unwrap();
        }
        won += 1;
    }
    assert!(won > 40 && kept > 80, "{won} {kept}");
}

#[test]
fn what_a_search_alone_calls_sure_is_true() {
    let solved = Solved::new(true);
    let (mut sure, mut short) = (0, 0);
    for position in positions(17) {
        let Some((reply, _)) = reply(&NoValues, position, PlayRules::default(), &limits(BEST, 7, 3)) else { continue };
        let (outcome, plies) = solved.of(&position);
        if let Some(value) = reply.known.bounds.exact() {
            assert_eq!(value, outcome, "{} {reply:?}", position.to_text(size()));
            assert!(
                reply.known.dtw.is_none_or(|taken| Some(taken) >= plies),
                "{} in {plies:?}: {reply:?}",
                position.to_text(size())
            );
            sure += 1;
        }
        if plies.is_some_and(|plies| plies <= 3) && reply.how != How::OnlyMove {
            assert!(reply.known.bounds.exact().is_some(), "{} in {plies:?}: {reply:?}", position.to_text(size()));
            short += 1;
        }
    }
    assert!(sure > 150 && short > 40, "{sure} {short}");
}

/// Of all turns, of those that are not best, and of single ones.
#[test]
fn the_best_of_some_turns_is_chosen_and_judged_as_one_of_them() {
    let (mut worse, mut single) = (0, 0);
    for (number, position) in positions(37).into_iter().enumerate() {
        let solved = Solved::new(number % 2 == 0);
        let history = GameHistory::new(size(), PlayRules::default(), position);
        if history.result().is_some() {
            continue;
        }
        let value = |history: &GameHistory<u64>| solved.of(&history.state().position).0.reversed();
        let played = |turn: &str| {
            let mut history = history.clone();
            history.play(turn, None).unwrap();
            value(&history)
        };
        let turns: Vec<(String, Outcome)> = each_turn(&Game::Narrow(history.clone()).view())
            .into_iter()
            .map(|turn| (turn.clone(), played(&turn)))
            .collect();
        let best = solved.of(&position).0;
        let not_best: Vec<_> = turns.iter().filter(|(_, value)| *value < best).cloned().collect();
        for some in [&turns[..], &not_best, &not_best[..not_best.len().min(1)]] {
            let Some(value) = some.iter().map(|(_, value)| *value).max() else { continue };
            let among: Vec<String> = some.iter().map(|(turn, _)| turn.clone()).collect();
            let limits = SearchLimits { among: &among, ..limits(BEST, 4, 5) };
            let reply = Engine::new(1 << 12).choose(&history, &solved, &limits, &mut |_| ()).unwrap();
            let text = format!("{} {among:?}: {reply:?}", position.to_text(size()));
            let chosen = some.iter().find(|(turn, _)| *turn == reply.text).expect(&text);
            assert!(reply.known.bounds.least <= value && value <= reply.known.bounds.most, "{text}");
            assert!(reply.known.bounds.exact().is_none_or(|value| value == chosen.1), "{text}");
            worse += usize::from(value < best);
            single += usize::from(some.len() == 1 && reply.score.is_some());
        }
    }
    assert!(worse > 20 && single > 5, "{worse} {single}");
}

#[test]
fn a_panic_where_progress_is_reported_ends_all_threads() {
    let game = GameRequest { board: "9x5".to_owned(), ..GameRequest::default() }.replay().unwrap();
    let limits = SearchLimits { threads: 3, ..SearchLimits::new(Level::BEST, 1, &NEVER) };
    let reply = || Engine::new(1 << 12).reply(&game, None, &limits, &mut |_| resume_unwind(Box::new("a bug")));
    assert!(catch_unwind(AssertUnwindSafe(reply)).is_err());
}

/// Whether the side to move can force a win within that many plies, whatever rules of play there are: by trying everything.
fn wins_within(game: &mut Game, plies: u32) -> bool {
    let view = game.view();
    if let Some(result) = view.result {
        return result.winner == Some(view.to_move);
    }
    each_turn(&view).iter().any(|turn| plies > 0 && after(game, turn, |game| loses_within(game, plies - 1)))
}

fn loses_within(game: &mut Game, plies: u32) -> bool {
    let view = game.view();
    if let Some(result) = view.result {
        return result.winner == Some(view.to_move.other());
    }
    plies > 0 && each_turn(&view).iter().all(|turn| after(game, turn, |game| wins_within(game, plies - 1)))
}

fn each_turn(view: &fanorona::game::View) -> Vec<String> {
    let turns = view.turns.iter().map(|turn| turn.text.clone());
    turns.chain(view.sacrifices.iter().map(|stone| format!("{stone}x"))).collect()
}

fn after(game: &mut Game, turn: &str, look: impl FnOnce(&mut Game) -> bool) -> bool {
    game.play(turn, None).unwrap();
    let seen = look(game);
    assert!(game.undo());
    seen
}

#[test]
fn wins_are_seen_under_all_rules_of_play() {
    let rules = [
        PlayRules { sacrifice: true, ..PlayRules::default() },
        PlayRules { move_limit: Some(3), ..PlayRules::default() },
        PlayRules { sacrifice: true, move_limit: Some(2), ..RuleSet::all().nth(7).unwrap().into() },
        PlayRules { vela: Some(Side::White), ..RuleSet::all().nth(4).unwrap().into() },
    ];
    let (mut wins, mut losses, mut neither) = (0, 0, 0);
    for (number, position) in positions(97).into_iter().enumerate() {
        let rules = rules[number % rules.len()];
        let history = GameHistory::new(size(), rules, position);
        let Some((reply, _)) = reply(&NoValues, position, rules, &limits(BEST, 5, 4)) else { continue };
        let mut game = Game::Narrow(history);
        let (won, lost) = (wins_within(&mut game, 3), loses_within(&mut game, 2));
        // Positions with one turn are not searched.
        if reply.how == How::OnlyMove {
            continue;
        }
        let near = reply.known.dtw.is_some_and(|plies| plies <= 3);
        assert_eq!(
            won,
            reply.known.bounds.exact() == Some(Outcome::Win) && near,
            "{} {rules}: {reply:?}",
            position.to_text(size())
        );
        assert_eq!(
            lost,
            reply.known.bounds.exact() == Some(Outcome::Loss) && near,
            "{} {rules}: {reply:?}",
            position.to_text(size())
        );
        wins += u32::from(won);
        losses += u32::from(lost);
        neither += u32::from(!won && !lost);
    }
    assert!(wins > 10 && losses > 3 && neither > 10, "{wins} {losses} {neither}");
}

#[test]
fn the_same_seed_plays_the_same_and_the_lowest_level_errs_in_many_ways() {
    let game = GameRequest { board: "9x5".to_owned(), ..GameRequest::default() }.replay().unwrap();
    let play =
        |level: u8, seed: u64| Engine::new(1 << 12).reply(&game, None, &limits(level, 2, seed), &mut |_| ()).unwrap();
    let same = |reply: Reply| Reply { ms: 0, ..reply };
    for level in Level::all().map(Level::number) {
        for seed in 0..4 {
            assert_eq!(same(play(level, seed)), same(play(level, seed)));
        }
    }
    assert!((0..20).map(|seed| play(1, seed).text).collect::<HashSet<_>>().len() > 2);
}

#[test]
fn the_better_level_wins_more_games() {
    let mut points = [0; 2];
    for number in 0..8 {
        let rules = PlayRules { move_limit: Some(80), ..PlayRules::default() };
        let request = GameRequest { board: "5x5".to_owned(), rules, ..GameRequest::default() };
        let mut game = request.replay().unwrap();
        let mut engine = Engine::new(1 << 14);
        let strong = if number % 2 == 0 { Side::White } else { Side::Black };
        while game.result().is_none() {
            let (level, depth) = if game.to_move() == strong { (BEST, 4) } else { (1, 1) };
            let ply = u64::try_from(game.ply()).unwrap();
            let reply = engine.reply(&game, None, &limits(level, depth, 100 * number + ply), &mut |_| ()).unwrap();
            game.play(&reply.text, None).unwrap();
        }
        match game.result().unwrap().winner {
            Some(side) if side == strong => points[0] += 2,
            Some(_) => points[1] += 2,
            None => points = [points[0] + 1, points[1] + 1],
        }
    }
    assert!(points[0] >= 12, "{points:?}");
}

#[test]
fn limits_are_kept_on_every_board() {
    for board in ["3x3", "9x5", "9x9", "13x13"] {
        let rules = PlayRules { sacrifice: board == "9x9", ..PlayRules::default() };
        let game = GameRequest { board: board.to_owned(), rules, ..GameRequest::default() }.replay().unwrap();
        let ask = |limits: SearchLimits<'_>| {
            let begun = Instant::now();
            let reply = Engine::new(1 << 14).reply(&game, None, &limits, &mut |_| ()).unwrap();
            assert!(game.clone().play(&reply.text, None).is_ok(), "{board}: {reply:?}");
            (reply, begun.elapsed())
        };
        let timed = SearchLimits { time: Some(Duration::from_millis(150)), depth: None, ..limits(BEST, 1, 0) };
        let (_, took) = ask(timed);
        assert!(took < Duration::from_secs(4), "{board}: {took:?}");
        let (reply, _) = ask(SearchLimits { nodes: Some(3_000), depth: None, ..limits(BEST, 1, 0) });
        assert!(reply.nodes <= 3_000, "{board}: {reply:?}");
        // Stopped before it begins: a legal turn all the same.
        let stop = AtomicBool::new(true);
        let (reply, took) = ask(SearchLimits { stop: &stop, depth: None, ..limits(BEST, 1, 0) });
        assert!(reply.nodes < 1_000 && took < Duration::from_secs(4), "{board}: {reply:?} {took:?}");
    }
}
