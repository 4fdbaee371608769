//! scratch
use fanorona::{board::*, index::*, retro::*, rules::*, table::*};
use std::{collections::BTreeMap, time::Instant};
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let size: BoardSize = args[1].parse().unwrap();
    let stones: usize = args[2].parse().unwrap();
    let rules = RuleSet::default();
    let space = Space::new(size, rules.diagonals);
    let mut done: BTreeMap<Slice, SliceValues> = BTreeMap::new();
    let all = Instant::now();
    for slice in Slice::up_to(stones, size.points()).filter(|s| s.mover >= s.opponent) {
        let t = Instant::now();
        let mut last = t;
        let verbose = slice.stones() >= 7;
        let mut name = String::new();
        let mut steps = 0;
        let values = solve_pair(
            &space,
            rules,
            slice,
            |s| &done[&s],
            |phase| {
                if verbose {
                    if let Phase::Paikas { steps: s, .. } = phase {
                        steps = s;
                        if s % 10 != 1 {
                            return;
                        }
                    }
                    eprint!("   {name} {:.3}", last.elapsed().as_secs_f64());
                    last = Instant::now();
                    name = format!("{phase:?}");
                }
            },
        );
        if verbose {
            eprintln!("   {name} {:.3}", last.elapsed().as_secs_f64());
        }
        let took = t.elapsed();
        for v in values {
            // unreduced counts, slowly
            let (mut w, mut d, mut l) = (0u64, 0u64, 0u64);
            let distinct = space.subsets(v.slice().opponent).distinct();
            let sub = space.subsets(v.slice().mover);
            for row in 0..v.loss().rows() {
                let weight = sub.orbit_size(row) as u64;
                let m = QuietMask::new(space.board(), sub.representatives()[row]);
                let mut valid = vec![0; distinct.len()];
                m.fill_valid(space.occupancy(v.slice().opponent), 0, &mut valid);
                for i in 0..distinct.len() {
                    let ok = valid[i] & distinct[i];
                    let (lo, nw) = (v.loss().row(row)[i] & ok, v.not_win().row(row)[i] & ok);
                    w += weight * (ok & !nw).count_ones() as u64;
                    l += weight * lo.count_ones() as u64;
                    d += weight * (nw & !lo).count_ones() as u64;
                }
            }
            println!("{} {} {w} {d} {l} steps {steps} {:.3}", v.slice(), w + d + l, took.as_secs_f64());
            assert_eq!(w + d + l, space.placements(v.slice()));
            done.insert(v.slice(), v);
        }
    }
    eprintln!("total {:.2}", all.elapsed().as_secs_f64());
}
