//! `fanorona play`: a game at the terminal, against the computer or between people.

mod computer;
mod options;

use std::io::{self, Write as _};
use std::path::Path;
use std::time::{Duration, Instant};

use clap::Args as ClapArgs;

use crate::board::BoardSize;
use crate::files::{Line, lines_of, raise_limit, read_text, replace_file};
use crate::game::engine::Level;
use crate::game::{End, Game, GameRequest, parse_game};
use crate::rules::{PositionText, Side};

use super::interrupt;
use super::options::{DatabaseOption, lacks_knowledge};
use super::output::{CliResult, Failure, print};
use super::values::{read_number, read_time};
use computer::Computer;
use options::{PlayOptions, Player};

const HELP: &str = "\
A move      d3-e3A, b2-c2A-c3A, a1-b2: the points of the stone, A after a capture by approach, W by withdrawal;
            dashes and letters may be left out if the move is unambiguous; a1x sacrifices, if the rules allow it
why MOVE    why a move is refused           moves       all legal moves
hint        the move at the best level      draw        offer or accept a draw
undo        undo a turn                     redo        redo a turn
save FILE   save the game as a record       load FILE   load a game record
resign      resign                          board       show the board
help        show this text                  quit        quit
Ctrl-C      while the computer thinks: it plays its best move so far";

/// Play at the terminal, against the computer or another person
#[derive(ClapArgs, Debug)]
pub struct Arguments {
    /// The board, columns x rows; that of --position, or else 9x5, if not given
    size: Option<BoardSize>,
    /// Who plays White
    #[arg(long, value_enum, default_value = "person")]
    white: Player,
    /// Who plays Black
    #[arg(long, value_enum, default_value = "computer")]
    black: Player,
    /// Playing strength of the computer, 1 to 9: each level sees more than the one below or errs less; 1 loses to a beginner, 9 is
    /// perfect where tables reach
    #[arg(long, default_value = "9")]
    level: Level,
    /// Time limit for a turn of the computer, such as 2s or 500ms
    #[arg(long, default_value = "2s", value_parser = read_time)]
    time: Duration,
    /// Begin from this position instead of the start
    #[arg(long, value_name = "P")]
    position: Option<String>,
    /// Random seed of the computer
    #[arg(long, value_parser = read_number::<u64>, value_name = "N")]
    seed: Option<u64>,
    #[command(flatten)]
    rules: PlayOptions,
    #[command(flatten)]
    database: DatabaseOption,
}

/// A game at the terminal.
struct Terminal {
    game: Game,
    white: Player,
    black: Player,
    computer: Computer,
    /// Whether the computer offered a draw with its last turn.
    offered: bool,
    /// When the present turn began.
    turn_began: Instant,
}

/// What to do after a command.
enum Next {
    GoOn,
    Leave,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let size = match (arguments.size, &arguments.position) {
        (Some(size), _) => size,
        (None, Some(position)) => PositionText::parse(position)?.size(),
        (None, None) => BoardSize::STANDARD,
    };
    let rules = arguments.rules.rules(size);
    let board = size.to_string();
    let request = GameRequest { board, position: arguments.position.clone(), rules, ..GameRequest::default() };
    let game = request.replay()?;
    let seed = arguments.seed.unwrap_or_else(|| fastrand::u64(..));
    let mut computer = Computer::new((&arguments.database).into(), arguments.level, arguments.time, seed);
    if [arguments.white, arguments.black].contains(&Player::Computer) {
        // Before the clock of the first turn starts.
        if computer.open_knowledge(&game)?.is_some_and(|it| it.is_empty()) {
            let lack = lacks_knowledge(&arguments.database.folder, size, rules.table_rules());
            note!("{lack}; until then the computer plays without");
        }
    }
    if arguments.white == Player::Person || arguments.black == Player::Person {
        computer.plays_when_interrupted()?;
    } else {
        interrupt::ends_program("interrupted")?;
    }
    let mut terminal = Terminal {
        game,
        white: arguments.white,
        black: arguments.black,
        computer,
        offered: false,
        turn_began: Instant::now(),
    };
    terminal.name_players();
    print(&format!("Fanorona on {size}: {rules}. Type \"help\" for the commands."))?;
    terminal.play()
}

