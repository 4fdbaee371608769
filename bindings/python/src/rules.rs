//! The rules that the value of a position depends on.

use std::hash::{DefaultHasher, Hash, Hasher};

use fanorona::RuleSet;
use pyo3::prelude::*;

use crate::errors::refuse;

/// The rules that the value of a position depends on. The default is that of the published results.
///
/// `diagonals` is "corner" (a1 is strong) or "centre" (the middle is), `continuation` is "optional" (a chain may stop after any capture) or
/// "obligatory", `stalemate` is "loss" or "draw" for the side that cannot move.
///
/// >>> Rules(continuation="obligatory")
/// Rules(diagonals='corner', continuation='obligatory', stalemate='loss')
#[pyclass(frozen, from_py_object, module = "fanorona")]
#[derive(Clone)]
pub struct Rules {
    pub set: RuleSet,
}

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (diagonals = "corner", continuation = "optional", stalemate = "loss"))]
    fn new(diagonals: &str, continuation: &str, stalemate: &str) -> PyResult<Self> {
        let words = [diagonals, continuation, stalemate];
        let set = RuleSet::all().find(|set| set.words() == words).ok_or_else(|| {
            refuse(format!(
                "{words:?} are not rules: diagonals are \"corner\" or \"centre\", continuation is \"optional\" or \"obligatory\", \
                 stalemate is \"loss\" or \"draw\""
            ))
        })?;
        Ok(Self { set })
    }

    /// "corner" or "centre".
    #[getter]
    fn diagonals(&self) -> &'static str {
        self.set.words()[0]
    }

    /// "optional" or "obligatory".
    #[getter]
    fn continuation(&self) -> &'static str {
        self.set.words()[1]
    }

    /// "loss" or "draw".
    #[getter]
    fn stalemate(&self) -> &'static str {
        self.set.words()[2]
    }

    fn __str__(&self) -> String {
        self.set.to_string()
    }

    fn __repr__(&self) -> String {
        let [diagonals, continuation, stalemate] = self.set.words();
        format!("Rules(diagonals='{diagonals}', continuation='{continuation}', stalemate='{stalemate}')")
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.set == other.set
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.set.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__(&self) -> (&'static str, &'static str, &'static str) {
        let [diagonals, continuation, stalemate] = self.set.words();
        (diagonals, continuation, stalemate)
    }
}
