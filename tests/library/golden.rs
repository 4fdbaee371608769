//! The values of small sets are the ones they have always been: identities and counts against `db/golden.txt`. The program names the
//! tables in it the published ones; those that are too large for this test come from databases of `reproduce` and of studies.

use std::collections::{HashMap, HashSet};
use std::path::Path;

use fanorona::index::Space;
use fanorona::retro::{Budget, Goal, build};
use fanorona::rules::RuleSet;
use fanorona::table::{Folder, Header, folder_name, folders};

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

/// What a line says of, and the line.
type Lines = Vec<(String, String)>;

fn line(folder: &str, header: &Header) -> (String, String) {
    let Header { slice, metric, identity, counts, .. } = header;
    let name = format!("{folder} {slice}.{metric}");
    let numbers = [counts.wins, counts.draws, counts.losses, counts.quiet].map(|count| count.to_string()).join(" ");
    (name.clone(), format!("{name} {identity:032x} {numbers}"))
}

/// The tables of a database.
fn lines_of(database: &Path) -> Lines {
    let mut lines = Vec::new();
    for (size, rules) in folders(&database.into()).expect("a database") {
        let folder = Folder::open(database, &Space::new(size, rules.diagonals), rules).expect("tables");
        let tables = folder.tables().chain(folder.depth_tables());
        lines.extend(tables.map(|(_, table)| line(&folder_name(size, rules), table.header())));
    }
    lines
}

fn build_all() -> Lines {
    let database = tempfile::tempdir().expect("a temporary folder");
    let mut lines = Vec::new();
    for (board, stones, every_rule_set) in SETS {
        for rules in RuleSet::all().take(if every_rule_set { 16 } else { 1 }) {
            let size = board.parse().expect("a board");
            let built = build(Goal::both(size, rules, stones), database.path(), Budget::default());
            lines.extend(built.expect("a build").iter().map(|built| line(&folder_name(size, rules), &built.header)));
        }
    }
    lines
}

#[test]
fn small_sets_have_not_changed() {
    let built = build_all();
    if let Some(database) = std::env::var_os("FANORONA_WRITE_GOLDEN") {
        let known: HashSet<&String> = built.iter().map(|(name, _)| name).collect();
        let larger = lines_of(Path::new(&database)).into_iter().filter(|(name, _)| !known.contains(name));
        let all = built.iter().cloned().chain(larger).map(|(_, line)| line + "\n");
        let text = format!("# board-rules slice.metric identity wins draws losses quiet\n{}", all.collect::<String>());
        std::fs::write(Path::new(FILE), text).expect("db/golden.txt can be written");
    }
    let golden = std::fs::read_to_string(FILE).expect("db/golden.txt");
    let golden: HashMap<String, &str> =
        golden.lines().map(|line| (line.split(' ').take(2).collect::<Vec<_>>().join(" "), line)).collect();
    for (name, line) in &built {
        assert_eq!(golden.get(name), Some(&line.as_str()));
    }
    assert!(golden.contains_key("9x5 4v4.wdl"));
}
