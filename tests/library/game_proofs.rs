//! The best level does not lose from a start whose draw is proved, with either colour, whoever plays against it.

use std::ops::ControlFlow;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use fanorona::game::engine::{Engine, How, Level, SearchLimits};
use fanorona::game::{Game, GameRequest};
use fanorona::knowledge::{Knowledge, Trust, check_certificate};
use fanorona::rules::{RuleSet, Side, turn_text};
use fanorona::{BoardSize, Budget, Control, DEFAULT_CACHE_BYTES, Goal, Problem, SolveOptions, build, solve};

static NEVER: AtomicBool = AtomicBool::new(false);

/// Games that are longer count as drawn.
const MAX_PLIES: usize = 120;

/// Who plays against the best level.
#[derive(Clone, Copy, Debug)]
enum Opponent {
    Random,
    /// Captures as much as it can.
    Greedy,
    /// A level, without tables and proofs.
    Level(u8),
}

/// Tables to that many stones, and the checked certificate of the start.
fn proved(board: &str, stones: usize, folder: &Path) -> Knowledge {
    let (size, rules): (BoardSize, _) = (board.parse().expect("a board"), RuleSet::default());
    build(Goal::values(size, rules, stones), folder, Budget::default()).expect("tables");
    let certificates = folder.join("certificates");
    std::fs::create_dir(&certificates).expect("a folder");
    let mut options = SolveOptions::new(folder, stones, 256 << 20);
    options.certificate = Some(certificates.join(format!("{board}.proof")));
    let solved = solve(&Problem::start(size, rules), &options, &mut |_| Control::Continue).expect("a solution");
    assert_eq!(solved.solution.value.words(), "draw");
    let file = options.certificate.expect("a path");
    check_certificate(&file, &folder.into(), 256 << 20, &|_| ()).expect("a proof").recorded.expect("a record");
    Knowledge::open(folder, size, rules, DEFAULT_CACHE_BYTES, Trust::Checked).expect("knowledge")
}

const BEST: u8 = Level::BEST.number();

fn limits(level: u8, nodes: u64, seed: u64) -> SearchLimits<'static> {
    let level = Level::try_from(level).expect("a level");
    SearchLimits { nodes: Some(nodes), ..SearchLimits::new(level, seed, &NEVER) }
}

/// The turn of a player who looks at captures alone, or at nothing.
fn simple_turn(game: &Game, greedy: bool, random: &mut fastrand::Rng) -> String {
    let Game::Narrow(game) = game else { panic!("a small board") };
    let mut turns = Vec::new();
    let _ = game.referee().for_each_turn(game.state(), |path, after| {
        let left = if greedy { after.stones() } else { 0 };
        turns.push((left, random.u32(..), turn_text(game.size(), &path.to_turn())));
        ControlFlow::<()>::Continue(())
    });
    turns.into_iter().min().expect("a turn").2
}

/// Plays a game and returns whether the best level wins it, which must not lose.
fn wins(knowledge: &Knowledge, side: Side, opponent: Opponent, seed: u64) -> bool {
    let board = knowledge.rules().board().size().to_string();
    let mut game = GameRequest { board, ..GameRequest::default() }.replay().expect("a game");
    let (mut engine, mut other) = (Engine::new(1 << 12), Engine::new(1 << 12));
    let mut random = fastrand::Rng::with_seed(seed);
    while game.result().is_none() && game.ply() < MAX_PLIES {
        let text = if game.to_move() == side {
            let reply = engine.reply(&game, Some(knowledge), &limits(BEST, 400, random.u64(..)), &mut |_| ());
            let reply = reply.expect("a reply");
            // The position is known not to be lost, so something is known of it.
            assert!(reply.known.source.is_some() || reply.how == How::OnlyMove, "{reply:?}");
            assert_ne!(reply.known.value, "loss", "{reply:?}");
            reply.text
        } else {
            match opponent {
                Opponent::Random => simple_turn(&game, false, &mut random),
                Opponent::Greedy => simple_turn(&game, true, &mut random),
                Opponent::Level(level) => {
                    other.reply(&game, None, &limits(level, 2_000, random.u64(..)), &mut |_| ()).expect("a reply").text
                }
            }
        };
        game.play(&text, None).expect("a legal turn");
    }
    let winner = game.result().and_then(|result| result.winner);
    assert_ne!(winner, Some(side.other()), "{opponent:?}, seed {seed}: {:?}", game.record());
    winner == Some(side)
}

fn does_not_lose(board: &str, stones: usize, games: u64) {
    let folder = tempfile::tempdir().expect("a folder");
    let knowledge = proved(board, stones, folder.path());
    let (mut won, mut played) = (0, 0);
    for seed in 0..games {
        for side in [Side::White, Side::Black] {
            for opponent in [Opponent::Random, Opponent::Greedy, Opponent::Level(3), Opponent::Level(BEST)] {
                won += u64::from(wins(&knowledge, side, opponent, seed));
                played += 1;
            }
        }
    }
    assert!(4 * won > played, "{won} of {played} won");
}

#[test]
fn the_best_level_does_not_lose_from_the_start_of_5x5() {
    does_not_lose("5x5", 6, 6);
}

#[test]
fn the_best_level_does_not_lose_from_the_start_of_7x5() {
    does_not_lose("7x5", 7, 1);
}
