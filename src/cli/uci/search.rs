//! Searches of the text protocol: each in its own thread, so that it can be stopped.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use crate::board::{BoardSize, excerpt};
use crate::game::Game;
use crate::game::engine::{Engine, EngineError, How, Info, Reply, SearchLimits};
use crate::knowledge::Knowledge;

use super::super::knowledge_cache::KnowledgeCache;
use super::super::output::{CliResult, Failure, print};
use super::options::Settings;

/// Scores beyond this are known wins and losses.
const KNOWN: i32 = 15_000;

/// The limits of `go`.
#[derive(Clone, Copy, Debug, Default)]
pub struct GoLimits {
    time: Option<Duration>,
    depth: Option<u32>,
    nodes: Option<u64>,
    infinite: bool,
}

impl GoLimits {
    pub fn read(mut words: &[&str]) -> CliResult<Self> {
        let mut limits = Self::default();
        while let [word, rest @ ..] = words {
            let number = || {
                let number = rest.first().and_then(|number| number.parse::<u64>().ok());
                number.ok_or_else(|| {
                    Failure::Text(format!("{word} needs a whole number after it, such as go {word} 100"))
                })
            };
            words = rest.get(1..).unwrap_or_default();
            match *word {
                "movetime" => limits.time = Some(Duration::from_millis(number()?)),
                "depth" => limits.depth = Some(u32::try_from(number()?).unwrap_or(u32::MAX)),
                "nodes" => limits.nodes = Some(number()?),
                "infinite" => (limits.infinite, words) = (true, rest),
                _ => {
                    let word = excerpt(word);
                    return Err(Failure::Text(format!(
                        "{word:?} is not a limit; limits are movetime MS, depth N, nodes N, infinite"
                    )));
                }
            }
        }
        if !limits.infinite && limits.time.is_none() && limits.depth.is_none() && limits.nodes.is_none() {
            limits.time = Some(Duration::from_secs(1));
        }
        Ok(limits)
    }
}

/// A running search.
pub struct Running {
    stop: Arc<AtomicBool>,
    thread: JoinHandle<()>,
    infinite: bool,
}

impl Running {
    /// Stops it; it still prints its best move.
    pub fn stop(self) {
        self.stop.store(true, Ordering::Relaxed);
        self.thread.thread().unpark();
        // A panic of the thread has been printed already.
        let _ = self.thread.join();
    }

    /// Whether it is still running.
    pub fn is_running(&self) -> bool {
        !self.thread.is_finished()
    }

    /// Waits for its end; one without a limit is stopped.
    pub fn wait(self) {
        if self.infinite {
            self.stop();
        } else {
            let _ = self.thread.join();
        }
    }
}

/// The engine and what it knows, kept from search to search.
#[derive(Default)]
pub struct Searcher {
    engine: Option<(usize, Arc<Mutex<Engine>>)>,
    knowledge: KnowledgeCache,
}

impl Searcher {
    /// Clears the transposition table.
    pub fn forget(&mut self) {
        self.engine = None;
    }

    /// The tables and certificates for a board; `None` if it is too large.
    pub fn knowledge(&mut self, settings: &Settings, size: BoardSize) -> CliResult<Option<Arc<Knowledge>>> {
        self.knowledge.get(&settings.database, size, settings.rules.table_rules())
    }

    /// Starts a search.
    pub fn start(&mut self, game: Game, settings: &Settings, limits: GoLimits) -> CliResult<Running> {
        let knowledge = self.knowledge(settings, game.size())?;
        if self.engine.as_ref().is_none_or(|(hash, _)| *hash != settings.hash) {
            self.engine = Some((settings.hash, Arc::new(Mutex::new(Engine::with_bytes(settings.hash << 20)))));
        }
        let Some((_, engine)) = &self.engine else { return Err(Failure::Text("there is no engine".to_owned())) };
        let engine = engine.clone();
        let stop = Arc::new(AtomicBool::new(false));
        let (stop_flag, level, seed) = (stop.clone(), settings.level, settings.seed);
        let work = move || {
            let GoLimits { time, depth, nodes, infinite } = limits;
            let limits = SearchLimits { time, depth, nodes, ..SearchLimits::new(level, seed, &stop_flag) };
            // After a panic of an earlier search the transposition table is still valid, as its entries are only hints.
            let mut engine = engine.lock().unwrap_or_else(PoisonError::into_inner);
            let reply = engine.reply(&game, knowledge.as_deref(), &limits, &mut |info| print_line(&info_text(info)));
            while infinite && !stop_flag.load(Ordering::Relaxed) {
                std::thread::park();
            }
            match reply {
                Ok(reply) => print_line(&best_text(&reply)),
                Err(error) => print_line(&none_text(&error)),
            }
        };
        let thread = std::thread::Builder::new().name("search".to_owned()).spawn(work)?;
        Ok(Running { stop, thread, infinite: limits.infinite })
    }
}

/// Prints a line. If standard output is closed, the input will end too.
fn print_line(text: &str) {
    let _ = print(text);
}

fn info_text(info: &Info) -> String {
    let ms = info.time.as_millis();
    let nps = u128::from(info.nodes) * 1000 / ms.max(1);
    let (depth, nodes, score) = (info.depth, info.nodes, score_text(info.score));
    format!("info depth {depth} score {score} nodes {nodes} nps {nps} time {ms} pv {}", info.line.join(" "))
}

/// A score in hundredths of a stone, or the own turns to the end of a known win, negative for a loss.
fn score_text(score: i32) -> String {
    let turns = 30_000 - score.abs();
    match score {
        _ if turns > 1_000 => format!("cp {score}"),
        KNOWN.. => format!("mate {}", (turns + 1) / 2),
        _ => format!("mate -{}", turns / 2),
    }
}

fn best_text(reply: &Reply) -> String {
    let plies = reply.known.dtw.map_or(String::new(), |plies| format!(" in {plies}"));
    let known = match (reply.how, reply.known.source) {
        (How::Chance, _) => "info string random move\n".to_owned(),
        (_, Some(source)) => format!("info string {source}: {}{plies}\n", reply.known.value),
        _ => String::new(),
    };
    format!("{known}bestmove {}", reply.text)
}

fn none_text(error: &EngineError) -> String {
    format!("info string {error}\nbestmove (none)")
}
