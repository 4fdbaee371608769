//! The verifier finds a false value wherever a table stores it.

use fanorona::index::{Order, Place, STRETCH, Slice, Space};
use fanorona::knowledge::{Extent, record_verified};
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, Folder, TableError, Tables};
use fanorona::verify::{Options, Stones, Values, Verifier, for_each_turn};
use tempfile::TempDir;

use crate::damage::build_into;

/// Tables with one stored value changed.
struct Changed<'a> {
    tables: &'a Tables,
    slice: Slice,
    row: usize,
    column: usize,
    value: Outcome,
}

impl Values for Changed<'_> {
    type Label = Outcome;
    type Error = TableError;

    /// Values are stored of quiet positions; those of others follow from their captures.
    fn value(&self, mover: u64, opponent: u64) -> Result<Option<Outcome>, TableError> {
        let (board, options) = (self.tables.space().board(), Options::from(RuleSet::default()));
        if board.capturing_stones(mover, opponent) == 0 {
            let slice = Slice::of(mover, opponent);
            let Place { row, column, .. } = Order::new(self.tables.space(), slice).locate(mover, opponent);
            let is_changed = (slice, row, column) == (self.slice, self.row, self.column);
            return if is_changed { Ok(Some(self.value)) } else { self.tables.probe(mover, opponent) };
        }
        let (mut best, mut failed) = (None, None);
        for_each_turn(board, options, Stones { own: mover, enemy: opponent }, &mut |after| {
            match if after.enemy == 0 { Ok(Some(Outcome::Loss)) } else { self.value(after.enemy, after.own) } {
                Ok(value) => best = best.max(value.map(Outcome::reversed)),
                Err(error) => failed = Some(error),
            }
            failed.is_none()
        });
        failed.map_or(Ok(best), Err)
    }
}

/// A verification that ends later keeps what another one has found meanwhile.
#[test]
fn tables_that_were_built_meanwhile_stay_verified() {
    let database = TempDir::new().expect("a folder");
    let (size, rules) = ("3x3".parse().expect("a board"), RuleSet::default());
    let folder = |stones| {
        build_into(database.path(), "3x3", stones, rules);
        Folder::open(database.path(), &Space::new(size, rules.diagonals), rules).expect("tables")
    };
    let all = |folder: &Folder| folder.tables().map(|(slice, _)| (slice, Extent::Values)).collect::<Vec<_>>();
    let (before, after) = (folder(3), folder(4));
    record_verified(&after, all(&after), "2026-11-29").expect("recorded");
    record_verified(&before, all(&before), "2026-11-30").expect("recorded");
    let text = std::fs::read_to_string(after.path().join("VERIFIED")).expect("the record");
    assert!(text.contains("\n2v2 ") && text.contains("2026-11-29") && text.contains("2026-11-30"), "{text}");
}

/// On crowded boards a symmetric set of empty points has several stored values for a position; which one is read depends on the side
/// of the board from which it is looked up.
#[test]
fn a_false_value_is_found_in_any_column() {
    let database = TempDir::new().expect("a folder");
    build_into(database.path(), "3x3", 9, RuleSet::default());
    let size = "3x3".parse().expect("a board");
    let tables = Tables::open(database.path(), size, RuleSet::default(), DEFAULT_CACHE_BYTES).expect("tables");
    let board = tables.space().board();
    let mut changed = 0;
    // Rows by the mover's points, and by the empty ones.
    for slice in [Slice::new(2, 3), Slice::new(4, 3), Slice::new(3, 4), Slice::new(5, 3)] {
        let order = Order::new(tables.space(), slice);
        for (row, base) in order.bases_from(0).enumerate() {
            let mask = order.mask(base);
            let quiet = |column: usize| {
                let [_, quiet] = order.stretch(&mask, column / 64 / STRETCH);
                quiet[column / 64 % STRETCH] >> (column % 64) & 1 == 1
            };
            for column in (0..64 * order.row_words()).filter(|&column| quiet(column)) {
                let (mover, opponent) = order.position(base, column);
                let right = tables.probe(mover, opponent).expect("a table").expect("a value");
                for value in [Outcome::Loss, Outcome::Draw, Outcome::Win].into_iter().filter(|&value| value != right) {
                    let found = Changed { tables: &tables, slice, row, column, value };
                    let result = Verifier::new(board.clone(), RuleSet::default(), &found).full(slice, &|_| ());
                    assert!(result.is_err(), "{slice}, row {row}, column {column}: {right:?} as {value:?}");
                    changed += 1;
                }
            }
        }
    }
    assert!(changed > 300, "{changed}");
}
