//! Quiet positions near games of the engine against itself, each with the score of a search.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::sync::atomic::AtomicBool;
use std::time::Instant;

use fanorona::Level;
use fanorona::board::{BoardSize, PointSet};
use fanorona::game::engine::{Engine, SearchLimits};
use fanorona::game::{GameHistory, PlayRules};
use fanorona::rules::{Position, turn_text};
use fanorona::table::NoValues;

/// A game that is longer ends.
const MAX_PLIES: usize = 100;

/// The nodes of a move in the games.
const GAME_NODES: u64 = 200;

/// Of positions with fewer stones one in three is kept: games have many of them.
const FEW_STONES: usize = 9;

/// A record: the stones of the side to move and those of the other (8 bytes each), columns, rows, and the score of a search for
/// the side to move in hundredths of a stone (2 bytes), all little-endian.
pub const RECORD: usize = 20;

/// Appends the positions of games; each is searched with that many nodes.
#[allow(clippy::cast_precision_loss)] // for people
pub fn play(file: &str, size: &str, numbers: [&str; 3]) -> Result<(), Box<dyn Error>> {
    let size: BoardSize = size.parse()?;
    let [games, nodes, seed] = numbers.map(str::parse::<u64>);
    let (games, nodes, mut random) = (games?, nodes?, fastrand::Rng::with_seed(seed?));
    let mut out = BufWriter::new(OpenOptions::new().create(true).append(true).open(file)?);
    let (begun, mut written) = (Instant::now(), 0);
    for game in 1..=games {
        written += one(size, nodes, &mut random, &mut out)?;
        if game % 100 == 0 {
            let spent = begun.elapsed();
            let left = spent.mul_f64((games - game) as f64 / game as f64);
            eprintln!("{game} of {games} games, {written} positions, {} s left", left.as_secs());
        }
    }
    Ok(out.flush()?)
}

fn one(size: BoardSize, nodes: u64, random: &mut fastrand::Rng, out: &mut impl Write) -> Result<usize, Box<dyn Error>> {
    let rules = PlayRules { repetition: true, ..PlayRules::default() };
    let mut game = GameHistory::<u64>::new(size, rules, Position::start(size));
    let (mut engine, stop) = (Engine::new(1 << 12), AtomicBool::new(false));
    let (opening, mut written) = (random.usize(2..9), 0);
    while game.result().is_none() && game.played().len() < MAX_PLIES {
        let mut think = |game: &GameHistory<u64>, nodes: u64, seed: u64| {
            let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::new(Level::BEST, seed, &stop) };
            engine.choose(game, &NoValues, &limits, &mut |_| ())
        };
        if let Some(position) = quiet_near(&game, random)?
            && (position.white.count() + position.black.count() >= FEW_STONES || random.u8(..3) == 0)
        {
            let near = GameHistory::new(size, rules, position);
            if let Some(score) = think(&near, nodes, random.u64(..))?.score {
                out.write_all(&position.mover().to_le_bytes())?;
                out.write_all(&position.opponent().to_le_bytes())?;
                out.write_all(&[u8::try_from(size.columns())?, u8::try_from(size.rows())?])?;
                out.write_all(&i16::try_from(score)?.to_le_bytes())?;
                written += 1;
            }
        }
        let text = if game.played().len() < opening {
            random_turn(&game, random)
        } else {
            think(&game, GAME_NODES, random.u64(..))?.text
        };
        game.play(&text, None)?;
    }
    Ok(written)
}

/// A position as searches meet it: one to four random turns on, and then captures, mostly the largest, until there are none.
fn quiet_near(game: &GameHistory<u64>, random: &mut fastrand::Rng) -> Result<Option<Position<u64>>, Box<dyn Error>> {
    let mut near = game.clone();
    for _ in 0..random.usize(1..5) {
        if near.result().is_none() {
            let turn = random_turn(&near, random);
            near.play(&turn, None)?;
        }
    }
    while near.result().is_none() && !near.referee().capturing_stones(near.state()).is_empty() {
        let turn = if random.u8(..4) > 0 { largest_capture(&near, random) } else { random_turn(&near, random) };
        near.play(&turn, None)?;
    }
    Ok(near.result().is_none().then(|| near.state().position))
}

fn random_turn(game: &GameHistory<u64>, random: &mut fastrand::Rng) -> String {
    let turns = game.referee().board_rules().turns(&game.state().position);
    turn_text(game.size(), &turns[random.usize(..turns.len())].0)
}

fn largest_capture(game: &GameHistory<u64>, random: &mut fastrand::Rng) -> String {
    let mut turns = game.referee().board_rules().turns(&game.state().position);
    random.shuffle(&mut turns);
    let largest = turns.iter().min_by_key(|(_, after)| after.mover().count());
    largest.map(|(turn, _)| turn_text(game.size(), turn)).unwrap_or_default()
}
