//! Parses the records that this program writes; errors have the number of the line.

use super::lexeme::lexemes;
use super::raw_record::{ParsedRecord, RawRecord, fault};
use super::record_error::{RecordError, RecordFault};

/// Parses a record as this program writes it. Comments are skipped, except times; variations in
/// parentheses and unknown tags are kept.
///
/// # Errors
/// [`RecordError`] for the first fault: in the form, an illegal move, a score that contradicts the moves.
pub fn parse_record(text: &str) -> Result<ParsedRecord, RecordError> {
    let mut raw = RawRecord::of(text);
    for (line, lexeme) in lexemes(text)? {
        raw.take(line, lexeme)?;
    }
    let replayed = raw.game()?.replay().map_err(|error| raw.at_line(error))?;
    raw.check_numbers(&replayed)?;
    if raw.score.is_none() {
        return Err(fault(raw.lines, RecordFault::NoScore));
    }
    raw.parsed(replayed)
}
