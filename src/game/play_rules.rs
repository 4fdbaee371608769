//! The rules of play: those of the tables, and those that players may add.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, Diagonals, excerpt};
use crate::rules::{Continuation, Directions, RuleSet, Side, Stalemate};

/// A side bound by vela may not capture while it has more stones than this.
pub const VELA_STONES: usize = 5;

/// The rules of play. The default is the default [`RuleSet`] with a draw at the third occurrence of a position, so that no game
/// circles for ever, and without other additions.
///
/// **Sacrifice.** Instead of moving, a side may designate one of its stones, even where it could capture. The stone stays
/// through the next turn of the opponent as a *block*: it keeps its point, cannot be captured and ends runs of captured
/// stones. After that turn it is removed; an owner with no other stones has lost then. It never blocks its owner, whose turn
/// begins after it is removed.
///
/// **Vela.** The side that is *bound* may not capture as long as it has more than five stones. It steps to any empty point
/// along a line, and captures nothing even where another side would have to; it may sacrifice if the rules allow it. With
/// no empty point to step to it has no move, which counts as stalemate.
///
/// **Time.** A side that takes more than [`move_time`](Self::move_time) for a turn loses.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlayRules {
    /// Which points are strong.
    pub diagonals: Diagonals,
    /// Whether chains may stop early.
    pub continuation: Continuation,
    /// Which directions the steps of a chain may take.
    pub directions: Directions,
    /// The result for a side that has no legal move.
    pub stalemate: Stalemate,
    /// Whether a side may sacrifice a stone instead of moving.
    pub sacrifice: bool,
    /// The side that is bound by vela, if any.
    pub vela: Option<Side>,
    /// After this many turns of both sides together the game is a draw.
    pub move_limit: Option<u32>,
    /// The longest time for a turn, in milliseconds.
    pub move_time: Option<u64>,
    /// Whether the third occurrence of a position is a draw. Positions are the same if they have the same stones, side to move
    /// and block.
    pub repetition: bool,
}

impl Default for PlayRules {
    fn default() -> Self {
        RuleSet::default().into()
    }
}

impl From<RuleSet> for PlayRules {
    fn from(rules: RuleSet) -> Self {
        let RuleSet { diagonals, continuation, directions, stalemate } = rules;
        Self {
            diagonals,
            continuation,
            directions,
            stalemate,
            sacrifice: false,
            vela: None,
            move_limit: None,
            move_time: None,
            repetition: true,
        }
    }
}

impl PlayRules {
    /// The part of the rules that tables are built for.
    #[must_use]
    pub fn table_rules(&self) -> RuleSet {
        let Self { diagonals, continuation, directions, stalemate, .. } = *self;
        RuleSet { diagonals, continuation, directions, stalemate }
    }

    /// Sets an option of the [table rules](Self::table_rules) by name; returns whether there is such an option with that word.
    pub fn set(&mut self, option: &str, word: &str) -> bool {
        let mut table_rules = self.table_rules();
        let known = table_rules.set(option, word);
        let RuleSet { diagonals, continuation, directions, stalemate } = table_rules;
        *self = Self { diagonals, continuation, directions, stalemate, ..*self };
        known
    }

    /// The move limit of the game specification: ten turns for each row.
    #[must_use]
    pub fn usual_move_limit(size: BoardSize) -> u32 {
        // At most 13 rows.
        u32::try_from(10 * size.rows()).unwrap_or(u32::MAX)
    }

    /// Parses what [`Display`](fmt::Display) writes. Additions that are not named do not apply; the rules of tables have their
    /// defaults.
    ///
    /// # Errors
    /// A sentence that names the word that is not a rule.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut rules = Self { repetition: false, ..Self::default() };
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let words: Vec<&str> = part.split_whitespace().collect();
            let number = |word: &str| word.parse::<u64>().ok().filter(|&number| number > 0);
            match words[..] {
                [option, word] if rules.set(option, word) => {}
                ["sacrifice"] => rules.sacrifice = true,
                ["vela", "white"] => rules.vela = Some(Side::White),
                ["vela", "black"] => rules.vela = Some(Side::Black),
                ["move-limit", turns] if number(turns).is_some_and(|turns| u32::try_from(turns).is_ok()) => {
                    rules.move_limit = turns.parse().ok();
                }
                ["move-time", time] if number(time).is_some() => rules.move_time = number(time),
                ["repetition"] => rules.repetition = true,
                _ => {
                    let part = excerpt(part);
                    return Err(format!(
                        "{part:?} is not a rule; rules are {}, sacrifice, vela white|black, move-limit TURNS, move-time MILLISECONDS, \
                         repetition",
                        RuleSet::OPTIONS.map(|(option, words)| format!("{option} {}", words.join("|"))).join(", ")
                    ));
                }
            }
        }
        Ok(rules)
    }
}

/// The table rules, then the additions: `…, stalemate loss, sacrifice, vela white, move-limit 50,
/// move-time 5000, repetition`.
impl fmt::Display for PlayRules {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", self.table_rules())?;
        if self.sacrifice {
            f.write_str(", sacrifice")?;
        }
        match self.vela {
            Some(Side::White) => f.write_str(", vela white")?,
            Some(Side::Black) => f.write_str(", vela black")?,
            None => {}
        }
        if let Some(turns) = self.move_limit {
            write!(f, ", move-limit {turns}")?;
        }
        if let Some(time) = self.move_time {
            write!(f, ", move-time {time}")?;
        }
        if self.repetition {
            f.write_str(", repetition")?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rules_read_back() {
        let mut all = Vec::new();
        for table in RuleSet::all() {
            for bits in 0..64u32 {
                let on = |bit: u32| bits >> bit & 1 == 1;
                let vela =
                    [None, Some(Side::White), Some(Side::Black), None][usize::from(on(0)) + 2 * usize::from(on(1))];
                let move_limit = on(2).then_some(50);
                let move_time = on(3).then_some(5_000);
                let (sacrifice, repetition) = (on(4), on(5));
                all.push(PlayRules { sacrifice, vela, move_limit, move_time, repetition, ..table.into() });
            }
        }
        for rules in all {
            assert_eq!(PlayRules::from_text(&rules.to_string()), Ok(rules), "{rules}");
        }
        assert_eq!(PlayRules::from_text("repetition"), Ok(PlayRules::default()));
        for bad in ["sacrifices", "vela red", "move-limit", "move-limit 0", "move-limit 5000000000", "move-time -1"] {
            let error = PlayRules::from_text(&format!("repetition, {bad}")).unwrap_err();
            assert!(error.starts_with(&format!("{bad:?} is not a rule")), "{error}");
        }
    }
}
