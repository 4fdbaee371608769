//! Asks a fixed set of questions, and compares nodes and seconds with an earlier run.
//!
//! `search_bench DB [--set short|middle|quiet|long] [--board CxR] [--questions FILE] [--runs N] [--nodes N] [--threads N] [--weights FILE]
//! [--with FIELD=N]… [--out FILE] [--against FILE]`; `run` builds the tables. On one thread, which is what it takes, the same
//! program has the same nodes each time. Seconds are those of the processor, the least of N runs.
//!
//! With `--fit FILE [--sample N] [--each NODES]`, weights of first numbers are fitted to one in N of the positions that these
//! questions expand.
//!
//! `search_bench --positions GAMES [SEED]` prints questions about positions of twelve to twenty stones, one of each game of a
//! file with a column `moves`, to choose from.

mod fit;
mod question;

use std::error::Error;
use std::fs;
use std::path::Path;
use std::time::Duration;

use fanorona::knowledge::{Knowledge, Trust};
use fanorona::rules::RuleSet;
use fanorona::search::{Control, Memory, SearchOptions, SolveEvent, SolveScope, Solver, Tuning};
use fanorona::{Game, GameRequest};
use rustix::time::{ClockId, clock_gettime};
use serde::{Deserialize, Serialize};
use studies::number;

use fit::{Fit, Sample};
use question::parse_question;

type Failure = Box<dyn Error + Send + Sync>;

/// Blocks of tables in memory.
const CACHE_BYTES: u64 = 1 << 30;

/// A question: can that side force a win?
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
struct Question {
    /// `short`, `middle`, `quiet` or `long`.
    set: String,
    board: String,
    /// Tables of up to this many stones are used.
    stones: usize,
    side: String,
    /// A position, or `start`.
    position: String,
}

/// What came of it.
#[derive(Debug, Serialize, Deserialize)]
struct Row {
    set: String,
    board: String,
    stones: usize,
    side: String,
    position: String,
    /// `yes`, `no`, or `open` after too many nodes.
    wins: String,
    nodes: u64,
    seconds: f64,
}

impl Question {
    /// Words of the transposition table, which does not grow, since the time of that is chance; and the node limit.
    fn limits(&self) -> (usize, u64) {
        match &*self.set {
            "long" => (1 << 28, 400_000_000),
            "quiet" => (1 << 24, 1_500_000),
            _ => (1 << 24, 20_000_000),
        }
    }

    /// The answer, nodes, and seconds of processor time. The positions it expanded go into a fit, if there is one.
    fn ask(
        &self,
        database: &Path,
        search: SearchOptions,
        nodes: Option<u64>,
        fit: Option<(&mut Fit, Sample)>,
    ) -> Result<Row, Failure> {
        let (board, asked, position) = parse_question(&self.board, &self.side, &self.position)?;
        let knowledge = Knowledge::open(database, board, RuleSet::default(), CACHE_BYTES, Trust::None)?;
        let probe = knowledge.select(self.stones);
        let (words, most) = self.limits();
        let max_nodes = nodes.unwrap_or(most);
        let mut solver = Solver::new(knowledge.rules(), &probe, search)?.with_memory(Memory::words(words)?);
        let began = processor_time();
        let answer = solver.solve(position, SolveScope::only(asked), None, &mut |event| match event {
            SolveEvent::Searching { progress, .. } | SolveEvent::Closing { progress, .. }
                if progress.nodes > max_nodes =>
            {
                Control::Stop
            }
            _ => Control::Continue,
        });
        let seconds = processor_time().saturating_sub(began).as_secs_f64();
        let wins = match answer {
            Ok(solution) => {
                if solution.answer(asked).wins == Some(true) {
                    "yes"
                } else {
                    "no"
                }
            }
            Err(fanorona::SolveError::Stopped) => "open",
            Err(error) => return Err(error.into()),
        };
        let nodes = solver.nodes();
        if let Some((fit, sample)) = fit {
            fit.add(&mut solver, position, asked, sample)?;
        }
        let Self { set, board, stones, side, position } = self.clone();
        Ok(Row { set, board, stones, side, position, wins: wins.to_owned(), nodes, seconds })
    }

    fn is_of(&self, row: &Row) -> bool {
        (&*row.board, row.stones, &*row.side, &*row.position)
            == (&*self.board, self.stones, &*self.side, &*self.position)
    }
}

fn processor_time() -> Duration {
    clock_gettime(ClockId::ProcessCPUTime).try_into().unwrap_or_default()
}

/// Sets a parameter of the search, such as `share=12`.
fn set(tuning: &mut Tuning, text: &str) -> Result<(), Failure> {
    let (field, value) = text.split_once('=').ok_or_else(|| format!("\"{text}\" is not FIELD=N"))?;
    let place = match field {
        "patience" => &mut tuning.patience,
        "share" => &mut tuning.share,
        "paikas" => &mut tuning.paikas,
        _ => return Err(format!("the search has no parameter \"{field}\"").into()),
    };
    *place = number(value)?;
    Ok(())
}

/// Geometric means of nodes and seconds, and of their ratios to those of an earlier run.
#[derive(Default)]
struct Means {
    questions: u32,
    logs: [f64; 2],
    compared: u32,
    ratios: [f64; 2],
}

impl Means {
    #[allow(clippy::cast_precision_loss)] // a logarithm
    fn add(&mut self, row: &Row, earlier: Option<&Row>) -> Option<[f64; 2]> {
        let log = |row: &Row| [(row.nodes.max(1) as f64).ln(), row.seconds.max(0.001).ln()];
        let (new, old) = (log(row), earlier.map(log));
        self.questions += 1;
        self.compared += u32::from(old.is_some());
        (0..2).for_each(|what| self.logs[what] += new[what]);
        old.map(|old| {
            [0, 1].map(|what| {
                self.ratios[what] += new[what] - old[what];
                (new[what] - old[what]).exp()
            })
        })
    }

