//! The questions of a search: asked alone, without the moves, or given up at a limit, they say no more than is proved.

use std::collections::BTreeSet;
use std::sync::Arc;
use std::time::{Duration, Instant};

use fanorona::board::{Board, BoardSize};
use fanorona::proof::{NoTables, check};
use fanorona::rules::{Outcome, Position, RuleSet, Rules, Side, Value};
use fanorona::search::{self, Control, ShortSearch, SolveEvent, SolveScope, Solver, search_value};
use fanorona::table::NoValues;

use crate::prover::position;
use crate::search::{Known, MEMORY, options};

#[test]
fn a_set_that_takes_too_long_to_close_is_given_up_with_its_question() {
    let known = Known::new("3x3", RuleSet::default());
    let (game, start) = (known.game(), position(&known.start()));
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    let limit = Some(Duration::from_secs(5));
    let mut closings = 0;
    let solution = solver.solve(start, SolveScope::POSITION, limit, &mut |event| {
        if let SolveEvent::Closing { progress, .. } = event {
            assert!(progress.nodes > 0 && progress.entries.fill() > 0.0);
            closings += 1;
            if closings == 2 {
                std::thread::sleep(Duration::from_secs(10));
            }
        }
        Control::Continue
    });
    let solution = solution.expect("a solution");
    assert_eq!((solution.questions.white_wins.wins, solution.value), (None, Value::WhiteDoesNotLose));
    // Another time there is no such delay, and nothing is given up.
    known.solve(&mut solver, &known.start());
}

#[test]
fn at_its_end_a_solve_leaves_open_what_it_has_not_proved() {
    let size: BoardSize = "7x7".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(16 * MEMORY, 1)).expect("memory");
    // Without an end it would take days.
    solver.end_at(Some(Instant::now() + Duration::from_millis(300)));
    let solve = |solver: &mut Solver<'_>, start| {
        solver.solve(start, SolveScope::POSITION, None, &mut |_| Control::Continue).expect("a solution")
    };
    assert_eq!(solve(&mut solver, Position::start(size)).value, Value::Unknown);
    assert!(solver.nodes() > 0);
    // An answer that is there is of no use where no time is left to prove it.
    let known = Known::new("3x3", RuleSet::default());
    let (game, start) = (known.game(), position(&known.start()));
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    let white_wins = solve(&mut solver, start);
    assert_eq!(white_wins.value, Value::WhiteWins);
    solver.end_at(Some(Instant::now()));
    let open = solve(&mut solver, start);
    assert!(open.value == Value::Unknown && open.certificate(&game, Vec::new()).claims.is_empty());
    // A short search ends with its limit, however little that is or much.
    let search = |limit| {
        let short = ShortSearch { memory: 16 * MEMORY, threads: 1, limit, interrupt: Arc::default() };
        search_value(&game, &NoValues, start, &short).expect("a search").value
    };
    assert_eq!([Duration::ZERO, Duration::MAX].map(search), [Value::Unknown, Value::WhiteWins]);
}

#[test]
fn a_solve_without_moves_answers_as_little_as_it_can() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let start = known.start();
    let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
    let solution =
        solver.solve(position(&start), SolveScope::POSITION, None, &mut |_| Control::Continue).expect("a solution");
    assert!(solution.moves.is_empty());
    assert_eq!(solution.value, Value::WhiteWins);
    assert!(
        solver.nodes() > 0
            && solution.questions.white_wins.nodes > 0
            && solution.questions.white_wins.nodes <= solver.nodes()
    );
    // One side's win settles the other's question.
    assert_eq!(solution.questions.black_wins, search::Answer { wins: Some(false), ..search::Answer::default() });
    let certificate = solution.certificate(&game, Vec::new());
    assert_eq!((certificate.claims.len(), certificate.claims[0].value), (1, Value::WhiteWins));
}

