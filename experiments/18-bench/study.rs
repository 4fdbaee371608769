//! Figures side by side: of one program with more stones and threads, or of several programs, such as two
//! versions, measured in turn so that a disturbance of the machine affects all of them.
//!
//! Whole commands are timed, from the start of the process to its end, compression and writing included.

use std::error::Error;
use std::fs::File;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::time::Instant;

use comfy_table::{Table, presets};
use fanorona::board::BoardSize;
use fanorona::rules::{Position, Side};
use serde_json::Value;
use studies::number;

type Failure = Box<dyn Error>;

const BOARD: &str = "9x5";
const SEARCHED: &str = "7x5";
const QUERIES: usize = 200_000;

/// Takes one figure.
type Taken = Box<dyn Fn(&Bench<'_>) -> Result<f64, Failure>>;

/// Something to measure: how, and in what unit.
struct Measure {
    name: String,
    unit: &'static str,
    of: Taken,
}

/// A program in its own folder.
struct Bench<'a> {
    program: &'a Path,
    work: &'a Path,
}

impl Bench<'_> {
    fn command(&self, words: &str, database: &str) -> Command {
        let mut command = Command::new(self.program);
        command.args(words.split(' ')).arg("--db").arg(self.work.join(database)).stderr(Stdio::null());
        command
    }

    /// Runs a command to its end; what it printed as JSON, and the seconds it took.
    fn json(&self, words: &str, database: &str) -> Result<(Value, f64), Failure> {
        let start = Instant::now();
        let done = self.command(words, database).arg("--json").output()?;
        let seconds = start.elapsed().as_secs_f64();
        if !done.status.success() {
            return Err(format!("{} {words} failed", self.program.display()).into());
        }
        Ok((serde_json::from_slice(&done.stdout)?, seconds))
    }

    /// Builds from nothing; positions and bytes of all slices, and seconds.
    #[allow(clippy::cast_precision_loss)] // for people
    fn build(&self, stones: usize, metric: &str, threads: usize) -> Result<(f64, f64, f64), Failure> {
        let database = self.work.join("built");
        if database.exists() {
            std::fs::remove_dir_all(&database)?;
        }
        let words = format!("build {BOARD} --stones {stones} --metric {metric} --threads {threads}");
        let (answer, seconds) = self.json(&words, "built")?;
        let slices = answer["slices"].as_array().ok_or("no slices")?;
        let sum = |field: &str| slices.iter().filter_map(|slice| slice[field].as_u64()).sum::<u64>() as f64;
        Ok((sum("positions"), sum("bytes"), seconds))
    }

    /// Answers of a long stream of queries a second.
    #[allow(clippy::cast_precision_loss)]
    fn queries(&self) -> Result<f64, Failure> {
        let start = Instant::now();
        let input = File::open(self.work.join("positions"))?;
        let done = self.command("query --stdin", "kept").stdin(input).stdout(Stdio::null()).status()?;
        if !done.success() {
            return Err("a stream of queries failed".into());
        }
        Ok(QUERIES as f64 / start.elapsed().as_secs_f64())
    }

    /// Positions expanded a second in solving a start, one question after the other.
    fn search(&self, threads: usize) -> Result<f64, Failure> {
        // With a saved state or a certificate of the last search there would be nothing to search.
        let database = self.work.join("search");
        let (checkpoint, certificates) =
            (database.join(SEARCHED).join("start.checkpoint"), database.join("certificates"));
        if checkpoint.exists() {
            std::fs::remove_file(checkpoint)?;
        }
        if certificates.exists() {
            std::fs::remove_dir_all(certificates)?;
        }
        let words = format!("solve {SEARCHED} --stones 7 --threads {threads}");
        let (answer, _) = self.json(&words, "search")?;
        let questions = ["white_wins", "black_wins"].map(|name| &answer["questions"][name]);
        let sum = |field: &str| questions.iter().filter_map(|question| question[field].as_f64()).sum::<f64>();
        Ok(sum("nodes") / sum("seconds"))
    }
}

