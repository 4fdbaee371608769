//! A solve from beginning to end: tables, a checkpoint to continue from, limits, and a certificate.

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use web_time::Instant;

use crate::board::{Board, BoardSize, MAX_POINTS};
use crate::files::{Lock, is_same_name, remove_if_there};
use crate::index::SliceSet;
use crate::knowledge::{Knowledge, Proofs, Trust, certificate_name};
use crate::proof::{Certificate, TableUse};
use crate::rules::{Position, RuleSet, Rules};
use crate::table::{Database, TableError};

use super::certify::CertificateFile;
use super::checkpoint::{self, CheckpointError, SearchTotals, Subject};
use super::error::SolveError;
use super::estimate::Tuning;
use super::growing::FIRST_BYTES;
use super::progress::{Control, Progress};
use super::questions::{OnEvent, SolveEvent};
use super::solution::{Solution, SolveScope};
use super::solver::{SearchOptions, Solver};
use super::transposition::TranspositionTable;

/// A position to solve, on a board of at most 64 points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Problem {
    /// The board.
    pub size: BoardSize,
    /// The rules.
    pub rules: RuleSet,
    /// The position: disjoint sets of points of the board.
    pub position: Position<u64>,
}

impl Problem {
    /// The start position of a board.
    ///
    /// # Panics
    /// If the board has more than 64 points.
    #[must_use]
    pub fn start(size: BoardSize, rules: RuleSet) -> Self {
        Self { size, rules, position: Position::start(size) }
    }

    /// The rules on the board.
    #[must_use]
    pub fn board_rules(&self) -> Rules<u64> {
        Rules::new(Board::new(self.size, self.rules.diagonals), self.rules)
    }

    /// The usual name for its checkpoint, one for each position: `start.checkpoint`, or the position with underscores.
    #[must_use]
    pub fn checkpoint_name(&self) -> String {
        format!("{}.checkpoint", self.place().unwrap_or("start".to_owned()))
    }

    /// The usual name for its certificate: [`certificate_name`], with the position in it if that is not the start.
    #[must_use]
    pub fn certificate_name(&self) -> String {
        let name = certificate_name(self.size, self.rules);
        match (self.place(), name.split_once('.')) {
            (Some(place), Some((board, extension))) => format!("{board}.{place}.{extension}"),
            _ => name,
        }
    }

    /// The search of it that a checkpoint is of.
    #[doc(hidden)]
    #[must_use]
    pub fn subject(&self, scope: SolveScope) -> Subject {
        Subject::new(self.size, self.rules, &self.position, scope.asked())
    }

    /// The position as a part of a file name, `None` for the start.
    fn place(&self) -> Option<String> {
        let text = || self.position.to_text(self.size).replace(['/', ' '], "_");
        (self.position != Position::start(self.size)).then(text)
    }
}

/// Where a solve keeps its state, to continue from after an interruption.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    /// The file. While a solve uses it, a file of that name with `.lock` appended is locked.
    pub path: PathBuf,
    /// Time between saves.
    pub every: Duration,
}

/// What a solve may use, and how far it goes.
#[derive(Clone, Debug)]
pub struct SolveOptions {
    /// The database with the tables.
    pub database: Database,
    /// The tables that are used; all of them have to be there.
    pub tables: SliceSet,
    /// Bytes of memory: a quarter is for blocks of tables, the rest for certificates that are taken as given, the transposition
    /// table, and strongholds. The sets that prove answers come on top, with some hundred bytes for each position.
    pub memory: u64,
    /// Threads of the search.
    pub threads: usize,
    /// How much to find out.
    pub scope: SolveScope,
    /// Time limit for each question; see [`Solver::solve`].
    pub limit: Option<Duration>,
    /// Where the state is kept. If there is a checkpoint, the solve continues from it. Once every value in scope is exact it is
    /// removed, unless it is of another position or a wider scope.
    pub checkpoint: Option<Checkpoint>,
    /// Where to write a certificate of what was found out.
    pub certificate: Option<PathBuf>,
    /// Which certificates of the database are taken as given, beside the tables. What the search takes from them is part of the
    /// certificate it writes.
    pub proofs: Trust,
    /// Stops the solve when it is set, sooner than an observer can.
    pub interrupt: Arc<AtomicBool>,
    /// The lock on the checkpoint, if [`reserve_files`](Self::reserve_files) has taken it already.
    pub lock: Option<Arc<Lock>>,
}

