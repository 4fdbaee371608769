//! Checkpoints: whatever one contains, a solve that continues from it finds the same value as one without it.
//!
//! The input gives a position, the header of a checkpoint, and its entries, which are put into a frame with a checksum that fits.
//! Where an entry has a small number in place of a key, it is about one of the positions that a search comes to.

use std::collections::BTreeSet;
use std::io::Write;
use std::path::PathBuf;
use std::sync::LazyLock;

use fanorona::board::Board;
use fanorona::rules::{RuleSet, Rules, Side, Value};
use fanorona::search::{
    self, CheckpointError, Control, Effort, Key, Mirror, SearchOptions, SolveScope, Solver, Tuning,
};
use fanorona::table::NoValues;
use tempfile::TempDir;

use super::{Input, check_message};
use crate::oracle;
use crate::prover::{Solved, position};

/// Positions of 3x3 that take a search, none of a thousand nodes.
const POSITIONS: [&str; 8] = [
    "BBB/B1W/WWW w",
    "1B1/1W1/1W1 w",
    "1B1/3/WW1 w",
    "BB1/3/1WW b",
    "B1B/3/W1W w",
    "BB1/1B1/WWW w",
    "1BB/3/WW1 b",
    "BBB/3/WW1 b",
];

/// Bytes of a header: columns, rows, three options, nodes, probes, seconds. In a file the position and what is asked of it come after the
/// options.
const HEADER: usize = 29;

/// Bytes of the options and what is before them, and of the position and what is asked.
const BEFORE: usize = 5;
const ASKED: usize = 20;

/// The transposition table that a search is given.
const MAX_ENTRIES: usize = 4096;

/// Nodes that a search may take before it is taken for endless.
const MAX_NODES: u64 = 5_000_000;

struct Known {
    solved: Solved,
    game: Rules<u64>,
    folder: TempDir,
    keys: Vec<Key>,
}

static KNOWN: LazyLock<Known> = LazyLock::new(|| {
    let solved = Solved::everything("3x3", RuleSet::default());
    let game = Rules::new(Board::new(solved.size, solved.rules.diagonals), solved.rules);
    let mirror = Mirror::new(game.board().size());
    let mut keys = BTreeSet::new();
    for text in POSITIONS {
        let positions =
            std::iter::once(position(text)).chain(game.turns(&position(text)).into_iter().map(|(_, after)| after));
        let later = positions.flat_map(|first| {
            let next = game.turns(&first).into_iter().map(|(_, after)| after);
            next.chain([first]).collect::<Vec<_>>()
        });
        for position in later {
            let canonical = mirror.canonical(position.mover(), position.opponent());
            keys.extend([true, false].map(|attacker_moves| canonical.key(attacker_moves)));
        }
    }
    let folder = tempfile::tempdir().expect("a temporary folder");
    Known { solved, game, folder, keys: keys.into_iter().collect() }
});

fn solver() -> Solver<'static> {
    let options = SearchOptions { memory: 1 << 20, threads: 1, tuning: Tuning::default() };
    Solver::new(&KNOWN.game, &NoValues, options).expect("memory")
}

fn subject() -> search::Subject {
    search::Problem::start(KNOWN.solved.size, KNOWN.solved.rules).subject(SolveScope::POSITION)
}

pub fn seeds() -> Vec<Vec<u8>> {
    let mut seeds = Vec::new();
    for (number, text) in (0u8..).zip(POSITIONS) {
        let mut solver = solver();
        solver.solve(position(text), SolveScope::POSITION, None, &mut |_| Control::Continue).expect("a solution");
        let path = KNOWN.folder.path().join("seed");
        let totals = search::SearchTotals { nodes: 5, probes: 6, seconds: 0.5 };
        search::save(&path, subject(), totals, &solver.entries()).expect("a file");
        let file = std::fs::read(path).expect("a file");
        let mut seed = vec![number];
        let mut content = zstd::decode_all(&file[12..]).expect("a frame");
        content.drain(BEFORE..BEFORE + ASKED);
        seed.extend(content);
        // False entries: settled one way or the other, and open.
        for (place, data) in (0u64..40).zip([1u64, 1 << 20, 1 | 1 << 20, (1 << 19 | 5) << 20].into_iter().cycle()) {
            seed.extend((16 * place + u64::from(number)).to_le_bytes());
            seed.extend((data | 200 << 40).to_le_bytes());
        }
        seeds.push(seed);
    }
    seeds
}

pub fn run(data: &[u8]) {
    let mut input = Input(data);
    let text = POSITIONS[input.index(POSITIONS.len())];
    let path = written(&with_keys(input.0));
    let mut solver = solver();
    let mut entries = 0;
    let mut keys = Vec::new();
    let read = search::read(&path, KNOWN.solved.size, KNOWN.solved.rules, |piece| {
        entries += piece.len();
        keys.extend_from_slice(piece);
        solver.restore(piece);
        Ok::<_, CheckpointError>(())
    });
    match read {
        Err(error) => return check_message(&error.to_string()),
        Ok((_, done)) => assert!(done.seconds >= 0.0 && entries == keys.len()),
    }
    if keys.len() > MAX_ENTRIES {
        return;
    }
    // What is in the table then is what was in the file.
    for (key, found) in solver.entries().list(Effort::default()) {
        assert!(keys.contains(&(key, found)), "{key:?} {found:?}");
    }
    let limit = std::cell::Cell::new(0);
    let solution = solver.solve(position(text), SolveScope::POSITION, None, &mut |event| {
        if let search::SolveEvent::Searching { progress, .. } = event {
            limit.set(progress.nodes);
        }
        if limit.get() > MAX_NODES { Control::Stop } else { Control::Continue }
    });
    let solution = solution.unwrap_or_else(|error| panic!("{text}: {error} after {} nodes", limit.get()));
    assert_eq!(solution.value, value(text), "{text}");
}

/// The content with keys in the places of small numbers.
fn with_keys(content: &[u8]) -> Vec<u8> {
    let mut content = content.to_vec();
    let entries = content.get_mut(HEADER..).unwrap_or_default();
    for entry in entries.chunks_exact_mut(16) {
        let number = Input(entry).number(8);
        if let Ok(number) = u16::try_from(number) {
            let key = KNOWN.keys[usize::from(number) % KNOWN.keys.len()];
            entry[..8].copy_from_slice(&key.check.to_le_bytes());
            entry[14..].copy_from_slice(&key.more.to_le_bytes());
        }
    }
    content
}

/// A file with that content and what is missing in it, its frame complete.
fn written(content: &[u8]) -> PathBuf {
    let mut file = b"FANOSAVE".to_vec();
    file.extend(2u32.to_le_bytes());
    let (before, after) = content.split_at(content.len().min(BEFORE));
    let mut frame = zstd::Encoder::new(file, 1).expect("a frame");
    frame.include_checksum(true).expect("a checksum");
    for part in [before, &[0; ASKED], after] {
        frame.write_all(part).expect("memory");
    }
    let path = KNOWN.folder.path().join(format!("state-{:?}", std::thread::current().id()));
    std::fs::write(&path, frame.finish().expect("a frame")).expect("a file");
    path
}

/// What the plain solver says.
fn value(text: &str) -> Value {
    match (KNOWN.solved.value(text), position(text).to_move) {
        (oracle::Value::Draw, _) => Value::Draw,
        (oracle::Value::Win, Side::White) | (oracle::Value::Loss, Side::Black) => Value::WhiteWins,
        (oracle::Value::Win, Side::Black) | (oracle::Value::Loss, Side::White) => Value::BlackWins,
    }
}
