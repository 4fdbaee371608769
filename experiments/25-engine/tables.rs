//! Quiet positions of few stones on 9x5, each with its value by tables.

use std::error::Error;
use std::fs::OpenOptions;
use std::io::{BufWriter, Write};
use std::ops::ControlFlow;
use std::path::Path;

use fanorona::board::{Board, PointSet};
use fanorona::game::engine::features::FEW;
use fanorona::rules::{After, Outcome, RuleSet, Rules};
use fanorona::{BoardSize, DEFAULT_CACHE_BYTES, Tables};

/// What a record has as the score of a won position.
const WON: i16 = 32_000;

/// Captures before a position is given up.
const MAX_PLIES: usize = 60;

/// Appends so many positions, of values that the tables in `database` have. The records are those of [`crate::games`].
pub fn look_up(file: &str, database: &str, numbers: [&str; 2]) -> Result<(), Box<dyn Error>> {
    let (size, rule_set): (BoardSize, _) = ("9x5".parse()?, RuleSet::default());
    let rules = Rules::new(Board::<u64>::new(size, rule_set.diagonals), rule_set);
    let tables = Tables::open(Path::new(database), size, rule_set, DEFAULT_CACHE_BYTES)?;
    let [positions, seed] = numbers.map(str::parse::<u64>);
    let (positions, mut random) = (positions?, fastrand::Rng::with_seed(seed?));
    let mut out = BufWriter::new(OpenOptions::new().create(true).append(true).open(file)?);
    let mut written = 0;
    while written < positions {
        let (own, enemy) =
            if random.u8(..4) == 0 { few_stones(&mut random) } else { after_captures(&rules, &mut random) };
        let few = !own.is_empty() && !enemy.is_empty() && (own | enemy).count() <= FEW;
        if !few || !rules.board().capturing_stones(own, enemy).is_empty() {
            continue;
        }
        let Some(value) = tables.probe(own, enemy)? else {
            return Err(format!(
                "{database} lacks tables of up to {FEW} stones; run fanorona build 9x5 --stones {FEW}"
            )
            .into());
        };
        let score = match value {
            Outcome::Win => WON,
            Outcome::Draw => 0,
            Outcome::Loss => -WON,
        };
        out.write_all(&own.to_le_bytes())?;
        out.write_all(&enemy.to_le_bytes())?;
        out.write_all(&[u8::try_from(size.columns())?, u8::try_from(size.rows())?])?;
        out.write_all(&score.to_le_bytes())?;
        written += 1;
    }
    Ok(out.flush()?)
}

/// So many stones of each side on random points.
fn placed([mine, theirs]: [usize; 2], random: &mut fastrand::Rng) -> (u64, u64) {
    let mut points: Vec<usize> = (0..45).collect();
    random.shuffle(&mut points);
    let set = |points: &[usize]| points.iter().fold(0, |set, &point| set | 1_u64 << point);
    (set(&points[..mine]), set(&points[mine..mine + theirs]))
}

fn few_stones(random: &mut fastrand::Rng) -> (u64, u64) {
    let all = random.usize(2..=FEW);
    let mine = random.usize(1..all);
    placed([mine, all - mine], random)
}

/// What captures leave of a crowded position: two in three are the largest, and all are as soon as few stones are left.
fn after_captures(rules: &Rules<u64>, random: &mut fastrand::Rng) -> (u64, u64) {
    let (all, wanted) = (random.usize(FEW + 1..40), random.usize(3..=FEW));
    let (mut own, mut enemy) = placed([all / 2, all.div_ceil(2)], random);
    for _ in 0..MAX_PLIES {
        let few = (own | enemy).count() <= wanted;
        let quiet = rules.board().capturing_stones(own, enemy).is_empty();
        if own.is_empty() || enemy.is_empty() || few && quiet {
            break;
        }
        let mut turns: Vec<After<u64>> = Vec::new();
        let _ = rules.for_each_turn(own, enemy, |_, after| {
            turns.push(after);
            ControlFlow::<()>::Continue(())
        });
        random.shuffle(&mut turns);
        let largest = few || random.u8(..3) > 0;
        let turn = if largest { turns.iter().min_by_key(|turn| turn.next.count()) } else { turns.first() };
        let Some(turn) = turn else { break };
        (own, enemy) = (turn.next, turn.moved);
    }
    (own, enemy)
}
