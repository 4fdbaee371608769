//! Solving with tables, checkpoints, progress and interruption: what `solve` and `reproduce` share.

use std::io::IsTerminal;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

use crate::board::{Board, BoardSize};
use crate::index::{Slice, Space};
use crate::proof::TableUse;
use crate::retro::{BuildOptions, check_memory, pairs};
use crate::rules::{Position, RuleSet, Rules, Side, Turn, turn_text};
use crate::search::{
    self, Canonical, Entries, Extent, Progress, SearchOptions, Solution, SolveError, Solver, Stage, Tuning, UpTo, Wish,
    turns_along,
};
use crate::table::{Database, Folder, Metric, TableError, Tables, folder_name, slices_in};

use super::certified::{Certified, certify};
use super::interrupt::{INTERRUPTED, Interrupt, goes_on};
use super::options::{bytes, duration, grouped};
use super::output::{CliResult, Failure};
use super::watch::watched;

/// Time between checkpoints, if nothing else is said.
pub const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(300);

/// Time between lines of progress where there is no terminal.
const LINE_INTERVAL: Duration = Duration::from_secs(10);

/// The number of stones to which tables are built if nothing else is said: what pays off, see `experiments/02-search`, and
/// `experiments/19-new-ground` for long columns of three.
pub fn default_stones(size: BoardSize) -> usize {
    match (size.columns(), size.rows()) {
        (3, 11..) => 9,
        _ if (28..=44).contains(&size.points()) => 7,
        _ => 8,
    }
}

/// What to solve, and with what.
pub struct Task {
    /// The database folder.
    pub database: Database,
    /// The rules.
    pub rules: RuleSet,
    /// The board.
    pub size: BoardSize,
    /// The position.
    pub position: Position<u64>,
    /// Whether to solve each of its moves too, and when to give up.
    pub extent: Extent,
    /// Tables of up to so many stones; what pays off and fits if not given.
    pub stones: Option<usize>,
    /// Bytes of memory.
    pub memory: u64,
    /// Where to write a certificate.
    pub certificate: Option<PathBuf>,
    /// Where the state is kept; next to the tables if not given.
    pub checkpoint: Option<PathBuf>,
    /// Time between saves of the state.
    pub checkpoint_every: Duration,
}

impl Task {
    /// The folder of the tables.
    fn folder(&self) -> PathBuf {
        self.database.folder.join(folder_name(self.size, self.rules))
    }

    /// The game.
    pub fn game(&self) -> Rules<u64> {
        Rules::new(Board::new(self.size, self.rules.diagonals), self.rules)
    }
}

/// What came of it.
pub struct Solved {
    /// The solution.
    pub solution: Solution,
    /// Its certificate, if one was asked for and there is something to certify.
    pub certificate: Option<Certified>,
    /// The stones of the tables that it rests on.
    pub stones: usize,
    /// Positions expanded, those before an interruption included.
    pub nodes: u64,
    /// Values taken from tables.
    pub probes: u64,
    /// Seconds that tables took to build.
    pub build_seconds: f64,
    /// Seconds of search and extraction, those before an interruption included.
    pub search_seconds: f64,
}

/// Builds the tables that are missing, as far as memory allows; tells the number of stones and the seconds it took.
pub fn prepare(task: &Task) -> CliResult<(usize, f64)> {
    let start = Instant::now();
    let mut stones = task.stones.unwrap_or(default_stones(task.size)).min(task.size.points());
    if stones < 2 {
        return Ok((0, 0.0));
    }
    let space = Space::new(task.size, task.rules.diagonals);
    let folder = task.folder();
    let present = slices_in(&folder, Metric::Wdl)?;
    let missing = |stones: usize| -> Vec<Slice> {
        pairs(stones, task.size.points()).filter(|s| !present.contains(s) || !present.contains(&s.twin())).collect()
    };
    while task.stones.is_none() && stones > 2 && check_memory(&space, task.memory, &missing(stones)).is_err() {
        stones -= 1;
    }
    if !missing(stones).is_empty() {
        note!("{}: building tables of up to {stones} stones in {}", task.size, folder.display());
        let (database, size, rules, memory) = (task.database.folder.clone(), task.size, task.rules, task.memory);
        watched(&BuildOptions { database, size, rules, goal: stones.into(), memory }, Metric::Wdl, None)?;
    }
    Ok((stones, start.elapsed().as_secs_f64()))
}

