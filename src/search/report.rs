//! What a solve found out, as programs read it.

use serde::Serialize;

use crate::rules::{RuleSet, Value, turn_text};

use super::extract::Repairs;
use super::session::{Problem, Solved};
use super::solution::{MoveValue, Questions, Solution, SolveScope};

/// Turns of the main line that are shown.
const LINE: usize = 60;

/// What `solve --json` prints of a solve itself; the bindings return the same.
#[derive(Clone, Debug, Serialize)]
pub struct SolveReport {
    /// The board, columns x rows.
    pub board: String,
    /// The rules.
    pub rules: RuleSet,
    /// The position.
    pub position: String,
    /// Its value.
    pub value: Value,
    /// The questions that it follows from.
    pub questions: Questions,
    /// Its moves, if they were asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub moves: Option<Vec<MoveValue>>,
    /// The main line.
    pub line: Vec<String>,
    /// Positions expanded, those before an interruption included if its state was of this search or a part of it, and so below.
    pub nodes: u64,
    /// Turns that the rules, tables or certificates settled.
    pub probes: u64,
    /// The sets that prove the answers.
    pub closure: Closure,
    /// Seconds that the search took.
    pub seconds: f64,
}

/// The sets that prove the answers, and the work on them.
#[derive(Clone, Debug, Serialize)]
pub struct Closure {
    /// Positions that their mover does not lose.
    pub safe: usize,
    /// Positions that their mover wins.
    pub won: usize,
    /// What had to be searched again.
    #[serde(flatten)]
    pub repairs: Repairs,
    /// How often a question had to be asked again.
    pub asked_again: u64,
    /// Seconds that the sets took.
    pub seconds: f64,
}

impl From<&Solution> for Closure {
    fn from(solution: &Solution) -> Self {
        Self {
            safe: solution.safe.len(),
            won: solution.won.len(),
            repairs: solution.repairs,
            asked_again: solution.asked_again,
            seconds: solution.extraction_seconds,
        }
    }
}

impl SolveReport {
    /// The report of a problem that was solved as far as `scope` says.
    #[must_use]
    pub fn new(problem: &Problem, scope: SolveScope, solved: &Solved) -> Self {
        let Solved { solution, totals, .. } = solved;
        let line = solution.main_line(&problem.board_rules(), LINE);
        Self {
            board: problem.size.to_string(),
            rules: problem.rules,
            position: problem.position.to_text(problem.size),
            value: solution.value,
            questions: solution.questions,
            moves: scope.moves.then(|| solution.moves.clone()),
            line: line.iter().map(|(turn, _)| turn_text(problem.size, turn)).collect(),
            nodes: totals.nodes,
            probes: totals.probes,
            closure: solution.into(),
            seconds: totals.seconds,
        }
    }
}
