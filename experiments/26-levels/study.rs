//! The ladder of levels: each against the one below, and the lowest against random play and greedy captures.
//!
//! Games are appended to a file as they end, and those that it has already are not played again.

use std::fmt;
use std::path::Path;
use std::sync::atomic::AtomicBool;

use comfy_table::{Table, presets};
use fanorona::BoardSize;
use fanorona::game::engine::{Engine, Level, SearchLimits};
use fanorona::game::{GameRequest, PlayRules};
use fanorona::rules::Side;
use studies::games::{Failure, mean_plies, play_missing, result_for, simple_turn};
use studies::number;

/// Turns of both sides together after which a game is drawn.
const MOVE_LIMIT: u32 = 200;

/// Random turns at the beginning of each game. Two games have the same ones, with colours exchanged.
const OPENING: usize = 4;

/// A player.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Player {
    /// Any turn.
    Random,
    /// A turn that captures most.
    Greedy,
    Level(Level),
}

impl fmt::Display for Player {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Random => f.pad("random"),
            Self::Greedy => f.pad("greedy"),
            Self::Level(level) => f.pad(&format!("level {}", level.number())),
        }
    }
}

/// One game.
#[derive(Clone, Copy)]
struct Pairing {
    upper: Player,
    lower: Player,
    number: u64,
}

impl Pairing {
    fn key(self) -> [String; 3] {
        [self.upper.to_string(), self.lower.to_string(), self.number.to_string()]
    }

    /// The colour of the upper player.
    fn side(self) -> Side {
        if self.number.is_multiple_of(2) { Side::White } else { Side::Black }
    }
}

/// Plays a game; returns the result for the upper player, and its length.
fn play(size: BoardSize, pairing: Pairing, nodes: u64) -> Result<(&'static str, usize), Failure> {
    let rules = PlayRules { repetition: true, move_limit: Some(MOVE_LIMIT), ..PlayRules::default() };
    let mut game = GameRequest { board: size.to_string(), rules, ..GameRequest::default() }.replay()?;
    let mut engines = [Engine::default(), Engine::default()];
    let mut opening = fastrand::Rng::with_seed(pairing.number / 2);
    let mut random = fastrand::Rng::with_seed(pairing.number);
    let stop = AtomicBool::new(false);
    while game.result().is_none() {
        let is_upper = game.to_move() == pairing.side();
        let player = if is_upper { pairing.upper } else { pairing.lower };
        let text = match player {
            _ if game.ply() < OPENING => simple_turn(&game, false, &mut opening)?,
            Player::Random => simple_turn(&game, false, &mut random)?,
            Player::Greedy => simple_turn(&game, true, &mut random)?,
            Player::Level(level) => {
                let limits = SearchLimits { nodes: Some(nodes), ..SearchLimits::new(level, random.u64(..), &stop) };
                engines[usize::from(is_upper)].reply(&game, None, &limits, &mut |_| ())?.text
            }
        };
        game.play(&text, None)?;
    }
    Ok((result_for(&game, pairing.side())?, game.ply()))
}

/// Prints what the upper player of each pairing has scored.
fn summarize(file: &Path) -> Result<(), Failure> {
    let mut pairings: Vec<((String, String), [u32; 3], u64)> = Vec::new();
    for row in csv::Reader::from_path(file)?.records() {
        let row = row?;
        let pairing = (row[0].to_owned(), row[1].to_owned());
        let at = pairings.iter().position(|(other, ..)| *other == pairing).unwrap_or_else(|| {
            pairings.push((pairing, [0; 3], 0));
            pairings.len() - 1
        });
        pairings[at].1[["win", "draw", "loss"].iter().position(|word| *word == &row[3]).ok_or("a result")?] += 1;
        pairings[at].2 += row[4].parse::<u64>()?;
    }
    pairings.sort_by_key(|((upper, lower), ..)| (lower.starts_with("level"), lower.clone(), upper.clone()));
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header([
        "player",
        "against",
        "games",
        "wins",
        "draws",
        "losses",
        "score",
        "±",
        "plies a game",
    ]);
    for ((upper, lower), [wins, draws, losses], plies) in pairings {
        let games = wins + draws + losses;
        let (all, won, half) = (f64::from(games), f64::from(wins), f64::from(draws) / 2.0);
        let score = (won + half) / all;
        // Half the width of the interval of 95 %.
        let variance = (won + half / 2.0) / all - score * score;
        let margin = 1.96 * (variance / all).sqrt();
        let percent = [score, margin].map(|share| format!("{:.0} %", 100.0 * share));
        let counts = [games, wins, draws, losses].map(|count| count.to_string());
        let length = mean_plies(plies, games.into()).to_string();
        table.add_row([upper, lower].into_iter().chain(counts).chain(percent).chain([length]));
    }
    println!("{table}");
    Ok(())
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [board, file, games, nodes, threads] = &arguments[..] else {
        return Err("usage: levels_study BOARD RESULTS.csv GAMES NODES THREADS".into());
    };
    let (size, file): (BoardSize, _) = (board.parse()?, Path::new(file));
    let (games, nodes, threads): (u64, u64, usize) = (number(games)?, number(nodes)?, number(threads)?);
    let levels: Vec<Player> = Level::all().map(Player::Level).collect();
    let mut couples: Vec<(Player, Player)> = levels.windows(2).map(|pair| (pair[1], pair[0])).collect();
    couples.extend(levels.iter().take(2).flat_map(|&level| [(level, Player::Random), (level, Player::Greedy)]));
    let pairings =
        (0..games).flat_map(|number| couples.iter().map(move |&(upper, lower)| Pairing { upper, lower, number }));
    let header = ["player", "against", "game", "result", "plies", "nodes a move"];
    play_missing((file, &header), pairings, threads, Pairing::key, |pairing| {
        let (result, plies) = play(size, pairing, nodes)?;
        Ok(vec![result.to_owned(), plies.to_string(), nodes.to_string()])
    })?;
    summarize(file)
}
