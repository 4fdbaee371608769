//! Tables of a site: their values, by parts or whole, what is damaged or missing, and the page that shows them.

use std::fs;
use std::path::{Path, PathBuf};

use super::answers::{SEVEN, answer, path_of, queried};
use super::host::Host;
use super::site::{copy, files, site};
use super::visit::visit_address;

pub fn values_are_those_of_the_tables() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        for position in SEVEN {
            page.open(&format!("#position={}", position.replace(' ', "_"))).await;
            page.says("#rules-line", "5x5").await;
            let known = queried(position);
            assert_eq!(answer(page, &path_of(position)).await, (200, known.clone()));
            let side = if position.ends_with('w') { "White" } else { "Black" };
            let verb = match known["value"].as_str().expect("a value") {
                "win" => "wins",
                "draw" => "draws",
                value => {
                    assert_eq!(value, "loss");
                    "loses"
                }
            };
            page.says("#verdict", &format!("{side} to move {verb}")).await;
        }
        assert!(host.parts() > 0, "tables are read by parts");
    });
}

pub fn tables_are_looked_at() {
    let host = Host::of(&site());
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        page.click("nav a.button").await;
        page.says("#boards", "values to 8 stones").await;
        page.says("#boards", "1 certificate").await;
        page.says("#slices", "2v1").await;
        page.click("#longest a").await;
        page.says("#verdict", "wins in").await;
    });
}

/// The tables of a slice of 5x5 in a site: of its values, and of its depths.
fn tables(folder: &Path, slice: &str) -> Vec<PathBuf> {
    let begin = format!("{slice}.");
    let is_named = |path: &PathBuf| path.file_name().is_some_and(|name| name.to_string_lossy().starts_with(&begin));
    let found: Vec<PathBuf> = files(&folder.join("db/5x5")).into_iter().filter(is_named).collect();
    assert!(!found.is_empty(), "{slice}");
    found
}

pub fn damaged_and_missing_tables_are_reported() {
    // Positions without a capture, which tables store themselves.
    let [damaged, missing, whole] = ["BB3/5/5/3W1/2W1W w", "BBB2/5/5/3W1/2W1W w", "B4/5/5/3W1/2W1W w"];
    let folder = copy();
    for path in tables(folder.path(), "3v2") {
        let mut bytes = fs::read(&path).expect("a table");
        let first = bytes[125..133].try_into().expect("eight bytes");
        // All blocks, of which the first begins here.
        bytes[usize::try_from(u64::from_le_bytes(first)).expect("an offset")..].fill(0);
        fs::write(&path, bytes).expect("a file");
    }
    for path in tables(folder.path(), "3v3") {
        fs::remove_file(path).expect("a table");
    }
    let host = Host::of(folder.path());
    visit_address(host.url(), None, async |page| {
        page.open(&format!("#position={}", damaged.replace(' ', "_"))).await;
        page.says("#verdict", "3v2").await;
        for (position, slice) in [(damaged, "3v2"), (missing, "3v3")] {
            let (status, body) = answer(page, &path_of(position)).await;
            let message = body["error"]["message"].as_str().unwrap_or_default();
            assert!(status == 500 && message.contains(slice), "{status}, {body}");
        }
        // The others are as good as before.
        assert_eq!(answer(page, &path_of(whole)).await, (200, queried(whole)));
    });
}

pub fn a_host_without_ranges_will_do() {
    let host = Host::of(&site());
    host.refuse_ranges();
    visit_address(host.url(), None, async |page| {
        page.open("").await;
        for position in SEVEN {
            assert_eq!(answer(page, &path_of(position)).await, (200, queried(position)));
        }
        assert_eq!(host.parts(), 0);
    });
}
