//! What `fanorona match` prints: progress, and the result for people and as JSON.

use std::collections::BTreeMap;

use serde::Serialize;

use crate::game::PlayRules;
use crate::matches::{Conduct, Decision, Estimate, FinishedGame, Match, Results, Sprt};

use super::super::options::counted;
use super::super::progress::Progress;
use super::options::UNLIMITED;

/// Shows how far a match is.
pub struct MatchProgress {
    pub bar: Progress,
    earlier: u64,
}

impl MatchProgress {
    #[allow(clippy::cast_precision_loss)] // for people
    pub fn new(contest: &Match<'_>, earlier: &Results) -> Self {
        let bar = if contest.games == UNLIMITED { Progress::endless() } else { Progress::new(contest.games as f64) };
        Self { bar, earlier: earlier.tally.games() }
    }

    #[allow(clippy::cast_precision_loss)] // for people
    pub fn show(&self, contest: &Match<'_>, game: &FinishedGame<'_>, results: &Results) {
        if let Some((side, fault)) = &game.played.fault {
            let loser = contest.players(game.number)[side.index()];
            self.bar.line(&format!("game {}: {} loses: {fault}", game.number + 1, loser.name));
        }
        let message = || {
            let test = contest.sprt.map_or(String::new(), |sprt| {
                let left =
                    sprt.games_left(&results.tally).map(|games| format!(", about {} to go", counted(games, "game")));
                format!(", LLR {}{}", ratio_text(sprt, results), left.unwrap_or_default())
            });
            format!("{}{test}", score_text(results))
        };
        if contest.games == UNLIMITED {
            self.bar.show(message);
        } else {
            self.bar.set_after(self.earlier as f64, results.tally.games() as f64, message);
        }
    }
}

/// Games, results and Elo in a line.
pub fn score_text(results: &Results) -> String {
    let tally = &results.tally;
    let (wins, draws, losses) = (tally.wins, tally.draws, tally.losses);
    let score = tally.score().map_or(String::new(), |score| format!(", {:.1} %", 100.0 * score));
    let elo = tally.elo().map_or(String::new(), |elo| format!(", Elo {}", elo_text(&elo)));
    format!("{}, {wins}-{draws}-{losses}{score}{elo}", counted(tally.games(), "game"))
}

fn elo_text(elo: &Estimate) -> String {
    format!("{:+.1} ({:+.1} to {:+.1})", elo.value, elo.low, elo.high)
}

fn ratio_text(sprt: Sprt, results: &Results) -> String {
    let [low, high] = sprt.bounds();
    format!("{:.2} ({low:.2} to {high:.2})", sprt.log_ratio(&results.tally))
}

/// The result for people.
pub fn summary(contest: &Match<'_>, results: &Results) -> String {
    let tally = &results.tally;
    let [first, second] = &contest.engines;
    let mut lines = vec![
        format!("{} against {} on {}: {}", first.name, second.name, contest.board, contest.rules),
        format!(
            "wins-draws-losses {}-{}-{} in {}{}",
            tally.wins,
            tally.draws,
            tally.losses,
            counted(tally.games(), "game"),
            tally.score().map_or(String::new(), |score| format!(", score {:.1} %", 100.0 * score)),
        ),
        format!("pairs with 0, ½, 1, 1½, 2 points: {}", tally.pairs.map(|count| count.to_string()).join(", ")),
    ];
    if let (Some(elo), Some(superiority)) = (tally.elo(), tally.superiority()) {
        lines.push(format!("Elo {}, LOS {:.1} %", elo_text(&elo), 100.0 * superiority));
    }
    if let Some(sprt) = contest.sprt {
        let decided = match sprt.decision(tally) {
            Decision::Open => "undecided".to_owned(),
            Decision::H0 => format!("H0 accepted: {} Elo rather than {}", sprt.elo0, sprt.elo1),
            Decision::H1 => format!("H1 accepted: {} Elo rather than {}", sprt.elo1, sprt.elo0),
        };
        lines.push(format!("SPRT [{}, {}]: LLR {}, {decided}", sprt.elo0, sprt.elo1, ratio_text(sprt, results)));
    }
    let ends: Vec<String> = results.ends.iter().map(|(reason, games)| format!("{reason} {games}")).collect();
    lines.push(format!("ends: {}", ends.join(", ")));
    for (engine, conduct) in contest.engines.iter().zip(&results.conduct) {
        let time = conduct.milliseconds_a_move().map_or(String::new(), |time| format!(", {time:.0} ms used"));
        let forfeits = match conduct.forfeits {
            0 => String::new(),
            games => format!(", {} lost by forfeit", counted(games, "game")),
        };
        lines.push(format!("{}: {}{time}{forfeits}", engine.name, engine.limit));
    }
    lines.join("\n")
}

/// The result as JSON.
#[derive(Serialize)]
pub struct Output {
    board: String,
    rules: PlayRules,
    engines: [EngineOutput; 2],
    games: u64,
    wins: u64,
    draws: u64,
    losses: u64,
    pairs: [u64; 5],
    score: Option<f64>,
    elo: Option<Estimate>,
    los: Option<f64>,
    sprt: Option<SprtOutput>,
    ends: BTreeMap<&'static str, u64>,
}

#[derive(Serialize)]
struct EngineOutput {
    name: String,
    limit: String,
    #[serde(flatten)]
    conduct: Conduct,
}

#[derive(Serialize)]
struct SprtOutput {
    #[serde(flatten)]
    test: Sprt,
    llr: f64,
    bounds: [f64; 2],
    decision: Decision,
}

impl Output {
    pub fn new(contest: &Match<'_>, results: &Results) -> Self {
        let tally = &results.tally;
        let engine = |index: usize| EngineOutput {
            name: contest.engines[index].name.clone(),
            limit: contest.engines[index].limit.to_string(),
            conduct: results.conduct[index],
        };
        let sprt = |test: Sprt| SprtOutput {
            test,
            llr: test.log_ratio(tally),
            bounds: test.bounds(),
            decision: test.decision(tally),
        };
        Self {
            board: contest.board.to_string(),
            rules: contest.rules,
            engines: [engine(0), engine(1)],
            games: tally.games(),
            wins: tally.wins,
            draws: tally.draws,
            losses: tally.losses,
            pairs: tally.pairs,
            score: tally.score(),
            elo: tally.elo(),
            los: tally.superiority(),
            sprt: contest.sprt.map(sprt),
            ends: results.ends.clone(),
        }
    }
}
