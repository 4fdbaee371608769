//! The communicators of one process keep the contract of all; that of MPI is tested in `tests/cluster`.

use fanorona::retro::Alone;

use crate::communicator::keeps_the_contract;
use crate::threads;

#[test]
fn a_process_alone_keeps_the_contract() {
    keeps_the_contract(&Alone);
}

#[test]
fn threads_keep_the_contract() {
    for size in [1, 2, 3, 5] {
        let ended = threads::run(size, |group| {
            keeps_the_contract(group);
            Ok::<_, ()>(group.rank())
        });
        assert_eq!(ended, (0..size).map(|rank| Some(Ok(rank))).collect::<Vec<_>>());
    }
}
