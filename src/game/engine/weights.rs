//! The weights of the evaluation: data, fitted to values of tables and to scores of searches. `weights/README.md` has their origin.

use std::sync::LazyLock;

use super::features::{NUMBERS, PAIRS, PATTERNS, PHASES, SETS, WINDOWS, classes};

/// The weights, in sixteenths of hundredths of a stone.
pub struct Weights {
    /// For few stones, and for more.
    pub sets: [WeightSet; SETS],
    /// For the numbers of stones of both sides, where there are few.
    pub pairs: [i16; PAIRS],
}

/// Weights of one of the sets.
pub struct WeightSet {
    /// For each phase, of the numbers of the whole board.
    pub numbers: [[i16; NUMBERS]; PHASES],
    /// For each kind of window and each pattern, in the first phase and in the last.
    pub patterns: Vec<[i16; 2]>,
}

/// The weights that the program has.
pub static WEIGHTS: LazyLock<Weights> = LazyLock::new(|| Weights::from_bytes(include_bytes!("weights/weights.bin")));

impl Weights {
    /// Reads weights, little-endian words of 16 bits: for each set those of the numbers by phase, then those of the patterns by window and class;
    /// then those of the pairs.
    fn from_bytes(bytes: &[u8]) -> Self {
        let (chunks, _) = bytes.as_chunks::<2>();
        let mut words = chunks.iter().map(|&pair| i16::from_le_bytes(pair));
        let mut word = || words.next().unwrap_or_default();
        let (class_of, all) = classes();
        let sets = std::array::from_fn(|_| {
            let numbers = std::array::from_fn(|_| std::array::from_fn(|_| word()));
            let mut patterns = Vec::with_capacity(WINDOWS * PATTERNS);
            for _ in 0..WINDOWS {
                let classes: Vec<[i16; 2]> = (0..all).map(|_| [word(), word()]).collect();
                patterns.extend(class_of.iter().map(|&class| classes[usize::from(class)]));
            }
            WeightSet { numbers, patterns }
        });
        Self { sets, pairs: std::array::from_fn(|_| word()) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_file_has_a_weight_for_every_feature_and_no_more() {
        let (class_of, all) = classes();
        assert_eq!(all, 2_862);
        // The empty pattern is alone in its class, and so are the two of one side alone.
        let alone = |pattern: usize| class_of.iter().filter(|&&class| class == class_of[pattern]).count();
        assert_eq!([0, PATTERNS / 2, PATTERNS - 1].map(alone), [1; 3]);
        let bytes = include_bytes!("weights/weights.bin").len();
        assert_eq!(bytes, 2 * (SETS * (NUMBERS * PHASES + 2 * WINDOWS * all) + PAIRS));
    }
}
