//! The order of the layers, no circles of files, and where files, threads and `unsafe` may appear.

mod circles;
mod source;

use std::path::Path;

use circles::circles;
use source::Source;

/// The layers, lowest first: each uses only those before it. `simd` is a leaf that all may use.
const LAYERS: [&str; 19] = [
    "simd",
    "files",
    "board",
    "rules",
    "index",
    "table",
    "retro",
    "verify",
    "proof",
    "knowledge",
    "search",
    "report",
    "practice",
    "game",
    "review",
    "matches",
    "api",
    "server",
    "cli",
];

/// The types of `rules` that the verifier and the checker of proofs share with what they check; no moves among them.
const TYPES_OF_RULES: [&str; 8] =
    ["Continuation", "Directions", "Outcome", "Position", "RuleSet", "Side", "Stalemate", "Value"];

/// What the checker of proofs takes from the verifier: its moves, and the source of values.
const NAMES_OF_VERIFY: [&str; 4] = ["for_each_turn", "Options", "Stones", "Values"];

/// The file that brings the checker together with tables: it opens them, compares identities and verifies checksums.
const TABLES_OF_PROOF: &str = "proof/tables.rs";

/// What that file uses for it. All values still come by way of `Values`.
const NAMES_OF_TABLE: [&str; 6] = ["Database", "Folder", "Metric", "TableError", "Tables", "file_name"];

/// Names nothing but the board.
const MOVES_OF_VERIFY: &str = "verify/moves.rs";

/// Marks the one function that runs before `main`.
const BEFORE_MAIN: &str = "main.rs";

const MAX_LINES: usize = 400;
/// Longer files, each with its reason.
const LONGER: [(&str, &str); 0] = [];

/// What a file says that its place does not allow.
fn violations(source: &Source) -> Vec<String> {
    let name = &source.name;
    let rank = |layer: &str| LAYERS.iter().position(|&l| l == layer);
    let mut wrong = Vec::new();
    let mut by_line = Vec::new();
    if !source.text.starts_with("//! ") {
        wrong.push(format!("{name}:1: does not begin with its purpose"));
    }
    let lines = source.text.lines().count();
    if lines > MAX_LINES && !LONGER.iter().any(|&(longer, _)| longer == name) {
        wrong.push(format!("{name}: {lines} lines"));
    }
    let home = source.module.first().map(String::as_str);
    if home.is_some_and(|home| rank(home).is_none()) {
        wrong.push(format!("{name}: in no layer"));
    }
    for (line, word) in &source.words {
        let allowed = match word.as_str() {
            "unsafe" | "unsafe_code" => name == "table/mapped.rs" || name == BEFORE_MAIN,
            "rayon" => home != Some("rules"),
            _ => true,
        };
        if !allowed {
            by_line.push((*line, word.clone()));
        }
    }
    for path in &source.paths {
        let absolute = path.absolute();
        let in_values = path.implements.as_deref() == Some("Values");
        let allowed = match (absolute[0].as_str(), home) {
            // An inner module is one level more, whatever its name.
            _ if name == MOVES_OF_VERIFY && path.levels() > path.inner => false,
            ("crate", _) if absolute.len() == 1 => false,
            ("crate", Some("verify")) => allowed_in_verify(name, &absolute[1..], in_values),
            ("crate", Some("proof")) => allowed_in_proof(name, &absolute[1..]),
            ("crate", Some(home)) => rank(&absolute[1]).is_some_and(|used| Some(used) <= rank(home)),
            ("std", Some("rules")) => !["fs", "thread", "path", "io", "sync", "env"].contains(&absolute[1].as_str()),
            _ => true,
        };
        if !allowed {
            by_line.push((path.line, absolute.join("::")));
        }
    }
    by_line.sort_by_key(|&(line, _)| line);
    wrong.extend(by_line.into_iter().map(|(line, what)| format!("{name}:{line}: {what}")));
    wrong
}

