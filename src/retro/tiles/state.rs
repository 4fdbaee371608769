//! What is known of the work on a pair, small enough to be written again after every half pass.

use bincode::{Decode, Encode};
use xxhash_rust::xxh3::xxh3_128;

use super::layout::{Layout, OPEN};
use super::log::Segment;

/// Version of scratch files and their records; others are thrown away.
const VERSION: u64 = 6;

const CONFIG: bincode::config::Configuration = bincode::config::standard();

/// A band: which part of the log is in it, and what its planes have to be then.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct BandState {
    /// Paikas have been followed in it; before that, its open positions are all quiet ones and are not in the store.
    pub visited: bool,
    /// How often the band was written anew.
    pub generation: u64,
    /// Checksums of the planes with everything merged that is known to be in them.
    pub sums: [u64; 3],
    /// Entries from other bands, and how many segments of them are in the planes.
    pub mail: Vec<Segment>,
    /// See `mail`.
    pub seen: u64,
    /// Entries for the open positions from the band itself, which are all in the planes.
    pub own: Vec<Segment>,
}

impl BandState {
    /// Whether there is something to do.
    pub fn is_due(&self) -> bool {
        !self.visited || self.seen < self.mail.len() as u64
    }

    /// Segments of mail that are not in the planes.
    pub fn unseen(&self) -> &[Segment] {
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        &self.mail[self.seen as usize..]
    }

    /// Entries that the planes in the store may lack though they are known to be in the planes.
    pub fn behind(&self) -> impl Iterator<Item = &Segment> {
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        self.own.iter().chain(&self.mail[..self.seen as usize])
    }

    /// The band was written anew, and the entries of the log are in the store's planes as well.
    pub fn folded(&mut self) {
        self.generation += 1;
        self.own.clear();
        #[allow(clippy::cast_possible_truncation)] // an index into the list
        self.mail.drain(..self.seen as usize);
        self.seen = 0;
    }

    /// Adds to the checksums.
    pub fn add(&mut self, sums: [u64; 3]) {
        for (sum, more) in self.sums.iter_mut().zip(sums) {
            *sum = sum.wrapping_add(more);
        }
    }

    /// The planes whose checksums are known.
    pub fn checked(&self) -> std::ops::Range<usize> {
        if self.visited { OPEN..3 } else { OPEN + 1..3 }
    }
}

/// Captures into a form that are resolved.
#[derive(Clone, Debug, Default, PartialEq, Eq, Encode, Decode)]
pub struct Captured {
    /// Rows in a batch.
    pub batch: u64,
    /// A flag for each batch.
    pub done: Vec<bool>,
}

impl Captured {
    /// Whether there is nothing left to resolve.
    pub fn is_complete(&self) -> bool {
        !self.done.is_empty() && !self.done.contains(&false)
    }
}

/// The state of the work on a pair.
#[derive(Clone, Debug, PartialEq, Eq, Encode, Decode)]
pub struct State {
    /// What it all relies on, see [`super::Job`].
    pub relies_on: u128,
    /// For each form, words in a row of a band.
    pub widths: Vec<u64>,
    /// Words in a piece of a plane, about.
    pub piece: u64,
    /// Captures, by form.
    pub captured: Vec<Captured>,
    /// Bands, by form.
    pub bands: Vec<Vec<BandState>>,
    /// Words in the log.
    pub log: u64,
    /// Half passes that are done.
    pub steps: u64,
    /// Processes that share the work. The state of bands of others is not used.
    pub ranks: u64,
    /// How often the state has been written down.
    pub commits: u64,
}

impl State {
    /// Nothing is done yet.
    pub fn new(relies_on: u128, layout: &Layout, ranks: usize) -> Self {
        let forms = &layout.forms;
        Self {
            relies_on,
            widths: forms.iter().map(|form| form.width as u64).collect(),
            piece: forms[0].piece as u64,
            captured: vec![Captured::default(); forms.len()],
            bands: forms.iter().map(|form| vec![BandState::default(); form.bands()]).collect(),
            log: 0,
            steps: 0,
            ranks: ranks as u64,
            commits: 0,
        }
    }

    /// As bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        // Encoding into memory fails only for types that have no length.
        let mut bytes = bincode::encode_to_vec((VERSION, self), CONFIG).unwrap_or_default();
        bytes.extend(xxh3_128(&bytes).to_le_bytes());
        bytes
    }

    /// The state in those bytes, if they are whole and of this version.
    pub fn from_bytes(bytes: &[u8]) -> Option<Self> {
        let (bytes, sum) = bytes.split_last_chunk::<16>()?;
        if xxh3_128(bytes) != u128::from_le_bytes(*sum) {
            return None;
        }
        let ((version, state), _): ((u64, Self), _) = bincode::decode_from_slice(bytes, CONFIG).ok()?;
        (version == VERSION).then_some(state)
    }
}
