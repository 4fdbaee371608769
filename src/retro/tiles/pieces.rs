//! How planes of bands are stored: in pieces of some rows, each compressed. Every piece has a place large enough for it uncompressed. The rest of
//! that place is never written, and takes no space in a sparse file.

use std::collections::HashMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use rayon::prelude::*;
use zerocopy::IntoBytes;

use crate::index::Plane;
use crate::table::TableError;

use super::store::Store;

/// Compression level of zstd. Planes are packed two or three times, and unpacked about forty times.
const EFFORT: i32 = 1;

/// Approximate number of words of a piece of a plane: a disk takes longer to read it packed than to seek it.
pub const PIECE_WORDS: usize = 1 << 17;

/// Where a plane of a band is: the word at which it begins, and the rows of a piece.
#[derive(Clone, Copy, Debug)]
pub struct Place {
    /// The word of the store.
    pub at: u64,
    /// Words in a row.
    pub width: usize,
    /// Rows in a piece.
    pub rows: usize,
}

/// Words that a plane takes in a store, at most, in pieces of any number of rows.
pub fn place_words(rows: usize, width: usize) -> u64 {
    rows as u64 * (width as u64 + 1)
}

impl Place {
    /// The word at which a piece begins.
    pub fn of_piece(&self, number: usize) -> u64 {
        self.at + number as u64 * place_words(self.rows, self.width)
    }
}

/// Compresses pieces.
pub struct Packer(zstd::bulk::Compressor<'static>);

/// The first word of a piece that is stored uncompressed; in others it is the compressed length in bytes.
const PLAIN: u64 = 1 << 63;

fn failed(error: std::io::Error) -> TableError {
    TableError::io("compress", "a piece of a band".as_ref())(error)
}

/// The error for lack of memory for a compressor.
pub fn no_memory() -> TableError {
    failed(std::io::ErrorKind::OutOfMemory.into())
}

impl Packer {
    /// A packer with its own memory.
    ///
    /// # Errors
    /// [`TableError::Io`] if memory runs out.
    pub fn new() -> Result<Self, TableError> {
        Ok(Self(zstd::bulk::Compressor::new(EFFORT).map_err(failed)?))
    }

    /// Compresses a piece into `packed`, after its length.
    ///
    /// # Errors
    /// [`TableError::Io`] if memory runs out.
    pub fn pack(&mut self, words: &[u64], packed: &mut Vec<u64>) -> Result<(), TableError> {
        let bound = zstd::zstd_safe::compress_bound(words.as_bytes().len());
        packed.clear();
        packed.resize(1 + bound.div_ceil(8), 0);
        let bytes = self.0.compress_to_buffer(words.as_bytes(), packed[1..].as_mut_bytes()).map_err(failed)?;
        packed[0] = bytes as u64;
        packed.truncate(1 + bytes.div_ceil(8));
        if packed.len() > words.len() {
            packed.clear();
            packed.push(PLAIN);
            packed.extend(words);
        }
        Ok(())
    }
}

/// A store of pieces, with their lengths in memory.
pub struct PieceStore<'a> {
    store: &'a dyn Store,
    /// The length of each piece in words, by the word at which it begins.
    lengths: Mutex<HashMap<u64, u32>>,
}

impl<'a> PieceStore<'a> {
    /// The pieces in a store.
    pub fn new(store: &'a dyn Store) -> Self {
        Self { store, lengths: Mutex::default() }
    }

    fn lengths(&self) -> MutexGuard<'_, HashMap<u64, u32>> {
        self.lengths.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Writes a packed piece to the store.
    ///
    /// # Errors
    /// Errors of the store.
    pub fn put(&self, at: u64, packed: &[u64]) -> Result<(), TableError> {
        self.store.write(at, packed)?;
        self.lengths().insert(at, u32::try_from(packed.len()).unwrap_or(0));
        Ok(())
    }

    /// Reads a piece of `words` words, still packed: in one read if its length is known, which it is unless the work was resumed.
    ///
    /// # Errors
    /// Errors of the store.
    fn fetch(&self, at: u64, words: usize) -> Result<Vec<u64>, TableError> {
        let known = self.lengths().get(&at).map_or(1, |&length| (length as usize).clamp(1, 1 + words));
        let mut packed = vec![0; known];
        self.store.read(at, &mut packed)?;
        #[allow(clippy::cast_possible_truncation)] // no more than what the piece would have as it is
        let length = match packed[0] {
            PLAIN => words,
            bytes => (bytes.div_ceil(8) as usize).min(words),
        };
        packed.resize(1 + length, 0);
        if packed.len() > known {
            self.store.read(at + known as u64, &mut packed[known..])?;
            self.lengths().insert(at, u32::try_from(packed.len()).unwrap_or(0));
        }
        Ok(packed)
    }
}

