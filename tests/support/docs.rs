//! The examples of the README and the pages of `docs`, for tests that run them.
#![allow(dead_code)] // each program uses some of it

use std::fs;
use std::path::Path;

/// The README and the pages of `docs`, with their names.
pub fn pages() -> Vec<(String, String)> {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let docs = fs::read_dir(root.join("docs")).expect("a folder").map(|entry| entry.expect("a file").path());
    let pages = docs.filter(|path| path.extension().is_some_and(|extension| extension == "md"));
    let named = |path: &Path| (path.strip_prefix(root).expect("a page").display().to_string(), read(path));
    let mut pages: Vec<_> = pages.map(|path| named(&path)).chain([named(&root.join("README.md"))]).collect();
    pages.sort();
    pages
}

pub fn page(name: &str) -> String {
    read(&Path::new(env!("CARGO_MANIFEST_DIR")).join(name))
}

fn read(path: &Path) -> String {
    fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// The blocks of code of a page that name no language.
pub fn blocks(page: &str) -> Vec<String> {
    let mut blocks = Vec::new();
    let mut lines = page.lines();
    while let Some(line) = lines.next() {
        if let Some(language) = line.strip_prefix("```") {
            let block: Vec<&str> = lines.by_ref().take_while(|line| *line != "```").collect();
            if language.is_empty() {
                blocks.push(block.join("\n"));
            }
        }
    }
    blocks
}

/// The arguments of the program on a line of a block, if it runs the program.
pub fn arguments(line: &str) -> Option<Vec<String>> {
    let rest = line.strip_prefix("cargo run --release -- ").or_else(|| line.strip_prefix("fanorona "))?;
    // Quotes are used around positions and nothing else.
    Some(
        rest.split('"')
            .enumerate()
            .flat_map(|(part, text)| {
                if part % 2 == 1 { vec![text.to_owned()] } else { text.split_whitespace().map(str::to_owned).collect() }
            })
            .collect(),
    )
}

/// Asserts that a text is as a page shows it: `…` stands for anything, to the end of the line where it is one by itself.
pub fn assert_shown(shown: &str, text: &str) {
    let mut rest = text.trim();
    for (number, part) in shown.split('…').enumerate() {
        let part = part.trim();
        let found = rest.find(part).filter(|&at| at == 0 || number > 0);
        let at = found.unwrap_or_else(|| panic!("the page shows\n{part}\nwhere there is\n{rest}"));
        rest = &rest[at + part.len()..];
    }
    assert!(shown.contains('…') || rest.is_empty(), "the page does not show\n{rest}");
}
