//! Tables: the values of slices, in memory and on disk, and probing them. `FORMAT.md` beside this file specifies the files.

mod block;
mod cell;
mod depth_block;
mod depths;
mod error;
mod header;
mod loaded;
mod mapped;
mod metric;
mod probe;
mod rate;
mod reader;
mod score;
mod source;
mod store;
mod tables;
mod values;
mod writer;

/// The largest board that has tables: its sets of points fit 64 bits.
pub const MAX_POINTS: usize = 64;

pub use block::{DecodedBlock, PackedBlock, encode_block};
pub use cell::Cell;
pub use depth_block::{DecodedDepths, Depths};
pub use depths::{SliceDepths, ranks};
pub use error::{Damage, TableError, remedy};
pub use header::{HEADER_BYTES, Header, INDEX_ENTRY_BYTES, MAGIC, VERSION};
pub use loaded::{InMemory, Loaded, LoadedDepths};
pub use metric::Metric;
pub use probe::{Known, NoValues, Probe};
pub use rate::{RatedMove, Rating, known, rate};
pub use reader::Table;
pub use score::Score;
pub use source::{Access, Database, Source, TableFile};
pub use store::{
    Folder, MANIFEST, file_name, folder_name, folders, lock_folder, open_table, read_header, remove_leftovers,
    slices_in, write_manifest,
};
pub use tables::{DEFAULT_CACHE_BYTES, Tables, TablesUpTo};
pub use values::{Counts, SliceValues, ValuePlanes};
pub use writer::{
    Cut, EncodedBlock, SliceData, encode_blocks_here, encode_table, save_table, save_table_if, write_table,
};
