//! `fanorona report`: a summary of the database folder, as text or as a page.

use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use clap::Args as ClapArgs;

use crate::files::{raise_limit, replace_file};
use crate::knowledge::CERTIFICATES;
use crate::report::{Overview, check_command, longest_wins, overview, page, rules_in_short};

use super::options::{DatabaseOption, bytes, free_memory, grouped};
use super::output::{CliResult, Failure, all_usable, print, print_json, table};

/// Summarise the database folder: results, values of slices, longest wins; as text, or as a page with pictures
///
/// Certificates are read but not checked: "fanorona check FILE" checks one, and records the check.
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// Write a page with charts and pictures to this file, or to standard output for -; it needs no other file and no network
    #[arg(long, value_name = "FILE")]
    html: Option<PathBuf>,
    /// Positions on the page open in the browser at this server: "fanorona serve"
    #[arg(long, value_name = "ADDRESS", default_value = "http://127.0.0.1:9000", requires = "html", value_parser = address)]
    server: String,
    #[command(flatten)]
    database: DatabaseOption,
    /// Print JSON
    #[arg(long)]
    json: bool,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let to_output = arguments.html.as_deref() == Some(Path::new("-"));
    if to_output && arguments.json {
        return Err(Failure::Text("standard output is for the page or for JSON; name a file with --html".to_owned()));
    }
    let database = &arguments.database.folder;
    let overview = overview(database, free_memory())?;
    if overview.is_empty() {
        return Err(Failure::Text(arguments.database.lacks_tables()));
    }
    let page = || page(&overview, &arguments.server);
    let written = match &arguments.html {
        Some(path) if !to_output => Some((path, write(path, &page()?)?)),
        _ => None,
    };
    match written {
        _ if to_output => print(&page()?)?,
        _ if arguments.json => print_json(&overview)?,
        Some((path, length)) => print(&format!("{}: {}", path.display(), bytes(length)))?,
        None => print(&text(database, &overview))?,
    }
    all_usable(&overview.unusable)
}

/// The address of a server: a scheme, a host, and perhaps a port and a path.
fn address(text: &str) -> Result<String, String> {
    let rest = text.strip_prefix("https://").or(text.strip_prefix("http://"));
    rest.filter(|rest| !rest.is_empty() && rest.chars().all(|c| c.is_ascii_graphic() && !"\"'<>#?".contains(c)))
        .map(|_| text.to_owned())
        .ok_or_else(|| "give a scheme and a host, such as https://example.org".to_owned())
}

/// Writes the page; returns its length.
fn write(path: &Path, page: &str) -> CliResult<u64> {
    let refused = |error: io::Error| {
        let (path, advice) = (path.display(), raise_limit(&error).unwrap_or("; name another file with --html"));
        Failure::Text(format!("cannot write the page {path}: {error}{advice}"))
    };
    replace_file(path, |_, _, error| refused(error), |file, _| file.write_all(page.as_bytes()).map_err(refused))?;
    Ok(page.len() as u64)
}

fn text(database: &Path, overview: &Overview) -> String {
    let mut list = table(["board", "rules", "start", "all slices to", "positions", "depths to", "longest win", "size"]);
    for ((size, rules), result) in overview.results() {
        let none = || "-".to_owned();
        let start = Some(result.start_text()).filter(|text| !text.is_empty()).unwrap_or_else(none);
        let stones = |stones: usize| if stones == 0 { none() } else { format!("{stones} stones") };
        let [reach, positions, depths, longest, length] = match result.tables {
            Some(tables) => {
                let (totals, wins) = (tables.stats.totals, longest_wins(&tables.stats));
                let longest = wins.iter().map(|(_, win)| win.plies).max();
                [
                    stones(tables.stats.stones),
                    grouped(totals.counts.positions),
                    stones(tables.depth_stones),
                    longest.map_or_else(none, |plies| format!("{plies} plies")),
                    bytes(totals.bytes + totals.depth_bytes),
                ]
            }
            None => [(); 5].map(|()| none()),
        };
        list.add_row([size.to_string(), rules_in_short(rules), start, reach, positions, depths, longest, length]);
    }
    let mut text = format!("{}\n{list}", database.display());
    if !overview.certificates.is_empty() {
        let mut list = table(["certificate", "board", "rules", "position", "value", "positions", "size"]);
        for certificate in &overview.certificates {
            let file = Path::new(&certificate.file).file_name().unwrap_or_default().to_string_lossy().into_owned();
            let position = if certificate.claimed.is_start { "start" } else { &certificate.claimed.position };
            let (rules, value) = (rules_in_short(certificate.key.1), certificate.value_text());
            let (positions, length) = (grouped(certificate.claimed.positions), bytes(certificate.bytes));
            list.add_row([file, certificate.board.clone(), rules, position.to_owned(), value, positions, length]);
        }
        let folder = database.join(CERTIFICATES);
        let unchecked = overview.certificates.iter().any(|certificate| !certificate.checked);
        let hint = if unchecked {
            format!("; to check what is only claimed: {}", check_command(&folder.join("FILE"), database))
        } else {
            String::new()
        };
        let given = if overview.certificates.iter().any(|certificate| certificate.checked) {
            "\nProved values depend on the tables that a certificate names; a check says whether these are published and verified."
        } else {
            ""
        };
        text = format!("{text}\n\nCertificates in {}{hint}\n{list}{given}", folder.display());
    }
    if !overview.unused.is_empty() {
        let lines: Vec<&str> = overview.unused.iter().map(|unused| unused.text.as_str()).collect();
        text = format!("{text}\n\n{}", lines.join("\n"));
    }
    text
}
