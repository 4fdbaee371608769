//! Whole small builds in memory: the throughput of captures and paikas, without compression and disk.

use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fanorona::board::BoardSize;
use fanorona::index::{Slice, Space};
use fanorona::retro::{Slices, pairs, solve_pair};
use fanorona::rules::RuleSet;

fn solve(space: &Space, stones: usize) -> Slices {
    let mut slices = Slices::new();
    for slice in pairs(stones, space.board().points()) {
        let values = solve_pair(space, RuleSet::default(), slice, &|slice| &slices[&slice], &|_| ());
        slices.extend(values.into_iter().map(|values| (values.slice(), values)));
    }
    slices
}

fn benches(criterion: &mut Criterion) {
    let mut group = criterion.benchmark_group("build in memory");
    group.sample_size(10).measurement_time(Duration::from_secs(8));
    for (board, stones) in [("9x5", 5), ("5x5", 6), ("3x5", 15)] {
        let size: BoardSize = board.parse().expect("a board");
        let space = Space::new(size, RuleSet::default().diagonals);
        let slices: Vec<Slice> = Slice::up_to(stones, size.points()).collect();
        let positions = slices.iter().map(|&slice| space.placements(slice)).sum();
        group.throughput(Throughput::Elements(positions));
        group.bench_function(format!("{board} to {stones} stones"), |bencher| {
            bencher.iter(|| assert_eq!(solve(&space, stones).len(), slices.len()));
        });
    }
    group.finish();
}

criterion_group!(kernels, benches);
criterion_main!(kernels);
