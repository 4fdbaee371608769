//! How far a search is, and whether it continues.

use std::sync::atomic::Ordering;

use super::canonical::Canonical;
use super::dfpn::Shared;
use super::error::SolveError;
use super::expand::Child;
use super::numbers::Numbers;
use super::transposition::TranspositionTable;

/// Plies of the main line that are shown.
const LINE: usize = 12;

/// Whether a search continues, as its observer decides.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Control {
    /// It continues.
    Continue,
    /// It stops; what has been found stays in the table.
    Stop,
}

impl Control {
    /// An error if the search has to stop.
    pub(super) fn check(self) -> Result<(), SolveError> {
        if self == Self::Stop { Err(SolveError::Stopped) } else { Ok(()) }
    }
}

/// How far a search has come.
#[derive(Clone, Debug)]
pub struct Progress<'a> {
    /// Positions expanded since the solver was made.
    pub nodes: u64,
    /// Turns that the rules, tables, certificates or strongholds settled since then.
    pub probes: u64,
    /// The numbers of the root, seen by its side to move.
    pub numbers: Option<Numbers>,
    /// The table that a checkpoint saves, not that of a fresh search beside it.
    pub entries: TranspositionTable<'a>,
    /// If the search waits for strongholds: the share of them that is made, from 0 to 1.
    pub strongholds: Option<f64>,
    /// The line that is being searched, as boards: the root first.
    pub line: Vec<Canonical>,
}

/// How far a search is.
pub fn progress<'a>(shared: &Shared<'a>, root: Canonical, attacker_moves: bool) -> Progress<'a> {
    let (line, numbers) = main_line(shared, root, attacker_moves);
    Progress {
        nodes: shared.nodes.load(Ordering::Relaxed),
        probes: shared.probes.load(Ordering::Relaxed),
        numbers,
        entries: shared.kept,
        strongholds: None,
        line,
    }
}

/// The line of most promising children that the table knows, and the numbers of the root that follow from the last of it. The
/// root's own entry, and those of the line, say what was known when the search left them, which may be long ago.
fn main_line(shared: &Shared<'_>, root: Canonical, attacker_moves: bool) -> (Vec<Canonical>, Option<Numbers>) {
    let mut line = vec![root];
    let mut mover_attacks = attacker_moves;
    // The children of each position of the line, and which of them is next.
    let mut families: Vec<(Vec<Child>, Option<usize>)> = Vec::new();
    while line.len() <= LINE {
        let mut children = Vec::new();
        let expanded =
            shared.expander.expand(line[line.len() - 1], mover_attacks, &shared.entries, |_| None, &mut children);
        if expanded.is_err() {
            break;
        }
        let known = |child: &Child| !child.fixed && shared.entries.get(child.key).is_some();
        let open = children.iter().enumerate().filter(|(_, child)| known(child));
        let best = open.min_by_key(|(_, child)| child.numbers.delta).map(|(number, _)| number);
        let next = best.filter(|&best| !line.contains(&children[best].position));
        line.extend(next.map(|next| children[next].position));
        families.push((children, next));
        if next.is_none() {
            break;
        }
        mover_attacks = !mover_attacks;
    }
    let mut numbers = None;
    for (mut children, next) in families.into_iter().rev() {
        if let (Some(next), Some(numbers)) = (next, numbers) {
            children[next].numbers = numbers;
        }
        numbers = Some(shared.expander.tuning.parent(0, children.iter().map(|child| child.numbers)));
    }
    (line, numbers)
}
