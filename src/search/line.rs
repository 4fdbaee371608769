//! Lines of play: from canonical positions back to turns on the board, and best lines out of closed sets.

use crate::rules::{Position, Rules, Turn};

use super::extract::Closed;
use super::mirror::{Canonical, Mirror};
use super::solution::{Solution, Value};

/// The turn that leads to a position, or to an image of it.
fn turn_to(
    game: &Rules<u64>,
    mirror: &Mirror,
    position: &Position<u64>,
    goal: Canonical,
) -> Option<(Turn, Position<u64>)> {
    let turns = game.turns(position);
    turns.into_iter().find(|(_, after)| mirror.canonical(after.mover(), after.opponent()) == goal)
}

/// The turns from a position along others, the first of which is its own image; as far as they follow each other.
#[must_use]
pub fn turns_along(game: &Rules<u64>, position: &Position<u64>, line: &[Canonical]) -> Vec<(Turn, Position<u64>)> {
    let mirror = Mirror::new(game.board());
    let mut turns: Vec<(Turn, Position<u64>)> = Vec::new();
    for &goal in line.iter().skip(1) {
        let current = turns.last().map_or(*position, |(_, after)| *after);
        let Some(next) = turn_to(game, &mirror, &current, goal) else { break };
        turns.push(next);
    }
    turns
}

impl Solution {
    /// A line of best play as the closed sets have it, until tables take over, a position comes back, or `most` turns are
    /// made. The winner keeps to the set; the loser holds out as long as the set lets it; in a draw both keep to theirs.
    /// Nothing if the value is not known exactly.
    #[must_use]
    pub fn main_line(&self, game: &Rules<u64>, most: usize) -> Vec<(Turn, Position<u64>)> {
        let mirror = Mirror::new(game.board());
        let mut turns: Vec<(Turn, Position<u64>)> = Vec::new();
        let mut seen = Vec::new();
        let most = if self.value.is_exact() { most } else { 0 };
        while turns.len() < most {
            let current = turns.last().map_or(self.position, |(_, after)| *after);
            let canonical = mirror.canonical(current.mover(), current.opponent());
            if seen.contains(&canonical) {
                break;
            }
            seen.push(canonical);
            let reply = |set: &Closed| set.get(&canonical).and_then(|extracted| extracted.reply);
            let set = if self.value == Value::Draw { &self.safe } else { &self.won };
            let next = match reply(set) {
                Some(reply) => turn_to(game, &mirror, &current, reply),
                None if self.value == Value::Draw => None,
                None => {
                    let rank = |after: &Position<u64>| {
                        set.get(&mirror.canonical(after.mover(), after.opponent())).map(|extracted| extracted.rank)
                    };
                    // Where nothing has a rank, tables have taken over.
                    let turns = game.turns(&current).into_iter().filter(|(_, after)| rank(after).is_some());
                    turns.max_by_key(|(_, after)| rank(after))
                }
            };
            let Some(next) = next else { break };
            turns.push(next);
        }
        turns
    }
}
