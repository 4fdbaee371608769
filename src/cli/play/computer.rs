//! The computer at the terminal: its engine, what it knows, and how its replies are printed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::game::Game;
use crate::game::engine::{DrawAnswer, Engine, How, Level, Reply, SearchInfo, SearchLimits};
use crate::knowledge::Knowledge;
use crate::report::grouped;
use crate::table::Database;

use super::super::interrupt;
use super::super::knowledge_cache::KnowledgeCache;
use super::super::output::CliResult;
use super::super::progress::Progress;

/// The computer as a player.
pub struct Computer {
    pub level: Level,
    engine: Engine,
    database: Database,
    knowledge: KnowledgeCache,
    time: Duration,
    seed: u64,
    thinking: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Computer {
    /// A player of that level.
    pub fn new(database: Database, level: Level, time: Duration, seed: u64) -> Self {
        let (thinking, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        let (engine, knowledge) = (Engine::default(), KnowledgeCache::default());
        Self { level, engine, database, knowledge, time, seed, thinking, stop }
    }

    /// From now on an interrupt while it thinks makes it play at once; a second one, or one at another time, ends the program.
    pub fn plays_when_interrupted(&self) -> CliResult {
        let (thinking, stop) = (self.thinking.clone(), self.stop.clone());
        interrupt::on_interrupt(move || {
            if !thinking.load(Ordering::SeqCst) || stop.swap(true, Ordering::SeqCst) {
                interrupt::leave("interrupted".to_owned());
            }
        })
    }

    /// Opens tables and certificates for a game, which may have other rules than the one before.
    pub fn open_knowledge(&mut self, game: &Game) -> CliResult<Option<Arc<Knowledge>>> {
        self.knowledge.get(&self.database, game.size(), game.rules().table_rules())
    }

    /// Runs the engine with what it knows, and its limits.
    fn think<R>(
        &mut self,
        game: &Game,
        level: Level,
        work: impl FnOnce(&mut Engine, Option<&Knowledge>, &SearchLimits<'_>) -> Result<R, crate::game::engine::EngineError>,
    ) -> CliResult<R> {
        let knowledge = self.open_knowledge(game)?;
        // The computer stays well within the time limit of the rules.
        let most = game.rules().move_time.map(|ms| Duration::from_millis(ms / 2));
        let time = Some(most.map_or(self.time, |most| most.min(self.time)));
        let ply = u64::try_from(game.ply()).unwrap_or(0);
        let seed = self.seed.wrapping_add(ply);
        self.stop.store(false, Ordering::SeqCst);
        self.thinking.store(true, Ordering::SeqCst);
        let limits = SearchLimits { time, ..SearchLimits::new(level, seed, &self.stop) };
        let result = work(&mut self.engine, knowledge.as_deref(), &limits);
        self.thinking.store(false, Ordering::SeqCst);
        Ok(result?)
    }

    /// The computer's turn, at its own level or another.
    pub fn reply(&mut self, game: &Game, level: Option<Level>) -> CliResult<Reply> {
        let level = level.unwrap_or(self.level);
        self.think(game, level, |engine, knowledge, limits| {
            let bar = Progress::endless();
            let reply = engine.reply(game, knowledge, limits, &mut |info| bar.show(|| search_text(info)));
            bar.finish();
            reply
        })
    }

    /// Its answer to a draw offer.
    pub fn answer_draw(&mut self, game: &Game) -> CliResult<DrawAnswer> {
        self.think(game, self.level, |engine, knowledge, limits| engine.answer_draw(game, knowledge, limits))
    }
}

/// How far a search is.
fn search_text(info: &SearchInfo) -> String {
    let (depth, nodes, speed) = (info.depth, grouped(info.nodes), grouped(info.nodes_per_second()));
    format!("depth {depth}, {nodes} nodes, {speed}/s: {}", info.line.join(" "))
}

/// How a turn was chosen, in words.
pub fn how_text(reply: &Reply) -> String {
    let how = match (reply.how, reply.depth) {
        (How::OnlyMove, _) => return "the only move".to_owned(),
        (How::Table, _) => "tables".to_owned(),
        (How::Proof, _) => "proof".to_owned(),
        (How::Search, 0) => "proof-number search".to_owned(),
        (How::Search, depth) => format!("search of depth {depth}"),
    };
    let plies = reply.known.dtw.map_or(String::new(), |plies| format!(" in {plies}"));
    if reply.known.source.is_none() { how } else { format!("{how}: {}{plies}", reply.known.value) }
}