impl SolveOptions {
    /// Options for the value of a position on all threads of the current pool: without limit or checkpoint, and with no
    /// certificate used or written.
    #[must_use]
    pub fn new(database: impl Into<Database>, tables: impl Into<SliceSet>, memory: u64) -> Self {
        Self {
            database: database.into(),
            tables: tables.into(),
            memory,
            threads: rayon::current_num_threads(),
            scope: SolveScope::default(),
            limit: None,
            checkpoint: None,
            certificate: None,
            proofs: Trust::None,
            interrupt: Arc::default(),
            lock: None,
        }
    }

    /// Checks that the files of a solve can be written, and locks the checkpoint: two solves that saved to one file would
    /// undo each other's work. [`solve`] does this for itself. Call it before if there is work to do first, or if the
    /// certificate is checked afterwards: the lock lasts as long as these options and copies of them.
    ///
    /// # Errors
    /// [`SolveError::Certificate`] or [`SolveError::Checkpoint`].
    pub fn reserve_files(&mut self) -> Result<(), SolveError> {
        self.certificate.as_deref().map_or(Ok(()), Certificate::check_writable)?;
        if let (None, Some(Checkpoint { path, .. })) = (&self.lock, &self.checkpoint) {
            // In the end the checkpoint is removed.
            if self.certificate.as_ref().is_some_and(|file| is_same_name(file, path)) {
                return Err(CheckpointError::IsCertificate { path: path.display().to_string() }.into());
            }
            self.lock = Some(Arc::new(checkpoint::reserve(path)?));
            self.certificate.as_deref().map_or(Ok(()), Certificate::remove_left)?;
        }
        Ok(())
    }
}

/// The result of a solve.
#[derive(Clone, Debug)]
pub struct Solved {
    /// What was found out. If that does not answer everything, the checkpoint is kept.
    pub solution: Solution,
    /// The certificate, if one was asked for and there is something to certify.
    pub certificate: Option<CertificateFile>,
    /// The work it took, that before an interruption included if it was of the same position and scope, or a part of it.
    pub totals: SearchTotals,
}

/// The least memory of a solve, in bytes; with less it would search the same positions for ever.
const LEAST_MEMORY: u64 = 1000;

