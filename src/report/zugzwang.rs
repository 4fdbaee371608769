//! Mutual zugzwangs: positions in which either side does worse if it is to move.

use rayon::prelude::*;
use serde::Serialize;

use crate::index::Slice;
use crate::rules::{Outcome, Position, Side};
use crate::table::Loaded;

/// The mutual zugzwangs of a slice: the side to move loses or draws, and would do better if the other side were to move. The
/// other side would then do worse, too.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize)]
pub struct Zugzwangs {
    /// Their number; symmetric positions are counted separately.
    pub count: u64,
    /// The number of those that the side to move loses, and would win if the other side were to move.
    pub full_point: u64,
    /// Some of them, White to move.
    pub examples: Vec<String>,
}

/// Counts the zugzwangs of a slice, with up to `examples` of them, full-point ones first. `progress` is called after each orbit
/// of the mover's sets.
///
/// # Panics
/// If the slice or its twin is not loaded.
#[must_use]
pub fn zugzwangs(loaded: &Loaded, slice: Slice, examples: usize, progress: &(dyn Fn() + Sync)) -> Zugzwangs {
    let space = loaded.space();
    let (movers, opponents) = (space.subsets(slice.mover), space.subsets(slice.opponent));
    let sets = (0..opponents.slots()).map(|slot| (slot, opponents.subset(slot)));
    let slots: Vec<u64> = sets.filter(|&(slot, set)| opponents.slot(set) == slot).map(|(_, set)| set).collect();
    let value = |own, enemy| loaded.probe(own, enemy).expect("both slices are loaded");
    let row = |&own: &u64| {
        let weight = movers.orbit_size(own) as u64;
        let mut found = Partial::default();
        for &enemy in slots.iter().filter(|&&enemy| enemy & own == 0) {
            let here = value(own, enemy);
            // Nothing is better than a win.
            if here == Outcome::Win {
                continue;
            }
            let waiting = value(enemy, own).reversed();
            if waiting > here {
                let whole = waiting == Outcome::Win && here == Outcome::Loss;
                found.count[usize::from(whole)] += weight;
                if found.sets[usize::from(whole)].len() < examples {
                    found.sets[usize::from(whole)].push((own, enemy));
                }
            }
        }
        progress();
        found
    };
    let rows = movers.representatives().par_iter().map(row);
    // In the order of the rows, so that the examples do not depend on the number of threads.
    let found = rows.reduce(Partial::default, |a, b| a.and(b, examples));
    let text = |&(own, enemy): &(u64, u64)| Position::of_sides(Side::White, own, enemy).to_text(space.board().size());
    let [half, whole] = &found.sets;
    Zugzwangs {
        count: found.count.iter().sum(),
        full_point: found.count[1],
        examples: whole.iter().chain(half).take(examples).map(text).collect(),
    }
}

/// Counts and first examples of half-point and of full-point zugzwangs.
#[derive(Default)]
struct Partial {
    count: [u64; 2],
    sets: [Vec<(u64, u64)>; 2],
}

impl Partial {
    fn and(mut self, later: Self, examples: usize) -> Self {
        for (which, sets) in later.sets.into_iter().enumerate() {
            self.count[which] += later.count[which];
            self.sets[which].extend(sets);
            self.sets[which].truncate(examples);
        }
        self
    }
}
