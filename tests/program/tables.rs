//! Small tables that several tests query, how many positions they have, and what `fanorona query` says of one.

use fanorona::index::binomial;

use crate::program::Place;

/// A folder with tables of 5x5 to four stones.
pub fn with_tables() -> Place {
    let place = Place::new();
    place.run("build 5x5 --stones 4").done();
    place
}

/// The value of a position, in one word.
pub fn value_of(place: &Place, position: &str) -> String {
    let answer = place.run_with(&["query", position, "--no-build", "--search", "0", "--json"]).json();
    answer["value"].as_str().expect("a word").to_owned()
}

pub fn placements(points: usize, mover: usize, opponent: usize) -> u64 {
    binomial(points, mover) * binomial(points - mover, opponent)
}

pub fn placements_to(points: usize, stones: usize) -> u64 {
    let slices = (1..stones).flat_map(|mover| (1..=stones - mover).map(move |opponent| (mover, opponent)));
    slices.map(|(mover, opponent)| placements(points, mover, opponent)).sum()
}
