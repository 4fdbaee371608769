//! The certificates of a folder as a source of values.

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use thiserror::Error;

use crate::board::{BoardSize, Symmetry};
use crate::proof::{Certificate, Member, ProofError, Set, canonical, compare_tables};
use crate::rules::{Bounds, Outcome, RuleSet};
use crate::table::{Database, Folder, Known, Source, TableError, folder_name, names_in};

use super::record::{CERTIFICATES, is_checked};

/// The extension of the files of certificates.
pub const CERTIFICATE_EXTENSION: &str = "proof";

/// The most bytes of memory for the positions of one certificate.
const MAX_BYTES: u64 = 1 << 30;

/// Appended to the name of a [`Proof`] whose certificate has not been checked; no certificate file has a name that ends like this.
pub const UNCHECKED_SUFFIX: &str = " (unchecked)";

/// Name of the file with the certificate of a board's start, in the folder of certificates.
#[must_use]
pub fn certificate_name(size: BoardSize, rules: RuleSet) -> String {
    format!("{}.{CERTIFICATE_EXTENSION}", folder_name(size, rules))
}

/// The certificates of a database folder, by name.
///
/// # Errors
/// [`TableError::Io`] if the folder exists and cannot be read.
pub fn certificate_files(database: &Database) -> Result<Vec<PathBuf>, TableError> {
    let folder = database.folder.join(CERTIFICATES);
    let names = names_in(&folder, &database.access)?;
    let mut paths: Vec<PathBuf> = names.into_iter().map(|name| folder.join(name)).collect();
    paths.retain(|path| path.extension().is_some_and(|extension| extension == CERTIFICATE_EXTENSION));
    paths.sort();
    Ok(paths)
}

/// Which certificates are used.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Trust {
    /// None at all.
    None,
    /// Those that have been checked, and whose tables are in the folder.
    #[default]
    Checked,
    /// Those that have been checked, whether their tables are in the folder or not; other tables in their place are refused.
    Recorded,
    /// All that can be read and have their tables.
    All,
}

/// A certificate in use.
#[derive(Clone, Debug)]
pub struct Proof {
    /// The name of its file, followed by [`UNCHECKED_SUFFIX`] if it has not been checked.
    pub name: Arc<str>,
    /// Its positions.
    pub certificate: Certificate,
    /// What its ranks are raised by, so that they are above those of the certificates before it.
    pub first_rank: u64,
}

impl Proof {
    /// A rank of this certificate, raised above those of the certificates before it; from 1.
    #[must_use]
    pub fn rank(&self, rank: u32) -> u64 {
        self.first_rank + u64::from(rank) + 1
    }
}

/// A certificate that is not used.
#[derive(Debug)]
pub struct Unused {
    /// The file.
    pub file: PathBuf,
    /// Why.
    pub why: Why,
}

impl fmt::Display for Unused {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.why {
            Why::Unusable(error) if error.names_certificate() => write!(f, "not used: {error}"),
            why => write!(f, "certificate {} is not used: {why}", self.file.display()),
        }
    }
}

/// Why a certificate is not used.
#[derive(Debug, Error)]
pub enum Why {
    /// It has not been checked, or has changed since, or was checked by an older program.
    #[error("it has not been checked")]
    Unchecked,
    /// It is for other rules.
    #[error("it is for other rules ({0})")]
    OtherRules(RuleSet),
    /// It takes more memory than a certificate may.
    #[error("it takes {0} bytes of memory, and certificates of up to {MAX_BYTES} are used")]
    Large(u64),
    /// It cannot be read, or its tables are missing or different.
    #[error(transparent)]
    Unusable(#[from] ProofError),
}

/// The certificates of one board and rule set.
#[derive(Debug)]
pub struct Proofs {
    symmetry: Symmetry,
    usable: Vec<Proof>,
    unused: Vec<Unused>,
}

impl Proofs {
    /// Reads the certificates of a database for a board and rules. They are used where their tables are those in `folder`.
    ///
    /// # Errors
    /// [`TableError::Io`] if the folder of certificates exists and cannot be read.
    pub fn open(
        database: &Database,
        folder: &Folder,
        size: BoardSize,
        rules: RuleSet,
        trust: Trust,
    ) -> Result<Self, TableError> {
        let mut found = Self { symmetry: Symmetry::new(size), usable: Vec::new(), unused: Vec::new() };
        for file in if trust == Trust::None { Vec::new() } else { certificate_files(database)? } {
            match usable(&file, folder, (size, rules), trust) {
                Ok(Some(proof)) => {
                    let last = found.usable.last();
                    let first_rank = last.map_or(0, |last| {
                        last.rank(last.certificate.won.iter().map(|won| won.rank).max().unwrap_or(0))
                    });
                    found.usable.push(Proof { first_rank, ..proof });
                }
                Ok(None) => {}
                Err(why) => found.unused.push(Unused { file, why }),
            }
        }
        let of_these_rules = |unused: &Unused| !matches!(unused.why, Why::OtherRules(_));
        if !found.usable.is_empty() || found.unused.iter().any(of_these_rules) {
            found.unused.retain(of_these_rules);
        }
        Ok(found)
    }

