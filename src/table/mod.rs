//! Tables: the values of slices, in memory and on disk, and probing them. `FORMAT.md` beside this file specifies the files.

mod block;
mod cell;
mod depth_block;
mod depths;
mod error;
mod header;
mod mapped;
mod metric;
mod probe;
mod rate;
mod reader;
mod replace;
mod score;
mod source;
mod store;
mod values;
mod writer;

/// The largest board that has tables: its sets of points fit 64 bits.
pub const MOST_POINTS: usize = 64;

pub use block::{DecodedBlock, PackedBlock, encode_block};
pub use cell::Cell;
pub use depth_block::{DecodedDepths, Depths};
pub use depths::{SliceDepths, ranks};
pub use error::{Damage, TableError, remedy};
pub use header::{HEADER_BYTES, Header, INDEX_ENTRY_BYTES, MAGIC, VERSION};
pub use metric::Metric;
pub use probe::{DEFAULT_CACHE_BYTES, Known, Tables};
pub use rate::{RatedMove, Rating, known, rate};
pub use reader::Table;
pub use replace::{remove_if_there, remove_unfinished, replace_file, temporary_name};
pub use score::Score;
pub use source::{Access, Database, Source, TableFile, read_exact_at};
pub use store::{
    Folder, Lock, MANIFEST, file_name, folder_name, folders, open_table, read_header, remove_leftovers, slices_in,
    write_manifest,
};
pub use values::{Counts, SliceValues, ValuePlanes};
pub use writer::{Content, Cut, EncodedBlock, encode_blocks_here, encode_table, save_table, write_table};
