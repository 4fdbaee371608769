//! A solve from the command line, as `solve` and `reproduce` run it: tables first, then the search with its progress.

use std::path::PathBuf;
use std::time::{Duration, Instant};

use serde::Serialize;

use crate::board::BoardSize;
use crate::files::{Lock, make_folder};
use crate::index::{Slice, SliceSet};
use crate::knowledge::{CERTIFICATE_EXTENSION, is_filed, lock_certificate, unplaced_certificate};
use crate::proof::{Certificate, ProofError};
use crate::report::tables_text;
use crate::retro::{Alone, Budget};
use crate::rules::{Position, Rules, Side, Turn, turn_text};
use crate::search::{
    self, Canonical, CertificateFile, Checkpoint, Control, Mirror, MoveValue, Problem, SearchTotals, SolveError,
    SolveEvent, SolveOptions, Solved, plan_tables, turns_along,
};
use crate::table::{Access, Database, TableError, folder_name};

use super::build_progress::execute_with_progress;
use super::interrupt::{Interrupt, how_to_continue};
use super::options::{bytes, grouped};
use super::output::{CliResult, Failure};
use super::progress::Progress;
use super::proving::{prove_and_place, prove_and_place_earlier, prove_file};
use super::wording::note_unused;

/// Time between saves of the state, by default.
const CHECKPOINT_INTERVAL: Duration = Duration::from_secs(300);

/// What to solve, and with what.
pub struct Task {
    /// The position.
    pub problem: Problem,
    /// Tables of up to this many stones; what pays off and fits if not given.
    pub stones: Option<usize>,
    /// Slices beside them.
    pub slices: Vec<Slice>,
    /// Where its certificate waits for the check; `None` if that is not for the database. The certificate of an earlier run that was
    /// stopped before the check is checked first.
    unplaced: Option<PathBuf>,
    /// The rest; its tables are set when they are ready.
    pub options: SolveOptions,
}

impl Task {
    /// A task that keeps its state and writes its certificate to those files, or into the database if none are given. A certificate in the
    /// database gets its name only after the check.
    pub fn new(
        problem: Problem,
        database: Database,
        memory: u64,
        checkpoint: Option<PathBuf>,
        certificate: Option<PathBuf>,
        interrupt: &Interrupt,
    ) -> CliResult<Self> {
        let name = match &certificate {
            None => Some(problem.certificate_name()),
            Some(file) if is_filed(file, &database) => {
                let name = file.file_name().unwrap_or_default().to_str();
                let name = name.filter(|_| file.extension().is_some_and(|found| found == CERTIFICATE_EXTENSION));
                let refused = || {
                    let words = "certificates in the database have names in UTF-8 that end in";
                    Failure::Text(format!("{}: {words} .{CERTIFICATE_EXTENSION} (--certificate)", file.display()))
                };
                Some(name.ok_or_else(refused)?.to_owned())
            }
            Some(file) => {
                if let Err(ProofError::NotACertificate(file)) = Certificate::read_subject(file, &Access::Read) {
                    let why = "not a certificate, and is not replaced; name another file (--certificate)";
                    return Err(Failure::Text(format!("{file} is {why}")));
                }
                None
            }
        };
        let folder = database.folder.join(folder_name(problem.size, problem.rules));
        if checkpoint.is_none() {
            make_folder(&folder).map_err(TableError::io("make folder", &folder))?;
        }
        let path = checkpoint.unwrap_or_else(|| folder.join(problem.checkpoint_name()));
        let checkpoint = Some(Checkpoint { path, every: CHECKPOINT_INTERVAL });
        let unplaced = name.map(|name| unplaced_certificate(&database, &name)).transpose().map_err(SolveError::from)?;
        let (certificate, interrupt) = (unplaced.clone().or(certificate), interrupt.asked());
        let options = SolveOptions { checkpoint, certificate, interrupt, ..SolveOptions::new(database, 0, memory) };
        Ok(Self { problem, stones: None, slices: Vec::new(), unplaced, options })
    }
}

/// The result of a task.
pub struct Run {
    /// The solution, its certificate, and the work.
    pub solved: Solved,
    /// The tables that it rests on.
    pub tables: SliceSet,
    /// Seconds that tables took to build.
    pub build_seconds: f64,
    task: Task,
    /// Until its certificate is in the database.
    _lock: Option<Lock>,
}

