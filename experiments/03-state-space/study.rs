//! Counts the positions of every board that the program solves, and estimates the sizes of their game trees.
//!
//! `state_space_study FOLDER [GAMES]` writes the results there; `run` does both.

use std::fs;
use std::path::Path;

use fanorona::board::{Board, BoardSize};
use fanorona::report::plot::{Labels, Line, Point, line_chart};
use fanorona::rules::{Position, RuleSet, Rules};
use studies::number;
use studies::samples::{Sample, Sampling, placements_up_to, reachable, sample, start_stones};

/// The boards of `reproduce` and of `reproduce --further`, without 5x11.
const BOARDS: [&str; 19] = [
    "3x3", "3x5", "5x3", "3x7", "7x3", "5x5", "3x9", "9x3", "3x11", "11x3", "5x7", "7x5", "3x13", "13x3", "5x9", "9x5",
    "7x7", "11x5", "9x7",
];

/// Positions reachable from the start are listed on boards of up to this many points.
const FEW_POINTS: usize = 15;

const GAMES: u64 = 10_000;
const MAX_PLIES: u64 = 10_000;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, games) = match &arguments[..] {
        [folder] => (Path::new(folder), GAMES),
        [folder, games] => (Path::new(folder), number(games)?),
        _ => return Err("give a folder for the results and, if not 10000, a number of games".into()),
    };
    fs::create_dir_all(folder)?;
    let mut counts = csv::Writer::from_path(folder.join("positions.csv"))?;
    counts.write_record(["board", "points", "stones_of_each", "placements", "positions", "reachable"])?;
    let mut trees = csv::Writer::from_path(folder.join("games.csv"))?;
    trees.write_record([
        "board",
        "games",
        "seed",
        "most_plies",
        "cut",
        "longest",
        "length",
        "length_error",
        "branching",
        "branching_error",
        "log10_tree",
        "log10_tree_error",
        "turns_branching",
        "turns_branching_error",
        "log10_turns_tree",
        "log10_turns_tree_error",
    ])?;
    let line = |name| Line { name, points: Vec::new(), joined: false };
    let mut lines = [line("positions, exact"), line("game tree, estimated")];
    for board in BOARDS {
        let size: BoardSize = board.parse()?;
        let rules = RuleSet::default();
        let game = Rules::new(Board::<u64>::new(size, rules.diagonals), rules);
        let start = Position::start(size);
        let (white, black) = start_stones(size);
        let placements = placements_up_to(size.points(), white, black).ok_or("too many placements")?;
        let positions = placements.checked_mul(2).ok_or("too many positions")?;
        let found = (size.points() <= FEW_POINTS).then(|| reachable(&game, start).len().to_string());
        counts.serialize((board, size.points(), white, placements, positions, found.unwrap_or_default()))?;
        let sampling = Sampling { games, max_plies: MAX_PLIES, seed: SEED };
        let Sample { cut, longest, boards, turns, .. } = sample(&game, &start, sampling, &|played| {
            if played % 2500 == 0 {
                eprintln!("{board}: {played} of {games} games");
            }
        });
        let numbers = [boards.length(), boards.mean(), boards.log_size(), turns.mean(), turns.log_size()];
        let numbers = numbers.map(|(value, error)| [format!("{value:.5}"), format!("{error:.5}")]);
        trees.serialize(((board, games, SEED, MAX_PLIES, cut, longest), numbers))?;
        for (line, (y, error)) in lines.iter_mut().zip([(log10(positions), 0.0), boards.log_size()]) {
            line.points.push(Point { x: f64::from(u32::try_from(size.points())?), y, error });
        }
    }
    counts.flush()?;
    trees.flush()?;
    let labels =
        Labels { title: "Fanorona by board size", x: "points of the board", y: "decimal logarithm of the size" };
    fs::write(folder.join("sizes.svg"), line_chart(labels, &lines)?)?;
    Ok(())
}

/// For the chart.
#[allow(clippy::cast_precision_loss)]
fn log10(number: u128) -> f64 {
    (number as f64).log10()
}
