//! `fanorona uci`: a text protocol for programs, modelled on the Universal Chess Interface.

mod go;
mod options;
mod search;
mod wording;

use std::io;
use std::sync::Arc;

use clap::Args as ClapArgs;

use crate::board::excerpt;
use crate::files::lines_of;
use crate::game::{Game, GameRequest};
use crate::knowledge::Knowledge;

use super::options::{DatabaseOption, lacks_knowledge};
use super::output::{CliResult, Failure, print};
use go::GoLimits;
use options::{Effect, Settings};
use search::SearchHandle;

/// Run the engine for another program, with a text protocol like UCI
///
/// Reads commands from standard input, one a line, and answers on standard output. They are those of the Universal Chess
/// Interface, with the moves and positions of this program:
///
/// uci: name and options, then uciok. isready: readyok once tables are open, during a search at once. ucinewgame: clear the
/// transposition table.
///
/// setoption name X value Y: Board 9x5, Diagonals, Continuation, Directions, Stalemate, Sacrifice, Vela, MoveLimit,
/// Repetition, Database, Level, Hash (MB), Threads, MultiPV, Ponder, Move Overhead (ms), Seed; setoption name Clear Hash.
///
/// position startpos|fen P [moves ...]: P such as 9/9/9/B6B1/B3WW2W w; its size becomes the board.
///
/// go [wtime MS] [btime MS] [winc MS] [binc MS] [movestogo N] [movetime MS] [depth N] [nodes N] [mate N] [infinite]
/// [ponder] [searchmoves M ...]: searches; after every depth a line "info depth N seldepth N multipv K score cp N|mate N nodes N
/// nps N hashfull N tbhits N time MS pv ...", at the end "bestmove M ponder M" or "bestmove (none)". Default limit: one second. With ponder, the time
/// begins at ponderhit. stop: end the search.
///
/// perft N: lines of play by length. d: the board, the position, the legal moves. quit.
///
/// debug and register are accepted and have no effect. What is not understood is answered with a line "info string ...".
#[derive(ClapArgs, Debug)]
#[command(verbatim_doc_comment)]
#[allow(clippy::doc_markdown)] // the text is shown as it is
pub struct Arguments {
    #[command(flatten)]
    database: DatabaseOption,
}

/// The state of a session.
struct Session {
    settings: Settings,
    /// The game as given, so that it can be replayed under other rules.
    game: GameRequest,
    running: Option<SearchHandle>,
    searcher: search::Searcher,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let settings = Settings::new((&arguments.database).into());
    let mut session =
        Session { game: settings.start(), settings, running: None, searcher: search::Searcher::default() };
    for line in lines_of(io::stdin().lock()) {
        let line = match line? {
            Ok(line) => line,
            Err(error) => {
                print(&format!("info string error: {error}"))?;
                continue;
            }
        };
        let words: Vec<&str> = line.split_whitespace().collect();
        let Some((&command, rest)) = words.split_first() else { continue };
        if command == "quit" {
            session.stop();
            return Ok(());
        }
        if let Err(error) = session.execute(command, rest) {
            match error {
                Failure::Text(text) => print(&format!("info string error: {text}"))?,
                broken => {
                    session.stop();
                    return Err(broken);
                }
            }
        }
    }
    // The input has ended; a search with a limit still completes.
    session.wait();
    Ok(())
}

impl Session {
    fn execute(&mut self, command: &str, rest: &[&str]) -> CliResult {
        // These do not wait for the end of a search.
        match command {
            "stop" => {
                self.stop();
                return Ok(());
            }
            "ponderhit" => return Ok(self.running.as_mut().map_or(Ok(()), SearchHandle::ponder_hit)?),
            "isready" if self.running.as_ref().is_some_and(SearchHandle::is_running) => return print("readyok"),
            "debug" | "register" => return Ok(()),
            "isready" | "uci" | "ucinewgame" | "setoption" | "position" | "go" | "perft" | "d" => self.wait(),
            _ => return print(&format!("info string ignored {:?}, which is not a command", excerpt(command))),
        }
        match command {
            "isready" => {
                // A program that waits for the answer gets it, whatever state the tables are in.
                match self.open_knowledge() {
                    Err(Failure::Text(error)) => print(&format!("info string error: {error}"))?,
                    opened => {
                        if opened?.is_some_and(|it| it.is_empty()) {
                            let Settings { board, rules, database, .. } = &self.settings;
                            let lack = lacks_knowledge(&database.folder, *board, rules.table_rules());
                            print(&format!("info string {lack}"))?;
                        }
                    }
                }
                print("readyok")
            }
            "uci" => print(&format!(
                "id name fanorona {}\nid author the authors of fanorona\n{}\nuciok",
                env!("CARGO_PKG_VERSION"),
                self.settings.describe()
            )),
            "ucinewgame" => {
                self.searcher.forget();
                self.game = self.settings.start();
                Ok(())
            }
            "setoption" => self.set_option(rest),
            "position" => self.position(rest),
            "go" => self.go(rest),
            "perft" => {
                let depth = rest.first().and_then(|depth| depth.parse::<u32>().ok());
                let depth =
                    depth.ok_or_else(|| Failure::Text("perft needs a number of turns, such as perft 4".to_owned()))?;
                let game = self.replayed()?;
                (1..=depth).try_for_each(|depth| print(&format!("perft {depth} {}", game.perft(depth))))
            }
            _ => print(&shown(&self.replayed()?)),
        }
    }