/// Solves, going on from a checkpoint if there is one.
pub fn solve(task: &Task, interrupt: &Interrupt) -> CliResult<Solved> {
    let (size, rules) = (task.size, task.rules);
    let checkpoint = if let Some(path) = &task.checkpoint {
        path.clone()
    } else {
        let folder = task.folder();
        std::fs::create_dir_all(&folder).map_err(TableError::io("make folder", &folder))?;
        folder.join(checkpoint_name(task))
    };
    let _lock = search::reserve(&checkpoint)?;
    search::remove_unfinished_save(&checkpoint)?;
    let (stones, build_seconds) = prepare(task)?;
    // A quarter of the memory for blocks of tables, the rest for what the search learns.
    let tables = Tables::open(&task.database, size, rules, task.memory / 4)?;
    let probe = UpTo { tables: &tables, stones };
    let options =
        SearchOptions { memory: task.memory / 4 * 3, threads: rayon::current_num_threads(), tuning: Tuning::default() };
    let mut solver = Solver::new(tables.game(), &probe, options)?;
    solver.interrupt_by(interrupt.asked());
    let mut before = search::Done::default();
    if checkpoint.exists() {
        before = search::read(&checkpoint, size, rules, |entries| {
            solver.restore(entries);
            Ok::<_, Failure>(())
        })?;
        note!("going on from {}: {} nodes so far", checkpoint.display(), grouped(before.nodes));
    }
    let used = used(tables.folder(), stones);
    let mut watch = Watch::new(tables.game(), task, &used, before, &checkpoint, interrupt);
    interrupt.searching(Some(&checkpoint));
    let result = search::solve(&mut solver, task.position, task.extent, &mut |stage| watch.hear(&stage));
    watch.bar.finish_and_clear();
    let done = watch.done(solver.nodes(), solver.probes());
    let failure = watch.failure.take();
    let solution = match (result, failure) {
        (Ok(solution), _) => solution,
        (Err(SolveError::Stopped), Some(Interruption::Uncertified(failure))) => {
            keep(task, &checkpoint, done, &solver.entries());
            return Err(failure);
        }
        (Err(SolveError::Stopped), Some(Interruption::Unsaved(failure))) => return Err(failure),
        (Err(SolveError::Stopped), None) => return Err(leave_in_time(task, &checkpoint, done, &solver.entries())),
        (Err(error), _) => return Err(error.into()),
    };
    let complete = solution.is_complete();
    if !complete {
        search::save(&checkpoint, size, rules, done, &solver.entries())?;
        let answered = task.extent.only.is_some_and(|side| solution.answer(side).wins.is_some());
        let why = if answered { "answered; without --question" } else { "given up at the limit;" };
        note!("{size}: {why} the same command goes on from {}", checkpoint.display());
    }
    let certificate = match &task.certificate {
        Some(path) => certify(&solution, tables.game(), &used, path).inspect_err(|_| {
            if complete {
                keep(task, &checkpoint, done, &solver.entries());
            }
        })?,
        None => None,
    };
    if complete && checkpoint.exists() {
        std::fs::remove_file(&checkpoint)?;
    }
    interrupt.searching(None);
    Ok(Solved {
        solution,
        certificate,
        stones,
        nodes: done.nodes,
        probes: done.probes,
        build_seconds,
        search_seconds: done.seconds,
    })
}

