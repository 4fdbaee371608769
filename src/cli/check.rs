//! `fanorona check`: whether a certificate proves what it claims.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::board::Board;
use crate::index::{SliceSet, Space};
use crate::knowledge::Assurance;
use crate::proof::{Certificate, Claim, replies};
use crate::report::tables_text;
use crate::rules::{Position, RuleSet};
use crate::table::{Database, Folder};

use super::options::{DatabaseOption, ThreadsOption, bytes, duration, free_memory, grouped};
use super::output::{CliResult, print, print_json};
use super::proving::prove_file;
use super::values::read_size;

/// Check a certificate: does it prove the values that it claims?
///
/// A certificate contains positions with a reply for each. The checker follows every turn of the other side, with a move
/// generator that no search uses. The tables that the certificate uses must be there; their identities and checksums are
/// verified.
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The certificate
    file: PathBuf,
    #[command(flatten)]
    database: DatabaseOption,
    #[command(flatten)]
    threads: ThreadsOption,
    /// Memory that may be used, such as 12G; what is free if not given
    #[arg(long, value_parser = read_size, value_name = "SIZE")]
    memory: Option<ByteSize>,
    /// Report as JSON
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Proved {
    file: String,
    board: String,
    rules: RuleSet,
    verdict: &'static str,
    claims: Vec<ClaimJson>,
    safe: usize,
    won: usize,
    tables: TablesJson,
    seconds: f64,
}

#[derive(Serialize)]
struct ClaimJson {
    position: String,
    value: &'static str,
}

#[derive(Serialize)]
struct TablesJson {
    /// Stones of the largest slice.
    stones: usize,
    slices: usize,
    /// What speaks for them; `None` if there are none.
    #[serde(flatten)]
    assurance: Option<Assurance>,
}

pub fn run(arguments: &Arguments) -> CliResult {
    arguments.threads.run(|| prove(arguments))?
}

fn prove(arguments: &Arguments) -> CliResult {
    let start = Instant::now();
    let memory = arguments.memory.map_or_else(free_memory, |memory| memory.as_u64());
    let database = Database::from(&arguments.database);
    let certificate = prove_file(&arguments.file, &database, memory)?;
    let seconds = start.elapsed().as_secs_f64();
    let assurance = assurance(&certificate, &database)?;
    if arguments.json {
        report_json(arguments, &certificate, assurance, seconds)
    } else {
        report(arguments, &certificate, assurance.as_ref(), seconds)
    }
}

/// What speaks for the tables of a certificate, if it has any.
fn assurance(certificate: &Certificate, database: &Database) -> CliResult<Option<Assurance>> {
    if certificate.tables.is_empty() {
        return Ok(None);
    }
    let (size, rules) = (certificate.size, certificate.rules);
    let folder = Folder::open(database, &Space::new(size, rules.diagonals), rules)?;
    Ok(Some(Assurance::of(&certificate.tables, &folder)))
}

fn report(arguments: &Arguments, certificate: &Certificate, assurance: Option<&Assurance>, seconds: f64) -> CliResult {
    let Some((main, others)) = certificate.claims.split_first() else { return Ok(()) };
    let given = |assurance| {
        let used = certificate.tables.iter().map(|used| used.slice);
        let tables = tables_text(used.collect::<SliceSet>());
        format!(", given {tables} ({assurance})")
    };
    let given = assurance.map_or_else(|| ", without tables".to_owned(), given);
    let text = |claim: &Claim| format!("\"{}\"", claim.position.to_text(certificate.size));
    for claim in others {
        print(&format!("{} is {}: proved{given}", text(claim), claim.value.noun()))?;
    }
    let name = if main.position == Position::start(certificate.size) { "the start".to_owned() } else { text(main) };
    let others = match (others.len(), others.iter().all(|claim| comes_after(certificate, main, claim))) {
        (0, _) => String::new(),
        (1, true) => " (and one first move)".to_owned(),
        (1, false) => " (and one other claim)".to_owned(),
        (count, true) => format!(" (and {count} first moves)"),
        (count, false) => format!(" (and {count} other claims)"),
    };
    let length = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    print(&format!(
        "{}, {}: {name} is {}: proved{others}{given}. {} positions, {}, {}",
        certificate.size,
        certificate.rules,
        main.value.noun(),
        grouped(certificate.positions()),
        bytes(length),
        duration(seconds),
    ))
}

/// Whether the position of a claim is one turn later than that of another.
fn comes_after(certificate: &Certificate, main: &Claim, claim: &Claim) -> bool {
    let board = Board::new(certificate.size, certificate.rules.diagonals);
    let (before, after) = (main.position, claim.position);
    let turns = replies(&board, certificate.rules, before.mover(), before.opponent());
    after.to_move == before.to_move.other() && turns.contains(&(after.opponent(), after.mover()))
}

fn report_json(
    arguments: &Arguments,
    certificate: &Certificate,
    assurance: Option<Assurance>,
    seconds: f64,
) -> CliResult {
    let claims = certificate
        .claims
        .iter()
        .map(|claim| ClaimJson { position: claim.position.to_text(certificate.size), value: claim.value.words() });
    print_json(&Proved {
        file: arguments.file.display().to_string(),
        board: certificate.size.to_string(),
        rules: certificate.rules,
        verdict: "proved",
        claims: claims.collect(),
        safe: certificate.safe.len(),
        won: certificate.won.len(),
        tables: TablesJson { stones: certificate.tables_reach(), slices: certificate.tables.len(), assurance },
        seconds,
    })
}
