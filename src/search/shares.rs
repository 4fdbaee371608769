//! How a search that continues from a checkpoint shares its work with one that begins afresh.
//!
//! What a checkpoint says is a hint. An honest one saves the work that it holds; a false one can lead a search astray for ever.
//! Nothing in the file tells which it is. So a second search, which knows nothing of it, has every tenth node, and the first that
//! has the answer to a question with its proof ends both for it. Then a checkpoint costs at most sixteen times the nodes of a search
//! without it in the memory of the fresh one, or [`FIRST`] nodes more, whichever is greater; and an honest one loses a tenth of all work,
//! that before the interruption included.

/// Nodes of the first stint, which is that of the checkpoint.
const FIRST: u64 = 1 << 20;

/// The fresh search has one node in this many.
const SHARE: u64 = 10;

/// The work of both searches so far, in nodes.
#[derive(Debug)]
pub struct Shares {
    /// Of the search that continues: before it was interrupted, as the checkpoint says, and since.
    continued: u64,
    /// Of the fresh one.
    fresh: u64,
    /// What the next stint of the fresh search is a share of. It grows by half at a time.
    whole: u64,
}

/// Which of the two searches is at work.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stint {
    /// The one that continues.
    Continued,
    /// The fresh one.
    Fresh,
}

impl Shares {
    /// With that much work before.
    pub fn new(before: u64) -> Self {
        Self { continued: before, fresh: 0, whole: 0 }
    }

    /// Whose turn it is, and for how many nodes.
    pub fn next(&mut self) -> (Stint, u64) {
        if self.whole == 0 {
            self.whole = self.continued.saturating_add(FIRST).max(SHARE * FIRST);
            return (Stint::Continued, FIRST);
        }
        loop {
            let (fresh, continued) = (self.whole / SHARE, self.whole.saturating_add(self.whole / 2));
            if self.fresh < fresh {
                return (Stint::Fresh, fresh - self.fresh);
            }
            self.whole = continued;
            if self.continued < continued {
                return (Stint::Continued, continued - self.continued);
            }
        }
    }

    /// Counts the work of a stint.
    pub fn count(&mut self, stint: Stint, nodes: u64) {
        let counted = if stint == Stint::Fresh { &mut self.fresh } else { &mut self.continued };
        *counted = counted.saturating_add(nodes);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Work of both until one has had enough: for the search that continues, or for the fresh one.
    fn until(before: u64, enough: [Option<u64>; 2]) -> [u64; 2] {
        let (mut shares, mut done) = (Shares::new(before), [0, 0]);
        loop {
            let (stint, nodes) = shares.next();
            let which = usize::from(stint == Stint::Fresh);
            let nodes = enough[which].map_or(nodes, |enough| nodes.min(enough - done[which]));
            done[which] += nodes;
            shares.count(stint, nodes);
            if enough[which] == Some(done[which]) {
                return done;
            }
        }
    }

    #[test]
    fn a_false_checkpoint_costs_a_small_multiple_whatever_it_claims() {
        for claimed in [0, 1, FIRST, 1 << 30, 1 << 50, u64::MAX] {
            for needed in [1, FIRST / 2, FIRST, 20 * FIRST, 12_345 * FIRST] {
                let [continued, fresh] = until(claimed, [None, Some(needed)]);
                assert!(fresh == needed && continued <= FIRST.max(15 * needed), "{claimed} {needed}: {continued}");
            }
        }
    }

    #[test]
    fn an_honest_checkpoint_loses_a_tenth() {
        for before in [0, 1, FIRST, 1 << 30, 1 << 40] {
            for left in [1, FIRST, 9 * FIRST, 100 * FIRST, before / 10 + 1, before + 1, 7 * before + 1] {
                let [continued, fresh] = until(before, [Some(left), None]);
                assert_eq!(continued, left);
                assert!(fresh <= (before + left) / SHARE + FIRST, "{before} {left}: {fresh}");
                assert!(left > FIRST || fresh == 0);
            }
        }
    }
}
