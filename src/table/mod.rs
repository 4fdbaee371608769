//! Tables: the values of slices, in memory and on disk, and probing them. `FORMAT.md` beside this file specifies the files.

mod block;
mod error;
mod header;
mod mapped;
mod probe;
mod reader;
mod replace;
mod store;
mod values;
mod writer;

pub use block::DecodedBlock;
pub use error::{Damage, TableError};
pub use header::{HEADER_BYTES, Header, INDEX_ENTRY_BYTES, MAGIC, VERSION};
pub use probe::{DEFAULT_CACHE_BYTES, Tables};
pub use reader::Table;
pub use replace::replace_file;
pub use store::{
    Folder, Lock, MANIFEST, file_name, folder_name, folders, open_table, read_header, remove_leftovers, slices_in,
    write_manifest,
};
pub use values::{Counts, SliceValues, ValuePlanes};
pub use writer::{save_table, write_table};
