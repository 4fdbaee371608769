//! The rule options that change the value of a position.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::Diagonals;

use super::outcome::Outcome;

/// Whether a capturing chain may stop while it could continue.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Continuation {
    /// The player may stop after any capturing step (Schadd, Wikipedia).
    #[default]
    Optional,
    /// The chain continues while it can.
    Obligatory,
}

/// Which directions a step of a capturing chain may not take. (It may never lead to a point that the stone has already visited.)
///
/// The rule that a step neither repeats *nor reverses* the direction of the step before has the same turns as [`NotRepeated`]:
/// a step back leads to the point that the stone has just left. So `turning`, the name of that rule, is read as `not-repeated`.
///
/// [`NotRepeated`]: Self::NotRepeated
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Directions {
    /// The direction of the step just before (Schadd, Wikipedia).
    #[default]
    #[serde(alias = "turning")]
    NotRepeated,
    /// The directions of all steps before: none is taken twice in a turn.
    Once,
}

impl Directions {
    /// The directions that the next step may not take, as bits, after a step in `direction` that could not take those in `barred`.
    #[inline]
    #[must_use]
    pub const fn barred_after(self, barred: u8, direction: usize) -> u8 {
        match self {
            Self::NotRepeated => 1 << direction,
            Self::Once => barred | 1 << direction,
        }
    }
}

/// The result for a side to move that has stones but no legal move.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum Stalemate {
    /// The side to move has lost.
    #[default]
    Loss,
    /// The game is a draw.
    Draw,
}

impl Stalemate {
    /// The result as an outcome.
    #[must_use]
    pub const fn outcome(self) -> Outcome {
        match self {
            Self::Loss => Outcome::Loss,
            Self::Draw => Outcome::Draw,
        }
    }
}

/// The rules that the value of a position depends on. The published results use the default.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct RuleSet {
    /// Which points are strong.
    pub diagonals: Diagonals,
    /// Whether chains may stop early.
    pub continuation: Continuation,
    /// Which directions the steps of a chain may take.
    pub directions: Directions,
    /// The result of a stalemate.
    pub stalemate: Stalemate,
}

impl RuleSet {
    /// The options in the order of the fields, each with its two words, the default first.
    pub const OPTIONS: [(&'static str, [&'static str; 2]); 4] = [
        ("diagonals", ["corner", "centre"]),
        ("continuation", ["optional", "obligatory"]),
        ("directions", ["not-repeated", "once"]),
        ("stalemate", ["loss", "draw"]),
    ];

    /// Every combination of the options, the default first.
    pub fn all() -> impl Iterator<Item = Self> {
        (0..16).map(|bits| Self::from_options([bits & 1, bits & 2, bits & 8, bits & 4].map(|bit| bit != 0)))
    }

    /// For each option, in the order of the fields, whether it differs from the default.
    #[must_use]
    pub fn options(self) -> [bool; 4] {
        [
            self.diagonals == Diagonals::Centre,
            self.continuation == Continuation::Obligatory,
            self.directions == Directions::Once,
            self.stalemate == Stalemate::Draw,
        ]
    }

    /// The rule set with those [`options`](Self::options).
    #[must_use]
    pub fn from_options([centre, obligatory, once, draw]: [bool; 4]) -> Self {
        Self {
            diagonals: if centre { Diagonals::Centre } else { Diagonals::Corner },
            continuation: if obligatory { Continuation::Obligatory } else { Continuation::Optional },
            directions: if once { Directions::Once } else { Directions::NotRepeated },
            stalemate: if draw { Stalemate::Draw } else { Stalemate::Loss },
        }
    }

    /// The words of the options, in the order of the fields.
    #[must_use]
    pub fn words(self) -> [&'static str; 4] {
        let options = self.options();
        std::array::from_fn(|option| Self::OPTIONS[option].1[usize::from(options[option])])
    }

    /// The names and words of the options that differ from the default, in the order of the fields.
    pub fn differing(self) -> impl Iterator<Item = (&'static str, &'static str)> {
        let words = Self::OPTIONS.map(|(name, _)| name).into_iter().zip(self.words());
        words.zip(self.options()).filter(|&(_, differs)| differs).map(|(words, _)| words)
    }

    /// Sets an option by name; returns whether there is such an option with that word.
    pub fn set(&mut self, option: &str, word: &str) -> bool {
        // See `Directions`.
        let word = if (option, word) == ("directions", "turning") { "not-repeated" } else { word };
        let mut options = self.options();
        for ((name, words), differs) in Self::OPTIONS.into_iter().zip(&mut options) {
            if name == option
                && let Some(number) = words.iter().position(|&known| known == word)
            {
                *differs = number == 1;
                *self = Self::from_options(options);
                return true;
            }
        }
        false
    }

    /// The three bytes that stand for the rules in files: diagonals, chains, stalemate. In the byte for chains, bit 0 is continuation
    /// and bit 1 is directions.
    #[must_use]
    pub fn to_bytes(self) -> [u8; 3] {
        let [centre, obligatory, once, draw] = self.options().map(u8::from);
        [centre, obligatory | once << 1, draw]
    }

    /// The rules for which these [bytes](Self::to_bytes) stand, if any.
    #[must_use]
    pub fn from_bytes(bytes: [u8; 3]) -> Option<Self> {
        let [centre, chains, draw] = bytes;
        let rules = Self::from_options([centre, chains & 1, chains >> 1, draw].map(|bit| bit != 0));
        (rules.to_bytes() == bytes).then_some(rules)
    }
}

/// Written as on the command line: `diagonals corner, continuation optional, stalemate loss`. Directions are left out if they are the
/// default, so that earlier versions can still read the records of such games.
impl fmt::Display for RuleSet {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [diagonals, continuation, directions, stalemate] = self.words();
        write!(f, "diagonals {diagonals}, continuation {continuation}")?;
        if self.directions != Directions::default() {
            write!(f, ", directions {directions}")?;
        }
        write!(f, ", stalemate {stalemate}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_and_words_of_all_rules_read_back() {
        let mut bytes = Vec::new();
        for rules in RuleSet::all() {
            assert_eq!(RuleSet::from_bytes(rules.to_bytes()), Some(rules));
            bytes.push(rules.to_bytes());
            let mut set = RuleSet::default();
            for ((name, _), word) in RuleSet::OPTIONS.into_iter().zip(rules.words()) {
                assert!(set.set(name, word));
            }
            assert_eq!(set, rules);
        }
        assert_eq!(RuleSet::default().to_bytes(), [0; 3]);
        for other in [[2, 0, 0], [0, 4, 0], [0, 5, 0], [0, 0, 2], [255; 3]] {
            assert_eq!(RuleSet::from_bytes(other), None);
        }
        bytes.sort_unstable();
        bytes.dedup();
        assert_eq!(bytes.len(), 16);
    }

    #[test]
    fn only_words_of_the_option_are_taken() {
        let mut rules = RuleSet { directions: Directions::Once, ..RuleSet::default() };
        assert!(!rules.set("directions", "loss") && !rules.set("direction", "once") && !rules.set("", ""));
        assert_eq!(rules.directions, Directions::Once);
        assert!(rules.set("directions", "turning"));
        assert_eq!(rules, RuleSet::default());
    }
}
