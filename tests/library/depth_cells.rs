//! Cells of depths that are too small for some wins: the build says so, keeps what it has, and continues in larger ones.

use std::collections::BTreeMap;
use std::fs;
use std::ops::{BitOr, BitOrAssign, Not};
use std::path::Path;
use std::sync::atomic::{AtomicU8, Ordering};

use fanorona::index::Space;
use fanorona::retro::{
    Alone, Budget, BuildError, DepthSlices, Goal, build, execute_in, pairs, plan, solve_cells, solve_crowded,
};
use fanorona::rules::RuleSet;
use fanorona::table::{Cell, RowValue, Score, SliceDepths, TableError};
use tempfile::TempDir;
use zerocopy::{FromBytes, Immutable, IntoBytes};

/// Cells of four bits: up to 13 plies.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord, IntoBytes, FromBytes, Immutable)]
#[repr(transparent)]
struct Nibble(u8);

impl Not for Nibble {
    type Output = Self;

    fn not(self) -> Self {
        Self(15 - self.0)
    }
}

impl BitOr for Nibble {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

impl BitOrAssign for Nibble {
    fn bitor_assign(&mut self, other: Self) {
        self.0 |= other.0;
    }
}

impl RowValue for Nibble {
    type Unit = Self;

    const PER_UNIT: usize = 1;
    const DRAW: Self = Self(7);
    const NONE: Self = Self(15);
    const MAX_STEPS: u16 = 6;

    fn loss(step: u16) -> Self {
        Self(u8::try_from(step).expect("a step")).checked()
    }

    fn number(self) -> u16 {
        self.0.into()
    }

    fn before(self) -> Self {
        if self <= Self::DRAW { Self((!self).0 - 1) } else { !self }
    }

    fn unit(self) -> Self {
        self
    }

    fn get(row: &[Self], column: usize) -> Self {
        row[column]
    }

    fn set(row: &mut [Self], column: usize, value: Self) {
        row[column] = value;
    }
}

impl Cell for Nibble {
    type Atomic = AtomicU8;

    fn shared(cells: &mut [Self]) -> &[AtomicU8] {
        <[AtomicU8]>::mut_from_bytes(cells.as_mut_bytes()).expect("whole cells")
    }

