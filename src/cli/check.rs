//! `fanorona check`: whether a certificate proves what it claims.

use std::fs;
use std::path::PathBuf;
use std::time::Instant;

use bytesize::ByteSize;
use clap::Args as ClapArgs;
use serde::Serialize;

use crate::board::Board;
use crate::index::{SliceSet, Space};
use crate::knowledge::{Assurance, Checked};
use crate::proof::{Certificate, Claim};
use crate::report::tables_text;
use crate::rules::{Position, RuleSet, Rules, turn_text};
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
    positions: u64,
    /// Of the file.
    identity: String,
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
    let checked = prove_file(&arguments.file, &database, memory)?;
    let seconds = start.elapsed().as_secs_f64();
    let assurance = assurance(&checked.certificate, &database)?;
    if arguments.json {
        report_json(arguments, &checked, assurance, seconds)
    } else {
        report(arguments, &checked, assurance.as_ref(), seconds)
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

fn report(arguments: &Arguments, checked: &Checked, assurance: Option<&Assurance>, seconds: f64) -> CliResult {
    let certificate = &checked.certificate;
    let Some((main, others)) = certificate.claims.split_first() else { return Ok(()) };
    let given = |assurance| {
        let used = certificate.tables.iter().map(|used| used.slice);
        let tables = tables_text(used.collect::<SliceSet>());
        format!(", given {tables} ({assurance})")
    };
    let given = assurance.map_or_else(|| ", without tables".to_owned(), given);
    let text = |claim: &Claim| format!("\"{}\"", claim.position.to_text(certificate.size));
    let name = if main.position == Position::start(certificate.size) { "the start".to_owned() } else { text(main) };
    let length = fs::metadata(&arguments.file).map_or(0, |file| file.len());
    print(&format!(
        "{}, {}: {name} is {}: proved{given}. {} positions, {}, {}",
        certificate.size,
        certificate.rules,
        main.value.noun(),
        grouped(certificate.positions()),
        bytes(length),
        duration(seconds),
    ))?;
    let rules = Rules::new(Board::new(certificate.size, certificate.rules.diagonals), certificate.rules);
    let turns = rules.turns(&main.position);
    for claim in others {
        let turn = turns.iter().find(|(_, after)| *after == claim.position);
        let after = turn.map_or(String::new(), |(turn, _)| format!("after {}, ", turn_text(certificate.size, turn)));
        print(&format!("{after}{} is {}: proved", text(claim), claim.value.noun()))?;
    }
    Ok(())
}

fn report_json(arguments: &Arguments, checked: &Checked, assurance: Option<Assurance>, seconds: f64) -> CliResult {
    let certificate = &checked.certificate;
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
        positions: certificate.positions(),
        identity: format!("{:032x}", checked.identity),
        tables: TablesJson { stones: certificate.tables_reach(), slices: certificate.tables.len(), assurance },
        seconds,
    })
}
