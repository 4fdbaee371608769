//! What the text protocol prints about a search.

use crate::game::engine::{EngineError, Reply, SearchInfo, TABLE_WON, plies_to_end};
use crate::rules::Outcome;

use super::super::output::print;

/// Prints a line. If standard output is closed, the input will end too.
pub fn print_line(text: &str) {
    let _ = print(text);
}

/// A line of a search.
pub fn info_text(info: &SearchInfo) -> String {
    let SearchInfo { rank, depth, longest, nodes, table_hits, fill, .. } = info;
    let (ms, nps, score) = (info.time.as_millis(), info.nodes_per_second(), score_text(info.score));
    let line = info.line.join(" ");
    format!(
        "info depth {depth} seldepth {longest} multipv {rank} score {score} nodes {nodes} nps {nps} hashfull {fill} \
         tbhits {table_hits} time {ms} pv {line}"
    )
}

/// The only line of a reply that alpha-beta has not searched for.
pub fn reply_text(reply: &Reply) -> String {
    let score = match (reply.known.bounds.exact(), reply.known.dtw) {
        (Some(outcome @ (Outcome::Win | Outcome::Loss)), Some(plies)) => {
            format!(" score {}", mate_text(outcome == Outcome::Win, plies))
        }
        (Some(Outcome::Win), None) => format!(" score cp {TABLE_WON}"),
        (Some(Outcome::Loss), None) => format!(" score cp -{TABLE_WON}"),
        (Some(Outcome::Draw), _) => " score cp 0".to_owned(),
        (None, _) => String::new(),
    };
    format!("info depth 1 multipv 1{score} nodes {} time {} pv {}", reply.nodes, reply.ms, reply.text)
}

/// A score in hundredths of a stone, or the own turns to the end of a known win, negative for a loss.
fn score_text(score: i32) -> String {
    match plies_to_end(score) {
        None => format!("cp {score}"),
        Some(plies) => mate_text(score > 0, plies),
    }
}

/// The own turns to the end of a won game, or of a lost one.
fn mate_text(wins: bool, plies: u32) -> String {
    if wins { format!("mate {}", plies.div_ceil(2)) } else { format!("mate -{}", plies / 2) }
}

/// The best move, with the expected answer if the last line of the search begins with that move.
pub fn best_text(reply: &Reply, best: Option<&SearchInfo>) -> String {
    let plies = reply.known.dtw.map_or(String::new(), |plies| format!(" in {plies}"));
    let known = reply
        .known
        .source
        .map_or(String::new(), |source| format!("info string {source}: {}{plies}\n", reply.known.value));
    let answer = match best.map(|info| &info.line[..]) {
        Some([first, answer, ..]) if *first == reply.text => format!(" ponder {answer}"),
        _ => String::new(),
    };
    format!("{known}bestmove {}{answer}", reply.text)
}

/// There is no best move.
pub fn none_text(error: &EngineError) -> String {
    format!("info string {error}\nbestmove (none)")
}
