//! Building tables: what can be built for a board, and the build in the background.

use std::sync::Arc;

use axum::extract::{Request, State};
use axum::http::{HeaderMap, StatusCode, Uri};
use serde::{Deserialize, Serialize};

use crate::api::{Fields, Parameters, Problem, Reply, SizeInPath, json_response, json_text, read_size};
use crate::board::BoardSize;
use crate::retro::{BuildError, check_size};
use crate::rules::{Position, RuleSet};

use super::builder::{BuildReport, BuildTask, Refusal};
use super::job::is_known;
use super::offers::Offer;
use super::{Service, Shared};

/// What can be built for a board.
#[derive(Serialize)]
struct BoardOffers<'o> {
    board: String,
    rules: RuleSet,
    /// Whether this server builds tables for the sender of this request. If not, nothing is offered.
    allowed: bool,
    /// Every slice up to this many stones has a table.
    stones: usize,
    /// Tables to more stones, and what they take.
    offers: &'o [Offer],
    /// The most stones that take less than half a minute; where all take longer, the fewest.
    recommended: Option<usize>,
    /// The start position.
    start: String,
    /// The tables for a proof of the start position, unless its value is known or they are out of reach. The time of the search
    /// is not included.
    proof: Option<Offer>,
}

/// `GET /api/{size}/build`: the tables of a board that can be built here, and what they take.
pub async fn offers(State(service): State<Shared>, size: SizeInPath, uri: Uri, headers: HeaderMap) -> Reply {
    let size = read_size(size)?;
    let rules = Parameters::read(&uri)?.without_position()?.rules;
    let allowed = service.builds.check(&headers).is_ok();
    let shared = service.clone();
    let offered = service.api.answer(move |api, _| {
        check_size(size, 2).map_err(|error| Problem::missing(error.to_string()))?;
        let known = api.library.knowledge(size, rules)?;
        // What is not allowed is not planned either.
        let offers = if allowed { shared.offering.get(size, rules)? } else { Arc::default() };
        let unproved = offers.proof.is_some() && !is_known(&known, &Position::start(size))?;
        json_text(&BoardOffers {
            start: Position::<u64>::start(size).to_text(size),
            proof: offers.proof.filter(|_| unproved),
            board: size.to_string(),
            rules,
            allowed,
            stones: known.stones(),
            offers: &offers.tables,
            recommended: offers.recommended,
        })
    });
    offered.await
}

/// `GET /api/build`: the state of the latest build.
pub async fn state(State(service): State<Shared>) -> Reply {
    report(&service)
}

/// What to build.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct BuildRequest {
    board: String,
    #[serde(default)]
    rules: RuleSet,
    /// Tables to this many stones, or a proof of the start position.
    #[serde(default)]
    stones: Option<usize>,
    #[serde(default)]
    proof: bool,
}

/// `POST /api/build`: starts a build.
pub async fn start(State(service): State<Shared>, request: Request) -> Reply {
    service.builds.check(request.headers())?;
    let BuildRequest { board, rules, stones, proof } = Fields::read(&service.api, request).await?.parse()?;
    let size: BoardSize = board.parse()?;
    if stones.is_some() == proof {
        return Err(Problem::malformed(
            "in the body, give either stones, for tables, or proof: true, for the start position",
        ));
    }
    let shared = service.clone();
    // Planning a build and measuring the machine take a moment.
    let started = service.api.answer(move |api, _| {
        shared.builder.start(size, rules, stones, api.settings.log)?;
        json_text(&shared.builder.report())
    });
    started.await
}

/// `DELETE /api/build`: stops the build. What is finished stays, and the next build continues from there.
pub async fn stop(State(service): State<Shared>, headers: HeaderMap) -> Reply {
    service.builds.check(&headers)?;
    service.builder.stop();
    report(&service)
}

fn report(service: &Service) -> Reply {
    let report: BuildReport = service.builder.report();
    Ok(json_response(StatusCode::OK, json_text(&report)?))
}

impl From<Refusal> for Problem {
    fn from(refusal: Refusal) -> Self {
        match refusal {
            Refusal::Running(BuildTask { board, stones, proof, .. }) => Self::new(
                StatusCode::CONFLICT,
                if proof {
                    format!("a proof of the start of {board} is running; wait until it ends, or stop it")
                } else {
                    format!("a build of {board} to {stones} stones is running; wait until it ends, or stop it")
                },
            ),
            Refusal::Impossible(message) => Self::new(StatusCode::UNPROCESSABLE_ENTITY, message),
            Refusal::Build(BuildError::Table(error)) => error.into(),
            Refusal::Build(error) => Self::malformed(error.to_string()),
        }
    }
}
