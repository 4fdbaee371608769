//! Reviews of games: values, marks and better moves against the slow oracle, searches where there are no tables.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona::game::engine::{Engine, Level, SearchLimits};
use fanorona::game::{Game, PlayRules, Reason, parse_game, parse_record};
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::matches::Adjudicator;
use fanorona::review::{Mark, Review, ReviewOptions, TurnReview, annotated_record};
use fanorona::rules::{Continuation, Outcome, Position, RuleSet, Side};
use fanorona::{BoardSize, Budget, DEFAULT_CACHE_BYTES, GameRequest, Goal, PositionText, build, line, review};

use crate::oracle;
use crate::prover::oracle_rules;

static NEVER: AtomicBool = AtomicBool::new(false);

fn options(nodes: u64) -> ReviewOptions<'static> {
    ReviewOptions { time: None, nodes: Some(nodes), stop: &NEVER }
}

fn tables(board: &str, stones: usize, folder: &Path) -> Knowledge {
    let (size, rules): (BoardSize, _) = (board.parse().expect("a board"), RuleSet::default());
    build(Goal::both(size, rules, stones), folder, Budget::default()).expect("tables");
    Knowledge::open(folder, size, rules, DEFAULT_CACHE_BYTES, Trust::Checked).expect("knowledge")
}

/// A game of random turns.
fn random_game(board: &str, position: Option<&str>, plies: usize, seed: u64) -> GameRequest {
    let position = position.map(str::to_owned);
    random_turns(&GameRequest { board: board.to_owned(), position, ..GameRequest::default() }, plies, seed)
}

/// The same from any beginning.
fn random_turns(begun: &GameRequest, plies: usize, seed: u64) -> GameRequest {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut game = begun.replay().expect("a game");
    while game.result().is_none() && game.ply() < plies {
        let turns = game.turns();
        game.play(&turns[random.usize(..turns.len())], None).expect("a legal turn");
    }
    game.to_request()
}

/// The points that a value of the oracle is worth for the side to move.
fn points(value: oracle::Value) -> f64 {
    match value {
        oracle::Value::Win => 1.0,
        oracle::Value::Draw => 0.5,
        oracle::Value::Loss => 0.0,
    }
}

/// What the oracle says of a turn: the points before and after it for its side, and how many turns keep what there is.
fn expected(turn: &TurnReview, before: &str, values: &oracle::Values) -> (f64, f64, usize, usize) {
    let rules = oracle_rules(RuleSet::default());
    let own = points(values[before].0);
    let successors = oracle::successors(before, rules);
    let keep = successors.iter().filter(|after| 1.0 - points(values[*after].0) >= own).count();
    (own, 1.0 - points(values[&turn.position].0), keep, successors.len())
}

fn positions_before(review: &Review) -> Vec<String> {
    let after = review.turns.iter().map(|turn| turn.position.clone());
    std::iter::once(review.start.clone()).chain(after).collect()
}

