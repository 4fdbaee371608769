//! The arrows between the layers, and where files, threads and `unsafe` may appear, read off the source text.

use std::fs;
use std::path::Path;

/// The layers, lowest first: each uses only those before it. `simd` is a leaf that all may use.
const LAYERS: [&str; 13] = [
    "simd", "board", "rules", "index", "table", "retro", "verify", "proof", "search", "report", "game", "server", "cli",
];

/// The types of `rules` that the verifier and the checker of proofs share with what they check; no moves among them.
const TYPES_OF_RULES: [&str; 6] = ["Continuation", "Outcome", "Position", "RuleSet", "Side", "Stalemate"];

/// What the checker of proofs takes from the verifier: its moves, and the source of values.
const NAMES_OF_VERIFY: [&str; 4] = ["for_each_turn", "Options", "Stones", "Values"];

/// What it takes from tables: how files are replaced, and where the identities are. Values come by way of `Values`.
const NAMES_OF_TABLE: [&str; 4] = ["Folder", "Metric", "file_name", "replace_file"];

/// Names nothing but the board.
const MOVES_OF_VERIFY: &str = "verify/moves.rs";

const MOST_LINES: usize = 400;
/// Longer files, each with its reason.
const LONGER: [(&str, &str); 0] = [];

/// The words and marks of the code, `::` as one, with their lines: no comments, no strings, no characters, no lifetimes.
fn tokens(text: &str) -> Vec<(usize, String)> {
    let chars: Vec<char> = text.chars().collect();
    let at = |i: usize| chars.get(i).copied().unwrap_or('\0');
    let word = |c: char| c.is_alphanumeric() || c == '_';
    let (mut tokens, mut i, mut line) = (Vec::new(), 0, 1);
    while i < chars.len() {
        let start = i;
        match at(i) {
            '/' if at(i + 1) == '/' => i += chars[i..].iter().take_while(|&&c| c != '\n').count(),
            '/' if at(i + 1) == '*' => {
                let mut depth = 0;
                loop {
                    match (at(i), at(i + 1)) {
                        ('/', '*') => (depth, i) = (depth + 1, i + 2),
                        ('*', '/') => (depth, i) = (depth - 1, i + 2),
                        _ => i += 1,
                    }
                    if depth == 0 || i >= chars.len() {
                        break;
                    }
                }
            }
            '"' => i = end_of_quoted(&chars, i),
            // A character, or else a lifetime: the tick goes and its name stays, a word like any other.
            '\'' if at(i + 1) == '\\' || at(i + 2) == '\'' => i = end_of_quoted(&chars, i),
            ':' if at(i + 1) == ':' => {
                tokens.push((line, "::".to_owned()));
                i += 2;
            }
            c if word(c) => {
                i += chars[i..].iter().take_while(|&&c| word(c)).count();
                let name: String = chars[start..i].iter().collect();
                let hashes = chars[i..].iter().take_while(|&&c| c == '#').count();
                if name.ends_with('r') && name.len() <= 2 && at(i + hashes) == '"' {
                    let end: String = format!("\"{}", "#".repeat(hashes));
                    let rest: String = chars[i + hashes + 1..].iter().collect();
                    i += hashes + 1 + rest.split(&end).next().unwrap().chars().count() + end.len();
                } else {
                    tokens.push((line, name));
                }
            }
            c => {
                if !c.is_whitespace() {
                    tokens.push((line, c.to_string()));
                }
                i += 1;
            }
        }
        i = i.min(chars.len());
        line += chars[start..i].iter().filter(|&&c| c == '\n').count();
    }
    tokens
}

fn end_of_quoted(chars: &[char], start: usize) -> usize {
    let mut i = start + 1;
    while i < chars.len() && chars[i] != chars[start] {
        i += if chars[i] == '\\' { 2 } else { 1 };
    }
    i + 1
}