/// A certificate that was checked.
#[derive(Debug, Serialize)]
pub struct Proved {
    #[serde(flatten)]
    pub file: CertificateFile,
    /// All its positions.
    pub positions: u64,
    /// The tables that it relies on; those of certificates that the search used are among them.
    pub tables: SliceSet,
    /// Always `proved`: a certificate that is refused ends the command.
    verdict: &'static str,
    /// Seconds that the check took.
    #[serde(skip)]
    pub seconds: f64,
}

impl Run {
    /// Checks the certificate, if there is one, and puts it where it belongs.
    pub fn prove(self) -> CliResult<Option<Proved>> {
        let Self { solved: Solved { solution, certificate, .. }, task: Task { options, unplaced, .. }, .. } = self;
        // The checker needs the memory of the search's sets.
        drop(solution);
        // The name in `file` is for people: not every path is text.
        let (Some(mut file), Some(new)) = (certificate, &options.certificate) else { return Ok(None) };
        let start = Instant::now();
        let proved = if unplaced.is_some() {
            let (place, proved) = prove_and_place(new, &options.database, options.memory)?;
            file.file = place.display().to_string();
            proved
        } else {
            prove_file(new, &options.database, options.memory)?.certificate
        };
        let (positions, seconds) = (proved.positions(), start.elapsed().as_secs_f64());
        let tables = proved.tables.iter().map(|used| used.slice).collect();
        Ok(Some(Proved { file, positions, tables, verdict: "proved", seconds }))
    }
}

/// Builds the tables that are missing. Returns all tables of the task.
fn prepare(task: &Task) -> CliResult<SliceSet> {
    let budget = Budget::new(task.options.memory);
    let Task { problem, stones, slices, options, .. } = task;
    let Some(plan) = plan_tables(problem, &options.database.folder, *stones, slices, &budget)? else {
        return Ok(SliceSet::from(0));
    };
    let (size, tables) = (problem.size, plan.goal.slices);
    if !plan.is_complete() {
        note!("{size}: building {} in {}", tables_text(tables), plan.folder.display());
        execute_with_progress(&plan, &Alone)?;
    }
    Ok(tables)
}

/// Builds tables and solves. `show` prints what is found out, and may use the progress bar for it.
pub fn run(
    mut task: Task,
    interrupt: &Interrupt,
    show: &mut dyn FnMut(&SolveEvent<'_>, &Progress) -> CliResult,
) -> CliResult<Run> {
    // Before the tables, which may take long.
    task.options.reserve_files()?;
    let lock = task.unplaced.as_deref().map(lock_certificate).transpose().map_err(SolveError::from)?;
    let start = Instant::now();
    task.options.tables = prepare(&task)?;
    let build_seconds = start.elapsed().as_secs_f64();
    if let Some(new) = task.unplaced.as_ref().filter(|new| new.exists()) {
        prove_and_place_earlier(new, &task.options.database, task.options.memory)?;
    }
    let path = task.options.checkpoint.as_ref().map(|checkpoint| checkpoint.path.clone()).unwrap_or_default();
    let mut progress = SolveProgress::new(&task);
    let mut failure = None;
    interrupt.searching(Some(&path));
    let result = search::solve(&task.problem, &task.options, &mut |event| {
        progress.on_event(event);
        if matches!(event, SolveEvent::Saved) {
            interrupt.searching(None);
        }
        match show(event, &progress.bar) {
            Ok(()) => Control::Continue,
            Err(error) => {
                failure = Some(error);
                Control::Stop
            }
        }
    });
    progress.bar.finish();
    let (size, saved, file) = (task.problem.size, progress.saved, path.display());
    let solved: CliResult<Solved> = match (result, failure) {
        (Ok(solved), None) => Ok(solved),
        (Ok(_) | Err(SolveError::Stopped), Some(failure)) => Err(failure),
        (Err(SolveError::Stopped), None) => {
            let then = if saved {
                format!("the same command continues from {file}")
            } else {
                format!("the state could not be saved in time; {}", how_to_continue(&path))
            };
            return Err(Failure::Interrupted(format!("interrupted; {then}")));
        }
        (Err(error), _) => Err(error.into()),
    };
    let solved = solved.inspect_err(|_| {
        if saved {
            note!("{size}: the state of the search is saved; the same command continues from {file}");
        }
    })?;
    interrupt.searching(None);
    if saved {
        let why = if solved.solution.answers(task.options.scope) {
            "answered; without --question"
        } else {
            "stopped at the time limit;"
        };
        note!("{size}: {why} the same command continues from {file}");
    }
    let tables = task.options.tables;
    Ok(Run { solved, tables, build_seconds, task, _lock: lock })
}

/// Prints what a solve finds out as progress, where the result comes at the end.
pub fn note_result(size: BoardSize, event: &SolveEvent<'_>, progress: &Progress) {
    match event {
        SolveEvent::Answered(solution) => progress.line(&format!("{size}: {}", solution.value)),
        SolveEvent::Move(MoveValue { text, value, .. }) => progress.line(&format!("{size}, {text}: {value}")),
        _ => {}
    }
}

/// Shows how far a solve is.
struct SolveProgress<'a> {
    bar: Progress,
    task: &'a Task,
    rules: Rules<u64>,
    before: SearchTotals,
    start: Instant,
    /// The state was saved at the end.
    saved: bool,
}

