//! The rules that the value of a position depends on.

use std::hash::{DefaultHasher, Hash, Hasher};

use fanorona::RuleSet;
use pyo3::prelude::*;

use crate::errors::refuse;

/// The rules that the value of a position depends on. The default is that of the published results.
///
/// `diagonals` is "corner" (a1 is strong) or "centre" (the middle is), `continuation` is "optional" (a chain may stop after any capture) or
/// "obligatory", `directions` is "not-repeated" (no step of a chain has the direction of the step before; "turning" is the same) or "once" (nor
/// that of any step before), `stalemate` is "loss" or "draw" for the side that cannot move.
///
/// >>> Rules(continuation="obligatory")
/// Rules(diagonals='corner', continuation='obligatory', stalemate='loss', directions='not-repeated')
#[pyclass(frozen, from_py_object, module = "fanorona")]
#[derive(Clone)]
pub struct Rules {
    pub set: RuleSet,
}

#[pymethods]
impl Rules {
    #[new]
    #[pyo3(signature = (diagonals = "corner", continuation = "optional", stalemate = "loss", directions = "not-repeated"))]
    fn new(diagonals: &str, continuation: &str, stalemate: &str, directions: &str) -> PyResult<Self> {
        let mut set = RuleSet::default();
        for (option, word) in [
            ("diagonals", diagonals),
            ("continuation", continuation),
            ("stalemate", stalemate),
            ("directions", directions),
        ] {
            if !set.set(option, word) {
                let words =
                    RuleSet::OPTIONS.into_iter().filter(|(name, _)| *name == option).flat_map(|(_, words)| words);
                let words: Vec<String> = words.map(|word| format!("\"{word}\"")).collect();
                return Err(refuse(format!("{option} is {}, not {word:?}", words.join(" or "))));
            }
        }
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
        self.set.words()[3]
    }

    /// "not-repeated" or "once".
    #[getter]
    fn directions(&self) -> &'static str {
        self.set.words()[2]
    }

    fn __str__(&self) -> String {
        self.set.to_string()
    }

    fn __repr__(&self) -> String {
        let [diagonals, continuation, directions, stalemate] = self.set.words();
        format!(
            "Rules(diagonals='{diagonals}', continuation='{continuation}', stalemate='{stalemate}', directions='{directions}')"
        )
    }

    fn __eq__(&self, other: &Self) -> bool {
        self.set == other.set
    }

    fn __hash__(&self) -> u64 {
        let mut hasher = DefaultHasher::new();
        self.set.hash(&mut hasher);
        hasher.finish()
    }

    fn __getnewargs__(&self) -> (&'static str, &'static str, &'static str, &'static str) {
        let [diagonals, continuation, directions, stalemate] = self.set.words();
        (diagonals, continuation, stalemate, directions)
    }
}
