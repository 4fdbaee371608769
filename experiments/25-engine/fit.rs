//! Logistic regression of the scores of searches and the values of tables on the features of positions.

use std::error::Error;
use std::fs;

use fanorona::board::{Board, BoardSize, Diagonals};
use fanorona::game::engine::features::{NUMBERS, PAIRS, PHASES, Places, SETS, Sink, WINDOWS, classes};

use crate::games::RECORD;

/// Passes through the positions.
const EPOCHS: usize = 24;

/// One position in this many is kept to test the weights on.
const TEST_SHARE: usize = 16;

/// The size of the first steps.
const RATE: f32 = 0.1;

/// What the sum of squared slopes begins with: parameters that few positions have hardly change.
const FIRST_SQUARE: f32 = 4.0;

/// How strongly each step pulls the weights of patterns to zero.
const DECAY: f32 = 2e-5;

/// What a stone adds to the logarithm of the odds.
const STONE: f32 = 0.5;

/// What the weights of numbers begin with: stones, their ratio, freedom, and threats.
const PRIOR: [(usize, f32); 5] = [(1, 0.5), (2, 0.1875), (3, 0.04), (4, -0.04), (5, -0.06)];

/// A quiet position, and the score of its side to move: 0, 0.5 or 1.
struct Sample {
    board: usize,
    own: u64,
    enemy: u64,
    score: f32,
}

/// The features of a position, as parameters with their values.
struct Row<'a> {
    classes: &'a [u16],
    all: usize,
    /// The first parameter of the set in use.
    set: usize,
    phase: usize,
    part: f32,
    share: f32,
    found: Vec<(usize, f32)>,
}

impl Sink for Row<'_> {
    #[allow(clippy::cast_precision_loss)] // small numbers
    fn phase(&mut self, set: usize, phase: usize, part: i32) {
        self.set = set * parameters_of_set(self.all);
        (self.phase, self.part) = (phase, part as f32 / 256.0);
        self.share = (phase as f32 + self.part) / (PHASES - 1) as f32;
    }

    fn pair(&mut self, pair: usize) {
        self.found.push((SETS * parameters_of_set(self.all) + pair, 1.0));
    }

    #[allow(clippy::cast_precision_loss)] // small numbers
    fn number(&mut self, number: usize, value: i32) {
        let (place, value) = (self.set + self.phase * NUMBERS + number, value as f32 / 16.0);
        self.found.push((place, value * (1.0 - self.part)));
        self.found.push((place + NUMBERS, value * self.part));
    }

    fn pattern(&mut self, window: usize, pattern: usize) {
        let place = self.set + PHASES * NUMBERS + 2 * (window * self.all + usize::from(self.classes[pattern]));
        self.found.push((place, 1.0 - self.share));
        self.found.push((place + 1, self.share));
    }
}

/// Parameters of one set of weights, with so many classes of patterns.
const fn parameters_of_set(all: usize) -> usize {
    PHASES * NUMBERS + 2 * WINDOWS * all
}

