//! Puts the finished values of a slice together from its tiles, a band at a time, as the writer of tables needs them.

use std::ops::Range;
use std::path::Path;

use bincode::config::standard;
use zerocopy::IntoBytes;

use crate::index::{Plane, Slice, Space, block_words, padded_words};
use crate::rules::RuleSet;
use crate::table::{
    Counts, Cut, Depths, EncodedBlock, Header, Metric, SliceData, SliceValues, TableError, ValuePlanes, encode_block,
    encode_blocks_here, encode_table, save_table,
};

use super::super::communicator::Communicator;
use super::super::planes::{copy_transposed, group_rows};
use super::super::window::Window;
use super::work::Tiles;

/// The values of a slice of a pair that is decided.
pub struct TiledValues<'a> {
    tiles: &'a Tiles<'a>,
    /// The number of the form in which the slice's values are, by the opponent's orbits: that of its twin.
    form: usize,
    slice: Slice,
    window: Window<ValuePlanes>,
}

impl<'a> TiledValues<'a> {
    /// The values of the twin of a form's slice.
    pub fn new(tiles: &'a Tiles<'a>, form: usize) -> Self {
        let slice = tiles.layout().forms[form].slice.twin();
        Self { tiles, form, slice, window: Window::default() }
    }

    /// All of them in memory, on every rank.
    ///
    /// # Errors
    /// As [`Tiles::decide`].
    pub fn everywhere(&self, space: &Space) -> Result<SliceValues, TableError> {
        let (movers, opponents) = (space.subsets(self.slice.mover), space.subsets(self.slice.opponent));
        let [mut loss, mut not_win] = [(); 2].map(|()| Plane::new(movers, opponents));
        for band in 0..self.tiles.layout().forms[self.form].bands() {
            let (range, rows) = self.rows(space, band)?;
            let first = range.start * loss.stride();
            loss.words_mut()[first..][..rows.loss.words().len()].copy_from_slice(rows.loss.words());
            not_win.words_mut()[first..][..rows.not_win.words().len()].copy_from_slice(rows.not_win.words());
        }
        Ok(SliceValues::new(self.slice, ValuePlanes { loss, not_win }))
    }

    /// Transposes a band of columns to rows.
    fn rows(&self, space: &Space, band: usize) -> Result<(Range<usize>, ValuePlanes), TableError> {
        let (form, order) = (&self.tiles.layout().forms[self.form], space.symmetry().order());
        let cells = group_rows(order);
        let first = form.start(band) * cells;
        let rows = first..space.subsets(self.slice.mover).orbits().min(first + form.width_of(band) * cells);
        let words = space.subsets(self.slice.opponent).words();
        self.tiles.with_band(self.form, band, |[loss, not_win]| {
            let transposed = |plane: &Plane| {
                let mut transposed = Plane::sized(rows.len(), padded_words(words), block_words(words));
                copy_transposed(order, plane, &mut transposed, 0);
                transposed
            };
            (rows.clone(), ValuePlanes { loss: transposed(loss), not_win: transposed(not_win) })
        })
    }
}

impl SliceData for TiledValues<'_> {
    const METRIC: Metric = Metric::Wdl;
    const PER_BYTE: u64 = SliceValues::PER_BYTE;

    fn slice(&self) -> Slice {
        self.slice
    }

    fn prepare(&self, space: &Space, first: u64, count: u64) -> Result<(), TableError> {
        let width = self.tiles.layout().forms[self.form].width * group_rows(space.symmetry().order());
        self.window.prepare((space, self.slice), (first, count), width, |band| self.rows(space, band))
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        let window = self.window.read();
        let values = |row: usize, word: usize| {
            let (rows, row) = window.find(row);
            [rows.not_win.row(row)[word], rows.loss.row(row)[word]]
        };
        let (packed, counts) = encode_block(space, self.slice, values, first, count);
        (packed, counts, Depths::default())
    }
}

