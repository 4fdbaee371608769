//! Prints where a search has spent its nodes: the moves that took most of them, from a checkpoint of `fanorona solve`.
//!
//! `search_tree CHECKPOINT BOARD SIDE POSITION [LEAST [PLIES]]`: the question whether SIDE can win in POSITION (or `start`), under the
//! default rules. A line is a move after which the search has expanded LEAST positions or more (a million by default), at most PLIES
//! deep (40): the nodes in millions, to an eighth, proof and disproof number, stones, and the position. What is settled, or has been printed
//! further up (…), is a leaf.

mod question;

use std::collections::{HashMap, HashSet};
use std::error::Error;
use std::path::Path;

use fanorona::BoardSize;
use fanorona::board::Board;
use fanorona::rules::{Position, RuleSet, Rules, Side, turn_text};
use fanorona::search::{CheckpointError, Effort, Key, Mirror, TtEntry, read};

use question::parse_question;

/// The entries that are large enough to be shown, of a question.
struct Tree {
    size: BoardSize,
    rules: Rules<u64>,
    mirror: Mirror,
    attacker: Side,
    entries: HashMap<Key, TtEntry>,
    plies: usize,
    printed: HashSet<Key>,
}

impl Tree {
    /// Prints the moves of a position, those with most work first, each followed by those that answer it.
    #[allow(clippy::cast_precision_loss)] // millions
    fn print(&mut self, position: &Position<u64>, ply: usize) {
        if ply == self.plies {
            return;
        }
        let mut seen = HashSet::new();
        let mut moves = Vec::new();
        for (turn, after) in self.rules.turns(position) {
            let attacks = after.to_move == self.attacker;
            let key = self.mirror.canonical(after.mover(), after.opponent()).key(attacks);
            if let Some(entry) = self.entries.get(&key)
                && seen.insert(key)
            {
                let (phi, delta) = (entry.numbers.phi, entry.numbers.delta);
                let (proof, disproof) = if attacks { (phi, delta) } else { (delta, phi) };
                moves.push((entry.effort, turn, after, key, proof, disproof));
            }
        }
        moves.sort_by_key(|found| std::cmp::Reverse(found.0));
        for (effort, turn, after, key, proof, disproof) in moves {
            let nodes = effort.nodes() as f64 / 1e6;
            let stones = (after.mover() | after.opponent()).count_ones();
            let (turn, text) = (turn_text(self.size, &turn), after.to_text(self.size));
            let is_new = self.printed.insert(key);
            let again = if is_new { "" } else { " …" };
            println!("{:1$}{turn}  {nodes:.2} M, {proof} and {disproof}, {stones} stones  {text}{again}", "", 2 * ply);
            if is_new && proof > 0 && disproof > 0 {
                self.print(&after, ply + 1);
            }
        }
    }
}

fn main() -> Result<(), Box<dyn Error + Send + Sync>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [checkpoint, board, attacker, position, more @ ..] = &*arguments else {
        return Err("give a checkpoint, a board, white or black, and a position or start".into());
    };
    let (size, attacker, position) = parse_question(board, attacker, position)?;
    let least = Effort::of(more.first().map_or(Ok(1_000_000), |text| text.parse())?);
    let plies = more.get(1).map_or(Ok(40), |text| text.parse())?;
    let rule_set = RuleSet::default();
    let rules = Rules::new(Board::new(size, rule_set.diagonals), rule_set);
    let mut entries = HashMap::new();
    let (_, done) = read(Path::new(checkpoint), size, rule_set, |piece| {
        entries.extend(piece.iter().filter(|(_, entry)| entry.effort >= least).copied());
        Ok::<_, CheckpointError>(())
    })?;
    println!("{} nodes in all", done.nodes);
    let mirror = Mirror::new(rules.board().size());
    Tree { size, rules, mirror, attacker, entries, plies, printed: HashSet::new() }.print(&position, 0);
    Ok(())
}