impl Terminal {
    fn player(&self, side: Side) -> Player {
        match side {
            Side::White => self.white,
            Side::Black => self.black,
        }
    }

    fn name_players(&mut self) {
        for (tag, player) in [("White", self.white), ("Black", self.black)] {
            let name = match player {
                Player::Person => "Person".to_owned(),
                Player::Computer => format!("Computer, level {}", self.computer.level),
            };
            self.game.set_tag(tag, &name);
        }
    }

    fn play(&mut self) -> CliResult {
        let mut input = lines_of(io::stdin().lock());
        let only_computers = self.white == Player::Computer && self.black == Player::Computer;
        self.show()?;
        loop {
            if let Some(result) = self.game.result() {
                print(&format!("{}  {}", result.score, result.text))?;
                if only_computers {
                    return Ok(());
                }
            } else if self.player(self.game.to_move()) == Player::Computer {
                self.computer_turn(only_computers)?;
                continue;
            }
            let Some(line) = input.next() else { return Ok(()) };
            let line = match line? {
                Ok(line) => line,
                Err(error) => {
                    print(&error.to_string())?;
                    continue;
                }
            };
            match self.execute(line.trim(), &mut input) {
                Ok(Next::GoOn) => {}
                Ok(Next::Leave) => return Ok(()),
                Err(Failure::Text(text)) => print(&text)?,
                Err(broken) => return Err(broken),
            }
        }
    }

    /// Prints the position with which a turn begins.
    fn show(&mut self) -> CliResult {
        self.turn_began = Instant::now();
        self.print_board()
    }

    /// Prints the board and the side to move.
    fn print_board(&self) -> CliResult {
        let view = self.game.view();
        let mut lines = vec![String::new(), self.game.picture()];
        if view.can_capture && view.result.is_none() {
            lines[1] +=
                if view.sacrifices.is_empty() { ", and must capture" } else { ", and must capture or sacrifice" };
        }
        if view.bound {
            lines.push(format!("    {} is bound by vela and may not capture", view.to_move.name()));
        }
        lines.extend(view.block.map(|block| format!("    The stone on {block} is sacrificed: a block for this turn")));
        let turns_left = view.turns_left.filter(|_| view.result.is_none());
        lines.extend(turns_left.map(|turns| format!("    {turns} turn{} left", if turns == 1 { "" } else { "s" })));
        print(&lines.join("\n"))
    }

    fn computer_turn(&mut self, only_computers: bool) -> CliResult {
        let side = self.game.to_move();
        let reply = self.computer.reply(&self.game, None)?;
        let time = self.timed();
        let played = self.game.play(&reply.text, time)?;
        let how = computer::how_text(&reply);
        print(&format!("{} plays {played} ({how})", side.name()))?;
        self.offered = reply.offers_draw;
        let endless = only_computers && self.game.repetitions() >= 3;
        if self.game.result().is_none() && ((only_computers && self.offered) || endless) {
            self.game.finish(End::Agreement {})?;
        } else if self.offered && self.game.result().is_none() {
            print(&format!("{} offers a draw: \"draw\" accepts it", side.name()))?;
        }
        self.show()
    }

    /// Milliseconds of the present turn, if the rules limit it.
    fn timed(&self) -> Option<u64> {
        self.game.rules().move_time?;
        u64::try_from(self.turn_began.elapsed().as_millis()).ok()
    }

    fn execute(&mut self, line: &str, input: &mut impl Iterator<Item = io::Result<Line>>) -> CliResult<Next> {
        let (command, rest) = line.split_once(char::is_whitespace).unwrap_or((line, ""));
        let rest = rest.trim();
        match command {
            "" => {}
            "quit" | "exit" => return Ok(Next::Leave),
            "help" => print(HELP)?,
            "board" => self.print_board()?,
            "moves" => print(&self.moves())?,
            "hint" => {
                let reply = self.computer.reply(&self.game, Some(Level::BEST))?;
                print(&format!("Hint: {} ({})", reply.text, computer::how_text(&reply)))?;
            }
            "undo" => self.undo()?,
            "redo" => self.redo()?,
            "save" => self.save(rest)?,
            "load" => self.load(rest)?,
            "draw" => self.draw(input)?,
            "resign" => {
                let side = self.game.to_move();
                self.game.finish(End::Resignation { side })?;
            }
            "why" => print(&self.why(rest))?,
            _ => {
                let time = self.timed();
                let (side, played) = (self.game.to_move(), self.game.play(line, time)?);
                self.offered = false;
                print(&format!("{} plays {played}", side.name()))?;
                self.show()?;
            }
        }
        Ok(Next::GoOn)
    }

