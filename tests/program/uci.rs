//! `fanorona uci`: the text protocol, as another program would speak it.

use std::collections::HashSet;
use std::time::{Duration, Instant};

use crate::program::Place;
use crate::talk::Talk;

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
    let [.., uciok, lack, readyok] = &lines[..] else { panic!("{lines:?}") };
    assert_eq!([uciok, readyok], ["uciok", "readyok"]);
    assert!(lack.starts_with("info string there are no tables or certificates of 9x5 in db; build "), "{lack}");
    for option in [
        "option name Board type string default 9x5",
        "option name Diagonals type combo default corner var corner var centre",
        "option name Sacrifice type check default false",
        "option name Vela type combo default none var none var white var black",
        "option name Level type spin default 9 min 1 max 9",
        "option name Clear Hash type button",
        "option name Threads type spin default 1 min 1 max 256",
        "option name MultiPV type spin default 1 min 1 max 500",
        "option name Ponder type check default false",
    ] {
        assert!(lines.iter().any(|line| line == option), "{option}");
    }
}

#[test]
fn it_searches_to_a_depth_and_reports_as_it_goes() {
    let lines = lines(&["position startpos moves d3-e3A", "go depth 3"]);
    let (best, infos) = lines.split_last().unwrap();
    assert_eq!(infos.len(), 3);
    for (number, info) in infos.iter().enumerate() {
        let words: Vec<&str> = info.split(' ').collect();
        assert_eq!(words[..3], ["info", "depth", (number + 1).to_string().as_str()], "{info}");
        for word in ["seldepth", "multipv", "score", "nodes", "nps", "hashfull", "tbhits", "time", "pv"] {
            assert!(words.contains(&word), "{info}");
        }
    }
    // The best move and the expected answer are the first of the last line, and both are legal.
    let pv: Vec<&str> = infos[2].split(" pv ").nth(1).unwrap().split(' ').collect();
    assert_eq!(*best, format!("bestmove {} ponder {}", pv[0], pv[1]));
    let legal = lines_of_d(&["position startpos moves d3-e3A", "d"]);
    assert!(legal.contains(&pv[0].to_owned()), "{legal:?}");
    let legal = lines_of_d(&[&format!("position startpos moves d3-e3A {}", pv[0]), "d"]);
    assert!(legal.contains(&pv[1].to_owned()), "{legal:?}");
}

/// The number after a word of a line.
fn number_after(line: &str, word: &str) -> u64 {
    let mut words = line.split(' ').skip_while(|&other| other != word);
    words.nth(1).and_then(|number| number.parse().ok()).unwrap_or_else(|| panic!("no number after {word} in {line}"))
}

#[test]
fn reports_say_how_deep_it_looked_and_how_full_the_table_is() {
    let lines = lines(&["setoption name Hash value 1", "go depth 7"]);
    let last = lines.iter().rev().find(|line| line.starts_with("info depth 7 ")).unwrap();
    // Captures are followed beyond the depth.
    assert!(number_after(last, "seldepth") > 7, "{last}");
    assert!((1..=1000).contains(&number_after(last, "hashfull")), "{last}");
    assert_eq!(number_after(last, "tbhits"), 0, "without tables: {last}");
}

#[test]
fn several_lines_are_those_of_the_best_moves() {
    let lines = lines(&["setoption name MultiPV value 3", "go depth 4"]);
    let (best, infos) = lines.split_last().unwrap();
    assert_eq!(infos.len(), 3 * 4);
    for (depth, group) in (1..).zip(infos.chunks(3)) {
        let firsts: Vec<&str> =
            group.iter().map(|info| info.split(" pv ").nth(1).unwrap().split(' ').next().unwrap()).collect();
        for (rank, info) in (1..).zip(group) {
            assert_eq!((number_after(info, "depth"), number_after(info, "multipv")), (depth, rank), "{info}");
        }
        let different: HashSet<&str> = firsts.iter().copied().collect();
        assert_eq!(different.len(), 3, "{group:?}");
        let scores: Vec<i64> = group
            .iter()
            .map(|info| info.split(" score cp ").nth(1).unwrap().split(' ').next().unwrap().parse().unwrap())
            .collect();
        assert!(scores.is_sorted_by(|better, worse| better >= worse), "{group:?}");
        if depth == 4 {
            assert_eq!(best.split(' ').nth(1), Some(firsts[0]));
        }
    }
    // There are no more lines than moves: five.
    let lines = self::lines(&["setoption name MultiPV value 50", "go depth 1"]);
    assert_eq!(lines.len(), 5 + 1, "{lines:?}");
}