    fn print(&self) {
        let mean = |log: f64, count: u32| (log / f64::from(count)).exp();
        let [nodes, seconds] = self.logs.map(|log| mean(log, self.questions));
        print!("{:>69} {nodes:>12.0} {seconds:>8.2} s", format!("geometric means of {}", self.questions));
        if self.compared > 0 {
            let [nodes, seconds] = self.ratios.map(|log| mean(log, self.compared));
            print!("  {nodes:>5.2} {seconds:>5.2}");
        }
        println!();
    }
}

fn bench(database: &Path, options: impl Iterator<Item = String>) -> Result<(), Failure> {
    let mut questions = "experiments/02-search/questions.csv".to_owned();
    let mut search = SearchOptions { memory: 1 << 20, threads: 1, tuning: Tuning::default() };
    let (mut chosen, mut board, mut runs) = ("short".to_owned(), None, 1);
    let (mut nodes, mut out, mut against) = (None, None, Vec::new());
    let (mut fit, mut sample) = (None, Sample { nodes: 32, one_in: 2 });
    let mut options = options;
    while let Some(option) = options.next() {
        let value = options.next().ok_or_else(|| format!("{option} needs a value"))?;
        match &*option {
            "--set" => chosen = value,
            "--board" => board = Some(value),
            "--questions" => questions = value,
            "--runs" => runs = number(&value)?,
            "--nodes" => nodes = Some(number(&value)?),
            "--threads" => search.threads = number(&value)?,
            "--weights" => search.tuning.weights = Box::leak(serde_json::from_str(&fs::read_to_string(value)?)?),
            "--with" => set(&mut search.tuning, &value)?,
            "--fit" => fit = Some((value, Fit::default())),
            "--sample" => sample.one_in = number(&value)?,
            "--each" => sample.nodes = number(&value)?,
            "--out" => out = Some(csv::Writer::from_path(value)?),
            "--against" => against = csv::Reader::from_path(value)?.deserialize::<Row>().collect::<Result<_, _>>()?,
            _ => return Err(format!("there is no option {option}").into()),
        }
    }
    let mut means = Means::default();
    for question in csv::Reader::from_path(questions)?.deserialize() {
        let question: Question = question?;
        if question.set != chosen || board.as_ref().is_some_and(|board| question.board != *board) {
            continue;
        }
        let fitted = fit.as_mut().map(|(_, fit)| (fit, sample));
        let mut row = question.ask(database, search, nodes, fitted)?;
        for _ in 1..runs {
            row.seconds = row.seconds.min(question.ask(database, search, nodes, None)?.seconds);
        }
        let earlier = against.iter().find(|row| question.is_of(row));
        let ratios = means.add(&row, earlier);
        let Row { board, stones, side, position, wins, nodes, seconds, .. } = &row;
        print!("{board:<5} {stones} {side:<5} {position:<50} {wins:<4} {nodes:>12} {seconds:>8.2} s");
        if let Some([nodes, seconds]) = ratios {
            print!("  {nodes:>5.2} {seconds:>5.2}");
        }
        println!("{}", if earlier.is_some_and(|earlier| earlier.wins != *wins) { "  another answer" } else { "" });
        if let Some(out) = &mut out {
            out.serialize(row)?;
            out.flush()?;
        }
    }
    if means.questions == 0 {
        return Err(format!("there are no questions of the set {chosen} on these boards").into());
    }
    means.print();
    if let Some((file, fit)) = fit {
        fs::write(file, fit::text(&fit.weights()?))?;
        println!("fitted to {} positions", fit.positions());
    }
    Ok(())
}

/// Prints both questions about a position of each game.
fn positions(games: &str, seed: u64) -> Result<(), Failure> {
    let mut random = fastrand::Rng::with_seed(seed);
    let mut out = csv::Writer::from_writer(std::io::stdout());
    let mut reader = csv::Reader::from_path(games)?;
    let moves = reader.headers()?.iter().position(|name| name == "moves").ok_or("the file has no column moves")?;
    for record in reader.records() {
        let record = record?;
        let moves = record.get(moves).unwrap_or_default().split(' ').map(str::to_owned).collect();
        let mut game: Game = GameRequest { board: "9x5".to_owned(), moves, ..GameRequest::default() }.replay()?;
        let mut found = Vec::new();
        while game.undo() {
            let position = game.position();
            let stones = position.bytes().filter(|byte| matches!(byte, b'B' | b'W')).count();
            found.extend((12..=20).contains(&stones).then_some(position));
        }
        if found.is_empty() {
            continue;
        }
        let position = found.swap_remove(random.usize(..found.len()));
        for side in ["white", "black"] {
            let (set, board, side) = ("short".to_owned(), "9x5".to_owned(), side.to_owned());
            out.serialize(Question { set, board, stones: 7, side, position: position.clone() })?;
        }
    }
    Ok(out.flush()?)
}

fn main() -> Result<(), Failure> {
    let mut arguments = std::env::args().skip(1);
    match arguments.next() {
        Some(option) if option == "--positions" => {
            let games = arguments.next().ok_or("give the file with the games")?;
            positions(&games, arguments.next().map_or(Ok(1), |seed| seed.parse())?)
        }
        Some(database) => bench(Path::new(&database), arguments),
        None => Err("give the database folder, or --positions and a file with games".into()),
    }
}
