//! The computer at the terminal: its engine, its tables, and how its replies are printed.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use crate::game::Game;
use crate::game::engine::{DrawAnswer, Engine, How, Level, Reply, SearchLimits};
use crate::table::{Database, Tables};

use super::super::interrupt;
use super::super::output::CliResult;
use super::super::table_cache::TableCache;

/// The computer as a player.
pub struct Computer {
    pub level: Level,
    engine: Engine,
    database: Database,
    tables: TableCache,
    time: Duration,
    seed: u64,
    thinking: Arc<AtomicBool>,
    stop: Arc<AtomicBool>,
}

impl Computer {
    /// A player of that level.
    pub fn new(database: Database, level: Level, time: Duration, seed: u64) -> Self {
        let (thinking, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
        Self { level, engine: Engine::default(), database, tables: TableCache::default(), time, seed, thinking, stop }
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

    /// Opens the tables for a game, which may have other rules than the one before.
    pub fn open_tables(&mut self, game: &Game) -> CliResult<Option<Arc<Tables>>> {
        self.tables.get(&self.database, game.size(), game.rules().table_rules())
    }

    /// Runs the engine with its tables and limits.
    fn think<R>(
        &mut self,
        game: &Game,
        level: Level,
        work: impl FnOnce(&mut Engine, Option<&Tables>, &SearchLimits<'_>) -> Result<R, crate::game::engine::EngineError>,
    ) -> CliResult<R> {
        let tables = self.open_tables(game)?;
        // The computer stays well within the time limit of the rules.
        let most = game.rules().move_time.map(|ms| Duration::from_millis(ms / 2));
        let time = Some(most.map_or(self.time, |most| most.min(self.time)));
        let ply = u64::try_from(game.ply()).unwrap_or(0);
        let seed = self.seed.wrapping_add(ply);
        self.stop.store(false, Ordering::SeqCst);
        self.thinking.store(true, Ordering::SeqCst);
        let limits = SearchLimits { level, time, depth: None, nodes: None, seed, stop: &self.stop };
        let result = work(&mut self.engine, tables.as_deref(), &limits);
        self.thinking.store(false, Ordering::SeqCst);
        Ok(result?)
    }

    /// The computer's turn, at its own level or another.
    pub fn reply(&mut self, game: &Game, level: Option<Level>) -> CliResult<Reply> {
        let level = level.unwrap_or(self.level);
        self.think(game, level, |engine, tables, limits| engine.reply(game, tables, limits, &mut |_| ()))
    }

    /// Its answer to a draw offer.
    pub fn answer_draw(&mut self, game: &Game) -> CliResult<DrawAnswer> {
        self.think(game, self.level, |engine, tables, limits| engine.answer_draw(game, tables, limits))
    }
}

/// How a turn was chosen, in words.
pub fn how_text(reply: &Reply) -> String {
    let plies = reply.dtw.map_or(String::new(), |plies| format!(" in {plies}"));
    let value = reply.value.map(|value| format!("{value}{plies}"));
    match (reply.how, value) {
        (How::Table, Some(value)) => format!("tables: {value}"),
        (How::Table, None) => "tables".to_owned(),
        (How::OnlyMove, _) => "the only move".to_owned(),
        (How::Chance, _) => "random move".to_owned(),
        (How::Search, Some(value)) => format!("search of depth {}: {value}", reply.depth),
        (How::Search, None) => format!("search of depth {}", reply.depth),
    }
}
