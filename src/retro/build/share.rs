//! Tables that one process has and others lack.

use std::io::{Read, Write};
use std::path::Path;

use zerocopy::IntoBytes;

use crate::files::{open_file, replace_file};
use crate::index::Slice;
use crate::table::{Metric, TableError, file_name, read_header};

use super::super::communicator::Communicator;

/// Words of a file that are sent at a time.
const PIECE: usize = 1 << 21;

/// Copies a table of the first process to the others whose folders lack it.
#[allow(clippy::cast_possible_truncation)] // lengths of pieces
pub fn share_table(
    folder: &Path,
    (slice, metric): (Slice, Metric),
    writes: bool,
    communicator: &dyn Communicator,
) -> Result<(), TableError> {
    if communicator.size() == 1 {
        return Ok(());
    }
    let path = folder.join(file_name(slice, metric));
    let first = communicator.rank() == 0;
    let header = || read_header(&path).map(|header| header.to_bytes().into_iter().map(u64::from).collect::<Vec<_>>());
    // From now on the others find it in a folder that they share.
    let theirs = communicator.broadcast(0, if first { header()? } else { Vec::new() });
    let there = path.try_exists().map_err(TableError::io("look for", &path))?;
    if there && header()? != theirs {
        let file = path.display().to_string();
        let (expected, found) = ("the table that the first process has".to_owned(), "another".to_owned());
        return Err(TableError::Foreign { file, expected, found });
    }
    let lacking = communicator.gather((!there).into());
    if lacking.iter().all(|&lacks| lacks == 0) {
        return Ok(());
    }
    let mut source = None;
    let mut bytes = 0;
    if first {
        let file = open_file(&path).map_err(TableError::io("open", &path))?;
        bytes = file.metadata().map_err(TableError::io("read", &path))?.len();
        source = Some(file);
    }
    let bytes = communicator.broadcast(0, vec![bytes])[0];
    let mut pieces = (0..bytes.div_ceil(8 * PIECE as u64)).map(|piece| {
        let length = (bytes - 8 * PIECE as u64 * piece).min(8 * PIECE as u64) as usize;
        let mut parts = vec![Vec::new(); communicator.size()];
        if let Some(source) = &mut source {
            let mut words = vec![0u64; length.div_ceil(8)];
            source.read_exact(&mut words.as_mut_bytes()[..length]).map_err(TableError::io("read", &path))?;
            for (part, _) in parts.iter_mut().zip(&lacking).filter(|(_, lacks)| **lacks == 1) {
                part.clone_from(&words);
            }
        }
        Ok((communicator.exchange(parts).swap_remove(0), length))
    });
    if writes && !there {
        replace_file(&path, TableError::of_system, |file, temporary| {
            pieces.try_for_each(|piece| {
                let (words, length) = piece?;
                file.write_all(&words.as_bytes()[..length]).map_err(TableError::io("write", temporary))
            })
        })?;
    } else {
        pieces.try_for_each(|piece| piece.map(|_| ()))?;
    }
    // The others may only continue when the table is there.
    communicator.barrier();
    match read_header(&path) {
        // Nobody writes here: what has locked the folder is no process of this job.
        Err(_) if !writes && !there => Err(TableError::Locked(folder.to_owned())),
        header => header.map(|_| ()),
    }
}
