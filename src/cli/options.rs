//! Options shared by several commands: rules, the database folder, threads.

use std::path::{Path, PathBuf};

use clap::builder::{PossibleValue, PossibleValuesParser};
use clap::{Args, ValueEnum};

use crate::board::BoardSize;
use crate::knowledge::{Knowledge, Trust};
use crate::report::{DEFAULT_DATABASE, build_command, first_build, quick_build};
use crate::retro::{Budget, Goal, ProposalLimits};
use crate::rules::{RuleSet, Side};
use crate::table::{Access, DEFAULT_CACHE_BYTES, Database, Folder, TableError};

pub use crate::report::{bytes, duration, grouped};

use super::limits::address_space_left;
use super::output::{CliResult, Failure};
use super::values::read_threads;

/// The rules.
#[derive(Args, Clone, Debug)]
pub struct RuleOptions {
    /// Which points have diagonals
    #[arg(long, default_value = "corner", help_heading = "Rules",
          value_parser = words("diagonals", ["a1 is a strong point", "the centre point is a strong point"]))]
    diagonals: String,
    /// Whether a capturing chain may stop early
    #[arg(long, default_value = "optional", help_heading = "Rules",
          value_parser = words("continuation", ["the player may stop after any capturing step", "the chain goes on while it can"]))]
    continuation: String,
    /// Which directions the steps of a capturing chain may not take
    #[arg(long, default_value = "not-repeated", help_heading = "Rules", value_parser = words("directions", [
        "no step has the direction of the step before it (also turning: a step back leads to a point already visited)",
        "no step has the direction of an earlier step of the turn",
    ]))]
    directions: String,
    /// The result for a side that cannot move
    #[arg(long, default_value = "loss", help_heading = "Rules",
          value_parser = words("stalemate", ["a side that cannot move loses", "a side that cannot move draws"]))]
    stalemate: String,
}