    /// Opens tables and certificates before a clock runs.
    fn open_knowledge(&mut self) -> CliResult<Option<Arc<Knowledge>>> {
        self.searcher.knowledge(&self.settings, self.settings.board)
    }

    /// Sets an option. GUIs send some that this program does not have.
    fn set_option(&mut self, words: &[&str]) -> CliResult {
        let board = self.settings.board;
        match self.settings.set(words)? {
            Effect::ClearHash => self.searcher.forget(),
            Effect::Unknown => {
                let name =
                    words[1..].iter().take_while(|&&word| word != "value").copied().collect::<Vec<_>>().join(" ");
                return print(&format!("info string ignored {:?}, which is not an option", excerpt(&name)));
            }
            Effect::Values => {
                if self.settings.board != board {
                    self.game = self.settings.start();
                }
                self.game.rules = self.settings.rules;
            }
        }
        Ok(())
    }

    /// Starts a search. There is always a best move at its end: without tables if these cannot be opened, and among all moves
    /// if `searchmoves` has no legal one.
    fn go(&mut self, words: &[&str]) -> CliResult {
        let (mut limits, remarks) = GoLimits::read(words);
        for remark in remarks {
            print(&format!("info string {remark}"))?;
        }
        let game = match self.replayed() {
            Ok(game) => game,
            Err(error) => {
                print("bestmove (none)")?;
                return Err(error);
            }
        };
        for text in std::mem::take(&mut limits.moves) {
            match game.clone().play(&text, None) {
                Ok(_) => limits.moves.push(text),
                Err(error) => print(&format!("info string ignored in searchmoves: {error}"))?,
            }
        }
        let knowledge = match self.searcher.knowledge(&self.settings, game.size()) {
            Ok(knowledge) => knowledge,
            Err(Failure::Text(error)) => {
                print(&format!("info string error: {error}; the search goes on without tables"))?;
                None
            }
            Err(broken) => return Err(broken),
        };
        self.running = Some(self.searcher.start(game, knowledge, &self.settings, limits)?);
        Ok(())
    }

    fn replayed(&self) -> CliResult<Game> {
        Ok(self.game.replay()?)
    }

    /// Sets the position; an invalid one changes nothing.
    fn position(&mut self, rest: &[&str]) -> CliResult {
        let moves_at = rest.iter().position(|&word| word == "moves");
        let (place, moves) = rest.split_at(moves_at.unwrap_or(rest.len()));
        let mut settings = self.settings.clone();
        let position = match place {
            ["startpos"] => None,
            ["fen", position @ ..] if !position.is_empty() => {
                let position = position.join(" ");
                settings.board = crate::rules::PositionText::parse(&position)?.size();
                Some(position)
            }
            _ => {
                return Err(Failure::Text(
                    "position needs startpos or fen and a position; moves may follow".to_owned(),
                ));
            }
        };
        let moves = moves.iter().skip(1).map(|&word| word.to_owned()).collect();
        let game = GameRequest { position, moves, ..settings.start() };
        game.replay()?;
        (self.settings, self.game) = (settings, game);
        self.open_knowledge().map(drop)
    }

    /// Stops the search, if one is running.
    fn stop(&mut self) {
        if let Some(running) = self.running.take() {
            running.stop();
        }
    }

    /// Waits for the search to end; one without a limit is stopped.
    fn wait(&mut self) {
        if let Some(running) = self.running.take() {
            running.wait();
        }
    }
}

/// The position with all legal moves.
fn shown(game: &Game) -> String {
    let view = game.view();
    let mut lines = vec![game.picture(), format!("Fen: {}", view.position), format!("Rules: {}", view.rules)];
    lines.extend(view.block.map(|block| format!("Block: {block}")));
    let turns = view.turns.iter().map(|turn| turn.text.clone());
    let sacrifices = view.sacrifices.iter().map(|stone| format!("{stone}x"));
    match view.result {
        Some(result) => lines.push(format!("Result: {} ({})", result.score, result.text)),
        None => lines.push(format!("Legal: {}", turns.chain(sacrifices).collect::<Vec<_>>().join(" "))),
    }
    lines.join("\n")
}
