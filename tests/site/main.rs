//! The page without a server, in a headless browser: `.ci/site` writes it, a plain file host serves it; ignored where there is no browser
//! or no Rust target for it.

mod answers;
#[macro_use]
#[path = "../support/harness.rs"]
mod harness;
mod host;
mod offline;
mod page;
mod site;
mod tables;
#[path = "../support/visit/mod.rs"]
mod visit;

use std::fs;
use std::path::Path;
use std::process::{Command, ExitCode};

use offline::{
    a_kept_board_has_its_values_offline, a_version_replaces_another_as_a_whole, the_page_works_after_its_host_has_gone,
};
use page::{
    a_game_is_reviewed_and_a_lesson_taken, a_search_is_stopped, a_whole_game_is_played_against_the_computer,
    the_first_move_comes_soon, what_needs_a_server_is_hidden,
};
use site::MADE;
use tables::{
    a_host_without_ranges_will_do, damaged_and_missing_tables_are_reported, tables_are_looked_at,
    values_are_those_of_the_tables,
};

fn main() -> ExitCode {
    let code = harness::run(
        missing(),
        "FANORONA_SITE_TESTS",
        tests![
            a_whole_game_is_played_against_the_computer,
            the_first_move_comes_soon,
            values_are_those_of_the_tables,
            a_search_is_stopped,
            a_game_is_reviewed_and_a_lesson_taken,
            what_needs_a_server_is_hidden,
            tables_are_looked_at,
            the_page_works_after_its_host_has_gone,
            a_kept_board_has_its_values_offline,
            damaged_and_missing_tables_are_reported,
            a_host_without_ranges_will_do,
            a_version_replaces_another_as_a_whole,
        ],
    );
    if let Some(made) = MADE.get() {
        fs::remove_dir_all(made.path()).expect("the folder is removed");
    }
    code
}

/// What the tests need and this machine does not have.
fn missing() -> Option<&'static str> {
    let compiler = std::env::var("RUSTC").unwrap_or_else(|_| "rustc".to_owned());
    let asked =
        Command::new(compiler).args(["--print", "target-libdir", "--target", "wasm32-unknown-unknown"]).output();
    let folder = asked.ok().and_then(|asked| String::from_utf8(asked.stdout).ok()).unwrap_or_default();
    let has_target = Path::new(folder.trim()).is_dir() && !folder.is_empty();
    let c_compiler = std::env::var("CC_wasm32_unknown_unknown").unwrap_or_else(|_| "clang".to_owned());
    let has_clang = Command::new(c_compiler).arg("--version").output().is_ok();
    let target = (!has_target).then_some("no Rust target wasm32-unknown-unknown");
    visit::missing().or(target).or((!has_clang).then_some("no clang on the path"))
}