/// Solves a problem as far as the options say, and continues from a checkpoint if there is one.
///
/// # Errors
/// [`SolveError::Stopped`] if the observer or the interrupt stopped it, else what went wrong. The state is saved first
/// where that takes about a second at most ([`SolveEvent::Saved`]); if it takes longer, an older checkpoint is kept.
pub fn solve(problem: &Problem, options: &SolveOptions, on_event: &mut OnEvent<'_>) -> Result<Solved, SolveError> {
    if problem.size.points() > MAX_POINTS {
        return Err(SolveError::Board(problem.size));
    }
    if options.memory < LEAST_MEMORY {
        return Err(SolveError::LittleMemory(options.memory));
    }
    let mut reserved = options.clone();
    reserved.reserve_files()?;
    let options = &reserved;
    let Problem { size, rules, .. } = *problem;
    let knowledge = Knowledge::open(options.database.clone(), size, rules, options.memory / 4, options.proofs)?;
    let tables = knowledge.tables();
    let mut wanted = options.tables.slices(problem.size.points());
    if let Some(slice) = wanted.find(|&slice| tables.folder().get(slice).is_none()) {
        let folder = tables.folder().path().to_owned();
        return Err(TableError::Missing { slice, needed: Box::new(options.tables), folder, size, rules }.into());
    }
    on_event(&SolveEvent::Proofs(knowledge.proofs())).check()?;
    let probe = knowledge.select(options.tables);
    let (memory, proofs) = (options.memory / 4 * 3, knowledge.proofs().bytes());
    let left = memory.saturating_sub(proofs);
    if left < FIRST_BYTES.min(memory / 2) {
        return Err(SolveError::Proofs { bytes: proofs, memory: options.memory });
    }
    let search = SearchOptions { memory: left, threads: options.threads, tuning: Tuning::default() };
    let mut solver = Solver::new(tables.rules(), &probe, search)?;
    solver.interrupt_by(options.interrupt.clone());
    let saved = resume(problem, options, &mut solver)?;
    if let Some((_, before)) = saved {
        on_event(&SolveEvent::Resumed(before)).check()?;
    }
    let subject = problem.subject(options.scope);
    let is_own = saved.is_none_or(|(of, _)| subject.covers(&of));
    let used = tables.folder().tables().filter(|&(slice, _)| options.tables.contains(slice));
    let now = Instant::now();
    let mut session = Session {
        options,
        proofs: knowledge.proofs(),
        tables: used.map(|(slice, table)| TableUse { slice, identity: table.header().identity }).collect(),
        subject: saved.map_or(subject, |(of, _)| of.continued_by(&subject)),
        is_own,
        before: saved.map(|(_, before)| before).unwrap_or_default(),
        start: now,
        saved: now,
        unsaved: false,
        error: None,
    };
    let result = solver.solve(problem.position, options.scope, options.limit, &mut |event| {
        session.observe(event, tables.rules(), on_event)
    });
    session.end(result, tables.rules(), &mut solver, on_event)
}

/// Takes over the state of a checkpoint where there is one.
fn resume(
    problem: &Problem,
    options: &SolveOptions,
    solver: &mut Solver<'_>,
) -> Result<Option<(Subject, SearchTotals)>, SolveError> {
    let Some(Checkpoint { path, .. }) = &options.checkpoint else { return Ok(None) };
    if !path.try_exists().map_err(|error| CheckpointError::io("read", path, error))? {
        return Ok(None);
    }
    let saved = checkpoint::read(path, problem.size, problem.rules, |entries| {
        if options.interrupt.load(Ordering::Relaxed) {
            return Err(SolveError::Stopped);
        }
        solver.restore(entries);
        Ok(())
    })?;
    solver.search_afresh_beside(saved.1.nodes);
    Ok(Some(saved))
}

/// What a solve does beside its search: it saves the state, and writes certificates.
struct Session<'a> {
    options: &'a SolveOptions,
    tables: Vec<TableUse>,
    proofs: &'a Proofs,
    /// What the checkpoint is of.
    subject: Subject,
    /// Whether that is this solve or a part of it.
    is_own: bool,
    /// The work that the checkpoint had.
    before: SearchTotals,
    start: Instant,
    saved: Instant,
    /// The last save failed.
    unsaved: bool,
    /// Why the search was stopped, if not because the observer asked for it.
    error: Option<SolveError>,
}

