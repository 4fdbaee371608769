//! The form in which a pair is solved, with the memory that there is.

use std::fmt;

use serde::{Serialize, Serializer};

use crate::index::{Slice, Space, is_crowded};
use crate::table::Cell;

use super::super::tiles::{TileBudget, base_bytes, outbox_bytes};
use super::budget::Budget;
use super::cost::{Scratch, depth_memory, kept_scratch, layer_bytes, layer_scratch, pair_memory, with_slack};
use super::staying::Staying;
use super::tiled::{bytes_for_tiles, leaves_of_tiles, scratch};

/// How a pair is solved.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Form {
    /// By whole rows, in memory.
    Planes,
    /// By rows of empty points, in memory: on crowded boards planes would be mostly padding.
    Crowded,
    /// By bands of columns, most of which are in a scratch file or in the memory of other processes.
    Tiles(TileBudget),
    /// Depths by whole rows, with what is decided in how many plies in a scratch file.
    Layers,
}

impl Form {
    /// Whether the work on the pair itself has a scratch file.
    #[must_use]
    pub fn uses_scratch(self) -> bool {
        matches!(self, Self::Tiles(_) | Self::Layers)
    }
}

impl fmt::Display for Form {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(match self {
            Self::Planes => "planes",
            Self::Crowded => "crowded",
            Self::Tiles(_) => "tiles",
            Self::Layers => "layers",
        })
    }
}

impl Serialize for Form {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.collect_str(self)
    }
}

/// The form in which the values of a pair are solved, its memory, and its scratch.
pub fn form_of_values(space: &Space, slice: Slice, budget: &Budget, staying: Staying) -> (Form, u64, Scratch) {
    let in_memory = with_slack(pair_memory(space, slice, budget.threads), staying.before);
    if is_crowded(space.board().points(), slice) {
        return (Form::Crowded, in_memory, kept_scratch(staying.before, staying.own));
    }
    let planes = (Form::Planes, in_memory, Scratch::default());
    let has_tiles = budget.tiling.is_some() || budget.processes > 1 && base_bytes(space, slice) >= SMALL;
    if !has_tiles && in_memory <= budget.memory {
        return planes;
    }
    let (leaves, memory) = leaves_of_tiles(space, slice, budget.threads, staying.index, budget.memory);
    if !has_tiles && memory >= in_memory {
        return planes;
    }
    let tiles = TileBudget::new(bytes_for_tiles(staying.index, budget.memory), budget.memory, budget.tiling, leaves);
    // Tests cut boards that are small in any case.
    let memory = if budget.tiling.is_some() { 0 } else { memory };
    (Form::Tiles(tiles), memory, scratch(space, slice, tiles))
}

/// As [`form_of_values`], for depths in cells of that width.
pub fn form_of_depths<C: Cell>(space: &Space, slice: Slice, budget: &Budget, staying: Staying) -> (Form, u64, Scratch) {
    let own = depth_memory::<C>(space, slice, staying.own);
    if is_crowded(space.board().points(), slice) {
        return (Form::Crowded, with_slack(own, staying.before), kept_scratch(staying.before, staying.own));
    }
    let layers = layer_bytes(space, slice);
    // Entries on their way to the layers take memory too.
    let own = own.saturating_add(layers.min(outbox_bytes(budget.memory)));
    let in_memory = with_slack(own.saturating_add(layers), staying.before);
    if in_memory <= budget.memory && budget.tiling.is_none() {
        return (Form::Planes, in_memory, Scratch::default());
    }
    (Form::Layers, with_slack(own, staying.before), layer_scratch(layers))
}

/// Pairs with fewer bytes of planes take less time than sharing them out to several processes.
const SMALL: u64 = 4 << 20;