/// The verifier shares nothing with what it checks: its moves know the board and nothing else, the rest of it the types
/// in which positions and values are given. Tables are named only where they are made a source of values.
fn allowed_in_verify(name: &str, path: &[String], in_impl_of_values: bool) -> bool {
    let item = path.get(1).map_or("", String::as_str);
    match path[0].as_str() {
        "board" => true,
        _ if name == MOVES_OF_VERIFY => false,
        "verify" => true,
        "rules" => TYPES_OF_RULES.contains(&item),
        // Which sets number the rows of a table follows from its slice.
        "index" => ["Slice", "is_crowded"].contains(&item),
        // Scores give depths, as outcomes give values.
        "table" | "retro" => in_impl_of_values || item == "Score",
        _ => false,
    }
}

/// The checker of proofs shares neither moves nor numbering with the searches whose results it checks.
fn allowed_in_proof(name: &str, path: &[String]) -> bool {
    let item = path.get(1).map_or("", String::as_str);
    match path[0].as_str() {
        "board" | "proof" | "files" => true,
        "rules" => TYPES_OF_RULES.contains(&item),
        "index" => item == "Slice",
        "verify" => NAMES_OF_VERIFY.contains(&item),
        "table" => name == TABLES_OF_PROOF && NAMES_OF_TABLE.contains(&item),
        _ => false,
    }
}

