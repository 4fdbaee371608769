//! Certificates, and their checker.

use std::path::PathBuf;

use fanorona::proof::CheckProgress;
use fanorona::{Database, RuleSet, check_certificate};
use numpy::PyArray1;
use pyo3::prelude::*;
use serde::Serialize;

use crate::board::Board;
use crate::errors::OrRaise;
use crate::position::Position;
use crate::rules::Rules;
use crate::run::{RunControl, run};

/// Bytes of memory that reading and checking may use if not given.
const MEMORY: u64 = 1 << 30;

/// How far a check is.
#[derive(Serialize)]
struct Status {
    step: &'static str,
    done: u64,
    total: u64,
}

/// A certificate: claims, and the sets of positions that prove them.
///
/// >>> certificate = Certificate.read(database + "/certificates/3x3.proof")
/// >>> certificate.claims
/// [(Position('BBB/B1W/WWW w'), 'white wins')]
/// >>> certificate.prove(database)
#[pyclass(frozen, module = "fanorona")]
pub struct Certificate {
    certificate: fanorona::Certificate,
}

/// The sets of points of some positions as two arrays.
type Sets<'py> = (Bound<'py, PyArray1<u64>>, Bound<'py, PyArray1<u64>>);

fn sets(py: Python<'_>, positions: impl Iterator<Item = (u64, u64)>) -> Sets<'_> {
    let (mover, opponent) = positions.unzip();
    (PyArray1::from_vec(py, mover), PyArray1::from_vec(py, opponent))
}

#[pymethods]
impl Certificate {
    /// Reads a certificate from a file.
    #[staticmethod]
    fn read(py: Python<'_>, path: PathBuf) -> PyResult<Self> {
        let certificate = py.detach(|| fanorona::Certificate::read(&path)).or_raise()?;
        Ok(Self { certificate })
    }

    /// The board.
    #[getter]
    fn board(&self) -> Board {
        Board { size: self.certificate.size }
    }

    /// The rules.
    #[getter]
    fn rules(&self) -> Rules {
        let set: RuleSet = self.certificate.rules;
        Rules { set }
    }

    /// Each position with the value that is claimed for it, the main one first.
    #[getter]
    fn claims(&self) -> Vec<(Position, &'static str)> {
        let claims = self.certificate.claims.iter();
        claims.map(|claim| (Position::of(self.certificate.size, claim.position), claim.value.words())).collect()
    }

    /// Stones of the largest table that it relies on; 0 if it uses none.
    #[getter]
    fn stones(&self) -> usize {
        self.certificate.tables_reach()
    }

    /// The positions that their mover does not lose: two arrays with the stones of the side to move and of the other.
    ///
    /// >>> mover, opponent = certificate.safe
    /// >>> mover.dtype, len(mover) == len(opponent)
    /// (dtype('uint64'), True)
    #[getter]
    fn safe<'py>(&self, py: Python<'py>) -> Sets<'py> {
        sets(py, self.certificate.safe.iter().map(|safe| (safe.mover, safe.opponent)))
    }

    /// The positions that their mover wins, in the same form.
    #[getter]
    fn won<'py>(&self, py: Python<'py>) -> Sets<'py> {
        sets(py, self.certificate.won.iter().map(|won| (won.mover, won.opponent)))
    }

    /// Checks that the certificate proves its claims with the tables of a database folder; raises `CheckError` if it does not.
    ///
    /// `progress` is called with a dict: the step ("checksums" or "positions"), `done` and `total`.
    #[pyo3(signature = (database, *, memory = MEMORY, progress = None))]
    fn prove(
        &self,
        py: Python<'_>,
        database: PathBuf,
        memory: u64,
        progress: Option<&Bound<'_, PyAny>>,
    ) -> PyResult<()> {
        let database = Database::from(database.as_path());
        run(py, progress, |control| self.certificate.prove(&database, memory, &reports_to(control)))?.or_raise()
    }
}

/// Reports how far a check is, and stops it by unwinding, which is safe: a check writes nothing before it ends.
fn reports_to(control: &RunControl<Status>) -> impl Fn(CheckProgress) + Sync + '_ {
    move |progress| {
        control.unwind_if_stopped();
        control.report(match progress {
            CheckProgress::Checksums { done, total, .. } => Status { step: "checksums", done, total },
            CheckProgress::Positions { done, total } => Status { step: "positions", done, total },
        });
    }
}

/// Reads a certificate, checks all of it, and records beside the file that it is proved; from then on `Knowledge` uses it. Raises
/// `CheckError` if it does not prove its claims.
#[pyfunction]
#[pyo3(signature = (path, database, *, memory = MEMORY, progress = None))]
pub fn check(
    py: Python<'_>,
    path: PathBuf,
    database: PathBuf,
    memory: u64,
    progress: Option<&Bound<'_, PyAny>>,
) -> PyResult<Certificate> {
    let database = Database::from(database.as_path());
    let checked =
        run(py, progress, |control| check_certificate(&path, &database, memory, &reports_to(control)))?.or_raise()?;
    checked.recorded.or_raise()?;
    Ok(Certificate { certificate: checked.certificate })
}