/// The paths that begin with `prefix` and go on at token `i`, one for each leaf of a use tree; gives where they end.
fn read_paths(tokens: &[(usize, String)], mut i: usize, prefix: &[String], paths: &mut Vec<Vec<String>>) -> usize {
    let mut path = prefix.to_vec();
    let token = |i: usize| tokens.get(i).map_or("", |(_, token)| token.as_str());
    loop {
        if token(i) == "{" {
            i += 1;
            while !["}", ""].contains(&token(i)) {
                i = if token(i) == "," { i + 1 } else { read_paths(tokens, i, &path, paths) };
            }
            return i + 1;
        }
        path.push(token(i).to_owned());
        i += 1;
        // `Vec::<u8>` has no further names.
        if token(i) != "::" || token(i + 1) == "<" {
            break;
        }
        i += 1;
    }
    if token(i) == "as" {
        i += 2;
    }
    paths.push(path);
    i
}

/// What a file says that its place does not allow. `name` is its path below `src`, with `/`.
fn violations(name: &str, text: &str) -> Vec<String> {
    let tokens = tokens(text);
    let module: Vec<String> = name.trim_end_matches(".rs").split('/').map(str::to_owned).collect();
    let module = match module.last().map(String::as_str) {
        Some("mod" | "lib" | "main") => module[..module.len() - 1].to_vec(),
        _ => module,
    };
    let rank = |layer: &str| LAYERS.iter().position(|&l| l == layer);
    let mut wrong = Vec::new();
    if !text.starts_with("//! ") {
        wrong.push(format!("{name}:1: does not begin with its purpose"));
    }
    if text.lines().count() > MOST_LINES && !LONGER.iter().any(|&(longer, _)| longer == name) {
        wrong.push(format!("{name}: {} lines", text.lines().count()));
    }
    let home = module.first().cloned();
    if home.as_deref().is_some_and(|home| rank(home).is_none()) {
        wrong.push(format!("{name}: in no layer"));
    }

    // Modules in braces, and the impl of `Values`, with the depth of braces at which each ends.
    let (mut depth, mut inner, mut impl_of_values) = (0, Vec::new(), None);
    for (i, (line, token)) in tokens.iter().enumerate() {
        let next = |n: usize| tokens.get(i + n).map_or("", |(_, token)| token.as_str());
        let starts_path = i == 0 || tokens[i - 1].1 != "::";
        let mut paths = Vec::new();
        match token.as_str() {
            "{" => depth += 1,
            "}" => {
                depth -= 1;
                inner.pop_if(|end| *end == depth);
                impl_of_values.take_if(|end| *end == depth);
            }
            "mod" if next(2) == "{" => inner.push(depth),
            "impl" if next(1) == "Values" && next(2) == "for" => impl_of_values = Some(depth),
            "unsafe" | "unsafe_code" if name != "table/mapped.rs" => wrong.push(format!("{name}:{line}: {token}")),
            "rayon" if home.as_deref() == Some("rules") => wrong.push(format!("{name}:{line}: {token}")),
            "crate" | "std" if starts_path && next(1) == "::" => {
                read_paths(&tokens, i + 2, std::slice::from_ref(token), &mut paths);
            }
            // Only `pub(crate)` may name the crate without going on into it.
            "crate" if next(1) != ")" => wrong.push(format!("{name}:{line}: the crate as a whole")),
            "super" if starts_path && next(1) == "::" => {
                let levels = 1 + (1..).step_by(2).take_while(|&n| next(n) == "::" && next(n + 1) == "super").count();
                // An inner module is one level more, whatever its name.
                if name == MOVES_OF_VERIFY && levels > inner.len() {
                    wrong.push(format!("{name}:{line}: super"));
                } else if levels >= module.len() + inner.len() {
                    read_paths(&tokens, i + 2 * levels, &["crate".to_owned()], &mut paths);
                }
            }
            _ => {}
        }
        for path in paths {
            let allowed = match (path[0].as_str(), home.as_deref()) {
                ("crate", Some("verify")) => allowed_in_verify(name, &path[1..], impl_of_values.is_some()),
                ("crate", Some("proof")) => allowed_in_proof(&path[1..]),
                ("crate", Some(home)) => rank(&path[1]).is_some_and(|used| Some(used) <= rank(home)),
                ("std", Some("rules")) => !["fs", "thread", "path", "io", "sync", "env"].contains(&path[1].as_str()),
                _ => true,
            };
            if !allowed {
                wrong.push(format!("{name}:{line}: {}", path.join("::")));
            }
        }
    }
    wrong
}