#[test]
fn where_tables_say_all_every_mark_is_that_of_the_oracle() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = tables("3x3", 9, folder.path());
    let start = oracle::start(3, 3);
    let values = oracle::solve_after(&start, oracle_rules(RuleSet::default()));
    let mut seen = BTreeSet::new();
    for seed in 0..60 {
        let request = random_game("3x3", None, 30, seed);
        let mut searched = 0;
        let game = request.replay().expect("a game");
        let review = review(&game, Some(&knowledge), options(1), &mut |progress| searched = progress.to_search)
            .expect("a review");
        assert_eq!((review.turns.len(), searched, review.complete), (request.moves.len(), 0, true));
        for (turn, before) in review.turns.iter().zip(positions_before(&review)) {
            let (own, after, keep, all) = expected(turn, &before, &values);
            assert_eq!((turn.before.expected, turn.after.expected), (Some(own), Some(after)), "{before} {turn:?}");
            assert!(turn.is_fact && turn.loss == Some(own - after), "{before} {turn:?}");
            let mark = match own - after {
                1.0 => Some(Mark::Blunder),
                0.5 => Some(Mark::Mistake),
                _ if keep == 1 && all > 1 && own > 0.0 => Some(Mark::OnlyMove),
                _ => None,
            };
            assert_eq!(turn.mark, mark, "{before} {turn:?}");
            assert_eq!(turn.holding, (own > 0.0).then_some(keep), "{before} {turn:?}");
            assert_eq!(turn.better.is_some(), own > after, "{before} {turn:?}");
            if let Some(better) = &turn.better {
                let line =
                    GameRequest { position: Some(before.clone()), moves: better.line.clone(), ..request.clone() };
                assert_eq!(better.line[0], better.text);
                let first = GameRequest { moves: vec![better.text.clone()], ..line.clone() };
                let reached = first.replay().expect("a legal turn").position();
                assert!((1.0 - points(values[&reached].0) - own).abs() < 1e-9, "{before} {better:?}");
                // Both sides play as well as they can to the end of the line.
                let last = line.replay().expect("a legal line");
                let sign = if better.line.len() % 2 == 0 {
                    points(values[&last.position()].0)
                } else {
                    1.0 - points(values[&last.position()].0)
                };
                assert!((sign - own).abs() < 1e-9, "{before} {better:?}");
            }
            seen.extend(turn.mark.map(Mark::text));
        }
        for (summary, side) in [(&review.white, "white"), (&review.black, "black")] {
            let own = || review.turns.iter().filter(|turn| serde_json::to_value(turn.side).unwrap() == side);
            let marked = |mark| own().filter(|turn| turn.mark == Some(mark)).count();
            assert_eq!((summary.moves, summary.reviewed), (own().count(), own().count()));
            let errors = [summary.inaccuracies, summary.mistakes, summary.blunders];
            assert_eq!(errors, [0, marked(Mark::Mistake), marked(Mark::Blunder)]);
            assert_eq!(summary.only_moves, marked(Mark::OnlyMove));
        }
    }
    assert_eq!(seen, BTreeSet::from(["?", "??", "only move"]));
}

#[test]
fn what_searches_prove_is_true_and_the_rest_is_an_opinion() {
    let position = "1B1/3/1B1/1W1/1W1 w";
    let values = oracle::solve_after(position, oracle_rules(RuleSet::default()));
    let mut facts = 0;
    for seed in 0..6 {
        let request = random_game("3x5", Some(position), 12, seed);
        let game = request.replay().expect("a game");
        let reviewed = review(&game, None, options(2_000), &mut |_| ()).expect("a review");
        assert!(reviewed.complete, "{reviewed:?}");
        for (turn, before) in reviewed.turns.iter().zip(positions_before(&reviewed)) {
            let (own, after, ..) = expected(turn, &before, &values);
            for (evaluation, truth) in [(&turn.before, own), (&turn.after, after)] {
                let found = evaluation.expected.expect("complete");
                let is_exact = ["win", "draw", "loss"].contains(&evaluation.known.value);
                assert!((0.0..=1.0).contains(&found), "{turn:?}");
                assert_eq!(is_exact, evaluation.score.is_none(), "{turn:?}");
                assert!(!is_exact || (found - truth).abs() < 1e-9, "{before}: {truth} {turn:?}");
            }
            facts += usize::from(turn.is_fact);
            let from = [(Mark::Blunder, 0.75), (Mark::Mistake, 0.25), (Mark::Inaccuracy, 0.12)];
            let mark =
                from.into_iter().find(|&(_, least)| turn.loss.is_some_and(|loss| loss >= least)).map(|(mark, _)| mark);
            assert_eq!(turn.mark.filter(|mark| mark.is_error()), mark, "{turn:?}");
            assert!(!turn.is_fact || turn.loss == Some((own - after).max(0.0)), "{before} {turn:?}");
        }
        // With a limit of nodes it is always the same.
        assert_eq!(review(&game, None, options(2_000), &mut |_| ()).expect("a review"), reviewed);
    }
    assert!(facts > 0);
}