/// The words of an option of the rules, with what they mean.
fn words(option: &str, meanings: [&'static str; 2]) -> PossibleValuesParser {
    let words = RuleSet::OPTIONS.into_iter().filter(|(name, _)| *name == option).flat_map(|(_, words)| words);
    let value = |(word, meaning)| {
        let value = PossibleValue::new(word).help(meaning);
        if word == "not-repeated" { value.alias("turning") } else { value }
    };
    words.zip(meanings).map(value).collect::<Vec<_>>().into()
}

impl RuleOptions {
    /// The rule set.
    pub fn rule_set(&self) -> RuleSet {
        let words = [&self.diagonals, &self.continuation, &self.directions, &self.stalemate];
        let mut rules = RuleSet::default();
        for ((option, _), word) in RuleSet::OPTIONS.into_iter().zip(words) {
            rules.set(option, word);
        }
        rules
    }
}

/// A side.
#[derive(Clone, Copy, Debug, ValueEnum)]
pub enum SideOption {
    White,
    Black,
}

impl From<SideOption> for Side {
    fn from(option: SideOption) -> Self {
        match option {
            SideOption::White => Self::White,
            SideOption::Black => Self::Black,
        }
    }
}

/// Where the tables are.
#[derive(Args, Clone, Debug)]
pub struct DatabaseOption {
    /// The database folder
    #[arg(long = "db", value_name = "DIR", default_value = DEFAULT_DATABASE)]
    pub folder: PathBuf,
    /// Read tables piece by piece instead of mapping them: a little slower, but a file that is cut short is an error
    #[arg(long)]
    no_mmap: bool,
}

impl DatabaseOption {
    /// The sentence that the database has no tables at all, with what to build.
    pub fn lacks_tables(&self) -> String {
        lacks("tables", &self.folder, &format!("some: {}", first_build(&self.folder)))
    }
}

impl From<&DatabaseOption> for Database {
    fn from(option: &DatabaseOption) -> Self {
        let access = if option.no_mmap { Access::Read } else { Access::Mapped };
        Self { folder: option.folder.clone(), access }
    }
}

/// Where tables and certificates are, and which certificates are used.
#[derive(Args, Clone, Debug)]
pub struct KnowledgeOptions {
    #[command(flatten)]
    pub database: DatabaseOption,
    /// Also use certificates that have not been checked
    #[arg(long)]
    trust_certificates: bool,
}

impl KnowledgeOptions {
    /// Opens what is known of a board.
    pub fn open(&self, size: BoardSize, rules: RuleSet) -> CliResult<Knowledge> {
        let trust = if self.trust_certificates { Trust::All } else { Trust::Checked };
        Ok(Knowledge::open(&self.database, size, rules, DEFAULT_CACHE_BYTES, trust)?)
    }
}

/// Which tables: a board, its rules, and the database folder.
#[derive(Args, Clone, Debug)]
pub struct TableOptions {
    /// The board, columns x rows, such as 9x5
    pub size: BoardSize,
    #[command(flatten)]
    pub rules: RuleOptions,
    #[command(flatten)]
    pub database: DatabaseOption,
}

impl TableOptions {
    /// The failure that their folder has no tables of some kind, with what to build.
    pub fn missing(&self, kind: &str, folder: &Folder) -> Failure {
        let build = quick_build(self.size, self.rules.rule_set(), &self.database.folder, &machine_reach());
        Failure::Text(lacks(kind, folder.path(), &build))
    }

    /// The failure that their folder has no depth tables, with the command that builds them.
    pub fn missing_depths(&self, folder: &Folder) -> Failure {
        let goal = Goal::both(self.size, self.rules.rule_set(), folder.complete_up_to(self.size.points()).max(2));
        let build = build_command(&goal, &self.database.folder);
        Failure::Text(lacks("depth tables", folder.path(), &format!("some: {build}")))
    }
}

/// The sentence that a database knows nothing of a board, with what to build.
pub fn lacks_knowledge(database: &Path, size: BoardSize, rules: RuleSet) -> String {
    let build = quick_build(size, rules, database, &machine_reach());
    lacks(&format!("tables or certificates of {size}"), database, &build)
}

fn lacks(kind: &str, folder: &Path, build: &str) -> String {
    format!("there are no {kind} in {}; build {build}", folder.display())
}

/// The number of threads.
#[derive(Args, Clone, Copy, Debug)]
pub struct ThreadsOption {
    /// Number of threads [default: number of cores]
    #[arg(long, value_name = "T", value_parser = read_threads)]
    threads: Option<u16>,
}

impl ThreadsOption {
    /// Runs `work` on a pool of this many threads.
    pub fn run<R: Send>(self, work: impl FnOnce() -> R + Send) -> CliResult<R> {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads.unwrap_or(0).into()).build();
        Ok(pool.map_err(TableError::threads)?.install(work))
    }
}

/// Bytes taken as free if the system does not say, as with too few file handles.
const FREE_IF_UNKNOWN: u64 = 1 << 30;

/// Bytes of memory that are free at present.
pub fn free_memory() -> u64 {
    let mut system = sysinfo::System::new();
    system.refresh_memory();
    let free = if system.total_memory() == 0 {
        FREE_IF_UNKNOWN
    } else {
        // In a container the limit of its group applies.
        let free = system.available_memory();
        system.cgroup_limits().map_or(free, |limits| free.min(limits.free_memory))
    };
    address_space_left().map_or(free, |left| free.min(left))
}

/// The tables that this machine can build with the memory that is free.
pub fn machine_reach() -> ProposalLimits {
    ProposalLimits::new(Budget::new(free_memory()))
}

/// Default memory of a search with its tables: three quarters of the free memory.
pub fn search_memory() -> u64 {
    free_memory() / 4 * 3
}

/// Nodes and seconds for people: `1 234 nodes in 2.0 s`.
pub fn cost(nodes: u64, seconds: f64) -> String {
    format!("{} in {}", counted(nodes, "node"), duration(seconds))
}

/// A number of things for people: `1 node`, `1 234 nodes`.
pub fn counted(count: u64, what: &str) -> String {
    format!("{} {what}{}", grouped(count), if count == 1 { "" } else { "s" })
}
