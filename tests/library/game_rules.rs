//! Legal turns, results, histories, refusals and records of random games against the slow oracle, under all rules of play.

use std::cell::Cell;

use fanorona::board::BoardSize;
use fanorona::game::{Attempt, Game, GameRequest, PlayRules, Reason, View, parse_record};
use fanorona::rules::{RuleSet, Side};
use proptest::prelude::*;
use proptest::test_runner::{RngAlgorithm, TestCaseResult, TestRng, TestRunner};

use crate::oracle::play::{self, Over, Play};
use crate::prover::oracle_rules;

/// The rules as the oracle has them.
fn slow(rules: &PlayRules) -> Play {
    Play {
        rules: oracle_rules(rules.table_rules()),
        sacrifice: rules.sacrifice,
        vela: rules.vela.map(|side| play::SIDES[usize::from(side == Side::Black)]),
    }
}

fn any_rules() -> impl Strategy<Value = PlayRules> {
    let vela = prop_oneof![2 => Just(None), 1 => Just(Some(Side::White)), 1 => Just(Some(Side::Black))];
    let limit = prop_oneof![3 => Just(None), 1 => (1..40u32).prop_map(Some)];
    let time = prop_oneof![2 => Just(None), 1 => (500..2000u64).prop_map(Some)];
    (0..16usize, any::<bool>(), vela, limit, time, any::<bool>()).prop_map(
        |(table, sacrifice, vela, move_limit, move_time, repetition)| PlayRules {
            sacrifice,
            vela,
            move_limit,
            move_time,
            repetition,
            ..RuleSet::all().nth(table).unwrap().into()
        },
    )
}

/// Positions with few enough stones for the oracle, or the start.
fn any_start() -> impl Strategy<Value = (String, Option<String>)> {
    let odd = || prop::sample::select(vec![3usize, 5, 7, 9, 11, 13]);
    (odd(), odd(), prop::collection::vec(0..100u32, 169), 3..40u32, any::<bool>(), any::<bool>()).prop_map(
        |(columns, rows, cells, full, white, from_start)| {
            let board = format!("{columns}x{rows}");
            if from_start && columns * rows <= 45 {
                return (board, None);
            }
            #[allow(clippy::cast_possible_truncation)]
            let points = (columns * rows) as u32;
            // Small boards may be crowded: there it comes to stalemates.
            let full = if points <= 25 && full % 2 == 0 { 60 + full } else { full.min(2200 / points) };
            let stone = |cell: u32| match cell {
                cell if cell >= full => '.',
                cell if cell % 2 == 0 => 'W',
                _ => 'B',
            };
            let cells: Vec<char> = cells.into_iter().take(columns * rows).map(stone).collect();
            let ranks: Vec<String> = cells.chunks(columns).map(|rank| rank.iter().collect()).collect();
            (board, Some(format!("{} {}", ranks.join("/"), if white { 'w' } else { 'b' })))
        },
    )
}

/// The same cases in every run; `PROPTEST_CASES` asks for more of them.
fn runner(cases: u32) -> TestRunner {
    let wanted = std::env::var("PROPTEST_CASES").ok().and_then(|cases| cases.parse().ok());
    let cases = cases.max(wanted.unwrap_or(0));
    let config = ProptestConfig { cases, failure_persistence: None, ..ProptestConfig::default() };
    TestRunner::new_with_rng(config, TestRng::deterministic_rng(RngAlgorithm::ChaCha))
}

/// How often something has been seen, so that a test cannot pass on nothing.
#[derive(Default)]
struct Seen {
    blocks: Cell<u32>,
    bound: Cell<u32>,
    bound_captures: Cell<u32>,
    block_matters: Cell<u32>,
    reasons: [Cell<u32>; 8],
    refused: Cell<u32>,
    allowed: Cell<u32>,
}

fn count(cell: &Cell<u32>) {
    cell.set(cell.get() + 1);
}