    fn put(there: &AtomicU8, cell: Self) {
        there.store(cell.checked().0, Ordering::Relaxed);
    }
}

impl Nibble {
    fn checked(self) -> Self {
        assert!(self <= Self::NONE, "{self:?} has more than four bits");
        self
    }
}

/// How many pairs of a board fit in cells of four bits, and whether the first that does not says so; those that fit are held
/// against cells of a byte.
fn pairs_that_fit(board: &str, stones: usize) -> (usize, bool) {
    let size = board.parse().expect("a board");
    let (rules, space) = (RuleSet::default(), Space::new(size, RuleSet::default().diagonals));
    let (mut bytes, mut nibbles, mut compact) =
        (DepthSlices::<u8>::new(), DepthSlices::<Nibble>::new(), DepthSlices::<Nibble>::new());
    for (number, slice) in pairs(stones, size.points()).enumerate() {
        let wide = solve_cells(&space, rules, slice, &|slice| &bytes[&slice], &|_| ()).expect("depths");
        let by_rows = solve_cells(&space, rules, slice, &|slice| &nibbles[&slice], &|_| ());
        let one_by_one = solve_crowded(&space, rules, slice, &|slice| &compact[&slice], &|_| ());
        let deepest = wide.iter().map(|side| deepest(&space, side)).max().expect("a side");
        let refused = |result: &Result<Vec<SliceDepths<Nibble>>, TableError>| match result {
            Ok(_) => false,
            Err(TableError::TooDeep { plies: 12, slice: named }) if [slice, slice.twin()].contains(named) => true,
            Err(other) => panic!("{board} {slice}: {other:?}"),
        };
        if deepest > u32::from(2 * Nibble::MAX_STEPS + 1) {
            return (number, refused(&by_rows) && refused(&one_by_one));
        }
        // Only a step that finds nothing shows that the one before was the last, and there may be no cell for it.
        if refused(&by_rows) || refused(&one_by_one) {
            return (number, deepest >= u32::from(2 * (Nibble::MAX_STEPS - 1)));
        }
        let (by_rows, one_by_one) = (by_rows.expect("depths"), one_by_one.expect("depths"));
        for ((wide, by_rows), one_by_one) in wide.into_iter().zip(by_rows).zip(one_by_one) {
            let expected = scores(&space, &wide);
            assert_eq!(scores(&space, &by_rows), expected);
            assert_eq!(scores(&space, &one_by_one), expected);
            bytes.insert(wide.slice(), wide);
            nibbles.insert(by_rows.slice(), by_rows);
            compact.insert(one_by_one.slice(), one_by_one);
        }
    }
    (usize::MAX, false)
}

/// The scores by rows of the same empty points.
fn scores<C: Cell>(space: &Space, side: &SliceDepths<C>) -> Vec<Score> {
    side.rows(space).units().iter().map(|cell| cell.score()).collect()
}

fn deepest(space: &Space, side: &SliceDepths<u8>) -> u32 {
    scores(space, side).into_iter().filter_map(Score::plies).max().unwrap_or(0)
}

#[test]
fn cells_hold_what_fits_and_refuse_the_rest() {
    for (board, stones) in [("3x3", 7), ("3x5", 5), ("5x5", 4)] {
        let (pairs, refused) = pairs_that_fit(board, stones);
        assert!(pairs > 0 && refused, "{board}: {pairs}");
    }
}

fn files(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let paths = fs::read_dir(folder).expect("a folder").map(|entry| entry.expect("an entry").path());
    let tables = paths.filter(|path| path.extension().is_some_and(|extension| extension == "dtw"));
    tables.map(|path| (path.display().to_string(), fs::read(&path).expect("a file"))).collect()
}

#[test]
fn builds_go_on_in_larger_cells() {
    for (board, stones) in [("3x5", 5), ("5x5", 4)] {
        let folder = tempfile::tempdir().expect("a temporary folder");
        let size = board.parse().expect("a board");
        let planned = |goal: Goal, folder: &TempDir| plan(goal, folder.path(), Budget::default()).expect("a plan");
        let [values, depths] = [Goal::values, Goal::depths].map(|goal| goal(size, RuleSet::default(), stones));
        build(values, folder.path(), Budget::default()).expect("values");
        let refused = execute_in::<Nibble, Nibble>(&planned(depths, &folder), &Alone, &|_| ());
        assert!(matches!(refused, Err(BuildError::Table(TableError::TooDeep { .. }))), "{board}: {refused:?}");
        let first = files(&folder.path().join(board));
        assert!(!first.is_empty(), "{board}");
        let built = execute_in::<Nibble, u16>(&planned(depths, &folder), &Alone, &|_| ()).expect("depths");
        let all = files(&folder.path().join(board));
        assert!(first.iter().all(|(name, bytes)| &all[name] == bytes) && all.len() == first.len() + built.len());
        // A build in cells of 16 bits cannot continue in cells of four: the existing tables show it.
        let last = all.keys().max().expect("a table");
        fs::remove_file(last).expect("a table");
        assert!(execute_in::<Nibble, Nibble>(&planned(depths, &folder), &Alone, &|_| ()).is_err());
        // The bytes are those of a build in one go.
        build(depths, folder.path(), Budget::default()).expect("depths");
        let whole = tempfile::tempdir().expect("a temporary folder");
        let both = Goal::both(size, RuleSet::default(), stones);
        build(both, whole.path(), Budget::default()).expect("tables");
        let bytes = |files: BTreeMap<String, Vec<u8>>| files.into_values().collect::<Vec<_>>();
        assert!(bytes(files(&folder.path().join(board))) == bytes(files(&whole.path().join(board))), "{board}");
    }
}
