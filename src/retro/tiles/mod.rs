//! Pairs that are larger than memory: the same two passes over planes cut into tiles, most of which are elsewhere.
//!
//! **What mixes, and what does not.** A paika of the mover takes a row to another and leaves columns alone, so a *band* of
//! columns with all its rows is a closed piece of work. What it finds belongs to the twin's planes, transposed: the columns of a band
//! are rows there, in all bands of the other form. Captures are resolved with the opponent's set fixed, a batch of rows of a form
//! at a time, and every band gets its part of them. So a tile, some rows of a band, is written by one piece of work and read
//! by another; a band's tiles are contiguous in the [`Store`]; memory, disk and other processes differ only in where that is.
//!
//! **What is kept.** A band has three planes, of P bytes each over all bands: the open positions of its slice, and what its twin
//! loses and does not win. Nothing else: what a visit to a band finds goes into a log, as words with their places, sorted by the band that needs
//! them, and each band merges its part of the log when it is visited next. Every position is decided once, so all
//! visits together write about ten bytes for each word in which something is decided, however many there are.
//! The log's changes show which blocks to look at.
//! The store has planes in compressed pieces.
//!
//! **What comes next.** A visit to a band in the store costs the reading of all its planes, whether much has changed for it or little, and
//! the more has changed the less each change costs. So the band for which the log has most is visited next, while the log grows for the others, and of two
//! forms one until it has no such band. (Bands in memory first, until they have none, costs more searching than it saves reading.) Positions
//! have the same values in any order.
//!
//! **Who works.** Each process of a build has every n-th band, in its memory or its store. Batches of captures are shared out, and their
//! results are sent to the owners of bands through the [`Communicator`](super::Communicator); so are entries of the log, after each
//! has visited a band. All go on until none has a band left to visit.
//!
//! **Cost.** Let P be the bytes of a plane of one form, p the bytes of its bands, f the share of bands that stay in memory, and c the
//! factor by which planes compress.
//!
//! * Captures write 2 P / c for each form, and read nothing.
//! * First visits read 2 P / c and write P / c (open positions are made from masks); each later one reads 3 p / c and what the log has for the band,
//!   and unpacks it. On 9x5 4v4 with f = 1/5 bands in the store were visited 17 times.
//! * The log: four to five bytes for each word that changes in a form, and as many for each word of open positions that it comes from.
//!   A band lacks its part of the log until that has an entry for every eighth word of the band; then the band is rewritten, 3 p / c.
//! * Values are put in order from one reading of 3 P / c for each form.
//! * Memory: 3 f P for the bands that stay, and 6 p with marks for the one that is worked on and the one that is read meanwhile.
//!
//! **Continuing.** The record of a store lists which segments of the log are in which band, in which of two places the band is, and the checksum of
//! each plane with these merged. It is written after everything that it refers to is on disk, every few seconds. A band is rewritten to the other place, once
//! between two records, and merging is idempotent: what a record refers to stays until the next one. Parts of the log that it does not list are
//! overwritten. The record before is kept as well. No process continues before all have written theirs, and when they begin
//! again, each drops what it has beyond the others: so there is always one that all have.
//!
//! **Files.** `job` begins or continues (`work` is the pair and its record, `layout` its bands), `captures` fills bands, `passes` decides
//! them (`visit` works on one, `log` takes what it finds), and `values` has the result. `pieces` are compressed planes in a `store`.

mod captures;
mod entries;
mod job;
mod layout;
mod log;
mod passes;
mod pieces;
mod store;
mod values;
mod visit;
mod work;

pub use entries::{Entries, Segment, Segments};
pub use job::{Job, TileBudget, Tiling, begin, solve_tiles};
pub use layout::{Shares, base_bytes, least_working};
pub use log::{log_bytes, outbox_bytes};
pub use store::{SCRATCH, ScratchStore, Store, Traffic, from_record, remove_scratch, to_record};
pub use values::{TiledValues, save_together};
pub use work::{Captured, TiledPair};