/// Unpacks a piece. `false` if it is damaged.
fn unpack(unpacker: &mut zstd::bulk::Decompressor<'_>, packed: &[u64], words: &mut [u64]) -> bool {
    let (first, rest) = (packed[0], &packed[1..]);
    if first == PLAIN {
        words.copy_from_slice(rest);
        return true;
    }
    let length = words.as_bytes().len();
    let source = usize::try_from(first).ok().and_then(|bytes| rest.as_bytes().get(..bytes));
    source.is_some_and(|source| {
        unpacker.decompress_to_buffer(source, words.as_mut_bytes()).is_ok_and(|bytes| bytes == length)
    })
}

/// The pieces of a plane, still packed.
pub struct Fetched {
    rows: usize,
    pieces: Vec<Vec<u64>>,
}

/// Reads the pieces of a plane of `rows` rows.
///
/// # Errors
/// Errors of the store.
pub fn fetch(store: &PieceStore<'_>, place: Place, rows: usize) -> Result<Fetched, TableError> {
    let pieces = (0..rows.div_ceil(place.rows)).map(|number| {
        let rows = place.rows.min(rows - number * place.rows);
        store.fetch(place.of_piece(number), rows * place.width)
    });
    Ok(Fetched { rows: place.rows, pieces: pieces.collect::<Result<_, _>>()? })
}

impl Fetched {
    /// Unpacks a plane, with all threads. `false` if the store does not hold what was written.
    ///
    /// # Errors
    /// [`TableError::Io`] if memory runs out.
    pub fn unpack(&self, plane: &mut Plane) -> Result<bool, TableError> {
        let words = self.rows * plane.stride();
        let pieces = plane.words_mut().par_chunks_mut(words).zip(&self.pieces);
        pieces
            .map_init(
                || zstd::bulk::Decompressor::new().ok(),
                |unpacker, (words, packed)| Ok(unpack(unpacker.as_mut().ok_or_else(no_memory)?, packed, words)),
            )
            .try_reduce(|| true, |one, other| Ok(one && other))
    }
}

/// Writes a plane, with all threads.
///
/// # Errors
/// Errors of the store.
pub fn write(store: &PieceStore<'_>, at: Place, plane: &Plane) -> Result<(), TableError> {
    let pieces = plane.words().par_chunks(at.rows * at.width).enumerate();
    pieces.try_for_each_init(
        || (Packer::new().ok(), Vec::new()),
        |(packer, packed), (number, words)| {
            let packer = packer.as_mut().ok_or_else(no_memory)?;
            packer.pack(words, packed)?;
            store.put(at.of_piece(number), packed)
        },
    )
}

/// A plane to be sent, packed with all threads in pieces of `rows` rows, each after its length in words.
///
/// # Errors
/// [`TableError::Io`] if memory runs out.
pub fn pack_plane(plane: &Plane, rows: usize) -> Result<Vec<u64>, TableError> {
    let piece = rows * plane.stride();
    let pack = |packer: &mut Option<Packer>, words: &[u64]| {
        let mut packed = Vec::new();
        packer.as_mut().ok_or_else(no_memory)?.pack(words, &mut packed)?;
        Ok(packed)
    };
    let pieces = plane.words().par_chunks(piece).map_init(|| Packer::new().ok(), pack);
    let pieces: Vec<Vec<u64>> = pieces.collect::<Result<_, TableError>>()?;
    Ok(pieces.into_iter().flat_map(|piece| std::iter::once(piece.len() as u64).chain(piece)).collect())
}

/// Unpacks a plane that was sent in pieces of `rows` rows, and removes it from the front of `words`; `false` if it is damaged.
///
/// # Errors
/// [`TableError::Io`] if memory runs out.
pub fn unpack_plane(words: &mut &[u64], plane: &mut Plane, rows: usize) -> Result<bool, TableError> {
    let mut take_piece = || {
        let (&length, rest) = words.split_first()?;
        let (piece, rest) = rest.split_at_checked(usize::try_from(length).ok()?)?;
        *words = rest;
        Some(piece.to_vec())
    };
    let pieces: Option<Vec<_>> = (0..plane.rows().div_ceil(rows)).map(|_| take_piece()).collect();
    pieces.map_or(Ok(false), |pieces| Fetched { rows, pieces }.unpack(plane))
}
