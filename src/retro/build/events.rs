//! What a build reports as it goes.

use crate::index::Slice;
use crate::table::Header;

use super::super::plan::PairPlan;
use super::super::slices::Phase;
use super::super::tiles::{TiledPair, Traffic};

/// What a build reports as it goes.
#[derive(Clone, Copy, Debug)]
pub enum BuildEvent<'a> {
    /// A slice that is on disk already is read; the build needs it.
    Loading(Slice),
    /// A pair is begun.
    Begin(&'a PairPlan),
    /// The pair is at this point.
    Phase(Slice, Phase),
    /// A slice is being compressed and written.
    Writing(Slice),
    /// The pair is solved from tiles, or the work on it goes on.
    Tiled(TiledPair),
    /// The pair from tiles is complete; the bytes of scratch that were read and written for it since it was taken up.
    Moved(Slice, Traffic),
    /// A slice is on disk.
    Done(&'a BuiltSlice),
}

/// Events of a build, from any thread.
pub type Observer<'o> = dyn Fn(BuildEvent<'_>) + Sync + 'o;

/// A finished slice.
#[derive(Clone, Copy, Debug)]
pub struct BuiltSlice {
    /// The slice.
    pub slice: Slice,
    /// The header of its file.
    pub header: Header,
    /// Seconds since the pair was begun.
    pub seconds: f64,
}
