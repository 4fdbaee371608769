//! The branching factor of the standard board against the number of stones on it, in random games.
//!
//! `branching_study FOLDER [GAMES]` writes the results there; `run` does both.

use std::fs;
use std::path::Path;

use fanorona::board::{Board, BoardSize};
use fanorona::report::plot::{Labels, Line, Point, line_chart};
use fanorona::rules::{Position, RuleSet, Rules};
use studies::number;
use studies::samples::{Ratio, Sampling, sample};

const GAMES: u64 = 1_000_000;
const MAX_PLIES: u64 = 10_000;
const SEED: u64 = 1;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let (folder, games) = match &arguments[..] {
        [folder] => (Path::new(folder), GAMES),
        [folder, games] => (Path::new(folder), number(games)?),
        _ => return Err("give a folder for the results and, if not 1000000, a number of games".into()),
    };
    fs::create_dir_all(folder)?;
    let size: BoardSize = "9x5".parse()?;
    let rules = RuleSet::default();
    let game = Rules::new(Board::<u64>::new(size, rules.diagonals), rules);
    let sampling = Sampling { games, max_plies: MAX_PLIES, seed: SEED };
    let sample = sample(&game, &Position::start(size), sampling, &|played| {
        if played % 10_000 == 0 {
            eprintln!("{played} of {games} games");
        }
    });
    let mut rows = csv::Writer::from_path(folder.join("branching.csv"))?;
    rows.write_record([
        "stones",
        "positions",
        "branching",
        "branching_error",
        "turns_branching",
        "turns_branching_error",
    ])?;
    let mut line = Line { name: "moves", points: Vec::new(), joined: true };
    let by_stones = sample.boards_by_stones.iter().zip(&sample.turns_by_stones).enumerate();
    for (stones, (boards, turns)) in by_stones.filter(|(_, (boards, _))| boards.positions() > 0) {
        let means = [boards, turns].map(Ratio::mean);
        let numbers = means.map(|(mean, error)| [format!("{mean:.4}"), format!("{error:.4}")]);
        rows.serialize((stones, boards.positions(), numbers))?;
        let (y, error) = boards.mean();
        line.points.push(Point { x: f64::from(u32::try_from(stones)?), y, error });
    }
    rows.flush()?;
    println!("{games} games, {} positions, {} cut, longest {}", sample.boards.positions(), sample.cut, sample.longest);
    for (name, count) in [("boards", sample.boards), ("turns", sample.turns)] {
        let ((length, length_error), (mean, error)) = (count.length(), count.mean());
        println!("{name}: length {length:.3} +- {length_error:.3}, branching {mean:.4} +- {error:.4}");
    }
    let labels = Labels {
        title: "Branching factor of Fanorona on 9x5, in random games",
        x: "stones on the board",
        y: "mean number of moves",
    };
    fs::write(folder.join("branching.svg"), line_chart(labels, &[line])?)?;
    Ok(())
}
