//! What every communicator has to do, whatever connects its processes.

use fanorona::retro::Communicator;

/// Words that a process sends another in some round; none, few or many, and others for each.
fn words(round: usize, from: usize, to: usize) -> Vec<u64> {
    let count = match (round + from + 2 * to) % 4 {
        0 => 0,
        3 => 40_000,
        few => few,
    };
    (0..count as u64).map(|word| word << 20 | (round as u64) << 16 | (from as u64) << 8 | to as u64).collect()
}

/// Asserts what is promised of a communicator; every process of it calls this, and none may be left waiting.
pub fn keeps_the_contract(group: &dyn Communicator) {
    let (rank, size) = (group.rank(), group.size());
    assert!(rank < size);
    let own = rank as u64;
    let (of, ranks) = (size as u64, 0..size);

    // Each part comes to the process with its number, in the order of the senders, as often as it is asked for.
    for round in 0..5 {
        let before = group.sent();
        let parts: Vec<Vec<u64>> = ranks.clone().map(|to| words(round, rank, to)).collect();
        let to_others: usize = (0..size).filter(|&to| to != rank).map(|to| parts[to].len()).sum();
        let expected: Vec<Vec<u64>> = ranks.clone().map(|from| words(round, from, rank)).collect();
        assert!(group.exchange(parts) == expected, "round {round}, rank {rank} of {size}");
        assert_eq!(group.sent() - before, 8 * to_others as u64, "what it keeps for itself is not sent");
    }

    // Sums, of no values too, and of values that differ from process to process.
    group.sum(&mut []);
    let mut values = [own, 1, u64::MAX / of];
    group.sum(&mut values);
    assert_eq!(values, [of * (of - 1) / 2, of, u64::MAX / of * of]);

    // From each process in turn; what the others give is of no account.
    for root in ranks.clone() {
        for count in [0, 1, 70_000] {
            let before = group.sent();
            let sent: Vec<u64> = (0..count).map(|word| word * of + root as u64).collect();
            let given = if rank == root { sent.clone() } else { vec![7; rank] };
            assert!(group.broadcast(root, given) == sent, "{count} words from {root}, at {rank} of {size}");
            let expected = if rank == root { 8 * count * (of - 1) } else { 0 };
            assert_eq!(group.sent() - before, expected);
        }
    }

    assert_eq!(group.gather(own * own), (0..of).map(|rank| rank * rank).collect::<Vec<_>>());
    assert_eq!(group.count(true), of);
    assert_eq!(group.count(rank % 2 == 1), of / 2);
    assert_eq!(group.count(false), 0);
    group.barrier();
}
