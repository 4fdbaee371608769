//! What is fuzzed: for each kind of input a body that takes any bytes and panics if something about them is not as it should be.
//!
//! `cargo fuzz` calls them by way of `targets`; `tests/fuzz_corpus` calls them on stable with what has been kept of its finds.
#![allow(dead_code)] // each user uses some of it

pub mod certificate;
pub mod checkpoint;
pub mod moves;
pub mod position;
pub mod record;
pub mod router;
pub mod table;

/// A fuzz target.
pub struct Target {
    /// The name of its corpus.
    pub name: &'static str,
    /// Its body.
    pub run: fn(&[u8]),
    /// Inputs to begin with.
    pub seeds: fn() -> Vec<Vec<u8>>,
}

/// Every target.
pub const TARGETS: [Target; 7] = [
    Target { name: "position", run: position::run, seeds: position::seeds },
    Target { name: "moves", run: moves::run, seeds: moves::seeds },
    Target { name: "record", run: record::run, seeds: record::seeds },
    Target { name: "table", run: table::run, seeds: table::seeds },
    Target { name: "certificate", run: certificate::run, seeds: certificate::seeds },
    Target { name: "checkpoint", run: checkpoint::run, seeds: checkpoint::seeds },
    Target { name: "router", run: router::run, seeds: router::seeds },
];

/// The longest message, in bytes: two dozen turns of the longest kind.
const LONGEST_MESSAGE: usize = 8 << 10;

/// Asserts that a message is a line of bounded length without control characters.
pub fn check_message(message: &str) {
    assert!(!message.is_empty() && message.len() <= LONGEST_MESSAGE, "{} bytes: {message}", message.len());
    assert!(!message.contains(char::is_control), "a control character: {message:?}");
}

/// Bytes that are taken off the front; zeros when they have come to an end.
pub struct Input<'a>(pub &'a [u8]);

impl<'a> Input<'a> {
    pub fn bytes(&mut self, count: usize) -> &'a [u8] {
        let (taken, rest) = self.0.split_at(count.min(self.0.len()));
        self.0 = rest;
        taken
    }

    pub fn number(&mut self, bytes: usize) -> u64 {
        self.bytes(bytes).iter().rev().fold(0, |number, &byte| number << 8 | u64::from(byte))
    }

    pub fn index(&mut self, below: usize) -> usize {
        usize::from(self.bytes(1).first().copied().unwrap_or_default()) % below
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}