impl Session<'_> {
    fn totals(&self, nodes: u64, probes: u64) -> SearchTotals {
        SearchTotals {
            nodes: self.before.nodes.saturating_add(nodes),
            probes: self.before.probes.saturating_add(probes),
            seconds: self.before.seconds + self.start.elapsed().as_secs_f64(),
        }
    }

    fn observe(&mut self, event: &SolveEvent<'_>, rules: &Rules<u64>, on_event: &mut OnEvent<'_>) -> Control {
        if self.options.interrupt.load(Ordering::Relaxed) {
            return Control::Stop;
        }
        let done = match event {
            SolveEvent::Searching { progress, .. } | SolveEvent::Closing { progress, .. } => {
                self.save_in_time(progress, on_event);
                Ok(())
            }
            SolveEvent::Answered(solution) if self.options.scope.moves && solution.value.is_exact() => {
                self.certify(solution, rules).map(drop)
            }
            _ => Ok(()),
        };
        match done {
            Ok(()) => on_event(event),
            Err(error) => {
                self.error = Some(error);
                Control::Stop
            }
        }
    }

    /// Saves the state if it is time to. An error does not end the solve, since the work so far is worth more.
    fn save_in_time(&mut self, progress: &Progress<'_>, on_event: &mut OnEvent<'_>) {
        if let Some(Checkpoint { path, every }) = &self.options.checkpoint
            && self.saved.elapsed() >= *every
        {
            let totals = self.totals(progress.nodes, progress.probes);
            let saved = checkpoint::save(path, self.subject, totals, &progress.entries);
            if let Err(error) = &saved
                && !self.unsaved
            {
                on_event(&SolveEvent::NotSaved(error));
            }
            self.unsaved = saved.is_err();
            self.saved = Instant::now();
        }
    }

    fn certify(&self, solution: &Solution, rules: &Rules<u64>) -> Result<Option<CertificateFile>, SolveError> {
        let path = self.options.certificate.as_deref();
        Ok(path.map(|path| solution.certify(rules, &self.tables, self.proofs, path)).transpose()?.flatten())
    }

    /// Leaves the checkpoint and the certificate as they should be, however the search has ended.
    fn end(
        mut self,
        result: Result<Solution, SolveError>,
        rules: &Rules<u64>,
        solver: &mut Solver<'_>,
        on_event: &mut OnEvent<'_>,
    ) -> Result<Solved, SolveError> {
        let totals = self.totals(solver.nodes(), solver.probes());
        let entries = solver.entries();
        let path = self.options.checkpoint.as_ref().map(|checkpoint| checkpoint.path.as_path());
        let solution = match (result, self.error.take()) {
            (Ok(solution), _) => solution,
            (Err(SolveError::Stopped), None) => {
                // A whole state that is some minutes old is worth more than a part of the present one.
                if let Some(path) = path
                    && (path.try_exists().is_ok_and(|there| !there) || checkpoint::is_saved_at_once(&entries))
                {
                    let least = checkpoint::effort_at_once(&entries);
                    checkpoint::save_from(path, self.subject, totals, &entries, least)?;
                    on_event(&SolveEvent::Saved);
                }
                return Err(SolveError::Stopped);
            }
            (Err(error), own) => {
                self.save_after_failure(path, totals, &entries, on_event);
                return Err(own.unwrap_or(error));
            }
        };
        let complete = solution.is_complete();
        let saved = path.filter(|_| !complete).map_or(Ok(()), |path| {
            let saved = checkpoint::save(path, self.subject, totals, &entries);
            saved.inspect(|()| _ = on_event(&SolveEvent::Saved))
        });
        let certificate = self.certify(&solution, rules).inspect_err(|_| {
            if complete {
                self.save_after_failure(path, totals, &entries, on_event);
            }
        })?;
        saved?;
        if let Some(path) = path.filter(|_| complete && self.is_own) {
            remove_if_there(path).map_err(|error| CheckpointError::io("remove", path, error))?;
        }
        let totals = if self.is_own { totals } else { totals.since(self.before) };
        Ok(Solved { solution, certificate, totals })
    }

    /// Saves the state after an error, so that the work since the last save is not lost. Where there is no space for it, nothing
    /// more can be done.
    fn save_after_failure(
        &self,
        path: Option<&Path>,
        totals: SearchTotals,
        entries: &TranspositionTable<'_>,
        on_event: &mut OnEvent<'_>,
    ) {
        if let Some(path) = path
            && totals.nodes > self.before.nodes
            && checkpoint::save(path, self.subject, totals, entries).is_ok()
        {
            on_event(&SolveEvent::Saved);
        }
    }
}