    /// The certificates in use.
    #[must_use]
    pub fn proofs(&self) -> &[Proof] {
        &self.usable
    }

    /// Bytes of memory that they take.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.usable.iter().map(|proof| proof.certificate.bytes()).sum()
    }

    /// Certificates that are not used though they are for this board or cannot be read. Those for other rules are listed only if
    /// there are no others.
    #[must_use]
    pub fn unused(&self) -> &[Unused] {
        &self.unused
    }

    /// What is proved of the outcome of a position for its side to move.
    #[must_use]
    pub fn bounds(&self, mover: u64, opponent: u64) -> Bounds {
        self.members(mover, opponent).fold(Bounds::UNKNOWN, |bounds, (_, set, _)| bounds.and(bounds_of(set)))
    }

    /// As [`bounds`](Self::bounds), with the certificate that proves it and the rank of a win; `None` if nothing is proved.
    #[must_use]
    pub fn look_up(&self, mover: u64, opponent: u64) -> Option<Known> {
        let (proof, set, member) = self.best(mover, opponent)?;
        let rank = if set == Set::Won { proof.rank(member.rank) } else { 0 };
        Some(Known { rank, ..Known::new(bounds_of(set), Source::Proof(proof.name.clone())) })
    }

    /// The first certificate that has a position in its won set, or else the first that has it in its safe set. The first, so that
    /// ranks also fall when play passes from one certificate to another.
    #[must_use]
    pub fn best(&self, mover: u64, opponent: u64) -> Option<(&Proof, Set, Member)> {
        self.members(mover, opponent).min_by_key(|&(_, set, _)| set == Set::Safe)
    }

    /// The certificates that have a position in their sets.
    pub fn members(&self, mover: u64, opponent: u64) -> impl Iterator<Item = (&Proof, Set, Member)> {
        let sides = if self.usable.is_empty() { (mover, opponent) } else { canonical(&self.symmetry, mover, opponent) };
        self.usable
            .iter()
            .filter_map(move |proof| proof.certificate.find(sides).map(|(set, member)| (proof, set, member)))
    }
}

/// What membership in a set proves for the side to move.
fn bounds_of(set: Set) -> Bounds {
    let least = if set == Set::Won { Outcome::Win } else { Outcome::Draw };
    Bounds { least, most: Outcome::Win }
}

/// The certificate in a file, `None` if it is for another board.
pub(super) fn usable(
    file: &Path,
    folder: &Folder,
    of: (BoardSize, RuleSet),
    trust: Trust,
) -> Result<Option<Proof>, Why> {
    let access = folder.access();
    let (size, rules) = Certificate::read_subject(file, access)?;
    if size != of.0 {
        return Ok(None);
    }
    if rules != of.1 {
        return Err(Why::OtherRules(rules));
    }
    // A file without a record need not be decoded, which takes long for a large one.
    if trust != Trust::All && !is_checked(file, Certificate::read_identity(file, access)?, access) {
        return Err(Why::Unchecked);
    }
    let (certificate, identity) = match Certificate::read_with_identity(file, MAX_BYTES, access) {
        Err(ProofError::Memory { bytes, .. }) => return Err(Why::Large(bytes)),
        read => read?,
    };
    let mut name = file.file_name().unwrap_or_default().to_string_lossy().into_owned();
    let checked = is_checked(file, identity, access);
    match compare_tables(&certificate, folder) {
        Err(ProofError::MissingTable { .. }) if trust == Trust::Recorded && checked => {}
        compared => compared?,
    }
    match trust {
        _ if checked => {}
        Trust::All => name.push_str(UNCHECKED_SUFFIX),
        _ => return Err(Why::Unchecked),
    }
    // The file may have been replaced since the first look.
    if (certificate.size, certificate.rules) != of {
        return Ok(None);
    }
    Ok(Some(Proof { name: name.into(), certificate, first_rank: 0 }))
}

/// Makes sure that the claims of a certificate are proved: its tables are those in the folder, and it has been checked with them.
///
/// # Errors
/// [`Why`], if they are not.
pub fn standing(file: &Path, certificate: &Certificate, identity: u128, folder: &Folder) -> Result<(), Why> {
    compare_tables(certificate, folder)?;
    if is_checked(file, identity, folder.access()) { Ok(()) } else { Err(Why::Unchecked) }
}
