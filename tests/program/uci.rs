//! `fanorona uci`: the text protocol, as another program would speak it.

use std::io::{BufRead, BufReader, Write};
use std::process::{Child, ChildStdin, ChildStdout, Stdio};
use std::time::{Duration, Instant};

use crate::program::Place;

/// The lines that answer some commands.
fn lines(commands: &[&str]) -> Vec<String> {
    lines_in(&Place::new(), commands)
}

fn lines_in(place: &Place, commands: &[&str]) -> Vec<String> {
    let input = commands.join("\n");
    place.run_on("uci", input.as_bytes()).done().lines().map(str::to_owned).collect()
}

#[test]
fn it_introduces_itself() {
    let lines = lines(&["uci", "isready", "quit"]);
    assert!(lines[0].starts_with("id name fanorona "));
    assert_eq!(lines[lines.len() - 2..], ["uciok", "readyok"]);
    for option in [
        "option name Board type string default 9x5",
        "option name Diagonals type combo default corner var corner var centre",
        "option name Sacrifice type check default false",
        "option name Vela type combo default none var none var white var black",
        "option name Level type spin default 5 min 1 max 5",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
}

#[test]
fn it_searches_to_a_depth_and_reports_as_it_goes() {
    let lines = lines(&["position startpos moves d3-e3A", "go depth 3"]);
    let (best, infos) = lines.split_last().unwrap();
    assert!(best.starts_with("bestmove "), "{best}");
    assert_eq!(infos.len(), 3);
    for (number, info) in infos.iter().enumerate() {
        let words: Vec<&str> = info.split(' ').collect();
        assert_eq!(words[..3], ["info", "depth", (number + 1).to_string().as_str()], "{info}");
        for word in ["score", "nodes", "nps", "time", "pv"] {
            assert!(words.contains(&word), "{info}");
        }
    }
    // The best move is the first of the last line, and it is legal.
    let pv = infos[2].split(" pv ").nth(1).unwrap().split(' ').next().unwrap();
    assert_eq!(*best, format!("bestmove {pv}"));
    let legal = lines_of_d(&["position startpos moves d3-e3A", "d"]);
    assert!(legal.contains(&pv.to_owned()), "{legal:?}");
}

/// The legal moves that `d` lists.
fn lines_of_d(commands: &[&str]) -> Vec<String> {
    let lines = lines(commands);
    let legal = lines.iter().find_map(|line| line.strip_prefix("Legal: ")).expect("a line of moves");
    legal.split(' ').map(str::to_owned).collect()
}

#[test]
fn a_quick_win_is_seen_and_games_that_are_over_have_no_move() {
    let lines_won = lines(&["position fen 3/3/W1B w", "go depth 5"]);
    assert_eq!(lines_won.last().unwrap(), "bestmove a1-b1A");
    let lines_won = lines(&["position fen 5/5/2B2/5/W1W2 b", "go depth 4"]);
    assert!(lines_won.last().unwrap().starts_with("bestmove "));
    assert_eq!(lines(&["position fen 3/3/W2 w", "go depth 5"]).last().unwrap(), "bestmove (none)");
}

#[test]
fn perft_counts_as_the_command_does() {
    assert_eq!(lines(&["perft 3"]), ["perft 1 5", "perft 2 39", "perft 3 724"]);
    assert_eq!(lines(&["setoption name Board value 5x5", "perft 3"]), ["perft 1 5", "perft 2 21", "perft 3 202"]);
    let sacrifice = lines(&["setoption name Sacrifice value true", "perft 1"]);
    assert_eq!(sacrifice, ["perft 1 27"]);
}

#[test]
fn options_change_the_rules_of_the_position() {
    let six = "position fen 5/2B2/5/2WWW/WWW2 w";
    assert!(lines_of_d(&[six, "d"]).iter().all(|text| text.ends_with(['A', 'W'])));
    assert!(lines_of_d(&[six, "setoption name Vela value white", "d"]).contains(&"c2-c3".to_owned()));
    assert!(lines_of_d(&["setoption name Sacrifice value true", six, "d"]).contains(&"c2x".to_owned()));
    let obligatory = ["setoption name Continuation value obligatory", "position fen 9/2B2WBWB/9/1W1BB1B2/9 w", "d"];
    assert!(!lines_of_d(&obligatory).contains(&"b2-c2A".to_owned()));
}

#[test]
fn what_makes_no_sense_is_reported_and_changes_nothing() {
    let wrong = [
        ("hello", "\"hello\" is not a command"),
        ("position somewhere", "position needs startpos or fen"),
        ("position fen 9/9 w", "the ranks make 9x2"),
        (
            "position startpos moves a1-a2",
            "move 1 of the game: a1-a2 is not legal: a2 is occupied; nothing is legal from a1; legal are ",
        ),
        ("go quickly", "\"quickly\" is not a limit"),
        ("go depth", "depth needs a whole number"),
        ("perft many", "perft needs a number"),
        ("setoption name Colour value red", "\"Colour\" is not an option"),
        ("setoption name Vela value red", "Vela is none, white or black"),
        ("setoption name Level value 9", "level 9 is not one of"),
        ("setoption name Board value 4x4", "4x4"),
        ("setoption Level", "setoption is followed by"),
    ];
    let mut commands: Vec<&str> = wrong.iter().map(|(command, _)| *command).collect();
    commands.push("perft 1");
    let lines = lines(&commands);
    assert_eq!(lines.len(), wrong.len() + 1, "{lines:?}");
    for (line, (command, words)) in lines.iter().zip(wrong) {
        assert!(line.starts_with("info string error: ") && line.contains(words), "{command}: {line}");
    }
    assert_eq!(lines[wrong.len()], "perft 1 5");
}

/// A program one talks with line by line.
struct Talk {
    child: Child,
    input: ChildStdin,
    output: BufReader<ChildStdout>,
    _place: Place,
}

impl Talk {
    fn new() -> Self {
        let place = Place::new();
        let mut child = place.command(&["uci"]).stdin(Stdio::piped()).spawn().expect("the program");
        let input = child.stdin.take().expect("a pipe");
        let output = BufReader::new(child.stdout.take().expect("a pipe"));
        Self { child, input, output, _place: place }
    }

    fn say(&mut self, line: &str) {
        writeln!(self.input, "{line}").expect("the program listens");
    }

    /// Reads until a line that begins so.
    fn read_until(&mut self, beginning: &str) -> String {
        loop {
            let mut line = String::new();
            assert_ne!(self.output.read_line(&mut line).expect("a line"), 0, "no {beginning}");
            if line.starts_with(beginning) {
                return line.trim_end().to_owned();
            }
        }
    }
}

#[test]
fn it_listens_while_it_searches() {
    let mut talk = Talk::new();
    talk.say("position startpos");
    talk.say("go infinite");
    talk.read_until("info depth 2 ");
    talk.say("isready");
    talk.read_until("readyok");
    let begun = Instant::now();
    talk.say("stop");
    talk.read_until("bestmove ");
    assert!(begun.elapsed() < Duration::from_secs(3), "{:?}", begun.elapsed());
    // A search that has seen everything still waits to be stopped.
    talk.say("position fen 2B/3/W1W w");
    talk.say("go infinite");
    assert!(talk.read_until("info depth 1 ").contains(" score mate 1 "));
    talk.say("isready");
    talk.read_until("readyok");
    talk.say("stop");
    let best = talk.read_until("bestmove ");
    assert!(["bestmove a1-b2A", "bestmove c1-c2A"].contains(&best.as_str()), "{best}");
    talk.say("go infinite");
    talk.say("quit");
    assert!(talk.child.wait().expect("an end").success());
}

#[test]
fn tables_give_values_where_they_reach() {
    let place = Place::new();
    place.run("build 3x3 --stones 8 --metric both").done();
    let lines = lines_in(&place, &["setoption name Board value 3x3", "isready", "go movetime 1000"]);
    // The start of 3x3 is won, and the tables know in how many plies.
    assert!(lines[1].starts_with("info string table: win in "), "{lines:?}");
    assert!(lines[2].starts_with("bestmove "), "{lines:?}");
    assert_eq!(lines.len(), 3);
}