    fn moves(&self) -> String {
        let view = self.game.view();
        let sacrifices = view.sacrifices.iter().map(|stone| format!("{stone}x"));
        let texts: Vec<String> = view.turns.into_iter().map(|turn| turn.text).chain(sacrifices).collect();
        if texts.is_empty() { "There are no legal moves: the game is over".to_owned() } else { texts.join("  ") }
    }

    /// Undoes turns until a person is to move.
    fn undo(&mut self) -> CliResult {
        if !self.game.undo() {
            return print("There is nothing to undo");
        }
        while self.player(self.game.to_move()) == Player::Computer && self.game.undo() {}
        self.offered = false;
        self.show()
    }

    fn redo(&mut self) -> CliResult {
        if !self.game.redo() {
            return print("There is nothing to redo");
        }
        while self.player(self.game.to_move()) == Player::Computer && self.game.redo() {}
        self.show()
    }

    fn save(&self, file: &str) -> CliResult {
        if file.is_empty() {
            return print("save needs the name of a file, such as save game.txt");
        }
        match save_record(Path::new(file), &self.game.record()) {
            Ok(()) => print(&format!("Saved as {file}")),
            Err(why) => print(&why),
        }
    }

    fn load(&mut self, file: &str) -> CliResult {
        if file.is_empty() {
            return print("load needs the name of a file, such as load game.txt");
        }
        let text = match read_text(Path::new(file)) {
            Ok(text) => text,
            Err(error) => return print(&format!("cannot read {file}: {error}")),
        };
        match parse_game(&text) {
            Ok(read) => self.game = read.game.replay()?,
            Err(error) => return print(&format!("{file}, {error}")),
        }
        if [self.white, self.black].contains(&Player::Computer) {
            self.computer.open_knowledge(&self.game)?;
        }
        self.offered = false;
        let turns = self.game.ply();
        print(&format!("Loaded {file}, {turns} {}", if turns == 1 { "turn" } else { "turns" }))?;
        self.show()
    }

    fn draw(&mut self, input: &mut impl Iterator<Item = io::Result<Line>>) -> CliResult {
        let side = self.game.to_move();
        let agreed = if self.game.result().is_some() || self.offered {
            true
        } else if self.player(side.other()) == Player::Computer {
            let answer = self.computer.answer_draw(&self.game)?;
            print(&answer.why)?;
            answer.accept
        } else {
            print(&format!("{} offers a draw. Does {} agree? yes or no", side.name(), side.other().name()))?;
            loop {
                // The end of the input declines the offer.
                let answer = input.next().transpose()?.unwrap_or_else(|| Ok("no".to_owned())).unwrap_or_default();
                match answer.trim().to_ascii_lowercase().as_str() {
                    "y" | "yes" | "draw" => break true,
                    "n" | "no" => break false,
                    _ => print("yes or no?")?,
                }
            }
        };
        if agreed { Ok(self.game.finish(End::Agreement {})?) } else { print("The game goes on") }
    }

    /// Why a move is refused.
    fn why(&self, text: &str) -> String {
        self.game.clone().play(text, None).map_or_else(|error| error.to_string(), |turn| format!("{turn} is allowed"))
    }
}

/// Writes a record, or says why not. An existing file is replaced only when the new one is complete on disk.
pub fn save_record(path: &Path, record: &str) -> Result<(), String> {
    replace_file(path, |_, _, error| error, |file, _| file.write_all(record.as_bytes())).map_err(|error: io::Error| {
        format!("cannot write {}: {error}{}", path.display(), raise_limit(&error).unwrap_or("; choose another name"))
    })
}
