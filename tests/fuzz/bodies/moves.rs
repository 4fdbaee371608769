//! Moves as text: what is read by following the steps is what fits among all turns; and what a move is printed as reads back.
//!
//! The input has three lines: a position, a digit for the rules, and the move.

use std::ops::ControlFlow;

use fanorona::board::{PointSet, Wide};
use fanorona::game::{ActionError, PlayRules, Referee, State, parse_action};
use fanorona::rules::{Position, PositionText, RuleSet, read_path};

use super::check_message;

/// Positions with more turns are read by their steps alone.
const MAX_TURNS: usize = 2_000;

pub fn seeds() -> Vec<Vec<u8>> {
    let start = "BBBBBBBBB/BBBBBBBBB/BWBW1BWBW/WWWWWWWWW/WWWWWWWWW w";
    let example = "9/3W1W1W1/2B6/1W1B1B3/6B1B w";
    let texts = [
        format!("{start}\n0\nd3-e3A"),
        format!("{start}\n0\nd3e3"),
        format!("{start}\n8\na1x"),
        format!("{example}\n0\nb2-c2A-c3A"),
        format!("{example}\n1\nf4-e4W"),
        format!("{example}\n2\nf4-e4W-d4A"),
        "1B1/3/WW1 w\n4\na1-b2".to_owned(),
        "3/2B/W2 b\n5\nC3 b2".to_owned(),
        "5/1BBB1/1B1B1/1BBB1/W4 w\n3\na1-b1-a2".to_owned(),
        "13/13/13/13/13/13/5BWB5/13/13/13/13/13/13 w\n0\ng7-g8".to_owned(),
    ];
    texts.map(String::into_bytes).to_vec()
}

pub fn run(data: &[u8]) {
    let text = String::from_utf8_lossy(data);
    let mut lines = text.splitn(3, '\n');
    let (Some(position), Some(rules), Some(written)) = (lines.next(), lines.next(), lines.next()) else { return };
    let Ok(parsed) = PositionText::parse(position) else { return };
    let bits = rules.bytes().next().unwrap_or_default();
    let table_rules = RuleSet::from_options([bits & 1 != 0, bits & 2 != 0, bits & 64 != 0, bits & 4 != 0]);
    let rules = PlayRules { sacrifice: bits & 8 != 0, ..table_rules.into() };
    let size = parsed.size();
    if size.points() <= u64::CAPACITY {
        read(&parsed.on::<u64>(size).expect("its own board"), &Referee::new(size, rules), written);
    } else {
        read(&parsed.on::<Wide>(size).expect("its own board"), &Referee::new(size, rules), written);
    }
}

fn read<P: PointSet>(position: &Position<P>, referee: &Referee<P>, text: &str) {
    let size = referee.board().size();
    let state = State::from(*position);
    let action = parse_action(referee, &state, text);
    match &action {
        Err(error) => check_message(&error.to_string()),
        Ok(read) => {
            let printed = read.action.text(size);
            let again = parse_action(referee, &state, &printed).expect("what is printed reads back");
            assert_eq!((again.action.text(size), &again.after), (printed, &read.after));
        }
    }
    let is_sacrifice = action.as_ref().is_ok_and(|read| read.captures.is_empty());
    let (false, Ok((from, wanted))) = (is_sacrifice, read_path(size, text)) else {
        assert!(is_sacrifice || action.is_err(), "{text:?} is read as {action:?}");
        return;
    };
    let (mut turns, mut fitting) = (0, Vec::new());
    let counted = referee.board_rules().for_each_turn(position.mover(), position.opponent(), |path, after| {
        let turn = path.to_turn();
        let mut steps = turn.steps.iter().zip(&wanted);
        let fits = steps.all(|(step, &(to, capture))| step.to == to && (capture.is_none() || capture == step.capture));
        if turn.from == from && turn.steps.len() == wanted.len() && fits {
            fitting.push(State::from(Position::of_sides(position.to_move.other(), after.next, after.moved)));
        }
        turns += 1;
        if turns > MAX_TURNS { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    });
    if counted.is_break() {
        return;
    }
    let agree = match &action {
        Ok(read) => !fitting.is_empty() && fitting.iter().all(|after| *after == read.after),
        // What leaves too much open is not followed to its end.
        Err(ActionError::Ambiguous { .. }) => !fitting.is_empty(),
        Err(_) => fitting.is_empty(),
    };
    assert!(agree, "{text:?} is read as {action:?}, by all turns as {fitting:?}");
}
