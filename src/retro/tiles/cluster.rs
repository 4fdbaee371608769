//! Builds of values by several processes, on one machine or many: large pairs from tiles that they share, small ones by the first alone.

use std::collections::{BTreeMap, BTreeSet};
use std::fs::File;
use std::io::{Read, Write};
use std::path::Path;

use zerocopy::IntoBytes;

use crate::files::replace_file;
use crate::index::{Slice, Space};
use crate::table::{
    Metric, TableError, file_name, folder_name, lock_folder, read_header, remove_leftovers, slices_in, write_manifest,
};

use super::super::build::{BuildError, BuildOptions, BuiltSlice, Observer, build_in_memory, check_needs, check_size};
use super::super::communicator::Ranks;
use super::super::crowded::prefers_crowded;
use super::super::plan::pair_memory;
use super::super::slices::with_twin;
use super::build::{TileOptions, build_in_tiles, build_pair};
use super::job::least_memory;
use super::layout::base_bytes;

/// Pairs with fewer bytes of planes take less time than sharing them out.
const SMALL: u64 = 4 << 20;

/// Words of a file that are sent at a time.
const PIECE: usize = 1 << 21;

/// Builds as [`build_in_tiles`] does, with all ranks. They may have a database folder in common or each its own; in the end every
/// folder has all tables of the goal. Each rank may use `options.memory`; what the one with least may use holds for all.
///
/// The first rank returns what was built, the others nothing.
///
/// # Errors
/// [`BuildError`]. Other ranks may be waiting then, and have to be ended.
pub fn build_on_ranks(
    options: &BuildOptions,
    tiles: &TileOptions,
    ranks: &dyn Ranks,
    observe: &Observer<'_>,
) -> Result<Vec<BuiltSlice>, BuildError> {
    if ranks.size() == 1 {
        return build_in_tiles(options, tiles, observe);
    }
    check_size(options.size, options.goal)?;
    let space = Space::new(options.size, options.rules.diagonals);
    let memory = ranks.gather(options.memory).into_iter().min().unwrap_or(options.memory);
    let options = &BuildOptions { memory, ..options.clone() };
    let folder = options.database.join(folder_name(options.size, options.rules));
    let first = ranks.rank() == 0;
    let is_small =
        |slice| prefers_crowded(&space, slice) || tiles.tiling.is_none() && base_bytes(&space, slice) < SMALL;
    let points = options.size.points();
    // The first rank's folder says what is there already.
    let look = || {
        let here: BTreeSet<Slice> = slices_in(&folder, Metric::Wdl)?.into_iter().collect();
        let needed: Vec<Slice> = options.goal.pairs(points).into_iter().flat_map(with_twin).collect();
        let flags = if first { needed.iter().map(|slice| here.contains(slice).into()).collect() } else { Vec::new() };
        let flags = needed.into_iter().zip(ranks.broadcast(0, flags));
        let there: BTreeSet<Slice> = flags.filter(|&(_, there)| there == 1).map(|(slice, _)| slice).collect();
        let missing = |slice: &Slice| with_twin(*slice).any(|slice| !there.contains(&slice));
        let missing = options.goal.pairs(points).into_iter().filter(missing).collect();
        Ok::<(_, Vec<Slice>), TableError>((there, missing))
    };
    let threads = rayon::current_num_threads();
    let needs = |slice: Slice| match (is_small(slice), tiles.tiling) {
        (true, _) => pair_memory(&space, slice, threads),
        (_, Some(_)) => 0,
        _ => least_memory(&space, slice, threads),
    };
    // A build that is refused leaves no trace; one that is not looks again when nobody else can change the folder.
    let missing = look()?.1;
    check_needs(memory, &missing, needs)?;
    // Of several ranks with the same folder one writes there; where the first is among them, the first.
    let mut held = first.then(|| lock_folder(&folder)).transpose()?;
    ranks.count(false);
    if !first {
        held = match lock_folder(&folder) {
            Err(TableError::Locked(_)) => None,
            taken => Some(taken?),
        };
    }
    let writes = held.is_some();
    if writes {
        remove_leftovers(&folder)?;
    }
    let (there, missing) = look()?;
    for &slice in &there {
        share_table(&folder, slice, writes, ranks)?;
    }
    tiles.tidy(options, &folder, &there)?;
    let mut finished = BTreeMap::new();
    let mut built = Vec::new();
    for slice in missing {
        if !is_small(slice) {
            built.extend(build_pair(&space, options, tiles, ranks, (&folder, slice), &mut finished, observe)?);
        } else if first {
            built.extend(build_in_memory(&space, options, (&folder, slice), &there, &mut finished, observe)?);
        }
        for slice in with_twin(slice) {
            share_table(&folder, slice, writes, ranks)?;
        }
        tiles.tidy(options, &folder, &with_twin(slice).collect())?;
    }
    if writes {
        write_manifest(&folder)?;
    }
    // Whoever ends first does not end the others.
    ranks.count(false);
    Ok(built)
}

/// Gives a table that the first rank has to those whose folders lack it.
#[allow(clippy::cast_possible_truncation)] // lengths of pieces
fn share_table(folder: &Path, slice: Slice, writes: bool, ranks: &dyn Ranks) -> Result<(), TableError> {
    let path = folder.join(file_name(slice, Metric::Wdl));
    let first = ranks.rank() == 0;
    let header = || read_header(&path).map(|header| header.to_bytes().into_iter().map(u64::from).collect::<Vec<_>>());
    // What the others find in a folder that they have in common is there from now on.
    let theirs = ranks.broadcast(0, if first { header()? } else { Vec::new() });
    let there = path.try_exists().map_err(TableError::io("look for", &path))?;
    if there && header()? != theirs {
        let file = path.display().to_string();
        let (expected, found) = ("the table that the first process has".to_owned(), "another".to_owned());
        return Err(TableError::Foreign { file, expected, found });
    }
    let lacking = ranks.gather((!there).into());
    if lacking.iter().all(|&lacks| lacks == 0) {
        return Ok(());
    }
    let mut source = None;
    let mut bytes = 0;
    if first {
        let file = File::open(&path).map_err(TableError::io("open", &path))?;
        bytes = file.metadata().map_err(TableError::io("read", &path))?.len();
        source = Some(file);
    }
    let bytes = ranks.broadcast(0, vec![bytes])[0];
    let mut pieces = (0..bytes.div_ceil(8 * PIECE as u64)).map(|piece| {
        let length = (bytes - 8 * PIECE as u64 * piece).min(8 * PIECE as u64) as usize;
        let mut parts = vec![Vec::new(); ranks.size()];
        if let Some(source) = &mut source {
            let mut words = vec![0u64; length.div_ceil(8)];
            source.read_exact(&mut words.as_mut_bytes()[..length]).map_err(TableError::io("read", &path))?;
            for (part, _) in parts.iter_mut().zip(&lacking).filter(|(_, lacks)| **lacks == 1) {
                part.clone_from(&words);
            }
        }
        Ok((ranks.exchange(parts).swap_remove(0), length))
    });
    if writes && !there {
        let failed = |action, path: &Path, source| TableError::io(action, path)(source);
        replace_file(&path, failed, |file, temporary| {
            pieces.try_for_each(|piece| {
                let (words, length) = piece?;
                file.write_all(&words.as_bytes()[..length]).map_err(TableError::io("write", temporary))
            })
        })?;
    } else {
        pieces.try_for_each(|piece| piece.map(|_| ()))?;
    }
    // The others may go on when it is there.
    ranks.count(false);
    read_header(&path).map(|_| ())
}
