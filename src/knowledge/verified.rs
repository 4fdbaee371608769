//! What is known of tables themselves: whether they are the published ones, and how far they have been verified.
//!
//! `verify` leaves a record in the folder of the tables: the version of the verifier and the name of the folder, then a line for each slice
//! with the identity of its table, how much of it was verified, and the day, and at last a checksum. A value is verified against those after each turn, so a record counts for a set of tables only if it has all of them.

use std::collections::{BTreeMap, HashMap};
use std::fmt::{self, Write as _};
use std::io::Write;
use std::sync::LazyLock;

use serde::{Serialize, Serializer};
use xxhash_rust::xxh3::xxh3_64;

use crate::files::{remove_for_good, replace_file};
use crate::index::Slice;
use crate::proof::TableUse;
use crate::table::{Folder, Metric, TableError, file_name};

/// The version of the verifier. It is raised when a verifier would find fault with tables that an older one accepted.
const VERIFIER: u32 = 2;

/// How the last line of a record begins.
const CHECKSUM: &str = "xxh3 ";

/// The name of the record.
const RECORD: &str = "VERIFIED";

/// Names of tables with their folders, and the identities that they should have.
static PUBLISHED: LazyLock<HashMap<&str, u128>> = LazyLock::new(|| {
    let lines = include_str!("../../db/golden.txt").lines().filter(|line| !line.starts_with('#'));
    lines.filter_map(published_line).collect()
});

/// The folder and file of a line of the list, and the identity.
fn published_line(line: &str) -> Option<(&str, u128)> {
    let (place, rest) = line.match_indices(' ').nth(1).map(|(end, _)| line.split_at(end))?;
    Some((place, u128::from_str_radix(rest.split_whitespace().next()?, 16).ok()?))
}

/// How much of a table has been verified; more is greater.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Extent {
    /// The values of random positions.
    Samples,
    /// Every value: no value contradicts those one turn later.
    Values,
    /// Every value, with its depth, which proves it. The tables of depths are not recorded: they may be others by now.
    Depths,
}

impl Extent {
    const ALL: [Self; 3] = [Self::Samples, Self::Values, Self::Depths];

    /// The word in records and JSON.
    const fn word(self) -> &'static str {
        match self {
            Self::Samples => "samples",
            Self::Values => "values",
            Self::Depths => "depths",
        }
    }
}

impl Serialize for Extent {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self.word())
    }
}

impl fmt::Display for Extent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Samples => "samples",
            Self::Values => "every value",
            Self::Depths => "every value, by depths,",
        })
    }
}

/// The verification of a table, or the least of several.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Verified {
    /// How much.
    pub extent: Extent,
    /// The day, such as 2026-11-23.
    pub on: String,
}

/// A table that was verified.
type Line = (u128, Verified);

/// What speaks for the tables of a certificate.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Assurance {
    /// Whether they are the published ones; `None` if not all of them are published.
    pub published: Option<bool>,
    /// How far all of them have been verified in this folder.
    pub verified: Option<Verified>,
}

impl Assurance {
    /// What speaks for some tables in a folder.
    #[must_use]
    pub fn of(tables: &[TableUse], folder: &Folder) -> Self {
        let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
        let same = |used: &TableUse| {
            let found = PUBLISHED.get(format!("{name} {}", file_name(used.slice, Metric::Wdl)).as_str())?;
            Some(*found == used.identity)
        };
        let same: Vec<Option<bool>> = tables.iter().map(same).collect();
        let published =
            if same.contains(&Some(false)) { Some(false) } else { same.iter().all(Option::is_some).then_some(true) };
        let record = read(folder);
        let line = |used: &TableUse| {
            record.get(&used.slice).filter(|(identity, _)| *identity == used.identity).map(|(_, verified)| verified)
        };
        let lines: Option<Vec<&Verified>> = tables.iter().map(line).collect();
        let least = |lines: Vec<&Verified>| {
            let extent = lines.iter().map(|verified| verified.extent).min()?;
            Some(Verified { extent, on: lines.iter().map(|verified| &verified.on).min()?.clone() })
        };
        Self { published, verified: lines.and_then(least) }
    }
}

impl fmt::Display for Assurance {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self.published {
            Some(true) => "the published ones, ",
            Some(false) => "other than the published ones, ",
            None => "",
        })?;
        match &self.verified {
            Some(Verified { extent, on }) => write!(f, "{extent} verified on {on}"),
            None => f.write_str("not verified"),
        }
    }
}

/// Records how far the tables of a folder were verified on a day. If more of a table was verified before, that is kept, and so are
/// tables that were not there when the folder was opened, provided that no recorded table has another identity now.
///
/// # Errors
/// [`TableError::Io`].
pub fn record_verified(
    folder: &Folder,
    extents: impl IntoIterator<Item = (Slice, Extent)>,
    on: &str,
) -> Result<(), TableError> {
    let identity = |slice| folder.get(slice).map(|table| table.header().identity);
    let before = read(folder);
    let stands = before.iter().all(|(&slice, (verified, _))| identity(slice).is_none_or(|now| now == *verified));
    let mut lines = if stands { before } else { BTreeMap::new() };
    for (slice, extent) in extents {
        let Some(identity) = identity(slice) else { continue };
        let more = lines.get(&slice).is_some_and(|(_, verified)| verified.extent > extent);
        if !more {
            lines.insert(slice, (identity, Verified { extent, on: on.to_owned() }));
        }
    }
    let mut text = first_line(folder);
    for (slice, (identity, Verified { extent, on })) in lines {
        // Writing to a string cannot fail.
        let _ = writeln!(text, "{slice} {identity:032x} {} {on}", extent.word());
    }
    let _ = writeln!(text, "{CHECKSUM}{:016x}", xxh3_64(text.as_bytes()));
    let path = folder.path().join(RECORD);
    replace_file(&path, TableError::of_system, |file, temporary| {
        file.write_all(text.as_bytes()).map_err(TableError::io("write", temporary))
    })
}

/// Removes the record of a folder, which does not stand if a table in it is wrong.
///
/// # Errors
/// [`TableError::Io`].
pub fn forget_verified(folder: &Folder) -> Result<(), TableError> {
    let path = folder.path().join(RECORD);
    remove_for_good(&path).map_err(TableError::io("remove", &path))
}

/// The first line of the record of a folder. Small tables are the same under several rule sets, but are verified under one.
fn first_line(folder: &Folder) -> String {
    let name = folder.path().file_name().unwrap_or_default().to_string_lossy();
    format!("verifier {VERIFIER} {name}\n")
}

/// The record of a folder; empty if there is none that this verifier made, or a damaged one.
fn read(folder: &Folder) -> BTreeMap<Slice, Line> {
    let text = folder.access().text(&folder.path().join(RECORD)).unwrap_or_default();
    let whole = || -> Option<BTreeMap<Slice, Line>> {
        let (content, checksum) = text.rsplit_once(CHECKSUM)?;
        let lines = content.strip_prefix(&first_line(folder))?.lines();
        (checksum == format!("{:016x}\n", xxh3_64(content.as_bytes()))).then_some(lines)?.map(line).collect()
    };
    whole().unwrap_or_default()
}

fn line(line: &str) -> Option<(Slice, Line)> {
    let mut words = line.split(' ');
    let mut word = || words.next();
    let slice = word()?.parse().ok()?;
    let identity = u128::from_str_radix(word()?, 16).ok()?;
    let extent = word()?;
    let extent = Extent::ALL.into_iter().find(|known| known.word() == extent)?;
    Some((slice, (identity, Verified { extent, on: word()?.to_owned() })))
}