/// When a search ends, it may have compared only some of the turns at its last depth.
#[test]
fn searches_that_end_early_claim_nothing_false() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = tables("5x3", 7, folder.path());
    let mut random = fastrand::Rng::with_seed(6);
    let mut engine = Engine::new(1 << 12);
    let mut claims = [0; 3];
    for _ in 0..400 {
        let mut points: Vec<usize> = (0..15).collect();
        random.shuffle(&mut points);
        let set = |points: &[usize]| points.iter().fold(0u64, |set, point| set | 1 << point);
        let (mover, opponent) = (random.usize(2..4), random.usize(2..5));
        let (own, enemy) = (set(&points[..mover]), set(&points[mover..mover + opponent]));
        let text = Position::of_sides(Side::White, own, enemy).to_text("5x3".parse().expect("a board"));
        let request = GameRequest { board: "5x3".to_owned(), position: Some(text.clone()), ..GameRequest::default() };
        let game = request.replay().expect("a game");
        let truth = knowledge.look_up(own, enemy).expect("tables").expect("a value").outcome();
        for nodes in [3, 5, 8, 12, 18, 25, 35, 50, 100, 200] {
            let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::new(Level::BEST, 1, &NEVER) };
            engine.forget();
            let Ok(reply) = engine.reply(&game, None, &limits, &mut |_| ()) else { continue };
            if let Some(claimed) = reply.known.bounds.exact() {
                assert_eq!(Some(claimed), truth, "{text}, {nodes} nodes: {reply:?}");
                claims[claimed as usize] += 1;
            }
        }
    }
    assert!(claims[Outcome::Win as usize] > 50 && claims[Outcome::Loss as usize] > 50, "{claims:?}");
}

#[test]
fn what_is_known_by_other_rules_or_of_another_board_is_not_used() {
    let folder = tempfile::tempdir().expect("a folder");
    let others = [tables("3x3", 8, folder.path()), tables("5x3", 4, folder.path())];
    let rules = PlayRules { continuation: Continuation::Obligatory, ..PlayRules::default() };
    let begun = GameRequest { board: "3x3".to_owned(), rules, ..GameRequest::default() };
    let request = random_turns(&begun, 8, 1);
    let game = request.replay().expect("a game");
    let reviewed = |knowledge| review(&game, knowledge, options(2), &mut |_| ()).expect("a review");
    for other in &others {
        assert_eq!(reviewed(Some(other)), reviewed(None));
        assert_eq!(Adjudicator(Some(other)).value(&game).expect("readable tables"), None);
    }
    let fits = random_game("3x3", None, 2, 1).replay().expect("a game");
    let known = |knowledge| review(&fits, knowledge, options(2), &mut |_| ()).expect("a review");
    assert_ne!(known(Some(&others[0])), known(None));
}

#[test]
fn progress_goes_from_the_last_position_to_the_first_and_can_be_stopped() {
    let request = random_game("5x5", None, 8, 3);
    let game = request.replay().expect("a game");
    let (mut calls, mut last) = (Vec::new(), 0);
    let whole = review(&game, None, options(200), &mut |progress| {
        calls.push(progress.changed.to_vec());
        assert!(progress.searched >= last && progress.searched <= progress.to_search);
        last = progress.searched;
    })
    .expect("a review");
    assert!(whole.complete && calls.len() > 2);
    assert_eq!(calls[0], (0..request.moves.len()).collect::<Vec<_>>());
    assert!(calls[1].iter().all(|&place| place + 1 == request.moves.len()), "{calls:?}");
    let stop = AtomicBool::new(false);
    let mut searched = 0;
    let part = review(&game, None, ReviewOptions { stop: &stop, ..options(200) }, &mut |progress| {
        searched = progress.searched;
        stop.store(progress.searched == 3, std::sync::atomic::Ordering::Relaxed);
    })
    .expect("a review");
    assert!(!part.complete && searched == 3);
    let reviewed: Vec<bool> = part.turns.iter().map(|turn| turn.loss.is_some()).collect();
    assert_eq!(reviewed[..5], [false; 5]);
    assert_eq!(part.turns[7], whole.turns[7]);
}

