//! The page has a French sentence for every refusal of a move, a game, a position, a record, a live game or a build, for every result
//! and every answer to a draw offer.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use proc_macro2::TokenStream;
use syn::parse::ParseStream;
use syn::visit::{Visit, visit_expr_call, visit_file};
use syn::{Attribute, Expr, ExprCall, ItemMod, LitStr, Macro};

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

/// The files that write their sentences where they use them.
const SENTENCE_FILES: [&str; 7] = [
    "game/engine/draws.rs",
    "game/result.rs",
    "server/build_api.rs",
    "server/builder.rs",
    "server/live_api.rs",
    "server/live_game.rs",
    "server/permission.rs",
];

/// The formats of errors in a file.
#[derive(Default)]
struct Formats(Vec<String>);

impl Visit<'_> for Formats {
    fn visit_attribute(&mut self, attribute: &Attribute) {
        if !attribute.path().is_ident("error") {
            return;
        }
        // Without a text the error is that of its source.
        self.0.extend(attribute.parse_args_with(first_text));
    }
}

/// The texts and formats of more than three words that a file has outside of tests.
#[derive(Default)]
struct Sentences(Vec<String>);

impl Sentences {
    /// What is said of a malformed body is for programs.
    fn add(&mut self, text: String) {
        let is_shown = text.split(' ').count() > 3 && !text.starts_with("in the body");
        self.0.extend(is_shown.then_some(text));
    }
}

impl Visit<'_> for Sentences {
    /// Comments are attributes.
    fn visit_attribute(&mut self, _: &Attribute) {}

    /// Tests are in modules.
    fn visit_item_mod(&mut self, _: &ItemMod) {}

    /// The log is in English.
    fn visit_expr_call(&mut self, call: &ExprCall) {
        let is_log = matches!(&*call.func, Expr::Path(path) if path.path.is_ident("log"));
        if !is_log {
            visit_expr_call(self, call);
        }
    }

    fn visit_lit_str(&mut self, text: &LitStr) {
        self.add(text.value());
    }

    fn visit_macro(&mut self, call: &Macro) {
        if call.path.is_ident("format") {
            self.add(call.parse_body_with(first_text).expect("a format"));
        }
    }
}

/// The text that something begins with.
fn first_text(input: ParseStream<'_>) -> syn::Result<String> {
    let text: LitStr = input.parse()?;
    input.parse::<TokenStream>()?;
    Ok(text.value())
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

/// The English texts in a file of the page, each with the French one.
fn translations(file: &str) -> Vec<(String, String)> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("src/server/page").join(file);
    let text = fs::read_to_string(path).expect("French texts");
    let pairs = text.lines().filter_map(|line| line.trim().strip_prefix('"')?.split_once("\": \""));
    pairs.map(|(key, translation)| (key.to_owned(), translation.to_owned())).collect()
}

#[test]
fn every_sentence_of_the_program_is_there_in_french() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("src");
    // Placeholders of the page have names, and no other braces are doubled.
    let key = |(key, _): (String, String)| parts(&key.replace("write } after", "write }} after"));
    let keys: Vec<Vec<String>> = translations("fr_server.js").into_iter().map(key).collect();
    let read = |file: &str| syn::parse_file(&fs::read_to_string(source.join(file)).expect("a file")).expect("Rust");
    let (mut formats, mut sentences) = (Formats::default(), Sentences::default());
    for file in FILES {
        visit_file(&mut formats, &read(file));
    }
    for file in SENTENCE_FILES {
        visit_file(&mut sentences, &read(file));
    }
    let mut compared = 0;
    for format in formats.0.into_iter().chain(sentences.0) {
        let parts = parts(&format);
        // Only another sentence.
        if parts.iter().all(String::is_empty) {
            continue;
        }
        // A part at the end may be left out.
        let sentence = parts.join("x1");
        let shorter = sentence.strip_suffix("x1").unwrap_or(&sentence);
        assert!(keys.iter().any(|key| fits(key, &sentence) || fits(key, shorter)), "not in French: {format}");
        compared += 1;
    }
    assert!(compared > 70, "{compared}");
}

#[test]
fn no_english_text_has_two_translations() {
    let mut keys = HashMap::new();
    for file in ["fr.js", "fr_games.js", "fr_learning.js", "fr_server.js", "fr_tables.js"] {
        for (key, translation) in translations(file) {
            let before = keys.insert(key.clone(), translation);
            assert!(before.is_none(), "{file}: {key:?} is {before:?} too");
        }
    }
    assert!(keys.len() > 500, "{}", keys.len());
}
