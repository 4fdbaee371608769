//! An engine that speaks `uci`: a process that is started once, gets the rules, and is asked for moves.

use std::collections::BTreeMap;
use std::io;
use std::sync::atomic::AtomicBool;
use std::time::{Duration, Instant};

use thiserror::Error;

use crate::board::{BoardSize, excerpt};
use crate::files::raise_limit;
use crate::game::PlayRules;
use crate::rules::RuleSet;

use super::limit::Limit;
use super::process::{NoAnswer, Process};

/// How long an engine may take to start, and to open its tables.
const STARTING: Duration = Duration::from_secs(60);

/// An engine in a match.
#[derive(Clone, Debug)]
pub struct Engine {
    /// Its name in records.
    pub name: String,
    /// The program and its arguments.
    pub command: Vec<String>,
    /// Options and their values.
    pub options: Vec<(String, String)>,
    /// What it may use.
    pub limit: Limit,
}

/// Why an engine cannot take part.
#[derive(Debug, Error)]
pub enum StartError {
    /// The command cannot be run.
    #[error("cannot run {command:?}: {source}{}", raise_limit(source).unwrap_or("; check the path and the permissions"))]
    Run {
        /// The command.
        command: String,
        /// Why.
        source: io::Error,
    },
    /// It does not answer as `uci` requires.
    #[error("{name:?} does not speak uci: {why} (asked {question:?})")]
    Silent {
        /// The engine.
        name: String,
        /// What it was asked.
        question: &'static str,
        /// What happened.
        why: NoAnswer,
    },
    /// It has no such option.
    #[error("{name:?} has no option {option}; its options are {options}")]
    Option {
        /// The engine.
        name: String,
        /// The option.
        option: String,
        /// The options that it has.
        options: String,
    },
    /// It refused an option.
    #[error("{name:?} refuses its options: {error}")]
    Refused {
        /// The engine.
        name: String,
        /// What it said.
        error: String,
    },
    /// The match was interrupted.
    #[error("interrupted")]
    Interrupted,
}

/// A running engine.
pub struct EngineProcess {
    process: Process,
    /// The last error that it reported.
    error: Option<String>,
}

impl Engine {
    /// Starts it, and sets its options and the rules.
    pub(super) fn start(
        &self,
        board: BoardSize,
        rules: &PlayRules,
        stop: &AtomicBool,
    ) -> Result<EngineProcess, StartError> {
        let run = |source| StartError::Run { command: self.command.join(" "), source };
        let mut running = EngineProcess { process: Process::start(&self.command).map_err(run)?, error: None };
        let lines = self.asked(&mut running, "uci", "uciok", stop)?;
        let known: BTreeMap<String, &str> = lines.iter().filter_map(|line| option_name(line)).collect();
        let mut set = Vec::new();
        for (name, value, needed) in rules_as_options(board, rules) {
            match known.get(&name.to_ascii_lowercase()) {
                Some(known) => set.push(format!("setoption name {known} value {value}")),
                None if needed => return Err(self.lacks(name, &known)),
                None => {}
            }
        }
        for (name, value) in &self.options {
            let known = known.get(&name.to_ascii_lowercase()).ok_or_else(|| self.lacks(name, &known))?;
            set.push(format!("setoption name {known} value {value}"));
        }
        for line in set {
            // If it has ended, the next question finds out.
            let _ = running.process.say(&line);
        }
        self.asked(&mut running, "isready", "readyok", stop)?;
        match running.error.take() {
            Some(error) => Err(StartError::Refused { name: self.name.clone(), error }),
            None => Ok(running),
        }
    }

    fn asked(
        &self,
        running: &mut EngineProcess,
        question: &'static str,
        answer: &str,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, StartError> {
        running.ask(question, answer, STARTING, stop).map_err(|why| match why {
            NoAnswer::Interrupted => StartError::Interrupted,
            why => StartError::Silent { name: self.name.clone(), question, why },
        })
    }

    fn lacks(&self, option: &str, known: &BTreeMap<String, &str>) -> StartError {
        let options = known.values().copied().collect::<Vec<_>>().join(", ");
        let options = if options.is_empty() { "none".to_owned() } else { excerpt(&options).into_owned() };
        StartError::Option { name: self.name.clone(), option: option.to_owned(), options }
    }
}

/// The rules as options of the engine: name, value, and whether the engine must have it.
fn rules_as_options(board: BoardSize, rules: &PlayRules) -> Vec<(&'static str, String, bool)> {
    // An engine without the option plays on the standard board, and by the usual rules.
    let mut options = vec![("Board", board.to_string(), board != BoardSize::STANDARD)];
    let table_rules = rules.table_rules();
    let words = RuleSet::OPTIONS.into_iter().zip(table_rules.words()).zip(table_rules.options());
    options.extend(words.map(|(((name, _), word), differs)| (name, word.to_owned(), differs)));
    options.push(("MoveLimit", rules.move_limit.unwrap_or(0).to_string(), false));
    options.push(("Repetition", rules.repetition.to_string(), false));
    options
}

/// More options than any engine has.
const MAX_OPTIONS: usize = 1_000;

/// The name of an option, in lower case and as the engine writes it, from `option name X type ...`.
fn option_name(line: &str) -> Option<(String, &str)> {
    let rest = line.trim().strip_prefix("option name ")?;
    let name = rest.split(" type ").next()?.trim();
    Some((name.to_ascii_lowercase(), name))
}

/// The answer of an engine to `go`.
#[derive(Debug)]
pub struct Answer {
    /// The move.
    pub text: String,
    /// How long it took.
    pub took: Duration,
}

impl EngineProcess {
    /// Begins a new game. The engine forgets the last one.
    pub fn new_game(&mut self, stop: &AtomicBool) -> Result<(), NoAnswer> {
        self.process.say("ucinewgame")?;
        self.ask("isready", "readyok", STARTING, stop).map(|_| ())
    }

    /// Asks for a move: `position` and `go` are commands, `patience` is the longest time until the answer.
    pub fn choose(
        &mut self,
        position: &str,
        go: &str,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Answer, NoAnswer> {
        self.error = None;
        self.process.say(position)?;
        let begun = Instant::now();
        let lines = self.ask(go, "bestmove", patience, stop)?;
        let took = begun.elapsed();
        let text = lines.last().and_then(|line| line.split_whitespace().nth(1)).unwrap_or_default().to_owned();
        Ok(Answer { text, took })
    }

    /// The last error that the engine reported, if it has since it was asked.
    pub fn error(&self) -> Option<&str> {
        self.error.as_deref()
    }

    /// Asks, and reads lines up to the one that begins with `answer`.
    fn ask(
        &mut self,
        question: &str,
        answer: &str,
        patience: Duration,
        stop: &AtomicBool,
    ) -> Result<Vec<String>, NoAnswer> {
        self.process.say(question)?;
        let asked = Instant::now();
        let mut lines = Vec::new();
        loop {
            let line = self.process.line(asked, patience, stop)?;
            if let Some(error) = line.strip_prefix("info string error: ") {
                self.error = Some(excerpt(error).into_owned());
            }
            let is_answer = line.split_whitespace().next() == Some(answer);
            // Other lines, such as those of a search, are not used.
            if is_answer || lines.len() < MAX_OPTIONS && line.starts_with("option ") {
                lines.push(line);
            }
            if is_answer {
                return Ok(lines);
            }
        }
    }
}
