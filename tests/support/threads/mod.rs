//! Ranks of a build as threads of one process.

use std::panic::resume_unwind;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};

use fanorona::retro::Communicator;

/// What the ranks have in common.
struct Group {
    meeting: Mutex<Meeting>,
    changed: Condvar,
}

struct Meeting {
    /// By sender, then receiver, from those who have come.
    given: Vec<Option<Vec<Vec<u64>>>>,
    /// By receiver, then sender.
    taken: Vec<Vec<Vec<u64>>>,
    /// How many meetings there were.
    number: usize,
    /// Some rank has ended without coming.
    broken: bool,
}

struct Rank<'g> {
    group: &'g Group,
    number: usize,
    size: usize,
    sent: AtomicU64,
}

/// What a rank dies of when another is dead.
struct Abandoned;

impl Group {
    fn meeting(&self) -> MutexGuard<'_, Meeting> {
        self.meeting.lock().expect("nobody panics here")
    }

    fn wait(&self, until: impl Fn(&Meeting) -> bool) -> MutexGuard<'_, Meeting> {
        let meeting = self.meeting();
        let meeting = self.changed.wait_while(meeting, |meeting| !meeting.broken && !until(meeting));
        let meeting = meeting.expect("nobody panics here");
        if meeting.broken {
            drop(meeting);
            resume_unwind(Box::new(Abandoned));
        }
        meeting
    }
}

impl Rank<'_> {
    /// Hands over the parts when all have come, and takes those for this rank.
    fn meet(&self, parts: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        assert_eq!(parts.len(), self.size);
        let mut meeting = self.group.meeting();
        let number = meeting.number;
        assert!(meeting.given[self.number].replace(parts).is_none());
        if meeting.given.iter().all(Option::is_some) {
            let mut given: Vec<_> = meeting.given.iter_mut().map(|parts| parts.take().expect("all came")).collect();
            meeting.taken = (0..self.size)
                .map(|receiver| given.iter_mut().map(|parts| std::mem::take(&mut parts[receiver])).collect())
                .collect();
            meeting.number += 1;
            self.group.changed.notify_all();
        }
        drop(meeting);
        let mut meeting = self.group.wait(|meeting| meeting.number > number);
        std::mem::take(&mut meeting.taken[self.number])
    }

    fn count(&self, words: usize) {
        self.sent.fetch_add(8 * words as u64, Ordering::Relaxed);
    }
}

impl Communicator for Rank<'_> {
    fn rank(&self) -> usize {
        self.number
    }

    fn size(&self) -> usize {
        self.size
    }

    fn exchange(&self, parts: Vec<Vec<u64>>) -> Vec<Vec<u64>> {
        self.count(parts.iter().map(Vec::len).sum::<usize>() - parts[self.number].len());
        self.meet(parts)
    }

    fn sum(&self, values: &mut [u64]) {
        let all = self.meet(vec![values.to_vec(); self.size]);
        for (place, value) in values.iter_mut().enumerate() {
            *value = all.iter().map(|values| values[place]).sum();
        }
    }

    fn broadcast(&self, root: usize, words: Vec<u64>) -> Vec<u64> {
        let words = if self.number == root { words } else { Vec::new() };
        self.count(words.len() * (self.size - 1));
        self.meet(vec![words; self.size]).swap_remove(root)
    }

    fn sent(&self) -> u64 {
        self.sent.load(Ordering::Relaxed)
    }
}

/// Runs `size` ranks, each on its own thread, and gives what they return; nothing for those that did not come to an end because
/// another had failed.
pub fn run<T: Send, E: Send>(
    size: usize,
    work: impl Fn(&dyn Communicator) -> Result<T, E> + Sync,
) -> Vec<Option<Result<T, E>>> {
    let given = (0..size).map(|_| None).collect();
    let meeting = Mutex::new(Meeting { given, taken: Vec::new(), number: 0, broken: false });
    let (group, work) = (Group { meeting, changed: Condvar::new() }, &work);
    let body = |number: usize| {
        let (group, rank) = (&group, Rank { group: &group, number, size, sent: AtomicU64::new(0) });
        let pool = rayon::ThreadPoolBuilder::new().num_threads(1).build().expect("a thread");
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| pool.install(|| work(&rank))));
        if !matches!(ended, Ok(Ok(_))) {
            group.meeting().broken = true;
            group.changed.notify_all();
        }
        match ended {
            Ok(result) => Some(result),
            Err(panic) if panic.is::<Abandoned>() => None,
            Err(panic) => resume_unwind(panic),
        }
    };
    std::thread::scope(|scope| {
        let ranks: Vec<_> = (0..size).map(|number| scope.spawn(move || body(number))).collect();
        ranks.into_iter().map(|rank| rank.join().unwrap_or_else(|panic| resume_unwind(panic))).collect()
    })
}
