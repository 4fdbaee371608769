//! The rules of a game that is played: those that tables know, and those that only players agree on.

use std::fmt;

use serde::{Deserialize, Serialize};

use crate::board::{BoardSize, Diagonals, excerpt};
use crate::rules::{Continuation, RuleSet, Side, Stalemate};

/// A side bound by vela may not capture before it has so few stones.
pub const VELA_STONES: usize = 5;

/// The rules of a game that is played. The default is the default [`RuleSet`], and nothing more.
///
/// **Sacrifice.** Instead of moving, a side may designate one of its stones, even where it could capture. The stone stands
/// through the next turn of the opponent as a *block*: it keeps its point, cannot be captured and ends the runs of stones
/// that are. After that turn it is gone; an owner with no other stones has lost then. It never is in the way of
/// its owner, whose turn begins without it.
///
/// **Vela.** The side that is *bound* may not capture as long as it has more than five stones. It steps to any empty point
/// along a line, and captures nothing even where another side would have to; it may sacrifice where that is on. With
/// no empty point to step to it has no move, and what that means is what stalemate means.
///
/// **Time.** The side that takes more than [`move_time`](Self::move_time) for a turn has lost.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash, Serialize, Deserialize)]
#[serde(default, deny_unknown_fields)]
pub struct PlayRules {
    /// Which points are strong.
    pub diagonals: Diagonals,
    /// Whether chains may stop early.
    pub continuation: Continuation,
    /// What it means to have no legal move.
    pub stalemate: Stalemate,
    /// Whether a side may sacrifice a stone instead of moving.
    pub sacrifice: bool,
    /// The side that is bound by vela, if one is.
    pub vela: Option<Side>,
    /// After so many turns, those of both sides counted, the game is a tie.
    pub move_limit: Option<u32>,
    /// Milliseconds that a turn may take.
    pub move_time: Option<u64>,
    /// Whether a position that stands for the third time makes a draw. Positions are the same if their stones, their side to
    /// move and their block are.
    pub repetition: bool,
}

impl From<RuleSet> for PlayRules {
    fn from(rules: RuleSet) -> Self {
        let RuleSet { diagonals, continuation, stalemate } = rules;
        Self { diagonals, continuation, stalemate, ..Self::default() }
    }
}

impl PlayRules {
    /// The part of the rules that tables know.
    #[must_use]
    pub fn table_rules(&self) -> RuleSet {
        RuleSet { diagonals: self.diagonals, continuation: self.continuation, stalemate: self.stalemate }
    }

    /// The move limit of the game specification: ten turns for each row.
    #[must_use]
    pub fn usual_move_limit(size: BoardSize) -> u32 {
        // At most 13 rows.
        u32::try_from(10 * size.rows()).unwrap_or(u32::MAX)
    }

    /// Reads what [`Display`](fmt::Display) writes; what is not named is as by default.
    ///
    /// # Errors
    /// A sentence that says which word is no rule.
    pub fn from_text(text: &str) -> Result<Self, String> {
        let mut rules = Self::default();
        for part in text.split(',').map(str::trim).filter(|part| !part.is_empty()) {
            let words: Vec<&str> = part.split_whitespace().collect();
            let number = |word: &str| word.parse::<u64>().ok().filter(|&number| number > 0);
            match words[..] {
                ["diagonals", "corner"] => rules.diagonals = Diagonals::Corner,
                ["diagonals", "centre"] => rules.diagonals = Diagonals::Centre,
                ["continuation", "optional"] => rules.continuation = Continuation::Optional,
                ["continuation", "obligatory"] => rules.continuation = Continuation::Obligatory,
                ["stalemate", "loss"] => rules.stalemate = Stalemate::Loss,
                ["stalemate", "draw"] => rules.stalemate = Stalemate::Draw,
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
                        "{part:?} is none of the rules: diagonals corner|centre, continuation optional|obligatory, stalemate \
                         loss|draw, sacrifice, vela white|black, move-limit TURNS, move-time MILLISECONDS, repetition"
                    ));
                }
            }
        }
        Ok(rules)
    }
}

/// Written like the table rules, what is on after them: `…, stalemate loss, sacrifice, vela white, move-limit 50,
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
        assert_eq!(PlayRules::from_text(""), Ok(PlayRules::default()));
        for bad in ["sacrifices", "vela red", "move-limit", "move-limit 0", "move-limit 5000000000", "move-time -1"] {
            let error = PlayRules::from_text(&format!("repetition, {bad}")).unwrap_err();
            assert!(error.starts_with(&format!("{bad:?} is none")), "{error}");
        }
    }
}
