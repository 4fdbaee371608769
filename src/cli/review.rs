//! `fanorona review`: what every move of a game was worth.

use std::fmt::Write as _;
use std::fs::File;
use std::io::{self, BufRead, BufReader};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use clap::Args;
use comfy_table::CellAlignment;

use crate::board::MAX_POINTS;
use crate::files::{is_same_file, raise_limit, text_of};
use crate::game::{Game, ParsedRecord, RecordFault, Records, move_number, parse_game};
use crate::review::{Mark, Review, ReviewOptions, Summary, TurnReview, annotated_record, review};

use super::interrupt;
use super::options::{KnowledgeOptions, lacks_knowledge};
use super::output::{CliResult, Failure, print, print_json, table};
use super::play::save_record;
use super::progress::Progress;
use super::values::{read_number, read_positive_time};

/// Review a game: the value of every move, the mistakes, and what would have been better
#[derive(Args, Debug)]
#[allow(clippy::doc_markdown)] // help has no backticks
pub struct Arguments {
    /// The game, or - for standard input: a record of this program, SGF of BoardSpace, JSON of Abstract Play, PGN of
    /// vchess, or a list of moves
    #[arg(value_name = "GAME")]
    file: PathBuf,
    /// Which game to review, from 1, if the file has the records of several, as `match --record` writes it
    #[arg(long, value_parser = read_number::<NonZero<u64>>, value_name = "N")]
    game: Option<NonZero<u64>>,
    /// The time to search a position of which neither a table nor a proof has the value
    #[arg(long, default_value = "500ms", value_parser = read_positive_time)]
    time: Duration,
    /// Instead of a time, the number of nodes of a search: then the review is always the same
    #[arg(long, value_parser = read_number::<NonZero<u64>>, value_name = "N", conflicts_with = "time")]
    nodes: Option<NonZero<u64>>,
    /// Write the game with marks, values and better moves as a record to this file
    #[arg(long, value_name = "FILE")]
    record: Option<PathBuf>,
    /// Print JSON
    #[arg(long)]
    json: bool,
    #[command(flatten)]
    knowledge: KnowledgeOptions,
}

pub fn run(arguments: &Arguments) -> CliResult {
    let (reviewing, stop) = (Arc::new(AtomicBool::new(false)), Arc::new(AtomicBool::new(false)));
    let (begun, asked) = (reviewing.clone(), stop.clone());
    interrupt::on_interrupt(move || {
        // What is reviewed by then is printed; before, and the second time, nothing is waited for.
        if !begun.load(Ordering::SeqCst) || asked.swap(true, Ordering::SeqCst) {
            interrupt::leave("interrupted".to_owned());
        }
    })?;
    if let (Some(record), Some(_)) = (&arguments.record, arguments.game)
        && is_same_file(record, &arguments.file)
    {
        let file = record.display();
        return Err(Failure::Text(format!(
            "{file} has several games, which the record of one would replace; give --record another file"
        )));
    }
    let game = read(&arguments.file, arguments.game)?.game.replay()?;
    let knowledge = if game.size().points() <= MAX_POINTS {
        let knowledge = arguments.knowledge.open(game.size(), game.rules().table_rules())?;
        if knowledge.is_empty() {
            let database = &arguments.knowledge.database.folder;
            let lack = lacks_knowledge(database, game.size(), game.rules().table_rules());
            note!("{lack}; until then values are those of searches");
        }
        Some(knowledge)
    } else {
        None
    };
    let options = ReviewOptions {
        time: arguments.nodes.is_none().then_some(arguments.time),
        nodes: arguments.nodes.map(NonZero::get),
        stop: &stop,
    };
    let mut bar = None;
    reviewing.store(true, Ordering::SeqCst);
    let reviewed = review(&game, knowledge.as_ref(), options, &mut |progress| {
        #[allow(clippy::cast_precision_loss)] // few
        let [searched, to_search] = [progress.searched, progress.to_search].map(|count| count as f64);
        let bar = bar.get_or_insert_with(|| Progress::new(to_search));
        bar.set(searched, || format!("{} of {} positions searched", progress.searched, progress.to_search));
    });
    if let Some(bar) = bar {
        bar.finish();
    }
    let reviewed = reviewed?;
    let interrupted = stop.load(Ordering::SeqCst) && !reviewed.complete;
    let left = arguments.record.as_ref().filter(|record| interrupted && record.exists());
    if arguments.json {
        print_json(&reviewed)?;
    } else {
        print(&report(&game, &reviewed))?;
    }
    if let Some(path) = arguments.record.as_ref().filter(|_| left.is_none()) {
        save_record(path, &annotated_record(&game, &reviewed)).map_err(Failure::Text)?;
    }
    if interrupted {
        let left = left.map_or_else(String::new, |left| format!("; {} is left as it was", left.display()));
        return Err(Failure::Interrupted(format!("interrupted; the turns at the beginning are not reviewed{left}")));
    }
    Ok(())
}

