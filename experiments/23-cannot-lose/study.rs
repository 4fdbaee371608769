//! Games of the best level from a proved start, against lower levels, simple players, and itself without proofs: how many it wins,
//! draws and loses.
//!
//! Games are appended to a file as they end, and those that it has already are not played again.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use comfy_table::{Table, presets};
use fanorona::game::engine::{Engine, Level, SearchLimits};
use fanorona::game::{Game, GameRequest, PlayRules};
use fanorona::knowledge::{Knowledge, Trust};
use fanorona::rules::{Bounds, RuleSet, Side};
use fanorona::table::{Probe, TableError, Tables};
use fanorona::{BoardSize, DEFAULT_CACHE_BYTES};
use studies::games::{Failure, mean_plies, play_missing, result_for, simple_turn};
use studies::number;

/// Turns of both sides together after which a game is drawn.
const MOVE_LIMIT: u32 = 300;

/// Who plays against the best level.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Opponent {
    /// Any turn.
    Random,
    /// A turn that captures most.
    Greedy,
    /// A level, with what it usually knows.
    Level(u8),
    /// The best level with the same tables and no proofs.
    WithoutProofs,
}

const OPPONENTS: [Opponent; 7] = [
    Opponent::Random,
    Opponent::Greedy,
    Opponent::Level(1),
    Opponent::Level(2),
    Opponent::Level(3),
    Opponent::Level(4),
    Opponent::WithoutProofs,
];

impl fmt::Display for Opponent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.pad("random"),
            Self::Greedy => f.pad("greedy"),
            Self::Level(level) => f.pad(&format!("level {level}")),
            Self::WithoutProofs => f.pad("best level without proofs"),
        }
    }
}

/// Tables alone.
struct WithoutProofs<'a>(&'a Tables);

impl Probe for WithoutProofs<'_> {
    fn stones(&self) -> usize {
        self.0.folder().complete_up_to(self.0.space().board().points())
    }

    fn probe(&self, mover: u64, opponent: u64) -> Result<Bounds, TableError> {
        Ok(self.0.probe(mover, opponent)?.map_or(Bounds::UNKNOWN, Bounds::from))
    }
}

/// One game of the study.
#[derive(Clone, Copy)]
struct Pairing {
    number: u64,
    opponent: Opponent,
    side: Side,
}

impl Pairing {
    fn key(self) -> [String; 3] {
        [self.opponent.to_string(), self.side.name().to_lowercase(), self.number.to_string()]
    }
}

/// Plays a game; returns the result for the best level, why it ended, and its length.
fn play(knowledge: &Knowledge, pairing: Pairing, time: Duration) -> Result<(&'static str, String, usize), Failure> {
    let board = knowledge.rules().board().size().to_string();
    let rules = PlayRules { repetition: true, move_limit: Some(MOVE_LIMIT), ..PlayRules::default() };
    let mut game = GameRequest { board, rules, ..GameRequest::default() }.replay()?;
    let (mut engine, mut other) = (Engine::default(), Engine::default());
    let mut random = fastrand::Rng::with_seed(pairing.number);
    let stop = AtomicBool::new(false);
    let limits = |level, seed| SearchLimits { time: Some(time), ..SearchLimits::new(level, seed, &stop) };
    while game.result().is_none() {
        let seed = random.u64(..);
        let text = if game.to_move() == pairing.side {
            engine.reply(&game, Some(knowledge), &limits(Level::BEST, seed), &mut |_| ())?.text
        } else {
            match (pairing.opponent, &game) {
                (Opponent::Random, _) => simple_turn(&game, false, &mut random)?,
                (Opponent::Greedy, _) => simple_turn(&game, true, &mut random)?,
                (Opponent::WithoutProofs, Game::Narrow(game)) => {
                    let values = WithoutProofs(knowledge.tables());
                    other.choose(game, &values, &limits(Level::BEST, seed), &mut |_| ())?.text
                }
                (Opponent::WithoutProofs, Game::Wide(_)) => return Err("the board is too large".into()),
                (Opponent::Level(level), _) => {
                    other.reply(&game, Some(knowledge), &limits(Level::try_from(level)?, seed), &mut |_| ())?.text
                }
            }
        };
        game.play(&text, None)?;
    }
    let end = game.result().ok_or("the game is not over")?.text;
    Ok((result_for(&game, pairing.side)?, end, game.ply()))
}

/// Prints how many games have been won, drawn and lost against whom.
fn summarize(file: &Path) -> Result<(), Failure> {
    let mut counts: BTreeMap<(usize, String), [u64; 4]> = BTreeMap::new();
    for row in csv::Reader::from_path(file)?.records() {
        let row = row?;
        let opponent = OPPONENTS.iter().position(|opponent| opponent.to_string() == row[0]).ok_or("an opponent")?;
        let count = counts.entry((opponent, row[1].to_owned())).or_default();
        count[["win", "draw", "loss"].iter().position(|word| *word == &row[3]).ok_or("a result")?] += 1;
        count[3] += row[4].parse::<u64>()?;
    }
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "opponent",
        "best level has",
        "games",
        "wins",
        "draws",
        "losses",
        "plies a game",
    ]);
    let mut sum = [0; 4];
    for ((opponent, side), [wins, draws, losses, plies]) in counts {
        let games = wins + draws + losses;
        let row = [games, wins, draws, losses, mean_plies(plies, games)].map(|number| number.to_string());
        table.add_row([OPPONENTS[opponent].to_string(), side].into_iter().chain(row));
        sum = [sum[0] + wins, sum[1] + draws, sum[2] + losses, sum[3] + plies];
    }
    let games: u64 = sum[..3].iter().sum();
    let row = [games, sum[0], sum[1], sum[2], mean_plies(sum[3], games)].map(|number| number.to_string());
    table.add_row(["all".to_owned(), String::new()].into_iter().chain(row));
    println!("{table}");
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, database, file, games, milliseconds, threads] = &arguments[..] else {
        return Err("usage: cannot_lose_study BOARD DB RESULTS.csv GAMES MILLISECONDS THREADS".into());
    };
    let (size, file): (BoardSize, _) = (board.parse()?, Path::new(file));
    let (games, milliseconds, threads): (u64, u64, usize) = (number(games)?, number(milliseconds)?, number(threads)?);
    let knowledge =
        Knowledge::open(Path::new(database), size, RuleSet::default(), DEFAULT_CACHE_BYTES, Trust::Checked)?;
    if knowledge.proofs().proofs().is_empty() {
        return Err(format!("{database} has no checked certificate of {board}").into());
    }
    let pairings = (0..games)
        .flat_map(|number| OPPONENTS.map(|opponent| (number, opponent)))
        .flat_map(|(number, opponent)| [Side::White, Side::Black].map(|side| Pairing { number, opponent, side }));
    let header = ["opponent", "colour", "game", "result", "plies", "end", "milliseconds a move"];
    play_missing((file, &header), pairings, threads, Pairing::key, |pairing| {
        let (result, end, plies) = play(&knowledge, pairing, Duration::from_millis(milliseconds))?;
        Ok(vec![result.to_owned(), plies.to_string(), end, milliseconds.to_string()])
    })?;
    summarize(file)
}
