//! A database folder: a folder for each board and rule set, a file for each slice.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt::Write as _;
use std::fs;
use std::io::{self, Write as _};
use std::path::{Path, PathBuf};

use xxhash_rust::xxh3::Xxh3;

use crate::board::BoardSize;
use crate::files::{Access, Lock, make_folder, open_file, replace_file};
use crate::index::{Slice, Space};
use crate::rules::RuleSet;

use super::error::TableError;
use super::header::Header;
use super::metric::Metric;
use super::reader::Table;
use super::source::{Database, TableFile};

/// Checksums of the files of a folder, in the form that `xxh128sum -c` reads.
pub const MANIFEST: &str = "XXH128SUMS";

/// Name of the file of a slice.
#[must_use]
pub fn file_name(slice: Slice, metric: Metric) -> String {
    format!("{slice}.{}", metric.extension())
}

/// Name of the folder of a board and rule set: the size, and what differs from the default rules.
#[must_use]
pub fn folder_name(size: BoardSize, rules: RuleSet) -> String {
    let mut name = size.to_string();
    for (_, word) in rules.differing() {
        name.push('-');
        name.push_str(word);
    }
    name
}

/// Every board and rule set that has a folder in a database, sorted.
///
/// # Errors
/// [`TableError::Io`] if the database folder cannot be read.
pub fn folders(database: &Database) -> Result<Vec<(BoardSize, RuleSet)>, TableError> {
    let Database { folder, access } = database;
    let mut found = Vec::new();
    for name in access.names(folder).map_err(TableError::io("read folder", folder))? {
        let Some(name) = name.to_str() else { continue };
        let Ok(size) = name.split('-').next().unwrap_or_default().parse::<BoardSize>() else { continue };
        found.extend(RuleSet::all().filter(|&rules| folder_name(size, rules) == name).map(|rules| (size, rules)));
    }
    found.sort();
    Ok(found)
}

/// The slice that a file name of that metric stands for.
fn slice_of(name: &str, metric: Metric) -> Option<Slice> {
    let slice = name.strip_suffix(metric.extension())?.strip_suffix('.')?.parse().ok()?;
    (file_name(slice, metric) == name).then_some(slice)
}

/// The slices that have a file of that metric in a folder, in building order; none if there is no such folder.
///
/// # Errors
/// [`TableError::Io`].
pub fn slices_in((folder, access): (&Path, &Access), metric: Metric) -> Result<Vec<Slice>, TableError> {
    let names = names_in(folder, access)?;
    let slices = names.iter().filter_map(|name| slice_of(name.to_str()?, metric));
    let mut slices: Vec<Slice> = slices.collect();
    slices.sort_by_key(|slice| slice.building_order());
    Ok(slices)
}

/// The names of the files and folders in a folder; none if there is no such folder.
///
/// # Errors
/// [`TableError::Io`].
pub fn names_in(folder: &Path, access: &Access) -> Result<Vec<OsString>, TableError> {
    match access.names(folder) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(Vec::new()),
        names => names.map_err(TableError::io("read folder", folder)),
    }
}

/// The tables of one board and rule set, open.
#[derive(Debug)]
pub struct Folder {
    path: PathBuf,
    access: Access,
    tables: BTreeMap<Slice, Table<TableFile>>,
    depths: BTreeMap<Slice, Table<TableFile>>,
}

impl Folder {
    /// Opens every table that a database has for the board and rules; there may be none. Cheap: no values are read.
    ///
    /// # Errors
    /// [`TableError`] for the first file that cannot be used.
    pub fn open(database: impl Into<Database>, space: &Space, rules: RuleSet) -> Result<Self, TableError> {
        Self::open_with(database, space, rules, Err)
    }

    /// Opens every table that can be used, and returns why others cannot.
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder cannot be read.
    pub fn open_usable(
        database: impl Into<Database>,
        space: &Space,
        rules: RuleSet,
    ) -> Result<(Self, Vec<TableError>), TableError> {
        let mut unusable = Vec::new();
        let folder = Self::open_with(database, space, rules, |error| {
            unusable.push(error);
            Ok(())
        })?;
        Ok((folder, unusable))
    }

    fn open_with(
        database: impl Into<Database>,
        space: &Space,
        rules: RuleSet,
        mut on_unusable: impl FnMut(TableError) -> Result<(), TableError>,
    ) -> Result<Self, TableError> {
        let Database { folder, access } = database.into();
        let path = folder.join(folder_name(space.board().size(), rules));
        let mut found = Self { path, access, tables: BTreeMap::new(), depths: BTreeMap::new() };
        for metric in Metric::ALL {
            for slice in slices_in((&found.path, &found.access), metric)? {
                let table = open_table((&found.path, &found.access), space, rules, (slice, metric)).and_then(|table| {
                    table.fits(found.tables.get(&slice).map(Table::header))?;
                    Ok(table)
                });
                match (table, metric) {
                    (Ok(table), Metric::Wdl) => _ = found.tables.insert(slice, table),
                    (Ok(table), Metric::Dtw) => _ = found.depths.insert(slice, table),
                    (Err(error), _) => on_unusable(error)?,
                }
            }
        }
        Ok(found)
    }

