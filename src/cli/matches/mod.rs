//! `fanorona match`: two engines play games, and the result says which is stronger.

mod options;
mod output;

use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use crate::board::MAX_POINTS;
use crate::game::PlayRules;
use crate::matches::{Adjudicator, Match, MatchError, OpeningError, RecordFile, Results};

use super::interrupt;
use super::options::lacks_knowledge;
use super::output::{CliResult, Failure, print, print_json};
pub use options::Arguments;
use output::{MatchProgress, Output, score_text, summary};

pub fn run(arguments: &Arguments) -> CliResult {
    let stop = Arc::new(AtomicBool::new(false));
    let interrupted = Arc::new(AtomicBool::new(false));
    let (asked, ended) = (interrupted.clone(), stop.clone());
    interrupt::on_interrupt(move || {
        if asked.swap(true, Ordering::SeqCst) {
            interrupt::leave("interrupted".to_owned());
        }
        ended.store(true, Ordering::SeqCst);
    })?;
    let (board, rules) = (arguments.board, arguments.rules.rule_set());
    let knowledge = if arguments.adjudicate {
        if board.points() > MAX_POINTS {
            return Err(Failure::Text(format!("{board} has no tables to adjudicate with; leave out --adjudicate")));
        }
        let knowledge = arguments.knowledge.open(board, rules)?;
        if knowledge.is_empty() {
            let lack = lacks_knowledge(&arguments.knowledge.database.folder, board, rules);
            return Err(Failure::Text(format!("{lack}; or leave out --adjudicate")));
        }
        Some(knowledge)
    } else {
        None
    };
    let rules = PlayRules {
        move_limit: Some(arguments.move_limit.get()),
        repetition: !arguments.no_repetition,
        ..rules.into()
    };
    let mut openings = arguments.open_openings(rules)?;
    let contest = Match {
        engines: arguments.engines()?,
        board,
        rules,
        games: arguments.games(&openings)?,
        concurrency: usize::from(arguments.concurrency.get()),
        sprt: arguments.sprt,
        timeout: arguments.timeout(),
        adjudicator: Adjudicator(knowledge.as_ref()),
    };
    let mut earlier = Results::default();
    let mut record = None;
    if let Some(path) = &arguments.record {
        let (file, games) = RecordFile::open(path).map_err(MatchError::from)?;
        earlier = contest.resume(&mut openings, &games, &stop).map_err(|error| of_file(path, error))?;
        if !games.is_empty() {
            note!("continuing from {}: {}", path.display(), score_text(&earlier));
        }
        record = Some(file);
    }
    let progress = MatchProgress::new(&contest, &earlier);
    let (results, ended) = if contest.is_over(&earlier) {
        (earlier, Ok(()))
    } else {
        contest.run(openings, earlier, &stop, &mut |game, results| {
            if let Some(record) = &mut record {
                record.append(game.played)?;
            }
            progress.show(&contest, game, results);
            Ok(())
        })
    };
    progress.bar.finish();
    // A match that could not go on has the result of its games, if there are any.
    match &ended {
        Err(_) if results.tally.games() == 0 => {}
        _ if arguments.json => print_json(&Output::new(&contest, &results))?,
        _ => print(&summary(&contest, &results))?,
    }
    ended?;
    if interrupted.load(Ordering::SeqCst) && !contest.is_over(&results) {
        let then = match &arguments.record {
            Some(path) => format!("the same command continues from {}", path.display()),
            None => "without --record no game is kept".to_owned(),
        };
        return Err(Failure::Interrupted(format!("interrupted; {then}")));
    }
    Ok(())
}

fn of_file(path: &Path, error: MatchError) -> Failure {
    match error {
        MatchError::Opening(OpeningError::Interrupted) => Failure::Interrupted(error.to_string()),
        MatchError::OtherMatch { .. } => {
            Failure::Text(format!("{}: {error}; give another --record, or the options of that match", path.display()))
        }
        error => error.into(),
    }
}
