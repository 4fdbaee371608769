//! A page about a database, complete in one file without scripts.

mod error;
mod links;
mod section;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::board::printable;
use crate::table::folder_name;

use super::numbers::{bytes, grouped};
use super::overview::{BoardResult, FiledCertificate, Overview, rules_in_short};
use links::Links;

pub use error::PageError;

/// Without `<` and `&`, so that HTML and XML parse it alike.
const STYLE: &str = include_str!("style.css");

/// The page: a table of results, then for each board and rule set the values of the slices, and where there are depth
/// tables, how many positions take how long, and which take longest. It is valid as HTML and as XML. `server` is the address of
/// a server whose page opens the positions.
///
/// # Errors
/// [`PageError`].
pub fn page(overview: &Overview, server: &str) -> Result<String, PageError> {
    let links = Links::to(server);
    let boards = overview.boards.iter().map(|board| section::board(board, links)).collect::<Result<Vec<_>, _>>()?;
    let title = "Fanorona: contents of the database";
    let page = html! {
        (DOCTYPE)
        html lang="en" {
            head {
                (PreEscaped("<meta charset=\"utf-8\"/>"))
                (PreEscaped("<meta name=\"viewport\" content=\"width=device-width\"/>"))
                title { (title) }
                style { (PreEscaped(STYLE)) }
            }
            body {
                h1 { (title) }
                p {
                    "Boards are columns x rows. Symmetric positions are counted separately; values and depths "
                    "are for the side to move, depths in plies to the end of the game when the winner shortens it and "
                    "the loser lengthens it. Positions open on the page of " code { "fanorona serve" } ", at " (server) "."
                }
                (results(overview))
                (certificates(&overview.certificates, links))
                @if !overview.unusable.is_empty() {
                    ul { @for why in &overview.unusable { li { (why) } } }
                }
                @if !overview.unused.is_empty() {
                    ul { @for unused in &overview.unused { li { (unused.text) } } }
                }
                @for board in &boards { (board) }
            }
        }
    };
    // Documents may not contain control characters except line ends, but file names may.
    Ok(format!("{}\n", printable(&page.into_string())))
}

fn results(overview: &Overview) -> Markup {
    html! {
        h2 { "Results" }
        div class="wide" {
            table class="results" {
                thead {
                    tr {
                        th class="text" { "board" }
                        th class="text" { "rules" }
                        th class="text" { "start" }
                        @for name in ["slices", "all to", "positions", "size", "depths to", "longest win"] {
                            th { (name) }
                        }
                    }
                }
                tbody {
                    @for ((size, rules), result) in overview.results() {
                        tr {
                            td class="text" {
                                @if result.tables.is_some() {
                                    a href=(format!("#{}", folder_name(size, rules))) { (size) }
                                } @else {
                                    (size)
                                }
                            }
                            td class="text" { (rules_in_short(rules)) }
                            td class="text" { (result.start_text()) }
                            @for number in numbers(&result) { td { (number) } }
                        }
                    }
                }
            }
        }
    }
}

/// Slices, to how many stones they are complete, positions, bytes, to how many stones depths are, plies of the longest win.
fn numbers(result: &BoardResult<'_>) -> [String; 6] {
    let Some(tables) = result.tables else { return Default::default() };
    let stats = &tables.stats;
    let depths = match tables.depth_stones {
        0 => String::new(),
        stones => format!("{stones} stones"),
    };
    let longest = super::longest_wins(stats).into_iter().map(|(_, win)| win.plies).max();
    [
        stats.slices.len().to_string(),
        format!("{} stones", tables.stats.stones),
        grouped(stats.totals.counts.positions),
        bytes(stats.totals.bytes + stats.totals.depth_bytes),
        depths,
        longest.map_or(String::new(), |plies| format!("{plies} plies")),
    ]
}

fn certificates(certificates: &[FiledCertificate], links: Links<'_>) -> Markup {
    html! {
        @if !certificates.is_empty() {
            h2 { "Certificates" }
            p {
                "Proved values come from checked certificates."
                @if certificates.iter().any(|certificate| !certificate.checked) {
                    " To check what is only claimed: " code { "fanorona check FILE --db FOLDER" } ", with the folder of the database."
                }
            }
            div class="wide" {
                table class="certificates" {
                    thead {
                        tr {
                            @for name in ["file", "board", "rules", "position", "value"] { th class="text" { (name) } }
                            @for name in ["claims", "positions", "size"] { th { (name) } }
                        }
                    }
                    tbody {
                        @for certificate in certificates {
                            tr {
                                td class="text" { code { (certificate.file) } }
                                td class="text" { (certificate.board) }
                                td class="text" { (rules_in_short(certificate.key.1)) }
                                td class="text" {
                                    @if certificate.claimed.is_start { "start" } @else {
                                        (links.position(&certificate.claimed.position, certificate.key.1))
                                    }
                                }
                                td class="text" { (certificate.value_text()) }
                                td { (certificate.claimed.claims) }
                                td { (grouped(certificate.claimed.positions)) }
                                td { (bytes(certificate.bytes)) }
                            }
                        }
                    }
                }
            }
        }
    }
}
