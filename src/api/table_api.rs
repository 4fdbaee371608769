//! Tables: positions, lines, statistics, and the list of tables.

use std::sync::Arc;

use axum::extract::rejection::PathRejection;
use axum::extract::{Path as InPath, State};
use axum::http::{StatusCode, Uri};
use serde::Serialize;

use crate::board::{BoardSize, PointSet, Wide};
use crate::knowledge::{Assurance, Knowledge, Why};
use crate::proof::ProofError;
use crate::report::{ClaimSummary, answer, line, stats};
use crate::retro::check_size;
use crate::rules::{Position, PositionText, RuleSet, Rules};
use crate::table::Known;

use super::deadline::Deadline;
use super::request::Parameters;
use super::response::{Reply, json_response, json_text};
use super::zugzwangs::board_zugzwangs;
use super::{Api, Problem, Shared};

/// The most turns, every path counted, of a position whose moves are listed. The start of 9x5 has 5, games reach some hundreds,
/// constructed positions tens of thousands.
const MAX_RATED: usize = 20_000;

/// `GET /api/{size}`: a position and its moves.
pub async fn query(State(api): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    answer_with(api, size, uri, |knowledge, position, deadline| {
        answer(knowledge.rules(), position, |mover, opponent| look_up(knowledge, deadline, mover, opponent))
    })
    .await
}

/// `GET /api/{size}/line`: best play from a position.
pub async fn best_line(State(api): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    answer_with(api, size, uri, |knowledge, position, deadline| {
        line(knowledge.rules(), position, |mover, opponent| look_up(knowledge, deadline, mover, opponent))
    })
    .await
}

/// Answers a request about a position.
async fn answer_with<T: Serialize + Send + 'static>(
    api: Shared,
    size: SizeInPath,
    uri: Uri,
    make: impl FnOnce(&Knowledge, &Position<u64>, Deadline) -> Result<T, Problem> + Send + 'static,
) -> Reply {
    let size = read_size(size)?;
    let parameters = Parameters::read(&uri)?;
    let text = PositionText::parse(parameters.position()?)?;
    // Errors of the request come first, also for boards too large for tables.
    text.on::<Wide>(size)?;
    api.answer(move |api, deadline| {
        let knowledge = knowledge_of(api, size, parameters.rules)?;
        let position = text.on::<u64>(size)?;
        few_turns(knowledge.rules(), &position)?;
        json_text(&make(&knowledge, &position, deadline)?)
    })
    .await
}

/// `GET /api/{size}/stats`: statistics of the tables of a board.
pub async fn statistics(State(api): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    let size = read_size(size)?;
    let parameters = Parameters::read(&uri)?.without_position()?;
    api.answer(move |api, _| {
        let knowledge = knowledge_of(api, size, parameters.rules)?;
        json_text(&stats(knowledge.tables().folder(), size, parameters.rules)?)
    })
    .await
}

/// `GET /api/{size}/zugzwangs`: the mutual zugzwangs of the slices of few stones.
pub async fn zugzwangs(State(api): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    let size = read_size(size)?;
    let rules = Parameters::read(&uri)?.without_position()?.rules;
    api.answer(move |api, _| {
        let count = || json_text(&board_zugzwangs(&*knowledge_of(api, size, rules)?, size, rules)?);
        Ok(api.zugzwangs.get(api.library.database(), (size, rules), count)?.to_vec())
    })
    .await
}

/// The certificates of a board.
#[derive(Serialize)]
struct Certificates {
    board: String,
    rules: RuleSet,
    /// Those that are used: they have been checked, and their tables are there.
    used: Vec<CertificateInUse>,
    /// The others, with the reason.
    unused: Vec<CertificateNotUsed>,
}

#[derive(Serialize)]
struct CertificateInUse {
    name: String,
    #[serde(flatten)]
    claimed: ClaimSummary,
    /// Stones of the largest slice it uses, 0 without tables.
    stones: usize,
    /// What speaks for its tables, if it uses any.
    tables: Option<Assurance>,
}

#[derive(Serialize)]
struct CertificateNotUsed {
    name: String,
    why: String,
}

