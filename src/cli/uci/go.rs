//! The limits of `go`, as GUIs and match runners write them.

use std::time::Duration;

use crate::board::excerpt;
use crate::game::engine::Clock;
use crate::rules::Side;

/// The time limit if the command has no limit at all.
const DEFAULT_TIME: Duration = Duration::from_secs(1);

/// The words that `searchmoves` ends at.
const WORDS: [&str; 12] = [
    "wtime",
    "btime",
    "winc",
    "binc",
    "movestogo",
    "movetime",
    "depth",
    "nodes",
    "mate",
    "infinite",
    "ponder",
    "searchmoves",
];

/// The limits of a search.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct GoLimits {
    /// The clocks of White and Black: time left, and what each turn adds.
    clocks: [(Option<Duration>, Duration); 2],
    turns: Option<u32>,
    move_time: Option<Duration>,
    pub depth: Option<u32>,
    pub nodes: Option<u64>,
    /// Search until it is stopped.
    pub infinite: bool,
    /// Search on the time of the other side, until `ponderhit`.
    pub ponder: bool,
    /// The moves to search; all if there are none.
    pub moves: Vec<String>,
}

impl GoLimits {
    /// Parses what follows `go`. What it does not understand is ignored, and the second value says so.
    pub fn read(mut words: &[&str]) -> (Self, Vec<String>) {
        let (mut limits, mut remarks) = (Self::default(), Vec::new());
        while let [word, rest @ ..] = words {
            words = rest;
            match *word {
                "infinite" => limits.infinite = true,
                "ponder" => limits.ponder = true,
                "searchmoves" => {
                    let moves = rest.iter().take_while(|word| !WORDS.contains(word)).count();
                    limits.moves.extend(rest[..moves].iter().map(|&text| text.to_owned()));
                    words = &rest[moves..];
                }
                _ if !WORDS.contains(word) => remarks.push(format!("ignored {:?} after go", excerpt(word))),
                _ => match rest.first().and_then(|number| number.parse::<i64>().ok()) {
                    // Some GUIs let clocks run below 0.
                    Some(number) => {
                        limits.set(word, u64::try_from(number).unwrap_or(0));
                        words = &rest[1..];
                    }
                    None => remarks.push(format!("ignored {word}, because no whole number follows it")),
                },
            }
        }
        (limits, remarks)
    }

    fn set(&mut self, word: &str, number: u64) {
        let time = Duration::from_millis(number);
        let small = u32::try_from(number).unwrap_or(u32::MAX);
        match word {
            "wtime" => self.clocks[0].0 = Some(time),
            "btime" => self.clocks[1].0 = Some(time),
            "winc" => self.clocks[0].1 = time,
            "binc" => self.clocks[1].1 = time,
            "movestogo" => self.turns = Some(small),
            "movetime" => self.move_time = Some(time),
            "depth" => self.depth = Some(small.max(1)),
            "nodes" => self.nodes = Some(number.max(1)),
            // A win in that many own moves ends the search before this depth is complete.
            "mate" => self.depth = Some(small.saturating_mul(2).saturating_sub(1).max(1)),
            _ => {}
        }
    }

    /// The time for the search of that side; `None` if it has no time limit. `margin` is kept on the clock.
    pub fn time(&self, side: Side, margin: Duration) -> Option<Duration> {
        let (left, increment) = self.clocks[side.index()];
        let clock = left.map(|left| Clock { left, increment, turns: self.turns }.time_for_turn(margin));
        let other_limits = self.infinite || self.depth.is_some() || self.nodes.is_some();
        match (self.move_time, clock) {
            _ if self.infinite => None,
            (Some(time), Some(clock)) => Some(time.min(clock)),
            (Some(time), None) | (None, Some(time)) => Some(time),
            (None, None) => (!other_limits).then_some(DEFAULT_TIME),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(text: &str) -> (GoLimits, Vec<String>) {
        GoLimits::read(&text.split_whitespace().collect::<Vec<_>>())
    }

    const fn ms(milliseconds: u64) -> Duration {
        Duration::from_millis(milliseconds)
    }

    #[test]
    fn clocks_are_those_of_the_side_to_move() {
        let (limits, remarks) = read("wtime 10000 btime 4000 winc 100 binc 2000 movestogo 1");
        assert_eq!(remarks, [""; 0]);
        assert_eq!(limits.time(Side::White, ms(50)), Some(ms(9_950)));
        assert_eq!(limits.time(Side::Black, ms(50)), Some(ms(3_950)));
        // The shorter limit counts.
        assert_eq!(read("wtime 10000 movestogo 1 movetime 70").0.time(Side::White, ms(0)), Some(ms(70)));
        assert_eq!(read("wtime -12 btime 5").0.time(Side::White, ms(50)), Some(ms(0)));
    }

    #[test]
    fn without_a_time_other_limits_count() {
        assert_eq!(read("").0.time(Side::White, ms(50)), Some(DEFAULT_TIME));
        assert_eq!(read("ponder").0.time(Side::White, ms(50)), Some(DEFAULT_TIME));
        for (text, depth, nodes) in [
            ("infinite", None, None),
            ("depth 4", Some(4), None),
            ("nodes 50", None, Some(50)),
            ("mate 3", Some(5), None),
        ] {
            let (limits, remarks) = read(text);
            assert_eq!((limits.depth, limits.nodes, remarks.len()), (depth, nodes, 0), "{text}");
            assert_eq!(limits.time(Side::Black, ms(50)), None, "{text}");
        }
        assert_eq!(read("infinite wtime 100 btime 100").0.time(Side::White, ms(50)), None);
    }

    #[test]
    fn what_is_not_known_is_ignored() {
        let (limits, remarks) = read("quickly wtime soon depth 3 nodes searchmoves d3-e3A a1-b2 ponder infinite");
        assert_eq!((limits.depth, limits.nodes, limits.ponder, limits.infinite), (Some(3), None, true, true));
        assert_eq!(limits.moves, ["d3-e3A", "a1-b2"]);
        let ignored = ["quickly", "wtime", "soon", "nodes"];
        assert_eq!(remarks.len(), ignored.len(), "{remarks:?}");
        for (remark, word) in remarks.iter().zip(ignored) {
            assert!(remark.starts_with("ignored ") && remark.contains(word), "{remark}");
        }
    }
}