fn measures(stones: usize, threads: usize) -> Vec<Measure> {
    let mut all = Vec::new();
    let mut add = |name: String, unit, of: Taken| {
        all.push(Measure { name, unit, of });
    };
    let mut counts = vec![threads, 1];
    counts.dedup();
    for metric in ["wdl", "both"] {
        let what = if metric == "wdl" { "values" } else { "values and depths" };
        for stones in 5..=stones {
            for &threads in &counts {
                add(
                    format!("{what} to {stones} stones, threads {threads}"),
                    "M positions a second and thread",
                    Box::new(move |bench| {
                        let (positions, _, seconds) = bench.build(stones, metric, threads)?;
                        #[allow(clippy::cast_precision_loss)]
                        let share = threads as f64;
                        Ok(positions / seconds / share / 1e6)
                    }),
                );
            }
            add(
                format!("{what} to {stones} stones"),
                "bytes per 1 000 positions",
                Box::new(move |bench| {
                    let (positions, bytes, _) = bench.build(stones, metric, threads)?;
                    Ok(1000.0 * bytes / positions)
                }),
            );
        }
    }
    add(
        "stream of queries, 6 stones".to_owned(),
        "thousand answers a second",
        Box::new(|bench| Ok(bench.queries()? / 1e3)),
    );
    for threads in counts {
        let search = move |bench: &Bench<'_>| Ok(bench.search(threads)? / 1e3);
        add(format!("search of {SEARCHED}, threads {threads}"), "thousand nodes a second", Box::new(search));
    }
    all
}

/// Random placements of six stones, a line each.
fn write_positions(file: &Path) -> Result<(), Failure> {
    let size: BoardSize = BOARD.parse()?;
    let mut random = fastrand::Rng::with_seed(3);
    let mut text = String::new();
    for _ in 0..QUERIES {
        let mut points: Vec<usize> = (0..size.points()).collect();
        random.shuffle(&mut points);
        let movers = random.usize(1..6);
        let set = |points: &[usize]| points.iter().fold(0u64, |set, point| set | 1 << point);
        let position = Position::of_sides(Side::White, set(&points[..movers]), set(&points[movers..6]));
        text += &position.to_text(size);
        text.push('\n');
    }
    Ok(File::create(file)?.write_all(text.as_bytes())?)
}

fn median(figures: &mut [f64]) -> f64 {
    figures.sort_by(f64::total_cmp);
    figures[figures.len() / 2]
}

fn main() -> Result<(), Failure> {
    let arguments: Vec<String> = std::env::args().collect();
    let [_, work, rounds, stones, programs @ ..] = &arguments[..] else {
        return Err("usage: side_by_side FOLDER ROUNDS STONES PROGRAM [PROGRAM …]".into());
    };
    let (rounds, stones): (usize, usize) = (number(rounds)?, number(stones)?);
    if programs.is_empty() || rounds == 0 {
        return Err("name at least one program and one round".into());
    }
    let programs: Vec<PathBuf> = programs.iter().map(PathBuf::from).collect();
    let work = PathBuf::from(work);
    write_positions(&work.join("positions"))?;
    let benches: Vec<(PathBuf, &PathBuf)> =
        programs.iter().enumerate().map(|(number, program)| (work.join(number.to_string()), program)).collect();
    for (work_here, program) in &benches {
        std::fs::create_dir_all(work_here)?;
        std::fs::copy(work.join("positions"), work_here.join("positions"))?;
        let bench = Bench { program, work: work_here };
        bench.json(&format!("build {BOARD} --stones 6"), "kept")?;
        bench.json(&format!("build {SEARCHED} --stones 7"), "search")?;
    }
    let threads = std::thread::available_parallelism()?.get();
    let mut header = vec!["what".to_owned(), "unit".to_owned()];
    header.extend(programs.iter().map(|program| program.display().to_string()));
    header.extend(programs.iter().skip(1).map(|_| "ratio to the first".to_owned()));
    let mut table = Table::new();
    table.load_style(presets::ASCII_MARKDOWN).set_header(header);
    for measure in measures(stones, threads) {
        let mut figures = vec![Vec::new(); programs.len()];
        for _ in 0..rounds {
            for ((work, program), figures) in benches.iter().zip(&mut figures) {
                figures.push((measure.of)(&Bench { program, work })?);
            }
        }
        let medians: Vec<f64> = figures.iter_mut().map(|figures| median(figures)).collect();
        let mut row = vec![measure.name, measure.unit.to_owned()];
        row.extend(
            figures
                .iter()
                .zip(&medians)
                .map(|(all, median)| format!("{median:.2} ({:.2} to {:.2})", all[0], all[all.len() - 1])),
        );
        row.extend(medians.iter().skip(1).map(|median| format!("{:.3}", median / medians[0])));
        eprintln!("{}", row.join("  "));
        table.add_row(row);
    }
    println!("Medians of {rounds} (least to greatest); {BOARD} unless said otherwise; {threads} cores.\n\n{table}");
    Ok(())
}