impl<'a> SolveProgress<'a> {
    fn new(task: &'a Task) -> Self {
        let (before, start) = (SearchTotals::default(), Instant::now());
        Self { bar: Progress::endless(), task, rules: task.problem.board_rules(), before, start, saved: false }
    }

    fn on_event(&mut self, event: &SolveEvent<'_>) {
        let size = self.task.problem.size;
        match event {
            SolveEvent::Proofs(proofs) => {
                for proof in proofs.proofs() {
                    note!("{size}: using what {} proves; --no-proofs searches everything again", proof.name);
                }
                note_unused(proofs, &self.task.options.database.folder);
            }
            SolveEvent::Resumed(before) => {
                self.before = *before;
                if let Some(Checkpoint { path, .. }) = &self.task.options.checkpoint {
                    note!("continuing from {}: {} nodes so far", path.display(), grouped(before.nodes));
                }
            }
            SolveEvent::Searching { side, turn, progress } => {
                self.bar.show(|| format!("{size}: {}", self.question(*side, *turn, progress)));
            }
            SolveEvent::Closing { done, waiting, .. } => self
                .bar
                .show(|| format!("{size}: closing sets: {} positions, {} waiting", grouped(*done), grouped(*waiting))),
            SolveEvent::Answered(solution) if self.task.options.scope.moves => {
                let written = |path: &&PathBuf| solution.value.is_exact() && path.exists();
                if let Some(path) = self.task.options.certificate.as_ref().filter(written) {
                    self.bar.line(&format!("{size}: the certificate so far is in {}", path.display()));
                }
            }
            SolveEvent::Answered(_) | SolveEvent::Move(_) => {}
            SolveEvent::NotSaved(error) => note!("{size}: {error}; the search goes on and tries to save again"),
            SolveEvent::Saved => self.saved = true,
        }
    }

    #[allow(clippy::cast_precision_loss, clippy::cast_possible_truncation, clippy::cast_sign_loss)] // for people
    fn question(&self, side: Side, turn: Option<&Turn>, progress: &search::Progress<'_>) -> String {
        let Problem { size, position, .. } = self.task.problem;
        let place = turn.map_or(String::new(), |turn| format!(" after {}", turn_text(size, turn)));
        let rate = progress.nodes as f64 / self.start.elapsed().as_secs_f64().max(0.001);
        let mover = position.to_move;
        let attacks = side == if turn.is_none() { mover } else { mover.other() };
        let numbers = progress.numbers.map_or(String::new(), |numbers| {
            let (proof, disproof) = if attacks { (numbers.phi, numbers.delta) } else { (numbers.delta, numbers.phi) };
            format!(", proof number {}, disproof number {}", grouped(proof.into()), grouped(disproof.into()))
        });
        let waiting =
            progress.strongholds.map_or(String::new(), |share| format!(", making strongholds: {:.0} %", 100.0 * share));
        format!(
            "does {} win{place}? {} nodes{waiting}, {}/s{numbers}, table {:.0} % of {}, {} probes, {}",
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
        // The line may begin after a move; then it starts from the position after that move.
        let Problem { size, position, .. } = self.task.problem;
        let mirror = Mirror::new(self.rules.board().size());
        let first = line.first().copied().unwrap_or_default();
        let is_first = |p: &Position<u64>| mirror.canonical(p.mover(), p.opponent()) == first;
        let moves = || self.rules.turns(&position).into_iter().map(|(_, after)| after).find(is_first);
        let Some(origin) = Some(position).filter(is_first).or_else(moves) else { return String::new() };
        let turns = turns_along(&self.rules, &origin, line);
        let texts: Vec<String> = turns.iter().map(|(turn, _)| turn_text(size, turn)).collect();
        texts.join(" ")
    }
}
