//! Certificates: what is proved is accepted, and nothing else.

mod oracle;
mod prover;

use fanorona::proof::{Certificate, NoTables, check};
use fanorona::rules::RuleSet;
use prover::Solved;

#[test]
fn complete_proofs_of_small_boards() {
    for (board, rules) in ["3x3", "3x5", "5x3"].into_iter().zip(std::iter::repeat(RuleSet::default())) {
        let time = std::time::Instant::now();
        let mut certificate = Solved::start(board, rules).prove(0, Vec::new());
        eprintln!("{board} {} {} {:?}", certificate.safe.len(), certificate.won.len(), time.elapsed());
        let folder = tempfile::tempdir().expect("a temporary folder");
        let path = folder.path().join("proof.fan");
        let bytes = certificate.write(&path).expect("a file");
        eprintln!("{bytes}");
        let read = Certificate::read(&path).expect("a certificate");
        assert_eq!(read, certificate);
        check(&read, &NoTables, |_| ()).unwrap();
    }
}