/// Saves the state after a failure to write what was found. Where there is no space for it either, that is all there is.
fn keep(task: &Task, checkpoint: &Path, done: search::Done, entries: &Entries<'_>) {
    if search::save(checkpoint, task.size, task.rules, done, entries).is_ok() {
        note!(
            "{}: the state of the search is saved; the same command goes on from {}",
            task.size,
            checkpoint.display()
        );
    }
}

/// Ends the program after an interrupt, with as much of the state saved as there is time for; or says why it cannot.
fn leave_in_time(task: &Task, checkpoint: &Path, done: search::Done, entries: &Entries<'_>) -> Failure {
    // A whole state that is some minutes old is worth more than a part of the present one.
    if checkpoint.exists() && !search::is_saved_at_once(entries) {
        note!("fanorona: interrupted; the state is too large to save now, but {}", goes_on(checkpoint));
    } else {
        if let Err(error) = search::save_at_once(checkpoint, task.size, task.rules, done, entries) {
            return error.into();
        }
        note!("fanorona: interrupted; the same command goes on from {}", checkpoint.display());
    }
    std::process::exit(INTERRUPTED)
}

/// The tables of up to so many stones.
fn used(folder: &Folder, stones: usize) -> Vec<TableUse> {
    let tables = folder.tables().filter(|(slice, _)| slice.stones() <= stones);
    tables.map(|(slice, table)| TableUse { slice, identity: table.header().identity }).collect()
}

/// The file that the state of a search is saved to, one for each position.
fn checkpoint_name(task: &Task) -> String {
    if task.position == Position::start(task.size) {
        return "start.checkpoint".to_owned();
    }
    let text = task.position.to_text(task.size).replace(['/', ' '], "_");
    format!("{text}.checkpoint")
}

/// Why a solve cannot go on.
enum Interruption {
    /// Its state cannot be saved.
    Unsaved(Failure),
    /// What it found cannot be certified.
    Uncertified(Failure),
}

/// Turns what a solve reports into progress, checkpoints, a first certificate, and an end when it is asked for.
struct Watch<'a> {
    bar: ProgressBar,
    terminal: bool,
    game: &'a Rules<u64>,
    task: &'a Task,
    tables: &'a [TableUse],
    before: search::Done,
    checkpoint: &'a Path,
    interrupt: &'a Interrupt,
    start: Instant,
    shown: Instant,
    saved: Instant,
    failure: Option<Interruption>,
}

impl<'a> Watch<'a> {
    fn new(
        game: &'a Rules<u64>,
        task: &'a Task,
        tables: &'a [TableUse],
        before: search::Done,
        checkpoint: &'a Path,
        interrupt: &'a Interrupt,
    ) -> Self {
        let terminal = std::io::stderr().is_terminal();
        let bar = ProgressBar::with_draw_target(None, ProgressDrawTarget::stderr());
        let style = ProgressStyle::with_template("[{elapsed_precise}] {spinner} {wide_msg}");
        bar.set_style(style.unwrap_or_else(|_| ProgressStyle::default_spinner()));
        let now = Instant::now();
        let (start, shown, saved, failure) = (now, now, now, None);
        Self { bar, terminal, game, task, tables, before, checkpoint, interrupt, start, shown, saved, failure }
    }

    fn done(&self, nodes: u64, probes: u64) -> search::Done {
        search::Done {
            nodes: self.before.nodes.saturating_add(nodes),
            probes: self.before.probes.saturating_add(probes),
            seconds: self.before.seconds + self.start.elapsed().as_secs_f64(),
        }
    }

    fn hear(&mut self, stage: &Stage<'_, '_>) -> Wish {
        if self.interrupt.is_asked() {
            return Wish::Stop;
        }
        match stage {
            Stage::Asking(side, turn, progress) => {
                self.going_on(progress, |watch| watch.question(*side, *turn, progress))
            }
            Stage::Closing(done, waiting, progress) => self.going_on(progress, |_| {
                format!("closing sets: {} positions, {} waiting", grouped(*done), grouped(*waiting))
            }),
            Stage::Settled(solution) => self.settled(solution),
        }
    }

