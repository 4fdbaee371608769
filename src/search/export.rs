//! Certificates out of solutions.

use rayon::prelude::*;

use crate::board::Symmetry;
use crate::proof::{Certificate, Claim, Claimed, Entry, Ranked, TableUse, canonical, replies};
use crate::rules::Rules;

use super::extract::Closed;
use super::mirror::{Canonical, Mirror};
use super::solution::{Solution, Value};

impl Solution {
    /// A certificate of the values found, which relies on those tables. It names replies by the checker's own list of turns.
    #[must_use]
    pub fn certificate(&self, game: &Rules<u64>, tables: Vec<TableUse>) -> Certificate {
        let values = self.moves.iter().map(|effect| (effect.after, effect.value));
        let claims = [(self.position, self.value)].into_iter().chain(values);
        let claims = claims.filter_map(|(position, value)| Some(Claim { position, value: claimed(value)? })).collect();
        let naming = Naming { game, mirror: Mirror::new(game.board()), symmetry: Symmetry::new(game.board().size()) };
        // A position that is won is safe too, and is listed once.
        let safe = naming.named(&self.safe, |position| !self.won.contains_key(position));
        let won = naming.named(&self.won, |_| true);
        Certificate {
            size: game.board().size(),
            rules: game.rules(),
            tables,
            claims,
            safe: safe.into_iter().map(|(entry, _)| entry).collect(),
            won: won
                .into_iter()
                .map(|(Entry { mover, opponent, reply }, rank)| Ranked { mover, opponent, reply, rank })
                .collect(),
        }
    }
}

/// What is claimed of a position of that value.
fn claimed(value: Value) -> Option<Claimed> {
    Some(match value {
        Value::White => Claimed::WhiteWins,
        Value::Black => Claimed::BlackWins,
        Value::Draw => Claimed::Draw,
        Value::WhiteHolds => Claimed::WhiteDoesNotLose,
        Value::BlackHolds => Claimed::BlackDoesNotLose,
        Value::Unknown => return None,
    })
}

struct Naming<'a> {
    game: &'a Rules<u64>,
    mirror: Mirror,
    symmetry: Symmetry,
}

impl Naming<'_> {
    fn named(&self, set: &Closed, keep: impl Fn(&Canonical) -> bool + Sync) -> Vec<(Entry, u32)> {
        let kept = set.par_iter().filter(|(position, _)| keep(position));
        kept.map(|(&position, &extracted)| (self.entry(position, extracted.reply), extracted.rank)).collect()
    }

    fn entry(&self, position: Canonical, reply: Option<Canonical>) -> Entry {
        let (mover, opponent) = canonical(&self.symmetry, position.mover, position.opponent);
        let boards = replies(self.game.board(), self.game.rules(), mover, opponent);
        let is_reply = |&(own, enemy): &(u64, u64)| Some(self.mirror.canonical(enemy, own)) == reply;
        // A reply that the checker's generator does not know gets a number that is refused.
        let missing = if reply.is_some() { boards.len() } else { 0 };
        #[allow(clippy::cast_possible_truncation)] // a position has few turns
        let reply = boards.iter().position(is_reply).unwrap_or(missing) as u32;
        Entry { mover, opponent, reply }
    }
}