#[test]
fn a_draw_by_repetition_is_a_fact_of_the_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = tables("3x3", 4, folder.path());
    // Best play from a draw goes round in circles.
    let request = GameRequest {
        board: "3x3".to_owned(),
        position: Some("1B1/1W1/1W1 w".to_owned()),
        rules: PlayRules { repetition: true, ..PlayRules::default() },
        ..GameRequest::default()
    };
    let mut game = request.replay().expect("a game");
    let size = knowledge.rules().board().size();
    while game.result().is_none() {
        let position = PositionText::parse(&game.position()).and_then(|text| text.on(size)).expect("a position");
        let best = line(knowledge.rules(), &position, |own, enemy| knowledge.look_up(own, enemy)).expect("a line");
        game.play(&best.line[0].text, None).expect("a legal turn");
    }
    assert_eq!(game.result().expect("a result").reason, Reason::Repetition);
    let review = review(&game, Some(&knowledge), options(1), &mut |_| ()).expect("a review");
    let last = review.turns.last().expect("a turn");
    assert_eq!((last.after.known.value, last.after.known.source), ("draw", Some("rules")));
    assert_eq!((last.is_fact, last.loss, last.before.known.value), (true, Some(0.0), "draw"), "{last:?}");
}

/// It does not say what the positions before are worth: here Black, to move, is lost, but repeats.
#[test]
fn a_draw_by_repetition_proves_nothing_of_earlier_positions() {
    let record = "1WW2/1WW2/3B1 w\nb2-a2 d1-c1 a2-b2 c1-d1 b2-a2 d1-c1 a2-b2 c1-d1";
    let mut request = parse_game(record).expect("a game").game;
    request.rules.repetition = true;
    let game = request.replay().expect("a game");
    let review = review(&game, None, options(1), &mut |_| ()).expect("a review");
    let last = review.turns.last().expect("a turn");
    assert_eq!((last.after.known.value, last.after.known.source), ("draw", Some("rules")));
    assert!(review.turns.iter().all(|turn| turn.before.known.source != Some("rules")), "{review:?}");
}

/// At the limit every move draws: none is the only one, and none loses what there was.
#[test]
fn a_turn_at_the_move_limit_is_not_marked() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = tables("3x3", 6, folder.path());
    let drawn = "B1B/1WB/1WB w";
    for (position, turn, loss) in
        [(drawn, "b2-a2W", Some(0.0)), (drawn, "b1-a1W", Some(0.0)), ("1B1/3/W1W w", "a1-b1", None)]
    {
        let request = |move_limit| GameRequest {
            board: "3x3".to_owned(),
            position: Some(position.to_owned()),
            rules: PlayRules { move_limit, ..PlayRules::default() },
            moves: vec![turn.to_owned()],
            ..GameRequest::default()
        };
        let turn = |limit| {
            let game = request(limit).replay().expect("a game");
            let review = review(&game, Some(&knowledge), options(1), &mut |_| ()).expect("a review");
            review.turns[0].clone()
        };
        let (cut, free) = (turn(Some(1)), turn(None));
        assert_eq!((cut.mark, cut.holding), (None, None), "{cut:?}");
        assert!(free.mark.is_some() && free.holding.is_some(), "{free:?}");
        assert_eq!((cut.loss, cut.is_fact), (loss, loss.is_some()), "{cut:?}");
    }
}

#[test]
fn an_annotated_record_is_read_back_as_the_same_game() {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = tables("3x3", 9, folder.path());
    let (mut marks, mut variations) = (String::new(), 0);
    for seed in 0..10 {
        let request = random_game("3x3", None, 20, seed);
        let game: Game = request.replay().expect("a game");
        let review = review(&game, Some(&knowledge), options(1), &mut |_| ()).expect("a review");
        let record = annotated_record(&game, &review);
        assert!(record.lines().all(|line| line.len() <= 100), "{record}");
        for read in [parse_record(&record), parse_game(&record)] {
            let read =
                read.unwrap_or_else(|error| panic!("{error}\n{record}")).game.replay().expect("a game").to_request();
            // Better lines are variations of the turns that they replace.
            let better = review.turns.iter().filter_map(|turn| Some((turn.ply - 1, &turn.better.as_ref()?.line)));
            for (ply, line) in better {
                assert!(read.variations.iter().any(|it| it.ply == ply && line.starts_with(&it.moves)), "{record}");
                variations += 1;
            }
            assert_eq!(GameRequest { variations: Vec::new(), ..read }, game.to_request(), "{record}");
        }
        marks += &record;
    }
    assert!(variations > 10, "{variations}");
    for words in ["?? {", "? {", "by tables", "} (", "only move"] {
        assert!(marks.contains(words), "{words}\n{marks}");
    }
}