/// `GET /api/{size}/certificates`: the certificates of a board, with what they prove.
pub async fn certificates(State(api): State<Shared>, size: SizeInPath, uri: Uri) -> Reply {
    let size = read_size(size)?;
    let rules = Parameters::read(&uri)?.without_position()?.rules;
    api.answer(move |api, _| {
        check_size(size, 2).map_err(|error| Problem::missing(error.to_string()))?;
        let knowledge = api.library.knowledge(size, rules)?;
        let (proofs, folder) = (knowledge.proofs(), knowledge.tables().folder());
        let used = proofs.proofs().iter().filter_map(|proof| {
            let certificate = &proof.certificate;
            Some(CertificateInUse {
                name: proof.name.to_string(),
                claimed: ClaimSummary::of(certificate)?,
                stones: certificate.tables_reach(),
                tables: (!certificate.tables.is_empty()).then(|| Assurance::of(&certificate.tables, folder)),
            })
        });
        // Certificates of other rules are no news here.
        let unused = proofs.unused().iter().filter(|unused| !matches!(unused.why, Why::OtherRules(_)));
        let unused = unused.map(|unused| CertificateNotUsed {
            name: unused.file.file_name().unwrap_or_default().to_string_lossy().into_owned(),
            why: match &unused.why {
                Why::Unchecked => unused.why.to_string(),
                Why::Unusable(ProofError::MissingTable { .. }) => "tables that it rests on are missing".to_owned(),
                // The text names files of the server.
                _ => "it cannot be used; the log of the server says why".to_owned(),
            },
        });
        let (used, unused) = (used.collect(), unused.collect());
        json_text(&Certificates { board: size.to_string(), rules, used, unused })
    })
    .await
}

/// The start position of a board.
#[derive(Serialize)]
struct Start {
    board: String,
    position: String,
}

/// `GET /api/{size}/start`: the start position of a board.
pub async fn start(size: SizeInPath, uri: Uri) -> Reply {
    let size = read_size(size)?;
    // The start is the same under all rules, which may still be given.
    Parameters::read(&uri)?.without_position()?;
    let position = Position::<Wide>::start(size).to_text(size);
    Ok(json_response(StatusCode::OK, json_text(&Start { board: size.to_string(), position })?))
}

/// `GET /api/tables`: the boards that have tables.
pub async fn tables(State(api): State<Shared>) -> Reply {
    api.answer(|api, _| json_text(&api.library.list()?)).await
}

/// The size in a path, or why it cannot be read.
pub type SizeInPath = Result<InPath<String>, PathRejection>;

/// Reads the size in a path.
///
/// # Errors
/// Status 400.
pub fn read_size(size: SizeInPath) -> Result<BoardSize, Problem> {
    let Ok(InPath(text)) = size else {
        return Err(Problem::malformed("the path is not text; it should name a board size, such as /api/9x5"));
    };
    Ok(text.parse::<BoardSize>()?)
}

/// What is known of a board.
///
/// # Errors
/// Status 404 without tables and certificates.
pub fn knowledge_of(api: &Api, size: BoardSize, rules: RuleSet) -> Result<Arc<Knowledge>, Problem> {
    check_size(size, 2).map_err(|error| Problem::missing(error.to_string()))?;
    let knowledge = api.library.knowledge(size, rules)?;
    if !knowledge.is_empty() {
        return Ok(knowledge);
    }
    let remedy = api.host.remedy(size, rules)?;
    let rules = if rules == RuleSet::default() { String::new() } else { format!(" with {rules}") };
    Err(Problem::missing(format!("there are no tables of {size}{rules} here; {remedy}")))
}

/// Looks a position up, unless the deadline has passed.
///
/// # Errors
/// [`Problem::late`]; status 500 if a table cannot be used.
pub fn look_up(knowledge: &Knowledge, deadline: Deadline, mover: u64, opponent: u64) -> Result<Option<Known>, Problem> {
    if deadline.is_over() {
        return Err(Problem::late());
    }
    Ok(knowledge.look_up(mover, opponent)?)
}

/// Refuses positions with too many turns to list.
///
/// # Errors
/// Status 422.
pub fn few_turns<P: PointSet>(rules: &Rules<P>, position: &Position<P>) -> Result<(), Problem> {
    if !rules.has_more_turns_than(MAX_RATED, position) {
        return Ok(());
    }
    let message = format!("the side to move has more than {MAX_RATED} turns in this position; they are not listed");
    Err(Problem::new(StatusCode::UNPROCESSABLE_ENTITY, message))
}
