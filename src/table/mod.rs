//! Tables: the values of slices, in memory and on disk, and probing them. `FORMAT.md` beside this file specifies the files.

mod block;
mod cell;
mod counts;
mod depth_block;
mod error;
mod header;
mod loaded;
mod mapped;
mod metric;
mod probe;
mod rate;
mod reader;
mod rows;
mod score;
mod seen;
mod source;
mod store;
mod tables;
mod values;
mod writer;

pub use counts::Counts;
pub use depth_block::Depths;
pub use error::{Damage, TableError};
pub use header::Header;
pub use loaded::{Loaded, LoadedDepths};
pub use metric::Metric;
pub use probe::{Known, NoValues, Probe, Source};
pub use rate::{RatedMove, Rating, direct, known, rate};
pub use reader::Table;
pub use score::Score;
pub use source::Database;
pub use store::{Folder, folder_name, folders};
pub use tables::{DEFAULT_CACHE_BYTES, Tables};

pub use crate::files::{Access, ByteSource, Store, StoredFile};

// For the program and its tests.
#[doc(hidden)]
pub use self::{
    block::{DecodedBlock, PackedBlock, encode_block},
    cell::Cell,
    depth_block::{DecodedDepths, encode_depths},
    error::remedy,
    header::{HEADER_BYTES, INDEX_ENTRY_BYTES, MAGIC, VERSION},
    loaded::InMemory,
    rows::{RowValue, Rows},
    source::TableFile,
    store::{
        MANIFEST, file_name, lock_folder, names_in, open_table, read_header, remove_leftovers, slices_in,
        write_manifest,
    },
    values::{SliceDepths, SliceOf, SliceValue, SliceValues, ValuePlanes},
    writer::{Cut, EncodedBlock, SliceData, encode_blocks_here, encode_table, save_table, save_table_if, write_table},
};
