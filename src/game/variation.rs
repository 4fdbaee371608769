//! Variations: moves that were played or considered instead of those of a game.
//!
//! Records nest them in parentheses. Here each is a line from where it leaves the game, so that a variation of a variation has
//! the moves before it as well; [`tree`] makes a tree of them, and [`lines`] makes lines of the tree, always in the same order.

use serde::{Deserialize, Serialize};

/// The most variations of a game.
pub const MAX_VARIATIONS: usize = 500;

/// The most moves that all variations of a game have together.
pub const MAX_VARIATION_MOVES: usize = 20_000;

/// Whether variations with these numbers of moves are too many for a game.
pub fn are_too_many(lengths: impl IntoIterator<Item = usize>) -> bool {
    let (mut variations, mut moves) = (0, 0);
    for length in lengths {
        (variations, moves) = (variations + 1, moves + length);
    }
    variations > MAX_VARIATIONS || moves > MAX_VARIATION_MOVES
}

/// Moves instead of those of a game.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Variation {
    /// The number of turns of the game before them.
    pub ply: usize,
    /// The moves.
    pub moves: Vec<String>,
}

/// A line that leaves another one, with those that leave it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Branch<'a> {
    /// The number of turns before its first.
    pub ply: usize,
    /// Its moves.
    pub moves: &'a [String],
    /// Lines that leave it, in the order of their plies.
    pub branches: Vec<Branch<'a>>,
}

/// The tree of the variations of a game with these moves.
pub fn tree<'a>(game: &[String], variations: &'a [Variation]) -> Vec<Branch<'a>> {
    branches(0, game, variations.iter().map(|variation| (variation.ply, &variation.moves[..])))
}

/// The tree of variations of a line that begins after `ply` turns. What repeats the line is left out; one that goes on where the line
/// ends begins there.
fn branches<'a>(
    ply: usize,
    line: &[String],
    variations: impl Iterator<Item = (usize, &'a [String])>,
) -> Vec<Branch<'a>> {
    let mut left: Vec<(usize, &[String])> = variations.filter_map(|variation| leaving(ply, line, variation)).collect();
    left.sort_by_key(|&(ply, _)| ply);
    let mut found = Vec::new();
    while let Some(&(ply, moves)) = left.first() {
        // All that go on with the same move are one branch.
        let (same, others): (Vec<_>, _) =
            left.into_iter().partition(|other| other.0 == ply && other.1.first() == moves.first());
        left = others;
        found.push(Branch { ply, moves, branches: branches(ply, moves, same.into_iter().skip(1)) });
    }
    found
}

/// A variation from where it leaves a line; `None` if it does not.
fn leaving<'a>(begin: usize, line: &[String], (ply, moves): (usize, &'a [String])) -> Option<(usize, &'a [String])> {
    let rest = line.get(ply.checked_sub(begin)?..)?;
    let same = rest.iter().zip(moves).take_while(|(one, other)| one == other).count();
    (same < moves.len()).then(|| (ply + same, &moves[same..]))
}

/// The variations of a tree, each from where it leaves the game.
pub fn lines(tree: &[Branch<'_>]) -> Vec<Variation> {
    fn add(branch: &Branch<'_>, ply: usize, before: &[String], found: &mut Vec<Variation>) {
        let moves: Vec<String> = before.iter().chain(branch.moves).cloned().collect();
        found.push(Variation { ply, moves: moves.clone() });
        for inner in &branch.branches {
            add(inner, ply, &moves[..inner.ply - ply], found);
        }
    }
    let mut found = Vec::new();
    for branch in tree {
        add(branch, branch.ply, &[], &mut found);
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn words(text: &str) -> Vec<String> {
        text.split_whitespace().map(str::to_owned).collect()
    }

    #[test]
    fn lines_become_a_tree_and_lines_again() {
        let game = words("a b c");
        let given = [
            (0, "x y z"),
            (1, "d"),
            (0, "x v"),
            (0, "a b e"),
            (0, "x y"),
            (1, "b"),
            (0, "w"),
            (3, "f"),
            (0, "x y z u"),
        ];
        let found = lines(&tree(&game, &given.map(|(ply, text)| Variation { ply, moves: words(text) })));
        let shown: Vec<(usize, String)> = found.iter().map(|line| (line.ply, line.moves.join(" "))).collect();
        let expected = [(0, "x y z"), (0, "x v"), (0, "x y z u"), (0, "w"), (1, "d"), (2, "e"), (3, "f")];
        assert_eq!(shown, expected.map(|(ply, text)| (ply, text.to_owned())));
        assert_eq!(lines(&tree(&game, &found)), found);
    }
}