/// The verifier shares nothing with what it checks: its moves know the board and nothing else, the rest of it the types
/// in which positions and values are told. Tables are named only where they are made a source of values.
fn allowed_in_verify(name: &str, path: &[String], in_impl_of_values: bool) -> bool {
    let item = path.get(1).map_or("", String::as_str);
    match path[0].as_str() {
        "board" => true,
        _ if name == MOVES_OF_VERIFY => false,
        "verify" => true,
        "rules" => TYPES_OF_RULES.contains(&item),
        "index" => item == "Slice",
        // In scores depths are told, as values in outcomes.
        "table" | "retro" => in_impl_of_values || item == "Score",
        _ => false,
    }
}

/// The checker of proofs shares neither moves nor numbering with the searches whose results it checks.
fn allowed_in_proof(path: &[String]) -> bool {
    let item = path.get(1).map_or("", String::as_str);
    match path[0].as_str() {
        "board" | "proof" => true,
        "rules" => TYPES_OF_RULES.contains(&item),
        "index" => item == "Slice",
        "verify" => NAMES_OF_VERIFY.contains(&item),
        "table" => NAMES_OF_TABLE.contains(&item),
        _ => false,
    }
}

fn sources(folder: &Path, name: &str, found: &mut Vec<(String, String)>) {
    let mut entries: Vec<_> = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap()).collect();
    entries.sort_by_key(std::fs::DirEntry::file_name);
    for entry in entries {
        let name = format!("{name}{}", entry.file_name().to_str().unwrap());
        if entry.file_type().unwrap().is_dir() {
            sources(&entry.path(), &format!("{name}/"), found);
        } else if Path::new(&name).extension().is_some_and(|extension| extension == "rs") {
            found.push((name, fs::read_to_string(entry.path()).unwrap()));
        }
    }
}

#[test]
fn every_file_keeps_to_its_layer() {
    let mut files = Vec::new();
    sources(&Path::new(env!("CARGO_MANIFEST_DIR")).join("src"), "", &mut files);
    for layer in LAYERS {
        assert!(files.iter().any(|(name, _)| name.starts_with(layer)), "no file of the layer {layer}");
    }
    for (longer, reason) in LONGER {
        let lines = files.iter().find(|(name, _)| name == longer).map_or(0, |(_, text)| text.lines().count());
        assert!(lines > MOST_LINES, "{longer} has {lines} lines and needs no exception ({reason})");
    }
    let wrong: Vec<String> = files.iter().flat_map(|(name, text)| violations(name, text)).collect();
    assert!(wrong.is_empty(), "\n{}", wrong.join("\n"));
}

#[test]
fn the_scanner_finds_what_it_is_for() {
    let lines_of = |name: &str, lines: &[&str]| {
        let found = violations(name, &format!("//! A purpose.\n{}", lines.join("\n")));
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
        ":7: std::fs::File",
        ":7: rayon",
        ":8: std::thread::spawn",
        ":8: the crate as a whole",
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
    assert_eq!(lines_of("verify/moves.rs", &moves), [":2: crate::rules::Side", ":2: super", ":3: super"]);
    let proof = [
        "use crate::board::Symmetry; use crate::rules::{Rules, Position}; use crate::index::{Slice, Space};",
        "use crate::table::{Folder, Tables, replace_file}; use crate::retro::Loaded; use super::super::search;",
        "use crate::verify::{Stones, Verifier}; use super::shape; use crate::proof::Claim; use crate::report;",
    ];
    let expected = [
        ":2: crate::rules::Rules",
        ":2: crate::index::Space",
        ":3: crate::table::Tables",
        ":3: crate::retro::Loaded",
        ":3: crate::search",
        ":4: crate::verify::Verifier",
        ":4: crate::report",
    ];
    assert_eq!(lines_of("proof/check.rs", &proof), expected);
    let outside = violations("elsewhere/mod.rs", &"use x;\n".repeat(MOST_LINES + 1));
    assert_eq!(
        outside,
        [
            "elsewhere/mod.rs:1: does not begin with its purpose",
            "elsewhere/mod.rs: 401 lines",
            "elsewhere/mod.rs: in no layer"
        ]
    );
}