#[test]
fn a_question_can_be_asked_alone() {
    let known = Known::new("3x3", RuleSet::default());
    let game = known.game();
    let (mut seen, mut open) = (BTreeSet::new(), 0);
    for text in known.texts().into_iter().step_by(25) {
        let value = known.value(text);
        for side in [Side::White, Side::Black] {
            let mut solver = Solver::new(&game, &NoValues, options(MEMORY, 1)).expect("memory");
            let mut on_event = |event: &SolveEvent<'_>| {
                let wrong = matches!(event, SolveEvent::Searching { side: asked, turn, .. } if *asked != side || turn.is_some());
                assert!(!wrong, "{text}");
                Control::Continue
            };
            let solution =
                solver.solve(position(text), SolveScope::only(side), None, &mut on_event).expect("a solution");
            let (mut own, mut theirs) = (Value::WhiteWins, Value::BlackWins);
            if side == Side::Black {
                (own, theirs) = (theirs, own);
            }
            assert_eq!(solution.answer(side).wins, Some(value == own), "{text}, {side:?}");
            // A win answers the other question too, and so do the rules where the game soon ends; nothing else does.
            let other = solution.answer(side.other()).wins;
            assert!(other == Some(value == theirs) || (other.is_none() && value != own), "{text}, {side:?}: {other:?}");
            assert_eq!(solution.is_complete(), other.is_some());
            open += usize::from(other.is_none());
            let mut certificate = solution.certificate(&game, Vec::new());
            certificate.sort();
            assert_eq!(check(&certificate, &NoTables, &|_| ()), Ok(()), "{text}, {side:?}");
            let claimed = match (other, side) {
                (Some(_), _) => value,
                (None, Side::White) => Value::BlackDoesNotLose,
                (None, Side::Black) => Value::WhiteDoesNotLose,
            };
            assert_eq!((certificate.claims.len(), certificate.claims[0].value), (1, claimed), "{text}");
            seen.insert((format!("{value}"), format!("{side:?}")));
        }
    }
    assert!(seen.len() == 6 && open > 10, "{seen:?}, {open} other questions are open");
}

/// Questions are given up one after another; what is said of them is true, closes, and becomes more with time.
#[test]
fn what_is_known_at_the_limit_is_proved() {
    let size: BoardSize = "5x5".parse().expect("a board");
    let game = Rules::new(Board::new(size, RuleSet::default().diagonals), RuleSet::default());
    let mut solver = Solver::new(&game, &NoValues, options(256 * MEMORY, 2)).expect("memory");
    let start = Position::start(size);
    let mut bounds = Vec::new();
    let limit = Some(Duration::ZERO);
    for round in 0.. {
        assert!(round < 1000, "no progress: {bounds:?}");
        let solution =
            solver.solve(start, SolveScope::POSITION, limit, &mut |_| Control::Continue).expect("a solution");
        assert_eq!(solution.is_complete(), solution.value.is_exact());
        let parts = [Side::White, Side::Black].map(|side| solution.value.bounds(side).least);
        // The value of 5x5 is published.
        assert!(!parts.contains(&Outcome::Win), "{}", solution.value);
        let answers = [solution.questions.black_wins.wins, solution.questions.white_wins.wins];
        assert_eq!(parts.map(|part| part != Outcome::Loss), answers.map(|answer| answer == Some(false)));
        assert!(solution.is_complete() || solution.main_line(&game, 10).is_empty());
        let mut certificate = solution.certificate(&game, Vec::new());
        certificate.sort();
        match solution.value {
            Value::Unknown => assert!(certificate.claims.is_empty() && certificate.safe.is_empty()),
            _ => check(&certificate, &NoTables, &|_| ()).expect("a proof"),
        }
        bounds.push(solution.value);
        if solution.is_complete() {
            break;
        }
    }
    bounds.dedup();
    assert!(bounds.len() > 1, "{bounds:?}: never given up");
    assert_eq!(bounds.last(), Some(&Value::Draw));
    // Its moves as well, by the same rule.
    let solution = solver.solve(start, SolveScope::MOVES, limit, &mut |_| Control::Continue).expect("a solution");
    assert_eq!(solution.value, Value::Draw);
    let wins = |entry: &search::MoveValue| entry.value.bounds(Side::White).least == Outcome::Win;
    assert!(solution.moves.len() > 2 && !solution.moves.iter().any(wins));
    let mut certificate = solution.certificate(&game, Vec::new());
    certificate.sort();
    check(&certificate, &NoTables, &|_| ()).expect("a proof");
}

#[test]
fn a_value_is_what_its_answers_say() {
    let answers = [None, Some(false), Some(true)];
    for (white, black) in answers.into_iter().flat_map(|white| answers.map(|black| (white, black))) {
        let value = Value::of(white, black);
        let holds = |wins: Option<bool>, other_wins: Option<bool>| match (wins, other_wins) {
            (Some(true), _) => Outcome::Win,
            (_, Some(false)) => Outcome::Draw,
            _ => Outcome::Loss,
        };
        if (white, black) != (Some(true), Some(true)) {
            assert_eq!(value.bounds(Side::White).least, holds(white, black), "{value}");
            assert_eq!(value.bounds(Side::Black).least, holds(black, white), "{value}");
        }
        for side in [Side::White, Side::Black] {
            assert_eq!(Value::of_bounds(value.bounds(side), side), value);
            assert_eq!(value.bounds(side).reversed(), value.bounds(side.other()));
        }
        let known = white == Some(true) || black == Some(true) || (white.is_some() && black.is_some());
        assert_eq!(value.is_exact(), known, "{value}");
    }
}