/// The only game of a file or of standard input, or one of several, from 1.
fn read(path: &Path, number: Option<NonZero<u64>>) -> CliResult<ParsedRecord> {
    let is_file = path != Path::new("-");
    let name = if is_file { path.display().to_string() } else { "standard input".to_owned() };
    let failed = |error: io::Error| {
        let advice = raise_limit(&error).unwrap_or("; give the file of a game, or - for standard input");
        Failure::Text(format!("cannot read {name}: {error}{advice}"))
    };
    let input: Box<dyn BufRead> = if is_file {
        Box::new(BufReader::new(File::open(path).map_err(failed)?))
    } else {
        Box::new(io::stdin().lock())
    };
    let Some(number) = number else {
        let text = text_of(input).map_err(failed)?;
        return parse_game(&text).map_err(|error| {
            let one_of = match error.fault {
                RecordFault::LateTag | RecordFault::AfterScore(_) => ", or choose one with --game N",
                _ => "",
            };
            Failure::Text(format!("{name}, {error}{one_of}"))
        });
    };
    let mut count = 0;
    for record in Records::of(input) {
        let record = record.map_err(failed)?;
        count += 1;
        if count == number.get() {
            let text = text_of(&record[..]).map_err(failed)?;
            return parse_game(&text)
                .map_err(|error| Failure::Text(format!("{name}, game {number} of the file, {error}")));
        }
    }
    let games = if count == 1 { "game" } else { "games" };
    Err(Failure::Text(format!("{name} has {count} {games}, so none has the number {number}")))
}

/// The review for people.
fn report(game: &Game, review: &Review) -> String {
    let player = |side: &str| review.tags.get(side).map_or(String::new(), |name| format!("{side}: {name}. "));
    let result = review.result.as_ref().map_or("*".to_owned(), |result| format!("{}  {}", result.score, result.text));
    let mut text = format!("{}: {}\n{}{}{result}\n\n", game.size(), game.rules(), player("White"), player("Black"));
    let mut rows = table(["", "move", "", "value before", "value after", "loss"]);
    for column in [1, 2, 3, 4] {
        if let Some(column) = rows.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Left);
        }
    }
    for turn in &review.turns {
        let loss = turn.loss.filter(|&loss| loss >= 0.005).map_or(String::new(), |loss| format!("{loss:.2}"));
        let mark = turn.mark.map_or("", Mark::text);
        rows.add_row([
            number(review, turn),
            turn.text.clone(),
            mark.to_owned(),
            turn.before.words(),
            turn.after.words(),
            loss,
        ]);
    }
    for line in rows.to_string().lines() {
        text.push_str(line.trim_end());
        text.push('\n');
    }
    text.push('\n');
    for turn in &review.turns {
        let Some(better) = &turn.better else { continue };
        // Writing to a string cannot fail.
        let _ = writeln!(
            text,
            "{} {}{} loses {}{}: better {}",
            number(review, turn),
            turn.text,
            turn.mark.map_or("", Mark::text),
            match turn.mark {
                Some(Mark::Blunder) => "a point",
                Some(Mark::Inaccuracy) => "a little",
                _ => "half a point",
            },
            if turn.is_fact { "" } else { ", as a search sees it" },
            better.line.join(" ")
        );
    }
    text.push_str(&summary("White", &review.white));
    text.push('\n');
    text.push_str(&summary("Black", &review.black));
    text
}

/// The number of a turn.
fn number(review: &Review, turn: &TurnReview) -> String {
    let begins = review.turns.first().map_or(turn.side, |first| first.side);
    move_number(begins, turn.ply - 1, true).unwrap_or_default()
}

fn summary(side: &str, summary: &Summary) -> String {
    let count = |count: usize, one: &str, many: &str| format!("{count} {}", if count == 1 { one } else { many });
    let average = summary.average_loss.map_or(String::new(), |loss| format!(", {loss:.3} points lost on average"));
    let reviewed =
        if summary.reviewed < summary.moves { format!(" ({} reviewed)", summary.reviewed) } else { String::new() };
    format!(
        "{side}: {}{reviewed}, {}, {}, {}, {}{average}",
        count(summary.moves, "move", "moves"),
        count(summary.inaccuracies, "inaccuracy (?!)", "inaccuracies (?!)"),
        count(summary.mistakes, "mistake (?)", "mistakes (?)"),
        count(summary.blunders, "blunder (??)", "blunders (??)"),
        count(summary.only_moves, "only move", "only moves"),
    )
}