/// Holds what a view says of its position against the oracle.
fn check_view(view: &View, history: &[(String, Option<String>)], seen: &Seen) -> TestCaseResult {
    let rules = slow(&view.rules);
    let block = view.block.as_deref();
    let mut expected = play::turns(&view.position, block, rules);
    let over = play::over(&view.position, block, rules);
    let stood = history.iter().filter(|here| *here == history.last().unwrap()).count();
    prop_assert_eq!(view.repetitions, stood);
    prop_assert_eq!(view.ply + 1, history.len());
    if block.is_some() {
        count(&seen.blocks);
        let without = play::turns(&view.position, None, rules);
        if without.iter().map(|turn| &turn.0).ne(expected.iter().map(|turn| &turn.0)) {
            count(&seen.block_matters);
        }
    }
    if view.bound {
        count(&seen.bound);
        let free = play::turns(&view.position, block, Play { vela: None, ..rules });
        if free.iter().any(|(text, ..)| text.ends_with(['A', 'W'])) {
            count(&seen.bound_captures);
        }
    }
    let limit = view.rules.move_limit.is_some_and(|limit| view.ply == limit as usize);
    let late = view.history.last().and_then(|last| last.time) > view.rules.move_time && view.rules.move_time.is_some();
    let reason = view.result.as_ref().map(|result| result.reason);
    if let Some(reason) = reason {
        count(&seen.reasons[Reason::ALL.iter().position(|&other| other == reason).unwrap()]);
        prop_assert!(view.turns.is_empty() && view.sacrifices.is_empty());
    }
    if late {
        prop_assert_eq!(reason, Some(Reason::Time));
        prop_assert_eq!(view.result.as_ref().unwrap().winner, Some(view.to_move));
    } else if let Some(over) = over {
        let stones = view.position.split(' ').next().unwrap();
        let gone = !stones.contains('W') || !stones.contains('B');
        let expected = match over {
            _ if gone => Reason::NoStones,
            Over::Won(_) => Reason::NoMoves,
            Over::Drawn => Reason::Stalemate,
        };
        prop_assert_eq!(reason, Some(expected), "{} {:?}", view.position, block);
        let winner = match over {
            Over::Won(colour) => Some(if colour == play::SIDES[0] { Side::White } else { Side::Black }),
            Over::Drawn => None,
        };
        let result = view.result.as_ref().unwrap();
        prop_assert_eq!(result.winner, winner);
        let score = winner.map_or("1/2-1/2", |side| if side == Side::White { "1-0" } else { "0-1" });
        prop_assert_eq!(result.score, score);
    } else if view.rules.repetition && stood >= 3 {
        prop_assert_eq!(reason, Some(Reason::Repetition));
    } else if limit {
        prop_assert_eq!(reason, Some(Reason::MoveLimit));
    } else {
        prop_assert_eq!(reason, None);
        prop_assert!(!view.turns_cut);
        let turns = view.turns.iter().map(|turn| (turn.text.clone(), turn.position.clone(), None));
        let sacrifices = view.sacrifices.iter().map(|stone| {
            let after = expected.iter().find(|(text, ..)| *text == format!("{stone}x"));
            (format!("{stone}x"), after.map_or(String::new(), |after| after.1.clone()), Some(stone.clone()))
        });
        let mut found: Vec<play::PlayTurn> = turns.chain(sacrifices).collect();
        found.sort();
        expected.sort();
        prop_assert_eq!(&found, &expected, "{} {:?}", view.position, block);
        check_steps(view)?;
    }
    prop_assert_eq!(view.can_capture, {
        let turns = play::turns(&view.position, block, rules);
        turns.iter().any(|(text, ..)| text.ends_with(['A', 'W']))
    });
    Ok(())
}

/// The steps of a turn are what its notation says, and all that it captures is gone after it.
fn check_steps(view: &View) -> TestCaseResult {
    let enemies = |position: &str| {
        let enemy = if view.to_move == Side::White { 'B' } else { 'W' };
        position.split(' ').next().unwrap().matches(enemy).count()
    };
    for turn in &view.turns {
        let letter = |capture: Option<_>| match capture {
            None => "",
            Some(fanorona::rules::Capture::Approach) => "A",
            Some(fanorona::rules::Capture::Withdrawal) => "W",
        };
        let steps: Vec<String> =
            turn.steps.iter().map(|step| format!("-{}{}", step.to, letter(step.capture))).collect();
        prop_assert_eq!(&turn.text, &format!("{}{}", turn.from, steps.concat()));
        let captured: usize = turn.steps.iter().map(|step| step.captured.len()).sum();
        let block = usize::from(view.block.is_some());
        prop_assert_eq!(enemies(&turn.position) + captured + block, enemies(&view.position));
        prop_assert!(turn.steps.iter().all(|step| step.captured.is_empty() == step.capture.is_none()));
    }
    Ok(())
}