    /// Says `text` and saves the state, if it is time for either.
    fn going_on(&mut self, progress: &Progress<'_>, text: impl FnOnce(&Self) -> String) -> Wish {
        if self.terminal || self.shown.elapsed() >= LINE_INTERVAL {
            self.shown = Instant::now();
            let text = text(self);
            if self.terminal {
                self.bar.set_message(text);
                self.bar.tick();
            } else {
                note!("{}: {text}", self.task.size);
            }
        }
        if self.saved.elapsed() >= self.task.checkpoint_every {
            let done = self.done(progress.nodes, progress.probes);
            let saved = search::save(self.checkpoint, self.task.size, self.task.rules, done, &progress.entries);
            if let Err(error) = saved {
                self.failure = Some(Interruption::Unsaved(error.into()));
                return Wish::Stop;
            }
            self.saved = Instant::now();
        }
        Wish::GoOn
    }

    /// Says what the position is worth before its moves, which may take long, and writes that down.
    fn settled(&mut self, solution: &Solution) -> Wish {
        let mut text = format!("{}: {}; each of its moves is next", self.task.size, solution.value);
        if let Some(path) = &self.task.certificate {
            if let Err(failure) = certify(solution, self.game, self.tables, path) {
                self.failure = Some(Interruption::Uncertified(failure));
                return Wish::Stop;
            }
            text = format!("{text}; the certificate so far is in {}", path.display());
        }
        if self.terminal {
            self.bar.println(text);
        } else {
            note!("{text}");
        }
        Wish::GoOn
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // for people
    fn question(&self, side: Side, turn: Option<&Turn>, progress: &Progress<'_>) -> String {
        let place = turn.map_or(String::new(), |turn| format!(" after {}", turn_text(self.task.size, turn)));
        let rate = progress.nodes as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let mover = self.task.position.to_move;
        let attacks = side == if turn.is_none() { mover } else { mover.other() };
        let numbers = progress.numbers.map_or(String::new(), |numbers| {
            let (proof, disproof) = if attacks { (numbers.phi, numbers.delta) } else { (numbers.delta, numbers.phi) };
            format!(", proof number {}, disproof number {}", grouped(proof.into()), grouped(disproof.into()))
        });
        format!(
            "does {} win{place}? {} nodes, {}/s{numbers}, table {:.0} % of {}, {} probes, {}",
            side.name(),
            grouped(self.before.nodes.saturating_add(progress.nodes)),
            grouped(rate as u64),
            100.0 * progress.entries.fill(),
            bytes(progress.entries.bytes()),
            grouped(self.before.probes.saturating_add(progress.probes)),
            self.line(&progress.line),
        )
    }

    fn line(&self, line: &[Canonical]) -> String {
        // The line may begin after a move; then it starts from the position it can be found at.
        let mirror = search::Mirror::new(self.game.board());
        let first = line.first().copied().unwrap_or_default();
        let is_first = |p: &Position<u64>| mirror.canonical(p.mover(), p.opponent()) == first;
        let mut origin = Some(self.task.position).filter(is_first);
        if origin.is_none() {
            let mut moves = self.game.turns(&self.task.position).into_iter().map(|(_, after)| after);
            origin = moves.find(is_first);
        }
        let Some(origin) = origin else { return String::new() };
        let turns = turns_along(self.game, &origin, line);
        let texts: Vec<String> = turns.iter().map(|(turn, _)| turn_text(self.task.size, turn)).collect();
        texts.join(" ")
    }
}

/// Seconds and nodes for people: `1 234 nodes in 2.0 s`.
pub fn cost(nodes: u64, seconds: f64) -> String {
    format!("{} nodes in {}", grouped(nodes), duration(seconds))
}