#[test]
fn several_threads_search_the_same_position() {
    let commands = ["setoption name Threads value 3", "position startpos moves d3-e3A", "go depth 6", "go nodes 5000"];
    let lines = lines(&commands);
    let legal = lines_of_d(&["position startpos moves d3-e3A", "d"]);
    let moves: Vec<&str> = lines.iter().filter_map(|line| line.strip_prefix("bestmove ")).collect();
    assert_eq!(moves.len(), 2, "{lines:?}");
    for text in moves {
        assert!(legal.iter().any(|move_of| *move_of == text.split(' ').next().unwrap()), "{text}: {legal:?}");
    }
    for depth in 1..=6 {
        assert!(lines.iter().any(|line| line.starts_with(&format!("info depth {depth} "))), "{depth}: {lines:?}");
    }
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
    for (directions, right_again) in [("not-repeated", true), ("turning", true), ("once", false)] {
        let set = format!("setoption name Directions value {directions}");
        let turns = lines_of_d(&[&set, "position fen 9/2B2WBWB/4B4/1W1BB1B2/9 w", "d"]);
        assert_eq!(turns.contains(&"b2-c2A-c3A-d3A".to_owned()), right_again, "{directions}");
    }
}

#[test]
fn what_makes_no_sense_is_reported_and_changes_nothing() {
    let wrong = [
        ("position somewhere", "position needs startpos or fen"),
        ("position fen 9/9 w", "the ranks make 9x2"),
        (
            "position startpos moves a1-a2",
            "move 1 of the game: a1-a2 is not legal: a2 is occupied; nothing is legal from a1; legal moves: ",
        ),
        ("perft many", "perft needs a number"),
        ("setoption name Vela value red", "Vela is none, white or black"),
        ("setoption name Stalemate value win", "Stalemate is loss or draw, not \"win\""),
        ("setoption name Level value 99", "level 99 is not one of"),
        ("setoption name Hash value 0", "Hash 0 is not one of 1 to 4096 megabytes"),
        ("setoption name Threads value many", "Threads is a number of threads, not \"many\""),
        ("setoption name Board value 4x4", "4x4"),
        ("setoption Level", "write setoption name NAME"),
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

#[test]
fn what_is_not_known_is_ignored_and_go_always_ends_with_a_move() {
    let ignored = [
        "hello",
        "setoption name Colour value red",
        "setoption name UCI_Opponent value none none human Somebody",
        "go depth 1 quickly",
        "go depth 1 nodes",
        "go depth 1 searchmoves d3-d4",
    ];
    for command in ignored {
        let lines = lines(&[command, "debug on", "register later", "perft 1"]);
        assert!(lines[0].starts_with("info string ignored "), "{command}: {lines:?}");
        assert_eq!(lines.last().unwrap(), "perft 1 5", "{command}: {lines:?}");
        let moves = lines.iter().filter(|line| line.starts_with("bestmove ")).count();
        assert_eq!(moves, usize::from(command.starts_with("go")), "{command}: {lines:?}");
    }
}

#[test]
fn tables_that_cannot_be_opened_do_not_stop_a_game() {
    let place = Place::new();
    std::fs::create_dir(place.path().join("db")).unwrap();
    std::fs::write(place.path().join("db/certificates"), "a file where a folder should be").unwrap();
    let lines = lines_in(&place, &["setoption name Board value 3x3", "isready", "go depth 2"]);
    let ready = lines.iter().position(|line| line == "readyok").expect("an answer to isready");
    assert!(lines[ready - 1].starts_with("info string error: "), "{lines:?}");
    let ends = |line: &String| line.starts_with("info string error: ") && line.ends_with("goes on without tables");
    assert!(lines.iter().any(ends), "{lines:?}");
    assert!(lines.last().unwrap().starts_with("bestmove "), "{lines:?}");
}

#[test]
fn a_search_among_some_moves_chooses_one_of_them() {
    for only in ["d2-e3A", "d3-e3W", "e2-e3A"] {
        let lines = lines(&[&format!("go depth 2 searchmoves {only}")]);
        assert!(lines.last().unwrap().starts_with(&format!("bestmove {only}")), "{lines:?}");
    }
    let lines = lines(&["go searchmoves d3-e3W a1-b1 e2-e3A depth 2"]);
    assert!(["d3-e3W", "e2-e3A"].contains(&lines.last().unwrap().split(' ').nth(1).unwrap()), "{lines:?}");
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
    assert!(lines[1].starts_with("info depth 1 multipv 1 score mate "), "{lines:?}");
    assert!(lines[2].starts_with("info string table: win in "), "{lines:?}");
    assert!(lines[3].starts_with("bestmove "), "{lines:?}");
    assert_eq!(lines.len(), 4);
}
