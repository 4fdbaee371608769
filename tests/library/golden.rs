//! The values of small sets are the ones they have always been: identities and counts against `db/golden.txt`.

use std::fmt::Write as _;
use std::path::Path;

use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::table::folder_name;

const FILE: &str = concat!(env!("CARGO_MANIFEST_DIR"), "/db/golden.txt");

/// Boards, stones, and whether under every rule set or the default one.
const SETS: [(&str, usize, bool); 8] = [
    ("3x3", 9, true),
    ("3x5", 6, true),
    ("5x3", 6, true),
    ("5x5", 5, true),
    ("7x5", 4, false),
    ("9x5", 5, false),
    ("1x7", 7, false),
    ("7x7", 4, false),
];

fn build_all() -> String {
    let database = tempfile::tempdir().expect("a temporary folder");
    let mut text = String::from("# board-rules slice.metric identity wins draws losses quiet\n");
    for (board, stones, every_rule_set) in SETS {
        for rules in RuleSet::all().take(if every_rule_set { 8 } else { 1 }) {
            let size = board.parse().expect("a board");
            let built = build(Goal::both(size, rules, stones), database.path(), Budget::default());
            for built in built.expect("a build") {
                let counts = built.header.counts;
                writeln!(
                    text,
                    "{} {}.{} {:032x} {} {} {} {}",
                    folder_name(size, rules),
                    built.slice,
                    built.header.metric,
                    built.header.identity,
                    counts.wins,
                    counts.draws,
                    counts.losses,
                    counts.quiet,
                )
                .expect("strings take everything");
            }
        }
    }
    text
}

#[test]
fn small_sets_have_not_changed() {
    let built = build_all();
    if std::env::var_os("FANORONA_WRITE_GOLDEN").is_some() {
        std::fs::write(Path::new(FILE), &built).expect("db/golden.txt can be written");
    }
    let golden = std::fs::read_to_string(FILE).expect("db/golden.txt");
    let differ = golden.lines().zip(built.lines()).find(|(golden, built)| golden != built);
    assert_eq!(differ, None, "golden and built");
    assert_eq!(golden.lines().count(), built.lines().count());
}