fn sources() -> Vec<Source> {
    Source::all(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"))
}

#[test]
fn every_file_keeps_to_its_layer() {
    let files = sources();
    for layer in LAYERS {
        assert!(files.iter().any(|file| file.name.starts_with(layer)), "no file of the layer {layer}");
    }
    for (longer, reason) in LONGER {
        let lines = files.iter().find(|file| file.name == longer).map_or(0, |file| file.text.lines().count());
        assert!(lines > MAX_LINES, "{longer} has {lines} lines and needs no exception ({reason})");
    }
    let wrong: Vec<String> = files.iter().flat_map(violations).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_scanner_finds_what_it_is_for() {
    let lines_of = |name: &str, lines: &[&str]| {
        let found = violations(&Source::parse(name, &format!("//! A purpose.\n{}", lines.join("\n"))));
        found.iter().map(|wrong| wrong.replace(name, "")).collect::<Vec<_>>()
    };
    let harmless = [
        "// unsafe crate::cli /* \" */",
        "/* unsafe /* nested */ crate::cli */ const A: char = '\"'; const B: &str = \"unsafe \\\" crate::cli\";",
        "const C: &str = r#\"unsafe \" crate::cli\"#; fn f<'a>(c: &'a str) -> char { '\\'' }",
        "pub(crate) use crate::board::{self, Board as B}; use super::turns::{Rules, Turn}; use crate::simd;",
        "mod tests { use super::super::position::Position; use super::*; mod deep { use super::super::C; } }",
    ];
    assert_eq!(lines_of("rules/notation.rs", &harmless), [""; 0]);
    let bad = [
        "use crate::index::Slice;",
        "use crate::{board::Board, retro::{pairs, plan as p}, rules::Turn};",
        "use super::super::{table::Table, board};",
        "mod tests { use super::super::super::cli; }",
        "fn f() { let x = unsafe { crate::report::picture::<u8>() }; }",
        "use std::{fmt, fs::File}; use rayon::prelude::*;",
        "fn g() { std::thread::spawn(|| ()); } use crate as whole; use crate::server;",
    ];
    let expected = [
        ":2: crate::index::Slice",
        ":3: crate::retro::pairs",
        ":3: crate::retro::plan",
        ":4: crate::table::Table",
        ":5: crate::cli",
        ":6: unsafe",
        ":6: crate::report::picture",
        ":7: rayon",
        ":7: std::fs::File",
        ":8: std::thread::spawn",
        ":8: crate",
        ":8: crate::server",
    ];
    assert_eq!(lines_of("rules/notation.rs", &bad), expected);

    let verifier = [
        "use crate::index::{Slice, Space}; use crate::rules::{Outcome, Rules}; use crate::table::Table;",
        "impl Values for crate::table::Tables { type Error = crate::table::TableError; }",
        "use crate::retro::Loaded; use crate::report; use crate::board::Board;",
    ];
    let expected = [
        ":2: crate::index::Space",
        ":2: crate::rules::Rules",
        ":2: crate::table::Table",
        ":4: crate::retro::Loaded",
        ":4: crate::report",
    ];
    assert_eq!(lines_of("verify/mod.rs", &verifier), expected);
    let moves = [
        "use crate::board::Board; use crate::rules::Side; use super::Tally;",
        "mod tests { use super::Stones; use super::super::Tally; }",
    ];
    assert_eq!(
        lines_of("verify/moves.rs", &moves),
        [
            ":2: crate::rules::Side",
            ":2: crate::verify::Tally",
            ":3: crate::verify::moves::Stones",
            ":3: crate::verify::Tally"
        ]
    );
    let proof = [
        "use crate::board::Symmetry; use crate::rules::{Rules, Position}; use crate::index::{Slice, Space};",
        "use crate::table::{Folder, Tables}; use crate::files::replace_file; use crate::retro::Loaded; use super::super::search;",
        "use crate::verify::{Stones, Verifier}; use super::shape; use crate::proof::Claim; use crate::report;",
    ];
    let expected = [
        ":2: crate::rules::Rules",
        ":2: crate::index::Space",
        ":3: crate::table::Folder",
        ":3: crate::table::Tables",
        ":3: crate::retro::Loaded",
        ":3: crate::search",
        ":4: crate::verify::Verifier",
        ":4: crate::report",
    ];
    assert_eq!(lines_of("proof/check.rs", &proof), expected);
    let outside = violations(&Source::parse("elsewhere/mod.rs", &"use x;\n".repeat(MAX_LINES + 1)));
    assert_eq!(
        outside,
        [
            "elsewhere/mod.rs:1: does not begin with its purpose",
            "elsewhere/mod.rs: 401 lines",
            "elsewhere/mod.rs: in no layer"
        ]
    );
}

#[test]
fn no_files_use_each_other() {
    let found = circles(&sources());
    assert!(found.is_empty(), "{found:#?}");
}

#[test]
fn circles_are_found() {
    let circles_of = |files: &[(&str, &str)]| {
        circles(&files.iter().map(|(name, text)| Source::parse(name, text)).collect::<Vec<_>>())
    };
    let none: [Vec<String>; 0] = [];
    let harmless = [
        ("lib.rs", "mod a; mod b;"),
        // A map of its folder: what it re-exports it does not use.
        ("a/mod.rs", "mod one; mod two; pub use one::One; pub(crate) use two::two; pub struct Top;"),
        ("a/one.rs", "use super::{Top, two}; pub struct One; #[cfg(test)] mod tests { use crate::b::B; }"),
        // A module and a function of the same name.
        ("a/two.rs", "use super::Top; pub fn two() {}"),
        ("b.rs", "use crate::a::{self, One}; pub struct B; fn f() { a::two(); One::new() }"),
    ];
    assert_eq!(circles_of(&harmless), none);
    let with = |number: usize, text: &'static str| {
        let mut files = harmless;
        files[number].1 = text;
        circles_of(&files)
    };
    // By an import, by a path in code, in a macro, through a re-export, a renamed import, an inner module and a glob.
    for text in [
        "use super::One; pub fn two() {}",
        "pub fn two() { super::one::One::new() }",
        "pub fn two() { write!(f, \"\", crate::a::One) }",
        "pub fn two(b: &crate::b::B) {}",
        "use crate::a as other; pub fn two() { other::One::new() }",
        "mod inner { use crate::a::One; } pub fn two() {}",
        "use super::one::*; pub fn two() { One::new() }",
    ] {
        let expected =
            if text.contains("b::B") { vec!["a/one.rs", "a/two.rs", "b.rs"] } else { vec!["a/one.rs", "a/two.rs"] };
        assert_eq!(with(3, text), [expected], "{text}");
    }
    // A folder's file that uses what it re-exports.
    let top = "mod one; mod two; pub use one::One; pub(crate) use two::two; pub struct Top(One);";
    assert_eq!(with(1, top), [["a/mod.rs", "a/one.rs", "a/two.rs"]]);
    let top = "mod one; mod two; use one::One; pub(crate) use two::two; pub struct Top;";
    assert_eq!(with(1, top), [["a/mod.rs", "a/one.rs", "a/two.rs"]]);
}
