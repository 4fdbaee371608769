//! The part of the page about one board and rule set.

use maud::{Markup, PreEscaped, html};

use crate::board::Board;
use crate::index::Slice;
use crate::rules::PositionText;
use crate::table::{Counts, folder_name};

use super::super::board_svg::board_svg;
use super::super::longest::longest_wins;
use super::super::numbers::{bytes, grouped};
use super::super::overview::BoardTables;
use super::super::plot::{Bar, Labels, Line, PlotError, Point, bar_chart, line_chart};
use super::super::stats::{Longest, Shares, Stats};
use super::error::PageError;
use super::links::Links;

/// Pictures of longest wins, one for each number of stones.
const PICTURES: usize = 6;

/// With more slices than this there is a bar for each number of stones instead of one for each slice.
const MAX_BARS: usize = 30;

const PARTS: [&str; 3] = ["wins of the side to move", "draws", "losses"];

pub(super) fn board(tables: &BoardTables, links: Links<'_>) -> Result<Markup, PageError> {
    let stats = &tables.stats;
    let shares = shares_chart(stats)?;
    let histogram = histogram(stats)?;
    let pictures = pictures(tables)?;
    let depths: Vec<_> =
        stats.slices.iter().filter_map(|slice| Some((slice.slice(), slice.depths.as_ref()?))).collect();
    Ok(html! {
        section id=(folder_name(tables.size, tables.rule_set)) {
            h2 { (tables.size) }
            p { "Rules: " (tables.rule_set) "." }
            figure class="shares" { (PreEscaped(shares)) }
            (slices(stats))
            @if let Some(histogram) = histogram {
                figure class="depths" { (PreEscaped(histogram)) }
            }
            @if !depths.is_empty() {
                div class="wide" {
                    table class="longest" {
                        caption { "The longest win and loss of each slice in plies, each with a position, White to move." }
                        thead {
                            tr {
                                th class="text" { "slice" }
                                th { "longest win" }
                                th class="text" { "position" }
                                th { "longest loss" }
                                th class="text" { "position" }
                                th { "size" }
                            }
                        }
                        tbody {
                            @for (slice, depths) in depths {
                                tr {
                                    td class="text" { (slice) }
                                    @for longest in [&depths.longest_win, &depths.longest_loss] {
                                        (plies_and_position(longest.as_ref(), |text| links.position(text, tables.rule_set)))
                                    }
                                    td { (bytes(depths.bytes)) }
                                }
                            }
                        }
                    }
                }
            }
            @if !pictures.is_empty() {
                h3 { "Longest wins" }
                div class="boards" {
                    @for (caption, text, picture) in pictures {
                        figure class="board" {
                            (PreEscaped(picture))
                            figcaption { (caption) ": " (links.position(text, tables.rule_set)) }
                        }
                    }
                }
            }
        }
    })
}

fn slices(stats: &Stats) -> Markup {
    let cells = |counts: Counts, size: u64| {
        let numbers = [counts.positions, counts.wins, counts.draws, counts.losses].map(grouped);
        let shares = percent(counts).map(|share| format!("{share:.2} %"));
        html! {
            @for number in numbers.iter().chain(&shares) { td { (number) } }
            td { (bytes(size)) }
        }
    };
    html! {
        div class="wide" {
            table class="slices" {
                caption { "Slices: stones of the side to move v those of the other." }
                thead {
                    tr {
                        th class="text" { "slice" }
                        @for name in ["positions", "wins", "draws", "losses", "wins", "draws", "losses", "size"] {
                            th { (name) }
                        }
                    }
                }
                tbody {
                    @for slice in &stats.slices {
                        tr { td class="text" { (slice.slice()) } (cells(slice.counts, slice.bytes)) }
                    }
                    tr class="sum" { td class="text" { "all" } (cells(stats.totals.counts, stats.totals.bytes)) }
                }
            }
        }
    }
}

/// Plies and position, two cells.
fn plies_and_position(longest: Option<&Longest>, link: impl FnOnce(&str) -> Markup) -> Markup {
    html! {
        td { @if let Some(longest) = longest { (longest.plies) } }
        td class="text" { @if let Some(longest) = longest { (link(&longest.position)) } }
    }
}

fn percent(counts: Counts) -> [f64; 3] {
    let shares = Shares::from(counts);
    [shares.wins, shares.draws, shares.losses].map(|share| 100.0 * share)
}

fn shares_chart(stats: &Stats) -> Result<String, PlotError> {
    let by_stones = stats.slices.len() > MAX_BARS;
    let mut groups: Vec<(String, Counts)> = Vec::new();
    for slice in &stats.slices {
        let name = if by_stones { slice.slice().stones().to_string() } else { slice.slice().to_string() };
        match groups.last_mut().filter(|(last, _)| *last == name) {
            Some((_, counts)) => *counts += slice.counts,
            None => groups.push((name, slice.counts)),
        }
    }
    let bars: Vec<Bar<'_>> =
        groups.iter().map(|(name, counts)| Bar { name, parts: percent(*counts).to_vec() }).collect();
    let title = format!("Values on {}", stats.board);
    let x = if by_stones { "stones on the board" } else { "stones of the side to move v of the other" };
    bar_chart(Labels { title: &title, x, y: "share of positions, %" }, &PARTS, &bars)
}

/// The histogram of all slices together; `None` without depths.
fn histogram(stats: &Stats) -> Result<Option<String>, PlotError> {
    let by_plies = stats.by_plies();
    let line = |name, which: usize| {
        let counts = by_plies.iter().map(|(&plies, counts)| (plies, counts[which])).filter(|(_, count)| *count > 0);
        #[allow(clippy::cast_precision_loss)] // a logarithm, drawn
        let point = |(plies, count): (u32, u64)| Point { x: plies.into(), y: (count as f64).log10(), error: 0.0 };
        Line { name, points: counts.map(point).collect(), joined: true }
    };
    let lines = [line("wins", 0), line("losses", 1)];
    if lines.iter().all(|line| line.points.is_empty()) {
        return Ok(None);
    }
    let title = format!("Plies to the end on {}, all slices with depths", stats.board);
    let labels = Labels { title: &title, x: "plies to the end", y: "number of positions, log10" };
    line_chart(labels, &lines).map(Some)
}

/// The caption, the position as text, and the SVG of each picture.
fn pictures<'a>(tables: &'a BoardTables) -> Result<Vec<(String, &'a str, String)>, PageError> {
    let board = Board::<u64>::new(tables.size, tables.rule_set.diagonals);
    let wins = longest_wins(&tables.stats).into_iter().take(PICTURES);
    let draw = |(slice, win): (Slice, &'a Longest)| {
        let Longest { plies, position } = win;
        let picture = board_svg(&board, &PositionText::parse(position)?.on(tables.size)?);
        Ok((format!("{slice}, White wins in {plies} plies"), position.as_str(), picture))
    };
    wins.map(draw).collect()
}
