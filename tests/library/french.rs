//! The page has a French sentence for every refusal of a move, a game, a position or a record.

use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::visit::{Visit, visit_file};
use syn::{Attribute, LitStr};

/// The files whose errors the page shows.
const FILES: [&str; 7] = [
    "board/size.rs",
    "game/error.rs",
    "game/parse_action.rs",
    "game/record_error.rs",
    "game/refusal.rs",
    "rules/notation.rs",
    "rules/position.rs",
];

/// The formats of errors in a file.
struct Formats(Vec<String>);

impl Visit<'_> for Formats {
    fn visit_attribute(&mut self, attribute: &Attribute) {
        if !attribute.path().is_ident("error") {
            return;
        }
        let format = attribute.parse_args_with(|input: ParseStream<'_>| {
            let text: LitStr = input.parse()?;
            input.parse::<TokenStream>()?;
            Ok(text.value())
        });
        // Without a text the error is that of its source.
        self.0.extend(format);
    }
}

/// The parts of a format between its placeholders.
fn parts(format: &str) -> Vec<String> {
    let (mut parts, mut rest) = (vec![String::new()], format);
    while let Some(first) = rest.chars().next() {
        let last = parts.last_mut().expect("a part");
        if let Some(after) = rest.strip_prefix("{{").or_else(|| rest.strip_prefix("}}")) {
            last.push(first);
            rest = after;
        } else if let (true, Some((_, after))) = (first == '{', rest.split_once('}')) {
            parts.push(String::new());
            rest = after;
        } else {
            last.push(first);
            rest = &rest[first.len_utf8()..];
        }
    }
    parts
}

/// Whether a sentence is of the form of a key, whose placeholders stand for something.
fn fits(key: &[String], sentence: &str) -> bool {
    let (first, others) = key.split_first().expect("a part");
    let Some(mut rest) = sentence.strip_prefix(first.as_str()) else { return false };
    let Some((last, middle)) = others.split_last() else { return rest.is_empty() };
    for part in middle {
        let Some((place, _)) = rest.match_indices(part.as_str()).find(|(place, _)| *place > 0) else { return false };
        rest = &rest[place + part.len()..];
    }
    rest.len() > last.len() && rest.ends_with(last.as_str())
}

#[test]
fn every_refusal_has_a_french_sentence() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    let page = fs::read_to_string(source.join("server/page/fr_server.js")).expect("the French sentences");
    let key = |line: &str| {
        let (key, _) = line.trim().strip_prefix('"')?.split_once("\": \"")?;
        // Placeholders of the page have names, and no other braces are doubled.
        Some(parts(&key.replace("write } after", "write }} after")))
    };
    let keys: Vec<Vec<String>> = page.lines().filter_map(key).collect();
    let mut formats = Formats(Vec::new());
    for file in FILES {
        let text = fs::read_to_string(source.join(file)).expect("a file");
        visit_file(&mut formats, &syn::parse_file(&text).expect("Rust"));
    }
    let mut sentences = 0;
    for format in formats.0 {
        let parts = parts(&format);
        // Only another sentence.
        if parts.iter().all(String::is_empty) {
            continue;
        }
        // A part at the end may be left out.
        let sentence = parts.join("x1");
        let shorter = sentence.strip_suffix("x1").unwrap_or(&sentence);
        assert!(keys.iter().any(|key| fits(key, &sentence) || fits(key, shorter)), "not in French: {format}");
        sentences += 1;
    }
    assert!(sentences > 60, "{sentences}");
}