/// A try is refused exactly where no legal turn goes that way.
fn check_why(game: &Game, view: &View, random: &mut impl FnMut(usize) -> usize, seen: &Seen) -> TestCaseResult {
    let size: BoardSize = view.board.parse().unwrap();
    let any_point = |random: &mut dyn FnMut(usize) -> usize| fanorona::board::point_name(size, random(size.points()));
    for _ in 0..20 {
        let mut tried = Attempt { from: any_point(random), ..Attempt::default() };
        if !view.turns.is_empty() && random(4) > 0 {
            let turn = &view.turns[random(view.turns.len())];
            tried.from.clone_from(&turn.from);
            let kept = turn.steps.iter().take(random(turn.steps.len() + 1));
            tried.path = kept.map(|step| step.to.clone()).collect();
            tried.to = turn.steps.get(tried.path.len()).map(|step| step.to.clone());
        }
        match random(3) {
            0 => tried.to = None,
            1 => tried.to = Some(any_point(random)),
            _ => {}
        }
        let path: Vec<&String> = tried.path.iter().chain(&tried.to).collect();
        let ends = tried.to.is_none() && !path.is_empty();
        let allowed = view.turns.iter().any(|turn| {
            let steps: Vec<&String> = turn.steps.iter().map(|step| &step.to).collect();
            turn.from == tried.from && steps.starts_with(&path) && (!ends || steps.len() == path.len())
        });
        let why = game.why(&tried).unwrap().why;
        prop_assert_eq!(why.is_none(), allowed, "{} {:?}: {:?}", view.position, tried, why);
        count(if allowed { &seen.allowed } else { &seen.refused });
        if let Some(why) = why {
            prop_assert!(why.ends_with('.') && why.len() > 10, "{}", why);
        }
    }
    Ok(())
}

/// Plays a random game, and checks every position, the way back and forth, and what is handed over.
fn check_game(request: &GameRequest, number: u64, seen: &Seen) -> TestCaseResult {
    let mut state = number | 1;
    let mut random = move |below: usize| {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        usize::try_from(state >> 33).unwrap() % below
    };
    let mut game = request.replay().map_err(|error| TestCaseError::fail(error.to_string()))?;
    let mut history = Vec::new();
    loop {
        let view = game.view();
        history.push((view.position.clone(), view.block.clone()));
        check_view(&view, &history, seen)?;
        check_why(&game, &view, &mut random, seen)?;
        if view.result.is_some() || history.len() > 60 {
            break;
        }
        let number = random(view.turns.len() + view.sacrifices.len().div_ceil(4));
        let text = match view.turns.get(number) {
            Some(turn) => turn.text.clone(),
            None => format!("{}x", view.sacrifices[random(view.sacrifices.len())]),
        };
        let time = (random(3) > 0).then(|| random(600) as u64 + if random(20) == 0 { 1900 } else { 0 });
        let played = game.play(&text, time);
        prop_assert_eq!(played, Ok(text));
    }
    let last = game.view();
    let same = |view: &View| serde_json::to_string(view).unwrap();
    // The game handed over and replayed is the same game; so is the one read from its record.
    let handed = game.to_request();
    prop_assert_eq!(same(&handed.replay().unwrap().view()), same(&last));
    let form = serde_json::to_string(&handed).unwrap();
    prop_assert_eq!(serde_json::from_str::<GameRequest>(&form).unwrap(), handed);
    let read = parse_record(&last.record).map_err(|error| TestCaseError::fail(format!("{error}\n{}", last.record)))?;
    prop_assert_eq!(same(&read.game.replay().unwrap().view()), same(&last));
    // Every undo leads to the position before, every redo forth again.
    for expected in history.iter().rev().skip(1) {
        prop_assert!(game.undo());
        let view = game.view();
        prop_assert_eq!(&(view.position, view.block), expected);
    }
    prop_assert!(!game.undo());
    while game.redo() {}
    prop_assert_eq!(same(&game.view()), same(&last));
    Ok(())
}

#[test]
fn random_games_keep_to_the_rules() {
    let seen = Seen::default();
    let outcome = runner(300).run(&(any_start(), any_rules(), any::<u64>()), |((board, position), rules, seed)| {
        let request = GameRequest { board, position, rules, ..GameRequest::default() };
        check_game(&request, seed, &seen)
    });
    outcome.unwrap_or_else(|error| panic!("{error}"));
    let enough = |what: &str, cell: &Cell<u32>, least| {
        println!("{what}: {}", cell.get());
        assert!(cell.get() >= least, "{what}: {} of at least {least}", cell.get());
    };
    enough("positions with a block", &seen.blocks, 300);
    enough("blocks that change the legal turns", &seen.block_matters, 150);
    enough("bound sides", &seen.bound, 300);
    enough("bound sides that could have captured", &seen.bound_captures, 100);
    enough("refused", &seen.refused, 5_000);
    enough("allowed", &seen.allowed, 5_000);
    for (reason, cell) in Reason::ALL.iter().zip(&seen.reasons) {
        // Turns do not bring about these.
        let by_people =
            [Reason::Agreement, Reason::Resignation, Reason::Adjudication, Reason::Forfeit].contains(reason);
        let least = u32::from(!by_people);
        enough(reason.word(), cell, least);
    }
}
