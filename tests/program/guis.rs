//! `fanorona uci` as chess GUIs and match runners drive it: the commands that they send, in their order.

use crate::talk::Talk;

/// The best move, and after it the answer that is expected, if there was time to find one.
fn moves_of(best: &str) -> String {
    let words: Vec<&str> = best.split(' ').collect();
    match words[..] {
        ["bestmove", best] => best.to_owned(),
        ["bestmove", best, "ponder", answer] => format!("{best} {answer}"),
        _ => panic!("{best}"),
    }
}

/// Sends `isready` and waits for the answer; there is no best move until then.
fn ping(talk: &mut Talk) {
    talk.say("isready");
    let lines = talk.lines_until("readyok");
    assert!(!lines.iter().any(|line| line.starts_with("bestmove")), "{lines:?}");
}

fn assert_ends(mut talk: Talk) {
    talk.say("quit");
    assert!(talk.child.wait().expect("an end").success());
}

/// `UciEngine` of Cute Chess: a game with clocks, in which the engine ponders.
#[test]
fn cute_chess_plays_a_game_with_pondering() {
    let mut talk = Talk::new();
    talk.say("uci");
    let options = talk.lines_until("uciok");
    assert!(options.iter().any(|line| line == "option name Ponder type check default false"), "{options:?}");
    ping(&mut talk);
    for command in ["setoption name Hash value 4", "setoption name Threads value 1", "ucinewgame"] {
        talk.say(command);
    }
    talk.say("setoption name Ponder value true");
    talk.say("position startpos");
    ping(&mut talk);
    talk.say("go depth 4");
    assert!(moves_of(&talk.read_until("bestmove")).contains(' '), "an answer is expected");
    talk.say("go wtime 2000 btime 2000 winc 50 binc 50 movestogo 40");
    let moves = moves_of(&talk.read_until("bestmove"));
    // It ponders, and the expected move is made.
    talk.say(&format!("position startpos moves {moves}"));
    ping(&mut talk);
    talk.say("go ponder wtime 1950 btime 2000 winc 50 binc 50 movestogo 39");
    ping(&mut talk);
    talk.say("ponderhit");
    let more = moves_of(&talk.read_until("bestmove"));
    // It ponders, and another move is made: the answer to `stop` is ignored.
    talk.say(&format!("position startpos moves {moves} {more}"));
    ping(&mut talk);
    talk.say("go ponder wtime 1900 btime 2000 winc 50 binc 50 movestogo 38");
    talk.say("stop");
    talk.read_until("bestmove");
    talk.say(&format!("position startpos moves {moves}"));
    ping(&mut talk);
    talk.say("go wtime 1 btime 2000 winc 50 binc 50 movestogo 38");
    talk.read_until("bestmove");
    assert_ends(talk);
}

/// A search that is over keeps its best move until the other side has moved.
#[test]
fn there_is_no_best_move_while_it_ponders() {
    let mut talk = Talk::new();
    for end in ["ponderhit", "stop"] {
        talk.say("position startpos");
        talk.say("go ponder depth 1");
        talk.read_until("info depth 1 ");
        ping(&mut talk);
        talk.say(end);
        talk.read_until("bestmove");
    }
    // With a clock it searches on, and the time begins with `ponderhit`.
    talk.say("go ponder wtime 400 btime 400");
    talk.read_until("info depth 3 ");
    ping(&mut talk);
    talk.say("ponderhit");
    talk.read_until("bestmove");
    assert_ends(talk);
}

/// `SimpleEngine` of python-chess: `play`, `analyse` and `analysis`. It writes moves in lower case.
#[test]
fn python_chess_plays_and_analyses() {
    let mut talk = Talk::new();
    talk.say("uci");
    talk.read_until("uciok");
    talk.say("ucinewgame");
    ping(&mut talk);
    talk.say("position startpos");
    talk.say("go wtime 3000 btime 3000 winc 0 binc 0 movestogo 30");
    let moves = moves_of(&talk.read_until("bestmove"));
    let position = format!("position startpos moves {}", moves.to_lowercase());
    talk.say(&position);
    talk.say("go depth 2 searchmoves 0000");
    let infos = talk.lines_until("bestmove");
    assert!(infos[0].starts_with("info string ignored in searchmoves: "), "{infos:?}");
    talk.say("setoption name MultiPV value 3");
    talk.say(&position);
    talk.say("go nodes 2000 movetime 60000");
    talk.read_until("bestmove");
    talk.say(&position);
    talk.say("go mate 1");
    talk.read_until("bestmove");
    talk.say("setoption name MultiPV value 1");
    talk.say("debug on");
    talk.say(&position);
    talk.say("go infinite");
    talk.read_until("info depth 1 ");
    ping(&mut talk);
    talk.say("stop");
    talk.read_until("bestmove");
    assert_ends(talk);
}
