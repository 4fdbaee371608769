//! Games of studies: players who know next to nothing, and many games on several threads, whose results are appended to a file.

use std::collections::HashSet;
use std::error::Error;
use std::fs::OpenOptions;
use std::ops::ControlFlow;
use std::path::Path;
use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering};

use fanorona::game::Game;
use fanorona::rules::{Side, turn_text};

/// Why a study ends early.
pub type Failure = Box<dyn Error + Send + Sync>;

/// The turn of a player who looks at captures alone, or at nothing.
///
/// # Errors
/// The board is too large, or there is no turn.
pub fn simple_turn(game: &Game, greedy: bool, random: &mut fastrand::Rng) -> Result<String, Failure> {
    let Game::Narrow(game) = game else { return Err("the board is too large".into()) };
    let mut turns = Vec::new();
    let _ = game.referee().for_each_turn(game.state(), |path, after| {
        let left = if greedy { after.stones() } else { 0 };
        turns.push((left, random.u32(..), turn_text(game.size(), &path.to_turn())));
        ControlFlow::<()>::Continue(())
    });
    Ok(turns.into_iter().min().ok_or("there is no turn")?.2)
}

/// The result of a game for a side, in the word that files have for it.
///
/// # Errors
/// The game is not over.
pub fn result_for(game: &Game, side: Side) -> Result<&'static str, Failure> {
    let ended = game.result().ok_or("the game is not over")?;
    Ok(match ended.winner {
        Some(winner) if winner == side => "win",
        Some(_) => "loss",
        None => "draw",
    })
}

/// The mean length of games, in whole plies.
#[must_use]
pub fn mean_plies(plies: u64, games: u64) -> u64 {
    (plies + games / 2) / games.max(1)
}

/// Plays those games that a file does not have yet, and appends each as it ends. `key` gives the first three columns of a game, which
/// name it, `play` the others.
///
/// # Errors
/// The first failure of a game or of the file.
pub fn play_missing<G: Copy + Sync>(
    (file, header): (&Path, &[&str]),
    games: impl Iterator<Item = G>,
    threads: usize,
    key: impl Fn(G) -> [String; 3] + Sync,
    play: impl Fn(G) -> Result<Vec<String>, Failure> + Sync,
) -> Result<(), Failure> {
    let mut played = HashSet::new();
    if file.exists() {
        for row in csv::Reader::from_path(file)?.records() {
            played.insert(row?.iter().take(3).map(str::to_owned).collect::<Vec<_>>());
        }
    }
    let appended = OpenOptions::new().create(true).append(true).open(file)?;
    let mut writer = csv::WriterBuilder::new().has_headers(false).from_writer(appended);
    if played.is_empty() {
        writer.write_record(header)?;
        writer.flush()?;
    }
    let games: Vec<G> = games.filter(|&game| !played.contains(key(game).as_slice())).collect();
    let (next, writer) = (AtomicUsize::new(0), Mutex::new(writer));
    let work = || -> Result<(), Failure> {
        while let Some(&game) = games.get(next.fetch_add(1, Ordering::Relaxed)) {
            let row = play(game)?;
            let mut writer = writer.lock().map_err(|_| "another thread has failed")?;
            writer.write_record(key(game).iter().chain(&row))?;
            writer.flush()?;
        }
        Ok(())
    };
    std::thread::scope(|scope| {
        let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
        workers.into_iter().try_for_each(|worker| worker.join().map_err(|_| "a thread has failed")?)
    })
}
