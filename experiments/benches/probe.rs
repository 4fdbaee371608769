//! Probes per second: mapped with a warm and a cold cache, and from memory; one thread and all.

use std::hint::black_box;
use std::path::PathBuf;
use std::time::Duration;

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use fanorona::board::BoardSize;
use fanorona::index::Slice;
use fanorona::retro::{Budget, Goal, build, load_values};
use fanorona::rules::{Outcome, RuleSet};
use fanorona::table::{DEFAULT_CACHE_BYTES, Tables};
use rayon::prelude::*;

const STONES: usize = 6;
const POSITIONS: usize = 100_000;

/// The database of the bench, beside the build products; built once, in a few seconds.
fn database(size: BoardSize) -> PathBuf {
    let folder = PathBuf::from(env!("CARGO_TARGET_TMPDIR")).join("bench-db");
    build(Goal::values(size, RuleSet::default(), STONES), &folder, Budget::default())
        .expect("the bench database is built");
    folder
}

/// Uniform over all placements of up to [`STONES`] stones: most have that many.
fn random_positions(tables: &Tables, count: usize) -> Vec<(u64, u64)> {
    let points = tables.space().board().points();
    let slices: Vec<Slice> = Slice::up_to(STONES, points).collect();
    let total: u64 = slices.iter().map(|&slice| tables.space().placements(slice)).sum();
    let mut random = fastrand::Rng::with_seed(5);
    let mut draw = |stones: usize, taken: u64| {
        let mut set = 0u64;
        while (set.count_ones() as usize) < stones {
            set |= (1 << random.usize(..points)) & !taken;
        }
        set
    };
    let mut choose = fastrand::Rng::with_seed(6);
    let positions = (0..count).map(|_| {
        let mut number = choose.u64(..total);
        let slice = slices.iter().find(|&&slice| {
            let here = tables.space().placements(slice);
            let found = number < here;
            number = number.saturating_sub(here);
            found
        });
        let slice = slice.expect("the number is below the sum");
        let mover = draw(slice.mover, 0);
        (mover, draw(slice.opponent, mover))
    });
    positions.collect()
}

/// Wins minus losses: forces every probe, and shows at once if one path answers differently.
fn balance(outcomes: impl Iterator<Item = Option<Outcome>>) -> i64 {
    outcomes.map(|outcome| outcome.expect("the tables cover the position") as i64 - 1).sum()
}

fn benches(criterion: &mut Criterion) {
    let size: BoardSize = "9x5".parse().expect("a board");
    let folder = database(size);
    let open = |cache| Tables::open(&folder, size, RuleSet::default(), cache).expect("tables");
    let warm = open(4 * DEFAULT_CACHE_BYTES);
    let cold = open(1);
    let memory = load_values(&warm, Slice::up_to(STONES, warm.space().board().points())).expect("slices");
    let positions = random_positions(&warm, POSITIONS);
    let mapped = |tables: &Tables, (mover, opponent)| tables.probe(mover, opponent).expect("sound tables");
    let expected = balance(positions.iter().map(|&(mover, opponent)| memory.probe(mover, opponent)));

    let mut group = criterion.benchmark_group("probe 9x5, 6 stones");
    group.sample_size(10).measurement_time(Duration::from_secs(3));
    group.throughput(Throughput::Elements(POSITIONS as u64));
    group.bench_function("mapped, warm, one thread", |bencher| {
        bencher.iter(|| assert_eq!(balance(positions.iter().map(|&p| mapped(&warm, p))), expected));
    });
    group.bench_function("mapped, warm, all threads", |bencher| {
        let sum =
            || positions.par_chunks(1000).map(|part| balance(part.iter().map(|&p| mapped(&warm, p)))).sum::<i64>();
        bencher.iter(|| assert_eq!(sum(), expected));
    });
    group.bench_function("memory, one thread", |bencher| {
        bencher.iter(|| assert_eq!(balance(positions.iter().map(|&(m, o)| memory.probe(m, o))), expected));
    });
    group.bench_function("memory, all threads", |bencher| {
        let part = |part: &[(u64, u64)]| balance(part.iter().map(|&(m, o)| memory.probe(m, o)));
        bencher.iter(|| assert_eq!(positions.par_chunks(1000).map(part).sum::<i64>(), expected));
    });
    let few = &positions[..500];
    group.throughput(Throughput::Elements(few.len() as u64));
    group.bench_function("mapped, cold, one thread", |bencher| {
        bencher.iter(|| black_box(balance(few.iter().map(|&p| mapped(&cold, p)))));
    });
    group.bench_function("mapped, cold, all threads", |bencher| {
        bencher.iter(|| few.par_chunks(10).map(|part| balance(part.iter().map(|&p| mapped(&cold, p)))).sum::<i64>());
    });
    group.finish();
}

criterion_group!(probe, benches);
criterion_main!(probe);