    /// Where the tables are.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// How its files are read.
    #[must_use]
    pub fn access(&self) -> &Access {
        &self.access
    }

    /// The table of a slice, if there is one.
    #[inline]
    #[must_use]
    pub fn get(&self, slice: Slice) -> Option<&Table<TableFile>> {
        self.tables.get(&slice)
    }

    /// The depth table of a slice, if there is one.
    #[inline]
    #[must_use]
    pub fn depths(&self, slice: Slice) -> Option<&Table<TableFile>> {
        self.depths.get(&slice)
    }

    /// The depth tables in slice order.
    pub fn depth_tables(&self) -> impl Iterator<Item = (Slice, &Table<TableFile>)> {
        self.depths.iter().map(|(&slice, table)| (slice, table))
    }

    /// The tables in slice order.
    pub fn tables(&self) -> impl Iterator<Item = (Slice, &Table<TableFile>)> {
        self.tables.iter().map(|(&slice, table)| (slice, table))
    }

    /// The largest number of stones up to which every slice has a table.
    #[must_use]
    pub fn complete_up_to(&self, points: usize) -> usize {
        Slice::complete_up_to(points, |slice| self.tables.contains_key(&slice))
    }

    /// The largest number of stones up to which every slice has a table of values and one of depths.
    #[must_use]
    pub fn depths_up_to(&self, points: usize) -> usize {
        let depths = Slice::complete_up_to(points, |slice| self.depths.contains_key(&slice));
        depths.min(self.complete_up_to(points))
    }
}

/// Opens the table of a slice in a folder of tables.
///
/// # Errors
/// [`TableError`].
pub fn open_table(
    (folder, access): (&Path, &Access),
    space: &Space,
    rules: RuleSet,
    (slice, metric): (Slice, Metric),
) -> Result<Table<TableFile>, TableError> {
    let path = folder.join(file_name(slice, metric));
    Table::new(TableFile::open(&path, access)?, path.display().to_string(), space, rules, (slice, metric))
}

/// Reads the header of a table file without knowing what it should hold.
///
/// # Errors
/// [`TableError`].
pub fn read_header(path: &Path) -> Result<Header, TableError> {
    Header::read(&TableFile::open(path, &Access::Read)?, &path.display().to_string())
}

/// Makes a folder of tables if need be and locks it for a change.
///
/// # Errors
/// [`TableError::Locked`] if another process has it, [`TableError::Io`] otherwise.
pub fn lock_folder(folder: &Path) -> Result<Lock, TableError> {
    make_folder(folder).map_err(TableError::io("make folder", folder))?;
    let path = folder.join(".lock");
    let lock = Lock::on(&path).map_err(TableError::io("lock", &path))?;
    lock.ok_or_else(|| TableError::Locked(folder.to_owned()))
}

/// Removes what an interrupted build has left in a folder: tables and lists of checksums under their temporary names. Only
/// for the holder of the [`Lock`]. Searches keep their state in the same folder; their temporary files are not touched.
///
/// # Errors
/// [`TableError::Io`].
pub fn remove_leftovers(folder: &Path) -> Result<(), TableError> {
    let is_ours =
        |name: &str| name == MANIFEST || Metric::ALL.into_iter().any(|metric| slice_of(name, metric).is_some());
    for entry in fs::read_dir(folder).map_err(TableError::io("read folder", folder))? {
        let path = entry.map_err(TableError::io("read folder", folder))?.path();
        let name = path.file_name().and_then(|name| name.to_str()?.strip_suffix(".tmp"));
        if name.is_some_and(is_ours) {
            fs::remove_file(&path).map_err(TableError::io("remove", &path))?;
        }
    }
    Ok(())
}

/// Writes the checksums of all tables of a folder.
///
/// # Errors
/// [`TableError::Io`].
pub fn write_manifest(folder: &Path) -> Result<(), TableError> {
    let mut text = String::new();
    for metric in Metric::ALL {
        for slice in slices_in((folder, &Access::Read), metric)? {
            let name = file_name(slice, metric);
            // Writing to a string cannot fail.
            let _ = writeln!(text, "{:032x}  {name}", checksum(&folder.join(&name))?);
        }
    }
    let path = folder.join(MANIFEST);
    replace_file(&path, TableError::of_system, |file, temporary| {
        file.write_all(text.as_bytes()).map_err(TableError::io("write", temporary))
    })
}

fn checksum(path: &Path) -> Result<u128, TableError> {
    let mut file = open_file(path).map_err(TableError::io("open", path))?;
    let mut hash = Xxh3::new();
    io::copy(&mut file, &mut hash).map_err(TableError::io("read", path))?;
    Ok(hash.digest128())
}
