//! `fanorona uci`: a text protocol for programs, modelled on the Universal Chess Interface.

mod options;
mod search;

use std::io;

use clap::Args as ClapArgs;

use crate::board::excerpt;
use crate::game::{Game, GameRequest};

use super::options::{DatabaseOption, lines_of};
use super::output::{CliResult, Failure, print};
use options::Settings;
use search::{GoLimits, Running};

/// Run the engine for another program, with a text protocol like UCI
///
/// Reads commands from standard input, one a line, and answers on standard output. They are those of the Universal Chess
/// Interface, with the moves and positions of this program:
///
/// uci: name and options, then uciok. isready: readyok once tables are open, during a search at once. ucinewgame: clear the
/// transposition table.
///
/// setoption name X value Y: Board 9x5, Diagonals, Continuation, Stalemate, Sacrifice, Vela, MoveLimit, Repetition,
/// Database, Level, Hash (MB), Seed.
///
/// position startpos|fen P [moves ...]: P such as "9/9/9/B6B1/B3WW2W w"; its size becomes the board.
///
/// go [movetime MS] [depth N] [nodes N] [infinite]: searches; after every depth a line "info depth N score cp N|mate N
/// nodes N nps N time MS pv ...", at the end "bestmove M" or "bestmove (none)". Default limit: one second. stop: end the search.
///
/// perft N: lines of play by length. d: the board, the position, the legal moves. quit.
///
/// Errors are answered with a line "info string error: ...".
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
    running: Option<Running>,
    searcher: search::Searcher,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let settings = Settings::new((&arguments.database).into());
    let mut session =
        Session { game: settings.start(), settings, running: None, searcher: search::Searcher::default() };
    for line in lines_of(io::stdin().lock()) {
        let line = line?;
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
        match command {
            "stop" => {
                self.stop();
                return Ok(());
            }
            "isready" if self.running.as_ref().is_some_and(Running::is_running) => return print("readyok"),
            _ => self.wait(),
        }
        match command {
            "isready" => {
                self.searcher.knowledge(&self.settings, self.settings.board)?;
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
            "setoption" => {
                let board = self.settings.board;
                self.settings.set(rest)?;
                if self.settings.board != board {
                    self.game = self.settings.start();
                }
                self.game.rules = self.settings.rules;
                Ok(())
            }
            "position" => self.position(rest),
            "go" => {
                let limits = GoLimits::read(rest)?;
                let game = self.replayed()?;
                self.running = Some(self.searcher.start(game, &self.settings, limits)?);
                Ok(())
            }
            "perft" => {
                let depth = rest.first().and_then(|depth| depth.parse::<u32>().ok());
                let depth =
                    depth.ok_or_else(|| Failure::Text("perft needs a number of turns, such as perft 4".to_owned()))?;
                let game = self.replayed()?;
                (1..=depth).try_for_each(|depth| print(&format!("perft {depth} {}", game.perft(depth))))
            }
            "d" => print(&shown(&self.replayed()?)),
            _ => Err(Failure::Text(format!(
                "{:?} is not a command; commands are uci, isready, ucinewgame, setoption, position, go, stop, perft, d, quit",
                excerpt(command)
            ))),
        }
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
        // Tables are opened before a clock runs.
        self.searcher.knowledge(&self.settings, self.settings.board).map(|_| ())
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
        Some(result) => lines.push(format!("Result: {} ({})", result.score.text(), result.text)),
        None => lines.push(format!("Legal: {}", turns.chain(sacrifices).collect::<Vec<_>>().join(" "))),
    }
    lines.join("\n")
}