/// Values of which each process of a build encodes its part; the first gets the blocks of all.
struct Together<'a, C> {
    values: &'a C,
    communicator: &'a dyn Communicator,
}

/// A block as it is sent: packed, compressed, and what is counted in it.
type Sent = (Vec<u8>, Vec<u8>, [u64; 5]);

impl<C: SliceData> SliceData for Together<'_, C> {
    const METRIC: Metric = C::METRIC;
    const PER_BYTE: u64 = C::PER_BYTE;

    fn slice(&self) -> Slice {
        self.values.slice()
    }

    fn prepare(&self, space: &Space, first: u64, count: u64) -> Result<(), TableError> {
        self.values.prepare(space, first, count)
    }

    fn encode(&self, space: &Space, first: u64, count: u64) -> (Vec<u8>, Counts, Depths) {
        self.values.encode(space, first, count)
    }

    fn encode_blocks(&self, space: &Space, cut: Cut, blocks: Range<u64>) -> Result<Vec<EncodedBlock>, TableError> {
        let (rank, size) = (self.communicator.rank() as u64, self.communicator.size() as u64);
        let share = (blocks.end - blocks.start).div_ceil(size);
        let own = (blocks.start + rank * share).min(blocks.end)..(blocks.start + (rank + 1) * share).min(blocks.end);
        let encoded = encode_blocks_here(self.values, space, cut, own)?;
        let mut parts = vec![Vec::new(); self.communicator.size()];
        parts[0] = words_of(encoded);
        let parts = self.communicator.exchange(parts);
        Ok(parts.iter().flat_map(|part| blocks_of(part)).collect())
    }
}

/// Blocks as words to be sent, their length in bytes before them.
fn words_of(blocks: Vec<EncodedBlock>) -> Vec<u64> {
    let sent = blocks.into_iter().map(|EncodedBlock { packed, compressed, counts, .. }| {
        let Counts { positions, wins, draws, losses, quiet } = counts;
        (packed, compressed, [positions, wins, draws, losses, quiet])
    });
    let bytes = bincode::encode_to_vec(sent.collect::<Vec<Sent>>(), standard()).expect("lists in memory encode");
    let mut words = vec![0; 1 + bytes.len().div_ceil(8)];
    words[0] = bytes.len() as u64;
    words[1..].as_mut_bytes()[..bytes.len()].copy_from_slice(&bytes);
    words
}

/// The blocks that words were made of.
fn blocks_of(words: &[u64]) -> Vec<EncodedBlock> {
    let Some((&length, words)) = words.split_first() else { return Vec::new() };
    #[allow(clippy::cast_possible_truncation)] // bytes in memory
    let bytes = &words.as_bytes()[..length as usize];
    let (sent, _): (Vec<Sent>, usize) = bincode::decode_from_slice(bytes, standard()).expect("as they were sent");
    let block = |(packed, compressed, [positions, wins, draws, losses, quiet]): Sent| {
        let counts = Counts { positions, wins, draws, losses, quiet };
        EncodedBlock { packed, compressed, counts, depths: Depths::default() }
    };
    sent.into_iter().map(block).collect()
}

/// Writes values that all processes of a build have, or can have: each encodes its part, and the first one writes them to its folder and
/// returns the header. `report` gets the part that is done.
///
/// # Errors
/// As [`save_table`].
pub fn save_together<C: SliceData>(
    folder: &Path,
    space: &Space,
    rules: RuleSet,
    values: &C,
    communicator: &dyn Communicator,
    report: &dyn Fn(f64),
) -> Result<Option<Header>, TableError> {
    if communicator.size() == 1 {
        return save_table(folder, space, rules, values, report).map(Some);
    }
    let together = Together { values, communicator };
    if communicator.rank() == 0 {
        return save_table(folder, space, rules, &together, report).map(Some);
    }
    encode_table(space, rules, &together, report).map(|()| None)
}