/// Fits the weights, and writes them. A set of weights of which there are no positions stays as it is.
pub fn fit(weights: &str, files: &[&str]) -> Result<(), Box<dyn Error>> {
    let (mut boards, mut samples) = (Vec::new(), Vec::new());
    for file in files {
        read(file, &mut boards, &mut samples)?;
    }
    let (class_of, all) = classes();
    let of_set = parameters_of_set(all);
    let parameters = SETS * of_set + PAIRS;
    let mut row = Row { classes: &class_of, all, set: 0, phase: 0, part: 0.0, share: 0.0, found: Vec::new() };
    let (mut values, mut squares) = (before(weights, parameters)?, vec![FIRST_SQUARE; parameters]);
    for set in 0..SETS {
        let first = set * of_set;
        let mut used = |sample: &Sample| {
            let (board, places) = &boards[sample.board];
            places.scan(board, sample.own, sample.enemy, &mut row);
            row.found.clear();
            row.set == first
        };
        if samples.iter().any(&mut used) {
            values[first..first + of_set].fill(0.0);
            for (phase, (number, value)) in (0..PHASES).flat_map(|phase| PRIOR.map(|prior| (phase, prior))) {
                values[first + phase * NUMBERS + number] = value;
            }
        }
    }
    // Games stay on one side.
    let kept = samples.len() / TEST_SHARE;
    let (test, train) = samples.split_at_mut(kept);
    let mut random = fastrand::Rng::with_seed(1);
    for epoch in 0..EPOCHS {
        random.shuffle(train);
        #[allow(clippy::cast_precision_loss)] // small numbers
        let rate = RATE * (1.0 - epoch as f32 / EPOCHS as f32);
        let mut loss = 0.0;
        for sample in train.iter() {
            let error = step(&boards, sample, &mut row, &values, &mut loss);
            for &(place, value) in &row.found {
                let is_pattern = place < SETS * of_set && place % of_set >= PHASES * NUMBERS;
                let pull = if is_pattern { DECAY * values[place] } else { 0.0 };
                let slope = error * value + pull;
                squares[place] += slope * slope;
                values[place] -= rate * slope / squares[place].sqrt();
            }
        }
        let mut tested = 0.0;
        for sample in test.iter() {
            step(&boards, sample, &mut row, &values, &mut tested);
        }
        #[allow(clippy::cast_precision_loss)] // fewer than 2^52
        let mean = |loss: f64, all: usize| loss / all.max(1) as f64;
        eprintln!("epoch {epoch}: loss {:.5}, test {:.5}", mean(loss, train.len()), mean(tested, test.len()));
    }
    println!("{} positions", samples.len());
    for (set, phase) in (0..SETS).flat_map(|set| (0..PHASES).map(move |phase| (set, phase))) {
        let first = set * of_set + phase * NUMBERS;
        let line = &values[first..first + NUMBERS];
        let cells: Vec<String> = line.iter().map(|value| format!("{:.0}", 100.0 * value / STONE)).collect();
        println!("set {set}, phase {phase}: {}", cells.join(" "));
    }
    #[allow(clippy::cast_possible_truncation)] // saturates
    let words = values.iter().map(|value| (1600.0 * value / STONE).round() as i16);
    Ok(fs::write(weights, words.flat_map(i16::to_le_bytes).collect::<Vec<u8>>())?)
}

/// The difference between the expected score and that of a sample, whose features are then in `row`; adds to the loss.
fn step(
    boards: &[(Board<u64>, Places<u64>)],
    sample: &Sample,
    row: &mut Row<'_>,
    values: &[f32],
    loss: &mut f64,
) -> f32 {
    let (board, places) = &boards[sample.board];
    row.found.clear();
    places.scan(board, sample.own, sample.enemy, row);
    let sum: f32 = row.found.iter().map(|&(place, value)| values[place] * value).sum();
    let expected = 1.0 / (1.0 + (-sum).exp());
    let sure = f64::from(expected).clamp(1e-6, 1.0 - 1e-6);
    *loss -= f64::from(sample.score) * sure.ln() + f64::from(1.0 - sample.score) * (1.0 - sure).ln();
    expected - sample.score
}

/// The weights of a file, as parameters.
fn before(file: &str, parameters: usize) -> Result<Vec<f32>, Box<dyn Error>> {
    let bytes = fs::read(file)?;
    let words = bytes.as_chunks::<2>().0.iter().map(|&word| f32::from(i16::from_le_bytes(word)) * STONE / 1600.0);
    let values: Vec<f32> = words.collect();
    if values.len() == parameters {
        Ok(values)
    } else {
        Err(format!("{file} has {} weights, not {parameters}", values.len()).into())
    }
}

/// The expected score of a side whose search has that score.
fn expected(score: i16) -> f32 {
    1.0 / (1.0 + (-STONE * f32::from(score) / 100.0).exp())
}

fn read(
    file: &str,
    boards: &mut Vec<(Board<u64>, Places<u64>)>,
    samples: &mut Vec<Sample>,
) -> Result<(), Box<dyn Error>> {
    for record in fs::read(file)?.as_chunks::<RECORD>().0 {
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|byte| record[at + byte]));
        let size = BoardSize::new(record[16].into(), record[17].into())?;
        let known = boards.iter().position(|(board, _)| board.size() == size);
        let board = known.unwrap_or_else(|| {
            let board = Board::new(size, Diagonals::Corner);
            let places = Places::new(&board);
            boards.push((board, places));
            boards.len() - 1
        });
        samples.push(Sample {
            board,
            own: word(0),
            enemy: word(8),
            score: expected(i16::from_le_bytes([record[18], record[19]])),
        });
    }
    Ok(())
}
